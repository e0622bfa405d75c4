//! The state of work orders and jobs that follows from what is recorded: one way from what is stored to what is shown. It runs
//! at the end of every transaction that touches jobs.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::quantities::{self, Steps};
use super::{part, queues};
pub use crate::aql::production::order_states::{Jobs as JobState, Row as OrderState};
use crate::aql::production::{ORDER_STATES, UPDATE_JOBS, UPDATE_STATES, order_states, update_jobs, update_states};
use crate::aql::rows::MemberChange;
use crate::error::{Error, Result};
use crate::store::{Query, Transaction};
use tracewright_model::{Word, WorkOrderStatus};

/// Everything that recomputing runs, beside [`queues::QUERIES`].
pub const QUERIES: [Query; 3] = [ORDER_STATES, UPDATE_JOBS, UPDATE_STATES];

/// What [`derived`] runs.
pub const DERIVING: [Query; 1] = [ORDER_STATES];

/// What follows of a job.
#[derive(Serialize)]
struct JobFollows {
    progress: i64,
    next_batch_available: Option<bool>,
}

/// What follows of a work order.
#[derive(Serialize)]
struct OrderFollows<'a> {
    progress: i64,
    qt_completed: f64,
    status: WorkOrderStatus,
    start: Option<&'a str>,
    end: Option<&'a str>,
    active: bool,
    processing_time: i64,
    processing_cost: f64,
}

impl JobState {
    /// How far it has come.
    pub fn progress(&self) -> i64 {
        let (done, batch) = (self.done_steps as u64, self.active_batch_qt);
        let steps = self.steps.map(|all| Steps { all: all as u64, done, batch });
        quantities::job_progress(self.qt_planned, self.qt_completed, steps)
    }

    /// Whether its next batch can begin; nothing for a closed job.
    pub fn next_batch_available(&self, free: f64) -> Option<bool> {
        let next = || quantities::next_batch(self.qt_planned, self.qt_completed, self.active_batch_qt, self.batch_size);
        (self.stage != WorkOrderStatus::Closed).then(|| self.first_phase || quantities::fits(next(), free))
    }

    /// The members that are stored otherwise than they should be.
    fn change(&self, free: f64) -> Option<Result<MemberChange>> {
        let (progress, next_batch_available) = (self.progress(), self.next_batch_available(free));
        let is_stored = self.progress == Some(progress as f64) && self.next_batch_available == next_batch_available;
        (!is_stored).then(|| MemberChange::of(&self.key, &JobFollows { progress, next_batch_available }))
    }
}

impl OrderState {
    /// Free work in progress of a phase.
    pub fn free(&self, phase_key: &str) -> f64 {
        self.free.get(phase_key).and_then(Value::as_f64).unwrap_or_default()
    }

    fn job_changes(&self) -> impl Iterator<Item = Result<MemberChange>> {
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
    pub fn status_now(&self) -> WorkOrderStatus {
        if self.jobs.iter().all(|job| job.stage == WorkOrderStatus::Closed) {
            WorkOrderStatus::Closed
        } else if self.jobs.iter().any(|job| !job.stage.is_untouched()) {
            WorkOrderStatus::Started
        } else {
            WorkOrderStatus::Created
        }
    }

    /// What it should be like.
    fn follows<'a>(&'a self, now: &'a str) -> OrderFollows<'a> {
        let status = self.status_now();
        let start = (status != WorkOrderStatus::Created).then(|| self.start.as_deref().unwrap_or(now));
        let end = (status == WorkOrderStatus::Closed).then(|| self.end.as_deref().unwrap_or(now));
        OrderFollows {
            progress: self.progress(),
            qt_completed: self.completed(),
            status,
            start,
            end,
            active: self.jobs.iter().any(|job| job.active),
            processing_time: self.time.round() as i64,
            processing_cost: quantities::rounded(self.spent),
        }
    }
}

/// What became of a work order.
#[derive(Debug)]
pub struct Recomputed {
    /// Its key.
    pub key: String,
    /// Its status before.
    pub before: Word<WorkOrderStatus>,
    /// Its status by now.
    pub after: WorkOrderStatus,
    /// What it makes.
    pub product_key: Option<String>,
    /// The document as it is stored now.
    pub order: Value,
}

/// What is looked at of a stored work order.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    #[serde(rename = "_key")]
    key: Option<String>,
    product_key: Option<String>,
}

impl Recomputed {
    /// Whether work on it has begun just now; one that is opened again has begun before.
    pub fn has_started(&self) -> bool {
        self.before.is_untouched() && self.after == WorkOrderStatus::Started
    }

    /// Whether it is done with just now.
    pub fn has_closed(&self) -> bool {
        self.before != WorkOrderStatus::Closed && self.after == WorkOrderStatus::Closed
    }

    /// Whether there is something to do again.
    pub fn has_reopened(&self) -> bool {
        self.before == WorkOrderStatus::Closed && self.after != WorkOrderStatus::Closed
    }
}

async fn states(trx: &Transaction, order_keys: &[&str], now: &str) -> Result<Vec<OrderState>> {
    order_states(trx, order_states::Params { order_keys: order_keys.into(), now }).await
}

