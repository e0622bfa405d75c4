//! `JOB_RESET`: everything that was recorded of a job is taken back.

use poem_openapi::Object;
use serde_json::{Value, json};

use super::batch_canceled::{BatchCanceled, cancel};
use super::closed::must_not_run;
use super::overrides::{Done, batches};
use super::settle;
use super::wip::{self, Row};
use super::work::{self, Work, update_job};
use crate::app::App;
use crate::aql::production_events::{BATCHES_OF_JOB, CANCEL_SESSIONS};
use crate::error::Result;
use crate::events::units::Names;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::production::{CLOSED, quantities};
use crate::store::Access;

/// Everything that was recorded of a job is taken back.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_JOB_RESET")]
pub struct JobReset {
    job_key: String,
}

impl Event for JobReset {
    const TYPE: EventType = EventType::JobReset;

    type Answer = Value;

    fn access() -> Access<'static> {
        BatchCanceled::access().and(&[BATCHES_OF_JOB, CANCEL_SESSIONS])
    }

    async fn units(&self, app: &App, _user_key: &str) -> Result<Names> {
        work::unit_of_job(app, &self.job_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        must_not_run(&work)?;
        let made = batches(call, &self.job_key).await?;
        if made.is_empty() {
            return Err(Refusal::Value.says(format!("Job {} has nothing to reset", self.job_key)));
        }
        take_back_wip(call, &work).await?;
        if work.active_batch().is_some() {
            call.child(this, BatchCanceled::of(&work)).await?;
        }
        let done: Vec<&str> =
            made.iter().filter(|batch| !batch.is_open).map(|batch: &Done| batch.key.as_str()).collect();
        cancel(call, this, &done, true).await?;
        // Times that belong to no batch.
        call.trx.run(&CANCEL_SESSIONS, json!({"job_key": self.job_key, "event_key": call.key(this)})).await?;
        let members = json!({
            "qt_completed": 0, "qt_released": 0, "progress": 0, "stage": "created", "start": null, "end": null,
            "active_batch_key": null, "active_batch_qt": 0, "forced": call.key(this),
        });
        update_job(call, &self.job_key, members).await?;
        if let Some(operator) = work.job.assigned_to.as_ref().filter(|_| work.job.stage == CLOSED) {
            call.queues.add_job(&self.job_key, operator);
        }
        Ok(Value::Null)
    }

    async fn settle(call: &mut Call<'_>, this: EventId) -> Result<()> {
        settle::orders(call, this).await
    }
}

/// What the job had handed on comes back, and what it had used is free again.
async fn take_back_wip(call: &Call<'_>, work: &Work) -> Result<()> {
    let completed = work.job.qt_completed;
    if let Some(next) = work.next_phase() {
        let there = wip::sum(&wip::rows(call, &work.order.key, &wip::free(next)).await?);
        if quantities::exceeds(completed, there) {
            let used = quantities::rounded(completed - there);
            return Err(Refusal::WipNotAvailable.says(format!("Already used in the next phase: {used}")));
        }
        wip::use_up(call, &work.order.key, completed, &wip::free(next)).await?;
    }
    wip::put(call, &give_back(work, completed)).await
}

/// Pieces that wait for the job's phase again: none in the first phase.
pub fn give_back(work: &Work, quantity: f64) -> Vec<Row> {
    let before = work.previous_phase().filter(|_| quantities::exceeds(quantity, 0.0));
    before.map(|before| Row::free(work, before, &work.job.phase_key, quantity, 0.0)).into_iter().collect()
}
