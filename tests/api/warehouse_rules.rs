//! Sentences about the warehouse that hold for several operations, or for what other tests do not look at.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::warehouse::{Warehouse, column};

/// The members of a row.
fn members(row: &Value) -> Vec<&str> {
    row.as_object().unwrap().keys().map(String::as_str).collect()
}

/// The searches of the warehouse with the size of their page.
const SEARCHES: &[(&str, usize)] = &[
    ("/position", 200),
    ("/movement", 500),
    ("/movement/latest-positions", 10),
    ("/movement/latest-products", 10),
    ("/movement-list", 100),
    ("/inventory", 200),
    ("/inventory/count-session", 500),
    ("/inventory/count-assignment", 500),
    ("/inventory/count-record", 500),
];

/// A warehouse with more of everything than the largest page.
async fn full() -> Warehouse {
    let warehouse = Warehouse::open().await;
    let many = |make: fn(usize) -> Value| -> Value { (0..510).map(make).collect() };
    let time = "2026-05-04T08:00:00.000000+00:00";
    let service = &warehouse.service;
    service.seed("Position", many(|n| json!({"_key": format!("p{n}"), "code": format!("P{n}")}))).await;
    let inside = many(|n| json!({"_from": format!("Position/p{n}"), "_to": "Position/IN"}));
    service.seed("is_in_position", inside).await;
    service.seed("Product", many(|n| json!({"_key": format!("p{n}"), "code": format!("P{n}"), "active": true}))).await;
    let stock = many(|n| json!({"_from": format!("Product/p{n}"), "_to": format!("Position/p{n}"), "quantity": 1}));
    service.seed("is_in_position", stock).await;
    let mut movements = many(|n| {
        json!({"_from": format!("Position/p{n}"), "_to": format!("Position/p{}", (n + 1) % 510), "type": "transfer",
            "product_key": format!("p{n}"), "status": "completed"})
    });
    movements.as_array_mut().unwrap().iter_mut().for_each(|movement| movement["end"] = time.into());
    service.seed("movement", movements).await;
    let lists =
        many(|n| json!({"code": format!("L{n}"), "type": "transfer", "status": "planned", "due_by": "2026-05-04"}));
    service.seed("MovementList", lists).await;
    service.seed("InventoryCountSession", many(|n| json!({"code": format!("S{n}"), "type": "product"}))).await;
    let assignments =
        many(|n| json!({"inventory_count_session_key": "s", "target_type": "product", "target_key": format!("p{n}")}));
    service.seed("InventoryCountAssignment", assignments).await;
    let records = many(
        |n| json!({"_from": format!("Product/p{n}"), "_to": "Position/A", "status": "completed", "counted_qt": 1}),
    );
    service.seed("inventory_count_record", records).await;
    warehouse
}

#[tokio::test]
async fn a_page_has_its_size_when_no_limit_is_given_and_limits_are_checked() {
    let warehouse = full().await;
    for (path, size) in SEARCHES {
        let count = async |query: &str| warehouse.get(&format!("{path}?{query}")).await.as_array().unwrap().len();
        assert_eq!(count("").await, *size, "{path}");
        assert_eq!(count("limit=").await, *size, "{path}: an empty limit is no limit");
        assert_eq!(count("limit=3").await, 3, "{path}");
        assert!(count("limit=10000").await >= 509, "{path}");
        for query in ["limit=-1", "limit=10001", "limit=many", "offset=-1"] {
            if query.starts_with("offset") && path.contains("latest") {
                continue;
            }
            assert_eq!(warehouse.ask(&format!("{path}?{query}")).await.0, 422, "{path}?{query}");
        }
        let none = warehouse.ask(&format!("{path}?limit=0")).await;
        let expected = if *path == "/position" { 200 } else { 422 };
        assert_eq!(none.0, expected, "{path}: only where all rows may be asked for");
    }
}

