//! `SERIAL_UPDATED` and `SERIAL_RELEASED`.

use serde_json::{Value, json};
use tracewright_testkit::Service;

use crate::serials_support::{
    assert_refused, document, documents, events_of, make, post, record, seed_serials, serial, service,
};

async fn update(service: &Service, token: &str, members: Value) -> Value {
    record(service, token, "SERIAL_UPDATED", members).await
}

async fn configure(service: &Service, key: &str, value: bool) {
    let token = service.token("admin", "admin").await;
    let (status, body) = service.send(reqwest::Method::PATCH, "/config", &token, json!({key: value})).await;
    assert_eq!(status, 200, "{body}");
}

#[tokio::test]
async fn a_serial_that_is_not_there_is_not_updated() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    service.seed("Serial", json!([{"_key": "d", "code": "D", "product_key": "p", "deleted": "event"}])).await;
    for key in ["none", "d"] {
        let answer = post(&service, &token, "SERIAL_UPDATED", json!({"serial_key": key, "serial_code": "X"})).await;
        assert_refused(&answer, "SerialNotUpdatedError", &format!("Serial {key} not found"));
    }
    let answer = post(&service, &token, "SERIAL_UPDATED", json!({"serial_code": "X"})).await;
    assert_refused(&answer, "ValidationError", "serial_key");
}

#[tokio::test]
async fn a_code_changes_unless_the_configuration_forbids_it() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    seed_serials(&service, "p", &["a", "b"]).await;
    update(&service, &token, json!({"serial_key": "a", "serial_code": " new "})).await;
    assert_eq!(serial(&service, "a").await["code"], "NEW", "allowed without an entry");
    let event = &events_of(&service, "SERIAL_UPDATED").await[0];
    assert_eq!((&event["serial_key"], &event["product_key"]), (&json!("a"), &json!("p")));
    assert_eq!(serial(&service, "a").await["last_event"], event["_key"]);
    configure(&service, "allow_serial_code_edit", false).await;
    let refused = post(&service, &token, "SERIAL_UPDATED", json!({"serial_key": "a", "serial_code": "x"})).await;
    assert_refused(&refused, "SerialNotUpdatedError", "not allowed");
    let same = update(&service, &token, json!({"serial_key": "a", "serial_code": "new"})).await;
    assert!(same["message"].as_str().unwrap().contains("Nothing changed"), "{same}");
    let nameless = make(&service, &token, json!({"product_key": "q", "released": null})).await;
    update(&service, &token, json!({"serial_key": nameless, "serial_code": "first"})).await;
    assert_eq!(serial(&service, &nameless).await["code"], "FIRST", "a first code changes none");
    configure(&service, "allow_serial_code_edit", true).await;
    update(&service, &token, json!({"serial_key": "a", "serial_code": "x"})).await;
}

#[tokio::test]
async fn a_new_code_is_free_but_for_the_serial_itself() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    seed_serials(&service, "p", &["a", "b"]).await;
    seed_serials(&service, "q", &["c"]).await;
    let taken = post(&service, &token, "SERIAL_UPDATED", json!({"serial_key": "a", "serial_code": "b"})).await;
    assert_refused(&taken, "SerialCodeAlreadyPresent", "Code B exists for product P");
    update(&service, &token, json!({"serial_key": "a", "serial_code": "a"})).await;
    update(&service, &token, json!({"serial_key": "a", "serial_code": "c"})).await;
    assert_eq!(serial(&service, "a").await["code"], "C", "another product has it");
    update(&service, &token, json!({"serial_key": "b", "serial_code": "a"})).await;
    assert_eq!(serial(&service, "b").await["code"], "A", "it is free again");
}

