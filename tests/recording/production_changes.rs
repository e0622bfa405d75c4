//! Changes of work orders and their jobs.

use reqwest::Method;
use serde_json::{Value, json};

use crate::production_support::{Plant, column, key, texts};

async fn patch(plant: &Plant, order_key: &str, body: Value) -> (u16, Value) {
    plant.call(Method::PATCH, &format!("/work-order/{order_key}"), body).await
}

async fn quantities(plant: &Plant, order_key: &str, body: Value) -> (u16, Value) {
    plant.call(Method::PATCH, &format!("/work-order/{order_key}/update-quantities"), body).await
}

async fn update(plant: &Plant, updates: Value) -> (u16, Value) {
    plant.call(Method::POST, "/job/update", updates).await
}

/// Jobs of an order as if their whole quantity had been made, and the order closed.
async fn close_order(plant: &Plant, order_key: &str, jobs: &[String], quantity: f64) {
    for job_key in jobs {
        let done =
            json!({"qt_completed": quantity, "qt_released": quantity, "stage": "started", "start": "2026-01-01"});
        plant.change("Job", job_key, done).await;
        let closing = json!([{"action": "close", "data": {"_key": job_key}}]);
        let (status, answer) = update(plant, closing).await;
        assert_eq!(status, 200, "{answer}");
    }
    assert_eq!(plant.stored("WorkOrder", order_key).await["status"], "closed");
}

#[tokio::test]
async fn what_is_absent_or_null_stays_and_nothing_is_recorded_of_an_empty_change() {
    let plant = Plant::open().await;
    let (order_key, _) = plant.order("P", 5.0).await;
    let before = plant.stored("WorkOrder", &order_key).await;
    let (status, answer) = patch(&plant, &order_key, json!({"notes": "mind"})).await;
    assert_eq!((status, &answer["detail"]["notes"], &answer["message"]), (200, &json!("mind"), &Value::Null));
    assert_eq!(plant.events("WORK_ORDER_UPDATED").await.len(), 1);
    let nulls = json!({"new_due_date": null, "new_from_date": null, "new_project_code": null, "notes": null,
        "new_output_position_key": null, "new_bom": null});
    for body in [nulls, json!({}), Value::Null] {
        let (status, answer) = patch(&plant, &order_key, body).await;
        assert_eq!((status, &answer["detail"]["notes"]), (200, &json!("mind")));
        assert_eq!(answer["detail"]["wo_bom"], before["wo_bom"]);
    }
    assert_eq!(plant.events("WORK_ORDER_UPDATED").await.len(), 1);
}

#[tokio::test]
async fn project_and_dates_change_on_the_order_and_every_job_and_an_empty_text_clears_them() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 5.0).await;
    let body = json!({"new_project_code": "X", "new_due_date": "2026-06-01", "new_from_date": "2026-05-01T06:00:00Z"});
    assert_eq!(patch(&plant, &order_key, body).await.0, 200);
    let members = |document: Value| ["project_code", "due_by", "start_from"].map(|name| document[name].clone());
    let expected = [json!("X"), json!("2026-06-01"), json!("2026-05-01T06:00:00.000000+00:00")];
    assert_eq!(members(plant.stored("WorkOrder", &order_key).await), expected);
    for job_key in &jobs {
        assert_eq!(members(plant.stored("Job", job_key).await), expected);
    }
    let events = plant.events("WORK_ORDER_UPDATED").await;
    assert_eq!((&events[0]["work_order_key"], &events[0]["new_project_code"]), (&json!(order_key), &json!("X")));
    assert_eq!(patch(&plant, &order_key, json!({"new_project_code": "", "new_due_date": ""})).await.0, 200);
    let cleared = [Value::Null, Value::Null, expected[2].clone()];
    assert_eq!(members(plant.stored("WorkOrder", &order_key).await), cleared);
    assert_eq!(members(plant.stored("Job", &jobs[2]).await), cleared);
    assert_eq!(patch(&plant, &order_key, json!({"new_due_date": "soon"})).await.0, 422);
}

