//! Data of a step that is not done yet.

use std::collections::HashMap;
use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{Answer, Area};
use crate::app::App;
use crate::aql::guards::TOUCH;
use crate::aql::production::step_record::{self, Batch, FormFields, Record, Step};
use crate::aql::production::{self as stored, INSERT_STEP_RECORD, STEP_RECORD, UPDATE_STEP_RECORD};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::production::{RECORD_OF, record_of};
use crate::openapi::{Fails, Many};
use crate::production::part;
use crate::store::{Access, Transaction, guards, typed};
use crate::transaction;
use tracewright_model::FormFieldValue;
use tracewright_model::StepStatus;

/// Data of steps that are not done yet.
pub struct TempData(pub Arc<App>);

/// What was filled in of a step.
#[derive(Debug, Object)]
struct ExecutionDataUpdate {
    /// Needed with `batch_key` where there is no record yet.
    step_key: Option<String>,
    batch_key: Option<String>,
    /// The record, where there is one.
    execution_record_key: Option<String>,
    #[oai(default)]
    form_data: Many<FormFieldValue>,
}

/// The record of the step.
#[derive(Debug, Object)]
struct StoredStepData {
    execution_record_key: String,
}

/// What is stored of a step that is not done.
#[derive(Serialize)]
struct Document<'a> {
    job_key: Option<&'a str>,
    user_key: &'a str,
    work_session_key: Option<String>,
    batch_key: &'a str,
    step_key: &'a str,
    completed: Option<String>,
    status: StepStatus,
    form_data: Vec<Entry<'a>>,
    modified: Option<String>,
    canceled: Option<String>,
}

/// What is looked at of a value that is recorded.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    form_field_key: Value,
}

/// A value of a form field.
#[derive(Serialize)]
struct Entry<'a> {
    form_field_key: Option<&'a str>,
    custom_field_key: Option<&'a str>,
    value: Value,
}

#[OpenApi(tag = "Area::Traceability")]
impl TempData {
    /// Store form data of an unfinished step
    ///
    /// Fields that are not sent keep their values. Completing the step overwrites the same record. 409 when the batch is not
    /// active any more.
    #[oai(path = "/batch/temp-data", method = "post", operation_id = "store_temp_step_data_batch_temp_data_post")]
    async fn store(
        &self,
        #[oai(scope = "Scope::TraceabilityBatchExecutionRecordWrite")] caller: Caller,
        body: Json<ExecutionDataUpdate>,
        _fails: Fails<404, 409, 422>,
    ) -> Result<Json<Answer<StoredStepData>>> {
        let update = body.0;
        if update.execution_record_key.is_none() && (update.batch_key.is_none() || update.step_key.is_none()) {
            return Err(Error::rule("The record, or the batch and the step are needed."));
        }
        if update.form_data.0.is_empty() {
            return Err(Error::rule("There is no form data."));
        }
        let queries = [TOUCH, STEP_RECORD, INSERT_STEP_RECORD, UPDATE_STEP_RECORD];
        let access = Access::of(&queries).in_turn(&["StepExecutionData"]);
        let execution_record_key =
            transaction!(self.0.store.acting(caller.actor()), access, |trx| { update.store(trx, &caller).await })?;
        Ok(Json(Answer::detail(StoredStepData { execution_record_key }).with_message("Step data stored")))
    }
}

impl ExecutionDataUpdate {
    async fn store(&self, trx: &Transaction, caller: &Caller) -> Result<String> {
        let params = step_record::Params {
            record_key: self.execution_record_key.as_deref(),
            batch_key: self.batch_key.as_deref(),
            step_key: self.step_key.as_deref(),
        };
        let step_record::Row { record, batch, job, step } = stored::step_record(trx, params).await?;
        self.check_record(record.as_ref())?;
        let batch = batch.ok_or_else(|| Error::not_found("Batch not found"))?;
        if batch.canceled.is_some() || batch.active != Some(Value::Bool(true)) {
            return Err(Error::conflict("The batch is not active any more."));
        }
        let step = step.ok_or_else(|| Error::rule("The step is not one of the job's."))?;
        let Some(record) = record else {
            // Two who begin a step at once make one record.
            guards::touch(trx, [(RECORD_OF, record_of(&batch.key, &step.key).as_str())]).await?;
            let session = job.and_then(|job| job.last_work_session_started);
            let document = typed::bound(&self.document(&batch, session, &step, caller))?;
            let params = stored::insert_step_record::Params { record: &document };
            let key = stored::insert_step_record(trx, params).await?;
            trx.created("StepExecutionData", Some(key.as_str()));
            return Ok(key);
        };
        if record.canceled.is_some() || record.status.is_none_or(|status| status != StepStatus::ToDo.name()) {
            return Err(Error::rule("The step is done already."));
        }
        let mut form_data = record.form_data.unwrap_or_default();
        let values = self.values();
        for entry in &mut form_data {
            let key = part::<Named>(entry).form_field_key;
            if let Some(value) = key.as_str().and_then(|key| values.get(key)) {
                entry["value"] = (*value).clone();
            }
        }
        trx.watch("StepExecutionData", Some(&record.key)).await?;
        let params = stored::update_step_record::Params { record_key: &record.key, form_data: &form_data };
        stored::update_step_record(trx, params).await
    }

    /// 404 without the record that is named, 422 when the other keys are not its own.
    fn check_record(&self, record: Option<&Record>) -> Result<()> {
        let Some(key) = &self.execution_record_key else { return Ok(()) };
        let record = record.ok_or_else(|| Error::not_found(format!("Record {key} not found")))?;
        let (batch_key, step_key) = (&record.batch_key, &record.step_key);
        for (name, given, own) in [("batch_key", &self.batch_key, batch_key), ("step_key", &self.step_key, step_key)] {
            if given.is_some() && given != own {
                return Err(Error::rule(format!("The record has another {name}.")));
            }
        }
        Ok(())
    }

    fn values(&self) -> HashMap<&str, Value> {
        let value = |field: &FormFieldValue| field.value.clone().unwrap_or_default();
        self.form_data.iter().map(|field| (field.form_field_key.as_str(), value(field))).collect()
    }

    /// A first record, with an entry for each field of the step.
    fn document<'a>(
        &self,
        batch: &'a Batch,
        work_session_key: Option<String>,
        step: &'a Step,
        caller: &'a Caller,
    ) -> Document<'a> {
        let values = self.values();
        let entry = |field: &'a FormFields| {
            let (form_field_key, custom_field_key) = (field.key.as_deref(), field.custom_field_key.as_deref());
            let value = form_field_key.and_then(|key| values.get(key)).cloned().unwrap_or_default();
            Entry { form_field_key, custom_field_key, value }
        };
        Document {
            job_key: batch.job_key.as_deref(),
            user_key: caller.user_key(),
            work_session_key,
            batch_key: &batch.key,
            step_key: &step.key,
            completed: None,
            status: StepStatus::ToDo,
            form_data: step.form_fields.iter().flatten().map(entry).collect(),
            modified: None,
            canceled: None,
        }
    }
}
