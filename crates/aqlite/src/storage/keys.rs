//! How keys are put together.

use std::sync::Arc;

use crate::value::index_key;

/// Where a range of keys begins (inclusive) and ends (exclusive).
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub lower: Vec<u8>,
    pub upper: Option<Vec<u8>>,
}

impl Bounds {
    /// Every key.
    pub const ALL: Self = Self { lower: Vec::new(), upper: None };

    /// Every key that begins with `prefix`.
    pub fn prefix(prefix: Vec<u8>) -> Self {
        let mut upper = prefix.clone();
        index_key::increment(&mut upper);
        // only an empty or all-ff prefix has nothing behind it
        let upper = (upper != prefix).then_some(upper);
        Self { lower: prefix, upper }
    }

    /// Everything that belongs to a collection or an index.
    pub fn of_id(id: u64) -> Self {
        Self::prefix(id.to_be_bytes().to_vec())
    }

    /// From `lower` up to `upper`, both within what belongs to a collection or an index.
    pub fn within(id: u64, lower: &[u8], upper: Option<&[u8]>) -> Self {
        let all = Self::of_id(id);
        Self { lower: prefixed(id, lower), upper: upper.map_or(all.upper, |u| Some(prefixed(id, u))) }
    }
}

/// A number followed by bytes.
pub(crate) fn prefixed(id: u64, rest: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(8 + rest.len() + 8);
    key.extend_from_slice(&id.to_be_bytes());
    key.extend_from_slice(rest);
    key
}

/// The place of a document.
pub(crate) fn doc_key(collection: u64, id: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&collection.to_be_bytes());
    key[8..].copy_from_slice(&id.to_be_bytes());
    key
}

/// What the edges at one end begin with.
pub(crate) fn edge_prefix(collection: u64, outbound: bool, vertex: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(8 + 1 + vertex.len() + 1 + 8);
    key.extend_from_slice(&collection.to_be_bytes());
    key.push(u8::from(outbound));
    key.extend_from_slice(vertex.as_bytes());
    key.push(0);
    key
}

/// The place of an edge at one of its ends.
pub(crate) fn edge_key(collection: u64, outbound: bool, vertex: &str, id: u64) -> Vec<u8> {
    let mut key = edge_prefix(collection, outbound, vertex);
    key.extend_from_slice(&id.to_be_bytes());
    key
}

/// What the primary index holds of a document: its origin, which is the number its postings know it by, where that is not
/// its id; then its id.
pub(crate) fn primary_value(origin: u64, id: u64) -> Arc<[u8]> {
    if origin == id {
        return id.to_be_bytes().as_slice().into();
    }
    doc_key(origin, id).as_slice().into()
}

/// The origin in what the primary index holds of a document.
pub(crate) fn origin_from(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|b| u64::from_be_bytes(*b))
}

/// The number in the last eight bytes.
pub(crate) fn id_from(bytes: &[u8]) -> Option<u64> {
    bytes.last_chunk().map(|b| u64::from_be_bytes(*b))
}

/// Appends a number in as few bytes as it needs.
pub(crate) fn push_number(out: &mut Vec<u8>, mut n: u32) {
    while n >= 0x80 {
        out.push((n & 0x7f) as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Takes such a number off the front.
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u32> {
    let mut n = 0;
    for shift in (0..35).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        n |= u32::from(first & 0x7f).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some(n);
        }
    }
    None
}

/// Keys of the `meta` table.
#[derive(Clone, Copy)]
pub(crate) enum Meta {
    /// The number of the last log record the file has.
    Applied,
    /// The highest document id given out.
    Clock,
    /// The highest number given out to collections, indexes, keys.
    Tick,
    /// The version of the layout.
    Format,
    /// A random number that names this data directory.
    ServerId,
    /// What makes bytes records of its log.
    LogSecret,
    /// The definition of a database.
    Database(u64),
    /// The definition of a collection.
    Collection(u64),
    /// How many documents a collection has.
    Count(u64),
    /// The last number a collection's key generator gave out or met.
    LastKey(u64),
    /// What is stored under this number belongs to nothing, or to an index that is being built.
    Garbage(u64),
}

impl Meta {
    pub const DATABASES: &'static [u8] = b"d";
    pub const COLLECTIONS: &'static [u8] = b"c";
    pub const GARBAGE: &'static [u8] = b"g";

    pub fn key(self) -> Vec<u8> {
        let numbered = |letter: u8, id: u64| {
            let mut key = vec![letter];
            key.extend_from_slice(&id.to_be_bytes());
            key
        };
        match self {
            Self::Applied => b"!applied".to_vec(),
            Self::Clock => b"!clock".to_vec(),
            Self::Tick => b"!tick".to_vec(),
            Self::Format => b"!format".to_vec(),
            Self::ServerId => b"!server".to_vec(),
            Self::LogSecret => b"!secret".to_vec(),
            Self::Database(id) => numbered(b'd', id),
            Self::Collection(id) => numbered(b'c', id),
            Self::Count(id) => numbered(b'n', id),
            Self::LastKey(id) => numbered(b'k', id),
            Self::Garbage(id) => numbered(b'g', id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_back() {
        for n in [0, 1, 127, 128, 300, u32::MAX] {
            let mut bytes = Vec::new();
            push_number(&mut bytes, n);
            assert_eq!(take_number(&mut bytes.as_slice()), Some(n));
        }
    }
}