#[tokio::test]
async fn an_empty_bill_of_materials_empties_it_alone_and_counts_for_nothing_beside_others() {
    let plant = Plant::open().await;
    let (order_key, _) = plant.order("P", 5.0).await;
    let (_, answer) = patch(&plant, &order_key, json!({"new_bom": [], "new_due_date": "2026-06-01"})).await;
    assert_eq!(answer["detail"]["wo_bom"].as_array().unwrap().len(), 1);
    let (_, answer) = patch(&plant, &order_key, json!({"new_bom": [], "new_output_position_key": "A"})).await;
    assert_eq!((&answer["detail"]["wo_bom"], &answer["detail"]["output_position_key"]), (&json!([]), &json!("A")));
    let line = json!({"component_key": "C", "component_code": "sent", "qt": 4, "extra": 7, "table_key": 1});
    let (_, answer) = patch(&plant, &order_key, json!({"new_bom": [line]})).await;
    let line = &answer["detail"]["wo_bom"][0];
    assert_eq!((&line["component_code"], &line["phase_key"], &line["extra"]), (&json!("CAP"), &json!("p3"), &json!(7)));
    let (_, answer) = patch(&plant, &order_key, json!({"new_output_position_key": ""})).await;
    assert_eq!(answer["detail"]["output_position_key"], "IN");
    for body in [json!({"new_bom": [{"component_key": "x", "qt": 1}]}), json!({"new_output_position_key": "gone"})] {
        assert_eq!(patch(&plant, &order_key, body).await.0, 422);
    }
}

#[tokio::test]
async fn a_closed_order_keeps_its_bill_of_materials_and_an_unknown_one_is_404() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("N", 5.0).await;
    close_order(&plant, &order_key, &jobs, 5.0).await;
    let bom = json!({"new_bom": [{"component_key": "C", "qt": 1}]});
    let (status, answer) = patch(&plant, &order_key, bom.clone()).await;
    assert!(status == 409 && answer["detail"]["message"].is_string(), "{answer}");
    assert_eq!(patch(&plant, &order_key, json!({"notes": "late"})).await.0, 200);
    for body in [bom, json!({})] {
        assert_eq!(patch(&plant, "unknown", body).await.0, 404);
    }
}

#[tokio::test]
async fn a_change_of_quantities_is_checked_in_form() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 5.0).await;
    let (other, _) = plant.order("P", 5.0).await;
    let wrong =
        |action: &str, data: Value| json!({"new_quantity": 5, "job_updates": [{"action": action, "data": data}]});
    for body in [
        json!({"job_updates": []}),
        json!({"new_quantity": 5}),
        json!({"new_quantity": 0, "job_updates": []}),
        wrong("insert", json!({"qt_planned": 5})),
        wrong("insert", json!({"phase_key": "p1", "qt_planned": 5, "work_order_key": other})),
        wrong("update", json!({"_key": jobs[0]})),
        wrong("update", json!({"qt_planned": 5})),
        wrong("close", json!({})),
        wrong("other", json!({"_key": jobs[0]})),
    ] {
        assert_eq!(quantities(&plant, &order_key, body.clone()).await.0, 422, "{body}");
    }
    let extra = json!({"action": "insert", "data": {"phase_key": "p1", "qt_planned": 1}});
    let (status, answer) =
        quantities(&plant, &order_key, json!({"new_quantity": 5, "job_updates": [extra], "wo_key": "x"})).await;
    assert_eq!(status, 200, "{answer}");
    let close = json!({"action": "close", "data": {"_key": jobs[0]}});
    let (status, answer) = quantities(&plant, &order_key, json!({"new_quantity": 5, "job_updates": [close]})).await;
    assert_eq!(status, 200, "closing needs no quantity: {answer}");
}

