//! The parameters that `plans.rs` explains the queries of serial events with.

use serde_json::{Value, json};

/// The parameters of each query.
pub fn pins() -> Vec<(&'static str, Vec<Value>)> {
    let ids = || vec![json!({"ids": ["Serial/s"]})];
    let both = || vec![json!({"keys": ["s"], "ids": ["Serial/s"]})];
    let keys = || vec![json!({"keys": ["k"]})];
    vec![
        ("counters/by_key", vec![json!({"key": "c"})]),
        ("serial_events/above", vec![json!({"parent_keys": ["s"]})]),
        ("serial_events/batches", vec![json!({"batch_keys": ["b"]})]),
        ("serial_events/below", keys()),
        ("serial_events/confirm_links", keys()),
        ("serial_events/consumptions", keys()),
        ("serial_events/contents", ids()),
        ("serial_events/counters_of_products", vec![json!({"product_keys": ["p"]})]),
        ("serial_events/histories", both()),
        ("serial_events/insert_links", vec![json!({"links": [{}]})]),
        ("serial_events/insert", vec![json!({"serials": [{}]})]),
        (
            "serial_events/linking",
            vec![json!({"parent_keys": ["s"], "batch_keys": ["b"], "keys": ["s"], "ids": ["Serial/s"]})],
        ),
        ("serial_events/made_of", vec![json!({"product_keys": ["p"], "work_order_keys": ["w"]})]),
        (
            "serial_events/made_with_codes",
            vec![json!({
                "product_keys": ["p"], "work_order_keys": ["w"], "groups": [{"product_key": "p", "codes": ["A"]}],
                "guards": ["g"], "now": 1,
            })],
        ),
        ("serial_events/remove", keys()),
        ("serial_events/remove_from_batches", ids()),
        ("serial_events/remove_links", keys()),
        ("serial_events/replace_links", vec![json!({"links": [{"key": "k", "reason": "r"}]})]),
        ("serial_events/rules", vec![json!({})]),
        (
            "serial_events/taken_codes",
            vec![json!({"groups": [{"product_key": "p", "codes": ["A"]}], "guards": ["g"], "now": 1})],
        ),
        ("serial_events/touch", vec![json!({"touches": [{"key": "s", "event_key": "e"}]})]),
        ("serial_events/locks", vec![json!({"serial_key": "s"})]),
        ("serial_events/update", vec![json!({"changes": [{"key": "s", "members": {}}]})]),
        ("serial_events/whereabouts", both()),
    ]
}
