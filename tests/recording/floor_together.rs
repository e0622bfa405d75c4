//! Two at once: calls that meet, in one process and in two over one database. Whatever comes first, the other finds what it left.

use aqlite::{Engine, Options};
use futures_util::future::{join, join_all};
use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::{ADMIN_PASSWORD, Service};

use crate::floor_support::{Answer, Floor, job};

const PASSWORD: &str = "root-password";

/// How often two calls meet.
const ROUNDS: usize = 50;

/// Two processes over one database, as far as a service can tell.
struct Two {
    first: Floor,
    second: Service,
    /// Tokens of `u` and `v` for the second one.
    u: String,
    v: String,
    _folder: tempfile::TempDir,
}

impl Two {
    async fn open(phases: &[&str], change: impl Fn(&mut Value)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options =
            Options { data_dir: folder.path().to_owned(), root_password: PASSWORD.to_owned(), jwt_secret: None };
        let engine = Engine::open_with(options, aqlite::Settings::default()).unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(aqlite::http::serve(engine, listener, std::future::pending()));
        let settings = [
            ("database.url", url.as_str()),
            ("database.password", PASSWORD),
            ("database.name", "plant"),
            ("admin_password", ADMIN_PASSWORD),
        ];
        let first = Floor::over(Service::start_with(&settings).await, phases, change).await;
        let second = Service::start_with(&settings).await;
        let (u, v) = (second.token("u", "operator").await, second.token("v", "operator").await);
        Self { first, second, u, v, _folder: folder }
    }

    /// Posts an event to the second one.
    async fn post(&self, token: &str, event_type: &str, members: Value) -> Answer {
        let mut event = members;
        event["event_type"] = event_type.into();
        let (status, body) = self.second.send(Method::POST, "/event", token, event).await;
        Answer { status, body }
    }
}

/// One was recorded and the other refused.
#[track_caller]
fn assert_one_of(one: &Answer, other: &Answer, kind: &str) {
    let (recorded, refused) = if one.status == 200 { (one, other) } else { (other, one) };
    assert_eq!(recorded.status, 200, "{} {}", one.body, other.body);
    refused.refused(kind, "");
}

/// An order of its own for each round.
async fn orders(floor: &Floor, count: usize, change: impl Fn(&mut Value)) {
    for number in 0..count {
        let mut order = crate::floor_support::order(&["p1"]);
        (order["_key"], order["wo_code"]) = (json!(format!("o{number}")), json!(format!("O{number}")));
        floor.service.seed("WorkOrder", json!([order])).await;
        let mut job = job(&format!("k{number}"), "p1", 0, 1);
        job["wo_key"] = json!(format!("o{number}"));
        change(&mut job);
        floor.service.seed("Job", json!([job])).await;
    }
}

// 105: start one job
#[tokio::test]
async fn of_two_starts_of_a_job_one_is_recorded() {
    let two = Two::open(&["p1"], |_| {}).await;
    orders(&two.first, ROUNDS, |_| {}).await;
    for number in 0..ROUNDS {
        let members = json!({"job_key": format!("k{number}")});
        let (one, other) =
            join(two.first.by_u("JOB_STARTED", members.clone()), two.post(&two.u, "JOB_STARTED", members)).await;
        assert_one_of(&one, &other, "JobIsStartedError");
    }
    assert_eq!(two.first.documents("Batch").await.len(), ROUNDS);
    assert_eq!(two.first.running().await, 1, "the same user works on one at a time");
}

// 104: complete one batch
#[tokio::test]
async fn of_two_completions_of_a_batch_one_is_recorded() {
    let two = Two::open(&["p1"], |_| {}).await;
    orders(&two.first, ROUNDS, |_| {}).await;
    for number in 0..ROUNDS {
        let job_key = format!("k{number}");
        let batch = two.first.start(&job_key).await;
        let members = json!({"active_batch_key": batch, "completed_batch_qt": 5});
        let (one, other) =
            join(two.first.by_u("BATCH_COMPLETED", members.clone()), two.post(&two.u, "BATCH_COMPLETED", members))
                .await;
        assert_one_of(&one, &other, "ValueError");
        assert_eq!(two.first.job(&job_key).await["qt_completed"].as_f64(), Some(5.0));
    }
    assert_eq!(two.first.documents("Batch").await.len(), 2 * ROUNDS, "one follows each");
}

/// Two steps without a form.
fn steps(job: &mut Value) {
    job["parameters"]["step_check"] = true.into();
    job["parameters"]["auto_new_batch"] = false.into();
    job["step_sequence"] = json!([{"_key": "s1", "title": "One"}, {"_key": "s2", "title": "Two"}]);
}

