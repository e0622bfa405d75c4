//! `MOVEMENT_COMPLETED` and what it does to stock. Numbers are those of the acceptance cases.

use serde_json::{Value, json};

use crate::stock_support::{
    MOVEMENT, VALUE, Warehouse, done, journal, key, moved, not_moved, post, refused, typed, types,
};

const NOTHING: [&str; 0] = [];

// 1
#[tokio::test]
async fn a_receipt_makes_a_record_a_movement_and_two_events_of_one_group() {
    let warehouse = Warehouse::open().await;
    let movement =
        moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A1", "qt_confirmed": 5})).await;
    assert_eq!(warehouse.stock().await, ["P@A1=5"]);
    for (member, value) in [
        ("_from", json!("Position/OUT")),
        ("_to", json!("Position/A1")),
        ("type", json!("receipt")),
        ("status", json!("completed")),
        ("product_key", json!("P")),
        ("product_code", json!(null)),
        ("serial_key", json!(null)),
        ("serial_code", json!(null)),
        ("user_key", json!("worker")),
        ("reason", json!(null)),
        ("movement_list_key", json!(null)),
        ("inverse_movement_key", json!(null)),
        ("extra", json!(null)),
    ] {
        assert_eq!(movement[member], value, "{member}");
    }
    for (member, value) in [("qt_planned", 5.0), ("qt_confirmed", 5.0), ("qt_reverted", 0.0)] {
        assert_eq!(movement[member].as_f64(), Some(value), "{member}");
    }
    assert_eq!((&movement["start"], &movement["end"]), (&movement["created"], &movement["created"]));
    assert_eq!(warehouse.document("movement", key(&movement)).await.unwrap(), movement);
    let record =
        warehouse.documents("is_in_position").await.into_iter().find(|row| row["_from"] == "Product/P").unwrap();
    for (member, value) in [
        ("owned", json!(true)),
        ("counting", json!(false)),
        ("count_by", json!(null)),
        ("last_counted", json!(null)),
        ("locked", json!(false)),
        ("locked_by", json!(null)),
        ("value", json!(null)),
        ("extra", json!(null)),
        ("serial_key", json!(null)),
    ] {
        assert_eq!(record[member], value, "{member}");
    }
    let events = journal(&warehouse).await;
    assert_eq!(types(&events), ["MOVEMENT_COMPLETED", "INVENTORY_CHANGED"]);
    assert_eq!(events[0]["event_group"], events[1]["event_group"]);
    assert_eq!((&events[0]["movement_key"], &events[0]["position_from"]), (&movement["_key"], &json!("OUT")));
    let change = &events[1];
    assert_eq!((&change["position_key"], &change["product_key"]), (&json!("A1"), &json!("P")));
    assert_eq!((change["quantity_change"].as_f64(), change["quantity_after"].as_f64()), (Some(5.0), Some(5.0)));
    let sources = warehouse.documents("event_source").await;
    assert_eq!(sources.len(), 1);
    assert_eq!((&sources[0]["_from"], &sources[0]["_to"]), (&events[0]["_id"], &events[1]["_id"]));
}

// 2
#[tokio::test]
async fn a_receipt_lands_in_the_root_unless_a_position_is_named_by_key_or_identifier() {
    let warehouse = Warehouse::open().await;
    moved(&warehouse, "receipt", json!({"product_key": "P"})).await;
    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": ""})).await;
    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "Position/A1", "position_from": "B"})).await;
    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A1"})).await;
    assert_eq!(warehouse.stock().await, ["P@A1=2", "P@IN=2"]);
}

// 3
#[tokio::test]
async fn a_traced_receipt_needs_a_serial() {
    let warehouse = Warehouse::open().await;
    for members in [json!({"product_key": "T"}), json!({"product_key": "T", "serial_code": " "})] {
        not_moved(&warehouse, "receipt", members, MOVEMENT).await;
    }
    assert_eq!((warehouse.documents("Event").await.len(), warehouse.documents("movement").await.len()), (0, 0));
    assert_eq!(warehouse.stock().await, NOTHING);
}