#[tokio::test]
async fn a_raised_quantity_is_planned_and_progress_follows() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 10.0).await;
    plant.change("Job", &jobs[0], json!({"qt_completed": 10, "qt_released": 10, "stage": "started"})).await;
    let updates: Vec<Value> =
        jobs.iter().map(|key| json!({"action": "update", "data": {"_key": key, "qt_planned": 15}})).collect();
    let (status, answer) = quantities(&plant, &order_key, json!({"new_quantity": 15, "job_updates": updates})).await;
    assert_eq!((status, &answer["detail"]["qt_planned"]), (200, &json!(15)), "{answer}");
    assert_eq!(plant.stored("Job", &jobs[0]).await["progress"], 67);
    assert_eq!((&answer["detail"]["progress"], &answer["detail"]["status"]), (&json!(22), &json!("started")));
    let events = plant.events("WORK_ORDER_UPDATED").await;
    assert_eq!(events[0]["new_quantity"], 15);
    assert_eq!(plant.events("WORK_ORDER_STARTED").await[0]["primary"], false);
}

#[tokio::test]
async fn raising_a_closed_order_opens_it_again_and_queues_it_once() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("N", 5.0).await;
    plant.change("Job", &jobs[0], json!({"assigned_to": "ada"})).await;
    close_order(&plant, &order_key, &jobs, 5.0).await;
    assert_eq!(plant.site_queue().await, [""; 0]);
    let raise =
        json!({"new_quantity": 8, "job_updates": [{"action": "update", "data": {"_key": jobs[0], "qt_planned": 8}}]});
    for _ in 0..2 {
        let (status, answer) = quantities(&plant, &order_key, raise.clone()).await;
        assert_eq!(
            (status, &answer["detail"]["status"], &answer["detail"]["end"]),
            (200, &json!("started"), &Value::Null)
        );
    }
    let job = plant.stored("Job", &jobs[0]).await;
    assert_eq!(
        (&job["stage"], &job["end"], &job["next_batch_available"]),
        (&json!("started"), &Value::Null, &json!(true))
    );
    assert_eq!(plant.site_queue().await, [order_key]);
    assert_eq!(plant.queue_of("ada").await, jobs);
    assert!(plant.events("WORK_ORDER_STARTED").await.len() <= 1, "opening again is no start");
}

#[tokio::test]
async fn a_quantity_lowered_to_what_is_completed_closes_the_job_and_none_goes_below_what_is_made() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 10.0).await;
    let done = json!({"qt_completed": 4, "qt_released": 4, "stage": "started", "start": "2026-01-01"});
    plant.change("Job", &jobs[0], done).await;
    let lower = |quantity: f64| json!([{"action": "update", "data": {"_key": jobs[0], "qt_planned": quantity}}]);
    plant.change("Job", &jobs[0], json!({"active_batch_key": "b", "active_batch_qt": 2})).await;
    let before = plant.stored("Job", &jobs[0]).await;
    assert_eq!(update(&plant, lower(5.0)).await.0, 409);
    assert_eq!(plant.stored("Job", &jobs[0]).await, before);
    plant.change("Job", &jobs[0], json!({"active_batch_key": null, "active_batch_qt": 0})).await;
    let (status, answer) = update(&plant, lower(3.0)).await;
    assert_eq!(status, 200, "{answer}");
    let job = &answer["detail"][0];
    assert_eq!((&job["stage"], &job["qt_planned"], &job["progress"]), (&json!("closed"), &json!(4), &json!(100)));
    assert_eq!((&job["next_batch_available"], &job["notes"]), (&Value::Null, &json!("Job closed")));
    let closed = plant.events("JOB_CLOSED").await;
    assert_eq!((&closed[0]["job_key"], &closed[0]["completed_qt"]), (&json!(jobs[0]), &json!(4)));
    plant.change("WorkOrder", &order_key, json!({"qt_completed": 6})).await;
    assert_eq!(quantities(&plant, &order_key, json!({"new_quantity": 5, "job_updates": []})).await.0, 409);
}

