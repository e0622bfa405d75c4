//! `BATCH_COMPLETED`: the pieces of a batch are done in their phase, and wait for the next one or leave production.

use poem_openapi::Object;
use poem_openapi::types::MaybeUndefined;

use super::closed::JobClosed;
use super::files;
use super::goods::{self, Made};
use super::pieces::{self, Piece};
use super::sessions::WorkSessionClosed;
use super::settle::{self, JobAnswer};
use super::started::{beginning, set_to_work};
use super::step_completed::{must_be_active, must_run};
use super::steps::{self, Recorded, StepRecord, Steps};
use super::wip::{WipDeclared, WipRemoved};
use super::work::{self, Work, update_batch, update_job};
use crate::aql::production_events::{BATCH_VALUES, UPDATE_BATCHES, batch_values};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::noted::BatchReleased;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production::members::{BatchMembers, JobMembers};
use crate::production::{quantities, recompute};
use crate::store::{Access, Store};
use tracewright_model::FormFieldValue;
use tracewright_model::WorkOrderStatus;

/// The pieces of a batch are done.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_BATCH_COMPLETED")]
pub struct BatchCompleted {
    active_batch_key: String,
    completed_batch_qt: f64,
    /// What is recorded of the steps, where they are not completed one by one.
    step_data: Option<Vec<StepData>>,
    /// Its serials, as the service has found them.
    batch_serial_keys: Option<Vec<String>>,
}

/// What is recorded of a step.
#[derive(Debug, Clone, Object)]
#[oai(rename = "RecordedStepData")]
pub struct StepData {
    step_key: String,
    batch_key: Option<String>,
    execution_record_key: Option<String>,
    form_data: Option<Vec<FormFieldValue>>,
}

impl BatchCompleted {
    /// A batch whose steps are done.
    pub fn of(batch_key: &str, quantity: f64) -> Self {
        Self {
            active_batch_key: batch_key.to_owned(),
            completed_batch_qt: quantity,
            step_data: None,
            batch_serial_keys: None,
        }
    }

    fn check(&self, work: &Work) -> Result<()> {
        if work.job.stage == WorkOrderStatus::Closed {
            return Err(Refusal::Value.says(format!("Job {} is closed", work.job.key)));
        }
        must_be_active(work, &self.active_batch_key)?;
        let (given, total) = (self.completed_batch_qt, work.batch.as_ref().map_or(0.0, |batch| batch.qt_total));
        if !quantities::same(given, total) {
            let text = format!("The quantity {given} is not the batch's ({total}): change the batch first");
            return Err(Refusal::Value.says(text));
        }
        must_run(work)
    }

    /// The records of the steps that were sent. Refused while steps are open that have to be completed, or fields are empty
    /// that have to be filled.
    fn records(&self, call: &Call<'_>, work: &Work, recorded: &Steps) -> Result<Vec<StepRecord>> {
        let sent = self.step_data.as_deref().unwrap_or_default();
        if work.job.step_check {
            if !sent.is_empty() {
                return Err(Refusal::Value.says("Step data are recorded step by step"));
            }
            let open = recorded.open(None);
            if open > 0 {
                return Err(Refusal::Value.says(format!("{open} steps are open")));
            }
        }
        let mut records = Vec::with_capacity(sent.len());
        for data in sent {
            let step = recorded.step(&data.step_key)?;
            let key = recorded.record(&data.step_key).map(|record| record.key.as_str());
            let is_batch = data.batch_key.as_ref().is_none_or(|batch_key| *batch_key == self.active_batch_key);
            let is_record = data.execution_record_key.as_ref().is_none_or(|named| Some(named.as_str()) == key);
            if !is_batch || !is_record {
                let text = format!("What is sent for step {} is not recorded of this batch", data.step_key);
                return Err(Refusal::Value.says(text));
            }
            let filled = recorded.filled(step, data.form_data.as_deref().unwrap_or_default())?;
            records.push(step.record(call, work, &self.active_batch_key, filled, key));
        }
        let keys: Vec<&str> = sent.iter().map(|data| data.step_key.as_str()).collect();
        recorded.must_be_filled(&keys)?;
        Ok(records)
    }
}

