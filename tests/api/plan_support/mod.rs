//! The stored queries as the database is sent them, how the engine would run one, and what a run looked at.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use reqwest::Method;
use serde_json::{Map, Value, json};
use tracewright::store::{Header, Query};

use crate::common::Service;

/// Whether the tests run on the engine in this process, whose plans these are.
pub fn is_embedded(service: &Service) -> bool {
    service.app.store.engine().is_some()
}

/// The stored queries by their names, fragments included.
pub fn stored_queries() -> BTreeMap<String, String> {
    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { files(&path, found) } else { found.push(path) }
        }
    }
    let root = Path::new(env!("OUT_DIR")).join("aql");
    let mut found = Vec::new();
    files(&root, &mut found);
    assert!(!found.is_empty());
    found
        .into_iter()
        .map(|path| {
            assert_eq!(path.extension().and_then(|name| name.to_str()), Some("aql"), "{}", path.display());
            let name = path.strip_prefix(&root).unwrap().with_extension("").to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// `base` with the members of `more`.
pub fn merged(base: &Value, more: &Value) -> Value {
    let mut members = base.clone();
    members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    members
}

/// Asks the engine how it would run a query; its answer where it refuses.
pub fn explain(service: &Service, name: &str, text: &str, params: &Value) -> Result<Value, String> {
    send(service, "explain", name, text, params)
}

/// Sends a query to a path of the engine. Parameters that are not given are null, a page has ten rows.
fn send(service: &Service, path: &str, name: &str, text: &str, params: &Value) -> Result<Value, String> {
    let declared = Header::parse(text).unwrap().params;
    let absent = |param: &str| match param {
        "offset" => json!(0),
        "limit" => json!(10),
        _ => Value::Null,
    };
    let mut bound: Map<String, Value> = declared.into_iter().map(|param| (param.clone(), absent(&param))).collect();
    for (param, value) in params.as_object().unwrap() {
        assert!(bound.insert(param.clone(), value.clone()).is_some(), "{name} has no parameter {param}");
    }
    let query = json!({"query": text, "bindVars": bound});
    let answer = service.ask_engine(Method::POST, &format!("/_api/{path}"), &query).expect("the embedded engine");
    let body = String::from_utf8(answer.body().to_vec()).unwrap();
    if answer.status().is_success() { Ok(serde_json::from_str(&body).unwrap()) } else { Err(body) }
}

/// What a plan reads: `Serial` for a whole collection, `Serial(created, _key)` for an index of it.
pub fn reads(service: &Service, query: &Query, params: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(&explain(service, query.name, query.text, params).unwrap(), &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match (value["type"].as_str(), value["collection"].as_str()) {
        (Some("EnumerateCollectionNode"), Some(collection)) => found.push(collection.to_owned()),
        (Some("IndexNode"), Some(collection)) => {
            for index in value["indexes"].as_array().into_iter().flatten() {
                let fields = index["fields"].as_array().unwrap().iter();
                let fields: Vec<&str> = fields.map(|field| field.as_str().unwrap()).collect();
                found.push(format!("{collection}({})", fields.join(", ")));
            }
        }
        _ => {}
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(members) => members.values().for_each(|member| collect(member, found)),
        _ => {}
    }
}

/// How many documents and index entries a run looked at.
pub fn looked_at(service: &Service, query: &Query, params: &Value) -> u64 {
    let answer = send(service, "cursor", query.name, query.text, params).unwrap();
    let stats = &answer["extra"]["stats"];
    stats["scannedFull"].as_u64().unwrap() + stats["scannedIndex"].as_u64().unwrap()
}
