//! Serials in production: of batches, of work orders, and the fields that are recorded for them.

use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::model::{SerialRecord, whole, whole_rows};
use crate::api::Area;
use crate::app::App;
use crate::aql::serial as stored;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Query};

/// Serials in production.
pub struct Batches(pub Arc<App>);

/// A field that is recorded for serials. It may have more members than these.
#[derive(Debug, Object)]
struct SerialField {
    #[oai(rename = "_key")]
    key: Option<String>,
    name: Option<String>,
    /// Type of the field.
    #[oai(rename = "type")]
    kind: Option<String>,
}

/// A serial of a batch with what was put into it.
#[derive(Debug, Object)]
struct BatchSerial {
    #[oai(flatten)]
    serial: SerialRecord,
    /// Components of the same work order that were not replaced.
    children: Vec<SerialRecord>,
}

/// The same as it is stored.
#[derive(Deserialize)]
struct Filled {
    children: Vec<Value>,
    #[serde(flatten)]
    serial: Map<String, Value>,
}

impl Filled {
    /// With every member of a serial, here and in what was put into it.
    fn whole(mut self) -> Value {
        self.serial.insert("children".to_owned(), whole_rows(self.children).into());
        whole(self.serial.into())
    }
}

/// A serial that waits for a phase or is booked for a job.
#[derive(Debug, Deserialize, Object)]
pub(in crate::api) struct SerialSelection {
    /// Null where the work in progress has no serials.
    serial_key: Option<String>,
    serial_code: Option<String>,
    counter_key: Option<String>,
    /// Whether it is booked for a job.
    #[oai(default)]
    active: bool,
}

#[OpenApi(tag = "Area::Serial")]
impl Batches {
    /// Fields recorded for serials
    ///
    /// As configured under `serial_fields`.
    #[oai(path = "/serial-field", method = "get", operation_id = "fetch_field_serial_field_get")]
    async fn fields(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
    ) -> Result<Json<Vec<AsStored<SerialField>>>> {
        Ok(Json(stored::fields(&self.0.store).await?))
    }

    /// Serials of a batch
    ///
    /// In the order of their codes, each with its current components of the same work order. `filter_empty` leaves out
    /// serials that have no code yet.
    #[oai(path = "/serial-batch", method = "get", operation_id = "get_serial_batch_serial_batch_get")]
    async fn of_batch(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        batch_key: Query<Option<String>>,
        #[oai(default)] filter_empty: Query<bool>,
    ) -> Result<Json<Vec<AsStored<BatchSerial>>>> {
        let Some(batch_key) = batch_key.0 else { return Ok(Json(Vec::new())) };
        let params = stored::of_batch::Params { batch_key: &batch_key, filter_empty: *filter_empty };
        let serials: Vec<Filled> = stored::of_batch(&self.0.store, params).await?;
        Ok(Json(serials.into_iter().map(|serial| AsStored::new(serial.whole())).collect()))
    }

    /// Components of a batch
    ///
    /// Serials that were declared as components on the batch itself, replaced and unconfirmed ones too.
    #[oai(path = "/component-batch", method = "get", operation_id = "get_serial_batch_component_batch_get")]
    async fn components_of_batch(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        batch_key: Query<Option<String>>,
    ) -> Result<Json<Vec<AsStored<SerialRecord>>>> {
        let Some(batch_key) = batch_key.0 else { return Ok(Json(Vec::new())) };
        let params = stored::components_of_batch::Params { batch_key: &batch_key };
        Ok(Json(AsStored::rows(whole_rows(stored::components_of_batch(&self.0.store, params).await?))))
    }

    /// Serials in work
    ///
    /// What waits for the phase or is booked for the job, of one work order, in the order of the serials' codes. Work in
    /// progress without serials gives entries without keys.
    #[oai(path = "/wip-serial", method = "get", operation_id = "get_serial_wip_wip_serial_get")]
    async fn in_work(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        wo_key: Query<Option<String>>,
        job_key: Query<Option<String>>,
        phase_key: Query<Option<String>>,
    ) -> Result<Json<Vec<SerialSelection>>> {
        let phase = phase_key.0.map(|key| format!("Phase/{key}"));
        let job = job_key.0.map(|key| format!("Job/{key}"));
        let targets: Vec<String> = phase.into_iter().chain(job).collect();
        let Some(wo_key) = wo_key.0.filter(|_| !targets.is_empty()) else { return Ok(Json(Vec::new())) };
        let params = stored::wip::Params { wo_key: &wo_key, targets: (&targets).into() };
        Ok(Json(stored::wip(&self.0.store, params).await?))
    }
}
