//! What can be set about how the index of a view is kept.

use smol_str::SmolStr;

use crate::error::code;
use crate::value::{Object, Value};
use crate::{Error, Result};

fn object<const N: usize>(pairs: [(&'static str, Value); N]) -> Object {
    pairs.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

/// What can be set later, too, as it is when it is not set.
pub(crate) fn changeable() -> Object {
    let policy = Value::from_pairs([
        ("type", Value::str("tier")),
        ("segmentsBytesFloor", Value::Int(2 << 20)),
        ("segmentsBytesMax", Value::Int(5 << 30)),
        ("segmentsMax", Value::Int(10)),
        ("segmentsMin", Value::Int(1)),
        ("minScore", Value::Int(0)),
    ]);
    object([
        ("cleanupIntervalStep", Value::Int(2)),
        ("commitIntervalMsec", Value::Int(1000)),
        ("consolidationIntervalMsec", Value::Int(1000)),
        ("consolidationPolicy", policy),
    ])
}

/// How much is written at a time.
pub(crate) fn of_buffers() -> Object {
    object([
        ("writebufferActive", Value::Int(0)),
        ("writebufferIdle", Value::Int(64)),
        ("writebufferSizeMax", Value::Int(32 << 20)),
    ])
}

/// Takes over what a body sets; all of it is about how ArangoDB's index is kept, and only shown here.
pub(crate) fn set(properties: &mut Object, body: &Value) -> Result<()> {
    for (name, value) in &mut *properties {
        let given = body.get(name);
        if given.is_null() {
            continue;
        }
        let fits = (given.is_number() && value.is_number() && given.as_f64().is_some_and(|n| n >= 0.0))
            || (given.is_array() && value.is_array())
            || (given.is_object() && value.is_object())
            || (given.is_string() && value.is_string());
        if !fits {
            let message = format!("invalid value of '{name}' in the properties of a view");
            return Err(Error::new(code::BAD_PARAMETER, message));
        }
        *value = match name.as_str() {
            "consolidationPolicy" => policy(value, &given),
            "primarySort" => Value::array(given.iter_array().map(|sort| direction(&sort)).collect()),
            "storedValues" => Value::array(given.iter_array().map(|stored| stored_values(&stored)).collect()),
            _ => given,
        };
    }
    Ok(())
}

/// Settings of ArangoDB's caches and of what it sorts by: shown where they are set, without an effect here.
const CACHES: [&str; 4] = ["optimizeTopK", "primarySortCache", "primaryKeyCache", "cache"];

/// Takes over what a body sets of [`CACHES`].
pub(crate) fn set_caches(properties: &mut Object, body: &Value) -> Result<()> {
    for name in CACHES.into_iter().filter(|name| !body.get(name).is_null()) {
        let given = body.get(name);
        let fits = if name == "optimizeTopK" { given.is_array() } else { given.as_bool().is_some() };
        if !fits {
            return Err(Error::new(code::BAD_PARAMETER, format!("invalid value of '{name}'")));
        }
        properties.insert(name.into(), given);
    }
    Ok(())
}

/// The attributes whose values an index keeps: those that are named to be stored, and those that it is sorted by.
pub(crate) fn stored_paths(properties: &Value) -> Vec<Vec<SmolStr>> {
    let sort = properties.get("primarySort");
    let sort = if sort.is_array() { sort } else { sort.get("fields") };
    let sorted = sort.iter_array().map(|sort| sort.get("field"));
    let stored = properties.get("storedValues");
    let stored = stored.iter_array().flat_map(|stored| stored.get("fields").iter_array().collect::<Vec<_>>());
    let mut paths: Vec<Vec<SmolStr>> = Vec::new();
    for name in sorted.chain(stored) {
        let path: Vec<SmolStr> = name.as_str().unwrap_or_default().split('.').map(SmolStr::new).collect();
        // the name of the collection is part of an id, and may change
        if path[0] != "_id" && path.iter().all(|name| !name.is_empty()) && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

fn policy(known: &Value, given: &Value) -> Value {
    let mut policy = known.to_object().unwrap_or_default();
    if given.get("type").as_str() == Some("bytes_accum") {
        let threshold = given.get("threshold").as_f64().unwrap_or(0.1);
        return Value::from_pairs([("type", Value::str("bytes_accum")), ("threshold", Value::float(threshold))]);
    }
    for (name, value) in given.iter_object() {
        policy.insert(name.into(), value);
    }
    Value::object(policy)
}

fn direction(sort: &Value) -> Value {
    Value::from_pairs([("field", sort.get("field")), ("asc", Value::Bool(is_ascending(sort)))])
}

/// Is it sorted by a field in this order, or in the other one?
pub(crate) fn is_ascending(sort: &Value) -> bool {
    match sort.get("direction").as_str() {
        Some(direction) => !direction.eq_ignore_ascii_case("desc"),
        None => sort.get("asc").as_bool().unwrap_or(true),
    }
}

/// A part of a definition, with the setting of its cache where it has one.
pub(super) fn with_cache<const N: usize>(pairs: [(&'static str, Value); N], given: &Value) -> Value {
    let mut shown = object(pairs);
    if let Some(cache) = given.get("cache").as_bool() {
        shown.insert("cache".into(), Value::Bool(cache));
    }
    Value::object(shown)
}

fn stored_values(stored: &Value) -> Value {
    let fields = if stored.is_object() { stored.get("fields") } else { stored.clone() };
    let fields = if fields.is_array() { fields } else { Value::array(vec![fields]) };
    let compression = stored.get("compression");
    let compression = if compression.is_string() { compression } else { Value::str("lz4") };
    with_cache([("fields", fields), ("compression", compression)], stored)
}
