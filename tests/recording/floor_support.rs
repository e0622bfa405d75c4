//! A shop floor: an order of ten pumps that are made in three phases, and two operators.

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright::store::{Access, Query};
use tracewright::transaction;
use tracewright_testkit::Service;

/// Order `w` of 10 pieces of product `p` (`PUMP`), untraced; phases `p1`, `p2`, `p3` with jobs `j1`, `j2`, `j3` of operator `u`,
/// batches of 5, no steps. `v` is another operator, `s` a supervisor.
pub struct Floor {
    pub service: Service,
    pub u: String,
    pub v: String,
    pub s: String,
}

/// The answer to an event.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub body: Value,
}

impl Answer {
    /// The `detail` of an event that was recorded.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body["detail"].clone()
    }

    /// A refusal of a kind, whose message has a word.
    #[track_caller]
    pub fn refused(&self, kind: &str, word: &str) {
        let detail = &self.body["detail"];
        let message = detail["message"].as_str().unwrap_or_default();
        let is_so = self.status == 422 && detail["error_type"] == kind && message.contains(word);
        assert!(is_so, "expected {kind} with {word:?}, got {} {}", self.status, self.body);
    }
}

/// What a job of the floor looks like before anything happens.
pub fn job(key: &str, phase: &str, place: usize, phases: usize) -> Value {
    json!({
        "_key": key, "wo_key": "w", "wo_code": "W1", "phase_key": phase, "phase_alias": phase, "product_key": "p",
        "product_code": "PUMP", "parameters": {
            "production_batch_qt": 5, "step_check": false, "step_check_force_order": false, "auto_new_batch": true,
            "std_processing_time": 60, "unsupervised_work_allowed": false, "max_offline": 60,
        },
        "step_sequence": [], "first_phase": place == 0, "last_phase": place + 1 == phases, "stage": "created",
        "start": null, "end": null, "active": false, "qt_planned": 10, "qt_completed": 0, "qt_released": 0,
        "progress": 0, "active_batch_key": null, "active_batch_qt": 0, "next_batch_available": place == 0,
        "assigned_to": "u", "traceability_level": null, "last_work_session_started": null, "last_online": null,
        "notes": null, "trash": false,
    })
}

/// A work order over phases.
pub fn order(phases: &[&str]) -> Value {
    json!({
        "_key": "w", "wo_code": "W1", "product_key": "p", "product_code": "PUMP", "phase_sequence": phases,
        "qt_planned": 10, "qt_completed": 0, "status": "created", "active": false, "progress": 0, "start": null,
        "end": null, "processing_time": 0, "processing_cost": 0, "wo_bom": [], "traceability_level": null, "output_position_key": null, "serial_fields": [],
    })
}

impl Floor {
    /// The floor as it is described above.
    pub async fn open() -> Self {
        Self::with(&["p1", "p2", "p3"], |_| {}).await
    }

    /// The same with other phases, and jobs that are changed before they are stored.
    pub async fn with(phases: &[&str], change: impl Fn(&mut Value)) -> Self {
        Self::over(Service::start().await, phases, change).await
    }

    /// The floor of a traced order: codes come from the counter `SN-0001`, `SN-0002`, ...
    pub async fn traced(phases: &[&str]) -> Self {
        let floor = Self::with(phases, |job| job["traceability_level"] = "complete".into()).await;
        let counter =
            json!({"_key": "c", "name": "Serials", "next_tick": 1, "template": ["SN-", "#4"], "frequency": "none"});
        floor.service.seed("Counter", json!([counter])).await;
        floor.change("Product", "p", json!({"traceability_level": "complete", "counter_key": "c"})).await;
        floor.change("WorkOrder", "w", json!({"traceability_level": "complete"})).await;
        floor
    }

    /// The same on a service that runs.
    pub async fn over(service: Service, phases: &[&str], change: impl Fn(&mut Value)) -> Self {
        let product = json!({"_key": "p", "code": "PUMP", "active": true, "trash": false, "process_phases": phases});
        service.seed("Product", json!([product])).await;
        let phase = |key: &&str| json!({"_key": key, "alias": key, "product_key": "p"});
        service.seed("Phase", phases.iter().map(phase).collect()).await;
        service.seed("WorkOrder", json!([order(phases)])).await;
        let mut jobs: Vec<Value> = Vec::new();
        for (place, phase) in phases.iter().enumerate() {
            let mut job = job(&format!("j{}", place + 1), phase, place, phases.len());
            change(&mut job);
            jobs.push(job);
        }
        let keys: Vec<Value> = jobs.iter().map(|job| job["_key"].clone()).collect();
        service.seed("Job", jobs.into()).await;
        let user = |key: &str| json!({"_key": key, "username": key, "name": key, "surname": key, "scope": "operator", "active": true, "trash": false, "hourly_cost": 36});
        service.seed("User", json!([user("u"), user("v"), user("s")])).await;
        let queue = json!({"_key": "q", "type": "o", "site_key": "0", "subqueue_target_key": "u", "work_orders": [], "jobs": keys, "independent": false});
        service.seed("Queue", json!([queue])).await;
        let (u, v) = (service.token("u", "operator").await, service.token("v", "operator").await);
        let s = service.token("s", "production").await;
        let floor = Self { service, u, v, s };
        let site = floor.documents("Queue").await.into_iter().find(|queue| queue["type"] == "s").unwrap();
        floor.change("Queue", site["_key"].as_str().unwrap(), json!({"work_orders": ["w"]})).await;
        floor
    }

