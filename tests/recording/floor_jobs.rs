//! Work on jobs: starting, pausing, resuming, closing, and the sessions in which somebody works.

use serde_json::{Value, json};

use crate::floor_support::{Floor, ago, time};

// 38
#[tokio::test]
async fn a_start_makes_a_batch_and_a_session_and_starts_the_order() {
    let floor = Floor::open().await;
    let detail = floor.job_event("JOB_STARTED", "j1").await.ok();
    assert!(detail["message"].is_string());
    let job = floor.job("j1").await;
    assert_eq!((&job["stage"], &job["active"]), (&json!("started"), &json!(true)));
    assert_eq!(job["active_batch_qt"].as_f64(), Some(5.0));
    assert!(job["start"].is_string() && job["last_online"].is_string());
    let batch = floor.stored("Batch", job["active_batch_key"].as_str().unwrap()).await;
    for (member, value) in [
        ("job_key", json!("j1")),
        ("phase_key", json!("p1")),
        ("product_key", json!("p")),
        ("work_order_key", json!("w")),
        ("active", json!(true)),
        ("end", Value::Null),
        ("canceled", Value::Null),
        ("forced", Value::Null),
    ] {
        assert_eq!(batch[member], value, "{member}");
    }
    assert_eq!((batch["qt_total"].as_f64(), batch["qt_pass"].as_f64()), (Some(5.0), Some(0.0)));
    let session = floor.session("j1").await;
    for (member, value) in [
        ("user_key", json!("u")),
        ("batch_key", batch["_key"].clone()),
        ("work_order_key", json!("w")),
        ("phase_key", json!("p1")),
        ("active", json!(true)),
        ("end", Value::Null),
        ("duration", Value::Null),
        ("hourly_cost", json!(36)),
        ("start", job["start"].clone()),
    ] {
        assert_eq!(session[member], value, "{member}");
    }
    assert_eq!(floor.stored("User", "u").await["last_work_session"], session["_key"]);
    assert_eq!(detail["job_data"]["_key"], "j1");
    assert_eq!(detail["job_data"]["active_batch_key"], batch["_key"]);
    assert_eq!(detail["batch_data"]["_key"], batch["_key"]);
    assert_eq!(detail["batch_data"]["step_data"], json!([]));
    let order = floor.order().await;
    assert_eq!((&order["status"], &order["active"]), (&json!("started"), &json!(true)));
    assert_eq!(order["start"], job["start"]);
    assert_eq!(floor.journal().await, ["JOB_STARTED", "BATCH_CREATED", "WORK_SESSION_CREATED", "WORK_ORDER_STARTED"]);
    for event in floor.documents("Event").await {
        assert_eq!(event["work_order_key"], "w", "{event}");
        if event["event_type"] != "WORK_ORDER_STARTED" {
            assert_eq!((&event["job_key"], &event["batch_key"]), (&json!("j1"), &batch["_key"]), "{event}");
        }
    }
}

// 39
#[tokio::test]
async fn a_job_is_started_once() {
    let floor = Floor::open().await;
    floor.start("j1").await;
    floor.job_event("JOB_STARTED", "j1").await.refused("JobIsStartedError", "already started");
    floor.change("Job", "j2", json!({"stage": "closed"})).await;
    floor.job_event("JOB_STARTED", "j2").await.refused("JobIsStartedError", "closed");
    assert_eq!(floor.documents("Batch").await.len(), 1);
}

// 9
#[tokio::test]
async fn a_job_that_does_not_exist_is_named_and_so_is_its_order() {
    let floor = Floor::open().await;
    floor.job_event("JOB_STARTED", "nowhere").await.refused("ValueError", "Job nowhere not found");
    floor.change("Job", "j1", json!({"wo_key": "gone"})).await;
    floor.job_event("JOB_STARTED", "j1").await.refused("ValueError", "Work order gone not found");
    floor.change("Job", "j2", json!({"trash": true})).await;
    floor.job_event("JOB_PAUSED", "j2").await.refused("ValueError", "Job j2 not found");
    assert!(floor.documents("Event").await.is_empty());
}