// 4
#[tokio::test]
async fn a_receipt_brings_an_unknown_serial_in_once() {
    let warehouse = Warehouse::open().await;
    let members = json!({"product_key": "T", "serial_code": " ab1 ", "position_to": "A"});
    let movement = moved(&warehouse, "receipt", members.clone()).await;
    let serials = warehouse.documents("Serial").await;
    let made = serials.iter().find(|serial| serial["code"] == "AB1").unwrap();
    assert_eq!(made["released"], movement["end"]);
    assert_eq!((&made["product_key"], &made["created_by"]), (&json!("T"), &json!("User/worker")));
    assert_eq!(warehouse.stock().await, [format!("T@A[{}]=1", key(made))]);
    assert_eq!((&movement["serial_key"], &movement["serial_code"]), (&made["_key"], &json!("AB1")));
    let events = journal(&warehouse).await;
    assert_eq!(types(&events), ["MOVEMENT_COMPLETED", "SERIAL_CREATED", "INVENTORY_CHANGED"]);
    assert!(events.iter().all(|event| event["serial_key"] == made["_key"]));
    let text = not_moved(&warehouse, "receipt", members, MOVEMENT).await;
    assert!(text.contains("A-code") && text.contains("AB1"), "{text}");
    assert_eq!(warehouse.documents("Serial").await.len(), serials.len());
}

// 5
#[tokio::test]
async fn a_serial_that_was_shipped_comes_back_by_code_or_key() {
    let warehouse = Warehouse::open().await;
    for name in
        [json!({"serial_code": "T-1"}), json!({"serial_key": "t1"}), json!({"serial_key": "t1", "serial_code": "t-1"})]
    {
        let mut members = name.clone();
        members["product_key"] = "T".into();
        moved(&warehouse, "receipt", members.clone()).await;
        assert_eq!(warehouse.stock().await, ["T@IN[t1]=1"]);
        moved(&warehouse, "shipment", members).await;
        assert_eq!(warehouse.stock().await, NOTHING);
    }
    assert_eq!(warehouse.documents("Serial").await.len(), 2);
}

// 6
#[tokio::test]
async fn quantities_are_above_zero_and_one_for_a_serial() {
    let warehouse = Warehouse::open().await;
    let with = |members: Value, quantity: f64| {
        let mut members = members;
        members["qt_confirmed"] = quantity.into();
        members
    };
    let serial = json!({"product_key": "T", "serial_key": "t1"});
    not_moved(&warehouse, "receipt", with(serial, 2.0), VALUE).await;
    for kind in ["receipt", "shipment", "production", "consumption", "transfer", "adjustment"] {
        let members = json!({"product_key": "P", "position_from": "A", "position_to": if kind == "adjustment" { "A" } else { "B" }});
        not_moved(&warehouse, kind, with(members.clone(), 0.0), VALUE).await;
        not_moved(&warehouse, kind, with(members, 0.000_000_4), VALUE).await;
    }
    not_moved(&warehouse, "receipt", with(json!({"product_key": "P"}), -1.0), VALUE).await;
    assert_eq!(warehouse.documents("movement").await, [json!(null); 0]);
}

// 7
#[tokio::test]
async fn a_serial_fits_its_product_and_its_two_names_agree() {
    let warehouse = Warehouse::open().await;
    let other = json!([{"_key": "U", "code": "OTHER", "traceability_level": "form_only"}]);
    warehouse.service.seed("Product", other).await;
    not_moved(&warehouse, "receipt", json!({"product_key": "P", "serial_code": "X"}), MOVEMENT).await;
    not_moved(&warehouse, "receipt", json!({"product_key": "P", "serial_key": "t1"}), MOVEMENT).await;
    not_moved(&warehouse, "receipt", json!({"product_key": "U", "serial_key": "t1"}), MOVEMENT).await;
    not_moved(&warehouse, "receipt", json!({"product_key": "T", "serial_key": "none"}), MOVEMENT).await;
    let both = json!({"product_key": "T", "serial_key": "t1", "serial_code": "T-2"});
    not_moved(&warehouse, "receipt", both, VALUE).await;
}

