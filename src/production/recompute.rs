//! The state of work orders and jobs that follows from what is recorded: one way from what is stored to what is shown. It runs
//! at the end of every transaction that touches jobs.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::quantities::{self, Steps};
use super::{CLOSED, is_untouched, queues};
use crate::aql::production::{ORDER_STATES, UPDATE_JOBS, UPDATE_STATES};
use crate::error::Result;
use crate::store::{Query, Transaction};

/// Everything that recomputing runs, beside [`queues::QUERIES`].
pub const QUERIES: [Query; 3] = [ORDER_STATES, UPDATE_JOBS, UPDATE_STATES];

/// What [`derived`] runs.
pub const DERIVING: [Query; 1] = [ORDER_STATES];

/// A work order with what its state follows from.
#[derive(Debug, Deserialize)]
pub struct OrderState {
    /// Its key.
    pub key: String,
    /// Its phases, in order.
    pub phase_sequence: Vec<String>,
    /// Pieces to be made.
    pub qt_planned: f64,
    /// Its status as stored.
    pub status: String,
    start: Option<String>,
    end: Option<String>,
    /// Its jobs.
    pub jobs: Vec<JobState>,
    /// Work in progress that waits for each phase.
    free: HashMap<String, f64>,
    /// Milliseconds of its work sessions.
    time: f64,
    /// What they cost.
    spent: f64,
}

/// A job as far as states follow from it.
#[derive(Debug, Deserialize)]
pub struct JobState {
    /// Its key.
    pub key: String,
    /// Its phase.
    pub phase_key: String,
    /// Where it stands.
    pub stage: String,
    active: bool,
    first_phase: bool,
    last_phase: bool,
    qt_planned: f64,
    qt_completed: f64,
    qt_released: f64,
    progress: Option<f64>,
    next_batch_available: Option<bool>,
    active_batch_qt: f64,
    batch_size: f64,
    /// How many steps it has, where they count.
    steps: Option<u64>,
    done_steps: u64,
}

impl JobState {
    /// How far it has come.
    pub fn progress(&self) -> i64 {
        let steps = self.steps.map(|all| Steps { all, done: self.done_steps, batch: self.active_batch_qt });
        quantities::job_progress(self.qt_planned, self.qt_completed, steps)
    }

    /// Whether its next batch can begin; nothing for a closed job.
    pub fn next_batch_available(&self, free: f64) -> Option<bool> {
        let next = || quantities::next_batch(self.qt_planned, self.qt_completed, self.active_batch_qt, self.batch_size);
        (self.stage != CLOSED).then(|| self.first_phase || quantities::fits(next(), free))
    }

    /// The members that are stored otherwise than they should be.
    fn change(&self, free: f64) -> Option<Value> {
        let (progress, available) = (self.progress(), self.next_batch_available(free));
        let is_stored = self.progress == Some(progress as f64) && self.next_batch_available == available;
        let members = json!({"progress": progress, "next_batch_available": available});
        (!is_stored).then(|| json!({"key": self.key, "members": members}))
    }
}

impl OrderState {
    /// Free work in progress of a phase.
    pub fn free(&self, phase_key: &str) -> f64 {
        self.free.get(phase_key).copied().unwrap_or_default()
    }

    fn job_changes(&self) -> impl Iterator<Item = Value> {
        self.jobs.iter().filter_map(|job| job.change(self.free(&job.phase_key)))
    }

    /// The mean of how far its phases have come.
    pub fn progress(&self) -> i64 {
        let phases = self.phase_sequence.len().max(1) as f64;
        let shares = self.phase_sequence.iter().map(|phase_key| {
            let own = self.jobs.iter().filter(|job| job.phase_key == *phase_key);
            let made: f64 = own.map(|job| job.progress() as f64 * job.qt_planned / 100.0).sum();
            if self.qt_planned <= quantities::EPSILON { 1.0 } else { made.min(self.qt_planned) / self.qt_planned }
        });
        quantities::percent(shares.sum::<f64>() / phases)
    }

