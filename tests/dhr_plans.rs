//! The queries of the device history record read collections that grow with production through an index.

mod common;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use common::Service;
use http::{Method, Request};
use serde_json::{Value, json};
use tracewright::query;
use tracewright::store::Query;

/// What a plan reads: `Serial` for a whole collection, `Serial(_key)` for an index of it.
fn reads(service: &Service, query: &Query, params: &Value) -> Vec<String> {
    let password = std::fs::read_to_string(service.data_dir.path().join("database_password")).unwrap();
    let credentials = STANDARD.encode(format!("root:{}", password.trim()));
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("/_db/{}/_api/explain", service.app.settings.database.name))
        .header("authorization", format!("Basic {credentials}"))
        .body(json!({"query": query.text, "bindVars": params}).to_string().into())
        .unwrap();
    let answer = service.app.store.engine().unwrap().handle(request);
    let text = String::from_utf8(answer.body().to_vec()).unwrap();
    assert_eq!(answer.status(), 200, "{}: {text}", query.name);
    let mut found = Vec::new();
    collect(&serde_json::from_str(&text).unwrap(), &mut found);
    found.sort();
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

#[tokio::test]
async fn every_collection_is_read_through_an_index() {
    let service = Service::start().await;
    if service.app.store.engine().is_none() {
        return;
    }
    let outline = reads(&service, &query!("dhr/outline"), &json!({"serial_key": "s", "depth": 1}));
    assert_eq!(outline, ["contains(_from, _to)"]);
    let params = json!({"serial_keys": ["s"], "include_step_data": true});
    let records = reads(&service, &query!("dhr/records"), &params);
    let expected = [
        "CustomField(_key)",
        "Event(_key)",
        "Phase(_key)",
        "Serial(_key)",
        "StepExecutionData(batch_key, step_key, status, canceled)",
        "batch_serial(_from, _to)",
    ];
    assert_eq!(records, expected);
}
