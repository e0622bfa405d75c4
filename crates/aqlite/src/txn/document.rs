//! How a document is put together: system attributes first, then the user's in their order.

use std::cmp::Reverse;
use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::WriteOptions;
use crate::catalog::{Collection, SYSTEM_ATTRIBUTES, names};
use crate::error::code;
use crate::value::stored::{ObjectWriter, Offset};
use crate::value::{MAX_DEPTH, Object, Value, too_deep};
use crate::{Error, Result};

/// Where documents are put together, one after the other.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    offsets: Vec<Offset>,
    handle: String,
}

/// A document of a collection in the making: its system attributes are written, the others follow.
struct Builder<'b> {
    writer: ObjectWriter<'b>,
}

impl<'b> Builder<'b> {
    fn new(
        buffer: &'b mut Buffer,
        c: &Collection,
        (key, rev): (&str, &str),
        vertex: impl Fn(&str) -> Value,
    ) -> Result<Self> {
        buffer.bytes.clear();
        buffer.handle.clear();
        for part in [c.name.as_str(), "/", key] {
            buffer.handle.push_str(part);
        }
        let mut writer = ObjectWriter::new(&mut buffer.bytes, &mut buffer.offsets);
        writer.text("_key", key);
        writer.text("_id", &buffer.handle);
        if c.is_edge() {
            for end in ["_from", "_to"] {
                let vertex = vertex(end);
                if !vertex.as_str().is_some_and(names::is_document_id) {
                    return Err(Error::plain(code::INVALID_EDGE_ATTRIBUTE));
                }
                writer.value(end, &vertex);
            }
        }
        writer.text("_rev", rev);
        Ok(Self { writer })
    }

    fn value(&mut self, name: &str, value: &Value) -> Result<()> {
        // the document is a level itself
        if value.is_deeper_than(MAX_DEPTH - 1) {
            return Err(too_deep());
        }
        self.writer.value(name, value);
        Ok(())
    }

    fn values<'v>(&mut self, attributes: impl Iterator<Item = (&'v str, &'v Value)>) -> Result<()> {
        for (name, value) in attributes {
            if !SYSTEM_ATTRIBUTES.contains(&name) {
                self.value(name, value)?;
            }
        }
        Ok(())
    }
}

fn shared(bytes: &[u8]) -> Result<Arc<[u8]>> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(Error::plain(code::DOCUMENT_TOO_LARGE));
    }
    Ok(bytes.into())
}

/// A document in its stored form, under a key and in a revision. `buffer` is only used meanwhile.
pub(crate) fn build(c: &Collection, known_by: (&str, &str), source: &Value, buffer: &mut Buffer) -> Result<Arc<[u8]>> {
    let mut builder = Builder::new(buffer, c, known_by, |end| source.get(end))?;
    match source {
        Value::Object(object) => builder.values(object.iter().map(|(name, value)| (name.as_str(), value)))?,
        Value::Stored(stored) => {
            let attributes = stored.raw();
            if let Some(around) = attributes.around(b'_') {
                builder.writer.finish_around(around);
                return shared(&buffer.bytes);
            }
            for attribute in attributes.attributes().filter(|attribute| !is_system(attribute.name)) {
                builder.writer.attribute(&attribute);
            }
        }
        _ => {}
    }
    builder.writer.finish();
    shared(&buffer.bytes)
}

