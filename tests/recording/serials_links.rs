//! `SERIAL_LINKED` and `SERIAL_UNLINKED`, without stock.

use serde_json::{Value, json};
use tracewright_testkit::Service;

use crate::serials_support::{
    Answer, assert_refused, document, documents, events_of, post, record, seed_serials, serial, service,
};

async fn link(service: &Service, token: &str, members: Value) -> Answer {
    post(service, token, "SERIAL_LINKED", members).await
}

async fn unlink(service: &Service, token: &str, members: Value) -> Answer {
    post(service, token, "SERIAL_UNLINKED", members).await
}

fn into(child: &str, parent: &str) -> Value {
    json!({"child_serial_key": child, "parent_serial_key": parent})
}

fn edge(from: &str, child: &str, confirmed: bool) -> Value {
    let key = format!("{}-{child}", from.split('/').next_back().unwrap());
    json!({"_key": key, "_from": from, "_to": format!("Serial/{child}"), "confirmed": confirmed, "replaced": false,
        "batch_key": "b"})
}

/// A service with serials of `p`, and batches `b` of an untraced and `t` of a traced order.
async fn parts(serials: &[&str]) -> (Service, String) {
    let service = service().await;
    seed_serials(&service, "p", serials).await;
    let orders = json!([
        {"_key": "free", "wo_code": "W-FREE", "product_key": "u", "traceability_level": null},
        {"_key": "traced", "wo_code": "W-TRACED", "product_key": "p", "traceability_level": "complete"},
    ]);
    service.seed("WorkOrder", orders).await;
    let batch = |key: &str, order: &str| json!({"_key": key, "job_key": "j", "phase_key": "f", "work_order_key": order, "active": true, "qt_pass": 0});
    service.seed("Batch", json!([batch("b", "free"), batch("t", "traced")])).await;
    let token = service.token("u", "operator").await;
    (service, token)
}

/// The links that count.
async fn live(service: &Service) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let links = documents(service, "contains").await;
    links
        .iter()
        .filter(|link| link["replaced"] != true)
        .map(|link| (text(&link["_from"]), text(&link["_to"])))
        .collect()
}

#[tokio::test]
async fn a_link_is_stored_with_what_it_says_and_touches_both_ends() {
    let (service, token) = parts(&["a", "b"]).await;
    let mut sent = into("a", "b");
    sent["batch_key"] = json!("b");
    sent["wo_key"] = json!("mistaken");
    let detail = record(&service, &token, "SERIAL_LINKED", sent).await;
    assert!(detail["message"].as_str().unwrap().contains("linked"));
    let links = documents(&service, "contains").await;
    assert_eq!(links.len(), 1);
    for (member, value) in [
        ("_from", json!("Serial/b")),
        ("_to", json!("Serial/a")),
        ("wo_key", json!("free")),
        ("phase_key", json!("f")),
        ("component_key", json!("p")),
        ("job_key", json!("j")),
        ("batch_key", json!("b")),
        ("confirmed", json!(true)),
        ("replaced", json!(false)),
    ] {
        assert_eq!(links[0][member], value, "{member}");
    }
    let event = &events_of(&service, "SERIAL_LINKED").await[0];
    for (member, value) in [
        ("serial_key", json!("a")),
        ("serial_keys", json!(["a", "b"])),
        ("product_key", json!("p")),
        ("work_order_key", json!("free")),
        ("job_key", json!("j")),
        ("batch_key", json!("b")),
    ] {
        assert_eq!(event[member], value, "{member}");
    }
    for key in ["a", "b"] {
        assert_eq!(serial(&service, key).await["last_event"], event["_key"], "{key}");
    }
    assert!(documents(&service, "movement").await.is_empty(), "stock is off");
}

#[tokio::test]
async fn the_journal_of_a_parent_has_its_links() {
    let (service, token) = parts(&["a", "b"]).await;
    assert_eq!(link(&service, &token, into("a", "b")).await.0, 200);
    assert_eq!(unlink(&service, &token, into("a", "b")).await.0, 200);
    for key in ["a", "b"] {
        let (status, found) = service.get(&format!("/event?serial_key={key}"), &token).await;
        assert_eq!(status, 200, "{found}");
        let types: Vec<&str> =
            found.as_array().unwrap().iter().map(|event| event["event_type"].as_str().unwrap()).collect();
        assert_eq!(types, ["SERIAL_LINKED", "SERIAL_UNLINKED"], "{key}");
    }
}

