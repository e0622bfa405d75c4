//! Types of issues and tasks.

use crate::common::{Service, answer};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

async fn start() -> (Service, String) {
    let service = Service::start().await;
    let token = service.token("u", "production").await;
    (service, token)
}

async fn send(service: &Service, token: &str, method: Method, path: &str, body: Value) -> (u16, Value) {
    let (status, body) = service.send(method, path, token, body).await;
    (status.as_u16(), body)
}

async fn delete(service: &Service, token: &str, path: &str) -> u16 {
    answer(service.request(Method::DELETE, path, token)).await.0.as_u16()
}

async fn keys(service: &Service, token: &str, path: &str) -> Vec<String> {
    let (status, body) = service.get(path, token).await;
    assert_eq!(status, 200, "{body}");
    body.as_array().unwrap().iter().map(|row| row["_key"].as_str().unwrap().to_owned()).collect()
}

fn without(mut document: Value, names: &[&str]) -> Value {
    for name in names {
        assert!(document.as_object_mut().unwrap().remove(*name).is_some(), "{name}");
    }
    document
}

#[tokio::test]
async fn an_issue_type_is_created_with_its_defaults() {
    let (service, token) = start().await;
    let (status, body) = send(&service, &token, Method::POST, "/issue-type", json!({"name": "Scratch"})).await;
    assert_eq!((status, &body["status"]), (201, &json!(200)));
    let key = body["detail"]["_key"].as_str().unwrap();
    assert!(body["message"].as_str().unwrap().contains(key));
    let expected = json!({
        "name": "Scratch", "code": null, "active": true, "description": null, "icon": null, "form_template": [],
        "critical": false,
    });
    assert_eq!(without(body["detail"].clone(), &["_id", "_key", "_rev"]), expected);
}

#[tokio::test]
async fn the_code_of_an_issue_type_is_taken_once() {
    let (service, token) = start().await;
    let body = |name: &str| json!({"name": name, "code": "S"});
    let requests = ["a", "b", "c"].map(|name| send(&service, &token, Method::POST, "/issue-type", body(name)));
    let mut statuses: Vec<u16> = join_all(requests).await.iter().map(|(status, _)| *status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409]);
    let (_, body) = send(&service, &token, Method::POST, "/issue-type", body("d")).await;
    assert!(body["detail"].as_str().unwrap().contains("'S'"));
}

#[tokio::test]
async fn a_hidden_field_needs_a_default() {
    let (service, token) = start().await;
    let template = json!([{"custom_field_key": "a"}, {"custom_field_key": "b", "hidden": true}]);
    let issue_type = json!({"name": "x", "form_template": template});
    let (status, body) = send(&service, &token, Method::POST, "/issue-type", issue_type).await;
    assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", "form_template", 1])));
    let task_type = json!({"name": "x", "form_fields": template});
    let (status, body) = send(&service, &token, Method::POST, "/task-type", task_type).await;
    assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", "form_fields", 1])));
    assert_eq!(send(&service, &token, Method::POST, "/issue-type", json!({})).await.0, 422);
}

#[tokio::test]
async fn issue_types_are_sorted_by_name_and_meet_every_condition() {
    let (service, token) = start().await;
    let types = json!([
        {"_key": "1", "name": "beta", "code": "B", "active": true, "critical": true},
        {"_key": "2", "name": "alpha", "code": "A", "active": true, "critical": false},
        {"_key": "3", "name": "gamma", "code": "C", "active": false, "critical": true},
    ]);
    service.seed("IssueType", types).await;
    for (query, expected) in [
        ("", vec!["2", "1"]),
        ("?active_only=false", vec!["2", "1", "3"]),
        ("?critical=true", vec!["1"]),
        ("?critical=false", vec!["2"]),
        ("?critical=true&active_only=false", vec!["1", "3"]),
        ("?code=B", vec!["1"]),
        ("?code=B&critical=false", vec![]),
        ("?key=3", vec![]),
        ("?key=3&active_only=0", vec!["3"]),
    ] {
        assert_eq!(keys(&service, &token, &format!("/issue-type{query}")).await, expected, "{query}");
    }
}