#[tokio::test]
async fn a_code_is_cleared_before_the_release_only() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    seed_serials(&service, "p", &["a"]).await;
    let refused = post(&service, &token, "SERIAL_UPDATED", json!({"serial_key": "a", "serial_code": " "})).await;
    assert_refused(&refused, "SerialNotUpdatedError", "keeps its code");
    let open = make(&service, &token, json!({"product_key": "p", "code": "open", "released": null})).await;
    update(&service, &token, json!({"serial_key": open, "serial_code": null})).await;
    assert_eq!(serial(&service, &open).await["code"], "OPEN", "null leaves it");
    update(&service, &token, json!({"serial_key": open, "serial_code": ""})).await;
    assert_eq!(serial(&service, &open).await["code"], json!(null));
}

#[tokio::test]
async fn data_are_merged_field_by_field() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let fields = json!([
        {"form_field_key": "f", "label": "Weight", "value": 1, "batch_key": "b", "phase_key": "x"},
        {"custom_field_key": "c", "value": "old"},
    ]);
    let key = make(&service, &token, json!({"product_key": "p", "code": "a", "data": fields})).await;
    let made = serial(&service, &key).await["last_event"].clone();
    let sent = json!([
        {"form_field_key": "f", "value": 2, "batch_key": "b2", "step_key": "s"},
        {"custom_field_key": "c", "value": "old"},
        {"form_field_key": "g", "value": true},
    ]);
    update(&service, &token, json!({"serial_key": key, "serial_data": sent})).await;
    let stored = serial(&service, &key).await;
    let (data, event) = (stored["data"].as_array().unwrap(), &stored["last_event"]);
    assert_eq!(data.len(), 3, "{data:?}");
    for (member, value) in [
        ("label", json!("Weight")),
        ("value", json!(2)),
        ("batch_key", json!("b2")),
        ("step_key", json!("s")),
        ("phase_key", json!("x")),
        ("last_updated", event.clone()),
    ] {
        assert_eq!(data[0][member], value, "{member}");
    }
    assert_eq!((&data[1]["value"], &data[1]["last_updated"]), (&json!("old"), &made), "the same value is no change");
    assert_eq!((&data[2]["value"], &data[2]["last_updated"]), (&json!(true), event));
    let again = update(&service, &token, json!({"serial_key": key, "serial_data": sent})).await;
    assert!(again["message"].as_str().unwrap().contains("Nothing changed"), "{again}");
    let keyless = json!({"serial_key": key, "serial_data": [{"value": 1}]});
    assert_refused(&post(&service, &token, "SERIAL_UPDATED", keyless).await, "ValueError", "form_field_key");
}

#[tokio::test]
async fn a_release_is_taken_back_by_those_who_may_delete() {
    let service = service().await;
    let (operator, production) = (service.token("u", "operator").await, service.token("v", "production").await);
    seed_serials(&service, "p", &["a", "stocked", "inside", "outside"]).await;
    let (status, body) =
        post(&service, &operator, "SERIAL_UPDATED", json!({"serial_key": "a", "unrelease": true})).await;
    assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("serial:delete")));
    update(&service, &production, json!({"serial_key": "a", "unrelease": true})).await;
    assert_eq!(serial(&service, "a").await["released"], json!(null));
    service
        .seed(
            "is_in_position",
            json!([{"_from": "Product/p", "_to": "Position/IN", "serial_key": "stocked", "quantity": 1}]),
        )
        .await;
    service.seed("contains", json!([{"_from": "Serial/outside", "_to": "Serial/inside", "confirmed": true}])).await;
    for (key, word) in [("stocked", "Serial STOCKED is in stock"), ("inside", "Serial INSIDE is installed in OUTSIDE")]
    {
        let answer = post(&service, &production, "SERIAL_UPDATED", json!({"serial_key": key, "unrelease": true})).await;
        assert_refused(&answer, "SerialNotUpdatedError", word);
    }
}

