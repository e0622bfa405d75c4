//! Movements that are planned, confirmed in whole or in parts, undone and given up. Numbers are those of the acceptance cases.

use reqwest::Method;
use serde_json::{Value, json};

use crate::stock_support::{MOVEMENT, VALUE, Warehouse, done, journal, key, moved, refused, types};

const NOTHING: [&str; 0] = [];

/// Plans a movement.
async fn planned(warehouse: &Warehouse, movement_type: &str, members: Value) -> Value {
    let mut event = members;
    event["movement_type"] = movement_type.into();
    done(warehouse, "MOVEMENT_PLANNED", event).await
}

async fn stored(warehouse: &Warehouse, movement: &Value) -> Option<Value> {
    warehouse.document("movement", key(movement)).await
}

/// A planned receipt of ten pieces in a list.
async fn ten_planned(warehouse: &Warehouse) -> Value {
    let list = json!({"code": "L", "type": "receipt", "movements": [
        {"product_key": "P", "position_to": "A", "qt_planned": 10, "movement_list_item": 1, "reason": "why"},
    ]});
    warehouse.post("/movement-list", list).await;
    warehouse.documents("movement").await.remove(0)
}

// 19
#[tokio::test]
async fn a_movement_is_planned_and_changes_nothing_until_it_is_completed() {
    let warehouse = Warehouse::open().await;
    let movement =
        planned(&warehouse, "receipt", json!({"product_key": "P", "qt_planned": 3, "qt_confirmed": 2})).await;
    for (member, value) in
        [("status", json!("planned")), ("start", json!(null)), ("end", json!(null)), ("_to", json!("Position/IN"))]
    {
        assert_eq!(movement[member], value, "{member}");
    }
    assert_eq!((movement["qt_planned"].as_f64(), movement["qt_confirmed"].as_f64()), (Some(3.0), Some(0.0)));
    assert_eq!(warehouse.stock().await, NOTHING);
    let events = journal(&warehouse).await;
    assert_eq!((types(&events), &events[0]["new_movement_key"]), (vec!["MOVEMENT_PLANNED"], &movement["_key"]));
    let done_already = json!({"movement_type": "receipt", "product_key": "P", "status": "completed"});
    refused(&warehouse, "MOVEMENT_PLANNED", done_already, VALUE).await;

    let transfer = planned(&warehouse, "transfer", json!({"product_key": "P", "position_from": "A"})).await;
    assert_eq!(transfer["_to"], "Position/IN", "an absent end is the root");
    for members in [json!({"product_key": "P"}), json!({"product_key": "P", "position_from": "A", "position_to": "A"})]
    {
        let mut event = members;
        event["movement_type"] = "transfer".into();
        refused(&warehouse, "MOVEMENT_PLANNED", event, VALUE).await;
    }
    for quantity in [0, -1] {
        let event = json!({"movement_type": "receipt", "product_key": "P", "qt_planned": quantity});
        refused(&warehouse, "MOVEMENT_PLANNED", event, VALUE).await;
    }
    let container = planned(&warehouse, "transfer", json!({"position_from": "BOX", "position_to": "B"})).await;
    assert_eq!(warehouse.document("is_in_position", "link-BOX").await.unwrap()["_to"], "Position/IN");
    moved(&warehouse, "transfer", json!({"movement_key": key(&container)})).await;
    assert_eq!(warehouse.document("is_in_position", "link-BOX").await.unwrap()["_to"], "Position/B");
}

// 20
#[tokio::test]
async fn traced_pieces_are_planned_without_serials_or_one_by_one() {
    let warehouse = Warehouse::open().await;
    let movement = planned(&warehouse, "receipt", json!({"product_key": "T", "qt_planned": 3})).await;
    assert_eq!((&movement["serial_key"], movement["qt_planned"].as_f64()), (&json!(null), Some(3.0)));
    assert_eq!(warehouse.stock().await, NOTHING);
    let event = json!({"movement_type": "receipt", "product_key": "T", "serial_key": "t1", "qt_planned": 3});
    refused(&warehouse, "MOVEMENT_PLANNED", event, VALUE).await;
}