    /// Posts an event with somebody's token.
    pub async fn post(&self, token: &str, event_type: &str, members: Value) -> Answer {
        let mut event = members;
        event["event_type"] = event_type.into();
        let (status, body) = self.service.send(Method::POST, "/event", token, event).await;
        Answer { status, body }
    }

    /// The same by operator `u`.
    pub async fn by_u(&self, event_type: &str, members: Value) -> Answer {
        self.post(&self.u, event_type, members).await
    }

    /// The same by operator `u` for a job.
    pub async fn job_event(&self, event_type: &str, job_key: &str) -> Answer {
        self.by_u(event_type, json!({"job_key": job_key})).await
    }

    /// Starts a job and gives the key of its batch.
    pub async fn start(&self, job_key: &str) -> String {
        let detail = self.job_event("JOB_STARTED", job_key).await.ok();
        detail["batch_data"]["_key"].as_str().unwrap().to_owned()
    }

    /// Completes the active batch of a job.
    pub async fn complete(&self, job_key: &str) -> Answer {
        let job = self.job(job_key).await;
        let members =
            json!({"active_batch_key": job["active_batch_key"], "completed_batch_qt": job["active_batch_qt"]});
        self.by_u("BATCH_COMPLETED", members).await
    }

    /// All documents of a collection.
    pub async fn documents(&self, collection: &str) -> Vec<Value> {
        const ALL: Query = Query::undeclared("test/all", "FOR d IN @@collection SORT d._key RETURN d");
        self.service.app.store.rows(&ALL, json!({"@collection": collection})).await.unwrap()
    }

    /// The document with a key, or null.
    pub async fn stored(&self, collection: &str, key: &str) -> Value {
        self.documents(collection).await.into_iter().find(|document| document["_key"] == key).unwrap_or_default()
    }

    /// A job.
    pub async fn job(&self, key: &str) -> Value {
        self.stored("Job", key).await
    }

    /// The work order.
    pub async fn order(&self) -> Value {
        self.stored("WorkOrder", "w").await
    }

    /// The last session of a job.
    pub async fn session(&self, job_key: &str) -> Value {
        let key = self.job(job_key).await["last_work_session_started"].clone();
        self.stored("WorkSession", key.as_str().unwrap_or_default()).await
    }

    /// The sessions that run.
    pub async fn running(&self) -> usize {
        self.documents("WorkSession").await.iter().filter(|session| session["active"] == true).count()
    }

    /// Changes a document as if it had come about otherwise.
    pub async fn change(&self, collection: &str, key: &str, members: Value) {
        const CHANGE: Query = Query::undeclared("test/change", "UPDATE @key WITH @members IN @@collection");
        let params = json!({"@collection": collection, "key": key, "members": members});
        let store = &self.service.app.store;
        let access = Access::default().writing(&[collection]);
        transaction!(store, access, |trx| { trx.run(&CHANGE, params.clone()).await }).unwrap();
    }

    /// The types of all events in the order of the journal, one call after the other.
    pub async fn journal(&self) -> Vec<String> {
        let mut events = self.documents("Event").await;
        events.sort_by_key(|event| (event["recorded"].as_str().map(str::to_owned), event["sequence"].as_i64()));
        events.iter().map(|event| event["event_type"].as_str().unwrap().to_owned()).collect()
    }

    /// The events of a type, in the order in which they were recorded.
    pub async fn events(&self, event_type: &str) -> Vec<Value> {
        let mut events = self.documents("Event").await;
        events.retain(|event| event["event_type"] == event_type);
        events.sort_by_key(|event| (event["recorded"].as_str().map(str::to_owned), event["sequence"].as_i64()));
        events
    }

    /// The jobs in the queue of an operator.
    pub async fn queue_of(&self, operator: &str) -> Value {
        let is_own = |queue: &Value| queue["type"] == "o" && queue["subqueue_target_key"] == operator;
        self.documents("Queue").await.into_iter().find(is_own).map_or(json!([]), |queue| queue["jobs"].clone())
    }

    /// The orders in the site queue.
    pub async fn site_queue(&self) -> Value {
        let queue = self.documents("Queue").await.into_iter().find(|queue| queue["type"] == "s");
        queue.unwrap_or_default()["work_orders"].clone()
    }

    /// Free work in progress of a phase, or booked by a job.
    pub async fn wip(&self, to: &str) -> f64 {
        let rows = self.documents("wip").await;
        rows.iter().filter(|row| row["_to"] == to).map(|row| row["quantity"].as_f64().unwrap()).sum()
    }
}

/// Seconds ago, as an event says it.
pub fn ago(seconds: i64) -> String {
    at(-seconds)
}

/// Seconds from now, as an event says it.
pub fn at(seconds: i64) -> String {
    (Utc::now() + TimeDelta::seconds(seconds)).to_rfc3339()
}

/// A stored time.
pub fn time(value: &Value) -> DateTime<Utc> {
    value.as_str().unwrap_or_else(|| panic!("no time: {value}")).parse().unwrap()
}
