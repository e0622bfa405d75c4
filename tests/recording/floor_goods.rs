//! What completing a batch moves in stock: what is made comes in, the components that are used go out.

use serde_json::{Value, json};

use crate::floor_support::Floor;

/// A floor of one phase that keeps stock; each pump takes two caps (`c`), of which so many lie at `IN`.
async fn floor(caps: f64) -> Floor {
    let floor = Floor::with(&["p1"], |job| job["parameters"]["auto_new_batch"] = false.into()).await;
    floor.change("Config", "enable_inventory_management", json!({"value": true})).await;
    floor.change("Product", "p", json!({"manage_inventory": true})).await;
    floor
        .service
        .seed("Product", json!([{"_key": "c", "code": "CAP", "manage_inventory": true, "trash": false}]))
        .await;
    let line =
        json!({"component_key": "c", "component_code": "CAP", "qt": 2, "phase_key": "p1", "consumption_options": {}});
    floor.change("WorkOrder", "w", json!({"wo_bom": [line]})).await;
    if caps > 0.0 {
        stocked(&floor, "a", "c", Value::Null, caps).await;
    }
    floor
}

async fn stocked(floor: &Floor, key: &str, product: &str, serial: Value, quantity: f64) {
    let record = json!({"_key": key, "_from": format!("Product/{product}"), "_to": "Position/IN", "serial_key": serial,
        "quantity": quantity, "owned": true, "counting": false, "locked": false});
    floor.service.seed("is_in_position", json!([record])).await;
}

/// How much of a product lies somewhere.
async fn stock(floor: &Floor, product: &str) -> f64 {
    let from = format!("Product/{product}");
    let records = floor.documents("is_in_position").await;
    records
        .iter()
        .filter(|record| record["_from"] == json!(from))
        .map(|record| record["quantity"].as_f64().unwrap())
        .sum()
}

// 71
#[tokio::test]
async fn a_completed_batch_comes_into_stock_and_takes_its_components() {
    let floor = floor(10.0).await;
    let batch = floor.start("j1").await;
    floor.complete("j1").await.ok();
    assert_eq!((stock(&floor, "p").await, stock(&floor, "c").await), (5.0, 0.0));
    assert_eq!(floor.stored("is_in_position", "a").await, Value::Null, "nothing is left of the record");
    let movements = floor.documents("movement").await;
    assert_eq!(movements.len(), 2);
    for movement in &movements {
        let references = &movement["references"];
        let keys = [&references["work_order_key"], &references["job_key"], &references["batch_key"]];
        assert_eq!(keys, [&json!("w"), &json!("j1"), &json!(batch)], "{movement}");
        assert_eq!((&movement["status"], &movement["start"]), (&json!("completed"), &movement["end"]));
    }
    let events = floor.events("MOVEMENT_COMPLETED").await;
    assert_eq!(
        (&events[0]["movement_type"], &events[1]["movement_type"]),
        (&json!("production"), &json!("consumption"))
    );
    assert!(events.iter().all(|event| event["primary"] == false));
}

// 71
#[tokio::test]
async fn without_enough_components_nothing_changes() {
    let floor = floor(9.0).await;
    floor.start("j1").await;
    floor.complete("j1").await.refused("InventoryMovementException", "");
    assert_eq!((stock(&floor, "p").await, stock(&floor, "c").await), (0.0, 9.0));
    let job = floor.job("j1").await;
    assert_eq!((job["qt_completed"].as_f64(), &job["active"]), (Some(0.0), &json!(true)));
    assert!(floor.events("BATCH_COMPLETED").await.is_empty() && floor.documents("movement").await.is_empty());
}

#[tokio::test]
async fn without_stock_or_for_products_that_are_not_kept_nothing_is_moved() {
    let floor = floor(10.0).await;
    floor.change("Config", "enable_inventory_management", json!({"value": false})).await;
    floor.start("j1").await;
    floor.complete("j1").await.ok();
    floor.change("Config", "enable_inventory_management", json!({"value": true})).await;
    floor.change("Product", "p", json!({"manage_inventory": false})).await;
    floor.change("Product", "c", json!({"manage_inventory": false})).await;
    floor.job_event("JOB_RESUMED", "j1").await.ok();
    floor.complete("j1").await.ok();
    assert!(floor.documents("movement").await.is_empty());
}