#[tokio::test]
async fn a_link_again_changes_nothing_and_a_reservation_becomes_final() {
    let (service, token) = parts(&["a", "b", "c"]).await;
    assert_eq!(link(&service, &token, into("a", "b")).await.0, 200);
    let again = record(&service, &token, "SERIAL_LINKED", into("a", "b")).await;
    assert!(again["message"].as_str().unwrap().contains("already exists"), "{again}");
    assert_eq!(documents(&service, "contains").await.len(), 1);
    service.seed("contains", json!([edge("Serial/b", "c", false)])).await;
    assert_eq!(link(&service, &token, into("c", "b")).await.0, 200);
    assert_eq!(document(&service, "contains", "b-c").await.unwrap()["confirmed"], true);
    assert_eq!(documents(&service, "contains").await.len(), 2);
}

#[tokio::test]
async fn a_component_has_one_place_unless_it_is_to_be_replaced() {
    let (service, token) = parts(&["a", "b", "c", "r"]).await;
    assert_eq!(link(&service, &token, into("a", "b")).await.0, 200);
    let answer = link(&service, &token, into("a", "c")).await;
    assert_refused(&answer, "SerialNotLinkedError", "Serial A is installed in B");
    service.seed("contains", json!([edge("Serial/b", "r", false)])).await;
    let answer = link(&service, &token, into("r", "c")).await;
    assert_refused(&answer, "SerialNotLinkedError", "Serial R is reserved by batch b");
    for child in ["a", "r"] {
        let mut sent = into(child, "c");
        sent["replace_existing"] = json!(true);
        assert_eq!(link(&service, &token, sent).await.0, 200);
    }
    let mut now = live(&service).await;
    now.sort();
    assert_eq!(now, [("Serial/c".into(), "Serial/a".into()), ("Serial/c".into(), "Serial/r".into())]);
    assert_eq!(documents(&service, "contains").await.len(), 3, "the reservation is gone, the installation is history");
    let unlinked = events_of(&service, "SERIAL_UNLINKED").await;
    assert_eq!(unlinked.len(), 1);
    assert_eq!((&unlinked[0]["primary"], &unlinked[0]["serial_keys"]), (&json!(false), &json!(["a", "b"])));
}

#[tokio::test]
async fn without_a_parent_it_goes_into_the_batch_of_an_untraced_order() {
    let (service, token) = parts(&["a", "c"]).await;
    for (sent, word) in [
        (json!({"child_serial_key": "a"}), "Parent serial or batch needed"),
        (json!({"child_serial_key": "a", "batch_key": "none"}), "Batch none not found"),
        (json!({"child_serial_key": "a", "batch_key": "t"}), "Order W-TRACED needs a parent serial"),
    ] {
        assert_refused(&link(&service, &token, sent).await, "SerialNotLinkedError", word);
    }
    let sent = json!({"child_serial_key": "a", "parent_serial_key": "components", "batch_key": "b"});
    assert_eq!(link(&service, &token, sent.clone()).await.0, 200);
    assert_eq!(live(&service).await, [("Batch/b".into(), "Serial/a".into())]);
    let answer = link(&service, &token, into("a", "c")).await;
    assert_refused(&answer, "SerialNotLinkedError", "Serial A is installed in batch b");
    assert_eq!(unlink(&service, &token, sent).await.0, 200);
    assert!(live(&service).await.is_empty());
}

#[tokio::test]
async fn a_component_is_never_inside_itself_at_any_depth() {
    let (service, token) = parts(&["a", "b", "c", "d"]).await;
    assert_refused(&link(&service, &token, into("a", "a")).await, "SerialNotLinkedError", "A cannot contain itself");
    for (child, parent) in [("a", "b"), ("b", "c"), ("c", "d")] {
        assert_eq!(link(&service, &token, into(child, parent)).await.0, 200);
    }
    for parent in ["c", "b", "a"] {
        let answer = link(&service, &token, into("d", parent)).await;
        assert_refused(&answer, "SerialNotLinkedError", "D cannot contain itself");
    }
    // What was taken out does not count.
    assert_eq!(unlink(&service, &token, into("b", "c")).await.0, 200);
    assert_eq!(link(&service, &token, into("d", "a")).await.0, 200);
    let event = events_of(&service, "SERIAL_LINKED").await.pop().unwrap();
    for key in ["d", "a", "b"] {
        assert_eq!(serial(&service, key).await["last_event"], event["_key"], "{key} is an end or lies above");
    }
    assert_ne!(serial(&service, "c").await["last_event"], event["_key"]);
}

