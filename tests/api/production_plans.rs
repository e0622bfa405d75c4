//! How the queries of work orders, jobs, queues and batches run: the parameters that `plans.rs` explains each with, and searches
//! that cost what they show, however much was produced.

use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::Service;
use tracewright_testkit::plans::{is_embedded, looked_at, reads};

/// The parameters of each query.
pub fn pins() -> Vec<(&'static str, Vec<Value>)> {
    let timed = || vec![json!({"order_keys": ["w"], "now": "2026"})];
    let filters =
        json!({"search": "x", "start_from": "2026", "start_to": "2026", "end_from": "2026", "end_to": "2026"});
    vec![
        ("production/bom_parts", vec![json!({"component_keys": ["c"], "phase_keys": ["p"], "position_keys": ["A"]})]),
        ("production/batch_detail", vec![json!({"batch_key": "b"})]),
        ("production/closed_order_keys", vec![json!({}), filters.clone()]),
        ("production/code_taken", vec![json!({"code": "W", "guards": ["g"], "now": 1})]),
        ("production/heartbeat", vec![json!({"job_key": "j", "now": "2026"})]),
        ("production/insert_jobs", vec![json!({"jobs": [{"place": 0, "job": {}}]})]),
        ("production/insert_order", vec![json!({"order": {}})]),
        ("production/job_detail", vec![json!({"job_key": "j"})]),
        ("production/job_time", vec![json!({"job_key": "j", "now": "2026"})]),
        (
            "production/jobs",
            vec![
                json!({}),
                json!({"job_keys": ["j"]}),
                json!({"order_keys": ["w"], "phase_keys": ["p"]}),
                json!({"phase_keys": ["p"]}),
            ],
        ),
        ("production/last_session", vec![json!({"job_key": "j"})]),
        ("production/open_orders", vec![json!({}), filters]),
        ("production/order", vec![json!({"order_key": "w"})]),
        ("production/order_detail", vec![json!({"order_key": "w", "now": "2026"})]),
        ("production/order_rows", timed()),
        ("production/order_states", timed()),
        ("production/product_parts", vec![json!({"product_key": "p"}), json!({"product_code": "P"})]),
        ("production/put_queues", vec![json!({"queues": [{}], "guards": ["g"], "now": 0})]),
        (
            "production/queue_parts",
            vec![json!({"operator_keys": ["u"], "everybody": false}), json!({"operator_keys": [], "everybody": true})],
        ),
        ("production/search_options", vec![json!({})]),
        ("production/serials_of_batch", vec![json!({"batch_key": "b"})]),
        ("production/traceability", vec![json!({"order_key": "w"})]),
        ("production/assignments", vec![json!({}), json!({"user_key": "u"})]),
        ("production/deletable", vec![json!({"order_key": "w"})]),
        ("production/insert_links", vec![json!({"links": [{}]})]),
        ("production/insert_step_record", vec![json!({"record": {}})]),
        ("production/job_parts", vec![json!({"job_keys": ["j"], "order_keys": ["w"], "user_keys": ["u"]})]),
        ("production/job_templates", vec![json!({"places": [{"order_key": "w", "phase_key": "p"}]})]),
        ("production/link_parts", vec![json!({"batch_key": "b", "serial_keys": ["s"]})]),
        ("production/plain_jobs", vec![json!({"job_keys": ["j"]})]),
        ("production/queue_by_key", vec![json!({"queue_key": "q"})]),
        (
            "production/queue_target",
            vec![
                json!({"type": "s", "site_key": "0", "order_keys": ["w"]}),
                json!({"type": "o", "site_key": "0", "target_key": "u", "job_keys": ["j"]}),
            ],
        ),
        ("production/remove_jobs", vec![json!({"job_keys": ["j"]})]),
        ("production/remove_order", vec![json!({"order_key": "w", "job_keys": ["j"], "batch_keys": ["b"]})]),
        ("production/remove_temporary_links", vec![json!({"batch_key": "b"})]),
        ("production/site_queue", vec![json!({"site_key": "0"})]),
        ("production/step_record", vec![json!({"record_key": "r"}), json!({"batch_key": "b", "step_key": "s"})]),
        ("production/update_step_record", vec![json!({"record_key": "r", "form_data": []})]),
        ("production/update_jobs", vec![json!({"changes": [{"key": "j", "members": {}}]})]),
        ("production/update_jobs_of_order", vec![json!({"order_key": "w", "members": {}})]),
        (
            "production/update_states",
            vec![json!({"orders": [{"key": "w", "members": {}}], "jobs": [{"key": "j", "members": {}}]})],
        ),
        ("production/update_orders", vec![json!({"changes": [{"key": "w", "members": {}}]})]),
        ("production/wip", vec![json!({"job_key": "j"})]),
    ]
}

#[tokio::test]
async fn a_page_of_closed_orders_walks_the_index_of_their_ends_as_far_as_it_reaches() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let found = reads(&service, &aql::production::CLOSED_ORDER_KEYS, &json!({}));
    assert!(found.iter().any(|name| name == "WorkOrder(status, end, _key)"), "{found:?}");
    let orders = |range: std::ops::Range<usize>| -> Value {
        range.map(|number| json!({"status": "closed", "end": format!("2026-{number:06}")})).collect()
    };
    service.seed("WorkOrder", orders(0..200)).await;
    let few = looked_at(&service, &aql::production::CLOSED_ORDER_KEYS, &json!({}));
    service.seed("WorkOrder", orders(200..5_000)).await;
    let many = looked_at(&service, &aql::production::CLOSED_ORDER_KEYS, &json!({}));
    assert_eq!(many, few, "a page costs the same, however many orders were closed");
}

#[tokio::test]
async fn open_jobs_are_found_beside_any_number_of_closed_ones() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let jobs: Value = (0..3_000)
        .map(|number| json!({"_key": number.to_string(), "wo_key": "w", "assigned_to": "u", "stage": "closed"}))
        .collect();
    service.seed("Job", jobs).await;
    service.seed("Job", json!([{"_key": "open", "wo_key": "v", "assigned_to": "u", "stage": "created"}])).await;
    for (query, params) in [
        (&aql::production::SEARCH_OPTIONS, json!({})),
        (&aql::production::JOBS, json!({})),
        (&aql::production::ASSIGNMENTS, json!({})),
        (&aql::production::QUEUE_PARTS, json!({"operator_keys": ["u"], "everybody": false})),
    ] {
        let looks = looked_at(&service, query, &params);
        assert!(looks < 30, "{}: {looks}", query.name);
    }
}
