//! Movement lists, what they do to stock, the journal and the inventory.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::warehouse::{Warehouse, column, mistakes};

#[tokio::test]
async fn a_planned_list_is_stored_with_its_movements_and_changes_no_stock() {
    let warehouse = Warehouse::open().await;
    let body = json!({
        "code": " pl1 ", "type": "receipt", "references": {"partner_name": "list", "purchase_doc": "D"},
        "movements": [
            {"product_key": "P", "position_to": "A1", "qt_planned": 5, "references": {"partner_name": "own"}},
            {"product_key": "T", "serial_code": "t-1", "movement_list_item": 2},
        ],
    });
    let answer = warehouse.post("/movement-list", body).await;
    assert_eq!(answer["message"], "Movement list created successfully");
    let key = answer["detail"]["movement_list_key"].as_str().unwrap();
    let list = warehouse.document("MovementList", key).await.unwrap();
    assert_eq!((&list["code"], &list["status"], &list["start"]), (&json!("PL1"), &json!("planned"), &Value::Null));
    assert_eq!(list["due_by"].as_str().unwrap().len(), 10);

    let rows = warehouse.get(&format!("/movement?list_key={key}&product_key=P")).await;
    let row = &rows[0];
    assert_eq!((&row["_from"], &row["_to"]), (&json!("Position/OUT"), &json!("Position/A1")));
    assert_eq!((&row["status"], &row["qt_planned"], &row["qt_confirmed"]), (&json!("planned"), &json!(5), &json!(0)));
    assert_eq!(row["references"]["partner_name"], "own");
    assert_eq!(row["references"]["purchase_doc"], "D");
    assert_eq!(row["user_key"], "worker");
    assert_eq!(row["movement_list_code"], "PL1");
    let traced = warehouse.get("/movement?product_key=T").await;
    assert_eq!((&traced[0]["serial_key"], &traced[0]["position_to_key"]), (&json!("t1"), &json!("IN")));
    assert_eq!(warehouse.stock().await, [""; 0]);
}

#[tokio::test]
async fn creating_a_list_writes_an_event() {
    let warehouse = Warehouse::open().await;
    let answer = warehouse.complete("receipt", "R1", json!([{"product_key": "P"}])).await;
    let events = warehouse.documents("Event").await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["event_type"], "WAREHOUSE_LIST_CREATED");
    assert_eq!(events[0]["user_key"], "worker");
    assert_eq!(events[0]["movement_list_key"], answer["detail"]["movement_list_key"]);
}

#[tokio::test]
async fn every_type_changes_stock_as_the_table_says() {
    let warehouse = Warehouse::open().await;
    warehouse.complete("receipt", "1", json!([{"product_key": "P", "position_to": "A1", "qt_planned": 10}])).await;
    assert_eq!(warehouse.stock().await, ["P@A1=10"]);
    warehouse.complete("production", "2", json!([{"product_key": "Q", "position_to": "B", "qt_confirmed": 2.5}])).await;
    assert_eq!(warehouse.stock().await, ["P@A1=10", "Q@B=2.5"]);
    let transfer = json!([{"product_key": "P", "position_from": "A1", "position_to": "B", "qt_planned": 4}]);
    warehouse.complete("transfer", "3", transfer).await;
    assert_eq!(warehouse.stock().await, ["P@A1=6", "P@B=4", "Q@B=2.5"]);
    warehouse.complete("shipment", "4", json!([{"product_key": "P", "position_from": "A1", "qt_planned": 6}])).await;
    assert_eq!(warehouse.stock().await, ["P@B=4", "Q@B=2.5"]);
    let consumption = json!([{"product_key": "Q", "position_from": "B", "qt_planned": 9, "qt_confirmed": 0.5}]);
    warehouse.complete("consumption", "5", consumption).await;
    assert_eq!(warehouse.stock().await, ["P@B=4", "Q@B=2"]);
    let adjustment = json!([
        {"product_key": "P", "position_to": "B", "qt_confirmed": -1},
        {"product_key": "Q", "position_from": "B", "position_to": "B", "qt_confirmed": 1},
    ]);
    warehouse.complete("adjustment", "6", adjustment).await;
    assert_eq!(warehouse.stock().await, ["P@B=3", "Q@B=3"]);

    let row = &warehouse.get("/movement?movement_type=consumption").await[0];
    assert_eq!((&row["_from"], &row["_to"]), (&json!("Position/B"), &json!("Position/NULL")));
    assert_eq!((&row["status"], &row["qt_confirmed"]), (&json!("completed"), &json!(0.5)));
    assert!(row["start"].is_string() && row["end"].is_string());
}

