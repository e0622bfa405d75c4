//! `ACTIVE_BATCH_CHANGED`: the batch that is worked on has more pieces, or fewer.

use poem_openapi::Object;
use serde_json::{Value, json};

use super::settle;
use super::started::must_be_started;
use super::wip::{self, WipBooked, WipUnbooked};
use super::work::{self, Work, update_job};
use crate::app::App;
use crate::aql::production_events::UPDATE_BATCHES;
use crate::error::Result;
use crate::events::units::Names;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::production::quantities;
use crate::store::Access;

/// The batch that is worked on has more pieces, or fewer.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_ACTIVE_BATCH_CHANGED")]
pub struct ActiveBatchChanged {
    job_key: String,
    new_active_batch_qt: f64,
    /// Of a traced job: codes of serials that are added in the first phase, keys of all serials in a later one.
    batch_serials: Option<Vec<String>>,
}

impl Event for ActiveBatchChanged {
    const TYPE: EventType = EventType::ActiveBatchChanged;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[UPDATE_BATCHES]).and(&work::QUERIES).and(&wip::QUERIES).joined(&settle::answering())
    }

    async fn units(&self, app: &App, user_key: &str) -> Result<Names> {
        work::units_of_work(app, &self.job_key, user_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        must_be_started(&work)?;
        let no_batch = || Refusal::JobHasNoActiveBatch.says(format!("Job {} has no active batch", self.job_key));
        let batch = work.active_batch().ok_or_else(no_batch)?;
        let (before, wanted, rest) = (batch.qt_total, self.new_active_batch_qt, work.rest());
        let is_possible = quantities::exceeds(wanted, 0.0) && quantities::fits(wanted, rest);
        if !is_possible || (work.job.is_traced && !quantities::is_whole(wanted)) {
            let text = format!("The quantity must be above 0 and at most {rest}");
            return Err(Refusal::Value.says(text));
        }
        if quantities::same(before, wanted) {
            return Err(Refusal::Value.says("Nothing to change"));
        }
        if !work.job.first_phase {
            let difference = quantities::rounded((wanted - before).abs());
            if wanted > before {
                call.child(this, WipBooked::of(&work, &batch.key, difference, None)).await?;
            } else {
                call.child(this, WipUnbooked::of(&work, difference)).await?;
            }
        }
        let quantity = quantities::rounded(wanted);
        let changes = json!({"changes": [{"key": batch.key, "members": {"qt_total": quantity}}]});
        call.trx.run(&UPDATE_BATCHES, changes).await?;
        update_job(call, &self.job_key, json!({"active_batch_qt": quantity, "last_online": work.online(call)})).await?;
        settle::answer(call, this, &self.job_key, format!("The batch has {quantity} pieces now")).await
    }
}