/// Brings `progress` and `next_batch_available` of all jobs of work orders up to date, where something depends on them before
/// the end, and tells what the orders' state follows from.
pub async fn jobs(trx: &Transaction, order_keys: &[&str], now: &str) -> Result<Vec<OrderState>> {
    let orders = states(trx, order_keys, now).await?;
    let changes: Vec<MemberChange> = orders.iter().flat_map(OrderState::job_changes).collect::<Result<_>>()?;
    if !changes.is_empty() {
        update_jobs(trx, update_jobs::Params { changes: &changes }).await?;
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
    let (changes, jobs) = changes(&orders, now)?;
    let stored = update_states(trx, update_states::Params { orders: &changes, jobs: &jobs }).await?;
    let recomputed = outcomes(orders, stored)?;
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

/// What became of work orders, in their order. The database answers with what it stored in any order.
fn outcomes(orders: Vec<OrderState>, stored: Vec<Value>) -> Result<Vec<Recomputed>> {
    let keyed = |order: Value| {
        let Named { key, product_key } = part(&order);
        (key.unwrap_or_default(), (product_key, order))
    };
    let mut stored: HashMap<String, (Option<String>, Value)> = stored.into_iter().map(keyed).collect();
    let outcome = |state: OrderState| {
        let order = stored.remove(&state.key);
        let missing = || Error::internal("A work order could not be stored.", state.key.clone());
        let (product_key, order) = order.ok_or_else(missing)?;
        Ok(Recomputed { after: state.status_now(), key: state.key, before: state.status, product_key, order })
    };
    orders.into_iter().map(outcome).collect()
}

/// What work orders should be like, and those of their jobs that are stored otherwise.
fn changes(orders: &[OrderState], now: &str) -> Result<(Vec<MemberChange>, Vec<MemberChange>)> {
    let jobs = orders.iter().flat_map(OrderState::job_changes).collect::<Result<_>>()?;
    let orders = orders.iter().map(|order| MemberChange::of(&order.key, &order.follows(now))).collect::<Result<_>>()?;
    Ok((orders, jobs))
}

/// What follows for work orders and those of their jobs that are stored otherwise. Nothing is written.
pub async fn derived(
    trx: &Transaction,
    order_keys: &[&str],
    now: &str,
) -> Result<(Vec<MemberChange>, Vec<MemberChange>)> {
    changes(&states(trx, order_keys, now).await?, now)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use WorkOrderStatus::{Closed, Created, Planned, Started};

    fn job(phase_key: &str, stage: WorkOrderStatus, planned: f64, completed: f64) -> JobState {
        JobState {
            key: format!("{phase_key}-{stage}"),
            phase_key: phase_key.to_owned(),
            stage: stage.into(),
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
            status: Created.into(),
            start: None,
            end: None,
            jobs,
            free: [("p2".to_owned(), json!(3.0))].into_iter().collect(),
            time: 0.0,
            spent: 0.0,
        }
    }

    #[test]
    fn an_order_is_as_far_as_its_phases_on_average_and_none_counts_more_than_planned() {
        let state =
            order(vec![job("p1", Started, 8.0, 8.0), job("p1", Started, 8.0, 8.0), job("p2", Started, 10.0, 5.0)]);
        assert_eq!(state.progress(), 75);
        assert_eq!(state.completed(), 5.0);
    }

    #[test]
    fn the_status_follows_from_the_jobs() {
        let status = |stages: &[WorkOrderStatus]| {
            order(stages.iter().map(|stage| job("p1", *stage, 10.0, 0.0)).collect()).status_now()
        };
        assert_eq!(status(&[Created, Planned]), Created);
        assert_eq!(status(&[Created, Started]), Started);
        assert_eq!(status(&[Created, Closed]), Started);
        assert_eq!(status(&[Closed, Closed]), Closed);
    }

    #[test]
    fn a_closed_order_keeps_its_end_and_an_open_one_has_none() {
        let mut state = order(vec![job("p1", Closed, 10.0, 10.0)]);
        state.end = Some("earlier".to_owned());
        assert_eq!(state.follows("now").end, Some("earlier"));
        state.jobs.push(job("p2", Created, 10.0, 0.0));
        assert_eq!(state.follows("now").end, None);
        assert_eq!(state.follows("now").start, Some("now"));
    }

    #[test]
    fn each_order_gets_what_was_stored_of_it_in_whatever_order_the_database_answers() {
        let named = |key: &str, stage| OrderState { key: key.to_owned(), ..order(vec![job("p1", stage, 10.0, 0.0)]) };
        let orders = || vec![named("a", Closed), named("b", Started), named("c", Created)];
        let stored = |keys: [&str; 3]| keys.map(|key| json!({"_key": key, "wo_code": key})).to_vec();
        for keys in [["a", "b", "c"], ["c", "a", "b"], ["c", "b", "a"]] {
            let found = outcomes(orders(), stored(keys)).unwrap();
            assert!(found.iter().all(|outcome| outcome.order["wo_code"] == outcome.key.as_str()), "{found:?}");
            let after: Vec<(&str, WorkOrderStatus)> =
                found.iter().map(|outcome| (outcome.key.as_str(), outcome.after)).collect();
            assert_eq!(after, [("a", Closed), ("b", Started), ("c", Created)]);
        }
        assert!(outcomes(orders(), stored(["a", "b", "b"])).is_err());
    }

    #[test]
    fn a_next_batch_needs_free_work_in_progress_but_in_the_first_phase() {
        let available = |job: JobState, free| job.next_batch_available(free);
        assert_eq!(available(job("p1", Created, 10.0, 0.0), 0.0), Some(true));
        assert_eq!(available(job("p2", Created, 10.0, 0.0), 3.0), Some(false));
        assert_eq!(available(job("p2", Started, 10.0, 7.0), 3.0), Some(true));
        assert_eq!(available(job("p2", Closed, 10.0, 10.0), 3.0), None);
    }
}
