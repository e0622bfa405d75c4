//! Events of tasks: changed, completed, given up, taken up again, and who hears of it.

use serde_json::{Value, json};

use crate::collaboration_support::{
    announced, assigned, create_task, events, forbid, record, refuse, refuse_as, task, with_task_types,
};
use crate::sse::Stream;

#[tokio::test]
async fn assignees_are_known_users_each_once_with_one_owner() {
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    let key = create_task(&service, &token, json!({})).await;
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

#[tokio::test]
async fn an_update_clears_what_is_null_and_keeps_what_is_absent() {
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    let sent = json!({
        "task_type_key": "plain", "title": "Look", "description": "Well", "start_from": "2026-05-04",
        "due_by": "2026-05-05", "assigned_to": [assigned("v", "owner")],
    });
    let key = create_task(&service, &token, sent).await;
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

#[tokio::test]
async fn an_update_of_nothing_or_of_a_field_that_the_task_has_not_is_refused() {
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    let key = create_task(&service, &token, json!({"task_type_key": "plain"})).await;
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
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    let key = create_task(&service, &token, json!({"task_type_key": "plain"})).await;
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

#[tokio::test]
async fn a_task_is_completed_when_its_mandatory_fields_are_filled() {
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    let key = create_task(&service, &token, json!({"task_type_key": "strict"})).await;
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
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    let key = create_task(&service, &token, json!({})).await;
    let sent = json!({"task_key": key, "closed": "2026-05-04T10:00:00+02:00", "closed_by": "v"});
    record(&service, &token, "TASK_COMPLETED", sent).await;
    let done = task(&service, &key).await;
    assert_eq!((&done["closed"], &done["closed_by"]), (&json!("2026-05-04T08:00:00.000000+00:00"), &json!("v")));
}

/// The table of statuses.
#[tokio::test]
async fn every_status_is_left_and_reached_as_the_table_says() {
    let service = with_task_types().await;
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

#[tokio::test]
async fn creator_owner_or_the_scope_cancel_and_delete_a_task() {
    let service = with_task_types().await;
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
            let key = create_task(&service, &creator, json!({"assigned_to": users})).await;
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

#[tokio::test]
async fn who_is_newly_assigned_hears_of_it_and_the_user_of_the_event_does_not() {
    let service = with_task_types().await;
    let token = service.token("u", "task").await;
    let users = json!([assigned("v", "owner"), assigned("u", "participant")]);
    let key = create_task(&service, &token, json!({"code": "T", "assigned_to": users})).await;
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

/// As the bell gets it.
#[tokio::test]
async fn the_bell_of_an_assignee_rings_with_seven_members() {
    let service = with_task_types().await;
    let (token, own) = (service.token("u", "task").await, service.token("v", "operator").await);
    let mut bell = Stream::open(&service, "user:v", &own).await;
    let key = create_task(&service, &token, json!({"code": "T", "assigned_to": [assigned("v", "owner")]})).await;
    let rung = bell.next().await.unwrap().data;
    let mut members: Vec<&str> = rung.as_object().unwrap().keys().map(String::as_str).collect();
    members.sort_unstable();
    let expected = ["assigned_by", "notification", "recipient_key", "subtopic", "task_code", "task_key", "timestamp"];
    assert_eq!(members, expected);
    assert_eq!((&rung["notification"], &rung["task_key"]), (&json!("TASK_UPDATED"), &key));
}
