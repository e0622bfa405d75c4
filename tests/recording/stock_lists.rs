//! Lists of movements: made by an event or by the operation, under the same rules. Numbers are those of the acceptance cases.

use reqwest::Method;
use serde_json::{Value, json};

use crate::stock_support::{MOVEMENT, VALUE, Warehouse, done, journal, key, moved, post, refused, types};

/// The messages on the topic of the warehouse and of serials, in their order.
async fn messages(warehouse: &Warehouse) -> Vec<Value> {
    let mut documents = warehouse.documents("Notification").await;
    documents.sort_by_key(|document| document["recorded"].to_string());
    documents.iter().flat_map(|document| document["messages"].as_array().unwrap().clone()).collect()
}

fn list(code: &str) -> Value {
    json!({"code": code, "type": "receipt", "status": "completed", "references": {"purchase_doc": "D"}, "movements": [
        {"product_key": "P", "position_to": "A", "qt_planned": 2, "movement_list_item": 1},
        {"product_key": "T", "serial_code": format!("new-{code}"), "position_to": "A", "movement_list_item": 2},
    ]})
}

// 35
#[tokio::test]
async fn a_list_is_recorded_with_its_children_or_once_and_told_alike() {
    let by_event = Warehouse::open().await;
    let answer = done(&by_event, "WAREHOUSE_LIST_CREATED", json!({"new_movement_list": list("one")})).await;
    let lists = by_event.documents("MovementList").await;
    assert_eq!((answer.as_str(), lists.len()), (Some(key(&lists[0])), 1));
    let events = journal(&by_event).await;
    let mut names = types(&events);
    assert_eq!(names[0], "WAREHOUSE_LIST_CREATED");
    names.sort_unstable();
    let expected = [
        "INVENTORY_CHANGED",
        "INVENTORY_CHANGED",
        "MOVEMENT_COMPLETED",
        "MOVEMENT_COMPLETED",
        "SERIAL_CREATED",
        "WAREHOUSE_LIST_CREATED",
    ];
    assert_eq!(names, expected);
    assert_eq!(by_event.documents("event_source").await.len(), 5);
    let created = &events[0];
    assert_eq!((&created["movement_list_key"], created["movement_keys"].as_array().unwrap().len()), (&answer, 2));
    assert_eq!(
        (&created["new_movement_list"]["code"], created["new_movement_list"].get("movements")),
        (&json!("one"), None)
    );

    let by_operation = Warehouse::open().await;
    by_operation.post("/movement-list", list("one")).await;
    assert_eq!(types(&journal(&by_operation).await), ["WAREHOUSE_LIST_CREATED"]);
    assert_eq!(by_operation.documents("event_source").await, [json!(null); 0]);
    let names = |messages: &[Value]| {
        let mut names: Vec<String> = messages.iter().map(|message| message["event_type"].to_string()).collect();
        names.sort_unstable();
        names
    };
    let (told, told_once) = (messages(&by_event).await, messages(&by_operation).await);
    assert_eq!(names(&told), names(&told_once));
    for message in &told_once {
        let is_stored = message["event_type"] == "WAREHOUSE_LIST_CREATED";
        assert_eq!(message["event_key"].is_string(), is_stored, "{message}");
        assert!(message.get("new_movement_list").is_none(), "{message}");
    }
    assert!(told.iter().all(|message| message["event_key"].is_string()));
    let stock = |records: Vec<String>| -> Vec<String> {
        records.iter().map(|record| record.split('[').next().unwrap().to_owned()).collect()
    };
    assert_eq!(stock(by_event.stock().await), stock(by_operation.stock().await));
}

#[tokio::test]
async fn a_refused_list_is_422_as_an_event_and_400_with_the_same_text_as_an_operation() {
    let warehouse = Warehouse::open().await;
    let shipment =
        |movement: Value| json!({"code": "S", "type": "shipment", "status": "completed", "movements": [movement]});
    for (movement, kind) in [
        (json!({"product_key": "P"}), MOVEMENT),
        (json!({"product_key": "none"}), MOVEMENT),
        (json!({}), VALUE),
        (json!({"product_key": "P", "qt_planned": -1}), VALUE),
    ] {
        let text = refused(
            &warehouse,
            "WAREHOUSE_LIST_CREATED",
            json!({"new_movement_list": shipment(movement.clone())}),
            kind,
        )
        .await;
        assert!(text.starts_with("Movement 1: "), "{text}");
        assert_eq!(warehouse.refused("/movement-list", shipment(movement), 400).await, text);
    }
    let blank = json!({"code": " ", "type": "receipt"});
    refused(&warehouse, "WAREHOUSE_LIST_CREATED", json!({"new_movement_list": blank.clone()}), VALUE).await;
    warehouse.refused("/movement-list", blank, 422).await;
    let (status, body) =
        post(&warehouse, "WAREHOUSE_LIST_CREATED", json!({"new_movement_list": {"type": "gift"}})).await;
    assert_eq!((status.as_u16(), &body["detail"]["error_type"]), (422, &json!("ValidationError")));
    assert_eq!((warehouse.documents("Event").await.len(), warehouse.documents("Notification").await.len()), (0, 0));
    assert_eq!(warehouse.documents("MovementList").await, [json!(null); 0]);
}