/// A document with some of its attributes changed, in its stored form: what does not change is copied as it is.
pub(crate) fn build_changed(
    c: &Collection,
    known_by: (&str, &str),
    (old, patch): (&Value, &Value),
    o: &WriteOptions,
    buffer: &mut Buffer,
) -> Result<Arc<[u8]>> {
    let Value::Stored(stored) = old else {
        let merged = Value::object(merge(old, patch, o.keep_null, o.merge_objects));
        return build(c, known_by, &merged, buffer);
    };
    let vertex = |end: &str| match patch.get_opt(end) {
        Some(Value::Null) if !o.keep_null => Value::Null,
        Some(changed) => changed,
        None => old.get(end),
    };
    let mut builder = Builder::new(buffer, c, known_by, vertex)?;
    let (mut changes, mut new) = (Vec::new(), Vec::new());
    for (name, value) in patch.iter_object().filter(|(name, _)| !is_system(name.as_bytes())) {
        match stored.raw().get(name) {
            Some(before) => changes.push((before.reach(), name, value)),
            None => new.push((name, value)),
        }
    }
    // in the order of the document
    changes.sort_unstable_by_key(|(reach, ..)| Reverse(*reach));
    let mut changes = changes.into_iter().peekable();
    for attribute in stored.raw().attributes().filter(|attribute| !is_system(attribute.name)) {
        let Some((_, name, change)) = changes.next_if(|(reach, ..)| *reach == attribute.value.reach()) else {
            builder.writer.attribute(&attribute);
            continue;
        };
        let before = stored.value_of(attribute.value);
        if let Some(value) = merged(Some(&before), change, o.keep_null, o.merge_objects, MAX_DEPTH) {
            builder.value(name, &value)?;
        }
    }
    // what is new comes last
    for (name, value) in new {
        if let Some(value) = merged(None, value, o.keep_null, o.merge_objects, MAX_DEPTH) {
            builder.value(name, &value)?;
        }
    }
    builder.writer.finish();
    shared(&buffer.bytes)
}

fn is_system(name: &[u8]) -> bool {
    // hardly any other name begins like them
    name.first() == Some(&b'_') && SYSTEM_ATTRIBUTES.iter().any(|system| system.as_bytes() == name)
}

/// A document with the `_id` it has after its collection got a new name.
pub(crate) fn with_collection_name(document: &Value, collection: &str) -> Vec<u8> {
    let renamed = document.iter_object().map(|(name, value)| {
        if name == "_id" {
            let key = document.get("_key");
            (SmolStr::new(name), Value::Str(format_smolstr!("{collection}/{}", key.as_str().unwrap_or_default())))
        } else {
            (SmolStr::new(name), value)
        }
    });
    let mut bytes = Vec::new();
    Value::object(renamed.collect()).encode(&mut bytes);
    bytes
}

/// What an update makes of two objects.
pub(crate) fn merge(old: &Value, patch: &Value, keep_null: bool, merge_objects: bool) -> Object {
    merge_to_depth(old, patch, keep_null, merge_objects, MAX_DEPTH)
}

fn merge_to_depth(old: &Value, patch: &Value, keep_null: bool, merge_objects: bool, left: usize) -> Object {
    let mut object = old.to_object().unwrap_or_default();
    for (name, value) in patch.iter_object() {
        match merged(object.get(name), value, keep_null, merge_objects, left) {
            Some(value) => drop(object.insert(SmolStr::new(name), value)),
            None => drop(object.shift_remove(name)),
        }
    }
    object
}