// 8, 10
#[tokio::test]
async fn stock_goes_down_to_nothing_and_no_further() {
    let warehouse = Warehouse::open().await;
    let ship = |quantity: f64| json!({"product_key": "P", "position_from": "A", "qt_confirmed": quantity});
    let receive = |quantity: f64| json!({"product_key": "P", "position_to": "A", "qt_confirmed": quantity});
    moved(&warehouse, "receipt", receive(5.0)).await;
    let text = not_moved(&warehouse, "shipment", ship(6.0), MOVEMENT).await;
    for part in ["PLAIN", "A-code", "-6", "5"] {
        assert!(text.contains(part), "{text}");
    }
    moved(&warehouse, "shipment", ship(2.0)).await;
    assert_eq!(warehouse.stock().await, ["P@A=3"]);
    moved(&warehouse, "shipment", ship(3.0)).await;
    assert_eq!(warehouse.stock().await, NOTHING);
    not_moved(&warehouse, "shipment", ship(1.0), MOVEMENT).await;
    moved(&warehouse, "receipt", receive(0.1)).await;
    moved(&warehouse, "receipt", receive(0.2)).await;
    assert_eq!(warehouse.stock().await, ["P@A=0.3"]);
    moved(&warehouse, "shipment", ship(0.3)).await;
    assert_eq!(warehouse.stock().await, NOTHING);
}

// 9
#[tokio::test]
async fn a_traced_shipment_names_a_serial_that_lies_there() {
    let warehouse = Warehouse::open().await;
    moved(&warehouse, "receipt", json!({"product_key": "T", "serial_key": "t1", "position_to": "A"})).await;
    let from = |members: Value| {
        let mut members = members;
        members["product_key"] = "T".into();
        members
    };
    for members in [
        json!({"position_from": "A"}),
        json!({"position_from": "A", "serial_code": "T-9"}),
        json!({"position_from": "A", "serial_key": "t2"}),
        json!({"position_from": "B", "serial_key": "t1"}),
    ] {
        not_moved(&warehouse, "shipment", from(members), MOVEMENT).await;
    }
    moved(&warehouse, "shipment", from(json!({"position_from": "A", "serial_code": "t-1"}))).await;
    assert_eq!(warehouse.stock().await, NOTHING);
}

// 11
#[tokio::test]
async fn untraced_stock_goes_below_zero_where_the_product_allows_it() {
    let warehouse = Warehouse::open().await;
    let products = json!([
        {"_key": "N", "code": "NEGATIVE", "allow_negative_inventory": true},
        {"_key": "M", "code": "MIXED", "allow_negative_inventory": true, "traceability_level": "complete"},
    ]);
    warehouse.service.seed("Product", products).await;
    warehouse.service.seed("Serial", json!([{"_key": "m1", "code": "M-1", "product_key": "M"}])).await;
    moved(&warehouse, "consumption", json!({"product_key": "N", "qt_confirmed": 3})).await;
    assert_eq!(warehouse.stock().await, ["N@IN=-3"]);
    moved(&warehouse, "receipt", json!({"product_key": "N", "qt_confirmed": 3})).await;
    assert_eq!(warehouse.stock().await, NOTHING);
    not_moved(&warehouse, "consumption", json!({"product_key": "M", "serial_key": "m1"}), MOVEMENT).await;
}

// 12
#[tokio::test]
async fn an_adjustment_corrects_one_position_up_or_down() {
    let warehouse = Warehouse::open().await;
    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A", "qt_confirmed": 5})).await;
    let by = |quantity: i64| json!({"product_key": "P", "position_to": "A", "qt_confirmed": quantity});
    let movement = moved(&warehouse, "adjustment", by(3)).await;
    assert_eq!((&movement["_from"], &movement["_to"]), (&json!("Position/A"), &json!("Position/A")));
    assert_eq!(warehouse.stock().await, ["P@A=8"]);
    not_moved(&warehouse, "adjustment", by(-9), MOVEMENT).await;
    moved(&warehouse, "adjustment", json!({"product_key": "P", "position_from": "A", "qt_confirmed": -8})).await;
    assert_eq!(warehouse.stock().await, NOTHING);
    not_moved(&warehouse, "adjustment", json!({"product_key": "P"}), VALUE).await;
    not_moved(&warehouse, "adjustment", json!({"product_key": "P", "position_from": "A", "position_to": "B"}), VALUE)
        .await;
    let serial = |position: &str, quantity: i64| json!({"product_key": "T", "serial_key": "t1", "position_to": position, "qt_confirmed": quantity});
    moved(&warehouse, "adjustment", serial("A", 1)).await;
    not_moved(&warehouse, "adjustment", serial("B", 1), MOVEMENT).await;
    moved(&warehouse, "adjustment", serial("A", -1)).await;
    assert_eq!(warehouse.stock().await, NOTHING);
}