// 40
#[tokio::test]
async fn only_a_supervisor_takes_over_the_job_of_another() {
    let floor = Floor::open().await;
    let members = || json!({"job_key": "j1"});
    floor.post(&floor.v, "JOB_STARTED", members()).await.refused("ValueError", "another operator");
    floor.post(&floor.s, "JOB_STARTED", members()).await.ok();
    assert_eq!(floor.job("j1").await["assigned_to"], "s");
    assert_eq!(floor.session("j1").await["user_key"], "s");
    assert_eq!(floor.queue_of("s").await, json!(["j1"]));
    assert_eq!(floor.queue_of("u").await, json!(["j2", "j3"]));
}

// 41
#[tokio::test]
async fn a_job_of_nobody_is_started_unless_the_configuration_hides_such_jobs() {
    let floor = Floor::open().await;
    floor.change("Job", "j1", json!({"assigned_to": null})).await;
    floor.change("Queue", "q", json!({"jobs": ["j2", "j3"]})).await;
    floor.change("Config", "show_unassigned_jobs_to_operators", json!({"value": false})).await;
    floor.job_event("JOB_STARTED", "j1").await.refused("JobHasNoAssigneeError", "not assigned");
    floor.change("Config", "show_unassigned_jobs_to_operators", json!({"value": true})).await;
    floor.start("j1").await;
    assert_eq!(floor.job("j1").await["assigned_to"], "u");
    assert_eq!(floor.queue_of("u").await, json!(["j1", "j2", "j3"]));
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    floor.change("Job", "j1", json!({"assigned_to": null})).await;
    floor.job_event("JOB_RESUMED", "j1").await.refused("JobHasNoAssigneeError", "not assigned");
}

// 42
#[tokio::test]
async fn a_pause_ends_the_session_and_keeps_the_batch() {
    let floor = Floor::open().await;
    floor.by_u("JOB_STARTED", json!({"job_key": "j1", "timestamp": ago(60)})).await.ok();
    let (batch, first) = (floor.job("j1").await["active_batch_key"].clone(), floor.session("j1").await);
    assert_eq!(floor.by_u("JOB_PAUSED", json!({"job_key": "j1", "timestamp": ago(30)})).await.ok(), Value::Null);
    let job = floor.job("j1").await;
    assert_eq!((&job["active"], &job["stage"], &job["active_batch_key"]), (&json!(false), &json!("started"), &batch));
    assert_eq!(floor.order().await["active"], false);
    let detail = floor.job_event("JOB_RESUMED", "j1").await.ok();
    assert_eq!(detail["batch_data"]["_key"], batch);
    let closed = floor.stored("WorkSession", first["_key"].as_str().unwrap()).await;
    let length = time(&closed["end"]).timestamp_millis() - time(&closed["start"]).timestamp_millis();
    assert_eq!(closed["duration"].as_i64(), Some(length));
    assert_eq!(closed["active"], false);
    assert_ne!(floor.session("j1").await["_key"], first["_key"]);
    assert_eq!(floor.running().await, 1);
    assert_eq!(floor.documents("Batch").await.len(), 1);
    let journal = floor.journal().await;
    assert_eq!(journal[4..], ["JOB_PAUSED", "WORK_SESSION_CLOSED", "JOB_RESUMED", "WORK_SESSION_CREATED"]);
    // The time of the order: 30 s of the closed session.
    assert_eq!(floor.order().await["processing_time"].as_i64(), closed["duration"].as_i64());
}

// 43
#[tokio::test]
async fn only_what_runs_is_paused_and_only_what_is_paused_is_resumed() {
    let floor = Floor::open().await;
    floor.job_event("JOB_PAUSED", "j1").await.refused("ValueError", "not running");
    floor.job_event("JOB_RESUMED", "j1").await.refused("JobIsNotStartedError", "not started");
    floor.start("j1").await;
    floor.job_event("JOB_RESUMED", "j1").await.refused("JobIsActiveError", "running");
    floor.change("Job", "j2", json!({"stage": "closed"})).await;
    floor.job_event("JOB_RESUMED", "j2").await.refused("JobIsNotStartedError", "closed");
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    floor.job_event("JOB_PAUSED", "j1").await.refused("ValueError", "not running");
}