#[tokio::test]
async fn a_receipt_of_a_traced_product_creates_the_serial_it_brings() {
    let warehouse = Warehouse::open().await;
    let movements = json!([
        {"product_key": "T", "serial_code": " new-1 ", "position_to": "A"},
        {"product_key": "T", "serial_code": "t-2", "position_to": "A"},
    ]);
    warehouse.complete("receipt", "R1", movements).await;
    let serials = warehouse.documents("Serial").await;
    let created = serials.iter().find(|serial| serial["code"] == "NEW-1").unwrap();
    assert_eq!(created["product_key"], "T");
    assert_eq!(created["deleted"], false);
    assert!(created["released"].is_string());
    assert_eq!(serials.len(), 3);
    let mut expected = vec![format!("T@A[{}]=1", created["_key"].as_str().unwrap()), "T@A[t2]=1".to_owned()];
    expected.sort();
    assert_eq!(warehouse.stock().await, expected);
}

#[tokio::test]
async fn serials_move_one_by_one_and_leave_by_key_or_code() {
    let warehouse = Warehouse::open().await;
    let both = json!([{"product_key": "T", "serial_code": "T-1"}, {"product_key": "T", "serial_code": "T-2"}]);
    warehouse.complete("receipt", "R1", both).await;
    let move_one = json!([{"product_key": "T", "serial_key": "t1", "position_from": "IN", "position_to": "B"}]);
    warehouse.complete("transfer", "T1", move_one).await;
    assert_eq!(warehouse.stock().await, ["T@B[t1]=1", "T@IN[t2]=1"]);
    warehouse.complete("shipment", "S1", json!([{"product_key": "T", "serial_key": "t1", "position_from": "B"}])).await;
    warehouse.complete("shipment", "S2", json!([{"product_key": "T", "serial_code": "t-2"}])).await;
    assert_eq!(warehouse.stock().await, [""; 0]);
}

#[tokio::test]
async fn a_container_transfer_moves_a_position_with_its_contents() {
    let warehouse = Warehouse::open().await;
    warehouse.complete("receipt", "R1", json!([{"product_key": "P", "position_to": "BOX"}])).await;
    warehouse.complete("transfer", "T1", json!([{"position_from": "BOX", "position_to": "A1"}])).await;
    assert_eq!(warehouse.document("is_in_position", "link-BOX").await.unwrap()["_to"], "Position/A1");
    let rows = warehouse.get("/inventory?root_position_key=A1").await;
    assert_eq!(column(&rows[0]["path"], "position_key"), ["BOX"]);
    let text = warehouse.refused_list("transfer", json!([{"position_from": "B", "position_to": "A1"}])).await;
    assert!(text.contains("fixed"), "{text}");
}

