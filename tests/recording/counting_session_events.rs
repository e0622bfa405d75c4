//! Counting sessions and assignments by their events.

use serde_json::{Value, json};

use crate::counting_support::{Floor, refusal};

async fn session(floor: &Floor, status: &str) {
    floor.change("InventoryCountSession", "s", json!({"status": status})).await;
}

#[tokio::test]
async fn a_planned_session_is_started_once_and_by_any_of_its_names() {
    let floor = Floor::open().await;
    for name in ["session_key", "count_session_key", "inventory_count_session_key"] {
        session(&floor, "planned").await;
        assert_eq!(floor.post("COUNT_SESSION_STARTED", json!({name: "s"})).await, Value::Null);
        let stored = floor.session().await;
        assert_eq!(stored["status"], "started");
        assert!(stored["started"].is_string());
        assert!(floor.refused("COUNT_SESSION_STARTED", json!({name: "s"})).await.contains("C1 is started"));
    }
    session(&floor, "applied").await;
    assert!(floor.refused("COUNT_SESSION_STARTED", json!({"session_key": "s"})).await.contains("applied"));
    let events = floor.events("COUNT_SESSION_STARTED").await;
    assert_eq!(events.len(), 3);
    for event in events {
        assert_eq!(event["count_session_key"], "s");
        assert!(event.get("session_key").is_none() && event.get("inventory_count_session_key").is_none(), "{event}");
    }
}

#[tokio::test]
async fn a_session_must_be_named_known_and_one() {
    let floor = Floor::open().await;
    let (status, body) = floor.post_as("worker", "COUNT_SESSION_COMPLETED", json!({"session_key": ""})).await;
    assert_eq!((status.as_u16(), &body["detail"]["error_type"]), (422, &json!("ValidationError")), "{body}");
    assert_eq!(body["detail"]["errors"][0]["loc"], json!(["body", "session_key"]));
    let text = floor.refused("COUNT_SESSION_COMPLETED", json!({"session_key": "none"})).await;
    assert!(text.contains("Counting session none not found"), "{text}");
    let two = json!({"session_key": "s", "inventory_count_session_key": "r"});
    assert!(floor.refused("COUNT_SESSION_COMPLETED", two).await.contains("one counting session"));
}

