//! Events of tasks: made, changed, completed, given up, taken up again, deleted.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::collaboration_support::{
    announced, document, documents, events, forbid, post, record, refuse, refuse_as, service,
};
use crate::common::Service;

/// A service with a type of tasks that has a form.
async fn with_types() -> Service {
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

async fn create(service: &Service, token: &str, members: Value) -> Value {
    let mut event = json!({"task_type_key": "bare"});
    event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    record(service, token, "TASK_CREATED", event).await["task_key"].clone()
}

async fn task(service: &Service, key: &Value) -> Value {
    document(service, "Task", key).await
}

fn assigned(user: &str, role: &str) -> Value {
    json!({"user_key": user, "role": role})
}

#[tokio::test]
async fn a_new_task_is_open_with_its_code_owner_dates_and_form() {
    let service = with_types().await;
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

/// Case 68.
#[tokio::test]
async fn a_code_is_used_once_even_by_a_task_that_was_deleted() {
    let service = with_types().await;
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
    let service = with_types().await;
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
        let key = create(&service, &token, sent).await;
        assert_eq!(task(&service, &key).await["code"], code);
    }
    assert_eq!(set("same").await.0, 200);
    refuse(&service, &token, "TASK_CREATED", json!({"task_type_key": "bare"}), "#N").await;
}

/// Case 88.
#[tokio::test]
async fn twenty_tasks_without_a_code_at_once_get_twenty_codes() {
    let service = with_types().await;
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
    let service = with_types().await;
    let token = service.token("u", "task").await;
    refuse(&service, &token, "TASK_CREATED", json!({"task_type_key": "none"}), "Task type none not found").await;
    refuse(&service, &token, "TASK_CREATED", json!({"task_type_key": "old"}), "not active").await;
    let wrong = json!({"task_type_key": "bare", "due_by": "soon"});
    refuse_as("ValidationError", &service, &token, "TASK_CREATED", wrong, "due_by: ").await;
    refuse_as("ValidationError", &service, &token, "TASK_CREATED", json!({}), "task_type_key: ").await;
    let key = create(&service, &token, json!({"due_by": "", "start_from": null})).await;
    let task = task(&service, &key).await;
    assert_eq!((&task["due_by"], &task["start_from"]), (&json!(null), &json!(null)));
}

/// Case 69.
#[tokio::test]
async fn assignees_are_known_users_each_once_with_one_owner() {
    let service = with_types().await;
    let token = service.token("u", "task").await;
    let key = create(&service, &token, json!({})).await;
    for (users, word) in [
        (json!([assigned("v", "participant")]), "owner"),
        (json!([{"user_key": "v"}]), "owner"),
        (json!([assigned("v", "owner"), assigned("w", "owner")]), "owner"),
        (json!([assigned("v", "owner"), assigned("v", "participant")]), "once"),
        (json!([assigned("none", "owner")]), "User none not found"),
        (json!([assigned("gone", "owner")]), "User gone not found"),
    ] {
        let sent = json!({"task_type_key": "bare", "assigned_to": users});
        refuse(&service, &token, "TASK_CREATED", sent, word).await;
        refuse(&service, &token, "TASK_UPDATED", json!({"task_key": key, "assigned_to": users}), word).await;
    }
    let wrong = json!({"task_key": key, "assigned_to": [assigned("v", "boss")]});
    refuse_as("ValidationError", &service, &token, "TASK_UPDATED", wrong, "role").await;
    assert_eq!(task(&service, &key).await["assigned_to"], json!([]));
}

/// Case 70.
#[tokio::test]
async fn an_update_clears_what_is_null_and_keeps_what_is_absent() {
    let service = with_types().await;
    let token = service.token("u", "task").await;
    let sent = json!({
        "task_type_key": "plain", "title": "Look", "description": "Well", "start_from": "2026-05-04",
        "due_by": "2026-05-05", "assigned_to": [assigned("v", "owner")],
    });
    let key = create(&service, &token, sent).await;
    let answer = record(&service, &token, "TASK_UPDATED", json!({"task_key": key, "due_by": null})).await;
    assert!(answer["message"].as_str().unwrap().contains("updated"));
    assert_eq!((&answer["_key"], &answer["title"], &answer["status"]), (&key, &json!("Look"), &json!("open")));
    let changed = task(&service, &key).await;
    assert_eq!((&changed["due_by"], &changed["title"]), (&json!(null), &json!("Look")));
    assert_eq!(changed["start_from"], "2026-05-04T00:00:00.000000+00:00");
    let event = &events(&service, "TASK_UPDATED").await[0];
    assert_eq!((&event["due_by"], event.get("title")), (&json!(null), None));

    let sent = json!({"task_key": key, "title": " ", "description": null, "start_from": "", "assigned_to": null, "form_fields": null});
    record(&service, &token, "TASK_UPDATED", sent).await;
    let changed = task(&service, &key).await;
    for member in ["title", "description", "start_from"] {
        assert_eq!(changed[member], Value::Null, "{member}");
    }
    assert_eq!((&changed["owner_key"], &changed["assigned_to"]), (&json!("v"), &json!([assigned("v", "owner")])));
    record(&service, &token, "TASK_UPDATED", json!({"task_key": key, "assigned_to": []})).await;
    let changed = task(&service, &key).await;
    assert_eq!((&changed["owner_key"], &changed["assigned_to"]), (&json!(null), &json!([])));
    let sent = json!({"task_key": key, "due_by": "2026-06-01T10:00:00Z", "title": "Again"});
    record(&service, &token, "TASK_UPDATED", sent).await;
    assert_eq!(task(&service, &key).await["due_by"], "2026-06-01T00:00:00.000000+00:00");
}

/// Case 70.
#[tokio::test]
async fn an_update_of_nothing_or_of_a_field_that_the_task_has_not_is_refused() {
    let service = with_types().await;
    let token = service.token("u", "task").await;
    let key = create(&service, &token, json!({"task_type_key": "plain"})).await;
    for (members, word) in [
        (json!({}), "Nothing"),
        (json!({"assigned_to": null, "form_fields": null}), "Nothing"),
        (json!({"created_by": "v", "status": "completed"}), "Nothing"),
        (json!({"form_fields": [{"form_field_key": "z", "value": 1}]}), "no field z"),
    ] {
        let mut event = json!({"task_key": key});
        event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        refuse(&service, &token, "TASK_UPDATED", event, word).await;
    }
    refuse(&service, &token, "TASK_UPDATED", json!({"task_key": "none", "title": "x"}), "Task none not found").await;
    assert_eq!(task(&service, &key).await["status"], "open");
}

#[tokio::test]
async fn a_field_gets_a_new_time_when_its_value_changes() {
    let service = with_types().await;
    let token = service.token("u", "task").await;
    let key = create(&service, &token, json!({"task_type_key": "plain"})).await;
    let field = |key: &str, value: Value| json!({"form_field_key": key, "value": value});
    let sent = json!([field("a", json!("none")), field("c", json!(1)), field("c", json!(0))]);
    record(&service, &token, "TASK_UPDATED", json!({"task_key": key, "form_fields": sent})).await;
    let now = events(&service, "TASK_UPDATED").await[0]["timestamp"].clone();
    let changed = task(&service, &key).await;
    let values: Vec<(&Value, &Value)> = changed["form_fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| (&field["value"], &field["last_updated"]))
        .collect();
    let (none, null, zero) = (json!("none"), json!(null), json!(0));
    assert_eq!(values, [(&none, &null), (&null, &null), (&zero, &now)]);
}

/// Case 71.
#[tokio::test]
async fn a_task_is_completed_when_its_mandatory_fields_are_filled() {
    let service = with_types().await;
    let token = service.token("u", "task").await;
    let key = create(&service, &token, json!({"task_type_key": "strict"})).await;
    let fill = |field: &'static str, value: Value| {
        let fields = json!([{"form_field_key": field, "value": value}]);
        record(&service, &token, "TASK_UPDATED", json!({"task_key": key, "form_fields": fields}))
    };
    let complete = || json!({"task_key": key});
    refuse(&service, &token, "TASK_COMPLETED", complete(), "A text, Number, Flag, Three, Files").await;
    for (field, value) in
        [("a", json!("x")), ("b", json!(0)), ("c", json!(true)), ("d", json!(false)), ("e", json!([1]))]
    {
        fill(field, value).await;
    }
    for (field, empty, full, label) in [
        ("a", json!(" "), json!("x"), "A text"),
        ("b", json!(null), json!(0), "Number"),
        ("c", json!(false), json!(true), "Flag"),
        ("d", json!(null), json!(false), "Three"),
        ("e", json!([]), json!([1]), "Files"),
    ] {
        fill(field, empty).await;
        refuse(&service, &token, "TASK_COMPLETED", complete(), label).await;
        fill(field, full).await;
    }
    record(&service, &token, "TASK_COMPLETED", complete()).await;
    let event = &events(&service, "TASK_COMPLETED").await[0];
    let done = task(&service, &key).await;
    assert_eq!((&done["status"], &done["closed_by"]), (&json!("completed"), &json!("u")));
    assert_eq!((&done["closed"], &event["closed_by"]), (&event["timestamp"], &json!("u")));
}

#[tokio::test]
async fn a_completion_may_say_when_and_by_whom() {
    let service = with_types().await;
    let token = service.token("u", "task").await;
    let key = create(&service, &token, json!({})).await;
    let sent = json!({"task_key": key, "closed": "2026-05-04T10:00:00+02:00", "closed_by": "v"});
    record(&service, &token, "TASK_COMPLETED", sent).await;
    let done = task(&service, &key).await;
    assert_eq!((&done["closed"], &done["closed_by"]), (&json!("2026-05-04T08:00:00.000000+00:00"), &json!("v")));
}

/// Case 72 and the table of statuses.
#[tokio::test]
async fn every_status_is_left_and_reached_as_the_table_says() {
    let service = with_types().await;
    let token = service.token("u", "task").await;
    let statuses = ["open", "pending", "completed", "canceled"];
    for (event_type, reached, from) in [
        ("TASK_COMPLETED", "completed", &["open", "pending"][..]),
        ("TASK_CANCELED", "canceled", &["open", "pending", "completed"]),
        ("TASK_SUSPENDED", "pending", &["open", "completed", "canceled"]),
        ("TASK_REOPENED", "open", &["pending", "completed", "canceled"]),
    ] {
        for status in statuses {
            let key = format!("{event_type}-{status}");
            let stored = json!({
                "_key": key, "code": key, "task_type_key": "bare", "status": status, "created_by": "u", "closed": "2026-01-01",
                "closed_by": "v",
            });
            service.seed("Task", json!([stored])).await;
            if !from.contains(&status) {
                refuse(&service, &token, event_type, json!({"task_key": key}), status).await;
                assert_eq!(task(&service, &json!(key)).await["status"], status);
                continue;
            }
            let answer = record(&service, &token, event_type, json!({"task_key": key, "reason": "why"})).await;
            assert!(answer["message"].as_str().unwrap().contains(&key), "{answer}");
            let changed = task(&service, &json!(key)).await;
            let event = events(&service, event_type).await.pop().unwrap();
            let closed = if matches!(reached, "open" | "pending") {
                (json!(null), json!(null))
            } else {
                (event["timestamp"].clone(), json!("u"))
            };
            assert_eq!(changed["status"], reached, "{event_type} of {status}");
            assert_eq!((changed["closed"].clone(), changed["closed_by"].clone()), closed, "{event_type} of {status}");
            assert_eq!(event["task_key"], key.as_str());
            if event_type == "TASK_CANCELED" {
                assert_eq!(event["reason"], "why");
            }
        }
    }
}

/// Scopes of section 0.
#[tokio::test]
async fn creator_owner_or_the_scope_cancel_and_delete_a_task() {
    let service = with_types().await;
    let creator = service.token("u", "operator").await;
    for event_type in ["TASK_CANCELED", "TASK_DELETED"] {
        for (user, scope, may) in [
            ("u", "operator", true),
            ("v", "operator", true),
            ("w", "operator", false),
            ("w", "quality", false),
            ("w", "task", true),
            ("w", "production", true),
            ("w", "admin", true),
        ] {
            let users = json!([assigned("v", "owner"), assigned("w", "participant")]);
            let key = create(&service, &creator, json!({"assigned_to": users})).await;
            let token = service.token(user, scope).await;
            let members = json!({"task_key": key});
            if may {
                record(&service, &token, event_type, members).await;
            } else {
                forbid(&service, &token, event_type, members, "collaboration:task:delete").await;
                assert_eq!(task(&service, &key).await["status"], "open");
            }
        }
    }
}

/// Section 4.3, case 82.
#[tokio::test]
async fn who_is_newly_assigned_hears_of_it_and_the_user_of_the_event_does_not() {
    let service = with_types().await;
    let token = service.token("u", "task").await;
    let users = json!([assigned("v", "owner"), assigned("u", "participant")]);
    let key = create(&service, &token, json!({"code": "T", "assigned_to": users})).await;
    let users = json!([assigned("w", "owner"), assigned("v", "participant"), assigned("u", "participant")]);
    record(&service, &token, "TASK_UPDATED", json!({"task_key": key, "assigned_to": users})).await;
    record(&service, &token, "TASK_UPDATED", json!({"task_key": key, "title": "T"})).await;
    assert!(announced(&service, "user:u").await.is_empty());
    for (user, event_type) in [("v", "TASK_CREATED"), ("w", "TASK_UPDATED")] {
        let told = announced(&service, &format!("user:{user}")).await;
        let event = &events(&service, event_type).await[0];
        let bell = json!({
            "notification": "TASK_UPDATED", "task_key": key, "task_code": "T", "assigned_by": "u",
            "timestamp": event["timestamp"], "subtopic": format!("user:{user}"), "recipient_key": user,
        });
        assert_eq!(told, [(json!(null), bell)], "{user}");
    }
    let told = announced(&service, "task").await;
    let names: Vec<&Value> = told.iter().map(|(_, message)| &message["notification"]).collect();
    assert_eq!(names, ["TASK_CREATED", "TASK_UPDATED", "TASK_UPDATED"]);
    assert!(told.iter().all(|(_, message)| message["task_key"] == key));
}
