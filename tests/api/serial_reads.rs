//! Serials of batches and in work, by key and by code, and to choose from.

use serde_json::{Value, json};
use tracewright_testkit::{Service, rows};

async fn start() -> (Service, String) {
    let service = Service::start().await;
    let token = service.token("u", "traceability").await;
    (service, token)
}

/// One member of each row, joined by blanks.
async fn column(service: &Service, token: &str, path: &str, name: &str) -> String {
    let text = |row: &Value| row[name].as_str().map_or_else(|| row[name].to_string(), str::to_owned);
    rows(service, token, path).await.iter().map(text).collect::<Vec<_>>().join(" ")
}

fn edge(from: &str, to: &str) -> Value {
    json!({"_from": from, "_to": to})
}

/// The edge with further members.
fn edge_with(from: &str, to: &str, members: Value) -> Value {
    let mut edge = edge(from, to);
    edge.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    edge
}

#[tokio::test]
async fn serial_fields_are_those_of_the_configuration_and_none_without() {
    let (service, token) = start().await;
    assert_eq!(rows(&service, &token, "/serial-field").await, [Value::Null; 0]);
    let fields =
        json!([{"_key": "f2", "name": "Weight", "type": "number"}, {"_key": "f1", "name": "Colour", "type": "text"}]);
    service.seed("Config", json!([{"_key": "serial_fields", "value": fields}])).await;
    assert_eq!(json!(rows(&service, &token, "/serial-field").await), fields);
}

/// Batch k with serials B1, b0 and one without a code; B1 holds x (current), y (replaced), z (of another work order).
async fn batch() -> (Service, String) {
    let (service, token) = start().await;
    let serial = |key: &str, code: Value| json!({"_key": key, "code": code, "product_key": "P", "wo_key": "w", "deleted": false});
    let serials = json!([
        serial("s1", json!("B1")),
        serial("s0", json!("B0")),
        serial("s2", Value::Null),
        serial("s3", json!("")),
        serial("x", json!("X")),
        serial("y", json!("Y")),
        serial("z", json!("Z")),
    ]);
    service.seed("Serial", serials).await;
    let links: Vec<Value> =
        ["s1", "s0", "s2", "s3", "gone"].iter().map(|key| edge("Batch/k", &format!("Serial/{key}"))).collect();
    service.seed("batch_serial", json!(links)).await;
    let components = json!([
        edge_with("Serial/s1", "Serial/x", json!({"wo_key": "w", "replaced": false, "confirmed": false})),
        edge_with("Serial/s1", "Serial/y", json!({"wo_key": "w", "replaced": true})),
        edge_with("Serial/s1", "Serial/z", json!({"wo_key": "v"})),
        edge_with("Batch/k", "Serial/y", json!({"replaced": true})),
        edge_with("Batch/k", "Serial/x", json!({"confirmed": false})),
        edge("Batch/k", "Serial/x"),
        edge("Batch/other", "Serial/z"),
    ]);
    service.seed("contains", components).await;
    (service, token)
}

#[tokio::test]
async fn serials_of_a_batch_come_by_code_with_current_components_of_the_same_work_order() {
    let (service, token) = batch().await;
    let found = rows(&service, &token, "/serial-batch?batch_key=k").await;
    assert_eq!(found.iter().map(|row| row["_key"].as_str().unwrap()).collect::<Vec<_>>(), ["s2", "s3", "s0", "s1"]);
    let children: Vec<&Value> = found[3]["children"].as_array().unwrap().iter().map(|child| &child["_key"]).collect();
    assert_eq!(children, ["x"]);
    assert_eq!((&found[3]["children"][0]["released"], &found[0]["children"]), (&Value::Null, &json!([])));
}

#[tokio::test]
async fn serials_without_a_code_are_left_out_of_a_batch_on_demand() {
    let (service, token) = batch().await;
    assert_eq!(column(&service, &token, "/serial-batch?batch_key=k&filter_empty=true", "code").await, "B0 B1");
    assert_eq!(column(&service, &token, "/serial-batch?batch_key=k&filter_empty=0", "_key").await, "s2 s3 s0 s1");
}

