//! `SERIAL_DELETED`.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::Service;

use crate::serials_support::{
    Answer, assert_refused, document, documents, events_of, make, post, record, seed_serials, serial, service,
};

async fn delete(service: &Service, token: &str, members: Value) -> Answer {
    post(service, token, "SERIAL_DELETED", members).await
}

fn link(parent: &str, child: &str, confirmed: bool) -> Value {
    json!({"_key": format!("{parent}-{child}"), "_from": format!("Serial/{parent}"), "_to": format!("Serial/{child}"),
        "confirmed": confirmed, "replaced": false})
}

#[tokio::test]
async fn deleting_needs_its_scope_and_the_configuration() {
    let service = service().await;
    let (operator, production) = (service.token("u", "operator").await, service.token("v", "production").await);
    seed_serials(&service, "p", &["a", "b"]).await;
    let (status, body) = delete(&service, &operator, json!({"serial_key": "a"})).await;
    assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("serial:delete")));
    let admin = service.token("w", "admin").await;
    let (status, body) = service.send(Method::PATCH, "/config", &admin, json!({"allow_serial_delete": false})).await;
    assert_eq!(status, 200, "{body}");
    let answer = delete(&service, &production, json!({"serial_key": "a"})).await;
    assert_refused(&answer, "SerialNotDeletedError", "not allowed by configuration");
    service.send(Method::PATCH, "/config", &admin, json!({"allow_serial_delete": true})).await;
    assert_eq!(delete(&service, &production, json!({"serial_key": "a"})).await.0, 200);
    for key in ["none", "a"] {
        let answer = delete(&service, &production, json!({"serial_key": key})).await;
        assert_refused(&answer, "SerialNotDeletedError", &format!("Serial {key} not found"));
    }
}

#[tokio::test]
async fn what_is_in_use_is_not_deleted() {
    let service = service().await;
    let token = service.token("u", "production").await;
    seed_serials(&service, "p", &["stocked", "waiting", "made", "inside", "reserved", "outside"]).await;
    let stock = json!([{"_from": "Product/p", "_to": "Position/IN", "serial_key": "stocked", "quantity": 1}]);
    service.seed("is_in_position", stock).await;
    service.seed("wip", json!([{"_from": "Phase/x", "_to": "Phase/y", "wo_key": "w", "serial_key": "waiting"}])).await;
    service.seed("Batch", json!([{"_key": "open", "active": true, "qt_pass": 0}])).await;
    service.seed("batch_serial", json!([{"_from": "Batch/open", "_to": "Serial/made"}])).await;
    let reserved = json!({"_from": "Batch/open", "_to": "Serial/reserved", "confirmed": false, "batch_key": "open"});
    service.seed("contains", json!([link("outside", "inside", true), reserved])).await;
    for (key, word) in [
        ("stocked", "STOCKED is in stock"),
        ("waiting", "WAITING is in production"),
        ("made", "MADE is in production"),
        ("inside", "INSIDE is installed in OUTSIDE"),
        ("reserved", "RESERVED is reserved by batch open"),
    ] {
        assert_refused(&delete(&service, &token, json!({"serial_key": key})).await, "SerialNotDeletedError", word);
        assert_eq!(serial(&service, key).await["deleted"], false);
    }
}

#[tokio::test]
async fn softly_deleted_it_stays_with_its_links_as_history_and_its_code_is_free() {
    let service = service().await;
    let token = service.token("u", "production").await;
    seed_serials(&service, "p", &["a", "child", "reserved"]).await;
    service.seed("contains", json!([link("a", "child", true), link("a", "reserved", false)])).await;
    let detail = record(&service, &token, "SERIAL_DELETED", json!({"serial_key": "a"})).await;
    assert_eq!(detail["serial_key"], "a");
    let event = &events_of(&service, "SERIAL_DELETED").await[0];
    assert_eq!(serial(&service, "a").await["deleted"], event["_key"]);
    assert_eq!((&event["soft"], &event["serial_key"], &event["product_key"]), (&json!(true), &json!("a"), &json!("p")));
    let kept = document(&service, "contains", "a-child").await.unwrap();
    assert_eq!((&kept["replaced"], &kept["reason"]), (&json!(true), &json!("Parent deleted")));
    assert!(document(&service, "contains", "a-reserved").await.is_none());
    make(&service, &token, json!({"product_key": "p", "code": "a"})).await;
    record(&service, &token, "SERIAL_DELETED", json!({"serial_key": "child"})).await;
}

