//! `SERIAL_CREATED`, and codes of serials.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::serials_support::{
    assert_refused, document, documents, events_of, make, post, record, seed_serials, serial, service,
};

const TIME: &str = "2026-01-02T03:04:05.000000+00:00";

#[tokio::test]
async fn a_code_has_at_most_255_characters() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let created = async |length: usize| {
        let sent = json!({"product_key": "p", "code": "x".repeat(length), "wo_key": "w"});
        post(&service, &token, "SERIAL_CREATED", sent).await
    };
    assert_refused(&created(256).await, "ValueError", "255");
    assert_eq!(created(255).await.0, 200);
    let key =
        documents(&service, "Serial").await.iter().find(|serial| serial["code"] == "X".repeat(255)).unwrap()["_key"]
            .clone();
    let sent = json!({"serial_key": key, "serial_code": "x".repeat(900_000)});
    assert_refused(&post(&service, &token, "SERIAL_UPDATED", sent).await, "ValueError", "255");
}

#[tokio::test]
async fn a_serial_is_stored_with_everything_the_event_says() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let field = json!({"form_field_key": "f", "value": 7, "last_updated": "mine"});
    let empty = json!({"form_field_key": "g"});
    let sent = json!({"product_key": "p", "code": " a1 ", "wo_key": "w", "data": [field, empty], "timestamp": TIME});
    let detail = record(&service, &token, "SERIAL_CREATED", sent).await;
    assert!(detail["message"].as_str().unwrap().contains("A1"));
    let key = detail["serial_key"].as_str().unwrap();
    let stored = serial(&service, key).await;
    let event = &events_of(&service, "SERIAL_CREATED").await[0];
    for (member, value) in [
        ("code", json!("A1")),
        ("product_key", json!("p")),
        ("wo_key", json!("w")),
        ("counter_key", json!("c")),
        ("user_key", json!("u")),
        ("created_by", json!("User/u")),
        ("quantity", json!(1)),
        ("created", json!(TIME)),
        ("released", json!(TIME)),
        ("deleted", json!(false)),
        ("last_event", event["_key"].clone()),
    ] {
        assert_eq!(stored[member], value, "{member}");
    }
    assert_eq!(stored["data"][0]["value"], 7);
    assert_eq!(stored["data"][0]["last_updated"], event["_key"]);
    assert_eq!(stored["data"][1]["last_updated"], json!(null));
    for (member, value) in [
        ("serial_key", json!(key)),
        ("serial_keys", json!([])),
        ("product_key", json!("p")),
        ("work_order_key", json!("w")),
        ("counter_key", json!("c")),
        ("code", json!("A1")),
        ("released", json!(TIME)),
    ] {
        assert_eq!(event[member], value, "{member}");
    }
    assert!(documents(&service, "movement").await.is_empty(), "no stock");
}

#[tokio::test]
async fn a_code_is_free_among_the_not_deleted_serials_of_its_product() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let first = make(&service, &token, json!({"product_key": "q", "code": " a1 "})).await;
    assert_eq!(serial(&service, &first).await["code"], "A1");
    let again = post(&service, &token, "SERIAL_CREATED", json!({"product_key": "q", "code": "A1"})).await;
    assert_refused(&again, "SerialCodeAlreadyPresent", "Code A1 exists for product Q");
    assert_eq!(documents(&service, "Serial").await.len(), 1);
    make(&service, &token, json!({"product_key": "p", "code": "A1"})).await;
    service.seed("Serial", json!([{"_key": "d", "code": "OLD", "product_key": "q", "deleted": "event"}])).await;
    make(&service, &token, json!({"product_key": "q", "code": "old"})).await;
}

#[tokio::test]
async fn a_serial_is_released_at_the_time_of_the_event_or_then_or_not_yet() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let of = |code: &str, released: Value| {
        let mut sent = json!({"product_key": "p", "code": code, "timestamp": TIME});
        if released != json!("absent") {
            sent["released"] = released;
        }
        sent
    };
    for (code, released, stored) in [
        ("A", json!("absent"), json!(TIME)),
        ("B", json!(null), json!(null)),
        ("C", json!("2025-05-05T10:00:00+02:00"), json!("2025-05-05T08:00:00.000000+00:00")),
    ] {
        let key = make(&service, &token, of(code, released)).await;
        assert_eq!(serial(&service, &key).await["released"], stored, "{code}");
    }
    let ahead = |minutes: i64| json!((chrono::Utc::now() + chrono::TimeDelta::minutes(minutes)).to_rfc3339());
    make(&service, &token, of("D", ahead(4))).await;
    assert_refused(&post(&service, &token, "SERIAL_CREATED", of("E", ahead(6))).await, "ValueError", "future");
}

