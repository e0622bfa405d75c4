//! Custom data.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::store::Query;
use tracewright_testkit::{Service, answer};

const ONE: Query =
    Query::undeclared("one", "FOR entry IN CustomData FILTER entry._key == @key RETURN UNSET(entry, '_id', '_rev')");

async fn stored(service: &Service, key: &str) -> Option<Value> {
    service.app.store.row(&ONE, json!({"key": key})).await.unwrap()
}

async fn put(service: &Service, key: &str, body: Value) -> (u16, Value) {
    let token = service.token("a", "admin").await;
    let (status, body) = service.send(Method::PUT, &format!("/custom-data/{key}"), &token, body).await;
    (status.as_u16(), body)
}

async fn get(service: &Service, path: &str) -> (u16, Value) {
    let token = service.token("a", "operator").await;
    let (status, body) = service.get(path, &token).await;
    (status.as_u16(), body)
}

async fn keys(service: &Service, path: &str) -> Vec<String> {
    let (status, body) = get(service, path).await;
    assert_eq!(status, 200, "{body}");
    body.as_array().unwrap().iter().map(|entry| entry["_key"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_entry_is_created_then_updated() {
    let service = Service::start().await;
    let answer = |outcome: &str| json!({"status": 200, "message": format!("CustomData 'rates' {outcome}"), "detail": {"_key": "rates"}});
    assert_eq!(put(&service, "rates", json!({"value": {"a": [1]}})).await, (200, answer("created")));
    assert_eq!(put(&service, "rates", json!({"value": 2})).await, (200, answer("updated")));
}

#[tokio::test]
async fn an_entry_is_replaced_as_a_whole_and_null_is_not_stored() {
    let service = Service::start().await;
    put(&service, "rates", json!({"value": {"a": 1}, "description": "Rates"})).await;
    put(&service, "rates", json!({"value": {"b": 2}, "description": null, "other": 1})).await;
    assert_eq!(stored(&service, "rates").await, Some(json!({"_key": "rates", "value": {"b": 2}})));
}

#[tokio::test]
async fn an_entry_is_read_with_its_metadata_and_null_for_what_is_not_set() {
    let service = Service::start().await;
    put(&service, "rates", json!({"value": [1, "x"]})).await;
    let (status, mut body) = get(&service, "/custom-data/rates").await;
    assert_eq!((status, body["_rev"].take().is_string()), (200, true));
    let expected =
        json!({"_id": "CustomData/rates", "_key": "rates", "_rev": null, "value": [1, "x"], "description": null});
    assert_eq!(body, expected);
}

#[tokio::test]
async fn the_key_of_the_path_wins_over_the_body() {
    let service = Service::start().await;
    let (_, body) = put(&service, "rates", json!({"_key": "other", "value": 1})).await;
    assert_eq!(body["detail"], json!({"_key": "rates"}));
    assert_eq!(stored(&service, "other").await, None);
    assert!(stored(&service, "rates").await.is_some());
}

#[tokio::test]
async fn a_key_that_breaks_the_rule_is_422_with_a_text() {
    let service = Service::start().await;
    for key in ["Rates", "1a", "a-b", "_a", &"x".repeat(65)] {
        let (status, body) = put(&service, key, json!({"value": 1})).await;
        let text = body["detail"].as_str().unwrap_or_default();
        assert!(status == 422 && text.contains("^[a-z][a-z0-9_]*$") && text.contains("64"), "{key}: {body}");
        assert_eq!(stored(&service, key).await, None);
    }
    assert_eq!(put(&service, &"x".repeat(64), json!({"value": 1})).await.0, 200);
}

#[tokio::test]
async fn a_body_key_that_breaks_the_rule_is_422() {
    let service = Service::start().await;
    let (status, body) = put(&service, "rates", json!({"_key": "Not a key", "value": 1})).await;
    assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", "_key"])));
    assert_eq!(stored(&service, "rates").await, None);
}

#[tokio::test]
async fn a_body_without_a_value_is_422_and_null_is_a_value() {
    let service = Service::start().await;
    let (status, body) = put(&service, "rates", json!({"description": "x"})).await;
    assert_eq!((status, &body["detail"][0]["type"]), (422, &json!("missing")));
    assert_eq!(put(&service, "rates", json!({"value": null})).await.0, 200);
    assert_eq!(get(&service, "/custom-data/rates").await.1["value"], Value::Null);
}

#[tokio::test]
async fn the_list_is_sorted_by_key() {
    let service = Service::start().await;
    for key in ["b", "a", "c"] {
        put(&service, key, json!({"value": 1})).await;
    }
    assert_eq!(keys(&service, "/custom-data").await, ["a", "b", "c"]);
}

#[tokio::test]
async fn the_list_has_one_order_with_and_without_a_search() {
    let service = Service::start().await;
    for key in ["a_b", "ab", "a1", "a", "a_", "abc", "a_1"] {
        put(&service, key, json!({"value": 1})).await;
    }
    let sorted = ["a", "a1", "a_", "a_1", "a_b", "ab", "abc"];
    assert_eq!(keys(&service, "/custom-data").await, sorted);
    assert_eq!(keys(&service, "/custom-data?search=A").await, sorted);
}

#[tokio::test]
async fn search_finds_a_text_in_key_or_description_whatever_its_case() {
    let service = Service::start().await;
    put(&service, "hourly_rates", json!({"value": 1})).await;
    put(&service, "tax", json!({"value": 1, "description": "Rates of TAX"})).await;
    put(&service, "other", json!({"value": "rates"})).await;
    assert_eq!(keys(&service, "/custom-data?search=RaTeS").await, ["hourly_rates", "tax"]);
    assert_eq!(keys(&service, "/custom-data?search=%25").await, [""; 0]);
    assert_eq!(keys(&service, "/custom-data?search=").await.len(), 3);
}

#[tokio::test]
async fn an_absent_entry_is_404() {
    let service = Service::start().await;
    let expected = (404, json!({"detail": "CustomData 'none' not found"}));
    assert_eq!(get(&service, "/custom-data/none").await, expected);
    let token = service.token("a", "admin").await;
    let (status, body) = answer(service.request(Method::DELETE, "/custom-data/none", &token)).await;
    assert_eq!((status.as_u16(), body), expected);
}

#[tokio::test]
async fn an_entry_is_deleted() {
    let service = Service::start().await;
    put(&service, "rates", json!({"value": 1})).await;
    let token = service.token("a", "admin").await;
    let (status, body) = answer(service.request(Method::DELETE, "/custom-data/rates", &token)).await;
    let expected = json!({"status": 200, "message": "CustomData 'rates' deleted", "detail": null});
    assert_eq!((status.as_u16(), body), (200, expected));
    assert_eq!(stored(&service, "rates").await, None);
}