// 13
#[tokio::test]
async fn a_transfer_takes_from_one_position_and_puts_into_another() {
    let warehouse = Warehouse::open().await;
    warehouse.service.seed("Position", json!([{"_key": "GONE", "code": "GONE", "deleted": true}])).await;
    let stock = json!([{"_key": "old", "_from": "Product/P", "_to": "Position/A", "quantity": 5, "owned": false,
        "extra": {"lot": 7}, "value": 3, "last_counted": "2026-01-01"}]);
    warehouse.service.seed("is_in_position", stock).await;
    let to =
        |position: &str| json!({"product_key": "P", "position_from": "A", "position_to": position, "qt_confirmed": 2});
    moved(&warehouse, "transfer", to("B")).await;
    assert_eq!(warehouse.stock().await, ["P@A=3", "P@B=2"]);
    let records = warehouse.documents("is_in_position").await;
    let new = records.iter().find(|row| row["_from"] == "Product/P" && row["_to"] == "Position/B").unwrap();
    assert_eq!((&new["owned"], &new["extra"], &new["value"]), (&json!(false), &json!({"lot": 7}), &json!(null)));
    let old = warehouse.document("is_in_position", "old").await.unwrap();
    assert_eq!((&old["owned"], &old["last_counted"]), (&json!(false), &json!("2026-01-01")), "what it is stays");
    not_moved(&warehouse, "transfer", to("A"), VALUE).await;
    not_moved(&warehouse, "transfer", json!({"product_key": "P", "position_from": "A"}), VALUE).await;
    for position in ["GONE", "NULL", "none"] {
        not_moved(&warehouse, "transfer", to(position), MOVEMENT).await;
    }
    let serial = json!({"product_key": "T", "serial_key": "t1", "position_from": "IN", "position_to": "OUT"});
    moved(&warehouse, "receipt", json!({"product_key": "T", "serial_key": "t1"})).await;
    moved(&warehouse, "transfer", serial).await;
    assert_eq!(warehouse.stock().await, ["P@A=3", "P@B=2", "T@OUT[t1]=1"], "OUT holds ordinary stock too");
}

// 14
#[tokio::test]
async fn reversals_and_what_the_service_records_itself_are_not_posted() {
    let warehouse = Warehouse::open().await;
    let text = not_moved(&warehouse, "reversal", json!({"product_key": "P"}), MOVEMENT).await;
    assert!(text.contains("MOVEMENT_REVERSED"), "{text}");
    for event_type in
        ["INVENTORY_CHANGED", "MOVEMENT_CREATED", "COUNT_IMPORTED", "INVENTORY_PRODUCED", "INVENTORY_CONSUMED"]
    {
        refused(&warehouse, event_type, json!({}), VALUE).await;
    }
}

// 15
#[tokio::test]
async fn a_container_moves_with_what_is_in_it() {
    let warehouse = Warehouse::open().await;
    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "BOX"})).await;
    let before = warehouse.stock().await;
    let movement = moved(&warehouse, "transfer", json!({"position_from": "BOX", "position_to": "A1"})).await;
    assert_eq!((&movement["_from"], &movement["_to"]), (&json!("Position/BOX"), &json!("Position/A1")));
    assert_eq!(warehouse.document("is_in_position", "link-BOX").await.unwrap()["_to"], "Position/A1");
    assert_eq!(warehouse.stock().await, before);
    let events = journal(&warehouse).await;
    assert_eq!(types(&events), ["MOVEMENT_COMPLETED", "INVENTORY_CHANGED", "MOVEMENT_COMPLETED"]);
}

