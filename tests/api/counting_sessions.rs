//! Counting sessions, assignments and records.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::warehouse::{Warehouse, column, mistakes};

async fn create(warehouse: &Warehouse, session: Value, assignments: Value) -> String {
    let body = json!({"count_session": session, "assignments": assignments});
    let answer = warehouse.post("/inventory/count-session", body).await;
    answer["detail"]["count_session_key"].as_str().unwrap().to_owned()
}

/// A session with a key of its own and a status.
async fn seed(warehouse: &Warehouse, key: &str, status: &str) {
    let session = json!({"_key": key, "code": key.to_uppercase(), "type": "position", "status": status,
        "created": format!("2026-01-0{}T00:00:00.000000+00:00", key.len())});
    warehouse.service.seed("InventoryCountSession", json!([session])).await;
}

#[tokio::test]
async fn a_session_takes_its_code_from_the_counter_and_its_author_from_the_token() {
    let warehouse = Warehouse::open().await;
    let body = json!({"count_session": {"type": "position", "scheduled_start": "2026-01-01T10:00:00+02:00"}, "assignments": []});
    let answer = warehouse.post("/inventory/count-session", body).await;
    let code = answer["detail"]["code"].as_str().unwrap();
    assert!(code.ends_with("000001") && answer["message"].as_str().unwrap().contains(code), "{answer}");
    let stored = &warehouse.documents("InventoryCountSession").await[0];
    assert_eq!((&stored["status"], &stored["created_by"]), (&json!("planned"), &json!("worker")));
    assert_eq!((&stored["blind_quantities"], &stored["blind_serials"]), (&json!(true), &json!(true)));
    assert_eq!(stored["scheduled_start"], "2026-01-01T08:00:00.000000+00:00");
}

#[tokio::test]
async fn every_user_gets_an_assignment_for_every_target_in_both_forms() {
    let warehouse = Warehouse::open().await;
    let assignments = json!([
        {"user_key": "u1", "target_keys": ["A", "B"]},
        {"user_key": "u2", "targets": [{"target_key": "A1", "include_children": true}, {"target_key": "gone"}]},
    ]);
    let key = create(&warehouse, json!({"type": "position", "code": "S"}), assignments).await;
    let stored = warehouse.documents("InventoryCountAssignment").await;
    assert_eq!(stored.len(), 4);
    assert!(
        stored
            .iter()
            .all(|row| row["target_type"] == "position" && row["status"] == "planned" && row["created_by"] == "worker")
    );

    let session = warehouse.get(&format!("/inventory/count-session/{key}")).await;
    assert_eq!(session["code"], "S");
    assert_eq!(column(&session["assignments"]["u1"], "target_key"), ["A", "B"]);
    assert_eq!(column(&session["assignments"]["u2"], "target_key"), ["A1"]);
    let entry = &session["assignments"]["u2"][0];
    assert_eq!(entry["target_data"], json!({"code": "A1-code", "description": null}));
    assert_eq!(entry["include_children"], true);
}

