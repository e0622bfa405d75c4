//! The events of a work order, played again.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::audit::{Said, given, number, text};
use crate::production::quantities;
use tracewright_model::WorkOrderStatus;

/// What events say of a job. What they do not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Job<'e> {
    pub stage: Option<WorkOrderStatus>,
    pub active: Option<bool>,
    pub batch: Said<Option<&'e str>>,
    pub batch_quantity: Option<f64>,
    pub completed: Option<f64>,
    last_session: Option<&'e str>,
}

impl Job<'_> {
    /// One that was planned and not begun.
    fn new() -> Self {
        Self {
            stage: Some(WorkOrderStatus::Created),
            active: Some(false),
            batch: Said::That(None),
            batch_quantity: Some(0.0),
            completed: Some(0.0),
            last_session: None,
        }
    }

    fn without_batch(&mut self) {
        (self.active, self.batch, self.batch_quantity) = (Some(false), Said::That(None), Some(0.0));
    }

    fn is_at(&mut self, completed: f64) {
        self.completed = Some(quantities::rounded(completed));
    }
}

/// What events say of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch<'e> {
    job: &'e str,
    pub active: bool,
    pub total: Option<f64>,
    pub passed: f64,
    /// `None`: events do not tell which ones of a job they are.
    pub canceled: Option<bool>,
}

/// What events say of a work session.
#[derive(Debug, Clone, PartialEq)]
pub struct Session<'e> {
    job: &'e str,
    batch: &'e str,
    pub active: bool,
    pub end: Option<&'e str>,
    /// `None`: events do not tell which ones of a job they are.
    pub canceled: Option<bool>,
}

/// What the events of a work order say.
#[derive(Debug, Default)]
pub struct History<'e> {
    /// Whether its beginning was recorded: nothing was there before.
    is_whole: bool,
    pub jobs: BTreeMap<&'e str, Job<'e>>,
    pub batches: BTreeMap<&'e str, Batch<'e>>,
    pub sessions: BTreeMap<&'e str, Session<'e>>,
    /// Times that were declared, by event.
    pub declared: BTreeMap<&'e str, f64>,
    declared_for: HashMap<&'e str, &'e str>,
}

/// Whether an event tells of work, after which the order follows from its jobs.
pub fn is_of_floor(event: &Value) -> bool {
    let name = text(event, "event_type");
    let is_order = ["WORK_ORDER_CREATED", "WORK_ORDER_STARTED", "WORK_ORDER_CLOSED"].contains(&name);
    let begins = ["JOB_", "BATCH_", "STEP_", "WIP_", "WORK_SESSION_", "ACTIVE_BATCH_", "PROGRESS_", "TIME_"];
    is_order || begins.iter().any(|prefix| name.starts_with(prefix))
}

impl<'e> History<'e> {
    /// Of events in the order in which they took effect. `planned`: pieces of each job.
    pub fn of(events: &[&'e Value], planned: &HashMap<String, f64>) -> Self {
        let mut history = Self::default();
        for event in events {
            history.add(event, planned);
        }
        history
    }

    /// What is said of a job.
    pub fn job(&self, key: &str) -> Job<'e> {
        let untouched = || if self.is_whole { Job::new() } else { Job::default() };
        self.jobs.get(key).cloned().unwrap_or_else(untouched)
    }