#[tokio::test]
async fn components_of_a_batch_are_listed_once_whatever_the_state_of_their_links() {
    let (service, token) = batch().await;
    assert_eq!(column(&service, &token, "/component-batch?batch_key=k", "code").await, "X Y");
}

#[tokio::test]
async fn absent_and_unknown_keys_give_empty_lists() {
    let (service, token) = batch().await;
    for path in [
        "/serial-batch",
        "/serial-batch?batch_key=no",
        "/component-batch",
        "/component-batch?batch_key=a%2Fb",
        "/wip-serial",
        "/wip-serial?wo_key=w",
        "/wip-serial?job_key=j",
        "/wip-serial?phase_key=f",
        "/serial-code",
        "/serial-code?product_key=P",
        "/serial-code?serial_code=%20",
    ] {
        assert_eq!(rows(&service, &token, path).await, [Value::Null; 0], "{path}");
    }
}

async fn wip() -> (Service, String) {
    let (service, token) = start().await;
    let serials = json!([
        {"_key": "s1", "code": "S1", "counter_key": "c"}, {"_key": "s2", "code": "S2"}, {"_key": "s3", "code": "S3"},
    ]);
    service.seed("Serial", serials).await;
    let row = |to: &str, wo: &str, serial: Value, active: bool| {
        edge_with("Phase/f0", to, json!({"wo_key": wo, "serial_key": serial, "active": active}))
    };
    let rows = json!([
        row("Phase/f1", "w", json!("s2"), false),
        row("Job/j", "w", json!("s1"), true),
        row("Phase/f1", "w", Value::Null, false),
        row("Phase/f1", "other", json!("s3"), false),
        row("Phase/f2", "w", json!("s3"), false),
    ]);
    service.seed("wip", rows).await;
    (service, token)
}

#[tokio::test]
async fn work_in_progress_of_a_phase_has_entries_without_keys_where_there_are_no_serials() {
    let (service, token) = wip().await;
    let expected = json!([
        {"serial_key": null, "serial_code": null, "counter_key": null, "active": false},
        {"serial_key": "s2", "serial_code": "S2", "counter_key": null, "active": false},
    ]);
    assert_eq!(json!(rows(&service, &token, "/wip-serial?wo_key=w&phase_key=f1").await), expected);
}

#[tokio::test]
async fn work_in_progress_booked_for_the_job_is_active() {
    let (service, token) = wip().await;
    let expected = json!([{"serial_key": "s1", "serial_code": "S1", "counter_key": "c", "active": true}]);
    assert_eq!(json!(rows(&service, &token, "/wip-serial?wo_key=w&job_key=j").await), expected);
    let both = column(&service, &token, "/wip-serial?wo_key=w&job_key=j&phase_key=f2", "serial_key").await;
    assert_eq!(both, "s1 s3");
    assert_eq!(column(&service, &token, "/wip-serial?wo_key=other&job_key=j", "serial_key").await, "");
}

#[tokio::test]
async fn one_serial_is_the_stored_document_with_null_for_what_it_lacks() {
    let (service, token) = start().await;
    service.seed("Serial", json!([{"_key": "a", "code": "A", "product_key": "P", "deleted": "event", "own": 1}])).await;
    let (status, serial) = service.get("/serial/a", &token).await;
    assert_eq!(status, 200);
    assert_eq!((&serial["_id"], &serial["own"], &serial["deleted"]), (&json!("Serial/a"), &json!(1), &json!("event")));
    assert_eq!((&serial["released"], &serial["wo_key"], &serial["data"]), (&Value::Null, &Value::Null, &json!([])));
    assert!(serial["_rev"].is_string());
}

#[tokio::test]
async fn an_unknown_serial_is_404() {
    let (service, token) = start().await;
    for path in ["/serial/no", "/serial/a%2Fb"] {
        let (status, body) = service.get(path, &token).await;
        assert_eq!(status, 404, "{path}");
        assert!(body["detail"].is_string(), "{path}");
    }
}

