//! `BATCH_CANCELED`: a batch that is not worked on any more does not count.

use poem_openapi::Object;
use serde_json::{Value, json};

use super::closed::must_not_run;
use super::settle;
use super::wip::WipUnbooked;
use super::work::{self, Work, update_job};
use crate::app::App;
use crate::aql::production_events::CANCEL_BATCHES;
use crate::error::Result;
use crate::events::units::Names;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::production::quantities;
use crate::store::Access;

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
        Access::of(&[CANCEL_BATCHES]).and(&work::QUERIES).joined(&WipUnbooked::access()).joined(&settle::access())
    }

    async fn units(&self, app: &App, _user_key: &str) -> Result<Names> {
        work::unit_of_job(app, &self.job_key).await
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
        if !work.job.first_phase {
            call.child(this, WipUnbooked::of(&work, batch.qt_total)).await?;
        }
        cancel(call, this, &[&batch.key], true).await?;
        let mut members = json!({"active_batch_key": null, "active_batch_qt": 0, "forced": call.key(this)});
        if !quantities::exceeds(work.job.qt_completed, 0.0) {
            (members["stage"], members["start"]) = (json!("created"), Value::Null);
        }
        update_job(call, &self.job_key, members).await?;
        Ok(Value::Null)
    }

    async fn settle(call: &mut Call<'_>, this: EventId) -> Result<()> {
        settle::orders(call, this).await
    }
}

/// Batches do not count any more, nor does what was recorded of them.
pub async fn cancel(call: &Call<'_>, this: EventId, batch_keys: &[&str], with_sessions: bool) -> Result<()> {
    let params = json!({
        "batch_keys": batch_keys, "event_key": call.key(this), "end": call.stored_time(),
        "with_sessions": with_sessions,
    });
    if batch_keys.is_empty() { Ok(()) } else { call.trx.run(&CANCEL_BATCHES, params).await }
}
