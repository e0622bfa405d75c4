//! Guards: documents on which two writers of one thing collide, in this process or in others, so that the later one begins
//! again and sees what the first has made. No collection has to be held alone for it.

use chrono::Utc;
use sha2::{Digest, Sha256};

use super::Transaction;
use crate::aql;
use crate::error::Result;

/// The collection they are in, and the one query that does nothing but touch them.
pub(super) const COLLECTION: &str = "CodeGuard";

/// Among what the guards of whole collections are, see [`Access::one_by_one`](super::Access::one_by_one).
const ONE_BY_ONE: &str = "one by one";

/// Key of the guard of a code among those that must differ: no text of the code has a place in a key.
fn key(among: &str, code: &str) -> String {
    let hash = Sha256::new().chain_update(among).chain_update([0]).chain_update(code).finalize();
    format!("{hash:x}")
}

/// What calls of this process wait for that write the same code.
pub fn unit(among: &str, code: &str) -> String {
    format!("CodeGuard/{}", key(among, code))
}

/// Keys of the guards of codes, in one order for all who touch several. Queries that look whether codes are taken touch them:
/// whoever does so first is the first to look.
pub fn keys<'a>(codes: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut keys: Vec<String> = codes.into_iter().map(|(among, code)| key(among, code)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Keys of the guards of collections that are written one by one.
pub fn keys_of_collections<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    keys(names.into_iter().map(|name| (ONE_BY_ONE, name)))
}

/// When guards are touched, as they keep it.
pub fn now() -> i64 {
    Utc::now().timestamp()
}

/// Touches guards: of two transactions that touch one at the same time the later begins again. The transaction declares
/// [`TOUCH`](aql::guards::TOUCH).
pub async fn touch<'a>(trx: &Transaction, guarded: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<()> {
    touch_keys(trx, &keys(guarded)).await
}

pub(super) async fn touch_keys(trx: &Transaction, keys: &[String]) -> Result<()> {
    aql::guards::touch(trx, aql::guards::touch::Params { guards: keys.into(), now: now() }).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_tell_products_and_codes_apart() {
        assert_ne!(key("a", "bc"), key("ab", "c"));
        assert_eq!(key("p", "Ä/ 1").len(), 64);
    }

    #[test]
    fn everybody_touches_several_guards_in_the_same_order() {
        let one = [("a", "1"), ("b", "2"), ("a", "1")];
        assert_eq!(keys(one), keys([("b", "2"), ("a", "1")]));
    }
}
