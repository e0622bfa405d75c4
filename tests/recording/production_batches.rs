//! Data of steps and components before they are final.

use reqwest::Method;
use serde_json::{Value, json};

use crate::production_support::{Plant, column};

/// A plant with an order of a traced product, whose job has the active batch `b` with the units `u1` and `u2`; free components
/// `c1`, `c2`, `c3` of product `C`, and a second batch `b2`.
async fn at_work() -> (Plant, String) {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("T", 2.0).await;
    let batch = |key: &str| json!({"_key": key, "job_key": jobs[0], "phase_key": "t1", "work_order_key": order_key, "active": true, "canceled": null, "qt_total": 2});
    plant.service.seed("Batch", json!([batch("b"), batch("b2")])).await;
    let members =
        json!({"stage": "started", "active_batch_key": "b", "active_batch_qt": 2, "last_work_session_started": "s"});
    plant.change("Job", &jobs[0], members).await;
    let serial = |key: &str, product: &str, deleted: Value| json!({"_key": key, "code": key.to_uppercase(), "product_key": product, "deleted": deleted});
    let serials = json!([
        serial("u1", "T", json!(false)),
        serial("u2", "T", json!(false)),
        serial("c1", "C", json!(false)),
        serial("c2", "C", json!(false)),
        serial("c3", "C", json!(false)),
        serial("away", "C", json!("event")),
    ]);
    plant.service.seed("Serial", serials).await;
    let unit = |key: &str| json!({"_key": key, "_from": "Batch/b", "_to": format!("Serial/{key}")});
    plant.service.seed("batch_serial", json!([unit("u1"), unit("u2")])).await;
    (plant, jobs[0].clone())
}

async fn store(plant: &Plant, body: Value) -> (u16, Value) {
    plant.call(Method::POST, "/batch/temp-data", body).await
}

fn value(field: &str, value: i64) -> Value {
    json!({"form_field_key": field, "value": value})
}

#[tokio::test]
async fn the_data_of_a_step_is_kept_until_it_is_done() {
    let (plant, job_key) = at_work().await;
    let (status, answer) =
        store(&plant, json!({"batch_key": "b", "step_key": "s1", "form_data": [value("f1", 1), value("other", 9)]}))
            .await;
    assert_eq!((status, &answer["message"]), (200, &json!("Step data stored")), "{answer}");
    let record_key = answer["detail"]["execution_record_key"].as_str().unwrap().to_owned();
    let record = plant.stored("StepExecutionData", &record_key).await;
    let entry =
        |field: &str, value: Value| json!({"form_field_key": field, "custom_field_key": "width", "value": value});
    assert_eq!(record["form_data"], json!([entry("f1", json!(1)), entry("f2", Value::Null)]));
    assert_eq!(
        (&record["job_key"], &record["user_key"], &record["work_session_key"]),
        (&json!(job_key), &json!("planner"), &json!("s"))
    );
    assert_eq!((&record["status"], &record["completed"]), (&json!("to_do"), &Value::Null));
    let (_, answer) =
        store(&plant, json!({"execution_record_key": record_key, "form_data": [value("f2", 2), value("other", 9)]}))
            .await;
    assert_eq!(answer["detail"]["execution_record_key"], json!(record_key));
    store(&plant, json!({"batch_key": "b", "step_key": "s1", "form_data": [value("f2", 3)]})).await;
    let records = plant.documents("StepExecutionData").await;
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["form_data"], json!([entry("f1", json!(1)), entry("f2", json!(3))]), "others stay");
    let shown = plant.get("/batch/b").await["detail"]["step_data"][0].clone();
    assert_eq!((&shown["done"], &shown["execution_record_key"]), (&json!(false), &json!(record_key)));
}

