//! Objects: attributes, examples, document identifiers.

use super::{Function, Host, MANY, flag, hash_order, pure};
use crate::Result;
use crate::value::{Object, SmolStr, Value, collate, format_float};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("ATTRIBUTES", 1, 3, attributes),
    pure("VALUES", 1, 2, values),
    pure("ENTRIES", 1, 1, entries),
    pure("HAS", 2, 2, has),
    pure("VALUE", 2, 2, value),
    pure("KEEP", 2, MANY, |host, args| select(host, args, "KEEP", Selection { keep: true, recursive: false })),
    pure("KEEP_RECURSIVE", 2, MANY, |host, args| {
        select(host, args, "KEEP_RECURSIVE", Selection { keep: true, recursive: true })
    }),
    pure("UNSET", 2, MANY, |host, args| select(host, args, "UNSET", Selection { keep: false, recursive: false })),
    pure("UNSET_RECURSIVE", 2, MANY, |host, args| {
        select(host, args, "UNSET_RECURSIVE", Selection { keep: false, recursive: true })
    }),
    pure("MATCHES", 2, 3, matches),
    pure("TRANSLATE", 2, 3, translate),
    pure("ZIP", 2, 2, zip),
    pure("PARSE_IDENTIFIER", 1, 1, parse_identifier),
    pure("PARSE_COLLECTION", 1, 1, parse_collection),
    pure("PARSE_KEY", 1, 1, parse_key),
    pure("IS_SAME_COLLECTION", 2, 2, is_same_collection),
];

/// Attributes whose name begins so belong to the system.
fn is_internal(name: &str) -> bool {
    name.starts_with('_')
}

fn attributes(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_object() {
        return host.wrong_type("ATTRIBUTES");
    }
    let without_internal = flag(args, 1);
    let mut names: Vec<&str> = args[0].iter_object().map(|(name, _)| name).collect();
    names.sort_unstable();
    if flag(args, 2) {
        names.sort_by(|a, b| collate::compare(a, b));
        // of names that collate alike only the first is there
        names.dedup_by(|later, earlier| collate::compare(later, earlier).is_eq());
    } else {
        let hashes: Vec<u64> = names.iter().map(|name| hash_order::text(name)).collect();
        names = hash_order::listed(&hashes, hash_order::EMPTY).into_iter().map(|i| names[i]).collect();
    }
    names.retain(|name| !(without_internal && is_internal(name)));
    Ok(Value::array(names.into_iter().map(Value::from).collect()))
}

fn values(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_object() {
        return host.wrong_type("VALUES");
    }
    let without_internal = flag(args, 1);
    let values = args[0].iter_object().filter(|(name, _)| !(without_internal && is_internal(name)));
    Ok(Value::array(values.map(|(_, value)| value).collect()))
}

fn entries(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_object() {
        return host.wrong_type("ENTRIES");
    }
    Ok(Value::array(args[0].iter_object().map(|(name, value)| Value::array(vec![name.into(), value])).collect()))
}

fn has(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    Ok(match &args[1] {
        Value::Str(name) => args[0].has(name),
        name => args[0].has(&name.to_text()),
    }
    .into())
}

/// Follows attribute names and array positions inwards.
fn value(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_object() || !args[1].is_array() {
        return host.wrong_type("VALUE");
    }
    if args[1].array_len() == Some(0) {
        return Ok(Value::Null);
    }
    let mut current = args[0].clone();
    for step in args[1].iter_array() {
        current = match step {
            Value::Str(name) => current.get(&name),
            Value::Int(_) | Value::Float(_) if step.to_f64() >= 0.0 => current.at(step.to_i64()?),
            _ => Value::Null,
        };
    }
    Ok(current)
}

/// What becomes of the named attributes.
#[derive(Clone, Copy)]
struct Selection {
    keep: bool,
    recursive: bool,
}

impl Selection {
    fn apply(self, value: &Value, names: &[SmolStr]) -> Value {
        let mut out = Object::default();
        // ArangoDB goes through the attributes in the order of their names
        for (name, value) in value.sorted_entries() {
            if names.iter().any(|n| n == name) == self.keep {
                let value = if self.recursive && value.is_object() { self.apply(&value, names) } else { value };
                out.insert(name.into(), value);
            }
        }
        out.into()
    }
}

