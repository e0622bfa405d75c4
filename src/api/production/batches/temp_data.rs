//! Data of a step that is not done yet.

use std::collections::HashMap;
use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::collaboration::FormFieldValue;
use crate::api::{Answer, Area};
use crate::app::App;
use crate::aql::guards::TOUCH;
use crate::aql::production::{INSERT_STEP_RECORD, STEP_RECORD, UPDATE_STEP_RECORD};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::production::{RECORD_OF, record_of};
use crate::openapi::{Fails, Many};
use crate::store::{Access, Transaction, guards};
use crate::transaction;

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

#[derive(Deserialize)]
struct Parts {
    record: Option<Value>,
    batch: Option<Value>,
    job: Option<Value>,
    step: Option<Value>,
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
        let key: Option<String> =
            transaction!(self.0.store.acting(caller.actor()), access, |trx| { update.store(trx, &caller).await })?;
        let stored = StoredStepData { execution_record_key: key.unwrap_or_default() };
        Ok(Json(Answer::detail(stored).with_message("Step data stored")))
    }
}

impl ExecutionDataUpdate {
    async fn store(&self, trx: &Transaction, caller: &Caller) -> Result<Option<String>> {
        let params = json!({
            "record_key": self.execution_record_key, "batch_key": self.batch_key, "step_key": self.step_key,
        });
        let found: Option<Parts> = trx.row(&STEP_RECORD, params).await?;
        let missing = || Error::internal("The record could not be read.", "no row");
        let Parts { record, batch, job, step } = found.ok_or_else(missing)?;
        self.check_record(record.as_ref())?;
        let batch = batch.ok_or_else(|| Error::not_found("Batch not found"))?;
        if !batch["canceled"].is_null() || batch["active"] != true {
            return Err(Error::conflict("The batch is not active any more."));
        }
        let step = step.ok_or_else(|| Error::rule("The step is not one of the job's."))?;
        let Some(record) = record else {
            // Two who begin a step at once make one record.
            guards::touch(trx, [(RECORD_OF, record_of(&batch["_key"], &step["_key"]).as_str())]).await?;
            let document = self.document(&batch, job, &step, caller);
            let key: Option<String> = trx.row(&INSERT_STEP_RECORD, json!({"record": document})).await?;
            trx.created("StepExecutionData", key.as_deref());
            return Ok(key);
        };
        if !record["canceled"].is_null() || record["status"] != "to_do" {
            return Err(Error::rule("The step is done already."));
        }
        let mut form_data = record["form_data"].as_array().cloned().unwrap_or_default();
        let values = self.values();
        for entry in &mut form_data {
            if let Some(value) = entry["form_field_key"].as_str().and_then(|key| values.get(key)) {
                entry["value"] = (*value).clone();
            }
        }
        trx.watch("StepExecutionData", record["_key"].as_str()).await?;
        trx.row(&UPDATE_STEP_RECORD, json!({"record_key": record["_key"], "form_data": form_data})).await
    }

    /// 404 without the record that is named, 422 when the other keys are not its own.
    fn check_record(&self, record: Option<&Value>) -> Result<()> {
        let Some(key) = &self.execution_record_key else { return Ok(()) };
        let record = record.ok_or_else(|| Error::not_found(format!("Record {key} not found")))?;
        for (name, given) in [("batch_key", &self.batch_key), ("step_key", &self.step_key)] {
            if given.as_ref().is_some_and(|given| record[name] != given.as_str()) {
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
    fn document(&self, batch: &Value, job: Option<Value>, step: &Value, caller: &Caller) -> Value {
        let values = self.values();
        let entry = |field: &Value| {
            let value = field["_key"].as_str().and_then(|key| values.get(key)).cloned().unwrap_or_default();
            json!({"form_field_key": field["_key"], "custom_field_key": field["custom_field_key"], "value": value})
        };
        let form_data: Vec<Value> = step["form_fields"].as_array().into_iter().flatten().map(entry).collect();
        json!({
            "job_key": batch["job_key"], "user_key": caller.user_key(),
            "work_session_key": job.unwrap_or_default()["last_work_session_started"], "batch_key": batch["_key"],
            "step_key": step["_key"], "completed": null, "status": "to_do", "form_data": form_data, "modified": null,
            "canceled": null,
        })
    }
}
