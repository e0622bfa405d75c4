//! Steps and batches: what is recorded while pieces are made, and where they go.

use serde_json::{Value, json};

use crate::floor_support::{Floor, ago};

/// Two steps; the first has a form with a mandatory width, a note and a hidden field.
fn steps() -> Value {
    json!([
        {"_key": "s1", "title": "Measure", "type": "form", "form_fields": [
            {"_key": "f1", "custom_field_key": "width", "label": "Width", "mandatory": true},
            {"_key": "f2", "custom_field_key": "note", "label": "Note"},
            {"_key": "f3", "custom_field_key": "note", "label": "Shop", "hidden": true, "default": "north"},
        ]},
        {"_key": "s2", "title": "Look", "type": "instruction", "form_fields": []},
    ])
}

/// A floor whose jobs have these steps, each to be completed by itself or not.
async fn floor_with_steps(step_check: bool, force_order: bool) -> Floor {
    let floor = Floor::with(&["p1", "p2", "p3"], |job| {
        job["step_sequence"] = steps();
        job["parameters"]["step_check"] = step_check.into();
        job["parameters"]["step_check_force_order"] = force_order.into();
    })
    .await;
    let fields = json!([
        {"_key": "width", "name": "Width", "type": "number"}, {"_key": "note", "name": "Note", "type": "text"},
    ]);
    floor.service.seed("CustomField", fields).await;
    floor
}

fn step(batch: &str, key: &str, form_data: Value) -> Value {
    json!({"batch_key": batch, "step_key": key, "form_data": form_data})
}

fn width(value: Value) -> Value {
    json!([{"form_field_key": "f1", "value": value}])
}

// 54, 55
#[tokio::test]
async fn the_last_step_completes_the_batch_once_and_the_next_one_begins() {
    let floor = floor_with_steps(true, false).await;
    let batch = floor.start("j1").await;
    let detail = floor.by_u("STEP_COMPLETED", step(&batch, "s1", width(json!(3)))).await.ok();
    assert_eq!(detail["job_data"]["progress"].as_i64(), Some(25));
    assert_eq!(detail["batch_data"]["step_data"][0]["done"], true);
    assert_eq!(detail["batch_data"]["step_data"][1]["done"], false);
    let records = floor.documents("StepExecutionData").await;
    assert_eq!(records.len(), 1);
    for (member, value) in [
        ("job_key", json!("j1")),
        ("batch_key", json!(batch)),
        ("step_key", json!("s1")),
        ("user_key", json!("u")),
        ("status", json!("done")),
        ("canceled", Value::Null),
        ("work_session_key", floor.session("j1").await["_key"].clone()),
        (
            "form_data",
            json!([
                {"form_field_key": "f1", "custom_field_key": "width", "value": 3},
                {"form_field_key": "f3", "custom_field_key": "note", "value": "north"},
            ]),
        ),
    ] {
        assert_eq!(records[0][member], value, "{member}");
    }
    assert!(floor.events("BATCH_COMPLETED").await.is_empty());

    let detail = floor.by_u("STEP_COMPLETED", step(&batch, "s2", Value::Null)).await.ok();
    let completed = floor.events("BATCH_COMPLETED").await;
    assert_eq!((completed.len(), &completed[0]["primary"]), (1, &json!(false)));
    assert_eq!(completed[0]["batch_key"], json!(batch));
    let next = floor.job("j1").await["active_batch_key"].clone();
    assert_ne!(next, json!(batch));
    assert_eq!(detail["batch_data"]["_key"], next);
    assert_eq!(detail["job_data"]["progress"].as_i64(), Some(50));
    floor.by_u("STEP_COMPLETED", step(&batch, "s2", Value::Null)).await.refused("ValueError", "not the active batch");
}

// 56
#[tokio::test]
async fn a_step_may_be_repeated_while_its_batch_is_active_and_has_one_record() {
    let floor = floor_with_steps(true, false).await;
    let batch = floor.start("j1").await;
    let kept = json!([{"_key": "r", "batch_key": batch, "step_key": "s1", "job_key": "j1", "status": "to_do",
    "completed": null, "canceled": null, "form_data": [
        {"form_field_key": "f1", "custom_field_key": "width", "value": 1},
        {"form_field_key": "f2", "custom_field_key": "note", "value": "kept"},
    ]}]);
    floor.service.seed("StepExecutionData", kept).await;
    floor.by_u("STEP_COMPLETED", step(&batch, "s1", width(json!(2)))).await.ok();
    floor.by_u("STEP_COMPLETED", step(&batch, "s1", width(json!(4)))).await.ok();
    let records = floor.documents("StepExecutionData").await;
    assert_eq!((records.len(), &records[0]["_key"], &records[0]["status"]), (1, &json!("r"), &json!("done")));
    assert_eq!(records[0]["form_data"][0]["value"], 4);
    assert_eq!(records[0]["form_data"][1]["value"], "kept", "what is not sent stays");
}

