//! Searches of the warehouse read the journal through the index of their condition, in its order, and no more of it than
//! a page needs.

use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::plans::{is_embedded, reads};
use tracewright_testkit::warehouse::Warehouse;

/// `base` with the members of `more`.
fn with(base: &Value, more: Value) -> Value {
    let mut params = base.clone();
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params
}

#[tokio::test]
async fn the_journal_is_read_through_the_index_of_its_condition() {
    let warehouse = Warehouse::open().await;
    if !is_embedded(&warehouse.service) {
        return;
    }
    let base = json!({
        "by_value": false, "attribute": "status", "values": [null], "by_type": false, "types": [null], "by_start": false,
        "excluded": [], "any_end": false, "offset": 0, "limit": 10,
    });
    let led = |attribute: Value| {
        let by_type = ["product_key", "_from", "_to", "status"].iter().any(|name| attribute == *name);
        json!({"by_value": true, "attribute": attribute, "values": ["x", "y"], "by_type": by_type, "types": ["receipt"],
            "since": "2026"})
    };
    // what stands beside the condition that leads does not take its place
    let beside = json!({
        "serial_keys": ["s"], "list_keys": ["l"], "work_order_keys": ["w"], "product_keys": ["p"],
        "from_ids": ["Position/A"], "to_ids": ["Position/B"], "type": "receipt", "status": "planned", "start_from": "2026",
    });
    let cases = [
        (json!({}), "movement(end)"),
        (json!({"since": "2026", "end_from": "2026", "end_to": "2027"}), "movement(end)"),
        (json!({"by_start": true, "start_from": "2026"}), "movement(start, end)"),
        (led(json!("serial_key")), "movement(serial_key, end)"),
        (led(json!("movement_list_key")), "movement(movement_list_key, end)"),
        (led(json!(["references", "work_order_key"])), "movement(references.work_order_key, end)"),
        (led(json!("product_key")), "movement(product_key, type, end)"),
        (led(json!("_from")), "movement(_from, type, end)"),
        (led(json!("_to")), "movement(_to, type, end)"),
        (led(json!("status")), "movement(status, type, end)"),
        (
            with(&led(json!("product_key")), json!({"by_type": false, "index_status": "planned"})),
            "movement(product_key, status)",
        ),
        (with(&led(json!("product_key")), beside.clone()), "movement(product_key, type, end)"),
        (with(&led(json!("serial_key")), beside.clone()), "movement(serial_key, end)"),
    ];
    for (more, expected) in cases {
        let params = with(&base, more.clone());
        // Without a bound every movement is wanted, and all of them are sorted.
        let is_bounded = params["by_value"] == true || params["by_start"] == true || params["since"].is_string();
        if is_bounded {
            assert_eq!(reads(&warehouse.service, &aql::warehouse::MOVEMENT_FIND, &params), [expected], "with {more}");
        }
        if params["by_start"] == false {
            let mut params = params.clone();
            let names = ["by_value", "attribute", "values", "by_type", "types", "index_status", "since", "end_to"];
            params.as_object_mut().unwrap().retain(|name, _| names.contains(&name.as_str()));
            let params = with(&params, json!({"share": 3, "last": 9}));
            assert_eq!(
                reads(&warehouse.service, &aql::warehouse::MOVEMENT_HORIZON, &params),
                [expected],
                "how far back with {more}"
            );
        }
    }
}

#[tokio::test]
async fn lists_are_read_in_their_order_status_by_status_and_type_by_type() {
    let warehouse = Warehouse::open().await;
    if !is_embedded(&warehouse.service) {
        return;
    }
    let base = json!({
        "by_state": false, "statuses": [null], "types": [null], "offset": 0, "limit": 10, "reach": 10,
    });
    let cases = [
        (json!({}), "MovementList(due_by, code, _key)"),
        (json!({"due_by_min": "2026-01-01", "due_by_end": "2026-02-01"}), "MovementList(due_by, code, _key)"),
        (json!({"by_state": true}), "MovementList(status, type, due_by, code, _key)"),
        (json!({"by_state": true, "due_by_min": "2026-01-01"}), "MovementList(status, type, due_by, code, _key)"),
        (json!({"list_keys": ["l"], "among_statuses": ["planned"], "among_types": ["receipt"]}), "MovementList(_key)"),
    ];
    for (more, expected) in cases {
        let found = reads(&warehouse.service, &aql::warehouse::MOVEMENT_LISTS, &with(&base, more.clone()));
        let (lists, movements) = found.split_first().unwrap();
        assert_eq!(lists, expected, "with {more}");
        assert!(movements.iter().all(|index| index == "movement(movement_list_key, end)"), "with {more}");
    }
}