#[tokio::test]
async fn pages_of_rows_that_sort_alike_fit_together() {
    let warehouse = full().await;
    for (path, _) in SEARCHES.iter().filter(|(path, _)| !path.contains("latest")) {
        let mut found = Vec::new();
        for offset in (0..600).step_by(90) {
            found.extend(column(&warehouse.get(&format!("{path}?limit=90&offset={offset}")).await, "_key"));
        }
        let all = column(&warehouse.get(&format!("{path}?limit=10000")).await, "_key");
        assert_eq!(found, all, "{path}");
    }
    // Found by different ways, the same rows come in the same order.
    let all = column(&warehouse.get("/movement?limit=10000").await, "_key");
    for query in ["product_search=p", "position_from=IN", "movement_type=transfer", "include_planned=false"] {
        assert_eq!(column(&warehouse.get(&format!("/movement?limit=10000&{query}")).await, "_key"), all, "{query}");
    }
}

#[tokio::test]
async fn rows_of_every_search_have_every_member_and_null_for_what_is_not_stored() {
    let warehouse = full().await;
    let own = ["_id", "_key", "_rev"];
    let cases: &[(&str, &[&str])] = &[
        (
            "/position",
            &["code", "owned", "available", "disposable", "fixed", "deleted", "created", "allow_consumption", "extra"],
        ),
        (
            "/movement",
            &[
                "_from",
                "_to",
                "type",
                "product_key",
                "serial_key",
                "qt_planned",
                "qt_confirmed",
                "status",
                "created",
                "start",
                "end",
                "inverse_movement_key",
                "movement_list_key",
                "movement_list_item",
                "references",
                "reason",
                "user_key",
                "extra",
                "position_from_key",
                "position_from_code",
                "position_from_deleted",
                "position_to_key",
                "position_to_code",
                "position_to_deleted",
                "movement_list_code",
                "product_code",
                "product_description",
                "serial_code",
            ],
        ),
        (
            "/movement-list",
            &["code", "notes", "due_by", "created", "start", "end", "status", "extra", "references", "type", "counts"],
        ),
        (
            "/inventory/count-session",
            &[
                "code",
                "description",
                "type",
                "status",
                "blind_quantities",
                "blind_serials",
                "coverage_percentage",
                "scheduled_start",
                "scheduled_end",
                "created",
                "created_by",
                "started",
                "completed",
                "baseline_snapshot_key",
                "post_count_snapshot_key",
                "post_adjustment_snapshot_key",
                "adjustment_list_key",
                "notes",
                "extra",
            ],
        ),
        (
            "/inventory/count-assignment",
            &[
                "inventory_count_session_key",
                "target_type",
                "target_key",
                "include_children",
                "assigned_to",
                "status",
                "created",
                "created_by",
                "started",
                "completed",
                "notes",
                "extra",
            ],
        ),
        (
            "/inventory/count-record",
            &[
                "_from",
                "_to",
                "system_qt",
                "system_serial_keys",
                "system_at",
                "counted_qt",
                "counted_serial_keys",
                "counted_at",
                "inventory_count_session_key",
                "assignment_key",
                "user_key",
                "status",
                "reviewed_at",
                "processed",
                "movement_keys",
                "notes",
                "extra",
                "product_key",
                "product_code",
                "product_description",
                "product_traceability_level",
                "product_tags",
                "position_key",
                "position_code",
                "position_deleted",
                "position_path",
                "system_serials",
                "counted_serials",
                "delta",
            ],
        ),
    ];
    for (path, expected) in cases {
        let rows = warehouse.get(path).await;
        let found = members(&rows[0]);
        for name in own.iter().chain(*expected) {
            assert!(found.contains(name), "{path}: {name} in {found:?}");
        }
    }
    let product = &warehouse.get("/movement/latest-products").await[0];
    let mut expected = vec![
        "_key",
        "code",
        "description",
        "active",
        "image",
        "tags",
        "counter_key",
        "traceability_level",
        "manage_inventory",
        "allow_negative_inventory",
        "serial_code_on_creation",
    ];
    expected.sort_unstable();
    let mut found = members(product);
    found.sort_unstable();
    assert_eq!(found, expected);
    let stock = &warehouse.get("/inventory").await[0];
    let mut expected = vec![
        "_key",
        "product_key",
        "product_code",
        "product_description",
        "position_key",
        "position_code",
        "path",
        "serial_key",
        "serial_code",
        "quantity",
        "owned",
        "value",
        "reference",
        "extra",
    ];
    expected.sort_unstable();
    let mut found = members(stock);
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn booleans_are_words_or_digits() {
    let warehouse = Warehouse::open().await;
    for (yes, no) in [("true", "false"), ("1", "0")] {
        let fixed =
            async |word: &str| column(&warehouse.get(&format!("/position?fixed_only={word}")).await, "_key").len();
        assert_eq!((fixed(yes).await, fixed(no).await), (4, 5));
    }
    assert_eq!(warehouse.ask("/position?fixed_only=perhaps").await.0, 422);
}

#[tokio::test]
async fn wildcards_mean_the_same_in_every_search() {
    let warehouse = Warehouse::open().await;
    let codes = ["AB-1", "xab-1", "AB-12", "A*B", "A?B", "a.b"];
    let coded = |attribute: &str| -> Value {
        (0..)
            .zip(codes)
            .map(|(n, code): (usize, &str)| json!({"_key": format!("c{n}"), attribute: code, "active": true}))
            .collect()
    };
    let service = &warehouse.service;
    for collection in ["Product", "Position", "Serial"] {
        service.seed(collection, coded("code")).await;
    }
    service.seed("WorkOrder", coded("wo_code")).await;
    let movement = |n: usize| {
        json!({"_key": format!("m{n}"), "_from": "Position/A", "_to": "Position/B", "type": "transfer", "status": "completed",
            "product_key": format!("c{n}"), "serial_key": format!("c{n}"), "end": format!("2026-05-0{}", 9 - n),
            "references": {"work_order_key": format!("c{n}")}})
    };
    service.seed("movement", (0..codes.len()).map(movement).collect()).await;
    let inside = |n: usize| json!({"_from": format!("Position/c{n}"), "_to": "Position/IN"});
    service.seed("is_in_position", (0..codes.len()).map(inside).collect()).await;
    let stock = |n: usize| {
        json!({"_key": format!("k{n}"), "_from": format!("Product/c{n}"), "_to": format!("Position/c{n}"),
            "serial_key": format!("c{n}"), "quantity": 1})
    };
    service.seed("is_in_position", (0..codes.len()).map(stock).collect()).await;
    let cases: &[(&str, &[usize])] = &[
        ("ab-1", &[0, 1, 2]),
        ("AB*", &[0, 2]),
        ("*b-1", &[0, 1]),
        ("*ab*", &[0, 1, 2]),
        ("a?b", &[3, 4, 5]),
        (r"a\?b", &[4]),
        (r"a\*b", &[3]),
        (r"A\**", &[3]),
        ("a.b", &[5]),
        ("?", &[0, 1, 2, 3, 4, 5]),
        ("ab-1?", &[2]),
        ("AB-1*2", &[2]),
    ];
    let searches = [
        ("/movement?product_search", "m"),
        ("/movement?serial_search", "m"),
        ("/movement?work_order_search", "m"),
        ("/inventory?product_search", "k"),
        ("/inventory?serial_search", "k"),
        ("/inventory?position_search", "k"),
    ];
    for (search, prefix) in searches {
        for (text, expected) in cases {
            let path = format!("{search}={}", text.replace('?', "%3F"));
            let mut found = column(&warehouse.get(&path).await, "_key");
            found.sort();
            let expected: Vec<String> = expected.iter().map(|n| format!("{prefix}{n}")).collect();
            assert_eq!(found, expected, "{path}");
        }
    }
}

#[tokio::test]
async fn a_text_that_very_many_serials_match_finds_the_same_movements() {
    let warehouse = Warehouse::open().await;
    let serials: Value = (0..10_100).map(|n| json!({"_key": format!("n{n}"), "code": format!("N{n:05}")})).collect();
    warehouse.service.seed("Serial", serials).await;
    let movement = |n: usize| {
        json!({"_key": format!("m{n}"), "_from": "Position/A", "_to": "Position/B", "type": "transfer", "status": "completed",
            "serial_key": if n == 2 { "t1".to_owned() } else { format!("n{n}") }, "end": format!("2026-05-0{n}")})
    };
    warehouse.service.seed("movement", (1..5).map(movement).collect()).await;
    let stock = |n: usize| json!({"_key": format!("k{n}"), "_from": "Product/T", "_to": "Position/A", "serial_key": format!("n{n}"), "quantity": 1});
    warehouse.service.seed("is_in_position", (1..5).map(stock).collect()).await;
    for text in ["n", "n*", "N0"] {
        let found = column(&warehouse.get(&format!("/movement?serial_search={text}")).await, "_key");
        assert_eq!(found, ["m4", "m3", "m1"], "{text}");
        let found = column(&warehouse.get(&format!("/inventory?serial_search={text}")).await, "_key");
        assert_eq!(found, ["k1", "k2", "k3", "k4"], "{text}");
    }
    let found = column(&warehouse.get("/movement?serial_search=n&serial_keys=n3&serial_keys=t1").await, "_key");
    assert_eq!(found, ["m3"]);
}

#[tokio::test]
async fn equal_ends_of_the_journal_come_by_start_and_those_without_end_last() {
    let warehouse = Warehouse::open().await;
    let movement = |key: &str, start: Value, end: Value| {
        json!({"_key": key, "_from": "Position/A", "_to": "Position/B", "type": "transfer", "status": "completed",
            "product_key": "P", "start": start, "end": end})
    };
    let rows = json!([
        movement("a", json!("2026-05-01"), json!("2026-05-04")),
        movement("b", json!("2026-05-03"), json!("2026-05-04")),
        movement("c", json!("2026-05-02"), json!("2026-05-05")),
        movement("d", json!("2026-05-09"), Value::Null),
    ]);
    warehouse.service.seed("movement", rows).await;
    for query in ["", "product_key=P", "position_from=A", "product_search=*"] {
        assert_eq!(
            column(&warehouse.get(&format!("/movement?{query}")).await, "_key"),
            ["c", "b", "a", "d"],
            "{query}"
        );
    }
    let page = column(
        &warehouse.get("/movement?position_from=A&position_to=B&position_filter_operator=OR&limit=2&offset=1").await,
        "_key",
    );
    assert_eq!(page, ["b", "a"], "a movement that matches at both ends is one row");
}

#[tokio::test]
async fn conditions_of_the_journal_apply_together() {
    let warehouse = Warehouse::open().await;
    let movement = |key: &str, product: &str, from: &str, to: &str, day: u32| {
        json!({"_key": key, "_from": format!("Position/{from}"), "_to": format!("Position/{to}"), "type": "transfer",
            "status": "completed", "product_key": product, "start": format!("2026-05-{day:02}T08:00:00.000000+00:00"),
            "end": format!("2026-05-{day:02}T09:00:00.000000+00:00")})
    };
    let rows = json!([
        movement("m1", "P", "A11", "BOX", 1),
        movement("m2", "P", "BOX", "B", 2),
        movement("m3", "Q", "A", "B", 3),
        movement("m4", "P", "BOX", "IN", 4),
        movement("m5", "P", "A1", "B", 5),
        movement("m6", "Q", "NULL", "A", 6),
    ]);
    warehouse.service.seed("movement", rows).await;
    let keys = async |query: &str| column(&warehouse.get(&format!("/movement?{query}")).await, "_key").join(" ");
    // As the application of the warehouse asks.
    let both = "product_key=P&position_from=A&position_to=B&position_filter_operator=OR&limit=200";
    assert_eq!(keys(both).await, "m5 m2 m1");
    assert_eq!(keys(&format!("{both}&start_from=2026-05-02T00:00:00.000Z")).await, "m5 m2");
    assert_eq!(keys("product_key=P&product_search=quick").await, "");
    assert_eq!(keys("product_search=p*&position_from=A").await, "m5 m1");
    assert_eq!(keys("product_search=*&movement_type=transfer&end_to=2026-05-03T09:00:00Z").await, "m3 m2 m1");
    assert_eq!(keys("product_search=*&end_from=2026-05-02T09:00:00Z&end_to=2026-05-04T09:00:00Z").await, "m4 m3 m2");
    assert_eq!(keys("start_from=2026-05-02T08:00:00Z&start_to=2026-05-04T08:00:00Z&position_to=B").await, "m3 m2");
    assert_eq!(keys("position_from=NULL").await, "m6");
    assert_eq!(keys("position_from=none").await, "");
    assert_eq!(keys("position_from=a/b&position_filter_operator=OR").await, "");
}

#[tokio::test]
async fn contents_of_a_position_leave_out_what_is_deleted_or_has_no_code_and_tell_who_counts() {
    let warehouse = Warehouse::open().await;
    let service = &warehouse.service;
    service
        .seed("Position", json!([{"_key": "gone", "code": "GONE", "deleted": true}, {"_key": "bare", "code": null}]))
        .await;
    service.seed("User", json!([{"_key": "u9", "username": "u9", "name": "Ann", "surname": "Bee", "scope": ""}])).await;
    let inside = |from: &str| json!({"_from": from, "_to": "Position/B"});
    let mut counted =
        json!({"_key": "counted", "_from": "Product/P", "_to": "Position/B", "quantity": 2, "counting": true});
    counted["count_by"] = "u9".into();
    service.seed("is_in_position", json!([inside("Position/gone"), inside("Position/bare"), counted])).await;
    let details = warehouse.get("/position/B").await;
    assert_eq!(column(&details["contents"], "_key"), ["counted"]);
    let row = &details["contents"][0];
    assert_eq!(
        (&row["counting"], &row["count_by"], &row["count_user"]),
        (&json!(true), &json!("u9"), &json!("Ann Bee"))
    );
    for name in ["position_key", "position_fixed", "serial_code", "serial_key"] {
        assert!(row.get(name).is_some_and(Value::is_null), "{name} in {row}");
    }
}

#[tokio::test]
async fn the_latest_positions_and_products_leave_out_what_is_gone_and_name_each_once() {
    let warehouse = Warehouse::open().await;
    let service = &warehouse.service;
    service.seed("Position", json!([{"_key": "gone", "code": "GONE", "deleted": true}])).await;
    let product =
        |key: &str, active: bool, trash: bool| json!({"_key": key, "code": key, "active": active, "trash": trash});
    service.seed("Product", json!([product("idle", false, false), product("trash", true, true)])).await;
    let movement = |product: &str, to: &str, day: u32| {
        json!({"_from": "Position/IN", "_to": format!("Position/{to}"), "type": "consumption", "product_key": product,
            "status": "completed", "user_key": "u", "end": format!("2026-05-{day:02}")})
    };
    let rows = json!([
        movement("P", "A", 1),
        movement("P", "A", 5),
        movement("Q", "B", 3),
        movement("idle", "NULL", 6),
        movement("trash", "gone", 7),
        movement("none", "none", 8),
    ]);
    service.seed("movement", rows).await;
    for query in ["", "user_key=u", "user_key=u&movement_type=consumption", "movement_type=consumption"] {
        let found = column(&warehouse.get(&format!("/movement/latest-positions?{query}")).await, "_key");
        assert_eq!(found, ["A", "B"], "{query}");
        let query = query.replace("movement_type", "type");
        let found = column(&warehouse.get(&format!("/movement/latest-products?{query}")).await, "_key");
        assert_eq!(found, ["P", "Q"], "{query}");
    }
}

#[tokio::test]
async fn two_positions_may_have_the_same_code() {
    let warehouse = Warehouse::open().await;
    for _ in 0..2 {
        warehouse.post("/position", json!({"code": "TWICE", "unknown": 1})).await;
    }
    let rows = warehouse.get("/position?search=twice").await;
    assert_eq!(column(&rows, "code"), ["TWICE", "TWICE"]);
    assert!(rows[0].get("unknown").is_none(), "what a position does not have is ignored");
}

#[tokio::test]
async fn stock_at_any_depth_keeps_a_position_from_being_deleted() {
    let warehouse = Warehouse::open().await;
    warehouse
        .service
        .seed("is_in_position", json!([{"_from": "Product/P", "_to": "Position/A11", "quantity": 1}]))
        .await;
    for key in ["A", "A1", "A11"] {
        let (status, body) = warehouse.send(Method::DELETE, &format!("/position/{key}"), json!({})).await;
        assert_eq!(
            (status.as_u16(), &body["detail"]),
            (400, &json!("Cannot delete position with existing contents")),
            "{key}"
        );
    }
}

#[tokio::test]
async fn only_new_lists_and_imports_write_events() {
    let warehouse = Warehouse::open().await;
    warehouse.post("/position", json!({"code": "X"})).await;
    warehouse.send(Method::PATCH, "/position/A1?parent_position_key=B", json!({"code": "Y"})).await;
    warehouse.send(Method::DELETE, "/position/A11", json!({})).await;
    let body = json!({"count_session": {"type": "position"}, "assignments": [{"user_key": "u", "target_keys": ["A"]}]});
    let session = warehouse.post("/inventory/count-session", body).await["detail"]["count_session_key"].clone();
    let key = session.as_str().unwrap();
    warehouse.send(Method::PUT, &format!("/inventory/count-session/{key}"), json!({"notes": "n"})).await;
    let assignment = json!([{"inventory_count_session_key": key, "target_type": "position", "target_key": "B"}]);
    warehouse.post("/inventory/count-assignment", assignment).await;
    warehouse.send(Method::DELETE, &format!("/inventory/count-session?counting_session_key={key}"), json!({})).await;
    assert_eq!(warehouse.documents("Event").await, [json!(null); 0]);
}

#[tokio::test]
async fn a_list_is_stored_with_its_defaults_and_times_as_they_are_stored_everywhere() {
    let warehouse = Warehouse::open().await;
    let today = chrono::Utc::now().format("%Y-%m-%d").to_string();
    let answer =
        warehouse.complete("receipt", "now", json!([{"product_key": "P", "user_key": "other", "reason": "why"}])).await;
    let list =
        warehouse.document("MovementList", answer["detail"]["movement_list_key"].as_str().unwrap()).await.unwrap();
    let due = list["due_by"].as_str().unwrap();
    assert!(due >= today.as_str() && due.len() == 10, "{due}");
    assert_eq!((&list["code"], &list["status"], &list["notes"]), (&json!("NOW"), &json!("completed"), &Value::Null));
    let movement = &warehouse.documents("movement").await[0];
    let form = regex::Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$").unwrap();
    for time in
        [&list["created"], &list["start"], &list["end"], &movement["created"], &movement["start"], &movement["end"]]
    {
        assert!(form.is_match(time.as_str().unwrap()), "{time}");
    }
    assert_eq!((&movement["user_key"], &movement["reason"]), (&json!("other"), &json!("why")));
    assert_eq!((movement["qt_planned"].as_f64(), movement["qt_confirmed"].as_f64()), (Some(1.0), Some(1.0)));
}
