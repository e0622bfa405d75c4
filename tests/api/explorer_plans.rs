//! The parameters that `plans.rs` explains the queries of the explorer with.

use serde_json::{Value, json};

/// The parameters of each query.
pub fn pins() -> Vec<(&'static str, Vec<Value>)> {
    let codes = || {
        let all = json!({"search": "^A", "upper": null, "lower": null, "last": null});
        vec![json!({"search": "^A", "upper": "A", "lower": "a", "last": "a\u{ffff}"}), all]
    };
    vec![
        ("explorer/serials", codes()),
        ("explorer/products", codes()),
        ("explorer/work_orders", codes()),
        ("explorer/positions", codes()),
        ("explorer/movement_lists", codes()),
        ("explorer/tasks", codes()),
        ("console/attributes", vec![json!({"@collection": "Task"})]),
        ("explorer/people", vec![json!({})]),
        ("console/probe", vec![json!({"@collection": "Task"})]),
        (
            "explorer/origins",
            vec![
                json!({"code": "c", "values": []}),
                json!({"serial_key": "s", "values": []}),
                json!({"values": ["v"]}),
            ],
        ),
        (
            "explorer/origins_of_product",
            vec![json!({"product_key": "p"}), json!({"product_key": "p", "from": "a", "to": "b"})],
        ),
        (
            "explorer/holders",
            vec![
                json!({"ids": ["Serial/s"], "include_replaced": false}),
                json!({"ids": ["Serial/s"], "include_replaced": true}),
            ],
        ),
        ("explorer/contents", vec![json!({"ids": ["Serial/s"]})]),
        ("explorer/batches", vec![json!({"ids": ["Serial/s"], "include_replaced": false})]),
        ("explorer/units", vec![json!({"serial_keys": ["s"]})]),
        ("explorer/shipments", vec![json!({"serial_keys": ["s"]})]),
        ("explorer/issues", vec![json!({"keys": ["i"]})]),
    ]
}
