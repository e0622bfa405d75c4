//! Batches and work in progress as screens read them.

use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;
use serde_json::Value;

use crate::api::found::not_found;
use crate::api::serial::SerialSelection;
use crate::api::{Answer, Area};
use crate::app::App;
use crate::aql::production::{self as stored, serials_of_batch};
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Fails, Query};
use crate::production::views;

/// Batches and work in progress as screens read them.
pub struct Reads(pub Arc<App>);

/// Pieces that go through a job together.
#[derive(Debug, Object)]
struct Batch {
    #[oai(rename = "_id")]
    id: String,
    #[oai(rename = "_key")]
    key: String,
    #[oai(rename = "_rev")]
    rev: String,
    job_key: Option<String>,
    phase_key: Option<String>,
    work_order_key: Option<String>,
    product_key: Option<String>,
    start: Option<String>,
    end: Option<String>,
    active: Option<bool>,
    qt_pass: Option<f64>,
    qt_scrap: Option<f64>,
    qt_total: Option<f64>,
    unit_material_cost: Option<f64>,
    value: Option<f64>,
    canceled: Option<String>,
    forced: Option<String>,
}

/// What was recorded of a step.
#[derive(Debug, Object)]
struct BatchStep {
    /// Key of the step.
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "type")]
    kind: Option<String>,
    done: bool,
    critical: bool,
    form_data: Vec<Value>,
    execution_record_key: Option<String>,
}

/// A batch with what was recorded of each step.
#[derive(Debug, Object)]
struct BatchExecution {
    #[oai(flatten)]
    batch: Batch,
    /// In the order of the steps.
    step_data: Vec<BatchStep>,
}

/// Free work in progress around a job.
#[derive(Debug, Deserialize, Object)]
struct WipAvailability {
    job_key: String,
    /// What the phase before it has left for it.
    free_wip_qt_upstream: f64,
    /// What it has left for the phase behind it.
    free_wip_qt_downstream: f64,
}

#[OpenApi(tag = "Area::Traceability")]
impl Reads {
    /// Execution data of a batch
    ///
    /// One entry for each step of its job, in order.
    #[oai(path = "/batch/:batch_key", method = "get", operation_id = "get_batch_execution_data_batch__batch_key__get")]
    async fn one(
        &self,
        #[oai(scope = "Scope::TraceabilityBatchExecutionRecordRead")] _caller: Caller,
        batch_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Answer<AsStored<BatchExecution>>>> {
        let batch = views::batch(&self.0.store, &batch_key).await?.ok_or_else(|| not_found("Batch", &batch_key))?;
        Ok(Json(Answer::detail(AsStored::new(batch))))
    }

    /// Serials of a batch
    ///
    /// In the order of their codes; deleted ones are left out.
    #[oai(
        path = "/batch/:batch_key/serials",
        method = "get",
        operation_id = "get_batch_serials_batch__batch_key__serials_get"
    )]
    async fn serials(
        &self,
        #[oai(scope = "Scope::TraceabilityBatchExecutionRecordRead")] _caller: Caller,
        batch_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Vec<SerialSelection>>> {
        #[derive(Deserialize)]
        struct BatchSerials {
            serials: Vec<SerialSelection>,
        }
        let params = serials_of_batch::Params { batch_key: &batch_key };
        let row: Option<BatchSerials> = stored::serials_of_batch(&self.0.store, params).await?;
        Ok(Json(row.ok_or_else(|| not_found("Batch", &batch_key))?.serials))
    }

    /// Free work in progress before and behind a job
    #[oai(path = "/wip", method = "get", operation_id = "get_wip_availability_for_job_wip_get")]
    async fn wip(
        &self,
        #[oai(scope = "Scope::TraceabilityBatchExecutionRecordRead")] _caller: Caller,
        job_key: Query<String>,
        _fails: Fails<404>,
    ) -> Result<Json<WipAvailability>> {
        let found = stored::wip(&self.0.store, stored::wip::Params { job_key: &job_key }).await?;
        Ok(Json(found.ok_or_else(|| not_found("Job", &job_key))?))
    }
}
