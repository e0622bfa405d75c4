//! The calls of the existing web apps in the order in which their pages make them, each with the members that the pages send;
//! of the answers everything is looked at that the pages read. Here: fields, issues, messages and tasks.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::json;

use crate::frontend_app::{App, PICTURE, reads, text};

pub async fn fields_issues_and_messages(app: &App) {
    let field = app.post("/field", json!({"type": "choice", "name": "Colour"})).await["detail"]["field_key"].clone();
    let key = field.as_str().unwrap();
    let whole =
        json!({"_key": key, "type": "choice", "name": "Colour", "default_label": "Colour", "default_hint": null});
    app.send(Method::PUT, &format!("/field/{key}"), whole).await;
    let rows = json!([{"field_key": key, "ext_key": "r", "value": "Red", "new": true, "delete": false}]);
    app.post(&format!("/list/{key}"), rows).await;
    let values = app.get(&format!("/list?field_key={key}&search=re&limit=100")).await;
    app.delete(&format!("/list/{key}?value_key={}", text(&values[0], "_key"))).await;

    app.post("/field", json!({"_key": "files", "type": "files", "name": "Files"})).await;
    let form = json!([
        {"_key": "f", "custom_field_key": key, "label": "Colour"}, {"_key": "photo", "custom_field_key": "files"},
    ]);
    let kind = app.post("/issue-type", json!({"name": "Scratch", "form_template": form})).await["detail"].clone();
    let kind_key = text(&kind, "_key").to_owned();
    app.send(Method::PATCH, &format!("/issue-type/{kind_key}"), kind).await;
    reads(&app.get("/issue-type?active_only=true").await[0], "_key name form_template critical print_templates");
    app.service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "W"}])).await;
    let recorded = json!([
        {"form_field_key": "f", "custom_field_key": key, "value": {"_key": "r", "value": "Red"}},
        {"form_field_key": "photo", "custom_field_key": "files", "value": [{"name": "a.png"}]},
    ]);
    let issue = json!({
        "issue_type_key": kind_key, "critical": true, "open": true, "created_by": format!("User/{}", app.user_key),
        "created": chrono::Utc::now().to_rfc3339(), "data": recorded, "linked_to": [{"type": "work_order", "key": "w"}],
    });
    let issue_key = text(&app.event("ISSUE_CREATED", json!({"issue_data": issue})).await, "issue_key").to_owned();
    let found = app.get("/issue?issue_open=true&with_links=true&work_order_key=w").await;
    assert_eq!(found[0]["_key"], issue_key.as_str());
    reads(&found[0], "issue_type_key icon issue_type_name data links phase_alias critical open created created_by");
    let mut changed = found[0].clone();
    changed["critical"] = json!(false);
    app.event("ISSUE_UPDATED", json!({"issue_data": changed})).await;
    let message = json!({
        "sender": format!("User/{}", app.user_key), "recipient": format!("Issue/{issue_key}"), "content": "Look",
    });
    let message_key = app.event("MESSAGE_POSTED", message).await["message_key"].clone();
    app.event("MESSAGE_UPDATED", json!({"message_key": message_key, "content": "Look here"})).await;
    let messages = app.get(&format!("/message?recipient_id=Issue/{issue_key}")).await;
    reads(&messages[0], "_key _from _to content created updated deleted");
    app.event("MESSAGE_DELETED", json!({"message_key": message_key})).await;
    let upload = Form::new()
        .text("bucket", "issue")
        .text("object_key", issue_key.clone())
        .text("subfolder", "photo")
        .part("contents", Part::bytes(PICTURE).file_name("a.png"));
    app.upload(Method::POST, "/files", upload).await;
    assert_eq!(app.media(&format!("issue/{issue_key}/photo/a.png")).await, PICTURE);
    app.event("ISSUE_CLOSED", json!({"issue_data": {"_key": issue_key}})).await;
    app.event("ISSUE_REOPENED", json!({"issue_data": {"_key": issue_key, "critical": false}})).await;
    let history = app.get(&format!("/event?issue_key={issue_key}")).await;
    let types: Vec<&str> = history.as_array().unwrap().iter().map(|event| text(event, "event_type")).collect();
    assert_eq!(
        types,
        [
            "ISSUE_CREATED",
            "ISSUE_UPDATED",
            "MESSAGE_POSTED",
            "MESSAGE_UPDATED",
            "MESSAGE_DELETED",
            "ISSUE_CLOSED",
            "ISSUE_REOPENED"
        ]
    );
    app.event("ISSUE_DELETED", json!({"issue_data": {"_key": issue_key}})).await;
    assert_eq!(app.get("/issue").await, json!([]));
}

pub async fn tasks(app: &App) {
    app.post("/field", json!({"_key": "note", "type": "text", "name": "Note"})).await;
    let settings = json!([{"type": "work_order", "enabled": true, "allow_multiple": true, "required": true}]);
    let form = json!([{"_key": "f", "custom_field_key": "note", "mandatory": true}]);
    let kind = app.post("/task-type", json!({"name": "Check", "form_fields": form, "link_settings": settings})).await;
    let types = app.get("/task-type?active_only=true").await;
    reads(&types[0], "_key name icon form_fields link_settings print_templates");
    let sent = json!({
        "task_type_key": kind["_key"], "title": "Look at it", "description": "Closely", "due_by": "2026-12-24",
        "start_from": null, "assigned_to": [{"user_key": app.user_key, "role": "owner"}],
    });
    let made = app.event("TASK_CREATED", sent).await;
    let key = text(&made, "task_key").to_owned();
    let list =
        "/task?status_open=true&status_pending=true&status_completed=false&status_canceled=false&due_by_min=2026-12-01";
    let rows = app.get(list).await;
    reads(&rows[0], "_key code title status assigned_to owner_key due_by icon task_type_name form_fields");
    let task = app.get(&format!("/task/{key}")).await;
    reads(&task, "links link_settings time_spent task_type_name");
    let update = json!({"task_key": key, "form_fields": [{"form_field_key": "f", "value": "Fine"}], "due_by": null});
    reads(&app.event("TASK_UPDATED", update).await, "message _key form_fields");
    app.event("TASK_LINKED", json!({"task_key": key, "link_type": "work_order", "link_key": "w"})).await;
    assert_eq!(app.get(&format!("/task/{key}")).await["links"][0]["code"], "W");
    for event_type in ["TASK_SUSPENDED", "TASK_REOPENED", "TASK_COMPLETED", "TASK_CANCELED", "TASK_REOPENED"] {
        app.event(event_type, json!({"task_key": key})).await;
    }
    app.event("TASK_UNLINKED", json!({"task_key": key, "link_type": "work_order", "link_key": "w"})).await;
    reads(
        &app.get(&format!("/event?task_key={key}&order=desc")).await[0],
        "event_type user_key timestamp context_code",
    );
    assert_eq!(app.event("TASK_DELETED", json!({"task_key": key})).await["mode"], "soft");
    assert_eq!(app.get("/task").await, json!([]));
}