// 21
#[tokio::test]
async fn a_planned_receipt_makes_its_serial_known_and_takes_none_that_is_in_stock() {
    let warehouse = Warehouse::open().await;
    let movement = planned(&warehouse, "receipt", json!({"product_key": "T", "serial_code": "new"})).await;
    let serials = warehouse.documents("Serial").await;
    let made = serials.iter().find(|serial| serial["code"] == "NEW").unwrap();
    assert_eq!(movement["serial_key"], made["_key"]);
    moved(&warehouse, "receipt", json!({"product_key": "T", "serial_key": "t1"})).await;
    let event = json!({"movement_type": "receipt", "product_key": "T", "serial_code": "T-1"});
    refused(&warehouse, "MOVEMENT_PLANNED", event, MOVEMENT).await;
    let event = json!({"movement_type": "shipment", "product_key": "T", "serial_code": "T-9"});
    refused(&warehouse, "MOVEMENT_PLANNED", event, MOVEMENT).await;
}

// 23
#[tokio::test]
async fn a_movement_is_confirmed_with_the_whole_row_under_either_name_of_its_key() {
    let warehouse = Warehouse::open().await;
    warehouse.service.seed("User", json!([{"_key": "planner", "username": "planner"}])).await;
    for name in ["movement_key", "_key"] {
        let movement =
            planned(&warehouse, "receipt", json!({"product_key": "P", "qt_planned": 2, "user_key": "worker"})).await;
        let rows = warehouse.get("/movement?movement_status=planned").await;
        let mut row = rows[0].clone();
        row.as_object_mut().unwrap().remove("_key");
        row[name] = movement["_key"].clone();
        row["qt_confirmed"] = 2.into();
        assert_eq!(done(&warehouse, "MOVEMENT_UPDATED", row).await, json!(null));
        let after = stored(&warehouse, &movement).await.unwrap();
        assert_eq!((&after["status"], after["qt_confirmed"].as_f64()), (&json!("completed"), Some(2.0)), "{name}");
    }
    assert_eq!(warehouse.stock().await, ["P@IN=4"]);
    let event = journal(&warehouse).await.into_iter().rfind(|event| event["event_type"] == "MOVEMENT_UPDATED").unwrap();
    assert_eq!(event["movement_keys"], json!([event["movement_key"]]));
}

#[tokio::test]
async fn the_user_of_the_row_is_not_the_one_who_confirms() {
    let warehouse = Warehouse::open().await;
    let movement = planned(&warehouse, "receipt", json!({"product_key": "P"})).await;
    let other = warehouse.service.token("other", "warehouse").await;
    let row = |user: &str| json!({"event_type": "MOVEMENT_UPDATED", "_key": key(&movement), "qt_confirmed": 1, "user_key": user});
    let (status, _) = warehouse.service.send(Method::POST, "/event", &other, row("somebody")).await;
    assert_eq!(status, 403);
    let (status, body) = warehouse.service.send(Method::POST, "/event", &other, row("worker")).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(stored(&warehouse, &movement).await.unwrap()["user_key"], "other");
}

// 24
#[tokio::test]
async fn a_part_is_completed_and_the_rest_stays_planned() {
    let warehouse = Warehouse::open().await;
    let movement = ten_planned(&warehouse).await;
    done(&warehouse, "MOVEMENT_UPDATED", json!({"movement_key": key(&movement), "qt_confirmed": 4, "qt_planned": 4}))
        .await;
    let rest = stored(&warehouse, &movement).await.unwrap();
    assert_eq!(
        (&rest["status"], rest["qt_planned"].as_f64(), rest["qt_confirmed"].as_f64()),
        (&json!("planned"), Some(6.0), Some(0.0))
    );
    let all = warehouse.documents("movement").await;
    let part = all.iter().find(|one| one["status"] == "completed").unwrap();
    for member in ["movement_list_key", "movement_list_item", "type", "product_key", "_to", "reason"] {
        assert_eq!(part[member], movement[member], "{member}");
    }
    assert_eq!((all.len(), part["qt_confirmed"].as_f64()), (2, Some(4.0)));
    assert_eq!(warehouse.stock().await, ["P@A=4"]);
    assert_eq!(warehouse.documents("MovementList").await[0]["status"], "started");
}

