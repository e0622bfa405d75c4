//! Queries of the warehouse read collections that grow with production through an index.

mod common;

use common::Service;
use http::{Method, Request};
use serde_json::{Value, json};
use tracewright::query;
use tracewright::store::{Header, Query};

/// Collections that grow with production.
const GROWING: [&str; 8] = [
    "Event",
    "InventoryCountAssignment",
    "MovementList",
    "Serial",
    "WorkOrder",
    "inventory_count_record",
    "is_in_position",
    "movement",
];

/// Asks the engine how it would run a query.
fn plan(service: &Service, query: &Query, params: &Value) -> Value {
    let header = Header::parse(query.text).unwrap();
    let mut bound: serde_json::Map<String, Value> = header.params.into_iter().map(|name| (name, Value::Null)).collect();
    bound.extend(params.as_object().unwrap().clone());
    let password = std::fs::read_to_string(service.data_dir.path().join("database_password")).unwrap();
    let database = &service.app.settings.database.name;
    let body = json!({"query": query.text, "bindVars": bound}).to_string();
    let credentials =
        base64::Engine::encode(&base64::engine::general_purpose::STANDARD, format!("root:{}", password.trim()));
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("/_db/{database}/_api/explain"))
        .header("authorization", format!("Basic {credentials}"))
        .body(body.into())
        .unwrap();
    let answer = service.app.store.engine().unwrap().handle(request);
    let text = String::from_utf8(answer.body().to_vec()).unwrap();
    assert_eq!(answer.status(), 200, "{}: {text}", query.name);
    serde_json::from_str(&text).unwrap()
}

/// The collections a plan reads from end to end.
fn scanned(value: &Value, found: &mut Vec<String>) {
    if value["type"] == "EnumerateCollectionNode" {
        found.push(value["collection"].as_str().unwrap().to_owned());
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| scanned(item, found)),
        Value::Object(members) => members.values().for_each(|member| scanned(member, found)),
        _ => {}
    }
}

fn check(service: &Service, query: &Query, params: Value) {
    let mut found = Vec::new();
    scanned(&plan(service, query, &params), &mut found);
    found.retain(|name| GROWING.contains(&name.as_str()));
    assert!(found.is_empty(), "{} with {params} scans {found:?}", query.name);
}

#[tokio::test]
async fn no_query_scans_a_collection_that_grows_with_production() {
    let service = Service::start().await;
    if service.app.store.engine().is_none() {
        return;
    }
    let page = |mut params: Value, more: Value| {
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };

    let movements = query!("warehouse/movements");
    let usual = json!({"excluded": [], "from_roots": [], "to_roots": [], "any_end": false, "offset": 0, "limit": 10});
    let filters = [
        json!({}),
        json!({"product_key": "p"}),
        json!({"serial_keys": ["s"]}),
        json!({"list_keys": ["l"]}),
        json!({"start_from": "2026"}),
        json!({"product_search": "p", "work_order_search": "w"}),
        json!({"from_ids": ["Position/a"], "from_roots": ["a"]}),
        json!({"from_ids": ["Position/a"], "to_ids": ["Position/b"], "any_end": true, "product_key": "p"}),
    ];
    for filter in filters {
        check(&service, &movements, page(usual.clone(), filter));
    }
    for query in [
        query!("warehouse/latest_positions_from"),
        query!("warehouse/latest_positions_to"),
        query!("warehouse/latest_products"),
    ] {
        check(&service, &query, json!({"limit": 10}));
    }
    let mut found = Vec::new();
    scanned(&plan(&service, &query!("warehouse/latest_positions_to"), &json!({"limit": 10})), &mut found);
    assert_eq!(found, ["Position"], "scans are found in a plan");

    let lists = query!("warehouse/movement_lists");
    let usual = json!({"open_only": false, "offset": 0, "limit": 10});
    for filter in [json!({}), json!({"list_keys": ["l"]}), json!({"product_key": "p"}), json!({"product_code": "P"})] {
        check(&service, &lists, page(usual.clone(), filter));
    }
    check(&service, &query!("warehouse/list_code_used"), json!({"type": "receipt", "code": "C"}));

    let usual = json!({"root": "IN", "serials_only": false, "offset": 0, "limit": 10});
    check(&service, &query!("warehouse/inventory_by_product"), usual.clone());
    for filter in [json!({"roots": ["a"]}), json!({"roots": [], "serial_keys": ["s"]})] {
        check(&service, &query!("warehouse/inventory_by_place"), page(usual.clone(), filter));
    }

    let usual = json!({"root": "Position/IN", "inside": [], "has_inside": false, "fixed_only": false, "offset": 0, "limit": 10});
    for filter in [
        json!({}),
        json!({"product_keys": ["p"], "product_codes": ["P"]}),
        json!({"inside": ["a"], "has_inside": true}),
    ] {
        check(&service, &query!("warehouse/positions"), page(usual.clone(), filter));
    }
    check(&service, &query!("warehouse/position_details"), json!({"position_key": "a"}));
    check(&service, &query!("warehouse/position_in_use"), json!({"position_key": "a"}));
    check(&service, &query!("warehouse/delete_position"), json!({"position_key": "a"}));
    check(&service, &query!("warehouse/move_positions"), json!({"moves": [{"position_key": "a", "parent_key": "b"}]}));
    let names = json!({"product_keys": ["p"], "product_codes": ["P"], "position_keys": ["a"], "serial_keys": ["s"], "serial_codes": ["S"]});
    check(&service, &query!("warehouse/movement_parts"), names);
    let places =
        json!({"places": [{"product_key": "p", "position_key": "a"}], "serial_keys": ["s"], "position_keys": ["a"]});
    check(&service, &query!("warehouse/stock"), places);
    check(&service, &query!("warehouse/insert_event"), json!({"event": {}, "info": {}}));

    let usual = json!({"statuses": ["started"], "offset": 0, "limit": 10});
    for filter in [json!({}), json!({"session_key": "s"}), json!({"product_key": "p"}), json!({"position_key": "a"})] {
        check(&service, &query!("counting/records"), page(usual.clone(), filter));
    }
    check(&service, &query!("counting/processed_records"), json!({"session_key": "s"}));
    check(&service, &query!("counting/session"), json!({"session_key": "s"}));
    check(&service, &query!("counting/delete_session"), json!({"session_key": "s"}));
    check(
        &service,
        &query!("counting/replaced_records"),
        json!({"session_key": "s", "replace_all": false, "pairs": []}),
    );
    let names = json!({"product_codes": ["P"], "position_codes": ["A"], "serial_codes": ["S"]});
    check(&service, &query!("counting/import_parts"), names);
    check(
        &service,
        &query!("counting/insert_records"),
        json!({"records": [{"_from": "Product/p", "_to": "Position/a"}]}),
    );
    let usual = json!({"session_key": "s", "has_position": false, "positions": [], "offset": 0, "limit": 10});
    check(&service, &query!("counting/assignments"), usual);
}
