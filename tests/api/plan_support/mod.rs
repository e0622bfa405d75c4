//! How the engine runs stored queries: the indexes of a plan, and what a run looked at.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{Method, Request};
use serde_json::{Map, Value, json};
use tracewright::store::{Header, Query};

use crate::common::Service;

/// Whether the tests run on the engine in this process, whose plans these are.
pub fn is_embedded(service: &Service) -> bool {
    service.app.store.engine().is_some()
}

/// Sends a stored query to a path of the engine; parameters that are not given are null.
fn send(service: &Service, path: &str, query: &Query, params: &Value) -> Value {
    let header = Header::parse(query.text).unwrap();
    let mut bound: Map<String, Value> = header.params.into_iter().map(|name| (name, Value::Null)).collect();
    bound.extend(params.as_object().unwrap().clone());
    let password = std::fs::read_to_string(service.data_dir.path().join("database_password")).unwrap();
    let credentials = STANDARD.encode(format!("root:{}", password.trim()));
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("/_db/{}/_api/{path}", service.app.settings.database.name))
        .header("authorization", format!("Basic {credentials}"))
        .body(json!({"query": query.text, "bindVars": bound}).to_string().into())
        .unwrap();
    let answer = service.app.store.engine().unwrap().handle(request);
    let text = String::from_utf8(answer.body().to_vec()).unwrap();
    assert!(answer.status().is_success(), "{}: {text}", query.name);
    serde_json::from_str(&text).unwrap()
}

/// What a plan reads: `Serial` for a whole collection, `Serial(created, _key)` for an index of it.
pub fn reads(service: &Service, query: &Query, params: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(&send(service, "explain", query, params), &mut found);
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
    let answer = send(service, "cursor", query, params);
    let stats = &answer["extra"]["stats"];
    stats["scannedFull"].as_u64().unwrap() + stats["scannedIndex"].as_u64().unwrap()
}
