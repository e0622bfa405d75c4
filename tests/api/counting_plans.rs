//! The parameters that `plans.rs` explains the queries of counting events with.

use serde_json::{Value, json};

/// The parameters of each query.
pub fn pins() -> Vec<(&'static str, Vec<Value>)> {
    let session = || vec![json!({"session_key": "s"})];
    let keys = || vec![json!({"keys": ["k"]})];
    let position = || vec![json!({"session_key": "s", "position_key": "a"})];
    let pair = json!({"product_id": "Product/p", "position_id": "Position/a"});
    let pairs =
        || vec![json!({"session_key": "s", "pairs": [{"product_id": "Product/p", "position_id": "Position/a"}]})];
    let of_pair = |more: Value| {
        let mut params = pair.clone();
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        vec![params]
    };
    vec![
        ("counting_events/assignment", vec![json!({"assignment_key": "a"})]),
        ("counting_events/cancel_count", of_pair(json!({"count_key": "c", "user_key": "u"}))),
        ("counting_events/cancel_open_assignments", session()),
        ("counting_events/change_assignment", vec![json!({"assignment_key": "a", "changes": {}})]),
        ("counting_events/change_counts", vec![json!({"keys": ["k"], "changes": {}})]),
        ("counting_events/clear_marks", keys()),
        ("counting_events/complete_count", of_pair(json!({"count_key": "c", "changes": {}, "user_key": "u"}))),
        ("counting_events/count", vec![json!({"count_key": "c"})]),
        ("counting_events/discard_session_counts", session()),
        ("counting_events/earlier_counts", of_pair(json!({"count_key": "c", "session_key": "s", "user_key": "u"}))),
        ("counting_events/empty_position", position()),
        ("counting_events/insert_counts", vec![json!({"records": [{}]})]),
        ("counting_events/mark_positions", vec![json!({"marks": [{}]})]),
        ("counting_events/open_counts", session()),
        ("counting_events/pair", vec![json!({"product_key": "p", "position_key": "a", "count_keys": ["c"]})]),
        (
            "counting_events/position_states",
            vec![json!({"session_key": "s", "position_keys": ["a"], "together": ["a", "b"]})],
        ),
        ("counting_events/positions_around", vec![json!({"position_key": "a"})]),
        ("counting_events/release_open_counts", session()),
        ("counting_events/remove_open_counts", session()),
        ("counting_events/serials", keys()),
        ("counting_events/session", session()),
        (
            "counting_events/start_count",
            vec![json!({"record": {}, "stock_keys": ["k"], "user_key": "u", "assignment_keys": ["a"]})],
        ),
        ("counting_events/stock_records", keys()),
        ("counting_events/unmark_positions", vec![json!({"session_key": "s", "position_ids": ["Position/a"]})]),
        ("counting_events/close_list", vec![json!({"list_keys": ["l"]})]),
        ("counting_events/confirmation", vec![json!({"event_keys": ["e"]})]),
        ("counting_events/count_to_apply", vec![json!({"count_key": "c"})]),
        ("counting_events/counted", session()),
        ("counting_events/counts_to_apply", vec![json!({"session_key": "s", "limit": 10})]),
        ("counting_events/fail_count", vec![json!({"count_key": "c"})]),
        ("counting_events/figures", session()),
        ("counting_events/held_pairs", pairs()),
        ("counting_events/lock_pairs", pairs()),
        ("counting_events/pair_codes", vec![json!({"pairs": [pair]})]),
        ("counting_events/renew_lease", vec![json!({"session_key": "s", "worker": "w"})]),
        ("counting_events/serial_places", vec![json!({"serial_keys": ["k"]})]),
        ("counting_events/settle_count", vec![json!({"count_key": "c", "session_key": "s", "movement_keys": []})]),
        ("counting_events/take_lease", vec![json!({"session_key": "s", "worker": "w", "now": "2026"})]),
        ("counting_events/unlock_stock", session()),
        ("counting_events/waiting_sessions", vec![json!({})]),
    ]
}
