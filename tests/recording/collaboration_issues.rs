//! Events of issues.

use serde_json::{Value, json};
use tracewright_testkit::rows;

use crate::collaboration_support::{
    announced, create_issue, document, documents, events, forbid, link, record, refuse, refuse_as, service, targets,
};

#[tokio::test]
async fn a_new_issue_is_open_and_as_critical_as_it_says_or_else_its_type() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let key = create_issue(&service, &token, json!({})).await;
    let issue = document(&service, "Issue", &key).await;
    for (member, value) in [
        ("open", json!(true)),
        ("critical", json!(false)),
        ("issue_type_key", json!(null)),
        ("created_by", json!("User/u")),
        ("closed", json!(null)),
        ("closed_by", json!(null)),
        ("data", json!([])),
    ] {
        assert_eq!(issue[member], value, "{member}");
    }
    assert!(targets(&service, &key).await.is_empty());
    for (sent, is_critical) in [
        (json!({"issue_type_key": "hard"}), true),
        (json!({"issue_type_key": "hard", "critical": false}), false),
        (json!({"issue_type_key": "soft"}), false),
        (json!({"issue_type_key": "soft", "critical": true}), true),
        (json!({"issue_type_key": "", "critical": null}), false),
    ] {
        let key = create_issue(&service, &token, sent.clone()).await;
        assert_eq!(document(&service, "Issue", &key).await["critical"], is_critical, "{sent}");
    }
}

#[tokio::test]
async fn an_issue_is_stored_as_the_service_knows_it_whatever_is_sent() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let field = |key: &str, value: i64| json!({"form_field_key": key, "custom_field_key": "number", "value": value});
    let sent = json!({
        "_key": "mine", "issue_type_key": "soft", "open": false, "created": "2020-01-01", "created_by": "User/v",
        "closed": "2020-01-02", "closed_by": "User/v", "data": [field("a", 1), field("b", 2), field("a", 3)],
        "linked_to": [link("work_order", "o1"), link("work_order", "o1"), link("project", "alpha"), link("serial", "none")],
    });
    let earlier = (chrono::Utc::now() - chrono::TimeDelta::hours(1)).to_rfc3339();
    let event = json!({"issue_data": sent, "timestamp": earlier});
    let answer = record(&service, &token, "ISSUE_CREATED", event).await;
    assert_eq!(answer["issue_key"], "mine");
    assert!(answer["message"].is_string());
    let issue = document(&service, "Issue", &json!("mine")).await;
    let stored = &events(&service, "ISSUE_CREATED").await[0];
    assert_eq!(issue["created"], stored["timestamp"], "the time of the event");
    for (member, value) in [
        ("open", json!(true)),
        ("created_by", json!("User/u")),
        ("closed", json!(null)),
        ("closed_by", json!(null)),
        ("data", json!([field("b", 2), field("a", 3)])),
    ] {
        assert_eq!(issue[member], value, "{member}");
    }
    assert_eq!(targets(&service, &json!("mine")).await, ["Project/alpha", "Serial/none", "WorkOrder/o1"]);
    assert_eq!(stored["issue_key"], "mine");
    assert_eq!((&stored["issue_data"]["_key"], &stored["issue_data"]["open"]), (&json!("mine"), &json!(true)));
    let links = json!([link("work_order", "o1"), link("project", "alpha"), link("serial", "none")]);
    assert_eq!(stored["issue_data"]["linked_to"], links);
    assert_eq!((&stored["work_order_key"], &stored["serial_key"]), (&json!("o1"), &json!("none")));
}

#[tokio::test]
async fn an_issue_of_no_type_link_or_key_that_there_is_is_refused() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    create_issue(&service, &token, json!({"_key": "taken"})).await;
    for (issue, word) in [
        (json!({"issue_type_key": "none"}), "Issue type none not found"),
        (json!({"linked_to": [link("machine", "m")]}), "machine"),
        (json!({"linked_to": [link("product", "a/b")]}), "a/b"),
        (json!({"_key": "taken"}), "taken"),
        (json!({"_key": "a/b"}), "a/b"),
    ] {
        refuse(&service, &token, "ISSUE_CREATED", json!({"issue_data": issue}), word).await;
    }
    refuse_as("ValidationError", &service, &token, "ISSUE_CREATED", json!({}), "issue_data").await;
    assert_eq!(documents(&service, "Issue").await.len(), 1);
    assert_eq!(documents(&service, "issue_rel").await.len(), 0);
}