#[tokio::test]
async fn a_container_has_one_place_afterwards_whether_it_had_none_or_several() {
    let warehouse = Warehouse::open().await;
    warehouse.service.seed("Position", json!([{"_key": "NEW", "code": "NEW", "fixed": false}])).await;
    let twice = json!([{"_key": "again", "_from": "Position/BOX", "_to": "Position/B"}]);
    warehouse.service.seed("is_in_position", twice).await;
    for container in ["NEW", "BOX"] {
        moved(&warehouse, "transfer", json!({"position_from": container, "position_to": "A1"})).await;
        let links = warehouse.documents("is_in_position").await.into_iter();
        let links: Vec<Value> = links.filter(|link| link["_from"] == format!("Position/{container}")).collect();
        assert_eq!((links.len(), &links[0]["_to"]), (1, &json!("Position/A1")), "{container}");
    }
}

// 16
#[tokio::test]
async fn a_container_is_not_moved_when_it_is_fixed_or_counted_or_would_be_in_itself() {
    let warehouse = Warehouse::open().await;
    let positions =
        json!([{"_key": "TRAY", "code": "TRAY", "fixed": false}, {"_key": "CUP", "code": "CUP", "fixed": false}]);
    warehouse.service.seed("Position", positions).await;
    let links = json!([
        {"_from": "Position/TRAY", "_to": "Position/BOX"}, {"_from": "Position/CUP", "_to": "Position/TRAY"},
    ]);
    warehouse.service.seed("is_in_position", links).await;
    let tree = warehouse.documents("is_in_position").await;
    let into = |from: &str, to: &str| json!({"position_from": from, "position_to": to});
    for (from, to) in
        [("A", "B"), ("IN", "A"), ("BOX", "BOX"), ("BOX", "CUP"), ("BOX", "OUT"), ("BOX", "NULL"), ("BOX", "none")]
    {
        not_moved(&warehouse, "transfer", into(from, to), MOVEMENT).await;
    }
    assert_eq!(warehouse.documents("is_in_position").await, tree);
    let counted =
        json!([{"_from": "Product/P", "_to": "Position/CUP", "quantity": 1, "counting": true, "count_by": "worker"}]);
    warehouse.service.seed("is_in_position", counted).await;
    let count = json!([{"_key": "c", "_from": "Product/P", "_to": "Position/CUP", "status": "started"}]);
    warehouse.service.seed("inventory_count_record", count).await;
    let text = not_moved(&warehouse, "transfer", into("BOX", "A"), MOVEMENT).await;
    assert!(text.contains("counted"), "{text}");
    warehouse.service.seed("Position", json!([{"_key": "BAG", "code": "BAG", "fixed": false}])).await;
    let stale =
        json!([{"_key": "stale", "_from": "Product/P", "_to": "Position/BAG", "quantity": 1, "counting": true}]);
    warehouse.service.seed("is_in_position", stale).await;
    moved(&warehouse, "transfer", into("BAG", "A")).await;
    assert_eq!(warehouse.document("is_in_position", "stale").await.unwrap()["counting"], false);
}

// 17
#[tokio::test]
async fn stock_that_is_counted_or_locked_stays_and_marks_that_mean_nothing_go() {
    let warehouse = Warehouse::open().await;
    let service = &warehouse.service;
    service.seed("User", json!([{"_key": "carla", "username": "carla", "name": "Carla", "surname": "Conti"}])).await;
    let record = |key: &str, position: &str, more: Value| {
        let mut record =
            json!({"_key": key, "_from": "Product/P", "_to": format!("Position/{position}"), "quantity": 5});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        record
    };
    let counting = json!({"counting": true, "count_by": "carla"});
    let stock = json!([
        record("counted", "A", counting.clone()),
        record("locked", "B", json!({"locked": true, "locked_by": "running"})),
        record("stale-count", "A1", counting),
        record("stale-lock", "A11", json!({"locked": true, "locked_by": "over"})),
    ]);
    service.seed("is_in_position", stock).await;
    service
        .seed(
            "inventory_count_record",
            json!([
                {"_from": "Product/P", "_to": "Position/A", "status": "started"},
                {"_from": "Product/P", "_to": "Position/A1", "status": "completed"},
            ]),
        )
        .await;
    let sessions =
        json!([{"_key": "running", "code": "CS-1", "status": "processing"}, {"_key": "over", "status": "applied"}]);
    service.seed("InventoryCountSession", sessions).await;
    let ship = |position: &str| json!({"product_key": "P", "position_from": position});
    let text = not_moved(&warehouse, "shipment", ship("A"), MOVEMENT).await;
    assert!(text.contains("Carla Conti"), "{text}");
    let text = not_moved(&warehouse, "shipment", ship("B"), MOVEMENT).await;
    assert!(text.contains("CS-1"), "{text}");
    moved(&warehouse, "shipment", ship("A1")).await;
    moved(&warehouse, "shipment", ship("A11")).await;
    for (key, flag, by) in [("stale-count", "counting", "count_by"), ("stale-lock", "locked", "locked_by")] {
        let record = warehouse.document("is_in_position", key).await.unwrap();
        assert_eq!((&record[flag], &record[by]), (&json!(false), &json!(null)), "{key}");
        assert_eq!(record["quantity"].as_f64(), Some(4.0));
    }
}

