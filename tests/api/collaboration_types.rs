//! Types of issues and tasks.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::{Service, answer};

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
async fn a_key_may_be_chosen_under_either_name_and_is_taken_once() {
    let (service, token) = start().await;
    for path in ["/issue-type", "/task-type"] {
        for (body, expected) in [
            (json!({"name": "n", "_key": "mine", "unknown": 1}), 201),
            (json!({"name": "n", "key": "yours", "_id": "Other/x", "rev": "y"}), 201),
            (json!({"name": "n", "key": "mine"}), 409),
            (json!({"name": "n", "_key": "a/b"}), 422),
            (json!({"name": 1}), 422),
        ] {
            let (status, answer) = send(&service, &token, Method::POST, path, body.clone()).await;
            assert_eq!(status, expected, "{path} {body}: {answer}");
        }
        let mut found = keys(&service, &token, path).await;
        found.sort();
        assert_eq!(found, ["mine", "yours"], "{path}");
        let (_, body) = service.get(path, &token).await;
        assert!(body[0].get("unknown").is_none() && body[1].get("unknown").is_none());
    }
}

#[tokio::test]
async fn writing_types_emits_no_event() {
    let (service, token) = start().await;
    for (path, change) in [("/issue-type", Method::PATCH), ("/task-type", Method::PUT)] {
        assert_eq!(send(&service, &token, Method::POST, path, json!({"_key": "k", "name": "n"})).await.0, 201);
        assert_eq!(send(&service, &token, change, &format!("{path}/k"), json!({"name": "m"})).await.0, 200);
        assert_eq!(delete(&service, &token, &format!("{path}/k")).await, 200);
    }
    let params = json!({"@collection": "Event", "after": "", "limit": 10});
    let events: Vec<Value> = service.app.store.rows(&aql::transfer::DOCUMENTS, params).await.unwrap();
    assert_eq!(events, [Value::Null; 0]);
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
async fn an_empty_code_of_an_issue_type_is_no_code() {
    let (service, token) = start().await;
    for name in ["a", "b"] {
        let (status, _) = send(&service, &token, Method::POST, "/issue-type", json!({"name": name, "code": ""})).await;
        assert_eq!(status, 201, "{name}");
    }
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
    service.seed("IssueType", json!([{"_key": "i", "name": "i"}])).await;
    service.seed("TaskType", json!([{"_key": "t", "name": "t"}])).await;
    let (status, _) = send(&service, &token, Method::PATCH, "/issue-type/i", json!({"form_template": template})).await;
    assert_eq!(status, 422);
    let (status, _) = send(&service, &token, Method::PUT, "/task-type/t", json!({"form_fields": template})).await;
    assert_eq!(status, 422);
    let with_default = json!([{"custom_field_key": "b", "hidden": true, "default": "x"}]);
    let (status, _) =
        send(&service, &token, Method::PATCH, "/issue-type/i", json!({"form_template": with_default})).await;
    assert_eq!(status, 200);
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
async fn null_clears_code_description_and_icon_of_an_issue_type() {
    let (service, token) = start().await;
    let stored = json!({"_key": "i", "name": "n", "code": "C", "description": "d", "icon": "x"});
    service.seed("IssueType", json!([stored])).await;
    let nulls = json!({"code": null, "description": null, "icon": null});
    let (status, body) = send(&service, &token, Method::PATCH, "/issue-type/i", nulls).await;
    assert_eq!(status, 200);
    for name in ["code", "description", "icon"] {
        assert_eq!(body["detail"].get(name), Some(&Value::Null), "{name}");
    }
    assert_eq!(body["detail"]["name"], "n");
}

#[tokio::test]
async fn some_attributes_of_an_issue_type_are_never_null() {
    let (service, token) = start().await;
    service.seed("IssueType", json!([{"_key": "i", "name": "old"}])).await;
    for name in ["name", "form_template", "critical"] {
        let (status, body) = send(&service, &token, Method::PATCH, "/issue-type/i", json!({name: null})).await;
        assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", name])));
    }
    let nulls = json!({"name": null, "form_template": null, "critical": null, "icon": null});
    let (_, body) = send(&service, &token, Method::PATCH, "/issue-type/i", nulls).await;
    let kinds: Vec<&Value> = body["detail"].as_array().unwrap().iter().map(|entry| &entry["type"]).collect();
    assert_eq!(kinds, ["string_type", "list_type", "bool_type"], "every mistake is told");
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
    let (status, body) = answer(service.request(Method::DELETE, "/issue-type/i", &token)).await;
    assert_eq!((status.as_u16(), &body["status"], &body["detail"]), (200, &json!(200), &Value::Null));
    assert!(body["message"].is_string());
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
    let time = regex::Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$").unwrap();
    assert!(time.is_match(body["created"].as_str().unwrap()), "{body}");
    assert_eq!(without(body, &["_id", "_key", "_rev", "created"]), expected);
    let given = json!({
        "name": "Check", "created": "2026-05-04T10:00:00+02:00", "form_fields": null, "link_settings": null,
        "require_time_entry": null,
    });
    let (status, body) = send(&service, &token, Method::POST, "/task-type", given).await;
    assert_eq!((status, &body["created"]), (201, &json!("2026-05-04T08:00:00.000000+00:00")));
    assert_eq!(without(body, &["_id", "_key", "_rev", "created"]), expected);
}

#[tokio::test]
async fn a_task_type_comes_with_every_member_of_its_form_and_links() {
    let (service, token) = start().await;
    let stored = json!({
        "_key": "t", "name": "t", "form_fields": [{"_key": "1", "custom_field_key": "gone"}],
        "link_settings": [{"type": "issue", "enabled": true}],
    });
    service.seed("TaskType", json!([stored])).await;
    service.seed("PrintTemplate", json!([{"_key": "p", "name": "label"}])).await;
    service.seed("can_use_print_template", json!([{"_from": "TaskType/t", "_to": "PrintTemplate/p"}])).await;
    let (_, body) = service.get("/task-type", &token).await;
    let field = json!({
        "_key": "1", "custom_field_key": "gone", "multiple": false, "label": null, "hint": null, "default": null,
        "mandatory": false, "hidden": null,
    });
    assert_eq!(body[0]["form_fields"], json!([field]));
    let link = json!({"type": "issue", "enabled": true, "allow_multiple": false, "required": false});
    assert_eq!(body[0]["link_settings"], json!([link]));
    assert_eq!(
        (&body[0]["print_templates"][0]["name"], &body[0]["print_templates"][0]["entities"]),
        (&json!("label"), &json!(1))
    );
    assert_eq!((&body[0]["active"], &body[0]["require_time_entry"]), (&json!(true), &json!(false)));
    for name in ["description", "icon", "created"] {
        assert_eq!(body[0].get(name), Some(&Value::Null), "{name}");
    }
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
async fn the_time_of_a_task_type_is_stored_in_utc_in_whatever_form_it_is_sent() {
    let (service, token) = start().await;
    let task_type = json!({"_key": "t", "name": "t", "created": "2026-05-04"});
    let (status, body) = send(&service, &token, Method::POST, "/task-type", task_type).await;
    assert_eq!((status, &body["created"]), (201, &json!("2026-05-04T00:00:00.000000+00:00")));
    for sent in ["2026-05-04T08:00Z", "2026-05-04 10:00:00+02:00", "2026-05-04T08:00"] {
        let (status, body) = send(&service, &token, Method::PUT, "/task-type/t", json!({"created": sent})).await;
        let stored = json!("2026-05-04T08:00:00.000000+00:00");
        assert_eq!((status, &body["detail"]["created"]), (200, &stored), "{sent}");
    }
    let (status, body) = send(&service, &token, Method::PUT, "/task-type/t", json!({"created": "then"})).await;
    assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", "created"])));
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
    let nulls = json!({
        "description": null, "active": null, "created": null, "form_fields": null, "link_settings": null,
        "require_time_entry": null, "_key": "other", "unknown": 1,
    });
    let (status, body) = send(&service, &token, Method::PUT, "/task-type/t", nulls).await;
    assert_eq!((status, &body["detail"]["_key"], &body["detail"]["created"]), (200, &json!("t"), &json!(created)));
    assert_eq!((&body["detail"]["active"], &body["detail"]["require_time_entry"]), (&json!(true), &json!(false)));
    assert_eq!(body["detail"]["link_settings"].as_array().unwrap().len(), 5);
    assert!(body["detail"].get("unknown").is_none());
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
    let (status, body) = answer(service.request(Method::DELETE, "/task-type/t", &token)).await;
    assert_eq!((status.as_u16(), &body["message"]), (200, &json!("Task type deleted successfully")));
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
