//! What `tracewright check --deep` says of the journal: nothing of what the service has recorded, whatever that was, and of what
//! has no events.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::audit::{self, Report};
use tracewright::store::{Access, Query};
use tracewright::transaction;
use tracewright_testkit::program::{self, Program};
use tracewright_testkit::warehouse::Warehouse;
use tracewright_testkit::{ADMIN_PASSWORD, Service};

use crate::collaboration_support as people;
use crate::counting_support;
use crate::floor_support::Floor;
use crate::stock_support::{moved, typed};

/// What a look at everything finds.
pub async fn report(service: &Service) -> Report {
    audit::run(&service.app.store, &mut ()).await.unwrap()
}

/// The differences it tells.
pub async fn differences(service: &Service) -> Vec<String> {
    report(service).await.differences.iter().map(ToString::to_string).collect()
}

/// Nothing is different, and something was looked at.
#[track_caller]
pub fn assert_clean(report: &Report) {
    assert_eq!(report.differences, [], "of {}", report.difference_count);
    assert!(report.events > 0 && report.judged > 0, "{report:?}");
}

/// Runs a writing query behind the service's back.
pub async fn behind_its_back(service: &Service, collection: &str, text: &'static str, params: Value) {
    let query = Query::undeclared("test/behind", text);
    let access = Access::default().writing(&[collection]);
    transaction!(service.app.store, access, |trx| { trx.run(&query, params.clone()).await }).unwrap();
}

#[tokio::test]
async fn what_has_no_events_is_not_judged() {
    let floor = Floor::open().await;
    floor.change("Job", "j1", json!({"stage": "closed", "qt_completed": 3, "active_batch_key": "nowhere"})).await;
    floor.service.seed("Issue", json!([{"_key": "i", "open": false}])).await;
    let found = report(&floor.service).await;
    assert_eq!((found.differences.len(), found.events, found.judged), (0, 0, 0), "{found:?}");
    assert!(found.unjudged >= 2, "the order and the issue: {found:?}");
}

#[tokio::test]
async fn what_an_earlier_system_has_recorded_is_not_judged() {
    let floor = Floor::open().await;
    let old =
        json!([{"_key": "e", "event_type": "JOB_CLOSED", "work_order_key": "w", "job_key": "j1", "completed_qt": 10}]);
    floor.service.seed("Event", old).await;
    assert_eq!(report(&floor.service).await.difference_count, 0);
}

#[tokio::test]
async fn a_traced_order_through_all_its_phases_follows_from_its_events() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    floor.start("j1").await;
    floor.complete("j1").await.ok();
    let made = floor.documents("Serial").await;
    let waiting: Vec<&Value> = made.iter().filter(|serial| serial["code"].is_string()).map(|s| &s["_key"]).collect();
    floor.by_u("JOB_STARTED", json!({"job_key": "j2", "batch_serials": waiting[..3]})).await.ok();
    let others = json!({"job_key": "j2", "new_active_batch_qt": 2, "batch_serials": waiting[2..4]});
    floor.by_u("ACTIVE_BATCH_CHANGED", others).await.ok();
    assert_clean(&report(&floor.service).await);
    floor.complete("j2").await.ok();
    assert_clean(&report(&floor.service).await);
    floor.post(&floor.s, "JOB_RESET", json!({"job_key": "j2"})).await.ok();
    assert_clean(&report(&floor.service).await);
    floor.post(&floor.s, "JOB_PAUSE_FORCED", json!({"job_key": "j1"})).await;
    floor.post(&floor.s, "BATCH_CANCELED", json!({"job_key": "j1"})).await.ok();
    floor.post(&floor.s, "JOB_RESET", json!({"job_key": "j1"})).await.ok();
    assert_clean(&report(&floor.service).await);
}

#[tokio::test]
async fn a_planned_order_that_is_changed_closed_and_opened_again_follows() {
    let floor = Floor::open().await;
    floor.start("j1").await;
    floor.complete("j1").await.ok();
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    floor.post(&floor.s, "BATCH_CANCELED", json!({"job_key": "j1"})).await.ok();
    let close = json!({"job_key": "j1", "completed_qt": 5, "update_planned_qt": true});
    floor.post(&floor.s, "JOB_CLOSED", close).await.ok();
    assert_clean(&report(&floor.service).await);
    let again = json!([{"action": "update", "data": {"_key": "j1", "qt_planned": 8}}]);
    let (status, body) = floor.service.send(Method::POST, "/job/update", &floor.s, again).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(floor.job("j1").await["stage"], "started");
    assert_clean(&report(&floor.service).await);
    let (status, body) =
        floor.service.send(Method::DELETE, "/force-delete-work-order/w", &admin(&floor).await, Value::Null).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(differences(&floor.service).await, Vec::<String>::new(), "what was deleted with all its data");
}

async fn admin(floor: &Floor) -> String {
    floor.service.login("cadmin", ADMIN_PASSWORD).await
}

