//! How the queries of issue, message and task events run: the parameters that `plans.rs` explains each with.

use serde_json::{Value, json};

/// The parameters of each query.
pub fn pins() -> Vec<(&'static str, Vec<Value>)> {
    let task = || json!({"key": "t", "task_id": "Task/t"});
    vec![
        ("collaboration_events/assignable_users", vec![json!({"keys": ["u"]})]),
        ("collaboration_events/insert_issue", vec![json!({"issue": {}})]),
        ("collaboration_events/insert_message", vec![json!({"message": {}})]),
        ("collaboration_events/insert_task", vec![json!({"task": {}})]),
        ("collaboration_events/issue", vec![json!({"key": "i"})]),
        ("collaboration_events/issue_type", vec![json!({"key": "k"})]),
        ("collaboration_events/link_issue", vec![json!({"issue_id": "Issue/i", "targets": ["Product/p"]})]),
        ("collaboration_events/link_task", vec![json!({"link": {}})]),
        (
            "collaboration_events/mark_critical",
            vec![json!({"keys": ["w"], "@collection": "WorkOrder"}), json!({"keys": ["j"], "@collection": "Job"})],
        ),
        ("collaboration_events/message", vec![json!({"key": "m"})]),
        ("collaboration_events/named", vec![json!({"key": "s", "@collection": "Serial"})]),
        (
            "collaboration_events/orders_of_issue",
            vec![json!({"issue_id": "Issue/i", "targets": ["Job/j"]}), json!({"targets": ["Job/j"]})],
        ),
        ("collaboration_events/remove_issue", vec![json!({"key": "i", "issue_id": "Issue/i"})]),
        ("collaboration_events/remove_task", vec![task()]),
        ("collaboration_events/task", vec![json!({"key": "t"})]),
        ("collaboration_events/task_code_used", vec![json!({"code": "T"})]),
        ("collaboration_events/task_history", vec![task()]),
        ("collaboration_events/task_rules", vec![json!({"task_id": "Task/t", "type_key": "k", "field_keys": ["f"]})]),
        ("collaboration_events/task_type", vec![json!({"key": "k"})]),
        ("collaboration_events/unlink_issue", vec![json!({"issue_id": "Issue/i"})]),
        ("collaboration_events/unlink_task", vec![json!({"task_id": "Task/t", "target_id": "Product/p"})]),
        ("collaboration_events/update_issue", vec![json!({"key": "i", "changes": {}})]),
        ("collaboration_events/update_message", vec![json!({"key": "m", "changes": {}})]),
        ("collaboration_events/update_task", vec![json!({"key": "t", "changes": {}})]),
    ]
}
