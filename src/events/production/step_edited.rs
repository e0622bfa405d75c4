//! `STEP_EDITED`: what was recorded of a step is corrected.

use poem_openapi::Object;
use serde::Deserialize;
use serde_json::{Value, json};

use super::settle;
use super::steps::{self, FieldValue, Steps};
use super::work::{self, Work, update_job};
use crate::app::App;
use crate::aql::production_events::RECORD;
use crate::error::Result;
use crate::events::units::Names;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production::views;
use crate::store::Access;

/// What was recorded of a step is corrected.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_STEP_EDITED")]
pub struct StepEdited {
    execution_record_key: String,
    form_data: Vec<FieldValue>,
}

#[derive(Deserialize)]
struct Recorded {
    key: String,
    job_key: Option<String>,
    batch_key: Option<String>,
    step_key: Option<String>,
    work_session_key: Option<String>,
    is_done: bool,
    is_canceled: bool,
    batch: OfBatch,
}

#[derive(Deserialize)]
struct OfBatch {
    is_canceled: bool,
}

impl Event for StepEdited {
    const TYPE: EventType = EventType::StepEdited;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[RECORD]).and(&work::QUERIES).and(&steps::QUERIES).joined(&settle::answering())
    }

    async fn units(&self, app: &App, _user_key: &str) -> Result<Names> {
        let found: Option<Recorded> = app.store.row(&RECORD, json!({"record_key": self.execution_record_key})).await?;
        match found.and_then(|record| record.job_key) {
            Some(job_key) => work::unit_of_job(app, &job_key).await,
            None => Ok(Names::new()),
        }
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let key = &self.execution_record_key;
        let found: Option<Recorded> = call.trx.row(&RECORD, json!({"record_key": key})).await?;
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
        (next["work_session_key"], next["modified"]) = (json!(record.work_session_key), json!(call.key(this)));
        steps::store(call, &[json!({"_key": record.key, "canceled": call.key(this)}), next]).await?;
        update_job(call, &job_key, json!({"last_online": work.online(call)})).await?;
        let mut answer = settle::answer(call, this, &job_key, "The step is corrected".to_owned()).await?;
        answer["batch_data"] = views::batch(call.trx, &batch_key).await?.unwrap_or_default();
        Ok(answer)
    }
}
