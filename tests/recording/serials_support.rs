//! What tests of serial events have in common: products and their counters, posting, and documents as they are stored.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::Service;

/// The answer to an event.
pub type Answer = (StatusCode, Value);

/// A service with products of all kinds: `p` traced with a counter, `q` traced without, `u` untraced, `gone` in the trash,
/// `early` traced, whose serials get their codes when they are made, and `same`, whose counter has no number.
pub async fn service() -> Service {
    let service = Service::start().await;
    seed(&service).await;
    service
}

/// The products and counters of [`service`].
pub async fn seed(service: &Service) {
    let traced = |key: &str, counter: Option<&str>| json!({"_key": key, "code": key.to_uppercase(), "traceability_level": "complete", "counter_key": counter});
    let mut early = traced("early", Some("c"));
    early["serial_code_on_creation"] = json!(true);
    let mut gone = traced("gone", None);
    gone["trash"] = json!(true);
    let products = [
        traced("p", Some("c")),
        traced("q", None),
        json!({"_key": "u", "code": "U", "traceability_level": null}),
        gone,
        early,
        traced("same", Some("same")),
    ];
    service.seed("Product", json!(products)).await;
    service
        .seed(
            "Counter",
            json!([
                {"_key": "c", "name": "Serials", "next_tick": 1, "template": ["sn-", "#4"]},
                {"_key": "same", "name": "Same", "next_tick": 1, "template": ["X"]},
            ]),
        )
        .await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "W1", "product_key": "p", "status": "created"}])).await;
}

/// Serials of a product, released and without more.
pub async fn seed_serials(service: &Service, product: &str, codes: &[&str]) {
    let serials: Vec<Value> = codes
        .iter()
        .map(|code| {
            json!({"_key": code, "code": code.to_uppercase(), "product_key": product, "quantity": 1, "deleted": false,
                "released": "2026-01-01T00:00:00.000000+00:00", "data": []})
        })
        .collect();
    service.seed("Serial", json!(serials)).await;
}

/// Posts an event of a type with members.
pub async fn post(service: &Service, token: &str, event_type: &str, members: Value) -> Answer {
    let mut event = members;
    event["event_type"] = json!(event_type);
    service.send(Method::POST, "/event", token, event).await
}

/// The `detail` of an event that was recorded.
pub async fn record(service: &Service, token: &str, event_type: &str, members: Value) -> Value {
    let (status, body) = post(service, token, event_type, members.clone()).await;
    assert_eq!(status, 200, "{event_type} {members}: {body}");
    body["detail"].clone()
}

/// Makes a serial and gives its key.
pub async fn make(service: &Service, token: &str, members: Value) -> String {
    record(service, token, "SERIAL_CREATED", members).await["serial_key"].as_str().unwrap().to_owned()
}

/// A refusal of that kind whose message has a word.
pub fn assert_refused((status, body): &Answer, kind: &str, word: &str) {
    assert_eq!(*status, 422, "{body}");
    assert_eq!(body["detail"]["error_type"], kind, "{body}");
    assert!(body["detail"]["message"].as_str().unwrap().contains(word), "{word}: {body}");
}

/// Every document of a collection.
pub async fn documents(service: &Service, collection: &str) -> Vec<Value> {
    let params = json!({"@collection": collection, "after": "", "limit": 100_000});
    service.app.store.rows(&aql::transfer::DOCUMENTS, params).await.unwrap()
}

/// One document of a collection.
pub async fn document(service: &Service, collection: &str, key: &str) -> Option<Value> {
    documents(service, collection).await.into_iter().find(|document| document["_key"] == key)
}

/// A serial as it is stored.
pub async fn serial(service: &Service, key: &str) -> Value {
    document(service, "Serial", key).await.unwrap_or_else(|| panic!("no serial {key}"))
}

/// The events of a type, in their order.
pub async fn events_of(service: &Service, event_type: &str) -> Vec<Value> {
    let mut events = documents(service, "Event").await;
    events.retain(|event| event["event_type"] == event_type);
    events.sort_by_key(|event| (event["recorded"].to_string(), event["sequence"].as_i64()));
    events
}