fn select(host: &mut dyn Host, args: &[Value], function: &str, selection: Selection) -> Result<Value> {
    if !args[0].is_object() {
        return host.wrong_type(function);
    }
    let names = attribute_names(host, &args[1..], function)?;
    Ok(selection.apply(&args[0], &names))
}

/// The attribute names among the arguments: strings, numbers, arrays of strings.
fn attribute_names(host: &mut dyn Host, args: &[Value], function: &str) -> Result<Vec<SmolStr>> {
    let mut names = Vec::new();
    for arg in args {
        match arg {
            Value::Str(name) => names.push(name.clone()),
            Value::Int(_) | Value::Float(_) => names.push(format_float(arg.to_f64())),
            _ => {
                for item in arg.iter_array() {
                    match item {
                        Value::Str(name) => names.push(name),
                        _ => {
                            host.wrong_type(function)?;
                        }
                    }
                }
            }
        }
    }
    Ok(names)
}

/// Does the object have the attribute values of one of the examples?
fn matches(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_object() {
        return Ok(false.into());
    }
    let index = flag(args, 2);
    let examples = match args[1].as_array() {
        Some(examples) => examples,
        None => std::sync::Arc::new(vec![args[1].clone()]),
    };
    for (i, example) in examples.iter().enumerate() {
        if !example.is_object() {
            host.wrong_type("MATCHES")?;
            continue;
        }
        let equal = example.iter_object().all(|(name, value)| match args[0].get_opt(name) {
            Some(actual) => actual == value,
            None => value.is_null(),
        });
        if equal {
            return Ok(if index { i.into() } else { true.into() });
        }
    }
    Ok(if index { Value::Int(-1) } else { false.into() })
}

fn translate(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[1].is_object() {
        return host.wrong_type("TRANSLATE");
    }
    let found = args[1].get_opt(&args[0].to_text());
    Ok(found.unwrap_or_else(|| args.get(2).unwrap_or(&args[0]).clone()))
}

/// The first of several equal names counts.
fn zip(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if args[0].array_len().is_none() || args[0].array_len() != args[1].array_len() {
        return host.wrong_type("ZIP");
    }
    let mut out = Object::default();
    for (name, value) in args[0].iter_array().zip(args[1].iter_array()) {
        out.entry(name.to_text()).or_insert(value);
    }
    Ok(out.into())
}

/// The identifier of a document, given itself or as the `_id` of an object.
fn identifier(value: &Value) -> Option<SmolStr> {
    match if value.is_object() { value.get("_id") } else { value.clone() } {
        Value::Str(id) => Some(id),
        _ => None,
    }
}

/// Collection and key of a document identifier.
fn parse(value: &Value) -> Option<(SmolStr, SmolStr)> {
    let id = identifier(value)?;
    let (collection, key) = id.split_once('/')?;
    (!key.contains('/')).then(|| (collection.into(), key.into()))
}

fn parse_identifier(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match parse(&args[0]) {
        Some((collection, key)) => Ok(Value::from_pairs([("collection", collection.into()), ("key", Value::Str(key))])),
        None => host.wrong_type("PARSE_IDENTIFIER"),
    }
}

fn parse_collection(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match parse(&args[0]) {
        Some((collection, _)) => Ok(collection.into()),
        None => host.wrong_type("PARSE_COLLECTION"),
    }
}

fn parse_key(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match parse(&args[0]) {
        Some((_, key)) => Ok(key.into()),
        None => host.wrong_type("PARSE_KEY"),
    }
}

/// The collection an identifier or a document belongs to; a name without a key is one, too.
pub(super) fn collection_of(value: &Value) -> Option<SmolStr> {
    let id = identifier(value)?;
    let name = id.split('/').next().unwrap_or_default();
    (!name.is_empty()).then(|| name.into())
}

