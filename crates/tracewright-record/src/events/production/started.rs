//! `JOB_STARTED` and `JOB_RESUMED`: somebody begins to work on a job.

use poem_openapi::Object;

use super::batch_created::BatchCreated;
use super::sessions::WorkSessionCreated;
use super::settle::{self, JobAnswer};
use super::work::{self, Work, update_job};
use crate::aql::production_events::{SHOWS_UNASSIGNED, shows_unassigned};
use crate::auth::Scope;
use crate::error::{Error, Result};
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production::members::JobMembers;
use crate::store::{Access, Store};
use tracewright_model::WorkOrderStatus;
use tracewright_model::machine::JOB;

/// Work on a job begins.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_JOB_STARTED")]
pub struct JobStarted {
    job_key: String,
    /// Of a traced job: codes of new serials in the first phase, keys of serials in a later one.
    batch_serials: Option<Vec<String>>,
}

/// Work on a job goes on.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_JOB_RESUMED")]
pub struct JobResumed {
    job_key: String,
    /// Of a traced job that has no batch: codes of new serials in the first phase, keys of serials in a later one.
    batch_serials: Option<Vec<String>>,
}

fn access() -> Access<'static> {
    beginning().and(&work::QUERIES).and(&[SHOWS_UNASSIGNED]).joined(&settle::answering())
}

/// What a batch and a session declare.
pub fn beginning() -> Access<'static> {
    BatchCreated::access().joined(&WorkSessionCreated::access())
}

impl Event for JobStarted {
    const TYPE: EventType = EventType::JobStarted;

    type Answer = Option<JobAnswer>;

    fn access() -> Access<'static> {
        access()
    }

    async fn locks(&self, store: &Store, user_key: &str) -> Result<LockNames> {
        work::locks_of_work(store, &self.job_key, user_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Option<JobAnswer>> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        let key = &self.job_key;
        if work.job.stage == WorkOrderStatus::Closed {
            return Err(Refusal::JobIsStarted.says(format!("Job {key} is closed")));
        }
        if !JOB.allows(&work.job.stage, Self::TYPE) {
            return Err(Refusal::JobIsStarted.says(format!("Job {key} is already started")));
        }
        if work.job.assigned_to.is_none() && shows_unassigned(call.trx).await? == Some(false) {
            return Err(nobodys(key));
        }
        begin(call, this, &work, self.batch_serials.take()).await?;
        let start = work.job.start.clone().unwrap_or_else(|| call.stored_time());
        let members =
            JobMembers { stage: Some(WorkOrderStatus::Started), start: start.into(), ..JobMembers::default() };
        update_job(call, key, &members).await?;
        settle::answer(call, this, key, "The job is started".to_owned()).await
    }
}

impl Event for JobResumed {
    const TYPE: EventType = EventType::JobResumed;

    type Answer = Option<JobAnswer>;

    fn access() -> Access<'static> {
        access()
    }

    async fn locks(&self, store: &Store, user_key: &str) -> Result<LockNames> {
        work::locks_of_work(store, &self.job_key, user_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Option<JobAnswer>> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        let key = &self.job_key;
        must_be_started(&work)?;
        if work.job.active {
            return Err(Refusal::JobIsActive.says(format!("Job {key} is running")));
        }
        if work.job.assigned_to.is_none() {
            return Err(nobodys(key));
        }
        begin(call, this, &work, self.batch_serials.take()).await?;
        settle::answer(call, this, key, "The job is running again".to_owned()).await
    }
}

/// Refused unless work on the job has begun and is not done with.
pub fn must_be_started(work: &Work) -> Result<()> {
    let is_so = match work.job.stage.known() {
        Some(WorkOrderStatus::Started) => return Ok(()),
        Some(closed @ WorkOrderStatus::Closed) => closed.name(),
        _ => "not started",
    };
    Err(Refusal::JobIsNotStarted.says(format!("Job {} is {is_so}", work.job.key)))
}

fn nobodys(key: &str) -> Error {
    Refusal::JobHasNoAssignee.says(format!("Job {key} is not assigned to anybody"))
}

/// A batch, unless there is one, and a session of the event's user, to whom the job belongs from now on.
async fn begin(call: &mut Call<'_>, this: EventId, work: &Work, serials: Option<Vec<String>>) -> Result<()> {
    let (job, user_key) = (&work.job, call.user_key().to_owned());
    let is_own = job.assigned_to.as_ref().is_none_or(|assignee| *assignee == user_key);
    if !is_own && !call.may(Scope::ProductionOverrideRecord) {
        return Err(Refusal::Value.says(format!("Job {} is assigned to another operator", job.key)));
    }
    let session_key = call.user_session_key().map(str::to_owned);
    let batch_key = set_to_work(call, this, work, serials, (&user_key, session_key)).await?;
    call.concerns(this, Concerned { batch_key: Some(batch_key), ..work.concerned() });
    if job.assigned_to.as_deref() != Some(&user_key) {
        let members = JobMembers { assigned_to: user_key.clone().into(), ..JobMembers::default() };
        update_job(call, &job.key, &members).await?;
        call.queues.assign(&job.key, job.assigned_to.as_deref(), Some(&user_key));
    }
    Ok(())
}

/// A batch, unless there is one, and a session of a user; the job runs with them. Gives the key of the batch.
pub async fn set_to_work(
    call: &mut Call<'_>,
    this: EventId,
    work: &Work,
    serials: Option<Vec<String>>,
    (user_key, user_session_key): (&str, Option<String>),
) -> Result<String> {
    let (batch_key, quantity) = if let Some(batch) = work.active_batch() {
        (batch.key.clone(), batch.qt_total)
    } else {
        let batch = call.child(this, BatchCreated::of(work, serials)).await?.answer;
        (batch.key, batch.qt_total)
    };
    let session = WorkSessionCreated::of(work, user_key, user_session_key, &batch_key);
    let members = JobMembers {
        active: Some(true),
        last_work_session_started: Some(call.child(this, session).await?.answer),
        active_batch_key: batch_key.clone().into(),
        active_batch_qt: Some(quantity),
        last_online: Some(work.online(call)),
        ..JobMembers::default()
    };
    update_job(call, &work.job.key, &members).await?;
    Ok(batch_key)
}