#[tokio::test]
async fn a_job_of_another_order_is_404_and_nothing_changes() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 5.0).await;
    let (_, others) = plant.order("P", 5.0).await;
    let before = plant.documents("Job").await;
    let updates = json!([
        {"action": "update", "data": {"_key": jobs[0], "qt_planned": 9}},
        {"action": "update", "data": {"_key": others[0], "qt_planned": 9}},
    ]);
    let body = json!({"new_quantity": 9, "job_updates": updates});
    assert_eq!(quantities(&plant, &order_key, body.clone()).await.0, 404);
    assert_eq!(quantities(&plant, "unknown", body).await.0, 404);
    assert_eq!(plant.documents("Job").await, before);
}

#[tokio::test]
async fn an_order_that_nobody_began_is_deleted_with_its_jobs_and_leaves_the_queues() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 5.0).await;
    let (started, started_jobs) = plant.order("N", 5.0).await;
    let assign = json!([
        {"action": "update", "data": {"_key": jobs[0], "assigned_to": "ada"}},
        {"action": "update", "data": {"_key": started_jobs[0], "assigned_to": "ada"}},
    ]);
    assert_eq!(update(&plant, assign).await.0, 200);
    plant
        .service
        .seed("issue_rel", json!([{"_key": "i", "_from": "Issue/1", "_to": format!("Job/{}", jobs[0])}]))
        .await;
    plant.change("WorkOrder", &started, json!({"status": "started"})).await;
    let path = format!("/work-order/{order_key}");
    let answer = plant.ok(Method::DELETE, &path, Value::Null).await;
    assert_eq!((&answer["message"], &answer["detail"]), (&json!("Work order deleted correctly"), &Value::Null));
    assert_eq!(plant.stored("WorkOrder", &order_key).await, Value::Null);
    assert_eq!(plant.documents("Job").await.len(), 1);
    assert!(plant.documents("issue_rel").await.is_empty());
    assert_eq!(plant.site_queue().await, [started.as_str()]);
    assert_eq!(plant.queue_of("ada").await, started_jobs);
    let events = plant.events("QUEUE_UPDATED").await;
    assert_eq!(events[0]["work_order_key"], json!(order_key));
    assert!(events[0]["queue_key"].is_string());
    assert_eq!(plant.call(Method::DELETE, &path, Value::Null).await.0, 404);
    let (status, answer) = plant.call(Method::DELETE, &format!("/work-order/{started}"), Value::Null).await;
    assert_eq!((status, &answer["detail"]["status"]), (403, &json!(403)));
}

#[tokio::test]
async fn canceled_batches_go_with_their_order_and_what_was_recorded_stays() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("T", 1.0).await;
    let batch = json!({"_key": "b", "job_key": jobs[0], "work_order_key": order_key, "canceled": null});
    plant.service.seed("Batch", json!([batch])).await;
    plant
        .service
        .seed("StepExecutionData", json!([{"_key": "r", "job_key": jobs[0], "batch_key": "b", "canceled": "e"}]))
        .await;
    plant
        .service
        .seed("WorkSession", json!([{"_key": "s", "job_key": jobs[0], "work_order_key": order_key, "canceled": "e"}]))
        .await;
    plant.service.seed("Serial", json!([{"_key": "n", "code": "N", "deleted": "e"}])).await;
    plant.service.seed("batch_serial", json!([{"_key": "l", "_from": "Batch/b", "_to": "Serial/n"}])).await;
    plant
        .service
        .seed("wip", json!([{"_key": "p", "_from": "Phase/t1", "_to": "Phase/t2", "wo_key": order_key}]))
        .await;
    let path = format!("/work-order/{order_key}");
    assert_eq!(plant.call(Method::DELETE, &path, Value::Null).await.0, 403, "a batch is not canceled");
    plant.change("Batch", "b", json!({"canceled": "e"})).await;
    plant.ok(Method::DELETE, &path, Value::Null).await;
    for collection in ["Batch", "StepExecutionData", "WorkSession", "batch_serial", "wip", "Job", "WorkOrder"] {
        assert!(plant.documents(collection).await.is_empty(), "{collection}");
    }
    assert_eq!(plant.documents("Serial").await.len(), 1);
    assert_eq!(plant.events("WORK_ORDER_CREATED").await.len(), 1);
}