#[tokio::test]
async fn data_of_phases_are_taken_back_by_those_who_may_delete() {
    let service = service().await;
    let (operator, production) = (service.token("u", "operator").await, service.token("v", "production").await);
    let field = |phase: &str| json!({"form_field_key": phase, "value": 1, "batch_key": "b", "phase_key": phase});
    let sent = json!({"product_key": "p", "code": "a", "data": [field("x"), field("y")]});
    let key = make(&service, &operator, sent).await;
    let taken = json!({"serial_key": key, "remove_data_from_phases": ["x"]});
    let (status, body) = post(&service, &operator, "SERIAL_UPDATED", taken.clone()).await;
    assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("serial:delete")));
    let none = json!({"serial_key": key, "remove_data_from_phases": [], "unrelease": false});
    update(&service, &operator, none).await;
    update(&service, &production, taken).await;
    let data = serial(&service, &key).await["data"].clone();
    assert_eq!(
        (&data[0]["value"], &data[0]["batch_key"], &data[0]["phase_key"]),
        (&json!(null), &json!(null), &json!("x"))
    );
    assert_eq!((&data[1]["value"], &data[1]["batch_key"]), (&json!(1), &json!("b")));
}

#[tokio::test]
async fn a_release_has_a_date_which_a_later_one_overwrites() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let key = make(&service, &token, json!({"product_key": "p", "code": "a", "released": null})).await;
    let time = "2026-02-03T04:05:06.000000+00:00";
    let detail = record(&service, &token, "SERIAL_RELEASED", json!({"serial_key": key, "timestamp": time})).await;
    assert_eq!(detail["serial_key"], json!(key));
    assert!(detail["message"].as_str().unwrap().contains('A'));
    assert_eq!(serial(&service, &key).await["released"], time);
    let sent = json!({"serial_key": key, "released": "2026-03-01T00:00:00"});
    record(&service, &token, "SERIAL_RELEASED", sent).await;
    assert_eq!(serial(&service, &key).await["released"], "2026-03-01T00:00:00.000000+00:00");
    let events = events_of(&service, "SERIAL_RELEASED").await;
    assert_eq!((&events[0]["released"], &events[0]["serial_key"]), (&json!(time), &json!(key)));
    let ahead = (chrono::Utc::now() + chrono::TimeDelta::minutes(6)).to_rfc3339();
    let answer = post(&service, &token, "SERIAL_RELEASED", json!({"serial_key": key, "released": ahead})).await;
    assert_refused(&answer, "ValueError", "future");
    assert!(documents(&service, "movement").await.is_empty(), "no stock");
}

#[tokio::test]
async fn a_serial_has_a_code_when_it_is_released() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let own = make(&service, &token, json!({"product_key": "p", "released": null})).await;
    let none = make(&service, &token, json!({"product_key": "q", "released": null})).await;
    let older = json!([{"_key": "older", "code": null, "product_key": "q", "counter_key": "c", "deleted": false}]);
    service.seed("Serial", older).await;
    record(&service, &token, "SERIAL_RELEASED", json!({"serial_key": own})).await;
    assert_eq!(serial(&service, &own).await["code"], "SN-0001");
    let answer = post(&service, &token, "SERIAL_RELEASED", json!({"serial_key": none})).await;
    assert_refused(&answer, "ValueError", "Product Q has no counter: give a code");
    record(&service, &token, "SERIAL_RELEASED", json!({"serial_key": "older"})).await;
    assert_eq!(serial(&service, "older").await["code"], "SN-0002", "from the counter it was made with");
    assert_eq!(document(&service, "Counter", "c").await.unwrap()["next_tick"], 3);
}

#[tokio::test]
async fn what_is_in_production_or_not_there_is_not_released() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let key = make(&service, &token, json!({"product_key": "p", "code": "a", "released": null})).await;
    service.seed("wip", json!([{"_from": "Phase/x", "_to": "Phase/y", "wo_key": "w", "serial_key": key}])).await;
    let answer = post(&service, &token, "SERIAL_RELEASED", json!({"serial_key": key})).await;
    assert_refused(&answer, "ValueError", "Serial A is still in production");
    service.seed("Serial", json!([{"_key": "d", "code": "D", "product_key": "p", "deleted": true}])).await;
    for key in ["none", "d"] {
        let answer = post(&service, &token, "SERIAL_RELEASED", json!({"serial_key": key})).await;
        assert_refused(&answer, "ValueError", &format!("Serial {key} not found"));
    }
}
