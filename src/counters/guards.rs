//! Guards of codes: documents on which two writers of one code collide, in this process or in others, so that the later one
//! begins again and sees the code of the first. No collection has to be held alone for it.

use chrono::Utc;
use sha2::{Digest, Sha256};

/// Key of the guard of a code among those that must differ: no text of the code has a place in a key.
fn key(among: &str, code: &str) -> String {
    let hash = Sha256::new().chain_update(among).chain_update([0]).chain_update(code).finalize();
    format!("{hash:x}")
}

/// What calls of this process wait for that write the same code.
pub fn unit(among: &str, code: &str) -> String {
    format!("CodeGuard/{}", key(among, code))
}

/// Keys of the guards of codes. Queries that look whether codes are taken touch them: whoever does so first is the first to look.
pub fn keys<'a>(codes: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    codes.into_iter().map(|(among, code)| key(among, code)).collect()
}

/// When guards are touched, as they keep it.
pub fn now() -> i64 {
    Utc::now().timestamp()
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
