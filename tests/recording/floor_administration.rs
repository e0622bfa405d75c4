//! What supervisors correct: cancelled batches, reset jobs, declared times and quantities, sessions that were none.

use serde_json::{Value, json};

use crate::floor_support::{Floor, ago};

async fn by_s(floor: &Floor, event_type: &str, members: Value) -> crate::floor_support::Answer {
    floor.post(&floor.s, event_type, members).await
}

/// Work in progress that waits for a phase.
async fn waiting(floor: &Floor, key: &str, phase: &str, quantity: f64) {
    let row = json!({"_key": key, "_from": "Phase/p1", "_to": format!("Phase/{phase}"), "wo_key": "w", "product_key": "p",
        "serial_key": null, "quantity": quantity, "value": 1, "active": false});
    floor.service.seed("wip", json!([row])).await;
}

fn canceled(documents: &[Value]) -> usize {
    documents.iter().filter(|document| !document["canceled"].is_null()).count()
}

// 92
#[tokio::test]
async fn a_paused_batch_is_cancelled_with_what_was_recorded_of_it() {
    let floor = Floor::open().await;
    let batch = floor.start("j1").await;
    let records = json!([{"_key": "r", "batch_key": batch, "job_key": "j1", "step_key": "s", "status": "done", "canceled": null}]);
    floor.service.seed("StepExecutionData", records).await;
    by_s(&floor, "BATCH_CANCELED", json!({"job_key": "j1"})).await.refused("JobIsActiveError", "Pause job j1 first");
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    let other = json!({"job_key": "j1", "batch_key": "other"});
    by_s(&floor, "BATCH_CANCELED", other).await.refused("ValueError", "active batch");
    assert_eq!(by_s(&floor, "BATCH_CANCELED", json!({"job_key": "j1", "batch_key": batch})).await.ok(), Value::Null);
    let event = floor.events("BATCH_CANCELED").await[0]["_key"].clone();
    let stored = floor.stored("Batch", &batch).await;
    assert_eq!((&stored["canceled"], &stored["active"]), (&event, &json!(false)));
    assert!(stored["end"].is_string());
    assert_eq!(floor.stored("StepExecutionData", "r").await["canceled"], event);
    assert_eq!(floor.session("j1").await["canceled"], event);
    let job = floor.job("j1").await;
    for (member, value) in [
        ("stage", json!("created")),
        ("start", Value::Null),
        ("active_batch_key", Value::Null),
        ("forced", event.clone()),
    ] {
        assert_eq!(job[member], value, "{member}");
    }
    let order = floor.order().await;
    assert_eq!(
        (&order["status"], &order["start"], order["processing_time"].as_i64()),
        (&json!("created"), &Value::Null, Some(0))
    );
    by_s(&floor, "BATCH_CANCELED", json!({"job_key": "j1"}))
        .await
        .refused("JobHasNoActiveBatchError", "no active batch");
    assert_eq!(floor.by_u("BATCH_CANCELED", json!({"job_key": "j1"})).await.status, 403);
}

// 92, in a later phase
#[tokio::test]
async fn what_a_cancelled_batch_had_booked_is_free_again() {
    let floor = Floor::open().await;
    waiting(&floor, "a", "p2", 7.0).await;
    floor.start("j2").await;
    floor.job_event("JOB_PAUSED", "j2").await.ok();
    by_s(&floor, "BATCH_CANCELED", json!({"job_key": "j2"})).await.ok();
    assert_eq!((floor.wip("Phase/p2").await, floor.wip("Job/j2").await), (7.0, 0.0));
    assert_eq!(floor.job("j2").await["next_batch_available"], true);
    assert_eq!(floor.events("WIP_UNBOOKED").await[0]["primary"], false);
}