#[tokio::test]
async fn serials_need_their_scope() {
    let (service, _) = start().await;
    let token = service.token("u", "task").await;
    for path in ["/serial-field", "/serial-batch", "/serial/a", "/serial", "/where-used?code=a", "/serial/a/where-used"]
    {
        let (status, body) = service.get(path, &token).await;
        assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("serial:read")), "{path}");
    }
}

async fn codes() -> (Service, String) {
    let (service, token) = start().await;
    let serial = |key: &str, code: &str, product: &str, deleted: Value| json!({"_key": key, "code": code, "product_key": product, "deleted": deleted});
    let serials = json!([
        serial("p1", "SN-1", "P", json!(false)),
        serial("q1", "sn-1", "Q", json!(false)),
        serial("r1", "Sn-1", "R", json!(false)),
        serial("gone", "SN-1", "P", json!("event")),
        serial("p2", "SN-2", "P", json!(true)),
        serial("p11", "SN-11", "P", json!(false)),
        {"_key": "old", "code": "SN-3", "product_key": "P"},
        {"_key": "bare", "code": null, "product_key": "P", "deleted": false},
    ]);
    service.seed("Serial", serials).await;
    (service, token)
}

#[tokio::test]
async fn codes_are_found_whatever_their_case_and_outer_blanks() {
    let (service, token) = codes().await;
    for code in ["SN-1", "sn-1", "%20sN-1%20"] {
        assert_eq!(column(&service, &token, &format!("/serial-code?serial_code={code}"), "_key").await, "p1 q1 r1");
    }
    assert_eq!(column(&service, &token, "/serial-code?serial_code=SN-1&product_key=Q", "_key").await, "q1");
    assert_eq!(column(&service, &token, "/serial-code?serial_code=sn-1&product_key=P", "_key").await, "p1");
    assert_eq!(column(&service, &token, "/serial-code?serial_code=SN&product_key=P", "_key").await, "");
}

#[tokio::test]
async fn only_serials_that_are_exactly_not_deleted_are_found_by_code() {
    let (service, token) = codes().await;
    assert_eq!(column(&service, &token, "/serial-code?serial_code=SN-2", "_key").await, "");
    assert_eq!(column(&service, &token, "/serial-code?serial_code=SN-3", "_key").await, "");
}

#[tokio::test]
async fn a_code_is_free_unless_another_serial_of_the_product_has_it() {
    let (service, token) = codes().await;
    let cases = [
        ("", true),
        ("?product_key=P", true),
        ("?serial_code=SN-1&product_key=P", false),
        ("?serial_code=%20sn-1&product_key=P", false),
        ("?serial_code=SN-1&product_key=P&serial_key=p1", true),
        ("?serial_code=SN-1&product_key=P&serial_key=p2", false),
        ("?serial_code=SN-1&product_key=S", true),
        ("?serial_code=SN-2&product_key=P", true),
        ("?serial_code=SN-3&product_key=P", false),
        ("?serial_code=SN-1", false),
        ("?serial_code=SN-9", true),
    ];
    for (query, expected) in cases {
        let (status, body) = service.get(&format!("/serial-code/verify-free{query}"), &token).await;
        assert_eq!((status.as_u16(), body), (200, json!(expected)), "{query}");
    }
}