#[tokio::test]
async fn the_latest_positions_and_products_are_looked_up_one_by_one() {
    let warehouse = Warehouse::open().await;
    if !is_embedded(&warehouse.service) {
        return;
    }
    let cases = [
        (json!({"types": ["transfer"]}), "type, end"),
        (json!({"types": ["transfer"], "user_key": "u"}), "user_key, type, end"),
    ];
    for (more, expected) in cases {
        let params = with(&json!({"limit": 10}), more.clone());
        for side in ["_from", "_to"] {
            let found =
                reads(&warehouse.service, &aql::warehouse::LATEST_POSITIONS, &with(&params, json!({"side": side})));
            assert_eq!(found, ["Position".to_owned(), format!("movement({side}, {expected})")], "with {more}");
        }
        let found = reads(&warehouse.service, &aql::warehouse::LATEST_PRODUCTS, &params);
        assert_eq!(found[..2], ["Product".to_owned(), format!("movement(product_key, {expected})")], "with {more}");
    }
}

/// The movement with a number, the later the higher: of 40 products, 500 serials, 300 lists, 200 work orders, between 20
/// positions, by 5 users; the last hundred are planned. Numbers from 100 to 109 have something of their own each.
fn movement(number: usize) -> Value {
    let time =
        format!("2026-{:02}-{:02}T08:{:02}:00.000000+00:00", number / 600 + 1, number / 30 % 20 + 1, number % 30);
    let kind = if number < MOVEMENTS / 2 { "receipt" } else { "transfer" };
    let is_planned = number >= MOVEMENTS - 100;
    let at = |time: &String| if is_planned { Value::Null } else { json!(time) };
    let mut movement = json!({
        "_key": format!("m{number:05}"), "_from": format!("Position/p{}", number % 10),
        "_to": format!("Position/p{}", 10 + number % 10), "type": kind, "product_key": format!("p{}", number % 40),
        "serial_key": format!("s{}", number % 500), "movement_list_key": format!("l{}", number % 300),
        "references": {"work_order_key": format!("w{}", number % 200)}, "user_key": format!("u{}", number % 5),
        "status": if is_planned { "planned" } else { "completed" }, "start": at(&time), "end": at(&time),
    });
    if number == 100 {
        let own = json!({
            "_from": "Position/rare", "_to": "Position/rare", "product_key": "rare", "serial_key": "rare",
            "movement_list_key": "rare", "references": {"work_order_key": "rare"}, "user_key": "rare",
            "type": "adjustment",
        });
        movement.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    }
    movement
}

const MOVEMENTS: usize = 4_000;
/// Master data and what else a search goes through whatever the journal holds.
const AROUND: u64 = 1_200;

/// A warehouse with a journal.
async fn with_journal(movements: usize) -> Warehouse {
    let warehouse = Warehouse::open().await;
    let service = &warehouse.service;
    let coded = |prefix: &str, count: usize, attribute: &str| -> Value {
        let document =
            |number: usize| json!({"_key": format!("{prefix}{number}"), attribute: format!("{prefix}-{number:04}")});
        let rare = json!({"_key": "rare", attribute: "RARE"});
        (0..count).map(document).chain([rare]).collect()
    };
    service.seed("Product", coded("p", 40, "code")).await;
    service.seed("Position", coded("p", 20, "code")).await;
    service.seed("Serial", coded("s", 500, "code")).await;
    // Stock is as much as the journal is long, and below the positions that are searched with all below them.
    let inside = |n: usize| json!({"_from": format!("Position/p{n}"), "_to": "Position/A"});
    service.seed("is_in_position", (0..20).map(inside).collect()).await;
    let stock = |n: usize| json!({"_from": format!("Product/p{}", n % 40), "_to": format!("Position/p{}", n % 20), "quantity": 1, "serial_key": format!("x{n}")});
    service.seed("is_in_position", (0..movements).map(stock).collect()).await;
    service.seed("WorkOrder", coded("w", 200, "wo_code")).await;
    let mut lists = coded("l", 300, "code");
    for (number, list) in lists.as_array_mut().unwrap().iter_mut().enumerate() {
        list["type"] = if list["_key"] == "rare" { "adjustment".into() } else { "transfer".into() };
        list["status"] = if number % 100 == 7 { "planned".into() } else { "completed".into() };
        list["due_by"] = format!("2026-{:02}-{:02}", number / 28 + 1, number % 28 + 1).into();
    }
    service.seed("MovementList", lists).await;
    for first in (0..movements).step_by(1_000) {
        service.seed("movement", json!((first..first + 1_000).map(movement).collect::<Vec<_>>())).await;
    }
    warehouse
}