#[tokio::test]
async fn stock_rules_are_400_and_leave_nothing_behind() {
    let warehouse = Warehouse::open().await;
    warehouse
        .complete(
            "receipt",
            "R1",
            json!([{"product_key": "P", "qt_planned": 3}, {"product_key": "T", "serial_code": "T-1"}]),
        )
        .await;
    let before = (
        warehouse.documents("is_in_position").await,
        warehouse.documents("movement").await,
        warehouse.documents("MovementList").await,
        warehouse.documents("Serial").await,
        warehouse.documents("Event").await,
    );
    let good = json!({"product_key": "P", "qt_planned": 1});
    let cases = [
        ("shipment", json!({"product_key": "P", "qt_planned": 3})),
        ("shipment", json!({"product_key": "Q"})),
        ("adjustment", json!({"product_key": "P", "position_to": "A", "qt_confirmed": -1})),
        ("receipt", json!({"product_key": "T", "serial_code": "T-1"})),
        ("receipt", json!({"product_key": "T"})),
        ("receipt", json!({"product_key": "T", "serial_code": "T-9", "qt_planned": 2})),
        ("receipt", json!({"product_key": "P", "serial_code": "P-1"})),
        ("receipt", json!({"product_key": "P", "qt_planned": -1})),
        ("receipt", json!({"product_key": "P", "position_to": "none"})),
        ("receipt", json!({"product_key": "none"})),
        ("shipment", json!({"product_key": "T", "serial_key": "t2"})),
        ("shipment", json!({"product_key": "T", "serial_key": "none"})),
        ("shipment", json!({"product_key": "T", "serial_code": "T-9"})),
        ("shipment", json!({"product_key": "T"})),
        ("transfer", json!({"product_key": "P", "position_from": "A", "position_to": "A"})),
        ("transfer", json!({"product_key": "P", "position_from": "A"})),
        ("transfer", json!({"position_from": "BOX", "position_to": "BOX"})),
        ("production", json!({"product_key": "T", "serial_key": "t1"})),
    ];
    for (kind, bad) in cases {
        let first = if kind == "transfer" {
            json!({"product_key": "P", "position_from": "IN", "position_to": "B"})
        } else if kind == "adjustment" {
            json!({"product_key": "P", "position_to": "IN"})
        } else {
            good.clone()
        };
        let text = warehouse.refused_list(kind, json!([first, bad])).await;
        assert!(text.starts_with("Movement 2: "), "{kind} {bad}: {text}");
    }
    let after = (
        warehouse.documents("is_in_position").await,
        warehouse.documents("movement").await,
        warehouse.documents("MovementList").await,
        warehouse.documents("Serial").await,
        warehouse.documents("Event").await,
    );
    assert_eq!(after, before);
}

#[tokio::test]
async fn stock_goes_below_zero_only_where_the_product_allows_it() {
    let warehouse = Warehouse::open().await;
    let products = json!([
        {"_key": "N", "code": "NEGATIVE", "active": true, "allow_negative_inventory": true},
        {"_key": "M", "code": "MIXED", "active": true, "allow_negative_inventory": true, "traceability_level": "complete"},
        {"_key": "F", "code": "FORBIDDEN", "active": true, "allow_negative_inventory": false},
    ]);
    warehouse.service.seed("Product", products).await;
    warehouse.service.seed("Serial", json!([{"_key": "m1", "code": "M-1", "product_key": "M"}])).await;
    let of =
        |product: &str, quantity: i64| json!([{"product_key": product, "position_from": "A", "qt_planned": quantity}]);
    for kind in ["shipment", "consumption"] {
        for product in ["P", "F"] {
            let text = warehouse.refused_list(kind, of(product, 1)).await;
            assert!(text.contains("not enough stock"), "{text}");
        }
        warehouse.complete(kind, kind, of("N", 2)).await;
    }
    assert_eq!(warehouse.stock().await, ["N@A=-4"]);
    let adjustment = json!([{"product_key": "N", "position_to": "B", "qt_confirmed": -1}]);
    warehouse.complete("adjustment", "A", adjustment).await;
    let transfer = json!([{"product_key": "N", "position_from": "BOX", "position_to": "B", "qt_planned": 3}]);
    warehouse.complete("transfer", "T", transfer).await;
    assert_eq!(warehouse.stock().await, ["N@A=-4", "N@B=2", "N@BOX=-3"]);
    warehouse.complete("receipt", "R", json!([{"product_key": "N", "position_to": "A", "qt_planned": 4}])).await;
    assert_eq!(warehouse.stock().await, ["N@B=2", "N@BOX=-3"], "nothing left, nothing owed");
    let serial = json!([{"product_key": "M", "serial_key": "m1", "position_from": "A"}]);
    assert!(warehouse.refused_list("shipment", serial).await.contains("the serial is not in stock there"));
}