#[tokio::test]
async fn an_update_changes_its_members_alone_and_keeps_links_unless_it_names_some() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let field = json!({"form_field_key": "a", "value": 1});
    let issue = json!({"issue_type_key": "soft", "data": [field], "linked_to": [link("work_order", "o1")]});
    let key = create_issue(&service, &token, issue).await;
    let before = document(&service, "Issue", &key).await;
    for links in [json!([]), json!(null)] {
        let sent = json!({
            "_key": key, "open": false, "created_by": "User/v", "created": "2020-01-01", "closed": "2020-01-01",
            "linked_to": links, "data": null, "critical": null, "issue_type_key": "",
        });
        record(&service, &token, "ISSUE_UPDATED", json!({"issue_data": sent})).await;
        let after = document(&service, "Issue", &key).await;
        for member in ["open", "created_by", "created", "closed", "issue_type_key", "critical", "data"] {
            assert_eq!(after[member], before[member], "{member}");
        }
        assert_eq!(targets(&service, &key).await, ["WorkOrder/o1"]);
    }
    let sent = json!({"_key": key, "issue_type_key": "hard", "critical": true, "data": []});
    record(&service, &token, "ISSUE_UPDATED", json!({"issue_data": sent})).await;
    let after = document(&service, "Issue", &key).await;
    assert_eq!(
        (&after["issue_type_key"], &after["critical"], &after["data"]),
        (&json!("hard"), &json!(true), &json!([]))
    );
    for (sent, word) in [
        (json!({"_key": "none"}), "Issue none not found"),
        (json!({"_key": key, "issue_type_key": "none"}), "Issue type none not found"),
    ] {
        refuse(&service, &token, "ISSUE_UPDATED", json!({"issue_data": sent}), word).await;
    }
}

#[tokio::test]
async fn a_closed_issue_keeps_a_type_and_an_open_one_may_lose_it() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let key = create_issue(&service, &token, json!({"issue_type_key": "soft"})).await;
    let without = || json!({"issue_data": {"_key": key, "issue_type_key": null}});
    record(&service, &token, "ISSUE_UPDATED", without()).await;
    assert_eq!(document(&service, "Issue", &key).await["issue_type_key"], Value::Null);
    record(&service, &token, "ISSUE_CLOSED", json!({"issue_data": {"_key": key, "issue_type_key": "soft"}})).await;
    refuse(&service, &token, "ISSUE_UPDATED", without(), "keeps a type").await;
    record(&service, &token, "ISSUE_UPDATED", json!({"issue_data": {"_key": key, "issue_type_key": "hard"}})).await;
    assert_eq!(document(&service, "Issue", &key).await["issue_type_key"], "hard");
}

#[tokio::test]
async fn an_open_issue_with_a_type_is_closed_and_a_closed_one_reopened() {
    let service = service().await;
    let (token, other) = (service.token("u", "operator").await, service.token("v", "operator").await);
    let key = create_issue(&service, &token, json!({"critical": true})).await;
    let named = |more: Value| {
        let mut issue = json!({"_key": key});
        issue.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"issue_data": issue})
    };
    refuse(&service, &token, "ISSUE_CLOSED", named(json!({})), "type").await;
    refuse(&service, &token, "ISSUE_CLOSED", named(json!({"issue_type_key": "none"})), "not found").await;
    refuse(&service, &token, "ISSUE_REOPENED", named(json!({})), "open").await;
    record(&service, &other, "ISSUE_CLOSED", named(json!({"issue_type_key": "soft"}))).await;
    let closed = document(&service, "Issue", &key).await;
    let event = &events(&service, "ISSUE_CLOSED").await[0];
    assert_eq!((&closed["open"], &closed["closed_by"]), (&json!(false), &json!("User/v")));
    assert_eq!((&closed["closed"], &closed["issue_type_key"]), (&event["timestamp"], &json!("soft")));
    assert_eq!((&event["issue_key"], &event["issue_data"]["open"]), (&key, &json!(false)));
    refuse(&service, &token, "ISSUE_CLOSED", named(json!({})), "closed already").await;
    record(&service, &token, "ISSUE_REOPENED", named(json!({}))).await;
    let open = document(&service, "Issue", &key).await;
    assert_eq!((&open["open"], &open["closed"], &open["closed_by"]), (&json!(true), &json!(null), &json!(null)));
    assert_eq!(open["critical"], true, "it is as critical as it was");
    for event_type in ["ISSUE_CLOSED", "ISSUE_REOPENED", "ISSUE_DELETED"] {
        refuse(&service, &token, event_type, json!({"issue_data": {"_key": "none"}}), "Issue none not found").await;
    }
}