// 25, 37
#[tokio::test]
async fn a_movement_made_in_parts_is_replaced_by_them() {
    let warehouse = Warehouse::open().await;
    let movement = ten_planned(&warehouse).await;
    let parts = json!([{"qt_confirmed": 6}, {"qt_confirmed": 4, "position_to": "B"}]);
    done(
        &warehouse,
        "MOVEMENT_UPDATED",
        json!({"movement_key": key(&movement), "qt_confirmed": 10, "split_into": parts}),
    )
    .await;
    assert_eq!(stored(&warehouse, &movement).await, None);
    let all = warehouse.documents("movement").await;
    assert!(all.len() == 2 && all.iter().all(|one| one["status"] == "completed"), "{all:?}");
    assert_eq!(warehouse.stock().await, ["P@A=6", "P@B=4"]);
    let event = journal(&warehouse).await.into_iter().find(|event| event["event_type"] == "MOVEMENT_UPDATED").unwrap();
    assert_eq!((event["movement_keys"].as_array().unwrap().len(), &event["movement_key"]), (2, &movement["_key"]));
    assert_eq!(event["split_into"].as_array().unwrap().len(), 2);
    let list = &warehouse.documents("MovementList").await[0];
    assert_eq!(list["status"], "completed");
    assert!(list["start"].is_string() && list["end"].is_string());
    let events = journal(&warehouse).await;
    assert_eq!(types(&events).iter().filter(|name| **name == "WAREHOUSE_LIST_CLOSED").count(), 1);
}

// 26
#[tokio::test]
async fn parts_add_up_and_a_refused_part_refuses_all() {
    let warehouse = Warehouse::open().await;
    let movement = ten_planned(&warehouse).await;
    let before = warehouse.documents("Event").await.len();
    let update = |quantity: f64, parts: Value| json!({"movement_key": key(&movement), "qt_confirmed": quantity, "split_into": parts});
    let parts = json!([{"qt_confirmed": 6}, {"qt_confirmed": 3}]);
    refused(&warehouse, "MOVEMENT_UPDATED", update(10.0, parts), VALUE).await;
    let parts = json!([{"qt_confirmed": 6}, {"qt_confirmed": 4, "position_to": "none"}]);
    let text = refused(&warehouse, "MOVEMENT_UPDATED", update(10.0, parts), MOVEMENT).await;
    assert!(text.contains("none not found"), "{text}");
    for quantity in [0.0, -1.0] {
        refused(&warehouse, "MOVEMENT_UPDATED", update(quantity, json!([])), VALUE).await;
    }
    refused(&warehouse, "MOVEMENT_UPDATED", json!({"movement_key": "none", "qt_confirmed": 1}), MOVEMENT).await;
    assert_eq!(stored(&warehouse, &movement).await.unwrap(), movement);
    assert_eq!((warehouse.documents("Event").await.len(), warehouse.stock().await.len()), (before, 0));
    done(&warehouse, "MOVEMENT_UPDATED", update(12.0, json!(null))).await;
    assert_eq!(warehouse.stock().await, ["P@A=12"], "more than planned is accepted");
    refused(&warehouse, "MOVEMENT_UPDATED", update(12.0, json!([])), MOVEMENT).await;
}

// 27
#[tokio::test]
async fn traced_pieces_are_named_when_they_are_confirmed() {
    let warehouse = Warehouse::open().await;
    let movement =
        planned(&warehouse, "receipt", json!({"product_key": "T", "qt_planned": 3, "position_to": "A"})).await;
    let parts = |codes: [&str; 3]| -> Value {
        codes.iter().map(|code| json!({"qt_confirmed": 1, "serial_code": code})).collect()
    };
    let update = |parts: Value| json!({"movement_key": key(&movement), "qt_confirmed": 3, "split_into": parts});
    refused(&warehouse, "MOVEMENT_UPDATED", update(parts(["X", "Y", "x"])), MOVEMENT).await;
    assert_eq!((warehouse.stock().await.len(), warehouse.documents("Serial").await.len()), (0, 2));
    done(&warehouse, "MOVEMENT_UPDATED", update(parts(["T-1", "X", "Y"]))).await;
    assert_eq!((warehouse.stock().await.len(), warehouse.documents("Serial").await.len()), (3, 4));
    let serials: Vec<Value> =
        warehouse.documents("movement").await.iter().map(|one| one["serial_code"].clone()).collect();
    assert!(serials.len() == 3 && ["T-1", "X", "Y"].iter().all(|code| serials.contains(&json!(code))), "{serials:?}");
    let one =
        planned(&warehouse, "shipment", json!({"product_key": "T", "serial_key": "t1", "position_from": "A"})).await;
    let twice =
        json!({"movement_key": key(&one), "qt_confirmed": 2, "split_into": [{"qt_confirmed": 1}, {"qt_confirmed": 1}]});
    refused(&warehouse, "MOVEMENT_UPDATED", twice, VALUE).await;
}

