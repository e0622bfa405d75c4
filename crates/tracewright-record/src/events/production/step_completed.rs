//! `STEP_COMPLETED`: a step of the batch that is worked on is done.

use poem_openapi::Object;

use super::batch_completed::BatchCompleted;
use super::settle::{self, JobAnswer};
use super::steps::{self, Steps};
use super::work::{self, Work, update_online};
use crate::aql::production_events::step_ends_batch;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store};
use tracewright_model::FormFieldValue;

/// A step of a batch is done.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_STEP_COMPLETED")]
pub struct StepCompleted {
    batch_key: String,
    step_key: String,
    /// The values of its form.
    form_data: Option<Vec<FormFieldValue>>,
}

/// Refused unless a batch is the one that is worked on in its job.
pub fn must_be_active(work: &Work, batch_key: &str) -> Result<()> {
    if work.active_batch().is_some_and(|batch| batch.key == batch_key) {
        return Ok(());
    }
    Err(Refusal::Value.says(format!("Batch {batch_key} is not the active batch of its job")))
}

/// Refused unless somebody works on the job.
pub fn must_run(work: &Work) -> Result<()> {
    if work.running().is_some() {
        return Ok(());
    }
    Err(Refusal::Value.says(format!("Job {} is paused: resume it first", work.job.key)))
}

impl Event for StepCompleted {
    const TYPE: EventType = EventType::StepCompleted;

    type Answer = Option<JobAnswer>;

    fn access() -> Access<'static> {
        BatchCompleted::access().and(&steps::QUERIES)
    }

    /// A step that leaves others open touches nothing but its order: stations that share a counter or a shelf do not wait for it.
    async fn locks(&self, store: &Store, user_key: &str) -> Result<LockNames> {
        let params = step_ends_batch::Params { batch_key: &self.batch_key, step_key: &self.step_key };
        let found = step_ends_batch(store, params).await?;
        let Some(step_ends_batch::Row { job_key: Some(job_key), order_key, ends }) = found else {
            return Ok(LockNames::new());
        };
        if ends {
            return work::locks_of_completing(store, &job_key, user_key).await;
        }
        Ok(order_key.iter().map(|key| work::lock_of_order(key)).collect())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Option<JobAnswer>> {
        let work = Work::take_up_batch(call, this, &self.batch_key).await?;
        let job_key = work.job.key.clone();
        must_be_active(&work, &self.batch_key)?;
        must_run(&work)?;
        let recorded = Steps::read(call, &job_key, &self.batch_key).await?;
        let step = recorded.step(&self.step_key)?;
        recorded.must_be_next(step)?;
        let data = recorded.filled(step, self.form_data.as_deref().unwrap_or_default())?;
        let key = recorded.record(&self.step_key).map(|record| record.key.as_str());
        steps::store(call, None, &[step.record(call, &work, &self.batch_key, data, key)]).await?;
        let open = recorded.open(Some(&self.step_key));
        let message = if open == 0 {
            let completed = BatchCompleted::of(&self.batch_key, work.job.active_batch_qt);
            call.child(this, completed).await?;
            "The step is done, and with it the batch".to_owned()
        } else {
            update_online(call, &work).await?;
            format!("The step is done, {open} to go")
        };
        settle::answer(call, this, &job_key, message).await
    }
}
