//! How postings are put together and taken apart.

pub(crate) use crate::storage::{push_number, take_number};
use crate::value::{EXACT, Value, index_key};

/// The attribute has a value, whatever it is: followed by what it is.
pub(crate) const PRESENT: u8 = 0;
/// The value null.
pub(crate) const NULL: u8 = 1;
/// A boolean.
pub(crate) const BOOL: u8 = 2;
/// A number.
pub(crate) const NUMBER: u8 = 3;
/// What the index keeps of a document to be read from it.
pub(crate) const VALUES: u8 = 4;
/// A token of the first analyzer of the index; those of the others follow.
pub(crate) const TOKENS: u8 = 0x10;

/// What is present, behind [`PRESENT`].
pub(crate) mod present {
    /// The document itself.
    pub const DOCUMENT: u8 = 0;
    /// Null.
    pub const NULL: u8 = 1;
    /// A boolean.
    pub const BOOL: u8 = 2;
    /// A number.
    pub const NUMBER: u8 = 3;
    /// A string.
    pub const STRING: u8 = 4;
    /// An array or object.
    pub const NESTED: u8 = 5;
    /// A string that is too long to be found by what it is.
    pub const LONG: u8 = 6;
}

/// What the posting of the document itself begins with, which tells its id.
pub(crate) const DOCUMENT: [u8; 4] = [0, 0, PRESENT, present::DOCUMENT];

/// The key of that posting in an index that is stored under `object`.
pub(crate) fn document(object: u64, origin: u64) -> [u8; 20] {
    let mut key = [0; 20];
    key[..8].copy_from_slice(&object.to_be_bytes());
    key[8..12].copy_from_slice(&DOCUMENT);
    key[12..].copy_from_slice(&origin.to_be_bytes());
    key
}

/// Appends bytes so that they sort as they are, whatever follows.
fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        out.push(*byte);
        if *byte == 0 {
            out.push(0xff);
        }
    }
}

/// What the postings of an attribute begin with.
pub(crate) fn field(path: &str, kind: u8) -> Vec<u8> {
    let mut key = Vec::with_capacity(path.len() + 3);
    push_bytes(&mut key, path.as_bytes());
    key.extend_from_slice(&[0, 0, kind]);
    key
}

/// A token as it stands in a key.
pub(crate) fn token(text: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(text.len() + 2);
    push_token(&mut key, text);
    key
}

/// Appends a token as it stands in a key.
pub(crate) fn push_token(out: &mut Vec<u8>, text: &str) {
    push_bytes(out, text.as_bytes());
    out.extend_from_slice(&[0, 0]);
}

/// What tokens begin with that begin with a text.
pub(crate) fn beginning(text: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(text.len() + 2);
    push_bytes(&mut key, text.as_bytes());
    key
}

/// Where the tokens behind a token begin.
pub(crate) fn behind(text: &str) -> Vec<u8> {
    let mut key = beginning(text);
    key.extend_from_slice(&[0, 1]);
    key
}

/// A number in bytes that sort as numbers do.
pub(crate) fn number(value: &Value) -> Vec<u8> {
    let mut term = Vec::with_capacity(16);
    index_key::push_number(value, &mut term);
    term
}

/// Is this, without the number of the document, the posting of a number as it was once made: rounded to a double where that
/// is one of several numbers?
pub(crate) fn is_of_rounded(posting: &[u8]) -> bool {
    let Some(end) = posting.windows(2).position(|pair| pair == [0, 0]) else { return false };
    match posting[end + 2..].split_first() {
        Some((&NUMBER, number)) => number.len() == 8 && index_key::number(number).is_some_and(|x| x.abs() >= EXACT),
        _ => false,
    }
}

/// The token a key begins with, and how many bytes of it that is.
pub(crate) fn read_token(key: &[u8]) -> Option<(String, usize)> {
    let mut text = Vec::new();
    let mut at = 0;
    loop {
        match (*key.get(at)?, key.get(at + 1)) {
            (0, Some(0)) => return Some((String::from_utf8(text).ok()?, at + 2)),
            (0, _) => {
                text.push(0);
                at += 2;
            }
            (byte, _) => {
                text.push(byte);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_sort_as_their_texts_and_read_back() {
        let texts = ["", "\0", "\0\0", "\0a", "a", "a\0", "a\0b", "ab", "b", "ü"];
        let keys: Vec<Vec<u8>> = texts.iter().map(|text| token(text)).collect();
        assert!(keys.is_sorted());
        for (text, key) in texts.iter().zip(&keys) {
            let more = [key.as_slice(), &[7; 9]].concat();
            assert_eq!(read_token(&more), Some(((*text).to_owned(), key.len())));
            assert!(*key < behind(text) && key.starts_with(&beginning(text)));
        }
    }

    #[test]
    fn numbers_sort_as_numbers() {
        let sorted =
            ["-1e300", "-1.5", "-1", "-0.0", "1e-300", "1", "2.5", "9007199254740992", "9007199254740993", "1e300"];
        let terms = sorted.map(|text| number(&crate::value::parse_json(text).expect("a number")));
        assert!(terms.is_sorted_by(|a, b| a < b));
        assert_eq!(number(&Value::Float(0.0)), number(&Value::Int(0)));
    }

    #[test]
    fn postings_of_numbers_that_were_rounded_are_known() {
        let posting = |path: &str, kind: u8, term: &[u8]| [field(path, kind).as_slice(), term].concat();
        let rounded = |x: f64| crate::value::z_order::ordered(x).to_be_bytes();
        assert!(is_of_rounded(&posting(".a\0b", NUMBER, &rounded(-9_007_199_254_740_992.0))));
        assert!(!is_of_rounded(&posting(".a", NUMBER, &rounded(7.0))));
        assert!(!is_of_rounded(&posting(".a", NUMBER, &number(&Value::Int(i64::MAX)))));
        assert!(!is_of_rounded(&posting(".a", TOKENS, &rounded(1e300))));
        assert!(!is_of_rounded(&DOCUMENT));
    }
}