#[tokio::test]
async fn list_rules_are_400_with_a_text() {
    let warehouse = Warehouse::open().await;
    warehouse.complete("receipt", "used", json!([])).await;
    let list = |kind: &str, code: &str, movements: Value| json!({"code": code, "type": kind, "movements": movements});
    let cases = [
        list("receipt", "USED", json!([])),
        list("receipt", "n", json!([{}])),
        list("receipt", "n", json!([{"product_code": "PLAIN"}])),
        list("receipt", "n", json!([{"product_key": "P", "movement_type": "shipment"}])),
        list(
            "receipt",
            "n",
            json!([{"product_key": "P", "movement_list_item": 1}, {"product_key": "Q", "movement_list_item": 1}]),
        ),
        list(
            "receipt",
            "n",
            json!([{"product_key": "P", "movement_list_item": 1}, {"product_key": "P", "movement_list_item": 1}]),
        ),
        list("reversal", "n", json!([])),
        json!({"code": "n", "type": "receipt", "by_code": true, "movements": [{"product_code": "NONE"}]}),
        json!({"code": "n", "type": "receipt", "by_code": true, "movements": [{"product_key": "P"}]}),
    ];
    for body in cases {
        let text = warehouse.refused("/movement-list", body.clone(), 400).await;
        assert!(!text.starts_with('{'), "{body}: {text}");
    }
    warehouse.post("/movement-list", list("shipment", "USED", json!([]))).await;
    assert_eq!(warehouse.documents("MovementList").await.len(), 2);
}

#[tokio::test]
async fn products_are_named_by_code_when_the_list_says_so() {
    let warehouse = Warehouse::open().await;
    let body = json!({
        "code": "C", "type": "receipt", "status": "completed", "by_code": true,
        "movements": [{"product_code": "PLAIN", "position_to": "A"}],
    });
    warehouse.post("/movement-list", body).await;
    assert_eq!(warehouse.stock().await, ["P@A=1"]);
}

