//! The AQL value: null, bool, number, string, array, object, with AQL's total order and its conversions.
//!
//! Arrays and objects come in two forms that behave alike: built in memory, or still in the binary form in which
//! documents are stored ([`stored`]). A document read from the store is one shared buffer; reading one of its fields
//! decodes that field only.

mod amount;
pub mod collate;
mod convert;
pub(crate) mod date;
mod depth;
mod hints;
pub mod index_key;
mod json;
mod look;
mod members;
mod order;
mod reader;
mod shape;
mod small;
pub mod stored;
pub mod z_order;

use std::sync::Arc;

use indexmap::IndexMap;
pub use smol_str::SmolStr;

pub use convert::{PLAIN_ZEROS, format_float};
pub use depth::{MAX_DEPTH, Nested};
pub(crate) use depth::{STACK, deeper, too_deep};
pub(crate) use hints::Hints;
pub(crate) use json::room_of_json;
pub use json::{needs_escape, parse_json, parse_json_bytes, parse_json_leniently, write_str};
pub use look::{Elements, Look};
pub(crate) use members::Members;
pub use order::Member;
pub(crate) use order::{EXACT, Lent};
pub(crate) use shape::Shape;
pub(crate) use small::SMALL_VALUE;
use stored::{Kind, Stored};

use crate::seeded::Seeded;

/// An object built in memory; attributes keep the order in which they were written.
pub type Object = IndexMap<SmolStr, Value, Seeded>;

/// A value of AQL.
#[derive(Clone, Default)]
pub enum Value {
    /// `null`; also what a missing attribute reads as.
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number without fraction that fits.
    Int(i64),
    /// Any other number; never NaN nor infinite (see [`Value::float`]).
    Float(f64),
    /// A string.
    Str(SmolStr),
    /// An array built in memory.
    Array(Nested<Vec<Value>>),
    /// An object built in memory.
    Object(Nested<Object>),
    /// An array or an object in its stored form.
    Stored(Stored),
}

impl Value {
    /// A number; what is not finite becomes null, as in ArangoDB.
    pub fn float(x: f64) -> Self {
        if x.is_finite() { Self::Float(x) } else { Self::Null }
    }

    /// A string.
    pub fn str(s: impl Into<SmolStr>) -> Self {
        Self::Str(s.into())
    }

    /// An array.
    pub fn array(items: Vec<Self>) -> Self {
        Self::shared_array(Arc::new(items))
    }

    /// An array whose elements others may have, too.
    pub fn shared_array(items: Arc<Vec<Self>>) -> Self {
        Self::Array(Nested::array(items))
    }

    /// An object.
    pub fn object(entries: Object) -> Self {
        Self::Object(Nested::object(entries))
    }

    /// An object of the given attributes.
    pub fn from_pairs<K: Into<SmolStr>>(pairs: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::object(pairs.into_iter().map(|(k, v)| (k.into(), v)).collect())
    }

