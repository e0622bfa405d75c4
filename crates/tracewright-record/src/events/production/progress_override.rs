//! `PROGRESS_OVERRIDE_REQUESTED`: somebody declares how many pieces of a job are completed.

use poem_openapi::Object;
use poem_openapi::types::MaybeUndefined;
use serde_json::Value;

use super::batch_canceled::cancel;
use super::batch_completed::values;
use super::batch_created::{BatchDocument, insert_batch};
use super::closed::{must_have_no_batch, must_not_run};
use super::goods::{self, Made};
use super::job_reset::give_back;
use super::overrides::{self, Done, batches, cancel_sessions, declare, shares, value_anew};
use super::settle;
use super::steps::{self, Steps};
use super::wip::{self, Row};
use super::work::{self, Work, update_job};
use crate::aql::production_events::{
    CANCEL_BATCHES, INSERT_BATCHES, NEEDS_TRACED_COMPONENT, TIME_OF_JOB, needs_traced_component, time_of_job,
};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::production::members::JobMembers;
use crate::production::{jobs, quantities};
use crate::store::{Access, Store, typed};
use tracewright_model::WorkOrderStatus;

/// Somebody declares how many pieces of a job are completed.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_PROGRESS_OVERRIDE_REQUESTED")]
pub struct ProgressOverrideRequested {
    job_key: String,
    #[oai(validator(minimum(value = "0")))]
    new_job_qt_completed: f64,
    /// Whether the time of the job changes with it; otherwise what was measured is shared among all its pieces.
    should_adjust_duration: Option<bool>,
    /// How many pieces more or less, as the service has found it.
    quantity_change: Option<f64>,
}

impl Event for ProgressOverrideRequested {
    const TYPE: EventType = EventType::ProgressOverrideRequested;

    type Answer = Value;

    fn access() -> Access<'static> {
        let own = [CANCEL_BATCHES, INSERT_BATCHES, NEEDS_TRACED_COMPONENT, TIME_OF_JOB];
        let rules = Access::of(&own).and(&overrides::QUERIES).and(&wip::QUERIES).and(&steps::QUERIES);
        rules.and(&work::QUERIES).joined(&goods::access()).joined(&settle::access())
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        work::locks_of_ending(store, &self.job_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        let change = quantities::rounded(self.new_job_qt_completed - work.job.qt_completed);
        self.quantity_change = Some(change);
        self.check(call, &work, change).await?;
        let adjusts = *self.should_adjust_duration.get_or_insert(true);
        let times = Times::read(call, &work).await?;
        let beyond = if change > 0.0 { Some(change) } else { decrease(call, this, &work, -change, adjusts).await? };
        let made = match beyond {
            Some(quantity) => {
                Some(declare_batch(call, this, &work, quantity, adjusts.then(|| times.of(quantity))).await?)
            }
            None => None,
        };
        if !adjusts {
            share_among_all(call, this, &work, times.total).await?;
        }
        if let Some(batch_key) = made.as_deref() {
            let reason = Some(format!("Progress override by {}", call.user_key()));
            let quantity = beyond.unwrap_or_default();
            let goods = Made { work: &work, batch_key, quantity, pieces: &[], links: &[], reason };
            goods.book(call, this).await?;
        }
        let keys: Vec<&str> = made.iter().map(String::as_str).collect();
        let value = values(call, &keys).await?.into_iter().map(|(_, value)| value).sum();
        carry(call, &work, change, value).await?;
        self.update(call, this, &work).await?;
        Ok(Value::Null)
    }

    async fn settle(call: &mut Call<'_>, this: EventId) -> Result<()> {
        settle::orders(call, this).await
    }
}

impl ProgressOverrideRequested {
    async fn check(&self, call: &Call<'_>, work: &Work, change: f64) -> Result<()> {
        let key = &self.job_key;
        if work.job.assigned_to.is_none() {
            return Err(Refusal::JobHasNoAssignee.says(format!("Job {key} is not assigned to anybody")));
        }
        must_not_run(work)?;
        must_have_no_batch(work)?;
        if quantities::same(change, 0.0) {
            return Err(Refusal::Value.says("Nothing to change"));
        }
        if quantities::exceeds(self.new_job_qt_completed, work.job.qt_planned) {
            return Err(Refusal::Value.says(format!("Only {} are planned", work.job.qt_planned)));
        }
        let params = needs_traced_component::Params { order_key: &work.order.key, phase_key: &work.job.phase_key };
        let has_traced_component = needs_traced_component(call.trx, params).await? == Some(true);
        if work.job.is_traced || has_traced_component {
            return Err(Refusal::NotImplemented.says("Not possible for traced jobs"));
        }
        if Steps::read(call, key, "").await?.have_mandatory_fields() {
            return Err(Refusal::NotImplemented.says("Not possible for jobs with mandatory fields"));
        }
        let needed = if change > 0.0 && !work.job.first_phase {
            Some(work.job.phase_key.as_str())
        } else if change < 0.0 {
            work.next_phase()
        } else {
            None
        };
        if let Some(phase_key) = needed {
            let there = wip::sum(&wip::rows(call, &work.order.key, &wip::free(phase_key)).await?);
            if quantities::exceeds(change.abs(), there) {
                return Err(wip::not_enough(there, change.abs()));
            }
        }
        Ok(())
    }

