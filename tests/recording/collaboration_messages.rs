//! Events of messages.

use serde_json::{Value, json};
use tracewright_testkit::{Service, rows};

use crate::collaboration_support::{
    announced, document, documents, events, forbid, record, refuse, refuse_as, service,
};
use crate::sse::Stream;

async fn send(service: &Service, token: &str, recipient: &str) -> Value {
    let answer = record(service, token, "MESSAGE_POSTED", json!({"recipient": recipient, "content": "Hi"})).await;
    assert!(answer["message"].is_string());
    answer["message_key"].clone()
}

#[tokio::test]
async fn a_message_is_sent_flat_or_as_older_clients_write_it() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let old = json!({"_from": "User/u", "_to": "WorkOrder/o1", "content": " Hi "});
    for members in [
        json!({"recipient": "WorkOrder/o1", "content": " Hi "}),
        json!({"sender": "User/u", "recipient": "WorkOrder/o1", "content": " Hi "}),
        json!({"sender": "", "message_data": old}),
        json!({"message_data": old}),
    ] {
        let answer = record(&service, &token, "MESSAGE_POSTED", members.clone()).await;
        let message = document(&service, "message", &answer["message_key"]).await;
        let event = events(&service, "MESSAGE_POSTED").await.pop().unwrap();
        for (member, value) in [
            ("_from", json!("User/u")),
            ("_to", json!("WorkOrder/o1")),
            ("content", json!(" Hi ")),
            ("created", event["timestamp"].clone()),
            ("updated", json!(null)),
            ("deleted", json!(null)),
        ] {
            assert_eq!(message[member], value, "{members}: {member}");
        }
        for (member, value) in [
            ("sender", "User/u"),
            ("recipient", "WorkOrder/o1"),
            ("recipient_id", "WorkOrder/o1"),
            ("content", " Hi "),
            ("work_order_key", "o1"),
        ] {
            assert_eq!(event[member], value, "{members}: {member}");
        }
        assert!(event.get("message_data").is_none());
    }
}

#[tokio::test]
async fn a_message_without_content_to_nobody_or_in_another_name_is_refused() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    service.seed("Task", json!([{"_key": "gone", "deleted": "2026-01-01"}])).await;
    let message = |recipient: &str, content: &str| json!({"recipient": recipient, "content": content});
    for (members, word) in [
        (message("WorkOrder/o1", " \n"), "empty"),
        (message("WorkOrder/o1", ""), "empty"),
        (message("WorkOrder/o1", &"x".repeat(10_001)), "10000"),
        (message("WorkOrder/none", "Hi"), "WorkOrder/none not found"),
        (message("Task/gone", "Hi"), "Task/gone not found"),
        (message("Product/p", "Hi"), "Product/p"),
        (message("o1", "Hi"), "o1"),
        (json!({"recipient": "WorkOrder/o1", "content": "Hi", "sender": "User/v"}), "own name"),
        (json!({"message_data": {"_from": "User/v", "_to": "WorkOrder/o1", "content": "Hi"}}), "own name"),
    ] {
        refuse(&service, &token, "MESSAGE_POSTED", members, word).await;
    }
    for (members, word) in
        [(json!({"content": "Hi"}), "recipient: "), (json!({"message_data": {"_to": "WorkOrder/o1"}}), "content: ")]
    {
        refuse_as("ValidationError", &service, &token, "MESSAGE_POSTED", members, word).await;
    }
    assert_eq!(documents(&service, "message").await.len(), 0);
    record(&service, &token, "MESSAGE_POSTED", message("WorkOrder/o1", &"é".repeat(10_000))).await;
}

#[tokio::test]
async fn its_events_name_whom_a_message_is_to() {
    let service = service().await;
    let token = service.token("u", "production").await;
    service.seed("Issue", json!([{"_key": "i"}])).await;
    service.seed("Task", json!([{"_key": "t", "code": "T"}])).await;
    for (recipient, members) in [
        ("Issue/i", json!({"issue_key": "i", "work_order_key": null, "job_key": null})),
        ("Task/t", json!({"task_key": "t", "work_order_key": null, "job_key": null})),
        ("WorkOrder/o1", json!({"work_order_key": "o1", "job_key": null, "product_key": "p"})),
        ("Job/j1", json!({"work_order_key": "o1", "job_key": "j1", "phase_key": "f", "product_key": "p"})),
        ("User/v", json!({"work_order_key": null, "job_key": null})),
    ] {
        let key = send(&service, &token, recipient).await;
        record(&service, &token, "MESSAGE_UPDATED", json!({"message_key": key, "content": "Ho"})).await;
        record(&service, &token, "MESSAGE_DELETED", json!({"message_key": key})).await;
        for event_type in ["MESSAGE_POSTED", "MESSAGE_UPDATED", "MESSAGE_DELETED"] {
            let event = events(&service, event_type).await.pop().unwrap();
            assert_eq!((&event["message_key"], &event["recipient_id"]), (&key, &json!(recipient)), "{event_type}");
            for (member, value) in members.as_object().unwrap() {
                assert_eq!(event[member], *value, "{event_type} to {recipient}: {member}");
            }
        }
    }
}