/// Searches with the number of rows they have.
const SEARCHES: &[(&str, usize)] = &[
    ("/movement?limit=10", 10),
    ("/movement?limit=10&product_key=p7", 10),
    ("/movement?limit=10&product_search=p-0007", 10),
    ("/movement?limit=10&product_search=p-", 10),
    ("/movement?limit=10&product_search=rare", 1),
    ("/movement?limit=10&product_search=*", 10),
    ("/movement?limit=10&product_search=nothing", 0),
    ("/movement?limit=10&serial_keys=s7", 8),
    ("/movement?limit=10&serial_search=s-0007", 8),
    ("/movement?limit=10&serial_search=s-00*", 10),
    ("/movement?limit=10&serial_search=s-", 10),
    ("/movement?limit=10&serial_search=rar*", 1),
    ("/movement?limit=10&list_key=rare", 1),
    ("/movement?limit=10&list_search=l-00", 10),
    ("/movement?limit=10&list_search=rare", 1),
    ("/movement?limit=10&work_order_search=w-0007", 10),
    ("/movement?limit=10&work_order_search=rare*", 1),
    ("/movement?limit=10&work_order_search=w*", 10),
    ("/movement?limit=10&position_from=p7", 10),
    ("/movement?limit=10&position_from=A", 10),
    ("/movement?limit=10&position_from=IN&position_to=rare&position_filter_operator=OR", 10),
    ("/movement?limit=10&position_from=rare", 1),
    ("/movement?limit=10&position_to=rare", 1),
    ("/movement?limit=10&position_from=rare&position_to=rare&position_filter_operator=OR", 1),
    ("/movement?limit=10&position_from=p7&position_to=rare&position_filter_operator=OR", 10),
    ("/movement?limit=10&position_from=p7&position_to=rare", 0),
    ("/movement?limit=10&movement_type=receipt", 10),
    ("/movement?limit=10&movement_type=adjustment", 1),
    ("/movement?limit=10&movement_type=adjustment&movement_status=planned", 0),
    ("/movement?limit=10&movement_status=planned", 10),
    ("/movement?limit=10&movement_status=canceled", 0),
    ("/movement?limit=10&include_completed=false", 10),
    ("/movement?limit=10&include_planned=false", 10),
    ("/movement?limit=10&product_key=p7&movement_status=planned", 2),
    ("/movement?limit=10&product_key=p7&movement_type=adjustment", 0),
    ("/movement?limit=10&position_from=p7&movement_type=adjustment", 0),
    ("/movement?limit=10&end_from=2026-07-10T00:00:00Z", 10),
    ("/movement?limit=10&end_to=2026-01-02T00:00:00Z", 10),
    ("/movement?limit=10&start_from=2026-07-10T00:00:00Z", 10),
    ("/movement?limit=10&start_from=2027-01-01T00:00:00Z", 0),
    ("/movement?limit=10&start_from=2026-03-01T08:00:00Z&start_to=2026-03-01T09:00:00Z", 10),
    ("/movement-list?limit=10", 10),
    ("/movement-list?limit=10&search=l-00", 10),
    ("/movement-list?limit=10&search=rare", 1),
    ("/movement-list?limit=10&includes_product_key=rare", 1),
    ("/movement-list?limit=10&includes_product_code=RARE", 1),
    ("/movement-list?limit=10&open_only=true", 3),
    ("/movement-list?limit=10&status=completed", 10),
    ("/movement-list?limit=10&status=canceled", 0),
    ("/movement-list?limit=10&type=adjustment", 1),
    ("/movement-list?limit=10&type=transfer&status=completed", 10),
    ("/movement-list?limit=10&due_by_min=2026-06-01&due_by_max=2026-06-30", 10),
    ("/movement/latest-positions", 10),
    ("/movement/latest-positions?position_type=from&movement_type=transfer", 10),
    ("/movement/latest-positions?movement_type=adjustment", 1),
    ("/movement/latest-positions?user_key=u3", 2),
    ("/movement/latest-positions?user_key=rare", 1),
    ("/movement/latest-positions?user_key=nobody&movement_type=receipt", 0),
    ("/movement/latest-products", 10),
    ("/movement/latest-products?type=adjustment", 1),
    ("/movement/latest-products?user_key=rare", 1),
    ("/movement/latest-products?user_key=u3&type=transfer", 8),
    ("/inventory?limit=10&serial_search=rare", 0),
    ("/inventory?limit=10&serial_keys=x77", 1),
    ("/inventory?limit=10", 10),
    ("/inventory?limit=10&root_position_key=A", 10),
    ("/inventory?limit=10&offset=100&root_position_key=A", 10),
    ("/inventory?limit=10&root_position_key=A&product_key=p7", 10),
    ("/inventory?limit=10&root_position_key=A&product_key=rare", 0),
    ("/inventory?limit=10&root_position_key=rare", 0),
    ("/position-hierarchy?position_key=IN", 1),
];

