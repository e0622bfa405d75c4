//! Events of tasks: new ones, their codes, dates and forms.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::collaboration_support::{
    assigned, create_task, documents, events, post, record, refuse, refuse_as, task, with_task_types,
};

#[tokio::test]
async fn a_new_task_is_open_with_its_code_owner_dates_and_form() {
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    let sent = json!({
        "task_type_key": "plain", "code": " a1 ", "title": "Look", "description": " ", "created": "2020-01-01",
        "created_by": "v", "extra": {"x": 1}, "start_from": "2026-05-04", "due_by": "2026-05-05T23:30:00+02:00",
        "assigned_to": [{"user_key": "v"}, assigned("w", "owner")],
    });
    let answer = record(&service, &token, "TASK_CREATED", sent).await;
    assert!(answer["message"].as_str().unwrap().contains("A1"), "{answer}");
    let task = task(&service, &answer["task_key"]).await;
    let event = &events(&service, "TASK_CREATED").await[0];
    let entry = |key: &str, custom: &str, label: &str, hint: Value, mandatory: bool, value: Value| {
        json!({
            "form_field_key": key, "custom_field_key": custom, "label": label, "hint": hint, "mandatory": mandatory,
            "value": value, "last_updated": null,
        })
    };
    let form = json!([
        entry("a", "text", "Finding", json!("What"), true, json!("none")),
        entry("b", "text", "A text", json!("Write"), false, json!(null)),
        entry("c", "number", "Number", json!(null), false, json!(null)),
    ]);
    for (member, value) in [
        ("code", json!("A1")),
        ("status", json!("open")),
        ("title", json!("Look")),
        ("description", json!(null)),
        ("created", event["timestamp"].clone()),
        ("created_by", json!("u")),
        ("owner_key", json!("w")),
        ("assigned_to", json!([assigned("w", "owner"), assigned("v", "participant")])),
        ("start_from", json!("2026-05-04T00:00:00.000000+00:00")),
        ("due_by", json!("2026-05-05T00:00:00.000000+00:00")),
        ("closed", json!(null)),
        ("form_fields", form),
    ] {
        assert_eq!(task[member], value, "{member}");
    }
    assert!(task.get("extra").is_none());
    for (member, value) in [
        ("task_key", answer["task_key"].clone()),
        ("code", json!("A1")),
        ("title", json!("Look")),
        ("description", json!(null)),
        ("due_by", json!("2026-05-05T00:00:00.000000+00:00")),
    ] {
        assert_eq!(event[member], value, "{member}");
    }
}

#[tokio::test]
async fn a_code_is_used_once_even_by_a_task_that_was_deleted() {
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    let tasks = json!([{"_key": "1", "code": "A1"}, {"_key": "2", "code": "B1", "deleted": "2026-01-01"}]);
    service.seed("Task", tasks).await;
    for code in ["a1", " A1", "b1"] {
        let sent = json!({"task_type_key": "bare", "code": code});
        refuse(&service, &token, "TASK_CREATED", sent, "already used").await;
    }
    assert_eq!(documents(&service, "Task").await.len(), 2);
}

#[tokio::test]
async fn without_a_code_the_counter_gives_the_next_that_no_task_has() {
    let service = with_task_types().await;
    let token = service.token("u", "task admin:config:write").await;
    let counter = |key: &str, template: Value| json!({"_key": key, "name": key, "next_tick": 1, "template": template});
    service.seed("Counter", json!([counter("tc", json!(["t", "#3"])), counter("same", json!(["x"]))])).await;
    let set = |key: &'static str| {
        service.send(reqwest::Method::PATCH, "/config", &token, json!({"system_counters": {"tasks": key}}))
    };
    assert_eq!(set("tc").await.0, 200);
    service
        .seed("Task", json!([{"_key": "1", "code": "T001"}, {"_key": "2", "code": "T002", "deleted": "2026"}]))
        .await;
    for (sent, code) in [(json!({}), "T003"), (json!({"code": " "}), "T004"), (json!({"code": null}), "T005")] {
        let key = create_task(&service, &token, sent).await;
        assert_eq!(task(&service, &key).await["code"], code);
    }
    assert_eq!(set("same").await.0, 200);
    refuse(&service, &token, "TASK_CREATED", json!({"task_type_key": "bare"}), "#N").await;
}

#[tokio::test]
async fn twenty_tasks_without_a_code_at_once_get_twenty_codes() {
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    let made = (0..20).map(|_| post(&service, &token, "TASK_CREATED", json!({"task_type_key": "bare"})));
    let answers = join_all(made).await;
    assert!(answers.iter().all(|(status, _)| matches!(status.as_u16(), 200 | 503)), "{answers:?}");
    let recorded = answers.iter().filter(|(status, _)| *status == 200).count();
    let tasks = documents(&service, "Task").await;
    let mut codes: Vec<&str> = tasks.iter().map(|task| task["code"].as_str().unwrap()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!((codes.len(), tasks.len()), (recorded, recorded));
    assert!(recorded > 0);
}

#[tokio::test]
async fn a_task_needs_a_type_that_is_known_and_active_and_dates_that_are_some() {
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    refuse(&service, &token, "TASK_CREATED", json!({"task_type_key": "none"}), "Task type none not found").await;
    refuse(&service, &token, "TASK_CREATED", json!({"task_type_key": "old"}), "not active").await;
    let wrong = json!({"task_type_key": "bare", "due_by": "soon"});
    refuse_as("ValidationError", &service, &token, "TASK_CREATED", wrong, "due_by: ").await;
    refuse_as("ValidationError", &service, &token, "TASK_CREATED", json!({}), "task_type_key: ").await;
    let key = create_task(&service, &token, json!({"due_by": "", "start_from": null})).await;
    let task = task(&service, &key).await;
    assert_eq!((&task["due_by"], &task["start_from"]), (&json!(null), &json!(null)));
}