#[tokio::test]
async fn removed_for_good_it_leaves_no_document_link_or_file() {
    let service = service().await;
    let token = service.token("u", "production").await;
    seed_serials(&service, "p", &["a", "b"]).await;
    service.seed("Batch", json!([{"_key": "gone", "active": false, "qt_pass": 0, "canceled": "event"}])).await;
    service.seed("batch_serial", json!([{"_from": "Batch/gone", "_to": "Serial/a"}])).await;
    let folder = |key: &str| service.app.settings.media_root().join("serial").join(key);
    for key in ["a", "b"] {
        std::fs::create_dir_all(folder(key).join("f")).unwrap();
        std::fs::write(folder(key).join("f/picture.jpg"), b"x").unwrap();
    }
    record(&service, &token, "SERIAL_DELETED", json!({"serial_key": "a", "soft": false})).await;
    assert!(document(&service, "Serial", "a").await.is_none());
    assert!(documents(&service, "batch_serial").await.is_empty());
    assert!(!folder("a").exists() && folder("b").exists());
    assert_eq!(events_of(&service, "SERIAL_DELETED").await[0]["serial_key"], "a");
}

#[tokio::test]
async fn what_has_a_history_is_not_removed_for_good() {
    let service = service().await;
    let token = service.token("u", "production").await;
    seed_serials(&service, "p", &["parent", "child", "moved", "made"]).await;
    let mut old = link("parent", "child", true);
    old["replaced"] = json!(true);
    service.seed("contains", json!([old])).await;
    service.seed("movement", json!([{"_from": "Position/IN", "_to": "Position/OUT", "serial_key": "moved"}])).await;
    service.seed("Batch", json!([{"_key": "done", "active": false, "qt_pass": 1}])).await;
    service.seed("batch_serial", json!([{"_from": "Batch/done", "_to": "Serial/made"}])).await;
    for key in ["parent", "child", "moved", "made"] {
        let answer = delete(&service, &token, json!({"serial_key": key, "soft": false})).await;
        assert_refused(&answer, "SerialNotDeletedError", "has a history: delete it softly");
        assert_eq!(delete(&service, &token, json!({"serial_key": key})).await.0, 200);
    }
}

#[tokio::test]
async fn with_its_contents_everything_in_it_is_deleted_at_any_depth() {
    let service = service().await;
    let token = service.token("u", "production").await;
    seed_serials(&service, "p", &["top", "mid", "low", "other", "out"]).await;
    let mut former = link("top", "out", true);
    former["replaced"] = json!(true);
    let links = json!([link("top", "mid", true), link("mid", "low", true), link("top", "other", true), former]);
    service.seed("contains", links).await;
    record(&service, &token, "SERIAL_DELETED", json!({"serial_key": "top", "delete_children": true})).await;
    let events = events_of(&service, "SERIAL_DELETED").await;
    assert_eq!(events.len(), 4);
    for event in &events {
        let key = event["serial_key"].as_str().unwrap();
        assert_eq!(serial(&service, key).await["deleted"], event["_key"], "{key}");
    }
    assert_eq!(serial(&service, "out").await["deleted"], false, "it was replaced");
    let of = |key: &str| events.iter().find(|event| event["serial_key"] == key).unwrap();
    assert_eq!((&of("top")["primary"], &of("top")["sequence"]), (&json!(true), &json!(0)));
    let sources = documents(&service, "event_source").await;
    for (holder, inner) in [("top", "mid"), ("mid", "low"), ("top", "other")] {
        let (from, to) = (of(holder)["_key"].as_str().unwrap(), of(inner)["_key"].as_str().unwrap());
        let is_edge = |edge: &&Value| edge["_from"] == format!("Event/{from}") && edge["_to"] == format!("Event/{to}");
        assert!(sources.iter().any(|edge| is_edge(&edge)), "{holder} made the event of {inner}");
        assert!(of(holder)["sequence"].as_i64() < of(inner)["sequence"].as_i64());
    }
    assert_eq!(serial(&service, "mid").await["deleted"], of("mid")["_key"]);
}

#[tokio::test]
async fn contents_that_are_in_stock_keep_everything() {
    let service = service().await;
    let token = service.token("u", "production").await;
    seed_serials(&service, "p", &["top", "mid"]).await;
    service.seed("contains", json!([link("top", "mid", true)])).await;
    let stock = json!([{"_from": "Product/p", "_to": "Position/IN", "serial_key": "mid", "quantity": 1}]);
    service.seed("is_in_position", stock).await;
    let answer = delete(&service, &token, json!({"serial_key": "top", "delete_children": true})).await;
    assert_refused(&answer, "SerialNotDeletedError", "MID is in stock");
    assert_eq!(serial(&service, "top").await["deleted"], false);
    assert_eq!(delete(&service, &token, json!({"serial_key": "top"})).await.0, 200, "without them they become free");
    assert_eq!(serial(&service, "mid").await["deleted"], false);
}
