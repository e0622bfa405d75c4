//! How the engine would run a stored query, and what a run looked at.

use reqwest::Method;
use serde_json::{Map, Value, json};
use tracewright::store::Query;

use crate::Service;

/// Whether the tests run on the engine in this process, whose plans these are.
pub fn is_embedded(service: &Service) -> bool {
    service.app.store.engine().is_some()
}

/// `base` with the members of `more`.
pub fn merged(base: &Value, more: &Value) -> Value {
    let mut members = base.clone();
    members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    members
}

/// Asks the engine how it would run a query; its answer where it refuses.
pub fn explain(service: &Service, query: &Query, params: &Value) -> Result<Value, String> {
    send(service, "explain", query, params)
}

/// Sends a query to a path of the engine. Parameters that are not given are null, a page has ten rows.
fn send(service: &Service, path: &str, query: &Query, params: &Value) -> Result<Value, String> {
    let absent = |param: &str| match param {
        "offset" => json!(0),
        "limit" => json!(10),
        _ => Value::Null,
    };
    let mut bound: Map<String, Value> = query.params.iter().map(|param| ((*param).to_owned(), absent(param))).collect();
    for (param, value) in params.as_object().unwrap() {
        assert!(bound.insert(param.clone(), value.clone()).is_some(), "{} has no parameter {param}", query.name);
    }
    let body = json!({"query": query.text, "bindVars": bound});
    let answer = service.ask_engine(Method::POST, &format!("/_api/{path}"), &body).expect("the embedded engine");
    let body = String::from_utf8(answer.body().to_vec()).unwrap();
    if answer.status().is_success() { Ok(serde_json::from_str(&body).unwrap()) } else { Err(body) }
}

/// What a plan reads: `Serial` for a whole collection, `Serial(created, _key)` for an index of it.
pub fn reads(service: &Service, query: &Query, params: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(&explain(service, query, params).unwrap(), &mut found);
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
        (Some("IndexCollectNode"), Some(collection)) => {
            let fields = value["index"]["fields"].as_array().unwrap().iter();
            let fields: Vec<&str> = fields.map(|field| field.as_str().unwrap()).collect();
            found.push(format!("{collection}({})", fields.join(", ")));
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
    let answer = send(service, "cursor", query, params).unwrap();
    let stats = &answer["extra"]["stats"];
    stats["scannedFull"].as_u64().unwrap() + stats["scannedIndex"].as_u64().unwrap()
}