async fn revert(warehouse: &Warehouse, movement: &Value, quantity: Value) -> Value {
    let event = json!({"original_movement_key": key(movement), "quantity_to_revert": quantity, "reason": "wrong"});
    done(warehouse, "MOVEMENT_REVERSED", event).await
}

// 28
#[tokio::test]
async fn a_movement_is_undone_by_one_with_swapped_ends() {
    let warehouse = Warehouse::open().await;
    let members =
        json!({"product_key": "P", "position_to": "A", "qt_confirmed": 5, "references": {"purchase_doc": "D"}});
    let movement = moved(&warehouse, "receipt", members).await;
    let answer = revert(&warehouse, &movement, json!(null)).await;
    let inverse = &answer["inverse_movement"];
    assert!(answer["message"].is_string());
    for (member, value) in [
        ("_from", json!("Position/A")),
        ("_to", json!("Position/OUT")),
        ("type", json!("reversal")),
        ("status", json!("completed")),
        ("product_key", json!("P")),
        ("reason", json!("wrong")),
    ] {
        assert_eq!(inverse[member], value, "{member}");
    }
    assert_eq!((inverse["qt_planned"].as_f64(), inverse["qt_confirmed"].as_f64()), (Some(0.0), Some(5.0)));
    assert_eq!(inverse["references"]["origin_movement_key"], movement["_key"]);
    assert_eq!(inverse["references"]["purchase_doc"], "D");
    assert_eq!((&inverse["start"], &inverse["end"]), (&inverse["created"], &inverse["created"]));
    let original = stored(&warehouse, &movement).await.unwrap();
    assert_eq!((&original["inverse_movement_key"], &original["status"]), (&inverse["_key"], &json!("completed")));
    assert_eq!(warehouse.stock().await, NOTHING);
    let events = journal(&warehouse).await;
    assert_eq!(types(&events)[2..], ["MOVEMENT_REVERSED", "INVENTORY_CHANGED"]);
    assert_eq!(events[2]["inverse_movement_key"], inverse["_key"]);
}

// 29
#[tokio::test]
async fn a_movement_is_undone_bit_by_bit_and_no_more_than_it_moved() {
    let warehouse = Warehouse::open().await;
    let movement = moved(&warehouse, "receipt", json!({"product_key": "P", "qt_confirmed": 5})).await;
    revert(&warehouse, &movement, json!(2)).await;
    let original = stored(&warehouse, &movement).await.unwrap();
    assert_eq!((original["qt_reverted"].as_f64(), &original["inverse_movement_key"]), (Some(2.0), &json!(null)));
    assert_eq!(original["inverse_movement_keys"].as_array().unwrap().len(), 1);
    for quantity in [json!(0), json!(-1), json!(4)] {
        let event = json!({"original_movement_key": key(&movement), "quantity_to_revert": quantity});
        refused(&warehouse, "MOVEMENT_REVERSED", event, VALUE).await;
    }
    let last = revert(&warehouse, &movement, json!(3)).await;
    let original = stored(&warehouse, &movement).await.unwrap();
    assert_eq!(original["qt_reverted"].as_f64(), Some(5.0));
    assert_eq!(original["inverse_movement_key"], last["inverse_movement"]["_key"]);
    assert_eq!(original["inverse_movement_keys"].as_array().unwrap().len(), 2);
    let event = json!({"original_movement_key": key(&movement), "quantity_to_revert": 1});
    refused(&warehouse, "MOVEMENT_REVERSED", event, VALUE).await;
    assert_eq!(warehouse.stock().await, NOTHING);
}

