//! Counting a product at a position.

use serde_json::{Value, json};

use crate::counting_support::{Floor, stock};

#[tokio::test]
async fn all_stock_of_the_pair_is_marked_and_what_the_system_knows_is_noted() {
    let floor = Floor::open().await;
    floor.service().seed("is_in_position", json!([stock("t3b", "T", "B", 1.0, Some("t3"))])).await;
    let detail = floor.post("COUNT_STARTED", json!({"count_session_key": "s", "inventory_keys": ["t2b"]})).await;
    let key = detail["count_record_key"].as_str().unwrap();
    let record = floor.record(key).await;
    for (member, value) in [
        ("_from", json!("Product/T")),
        ("_to", json!("Position/B")),
        ("system_qt", json!(3)),
        ("system_serial_keys", json!(["t1", "t2", "t3"])),
        ("counted_qt", Value::Null),
        ("counted_serial_keys", Value::Null),
        ("counted_at", Value::Null),
        ("inventory_count_session_key", json!("s")),
        ("assignment_key", Value::Null),
        ("user_key", json!("worker")),
        ("status", json!("started")),
        ("processed", json!(false)),
    ] {
        assert_eq!(record[member], value, "{member}");
    }
    assert!(record["system_at"].is_string());
    for key in ["t1b", "t2b", "t3b"] {
        let stock = floor.stock_record(key).await;
        assert_eq!((&stock["counting"], &stock["count_by"]), (&json!(true), &json!("worker")), "{key}");
    }
    assert_eq!(floor.stock_record("pa").await["counting"], false);
    let key = floor.begin("worker", "P", "Position/A1").await;
    let record = floor.record(&key).await;
    assert_eq!((&record["system_qt"], &record["system_serial_keys"]), (&json!(10), &Value::Null));
    let events = floor.events("COUNT_STARTED").await;
    assert_eq!(events[0]["inventory_count_session_key"], "s");
    assert_eq!(events[0]["inventory_keys"], json!(["t1b", "t2b", "t3b"]));
    assert_eq!((&events[1]["product_key"], &events[1]["position_key"]), (&json!("P"), &json!("A1")));
    assert_eq!(events[1]["count_key"], key);
}

#[tokio::test]
async fn what_is_not_in_stock_can_be_counted_too() {
    let floor = Floor::open().await;
    let key = floor.count("worker", "P", "B", 3.0).await;
    let record = floor.record(&key).await;
    assert_eq!((&record["system_qt"], &record["counted_qt"]), (&json!(0), &json!(3)));
}

#[tokio::test]
async fn a_pair_is_counted_by_one_at_a_time_who_may_ask_again() {
    let floor = Floor::open().await;
    floor.service().seed("InventoryCountSession", json!([{"_key": "r", "code": "C2", "status": "started"}])).await;
    let key = floor.begin("worker", "P", "A1").await;
    let again = json!({"session_key": "s", "inventory_keys": ["pa"]});
    let text = floor.refused_by("other", "COUNT_STARTED", again.clone()).await;
    assert!(text.contains("Wanda Worker") && text.contains("PLAIN at A1-code"), "{text}");
    let before = floor.record(&key).await;
    assert_eq!(floor.post("COUNT_STARTED", again).await["count_record_key"], json!(key));
    assert_eq!(floor.record(&key).await, before);
    let elsewhere = json!({"session_key": "r", "product_key": "P", "position_key": "A1"});
    assert!(floor.refused("COUNT_STARTED", elsewhere).await.contains("Wanda Worker"));
    // Where there is no stock nothing but the count itself tells.
    floor.begin("worker", "Q", "B").await;
    let event = json!({"session_key": "s", "product_key": "Q", "position_key": "B"});
    assert!(floor.refused_by("other", "COUNT_STARTED", event).await.contains("Wanda Worker"));
}