// 36
#[tokio::test]
async fn a_completed_list_moves_stock_and_names_reason_and_user() {
    let warehouse = Warehouse::open().await;
    let movements = json!([
        {"product_code": "TRACED", "serial_code": "s-1", "reason": "bought", "user_key": "other"},
        {"product_code": "TRACED", "serial_code": "s-2"},
    ]);
    let list = json!({"code": "R", "type": "receipt", "status": "completed", "by_code": true, "movements": movements});
    done(&warehouse, "WAREHOUSE_LIST_CREATED", json!({"new_movement_list": list})).await;
    let list = &warehouse.documents("MovementList").await[0];
    assert_eq!(list["status"], "completed");
    assert!(list["start"].is_string() && list["start"] == list["end"]);
    let movements = warehouse.documents("movement").await;
    let first = movements.iter().find(|movement| movement["serial_code"] == "S-1").unwrap();
    let second = movements.iter().find(|movement| movement["serial_code"] == "S-2").unwrap();
    assert_eq!((&first["reason"], &first["user_key"]), (&json!("bought"), &json!("other")));
    assert_eq!((&second["reason"], &second["user_key"]), (&json!(null), &json!("worker")));
    assert_eq!((warehouse.stock().await.len(), warehouse.documents("Serial").await.len()), (2, 4));
}

// 37
#[tokio::test]
async fn a_list_follows_its_movements() {
    let warehouse = Warehouse::open().await;
    let list = json!({"code": "L", "type": "receipt", "movements": [{"product_key": "P"}, {"product_key": "Q"}]});
    warehouse.post("/movement-list", list).await;
    let standing = || async {
        let list = warehouse.documents("MovementList").await.remove(0);
        (list["status"].as_str().unwrap().to_owned(), list["start"].is_string(), list["end"].is_string())
    };
    assert_eq!(standing().await, ("planned".to_owned(), false, false));
    let all = warehouse.documents("movement").await;
    done(&warehouse, "MOVEMENT_UPDATED", json!({"movement_key": key(&all[0]), "qt_confirmed": 1})).await;
    assert_eq!(standing().await, ("started".to_owned(), true, false));
    done(&warehouse, "MOVEMENT_UPDATED", json!({"movement_key": key(&all[1]), "qt_confirmed": 1})).await;
    assert_eq!(standing().await, ("completed".to_owned(), true, true));
    let events = journal(&warehouse).await;
    let closed: Vec<&Value> = events.iter().filter(|event| event["event_type"] == "WAREHOUSE_LIST_CLOSED").collect();
    assert_eq!((closed.len(), &closed[0]["primary"]), (1, &json!(false)));
    let more =
        json!({"movement_type": "receipt", "product_key": "P", "movement_list_key": all[0]["movement_list_key"]});
    done(&warehouse, "MOVEMENT_PLANNED", more).await;
    assert_eq!(standing().await, ("started".to_owned(), true, false), "a new planned movement opens it again");
}

#[tokio::test]
async fn a_list_whose_status_only_an_earlier_system_knew_follows_its_movements_too() {
    let warehouse = Warehouse::open().await;
    let lists = json!([{"_key": "old", "code": "OLD", "type": "receipt", "status": "waiting"}]);
    warehouse.service.seed("MovementList", lists).await;
    let receipt = json!({"product_key": "P", "position_to": "A", "movement_list_key": "old"});
    moved(&warehouse, "receipt", receipt).await;
    let list = warehouse.document("MovementList", "old").await.unwrap();
    assert_eq!((&list["status"], list["end"].is_string()), (&json!("completed"), true));
}