// 57
#[tokio::test]
async fn a_step_is_one_of_the_job_and_its_batch_the_active_one() {
    let floor = floor_with_steps(true, false).await;
    let batch = floor.start("j1").await;
    let post = |batch: &str, key: &str| floor.by_u("STEP_COMPLETED", step(batch, key, width(json!(1))));
    post("nowhere", "s1").await.refused("ValueError", "Batch nowhere not found");
    post(&batch, "s9").await.refused("ValueError", "Step s9 not found");
    floor.service.seed("Batch", json!([{"_key": "old", "job_key": "j1", "active": false, "qt_total": 5}])).await;
    post("old", "s1").await.refused("ValueError", "not the active batch");
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    post(&batch, "s1").await.refused("ValueError", "paused: resume it first");
    assert!(floor.documents("StepExecutionData").await.is_empty());
}

// 58
#[tokio::test]
async fn steps_keep_their_order_where_it_is_forced_and_values_fit_their_fields() {
    let floor = floor_with_steps(true, true).await;
    let batch = floor.start("j1").await;
    let post = |key: &str, data: Value| floor.by_u("STEP_COMPLETED", step(&batch, key, data));
    post("s2", Value::Null).await.refused("ValueError", "Step Measure comes first");
    post("s1", Value::Null).await.refused("ValueError", "Width is mandatory in step Measure");
    post("s1", width(json!(" "))).await.refused("ValueError", "Width is mandatory");
    post("s1", width(json!("abc"))).await.refused("ValueError", "Width: not a number");
    post("s1", width(json!(0))).await.ok();
    post("s2", Value::Null).await.ok();
}

// 59, for an order without serials
#[tokio::test]
async fn a_correction_replaces_the_record_and_keeps_its_batch() {
    let floor = floor_with_steps(true, false).await;
    let batch = floor.start("j1").await;
    floor.by_u("STEP_COMPLETED", step(&batch, "s1", width(json!(3)))).await.ok();
    floor.by_u("STEP_COMPLETED", step(&batch, "s2", Value::Null)).await.ok();
    let first = floor.documents("StepExecutionData").await.into_iter().find(|one| one["step_key"] == "s1").unwrap();
    let edit = |value: Value| json!({"execution_record_key": first["_key"], "form_data": width(value)});
    floor.by_u("STEP_EDITED", edit(json!(""))).await.refused("ValueError", "Width is mandatory");
    let detail = floor.by_u("STEP_EDITED", edit(json!(7))).await.ok();
    assert_eq!(detail["batch_data"]["_key"], json!(batch), "the batch of the record, not the active one");
    assert_eq!(detail["batch_data"]["step_data"][0]["form_data"][0]["value"], 7);
    let event = &floor.events("STEP_EDITED").await[0];
    assert_eq!((&event["batch_key"], &event["job_key"]), (&json!(batch), &json!("j1")));
    let of_step: Vec<Value> =
        floor.documents("StepExecutionData").await.into_iter().filter(|one| one["step_key"] == "s1").collect();
    assert_eq!(of_step.len(), 2);
    let (old, new): (Vec<&Value>, Vec<&Value>) = of_step.iter().partition(|one| one["_key"] == first["_key"]);
    assert_eq!(old[0]["canceled"], event["_key"]);
    assert_eq!(
        (&new[0]["modified"], &new[0]["status"], &new[0]["batch_key"]),
        (&event["_key"], &json!("done"), &json!(batch))
    );
    assert_eq!(new[0]["work_session_key"], first["work_session_key"]);
    floor.by_u("STEP_EDITED", edit(json!(8))).await.refused("ValueError", "was replaced");
    let unknown = json!({"execution_record_key": "none", "form_data": []});
    floor.by_u("STEP_EDITED", unknown).await.refused("ValueError", "Record none not found");
    floor
        .service
        .seed(
            "StepExecutionData",
            json!([{"_key": "t", "batch_key": batch, "step_key": "s1", "job_key": "j1", "status": "to_do"}]),
        )
        .await;
    let open = json!({"execution_record_key": "t", "form_data": []});
    floor.by_u("STEP_EDITED", open).await.refused("ValueError", "not completed yet");
}

