//! Which entries a document has in an index.

use std::ops::Range;

use super::known_places::KnownPlaces;
use crate::catalog::{FieldPath, Index, IndexKind};
use crate::error::code;
use crate::geo::places::Placed;
use crate::geo::shape::Shape;
use crate::search::{self, Version};
use crate::storage::prefixed;
use crate::value::{Object, SmolStr, Value, date, index_key, z_order};
use crate::{Error, Result};

/// All entries of a document in an index as they are stored, each with what it holds. A search knows the document by its
/// origin.
pub(crate) fn stored_entries(index: &Index, origin: u64, id: u64, document: &Value) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut entries = Vec::new();
    each_entry(index, (origin, id), document, &mut Places::default(), |key, value| {
        entries.push((key.to_vec(), value.to_vec()));
        Ok(())
    })?;
    Ok(entries)
}

/// Hands them over one after the other; `places` is made in memory that is used again.
pub(crate) fn each_entry(
    index: &Index,
    (origin, id): (u64, u64),
    document: &Value,
    places: &mut Places,
    mut take: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    if let Some(definition) = &index.search {
        let postings = search::postings(definition, index.object(), origin, Version { id, document });
        return postings.iter().try_for_each(|(key, about)| take(key, about));
    }
    let value = entry_value(index, id, document);
    places.clear();
    places.add(index, id, document)?;
    places.iter(0..places.len()).try_for_each(|key| take(key, &value))
}

/// Places in indexes that are not of postings, one behind the other: where the index is not unique, with the id of the
/// document at its end.
#[derive(Default)]
pub(crate) struct Places {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    known: KnownPlaces,
}

impl Places {
    /// The places of another document follow.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.known.next_document();
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Those with these numbers.
    pub fn iter(&self, numbers: Range<usize>) -> impl Iterator<Item = &[u8]> {
        numbers.map(|number| &self.bytes[self.begin(number)..self.ends[number]])
    }