#[tokio::test]
async fn a_message_is_changed_by_its_author_until_it_is_deleted() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let key = send(&service, &token, "WorkOrder/o1").await;
    let change = |content: &str| json!({"message_key": key, "content": content});
    for scope in ["operator", "admin"] {
        let other = service.token("v", scope).await;
        refuse(&service, &other, "MESSAGE_UPDATED", change("Mine"), "Only who has sent").await;
    }
    refuse(&service, &token, "MESSAGE_UPDATED", change(" "), "empty").await;
    refuse(&service, &token, "MESSAGE_UPDATED", json!({"message_key": "none", "content": "x"}), "not found").await;
    let answer = record(&service, &token, "MESSAGE_UPDATED", change("Ho")).await;
    assert_eq!(answer["new_content"], "Ho");
    let message = document(&service, "message", &key).await;
    let event = &events(&service, "MESSAGE_UPDATED").await[0];
    assert_eq!((&message["content"], &message["updated"]), (&json!("Ho"), &event["timestamp"]));
    let old = json!({"message_data": {"_key": key, "content": "Hey"}});
    record(&service, &token, "MESSAGE_UPDATED", old).await;
    assert_eq!(document(&service, "message", &key).await["content"], "Hey");
    record(&service, &token, "MESSAGE_DELETED", json!({"message_data": {"_key": key}})).await;
    refuse(&service, &token, "MESSAGE_UPDATED", change("Again"), "deleted").await;
    refuse(&service, &token, "MESSAGE_DELETED", json!({"message_key": key}), "deleted").await;
}

#[tokio::test]
async fn a_deleted_message_stays_without_its_content() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let key = send(&service, &token, "WorkOrder/o1").await;
    record(&service, &token, "MESSAGE_DELETED", json!({"message_key": key})).await;
    let found = rows(&service, &token, "/message?recipient_id=WorkOrder/o1").await;
    assert_eq!(found.len(), 1);
    let event = &events(&service, "MESSAGE_DELETED").await[0];
    assert_eq!((&found[0]["content"], &found[0]["deleted"]), (&json!("[deleted]"), &event["timestamp"]));
}

#[tokio::test]
async fn what_somebody_else_wrote_is_deleted_with_the_scope_alone() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    for scope in ["operator", "quality", "task", "production", "admin"] {
        let key = send(&service, &token, "WorkOrder/o1").await;
        let other = service.token("v", scope).await;
        let deletion = json!({"message_key": key});
        if matches!(scope, "production" | "admin") {
            record(&service, &other, "MESSAGE_DELETED", deletion).await;
        } else {
            forbid(&service, &other, "MESSAGE_DELETED", deletion, "collaboration:message:moderate").await;
        }
    }
}

#[tokio::test]
async fn what_one_writes_to_another_is_told_to_both_of_them_alone() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    send(&service, &token, "WorkOrder/o1").await;
    let key = send(&service, &token, "User/v").await;
    let moderator = service.token("w", "production").await;
    record(&service, &moderator, "MESSAGE_DELETED", json!({"message_key": key})).await;
    let told = announced(&service, "message").await;
    let circles: Vec<&Value> = told.iter().map(|(only_for, _)| only_for).collect();
    assert_eq!(circles, [&json!(null), &json!(["u", "v"]), &json!(["u", "v"])]);
    let recipients: Vec<&Value> = told.iter().map(|(_, message)| &message["recipient_id"]).collect();
    assert_eq!(recipients, ["WorkOrder/o1", "User/v", "User/v"]);
}

/// As pages get it.
#[tokio::test]
async fn the_stream_of_a_third_person_passes_over_what_two_write_to_each_other() {
    let service = service().await;
    let sender = service.token("u", "operator").await;
    let mut streams = Vec::new();
    for user in ["u", "v", "w"] {
        let token = service.token(user, "operator").await;
        streams.push(Stream::open(&service, "message", &token).await);
    }
    send(&service, &sender, "User/v").await;
    send(&service, &sender, "WorkOrder/o1").await;
    for (stream, expected) in
        streams.iter_mut().zip([&["User/v", "WorkOrder/o1"][..], &["User/v", "WorkOrder/o1"], &["WorkOrder/o1"]])
    {
        for recipient in expected {
            let message = stream.next().await.unwrap();
            assert_eq!((message.name.as_str(), &message.data["recipient_id"]), ("message", &json!(recipient)));
        }
    }
}