// 94
#[tokio::test]
async fn a_reset_takes_everything_back_unless_the_next_phase_has_used_it() {
    let floor = Floor::open().await;
    by_s(&floor, "JOB_RESET", json!({"job_key": "j1"})).await.refused("ValueError", "nothing to reset");
    floor.start("j1").await;
    floor.complete("j1").await.ok();
    by_s(&floor, "JOB_RESET", json!({"job_key": "j1"})).await.refused("JobIsActiveError", "Pause");
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    floor.start("j2").await;
    by_s(&floor, "JOB_RESET", json!({"job_key": "j1"})).await.refused("WipNotAvailableError", "next phase: 5");
    floor.job_event("JOB_PAUSED", "j2").await.ok();
    by_s(&floor, "BATCH_CANCELED", json!({"job_key": "j2"})).await.ok();
    by_s(&floor, "JOB_RESET", json!({"job_key": "j1"})).await.ok();
    let event = floor.events("JOB_RESET").await[0]["_key"].clone();
    let child = floor.events("BATCH_CANCELED").await[1].clone();
    assert_eq!((&child["primary"], &child["job_key"]), (&json!(false), &json!("j1")));
    let batches = floor.documents("Batch").await;
    assert_eq!(canceled(&batches), 3);
    let of_j1: Vec<&Value> =
        batches.iter().filter(|batch| batch["job_key"] == "j1").map(|batch| &batch["canceled"]).collect();
    assert!(of_j1.contains(&&event) && of_j1.contains(&&child["_key"]), "{of_j1:?}");
    assert_eq!(canceled(&floor.documents("WorkSession").await), 3);
    assert!(floor.documents("wip").await.is_empty());
    let job = floor.job("j1").await;
    assert_eq!((job["qt_completed"].as_f64(), job["progress"].as_i64()), (Some(0.0), Some(0)));
    assert_eq!((&job["stage"], &job["start"], &job["forced"]), (&json!("created"), &Value::Null, &event));
    assert_eq!(floor.order().await["status"], "created");
}

// 94, 95 without stock and serials: a closed job of the last phase
#[tokio::test]
async fn a_reset_of_a_closed_job_puts_it_and_its_order_back_into_the_queues() {
    let floor = Floor::with(&["p1", "p2"], |job| job["parameters"]["production_batch_qt"] = 0.into()).await;
    for job in ["j1", "j2"] {
        floor.start(job).await;
        floor.complete(job).await.ok();
    }
    assert_eq!(floor.order().await["status"], "closed");
    by_s(&floor, "JOB_RESET", json!({"job_key": "j2"})).await.ok();
    assert_eq!((floor.wip("Phase/p2").await, floor.documents("wip").await.len()), (10.0, 1));
    let order = floor.order().await;
    assert_eq!((&order["status"], &order["end"]), (&json!("started"), &Value::Null));
    assert_eq!(floor.site_queue().await, json!(["w"]));
    assert_eq!(floor.queue_of("u").await, json!(["j2"]));
    assert_eq!(floor.job("j2").await["next_batch_available"], true);
    assert_eq!(floor.events("WORK_ORDER_STARTED").await.len(), 1, "it has begun before");
    by_s(&floor, "JOB_RESET", json!({"job_key": "j2"})).await.refused("ValueError", "nothing to reset");
    // Again from the beginning: nothing is there twice.
    floor.start("j2").await;
    floor.complete("j2").await.ok();
    assert!(floor.documents("wip").await.is_empty());
    assert_eq!(floor.site_queue().await, json!([]));
}

// 96
#[tokio::test]
async fn a_declared_time_is_shared_by_the_batches_and_replaces_what_was_measured() {
    let floor = Floor::with(&["p1"], |job| job["parameters"]["auto_new_batch"] = false.into()).await;
    let over = |time: Value| json!({"job_key": "j1", "new_job_duration": time});
    by_s(&floor, "TIME_OVERRIDE_REQUESTED", over(json!(1))).await.refused("JobIsNotStartedError", "not started");
    floor.start("j1").await;
    by_s(&floor, "TIME_OVERRIDE_REQUESTED", over(json!(1))).await.refused("JobIsActiveError", "Pause");
    floor.complete("j1").await.ok();
    floor.job_event("JOB_RESUMED", "j1").await.ok();
    floor.by_u("ACTIVE_BATCH_CHANGED", json!({"job_key": "j1", "new_active_batch_qt": 2})).await.ok();
    floor.complete("j1").await.ok();
    by_s(&floor, "TIME_OVERRIDE_REQUESTED", over(json!(-1))).await.refused("ValidationError", "new_job_duration");
    by_s(&floor, "TIME_OVERRIDE_REQUESTED", over(json!(10_000))).await.ok();
    let event = floor.events("TIME_OVERRIDE_REQUESTED").await[0]["_key"].clone();
    let sessions = floor.documents("WorkSession").await;
    let (old, new): (Vec<&Value>, Vec<&Value>) = sessions.iter().partition(|one| one["forced"].is_null());
    assert!(old.iter().all(|session| session["canceled"] == event), "{old:?}");
    let mut times: Vec<i64> = new.iter().map(|session| session["duration"].as_i64().unwrap()).collect();
    times.sort_unstable();
    assert_eq!(times, [2_858, 7_142]);
    for session in &new {
        for (member, value) in [
            ("forced", event.clone()),
            ("start", Value::Null),
            ("end", Value::Null),
            ("user_key", Value::Null),
            ("active", json!(false)),
            ("hourly_cost", json!(36)),
            ("job_key", json!("j1")),
            ("work_order_key", json!("w")),
        ] {
            assert_eq!(session[member], value, "{member}");
        }
    }
    // 36 an hour are a hundredth a second.
    for batch in floor.documents("Batch").await {
        assert_eq!(batch["forced"], event);
        let expected = if batch["qt_total"].as_f64() == Some(5.0) { 0.07142 } else { 0.02858 };
        assert_eq!(batch["value"].as_f64(), Some(expected));
    }
    let order = floor.order().await;
    assert_eq!((order["processing_time"].as_i64(), order["processing_cost"].as_f64()), (Some(10_000), Some(0.1)));
    assert_eq!(floor.job("j1").await["forced"], event);
    by_s(&floor, "TIME_OVERRIDE_REQUESTED", json!({"job_key": "j1"})).await.ok();
    assert_eq!(floor.order().await["processing_time"].as_i64(), Some(7 * 60_000));
}