// 102, 103: different steps of one batch, the same step
#[tokio::test]
async fn of_two_last_steps_exactly_one_completes_the_batch_and_a_step_has_one_record() {
    let two = Two::open(&["p1"], |_| {}).await;
    orders(&two.first, ROUNDS, steps).await;
    for number in 0..ROUNDS {
        let batch = two.first.start(&format!("k{number}")).await;
        let step = |key: &str, value: i64| json!({"batch_key": batch, "step_key": key, "form_data": [{"form_field_key": "f", "value": value}]});
        let same =
            join(two.first.by_u("STEP_COMPLETED", step("s1", 1)), two.post(&two.v, "STEP_COMPLETED", step("s1", 2)));
        let (one, other) = same.await;
        assert_eq!((one.status.as_u16(), other.status.as_u16()), (200, 200), "{} {}", one.body, other.body);
        let (one, other) =
            join(two.first.by_u("STEP_COMPLETED", step("s1", 3)), two.post(&two.v, "STEP_COMPLETED", step("s2", 4)))
                .await;
        assert_eq!(other.status, 200, "{}", other.body);
        // The other one may have completed the batch before.
        assert!(one.status == 200 || one.status == 422, "{}", one.body);
    }
    assert_eq!(two.first.events("BATCH_COMPLETED").await.len(), ROUNDS);
    assert_eq!(two.first.documents("StepExecutionData").await.len(), 2 * ROUNDS);
}

// 108: the last free WIP for two jobs
#[tokio::test]
async fn what_waits_last_goes_to_one_of_two_jobs() {
    let many = json!(5 * ROUNDS);
    let change = |job: &mut Value| {
        job["parameters"]["auto_new_batch"] = false.into();
        job["qt_planned"] = many.clone();
    };
    let two = Two::open(&["p1", "p2"], change).await;
    let floor = &two.first;
    floor.change("WorkOrder", "w", json!({"qt_planned": many})).await;
    let mut second = job("j9", "p2", 1, 2);
    (second["assigned_to"], second["qt_planned"]) = (json!("v"), many);
    floor.service.seed("Job", json!([second])).await;
    for _ in 0..ROUNDS {
        floor
            .job_event(if floor.job("j1").await["stage"] == "created" { "JOB_STARTED" } else { "JOB_RESUMED" }, "j1")
            .await
            .ok();
        floor.complete("j1").await.ok();
        let kind = |job: &Value| if job["stage"] == "created" { "JOB_STARTED" } else { "JOB_RESUMED" };
        let (j2, j9) = (floor.job("j2").await, floor.job("j9").await);
        let (one, other) = join(
            floor.by_u(kind(&j2), json!({"job_key": "j2"})),
            two.post(&two.v, kind(&j9), json!({"job_key": "j9"})),
        )
        .await;
        assert_one_of(&one, &other, "WipNotAvailableError");
        let winner = if one.status == 200 { "j2" } else { "j9" };
        assert_eq!(floor.wip(&format!("Job/{winner}")).await, 5.0);
        assert_eq!(floor.wip("Phase/p2").await, 0.0);
        let batch = floor.job(winner).await;
        let members = json!({"active_batch_key": batch["active_batch_key"], "completed_batch_qt": 5});
        floor.by_u("BATCH_COMPLETED", members).await.ok();
    }
    assert!(floor.documents("wip").await.is_empty());
}

// 110: one user starts two jobs
#[tokio::test]
async fn a_user_who_starts_two_jobs_at_once_works_on_one() {
    let two = Two::open(&["p1"], |_| {}).await;
    orders(&two.first, 2 * ROUNDS, |_| {}).await;
    for number in 0..ROUNDS {
        let (one, other) =
            (json!({"job_key": format!("k{number}")}), json!({"job_key": format!("k{}", number + ROUNDS)}));
        let (one, other) = join(two.first.by_u("JOB_STARTED", one), two.post(&two.u, "JOB_STARTED", other)).await;
        assert_eq!((one.status.as_u16(), other.status.as_u16()), (200, 200), "{} {}", one.body, other.body);
        assert_eq!(two.first.running().await, 1);
    }
}