// 44
#[tokio::test]
async fn another_operator_cannot_pause_a_job_but_a_supervisor_forces_it() {
    let floor = Floor::open().await;
    floor.start("j1").await;
    let before = floor.job("j1").await["last_online"].clone();
    let members = || json!({"job_key": "j1"});
    floor.post(&floor.v, "JOB_PAUSED", members()).await.refused("ValueError", "worked on by another operator");
    floor.post(&floor.v, "JOB_PAUSED_OFFLINE", members()).await.refused("ValueError", "another operator");
    let forbidden = floor.post(&floor.v, "JOB_PAUSE_FORCED", members()).await;
    assert_eq!(forbidden.body["detail"]["required_scope"], "production:override:record");
    floor.post(&floor.s, "JOB_PAUSE_FORCED", members()).await.ok();
    let job = floor.job("j1").await;
    assert_eq!((&job["active"], &job["last_online"]), (&json!(false), &before));
    assert_eq!(floor.running().await, 0);
    // A supervisor also pauses like the operator.
    floor.job_event("JOB_RESUMED", "j1").await.ok();
    floor.post(&floor.s, "JOB_PAUSED", members()).await.ok();
}

/// A second order whose only job belongs to `u` too.
async fn second_order(floor: &Floor) {
    let mut order = crate::floor_support::order(&["p1"]);
    (order["_key"], order["wo_code"]) = (json!("w2"), json!("W2"));
    floor.service.seed("WorkOrder", json!([order])).await;
    let mut job = crate::floor_support::job("k1", "p1", 0, 1);
    job["wo_key"] = json!("w2");
    floor.service.seed("Job", json!([job])).await;
}

// 45
#[tokio::test]
async fn who_starts_a_job_stops_working_on_another() {
    let floor = Floor::open().await;
    second_order(&floor).await;
    floor.by_u("JOB_STARTED", json!({"job_key": "k1", "timestamp": ago(60)})).await.ok();
    assert_eq!(floor.stored("WorkOrder", "w2").await["active"], true);
    floor.start("j1").await;
    let (first, session) = (floor.job("k1").await, floor.session("k1").await);
    assert_eq!((&first["active"], &first["stage"]), (&json!(false), &json!("started")));
    assert!(session["duration"].as_i64().unwrap() >= 60_000, "{session}");
    assert_eq!(floor.stored("WorkOrder", "w2").await["active"], false, "the order of the other job is recomputed too");
    let paused = floor.events("JOB_PAUSED").await;
    assert_eq!((paused.len(), &paused[0]["primary"], &paused[0]["job_key"]), (1, &json!(false), &json!("k1")));
    let journal = floor.journal().await;
    let names = [
        "JOB_STARTED",
        "BATCH_CREATED",
        "WORK_SESSION_CREATED",
        "JOB_PAUSED",
        "WORK_SESSION_CLOSED",
        "WORK_ORDER_STARTED",
    ];
    assert_eq!(journal[4..], names);
    assert_eq!(floor.running().await, 1);
}

// 46
#[tokio::test]
async fn a_job_that_runs_unsupervised_goes_on() {
    let floor = Floor::open().await;
    second_order(&floor).await;
    floor.change("Job", "k1", json!({"parameters": {"unsupervised_work_allowed": true}})).await;
    floor.start("k1").await;
    floor.start("j1").await;
    assert_eq!(floor.running().await, 2);
    assert_eq!(floor.job("k1").await["active"], true);
}

// 47
#[tokio::test]
async fn a_late_report_stops_no_later_work() {
    let floor = Floor::open().await;
    second_order(&floor).await;
    floor.by_u("JOB_STARTED", json!({"job_key": "k1", "timestamp": ago(3600)})).await.ok();
    floor.by_u("JOB_STARTED", json!({"job_key": "j1", "timestamp": ago(3 * 3600)})).await.ok();
    assert_eq!(floor.job("k1").await["active"], true);
    assert_eq!(floor.running().await, 2);
}