// 60, 61, 62
#[tokio::test]
async fn only_the_active_batch_of_a_running_job_is_completed_with_all_it_has() {
    let floor = floor_with_steps(true, false).await;
    let batch = floor.start("j1").await;
    let complete = |quantity: f64, more: Value| {
        let mut members = json!({"active_batch_key": batch, "completed_batch_qt": quantity});
        members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        floor.by_u("BATCH_COMPLETED", members)
    };
    complete(3.0, json!({})).await.refused("ValueError", "quantity");
    let data = json!({"step_data": [{"step_key": "s1", "form_data": width(json!(1))}]});
    complete(5.0, data).await.refused("ValueError", "Step data are recorded step by step");
    complete(5.0, json!({})).await.refused("ValueError", "2 steps are open");
    let none = json!({"active_batch_key": "none", "completed_batch_qt": 5});
    floor.by_u("BATCH_COMPLETED", none).await.refused("ValueError", "Batch none not found");
    floor.change("Job", "j1", json!({"parameters": {"step_check": false}})).await;
    complete(5.0, json!({})).await.refused("ValueError", "Width is mandatory in step Measure");
    let foreign = json!({"step_data": [{"step_key": "s1", "execution_record_key": "x", "form_data": width(json!(1))}]});
    complete(5.0, foreign).await.refused("ValueError", "not recorded of this batch");
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    complete(5.0, json!({})).await.refused("ValueError", "paused: resume it first");
    floor.change("Job", "j1", json!({"stage": "closed"})).await;
    complete(5.0, json!({})).await.refused("ValueError", "closed");
    floor.change("Job", "j1", json!({"stage": "started"})).await;
    floor.job_event("JOB_RESUMED", "j1").await.ok();
    let data = json!({"step_data": [{"step_key": "s1", "form_data": width(json!(1))}]});
    complete(5.0, data).await.ok();
    let records = floor.documents("StepExecutionData").await;
    assert_eq!((records.len(), &records[0]["status"]), (1, &json!("done")));
    complete(5.0, json!({})).await.refused("ValueError", "not the active batch");
}

// 63
#[tokio::test]
async fn what_the_first_phase_makes_waits_for_the_second_with_what_it_has_cost() {
    let floor = Floor::open().await;
    floor.by_u("JOB_STARTED", json!({"job_key": "j1", "timestamp": ago(100)})).await.ok();
    let batch = floor.job("j1").await["active_batch_key"].as_str().unwrap().to_owned();
    let members = json!({"active_batch_key": batch, "completed_batch_qt": 5, "timestamp": ago(50)});
    let detail = floor.by_u("BATCH_COMPLETED", members).await.ok();
    let done = floor.stored("Batch", &batch).await;
    assert_eq!((done["qt_pass"].as_f64(), &done["active"]), (Some(5.0), &json!(false)));
    // 36 an hour are a hundredth a second.
    let spent = done["value"].as_f64().unwrap();
    assert!((spent - 0.5).abs() < 0.05, "{spent}");
    let rows = floor.documents("wip").await;
    assert_eq!((rows.len(), &rows[0]["_from"], &rows[0]["_to"]), (1, &json!("Phase/p1"), &json!("Phase/p2")));
    assert_eq!((rows[0]["quantity"].as_f64(), rows[0]["value"].as_f64()), (Some(5.0), Some(spent)));
    assert_eq!(
        (&rows[0]["active"], &rows[0]["wo_key"], &rows[0]["product_key"]),
        (&json!(false), &json!("w"), &json!("p"))
    );
    let job = floor.job("j1").await;
    assert_eq!((job["qt_completed"].as_f64(), job["qt_released"].as_f64()), (Some(5.0), Some(5.0)));
    assert_eq!((&job["active"], job["active_batch_qt"].as_f64()), (&json!(true), Some(5.0)));
    assert_eq!(detail["batch_data"]["_key"], job["active_batch_key"]);
    assert_eq!(floor.running().await, 1);
    assert_eq!(floor.job("j2").await["next_batch_available"], true);
    let names = ["BATCH_COMPLETED", "WORK_SESSION_CLOSED", "WIP_DECLARED", "BATCH_CREATED", "WORK_SESSION_CREATED"];
    assert_eq!(floor.journal().await[4..], names);
    // 34: the completion is first in its group, what it made follows in the order of its effect.
    let event = &floor.events("BATCH_COMPLETED").await[0];
    assert_eq!((&event["sequence"], &event["batch_key"]), (&json!(0), &json!(batch)));
    let made = floor.documents("event_source").await;
    let from = format!("Event/{}", event["_key"].as_str().unwrap());
    assert_eq!(made.iter().filter(|edge| edge["_from"] == json!(from)).count(), 4);
}

