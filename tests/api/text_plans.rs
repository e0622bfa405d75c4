//! The parameters that `plans.rs` explains the queries over search views with, and what these read.

use serde_json::{Value, json};
use tracewright::aql;
use tracewright::store::View;
use tracewright_testkit::Service;
use tracewright_testkit::plans::{explain, is_embedded};

fn runs() -> Value {
    json!({"runs": [["abc"], ["bcd"], ["cde"], ["def"]], "analyzer": "tracewright_runs_of_3"})
}

/// The parameters of each query.
pub fn pins() -> Vec<(&'static str, Vec<Value>)> {
    let queries = aql::ALL.iter().filter(|query| query.name.starts_with("texts/"));
    queries.map(|query| (query.name, vec![runs()])).collect()
}

#[tokio::test]
async fn candidates_are_found_through_the_view_of_their_collection() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    for query in aql::ALL.iter().filter(|query| query.name.starts_with("texts/")) {
        let plan = explain(&service, query, &runs()).unwrap();
        let nodes = plan["plan"]["nodes"].as_array().unwrap();
        let reading: Vec<String> = nodes
            .iter()
            .filter(|node| {
                node["type"].as_str().is_some_and(|kind| kind.starts_with("Enumerate") || kind == "IndexNode")
            })
            .map(|node| format!("{} {}", node["type"].as_str().unwrap(), node["view"].as_str().unwrap_or_default()))
            .collect();
        let [collection] = query.reads else { panic!("{} reads {:?}", query.name, query.reads) };
        assert_eq!(reading, [format!("EnumerateViewNode {}", View::of(collection).unwrap().name)], "{}", query.name);
    }
}