#[tokio::test]
async fn a_value_outside_an_enum_or_a_missing_member_is_422() {
    let warehouse = Warehouse::open().await;
    let (status, body) =
        warehouse.send(Method::POST, "/movement-list", json!({"type": "gift", "status": "started"})).await;
    assert_eq!(status, 422);
    let mut found = mistakes(&body);
    found.sort();
    assert_eq!(found, [r#"["body","code"] missing"#, r#"["body","status"] enum"#, r#"["body","type"] enum"#]);
}

#[tokio::test]
async fn stock_equals_the_sum_of_completed_movements_under_many_writers() {
    let warehouse = Warehouse::open().await;
    warehouse.complete("receipt", "start", json!([{"product_key": "P", "position_to": "A", "qt_planned": 20}])).await;
    let lists = (0..48).map(|number| {
        let (kind, movement) = match number % 4 {
            0 => ("receipt", json!({"product_key": "P", "position_to": "A", "qt_planned": 3})),
            1 => ("shipment", json!({"product_key": "P", "position_from": "A", "qt_planned": 4})),
            2 => ("transfer", json!({"product_key": "P", "position_from": "A", "position_to": "B", "qt_planned": 2})),
            _ => {
                ("receipt", json!({"product_key": "T", "serial_code": format!("S{}", number % 8), "position_to": "B"}))
            }
        };
        let body = json!({"code": format!("L{number}"), "type": kind, "status": "completed", "movements": [movement]});
        warehouse.send(Method::POST, "/movement-list", body)
    });
    let statuses: Vec<u16> =
        futures_util::future::join_all(lists).await.into_iter().map(|(status, _)| status.as_u16()).collect();
    assert!(statuses.iter().all(|status| [200, 400].contains(status)), "{statuses:?}");

    let mut sums = std::collections::BTreeMap::new();
    for movement in warehouse.documents("movement").await {
        let quantity = movement["qt_confirmed"].as_f64().unwrap();
        for (end, sign) in [("_to", 1.0), ("_from", -1.0)] {
            let position = movement[end].as_str().unwrap().split_once('/').unwrap().1.to_owned();
            let serial = movement["serial_key"].as_str().map(|key| format!("[{key}]")).unwrap_or_default();
            let record = format!("{}@{position}{serial}", movement["product_key"].as_str().unwrap());
            *sums.entry(record).or_insert(0.0) += sign * quantity;
        }
    }
    let expected: Vec<String> = sums
        .into_iter()
        .filter(|(record, sum)| *sum != 0.0 && !record.contains("@OUT"))
        .map(|(record, sum)| format!("{record}={sum}"))
        .collect();
    assert_eq!(warehouse.stock().await, expected);
    let created = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(warehouse.documents("MovementList").await.len(), created + 1);
    assert_eq!(warehouse.documents("Serial").await.len(), 2 + 2);
}

/// Lists with movements in several states.
async fn with_lists() -> Warehouse {
    let warehouse = Warehouse::open().await;
    let seed = |key: &str, code: &str, status: &str, due: &str| json!({"_key": key, "code": code, "type": "transfer", "status": status, "due_by": due});
    let lists = json!([
        seed("l1", "LIST-1", "planned", "2026-03-01"),
        seed("l2", "LIST-2", "completed", "2026-01-01"),
        seed("l3", "OTHER", "started", "2026-02-01"),
    ]);
    warehouse.service.seed("MovementList", lists).await;
    let movement = |key: &str, list: &str, product: &str, status: &str, from: &str, to: &str, end: Value| {
        json!({"_key": key, "_from": format!("Position/{from}"), "_to": format!("Position/{to}"), "type": "transfer",
            "movement_list_key": list, "product_key": product, "status": status, "start": end, "end": end,
            "user_key": "worker", "qt_planned": 1, "qt_confirmed": 1})
    };
    let at = |day: u32| json!(format!("2026-01-{day:02}T08:00:00.000000+00:00"));
    let mut rows = vec![
        movement("m1", "l2", "P", "completed", "A", "B", at(1)),
        movement("m2", "l2", "Q", "completed", "A1", "BOX", at(3)),
        movement("m3", "l2", "T", "completed", "B", "A11", at(2)),
        movement("m4", "l1", "P", "planned", "B", "A", Value::Null),
        movement("m5", "l3", "Q", "canceled", "B", "A", Value::Null),
    ];
    rows[2]["serial_key"] = "t1".into();
    rows[0]["references"] = json!({"work_order_key": "wo"});
    rows[0]["type"] = "shipment".into();
    rows[1]["user_key"] = "other".into();
    warehouse.service.seed("movement", json!(rows)).await;
    warehouse.service.seed("WorkOrder", json!([{"_key": "wo", "wo_code": "WO-77"}])).await;
    warehouse
}

async fn movements(warehouse: &Warehouse, query: &str) -> String {
    column(&warehouse.get(&format!("/movement?{query}")).await, "_key").join(" ")
}

#[tokio::test]
async fn the_journal_shows_the_latest_end_first_with_what_it_refers_to() {
    let warehouse = with_lists().await;
    assert!(movements(&warehouse, "").await.starts_with("m2 m3 m1 "));
    assert_eq!(movements(&warehouse, "limit=1&offset=1").await, "m3");
    let row = &warehouse.get("/movement?serial_keys=t1").await[0];
    assert_eq!(row["position_from_key"], "B");
    assert_eq!(row["position_from_code"], "B-code");
    assert_eq!(row["position_to_code"], "A11-code");
    assert_eq!(row["position_to_deleted"], false);
    assert_eq!(row["movement_list_code"], "LIST-2");
    assert_eq!(row["product_code"], "TRACED");
    assert_eq!(row["serial_code"], "T-1");
}

#[tokio::test]
async fn every_filter_of_the_journal_restricts_it() {
    let warehouse = with_lists().await;
    let cases = [
        ("movement_type=shipment", "m1"),
        ("movement_status=planned", "m4"),
        ("include_planned=false&include_completed=false", "m5"),
        ("include_completed=false&movement_status=completed", ""),
        ("start_from=2026-01-02T08:00:00Z", "m2 m3"),
        ("start_to=2026-01-02T08:00:00Z", "m3 m1"),
        ("end_from=2026-01-03", "m2"),
        ("end_to=2026-01-01T08:00:00.000Z", "m1"),
        ("product_key=Q&include_planned=false&movement_status=completed", "m2"),
        ("product_search=pla*&movement_status=completed", "m1"),
        ("serial_search=t-1", "m3"),
        ("list_key=l1&list_search=none", "m4"),
        ("list_key=l2&list_key=l2&limit=2", "m2 m3"),
        ("list_search=other", "m5"),
        ("work_order_search=wo-7*", "m1"),
        ("position_from=A", "m2 m1"),
        ("position_from=A&search_graph=false", "m1"),
        ("position_from=A&position_to=B", "m1"),
        ("position_from=A1&position_to=B&position_filter_operator=OR", "m2 m1"),
        ("position_to=BOX&position_filter_operator=OR", "m2"),
    ];
    for (query, expected) in cases {
        assert_eq!(movements(&warehouse, query).await, expected, "{query}");
    }
    for query in ["movement_type=gift", "start_from=soon", "position_filter_operator=XOR", "limit=0"] {
        assert_eq!(warehouse.ask(&format!("/movement?{query}")).await.0, 422, "{query}");
    }
}

#[tokio::test]
async fn the_latest_positions_are_those_of_the_wanted_end() {
    let warehouse = with_lists().await;
    let keys = async |query: &str| {
        column(&warehouse.get(&format!("/movement/latest-positions?{query}")).await, "_key").join(" ")
    };
    assert_eq!(keys("").await, "BOX A11 B");
    assert_eq!(keys("position_type=from").await, "A1 B A");
    assert_eq!(keys("position_type=to&limit=1").await, "BOX");
    assert_eq!(keys("movement_type=shipment").await, "B");
    assert_eq!(keys("user_key=worker").await, "A11 B");
    assert_eq!(warehouse.ask("/movement/latest-positions?position_type=both").await.0, 422);
}

#[tokio::test]
async fn the_latest_products_are_active_ones() {
    let warehouse = with_lists().await;
    let keys = async |query: &str| {
        column(&warehouse.get(&format!("/movement/latest-products?{query}")).await, "_key").join(" ")
    };
    assert_eq!(keys("").await, "Q T P");
    assert_eq!(keys("type=shipment").await, "P");
    assert_eq!(keys("user_key=other").await, "Q");
    assert_eq!(keys("limit=1").await, "Q");
    let row = &warehouse.get("/movement/latest-products?type=shipment").await[0];
    assert_eq!(row["manage_inventory"], false);
    assert_eq!(row["tags"], json!([]));
}

#[tokio::test]
async fn lists_are_sorted_by_due_date_and_count_their_movements() {
    let warehouse = with_lists().await;
    let rows = warehouse.get("/movement-list").await;
    assert_eq!(column(&rows, "_key"), ["l2", "l3", "l1"]);
    assert_eq!(rows[0]["counts"], json!({"planned": 0, "completed": 3}));
    assert_eq!(rows[1]["counts"], json!({"planned": 0, "completed": 0, "canceled": 1}));
    assert_eq!(rows[2]["counts"], json!({"planned": 1, "completed": 0}));
}

#[tokio::test]
async fn every_filter_of_the_list_search_restricts_it_also_in_a_body() {
    let warehouse = with_lists().await;
    let cases = [
        ("search=list", "l2 l1"),
        ("list_key=l1&list_key=l3", "l3 l1"),
        ("includes_product_key=P", "l2 l1"),
        ("includes_product_code=QUICK", "l2 l3"),
        ("includes_product_key=Q&limit=1&offset=1", "l3"),
        ("due_by_min=2026-02-01", "l3 l1"),
        ("due_by_max=2026-02-01", "l2 l3"),
        ("status=planned&status=started", "l3 l1"),
        ("type=receipt", ""),
        ("open_only=true", "l3 l1"),
        ("limit=1", "l2"),
        ("search=list&open_only=true", "l1"),
        ("search=list&status=completed&type=transfer", "l2"),
        ("includes_product_key=P&includes_product_code=QUICK", "l2"),
        ("includes_product_key=Q&open_only=true&status=completed", ""),
        ("type=transfer&due_by_max=2026-02-01", "l2 l3"),
    ];
    for (query, expected) in cases {
        let rows = warehouse.get(&format!("/movement-list?{query}")).await;
        assert_eq!(column(&rows, "_key").join(" "), expected, "{query}");
    }
    let (status, rows) =
        warehouse.send(Method::GET, "/movement-list", json!({"list_key": ["l1"], "status": ["planned"]})).await;
    assert_eq!((status.as_u16(), column(&rows, "_key")), (200, vec!["l1".to_owned()]));
    let rows =
        warehouse.post("/movement", json!({"includes_product_code": "QUICK", "status": ["started"], "limit": 5})).await;
    assert_eq!(column(&rows, "_key"), ["l3"]);
    let (status, body) = warehouse.send(Method::POST, "/movement", json!({"limit": 0, "type": "gift"})).await;
    assert_eq!((status.as_u16(), mistakes(&body).len()), (422, 2));
}

/// Stock at several places.
async fn with_stock() -> Warehouse {
    let warehouse = Warehouse::open().await;
    let movements = json!([
        {"product_key": "P", "position_to": "A11", "qt_planned": 5},
        {"product_key": "P", "position_to": "IN", "qt_planned": 1},
        {"product_key": "Q", "position_to": "B", "qt_planned": 2},
        {"product_key": "T", "serial_code": "T-1", "position_to": "A"},
        {"product_key": "T", "serial_code": "T-2", "position_to": "B"},
    ]);
    warehouse.complete("receipt", "R", movements).await;
    warehouse
}

async fn places(warehouse: &Warehouse, query: &str) -> String {
    let rows = warehouse.get(&format!("/inventory?{query}")).await;
    let place = |row: &Value| {
        let path = column(&row["path"], "position_key").join("/");
        format!("{}:{path}", row["product_key"].as_str().unwrap())
    };
    rows.as_array().unwrap().iter().map(place).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn the_inventory_is_in_the_order_of_product_codes_with_paths_from_below_the_root() {
    let warehouse = with_stock().await;
    assert_eq!(places(&warehouse, "").await, "P:A/A1/A11 P:IN Q:B T:A T:B");
    assert_eq!(places(&warehouse, "limit=2&offset=1").await, "P:IN Q:B");
    let row = &warehouse.get("/inventory?serial_keys=t1").await[0];
    assert_eq!((&row["serial_code"], &row["quantity"], &row["owned"]), (&json!("T-1"), &json!(1), &json!(true)));
    assert_eq!((&row["position_key"], &row["position_code"]), (&json!("A"), &json!("A-code")));
    assert_eq!(row["product_description"], "a traced one");
    assert!(row["value"].is_null() && row.get("value").is_some());
}

#[tokio::test]
async fn every_filter_of_the_inventory_restricts_it() {
    let warehouse = with_stock().await;
    warehouse
        .service
        .seed(
            "is_in_position",
            json!([
                {"_from": "Product/Q", "_to": "Position/A", "quantity": 1, "owned": false},
                {"_from": "Product/Q", "_to": "Position/OUT", "quantity": 1},
            ]),
        )
        .await;
    let cases = [
        ("root_position_key=A", "P:A1/A11 Q:A T:A"),
        ("root_position_key=A11", "P:A11"),
        ("root_position_key=none", ""),
        ("root_position_key=a/b", ""),
        ("root_position_key=OUT", "Q:OUT"),
        ("product_key=Q", "Q:A Q:B"),
        ("product_search=*ed", "T:A T:B"),
        ("product_search=quick&root_position_key=A", "Q:A"),
        ("serials_only=true", "T:A T:B"),
        ("serial_search=t-2", "T:B"),
        ("serial_search=t-2&root_position_key=A", ""),
        ("serial_keys=t1&serial_keys=t2", "T:A T:B"),
        ("serial_keys=t2&root_position_key=A", ""),
        ("position_search=a1-code", "P:A/A1/A11"),
        ("position_key=A", "Q:A T:A"),
        ("position_key=A&product_key=T", "T:A"),
        ("position_key=B&root_position_key=A", ""),
        ("owned=true&product_key=Q", "Q:B"),
        ("owned=false", "Q:A"),
    ];
    for (query, expected) in cases {
        assert_eq!(places(&warehouse, query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn what_was_moved_last_at_one_time_comes_by_key_however_much_it_is() {
    let warehouse = Warehouse::open().await;
    let key = |number: usize| format!("t{number:03}");
    let product = |number: usize| json!({"_key": key(number), "code": key(number)});
    let movement = |number: usize| {
        json!({
            "_from": "Position/OUT", "_to": "Position/IN", "product_key": key(number), "type": "receipt",
            "status": "completed", "end": "2030-01-01T08:00:00.000000+00:00",
        })
    };
    warehouse.service.seed("Product", (0..600).map(product).collect()).await;
    warehouse.service.seed("movement", (0..600).map(movement).collect()).await;
    let latest = warehouse.get("/movement/latest-products?limit=2").await;
    assert_eq!((&latest[0]["_key"], &latest[1]["_key"]), (&json!("t000"), &json!("t001")));
}