#[tokio::test]
async fn events_that_are_left_of_a_work_order_deleted_by_force_are_no_difference() {
    let floor = Floor::open().await;
    let other = json!({"_key": "x", "wo_code": "X", "product_key": "p", "phase_sequence": ["p1"], "status": "created", "qt_planned": 10});
    floor.service.seed("WorkOrder", json!([other])).await;
    let mut job = crate::floor_support::job("jx", "p1", 0, 1);
    job["wo_key"] = "x".into();
    floor.service.seed("Job", json!([job])).await;
    floor.start("j1").await;
    // Work on the first one is paused by what begins on the other.
    floor.start("jx").await;
    assert_clean(&report(&floor.service).await);
    let path = "/force-delete-work-order/w";
    assert_eq!(floor.service.send(Method::DELETE, path, &admin(&floor).await, Value::Null).await.0, 200);
    assert_clean(&report(&floor.service).await);
}

#[tokio::test]
async fn stock_that_was_there_before_its_first_event_counts() {
    let warehouse = Warehouse::open().await;
    let opening = counting_support::stock("pa", "P", "A1", 10.0, None);
    let known = counting_support::stock("t1b", "T", "B", 1.0, Some("t1"));
    warehouse.service.seed("is_in_position", json!([opening, known])).await;
    moved(&warehouse, "shipment", json!({"product_key": "P", "position_from": "A1", "qt_confirmed": 4})).await;
    moved(
        &warehouse,
        "transfer",
        json!({"product_key": "T", "serial_key": "t1", "qt_confirmed": 1, "position_from": "B", "position_to": "A"}),
    )
    .await;
    let list = json!({"code": "L1", "type": "receipt", "status": "completed", "movements": [
        {"product_key": "P", "position_to": "A1", "qt_planned": 2}, {"product_key": "T", "serial_code": "new"},
    ]});
    warehouse.post("/movement-list", list).await;
    assert_clean(&report(&warehouse.service).await);
    let params = json!({"key": "pa"});
    behind_its_back(&warehouse.service, "is_in_position", "UPDATE @key WITH {quantity: 9} IN is_in_position", params)
        .await;
    let told = differences(&warehouse.service).await;
    assert!(told.len() == 1 && told[0].contains("is_in_position/pa") && told[0].contains("events say 8"), "{told:?}");
}

#[tokio::test]
async fn a_reset_of_the_warehouse_is_no_difference_and_what_follows_it_is_judged() {
    let warehouse = Warehouse::open().await;
    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A1", "qt_confirmed": 4})).await;
    moved(&warehouse, "receipt", json!({"product_key": "T", "serial_code": "first", "qt_confirmed": 1})).await;
    let admin = warehouse.service.login("cadmin", ADMIN_PASSWORD).await;
    let reset = warehouse.service.send(Method::DELETE, "/reset/inventory", &admin, Value::Null).await;
    assert_eq!(reset.0, 200);
    assert_clean(&report(&warehouse.service).await);
    let later = moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A1", "qt_confirmed": 3})).await;
    assert_clean(&report(&warehouse.service).await);
    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A1", "qt_confirmed": 2})).await;
    let key = later["_key"].as_str().unwrap();
    behind_its_back(&warehouse.service, "movement", "REMOVE @key IN movement", json!({"key": key})).await;
    let told = differences(&warehouse.service).await;
    assert!(told.iter().any(|line| line.contains("5, its movements make 2")), "{told:?}");
}

#[tokio::test]
async fn lists_that_are_planned_confirmed_in_parts_undone_and_closed_follow_from_their_events() {
    let warehouse = Warehouse::open().await;
    let list = json!({"code": "L1", "type": "receipt", "movements": [
        {"product_key": "P", "qt_planned": 10, "position_to": "A1"}, {"product_key": "Q", "qt_planned": 2},
    ]});
    let key = warehouse.post("/movement-list", list).await["detail"]["movement_list_key"].clone();
    let open = warehouse.documents("movement").await;
    let of = |product: &str| open.iter().find(|movement| movement["product_key"] == product).unwrap()["_key"].clone();
    let part = json!({"movement_key": of("P"), "qt_confirmed": 4});
    crate::stock_support::done(&warehouse, "MOVEMENT_UPDATED", part).await;
    assert_clean(&report(&warehouse.service).await);
    let done = warehouse.documents("movement").await;
    let done = done.iter().find(|movement| movement["status"] == "completed").unwrap();
    let undo = json!({"original_movement_key": done["_key"], "quantity_to_revert": 1});
    crate::stock_support::done(&warehouse, "MOVEMENT_REVERSED", undo).await;
    crate::stock_support::done(&warehouse, "MOVEMENT_CANCELED", json!({"movement_key": of("Q")})).await;
    assert_clean(&report(&warehouse.service).await);
    crate::stock_support::done(&warehouse, "WAREHOUSE_LIST_CLOSED", json!({"movement_list_key": key})).await;
    let adjust = typed("adjustment", json!({"product_key": "P", "position_to": "A1", "qt_confirmed": -2}));
    let adjusted = crate::stock_support::done(&warehouse, "MOVEMENT_COMPLETED", adjust).await;
    let undo = json!({"original_movement_key": adjusted["_key"], "quantity_to_revert": 1});
    crate::stock_support::done(&warehouse, "MOVEMENT_REVERSED", undo).await;
    assert_clean(&report(&warehouse.service).await);
}