    /// `null`?
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// `true` or `false`?
    pub fn is_bool(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// A number?
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Float(_))
    }

    /// A string?
    pub fn is_string(&self) -> bool {
        matches!(self, Self::Str(_))
    }

    /// An array, in either form?
    pub fn is_array(&self) -> bool {
        match self {
            Self::Array(_) => true,
            Self::Stored(s) => s.kind() == Kind::Array,
            _ => false,
        }
    }

    /// An object, in either form?
    pub fn is_object(&self) -> bool {
        match self {
            Self::Object(_) => true,
            Self::Stored(s) => s.kind() == Kind::Object,
            _ => false,
        }
    }

    /// The name AQL's `TYPENAME()` gives.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::Float(_) => "number",
            Self::Str(_) => "string",
            _ if self.is_array() => "array",
            _ => "object",
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(s) => Some(s),
            _ => None,
        }
    }

    /// The number as a double, if this is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(i) => Some(*i as f64),
            Self::Float(f) => Some(*f),
            _ => None,
        }
    }

    /// The number as an integer (fraction cut off, saturating), if this is one.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(i) => Some(*i),
            Self::Float(f) => Some(*f as i64),
            _ => None,
        }
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Attribute of an object; null when there is none or this is no object.
    pub fn get(&self, name: &str) -> Self {
        match self {
            Self::Object(o) => o.get(name).cloned().unwrap_or_default(),
            Self::Stored(s) => s.get(name).unwrap_or_default(),
            _ => Self::Null,
        }
    }

    /// Attribute of an object, telling a missing one from null.
    pub fn get_opt(&self, name: &str) -> Option<Self> {
        match self {
            Self::Object(o) => o.get(name).cloned(),
            Self::Stored(s) => s.get(name),
            _ => None,
        }
    }

    /// Is there an attribute of that name?
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::Object(o) => o.contains_key(name),
            Self::Stored(s) => s.raw().get(name).is_some(),
            _ => false,
        }
    }

    /// Follows attribute names inwards.
    pub fn path<S: AsRef<str>>(&self, path: &[S]) -> Self {
        match path {
            [] => self.clone(),
            [name] => self.get(name.as_ref()),
            [name, rest @ ..] => match self {
                // without building the intermediate values
                Self::Stored(s) => {
                    let mut raw = s.raw().get(name.as_ref());
                    for n in rest {
                        raw = raw.and_then(|r| r.get(n.as_ref()));
                    }
                    raw.map_or(Self::Null, |r| s.value_of(r))
                }
                _ => self.get(name.as_ref()).path(rest),
            },
        }
    }

    /// Element of an array; negative positions count from the end; null when out of range or no array.
    pub fn at(&self, position: i64) -> Self {
        let Some(len) = self.array_len() else { return Self::Null };
        let index = if position < 0 { position + len as i64 } else { position };
        if index < 0 || index >= len as i64 {
            return Self::Null;
        }
        match self {
            Self::Array(a) => a[index as usize].clone(),
            Self::Stored(s) => s.raw().at(index as usize).map_or(Self::Null, |r| s.value_of(r)),
            _ => Self::Null,
        }
    }

    /// Number of elements, if this is an array.
    pub fn array_len(&self) -> Option<usize> {
        match self {
            Self::Array(a) => Some(a.len()),
            Self::Stored(s) if s.kind() == Kind::Array => Some(s.raw().len()),
            _ => None,
        }
    }

    /// Number of attributes, if this is an object.
    pub fn object_len(&self) -> Option<usize> {
        match self {
            Self::Object(o) => Some(o.len()),
            Self::Stored(s) if s.kind() == Kind::Object => Some(s.raw().len()),
            _ => None,
        }
    }

    /// The elements of an array; nothing for anything else.
    pub fn iter_array(&self) -> ArrayIter<'_> {
        match self {
            Self::Array(a) => ArrayIter::Built(a.iter()),
            Self::Stored(s) if s.kind() == Kind::Array => ArrayIter::Stored { stored: s, items: s.raw().items() },
            _ => ArrayIter::Built([].iter()),
        }
    }

    /// The attributes of an object in their order; nothing for anything else.
    pub fn iter_object(&self) -> ObjectIter<'_> {
        match self {
            Self::Object(o) => ObjectIter::Built(o.iter()),
            Self::Stored(s) if s.kind() == Kind::Object => ObjectIter::Stored { stored: s, entries: s.raw().entries() },
            _ => ObjectIter::Empty,
        }
    }

    /// The attributes of an object in the order of their names; nothing for anything else.
    pub fn sorted_entries(&self) -> Vec<(&str, Self)> {
        let mut entries: Vec<_> = self.iter_object().collect();
        entries.sort_unstable_by_key(|(name, _)| *name);
        entries
    }

    /// The elements of an array as a shared vector, decoding it where needed; `None` for anything else.
    pub fn as_array(&self) -> Option<Arc<Vec<Self>>> {
        match self {
            Self::Array(a) => Some(Arc::clone(a)),
            Self::Stored(s) if s.kind() == Kind::Array => Some(Arc::new(self.iter_array().collect())),
            _ => None,
        }
    }

    /// A copy of the object that can be changed; `None` for anything else.
    pub fn to_object(&self) -> Option<Object> {
        match self {
            Self::Object(o) => Some(o.clone().into_parts()),
            Self::Stored(s) if s.kind() == Kind::Object => {
                Some(self.iter_object().map(|(k, v)| (SmolStr::from(k), v)).collect())
            }
            _ => None,
        }
    }

    /// What its elements take when they stand in another array, or its text: known without looking at them.
    pub(crate) fn width(&self) -> usize {
        match self {
            Self::Array(a) => a.len() * size_of::<Self>(),
            Self::Object(o) => o.len() * (size_of::<Self>() + size_of::<SmolStr>() + 16),
            Self::Str(s) => s.len(),
            // unpacked, small elements take several times as much
            Self::Stored(s) => 4 * s.raw().byte_len(),
            _ => 0,
        }
    }

    /// Rough size in memory of what this value alone holds, beyond its own place: an array or an object that others share
    /// was counted by them. It takes no longer than making the value did.
    pub fn own_memory(&self) -> usize {
        match self {
            Self::Array(a) if Arc::strong_count(a) > 1 => 0,
            Self::Object(o) if Arc::strong_count(o) > 1 => 0,
            Self::Array(a) => 24 + a.iter().map(|v| size_of::<Self>() + v.own_memory()).sum::<usize>(),
            Self::Object(o) => 24 + o.iter().map(|(k, v)| 56 + k.len() + v.own_memory()).sum::<usize>(),
            Self::Str(s) if s.is_heap_allocated() => s.len(),
            Self::Stored(s) => s.raw().byte_len(),
            _ => 0,
        }
    }

    /// Rough size in memory of a row of a result. Documents count as a whole: the cache may have let go of them already.
    pub(crate) fn row_memory(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Null | Self::Bool(_) | Self::Int(_) | Self::Float(_) => 0,
                other => other.memory(),
            }
    }

    /// The same of one whose stored form has so many bytes.
    pub(crate) fn stored_row_memory(bytes: usize) -> usize {
        size_of::<Self>() + 24 + bytes
    }

    /// Rough size in memory, for memory limits.
    pub fn memory(&self) -> usize {
        match self {
            Self::Str(s) if s.is_heap_allocated() => 24 + s.len(),
            Self::Array(a) => 24 + a.iter().map(|v| v.stored_memory().unwrap_or_else(|| v.memory())).sum::<usize>(),
            Self::Object(o) => 24 + o.iter().map(|(k, v)| 32 + k.len() + v.memory()).sum::<usize>(),
            other => other.stored_memory().unwrap_or(24),
        }
    }

    /// The same of what is stored, as most elements of long arrays are.
    #[inline]
    fn stored_memory(&self) -> Option<usize> {
        match self {
            Self::Stored(s) => Some(24 + s.raw().byte_len()),
            _ => None,
        }
    }
}