#[tokio::test]
async fn a_deleted_issue_takes_its_links_messages_and_files_along() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let key = create_issue(&service, &token, json!({"_key": "i", "linked_to": [link("product", "p")]})).await;
    create_issue(&service, &token, json!({"_key": "other", "linked_to": [link("product", "p")]})).await;
    for recipient in ["Issue/i", "Issue/other"] {
        record(&service, &token, "MESSAGE_POSTED", json!({"recipient": recipient, "content": "Look"})).await;
    }
    let rel = |to: &str| json!({"_from": "Task/t", "_to": to});
    service.seed("task_rel", json!([rel("Issue/i"), rel("Issue/other")])).await;
    let folder = service.data_dir.path().join("media/issue/i/field");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.txt"), "x").unwrap();
    let answer = record(&service, &token, "ISSUE_DELETED", json!({"issue_data": {"_key": key}})).await;
    assert!(answer["message"].is_string());
    let left = |documents: Vec<Value>, member: &str| -> Vec<String> {
        documents.iter().map(|document| document[member].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(left(documents(&service, "Issue").await, "_key"), ["other"]);
    assert_eq!(left(documents(&service, "issue_rel").await, "_from"), ["Issue/other"]);
    assert_eq!(left(documents(&service, "message").await, "_to"), ["Issue/other"]);
    assert_eq!(left(documents(&service, "task_rel").await, "_to"), ["Issue/other"]);
    assert!(!service.data_dir.path().join("media/issue/i").exists());
    assert_eq!(events(&service, "ISSUE_DELETED").await[0]["issue_data"]["created_by"], "User/u", "what it was");
}

#[tokio::test]
async fn what_somebody_else_reported_is_deleted_with_the_scope_alone() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    for scope in ["operator", "task", "warehouse", "quality", "production", "admin"] {
        let key = create_issue(&service, &token, json!({})).await;
        let other = service.token("v", scope).await;
        let deletion = json!({"issue_data": {"_key": key}});
        if matches!(scope, "operator" | "task" | "warehouse") {
            forbid(&service, &other, "ISSUE_DELETED", deletion, "collaboration:issue:delete").await;
            document(&service, "Issue", &key).await;
        } else {
            record(&service, &other, "ISSUE_DELETED", deletion).await;
        }
    }
}

#[tokio::test]
async fn the_events_of_an_issue_and_of_the_messages_to_it_are_found_by_its_key() {
    let service = service().await;
    let token = service.token("u", "quality").await;
    let key = create_issue(&service, &token, json!({"_key": "i", "issue_type_key": "soft"})).await;
    create_issue(&service, &token, json!({"_key": "k"})).await;
    let posted = record(&service, &token, "MESSAGE_POSTED", json!({"recipient": "Issue/i", "content": "Look"})).await;
    record(&service, &token, "MESSAGE_POSTED", json!({"recipient": "Issue/k", "content": "Look"})).await;
    let message = json!({"message_key": posted["message_key"], "content": "Look here"});
    record(&service, &token, "MESSAGE_UPDATED", message).await;
    record(&service, &token, "ISSUE_CLOSED", json!({"issue_data": {"_key": key}})).await;
    let found = rows(&service, &token, "/event?issue_key=i").await;
    let types: Vec<&str> = found.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    assert_eq!(types, ["ISSUE_CREATED", "MESSAGE_POSTED", "MESSAGE_UPDATED", "ISSUE_CLOSED"]);
}

#[tokio::test]
async fn what_is_told_of_an_issue_names_its_work_order_before_or_after_the_change() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let key =
        create_issue(&service, &token, json!({"issue_type_key": "soft", "linked_to": [link("work_order", "o1")]}))
            .await;
    let moved = json!({"_key": key, "linked_to": [link("product", "p")]});
    record(&service, &token, "ISSUE_UPDATED", json!({"issue_data": moved})).await;
    record(&service, &token, "ISSUE_CLOSED", json!({"issue_data": {"_key": key}})).await;
    let told = announced(&service, "issue").await;
    let facts: Vec<(&Value, &Value, &Value)> = told
        .iter()
        .map(|(_, message)| (&message["notification"], &message["work_order_key"], &message["issue_key"]))
        .collect();
    let names = [json!("ISSUE_CREATED"), json!("ISSUE_UPDATED"), json!("ISSUE_CLOSED")];
    let (order, none) = (json!("o1"), json!(null));
    assert_eq!(facts, [(&names[0], &order, &key), (&names[1], &order, &key), (&names[2], &none, &key)]);
    assert!(told.iter().all(|(only_for, message)| only_for.is_null() && message["subtopic"] == "issue"));
}