fn is_same_collection(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match (collection_of(&args[0]), collection_of(&args[1])) {
        (Some(a), Some(b)) => Ok((a == b).into()),
        _ => host.wrong_type("IS_SAME_COLLECTION"),
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn attributes_can_be_sorted_and_stripped_of_internal_ones() {
        let object = r#"{"foo":"bar","_key":"123","_custom":"yes"}"#;
        assert_eq!(answer("ATTRIBUTES", &format!("[{object}]")), r#"["foo","_key","_custom"]"#);
        let dynamic = r#"[{"name":1,"gender":2,"status":3,"type":4,"magicFlag":5}]"#;
        assert_eq!(answer("ATTRIBUTES", dynamic), r#"["status","type","name","magicFlag","gender"]"#);
        assert_eq!(answer("KEYS", &format!("[{object},true]")), r#"["foo"]"#);
        assert_eq!(answer("ATTRIBUTES", &format!("[{object},false,true]")), r#"["_custom","_key","foo"]"#);
        assert_eq!(answer("ATTRIBUTES", "[[1]]"), "warning 1542");
        assert_eq!(answer("VALUES", &format!("[{object},true]")), r#"["bar"]"#);
    }

    #[test]
    fn selections_reach_inner_objects_only_where_asked_to() {
        let object = r#"{"foo":{"bar":{"foo":1,"baz":2},"baz":3},"baz":4}"#;
        assert_eq!(answer("KEEP", &format!(r#"[{object},["baz"]]"#)), r#"{"baz":4}"#);
        assert_eq!(answer("KEEP_RECURSIVE", &format!(r#"[{object},"foo","baz"]"#)), r#"{"baz":4,"foo":{"baz":3}}"#);
        assert_eq!(answer("UNSET", &format!(r#"[{object},"foo"]"#)), r#"{"baz":4}"#);
        assert_eq!(answer("UNSET_RECURSIVE", &format!(r#"[{object},"baz"]"#)), r#"{"foo":{"bar":{"foo":1}}}"#);
        assert_eq!(answer("KEEP", r#"[{"1":2},1]"#), r#"{"1":2}"#);
        assert_eq!(answer("KEEP", r#"[{"a":1},[1]]"#), "warning 1542");
    }

    #[test]
    fn a_missing_attribute_matches_null() {
        assert_eq!(answer("MATCHES", r#"[{},{"a":null}]"#), "true");
        assert_eq!(answer("MATCHES", r#"[{"a":1},[{"a":2},{"a":1}],true]"#), "1");
        assert_eq!(answer("MATCHES", r#"[{"a":{"b":1,"c":2}},{"a":{"b":1}}]"#), "false");
        assert_eq!(answer("MATCHES", r#"[1,{"a":1}]"#), "false");
    }

    #[test]
    fn identifiers_have_exactly_two_parts() {
        assert_eq!(answer("PARSE_IDENTIFIER", r#"[{"_id":"c/k"}]"#), r#"{"collection":"c","key":"k"}"#);
        assert_eq!(answer("PARSE_KEY", r#"["c/k"]"#), r#""k""#);
        for wrong in [r#"["nokey"]"#, "[null]", r#"["a/b/c"]"#, "[{}]"] {
            assert_eq!(answer("PARSE_IDENTIFIER", wrong), "warning 1542", "{wrong}");
        }
        assert_eq!(answer("IS_SAME_COLLECTION", r#"["c",{"_id":"c/1"}]"#), "true");
        assert_eq!(answer("IS_SAME_COLLECTION", r#"["c",1]"#), "warning 1542");
    }

    #[test]
    fn paths_lead_through_objects_and_arrays() {
        assert_eq!(answer("VALUE", r#"[{"foo":[{"bar":1},{"bar":2}]},["foo",1,"bar"]]"#), "2");
        assert_eq!(answer("VALUE", r#"[{"foo":[1]},["foo",-1]]"#), "null");
        assert_eq!(answer("VALUE", r#"[{"foo":[1]},"foo"]"#), "warning 1542");
    }

    #[test]
    fn zip_keeps_the_first_of_equal_names_and_translate_falls_back() {
        assert_eq!(answer("ZIP", r#"[["a","a",1],[1,2,3]]"#), r#"{"a":1,"1":3}"#);
        assert_eq!(answer("ZIP", r#"[["a"],[]]"#), "warning 1542");
        assert_eq!(answer("TRANSLATE", r#"[42,{"42":true}]"#), "true");
        assert_eq!(answer("TRANSLATE", r#"["b",{"a":"A"}]"#), r#""b""#);
        assert_eq!(answer("TRANSLATE", r#"["b",{"a":"A"},null]"#), "null");
    }
}