#[tokio::test]
async fn every_event_of_a_session_names_the_state_that_refuses_it() {
    let floor = Floor::open().await;
    for (event, allowed) in [
        ("COUNT_SESSION_STARTED", vec!["planned"]),
        ("COUNT_SESSION_COMPLETED", vec!["started"]),
        ("COUNT_SESSION_RESUMED", vec!["completed"]),
        ("COUNT_SESSION_CONFIRMED", vec!["completed"]),
        ("COUNT_SESSION_CANCELED", vec!["planned", "started", "completed"]),
    ] {
        for status in ["planned", "started", "completed", "processing", "applied", "canceled"] {
            session(&floor, status).await;
            let answer = floor.post_as("worker", event, json!({"session_key": "s"})).await;
            if allowed.contains(&status) {
                assert_eq!(answer.0, 200, "{event} {status}: {}", answer.1);
            } else {
                let text = refusal(answer);
                assert!(text.contains(&format!("C1 is {status}")), "{event} {status}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn a_session_with_open_counts_is_not_completed_and_one_can_be_counted_on() {
    let floor = Floor::open().await;
    let first = floor.begin("worker", "P", "A1").await;
    let second = floor.begin("other", "Q", "A1").await;
    let third = floor.begin("ghost", "P", "B").await;
    let text = floor.refused("COUNT_SESSION_COMPLETED", json!({"session_key": "s"})).await;
    for word in ["3 ", "Wanda Worker", "oscar", "unknown user"] {
        assert!(text.contains(word), "{text}");
    }
    for (user, key) in [("worker", &first), ("other", &second), ("ghost", &third)] {
        floor.post_by(user, "COUNT_COMPLETED", json!({"count_key": key, "count_qt": 1})).await;
    }
    let detail = floor.post("COUNT_SESSION_COMPLETED", json!({"session_key": "s"})).await;
    assert_eq!(detail["session_key"], "s");
    assert!(detail["message"].as_str().unwrap().contains("C1"));
    assert!(floor.session().await["completed"].is_string());
    let detail = floor.post("COUNT_SESSION_RESUMED", json!({"session_key": "s"})).await;
    assert_eq!(detail["session_key"], "s");
    let stored = floor.session().await;
    assert_eq!((&stored["status"], &stored["completed"]), (&json!("started"), &Value::Null));
    floor.count("worker", "P", "A1", 10.0).await;
    floor.post("COUNT_SESSION_COMPLETED", json!({"session_key": "s"})).await;
    let events = floor.events("COUNT_SESSION_COMPLETED").await;
    assert_eq!(events[0]["session_key"], "s");
}

#[tokio::test]
async fn a_canceled_session_frees_its_stock_and_nothing_of_it_counts() {
    let floor = Floor::open().await;
    let assignment = |key: &str, status: &str| json!({"_key": key, "inventory_count_session_key": "s", "target_type": "position", "target_key": "A1", "status": status});
    let assignments = json!([assignment("a", "planned"), assignment("b", "started"), assignment("c", "completed")]);
    floor.service().seed("InventoryCountAssignment", assignments).await;
    let done = floor.count("worker", "Q", "A1", 4.0).await;
    let open = floor.begin("worker", "P", "A1").await;
    assert_eq!(floor.stock_record("pa").await["counting"], true);
    let detail = floor.post("COUNT_SESSION_CANCELED", json!({"session_key": "s"})).await;
    assert_eq!(detail["session_key"], "s");
    let stored = floor.session().await;
    assert_eq!(stored["status"], "canceled");
    assert!(stored["canceled"].is_string());
    assert_eq!(floor.record(&open).await, Value::Null);
    assert_eq!(floor.record(&done).await["status"], "discarded");
    let stock = floor.stock_record("pa").await;
    assert_eq!((&stock["counting"], &stock["count_by"]), (&json!(false), &Value::Null));
    for (key, status) in [("a", "canceled"), ("b", "canceled"), ("c", "completed")] {
        assert_eq!(floor.document("InventoryCountAssignment", key).await["status"], status);
    }
}

#[tokio::test]
async fn an_assignment_is_started_and_completed_in_a_session_that_has_begun() {
    let floor = Floor::open().await;
    let assignment = |key: &str, session: &str, status: &str| {
        json!({"_key": key, "inventory_count_session_key": session, "target_type": "position", "target_key": "A1",
            "status": status, "started": null, "completed": null})
    };
    let assignments = json!([
        assignment("a", "s", "planned"),
        assignment("b", "s", "planned"),
        assignment("gone", "s", "canceled"),
        assignment("early", "r", "planned"),
        assignment("d", "s", "planned"),
    ]);
    floor.service().seed("InventoryCountAssignment", assignments).await;
    floor.service().seed("InventoryCountSession", json!([{"_key": "r", "code": "C2", "status": "planned"}])).await;
    assert_eq!(floor.post("ASSIGNMENT_STARTED", json!({"assignment_key": "a"})).await, Value::Null);
    let stored = floor.document("InventoryCountAssignment", "a").await;
    assert_eq!(stored["status"], "started");
    let started = stored["started"].clone();
    assert!(started.is_string());
    assert!(floor.refused("ASSIGNMENT_STARTED", json!({"assignment_key": "a"})).await.contains("is started"));
    let event = json!({"session_key": "s", "assignment_key": "a", "product_key": "P", "position_key": "A1"});
    let count = floor.post("COUNT_STARTED", event).await["count_record_key"].clone();
    let text = floor.refused("ASSIGNMENT_COMPLETED", json!({"assignment_key": "a"})).await;
    assert!(text.contains("open"), "{text}");
    floor.post("COUNT_COMPLETED", json!({"count_key": count, "count_qt": 10})).await;
    assert_eq!(floor.post("ASSIGNMENT_COMPLETED", json!({"assignment_key": "a"})).await, Value::Null);
    let stored = floor.document("InventoryCountAssignment", "a").await;
    assert_eq!((&stored["status"], &stored["started"]), (&json!("completed"), &started));
    assert!(stored["completed"].is_string());
    floor.post("ASSIGNMENT_COMPLETED", json!({"assignment_key": "b"})).await;
    let stored = floor.document("InventoryCountAssignment", "b").await;
    assert_eq!(stored["started"], stored["completed"]);
    for (key, word) in [("gone", "canceled"), ("early", "planned"), ("none", "not found"), ("a", "completed")] {
        for event in ["ASSIGNMENT_STARTED", "ASSIGNMENT_COMPLETED"] {
            let text = floor.refused(event, json!({"assignment_key": key})).await;
            assert!(text.contains(word), "{event} {key}: {text}");
        }
    }
    floor
        .post(
            "COUNT_STARTED",
            json!({"session_key": "s", "assignment_key": "d", "product_key": "Q", "position_key": "A1"}),
        )
        .await;
    assert_eq!(floor.document("InventoryCountAssignment", "d").await["status"], "started");
}

#[tokio::test]
async fn counting_needs_a_scope_and_applying_another() {
    let floor = Floor::open().await;
    let service = floor.service();
    for (events, scope) in [
        (
            vec![
                "COUNT_SESSION_STARTED",
                "COUNT_SESSION_COMPLETED",
                "COUNT_SESSION_RESUMED",
                "COUNT_STARTED",
                "COUNT_COMPLETED",
                "COUNT_CANCELED",
                "COUNT_DISCARDED",
                "ASSIGNMENT_STARTED",
                "ASSIGNMENT_COMPLETED",
                "POSITION_CONFIRMED_EMPTY",
            ],
            "inventory:count:update",
        ),
        (vec!["COUNT_SESSION_CANCELED"], "inventory:count:apply"),
    ] {
        let token = service.token("u", "operator").await;
        for event in events {
            let sent = json!({"event_type": event, "session_key": "s"});
            let (status, body) = service.send(reqwest::Method::POST, "/event", &token, sent).await;
            assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!(scope)), "{event}");
        }
    }
}
