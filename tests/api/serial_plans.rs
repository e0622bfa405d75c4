//! Queries over serials, tasks and issues read collections that grow with production through an index, and no more of
//! them than an answer needs.

use serde_json::{Value, json};
use tracewright::aql;
use tracewright::store::Query;
use tracewright_testkit::Service;
use tracewright_testkit::plans::{is_embedded, looked_at, merged, reads};

fn search() -> Value {
    json!({
        "released_only": false, "include_deleted": false, "filters": [], "needed": 0, "sort_in": "serial",
        "sort_by": ["created"], "direction": "DESC", "offset": 0, "limit": 200,
    })
}

fn selection() -> Value {
    json!({"free_only": false, "inventory_only": false, "include_unreleased": false, "limit": 100})
}

fn tasks() -> Value {
    json!({"filters": [], "needed": 0, "offset": 0, "limit": 200, "last": 200})
}

fn issues() -> Value {
    json!({
        "filters": [], "needed": 0, "sort_in": "issue", "sort_by": "created", "direction": "DESC", "offset": 0,
        "limit": 200, "sought": false,
    })
}

/// Each case: parameters, and what the plan reads of the collection.
fn check(service: &Service, query: &Query, collection: &str, base: &Value, cases: &[(Value, &str)]) {
    for (more, expected) in cases {
        let found = reads(service, query, &merged(base, more));
        let last = found.iter().rfind(|name| name.split('(').next() == Some(collection));
        assert_eq!(last.map(String::as_str), Some(*expected), "{} with {more} reads {found:?}", query.name);
        let whole = ["Serial", "WorkOrder", "Task", "Issue", "contains", "is_in_position", "batch_serial", "wip"];
        assert!(!found.iter().any(|name| whole.contains(&name.as_str())), "{} with {more}: {found:?}", query.name);
    }
}

#[tokio::test]
async fn a_search_for_serials_walks_the_index_of_its_order_or_of_its_narrowest_condition() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let cases = [
        (json!({}), "Serial(created, _key)"),
        (json!({"direction": "ASC", "released_only": true, "code": "x"}), "Serial(created, _key)"),
        (json!({"filters": [{"key": "f", "value": 1}], "needed": 1}), "Serial(created, _key)"),
        (json!({"created_from": "2026", "created_to": "2027"}), "Serial(created, _key)"),
        (json!({"released_from": "2026"}), "Serial(released, _key)"),
        (json!({"sort_by": ["code"]}), "Serial(code, _key)"),
        (json!({"sort_by": ["released"]}), "Serial(released, _key)"),
        (json!({"product_key": "p"}), "Serial(product_key, created, _key)"),
        (json!({"product_key": "p", "sort_by": ["code"]}), "Serial(product_key, code, _key)"),
        (json!({"product_key": "p", "sort_by": ["released"]}), "Serial(product_key, released)"),
        (json!({"product_code": "p"}), "Serial(product_key, created, _key)"),
        (json!({"wo_code": "w"}), "Serial(wo_key, released)"),
        (json!({"project_code": "w"}), "Serial(wo_key, released)"),
        (json!({"is_contained_in": "s"}), "Serial(_key)"),
        (json!({"contains": "s"}), "Serial(_key)"),
        (json!({"keys": ["a"]}), "Serial(_key)"),
        (
            json!({"product_key": "p", "sort_in": "work_order", "sort_by": ["wo_code"]}),
            "Serial(product_key, created, _key)",
        ),
    ];
    check(&service, &aql::serial::SEARCH, "Serial", &search(), &cases);
}

#[tokio::test]
async fn other_reads_of_serials_use_an_index_too() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let cases = [
        (json!({}), "Serial(code, _key)"),
        (json!({"search": "x", "free_only": true}), "Serial(code, _key)"),
        (json!({"product_key": "p"}), "Serial(product_key, code, _key)"),
        (json!({"wo_key": "w"}), "Serial(wo_key, released)"),
        (json!({"batch_key": "b"}), "Serial(_key)"),
    ];
    check(&service, &aql::serial::SELECTION, "Serial", &selection(), &cases);
    let cases = [(json!({}), "Serial(code, _key)"), (json!({"product_key": "p"}), "Serial(product_key, code, _key)")];
    check(&service, &aql::serial::BY_CODE, "Serial", &json!({"code": "x"}), &cases);
    let keys = json!({"serial_key": "s", "serial_keys": ["s"], "batch_key": "b", "product_key": "p", "wo_key": "w", "filter_empty": false, "targets": ["Job/j"]});
    let cases = [
        (aql::serial::BY_KEY, "Serial", "Serial(_key)"),
        (aql::serial::OF_BATCH, "batch_serial", "batch_serial(_from, _to)"),
        (aql::serial::COMPONENTS_OF_BATCH, "contains", "contains(_from, _to)"),
        (aql::serial::CHILDREN, "contains", "contains(_from, _to)"),
        (aql::serial::WIP, "wip", "wip(_to, wo_key, active, serial_key)"),
        (aql::serial::ANCESTORS, "contains", "contains(_from, _to)"),
        (aql::serial::LINKS, "contains", "contains(_from, _to)"),
        (aql::serial::WHEREABOUTS, "is_in_position", "is_in_position(serial_key)"),
    ];
    for (query, collection, expected) in cases {
        let known = keys.as_object().unwrap().iter().filter(|(name, _)| query.params.contains(&name.as_str()));
        let params: Value =
            known.map(|(name, value)| (name.clone(), value.clone())).collect::<serde_json::Map<_, _>>().into();
        check(&service, &query, collection, &params, &[(json!({}), expected)]);
    }
}