/// What an update makes of one attribute; `None`: it goes.
fn merged(before: Option<&Value>, value: Value, keep_null: bool, merge_objects: bool, left: usize) -> Option<Value> {
    if value.is_null() && !keep_null {
        return None;
    }
    if !value.is_object() || left == 0 {
        return Some(value);
    }
    Some(match before {
        Some(before) if merge_objects && before.is_object() => {
            Value::object(merge_to_depth(before, &value, keep_null, true, left - 1))
        }
        // what takes the place of something is taken as it is, with the nulls inside
        Some(_) => value,
        None if keep_null => value,
        None => Value::object(merge_to_depth(&Value::Null, &value, false, true, left - 1)),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::catalog::{CollectionDefinition, CollectionKind};
    use crate::value::parse_json;

    fn collection(kind: CollectionKind) -> Collection {
        let CollectionDefinition { name, kind, properties } = CollectionDefinition::new("c", kind);
        Collection { id: 7, database: 1, name, kind, indexes: Vec::new(), properties, epoch: 0, object: 0 }
    }

    /// Attributes with names on all sides of those of the system, and that of the system, in any order.
    fn attributes() -> impl Strategy<Value = Value> {
        let name = prop_oneof![
            6 => "[A-Zaz]{0,9}|é",
            1 => "_[a-z]{0,3}|`",
            1 => Just("_rev".to_owned()),
            1 => Just("_key".to_owned()),
        ];
        let plain = prop_oneof![
            any::<i32>().prop_map(|n| Value::Int(n.into())),
            "[a-z]{0,40}|a{200}".prop_map(|text| Value::str(text.as_str())),
            Just(Value::Null),
        ];
        let value = prop_oneof![
            3 => plain.clone(),
            1 => prop::collection::vec(("[a-c]", plain), 0..3).prop_map(object),
        ];
        prop::collection::vec((name, value), 0..12).prop_map(object)
    }

    fn object(attributes: Vec<(String, Value)>) -> Value {
        Value::object(attributes.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    fn with_ends(document: &Value, from: &str) -> Value {
        let mut object = document.to_object().unwrap();
        object.insert("_from".into(), Value::str(from));
        object.insert("_to".into(), Value::str("v/2"));
        Value::object(object)
    }

    fn stored(value: &Value) -> Value {
        Value::from_stored(value.to_stored())
    }

    proptest! {
        #[test]
        fn a_document_is_the_same_whether_it_comes_in_one_piece_or_not(document in attributes(), is_edge in any::<bool>()) {
            let c = collection(if is_edge { CollectionKind::Edge } else { CollectionKind::Document });
            let document = if is_edge { with_ends(&document, "v/1") } else { document };
            let mut buffer = Buffer::default();
            let one_by_one = build(&c, ("k", "r"), &document, &mut buffer).unwrap();
            let in_one_piece = build(&c, ("k", "r"), &stored(&document), &mut buffer).unwrap();
            prop_assert_eq!(in_one_piece, one_by_one);
        }

        #[test]
        fn a_change_is_the_same_whether_the_document_is_in_one_piece_or_not(
            old in attributes(), patch in attributes(), keep_null in any::<bool>(), merge_objects in any::<bool>(),
        ) {
            let c = collection(CollectionKind::Document);
            let mut buffer = Buffer::default();
            let old = Value::from_stored(build(&c, ("k", "q"), &old, &mut buffer).unwrap());
            let options = WriteOptions { keep_null, merge_objects, ..WriteOptions::default() };
            let one_by_one = Value::object(merge(&old, &patch, keep_null, merge_objects));
            let one_by_one = build(&c, ("k", "r"), &one_by_one, &mut buffer).unwrap();
            for patch in [stored(&patch), patch] {
                let in_place = build_changed(&c, ("k", "r"), (&old, &patch), &options, &mut buffer).unwrap();
                prop_assert_eq!(&in_place, &one_by_one);
            }
        }
    }

    fn merged(old: &str, patch: &str, keep_null: bool, merge_objects: bool) -> String {
        Value::object(merge(&parse_json(old).unwrap(), &parse_json(patch).unwrap(), keep_null, merge_objects)).to_json()
    }

    #[test]
    fn an_update_changes_in_place_and_appends_what_is_new() {
        let json = merged(r#"{"v":2,"n":{"a":1,"b":{"c":2}},"l":[1]}"#, r#"{"n":{"b":{"d":3}},"x":1}"#, true, true);
        assert_eq!(json, r#"{"v":2,"n":{"a":1,"b":{"c":2,"d":3}},"l":[1],"x":1}"#);
    }

    #[test]
    fn without_keep_null_null_removes_also_inside_objects_but_not_inside_arrays() {
        let json = merged(
            r#"{"v":1,"n":{"a":1,"b":2}}"#,
            r#"{"v":null,"n":{"a":null},"o":{"p":null,"q":1},"l":[null]}"#,
            false,
            true,
        );
        assert_eq!(json, r#"{"n":{"b":2},"o":{"q":1},"l":[null]}"#);
    }

    #[test]
    fn without_merge_objects_an_object_replaces_the_one_before() {
        assert_eq!(merged(r#"{"n":{"a":1}}"#, r#"{"n":{"b":null}}"#, true, false), r#"{"n":{"b":null}}"#);
    }

    #[test]
    fn without_keep_null_an_object_keeps_its_nulls_where_it_takes_the_place_of_something() {
        let (old, patch) = (r#"{"n":{"a":1},"s":1}"#, r#"{"n":{"b":null},"s":{"c":null},"x":{"d":null,"e":1}}"#);
        assert_eq!(merged(old, patch, false, false), r#"{"n":{"b":null},"s":{"c":null},"x":{"e":1}}"#);
        assert_eq!(merged(old, patch, false, true), r#"{"n":{"a":1},"s":{"c":null},"x":{"e":1}}"#);
        let inner = merged(r#"{"n":{"a":1}}"#, r#"{"n":{"a":{"b":null},"c":null}}"#, false, true);
        assert_eq!(inner, r#"{"n":{"a":{"b":null}}}"#);
    }
}