// 48
#[tokio::test]
async fn an_offline_pause_ends_where_it_says_or_at_the_last_sign_of_life() {
    let floor = Floor::open().await;
    let start = |seconds| json!({"job_key": "j1", "timestamp": ago(seconds)});
    floor.by_u("JOB_STARTED", start(600)).await.ok();
    let end = ago(300);
    let late = json!({"job_key": "j1", "timestamp": ago(400), "work_session_end": end});
    floor.by_u("JOB_PAUSED_OFFLINE", late).await.refused("ValueError", "after the event");
    floor.by_u("JOB_PAUSED_OFFLINE", json!({"job_key": "j1", "work_session_end": end})).await.ok();
    let session = floor.session("j1").await;
    assert_eq!(time(&session["end"]).timestamp_micros(), time(&json!(end)).timestamp_micros());
    assert_eq!(session["paused_offline"], floor.events("JOB_PAUSED_OFFLINE").await[0]["_key"]);
    assert_eq!(floor.job("j1").await["active"], false);

    floor.by_u("JOB_RESUMED", start(200)).await.ok();
    let heard = floor.job("j1").await["last_online"].clone();
    floor.job_event("JOB_PAUSED_OFFLINE", "j1").await.ok();
    assert_eq!(floor.session("j1").await["end"], heard);
    assert_eq!(floor.job("j1").await["last_online"], heard, "nobody was heard of");
}

// 49
#[tokio::test]
async fn back_online_the_same_session_runs_on() {
    let floor = Floor::open().await;
    floor.by_u("JOB_STARTED", json!({"job_key": "j1", "timestamp": ago(600)})).await.ok();
    let before = floor.session("j1").await;
    floor.job_event("JOB_PAUSED_OFFLINE", "j1").await.ok();
    let members = json!({"job_key": "j1"});
    floor.post(&floor.v, "JOB_BACK_ONLINE", members).await.refused("ValueError", "another operator");
    let detail = floor.job_event("JOB_BACK_ONLINE", "j1").await.ok();
    assert_eq!(detail["batch_data"]["_key"], before["batch_key"]);
    let session = floor.session("j1").await;
    for (member, value) in [
        ("_key", before["_key"].clone()),
        ("active", json!(true)),
        ("end", Value::Null),
        ("duration", Value::Null),
        ("paused_offline", Value::Null),
    ] {
        assert_eq!(session[member], value, "{member}");
    }
    assert_eq!(floor.job("j1").await["active"], true);
    assert_eq!(floor.order().await["active"], true);
}

// 50
#[tokio::test]
async fn only_a_job_that_was_paused_offline_and_nothing_else_since_comes_back() {
    let floor = Floor::open().await;
    second_order(&floor).await;
    floor.job_event("JOB_BACK_ONLINE", "j1").await.refused("ValueError", "was not paused offline");
    floor.start("j1").await;
    floor.job_event("JOB_BACK_ONLINE", "j1").await.refused("ValueError", "was not paused offline");
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    floor.job_event("JOB_BACK_ONLINE", "j1").await.refused("ValueError", "was not paused offline");
    floor.job_event("JOB_RESUMED", "j1").await.ok();
    floor.job_event("JOB_PAUSED_OFFLINE", "j1").await.ok();
    floor.start("k1").await;
    floor.job_event("JOB_BACK_ONLINE", "j1").await.refused("ValueError", "Another job was started meanwhile");
    assert_eq!(floor.job("j1").await["active"], false);
}

// 51
#[tokio::test]
async fn an_end_before_the_start_is_the_start() {
    let floor = Floor::open().await;
    floor.start("j1").await;
    floor.by_u("JOB_PAUSED", json!({"job_key": "j1", "timestamp": ago(3600)})).await.ok();
    let session = floor.session("j1").await;
    assert_eq!((&session["end"], &session["duration"]), (&session["start"], &json!(0)));
    let closed = &floor.events("WORK_SESSION_CLOSED").await[0];
    assert_eq!(closed["work_session_end"], session["end"], "the event has the end that was written");
}

// 52
#[tokio::test]
async fn a_job_that_runs_or_has_a_batch_or_another_quantity_is_not_closed() {
    let floor = Floor::open().await;
    floor.start("j1").await;
    let close = |completed: f64| json!({"job_key": "j1", "completed_qt": completed});
    floor.post(&floor.s, "JOB_CLOSED", close(0.0)).await.refused("JobIsActiveError", "Pause");
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    floor.post(&floor.s, "JOB_CLOSED", close(0.0)).await.refused("JobHasActiveBatchError", "batch");
    floor.change("Job", "j1", json!({"active_batch_key": null, "active_batch_qt": 0})).await;
    floor.post(&floor.s, "JOB_CLOSED", close(3.0)).await.refused("ValueError", "quantity");
    floor.post(&floor.s, "JOB_CLOSED", close(0.0)).await.ok();
    floor.post(&floor.s, "JOB_CLOSED", close(0.0)).await.refused("ValueError", "closed");
    assert_eq!(floor.by_u("JOB_CLOSED", close(0.0)).await.status, 403);
}

