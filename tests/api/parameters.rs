//! What parameters of one kind mean in every operation that has them.

use serde_json::Value;
use tracewright::demo;
use tracewright_testkit::{Service, answer};

/// A service with the demo factory, the token of its administrator, and the searches: every GET that needs no parameter,
/// with the names of those it takes.
async fn searches() -> (Service, String, Vec<(String, Vec<String>)>) {
    let service = Service::demo().await;
    let token = service.login("ada", demo::PASSWORD).await;
    let (_, document) = answer(service.client.get(service.url("/api/openapi.json"))).await;
    let paths = document["paths"].as_object().unwrap();
    let reads = paths.iter().filter_map(|(path, operations)| {
        let parameters = operations["get"]["parameters"].as_array()?;
        let is_free = parameters.iter().all(|parameter| parameter["required"] != true);
        is_free.then(|| (path.clone(), parameters.iter().map(name).collect()))
    });
    let reads = reads.collect();
    (service, token, reads)
}

fn name(parameter: &Value) -> String {
    parameter["name"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_empty_search_text_is_no_search() {
    let (service, token, searches) = searches().await;
    let mut tried = 0;
    // An export is a file.
    for (path, parameters) in searches.into_iter().filter(|(path, _)| path != "/product/export") {
        let (_, all) = service.get(&path, &token).await;
        for text in parameters
            .iter()
            .filter(|name| name.contains("search") && *name != "search_graph" || *name == "advanced_filters")
        {
            let found = service.get(&format!("{path}?{text}="), &token).await;
            assert_eq!((found.0.as_u16(), &found.1), (200, &all), "{path}?{text}=");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried} searches");
}

#[tokio::test]
async fn a_page_behind_all_rows_is_empty_however_far_it_is() {
    let (service, token, searches) = searches().await;
    let paged: Vec<String> = searches
        .into_iter()
        .filter_map(|(path, parameters)| parameters.contains(&"offset".to_owned()).then_some(path))
        // which want a product or a lot
        .filter(|path| !["/where-used", "/explore/recall"].contains(&path.as_str()))
        .collect();
    for path in &paged {
        let (status, rows) = service.get(&format!("{path}?offset={}", i64::MAX), &token).await;
        assert_eq!((status.as_u16(), rows), (200, serde_json::json!([])), "{path}");
    }
    assert!(paged.len() > 8, "{paged:?}");
}