// 97
#[tokio::test]
async fn a_declared_quantity_makes_a_batch_that_is_done_and_starts_the_job() {
    let floor = Floor::open().await;
    let over = |job: &str, quantity: f64| json!({"job_key": job, "new_job_qt_completed": quantity});
    by_s(&floor, "PROGRESS_OVERRIDE_REQUESTED", over("j1", 4.0)).await.ok();
    let event = floor.events("PROGRESS_OVERRIDE_REQUESTED").await[0].clone();
    assert_eq!(event["quantity_change"].as_f64(), Some(4.0));
    let batch = &floor.documents("Batch").await[0];
    assert_eq!((batch["qt_total"].as_f64(), batch["qt_pass"].as_f64()), (Some(4.0), Some(4.0)));
    assert_eq!((&batch["active"], &batch["forced"], &batch["start"]), (&json!(false), &event["_key"], &batch["end"]));
    let session = &floor.documents("WorkSession").await[0];
    assert_eq!((session["duration"].as_i64(), &session["batch_key"]), (Some(240_000), &batch["_key"]));
    let job = floor.job("j1").await;
    assert_eq!((job["qt_completed"].as_f64(), job["progress"].as_i64()), (Some(4.0), Some(40)));
    assert_eq!((&job["stage"], job["start"].is_string()), (&json!("started"), true));
    assert_eq!(floor.order().await["status"], "started");
    assert_eq!(floor.wip("Phase/p2").await, 4.0);
    assert_eq!(floor.documents("wip").await[0]["value"].as_f64(), Some(2.4));

    by_s(&floor, "PROGRESS_OVERRIDE_REQUESTED", over("j2", 5.0))
        .await
        .refused("WipNotAvailableError", "4 available, 5 needed");
    by_s(&floor, "PROGRESS_OVERRIDE_REQUESTED", over("j2", 1.0)).await.ok();
    assert_eq!((floor.wip("Phase/p2").await, floor.wip("Phase/p3").await), (3.0, 1.0));
    by_s(&floor, "PROGRESS_OVERRIDE_REQUESTED", over("j1", 0.0))
        .await
        .refused("WipNotAvailableError", "3 available, 4 needed");
    by_s(&floor, "PROGRESS_OVERRIDE_REQUESTED", over("j1", 1.0)).await.ok();
    assert_eq!(floor.wip("Phase/p2").await, 0.0);
    by_s(&floor, "PROGRESS_OVERRIDE_REQUESTED", over("j2", 0.0)).await.ok();
    let job = floor.job("j2").await;
    assert_eq!((&job["stage"], &job["start"]), (&json!("created"), &Value::Null));
    assert_eq!((floor.wip("Phase/p2").await, floor.wip("Phase/p3").await), (1.0, 0.0));
}

