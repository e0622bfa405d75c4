//! How the queries of products, processes, operations and media run: the parameters that `plans.rs` explains each with, and
//! pages of products that cost what they show, however many products there are.

use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::Service;
use tracewright_testkit::plans::{is_embedded, looked_at, merged, reads};

/// The filters of a search that restricts nothing.
fn search() -> Value {
    json!({
        "search_description": false, "include_needed": 0, "exclude_needed": 0, "active_only": true,
        "traceability_only": false,
    })
}

/// The parameters of each query.
pub fn pins() -> Vec<(&'static str, Vec<Value>)> {
    let filtered =
        merged(&search(), &json!({"search": "x", "tag": "Tag/t", "include_tags": ["Tag/t"], "operation_key": "o"}));
    let keys = || vec![json!({"product_keys": ["p"]})];
    vec![
        ("product/search", vec![search(), filtered.clone()]),
        ("product/export", vec![search(), filtered]),
        ("product/find", vec![json!({"include_needed": 0, "exclude_needed": 0, "any": false})]),
        ("product/one", vec![json!({"product_key": "p"})]),
        ("product/exists", vec![json!({"product_key": "p"})]),
        ("product/live_key", vec![json!({"name": "p", "by_code": false}), json!({"name": "P", "by_code": true})]),
        ("product/insert", vec![json!({"product": {}})]),
        ("product/before_write", vec![json!({"product_key": "p", "code": "P"})]),
        ("product/update", vec![json!({"product_key": "p", "changes": {}})]),
        ("product/users", vec![json!({"product_key": "p"})]),
        ("product/stats", vec![json!({"product_key": "p", "since": "2026"})]),
        ("product/copy_tags", vec![json!({"from": "Product/p", "to": "Product/q"})]),
        (
            "product/import_parts",
            vec![json!({
                "codes": ["P"], "tag_names": ["t"], "template_names": ["l"], "counter_names": ["c"], "position_codes": ["A"],
            })],
        ),
        ("product/insert_many", vec![json!({"products": [{}]})]),
        ("product/update_many", vec![json!({"changes": [{"key": "p", "members": {}}]})]),
        ("product/remove_tags", vec![json!({"product_ids": ["Product/p"]})]),
        ("product/insert_tags", vec![json!({"links": [{}]})]),
        ("product/remove_templates", vec![json!({"product_ids": ["Product/p"]})]),
        ("product/insert_templates", vec![json!({"links": [{}]})]),
        ("process/process", vec![json!({"product_key": "p"})]),
        ("process/phases", vec![json!({"phase_keys": ["p"]})]),
        ("process/procedure", vec![json!({"phase_key": "p"})]),
        ("process/before_write", keys()),
        ("process/unknown_operations", vec![json!({"keys": ["o"]})]),
        ("process/put_phases", vec![json!({"phases": [{}]})]),
        ("process/put_steps", vec![json!({"steps": [{}]})]),
        ("process/trash_phases", vec![json!({"keys": ["p"], "now": "2026"})]),
        ("process/trash_steps", vec![json!({"keys": ["s"], "now": "2026"})]),
        ("process/unlink_phases", vec![json!({"phase_ids": ["Phase/p"]})]),
        ("process/unlink_operations", vec![json!({"phase_ids": ["Phase/p"]})]),
        ("process/insert_links", vec![json!({"links": [{}]})]),
        ("process/insert_uses", vec![json!({"uses": [{}]})]),
        ("process/set_process", vec![json!({"processes": [{"key": "p", "phases": []}], "now": "2026"})]),
        ("process/set_counter", vec![json!({"product_keys": ["p"], "counter_key": "c", "now": "2026"})]),
        ("process/tasks", vec![json!({"product_key": "p"})]),
        ("process/set_tasks", vec![json!({"product_key": "p", "tasks": [], "now": "2026"})]),
        ("process/step_exists", vec![json!({"step_key": "s"})]),
        ("operation/list", vec![json!({})]),
        ("operation/default_parameters", vec![json!({})]),
        ("operation/one", vec![json!({"operation_key": "o"})]),
        ("operation/insert", vec![json!({"operation": {}})]),
        ("operation/update", vec![json!({"operation_key": "o", "changes": {}})]),
        ("operation/remove", vec![json!({"operation_key": "o"})]),
        ("operation/remove_links", vec![json!({"operation_id": "Operation/o"})]),
        ("operation/users", vec![json!({"operation_key": "o"})]),
        ("operation/media", vec![json!({"operation_key": "o"})]),
        ("operation/connect_media", vec![json!({"operation_id": "Operation/o", "media_ids": ["Media/m"]})]),
        ("operation/disconnect_media", vec![json!({"operation_id": "Operation/o", "media_ids": ["Media/m"]})]),
        ("operation/remove_unused_media", vec![json!({"media_keys": ["m"]})]),
        ("media/one", vec![json!({"media_key": "m"})]),
        ("media/insert", vec![json!({"media": {}})]),
        ("media/update", vec![json!({"media_key": "m", "changes": {}})]),
        ("media/remove", vec![json!({"media_key": "m"})]),
        ("media/is_used", vec![json!({"media_key": "m"})]),
        ("media/users_called", vec![json!({"name": "ada"})]),
    ]
}

#[tokio::test]
async fn a_page_of_products_walks_the_index_of_codes_as_far_as_it_reaches() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let found = reads(&service, &aql::product::SEARCH, &search());
    assert!(found.iter().any(|name| name == "Product(code, _key)"), "{found:?}");
    let products = |range: std::ops::Range<usize>| -> Value {
        range.map(|number| json!({"code": format!("P-{number:06}"), "trash": false})).collect()
    };
    service.seed("Product", products(0..200)).await;
    let few = looked_at(&service, &aql::product::SEARCH, &search());
    service.seed("Product", products(200..5_000)).await;
    let many = looked_at(&service, &aql::product::SEARCH, &search());
    assert_eq!(many, few, "a page costs the same, however many products there are");
}

#[tokio::test]
async fn products_with_a_tag_are_looked_up_by_it() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let products: Value =
        (0..3_000).map(|number| json!({"_key": number.to_string(), "code": format!("P-{number}")})).collect();
    service.seed("Product", products).await;
    service.seed("has_tag", json!([{"_from": "Product/7", "_to": "Tag/t"}])).await;
    let looks = looked_at(&service, &aql::product::SEARCH, &merged(&search(), &json!({"tag": "Tag/t", "limit": 100})));
    assert!(looks < 20, "{looks}");
}
