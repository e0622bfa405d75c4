//! Which names and keys are allowed: ArangoDB's traditional rules, and for names beyond ASCII its extended ones.

use unicode_normalization::is_nfc;

use crate::error::code;
use crate::{Error, Result};

/// The longest document key in bytes.
pub const MAX_KEY: usize = 254;
const MAX_DATABASE: usize = 64;
const MAX_EXTENDED_DATABASE: usize = 128;
const MAX_COLLECTION: usize = 256;

fn is_word(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// May a name with letters beyond ASCII be used? It must be in the normal form in which it is compared, and neither be
/// taken for a number or a hidden file nor begin or end with a space.
fn is_extended(name: &str, max: usize, without: &[char]) -> bool {
    let bad_start = |c: char| c.is_ascii_digit() || matches!(c, '_' | '.' | ' ');
    !name.is_ascii()
        && name.len() <= max
        && !name.starts_with(bad_start)
        && !name.ends_with(' ')
        && !name.chars().any(|c| c.is_ascii_control() || without.contains(&c))
        && is_nfc(name)
}

/// Refuses what cannot be the name of a new database (error 1229).
pub fn check_database(name: &str) -> Result<()> {
    let bytes = name.as_bytes();
    let traditional =
        bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.len() <= MAX_DATABASE && is_word(bytes);
    let good = traditional || is_extended(name, MAX_EXTENDED_DATABASE, &['/', ':']);
    if good { Ok(()) } else { Err(Error::plain(code::DATABASE_NAME_INVALID)) }
}

/// May a collection have this name? One that begins with an underscore only when it is a system collection.
pub fn is_collection(name: &str, system: bool) -> bool {
    let bytes = name.as_bytes();
    let first = bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || (system && *b == b'_'));
    (first && bytes.len() <= MAX_COLLECTION && is_word(bytes)) || is_extended(name, MAX_COLLECTION, &['/'])
}

/// Refuses what cannot be the name of a collection (error 1208).
pub fn check_collection(name: &str, system: bool) -> Result<()> {
    if is_collection(name, system) { Ok(()) } else { Err(Error::plain(code::ILLEGAL_NAME)) }
}

/// Refuses what cannot be the name of an index (error 1208).
pub fn check_index(name: &str) -> Result<()> {
    check_collection(name, false)
}

/// May a document have this key?
pub fn is_key(key: &str) -> bool {
    let bytes = key.as_bytes();
    let allowed = |b: &u8| {
        b.is_ascii_alphanumeric()
            || matches!(
                b,
                b'_' | b'-'
                    | b':'
                    | b'.'
                    | b'@'
                    | b'('
                    | b')'
                    | b'+'
                    | b','
                    | b'='
                    | b';'
                    | b'$'
                    | b'!'
                    | b'*'
                    | b'\''
                    | b'%'
            )
    };
    !bytes.is_empty() && bytes.len() <= MAX_KEY && bytes.iter().all(allowed)
}

/// Is this `collection/key`, both parts well formed?
pub fn is_document_id(id: &str) -> bool {
    id.split_once('/').is_some_and(|(collection, key)| is_collection(collection, true) && is_key(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_name_begins_with_a_letter_and_has_at_most_64_bytes() {
        for good in ["dätenbank", "a", "Shop-1_x", &"a".repeat(64)] {
            assert!(check_database(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "1abc",
            "a b",
            "a/b",
            "_x",
            "1ä",
            " ä",
            "ä ",
            "ä/b",
            "ä:b",
            "a\u{308}",
            &"a".repeat(65),
            &"ä".repeat(65),
        ] {
            assert_eq!(check_database(bad).unwrap_err().num, code::DATABASE_NAME_INVALID, "{bad}");
        }
    }

    #[test]
    fn only_a_system_collection_begins_with_an_underscore() {
        assert!(is_collection("_graphs", true));
        assert!(!is_collection("_graphs", false));
        for good in ["a-b_c", "üml", "かわいい 犬", "a:ü.b"] {
            assert!(is_collection(good, false), "{good}");
        }
        for bad in ["", "1c", "a b", "a/b", "a.b", "_ü", "1ü", "ü/a", &"a".repeat(257)] {
            assert!(!is_collection(bad, true), "{bad}");
        }
    }

    #[test]
    fn a_key_has_up_to_254_bytes_of_the_allowed_characters() {
        for good in ["a", "a:b", "a!b$c'd*(e),f", "-_-", "0001", "x%y+z=;@.", &"k".repeat(254)] {
            assert!(is_key(good), "{good}");
        }
        for bad in ["", "a b", "a/b", "ä", "a\"b", "a#b", "a&b", "a?b", "a{b}", "a|b", "a~b", &"k".repeat(255)] {
            assert!(!is_key(bad), "{bad}");
        }
    }

    #[test]
    fn a_document_id_is_a_collection_and_a_key() {
        assert!(is_document_id("v/a"));
        assert!(is_document_id("_users/a"));
        for bad in ["", "v", "v/", "/a", "v/b/c", "1v/a"] {
            assert!(!is_document_id(bad), "{bad}");
        }
    }
}