// 111, 112: an event and the heartbeat; one key twice
#[tokio::test]
async fn a_heartbeat_stops_no_event_and_a_key_is_recorded_once() {
    let two = Two::open(&["p1"], |_| {}).await;
    let floor = &two.first;
    floor.start("j1").await;
    for round in 0..ROUNDS {
        let kind = if round % 2 == 0 { "JOB_PAUSED" } else { "JOB_RESUMED" };
        let key = uuid::Uuid::new_v4().to_string();
        let members = json!({"job_key": "j1", "event_key": key});
        let beat = two.second.request(Method::POST, "/job/j1/heartbeat", &two.u).send();
        let (events, beat) = join(join(floor.by_u(kind, members.clone()), floor.by_u(kind, members)), beat).await;
        assert_eq!(beat.unwrap().status(), 200);
        assert_eq!(events.0.status, 200, "{}", events.0.body);
        assert_eq!(events.0.body, events.1.body);
    }
    assert_eq!(floor.events("JOB_PAUSED").await.len() + floor.events("JOB_RESUMED").await.len(), ROUNDS);
}

// 113
#[tokio::test]
async fn forty_stations_work_on_one_order_at_once() {
    const STATIONS: usize = 40;
    let floor = Floor::with(&["p1"], |_| {}).await;
    let mut tokens = Vec::new();
    for number in 0..STATIONS {
        let user = format!("u{number}");
        let mut own = job(&format!("s{number}"), "p1", 0, 1);
        own["assigned_to"] = json!(user);
        floor.service.seed("Job", json!([own])).await;
        floor.service.seed("User", json!([{"_key": user, "username": user, "active": true}])).await;
        tokens.push(floor.service.token(&user, "operator").await);
    }
    let starts = tokens
        .iter()
        .enumerate()
        .map(|(number, token)| floor.post(token, "JOB_STARTED", json!({"job_key": format!("s{number}")})));
    for answer in join_all(starts).await {
        answer.ok();
    }
    assert_eq!(floor.running().await, STATIONS);
    let mut jobs = Vec::new();
    for number in 0..STATIONS {
        jobs.push(floor.job(&format!("s{number}")).await);
    }
    let completions = jobs.iter().zip(&tokens).map(|(job, token)| {
        let members = json!({"active_batch_key": job["active_batch_key"], "completed_batch_qt": 5});
        floor.post(token, "BATCH_COMPLETED", members)
    });
    for answer in join_all(completions).await {
        answer.ok();
    }
    assert_eq!(floor.order().await["qt_completed"].as_f64(), Some(5.0 * STATIONS as f64));
}

/// Transactions that had to begin again so far.
async fn retries(floor: &Floor) -> f64 {
    let page = floor.service.client.get(floor.service.url("/metrics")).send().await.unwrap().text().await.unwrap();
    let line = page.lines().find(|line| line.starts_with("database_transaction_retries_total")).unwrap();
    line.split_whitespace().last().unwrap().parse().unwrap()
}

#[tokio::test]
async fn orders_that_are_planned_and_closed_at_once_wait_for_the_queue_and_none_begins_again() {
    const ORDERS: usize = 12;
    let floor = Floor::with(&["p1"], |_| {}).await;
    orders(&floor, ORDERS, |job| (job["qt_planned"], job["assigned_to"]) = (json!(5), Value::Null)).await;
    let mut work = Vec::new();
    for number in 0..ORDERS {
        let (user, job_key) = (format!("u{number}"), format!("k{number}"));
        floor.service.seed("User", json!([{"_key": user, "username": user, "active": true}])).await;
        let token = floor.service.token(&user, "operator").await;
        let started = floor.post(&token, "JOB_STARTED", json!({"job_key": job_key})).await.ok();
        work.push((token, started["batch_data"]["_key"].clone()));
    }
    let site = floor.documents("Queue").await.into_iter().find(|queue| queue["type"] == "s").unwrap();
    let keys: Vec<String> = (0..ORDERS).map(|number| format!("o{number}")).collect();
    floor.change("Queue", site["_key"].as_str().unwrap(), json!({"work_orders": keys})).await;
    let before = retries(&floor).await;
    let completed = join_all(work.iter().map(|(token, batch)| {
        floor.post(token, "BATCH_COMPLETED", json!({"active_batch_key": batch, "completed_batch_qt": 5}))
    }));
    let planned = join_all((0..ORDERS).map(|number| {
        let order = json!({"product_key": "p", "qt_planned": 1, "wo_code": format!("NEW-{number}")});
        floor.service.send(Method::POST, "/work-order", &floor.s, order)
    }));
    let (completed, planned) = join(completed, planned).await;
    for answer in completed {
        assert_eq!(answer.ok()["job_data"]["stage"], "closed");
    }
    assert!(planned.iter().all(|(status, _)| status.is_success()), "{planned:?}");
    assert_eq!(retries(&floor).await, before);
    let site = floor.documents("Queue").await.into_iter().find(|queue| queue["type"] == "s").unwrap();
    assert_eq!(site["work_orders"].as_array().unwrap().len(), ORDERS, "the new ones stand in it and no other");
}