// 38
#[tokio::test]
async fn a_closed_list_has_no_open_movements() {
    let warehouse = Warehouse::open().await;
    for code in ["untouched", "half"] {
        let list = json!({"code": code, "type": "receipt", "movements": [{"product_key": "P"}, {"product_key": "Q"}]});
        warehouse.post("/movement-list", list).await;
    }
    let named = |lists: Vec<Value>, code: &str| lists.into_iter().find(|list| list["code"] == code).unwrap();
    let (untouched, half) = (
        named(warehouse.documents("MovementList").await, "UNTOUCHED"),
        named(warehouse.documents("MovementList").await, "HALF"),
    );
    let of_list = |movements: Vec<Value>, list: &Value| -> Vec<Value> {
        movements.into_iter().filter(|movement| movement["movement_list_key"] == list["_key"]).collect()
    };
    let close = |list: &Value| json!({"movement_list_key": key(list)});
    assert_eq!(done(&warehouse, "WAREHOUSE_LIST_CLOSED", close(&untouched)).await, json!(null));
    for movement in of_list(warehouse.documents("movement").await, &untouched) {
        assert_eq!(
            (&movement["status"], &movement["start"], &movement["end"]),
            (&json!("canceled"), &json!(null), &json!(null))
        );
    }
    let list = warehouse.document("MovementList", key(&untouched)).await.unwrap();
    assert_eq!((&list["status"], &list["start"], list["end"].is_string()), (&json!("completed"), &json!(null), true));

    let first = of_list(warehouse.documents("movement").await, &half).remove(0);
    let begun = moved(&warehouse, "receipt", json!({"movement_key": key(&first)})).await;
    done(&warehouse, "WAREHOUSE_LIST_CLOSED", close(&half)).await;
    let list = warehouse.document("MovementList", key(&half)).await.unwrap();
    assert_eq!((&list["status"], &list["start"]), (&json!("completed"), &begun["start"]));
    let mut statuses: Vec<String> =
        of_list(warehouse.documents("movement").await, &half).iter().map(|one| one["status"].to_string()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["\"canceled\"", "\"completed\""]);
    done(&warehouse, "WAREHOUSE_LIST_CLOSED", close(&half)).await;
    assert_eq!(warehouse.document("MovementList", key(&half)).await.unwrap(), list, "nothing changes");
    assert_eq!(warehouse.stock().await.len(), 1);

    refused(&warehouse, "WAREHOUSE_LIST_CLOSED", json!({"movement_list_key": "none"}), VALUE).await;
    let lists = json!([
        {"_key": "gone", "code": "G", "type": "receipt", "status": "canceled"},
        {"_key": "count", "code": "C", "type": "adjustment", "status": "planned", "references": {"inventory_count_session_key": "s"}},
    ]);
    warehouse.service.seed("MovementList", lists).await;
    let sessions = json!([{"_key": "s", "status": "processing", "adjustment_list_key": "count"}]);
    warehouse.service.seed("InventoryCountSession", sessions).await;
    for list in ["gone", "count"] {
        refused(&warehouse, "WAREHOUSE_LIST_CLOSED", json!({"movement_list_key": list}), VALUE).await;
    }
    let correction = json!({"product_key": "P", "position_to": "A", "movement_list_key": "count"});
    moved(&warehouse, "adjustment", correction).await;
    let list = warehouse.document("MovementList", "count").await.unwrap();
    assert_eq!((&list["status"], &list["end"]), (&json!("started"), &json!(null)), "until the count has been applied");
}

/// How many queries the database has run.
async fn queries(warehouse: &Warehouse) -> f64 {
    let page =
        warehouse.service.client.get(warehouse.service.url("/metrics")).send().await.unwrap().text().await.unwrap();
    let is_count =
        |line: &&str| line.starts_with("database_call_duration_seconds_count") && line.contains("call=\"query\"");
    page.lines().filter(is_count).map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum()
}

#[tokio::test]
async fn a_list_of_five_hundred_serials_takes_a_few_queries() {
    let warehouse = Warehouse::open().await;
    let movements: Vec<Value> = (0..500)
        .map(|number| json!({"product_key": "T", "serial_code": format!("S{number}"), "position_to": "A"}))
        .collect();
    let body = json!({"code": "MANY", "type": "receipt", "status": "completed", "movements": movements});
    let before = queries(&warehouse).await;
    let (status, answer) = warehouse.send(Method::POST, "/movement-list", body).await;
    assert_eq!(status, 200, "{answer}");
    let run = queries(&warehouse).await - before;
    assert!(run < 30.0, "{run} queries");
    assert_eq!(warehouse.stock().await.len(), 500);
    assert_eq!(warehouse.documents("Serial").await.len(), 502);
}