#[tokio::test]
async fn a_new_job_counts_the_free_work_in_progress_of_its_phase() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 10.0).await;
    plant
        .change("Job", &jobs[1], json!({"next_batch_available": true, "parameters": {"production_batch_qt": 4}}))
        .await;
    let insert = || json!([{"action": "insert", "data": {"work_order_key": order_key, "phase_key": "p2", "qt_planned": 3, "notes": "more", "assigned_to": "ada"}}]);
    let (_, answer) = update(&plant, insert()).await;
    let job = &answer["detail"][0];
    assert_eq!(answer["message"], "Jobs updated successfully");
    assert_eq!(
        (&job["next_batch_available"], &job["notes"], &job["phase_alias"]),
        (&json!(false), &json!("more"), &json!("Phase p2"))
    );
    assert_eq!(job["parameters"]["production_batch_qt"], 4, "those of the other job of the phase");
    assert_eq!(plant.queue_of("ada").await, [key(job)]);
    plant
        .service
        .seed("wip", json!([{"_key": "w", "_from": "Phase/p1", "_to": "Phase/p2", "wo_key": order_key, "quantity": 3}]))
        .await;
    let (_, answer) = update(&plant, insert()).await;
    assert_eq!(answer["detail"][0]["next_batch_available"], true);
    assert_eq!(
        plant.stored("Job", &jobs[1]).await["next_batch_available"],
        false,
        "all jobs of the phase are computed"
    );
}

#[tokio::test]
async fn what_new_and_changed_jobs_name_must_be_there() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 10.0).await;
    let insert = |data: Value| json!([{"action": "insert", "data": data}]);
    let change = |data: Value| json!([{"action": "update", "data": data}]);
    for (body, expected) in [
        (insert(json!({"work_order_key": "unknown", "phase_key": "p1", "qt_planned": 1})), 404),
        (insert(json!({"work_order_key": order_key, "phase_key": "t1", "qt_planned": 1})), 422),
        (
            insert(json!({"work_order_key": order_key, "phase_key": "p1", "qt_planned": 1, "assigned_to": "former"})),
            422,
        ),
        (insert(json!({"work_order_key": order_key, "phase_key": "p1", "qt_planned": 0})), 422),
        (insert(json!({"phase_key": "p1", "qt_planned": 1})), 422),
        (change(json!({"_key": "unknown", "notes": "x"})), 404),
        (change(json!({"_key": jobs[0], "qt_planned": 0})), 422),
        (change(json!({"_key": jobs[0], "assigned_to": "former"})), 422),
        (change(json!({"_key": jobs[0], "due_by": "soon"})), 422),
        (change(json!({"notes": "x"})), 422),
        (json!([{"action": "close", "data": {"_key": "unknown"}}]), 404),
        (json!([{"action": "paint", "data": {"_key": jobs[0]}}]), 422),
    ] {
        let (status, answer) = update(&plant, body.clone()).await;
        assert_eq!(status, expected, "{body}: {answer}");
    }
    let (traced, traced_jobs) = plant.order("T", 2.0).await;
    for body in [
        change(json!({"_key": traced_jobs[0], "qt_planned": 1.5})),
        insert(json!({"work_order_key": traced, "phase_key": "t1", "qt_planned": 1.5})),
    ] {
        assert_eq!(update(&plant, body).await.0, 422);
    }
}

