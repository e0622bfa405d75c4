//! What the tests of issues, messages and tasks have in common.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright::store::Query;
use tracewright_testkit::Service;

/// A service with three users and one who was deleted, two work orders with a job each, types and fields.
pub async fn service() -> Service {
    let service = Service::start().await;
    let user = |key: &str| json!({"_key": key, "username": key});
    let gone = json!({"_key": "gone", "username": "gone", "trash": true});
    service.seed("User", json!([user("u"), user("v"), user("w"), gone])).await;
    let order = |key: &str| json!({"_key": key, "wo_code": key, "product_key": "p", "status": "created"});
    service.seed("WorkOrder", json!([order("o1"), order("o2")])).await;
    let job = |key: &str, order: &str| json!({"_key": key, "wo_key": order, "phase_key": "f", "product_key": "p"});
    service.seed("Job", json!([job("j1", "o1"), job("j2", "o2")])).await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}, {"_key": "q", "code": "Q"}])).await;
    service
        .seed(
            "Serial",
            json!([
                {"_key": "s", "code": "S", "product_key": "p", "deleted": false},
                {"_key": "gone", "code": "G", "product_key": "p", "deleted": "some-event"},
            ]),
        )
        .await;
    let types = json!([{"_key": "soft", "name": "Scratch"}, {"_key": "hard", "name": "Crack", "critical": true}]);
    service.seed("IssueType", types).await;
    service
}

/// The answer to an event.
pub async fn post(service: &Service, token: &str, event_type: &str, members: Value) -> (StatusCode, Value) {
    let mut event = json!({"event_type": event_type});
    event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    service.send(Method::POST, "/event", token, event).await
}

/// The `detail` of the answer to an event that is recorded.
pub async fn record(service: &Service, token: &str, event_type: &str, members: Value) -> Value {
    let (status, body) = post(service, token, event_type, members.clone()).await;
    assert_eq!(status, 200, "{event_type} {members}: {body}");
    body["detail"].clone()
}

/// Posts an event that is refused as a `ValueError` with a word in its message.
pub async fn refuse(service: &Service, token: &str, event_type: &str, members: Value, word: &str) {
    refuse_as("ValueError", service, token, event_type, members, word).await;
}

/// The same for another kind of refusal.
pub async fn refuse_as(kind: &str, service: &Service, token: &str, event_type: &str, members: Value, word: &str) {
    let (status, body) = post(service, token, event_type, members.clone()).await;
    assert_eq!(status, 422, "{event_type} {members}: {body}");
    assert_eq!(body["detail"]["error_type"], kind, "{event_type} {members}: {body}");
    assert!(body["detail"]["message"].as_str().unwrap().contains(word), "{event_type} {members}: {body}");
}

/// Posts an event that needs a scope the caller does not have.
pub async fn forbid(service: &Service, token: &str, event_type: &str, members: Value, scope: &str) {
    let (status, body) = post(service, token, event_type, members).await;
    assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!(scope)), "{event_type}: {body}");
}

/// Every document of a collection, by key.
pub async fn documents(service: &Service, collection: &str) -> Vec<Value> {
    const ALL: Query = Query::undeclared("test/all", "FOR d IN @@collection SORT d._key RETURN d");
    service.app.store.rows(&ALL, json!({"@collection": collection})).await.unwrap()
}

/// The document of a key.
pub async fn document(service: &Service, collection: &str, key: &Value) -> Value {
    let found = documents(service, collection).await.into_iter().find(|document| document["_key"] == *key);
    found.unwrap_or_else(|| panic!("{collection}/{key} is missing"))
}

/// The stored events of a type, in the order in which they were recorded.
pub async fn events(service: &Service, event_type: &str) -> Vec<Value> {
    let mut events = documents(service, "Event").await;
    events.retain(|event| event["event_type"] == event_type);
    events.sort_by_key(|event| event["recorded"].as_str().unwrap().to_owned());
    events
}

/// What was announced on a topic, in order, and to whom.
pub async fn announced(service: &Service, topic: &str) -> Vec<(Value, Value)> {
    let mut written = documents(service, "Notification").await;
    written.retain(|document| document["topic"] == topic);
    written.sort_by_key(|document| document["recorded"].as_str().unwrap().to_owned());
    let messages = written.iter().flat_map(|document| {
        document["messages"].as_array().unwrap().iter().map(|message| (document["only_for"].clone(), message.clone()))
    });
    messages.collect()
}

/// A service with a type of tasks that has a form.
pub async fn with_task_types() -> Service {
    let service = service().await;
    let fields = json!([
        {"_key": "text", "name": "Text", "type": "text", "default_label": "A text", "default_hint": "Write"},
        {"_key": "number", "name": "Number", "type": "number"},
        {"_key": "flag", "name": "Flag", "type": "boolean"},
        {"_key": "three", "name": "Three", "type": "ternary"},
        {"_key": "files", "name": "Files", "type": "files"},
    ]);
    service.seed("CustomField", fields).await;
    let field = |key: &str, custom: &str| json!({"_key": key, "custom_field_key": custom, "mandatory": true});
    let plain = json!([
        {"_key": "a", "custom_field_key": "text", "label": "Finding", "hint": "What", "default": "none", "mandatory": true},
        {"_key": "b", "custom_field_key": "text"},
        {"_key": "c", "custom_field_key": "number", "label": ""},
    ]);
    let strict = json!([
        field("a", "text"), field("b", "number"), field("c", "flag"), field("d", "three"), field("e", "files"),
        field("f", "separator"), {"_key": "g", "custom_field_key": "text", "mandatory": false},
    ]);
    let types = json!([
        {"_key": "plain", "name": "Plain", "form_fields": plain},
        {"_key": "bare", "name": "Bare"},
        {"_key": "strict", "name": "Strict", "form_fields": strict},
        {"_key": "old", "name": "Old", "active": false},
    ]);
    service.seed("TaskType", types).await;
    service
}

/// The key of a new task.
pub async fn create_task(service: &Service, token: &str, members: Value) -> Value {
    let mut event = json!({"task_type_key": "bare"});
    event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    record(service, token, "TASK_CREATED", event).await["task_key"].clone()
}

/// A task as it is stored.
pub async fn task(service: &Service, key: &Value) -> Value {
    document(service, "Task", key).await
}

/// An assignee.
pub fn assigned(user: &str, role: &str) -> Value {
    json!({"user_key": user, "role": role})
}

/// The key of a new issue.
pub async fn create_issue(service: &Service, token: &str, issue: Value) -> Value {
    record(service, token, "ISSUE_CREATED", json!({"issue_data": issue})).await["issue_key"].clone()
}

/// What an issue is linked to.
pub fn link(kind: &str, key: &str) -> Value {
    json!({"type": kind, "key": key})
}

/// The ids of what an issue is linked to.
pub async fn targets(service: &Service, issue: &Value) -> Vec<String> {
    let from = format!("Issue/{}", issue.as_str().unwrap());
    let links = documents(service, "issue_rel").await;
    let own = links.iter().filter(|link| link["_from"] == from.as_str());
    let mut targets: Vec<String> = own.map(|link| link["_to"].as_str().unwrap().to_owned()).collect();
    targets.sort();
    targets
}
