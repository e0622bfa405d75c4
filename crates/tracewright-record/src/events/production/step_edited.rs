//! `STEP_EDITED`: what was recorded of a step is corrected.

use poem_openapi::Object;

use super::settle::{self, JobAnswer};
use super::steps::{self, Recorded, ReplacedRecord, Steps};
use super::work::{self, Work, update_online};
use super::{files, pieces};
use crate::aql::production_events::{RECORD, record};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production::views;
use crate::store::{Access, Store};
use tracewright_model::FormFieldValue;

/// What was recorded of a step is corrected.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_STEP_EDITED")]
pub struct StepEdited {
    execution_record_key: String,
    form_data: Vec<FormFieldValue>,
}

impl Event for StepEdited {
    const TYPE: EventType = EventType::StepEdited;

    type Answer = Option<JobAnswer>;

    fn access() -> Access<'static> {
        let rules = Access::of(&[RECORD]).and(&work::QUERIES).and(&steps::QUERIES).joined(&settle::answering());
        rules.joined(&pieces::access())
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        let found = record(store, record::Params { record_key: &self.execution_record_key }).await?;
        match found.and_then(|record| record.job_key) {
            Some(job_key) => work::lock_of_job(store, &job_key).await,
            None => Ok(LockNames::new()),
        }
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Option<JobAnswer>> {
        let key = &self.execution_record_key;
        let found = record(call.trx, record::Params { record_key: key }).await?;
        let record = found.ok_or_else(|| Refusal::Value.not_found("Record", key))?;
        let (job_key, batch_key) = (record.job_key.unwrap_or_default(), record.batch_key.unwrap_or_default());
        let work = Work::take_up(call, this, &job_key).await?;
        call.concerns(this, Concerned { batch_key: Some(batch_key.clone()), ..work.concerned() });
        if record.is_canceled {
            return Err(Refusal::Value.says(format!("Record {key} was replaced")));
        }
        if !record.is_done {
            return Err(Refusal::Value.says("The step is not completed yet"));
        }
        if record.batch.is_canceled {
            return Err(Refusal::Value.says(format!("Batch {batch_key} is canceled")));
        }
        let recorded = Steps::read(call, &job_key, &batch_key).await?;
        let step = recorded.step(&record.step_key.unwrap_or_default())?;
        let data = recorded.filled(step, &self.form_data)?;
        let mut next = step.record(call, &work, &batch_key, data, None);
        (next.work_session_key, next.modified) = (record.work_session_key, Some(call.key(this).to_owned()));
        let replaced = ReplacedRecord { key: &record.key, canceled: call.key(this) };
        steps::store(call, Some(&replaced), std::slice::from_ref(&next)).await?;
        if work.job.is_traced && !record.batch.is_open {
            let done = [Recorded::of(&next)];
            let serials = pieces::of_batch(call, &batch_key).await?;
            pieces::record(call, this, (&work, &batch_key), &serials, &done).await?;
            files::copy(call, &work, &batch_key, &serials, &done).await?;
            let serial_keys = serials.into_iter().map(|piece| piece.key).collect();
            call.concerns(this, Concerned { batch_key: Some(batch_key.clone()), serial_keys, ..work.concerned() });
        }
        update_online(call, &work).await?;
        let mut answer = settle::answer(call, this, &job_key, "The step is corrected".to_owned()).await?;
        let batch_data = views::batch(call.trx, &batch_key).await?.unwrap_or_default();
        if let Some(answer) = &mut answer {
            answer.batch_data = Some(batch_data);
        }
        Ok(answer)
    }
}