// 30, 39
#[tokio::test]
async fn what_is_undone_in_a_list_is_planned_again() {
    let warehouse = Warehouse::open().await;
    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A", "qt_confirmed": 5})).await;
    let movements = json!([{"product_key": "P", "position_from": "A", "qt_planned": 5, "movement_list_item": 7}]);
    warehouse.complete("shipment", "S", movements).await;
    let shipment = warehouse.documents("movement").await.into_iter().find(|one| one["type"] == "shipment").unwrap();
    revert(&warehouse, &shipment, json!(2)).await;
    assert_eq!(warehouse.stock().await, ["P@A=2"]);
    let open = || async {
        let all = warehouse.documents("movement").await;
        all.into_iter().filter(|one| one["status"] == "planned").collect::<Vec<_>>()
    };
    let again = open().await;
    assert_eq!(again.len(), 1);
    for member in ["_from", "_to", "product_key", "movement_list_key", "movement_list_item", "type"] {
        assert_eq!(again[0][member], shipment[member], "{member}");
    }
    assert_eq!(again[0]["qt_planned"].as_f64(), Some(2.0));
    assert!(again[0]["reason"].as_str().unwrap().contains(key(&shipment)));
    let list = &warehouse.documents("MovementList").await[0];
    assert_eq!((&list["status"], &list["end"]), (&json!("started"), &json!(null)));
    revert(&warehouse, &shipment, json!(1)).await;
    let again = open().await;
    assert_eq!((again.len(), again[0]["qt_planned"].as_f64()), (1, Some(3.0)), "the open movement takes it");
}

// 31
#[tokio::test]
async fn an_undone_serial_is_planned_again_with_it_and_an_adjustment_goes_back() {
    let warehouse = Warehouse::open().await;
    moved(&warehouse, "receipt", json!({"product_key": "T", "serial_key": "t1", "position_to": "A"})).await;
    let movements = json!([{"product_key": "T", "serial_key": "t1", "position_from": "A", "movement_list_item": 1}]);
    warehouse.complete("shipment", "S", movements).await;
    let shipment = warehouse.documents("movement").await.into_iter().find(|one| one["type"] == "shipment").unwrap();
    revert(&warehouse, &shipment, json!(null)).await;
    assert_eq!(warehouse.stock().await, ["T@A[t1]=1"]);
    let again = warehouse.documents("movement").await.into_iter().find(|one| one["status"] == "planned").unwrap();
    assert_eq!((&again["serial_key"], again["qt_planned"].as_f64()), (&json!("t1"), Some(1.0)));

    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A", "qt_confirmed": 5})).await;
    let movements = json!([{"product_key": "P", "position_to": "A", "qt_confirmed": -4, "qt_planned": -4}]);
    warehouse.complete("adjustment", "A", movements).await;
    let adjustment = warehouse.documents("movement").await.into_iter().find(|one| one["type"] == "adjustment").unwrap();
    let answer = revert(&warehouse, &adjustment, json!(1)).await;
    assert_eq!(answer["inverse_movement"]["qt_confirmed"].as_f64(), Some(1.0));
    assert_eq!(warehouse.stock().await, ["P@A=2", "T@A[t1]=1"]);
    let list = warehouse.documents("MovementList").await.into_iter().find(|list| list["type"] == "adjustment").unwrap();
    assert_eq!(list["status"], "completed", "a correction is not made again");
}

// 32
#[tokio::test]
async fn what_left_stock_a_reversal_a_container_and_a_plan_are_not_undone() {
    let warehouse = Warehouse::open().await;
    let receipt = moved(&warehouse, "receipt", json!({"product_key": "P", "qt_confirmed": 2})).await;
    moved(&warehouse, "shipment", json!({"product_key": "P"})).await;
    let of = |movement: &Value| json!({"original_movement_key": key(movement)});
    refused(&warehouse, "MOVEMENT_REVERSED", of(&receipt), MOVEMENT).await;
    let inverse = revert(&warehouse, &receipt, json!(1)).await["inverse_movement"].clone();
    refused(&warehouse, "MOVEMENT_REVERSED", of(&inverse), MOVEMENT).await;
    let container = moved(&warehouse, "transfer", json!({"position_from": "BOX", "position_to": "A"})).await;
    let text = refused(&warehouse, "MOVEMENT_REVERSED", of(&container), MOVEMENT).await;
    assert!(text.contains("move it back"), "{text}");
    refused(&warehouse, "MOVEMENT_REVERSED", json!({"original_movement_key": "none"}), MOVEMENT).await;
    let open = planned(&warehouse, "receipt", json!({"product_key": "P"})).await;
    refused(&warehouse, "MOVEMENT_REVERSED", of(&open), VALUE).await;
    let transfer = json!({"product_key": "T", "serial_key": "t1", "position_from": "IN", "position_to": "A"});
    moved(&warehouse, "receipt", json!({"product_key": "T", "serial_key": "t1"})).await;
    let transfer = moved(&warehouse, "transfer", transfer).await;
    revert(&warehouse, &transfer, json!(null)).await;
    assert_eq!(warehouse.stock().await, ["T@IN[t1]=1"]);
}