#[tokio::test]
async fn form_fields_without_definition_are_dropped_and_print_templates_listed() {
    let (service, token) = start().await;
    service.seed("CustomField", json!([{"_key": "f", "name": "f", "type": "text"}])).await;
    let template =
        json!([{"_key": "1", "custom_field_key": "f", "label": "F"}, {"_key": "2", "custom_field_key": "gone"}]);
    service.seed("IssueType", json!([{"_key": "i", "name": "i", "form_template": template}])).await;
    service.seed("PrintTemplate", json!([{"_key": "p", "name": "label", "template": {"schemas": []}}])).await;
    let uses = json!([
        {"_from": "IssueType/i", "_to": "PrintTemplate/p"}, {"_from": "TaskType/t", "_to": "PrintTemplate/p"},
        {"_from": "IssueType/i", "_to": "PrintTemplate/gone"},
    ]);
    service.seed("can_use_print_template", uses).await;
    let (_, body) = service.get("/issue-type?key=i", &token).await;
    let fields = json!([{
        "_key": "1", "custom_field_key": "f", "multiple": false, "label": "F", "hint": null, "default": null,
        "mandatory": false, "hidden": null,
    }]);
    assert_eq!(body[0]["form_template"], fields);
    assert_eq!(body[0]["print_templates"].as_array().unwrap().len(), 1);
    assert_eq!(body[0]["print_templates"][0]["name"], "label");
    assert_eq!(body[0]["print_templates"][0]["entities"], 2);
    assert_eq!((&body[0]["code"], &body[0]["active"]), (&Value::Null, &json!(true)));
}

#[tokio::test]
async fn an_update_changes_what_is_sent_and_nothing_else() {
    let (service, token) = start().await;
    let stored = json!({
        "_key": "i", "name": "old", "code": "C", "active": false, "description": "d", "icon": "x",
        "form_template": [], "critical": true, "own": 1,
    });
    service.seed("IssueType", json!([stored])).await;
    let changes = json!({"_key": "other", "name": "new", "description": null, "active": null});
    let (status, body) = send(&service, &token, Method::PATCH, "/issue-type/i", changes).await;
    assert_eq!((status, &body["message"]), (200, &json!("Issue type updated correctly")));
    let expected = json!({
        "_key": "i", "_id": "IssueType/i", "name": "new", "code": "C", "active": true, "description": null,
        "icon": "x", "form_template": [], "critical": true, "own": 1,
    });
    let detail = without(body["detail"].clone(), &["_rev"]);
    assert_eq!(detail, expected);
}

#[tokio::test]
async fn some_attributes_of_an_issue_type_are_never_null() {
    let (service, token) = start().await;
    service.seed("IssueType", json!([{"_key": "i", "name": "old"}])).await;
    for name in ["name", "form_template", "critical"] {
        let (status, body) = send(&service, &token, Method::PATCH, "/issue-type/i", json!({name: null})).await;
        assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", name])));
    }
}

#[tokio::test]
async fn an_issue_type_cannot_take_the_code_of_another() {
    let (service, token) = start().await;
    service
        .seed("IssueType", json!([{"_key": "i", "name": "i", "code": "I"}, {"_key": "j", "name": "j", "code": "J"}]))
        .await;
    assert_eq!(send(&service, &token, Method::PATCH, "/issue-type/i", json!({"code": "I"})).await.0, 200);
    assert_eq!(send(&service, &token, Method::PATCH, "/issue-type/i", json!({"code": "J"})).await.0, 409);
    assert_eq!(keys(&service, &token, "/issue-type?code=I").await, ["i"]);
}

#[tokio::test]
async fn an_issue_type_is_deleted_and_its_issues_stay() {
    let (service, token) = start().await;
    service.seed("IssueType", json!([{"_key": "i", "name": "i"}])).await;
    service.seed("Issue", json!([{"_key": "1", "issue_type_key": "i", "open": true}])).await;
    assert_eq!(delete(&service, &token, "/issue-type/i").await, 200);
    assert!(keys(&service, &token, "/issue-type").await.is_empty());
    assert_eq!(keys(&service, &token, "/issue").await, ["1"]);
}

#[tokio::test]
async fn unknown_types_are_404() {
    let (service, token) = start().await;
    assert_eq!(send(&service, &token, Method::PATCH, "/issue-type/x", json!({"name": "n"})).await.0, 404);
    assert_eq!(delete(&service, &token, "/issue-type/x").await, 404);
    assert_eq!(send(&service, &token, Method::PUT, "/task-type/x", json!({"name": "n"})).await.0, 404);
    assert_eq!(delete(&service, &token, "/task-type/x").await, 404);
}

