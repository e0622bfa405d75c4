//! How a document is put together: system attributes first, then the user's in their order.

use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::DocId;
use super::clock::revision_text;
use crate::catalog::{Collection, SYSTEM_ATTRIBUTES, names};
use crate::error::code;
use crate::value::{Object, Value};
use crate::{Error, Result};

/// Deeper than JSON may be nested when it is parsed; a query can build more.
const MAX_DEPTH: usize = 200;

/// A document in its stored form.
pub(crate) fn build<'v>(
    collection: &Collection,
    key: &str,
    id: DocId,
    source: &Value,
    attributes: impl Iterator<Item = (&'v str, Value)>,
) -> Result<Arc<[u8]>> {
    let mut object = Object::default();
    object.insert("_key".into(), Value::from(key));
    object.insert("_id".into(), Value::Str(format_smolstr!("{}/{key}", collection.name)));
    if collection.is_edge() {
        for end in ["_from", "_to"] {
            let vertex = source.get(end);
            if !vertex.as_str().is_some_and(names::is_document_id) {
                return Err(Error::plain(code::INVALID_EDGE_ATTRIBUTE));
            }
            object.insert(end.into(), vertex);
        }
    }
    object.insert("_rev".into(), Value::Str(revision_text(id)));
    for (name, value) in attributes.filter(|(name, _)| !SYSTEM_ATTRIBUTES.contains(name)) {
        if too_deep(&value, MAX_DEPTH) {
            return Err(Error::new(code::DOCUMENT_TOO_LARGE, "document too deeply nested"));
        }
        object.insert(SmolStr::new(name), value);
    }
    let mut bytes = Vec::with_capacity(256);
    Value::object(object).encode(&mut bytes);
    if u32::try_from(bytes.len()).is_err() {
        return Err(Error::plain(code::DOCUMENT_TOO_LARGE));
    }
    Ok(bytes.into())
}

fn too_deep(value: &Value, left: usize) -> bool {
    match value {
        _ if left == 0 => true,
        Value::Array(items) => items.iter().any(|v| too_deep(v, left - 1)),
        Value::Object(object) => object.values().any(|v| too_deep(v, left - 1)),
        // what was stored was checked then
        _ => false,
    }
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
    let mut merged = old.to_object().unwrap_or_default();
    for (name, value) in patch.iter_object() {
        if value.is_null() && !keep_null {
            merged.shift_remove(name);
            continue;
        }
        let value = if value.is_object() && left > 0 {
            match merged.get(name) {
                Some(before) if merge_objects && before.is_object() => {
                    Value::object(merge_to_depth(before, &value, keep_null, true, left - 1))
                }
                _ if keep_null => value,
                _ => Value::object(merge_to_depth(&Value::Null, &value, false, true, left - 1)),
            }
        } else {
            value
        };
        merged.insert(SmolStr::new(name), value);
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

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
}