    async fn update(&self, call: &mut Call<'_>, this: EventId, work: &Work) -> Result<()> {
        let (completed, now) = (quantities::rounded(self.new_job_qt_completed), call.stored_time());
        let operator = work.job.assigned_to.as_deref().unwrap_or_default();
        let mut members = JobMembers::default();
        if quantities::same(completed, work.job.qt_planned) {
            members = jobs::completing(completed, work.job.notes.as_deref(), &now);
            members.start = work.job.start.clone().unwrap_or(now).into();
            call.queues.remove_job(&self.job_key, operator);
        } else if quantities::same(completed, 0.0) {
            (members.stage, members.start, members.end) =
                (Some(WorkOrderStatus::Created), MaybeUndefined::Null, MaybeUndefined::Null);
        } else if work.job.stage.is_untouched() {
            (members.stage, members.start) = (Some(WorkOrderStatus::Started), now.into());
        } else if work.job.stage == WorkOrderStatus::Closed {
            (members.stage, members.end) = (Some(WorkOrderStatus::Started), MaybeUndefined::Null);
        }
        if work.job.stage == WorkOrderStatus::Closed && members.stage != Some(WorkOrderStatus::Closed) {
            call.queues.add_job(&self.job_key, operator);
        }
        members.forced = Some(call.key(this).to_owned());
        (members.qt_completed, members.qt_released) = (Some(completed), Some(completed));
        update_job(call, &self.job_key, &members).await
    }
}

/// Times of a job before the change, in milliseconds.
struct Times {
    total: f64,
    /// That of one piece: measured, else planned.
    unit: f64,
}

impl Times {
    async fn read(call: &Call<'_>, work: &Work) -> Result<Self> {
        let params = time_of_job::Params { job_key: &work.job.key, now: &call.stored_time() };
        let total = time_of_job(call.trx, params).await?.time;
        let is_measured = quantities::exceeds(work.job.qt_completed, 0.0);
        let unit = if is_measured { total / work.job.qt_completed } else { work.job.std_processing_time * 1000.0 };
        Ok(Self { total, unit })
    }

    fn of(&self, quantity: f64) -> i64 {
        (self.unit * quantity).round() as i64
    }
}

/// A batch that was done when it was declared.
async fn insert_done(call: &Call<'_>, this: EventId, work: &Work, quantity: f64) -> Result<String> {
    let now = call.stored_time();
    let batch = typed::bound(&BatchDocument {
        job_key: &work.job.key,
        phase_key: &work.job.phase_key,
        product_key: &work.job.product_key,
        work_order_key: &work.order.key,
        qt_total: quantity,
        qt_pass: quantity,
        start: now.clone(),
        end: Some(now),
        forced: Some(call.key(this)),
        ..BatchDocument::default()
    })?;
    insert_batch(call, batch).await.map(|stored| stored.key)
}

/// One more batch, with its time unless all times are shared anew. Gives its key.
async fn declare_batch(
    call: &Call<'_>,
    this: EventId,
    work: &Work,
    quantity: f64,
    time: Option<i64>,
) -> Result<String> {
    let key = insert_done(call, this, work, quantity).await?;
    if let Some(time) = time {
        declare(call, this, work, &[(&key, time)]).await?;
        value_anew(call, &[&key], None).await?;
    }
    Ok(key)
}

/// The newest batches do not count any more, until so many pieces are gone. Gives how many were too many.
async fn decrease(
    call: &mut Call<'_>,
    this: EventId,
    work: &Work,
    quantity: f64,
    with_sessions: bool,
) -> Result<Option<f64>> {
    let mut made: Vec<Done> = batches(call, &work.job.key).await?;
    made.sort_by(|one, other| other.end.cmp(&one.end).then_with(|| other.key.cmp(&one.key)));
    let (mut gone, mut keys) = (0.0, Vec::new());
    for batch in &made {
        if !quantities::exceeds(quantity, gone) {
            break;
        }
        gone += batch.qt_pass;
        keys.push(batch.key.as_str());
    }
    cancel(call, this, &keys, with_sessions).await?;
    goods::take_back(call, this, &keys).await?;
    let beyond = quantities::rounded(gone - quantity);
    Ok(quantities::exceeds(beyond, 0.0).then_some(beyond))
}

/// The time of the job stays what it was, shared among the batches that are left.
async fn share_among_all(call: &Call<'_>, this: EventId, work: &Work, total: f64) -> Result<()> {
    cancel_sessions(call, this, &work.job.key).await?;
    let left = batches(call, &work.job.key).await?;
    let quantities: Vec<f64> = left.iter().map(|batch| batch.qt_pass).collect();
    let keys: Vec<&str> = left.iter().map(|batch| batch.key.as_str()).collect();
    let times: Vec<(&str, i64)> = keys.iter().copied().zip(shares(total.round() as i64, &quantities)).collect();
    declare(call, this, work, &times).await?;
    value_anew(call, &keys, None).await
}

/// The pieces leave the phase before and wait for the next one, or the other way round.
async fn carry(call: &Call<'_>, work: &Work, change: f64, value: f64) -> Result<()> {
    let order = &work.order.key;
    if change > 0.0 {
        if !work.job.first_phase {
            wip::use_up(call, order, change, &wip::free(&work.job.phase_key)).await?;
        }
        let next = work.next_phase().map(|next| Row::free(work, &work.job.phase_key, next, change, value));
        return wip::put(call, next.as_slice()).await;
    }
    if let Some(next) = work.next_phase() {
        wip::use_up(call, order, -change, &wip::free(next)).await?;
    }
    wip::put(call, &give_back(work, -change, &[])).await
}