#[tokio::test]
async fn a_task_type_is_created_with_its_defaults() {
    let (service, token) = start().await;
    let (status, body) =
        send(&service, &token, Method::POST, "/task-type", json!({"name": "Check", "active": null})).await;
    assert_eq!(status, 201);
    let disabled = |kind: &str| json!({"type": kind, "enabled": false, "allow_multiple": false, "required": false});
    let link_settings = ["issue", "work_order", "product", "serial", "task"].map(disabled);
    let expected = json!({
        "name": "Check", "description": null, "active": true, "icon": null, "form_fields": [],
        "link_settings": link_settings,
        "require_time_entry": false,
    });
    assert!(body["created"].as_str().unwrap().ends_with("+00:00"));
    assert_eq!(without(body, &["_id", "_key", "_rev", "created"]), expected);
}

#[tokio::test]
async fn task_types_are_found_by_part_of_their_name() {
    let (service, token) = start().await;
    let types = json!([
        {"_key": "1", "name": "Clean line", "active": true}, {"_key": "2", "name": "Check LINE", "active": true},
        {"_key": "3", "name": "Old line", "active": false},
    ]);
    service.seed("TaskType", types).await;
    for (query, expected) in [
        ("", vec!["2", "1"]),
        ("?active_only=false", vec!["2", "1", "3"]),
        ("?name=line", vec!["2", "1"]),
        ("?name=CHECK", vec!["2"]),
        ("?name=old", vec![]),
        ("?name=old&active_only=false", vec!["3"]),
    ] {
        assert_eq!(keys(&service, &token, &format!("/task-type{query}")).await, expected, "{query}");
    }
    let (_, body) = service.get("/task-type?name=check", &token).await;
    assert_eq!((&body[0]["print_templates"], &body[0]["icon"]), (&json!([]), &Value::Null));
}

#[tokio::test]
async fn an_update_of_a_task_type_changes_what_is_sent_and_nothing_else() {
    let (service, token) = start().await;
    let created = "2026-05-04T08:00:00.000000+00:00";
    let stored = json!({
        "_key": "t", "name": "old", "description": "d", "active": true, "icon": "x", "created": created,
        "form_fields": [], "link_settings": [{"type": "issue", "enabled": true, "allow_multiple": false, "required": false}],
        "require_time_entry": true,
    });
    service.seed("TaskType", json!([stored])).await;
    let changes = json!({"active": false, "icon": null, "link_settings": [{"type": "task", "enabled": true}]});
    let (status, body) = send(&service, &token, Method::PUT, "/task-type/t", changes).await;
    assert_eq!((status, &body["message"]), (200, &json!("Task type updated successfully")));
    let expected = json!({
        "_key": "t", "_id": "TaskType/t", "name": "old", "description": "d", "active": false, "icon": null,
        "created": created, "form_fields": [],
        "link_settings": [{"type": "task", "enabled": true, "allow_multiple": false, "required": false}],
        "require_time_entry": true,
    });
    assert_eq!(without(body["detail"].clone(), &["_rev"]), expected);
    assert_eq!(send(&service, &token, Method::PUT, "/task-type/t", json!({"name": null})).await.0, 422);
    assert_eq!(
        send(&service, &token, Method::PUT, "/task-type/t", json!({"link_settings": [{"type": "x"}]})).await.0,
        422
    );
}

#[tokio::test]
async fn a_task_type_is_deleted_and_its_tasks_stay() {
    let (service, token) = start().await;
    service.seed("TaskType", json!([{"_key": "t", "name": "t"}])).await;
    service.seed("Task", json!([{"_key": "1", "task_type_key": "t", "status": "open"}])).await;
    assert_eq!(delete(&service, &token, "/task-type/t").await, 200);
    assert_eq!(keys(&service, &token, "/task").await, ["1"]);
}

#[tokio::test]
async fn types_are_written_with_their_scopes_only() {
    let (service, _) = start().await;
    let operator = service.token("u", "operator").await;
    assert_eq!(service.get("/issue-type", &operator).await.0, 200);
    assert_eq!(service.get("/task-type", &operator).await.0, 200);
    for (path, scope) in
        [("/issue-type", "collaboration:issue-type:write"), ("/task-type", "collaboration:task-type:write")]
    {
        let (status, body) = send(&service, &operator, Method::POST, path, json!({"name": "n"})).await;
        assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!(scope)));
    }
}