#[tokio::test]
async fn a_page_of_any_search_looks_at_a_bounded_part_of_the_journal() {
    let warehouse = with_journal(MOVEMENTS).await;
    let scanned = || warehouse.service.app.store.meter().scanned();
    // Servers count differently what they read ahead.
    let is_counted = is_embedded(&warehouse.service);
    let mut wrong = Vec::new();
    for (path, expected) in SEARCHES {
        let before = scanned();
        let rows = warehouse.get(path).await.as_array().unwrap().len();
        let looked_at = scanned() - before;
        if rows != *expected || (is_counted && looked_at > AROUND) {
            wrong.push(format!("{path}: {rows} rows instead of {expected}, {looked_at} looked at"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn assignments_of_all_sessions_are_looked_up_by_what_the_search_says_of_them() {
    let warehouse = Warehouse::open().await;
    let service = &warehouse.service;
    let assignment = |number: usize| {
        let target = ["P", "Q", "T"][number % 3];
        json!({
            "_key": format!("a{number:05}"), "inventory_count_session_key": format!("s{}", number % 100),
            "target_type": "product", "target_key": target, "assigned_to": format!("u{}", number % 50),
            "status": if number < 5 { "planned" } else { "completed" },
            "created": format!("2026-05-04T08:00:00.{number:06}+00:00"),
        })
    };
    service.seed("InventoryCountAssignment", (0..ASSIGNMENTS).map(assignment).collect()).await;
    let is_counted = is_embedded(service);
    for (search, expected) in [
        ("order_by=product", 10),
        ("order_by=position", 10),
        ("order_by=product&status=completed", 10),
        ("order_by=product&status=planned", 5),
        ("order_by=product&assigned_to=u7", 10),
        ("order_by=product&inventory_count_session_key=s7", 10),
        ("status=planned", 5),
        ("product_key=none", 0),
        ("product_search=none", 0),
        ("position_key=A11", 0),
        ("position_search=a11", 0),
    ] {
        let before = service.app.store.meter().scanned();
        let rows = warehouse.get(&format!("/inventory/count-assignment?limit=10&{search}")).await;
        let looked_at = service.app.store.meter().scanned() - before;
        assert_eq!(rows.as_array().unwrap().len(), expected, "{search}");
        assert!(!is_counted || looked_at < ASSIGNMENTS as u64 / 10, "{search}: {looked_at} looked at");
    }
}

const ASSIGNMENTS: usize = 3_000;