#[tokio::test]
async fn a_count_is_begun_for_one_known_pair_in_a_session_that_has_begun() {
    let floor = Floor::open().await;
    let service = floor.service();
    service.seed("Position", json!([{"_key": "gone", "code": "GONE", "deleted": true}])).await;
    service.seed("InventoryCountSession", json!([{"_key": "r", "code": "C2", "status": "completed"}])).await;
    let assignments = json!([
        {"_key": "canceled", "inventory_count_session_key": "s", "status": "canceled"},
        {"_key": "foreign", "inventory_count_session_key": "r", "status": "planned"},
    ]);
    service.seed("InventoryCountAssignment", assignments).await;
    let pair =
        |product: &str, position: &str| json!({"session_key": "s", "product_key": product, "position_key": position});
    let with = |name: &str, value: &str| {
        let mut event = pair("P", "A1");
        event[name] = value.into();
        event
    };
    for (event, word) in [
        (json!({"session_key": "s"}), "inventory_keys"),
        (json!({"session_key": "s", "product_key": "P", "position_key": ""}), "position_key"),
        (json!({"session_key": "s", "inventory_keys": []}), "inventory_keys"),
        (json!({"session_key": "s", "inventory_keys": ["pa", "none"]}), "Stock record none not found"),
        (json!({"session_key": "s", "inventory_keys": ["link-A1"]}), "Stock record link-A1 not found"),
        (json!({"session_key": "s", "inventory_keys": ["pa", "qa"]}), "one product at one position"),
        (
            json!({"session_key": "s", "inventory_keys": ["pa"], "product_key": "Q", "position_key": "A1"}),
            "one product",
        ),
        (pair("none", "A1"), "Product none not found"),
        (pair("P", "none"), "Position none not found"),
        (pair("P", "gone"), "GONE is deleted"),
        (with("assignment_key", "none"), "Assignment none not found"),
        (with("assignment_key", "foreign"), "does not belong"),
        (with("assignment_key", "canceled"), "canceled"),
        (with("count_key", "no uuid"), "UUID"),
        (json!({"session_key": "r", "product_key": "P", "position_key": "A1"}), "C2 is completed"),
    ] {
        let text = floor.refused("COUNT_STARTED", event.clone()).await;
        assert!(text.contains(word), "{event}: {text}");
    }
    assert!(floor.warehouse.documents("inventory_count_record").await.is_empty());
    assert_eq!(floor.stock_record("pa").await["counting"], false);
    // An empty assignment is none.
    floor.post("COUNT_STARTED", with("assignment_key", "")).await;
}

/// A mark that nothing stands behind counts as none, and is cleared.
#[tokio::test]
async fn stock_locked_by_a_session_being_applied_is_not_counted_and_a_stale_lock_is_cleared() {
    let floor = Floor::open().await;
    let lease = "2999-01-01T00:00:00.000000+00:00";
    let session =
        json!([{"_key": "r", "code": "C2", "status": "processing", "applying_by": "x", "applying_until": lease}]);
    floor.service().seed("InventoryCountSession", session).await;
    floor.change("is_in_position", "pa", json!({"locked": true, "locked_by": "r"})).await;
    let event = json!({"session_key": "s", "product_key": "P", "position_key": "A1"});
    let text = floor.refused("COUNT_STARTED", event.clone()).await;
    assert!(text.contains("locked") && text.contains("C2"), "{text}");
    floor.change("InventoryCountSession", "r", json!({"status": "applied"})).await;
    floor.change("is_in_position", "pa", json!({"counting": true, "count_by": "somebody"})).await;
    floor.post("COUNT_STARTED", event).await;
    let stock = floor.stock_record("pa").await;
    assert_eq!(
        (&stock["locked"], &stock["locked_by"], &stock["count_by"]),
        (&json!(false), &Value::Null, &json!("worker"))
    );
}

#[tokio::test]
async fn a_count_is_ended_by_who_began_it_with_a_quantity_that_fits() {
    let floor = Floor::open().await;
    let service = floor.service();
    let serials = json!([
        {"_key": "gone", "code": "GONE", "product_key": "T", "deleted": "event"},
        {"_key": "p1", "code": "P-1", "product_key": "P"},
    ]);
    service.seed("Serial", serials).await;
    let plain = floor.begin("worker", "P", "A1").await;
    let traced = floor.begin("worker", "T", "B").await;
    let of = |key: &str, quantity: Value, serials: Value| json!({"count_key": key, "count_qt": quantity, "count_serial_keys": serials});
    assert!(
        floor.refused_by("other", "COUNT_COMPLETED", of(&plain, json!(1), json!(null))).await.contains("Somebody else")
    );
    for (event, word) in [
        (of("none", json!(1), json!(null)), "not found"),
        (of(&plain, json!(-1), json!(null)), "0 or more"),
        (of(&plain, json!(null), json!(null)), "0 or more"),
        (of(&plain, json!(1), json!(["t1"])), "no serials"),
        (of(&traced, json!(3), json!(["t1", "t2"])), "2 serials"),
        (of(&traced, json!(1), json!(null)), "0 serials"),
        (of(&traced, json!(1), json!([])), "0 serials"),
        (of(&traced, json!(null), json!(null)), "which serials"),
        (of(&traced, json!(2), json!(["t1", "t1"])), "twice"),
        (of(&traced, json!(1), json!(["none"])), "Serial none not found"),
        (of(&traced, json!(1), json!(["gone"])), "GONE is deleted"),
        (of(&traced, json!(1), json!(["p1"])), "P-1 is not of product TRACED"),
    ] {
        let text = floor.refused("COUNT_COMPLETED", event.clone()).await;
        assert!(text.contains(word), "{event}: {text}");
    }
    floor.change("InventoryCountSession", "s", json!({"status": "completed"})).await;
    assert!(floor.refused("COUNT_COMPLETED", of(&plain, json!(1), json!(null))).await.contains("completed"));
    for key in [&plain, &traced] {
        assert_eq!(floor.record(key).await["status"], "started");
    }
    floor.change("InventoryCountSession", "s", json!({"status": "started"})).await;
    floor.post("COUNT_COMPLETED", of(&traced, json!(null), json!(["t2", "t1"]))).await;
    assert_eq!(floor.record(&traced).await["counted_qt"], 2);
    floor.post("COUNT_COMPLETED", of(&plain, json!(0.123_456_7), json!([]))).await;
    let record = floor.record(&plain).await;
    assert_eq!((&record["counted_qt"], &record["counted_serial_keys"]), (&json!(0.123_457), &Value::Null));
    assert!(floor.refused("COUNT_COMPLETED", of(&plain, json!(1), json!(null))).await.contains("is completed"));
}

