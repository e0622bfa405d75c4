//! Events of stock, posted to the warehouse of the tests.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
pub use tracewright_testkit::warehouse::Warehouse;

/// Names of refusals.
pub const MOVEMENT: &str = "InventoryMovementException";
pub const VALUE: &str = "ValueError";

/// Posts an event and gives status and body.
pub async fn post(warehouse: &Warehouse, event_type: &str, members: Value) -> (StatusCode, Value) {
    let mut event = members;
    event["event_type"] = event_type.into();
    warehouse.send(Method::POST, "/event", event).await
}

/// Posts an event that must be accepted and gives the `detail` of the answer.
pub async fn done(warehouse: &Warehouse, event_type: &str, members: Value) -> Value {
    let (status, body) = post(warehouse, event_type, members.clone()).await;
    assert_eq!(status, 200, "{event_type} {members}: {body}");
    body["detail"].clone()
}

/// Posts an event that must be refused, and gives the text.
pub async fn refused(warehouse: &Warehouse, event_type: &str, members: Value, kind: &str) -> String {
    let (status, body) = post(warehouse, event_type, members.clone()).await;
    assert_eq!(status, 422, "{event_type} {members}: {body}");
    assert_eq!(body["detail"]["error_type"], kind, "{event_type} {members}: {body}");
    body["detail"]["message"].as_str().unwrap().to_owned()
}

/// Completes a movement.
pub async fn moved(warehouse: &Warehouse, movement_type: &str, members: Value) -> Value {
    done(warehouse, "MOVEMENT_COMPLETED", typed(movement_type, members)).await
}

/// The text with which a movement is refused.
pub async fn not_moved(warehouse: &Warehouse, movement_type: &str, members: Value, kind: &str) -> String {
    refused(warehouse, "MOVEMENT_COMPLETED", typed(movement_type, members), kind).await
}

/// Members of a movement of a type; 1 is moved unless they say otherwise.
pub fn typed(movement_type: &str, members: Value) -> Value {
    let mut event = json!({"movement_type": movement_type, "qt_confirmed": 1});
    event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event
}

/// The events of the journal, in their order within their group.
pub async fn journal(warehouse: &Warehouse) -> Vec<Value> {
    let mut events = warehouse.documents("Event").await;
    events.sort_by_key(|event| (event["recorded"].to_string(), event["sequence"].as_i64()));
    events
}

/// The types of events.
pub fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["event_type"].as_str().unwrap()).collect()
}

/// Key of a document.
pub fn key(document: &Value) -> &str {
    document["_key"].as_str().unwrap()
}
