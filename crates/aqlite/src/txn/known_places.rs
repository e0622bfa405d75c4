//! Places in indexes of values that were met before: those of many documents that are written together are often the same, and
//! so are those of one document in several indexes. To look for them takes less time than to make them, above all of texts.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::FxHasher;

use super::entries::{push_plain, push_value};
use crate::catalog::{FieldPath, Index};
use crate::value::stored::{Kind, Raw};
use crate::value::{Hints, SmolStr, Value, index_key};

/// So many places are remembered for values that come again,
const KNOWN: usize = 64;
/// from the one with this number on: whoever writes little has no use for it.
const FIRST_KNOWN: usize = 32;
/// Longer values hardly come again.
const LONGEST_KNOWN: usize = 128;

/// What is remembered.
#[derive(Default)]
pub(super) struct KnownPlaces {
    known: Vec<KnownPlace>,
    /// The fields of the document that is asked for.
    fields: Vec<u8>,
    asked: usize,
    hints: Hints,
    own: OwnFields,
}

#[derive(Clone, Default)]
struct KnownPlace {
    index: u64,
    /// The fields as they are stored.
    fields: Vec<u8>,
    place: Vec<u8>,
}

/// What fields of one document have become in the indexes before.
#[derive(Default)]
struct OwnFields {
    fields: Vec<OwnField>,
    bytes: Vec<u8>,
}

struct OwnField {
    /// The version of the document.
    id: u64,
    name: SmolStr,
    is_there: bool,
    place: Range<usize>,
}

impl OwnFields {
    /// Appends the value of a field; `false`: it is null.
    fn push(&mut self, field: &FieldPath, (id, document): (u64, &Value), hints: &Hints, entry: &mut Vec<u8>) -> bool {
        let (Value::Stored(stored), path @ [name]) = (document, field.names.as_slice()) else {
            return push_value(&document.path(&field.names), entry);
        };
        if let Some(own) = self.fields.iter().find(|own| own.id == id && own.name == *name) {
            entry.extend_from_slice(&self.bytes[own.place.clone()]);
            return own.is_there;
        }
        let begin = entry.len();
        let value = hints.path(stored, path).filter(|value| value.kind() != Kind::Null);
        match value {
            Some(value) => index_key::encode_stored(value, entry),
            None => index_key::encode(&Value::Null, entry),
        }
        let place = self.bytes.len()..self.bytes.len() + entry.len() - begin;
        self.bytes.extend_from_slice(&entry[begin..]);
        self.fields.push(OwnField { id, name: name.clone(), is_there: value.is_some(), place });
        value.is_some()
    }
}

impl KnownPlaces {
    /// What was known of a document's own fields is of no use for the next one.
    pub fn next_document(&mut self) {
        self.own.fields.clear();
        self.own.bytes.clear();
    }

    /// Appends the one entry of a document in an index that expands nothing; `false`: there is none.
    pub fn push_plain(&mut self, index: &Index, id: u64, document: &Value, entry: &mut Vec<u8>) -> bool {
        self.asked += 1;
        if self.asked < FIRST_KNOWN || !self.read_fields(index, document) {
            return push_plain(index, entry, |field, entry| self.own.push(field, (id, document), &self.hints, entry));
        }
        let object = index.object();
        let mut hasher = FxHasher::default();
        hasher.write_u64(object);
        hasher.write(&self.fields);
        self.known.resize(KNOWN, KnownPlace::default());
        // the upper bits: those of this hash depend on everything
        let known = &mut self.known[(hasher.finish() >> 32) as usize % KNOWN];
        if known.index == object && known.fields == self.fields {
            entry.extend_from_slice(&known.place);
            return true;
        }
        let begin = entry.len();
        let mut rest = self.fields.as_slice();
        let stands = push_plain(index, entry, |_, entry| push_value(&next_field(&mut rest), entry));
        if stands {
            known.index = object;
            known.fields.clone_from(&self.fields);
            known.place.clear();
            known.place.extend_from_slice(&entry[begin..]);
        }
        stands
    }

    /// Whether two versions of a document have the same entries in an index, seen without encoding them.
    pub fn are_same(&self, index: &Index, before: &Value, after: &Value) -> bool {
        let (Value::Stored(before), Value::Stored(after)) = (before, after) else { return false };
        index.fields.iter().all(|field| {
            let Some(name) = field.names.get(..1) else { return false };
            let of = |version| self.hints.path(version, name).map(Raw::bytes);
            of(before) == of(after)
        })
    }

    /// Reads what decides about the place; `false` where that is not seen at a glance.
    fn read_fields(&mut self, index: &Index, document: &Value) -> bool {
        let Value::Stored(stored) = document else { return false };
        self.fields.clear();
        index.fields.iter().all(|field| {
            let name @ [_] = field.names.as_slice() else { return false };
            let bytes = self.hints.path(stored, name).map_or(&[][..], Raw::bytes);
            if bytes.len() > LONGEST_KNOWN {
                return false;
            }
            self.fields.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
            self.fields.extend_from_slice(bytes);
            true
        })
    }
}

/// The next of the fields that were read; what is not there is null.
fn next_field(rest: &mut &[u8]) -> Value {
    let Some((len, behind)) = rest.split_first_chunk() else { return Value::Null };
    let (bytes, behind) = behind.split_at_checked(u32::from_be_bytes(*len) as usize).unwrap_or((behind, &[]));
    *rest = behind;
    Raw::new(bytes).to_value()
}

#[cfg(test)]
mod tests {
    use super::super::entries::{Places, entries};
    use super::*;
    use crate::catalog::IndexDefinition;
    use crate::value::parse_json;

    fn on(fields: &[&str]) -> IndexDefinition {
        IndexDefinition::persistent(fields).unwrap()
    }

    #[test]
    fn places_of_values_that_come_again_are_the_same() {
        let indexes = [on(&["a"]), on(&["a", "b"]), on(&["b", "a"]).sparse(), on(&["a.c"]), on(&["b"]).unique()];
        let indexes: Vec<Index> = (1..).zip(indexes).map(|(id, index)| index.build(id, || "i".into())).collect();
        let mut places = Places::default();
        for n in 0_u64..600 {
            let (a, b) = (n % 7, n / 3 % 5);
            let json = match n % 4 {
                0 => format!(r#"{{"a":{a},"b":"{b}"}}"#),
                1 => format!(r#"{{"b":"text {b}","a":{{"c":{a}}}}}"#),
                2 => format!(r#"{{"a":null,"b":{b}.0}}"#),
                _ => format!(r#"{{"b":[{b}]}}"#),
            };
            let mut bytes = Vec::new();
            parse_json(&json).unwrap().encode(&mut bytes);
            let document = Value::from_stored(bytes.into());
            let mut own = Places::default();
            for index in &indexes {
                places.clear();
                let numbers = places.add(index, n, &document).unwrap();
                let found: Vec<Vec<u8>> = places.iter(numbers).map(<[u8]>::to_vec).collect();
                let id = n.to_be_bytes();
                let suffix = if index.unique { &[][..] } else { &id };
                let wanted: Vec<Vec<u8>> =
                    entries(index, &document).unwrap().into_iter().map(|entry| [&entry, suffix].concat()).collect();
                assert_eq!(found, wanted, "{json}");
                let numbers = own.add(index, n, &document).unwrap();
                let found: Vec<Vec<u8>> = own.iter(numbers).map(<[u8]>::to_vec).collect();
                assert_eq!(found, wanted, "{json}, with the fields of earlier indexes");
            }
        }
    }
}
