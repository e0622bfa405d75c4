//! The parameters that `plans.rs` explains the queries of stock events with.

use serde_json::{Value, json};

/// The parameters of each query.
pub fn pins() -> Vec<(&'static str, Vec<Value>)> {
    let rows = || json!([{"place": 0, "key": "k", "movement": {}, "changes": {}}]);
    let pairs = json!([{"product_key": "p", "position_key": "a"}]);
    let parts = json!({
        "product_keys": ["p"], "position_keys": ["a"], "serial_keys": ["s"], "list_keys": ["l"],
        "serial_codes": [{"product_key": "p", "code": "S"}], "items": [{"list_key": "l", "item": 1}],
    });
    vec![
        ("stock_events/close_movements", vec![json!({"list_key": "l"})]),
        ("stock_events/containers", vec![json!({"containers": ["a"], "ends": ["a", "b"]})]),
        ("stock_events/insert_movements", vec![json!({"movements": rows()})]),
        ("stock_events/insert_stock", vec![json!({"records": [{}]})]),
        ("stock_events/is_on", vec![json!({})]),
        ("stock_events/list_states", vec![json!({"keys": ["l"]})]),
        ("stock_events/movements", vec![json!({"keys": ["m"]})]),
        ("stock_events/open_movements", vec![json!({"items": [{"list_key": "l", "item": 1, "product_key": "p"}]})]),
        ("stock_events/parts", vec![parts]),
        ("stock_events/products_of_codes", vec![json!({"codes": ["P"]})]),
        ("stock_events/remove_movements", vec![json!({"keys": ["m"]})]),
        ("stock_events/remove_stock", vec![json!({"keys": ["k"]})]),
        ("stock_events/stock", vec![json!({"pairs": pairs, "serial_keys": ["s"]})]),
        ("stock_events/update_lists", vec![json!({"lists": rows()})]),
        ("stock_events/update_movements", vec![json!({"movements": rows()})]),
        ("stock_events/update_stock", vec![json!({"records": rows()})]),
    ]
}
