//! Planning beside what is recorded on the shop floor.

use reqwest::Method;
use serde_json::{Value, json};

use crate::production_support::{Plant, column};

async fn record(plant: &Plant, token: &str, event_type: &str, members: Value) -> (u16, Value) {
    let mut event = json!({"event_type": event_type});
    event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    plant.call_as(token, Method::POST, "/event", event).await
}

/// An order of a product with steps whose job `ada` has begun: their keys and that of the batch.
async fn begun(plant: &Plant, token: &str) -> (String, String, String) {
    plant.change("Product", "T", json!({"traceability_level": null})).await;
    let (order_key, jobs) = plant.order("T", 5.0).await;
    let assign = json!([{"action": "update", "data": {"_key": jobs[0], "assigned_to": "ada"}}]);
    plant.ok(Method::POST, "/job/update", assign).await;
    let (status, answer) = record(plant, token, "JOB_STARTED", json!({"job_key": jobs[0]})).await;
    assert_eq!(status, 200, "{answer}");
    let batch_key = answer["detail"]["job_data"]["active_batch_key"].as_str().unwrap().to_owned();
    (order_key, jobs[0].clone(), batch_key)
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
async fn signs_of_life_and_completed_steps_do_not_hinder_each_other() {
    let plant = Plant::open().await;
    let ada = plant.service.token("ada", "operator").await;
    let (_, job_key, batch_key) = begun(&plant, &ada).await;
    let beat = format!("/job/{job_key}/heartbeat");
    for number in 0..200 {
        let form_data = json!([{"form_field_key": "f1", "value": number}, {"form_field_key": "f2", "value": 1}]);
        let members = json!({"batch_key": batch_key, "step_key": "s1", "form_data": form_data});
        let (alive, recorded) = tokio::join!(
            plant.call_as(&ada, Method::POST, &beat, Value::Null),
            record(&plant, &ada, "STEP_COMPLETED", members)
        );
        assert_eq!((alive.0, recorded.0), (200, 200), "{} {}", alive.1, recorded.1);
    }
    let records = plant.documents("StepExecutionData").await;
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["form_data"][0]["value"], 199);
    assert!(plant.stored("Job", &job_key).await["last_online"].is_string());
}

#[tokio::test]
async fn completing_a_step_overwrites_the_data_kept_before_and_a_forced_deletion_takes_it() {
    let plant = Plant::open().await;
    let ada = plant.service.token("ada", "operator").await;
    let (order_key, _, batch_key) = begun(&plant, &ada).await;
    let kept = json!({"batch_key": batch_key, "step_key": "s1", "form_data": [{"form_field_key": "f1", "value": 1}]});
    plant.ok(Method::POST, "/batch/temp-data", kept.clone()).await;
    let members =
        json!({"batch_key": batch_key, "step_key": "s1", "form_data": [{"form_field_key": "f1", "value": 2}]});
    let (status, answer) = record(&plant, &ada, "STEP_COMPLETED", members).await;
    assert_eq!(status, 200, "{answer}");
    let records = plant.documents("StepExecutionData").await;
    assert_eq!(column(&records.clone().into(), "status"), ["done"]);
    assert_eq!(records[0]["form_data"][0]["value"], 2);
    let (status, _) = plant.call(Method::POST, "/batch/temp-data", kept).await;
    assert_eq!(status, 422, "the step is done");
    let admin = plant.service.token("admin", "admin").await;
    let path = format!("/force-delete-work-order/{order_key}");
    assert_eq!(plant.call_as(&admin, Method::DELETE, &path, Value::Null).await.0, 200);
    assert!(plant.documents("StepExecutionData").await.is_empty());
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
