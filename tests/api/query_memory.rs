//! How much memory the queries behind long answers hold at most, as the database counts it: keys, or a portion, and not the
//! answer. The engine counts the bytes of what a query keeps, in steps of 32 KiB, and counts a document that several rows share
//! once; a server counts also what it copies.
//!
//! With `TRACEWRIGHT_TEST_DEMO_TIMES=10` the lists are asked of the demo factory ten times over, and the figures are printed.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright::store::{COLLECTIONS, Query};
use tracewright_testkit::Service;
use tracewright_testkit::plans::is_embedded;

const MIB: u64 = 1 << 20;
/// Memory that a query of a list may hold at most.
const MOST: u64 = 32 * MIB;
/// Queries that may hold more than [`MOST`], with the reason.
const LARGER: &[(&str, u64, &str)] = &[];

/// The lists, each as long as it can be.
const LISTS: &[&str] = &[
    "/audit?limit=10000",
    "/event?limit=0&time_from=2000-01-01T00:00:00Z&time_to=2100-01-01T00:00:00Z",
    "/event?limit=10000&order=desc",
    "/inventory/count-assignment?limit=10000",
    "/inventory/count-record?limit=10000",
    "/inventory/count-session?limit=10000",
    "/inventory?limit=10000",
    "/issue?limit=0",
    "/issue?limit=0&with_links=true&sort_by=phase_alias",
    "/issue?limit=10000&with_links=true",
    "/job-assignment",
    "/movement-list?limit=10000",
    "/movement?limit=10000",
    "/operation",
    "/position-hierarchy",
    "/position?limit=0",
    "/position?limit=10000",
    "/product/export?format=csv",
    "/product/search?details=true",
    "/product?limit=0&details=true",
    "/serial-selection?limit=10000&include_unreleased=true",
    "/serial?limit=0",
    "/serial?limit=0&sort_by=product.code",
    "/serial?limit=0&sort_by=wo_code",
    "/serial?limit=10000",
    "/serial?limit=10000&sort_by=quantity",
    "/task?limit=0",
    "/task?limit=10000&search=e",
    "/user",
    "/wip-serial",
    "/work-order?limit=10000",
    "/work-order?limit=10000&closed=true",
];

/// What the engine is asked beside the service.
fn ask(service: &Service, method: Method, path: &str, body: &Value) -> Value {
    let answer = service.ask_engine(method, &format!("/_api/query/{path}"), body).expect("the embedded engine");
    serde_json::from_slice(answer.body()).unwrap()
}

/// Has every query remembered with what it held.
fn remember_queries(service: &Service) {
    let every = json!({
        "enabled": true, "trackSlowQueries": true, "slowQueryThreshold": 0, "slowStreamingQueryThreshold": 0,
        "maxSlowQueries": 1_000, "maxQueryStringLength": 100_000,
    });
    ask(service, Method::PUT, "properties", &every);
}

/// The answer of a list as its length and its rows, and what each stored query held for it at most.
async fn asked(service: &Service, token: &str, path: &str) -> (u64, Option<usize>, BTreeMap<&'static str, u64>) {
    ask(service, Method::DELETE, "slow", &Value::Null);
    let response = service.request(Method::GET, path, token).send().await.unwrap();
    let status = response.status();
    let body = response.bytes().await.unwrap();
    assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
    let mut held = BTreeMap::new();
    for query in ask(service, Method::GET, "slow", &Value::Null).as_array().unwrap() {
        let text = query["query"].as_str().unwrap();
        if let Some(stored) = aql::ALL.iter().find(|stored| stored.text == text) {
            let most: &mut u64 = held.entry(stored.name).or_default();
            *most = (*most).max(query["peakMemoryUsage"].as_u64().unwrap());
        }
    }
    let rows = serde_json::from_slice::<Vec<IgnoredAny>>(&body).ok().map(|rows| rows.len());
    (body.len() as u64, rows, held)
}

