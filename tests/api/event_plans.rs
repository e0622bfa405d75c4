//! The parameters that `plans.rs` explains the queries of the journal of events with.

use serde_json::{Value, json};

/// The parameters of each query.
pub fn pins() -> Vec<(&'static str, Vec<Value>)> {
    let searches = || {
        let keys = [
            "serial_key",
            "issue_key",
            "work_order_key",
            "job_key",
            "task_key",
            "batch_key",
            "event_group",
            "user_key",
            "time_from",
        ];
        let mut cases: Vec<Value> = keys.iter().map(|name| json!({*name: "k"})).collect();
        cases.extend([
            json!({}),
            json!({"types": ["JOB_STARTED"]}),
            json!({"context_type": "task", "context_key": "t"}),
        ]);
        cases
    };
    let key = || vec![json!({"key": "k"})];
    vec![
        ("event/before", vec![json!({"users": ["u"], "keys": ["k"]})]),
        ("event/jobs", vec![json!({"keys": ["j"]})]),
        ("event/named", vec![json!({"user_key": "u", "sessions": ["s"], "tasks": ["t"], "groups": ["g"]})]),
        ("event/queue_exists", key()),
        ("event/replace_extra_of_job", key()),
        ("event/replace_extra_of_work_order", key()),
        ("event/rows", vec![json!({"keys": ["e"]})]),
        ("event/search", searches()),
        ("event/search_latest", searches()),
        ("event/work_order_of_job", key()),
        ("event/write", vec![json!({"events": [{}], "sources": [{}], "receipts": [{}], "notifications": [{}]})]),
    ]
}
