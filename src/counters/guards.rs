//! Guards of codes: documents on which two writers of one code collide, in this process or in others, so that the later one
//! begins again and sees the code of the first. No collection has to be held alone for it.

use chrono::Utc;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::aql::counters::GUARD_CODES;
use crate::error::Result;
use crate::store::{Query, Transaction};

/// What a transaction that guards codes runs.
pub const QUERIES: [Query; 1] = [GUARD_CODES];

/// Key of the guard of a code among those that must differ: no text of the code has a place in a key.
fn key(among: &str, code: &str) -> String {
    let hash = Sha256::new().chain_update(among).chain_update([0]).chain_update(code).finalize();
    hash.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// What calls of this process wait for that write the same code.
pub fn unit(among: &str, code: &str) -> String {
    format!("CodeGuard/{}", key(among, code))
}

/// Keys of the guards of codes.
pub fn keys<'a>(codes: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    codes.into_iter().map(|(among, code)| key(among, code)).collect()
}

/// When guards are touched, as they keep it.
pub fn now() -> i64 {
    Utc::now().timestamp()
}

/// Touches the guards of codes. Whoever does so first is the first to look whether they are taken.
pub async fn touch<'a>(trx: &Transaction, codes: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<()> {
    trx.run(&GUARD_CODES, json!({"keys": keys(codes), "now": now()})).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_tell_products_and_codes_apart() {
        assert_ne!(key("a", "bc"), key("ab", "c"));
        assert_eq!(key("p", "Ä/ 1").len(), 64);
    }
}