/// What the sessions of batches have cost, by their keys.
pub async fn values(call: &Call<'_>, batch_keys: &[&str]) -> Result<Vec<(String, f64)>> {
    let params = batch_values::Params { batch_keys: batch_keys.into(), now: &call.stored_time() };
    let spent = batch_values(call.trx, params).await?;
    let value = |key: &&str| spent.iter().find(|row| row.key == **key).and_then(|row| row.value).unwrap_or_default();
    Ok(batch_keys.iter().map(|key| ((*key).to_owned(), quantities::rounded(value(key)))).collect())
}

impl Event for BatchCompleted {
    const TYPE: EventType = EventType::BatchCompleted;

    type Answer = Option<JobAnswer>;

    fn access() -> Access<'static> {
        let own = [BATCH_VALUES, UPDATE_BATCHES];
        let children = [
            WorkSessionClosed::access(),
            WipRemoved::access(),
            JobClosed::access(),
            goods::access(),
            settle::answering(),
        ];
        let all = beginning().and(&own).and(&work::QUERIES).and(&steps::QUERIES);
        children.iter().fold(all, Access::joined)
    }

    async fn locks(&self, store: &Store, user_key: &str) -> Result<LockNames> {
        work::locks_of_batch(store, &self.active_batch_key, user_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Option<JobAnswer>> {
        let work = Work::take_up_batch(call, this, &self.active_batch_key).await?;
        let job_key = work.job.key.clone();
        call.concerns(this, Concerned { batch_key: Some(self.active_batch_key.clone()), ..work.concerned() });
        self.check(&work)?;
        let recorded = Steps::read(call, &job_key, &self.active_batch_key).await?;
        let records = self.records(call, &work, &recorded)?;
        let pieces = self.pieces(call, this, &work).await?;
        steps::store(call, None, &records).await?;
        self.finish(call, this, &work, &pieces, &recorded.done(&records)).await?;
        let value = self.close(call, this, &work).await?;
        self.hand_on(call, this, &work, value).await?;
        let message = go_on(call, this, &work, self.completed_batch_qt).await?;
        let is_closed = quantities::fits(work.rest(), self.completed_batch_qt);
        let mut answer = settle::answer(call, this, &job_key, message.to_owned()).await?;
        if let Some(answer) = answer.as_mut().filter(|_| is_closed) {
            answer.batch_data = None;
        }
        Ok(answer)
    }
}

impl BatchCompleted {
    /// The serials of the batch. Refused unless there is one for each piece.
    async fn pieces(&mut self, call: &mut Call<'_>, this: EventId, work: &Work) -> Result<Vec<Piece>> {
        self.batch_serial_keys = None;
        if !work.job.is_traced {
            return Ok(Vec::new());
        }
        let pieces = pieces::of_batch(call, &self.active_batch_key).await?;
        if !quantities::same(pieces.len() as f64, self.completed_batch_qt) {
            let text = format!("{} serials for a quantity of {}", pieces.len(), self.completed_batch_qt);
            return Err(Refusal::Value.says(text));
        }
        let keys: Vec<String> = pieces.iter().rev().map(|piece| piece.key.clone()).collect();
        let batch_key = Some(self.active_batch_key.clone());
        call.concerns(this, Concerned { batch_key, serial_keys: keys.clone(), ..work.concerned() });
        self.batch_serial_keys = Some(keys);
        Ok(pieces)
    }

    /// What was recorded is noted with the pieces, components are in them for good, and goods are moved.
    async fn finish(
        &self,
        call: &mut Call<'_>,
        this: EventId,
        work: &Work,
        pieces: &[Piece],
        recorded: &[Recorded],
    ) -> Result<()> {
        let batch_key = self.active_batch_key.as_str();
        if work.job.is_traced {
            pieces::record(call, this, (work, batch_key), pieces, recorded).await?;
            files::copy(call, work, batch_key, pieces, recorded).await?;
        }
        let links = pieces::confirm_links(call, this, batch_key, pieces).await?;
        if work.job.is_traced && work.job.last_phase {
            pieces::release(call, this, pieces).await?;
        }
        let quantity = self.completed_batch_qt;
        let made = Made { work, batch_key, quantity, pieces, links: &links, reason: None };
        made.book(call, this).await
    }

    /// The session and the batch end. Gives what the batch has cost.
    async fn close(&self, call: &mut Call<'_>, this: EventId, work: &Work) -> Result<f64> {
        let (key, end) = (&self.active_batch_key, call.stored_time());
        if let Some(session) = work.running() {
            call.child(this, WorkSessionClosed::of(work, &session.key, end.clone())).await?;
        }
        let value = values(call, &[key]).await?.into_iter().map(|(_, value)| value).sum();
        let total = work.batch.as_ref().map_or(0.0, |batch| batch.qt_total);
        let members = BatchMembers {
            qt_pass: Some(total),
            qt_scrap: Some(0.0),
            active: Some(false),
            end: Some(end),
            value: Some(value),
            ..BatchMembers::default()
        };
        update_batch(call, key, &members).await?;
        Ok(value)
    }

    /// The pieces leave the phase.
    async fn hand_on(&self, call: &mut Call<'_>, this: EventId, work: &Work, value: f64) -> Result<()> {
        let quantity = self.completed_batch_qt;
        if !work.job.first_phase {
            call.child(this, WipRemoved::of(work, quantity)).await?;
        }
        if work.job.last_phase {
            let concerned = Concerned { batch_key: Some(self.active_batch_key.clone()), ..work.concerned() };
            let concerned = Concerned { serial_keys: self.batch_serial_keys.clone().unwrap_or_default(), ..concerned };
            call.record(Some(this), &BatchReleased { qt_released: quantity }, concerned);
        } else {
            call.child(this, WipDeclared::of(work, quantity, value, self.batch_serial_keys.clone())).await?;
        }
        Ok(())
    }
}

/// The job has so many pieces more. It is closed when that is all, and goes on with its next batch where one can be made.
async fn go_on(call: &mut Call<'_>, this: EventId, work: &Work, quantity: f64) -> Result<&'static str> {
    let completed = quantities::rounded(work.job.qt_completed + quantity);
    let members = JobMembers {
        qt_completed: Some(completed),
        qt_released: Some(completed),
        active_batch_key: MaybeUndefined::Null,
        active_batch_qt: Some(0.0),
        active: Some(false),
        last_online: Some(work.online(call)),
        ..JobMembers::default()
    };
    update_job(call, &work.job.key, &members).await?;
    if quantities::fits(work.job.qt_planned, completed) {
        call.child(this, JobClosed::by_itself(&work.job.key, completed)).await?;
        return Ok("The batch is completed, and the job with it");
    }
    let orders = recompute::jobs(call.trx, &[&work.order.key], &call.stored_time()).await?;
    let is_available = orders.iter().any(|order| {
        let job = order.jobs.iter().find(|job| job.key == work.job.key);
        job.and_then(|job| job.next_batch_available(order.free(&job.phase_key))) == Some(true)
    });
    let by_hand = work.job.is_traced && !work.order.has_counter;
    if !work.job.auto_new_batch || !is_available || work.is_traced_later() || by_hand {
        return Ok("The batch is completed");
    }
    let mut next = work.clone();
    (next.job.qt_completed, next.job.active_batch_key, next.job.active_batch_qt) = (completed, None, 0.0);
    next.batch = None;
    // Whoever recorded it, the one who works goes on.
    let session = work.session.as_ref();
    let worker = session.and_then(|session| session.user_key.clone()).unwrap_or_else(|| call.user_key().to_owned());
    let user_session = session.and_then(|session| session.user_session_key.clone());
    set_to_work(call, this, &next, None, (&worker, user_session)).await?;
    Ok("The batch is completed, the next one is begun")
}