// 98
#[tokio::test]
async fn a_declared_quantity_closes_a_job_and_opens_it_again() {
    let floor = Floor::with(&["p1"], |_| {}).await;
    let over = |quantity: f64| json!({"job_key": "j1", "new_job_qt_completed": quantity});
    by_s(&floor, "PROGRESS_OVERRIDE_REQUESTED", over(10.0)).await.ok();
    let (job, order) = (floor.job("j1").await, floor.order().await);
    assert_eq!((&job["stage"], job["end"].is_string(), job["start"].is_string()), (&json!("closed"), true, true));
    assert_eq!((&order["status"], order["qt_completed"].as_f64()), (&json!("closed"), Some(10.0)));
    assert_eq!((floor.queue_of("u").await, floor.site_queue().await), (json!([]), json!([])));
    assert_eq!(floor.journal().await, ["PROGRESS_OVERRIDE_REQUESTED", "WORK_ORDER_STARTED", "WORK_ORDER_CLOSED"]);
    by_s(&floor, "PROGRESS_OVERRIDE_REQUESTED", over(9.0)).await.ok();
    let (job, order) = (floor.job("j1").await, floor.order().await);
    assert_eq!((&job["stage"], &job["end"], job["progress"].as_i64()), (&json!("started"), &Value::Null, Some(90)));
    assert_eq!((&order["status"], &order["end"]), (&json!("started"), &Value::Null));
    assert_eq!((floor.queue_of("u").await, floor.site_queue().await), (json!(["j1"]), json!(["w"])));
}

// 99
#[tokio::test]
async fn fewer_pieces_cancel_the_newest_batches_and_leave_what_is_right() {
    let floor = Floor::with(&["p1"], |job| job["parameters"]["auto_new_batch"] = false.into()).await;
    floor.by_u("JOB_STARTED", json!({"job_key": "j1", "timestamp": ago(100)})).await.ok();
    let batch = floor.job("j1").await["active_batch_key"].clone();
    let members = json!({"active_batch_key": batch, "completed_batch_qt": 5, "timestamp": ago(0)});
    floor.by_u("BATCH_COMPLETED", members).await.ok();
    let measured = floor.session("j1").await["duration"].as_i64().unwrap();
    by_s(&floor, "PROGRESS_OVERRIDE_REQUESTED", json!({"job_key": "j1", "new_job_qt_completed": 4})).await.ok();
    let event = floor.events("PROGRESS_OVERRIDE_REQUESTED").await[0]["_key"].clone();
    let batches = floor.documents("Batch").await;
    let old = batches.iter().find(|one| one["_key"] == batch).unwrap();
    let new = batches.iter().find(|one| one["_key"] != batch).unwrap();
    assert_eq!((&old["canceled"], &new["forced"], new["qt_pass"].as_f64()), (&event, &event, Some(4.0)));
    assert_eq!(floor.session("j1").await["canceled"], event);
    let forced = floor.documents("WorkSession").await.into_iter().find(|one| !one["forced"].is_null()).unwrap();
    let expected = (measured as f64 / 5.0 * 4.0).round() as i64;
    assert_eq!((forced["duration"].as_i64(), &forced["batch_key"]), (Some(expected), &new["_key"]));
    // Without a change of the time, what there is stays.
    let keep = json!({"job_key": "j1", "new_job_qt_completed": 8, "should_adjust_duration": false});
    by_s(&floor, "PROGRESS_OVERRIDE_REQUESTED", keep).await.ok();
    assert_eq!(floor.order().await["processing_time"].as_i64(), Some(expected));
    let times: i64 = floor
        .documents("WorkSession")
        .await
        .iter()
        .filter(|one| one["canceled"].is_null())
        .map(|one| one["duration"].as_i64().unwrap())
        .sum();
    assert_eq!(times, expected);
}

// 100
#[tokio::test]
async fn a_quantity_is_declared_only_where_nothing_else_is_known() {
    let floor = Floor::open().await;
    let over = |quantity: f64| json!({"job_key": "j1", "new_job_qt_completed": quantity});
    let post = |quantity: f64| floor.post(&floor.s, "PROGRESS_OVERRIDE_REQUESTED", over(quantity));
    floor.change("Job", "j1", json!({"assigned_to": null})).await;
    post(1.0).await.refused("JobHasNoAssigneeError", "not assigned");
    floor.change("Job", "j1", json!({"assigned_to": "u"})).await;
    floor.start("j1").await;
    post(1.0).await.refused("JobIsActiveError", "Pause");
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    post(1.0).await.refused("JobHasActiveBatchError", "batch");
    by_s(&floor, "BATCH_CANCELED", json!({"job_key": "j1"})).await.ok();
    post(0.0).await.refused("ValueError", "Nothing to change");
    post(11.0).await.refused("ValueError", "Only 10 are planned");
    post(-1.0).await.refused("ValidationError", "new_job_qt_completed");
    floor.change("Job", "j1", json!({"traceability_level": "complete"})).await;
    post(1.0).await.refused("NotImplementedError", "traced");
    floor.change("Job", "j1", json!({"traceability_level": null})).await;
    let line = json!([{"component_key": "c", "qt": 1, "phase_key": "p1", "traceability_level": "complete"}]);
    floor.change("WorkOrder", "w", json!({"wo_bom": line})).await;
    post(1.0).await.refused("NotImplementedError", "traced");
    floor.change("WorkOrder", "w", json!({"wo_bom": []})).await;
    let steps = json!([{"_key": "s", "title": "S", "form_fields": [{"_key": "f", "custom_field_key": "c", "mandatory": true}]}]);
    floor.change("Job", "j1", json!({"step_sequence": steps})).await;
    post(1.0).await.refused("NotImplementedError", "mandatory");
    assert!(floor.events("PROGRESS_OVERRIDE_REQUESTED").await.is_empty());
}