#[tokio::test]
async fn both_ends_exist_and_the_component_is_what_is_wanted() {
    let (service, token) = parts(&["a", "b"]).await;
    service.seed("Serial", json!([{"_key": "d", "code": "D", "product_key": "p", "deleted": "event"}])).await;
    let mut wrong = into("a", "b");
    wrong["component_key"] = json!("q");
    for (sent, word) in [
        (into("none", "b"), "Serial none not found"),
        (into("d", "b"), "Serial d not found"),
        (into("a", "none"), "Serial none not found"),
        (into("a", "d"), "Serial d not found"),
        (wrong, "Serial A is not a q"),
    ] {
        assert_refused(&link(&service, &token, sent).await, "SerialNotLinkedError", word);
    }
    assert!(live(&service).await.is_empty());
    let answer = link(&service, &token, json!({"parent_serial_key": "b"})).await;
    assert_refused(&answer, "ValidationError", "child_serial_key");
}

#[tokio::test]
async fn an_unlinked_component_is_free_and_its_link_is_history_with_the_reason() {
    let (service, token) = parts(&["a", "b"]).await;
    let mut sent = into("a", "b");
    sent["batch_key"] = json!("b");
    assert_eq!(link(&service, &token, sent.clone()).await.0, 200);
    for (sent, word) in [
        (json!({"child_serial_key": "a"}), "Parent serial or batch needed"),
        (into("none", "b"), "Serial none not found"),
        (into("b", "a"), "Serial B is not linked there"),
        (json!({"child_serial_key": "a", "parent_serial_key": "b", "batch_key": "t"}), "Serial A is not linked there"),
        (json!({"child_serial_key": "a", "batch_key": "b"}), "Serial A is not linked there"),
    ] {
        assert_refused(&unlink(&service, &token, sent).await, "ValueError", word);
    }
    sent["reason"] = json!("broken");
    let detail = record(&service, &token, "SERIAL_UNLINKED", sent.clone()).await;
    assert!(detail["message"].is_string());
    let kept = &documents(&service, "contains").await[0];
    assert_eq!(
        (&kept["replaced"], &kept["reason"], &kept["confirmed"]),
        (&json!(true), &json!("broken"), &json!(true))
    );
    let event = &events_of(&service, "SERIAL_UNLINKED").await[0];
    for (member, value) in [
        ("serial_key", json!("a")),
        ("serial_keys", json!(["a", "b"])),
        ("batch_key", json!("b")),
        ("work_order_key", json!("free")),
        ("reason", json!("broken")),
    ] {
        assert_eq!(event[member], value, "{member}");
    }
    assert_refused(&unlink(&service, &token, sent).await, "ValueError", "not linked there");
}

#[tokio::test]
async fn an_unlinked_reservation_is_gone() {
    let (service, token) = parts(&["a", "b"]).await;
    service.seed("contains", json!([edge("Serial/b", "a", false)])).await;
    assert_eq!(unlink(&service, &token, into("a", "b")).await.0, 200);
    assert!(documents(&service, "contains").await.is_empty());
}

#[tokio::test]
async fn linking_needs_its_scope() {
    let (service, _) = parts(&["a", "b"]).await;
    let token = service.token("u", "warehouse").await;
    for event_type in ["SERIAL_LINKED", "SERIAL_UNLINKED"] {
        let (status, body) = post(&service, &token, event_type, into("a", "b")).await;
        assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("serial:record")));
    }
}

#[tokio::test]
async fn a_lot_goes_into_as_many_units_as_it_has_pieces() {
    let (service, token) = parts(&["one", "two", "three"]).await;
    let lot = json!({"_key": "lot", "code": "LOT", "product_key": "p", "quantity": 2, "deleted": false, "data": []});
    service.seed("Serial", json!([lot])).await;
    for parent in ["one", "two"] {
        let (status, body) = link(&service, &token, into("lot", parent)).await;
        assert_eq!(status, 200, "{body}");
    }
    let refused = link(&service, &token, into("lot", "three")).await;
    assert_refused(&refused, "SerialNotLinkedError", "installed in");
    let both = [("Serial/one", "Serial/lot"), ("Serial/two", "Serial/lot")];
    let mut found = live(&service).await;
    found.sort();
    assert_eq!(found, both.map(|(from, to)| (from.to_owned(), to.to_owned())));
}