// 64
#[tokio::test]
async fn the_last_batch_has_what_is_left() {
    let floor = Floor::with(&["p1"], |job| job["parameters"]["production_batch_qt"] = 6.into()).await;
    floor.start("j1").await;
    let detail = floor.complete("j1").await.ok();
    assert_eq!(detail["batch_data"]["qt_total"].as_f64(), Some(4.0));
}

// 65
#[tokio::test]
async fn pieces_go_from_phase_to_phase_and_leave_production_behind_the_last_one() {
    let floor = Floor::with(&["p1", "p2", "p3"], |job| job["parameters"]["auto_new_batch"] = false.into()).await;
    for job in ["j1", "j2", "j3"] {
        floor.start(job).await;
        floor.complete(job).await.ok();
    }
    let made = |types: Vec<String>| -> Vec<String> {
        types.into_iter().filter(|name| name.starts_with("WIP_") || name == "BATCH_RELEASED").collect()
    };
    let expected =
        ["WIP_DECLARED", "WIP_BOOKED", "WIP_REMOVED", "WIP_DECLARED", "WIP_BOOKED", "WIP_REMOVED", "BATCH_RELEASED"];
    assert_eq!(made(floor.journal().await), expected);
    assert!(floor.documents("wip").await.is_empty());
    assert_eq!(floor.order().await["qt_completed"].as_f64(), Some(5.0));
    let released = &floor.events("BATCH_RELEASED").await[0];
    assert_eq!((released["qt_released"].as_f64(), &released["work_order_key"]), (Some(5.0), &json!("w")));
}

// 66
#[tokio::test]
async fn without_automatic_batches_the_job_waits_to_be_resumed() {
    let floor = Floor::with(&["p1"], |job| job["parameters"]["auto_new_batch"] = false.into()).await;
    floor.start("j1").await;
    let detail = floor.complete("j1").await.ok();
    assert_eq!(detail["batch_data"], json!({}));
    let job = floor.job("j1").await;
    assert_eq!(
        (&job["active"], &job["active_batch_key"], &job["stage"]),
        (&json!(false), &Value::Null, &json!("started"))
    );
    let detail = floor.job_event("JOB_RESUMED", "j1").await.ok();
    assert_eq!(detail["batch_data"]["qt_total"].as_f64(), Some(5.0));
    assert_eq!(floor.job("j1").await["active"], true);
}

// 67
#[tokio::test]
async fn a_next_batch_needs_enough_that_waits_for_it() {
    let floor = Floor::open().await;
    let row = json!({"_key": "r", "_from": "Phase/p1", "_to": "Phase/p2", "wo_key": "w", "product_key": "p",
        "serial_key": null, "quantity": 8, "value": 0, "active": false});
    floor.service.seed("wip", json!([row])).await;
    floor.start("j2").await;
    let detail = floor.complete("j2").await.ok();
    assert_eq!(detail["batch_data"], json!({}));
    let job = floor.job("j2").await;
    assert_eq!((&job["active"], &job["next_batch_available"]), (&json!(false), &json!(false)));
    floor.start("j1").await;
    floor.complete("j1").await.ok();
    assert_eq!(floor.job("j2").await["next_batch_available"], true);
}

// 68
#[tokio::test]
async fn an_order_closes_with_its_last_job() {
    let floor = Floor::with(&["p1", "p2"], |job| job["parameters"]["production_batch_qt"] = 0.into()).await;
    floor.change("Job", "j2", json!({"notes": "mind the edge"})).await;
    floor.start("j1").await;
    let detail = floor.complete("j1").await.ok();
    assert!(detail.get("batch_data").is_none(), "{detail}");
    assert_eq!((&detail["job_data"]["stage"], &detail["job_data"]["notes"]), (&json!("closed"), &json!("Job closed")));
    assert_eq!(floor.queue_of("u").await, json!(["j2"]));
    floor.start("j2").await;
    floor.complete("j2").await.ok();
    assert_eq!(floor.job("j2").await["notes"], "mind the edge", "notes that are there stay");
    let order = floor.order().await;
    assert_eq!((&order["status"], order["progress"].as_i64()), (&json!("closed"), Some(100)));
    assert!(order["end"].is_string());
    assert_eq!(order["qt_completed"].as_f64(), Some(10.0));
    assert_eq!(floor.site_queue().await, json!([]));
    assert_eq!(floor.queue_of("u").await, json!([]));
    assert_eq!(floor.events("WORK_ORDER_CLOSED").await.len(), 1);
    assert_eq!(floor.events("JOB_CLOSED").await.len(), 2);
}