#[tokio::test]
async fn a_counting_session_follows_from_its_events_at_every_step() {
    let floor = counting_support::Floor::open().await;
    floor.count("other", "P", "A1", 8.0).await;
    let canceled = floor.begin("worker", "Q", "A1").await;
    floor.post("COUNT_CANCELED", json!({"count_key": canceled})).await;
    floor.count_serials("other", "B", &["t1", "t3"]).await;
    assert_clean(&report(floor.service()).await);
    floor.post("COUNT_SESSION_COMPLETED", json!({"session_key": "s"})).await;
    floor.post("COUNT_SESSION_RESUMED", json!({"session_key": "s"})).await;
    floor.count("other", "P", "A1", 7.0).await;
    floor.post("COUNT_SESSION_COMPLETED", json!({"session_key": "s"})).await;
    assert_clean(&report(floor.service()).await);
    floor.post("COUNT_SESSION_CONFIRMED", json!({"session_key": "s"})).await;
    floor.wait_until_applied().await;
    assert_clean(&report(floor.service()).await);
}

#[tokio::test]
async fn issues_tasks_and_messages_follow_from_their_events_also_when_they_are_deleted() {
    let service = people::with_task_types().await;
    let token = service.token("u", "admin").await;
    let issue =
        json!({"issue_type_key": "hard", "linked_to": [people::link("work_order", "o1"), people::link("job", "j1")]});
    let first = people::create_issue(&service, &token, issue.clone()).await;
    let second = people::create_issue(&service, &token, issue).await;
    let recipient = |key: &Value| format!("Issue/{}", key.as_str().unwrap());
    let say = |to: String| json!({"recipient": to, "content": "look"});
    let kept = people::record(&service, &token, "MESSAGE_POSTED", say(recipient(&first))).await["message_key"].clone();
    people::record(&service, &token, "MESSAGE_POSTED", say(recipient(&second))).await;
    people::record(&service, &token, "MESSAGE_UPDATED", json!({"message_key": kept, "content": "looked"})).await;
    people::record(&service, &token, "ISSUE_CLOSED", json!({"issue_data": {"_key": first}})).await;
    let task = people::create_task(&service, &token, json!({})).await;
    let gone = people::create_task(&service, &token, json!({})).await;
    people::record(&service, &token, "TASK_SUSPENDED", json!({"task_key": task})).await;
    people::record(&service, &token, "TASK_DELETED", json!({"task_key": gone})).await;
    assert_clean(&report(&service).await);
    people::record(&service, &token, "ISSUE_DELETED", json!({"issue_data": {"_key": second}})).await;
    people::record(&service, &token, "MESSAGE_DELETED", json!({"message_key": kept})).await;
    people::record(&service, &token, "TASK_DELETED", json!({"task_key": task})).await;
    assert_clean(&report(&service).await);
}

/// The whole program: a plant at work, then the check, which tells what was changed behind its back, over a port and in the files.
#[test]
fn a_simulated_plant_passes_the_deep_check_and_a_document_that_was_changed_does_not() {
    let program = Program::new();
    let running = program.serve(&[]);
    let url = running.url("/api");
    let args = ["simulate", "--url", &url, "--password", program::ADMIN_PASSWORD, "--stations", "3", "--for", "5s"];
    program.run(&args).succeeded();
    let password = std::fs::read_to_string(program.folder().join("data/database_password")).unwrap();
    let engine = format!("http://{}", program.engine_address());
    let server = ["check", "--deep", "--database-url", &engine, "--database-password", &password];
    let told = program.run(&server).succeeded();
    assert!(told.contains("ok       recorded data") && told.contains("looks after its files itself"), "{told}");
    let change = "FOR job IN Job FILTER job.qt_completed > 0 LIMIT 1
        UPDATE job WITH { qt_completed: job.qt_completed + 1 } IN Job RETURN NEW._key";
    let changed = running.engine("POST", "/_api/cursor", Some(&json!({"query": change}).to_string()));
    let key = changed["result"][0].as_str().unwrap();
    let over_port = program.run(&server);
    assert_eq!(over_port.code, 1, "{}", over_port.stdout);
    running.stop();
    for told in [over_port.stdout, program.run(&["check", "--deep"]).stdout] {
        assert!(told.contains("PROBLEM  recorded data"), "{told}");
        assert!(told.contains(&format!("Job/{key}: qt_completed is")), "{told}");
    }
}