#[tokio::test]
async fn data_of_a_step_that_cannot_be_kept_is_refused_with_a_text() {
    let (plant, _) = at_work().await;
    plant
        .service
        .seed(
            "StepExecutionData",
            json!([{"_key": "done", "batch_key": "b", "step_key": "s2", "status": "done", "canceled": null}]),
        )
        .await;
    let data = json!([value("f1", 1)]);
    for (body, expected) in [
        (json!({"form_data": data}), 422),
        (json!({"batch_key": "b", "form_data": data}), 422),
        (json!({"batch_key": "b", "step_key": "s1", "form_data": []}), 422),
        (json!({"batch_key": "b", "step_key": "s1"}), 422),
        (json!({"batch_key": "unknown", "step_key": "s1", "form_data": data}), 404),
        (json!({"execution_record_key": "unknown", "form_data": data}), 404),
        (json!({"execution_record_key": "done", "batch_key": "b2", "form_data": data}), 422),
        (json!({"execution_record_key": "done", "step_key": "s1", "form_data": data}), 422),
        (json!({"batch_key": "b", "step_key": "p1", "form_data": data}), 422),
        (json!({"batch_key": "b", "step_key": "s2", "form_data": data}), 422),
        (json!({"execution_record_key": "done", "form_data": data}), 422),
    ] {
        let (status, answer) = store(&plant, body.clone()).await;
        assert_eq!(status, expected, "{body}: {answer}");
        assert!(answer["detail"].is_string(), "{answer}");
    }
    for state in [json!({"active": false}), json!({"active": true, "canceled": "event"})] {
        plant.change("Batch", "b", state).await;
        assert_eq!(store(&plant, json!({"batch_key": "b", "step_key": "s1", "form_data": data})).await.0, 409);
    }
    assert_eq!(plant.documents("StepExecutionData").await.len(), 1);
}

#[tokio::test]
async fn two_who_begin_a_step_at_once_make_one_record_with_both_values() {
    let (plant, _) = at_work().await;
    let body =
        |field: &str, number: i64| json!({"batch_key": "b", "step_key": "s1", "form_data": [value(field, number)]});
    let (one, two) = tokio::join!(store(&plant, body("f1", 1)), store(&plant, body("f2", 2)));
    assert_eq!((one.0, two.0), (200, 200));
    let records = plant.documents("StepExecutionData").await;
    assert_eq!(records.len(), 1);
    assert_eq!(column(&records[0]["form_data"], "value"), ["1", "2"]);
}

async fn link(plant: &Plant, links: Value) -> (u16, Value) {
    plant.call(Method::PUT, "/batch/b/serial-temp-links", links).await
}

fn of(child: &str, parent: &str) -> Value {
    json!({"child_serial_key": child, "parent_serial_key": parent, "batch_key": "b", "confirmed": false})
}

async fn edges(plant: &Plant) -> Vec<String> {
    let mut edges: Vec<String> = plant
        .documents("contains")
        .await
        .iter()
        .map(|edge| {
            format!("{} {} {}", edge["_from"].as_str().unwrap(), edge["_to"].as_str().unwrap(), edge["confirmed"])
        })
        .collect();
    edges.sort();
    edges
}

#[tokio::test]
async fn components_are_linked_to_the_batch_or_to_its_units_and_replace_each_other() {
    let (plant, job_key) = at_work().await;
    let (status, answer) = link(&plant, json!([of("c1", "components"), of("c2", "components")])).await;
    assert_eq!(
        (status, &answer["message"], &answer["detail"]),
        (200, &json!("Temporary serial links updated successfully"), &Value::Null),
        "{answer}"
    );
    assert_eq!(edges(&plant).await, ["Batch/b Serial/c1 false", "Batch/b Serial/c2 false"]);
    let edge = plant.documents("contains").await.remove(0);
    assert_eq!(
        (&edge["component_key"], &edge["phase_key"], &edge["job_key"]),
        (&json!("C"), &json!("t1"), &json!(job_key))
    );
    assert_eq!(
        link(&plant, json!([of("c1", "u1"), {"_from": "Serial/u2", "_to": "Serial/c3"}])).await.0,
        200,
        "{answer}"
    );
    assert_eq!(edges(&plant).await, ["Serial/u1 Serial/c1 false", "Serial/u2 Serial/c3 false"]);
    assert_eq!(link(&plant, json!([of("c1", "u2")])).await.0, 200, "what is not confirmed moves");
    assert_eq!(edges(&plant).await, ["Serial/u2 Serial/c1 false"]);
    assert_eq!(link(&plant, json!([])).await.0, 200);
    assert_eq!(edges(&plant).await, [""; 0]);
}