#[tokio::test]
async fn an_answer_of_all_rows_is_read_in_portions() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let token = service.token("u", "admin").await;
    let filling = "x".repeat(1_500);
    let document = |number: usize| {
        // where an index gives the order of times, those of one time are sorted at once
        let time = format!("2026-01-01T{:02}:{:02}:00.000000+00:00", number / 60 % 24, number % 60);
        json!({"_key": format!("k{number:04}"), "user_key": "a", "status": "open", "open": true, "deleted": null, "event_type": "x",
            "created": time, "timestamp": time, "due_by": time, "product_key": "p", "description": filling, "weight": number})
    };
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    for collection in ["Serial", "Event", "Task", "Issue"] {
        service.seed(collection, (0..5_000).map(document).collect()).await;
    }
    let links = (0..5_000).map(|number| json!({"_from": format!("Issue/k{number:04}"), "_to": "Product/p"}));
    service.seed("issue_rel", links.collect()).await;
    remember_queries(&service);
    for path in [
        "/serial?limit=0",
        "/serial?limit=5000",
        "/serial?limit=0&sort_by=weight",
        "/serial?limit=0&sort_by=product.code",
        "/event?limit=0&user_key=a",
        "/event?limit=5000",
        "/event?limit=5000&order=desc&user_key=a",
        "/task?limit=0",
        "/task?limit=5000&search=x",
        "/issue?limit=0",
        "/issue?limit=0&with_links=true",
        "/issue?limit=5000&sort_by=issue_type_name",
    ] {
        let (length, rows, held) = asked(&service, &token, path).await;
        assert_eq!(rows, Some(5_000), "{path}");
        assert!(length > 7 * MIB, "{path}: {length}");
        assert!(held.len() >= 2, "{path}: {held:?}");
        for (query, most) in held {
            println!("{path}: {query} {} KiB of {} KiB", most / 1024, length / 1024);
            // a portion is a fifth of it, and held as it is stored, as its rows, and with what is joined
            assert!(most < length * 3 / 5, "{path}: {query} holds {most} bytes for an answer of {length}");
        }
    }
}

/// How many times over the demo factory is measured.
pub fn times() -> usize {
    std::env::var("TRACEWRIGHT_TEST_DEMO_TIMES").map_or(1, |times| times.parse().unwrap())
}

/// Makes so many of everything that is produced, each with keys of its own that lead to each other.
pub async fn multiply(service: &Service, times: usize) {
    // what a site sets up
    const ONCE: &[&str] = &[
        "Change",
        "ChangeChain",
        "CodeGuard",
        "Config",
        "Counter",
        "CustomData",
        "CustomField",
        "CustomListValue",
        "Department",
        "EventReceipt",
        "IssueType",
        "Media",
        "Notification",
        "Operation",
        "PrintTemplate",
        "Queue",
        "Site",
        "Tag",
        "TaskType",
        "Token",
        "User",
        "UserSession",
    ];
    const ALL_OF: Query =
        Query::undeclared("all", "FOR document IN @@collection RETURN UNSET(document, '_id', '_rev')");
    let mut produced = BTreeMap::new();
    for collection in COLLECTIONS.iter().copied().filter(|name| !ONCE.contains(name)) {
        let documents: Vec<Value> = service.app.store.rows(&ALL_OF, json!({"@collection": collection})).await.unwrap();
        produced.insert(collection, documents);
    }
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (collection, documents) in &produced {
        let keys = documents.iter().map(|document| document["_key"].as_str().unwrap());
        names.extend(keys.flat_map(|key| [key.to_owned(), format!("{collection}/{key}")]));
    }
    // the root of all positions, and what stands for none
    for fixed in ["IN", "OUT", "Position/IN", "Position/OUT"] {
        names.remove(fixed);
    }
    for copy in 1..times {
        for (collection, documents) in &produced {
            let mut copies = documents.clone();
            for document in &mut copies {
                rename(document, &names, copy);
            }
            copies.retain(|document| document["_key"].as_str().unwrap().contains("-times-"));
            for portion in copies.chunks(1_000) {
                service.seed(collection, portion.into()).await;
            }
        }
    }
}

fn rename(value: &mut Value, names: &BTreeSet<String>, copy: usize) {
    match value {
        Value::String(text) if names.contains(text) => *text = format!("{text}-times-{copy}"),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, names, copy)),
        Value::Object(members) => members.values_mut().for_each(|member| rename(member, names, copy)),
        _ => {}
    }
}

#[tokio::test]
async fn no_query_of_a_list_holds_more_than_its_bound() {
    let service = Service::demo().await;
    if !is_embedded(&service) {
        return;
    }
    multiply(&service, times()).await;
    let token = service.token("u", "admin").await;
    remember_queries(&service);
    let mut wrong = Vec::new();
    for path in LISTS {
        let (length, rows, held) = asked(&service, &token, path).await;
        println!("{path}: {} rows, {} KiB", rows.unwrap_or_default(), length / 1024);
        for (query, most) in held {
            println!("    {query}: {} KiB", most / 1024);
            let larger = LARGER.iter().find(|(name, ..)| *name == query);
            let bound = larger.map_or(MOST, |(_, bound, _)| *bound);
            if most > bound {
                wrong.push(format!("{path}: {query} holds {most} bytes for an answer of {length}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