#[tokio::test]
async fn a_job_moves_from_queue_to_queue_and_members_change() {
    let plant = Plant::open().await;
    let (_, jobs) = plant.order("P", 10.0).await;
    let assign = |user: Value| json!([{"action": "update", "data": {"_key": jobs[0], "assigned_to": user}}]);
    assert_eq!(update(&plant, assign(json!("ada"))).await.0, 200);
    assert_eq!(plant.queue_of("ada").await, [jobs[0].as_str()]);
    assert_eq!(update(&plant, assign(json!("bob"))).await.0, 200);
    assert_eq!((plant.queue_of("ada").await, plant.queue_of("bob").await), (vec![], vec![jobs[0].clone()]));
    let (_, answer) = update(&plant, assign(Value::Null)).await;
    assert_eq!(answer["detail"][0]["assigned_to"], Value::Null);
    assert_eq!(plant.queue_of("bob").await, [""; 0]);
    let data = json!({"_key": jobs[1], "notes": "n", "start_from": "2026-05-01", "due_by": "2026-06-01",
        "parameters": {"max_offline": 7}, "extra": {"a": 1}, "stage": "closed"});
    let (_, answer) = update(&plant, json!([{"action": "update", "data": data}])).await;
    let job = &answer["detail"][0];
    assert_eq!(
        (&job["notes"], &job["start_from"], &job["due_by"]),
        (&json!("n"), &json!("2026-05-01"), &json!("2026-06-01"))
    );
    assert_eq!((&job["parameters"]["max_offline"], &job["parameters"]["production_batch_qt"]), (&json!(7), &json!(5)));
    assert_eq!((&job["extra"], &job["stage"]), (&json!({"a": 1}), &json!("created")), "other members are ignored");
    plant.change("Job", &jobs[0], json!({"active": true, "stage": "started"})).await;
    assert_eq!(update(&plant, assign(json!("ada"))).await.0, 409, "somebody works on it");
}

#[tokio::test]
async fn closing_a_job_that_nobody_began_removes_it_unless_it_is_the_only_one_of_its_phase() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 5.0).await;
    let insert = json!([{"action": "insert", "data": {"work_order_key": order_key, "phase_key": "p1", "qt_planned": 3, "assigned_to": "ada"}}]);
    let (_, answer) = update(&plant, insert).await;
    let second = key(&answer["detail"][0]);
    let close = |job_key: &str| json!([{"action": "close", "data": {"_key": job_key, "notes": "not needed"}}]);
    let (_, answer) = update(&plant, close(&second)).await;
    assert_eq!((key(&answer["detail"][0]), &answer["detail"][0]["trash"]), (second.clone(), &json!(true)));
    assert_eq!(plant.stored("Job", &second).await, Value::Null);
    assert_eq!(plant.queue_of("ada").await, [""; 0]);
    let (_, answer) = update(&plant, close(&jobs[0])).await;
    let job = &answer["detail"][0];
    assert_eq!(
        (&job["stage"], &job["qt_completed"], &job["notes"]),
        (&json!("closed"), &json!(0), &json!("not needed"))
    );
    let (status, _) = update(&plant, close(&jobs[0])).await;
    assert_eq!(status, 200, "closed already");
    assert_eq!(plant.events("JOB_CLOSED").await.len(), 1);
}

#[tokio::test]
async fn a_job_that_is_worked_on_is_not_closed() {
    let plant = Plant::open().await;
    let (_, jobs) = plant.order("N", 5.0).await;
    let close = || json!([{"action": "close", "data": {"_key": jobs[0]}}]);
    for state in [json!({"stage": "started", "active": true}), json!({"active": false, "active_batch_key": "b"})] {
        plant.change("Job", &jobs[0], state).await;
        let (status, answer) = update(&plant, close()).await;
        assert!(status == 409 && answer["detail"]["message"].is_string(), "{answer}");
    }
}

