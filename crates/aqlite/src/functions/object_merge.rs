//! `MERGE()` and `MERGE_RECURSIVE()`.

use super::{Function, Host, MANY, pure};
use crate::Result;
use crate::value::stored::merged;
use crate::value::{Object, SMALL_VALUE, SmolStr, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("MERGE", 1, MANY, |host, args| match args {
        [left, right] if left.is_object() && right.is_object() => Ok(merge_two(left, right)),
        _ => merge_all(host, args, "MERGE", merge),
    }),
    pure("MERGE_RECURSIVE", 1, MANY, |host, args| merge_all(host, args, "MERGE_RECURSIVE", merge_recursive)),
];

/// Merges the arguments or, where there is only one and it is an array, its elements.
fn merge_all(host: &mut dyn Host, args: &[Value], name: &str, merge: fn(&mut Object, &Value)) -> Result<Value> {
    let list;
    let parts = match args {
        [only] if only.is_array() => {
            list = only.as_array().unwrap_or_default();
            list.as_slice()
        }
        _ => args,
    };
    if !parts.iter().all(Value::is_object) {
        return host.wrong_type(name);
    }
    // an object alone stays as it is
    if let [only] = args
        && only.is_object()
    {
        return Ok(only.clone());
    }
    let mut merged = Object::default();
    for (i, part) in parts.iter().enumerate() {
        host.check()?;
        // each merge puts the left side in order: what comes before the last part is in order in the end. One part alone is
        // in order already.
        if i > 1 && i + 1 == parts.len() {
            merged.sort_unstable_keys();
        }
        merge(&mut merged, part);
    }
    Ok(merged.into())
}

/// Merges two objects: in the stored form, which is one piece of memory, as long as that copies nothing large.
fn merge_two(left: &Value, right: &Value) -> Value {
    if let (Value::Stored(left), Value::Stored(right)) = (left.in_one_piece(), right.in_one_piece())
        && let Some(merged) = merged(left.raw(), right.raw(), SMALL_VALUE)
    {
        return Value::from_stored(merged.into());
    }
    let mut merged = Object::default();
    merge(&mut merged, left);
    merge(&mut merged, right);
    merged.into()
}

/// Attributes of the right side replace those of the left. ArangoDB goes through both sides in the order of their names.
fn merge(left: &mut Object, right: &Value) {
    left.extend(right.sorted_entries().into_iter().map(|(name, value)| (SmolStr::from(name), value)));
}

/// Where both sides have an object, they are merged.
fn merge_recursive(left: &mut Object, right: &Value) {
    for (name, value) in right.sorted_entries() {
        match left.get_mut(name) {
            Some(existing) if existing.is_object() && value.is_object() => {
                let mut inner = match std::mem::take(existing) {
                    Value::Object(object) => object.into_parts(),
                    other => other.to_object().unwrap_or_default(),
                };
                inner.sort_unstable_keys();
                merge_recursive(&mut inner, &value);
                *existing = inner.into();
            }
            Some(existing) => *existing = value,
            None => {
                left.insert(name.into(), value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn the_last_value_of_an_attribute_counts() {
        assert_eq!(answer("MERGE", r#"[{"a":{"x":1}},{"a":{"y":2},"b":1}]"#), r#"{"a":{"y":2},"b":1}"#);
        assert_eq!(answer("MERGE", r#"[[{"a":1},{"b":2},{"a":3}]]"#), r#"{"a":3,"b":2}"#);
        assert_eq!(answer("MERGE", "[[]]"), "{}");
    }

    #[test]
    fn inner_objects_are_merged_recursively_arrays_are_not() {
        let merged = answer("MERGE_RECURSIVE", r#"[{"a":1},{"b":{"c":null}},{"b":{"d":1}}]"#);
        assert_eq!(merged, r#"{"a":1,"b":{"c":null,"d":1}}"#);
        assert_eq!(answer("MERGE_RECURSIVE", r#"[{"a":[1]},{"a":[2]}]"#), r#"{"a":[2]}"#);
        assert_eq!(answer("MERGE_RECURSIVE", r#"[[{"a":{"x":1}},{"a":{"y":2}}]]"#), r#"{"a":{"x":1,"y":2}}"#);
    }

    #[test]
    fn the_left_side_comes_first_each_side_in_the_order_of_its_names() {
        assert_eq!(answer("MERGE", r#"[{"d":1,"b":2},{"c":3,"b":4,"a":5}]"#), r#"{"b":4,"d":1,"a":5,"c":3}"#);
        assert_eq!(answer("MERGE", r#"[[{"d":1},{"c":2},{"b":3}]]"#), r#"{"c":2,"d":1,"b":3}"#);
        assert_eq!(answer("MERGE", r#"[[{"b":1,"a":2}]]"#), r#"{"a":2,"b":1}"#);
        assert_eq!(answer("MERGE", r#"[{"b":1,"a":2}]"#), r#"{"b":1,"a":2}"#);
        let recursive = answer("MERGE_RECURSIVE", r#"[{"u":{"n":1,"l":{"c":2}}},{"u":{"a":3,"l":{"b":4}}}]"#);
        assert_eq!(recursive, r#"{"u":{"l":{"c":2,"b":4},"n":1,"a":3}}"#);
    }

    #[test]
    fn only_objects_can_be_merged() {
        for wrong in [r#"[{"a":1},null]"#, "[[1]]", r#"[{"a":1},[{}]]"#, "[1]"] {
            assert_eq!(answer("MERGE", wrong), "warning 1542", "{wrong}");
        }
    }
}