    fn begin(&self, number: usize) -> usize {
        number.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// Adds those of a document: usually one, none where a sparse index leaves the document out, several where an array is
    /// expanded. Gives their numbers.
    pub fn add(&mut self, index: &Index, id: u64, document: &Value) -> Result<Range<usize>> {
        let first = self.len();
        let is_plain = matches!(index.kind, IndexKind::Persistent) && !index.expands();
        if is_plain {
            let begin = self.bytes.len();
            if self.known.push_plain(index, id, document, &mut self.bytes) {
                self.end(index, id);
            } else {
                self.bytes.truncate(begin);
            }
        } else {
            for place in entries(index, document)? {
                self.bytes.extend_from_slice(&place);
                self.end(index, id);
            }
        }
        Ok(first..self.len())
    }

    fn end(&mut self, index: &Index, id: u64) {
        if !index.unique {
            self.bytes.extend_from_slice(&id.to_be_bytes());
        }
        self.ends.push(self.bytes.len());
    }

    /// Whether two versions of a document have the same places in an index, as far as that is seen at a glance.
    pub fn are_same(&self, index: &Index, before: &Value, after: &Value) -> bool {
        self.known.are_same(index, before, after)
    }

    /// The same places for another version of the document that does not differ in them.
    pub fn again(&mut self, index: &Index, id: u64, numbers: Range<usize>) -> Range<usize> {
        if index.unique {
            return numbers;
        }
        let first = self.len();
        for number in numbers {
            let place = self.begin(number)..self.ends[number] - size_of::<u64>();
            self.bytes.extend_from_within(place);
            self.end(index, id);
        }
        first..self.len()
    }

    /// How many bytes these have.
    pub fn size(&self, numbers: &Range<usize>) -> usize {
        if numbers.is_empty() { 0 } else { self.ends[numbers.end - 1] - self.begin(numbers.start) }
    }
}

/// Where a document stands in an index that is not one of postings, without the id.
pub(super) fn entries(index: &Index, document: &Value) -> Result<Vec<Vec<u8>>> {
    if let (IndexKind::Ttl { .. }, [field]) = (index.kind, index.fields.as_slice()) {
        let times = field.values(document);
        return Ok(times.iter().filter_map(seconds).map(|at| place(index, &Value::Float(at))).collect());
    }
    if matches!(index.kind, IndexKind::Geo { .. }) {
        let places = placed(index, document).entries();
        return Ok(places.iter().map(|place| prefixed(index.object(), place)).collect());
    }
    if index.kind == IndexKind::Mdi {
        return Ok(point_entry(index, document)?.into_iter().collect());
    }
    if !index.expands() {
        let mut entry = Vec::new();
        let stands = push_plain(index, &mut entry, |field, entry| push_value(&document.path(&field.names), entry));
        return Ok(if stands { vec![entry] } else { Vec::new() });
    }
    let mut entries: Vec<Vec<u8>> = vec![prefixed(index.object(), &[])];
    for field in &index.fields {
        let mut longer = Vec::with_capacity(entries.len());
        let mut seen: Vec<Vec<u8>> = Vec::new();
        for value in field.values(document) {
            if index.sparse && value.is_null() {
                continue;
            }
            let mut encoded = Vec::new();
            index_key::encode(&value, &mut encoded);
            if seen.contains(&encoded) {
                if index.unique && !index.deduplicate {
                    let key = document.get("_key");
                    let message = code::message(code::UNIQUE_CONSTRAINT_VIOLATED).to_owned()
                        + &index.conflict_with(key.as_str().unwrap_or_default());
                    return Err(Error::new(code::UNIQUE_CONSTRAINT_VIOLATED, message));
                }
                continue;
            }
            for entry in &entries {
                longer.push([entry.as_slice(), &encoded].concat());
            }
            if field.expand_after.is_some() {
                seen.push(encoded);
            }
        }
        entries = longer;
    }
    Ok(entries)
}

/// What the entries of a document hold: the values that are kept in the index, then the id of the document where the
/// index is unique. Where it is not, the id stands behind the place.
pub(crate) fn entry_value(index: &Index, id: u64, document: &Value) -> Vec<u8> {
    let mut value = Vec::new();
    if !index.stored_values.is_empty() {
        let mut held = Object::default();
        for path in index.held() {
            insert_at(&mut held, &path, document.path(&path));
        }
        Value::object(held).encode(&mut value);
    }
    if index.unique {
        value.extend_from_slice(&id.to_be_bytes());
    }
    value
}

/// Puts a value where it stands in the document. Null is what is read where there is nothing.
fn insert_at(object: &mut Object, path: &[SmolStr], value: Value) {
    match path {
        _ if value.is_null() => {}
        [] => {}
        [name] => drop(object.insert(name.clone(), value)),
        [name, rest @ ..] => {
            let mut inner = object.get(name).and_then(Value::to_object).unwrap_or_default();
            insert_at(&mut inner, rest, value);
            object.insert(name.clone(), Value::object(inner));
        }
    }
}

/// Where a document is by the attributes of a geo index.
pub(crate) fn placed(index: &Index, document: &Value) -> Placed {
    match (index.kind, index.fields.as_slice()) {
        (_, [latitude, longitude]) => {
            let number = |names: &[SmolStr]| document.path(names).as_f64();
            Placed::at(number(&latitude.names), number(&longitude.names))
        }
        (IndexKind::Geo { geo_json: true, .. }, [field]) => {
            Shape::parse(&document.path(&field.names)).map_or(Placed::Nowhere, Placed::shaped)
        }
        (_, [field]) => match document.path(&field.names) {
            pair if pair.is_array() => Placed::at(pair.at(0).as_f64(), pair.at(1).as_f64()),
            value if value.is_null() => Placed::Nowhere,
            _ => Placed::Odd,
        },
        _ => Placed::Nowhere,
    }
}

/// Appends the one entry of a document in an index that expands nothing; `false`: there is none. `push` appends the value of
/// a field and tells whether there is one.
pub(super) fn push_plain(
    index: &Index,
    entry: &mut Vec<u8>,
    mut push: impl FnMut(&FieldPath, &mut Vec<u8>) -> bool,
) -> bool {
    entry.extend_from_slice(&index.object().to_be_bytes());
    index.fields.iter().all(|field| push(field, entry) || !index.sparse)
}

/// Appends a value; `false`: it is null.
pub(super) fn push_value(value: &Value, entry: &mut Vec<u8>) -> bool {
    index_key::encode(value, entry);
    !value.is_null()
}

/// The one entry of a document in an index over several numbers: the fields that stand before the others, then these as
/// one key. Error 1561 where one of them is no number.
fn point_entry(index: &Index, document: &Value) -> Result<Option<Vec<u8>>> {
    let (before, dimensions) = index.fields.split_at(index.prefix.min(index.fields.len()));
    let mut entry = prefixed(index.object(), &[]);
    for field in before {
        let value = document.path(&field.names);
        if index.sparse && value.is_null() {
            return Ok(None);
        }
        index_key::encode(&value, &mut entry);
    }
    let mut point = Vec::with_capacity(dimensions.len());
    for field in dimensions {
        match document.path(&field.names) {
            Value::Null if index.sparse => return Ok(None),
            value => match value.as_f64() {
                Some(number) => point.push(z_order::ordered(number)),
                None => return Err(Error::plain(code::QUERY_INVALID_ARITHMETIC_VALUE)),
            },
        }
    }
    z_order::encode(&point, &mut entry);
    Ok(Some(entry))
}

fn place(index: &Index, value: &Value) -> Vec<u8> {
    let mut place = prefixed(index.object(), &[]);
    index_key::encode(value, &mut place);
    place
}

/// The time a TTL index reads in a value, in seconds since 1970: a number, or a date as a string. What is before 1970 or
/// no time at all never expires.
fn seconds(value: &Value) -> Option<f64> {
    let seconds = match value {
        Value::Str(text) => date::to_millis(date::date_time(text)?).div_euclid(1000) as f64,
        number => number.as_f64()?,
    };
    (seconds >= 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::IndexDefinition;
    use crate::value::parse_json;

    fn count(definition: IndexDefinition, json: &str) -> usize {
        entries(&definition.build(9, || "i".into()), &parse_json(json).unwrap()).unwrap().len()
    }

    fn on(fields: &[&str]) -> IndexDefinition {
        IndexDefinition::persistent(fields).unwrap()
    }

    #[test]
    fn a_missing_attribute_is_indexed_as_null_unless_the_index_is_sparse() {
        assert_eq!(count(on(&["a", "b"]), r#"{"a":1}"#), 1);
        assert_eq!(count(on(&["a", "b"]).sparse(), r#"{"a":1}"#), 0);
        assert_eq!(count(on(&["a", "b"]).sparse(), r#"{"a":1,"b":false}"#), 1);
    }

    #[test]
    fn an_expanded_array_has_one_entry_a_distinct_element() {
        assert_eq!(count(on(&["t[*]"]), r#"{"t":["x","y","x"]}"#), 2);
        assert_eq!(count(on(&["a", "t[*].k"]), r#"{"a":1,"t":[{"k":1},{"k":2},{}]}"#), 3);
        assert_eq!(count(on(&["t[*]"]), r#"{"t":[]}"#), 0);
        assert_eq!(count(on(&["t[*]"]), r#"{"t":"x"}"#), 0);
    }

    #[test]
    fn a_repeated_element_violates_a_unique_index_that_does_not_deduplicate() {
        let mut definition = on(&["t[*]"]).unique();
        definition.deduplicate = false;
        let index = definition.build(9, || "i".into());
        let error = entries(&index, &parse_json(r#"{"t":[1,1]}"#).unwrap()).unwrap_err();
        assert_eq!(error.num, code::UNIQUE_CONSTRAINT_VIOLATED);
    }
}
