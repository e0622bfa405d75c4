//! How deep values are nested.
//!
//! A value that is built knows how many levels it has above what is stored, so that it costs nothing to ask while a query nests
//! one into the other. What is stored is within the limit, for all of it is looked at before it is written. So a value in
//! memory never has more than twice as many levels, and whoever follows them needs a stack for no more.

use std::ops::Deref;
use std::sync::Arc;

use super::stored::{Kind, Raw};
use super::{Object, Value};
use crate::error::{Error, Result, code};

/// Levels of arrays and objects that a value may have, whether it is read, computed or stored. ArangoDB's own limit is
/// "slightly below 200".
pub const MAX_DEPTH: usize = 198;

/// What ArangoDB says of more of them.
pub(crate) const TOO_DEEP: &str = "Too deep nesting in Array/Object";

/// The stack that may be needed to follow a value of twice as many levels, unoptimised.
pub(crate) const STACK: usize = 512 << 10;

/// Bytes that each level has at least where it is stored: tag, length, count and an offset.
const LEVEL_BYTES: usize = 4;

/// The parts of an array or object that is built in memory, shared.
#[derive(Clone)]
pub struct Nested<T> {
    parts: Arc<T>,
    levels: u16,
}

impl Nested<Vec<Value>> {
    pub(super) fn array(items: Arc<Vec<Value>>) -> Self {
        let levels = above(items.iter());
        Self { parts: items, levels }
    }
}

impl Nested<Object> {
    pub(super) fn object(entries: Object) -> Self {
        let levels = above(entries.values());
        Self { parts: Arc::new(entries), levels }
    }

    /// The attributes, to be changed.
    pub(crate) fn into_parts(self) -> Object {
        Arc::unwrap_or_clone(self.parts)
    }
}

impl<T> Deref for Nested<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.parts
    }
}

/// One level above these.
fn above<'v>(parts: impl Iterator<Item = &'v Value>) -> u16 {
    parts.map(Value::levels).max().unwrap_or_default().saturating_add(1)
}

pub(crate) fn too_deep() -> Error {
    Error::new(code::BAD_PARAMETER, TOO_DEEP)
}

impl Value {
    /// Its levels in memory.
    #[inline]
    fn levels(&self) -> u16 {
        match self {
            Self::Array(items) => items.levels,
            Self::Object(entries) => entries.levels,
            _ => 0,
        }
    }

    /// A value that was computed, unless it has too many levels.
    #[inline]
    pub(crate) fn computed(self) -> Result<Self> {
        if usize::from(self.levels()) <= MAX_DEPTH { Ok(self) } else { Err(too_deep()) }
    }

    /// A value that becomes part of a result, unless that has too many levels.
    pub(crate) fn result(&self) -> Result<&Self> {
        if self.levels() > 0 && self.is_deeper_than(MAX_DEPTH) { Err(too_deep()) } else { Ok(self) }
    }

    /// Has it more levels than `most`, those that are stored included?
    pub(crate) fn is_deeper_than(&self, most: usize) -> bool {
        match self {
            Self::Array(items) => most == 0 || items.iter().any(|item| item.is_deeper_than(most - 1)),
            Self::Object(entries) => most == 0 || entries.values().any(|value| value.is_deeper_than(most - 1)),
            Self::Stored(stored) => is_deeper_than(stored.raw(), most),
            _ => false,
        }
    }
}

fn is_deeper_than(raw: Raw<'_>, most: usize) -> bool {
    // hardly any value is large enough
    if raw.kind() < Kind::Array || raw.byte_len() / LEVEL_BYTES <= most {
        return false;
    }
    most == 0
        || raw.items().any(|item| is_deeper_than(item, most - 1))
        || raw.entries().any(|(_, value)| is_deeper_than(value, most - 1))
}

/// Follows one level of a value, on more stack where little is left: what earlier versions have stored has any depth.
#[inline]
pub(crate) fn deeper<T>(follow: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK / 4, 4 * STACK, follow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(Value::Int(1), |inner, n| {
            if n % 2 == 0 { Value::array(vec![inner]) } else { Value::from_pairs([("a", inner)]) }
        })
    }

    #[test]
    fn levels_are_counted_in_memory_and_as_they_are_stored() {
        for levels in [0, 1, 2, MAX_DEPTH, MAX_DEPTH + 1] {
            let value = nested(levels);
            let stored = Value::from_stored(value.to_stored());
            for value in [&value, &stored] {
                assert!(!value.is_deeper_than(levels), "{levels}");
                assert!(levels == 0 || value.is_deeper_than(levels - 1), "{levels}");
            }
            assert_eq!(value.computed().is_ok(), levels <= MAX_DEPTH);
            let around = Value::array(vec![Value::Null, stored]);
            assert!(around.is_deeper_than(levels) && !around.is_deeper_than(levels + 1));
        }
    }

    #[test]
    fn what_is_stored_is_followed_however_deep_it_is() {
        let mut bytes = nested(0).to_stored().to_vec();
        for _ in 0..20_000 {
            let inner = Value::from_stored(bytes.as_slice().into());
            bytes = Value::array(vec![inner]).to_stored().to_vec();
        }
        let deep = Value::from_stored(bytes.as_slice().into());
        assert!(deep.is_deeper_than(MAX_DEPTH));
        assert_eq!(deep.to_json().len(), 40_001);
        assert_eq!(deep, deep.clone());
        let mut key = Vec::new();
        super::super::index_key::encode(&deep, &mut key);
        assert!(key.len() > 20_000);
        assert!(super::super::Member(deep.clone()) == super::super::Member(deep.clone()));
        assert!(std::hash::BuildHasher::hash_one(&rustc_hash::FxBuildHasher, &deep) > 0);
    }
}