#[tokio::test]
async fn several_records_of_one_place_are_joined_and_odd_serial_records_go() {
    let warehouse = Warehouse::open().await;
    let stock = json!([
        {"_key": "k1", "_from": "Product/P", "_to": "Position/A", "quantity": 2},
        {"_key": "k2", "_from": "Product/P", "_to": "Position/A", "quantity": 3, "serial_key": null},
        {"_key": "k3", "_from": "Product/T", "_to": "Position/A", "quantity": 2, "serial_key": "t1"},
    ]);
    warehouse.service.seed("is_in_position", stock).await;
    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A"})).await;
    let records = warehouse.documents("is_in_position").await;
    let left: Vec<&Value> = records.iter().filter(|row| row["_from"] == "Product/P").collect();
    assert_eq!((left.len(), key(left[0]), left[0]["quantity"].as_f64()), (1, "k1", Some(6.0)));
    moved(&warehouse, "shipment", json!({"product_key": "T", "serial_key": "t1", "position_from": "A"})).await;
    assert_eq!(warehouse.stock().await, ["P@A=6"]);
}

#[tokio::test]
async fn a_deleted_serial_only_leaves() {
    let warehouse = Warehouse::open().await;
    warehouse.service.seed("Serial", json!([{"_key": "d", "code": "D", "product_key": "T", "deleted": "event"}])).await;
    let stock = json!([{"_from": "Product/T", "_to": "Position/A", "quantity": 1, "serial_key": "d"}]);
    warehouse.service.seed("is_in_position", stock).await;
    let members = json!({"product_key": "T", "serial_key": "d", "position_from": "A"});
    moved(&warehouse, "shipment", members.clone()).await;
    not_moved(&warehouse, "receipt", members, MOVEMENT).await;
    moved(&warehouse, "receipt", json!({"product_key": "T", "serial_code": "D"})).await;
    assert_eq!(warehouse.documents("Serial").await.len(), 4, "the code of a deleted serial is free");
}

// 18
#[tokio::test]
async fn movements_are_posted_by_who_may_make_lists() {
    let warehouse = Warehouse::open().await;
    let operator = warehouse.service.token("o", "operator").await;
    let event =
        json!({"event_type": "MOVEMENT_COMPLETED", "movement_type": "receipt", "qt_confirmed": 1, "product_key": "P"});
    let (status, body) = warehouse.service.send(reqwest::Method::POST, "/event", &operator, event).await;
    assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("inventory:movement-list:create")));
}

#[tokio::test]
async fn unknown_products_and_missing_ones_are_refused() {
    let warehouse = Warehouse::open().await;
    not_moved(&warehouse, "receipt", json!({"product_key": "none"}), MOVEMENT).await;
    not_moved(&warehouse, "receipt", json!({}), MOVEMENT).await;
    not_moved(&warehouse, "transfer", json!({"position_from": "BOX"}), MOVEMENT).await;
    let members = json!({"position_from": "BOX", "position_to": "A", "serial_key": "t1"});
    not_moved(&warehouse, "transfer", members, MOVEMENT).await;
    let (status, body) = post(&warehouse, "MOVEMENT_COMPLETED", json!({"movement_type": "receipt"})).await;
    assert_eq!((status.as_u16(), &body["detail"]["error_type"]), (422, &json!("ValidationError")));
}