#[tokio::test]
async fn product_and_work_order_are_checked_in_their_order() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    service.seed("WorkOrder", json!([{"_key": "other", "product_key": "q"}])).await;
    for (sent, word) in [
        (json!({"product_key": "none", "wo_key": "none"}), "Product none not found"),
        (json!({"product_key": "gone"}), "Product gone not found"),
        (json!({"product_key": "p", "wo_key": "none"}), "Work order none not found"),
        (json!({"product_key": "p", "wo_key": "other"}), "Work order other makes another product"),
        (json!({"product_key": "u"}), "Traceability is not enabled for product U"),
        (json!({"product_key": "q"}), "Product Q has no counter: give a code"),
        (json!({"product_key": "same"}), "Counter Same has no #N"),
    ] {
        assert_refused(&post(&service, &token, "SERIAL_CREATED", sent).await, "ValueError", word);
    }
    assert!(documents(&service, "Serial").await.is_empty());
    assert_refused(&post(&service, &token, "SERIAL_CREATED", json!({})).await, "ValidationError", "product_key");
}

#[tokio::test]
async fn making_a_serial_needs_its_scope() {
    let service = service().await;
    for (scope, status) in [("operator", 200), ("quality", 200), ("production", 200), ("warehouse", 403), ("task", 403)]
    {
        let token = service.token("u", scope).await;
        let (found, body) = post(&service, &token, "SERIAL_CREATED", json!({"product_key": "p", "code": scope})).await;
        assert_eq!(found, status, "{scope}: {body}");
        if status == 403 {
            assert_eq!(body["detail"]["required_scope"], "serial:record");
        }
    }
}

#[tokio::test]
async fn a_code_is_drawn_when_it_is_needed_and_not_before() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let code = |key: String| {
        let service = &service;
        async move { serial(service, &key).await["code"].clone() }
    };
    let released = make(&service, &token, json!({"product_key": "p"})).await;
    assert_eq!(code(released).await, "SN-0001");
    let unreleased = make(&service, &token, json!({"product_key": "p", "released": null})).await;
    assert_eq!(code(unreleased).await, json!(null));
    let early = make(&service, &token, json!({"product_key": "early", "released": null})).await;
    assert_eq!(code(early).await, "SN-0002");
    let given = make(&service, &token, json!({"product_key": "p", "code": "own"})).await;
    assert_eq!(code(given).await, "OWN");
    assert_eq!(document(&service, "Counter", "c").await.unwrap()["next_tick"], 3);
    let event = &events_of(&service, "SERIAL_CREATED").await[0];
    assert_eq!(event["code"], "SN-0001", "the journal has the code that was drawn");
}

#[tokio::test]
async fn a_taken_code_is_skipped_and_after_a_thousand_the_counter_is_given_up() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    seed_serials(&service, "p", &["sn-0001", "sn-0002", "sn-0004"]).await;
    for code in ["SN-0003", "SN-0005"] {
        let key = make(&service, &token, json!({"product_key": "p"})).await;
        assert_eq!(serial(&service, &key).await["code"], code);
    }
    let many = |first: usize, last: usize| -> Value {
        (first..=last)
            .map(|tick| json!({"code": format!("SN-{tick:04}"), "product_key": "p", "deleted": false}))
            .collect()
    };
    service.seed("Serial", many(6, 1_004)).await;
    let key = make(&service, &token, json!({"product_key": "p"})).await;
    assert_eq!(serial(&service, &key).await["code"], "SN-1005", "999 in a row");
    service.seed("Serial", many(1_006, 2_005)).await;
    let refused = post(&service, &token, "SERIAL_CREATED", json!({"product_key": "p"})).await;
    assert_refused(&refused, "ValueError", "Counter Serials gives no free code");
    assert_eq!(document(&service, "Counter", "c").await.unwrap()["next_tick"], 1_006, "no tick is used up");
}

#[tokio::test]
async fn a_refused_call_uses_no_tick_up() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let rows = json!([{}, {}, {"code": "sn-0001"}]);
    let body = json!({"shared_data": {"event_type": "SERIAL_CREATED", "product_key": "p"}, "events": rows});
    let answer = service.send(Method::POST, "/event/bulk", &token, body).await;
    assert_refused(&answer, "SerialCodeAlreadyPresent", "SN-0001");
    assert_eq!(answer.1["detail"]["failed_index"], 2);
    assert_eq!(document(&service, "Counter", "c").await.unwrap()["next_tick"], 1);
    assert!(documents(&service, "Serial").await.is_empty());
    assert!(documents(&service, "Event").await.is_empty());
}

#[tokio::test]
async fn three_serials_of_one_call_are_one_group_in_rising_order() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let body =
        json!({"shared_data": {"event_type": "SERIAL_CREATED", "product_key": "p"}, "events": [{}, {"code": "x"}, {}]});
    let (status, body) = service.send(Method::POST, "/event/bulk", &token, body).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["detail"]["event_count"], 3);
    let events = events_of(&service, "SERIAL_CREATED").await;
    assert!(events.iter().all(|event| event["event_group"] == body["detail"]["event_group"]));
    let told: Vec<(i64, &str)> =
        events.iter().map(|event| (event["sequence"].as_i64().unwrap(), event["code"].as_str().unwrap())).collect();
    assert_eq!(told, [(0, "SN-0001"), (1, "X"), (2, "SN-0002")]);
    let codes: BTreeSet<String> =
        documents(&service, "Serial").await.iter().map(|serial| serial["code"].to_string()).collect();
    assert_eq!(codes.len(), 3);
}
