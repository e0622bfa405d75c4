//! What was counted is reviewed and confirmed.

use serde_json::{Value, json};

use crate::counting_support::{Floor, refusal};

/// Ends the counting and confirms what was counted.
async fn confirm(floor: &Floor) -> (reqwest::StatusCode, Value) {
    floor.post("COUNT_SESSION_COMPLETED", json!({"session_key": "s"})).await;
    floor.post_as("worker", "COUNT_SESSION_CONFIRMED", json!({"session_key": "s"})).await
}

#[tokio::test]
async fn counts_that_contradict_each_other_are_not_confirmed() {
    let floor = Floor::open().await;
    let one = floor.count("worker", "P", "A1", 5.0).await;
    let other = floor.count("other", "P", "A1", 6.0).await;
    let text = refusal(confirm(&floor).await);
    assert!(text.contains("1 ") && text.contains("PLAIN at A1-code"), "{text}");
    for key in [&one, &other] {
        assert_eq!(floor.record(key).await["status"], "completed");
    }
    assert_eq!(floor.session().await["status"], "completed");
}

#[tokio::test]
async fn equal_numbers_of_different_serials_contradict_each_other_and_five_are_named() {
    let floor = Floor::open().await;
    floor.count_serials("worker", "B", &["t1", "t2"]).await;
    floor.count_serials("other", "B", &["t1", "t3"]).await;
    for position in ["A", "A1", "A11", "BOX", "IN"] {
        floor.count("worker", "P", position, 1.0).await;
        floor.count("other", "P", position, 2.0).await;
    }
    let text = refusal(confirm(&floor).await);
    assert!(text.contains("6 "), "{text}");
    assert_eq!(text.matches(" at ").count(), 5, "{text}");
}

#[tokio::test]
async fn a_session_without_differences_is_applied_at_once() {
    let floor = Floor::open().await;
    let plain = floor.count("worker", "P", "A1", 10.000_000_4).await;
    let traced = floor.count_serials("worker", "B", &["t2", "t1"]).await;
    let (status, body) = confirm(&floor).await;
    assert_eq!(status, 200, "{body}");
    let detail = &body["detail"];
    for (member, value) in [
        ("session_key", json!("s")),
        ("adjustment_list_key", Value::Null),
        ("records_to_process", json!(0)),
        ("trigger_workflow", json!(false)),
    ] {
        assert_eq!(detail[member], value, "{member}");
    }
    assert!(detail["message"].is_string());
    let session = floor.session().await;
    for (member, value) in [
        ("status", json!("applied")),
        ("adjustment_list_key", Value::Null),
        ("movements_created", json!(0)),
        ("movements_failed", json!(0)),
    ] {
        assert_eq!(session[member], value, "{member}");
    }
    assert!(session["processing_completed"].is_string());
    for key in [&plain, &traced] {
        let record = floor.record(key).await;
        assert_eq!((&record["status"], &record["processed"]), (&json!("confirmed"), &json!(true)));
        assert_eq!(record["movement_keys"], json!([]));
        assert!(record["reviewed_at"].is_string());
    }
    assert!(floor.warehouse.documents("MovementList").await.is_empty());
    assert!(floor.warehouse.documents("movement").await.is_empty());
}

#[tokio::test]
async fn stock_that_somebody_counts_or_another_session_holds_is_not_confirmed() {
    let floor = Floor::open().await;
    let service = floor.service();
    let lease = "2999-01-01T00:00:00.000000+00:00";
    let sessions = json!([
        {"_key": "r", "code": "C2", "status": "started"},
        {"_key": "q", "status": "processing", "applying_by": "x", "applying_until": lease},
    ]);
    service.seed("InventoryCountSession", sessions).await;
    floor.count("worker", "P", "A1", 8.0).await;
    // What does not differ is not touched.
    floor.count("worker", "Q", "A1", 4.0).await;
    floor.change("is_in_position", "qa", json!({"locked": true, "locked_by": "q"})).await;
    floor.post("COUNT_SESSION_COMPLETED", json!({"session_key": "s"})).await;
    let event = json!({"session_key": "r", "product_key": "P", "position_key": "A1"});
    let open = floor.post_by("other", "COUNT_STARTED", event).await["count_record_key"].clone();
    let text = floor.refused("COUNT_SESSION_CONFIRMED", json!({"session_key": "s"})).await;
    assert!(text.contains("PLAIN at A1-code"), "{text}");
    floor.post("COUNT_CANCELED", json!({"count_key": open})).await;
    floor.change("is_in_position", "pa", json!({"locked": true, "locked_by": "q"})).await;
    let text = floor.refused("COUNT_SESSION_CONFIRMED", json!({"session_key": "s"})).await;
    assert!(text.contains("PLAIN at A1-code"), "{text}");
    assert_eq!(floor.session().await["status"], "completed");
    assert!(floor.warehouse.documents("MovementList").await.is_empty());
    floor.change("is_in_position", "pa", json!({"locked": true, "locked_by": "gone"})).await;
    let (status, body) = floor.post_as("worker", "COUNT_SESSION_CONFIRMED", json!({"session_key": "s"})).await;
    assert_eq!(status, 200, "{body}");
}

/// As far as the confirmation itself goes.
#[tokio::test]
async fn differences_get_a_list_of_adjustments_with_a_code_of_its_own() {
    let floor = Floor::open().await;
    let service = floor.service();
    let counter =
        json!([{"_key": "lists", "name": "lists", "next_tick": 7, "template": ["adj-", "#3"], "frequency": "none"}]);
    service.seed("Counter", counter).await;
    floor.change("Config", "system_counters", json!({"movement_lists": "lists"})).await;
    service.seed("MovementList", json!([{"_key": "taken", "code": "ADJ-007", "type": "adjustment"}])).await;
    floor.count("other", "P", "A1", 8.0).await;
    let latest = floor.count("worker", "P", "A1", 8.0).await;
    let (status, body) = confirm(&floor).await;
    assert_eq!(status, 200, "{body}");
    let detail = &body["detail"];
    assert_eq!((&detail["records_to_process"], &detail["trigger_workflow"]), (&json!(1), &json!(false)));
    let list = floor.document("MovementList", detail["adjustment_list_key"].as_str().unwrap()).await;
    assert_eq!((&list["code"], &list["type"]), (&json!("ADJ-008"), &json!("adjustment")));
    assert_eq!(list["references"]["inventory_count_session_key"], "s");
    assert!(list["notes"].as_str().unwrap().contains("C1"));
    let session = floor.session().await;
    assert_eq!(session["adjustment_list_key"], detail["adjustment_list_key"]);
    assert_eq!((&session["confirmed_by"], &session["records_to_process"]), (&json!("worker"), &json!(1)));
    let event = floor.events("COUNT_SESSION_CONFIRMED").await.remove(0);
    assert_eq!((&event["_key"], &event["session_key"]), (&session["confirmed_event_key"], &json!("s")));
    assert!(session["processing_started"].is_string());
    let record = floor.record(&latest).await;
    assert_eq!(record["status"], "confirmed");
    let rows = floor.warehouse.documents("inventory_count_record").await;
    assert_eq!(rows.iter().filter(|row| row["status"] == "discarded").count(), 1);
}