// 53
#[tokio::test]
async fn closing_can_make_what_is_completed_the_plan() {
    let floor = Floor::open().await;
    floor.change("Job", "j1", json!({"stage": "started", "qt_completed": 5, "qt_released": 5})).await;
    let members = json!({"job_key": "j1", "completed_qt": 5, "update_planned_qt": true});
    let job = floor.post(&floor.s, "JOB_CLOSED", members).await.ok();
    assert_eq!(job, floor.job("j1").await, "the answer is the job");
    assert_eq!((job["qt_planned"].as_f64(), job["progress"].as_i64()), (Some(5.0), Some(100)));
    for (member, value) in [
        ("stage", json!("closed")),
        ("active", json!(false)),
        ("next_batch_available", Value::Null),
        ("notes", json!("Job closed")),
        ("active_batch_key", Value::Null),
    ] {
        assert_eq!(job[member], value, "{member}");
    }
    assert!(job["end"].is_string());
    assert_eq!(floor.queue_of("u").await, json!(["j2", "j3"]));
    let order = floor.order().await;
    assert_eq!((order["progress"].as_i64(), &order["status"]), (Some(17), &json!("started")));
}

#[tokio::test]
async fn a_job_that_was_never_begun_can_be_closed_and_the_last_one_closes_the_order() {
    let floor = Floor::open().await;
    for (key, notes) in [("j1", json!("not needed")), ("j2", Value::Null), ("j3", Value::Null)] {
        assert_ne!(floor.order().await["status"], "closed");
        let members = json!({"job_key": key, "completed_qt": 0, "notes": notes});
        floor.post(&floor.s, "JOB_CLOSED", members).await.ok();
    }
    assert_eq!(floor.job("j1").await["notes"], "not needed");
    let order = floor.order().await;
    assert_eq!((&order["status"], order["end"].is_string()), (&json!("closed"), true));
    assert_eq!(floor.site_queue().await, json!([]));
    let expected = ["JOB_CLOSED", "WORK_ORDER_STARTED", "JOB_CLOSED", "JOB_CLOSED", "WORK_ORDER_CLOSED"];
    assert_eq!(floor.journal().await, expected);
    let children = floor.documents("event_source").await;
    assert_eq!(children.len(), 2, "both tell of what made them");
}

// 77, for what has no serials: pieces that wait for a phase are booked by its batch.
#[tokio::test]
async fn a_later_phase_books_what_waits_for_it_and_nothing_else() {
    let floor = Floor::open().await;
    floor.job_event("JOB_STARTED", "j2").await.refused("WipNotAvailableError", "0 available, 5 needed");
    let row = |key: &str, quantity: f64, value: f64| {
        json!({"_key": key, "_from": "Phase/p1", "_to": "Phase/p2", "wo_key": "w", "product_key": "p", "serial_key": null,
            "quantity": quantity, "value": value, "active": false})
    };
    let mut foreign = row("f", 9.0, 0.0);
    foreign["wo_key"] = json!("other");
    floor.service.seed("wip", json!([row("a", 4.0, 8.0), row("b", 2.0, 1.0), foreign])).await;
    floor.start("j2").await;
    assert_eq!((floor.wip("Job/j2").await, floor.wip("Phase/p2").await), (5.0, 10.0));
    let rows = floor.documents("wip").await;
    let value = |to: &str| -> f64 {
        rows.iter()
            .filter(|row| row["_to"] == to && row["wo_key"] == "w")
            .map(|row| row["value"].as_f64().unwrap())
            .sum()
    };
    assert_eq!(
        (value("Job/j2"), value("Phase/p2")),
        (7.0, 2.0),
        "the smaller row whole, three quarters of the larger one"
    );
    assert!(rows.iter().all(|row| row["active"] == json!(row["_to"] == "Job/j2")));
    assert_eq!(floor.events("WIP_BOOKED").await[0]["quantity"].as_f64(), Some(5.0));
    assert_eq!(floor.job("j2").await["next_batch_available"], false, "one is left, five are needed");
}
