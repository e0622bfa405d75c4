//! The parameters that `plans.rs` explains the queries of production events with.

use serde_json::{Value, json};

/// The parameters of each query.
pub fn pins() -> Vec<(&'static str, Vec<Value>)> {
    let one = |params: Value| vec![params];
    let changes = || one(json!({"changes": [{"key": "k", "members": {}}]}));
    vec![
        ("production_events/batch_serials", one(json!({"batch_key": "b"}))),
        ("production_events/component_places", one(json!({"serial_keys": ["s"], "batch_key": "b"}))),
        ("production_events/installed", one(json!({"serial_keys": ["s"]}))),
        ("production_events/links_of_batches", one(json!({"batch_keys": ["b"]}))),
        ("production_events/movements_of_batches", one(json!({"batch_keys": ["b"]}))),
        ("production_events/named_serials", one(json!({"keys": ["s"]}))),
        ("production_events/put_into_batch", one(json!({"batch_key": "b", "serial_keys": ["s"]}))),
        ("production_events/remove_links", one(json!({"keys": ["k"]}))),
        ("production_events/serials_of_job", one(json!({"batch_keys": ["b"]}))),
        ("production_events/stock_parts", one(json!({"order_key": "w", "phase_key": "f", "product_key": "p"}))),
        ("production_events/take_out_of_batches", one(json!({"batch_keys": ["b"], "serial_keys": ["s"]}))),
        ("production_events/batch_values", one(json!({"batch_keys": ["b"], "now": "2026"}))),
        ("production_events/batches_of_job", one(json!({"job_key": "j"}))),
        (
            "production_events/cancel_batches",
            one(json!({"batch_keys": ["b"], "event_key": "e", "end": "2026", "with_sessions": true})),
        ),
        ("production_events/cancel_sessions", one(json!({"job_key": "j", "event_key": "e"}))),
        ("production_events/close_session", one(json!({"session_key": "s", "end": "2026"}))),
        ("production_events/insert_batches", one(json!({"batches": [{}]}))),
        ("production_events/insert_forced_sessions", one(json!({"sessions": [{}], "user_key": "u"}))),
        ("production_events/insert_session", one(json!({"session": {"_key": "s"}, "user_key": "u"}))),
        ("production_events/job_of_batch", one(json!({"batch_key": "b"}))),
        ("production_events/step_ends_batch", one(json!({"batch_key": "b", "step_key": "s"}))),
        ("production_events/needs_traced_component", one(json!({"order_key": "w", "phase_key": "p"}))),
        ("production_events/put_records", one(json!({"records": [{}], "guards": ["g"], "now": 0}))),
        ("production_events/put_wip", one(json!({"rows": [{}]}))),
        ("production_events/record", one(json!({"record_key": "r"}))),
        ("production_events/remove_wip", one(json!({"keys": ["k"]}))),
        ("production_events/resume_session", one(json!({"session_key": "s", "user_key": "u"}))),
        ("production_events/running_elsewhere", one(json!({"user_key": "u", "job_key": "j", "latest": "2026"}))),
        ("production_events/session", one(json!({"session_key": "s"}))),
        ("production_events/shows_unassigned", one(json!({}))),
        ("production_events/steps", one(json!({"job_key": "j", "batch_key": "b"}))),
        (
            "production_events/take_up",
            vec![
                json!({"job_key": "j", "batch_key": null, "event_key": "e"}),
                json!({"job_key": null, "batch_key": "b", "event_key": "e"}),
            ],
        ),
        ("production_events/time_of_job", one(json!({"job_key": "j", "now": "2026"}))),
        ("production_events/locks_of_work", one(json!({"job_key": "j", "user_key": "u"}))),
        ("production_events/update_batches", changes()),
        ("production_events/update_sessions", changes()),
        ("production_events/wip_rows", one(json!({"order_key": "w", "to": "Phase/p"}))),
    ]
}