    /// The job whose time an event has declared.
    pub fn declared_for(&self, event_key: &str) -> &'e str {
        self.declared_for.get(event_key).copied().unwrap_or_default()
    }

    fn change(&mut self, event: &'e Value, change: impl FnOnce(&mut Job<'e>)) {
        let Some(key) = given(event, "job_key") else { return };
        let mut job = self.job(key);
        change(&mut job);
        self.jobs.insert(key, job);
    }

    fn add(&mut self, event: &'e Value, planned: &HashMap<String, f64>) {
        let job_key = text(event, "job_key");
        match text(event, "event_type") {
            "WORK_ORDER_CREATED" => self.is_whole = true,
            // Jobs are planned anew: a closed one may be open again.
            "WORK_ORDER_UPDATED" => {
                for job in self.jobs.values_mut().filter(|job| job.stage == Some(WorkOrderStatus::Closed)) {
                    job.stage = None;
                }
            }
            "JOB_STARTED" => self.change(event, |job| {
                job.stage = Some(WorkOrderStatus::Started);
                job.completed.get_or_insert(0.0);
            }),
            "JOB_RESUMED" => self.change(event, |job| job.stage = Some(WorkOrderStatus::Started)),
            "JOB_PAUSED" | "JOB_PAUSE_FORCED" | "JOB_PAUSED_OFFLINE" => self.change(event, |job| {
                (job.stage, job.active) = (Some(WorkOrderStatus::Started), Some(false));
            }),
            "JOB_BACK_ONLINE" => self.back_online(event),
            "JOB_CLOSED" => self.change(event, |job| {
                job.without_batch();
                job.stage = Some(WorkOrderStatus::Closed);
                job.is_at(number(event, "completed_qt"));
            }),
            "JOB_RESET" => self.reset(event),
            "BATCH_CREATED" => self.batch_created(event),
            "ACTIVE_BATCH_CHANGED" => {
                let quantity = Some(quantities::rounded(number(event, "new_active_batch_qt")));
                if let Some(batch) = self.batches.get_mut(text(event, "batch_key")) {
                    batch.total = quantity;
                }
                self.change(event, |job| job.batch_quantity = quantity);
            }
            "BATCH_COMPLETED" => self.batch_completed(event),
            "BATCH_CANCELED" => self.batch_canceled(event),
            "PROGRESS_OVERRIDE_REQUESTED" => self.progress(event, planned.get(job_key).copied().unwrap_or_default()),
            "TIME_OVERRIDE_REQUESTED" => {
                self.cancel_sessions(|session| session.job == job_key, Some(true));
                self.declared.insert(text(event, "_key"), number(event, "new_job_duration"));
                self.declared_for.insert(text(event, "_key"), job_key);
            }
            "WORK_SESSION_CREATED" => self.session_created(event),
            "WORK_SESSION_CLOSED" => self.session_closed(event),
            "WORK_SESSION_CANCELED" => {
                if let Some(session) = self.sessions.get_mut(text(event, "work_session_key")) {
                    session.canceled = Some(true);
                }
            }
            _ => {}
        }
    }

    /// Sessions that counted do not count any more, or it is not told whether they do.
    fn cancel_sessions(&mut self, are: impl Fn(&Session<'e>) -> bool, canceled: Option<bool>) {
        let counting = self.sessions.values_mut().filter(|session| session.canceled != Some(true));
        counting.filter(|session| are(session)).for_each(|session| session.canceled = canceled);
    }

    fn batch_created(&mut self, event: &'e Value) {
        let (key, total) = (text(event, "batch_key"), event["batch_qt"].as_f64());
        let job = text(event, "job_key");
        self.batches.insert(key, Batch { job, active: true, total, passed: 0.0, canceled: Some(false) });
        self.change(event, |job| (job.batch, job.batch_quantity) = (Said::That(Some(key)), total));
    }

    fn batch_completed(&mut self, event: &'e Value) {
        let (key, made) = (text(event, "active_batch_key"), quantities::rounded(number(event, "completed_batch_qt")));
        if let Some(batch) = self.batches.get_mut(key) {
            (batch.active, batch.total, batch.passed) = (false, Some(made), made);
        }
        self.change(event, |job| {
            job.without_batch();
            job.stage = Some(WorkOrderStatus::Started);
            job.completed = job.completed.map(|before| quantities::rounded(before + made));
        });
    }

    fn batch_canceled(&mut self, event: &'e Value) {
        let key = text(event, "batch_key");
        if let Some(batch) = self.batches.get_mut(key) {
            (batch.active, batch.canceled) = (false, Some(true));
        }
        self.cancel_sessions(|session| session.batch == key, Some(true));
        self.change(event, |job| {
            job.without_batch();
            job.stage = match job.completed {
                Some(completed) if quantities::exceeds(completed, 0.0) => Some(WorkOrderStatus::Started),
                Some(_) => Some(WorkOrderStatus::Created),
                None => None,
            };
        });
    }

    fn reset(&mut self, event: &'e Value) {
        let key = text(event, "job_key");
        for batch in self.batches.values_mut().filter(|batch| batch.job == key && !batch.active) {
            batch.canceled = Some(true);
        }
        self.cancel_sessions(|session| session.job == key, Some(true));
        self.change(event, |job| {
            job.without_batch();
            job.stage = Some(WorkOrderStatus::Created);
            job.is_at(0.0);
        });
    }

    fn progress(&mut self, event: &'e Value, planned: f64) {
        let (key, completed) = (text(event, "job_key"), number(event, "new_job_qt_completed"));
        if number(event, "quantity_change") < 0.0 {
            // The newest ones go, until enough are gone.
            for batch in self.batches.values_mut().filter(|batch| batch.job == key && batch.canceled == Some(false)) {
                batch.canceled = None;
            }
        }
        self.cancel_sessions(|session| session.job == key, None);
        self.change(event, |job| {
            job.without_batch();
            job.is_at(completed);
            job.stage = Some(if quantities::same(completed, planned) {
                WorkOrderStatus::Closed
            } else if quantities::same(completed, 0.0) {
                WorkOrderStatus::Created
            } else {
                WorkOrderStatus::Started
            });
        });
    }

    fn session_created(&mut self, event: &'e Value) {
        let (job, batch) = (text(event, "job_key"), text(event, "batch_key"));
        let key = given(event, "work_session_key");
        if let Some(key) = key {
            let session = Session { job, batch, active: true, end: None, canceled: Some(false) };
            self.sessions.insert(key, session);
        }
        self.change(event, |job| (job.active, job.last_session) = (Some(true), key));
    }

    fn session_closed(&mut self, event: &'e Value) {
        if let Some(session) = self.sessions.get_mut(text(event, "work_session_key")) {
            (session.active, session.end) = (false, given(event, "work_session_end"));
        }
        self.change(event, |job| job.active = Some(false));
    }

    fn back_online(&mut self, event: &'e Value) {
        let last = self.job(text(event, "job_key")).last_session;
        if let Some(session) = last.and_then(|key| self.sessions.get_mut(key)) {
            (session.active, session.end) = (true, None);
        }
        self.change(event, |job| job.active = Some(true));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(events: &[Value], read: impl Fn(&History<'_>)) {
        let events: Vec<&Value> = events.iter().collect();
        read(&History::of(&events, &HashMap::from([("j".to_owned(), 10.0)])));
    }

    fn begun() -> Vec<Value> {
        let of = |event_type: &str| json!({"event_type": event_type, "job_key": "j", "batch_key": "b"});
        let mut created = of("BATCH_CREATED");
        created["batch_qt"] = json!(5);
        let mut session = of("WORK_SESSION_CREATED");
        session["work_session_key"] = json!("s");
        vec![of("JOB_STARTED"), created, session]
    }

    #[test]
    fn a_job_that_is_begun_has_a_batch_and_runs() {
        told(&begun(), |history| {
            let job = history.job("j");
            assert_eq!(
                (job.stage, job.active, job.batch),
                (Some(WorkOrderStatus::Started), Some(true), Said::That(Some("b")))
            );
            assert_eq!((job.batch_quantity, job.completed), (Some(5.0), Some(0.0)));
            assert!(history.batches["b"].active && history.sessions["s"].active);
            assert_eq!(history.job("other"), Job::default(), "nothing tells how it began");
        });
    }

    #[test]
    fn a_reset_leaves_nothing_that_counts() {
        let mut events = begun();
        events.push(
            json!({"event_type": "BATCH_COMPLETED", "job_key": "j", "active_batch_key": "b", "completed_batch_qt": 5}),
        );
        told(&events, |history| assert_eq!(history.job("j").completed, Some(5.0)));
        events.push(json!({"event_type": "JOB_RESET", "job_key": "j"}));
        told(&events, |history| {
            assert_eq!(
                (history.job("j").stage, history.job("j").completed),
                (Some(WorkOrderStatus::Created), Some(0.0))
            );
            assert_eq!((history.batches["b"].canceled, history.sessions["s"].canceled), (Some(true), Some(true)));
        });
    }

    #[test]
    fn of_an_order_that_was_planned_here_untouched_jobs_are_known_too() {
        told(&[json!({"event_type": "WORK_ORDER_CREATED"})], |history| assert_eq!(history.job("j"), Job::new()));
    }

    #[test]
    fn a_closed_job_may_be_open_again_once_it_is_planned_anew() {
        let closed = json!({"event_type": "JOB_CLOSED", "job_key": "j", "completed_qt": 3});
        told(std::slice::from_ref(&closed), |history| {
            assert_eq!(history.job("j").stage, Some(WorkOrderStatus::Closed));
        });
        let updated = json!({"event_type": "WORK_ORDER_UPDATED"});
        told(&[closed, updated], |history| {
            assert_eq!((history.job("j").stage, history.job("j").completed), (None, Some(3.0)));
        });
    }
}