#[tokio::test]
async fn an_assignment_without_targets_is_400_and_nothing_is_created() {
    let warehouse = Warehouse::open().await;
    let body = json!({"count_session": {"type": "product"}, "assignments": [{"user_key": "u1", "target_keys": []}]});
    warehouse.refused("/inventory/count-session", body, 400).await;
    assert_eq!(warehouse.documents("InventoryCountSession").await.len(), 0);
    assert_eq!(warehouse.document("Counter", "default").await.unwrap()["next_tick"], 1);
    let (status, body) = warehouse.send(Method::POST, "/inventory/count-session", json!({"count_session": {}})).await;
    assert_eq!(status, 422);
    assert_eq!(mistakes(&body), [r#"["body","count_session","type"] missing"#, r#"["body","assignments"] missing"#]);
}

#[tokio::test]
async fn a_session_is_created_in_its_first_state_only() {
    let warehouse = Warehouse::open().await;
    for status in ["started", "completed", "processing", "applied", "canceled"] {
        let body = json!({"count_session": {"type": "product", "status": status}, "assignments": []});
        let (code, answer) = warehouse.send(Method::POST, "/inventory/count-session", body).await;
        assert_eq!(code, 422, "{status}: {answer}");
        assert_eq!(mistakes(&answer), [r#"["body","count_session","status"] value_error"#]);
    }
    assert_eq!(warehouse.documents("InventoryCountSession").await.len(), 0);
    let moment = "2026-01-01T08:00:00+00:00";
    let later = json!({"type": "product", "status": "planned", "started": moment, "completed": moment,
        "baseline_snapshot_key": "1", "adjustment_list_key": "2"});
    create(&warehouse, later, json!([])).await;
    let stored = &warehouse.documents("InventoryCountSession").await[0];
    assert_eq!(stored["status"], "planned");
    for name in ["started", "completed", "baseline_snapshot_key", "adjustment_list_key"] {
        assert_eq!(stored[name], Value::Null, "{name}");
    }
}

#[tokio::test]
async fn sessions_are_found_newest_first() {
    let warehouse = Warehouse::open().await;
    seed(&warehouse, "s", "planned").await;
    seed(&warehouse, "ss", "completed").await;
    seed(&warehouse, "sss", "planned").await;
    let keys = async |query: &str| {
        column(&warehouse.get(&format!("/inventory/count-session?{query}")).await, "_key").join(" ")
    };
    assert_eq!(keys("").await, "sss ss s");
    assert_eq!(keys("search=ss*").await, "sss ss");
    assert_eq!(keys("status=planned").await, "sss s");
    assert_eq!(keys("type=product").await, "");
    assert_eq!(keys("limit=1&offset=1").await, "ss");
    assert_eq!(warehouse.ask("/inventory/count-session?status=lost").await.0, 422);
}

#[tokio::test]
async fn an_unknown_session_is_404() {
    let warehouse = Warehouse::open().await;
    let expected = json!({"detail": "Counting session not found"});
    assert_eq!(warehouse.ask("/inventory/count-session/none").await, (reqwest::StatusCode::NOT_FOUND, expected));
    assert_eq!(warehouse.send(Method::PUT, "/inventory/count-session/none", json!({})).await.0, 404);
    assert_eq!(
        warehouse.send(Method::DELETE, "/inventory/count-session?counting_session_key=none", json!({})).await.0,
        404
    );
}

#[tokio::test]
async fn a_planned_session_is_changed_by_what_is_sent_and_not_null() {
    let warehouse = Warehouse::open().await;
    seed(&warehouse, "s", "planned").await;
    let body = json!({"code": "NEW", "type": "product", "notes": null, "blind_serials": false, "status": "applied"});
    let (status, answer) = warehouse.send(Method::PUT, "/inventory/count-session/s", body).await;
    assert_eq!((status.as_u16(), &answer["message"]), (200, &json!("Counting session updated successfully")));
    let stored = warehouse.document("InventoryCountSession", "s").await.unwrap();
    assert_eq!((&stored["code"], &stored["type"]), (&json!("NEW"), &json!("product")));
    assert_eq!((&stored["blind_serials"], &stored["status"]), (&json!(false), &json!("planned")));
}

#[tokio::test]
async fn a_started_session_changes_only_description_end_and_notes() {
    let warehouse = Warehouse::open().await;
    seed(&warehouse, "s", "started").await;
    let fixed = [
        json!({"code": "X"}),
        json!({"type": "product"}),
        json!({"blind_quantities": false}),
        json!({"blind_serials": false}),
        json!({"scheduled_start": "2026-01-01T00:00:00Z"}),
    ];
    for body in fixed {
        let (status, answer) = warehouse.send(Method::PUT, "/inventory/count-session/s", body.clone()).await;
        assert_eq!(status, 422, "{body}");
        assert!(answer["detail"].is_string(), "{answer}");
    }
    let body = json!({"code": null, "description": "d", "notes": "n", "scheduled_end": "2026-01-01T00:00:00Z"});
    assert_eq!(warehouse.send(Method::PUT, "/inventory/count-session/s", body).await.0, 200);
    let stored = warehouse.document("InventoryCountSession", "s").await.unwrap();
    assert_eq!((&stored["code"], &stored["notes"]), (&json!("S"), &json!("n")));
}

#[tokio::test]
async fn only_a_planned_session_is_deleted_with_its_assignments() {
    let warehouse = Warehouse::open().await;
    let key = create(&warehouse, json!({"type": "position"}), json!([{"user_key": "u", "target_keys": ["A"]}])).await;
    seed(&warehouse, "s", "started").await;
    let delete = async |key: &str| {
        let path = format!("/inventory/count-session?counting_session_key={key}");
        warehouse.send(Method::DELETE, &path, json!({})).await.0.as_u16()
    };
    assert_eq!(delete("s").await, 422);
    assert_eq!(delete(&key).await, 200);
    assert_eq!(column(&json!(warehouse.documents("InventoryCountSession").await), "_key"), ["s"]);
    assert_eq!(warehouse.documents("InventoryCountAssignment").await.len(), 0);
    assert_eq!(warehouse.send(Method::DELETE, "/inventory/count-session", json!({})).await.0, 422);
}

/// Sessions with assignments and records.
async fn with_records() -> Warehouse {
    let warehouse = Warehouse::open().await;
    seed(&warehouse, "s", "started").await;
    let assignment = |key: &str, kind: &str, target: &str, user: &str, status: &str| {
        json!({"_key": key, "inventory_count_session_key": "s", "target_type": kind, "target_key": target,
            "assigned_to": user, "status": status, "created": format!("2026-01-01T00:00:0{}", key.len())})
    };
    warehouse
        .service
        .seed(
            "InventoryCountAssignment",
            json!([
                assignment("a", "position", "B", "u1", "planned"),
                assignment("aa", "position", "A", "u2", "started"),
                assignment("aaa", "product", "P", "u1", "planned"),
                assignment("aaaa", "product", "Q", "u1", "canceled"),
            ]),
        )
        .await;
    let record = |key: &str, product: &str, position: &str, status: &str, counted: Value| {
        json!({"_key": key, "_from": format!("Product/{product}"), "_to": format!("Position/{position}"),
            "inventory_count_session_key": "s", "user_key": "u1", "assignment_key": "a", "status": status,
            "system_qt": 3, "counted_qt": counted, "system_at": format!("2026-01-01T00:00:0{}", key.len()),
            "processed": status == "confirmed"})
    };
    let mut rows = vec![
        record("r", "P", "B", "started", Value::Null),
        record("rr", "P", "A11", "completed", json!(5)),
        record("rrr", "Q", "B", "confirmed", json!(3)),
        record("rrrr", "T", "B", "discarded", json!(1)),
        record("rrrrr", "T", "B", "submitted", json!(1)),
    ];
    rows[4]["counted_serial_keys"] = json!(["t1"]);
    rows[4]["system_serial_keys"] = json!(["t1", "t2"]);
    rows[4]["user_key"] = json!("u2");
    rows[4]["inventory_count_session_key"] = json!("other");
    rows[1]["assignment_key"] = json!("aa");
    warehouse.service.seed("inventory_count_record", json!(rows)).await;
    warehouse.service.seed("Tag", json!([{"_key": "tag", "name": "red"}])).await;
    warehouse.service.seed("has_tag", json!([{"_from": "Product/P", "_to": "Tag/tag"}])).await;
    let done = |position: &str, status: &str| json!({"_from": "InventoryCountSession/s", "_to": format!("Position/{position}"), "status": status});
    warehouse
        .service
        .seed(
            "inventory_count_position_complete",
            json!([done("B", "counted"), done("BOX", "empty"), done("A11", "counted")]),
        )
        .await;
    warehouse
}

#[tokio::test]
async fn processed_records_and_completed_positions_of_a_session_are_told() {
    let warehouse = with_records().await;
    assert_eq!(warehouse.get("/inventory/count-session/s/processed-records").await, json!(1));
    assert_eq!(warehouse.get("/inventory/count-session/none/processed-records").await, json!(0));
    assert_eq!(warehouse.get("/inventory/count-session/s/completed-positions").await, json!(["A11", "B", "BOX"]));
}

#[tokio::test]
async fn the_status_of_direct_children_is_told_by_key() {
    let warehouse = with_records().await;
    let of = async |parent: &str| {
        warehouse.get(&format!("/inventory/count-position-status?session_key=s&parent_key={parent}")).await
    };
    assert_eq!(of("IN").await, json!({"B": "counted", "BOX": "empty"}));
    assert_eq!(of("A").await, json!({}));
    assert_eq!(warehouse.ask("/inventory/count-position-status?session_key=s").await.0, 422);
}

#[tokio::test]
async fn every_filter_of_the_assignment_search_restricts_it() {
    let warehouse = with_records().await;
    let keys = async |query: &str| {
        column(&warehouse.get(&format!("/inventory/count-assignment?{query}")).await, "_key").join(" ")
    };
    let cases = [
        ("", "a aa aaa aaaa"),
        ("inventory_count_session_key=none", ""),
        ("assignment_type=product", "aaa aaaa"),
        ("product_key=P", "aaa"),
        ("product_search=qu*", "aaaa"),
        ("position_key=A11", "aa"),
        ("position_key=B", "a"),
        ("position_search=a11", "aa"),
        ("assigned_to=u1&status=planned", "a aaa"),
        ("assignment_type=position&order_by=position", "aa a"),
        ("order_by=product", "aaa aaaa aa a"),
        ("limit=1&offset=1", "aa"),
    ];
    for (query, expected) in cases {
        assert_eq!(keys(query).await, expected, "{query}");
    }
    assert_eq!(warehouse.ask("/inventory/count-assignment?order_by=colour").await.0, 422);
}

/// The search reads alike whether its assignments are found through a session or through what is assigned.
#[tokio::test]
async fn assignments_are_ordered_by_the_codes_of_their_targets_and_those_without_a_target_come_last() {
    let warehouse = Warehouse::open().await;
    let assignment = |key: &str, kind: &str, target: &str, minute: u32| {
        json!({
            "_key": key, "inventory_count_session_key": "s", "target_type": kind, "target_key": target, "assigned_to": "u",
            "status": "completed", "created": format!("2026-05-04T08:{minute:02}:00.000000+00:00"),
        })
    };
    let assignments = json!([
        assignment("quick", "product", "Q", 1),
        assignment("plain2", "product", "P", 3),
        assignment("plain1", "product", "P", 2),
        assignment("gone", "product", "none", 4),
        assignment("b", "position", "B", 5),
        assignment("a", "position", "A", 6),
        assignment("nowhere", "position", "none", 7),
    ]);
    warehouse.service.seed("InventoryCountAssignment", assignments).await;
    let products = "plain1 plain2 quick a b gone nowhere";
    let cases = [
        ("order_by=product", products),
        ("order_by=product&status=completed", products),
        ("order_by=product&status=planned", ""),
        ("order_by=position", "a b plain1 plain2 quick nowhere gone"),
        ("order_by=position&assignment_type=product", "plain1 plain2 quick gone"),
        ("order_by=product&limit=2", "plain1 plain2"),
        ("order_by=product&limit=3&offset=4", "b gone nowhere"),
        ("order_by=product&limit=3&offset=7", ""),
    ];
    for (query, expected) in cases {
        for way in ["", "&inventory_count_session_key=s", "&assigned_to=u"] {
            let rows = warehouse.get(&format!("/inventory/count-assignment?{query}{way}")).await;
            assert_eq!(column(&rows, "_key").join(" "), expected, "{query}{way}");
        }
    }
}

#[tokio::test]
async fn assignments_are_added_to_open_sessions_only() {
    let warehouse = with_records().await;
    for (key, status) in [("c", "completed"), ("cc", "applied"), ("ccc", "canceled")] {
        seed(&warehouse, key, status).await;
    }
    let of = |session: &str| json!({"inventory_count_session_key": session, "target_type": "position", "target_key": "A", "assigned_to": "u9"});
    let path = "/inventory/count-assignment";
    warehouse.refused(path, json!([]), 400).await;
    warehouse.refused(path, json!([of("s"), of("none")]), 404).await;
    for session in ["c", "cc", "ccc"] {
        warehouse.refused(path, json!([of("s"), of(session)]), 422).await;
    }
    assert_eq!(warehouse.documents("InventoryCountAssignment").await.len(), 4);
    let answer = warehouse.post(path, json!([of("s"), of("s")])).await;
    assert_eq!(answer["detail"], json!({"assignment_count": 2}));
    let stored = warehouse.get("/inventory/count-assignment?assigned_to=u9").await;
    assert_eq!(
        (&stored[0]["created_by"], &stored[0]["include_children"], &stored[0]["status"]),
        (&json!("worker"), &json!(false), &json!("planned"))
    );
}

#[tokio::test]
async fn planned_assignments_are_canceled_all_or_none() {
    let warehouse = with_records().await;
    let path = "/inventory/count-assignment";
    for keys in [json!(["a", "aa"]), json!(["a", "none"])] {
        let (status, _) = warehouse.send(Method::DELETE, path, json!({"assignment_keys": keys})).await;
        assert_eq!(status, 400);
    }
    assert_eq!(warehouse.document("InventoryCountAssignment", "a").await.unwrap()["status"], "planned");
    let (status, answer) = warehouse.send(Method::DELETE, path, json!({"assignment_keys": ["a", "aaa"]})).await;
    assert_eq!((status.as_u16(), &answer["detail"]), (200, &json!({"assignment_count": 2})));
    assert_eq!(warehouse.document("InventoryCountAssignment", "a").await.unwrap()["status"], "canceled");
}

#[tokio::test]
async fn count_records_show_what_they_refer_to_and_their_delta() {
    let warehouse = with_records().await;
    let row = &warehouse.get("/inventory/count-record?position_key=A11").await[0];
    assert_eq!((&row["product_key"], &row["product_code"]), (&json!("P"), &json!("PLAIN")));
    assert_eq!(row["product_tags"][0]["name"], "red");
    assert_eq!(
        (&row["position_key"], &row["position_code"], &row["position_deleted"]),
        (&json!("A11"), &json!("A11-code"), &json!(false))
    );
    assert_eq!(row["position_path"], json!(["A-code", "A1-code", "A11-code"]));
    assert_eq!(row["delta"].as_f64(), Some(2.0));
    assert_eq!(row["system_serials"], json!([]));
    let serial = &warehouse.get("/inventory/count-record?count_session_key=other").await[0];
    assert_eq!(serial["counted_serials"], json!([{"serial_key": "t1", "serial_code": "T-1"}]));
    assert_eq!(column(&serial["system_serials"], "serial_key"), ["t1", "t2"]);
    assert_eq!(serial["product_traceability_level"], "complete");
    let started = &warehouse
        .get("/inventory/count-record?count_session_key=s&include_completed=false&include_discarded=false")
        .await[0];
    assert!(started["delta"].is_null());
}

#[tokio::test]
async fn every_filter_of_the_record_search_restricts_it() {
    let warehouse = with_records().await;
    let keys =
        async |query: &str| column(&warehouse.get(&format!("/inventory/count-record?{query}")).await, "_key").join(" ");
    let cases = [
        ("", "r rr rrr rrrr rrrrr"),
        ("count_session_key=s", "r rr rrr rrrr"),
        ("user_key=u2", "rrrrr"),
        ("assignment_key=aa", "rr"),
        ("product_key=P", "r rr"),
        ("position_key=B&product_key=P", "r"),
        ("include_started=false&include_discarded=false", "rr rrr rrrrr"),
        ("include_completed=false", "r rrrr"),
        ("include_started=false&include_completed=false&include_discarded=false", ""),
        ("limit=2&offset=1", "rr rrr"),
    ];
    for (query, expected) in cases {
        assert_eq!(keys(query).await, expected, "{query}");
    }
}
