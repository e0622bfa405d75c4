//! A job as its events see it: what all of them look up, and what many of them tell of it.

use chrono::TimeDelta;
use serde::Deserialize;
use serde_json::Value;

use super::goods;
use crate::aql::event::work_order_of_job;
use crate::aql::production::{UPDATE_JOBS, update_jobs};
use crate::aql::production_events::locks_of_work::Row as Touched;
use crate::aql::production_events::{
    self as stored, JOB_OF_BATCH, TAKE_UP, locks_of_work as touched_by_work, take_up, update_batches,
};
use crate::aql::rows::MemberChange;
use crate::clock;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, EventId, Refusal};
use crate::production::members::{BatchMembers, JobMembers};
use crate::production::queues;
use crate::store::{Query, Store};
use tracewright_model::{Word, WorkOrderStatus};

/// What looking up a job and changing it run.
pub const QUERIES: [Query; 3] = [JOB_OF_BATCH, TAKE_UP, UPDATE_JOBS];
/// How much later than an event a session may have begun that still counts as begun by then.
const TOLERANCE: TimeDelta = TimeDelta::minutes(5);

/// A job with its work order, its last session and its active batch.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Work {
    pub job: Job,
    pub order: Order,
    /// The last session, whether it runs or not.
    pub session: Option<Session>,
    /// The batch that the job names as its active one.
    pub batch: Option<Batch>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct Job {
    pub key: String,
    pub wo_key: String,
    pub phase_key: String,
    pub product_key: String,
    pub stage: Word<WorkOrderStatus>,
    pub active: bool,
    pub first_phase: bool,
    pub last_phase: bool,
    /// Whether each piece has a serial.
    pub is_traced: bool,
    pub qt_planned: f64,
    pub qt_completed: f64,
    pub active_batch_key: Option<String>,
    pub active_batch_qt: f64,
    pub assigned_to: Option<String>,
    pub start: Option<String>,
    pub last_online: Option<String>,
    pub notes: Option<String>,
    /// Pieces of a batch; 0: all that is left.
    pub batch_size: f64,
    pub auto_new_batch: bool,
    /// Whether every step has to be completed.
    pub step_check: bool,
    /// Seconds of one piece.
    pub std_processing_time: f64,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct Order {
    pub key: String,
    pub phase_sequence: Vec<String>,
    /// Whether serials of its product get their codes from a counter.
    pub has_counter: bool,
    /// What is recorded of each of them, of a traced order.
    pub serial_fields: Vec<Value>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Session {
    pub key: String,
    pub user_key: Option<String>,
    pub user_session_key: Option<String>,
    pub batch_key: Option<String>,
    pub active: bool,
    pub paused_offline: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Batch {
    pub key: String,
    pub qt_total: f64,
    pub active: bool,
}

impl Work {
    /// Looks up the job that an event is about. The event concerns it from now on, and its order is touched.
    pub async fn take_up(call: &mut Call<'_>, this: EventId, job_key: &str) -> Result<Self> {
        let found = Self::look_up(call, this, Some(job_key), None).await?;
        found.ok_or_else(|| Refusal::Value.not_found("Job", job_key))
    }

    /// The same for the job of a batch.
    pub async fn take_up_batch(call: &mut Call<'_>, this: EventId, batch_key: &str) -> Result<Self> {
        match Self::look_up(call, this, None, Some(batch_key)).await? {
            Some(work) => Ok(work),
            // Which of the two is missing?
            None => Err(Refusal::Value.not_found("Job", &job_of_batch(call, batch_key).await?)),
        }
    }

    async fn look_up(
        call: &mut Call<'_>,
        this: EventId,
        job_key: Option<&str>,
        batch_key: Option<&str>,
    ) -> Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Row {
            job: Job,
            order: Option<Order>,
            session: Option<Session>,
            batch: Option<Batch>,
        }
        let params = take_up::Params { job_key, batch_key, event_key: call.key(this) };
        let found: Option<Row> = take_up(call.trx, params).await?;
        let Some(Row { job, order, session, batch }) = found else { return Ok(None) };
        let order = order.ok_or_else(|| Refusal::Value.not_found("Work order", &job.wo_key))?;
        let work = Self { job, order, session, batch };
        call.concerns(this, work.concerned());
        Ok(Some(work))
    }

    /// What events about it concern.
    pub fn concerned(&self) -> Concerned {
        Concerned {
            work_order_key: Some(self.order.key.clone()),
            job_key: Some(self.job.key.clone()),
            phase_key: Some(self.job.phase_key.clone()),
            batch_key: self.job.active_batch_key.clone(),
            product_key: Some(self.job.product_key.clone()),
            ..Concerned::default()
        }
    }

    /// The session that runs.
    pub fn running(&self) -> Option<&Session> {
        self.session.as_ref().filter(|session| session.active)
    }

    /// The batch that is worked on.
    pub fn active_batch(&self) -> Option<&Batch> {
        self.batch.as_ref().filter(|batch| batch.active)
    }

    /// Pieces that are not completed.
    pub fn rest(&self) -> f64 {
        self.job.qt_planned - self.job.qt_completed
    }

    /// The phase behind the job's; `None` in the last one.
    pub fn next_phase(&self) -> Option<&str> {
        let sequence = &self.order.phase_sequence;
        let place = sequence.iter().position(|key| *key == self.job.phase_key)?;
        sequence.get(place + 1).map(String::as_str)
    }

    /// The phase before the job's; `None` in the first one.
    pub fn previous_phase(&self) -> Option<&str> {
        let sequence = &self.order.phase_sequence;
        let place = sequence.iter().position(|key| *key == self.job.phase_key)?;
        place.checked_sub(1).map(|place| sequence[place].as_str())
    }

    /// Whether the batch's serials come from the phase before rather than being made.
    pub fn is_traced_later(&self) -> bool {
        self.job.is_traced && !self.job.first_phase
    }

    /// When the job was heard of last: the event, unless it is reported late.
    pub fn online(&self, call: &Call<'_>) -> String {
        let is_later = |time: &&String| clock::parse(time).is_some_and(|time| time > call.time());
        self.job.last_online.as_ref().filter(is_later).cloned().unwrap_or_else(|| call.stored_time())
    }
}

/// The latest start of a session that an event still finds running.
pub fn latest_start(call: &Call<'_>) -> String {
    clock::stored(call.time() + TOLERANCE)
}

/// Changes members of a job.
pub async fn update_job(call: &Call<'_>, job_key: &str, members: &JobMembers) -> Result<()> {
    update_jobs(call.trx, update_jobs::Params { changes: &[MemberChange::of(job_key, members)?] }).await
}

/// Changes members of a batch.
pub async fn update_batch(call: &Call<'_>, batch_key: &str, members: &BatchMembers) -> Result<()> {
    update_batches(call.trx, update_batches::Params { changes: &[MemberChange::of(batch_key, members)?] }).await
}

/// The job was heard of just now.
pub async fn update_online(call: &Call<'_>, work: &Work) -> Result<()> {
    let members = JobMembers { last_online: Some(work.online(call)), ..JobMembers::default() };
    update_job(call, &work.job.key, &members).await
}

/// The lock of the work order of a job.
pub async fn lock_of_job(store: &Store, job_key: &str) -> Result<LockNames> {
    let order = work_order_of_job(store, work_order_of_job::Params { key: job_key }).await?;
    Ok(order.iter().map(|key| lock_of_order(key)).collect())
}

/// The lock of a work order.
pub fn lock_of_order(key: &str) -> String {
    format!("WorkOrder/{key}")
}

/// The work order of a job that may be done with, or open again, afterwards, and the queues.
pub async fn locks_of_ending(store: &Store, job_key: &str) -> Result<LockNames> {
    let mut names = lock_of_job(store, job_key).await?;
    names.insert(queues::UNIT.to_owned());
    Ok(names)
}

impl Touched {
    async fn read(store: &Store, job_key: &str, user_key: &str) -> Result<Option<Self>> {
        touched_by_work(store, touched_by_work::Params { job_key, user_key }).await
    }

    fn names(&self, user_key: &str) -> LockNames {
        let users = [user_key].into_iter().chain(self.worker.as_deref()).map(|key| format!("User/{key}"));
        let orders = self.orders.iter().map(|key| lock_of_order(key));
        orders.chain(users).chain(self.counter.iter().map(|key| format!("Counter/{key}"))).collect()
    }
}

/// Everything that beginning a session or a batch of a job can touch.
pub async fn locks_of_work(store: &Store, job_key: &str, user_key: &str) -> Result<LockNames> {
    let touched = Touched::read(store, job_key, user_key).await?;
    Ok(touched.map(|touched| touched.names(user_key)).unwrap_or_default())
}

/// Everything that completing a batch can touch: the next one, and stock.
pub async fn locks_of_batch(store: &Store, batch_key: &str, user_key: &str) -> Result<LockNames> {
    let found = stored::job_of_batch(store, stored::job_of_batch::Params { batch_key }).await?;
    let Some(job_key) = found.flatten() else { return Ok(LockNames::new()) };
    locks_of_completing(store, &job_key, user_key).await
}

/// The same by the job of the batch.
pub async fn locks_of_completing(store: &Store, job_key: &str, user_key: &str) -> Result<LockNames> {
    let Some(touched) = Touched::read(store, job_key, user_key).await? else { return Ok(LockNames::new()) };
    let mut names = touched.names(user_key);
    names.extend(goods::locks(store, &touched.order_key, &touched.phase_key, &touched.product_key).await?);
    names.extend(touched.leaves_queue.then(|| queues::UNIT.to_owned()));
    Ok(names)
}

/// The job of a batch that an event names.
async fn job_of_batch(call: &Call<'_>, batch_key: &str) -> Result<String> {
    let found = stored::job_of_batch(call.trx, stored::job_of_batch::Params { batch_key }).await?;
    found.flatten().ok_or_else(|| Refusal::Value.not_found("Batch", batch_key))
}