#[tokio::test]
async fn an_ended_count_frees_the_stock_and_takes_the_place_of_the_users_earlier_one() {
    let floor = Floor::open().await;
    let others = floor.count("other", "P", "A1", 9.0).await;
    let first = floor.count("worker", "P", "A1", 8.0).await;
    let stock = floor.stock_record("pa").await;
    assert_eq!((&stock["counting"], &stock["count_by"]), (&json!(false), &Value::Null));
    let key = floor.begin("worker", "P", "A1").await;
    let event =
        json!({"count_key": key, "count_qt": 9, "notes": "dusty", "timestamp": chrono::Utc::now().to_rfc3339()});
    let detail = floor.post("COUNT_COMPLETED", event).await;
    assert_eq!(detail["count_record_key"], json!(key));
    assert!(detail["message"].as_str().unwrap().contains("PLAIN at A1-code"));
    let record = floor.record(&key).await;
    assert_eq!((&record["status"], &record["notes"]), (&json!("completed"), &json!("dusty")));
    assert_eq!(floor.stock_record("pa").await["last_counted"], record["counted_at"]);
    let discarded = floor.record(&first).await;
    assert_eq!(discarded["status"], "discarded");
    assert!(discarded["reviewed_at"].is_string());
    assert_eq!(floor.record(&others).await["status"], "completed", "counts of others stand beside it");
    let children = floor.events("COUNT_DISCARDED").await;
    assert_eq!(children.len(), 1);
    assert_eq!((&children[0]["count_key"], &children[0]["primary"]), (&json!(first), &json!(false)));
    let parent = floor.events("COUNT_COMPLETED").await.pop().unwrap();
    assert_eq!(children[0]["event_group"], parent["event_group"]);
    let edges = floor.warehouse.documents("event_source").await;
    assert_eq!(edges.len(), 1);
    assert_eq!(edges[0]["_from"], format!("Event/{}", parent["_key"].as_str().unwrap()));
}

#[tokio::test]
async fn anybody_cancels_an_open_count_and_its_stock_is_free() {
    let floor = Floor::open().await;
    let key = floor.begin("worker", "T", "B").await;
    for (keys, word) in [(json!(["pa"]), "pa is not of TRACED at B-code"), (json!(["t1b", "none"]), "none is not of")] {
        let text = floor.refused("COUNT_CANCELED", json!({"count_key": key, "inventory_keys": keys})).await;
        assert!(text.contains(word), "{text}");
    }
    let detail = floor.post_by("other", "COUNT_CANCELED", json!({"count_key": key, "inventory_keys": ["t1b"]})).await;
    assert_eq!(detail["count_record_key"], json!(key));
    assert_eq!(detail["inventory_keys_unlocked"], json!(["t1b", "t2b"]));
    assert_eq!(floor.record(&key).await, Value::Null);
    for stock in ["t1b", "t2b"] {
        assert_eq!(floor.stock_record(stock).await["counting"], false);
    }
    let key = floor.begin("worker", "P", "A1").await;
    floor.change("InventoryCountSession", "s", json!({"status": "completed"})).await;
    floor.post("COUNT_CANCELED", json!({"count_key": key})).await;
    assert!(floor.refused("COUNT_CANCELED", json!({"count_key": key})).await.contains("not found"));
}

#[tokio::test]
async fn only_what_was_counted_is_discarded_and_only_in_a_session_under_review() {
    let floor = Floor::open().await;
    let open = floor.begin("worker", "Q", "A1").await;
    assert!(floor.refused("COUNT_DISCARDED", json!({"count_key": open})).await.contains("is started"));
    let key = floor.count("worker", "P", "A1", 8.0).await;
    floor.change("InventoryCountSession", "s", json!({"status": "applied"})).await;
    assert!(floor.refused("COUNT_DISCARDED", json!({"count_key": key})).await.contains("applied"));
    floor.change("InventoryCountSession", "s", json!({"status": "completed"})).await;
    floor.change("inventory_count_record", &key, json!({"status": "submitted"})).await;
    let detail = floor.post_by("other", "COUNT_DISCARDED", json!({"count_key": key})).await;
    assert_eq!(detail["count_record_key"], json!(key));
    let record = floor.record(&key).await;
    assert_eq!(record["status"], "discarded");
    assert!(record["reviewed_at"].is_string());
    assert!(floor.refused("COUNT_DISCARDED", json!({"count_key": key})).await.contains("is discarded"));
}

#[tokio::test]
async fn an_import_of_counts_cannot_be_posted() {
    let floor = Floor::open().await;
    assert!(floor.refused("COUNT_IMPORTED", json!({"count_session_key": "s"})).await.contains("internal"));
}
