//! Planning beside what is recorded on the shop floor.

use reqwest::Method;
use serde_json::{Value, json};

use crate::production_support::Plant;

async fn record(plant: &Plant, token: &str, event_type: &str, members: Value) -> (u16, Value) {
    let mut event = json!({"event_type": event_type});
    event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    plant.call_as(token, Method::POST, "/event", event).await
}

#[tokio::test]
async fn either_the_start_of_a_job_or_the_deletion_of_its_order_wins() {
    let plant = Plant::open().await;
    let ada = plant.service.token("ada", "operator").await;
    for _ in 0..10 {
        let (order_key, jobs) = plant.order("N", 5.0).await;
        let assign = json!([{"action": "update", "data": {"_key": jobs[0], "assigned_to": "ada"}}]);
        plant.ok(Method::POST, "/job/update", assign).await;
        let path = format!("/work-order/{order_key}");
        let (deleted, started) = tokio::join!(
            plant.call(Method::DELETE, &path, Value::Null),
            record(&plant, &ada, "JOB_STARTED", json!({"job_key": jobs[0]}))
        );
        let batches =
            plant.documents("Batch").await.into_iter().filter(|batch| batch["work_order_key"] == *order_key).count();
        let is_there = !plant.stored("WorkOrder", &order_key).await.is_null();
        match (deleted.0, started.0) {
            (200, 422) => assert_eq!((is_there, batches), (false, 0)),
            (403, 200) => assert_eq!((is_there, batches), (true, 1)),
            other => panic!("{other:?}: {} {}", deleted.1, started.1),
        }
        assert_eq!(plant.site_queue().await.contains(&order_key), is_there);
    }
}

#[tokio::test]
async fn the_event_has_the_same_effect_as_the_operation() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 5.0).await;
    let event = |members: Value| {
        let mut event = json!({"event_type": "WORK_ORDER_UPDATED", "work_order_key": order_key});
        event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        event
    };
    let body = event(json!({"new_project_code": "X", "new_bom": [{"component_key": "C", "qt": 3}]}));
    let answer = plant.ok(Method::POST, "/event", body).await;
    assert_eq!(
        (&answer["detail"]["project_code"], &answer["detail"]["wo_bom"][0]["phase_key"]),
        (&json!("X"), &json!("p3"))
    );
    assert_eq!(plant.stored("Job", &jobs[1]).await["project_code"], "X");
    let events = plant.events("WORK_ORDER_UPDATED").await;
    assert_eq!((events.len(), &events[0]["new_project_code"], &events[0]["primary"]), (1, &json!("X"), &json!(true)));
    for body in [event(json!({"new_output_position_key": "gone"})), event(json!({"work_order_key": "unknown"}))] {
        let (status, answer) = plant.call(Method::POST, "/event", body).await;
        assert_eq!((status, &answer["detail"]["error_type"]), (422, &json!("ValueError")), "{answer}");
    }
    let operator = plant.service.token("ada", "operator").await;
    let (status, answer) = plant.call_as(&operator, Method::POST, "/event", event(json!({"notes": "x"}))).await;
    assert_eq!((status, &answer["detail"]["required_scope"]), (403, &json!("production:work-order:update")));
}
