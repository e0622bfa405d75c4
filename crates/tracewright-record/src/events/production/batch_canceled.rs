//! `BATCH_CANCELED`: a batch that is not worked on any more does not count.

use poem_openapi::Object;
use poem_openapi::types::MaybeUndefined;
use serde_json::Value;

use super::closed::must_not_run;
use super::wip::WipUnbooked;
use super::work::{self, Work, update_job};
use super::{pieces, settle};
use crate::aql::production_events::{CANCEL_BATCHES, cancel_batches};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production::members::JobMembers;
use crate::production::quantities;
use crate::store::{Access, Store};
use tracewright_model::WorkOrderStatus;

/// The open batch of a job is given up.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_BATCH_CANCELED")]
pub struct BatchCanceled {
    job_key: String,
    /// The open batch, so that no other one is meant.
    batch_key: Option<String>,
}

impl BatchCanceled {
    /// The open batch of a job.
    pub fn of(work: &Work) -> Self {
        Self { job_key: work.job.key.clone(), batch_key: work.job.active_batch_key.clone() }
    }
}

impl Event for BatchCanceled {
    const TYPE: EventType = EventType::BatchCanceled;

    type Answer = Value;

    fn access() -> Access<'static> {
        let children = [WipUnbooked::access(), pieces::access(), settle::access()];
        children.iter().fold(Access::of(&[CANCEL_BATCHES]).and(&work::QUERIES), Access::joined)
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        work::lock_of_job(store, &self.job_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        must_not_run(&work)?;
        let no_batch = || Refusal::JobHasNoActiveBatch.says(format!("Job {} has no active batch", self.job_key));
        let batch = work.active_batch().ok_or_else(no_batch)?;
        if self.batch_key.as_ref().is_some_and(|key| *key != batch.key) {
            return Err(Refusal::Value.says(format!("The active batch of job {} is {}", self.job_key, batch.key)));
        }
        self.batch_key = Some(batch.key.clone());
        let links = pieces::links(call, &[&batch.key]).await?;
        pieces::take_apart(call, this, &links, true).await?;
        if !work.job.first_phase {
            call.child(this, WipUnbooked::of(&work, batch.qt_total)).await?;
        }
        if work.job.is_traced {
            let serials = pieces::of_batch(call, &batch.key).await?;
            pieces::take_out(call, &[&batch.key], None).await?;
            if work.job.first_phase {
                pieces::delete(call, this, &serials).await?;
            }
            let serial_keys = serials.into_iter().map(|piece| piece.key).collect();
            call.concerns(this, Concerned { serial_keys, ..work.concerned() });
        }
        cancel(call, this, &[&batch.key], true).await?;
        let mut members = JobMembers {
            active_batch_key: MaybeUndefined::Null,
            active_batch_qt: Some(0.0),
            forced: Some(call.key(this).to_owned()),
            ..JobMembers::default()
        };
        if !quantities::exceeds(work.job.qt_completed, 0.0) {
            (members.stage, members.start) = (Some(WorkOrderStatus::Created), MaybeUndefined::Null);
        }
        update_job(call, &self.job_key, &members).await?;
        Ok(Value::Null)
    }

    async fn settle(call: &mut Call<'_>, this: EventId) -> Result<()> {
        settle::orders(call, this).await
    }
}

/// Batches do not count any more, nor does what was recorded of them.
pub async fn cancel(call: &Call<'_>, this: EventId, batch_keys: &[&str], with_sessions: bool) -> Result<()> {
    if batch_keys.is_empty() {
        return Ok(());
    }
    let (event_key, end) = (call.key(this), call.stored_time());
    let params = cancel_batches::Params { batch_keys: batch_keys.into(), event_key, end: &end, with_sessions };
    cancel_batches(call.trx, params).await
}
