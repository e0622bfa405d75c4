//! Stock at links of serials: taken when a component is put in, given back when it comes out.

use serde_json::{Value, json};
use tracewright_testkit::Service;

use crate::serials_support::{assert_refused, documents, events_of, post, record, seed_serials, service};

/// A service that keeps stock of `kept`, with parents `m` and `n`, and `a`, `b` of `kept` in position `A`.
async fn stocked() -> (Service, String) {
    let service = service().await;
    let product = |key: &str, managed: bool| json!({"_key": key, "code": key.to_uppercase(), "traceability_level": "complete", "manage_inventory": managed});
    service.seed("Product", json!([product("kept", true), product("loose", false)])).await;
    service.seed("Position", json!([{"_key": "A", "code": "A", "name": "A"}])).await;
    let root = json!([{"_key": "A-IN", "_from": "Position/A", "_to": "Position/IN"}]);
    service.seed("is_in_position", root).await;
    seed_serials(&service, "p", &["m", "n"]).await;
    seed_serials(&service, "kept", &["a", "b", "away"]).await;
    seed_serials(&service, "loose", &["l"]).await;
    let lies = |key: &str| json!({"_key": key, "_from": "Product/kept", "_to": "Position/A", "serial_key": key, "quantity": 1});
    service.seed("is_in_position", json!([lies("a"), lies("b")])).await;
    switch(&service, true).await;
    let token = service.token("u", "operator").await;
    (service, token)
}

async fn switch(service: &Service, on: bool) {
    let token = service.token("admin", "admin").await;
    let body = json!({"enable_inventory_management": on});
    let (status, body) = service.send(reqwest::Method::PATCH, "/config", &token, body).await;
    assert_eq!(status, 200, "{body}");
}

fn into(child: &str, parent: &str) -> Value {
    json!({"child_serial_key": child, "parent_serial_key": parent})
}

/// The positions where a serial lies.
async fn places(service: &Service, key: &str) -> Vec<Value> {
    let records = documents(service, "is_in_position").await;
    records.into_iter().filter(|record| record["serial_key"] == key).map(|record| record["_to"].clone()).collect()
}

#[tokio::test]
async fn a_linked_component_leaves_stock_and_comes_back_to_its_place() {
    let (service, token) = stocked().await;
    service.seed("Batch", json!([{"_key": "x", "job_key": "j", "work_order_key": "w", "active": true}])).await;
    let mut link = into("a", "m");
    link["batch_key"] = json!("x");
    record(&service, &token, "SERIAL_LINKED", link).await;
    assert!(places(&service, "a").await.is_empty());
    let movement = documents(&service, "movement").await.pop().unwrap();
    for (member, value) in [
        ("type", json!("consumption")),
        ("_from", json!("Position/A")),
        ("serial_key", json!("a")),
        ("qt_confirmed", json!(1)),
        ("status", json!("completed")),
    ] {
        assert_eq!(movement[member], value, "{member}");
    }
    let references = &movement["references"];
    assert_eq!((&references["batch_key"], &references["job_key"]), (&json!("x"), &json!("j")));
    assert_eq!(references["work_order_key"], "w");
    let (linked, moved) = (events_of(&service, "SERIAL_LINKED").await, events_of(&service, "MOVEMENT_COMPLETED").await);
    assert_eq!((&linked[0]["primary"], &moved[0]["primary"]), (&json!(true), &json!(false)));
    assert_eq!(linked[0]["event_group"], moved[0]["event_group"]);
    record(&service, &token, "SERIAL_UNLINKED", into("a", "m")).await;
    assert_eq!(places(&service, "a").await, ["Position/A"]);
    assert_eq!(events_of(&service, "MOVEMENT_REVERSED").await.len(), 1);
}

#[tokio::test]
async fn a_component_that_is_not_in_stock_is_linked_without_stock_only() {
    let (service, token) = stocked().await;
    let answer = post(&service, &token, "SERIAL_LINKED", into("away", "m")).await;
    assert_refused(&answer, "SerialNotLinkedError", "Serial AWAY is not in stock");
    assert!(documents(&service, "contains").await.is_empty());
    let mut link = into("away", "m");
    link["process_inventory"] = json!(false);
    record(&service, &token, "SERIAL_LINKED", link).await;
    let answer = post(&service, &token, "SERIAL_UNLINKED", into("away", "m")).await;
    assert_refused(&answer, "ValueError", "No consumption to give back: repeat without stock");
    let mut unlink = into("away", "m");
    unlink["process_inventory"] = json!(false);
    record(&service, &token, "SERIAL_UNLINKED", unlink).await;
    assert!(documents(&service, "movement").await.is_empty());
}

#[tokio::test]
async fn stock_is_left_alone_where_it_is_off_or_not_kept() {
    let (service, token) = stocked().await;
    record(&service, &token, "SERIAL_LINKED", into("l", "m")).await;
    record(&service, &token, "SERIAL_UNLINKED", into("l", "m")).await;
    switch(&service, false).await;
    record(&service, &token, "SERIAL_LINKED", into("a", "m")).await;
    record(&service, &token, "SERIAL_UNLINKED", into("a", "m")).await;
    assert!(documents(&service, "movement").await.is_empty());
    assert_eq!(places(&service, "a").await, ["Position/A"]);
}

#[tokio::test]
async fn stock_is_taken_once_however_often_and_wherever_it_is_linked() {
    let (service, token) = stocked().await;
    for _ in 0..2 {
        record(&service, &token, "SERIAL_LINKED", into("a", "m")).await;
    }
    let mut elsewhere = into("a", "n");
    elsewhere["replace_existing"] = json!(true);
    record(&service, &token, "SERIAL_LINKED", elsewhere).await;
    assert_eq!(documents(&service, "movement").await.len(), 1);
    record(&service, &token, "SERIAL_UNLINKED", into("a", "n")).await;
    assert_eq!(places(&service, "a").await, ["Position/A"], "the consumption of the first link");
    record(&service, &token, "SERIAL_LINKED", into("a", "n")).await;
    assert!(places(&service, "a").await.is_empty(), "a new link takes it again");
}

/// A reservation has taken nothing: confirmed it takes stock, taken back it touches none.
#[tokio::test]
async fn a_reservation_takes_stock_when_it_is_confirmed_and_none_when_it_is_taken_back() {
    let (service, token) = stocked().await;
    let reserved = |child: &str| json!({"_from": "Serial/m", "_to": format!("Serial/{child}"), "confirmed": false, "replaced": false});
    service.seed("contains", json!([reserved("a"), reserved("b")])).await;
    record(&service, &token, "SERIAL_LINKED", into("a", "m")).await;
    assert!(places(&service, "a").await.is_empty());
    record(&service, &token, "SERIAL_UNLINKED", into("b", "m")).await;
    assert_eq!(places(&service, "b").await, ["Position/A"]);
    assert_eq!(documents(&service, "movement").await.len(), 1);
}