/// See [`Value::iter_array`].
pub enum ArrayIter<'a> {
    /// Of an array built in memory.
    Built(std::slice::Iter<'a, Value>),
    /// Of a stored array.
    Stored {
        /// The array.
        stored: &'a Stored,
        /// Its elements.
        items: stored::Items<'a>,
    },
}

impl Iterator for ArrayIter<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match self {
            Self::Built(it) => it.next().cloned(),
            Self::Stored { stored, items } => items.next().map(|r| stored.value_of(r)),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Built(it) => it.size_hint(),
            Self::Stored { items, .. } => (items.remaining(), Some(items.remaining())),
        }
    }
}

/// See [`Value::iter_object`].
pub enum ObjectIter<'a> {
    /// No object.
    Empty,
    /// Of an object built in memory.
    Built(indexmap::map::Iter<'a, SmolStr, Value>),
    /// Of a stored object.
    Stored {
        /// The object.
        stored: &'a Stored,
        /// Its attributes.
        entries: stored::Entries<'a>,
    },
}

impl<'a> Iterator for ObjectIter<'a> {
    type Item = (&'a str, Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Empty => None,
            Self::Built(it) => it.next().map(|(k, v)| (k.as_str(), v.clone())),
            Self::Stored { stored, entries } => entries.next().map(|(k, r)| (k, stored.value_of(r))),
        }
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_json())
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Self::Int(i)
    }
}

impl From<usize> for Value {
    fn from(n: usize) -> Self {
        Self::Int(n as i64)
    }
}

impl From<u64> for Value {
    /// The largest integer where it is larger still.
    fn from(n: u64) -> Self {
        Self::Int(i64::try_from(n).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Self::float(x)
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Self::Str(s.into())
    }
}

impl From<String> for Value {
    fn from(s: String) -> Self {
        Self::Str(s.into())
    }
}

impl From<SmolStr> for Value {
    fn from(s: SmolStr) -> Self {
        Self::Str(s)
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Self::array(items)
    }
}

impl From<Object> for Value {
    fn from(o: Object) -> Self {
        Self::object(o)
    }
}
