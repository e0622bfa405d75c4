//! `BATCH_CREATED`: pieces that are worked on together. Only the service records it.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::Value;

use super::pieces;
use super::wip::WipBooked;
use super::work::Work;
pub use crate::aql::production_events::insert_batches::Row as NewBatch;
use crate::aql::production_events::{INSERT_BATCHES, insert_batches};
use crate::error::{Error, Result};
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production::quantities;
use crate::store::{Access, typed};

/// The next batch of a job.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_BATCH_CREATED")]
pub struct BatchCreated {
    job_key: String,
    phase_key: String,
    work_order_key: String,
    product_key: String,
    /// Codes of new serials, or keys of those that come from the phase before.
    new_batch_serials: Option<Vec<String>>,
    /// Filled in: how many pieces it has.
    batch_qt: Option<f64>,
    #[oai(skip)]
    work: Work,
}

/// What is stored of a batch.
#[derive(Debug, Default, Serialize)]
pub struct BatchDocument<'a> {
    pub job_key: &'a str,
    pub phase_key: &'a str,
    pub product_key: &'a str,
    pub work_order_key: &'a str,
    pub qt_total: f64,
    pub qt_pass: f64,
    pub qt_scrap: f64,
    pub unit_material_cost: f64,
    pub value: f64,
    pub start: String,
    pub end: Option<String>,
    pub active: bool,
    pub canceled: Option<String>,
    /// The event that declared it.
    pub forced: Option<&'a str>,
}

/// Stores the document of a batch.
pub async fn insert_batch(call: &Call<'_>, batch: Value) -> Result<NewBatch> {
    let stored = insert_batches(call.trx, insert_batches::Params { batches: &[batch] }).await?;
    stored.into_iter().next().ok_or_else(|| Error::internal("The batch could not be stored.", "no row"))
}

impl BatchCreated {
    /// The next batch of a job. Serials that do not apply are left out.
    pub fn of(work: &Work, serials: Option<Vec<String>>) -> Self {
        Self {
            job_key: work.job.key.clone(),
            phase_key: work.job.phase_key.clone(),
            work_order_key: work.order.key.clone(),
            product_key: work.job.product_key.clone(),
            new_batch_serials: serials.filter(|serials| work.job.is_traced && !serials.is_empty()),
            batch_qt: None,
            work: work.clone(),
        }
    }

    /// How many pieces it has.
    fn quantity(&self) -> Result<f64> {
        let (job, rest) = (&self.work.job, self.work.rest());
        let quantity = match &self.new_batch_serials {
            Some(serials) if self.work.is_traced_later() => {
                pieces::must_differ(serials)?;
                serials.len() as f64
            }
            None if self.work.is_traced_later() => return Err(Refusal::Value.says("Choose the serials of the batch")),
            _ => quantities::next_batch(job.qt_planned, job.qt_completed, 0.0, job.batch_size),
        };
        if !quantities::exceeds(rest, 0.0) || !quantities::exceeds(quantity, 0.0) {
            return Err(Refusal::Value.says("Nothing left to produce"));
        }
        if quantities::exceeds(quantity, rest) {
            return Err(Refusal::Value.says(format!("Only {rest} left")));
        }
        if job.is_traced && !quantities::is_whole(quantity) {
            return Err(Refusal::Value.says("A traced quantity must be whole"));
        }
        Ok(quantities::rounded(quantity))
    }
}

impl Event for BatchCreated {
    const TYPE: EventType = EventType::BatchCreated;

    type Answer = NewBatch;

    fn access() -> Access<'static> {
        Access::of(&[INSERT_BATCHES]).joined(&WipBooked::access()).joined(&pieces::access())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<NewBatch> {
        let quantity = self.quantity()?;
        self.batch_qt = Some(quantity);
        let batch = BatchDocument {
            job_key: &self.job_key,
            phase_key: &self.phase_key,
            product_key: &self.product_key,
            work_order_key: &self.work_order_key,
            qt_total: quantity,
            start: call.stored_time(),
            active: true,
            ..BatchDocument::default()
        };
        let batch = call.keys.of("Batch", &self.job_key, typed::bound(&batch)?);
        let stored = insert_batch(call, batch).await?;
        let serials = if !self.work.job.first_phase {
            let booked = WipBooked::of(&self.work, &stored.key, quantity, self.new_batch_serials.clone());
            call.child(this, booked).await?;
            self.new_batch_serials.clone().unwrap_or_default()
        } else if self.work.job.is_traced {
            let codes = self.new_batch_serials.as_deref();
            pieces::make(call, this, &self.work, &stored.key, (quantity.round() as usize, codes)).await?
        } else {
            Vec::new()
        };
        let batch_key = Some(stored.key.clone());
        call.concerns(this, Concerned { batch_key, serial_keys: serials, ..self.work.concerned() });
        Ok(stored)
    }
}