// 33
#[tokio::test]
async fn only_what_never_moved_is_canceled_or_deleted() {
    let warehouse = Warehouse::open().await;
    let list = json!({"code": "L", "type": "receipt", "movements": [{"product_key": "P"}, {"product_key": "Q"}, {"product_key": "P"}]});
    warehouse.post("/movement-list", list).await;
    let all = warehouse.documents("movement").await;
    let of = |movement: &Value| json!({"movement_key": key(movement), "reason": "not needed"});
    let canceled = done(&warehouse, "MOVEMENT_CANCELED", of(&all[0])).await;
    assert_eq!(
        (&canceled["status"], &canceled["reason"], &canceled["start"]),
        (&json!("canceled"), &json!("not needed"), &json!(null))
    );
    refused(&warehouse, "MOVEMENT_CANCELED", of(&all[0]), MOVEMENT).await;
    let confirmed = moved(&warehouse, "receipt", json!({"movement_key": key(&all[1])})).await;
    let text = refused(&warehouse, "MOVEMENT_CANCELED", of(&confirmed), MOVEMENT).await;
    assert!(text.contains("MOVEMENT_REVERSED"), "{text}");
    refused(&warehouse, "MOVEMENT_DELETED", of(&confirmed), MOVEMENT).await;
    assert_eq!(warehouse.documents("MovementList").await[0]["status"], "started");
    assert_eq!(done(&warehouse, "MOVEMENT_DELETED", of(&all[2])).await, json!(null));
    assert_eq!(stored(&warehouse, &all[2]).await, None);
    let events = journal(&warehouse).await;
    let event = events.iter().find(|event| event["event_type"] == "MOVEMENT_DELETED").unwrap();
    assert_eq!((&event["movement_data"], &event["movement_key"]), (&all[2], &all[2]["_key"]));
    assert_eq!(warehouse.documents("MovementList").await[0]["status"], "completed");
    assert_eq!(types(&events).last(), Some(&"WAREHOUSE_LIST_CLOSED"));
    done(&warehouse, "MOVEMENT_DELETED", of(&all[0])).await;
    refused(&warehouse, "MOVEMENT_DELETED", of(&all[0]), MOVEMENT).await;
    assert_eq!(warehouse.stock().await, ["Q@IN=1"]);
}

// 34
#[tokio::test]
async fn of_many_confirmations_all_are_made_or_none() {
    let warehouse = Warehouse::open().await;
    let list = json!({"code": "L", "type": "receipt", "movements": [{"product_key": "P"}, {"product_key": "P"}, {"product_key": "P"}]});
    warehouse.post("/movement-list", list).await;
    let all = warehouse.documents("movement").await;
    let row = |movement: &Value| json!({"movement_key": key(movement), "qt_confirmed": 1});
    let body = |rows: Value| json!({"shared_data": {"event_type": "MOVEMENT_UPDATED"}, "events": rows});
    let wrong = json!([row(&all[0]), row(&all[1]), {"movement_key": "none", "qt_confirmed": 1}]);
    let (status, answer) = warehouse.send(Method::POST, "/event/bulk", body(wrong)).await;
    assert_eq!((status.as_u16(), &answer["detail"]["failed_index"]), (422, &json!(2)), "{answer}");
    assert_eq!(answer["detail"]["error_type"], MOVEMENT);
    assert_eq!(warehouse.stock().await, NOTHING);
    let again = json!([row(&all[0]), row(&all[0])]);
    let (status, _) = warehouse.send(Method::POST, "/event/bulk", body(again)).await;
    assert_eq!(status, 422, "each row sees what the rows before it wrote");
    let (status, answer) = warehouse.send(Method::POST, "/event/bulk", body(all.iter().map(row).collect())).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(warehouse.stock().await, ["P@IN=3"]);
    assert_eq!(warehouse.documents("MovementList").await[0]["status"], "completed");
}