#[tokio::test]
async fn serials_whose_containers_are_wanted_are_found_through_an_index() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let base = json!({"include_replaced": true, "top_level_only": true, "steps": 9, "limit": 10, "offset": 0});
    let cases = [
        (json!({"serial_key": "s"}), "Serial(_key)"),
        (json!({"code": "s"}), "Serial(code, _key)"),
        (json!({"code": "s", "product_key": "p"}), "Serial(product_key, code, _key)"),
        (json!({"product_key": "p"}), "Serial(product_key, created, _key)"),
    ];
    for (more, expected) in cases {
        let found = reads(&service, &aql::serial::USES, &merged(&base, &more));
        assert!(found.iter().any(|name| name == expected), "{more} reads {found:?}");
        assert!(!found.iter().any(|name| name == "Serial" || name == "contains"), "{more} reads {found:?}");
    }
}

#[tokio::test]
async fn searches_for_tasks_and_issues_walk_an_index() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let cases = [
        (json!({}), "Task(due_by)"),
        (json!({"search": "x"}), "Task(due_by)"),
        (json!({"search": "x", "keys": ["t"]}), "Task(_key)"),
        (json!({"due_by_min": "2026-05-01", "due_by_end": "2026-06-01"}), "Task(due_by)"),
        (json!({"many_statuses": ["completed"]}), "Task(due_by)"),
        (json!({"few_statuses": ["open"]}), "Task(status)"),
        (json!({"type_key": "t"}), "Task(task_type_key)"),
        (json!({"owner_key": "u"}), "Task(owner_key)"),
        (json!({"assignee": "u"}), "Task(assigned_to[*].user_key, status)"),
        (json!({"targets": ["Product/p"]}), "Task(_key)"),
    ];
    check(&service, &aql::collaboration::TASKS, "Task", &tasks(), &cases);
    let cases = [
        (json!({}), "Issue(created, _key)"),
        (json!({"product_code": "x", "sought": true, "key_search": "y"}), "Issue(created, _key)"),
        (json!({"created_from": "2026"}), "Issue(created, _key)"),
        (json!({"open": false}), "Issue(open, created, _key)"),
        (json!({"critical": true}), "Issue(critical, created, _key)"),
        (json!({"type_key": "t"}), "Issue(issue_type_key, created, _key)"),
        (json!({"type_keys": ["t", "u"]}), "Issue(issue_type_key, created, _key)"),
        (json!({"keys": ["i"]}), "Issue(_key)"),
        (json!({"groups": [["Product/p"]]}), "Issue(_key)"),
    ];
    check(&service, &aql::collaboration::ISSUES, "Issue", &issues(), &cases);
}

#[tokio::test]
async fn an_order_by_a_joined_attribute_reads_no_more_than_the_conditions_leave() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let serial =
        |number: usize| json!({"product_key": if number < 20 { "P" } else { "Q" }, "wo_key": "w", "deleted": false});
    service.seed("Serial", (0..2_000).map(serial).collect()).await;
    for (sort_in, sort_by) in [("product", "code"), ("work_order", "wo_code")] {
        let order = json!({"sort_in": sort_in, "sort_by": [sort_by], "limit": 10});
        let narrow = looked_at(
            &service,
            &aql::serial::SEARCH,
            &merged(&search(), &merged(&order, &json!({"product_key": "P"}))),
        );
        assert!(narrow < 50, "{narrow} of twenty, by {sort_in}");
        let whole = looked_at(&service, &aql::serial::SEARCH, &merged(&search(), &order));
        assert!(whole < 2_050, "{whole} of two thousand, by {sort_in}");
    }
}

/// 2,000 documents with a day each.
fn documents(member: &str) -> Value {
    let time = |number: usize| format!("{}-05-{:02}T08:00:00.000000+00:00", 2000 + number / 28, 1 + number % 28);
    (0..2_000).map(|number| json!({"_key": format!("d{number:04}"), member: time(number)})).collect()
}

#[tokio::test]
async fn a_page_costs_what_it_shows() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    service.seed("Serial", documents("created")).await;
    service.seed("Issue", documents("created")).await;
    service.seed("Task", documents("due_by")).await;
    let page = json!({"limit": 10, "last": 10});
    let own = |base: Value, names: &[&str]| {
        let mut params = merged(&base, &page);
        params.as_object_mut().unwrap().retain(|name, _| name != "last" || names.contains(&"last"));
        params
    };
    for (query, params) in [
        (aql::serial::SEARCH, own(search(), &[])),
        (aql::collaboration::ISSUES, own(issues(), &[])),
        (aql::collaboration::TASKS, own(tasks(), &["last"])),
    ] {
        let looked = looked_at(&service, &query, &params);
        assert!(looked < 100, "{} looks at {looked} of 2,000", query.name);
    }
    let keys: Value = (0..10).map(|number| format!("d{number:04}")).collect();
    for (query, params) in [
        (aql::serial::ROWS, json!({"keys": keys})),
        (aql::collaboration::ISSUE_ROWS, json!({"keys": keys, "with_links": true})),
        (aql::collaboration::TASK_ROWS, json!({"keys": keys})),
    ] {
        let looked = looked_at(&service, &query, &params);
        assert!((10..100).contains(&looked), "{} looks at {looked} for ten rows", query.name);
    }
}