#[tokio::test]
async fn closing_the_last_open_job_closes_the_order_once() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 5.0).await;
    let assign = json!([{"action": "update", "data": {"_key": jobs[2], "assigned_to": "ada"}}]);
    assert_eq!(update(&plant, assign).await.0, 200);
    close_order(&plant, &order_key, &jobs, 5.0).await;
    let order = plant.stored("WorkOrder", &order_key).await;
    assert_eq!((&order["qt_completed"], &order["progress"], &order["active"]), (&json!(5), &json!(100), &json!(false)));
    assert!(order["end"].is_string() && order["start"].is_string());
    assert_eq!((plant.site_queue().await, plant.queue_of("ada").await), (vec![], vec![]));
    let closed = plant.events("WORK_ORDER_CLOSED").await;
    assert_eq!(
        (closed.len(), &closed[0]["work_order_key"], &closed[0]["primary"]),
        (1, &json!(order_key), &json!(false))
    );
    let note = json!([{"action": "update", "data": {"_key": jobs[0], "notes": "afterwards"}}]);
    assert_eq!(update(&plant, note).await.0, 200);
    assert_eq!(plant.stored("WorkOrder", &order_key).await["end"], order["end"], "the end is set once");
    assert_eq!(plant.events("WORK_ORDER_CLOSED").await.len(), 1);
    let sources = plant.documents("event_source").await;
    let to: Vec<String> = column(&sources.into(), "_to");
    assert!(to.contains(&format!("Event/{}", key(&closed[0]))), "it is a child of the change");
}

#[tokio::test]
async fn one_wrong_change_undoes_all() {
    let plant = Plant::open().await;
    let (_, jobs) = plant.order("P", 5.0).await;
    let before = (plant.documents("Job").await, plant.documents("Queue").await, plant.documents("Event").await);
    for last in [json!({"_key": "unknown", "notes": "x"}), json!({"_key": jobs[2], "assigned_to": "nobody"})] {
        let updates = json!([
            {"action": "update", "data": {"_key": jobs[0], "notes": "x"}},
            {"action": "update", "data": {"_key": jobs[1], "assigned_to": "ada"}},
            {"action": "update", "data": last},
        ]);
        let (status, _) = update(&plant, updates).await;
        assert!(matches!(status, 404 | 422));
    }
    let after = (plant.documents("Job").await, plant.documents("Queue").await, plant.documents("Event").await);
    assert_eq!(after, before);
    let many: Vec<Value> = (0..1_001).map(|_| json!({"action": "close", "data": {"_key": jobs[0]}})).collect();
    assert_eq!(update(&plant, many.into()).await.0, 422);
}

#[tokio::test]
async fn operators_write_notes_and_take_jobs_that_nobody_has() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 5.0).await;
    let ada = plant.service.token("ada", "operator").await;
    let call = |updates: Value| plant.call_as(&ada, Method::POST, "/job/update", updates);
    let change = |data: Value| json!([{"action": "update", "data": data}]);
    assert_eq!(call(change(json!({"_key": jobs[0], "assigned_to": "ada", "notes": "mine"}))).await.0, 200);
    assert_eq!(plant.queue_of("ada").await, [jobs[0].as_str()]);
    for body in [
        change(json!({"_key": jobs[0], "qt_planned": 9})),
        change(json!({"_key": jobs[1], "assigned_to": "bob"})),
        change(json!({"_key": jobs[0], "assigned_to": null})),
        json!([{"action": "close", "data": {"_key": jobs[0]}}]),
        json!([{"action": "insert", "data": {"work_order_key": order_key, "phase_key": "p1", "qt_planned": 1}}]),
    ] {
        let (status, answer) = call(body.clone()).await;
        assert_eq!((status, &answer["detail"]["required_scope"]), (403, &json!("production:queue:update")), "{body}");
        assert!(answer["detail"]["message"].is_string());
    }
    let assign = change(json!({"_key": jobs[1], "assigned_to": "bob"}));
    assert_eq!(update(&plant, assign).await.0, 200);
    assert_eq!(call(change(json!({"_key": jobs[1], "assigned_to": "ada"}))).await.0, 403, "a colleague's job");
    assert_eq!(texts(&json!(plant.queue_of("bob").await)), [jobs[1].as_str()]);
}
