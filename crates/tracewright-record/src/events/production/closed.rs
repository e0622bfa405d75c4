//! `JOB_CLOSED`: a job is done with.

use poem_openapi::Object;
use serde_json::Value;

use super::settle;
use super::work::{self, Work, update_job};
use crate::aql::production::{PLAIN_JOBS, plain_jobs};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::production::{jobs, quantities};
use crate::store::{Access, Store};
use tracewright_model::machine::JOB;

/// A job is done with.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_JOB_CLOSED")]
pub struct JobClosed {
    job_key: String,
    completed_qt: f64,
    /// Whether what is completed is all that was planned.
    #[oai(default)]
    update_planned_qt: bool,
    notes: Option<String>,
    /// Nobody closed it: everything is completed.
    #[oai(skip)]
    by_itself: bool,
}

impl JobClosed {
    /// A job of which everything is completed.
    pub fn by_itself(job_key: &str, completed: f64) -> Self {
        Self {
            job_key: job_key.to_owned(),
            completed_qt: completed,
            update_planned_qt: false,
            notes: None,
            by_itself: true,
        }
    }
}

/// Refused while somebody works on the job.
pub fn must_not_run(work: &Work) -> Result<()> {
    if work.job.active {
        return Err(Refusal::JobIsActive.says(format!("Pause job {} first", work.job.key)));
    }
    Ok(())
}

/// Refused while a batch of the job is open.
pub fn must_have_no_batch(work: &Work) -> Result<()> {
    if work.job.active_batch_key.is_some() {
        return Err(
            Refusal::JobHasActiveBatch.says(format!("Complete or cancel the batch of job {} first", work.job.key))
        );
    }
    Ok(())
}

impl Event for JobClosed {
    const TYPE: EventType = EventType::JobClosed;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[PLAIN_JOBS]).and(&work::QUERIES).joined(&settle::access())
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        work::locks_of_ending(store, &self.job_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        if JOB.forbids(&work.job.stage, Self::TYPE) {
            return Err(Refusal::Value.says(format!("Job {} is closed", self.job_key)));
        }
        must_not_run(&work)?;
        must_have_no_batch(&work)?;
        if !quantities::same(self.completed_qt, work.job.qt_completed) {
            return Err(Refusal::Value.says("Use a progress override to change the quantity"));
        }
        let (completed, now) = (work.job.qt_completed, call.stored_time());
        let mut members = if self.by_itself {
            jobs::completing(completed, work.job.notes.as_deref(), &now)
        } else {
            jobs::closing(completed, self.notes.as_deref(), &now)
        };
        if self.update_planned_qt && quantities::exceeds(completed, 0.0) {
            members.qt_planned = Some(completed);
        }
        update_job(call, &self.job_key, &members).await?;
        if let Some(operator) = &work.job.assigned_to {
            call.queues.remove_job(&self.job_key, operator);
        }
        if !call.is_primary(this) {
            return Ok(Value::Null);
        }
        settle::orders(call, this).await?;
        let stored =
            plain_jobs(call.trx, plain_jobs::Params { job_keys: [&self.job_key].into_iter().collect() }).await?;
        Ok(stored.into_iter().next().unwrap_or_default())
    }
}