#[tokio::test]
async fn a_start_after_the_end_is_the_end() {
    let warehouse = Warehouse::open().await;
    let at = |start: &str| json!({"product_key": "P", "start": start, "timestamp": chrono::Utc::now().to_rfc3339()});
    let early = moved(&warehouse, "receipt", at("2026-01-01T08:00:00Z")).await;
    assert_eq!(early["start"], "2026-01-01T08:00:00.000000+00:00");
    let late = moved(&warehouse, "receipt", at("2999-01-01T08:00:00Z")).await;
    assert_eq!(late["start"], late["end"]);
}

// 22
#[tokio::test]
async fn a_planned_movement_is_completed_once_with_what_was_planned() {
    let warehouse = Warehouse::open().await;
    let list = json!({"code": "L", "type": "receipt", "movements": [
        {"product_key": "P", "position_to": "A", "qt_planned": 5, "movement_list_item": 1, "reason": "why"},
        {"product_key": "P", "position_to": "B", "qt_planned": 1, "movement_list_item": 2},
    ]});
    warehouse.post("/movement-list", list).await;
    let planned = warehouse.documents("movement").await;
    let first = planned.iter().find(|movement| movement["movement_list_item"].as_f64() == Some(1.0)).unwrap();
    let members = json!({"movement_key": key(first), "qt_confirmed": 3});
    let movement = moved(&warehouse, "receipt", members.clone()).await;
    assert_eq!((&movement["_key"], &movement["_to"]), (&first["_key"], &json!("Position/A")));
    assert_eq!((&movement["status"], &movement["start"]), (&json!("completed"), &movement["end"]));
    assert_eq!((movement["qt_planned"].as_f64(), movement["qt_confirmed"].as_f64()), (Some(5.0), Some(3.0)));
    assert_eq!((&movement["created"], &movement["reason"]), (&first["created"], &json!("why")));
    not_moved(&warehouse, "receipt", members, MOVEMENT).await;
    not_moved(&warehouse, "receipt", json!({"movement_key": "none"}), MOVEMENT).await;
    let second = planned.iter().find(|movement| movement["movement_list_item"].as_f64() == Some(2.0)).unwrap();
    for (kind, more) in [("shipment", json!({})), ("receipt", json!({"product_key": "Q"}))] {
        let mut members = more;
        members["movement_key"] = second["_key"].clone();
        not_moved(&warehouse, kind, members, VALUE).await;
    }
    assert_eq!(warehouse.stock().await, ["P@A=3"]);
    let list = &warehouse.documents("MovementList").await[0];
    assert_eq!((&list["status"], &list["start"], &list["end"]), (&json!("started"), &movement["start"], &json!(null)));
    moved(&warehouse, "receipt", json!({"movement_key": key(second), "position_to": "A1"})).await;
    assert_eq!(warehouse.stock().await, ["P@A1=1", "P@A=3"]);
    let list = &warehouse.documents("MovementList").await[0];
    assert_eq!((&list["status"], &list["start"]), (&json!("completed"), &movement["start"]));
    assert!(list["end"].is_string());
    assert_eq!(types(&journal(&warehouse).await).last(), Some(&"WAREHOUSE_LIST_CLOSED"));
}

#[tokio::test]
async fn a_movement_joins_a_list_of_its_type_whose_item_holds_its_product() {
    let warehouse = Warehouse::open().await;
    let lists = json!([
        {"_key": "l", "code": "L", "type": "receipt", "status": "planned"},
        {"_key": "gone", "code": "G", "type": "receipt", "status": "canceled"},
    ]);
    warehouse.service.seed("MovementList", lists).await;
    let into =
        |list: &str, product: &str| json!({"product_key": product, "movement_list_key": list, "movement_list_item": 1});
    let movement = moved(&warehouse, "receipt", into("l", "P")).await;
    assert_eq!((&movement["movement_list_key"], movement["movement_list_item"].as_f64()), (&json!("l"), Some(1.0)));
    assert_eq!(warehouse.document("MovementList", "l").await.unwrap()["status"], "completed");
    for (kind, members) in [
        ("receipt", into("none", "P")),
        ("receipt", into("gone", "P")),
        ("shipment", into("l", "P")),
        ("receipt", into("l", "Q")),
    ] {
        not_moved(&warehouse, kind, members, VALUE).await;
    }
    done(&warehouse, "MOVEMENT_COMPLETED", typed("receipt", into("l", "P"))).await;
    assert_eq!(warehouse.stock().await, ["P@IN=2"]);
}