// 69
#[tokio::test]
async fn the_active_batch_takes_any_quantity_that_is_left() {
    let floor = Floor::open().await;
    let change =
        |quantity: f64| floor.by_u("ACTIVE_BATCH_CHANGED", json!({"job_key": "j1", "new_active_batch_qt": quantity}));
    change(3.0).await.refused("JobIsNotStartedError", "not started");
    floor.start("j1").await;
    for wrong in [0.0, -1.0, 11.0] {
        change(wrong).await.refused("ValueError", "quantity must be above 0 and at most 10");
    }
    change(5.0).await.refused("ValueError", "Nothing to change");
    let detail = change(3.0).await.ok();
    assert_eq!(detail["job_data"]["active_batch_qt"].as_f64(), Some(3.0));
    assert_eq!(detail["batch_data"]["qt_total"].as_f64(), Some(3.0));
    change(10.0).await.ok();
    floor.complete("j1").await.ok();
    assert_eq!(floor.job("j1").await["stage"], "closed");
    floor.change("Job", "j1", json!({"stage": "started"})).await;
    change(1.0).await.refused("JobHasNoActiveBatchError", "no active batch");
}

// 70, 119
#[tokio::test]
async fn a_smaller_batch_gives_back_what_it_had_booked() {
    let floor = Floor::open().await;
    let row = |key: &str, quantity: f64, value: f64| {
        json!({"_key": key, "_from": "Phase/p1", "_to": "Phase/p2", "wo_key": "w", "product_key": "p", "serial_key": null,
            "quantity": quantity, "value": value, "active": false})
    };
    floor.service.seed("wip", json!([row("a", 5.0, 10.0)])).await;
    floor.start("j2").await;
    let change =
        |quantity: f64| floor.by_u("ACTIVE_BATCH_CHANGED", json!({"job_key": "j2", "new_active_batch_qt": quantity}));
    change(2.5).await.ok();
    let mut rows: Vec<(String, f64, f64, bool)> = Vec::new();
    for row in floor.documents("wip").await {
        let number = |name: &str| row[name].as_f64().unwrap();
        rows.push((
            row["_to"].as_str().unwrap().to_owned(),
            number("quantity"),
            number("value"),
            row["active"] == true,
        ));
    }
    rows.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(rows, [("Job/j2".to_owned(), 2.5, 5.0, true), ("Phase/p2".to_owned(), 2.5, 5.0, false)]);
    assert_eq!(floor.events("WIP_UNBOOKED").await[0]["quantity"].as_f64(), Some(2.5));
    change(6.0).await.refused("WipNotAvailableError", "2.5 available, 3.5 needed");
    // 0.1 and 0.2 are 0.3.
    floor.service.seed("wip", json!([row("b", 0.1, 0.0), row("c", 0.2, 0.0)])).await;
    change(5.3).await.ok();
    assert_eq!(floor.wip("Phase/p2").await, 0.0);
    assert!((floor.wip("Job/j2").await - 5.3).abs() < 1e-6);
    floor.complete("j2").await.ok();
    assert_eq!(floor.documents("wip").await.iter().filter(|row| row["_to"] == "Job/j2").count(), 0);
}

// 120
#[tokio::test]
async fn more_completed_than_planned_stays_recorded() {
    let floor = Floor::with(&["p1"], |job| job["parameters"]["auto_new_batch"] = false.into()).await;
    floor.start("j1").await;
    floor.complete("j1").await.ok();
    floor.change("Job", "j1", json!({"qt_planned": 4})).await;
    let members = json!({"job_key": "j1", "completed_qt": 5});
    let job = floor.post(&floor.s, "JOB_CLOSED", members).await.ok();
    assert_eq!((job["progress"].as_i64(), job["qt_completed"].as_f64()), (Some(100), Some(5.0)));
}

// The worker goes on, whoever records.
#[tokio::test]
async fn anybody_of_the_floor_records_steps_and_batches_of_a_running_job() {
    let floor = Floor::open().await;
    let batch = floor.start("j1").await;
    let members = json!({"active_batch_key": batch, "completed_batch_qt": 5});
    floor.post(&floor.v, "BATCH_COMPLETED", members).await.ok();
    assert_eq!(floor.session("j1").await["user_key"], "u");
    assert_eq!(floor.job("j1").await["assigned_to"], "u");
    assert_eq!(floor.events("BATCH_COMPLETED").await[0]["user_key"], "v");
}