#[tokio::test]
async fn a_declared_quantity_moves_its_goods_too() {
    let floor = floor(10.0).await;
    let over = json!({"job_key": "j1", "new_job_qt_completed": 3});
    floor.post(&floor.s, "PROGRESS_OVERRIDE_REQUESTED", over).await.ok();
    assert_eq!((stock(&floor, "p").await, stock(&floor, "c").await), (3.0, 4.0));
    let movements = floor.documents("movement").await;
    assert!(movements.iter().all(|movement| movement["reason"].as_str().is_some_and(|reason| reason.contains('s'))));
}

// 95, without serials
#[tokio::test]
async fn a_reset_and_a_smaller_quantity_take_back_what_was_moved() {
    let floor = floor(10.0).await;
    floor.start("j1").await;
    floor.complete("j1").await.ok();
    floor.post(&floor.s, "JOB_RESET", json!({"job_key": "j1"})).await.ok();
    assert_eq!((stock(&floor, "p").await, stock(&floor, "c").await), (0.0, 10.0));
    assert_eq!(floor.events("MOVEMENT_REVERSED").await.len(), 2);
    for wanted in [5, 2, 0] {
        let over = json!({"job_key": "j1", "new_job_qt_completed": wanted});
        floor.post(&floor.s, "PROGRESS_OVERRIDE_REQUESTED", over).await.ok();
        let wanted = f64::from(wanted);
        assert_eq!((stock(&floor, "p").await, stock(&floor, "c").await), (wanted, 10.0 - 2.0 * wanted));
    }
}

// 95
#[tokio::test]
async fn a_reset_of_a_closed_traced_last_phase_takes_everything_back() {
    let floor = Floor::traced(&["p1"]).await;
    floor.change("Config", "enable_inventory_management", json!({"value": true})).await;
    floor.change("Product", "p", json!({"manage_inventory": true})).await;
    floor.change("Job", "j1", json!({"parameters": {"production_batch_qt": 0}})).await;
    floor.start("j1").await;
    floor.complete("j1").await.ok();
    assert_eq!((stock(&floor, "p").await, &floor.order().await["status"]), (10.0, &json!("closed")));
    floor.post(&floor.s, "JOB_RESET", json!({"job_key": "j1"})).await.ok();
    assert_eq!(stock(&floor, "p").await, 0.0);
    assert_eq!(floor.events("MOVEMENT_REVERSED").await.len(), 10);
    assert!(floor.documents("Serial").await.iter().all(|serial| serial["deleted"] != false));
    assert_eq!((floor.site_queue().await, floor.queue_of("u").await), (json!(["w"]), json!(["j1"])));
}

// 89, and components with serials
#[tokio::test]
async fn components_with_serials_are_those_that_were_declared() {
    let floor = floor(0.0).await;
    floor.change("Product", "c", json!({"traceability_level": "complete"})).await;
    floor.change("Job", "j1", json!({"parameters": {"production_batch_qt": 1}})).await;
    let serial = |number: usize| json!({"_key": format!("x{number}"), "code": format!("X{number}"), "product_key": "c", "deleted": false, "data": []});
    floor.service.seed("Serial", (1..=2).map(serial).collect()).await;
    let batch = floor.start("j1").await;
    let link = |number: usize| {
        json!({"_key": format!("l{number}"), "_from": format!("Batch/{batch}"), "_to": format!("Serial/x{number}"), "wo_key": "w",
        "phase_key": "p1", "component_key": "c", "job_key": "j1", "batch_key": batch, "confirmed": false, "replaced": false})
    };
    floor.service.seed("contains", json!([link(1)])).await;
    floor.complete("j1").await.refused("ValueError", "CAP: 2 component serials needed, 1 declared");
    floor.service.seed("contains", json!([link(2)])).await;
    floor.complete("j1").await.refused("InventoryMovementException", "");
    stocked(&floor, "s1", "c", json!("x1"), 1.0).await;
    stocked(&floor, "s2", "c", json!("x2"), 1.0).await;
    floor.complete("j1").await.ok();
    assert_eq!(stock(&floor, "c").await, 0.0);
    assert_eq!(floor.documents("movement").await.iter().filter(|one| one["type"] == "consumption").count(), 2);
    assert_eq!(floor.stored("contains", "l1").await["confirmed"], true);
}
