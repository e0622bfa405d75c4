//! Confirmed counts are applied by the service itself.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::counting_support::{Floor, refusal, stock};

/// Ends the counting, confirms what was counted and waits until it is applied. Gives the answer to the confirmation.
async fn apply(floor: &Floor) -> Value {
    floor.post("COUNT_SESSION_COMPLETED", json!({"session_key": "s"})).await;
    let detail = floor.post("COUNT_SESSION_CONFIRMED", json!({"session_key": "s"})).await;
    floor.wait_until_applied().await;
    detail
}

fn completed(kind: &str, more: Value) -> Value {
    let mut event = json!({"movement_type": kind});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

#[tokio::test]
async fn differences_become_movements_of_who_confirmed_them() {
    let floor = Floor::open().await;
    let plain = floor.count("other", "P", "A1", 8.0).await;
    let found = floor.count("other", "Q", "B", 3.5).await;
    let same = floor.count("other", "Q", "A1", 4.0).await;
    let detail = apply(&floor).await;
    assert_eq!(detail["records_to_process"], 2);
    let list_key = detail["adjustment_list_key"].as_str().unwrap();
    let stock = floor.warehouse.stock().await;
    assert_eq!(stock, ["P@A1=8", "Q@A1=4", "Q@B=3.5", "T@B[t1]=1", "T@B[t2]=1"]);
    let session = floor.session().await;
    for (member, value) in [
        ("status", json!("applied")),
        ("movements_created", json!(2)),
        ("movements_failed", json!(0)),
        ("movements_processed_count", json!(2)),
        ("applying_by", Value::Null),
    ] {
        assert_eq!(session[member], value, "{member}");
    }
    assert!(session["processing_completed"].is_string());
    let list = floor.document("MovementList", list_key).await;
    assert_eq!(list["status"], "completed");
    assert!(list["start"].is_string() && list["end"].is_string());
    let movements = floor.warehouse.documents("movement").await;
    assert_eq!(movements.len(), 2);
    for movement in &movements {
        for (member, value) in [
            ("type", json!("adjustment")),
            ("status", json!("completed")),
            ("user_key", json!("worker")),
            ("movement_list_key", json!(list_key)),
        ] {
            assert_eq!(movement[member], value, "{member}");
        }
        assert_eq!(movement["references"]["inventory_count_session_key"], "s");
        assert!(movement["reason"].as_str().unwrap().contains("counted"), "{movement}");
    }
    for (key, quantity) in [(&plain, -2.0), (&found, 3.5)] {
        let record = floor.record(key).await;
        assert_eq!((&record["status"], &record["processed"]), (&json!("confirmed"), &json!(true)));
        assert_eq!(record["movement_keys"].as_array().unwrap().len(), 1);
        let movement = floor.document("movement", record["movement_keys"][0].as_str().unwrap()).await;
        assert_eq!(movement["qt_confirmed"], quantity);
    }
    assert_eq!(floor.record(&same).await["movement_keys"], json!([]));
    assert!(floor.locked().await.is_empty());
    let processed = floor.warehouse.get("/inventory/count-session/s/processed-records").await;
    assert_eq!(processed, 3);
}

#[tokio::test]
async fn what_is_applied_is_recorded_in_the_group_of_the_confirmation_and_announced() {
    let floor = Floor::open().await;
    floor.count("other", "P", "A1", 8.0).await;
    apply(&floor).await;
    let confirmed = floor.events("COUNT_SESSION_CONFIRMED").await.remove(0);
    let mut sequences = Vec::new();
    for (event_type, primary) in [
        ("COUNT_SESSION_CONFIRMED", true),
        ("COUNT_APPLIED", true),
        ("MOVEMENT_COMPLETED", false),
        ("INVENTORY_CHANGED", false),
        ("COUNT_SESSION_APPLIED", true),
    ] {
        let events = floor.events(event_type).await;
        assert_eq!(events.len(), 1, "{event_type}");
        assert_eq!(events[0]["event_group"], confirmed["event_group"], "{event_type}");
        assert_eq!((&events[0]["user_key"], &events[0]["primary"]), (&json!("worker"), &json!(primary)));
        sequences.push(events[0]["sequence"].as_i64().unwrap());
    }
    assert!(sequences.is_sorted_by(|one, other| one < other), "{sequences:?}");
    let applied = floor.events("COUNT_APPLIED").await.remove(0);
    let session = floor.session().await;
    assert_eq!(applied["inventory_count_session_key"], "s");
    assert_eq!(applied["movement_list_key"], session["adjustment_list_key"]);
    assert_eq!(
        (&applied["product_key"], &applied["movement_keys"][0]),
        (&json!("P"), &floor.events("MOVEMENT_COMPLETED").await[0]["movement_key"])
    );
    let end = floor.events("COUNT_SESSION_APPLIED").await.remove(0);
    assert_eq!((&end["session_key"], &end["movements_created"]), (&json!("s"), &json!(1)));
    let told: Vec<Value> = floor.warehouse.documents("Notification").await;
    let told: Vec<&Value> = told.iter().flat_map(|document| document["messages"].as_array().unwrap()).collect();
    for event_type in ["COUNT_APPLIED", "COUNT_SESSION_APPLIED"] {
        assert!(told.iter().any(|message| message["notification"] == event_type), "{event_type}");
    }
}

#[tokio::test]
async fn what_moved_between_the_count_and_its_confirmation_is_kept() {
    let floor = Floor::open().await;
    floor.count("worker", "P", "A1", 8.0).await;
    let shipped = completed("shipment", json!({"product_key": "P", "position_from": "A1", "qt_confirmed": 2}));
    floor.post("MOVEMENT_COMPLETED", shipped).await;
    apply(&floor).await;
    assert_eq!(floor.warehouse.stock().await[0], "P@A1=6");
}

#[tokio::test]
async fn a_swapped_serial_goes_and_the_other_comes() {
    let floor = Floor::open().await;
    let key = floor.count_serials("worker", "B", &["t1", "t3"]).await;
    apply(&floor).await;
    let stock = floor.warehouse.stock().await;
    assert_eq!(stock, ["P@A1=10", "Q@A1=4", "T@B[t1]=1", "T@B[t3]=1"]);
    let movements = floor.warehouse.documents("movement").await;
    let mut quantities: Vec<f64> =
        movements.iter().map(|movement| movement["qt_confirmed"].as_f64().unwrap()).collect();
    quantities.sort_by(f64::total_cmp);
    assert_eq!(quantities, [-1.0, 1.0]);
    assert_eq!(floor.record(&key).await["movement_keys"].as_array().unwrap().len(), 2);
    let session = floor.session().await;
    assert_eq!((&session["movements_created"], &session["movements_processed_count"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn a_serial_that_lies_elsewhere_is_moved_and_one_that_was_shipped_is_left_alone() {
    let floor = Floor::open().await;
    floor.service().seed("is_in_position", json!([stock("t3a", "T", "A11", 1.0, Some("t3"))])).await;
    let found = floor.count_serials("worker", "B", &["t1", "t2", "t3"]).await;
    floor.count("worker", "P", "A1", 9.0).await;
    apply(&floor).await;
    assert_eq!(floor.warehouse.stock().await[2..], ["T@B[t1]=1", "T@B[t2]=1", "T@B[t3]=1"]);
    let moved = floor.document("movement", floor.record(&found).await["movement_keys"][0].as_str().unwrap()).await;
    assert_eq!(
        (&moved["type"], &moved["_from"], &moved["_to"]),
        (&json!("transfer"), &json!("Position/A11"), &json!("Position/B"))
    );
    assert_eq!(moved["movement_list_key"], Value::Null);

    let floor = Floor::open().await;
    let missing = floor.count_serials("worker", "B", &["t1"]).await;
    let shipped =
        completed("shipment", json!({"product_key": "T", "serial_key": "t2", "position_from": "B", "qt_confirmed": 1}));
    floor.post("MOVEMENT_COMPLETED", shipped).await;
    let movements = floor.warehouse.documents("movement").await.len();
    apply(&floor).await;
    assert_eq!(floor.warehouse.documents("movement").await.len(), movements);
    let record = floor.record(&missing).await;
    assert_eq!((&record["processed"], &record["movement_keys"]), (&json!(true), &json!([])));
    assert_eq!(floor.session().await["movements_created"], 0);
}

#[tokio::test]
async fn a_count_that_cannot_be_applied_says_why_and_is_applied_later() {
    let floor = Floor::open().await;
    let failed = floor.count("worker", "P", "A1", 4.0).await;
    let other = floor.count("worker", "Q", "A1", 5.0).await;
    let shipped = completed("shipment", json!({"product_key": "P", "position_from": "A1", "qt_confirmed": 7}));
    floor.post("MOVEMENT_COMPLETED", shipped).await;
    apply(&floor).await;
    let session = floor.session().await;
    assert_eq!((&session["movements_created"], &session["movements_failed"]), (&json!(1), &json!(1)));
    let record = floor.record(&failed).await;
    assert_eq!(record["processed"], false);
    assert!(record["error_details"].as_str().unwrap().contains("PLAIN"), "{record}");
    assert_eq!(floor.record(&other).await["processed"], true);
    assert_eq!(floor.warehouse.stock().await[..2], ["P@A1=3", "Q@A1=5"]);
    assert!(floor.locked().await.is_empty());

    let event = || json!({"count_record_key": failed});
    let (status, body) = floor.post_as("worker", "COUNT_APPLIED", event()).await;
    assert_eq!((status.as_u16(), &body["detail"]["error_type"]), (422, &json!("InventoryMovementException")), "{body}");
    let received = completed("receipt", json!({"product_key": "P", "position_to": "A1", "qt_confirmed": 10}));
    floor.post("MOVEMENT_COMPLETED", received).await;
    let wrong = json!({"count_record_key": failed, "session_key": "none"});
    assert!(floor.refused("COUNT_APPLIED", wrong).await.contains("another counting session"));
    let detail = floor.post("COUNT_APPLIED", event()).await;
    assert_eq!((&detail["record_key"], &detail["success"]), (&json!(failed), &json!(true)));
    assert_eq!(detail["movement_keys"].as_array().unwrap().len(), 1);
    assert_eq!(floor.warehouse.stock().await[0], "P@A1=7");
    let session = floor.session().await;
    assert_eq!((&session["movements_created"], &session["movements_failed"]), (&json!(2), &json!(0)));
    let record = floor.record(&failed).await;
    assert_eq!((&record["processed"], &record["error_details"]), (&json!(true), &Value::Null));
    assert!(floor.refused("COUNT_APPLIED", event()).await.contains("already"));
    assert_eq!(floor.warehouse.stock().await[0], "P@A1=7");
}

#[tokio::test]
async fn only_confirmed_counts_of_a_session_under_way_are_applied_by_hand() {
    let floor = Floor::open().await;
    let key = floor.count("worker", "P", "A1", 8.0).await;
    let event = json!({"count_record_key": key});
    assert!(floor.refused("COUNT_APPLIED", event.clone()).await.contains("must be confirmed"));
    floor.change("inventory_count_record", &key, json!({"status": "confirmed"})).await;
    assert!(floor.refused("COUNT_APPLIED", event).await.contains("C1 is started"));
    assert!(floor.refused("COUNT_APPLIED", json!({"count_record_key": "none"})).await.contains("not found"));
    assert!(floor.refused("COUNT_SESSION_APPLIED", json!({"session_key": "s"})).await.contains("C1 is started"));
    let token = floor.service().token("u", "operator").await;
    for event in ["COUNT_APPLIED", "COUNT_SESSION_APPLIED", "COUNT_SESSION_CONFIRMED"] {
        let sent = json!({"event_type": event});
        let (status, body) = floor.service().send(Method::POST, "/event", &token, sent).await;
        assert_eq!(
            (status.as_u16(), &body["detail"]["required_scope"]),
            (403, &json!("inventory:count:apply")),
            "{event}"
        );
    }
}

/// A session is not over before all its counts are applied, and stock is held until then.
#[tokio::test]
async fn a_session_that_somebody_else_is_at_is_left_to_them() {
    let floor = Floor::open().await;
    let key = floor.count("worker", "P", "A1", 8.0).await;
    let lease = json!({"status": "processing", "applying_by": "somebody", "applying_until": "2999-01-01T00:00:00.000000+00:00"});
    floor.change("inventory_count_record", &key, json!({"status": "confirmed"})).await;
    floor.change("is_in_position", "pa", json!({"locked": true, "locked_by": "s"})).await;
    floor.change("InventoryCountSession", "s", lease).await;
    floor.service().app.recorder.applying.notify_one();
    let text = floor.refused("COUNT_SESSION_APPLIED", json!({"session_key": "s"})).await;
    assert!(text.contains("1 counts"), "{text}");
    let moved = completed("shipment", json!({"product_key": "P", "position_from": "A1", "qt_confirmed": 1}));
    let (status, body) = floor.post_as("worker", "MOVEMENT_COMPLETED", moved.clone()).await;
    assert_eq!((status.as_u16(), &body["detail"]["error_type"]), (422, &json!("InventoryMovementException")), "{body}");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(floor.record(&key).await["processed"], false);
    // By hand it goes all the same: whoever is at the session finds it done.
    floor.post("COUNT_APPLIED", json!({"count_record_key": key, "inventory_count_session_key": "s"})).await;
    let detail = floor.post("COUNT_SESSION_APPLIED", json!({"session_key": "s"})).await;
    assert_eq!((&detail["movements_created"], &detail["movements_failed"]), (&json!(1), &json!(0)));
    assert_eq!(floor.warehouse.stock().await[0], "P@A1=8");
    floor.post("MOVEMENT_COMPLETED", moved).await;
}

/// A session left over in a database: nobody confirmed it here.
#[tokio::test]
async fn a_session_that_was_left_over_is_finished_by_who_made_it() {
    let floor = Floor::open().await;
    let key = floor.count("worker", "P", "A1", 8.0).await;
    floor.change("inventory_count_record", &key, json!({"status": "confirmed"})).await;
    floor.change("InventoryCountSession", "s", json!({"status": "processing"})).await;
    floor.service().app.recorder.applying.notify_one();
    floor.wait_until_applied().await;
    assert_eq!(floor.warehouse.stock().await[0], "P@A1=8");
    let movements = floor.warehouse.documents("movement").await;
    assert_eq!((&movements[0]["user_key"], &movements[0]["movement_list_key"]), (&json!("boss"), &Value::Null));
}

#[tokio::test]
async fn two_who_confirm_at_once_correct_stock_once() {
    let floor = Floor::open().await;
    floor.count("worker", "P", "A1", 8.0).await;
    floor.post("COUNT_SESSION_COMPLETED", json!({"session_key": "s"})).await;
    let event = || json!({"session_key": "s"});
    let (one, other) = tokio::join!(
        floor.post_as("worker", "COUNT_SESSION_CONFIRMED", event()),
        floor.post_as("other", "COUNT_SESSION_CONFIRMED", event())
    );
    assert_ne!(one.0 == 200, other.0 == 200, "{} {}", one.1, other.1);
    refusal(if one.0 == 200 { other } else { one });
    floor.wait_until_applied().await;
    assert_eq!(floor.warehouse.documents("MovementList").await.len(), 1);
    assert_eq!(floor.events("COUNT_SESSION_CONFIRMED").await.len(), 1);
    assert_eq!(floor.warehouse.stock().await[0], "P@A1=8");
}

/// Documents that applying a difference looks at, when there are so many.
async fn looked_at_for_each(differences: usize) -> u64 {
    let floor = Floor::open().await;
    let products: Vec<Value> =
        (0..differences).map(|n| json!({"_key": format!("n{n}"), "code": format!("N{n}"), "trash": false})).collect();
    floor.service().seed("Product", json!(products)).await;
    let records: Vec<Value> = (0..differences)
        .map(|n| {
            json!({
                "_key": format!("c{n}"), "_from": format!("Product/n{n}"), "_to": "Position/A1", "status": "completed",
                "inventory_count_session_key": "s", "counted_qt": 1, "system_qt": 0, "user_key": "worker",
                "counted_at": "2026-05-04T08:00:00.000000+00:00", "processed": false,
            })
        })
        .collect();
    floor.service().seed("inventory_count_record", json!(records)).await;
    floor.change("InventoryCountSession", "s", json!({"status": "completed"})).await;
    let detail = floor.post("COUNT_SESSION_CONFIRMED", json!({"session_key": "s"})).await;
    assert_eq!(detail["records_to_process"], differences);
    let before = floor.service().app.store.meter().scanned();
    floor.wait_until_applied().await;
    assert_eq!(floor.session().await["movements_created"], differences);
    (floor.service().app.store.meter().scanned() - before) / differences as u64
}

#[tokio::test]
async fn applying_a_difference_costs_the_same_however_many_were_applied_before_it() {
    let (few, many) = (looked_at_for_each(15).await, looked_at_for_each(150).await);
    assert!(many < few * 3 / 2, "{many} documents for each of 150, {few} for each of 15");
}