/// Serials A1 (in use), A2 (replaced) and A3 of product P, D1 deleted, A0 without a product, U1 unreleased.
async fn choice() -> (Service, String) {
    let (service, token) = start().await;
    service.seed("Product", json!([{"_key": "P", "code": "PUMP", "description": "a pump"}])).await;
    let serial = |code: &str, product: &str, released: Value, deleted: Value| json!({"_key": code.to_lowercase(), "code": code, "product_key": product, "wo_key": "w", "released": released, "deleted": deleted});
    let time = json!("2026-05-04T08:00:00.000000+00:00");
    let serials = json!([
        serial("A3", "P", time.clone(), json!(false)),
        serial("A1", "P", time.clone(), json!(false)),
        serial("A2", "P", time.clone(), json!(false)),
        serial("D1", "P", time.clone(), json!("event")),
        serial("A0", "none", time, json!(false)),
        serial("U1", "P", Value::Null, json!(false)),
    ]);
    service.seed("Serial", serials).await;
    let links = json!([
        edge_with("Serial/u1", "Serial/a1", json!({"replaced": false})),
        edge_with("Serial/u1", "Serial/a2", json!({"replaced": true})),
    ]);
    service.seed("contains", links).await;
    let stock =
        |serial: &str, position: &str| edge_with("Product/P", position, json!({"serial_key": serial, "quantity": 1}));
    let records = json!([stock("a1", "Position/IN"), stock("a2", "Position/IN"), stock("a3", "Position/B")]);
    service.seed("is_in_position", records).await;
    service.seed("batch_serial", json!([edge("Batch/k", "Serial/a3"), edge("Batch/k", "Serial/u1")])).await;
    (service, token)
}

#[tokio::test]
async fn serials_to_choose_from_come_by_code_without_deleted_and_unreleased_ones() {
    let (service, token) = choice().await;
    let found = rows(&service, &token, "/serial-selection").await;
    let seen: Vec<Value> = found.iter().map(|row| json!([row["code"], row["used"], row["available"]])).collect();
    assert_eq!(json!(seen), json!([["A1", true, false], ["A2", false, true], ["A3", false, true]]));
    assert_eq!((&found[0]["product_code"], &found[0]["product_description"]), (&json!("PUMP"), &json!("a pump")));
    assert_eq!(found[0]["_id"], "Serial/a1");
}

#[tokio::test]
async fn serials_to_choose_from_meet_every_condition() {
    let (service, token) = choice().await;
    let cases = [
        ("include_unreleased=true", "A1 A2 A3 U1"),
        ("free_only=true", "A2 A3"),
        ("inventory_only=true", "A2 A3"),
        ("inventory_only=true&inventory_in_position_key=B", "A3"),
        ("search=a2", "A2"),
        ("search=.", ""),
        ("batch_key=k", "A3"),
        ("batch_key=k&include_unreleased=true", "A3 U1"),
        ("batch_key=no", ""),
        ("wo_key=w", "A1 A2 A3"),
        ("wo_key=no", ""),
        ("product_key=P", "A1 A2 A3"),
        ("product_key=Q", ""),
        ("free_only=true&search=3", "A3"),
    ];
    for (query, expected) in cases {
        assert_eq!(column(&service, &token, &format!("/serial-selection?{query}"), "code").await, expected, "{query}");
    }
    let elsewhere = rows(&service, &token, "/serial-selection?inventory_in_position_key=B").await;
    assert_eq!(elsewhere.iter().map(|row| row["available"] == true).collect::<Vec<_>>(), [false, false, true]);
}

#[tokio::test]
async fn a_hundred_serials_are_offered_unless_asked_otherwise() {
    let (service, token) = choice().await;
    let serial =
        |number: usize| json!({"code": format!("Z{number}"), "product_key": "P", "released": "2026", "deleted": false});
    service.seed("Serial", (0..120).map(serial).collect()).await;
    assert_eq!(rows(&service, &token, "/serial-selection?search=z").await.len(), 100);
    assert_eq!(rows(&service, &token, "/serial-selection?search=z&limit=110").await.len(), 110);
}

#[tokio::test]
async fn serials_without_a_product_are_dropped_after_the_limit() {
    let (service, token) = choice().await;
    assert_eq!(column(&service, &token, "/serial-selection?limit=1", "code").await, "");
    assert_eq!(column(&service, &token, "/serial-selection?limit=2", "code").await, "A1");
    assert_eq!(column(&service, &token, "/serial-selection?limit=", "code").await, "A1 A2 A3");
    for query in ["limit=0", "limit=10001", "limit=x", "free_only=maybe"] {
        assert_eq!(service.get(&format!("/serial-selection?{query}"), &token).await.0, 422, "{query}");
    }
}