#[tokio::test]
async fn a_session_that_was_none_costs_nothing() {
    let floor = Floor::with(&["p1"], |job| job["parameters"]["auto_new_batch"] = false.into()).await;
    floor.by_u("JOB_STARTED", json!({"job_key": "j1", "timestamp": ago(100)})).await.ok();
    let session = floor.session("j1").await["_key"].clone();
    let cancel = || json!({"work_session_key": session});
    by_s(&floor, "WORK_SESSION_CANCELED", cancel()).await.refused("ValueError", "Pause job j1 first");
    floor.complete("j1").await.ok();
    assert!(floor.documents("Batch").await[0]["value"].as_f64().unwrap() > 0.0);
    by_s(&floor, "WORK_SESSION_CANCELED", cancel()).await.ok();
    let event = floor.events("WORK_SESSION_CANCELED").await[0].clone();
    assert_eq!(floor.session("j1").await["canceled"], event["_key"]);
    assert_eq!((&event["job_key"], &event["batch_key"].is_string()), (&json!("j1"), &true));
    assert_eq!(floor.documents("Batch").await[0]["value"].as_f64(), Some(0.0));
    assert_eq!(floor.order().await["processing_time"].as_i64(), Some(0));
    by_s(&floor, "WORK_SESSION_CANCELED", cancel()).await.refused("ValueError", "canceled");
    let unknown = json!({"work_session_key": "none"});
    by_s(&floor, "WORK_SESSION_CANCELED", unknown).await.refused("ValueError", "Work session none not found");
}

// 101
#[tokio::test]
async fn a_work_order_is_changed_with_its_jobs_by_one_event() {
    let floor = Floor::open().await;
    let members =
        json!({"work_order_key": "w", "new_project_code": "P7", "new_due_date": "2026-12-24", "notes": "soon"});
    let forbidden = floor.by_u("WORK_ORDER_UPDATED", members.clone()).await;
    assert_eq!(forbidden.body["detail"]["required_scope"], "production:work-order:update");
    let order = by_s(&floor, "WORK_ORDER_UPDATED", members).await.ok();
    assert_eq!(order, floor.order().await, "the answer is the order");
    assert_eq!(
        (&order["project_code"], &order["due_by"], &order["notes"]),
        (&json!("P7"), &json!("2026-12-24"), &json!("soon"))
    );
    for key in ["j1", "j2", "j3"] {
        let job = floor.job(key).await;
        assert_eq!((&job["project_code"], &job["due_by"]), (&json!("P7"), &json!("2026-12-24")));
    }
    assert_eq!(floor.journal().await, ["WORK_ORDER_UPDATED"]);
    let event = &floor.events("WORK_ORDER_UPDATED").await[0];
    assert_eq!((&event["work_order_key"], &event["new_project_code"]), (&json!("w"), &json!("P7")));
    assert_eq!(order["last_event"], event["_key"]);
    for (members, word) in [
        (json!({"work_order_key": "none", "notes": "x"}), "Work order none not found"),
        (json!({"work_order_key": "w", "new_due_date": "soon"}), "date"),
        (json!({"work_order_key": "w", "new_output_position_key": "nowhere"}), "Position nowhere not found"),
        (json!({"work_order_key": "w", "new_bom": [{"component_key": "none", "qt": 1}]}), "Component none not found"),
    ] {
        by_s(&floor, "WORK_ORDER_UPDATED", members).await.refused("ValueError", word);
    }
    let bom = json!({"work_order_key": "w", "new_bom": [{"component_key": "p", "qt": 2, "phase_key": "p2"}]});
    let order = by_s(&floor, "WORK_ORDER_UPDATED", bom).await.ok();
    assert_eq!((&order["wo_bom"][0]["component_code"], order["wo_bom"][0]["qt"].as_f64()), (&json!("PUMP"), Some(2.0)));
}