    /// Pieces that have passed the last phase.
    pub fn completed(&self) -> f64 {
        let last = self.jobs.iter().filter(|job| job.last_phase);
        quantities::rounded(last.map(|job| job.qt_released).sum())
    }

    /// Where it stands: `closed` without an open job, `started` as soon as a job is.
    pub fn status_now(&self) -> &'static str {
        if self.jobs.iter().all(|job| job.stage == CLOSED) {
            CLOSED
        } else if self.jobs.iter().any(|job| !is_untouched(&job.stage)) {
            "started"
        } else {
            "created"
        }
    }

    fn members(&self, now: &str) -> Value {
        let status = self.status_now();
        let start = (status != "created").then(|| self.start.as_deref().unwrap_or(now));
        let end = (status == CLOSED).then(|| self.end.as_deref().unwrap_or(now));
        json!({
            "progress": self.progress(), "qt_completed": self.completed(), "status": status, "start": start, "end": end,
            "active": self.jobs.iter().any(|job| job.active),
            "processing_time": self.time.round() as i64, "processing_cost": quantities::rounded(self.spent),
        })
    }

    /// What it should be like.
    fn change(&self, now: &str) -> Value {
        json!({"key": self.key, "members": self.members(now)})
    }
}

/// What became of a work order.
#[derive(Debug)]
pub struct Recomputed {
    /// Its key.
    pub key: String,
    /// Its status before.
    pub before: String,
    /// Its status by now.
    pub after: &'static str,
    /// The document as it is stored now.
    pub order: Value,
}

impl Recomputed {
    /// Whether work on it has begun just now; one that is opened again has begun before.
    pub fn has_started(&self) -> bool {
        is_untouched(&self.before) && self.after == "started"
    }

    /// Whether it is done with just now.
    pub fn has_closed(&self) -> bool {
        self.before != CLOSED && self.after == CLOSED
    }

    /// Whether there is something to do again.
    pub fn has_reopened(&self) -> bool {
        self.before == CLOSED && self.after != CLOSED
    }
}

async fn states(trx: &Transaction, order_keys: &[&str], now: &str) -> Result<Vec<OrderState>> {
    trx.rows(&ORDER_STATES, json!({"order_keys": order_keys, "now": now})).await
}

/// Brings `progress` and `next_batch_available` of all jobs of work orders up to date, where something depends on them before
/// the end, and tells what the orders' state follows from.
pub async fn jobs(trx: &Transaction, order_keys: &[&str], now: &str) -> Result<Vec<OrderState>> {
    let orders = states(trx, order_keys, now).await?;
    let changes: Vec<Value> = orders.iter().flat_map(OrderState::job_changes).collect();
    if !changes.is_empty() {
        trx.run(&UPDATE_JOBS, json!({"changes": changes})).await?;
    }
    Ok(orders)
}

/// Recomputes work orders with their jobs, and makes the changes of queues: those of the caller, and those that follow. An
/// order that is done leaves the site queue, one that is open again comes to its end. `now` is the time of the event.
pub async fn work_orders(
    trx: &Transaction,
    order_keys: &[&str],
    now: &str,
    mut queues: queues::Changes,
) -> Result<Vec<Recomputed>> {
    let orders = states(trx, order_keys, now).await?;
    let (changes, jobs) = changes(&orders, now);
    let stored: Vec<Value> = trx.rows(&UPDATE_STATES, json!({"orders": changes, "jobs": jobs})).await?;
    let key = |order: &Value| order["_key"].as_str().unwrap_or_default().to_owned();
    let mut stored: HashMap<String, Value> = stored.into_iter().map(|order| (key(&order), order)).collect();
    let recompute = |state: OrderState| {
        let order = stored.remove(&state.key)?;
        Some(Recomputed { after: state.status_now(), key: state.key, before: state.status, order })
    };
    let recomputed: Vec<Recomputed> = orders.into_iter().filter_map(recompute).collect();
    for order in &recomputed {
        if order.has_closed() {
            queues.remove_order(&order.key);
        } else if order.has_reopened() {
            queues.append_order(&order.key);
        }
    }
    queues.apply(trx).await?;
    Ok(recomputed)
}

