//! `JOB_RESET`: everything that was recorded of a job is taken back.

use poem_openapi::Object;
use poem_openapi::types::MaybeUndefined;
use serde_json::Value;

use super::batch_canceled::{BatchCanceled, cancel};
use super::closed::must_not_run;
use super::overrides::{batches, cancel_sessions};
use super::pieces::{self, Piece};
use super::wip::{self, Row};
use super::work::{self, Work, update_job};
use super::{goods, settle};
use crate::aql::production_events::{BATCHES_OF_JOB, CANCEL_SESSIONS};
use crate::error::{Error, Result};
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production::members::JobMembers;
use crate::production::quantities;
use crate::store::{Access, Store};
use tracewright_model::WorkOrderStatus;

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
        BatchCanceled::access().and(&[BATCHES_OF_JOB, CANCEL_SESSIONS]).and(&wip::QUERIES).joined(&goods::access())
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        work::locks_of_ending(store, &self.job_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        must_not_run(&work)?;
        let made = batches(call, &self.job_key).await?;
        if made.is_empty() {
            return Err(Refusal::Value.says(format!("Job {} has nothing to reset", self.job_key)));
        }
        let done: Vec<&str> = made.iter().filter(|batch| !batch.is_open).map(|batch| batch.key.as_str()).collect();
        let finished = if work.job.is_traced { pieces::of_batches(call, &done).await? } else { Vec::new() };
        let handed_on = HandedOn::find(call, &work, &finished).await?;
        if work.job.is_traced && work.job.last_phase {
            pieces::must_be_loose(call, &finished).await?;
        }
        if work.active_batch().is_some() {
            call.child(this, BatchCanceled::of(&work)).await?;
        }
        goods::take_back(call, this, &done).await?;
        let links = pieces::links(call, &done).await?;
        pieces::take_apart(call, this, &links, false).await?;
        handed_on.take_back(call).await?;
        wip::put(call, &give_back(&work, work.job.qt_completed, &finished)).await?;
        if work.job.is_traced && work.job.first_phase {
            pieces::delete(call, this, &finished).await?;
        } else {
            pieces::take_back(call, this, &work, &finished).await?;
        }
        cancel(call, this, &done, true).await?;
        self.update(call, this, &work).await?;
        let serial_keys = finished.into_iter().map(|piece| piece.key).collect();
        call.concerns(this, Concerned { serial_keys, ..work.concerned() });
        Ok(Value::Null)
    }

    async fn settle(call: &mut Call<'_>, this: EventId) -> Result<()> {
        settle::orders(call, this).await
    }
}

impl JobReset {
    async fn update(&self, call: &mut Call<'_>, this: EventId, work: &Work) -> Result<()> {
        // Times that belong to no batch.
        cancel_sessions(call, this, &self.job_key).await?;
        let members = JobMembers {
            qt_completed: Some(0.0),
            qt_released: Some(0.0),
            progress: Some(0),
            stage: Some(WorkOrderStatus::Created),
            start: MaybeUndefined::Null,
            end: MaybeUndefined::Null,
            active_batch_key: MaybeUndefined::Null,
            active_batch_qt: Some(0.0),
            forced: Some(call.key(this).to_owned()),
            ..JobMembers::default()
        };
        update_job(call, &self.job_key, &members).await?;
        if let Some(operator) = work.job.assigned_to.as_ref().filter(|_| work.job.stage == WorkOrderStatus::Closed) {
            call.queues.add_job(&self.job_key, operator);
        }
        Ok(())
    }
}

/// What a job had handed on to the next phase, and nobody has used there.
enum HandedOn {
    /// There is no next phase.
    Nothing,
    /// Pieces with serials.
    Rows(Vec<Row>),
    /// So many pieces of an order, and where they wait.
    Quantity(String, f64, String),
}

impl HandedOn {
    /// Refused when some of it is used.
    async fn find(call: &Call<'_>, work: &Work, finished: &[Piece]) -> Result<Self> {
        let Some(next) = work.next_phase() else { return Ok(Self::Nothing) };
        let (place, completed) = (wip::free(next), work.job.qt_completed);
        let there = wip::rows(call, &work.order.key, &place).await?;
        if !work.job.is_traced {
            let free = wip::sum(&there);
            if quantities::exceeds(completed, free) {
                return Err(used(&quantities::rounded(completed - free).to_string()));
            }
            return Ok(Self::Quantity(work.order.key.clone(), completed, place));
        }
        let is_free = |piece: &&Piece| there.iter().any(|row| row.serial_key.as_ref() == Some(&piece.key));
        let gone: Vec<&str> = finished.iter().filter(|piece| !is_free(piece)).map(Piece::name).collect();
        if !gone.is_empty() {
            return Err(used(&gone.join(", ")));
        }
        let is_own = |row: &Row| finished.iter().any(|piece| row.serial_key.as_ref() == Some(&piece.key));
        Ok(Self::Rows(there.into_iter().filter(is_own).collect()))
    }

    async fn take_back(&self, call: &Call<'_>) -> Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Rows(rows) => wip::remove(call, rows).await,
            Self::Quantity(order_key, quantity, place) => wip::use_up(call, order_key, *quantity, place).await,
        }
    }
}

fn used(what: &str) -> Error {
    Refusal::WipNotAvailable.says(format!("Already used in the next phase: {what}"))
}

/// Pieces that wait for the job's phase again, each with its serial where they have one: none in the first phase.
pub fn give_back(work: &Work, quantity: f64, pieces: &[Piece]) -> Vec<Row> {
    let Some(before) = work.previous_phase().filter(|_| quantities::exceeds(quantity, 0.0)) else { return Vec::new() };
    let row = |quantity: f64| Row::free(work, before, &work.job.phase_key, quantity, 0.0);
    if work.job.is_traced {
        return pieces.iter().map(|piece| Row { serial_key: Some(piece.key.clone()), ..row(1.0) }).collect();
    }
    vec![row(quantity)]
}