#[tokio::test]
async fn confirmed_links_stay_and_are_not_doubled() {
    let (plant, _) = at_work().await;
    let confirmed = json!({"_key": "k", "_from": "Serial/u1", "_to": "Serial/c1", "batch_key": "b", "confirmed": true, "replaced": false});
    plant.service.seed("contains", json!([confirmed])).await;
    assert_eq!(link(&plant, json!([of("c2", "u2")])).await.0, 200);
    assert_eq!(link(&plant, json!([of("c1", "u1"), of("c3", "u2")])).await.0, 200);
    assert_eq!(edges(&plant).await, ["Serial/u1 Serial/c1 true", "Serial/u2 Serial/c3 false"]);
    let (status, answer) = link(&plant, json!([of("c1", "u2")])).await;
    assert!(status == 409 && answer["detail"].as_str().unwrap().contains("C1"), "{answer}");
    assert_eq!(link(&plant, json!([])).await.0, 200);
    assert_eq!(edges(&plant).await, ["Serial/u1 Serial/c1 true"]);
}

#[tokio::test]
async fn links_that_cannot_be_are_refused_with_a_text_and_nothing_is_stored() {
    let (plant, _) = at_work().await;
    let elsewhere = json!({"_key": "e", "_from": "Serial/u9", "_to": "Serial/c2", "batch_key": "other", "confirmed": false, "replaced": false});
    plant.service.seed("contains", json!([elsewhere])).await;
    let before = edges(&plant).await;
    let (status, answer) = link(&plant, json!([of("c1", "u1"), of("c3", "components")])).await;
    assert!(status == 422 && answer["detail"].as_str().unwrap().starts_with("Mixed parent links"), "{answer}");
    let with = |mut link: Value, name: &str, value: Value| {
        link[name] = value;
        json!([link])
    };
    for (links, expected) in [
        (json!([of("c1", "u1"), of("c1", "u2")]), 422),
        (json!([of("unknown", "u1")]), 404),
        (json!([of("away", "u1")]), 404),
        (json!([of("c1", "unknown")]), 404),
        (with(of("c1", "u1"), "confirmed", json!(true)), 403),
        (with(of("c1", "u1"), "batch_key", json!("b2")), 403),
        (json!([of("c1", "c3")]), 422),
        (with(of("c1", "u1"), "component_key", json!("N")), 422),
        (json!([of("c2", "u1")]), 409),
    ] {
        let (status, answer) = link(&plant, links.clone()).await;
        assert_eq!(status, expected, "{links}: {answer}");
        assert!(answer["detail"].is_string(), "{answer}");
    }
    assert_eq!(link(&plant, json!([{"parent_serial_key": "u1"}])).await.0, 422);
    assert_eq!(plant.call(Method::PUT, "/batch/unknown/serial-temp-links", json!([])).await.0, 404);
    assert_eq!(edges(&plant).await, before);
    plant.change("Batch", "b", json!({"active": false})).await;
    assert_eq!(link(&plant, json!([of("c1", "u1")])).await.0, 409);
}

#[tokio::test]
async fn of_two_lists_at_once_one_is_there_as_a_whole() {
    let (plant, _) = at_work().await;
    for _ in 0..10 {
        let (one, two) = tokio::join!(
            link(&plant, json!([of("c1", "u1"), of("c2", "u2")])),
            link(&plant, json!([of("c2", "u1"), of("c3", "u2")]))
        );
        assert_eq!((one.0, two.0), (200, 200));
        let found = edges(&plant).await;
        let first = ["Serial/u1 Serial/c1 false", "Serial/u2 Serial/c2 false"];
        let second = ["Serial/u1 Serial/c2 false", "Serial/u2 Serial/c3 false"];
        assert!(found == first || found == second, "{found:?}");
    }
}

#[tokio::test]
async fn who_only_reads_writes_neither_data_nor_links() {
    let (plant, _) = at_work().await;
    for scope in ["reporting", "traceability"] {
        let token = plant.service.token("r", scope).await;
        let body = json!({"batch_key": "b", "step_key": "s1", "form_data": [value("f1", 1)]});
        let (status, answer) = plant.call_as(&token, Method::POST, "/batch/temp-data", body).await;
        assert_eq!(
            (status, &answer["detail"]["required_scope"]),
            (403, &json!("traceability:batch-execution-record:write"))
        );
        assert_eq!(plant.call_as(&token, Method::PUT, "/batch/b/serial-temp-links", json!([])).await.0, 403);
        assert_eq!(plant.call_as(&token, Method::GET, "/batch/b", Value::Null).await.0, 200);
    }
    let operator = plant.service.token("ada", "operator").await;
    assert_eq!(plant.call_as(&operator, Method::PUT, "/batch/b/serial-temp-links", json!([])).await.0, 200);
    assert!(plant.documents("StepExecutionData").await.is_empty());
}