/// What work orders should be like, and those of their jobs that are stored otherwise, each as `{key, members}`.
fn changes(orders: &[OrderState], now: &str) -> (Vec<Value>, Vec<Value>) {
    let jobs = orders.iter().flat_map(OrderState::job_changes).collect();
    (orders.iter().map(|order| order.change(now)).collect(), jobs)
}

/// What follows for work orders and those of their jobs that are stored otherwise, each as `{key, members}`. Nothing is
/// written.
pub async fn derived(trx: &Transaction, order_keys: &[&str], now: &str) -> Result<(Vec<Value>, Vec<Value>)> {
    Ok(changes(&states(trx, order_keys, now).await?, now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(phase_key: &str, stage: &str, planned: f64, completed: f64) -> JobState {
        JobState {
            key: format!("{phase_key}-{stage}"),
            phase_key: phase_key.to_owned(),
            stage: stage.to_owned(),
            active: false,
            first_phase: phase_key == "p1",
            last_phase: phase_key == "p2",
            qt_planned: planned,
            qt_completed: completed,
            qt_released: completed,
            progress: None,
            next_batch_available: None,
            active_batch_qt: 0.0,
            batch_size: 5.0,
            steps: None,
            done_steps: 0,
        }
    }

    fn order(jobs: Vec<JobState>) -> OrderState {
        OrderState {
            key: "w".to_owned(),
            phase_sequence: vec!["p1".to_owned(), "p2".to_owned()],
            qt_planned: 10.0,
            status: "created".to_owned(),
            start: None,
            end: None,
            jobs,
            free: HashMap::from([("p2".to_owned(), 3.0)]),
            time: 0.0,
            spent: 0.0,
        }
    }

    #[test]
    fn an_order_is_as_far_as_its_phases_on_average_and_none_counts_more_than_planned() {
        let state = order(vec![
            job("p1", "started", 8.0, 8.0),
            job("p1", "started", 8.0, 8.0),
            job("p2", "started", 10.0, 5.0),
        ]);
        assert_eq!(state.progress(), 75);
        assert_eq!(state.completed(), 5.0);
    }

    #[test]
    fn the_status_follows_from_the_jobs() {
        let status =
            |stages: &[&str]| order(stages.iter().map(|stage| job("p1", stage, 10.0, 0.0)).collect()).status_now();
        assert_eq!(status(&["created", "planned"]), "created");
        assert_eq!(status(&["created", "started"]), "started");
        assert_eq!(status(&["created", "closed"]), "started");
        assert_eq!(status(&["closed", "closed"]), "closed");
    }

    #[test]
    fn a_closed_order_keeps_its_end_and_an_open_one_has_none() {
        let mut state = order(vec![job("p1", "closed", 10.0, 10.0)]);
        state.end = Some("earlier".to_owned());
        assert_eq!(state.members("now")["end"], "earlier");
        state.jobs.push(job("p2", "created", 10.0, 0.0));
        assert_eq!(state.members("now")["end"], Value::Null);
        assert_eq!(state.members("now")["start"], "now");
    }

    #[test]
    fn a_next_batch_needs_free_work_in_progress_but_in_the_first_phase() {
        let available = |job: JobState, free| job.next_batch_available(free);
        assert_eq!(available(job("p1", "created", 10.0, 0.0), 0.0), Some(true));
        assert_eq!(available(job("p2", "created", 10.0, 0.0), 3.0), Some(false));
        assert_eq!(available(job("p2", "started", 10.0, 7.0), 3.0), Some(true));
        assert_eq!(available(job("p2", "closed", 10.0, 10.0), 3.0), None);
    }
}
