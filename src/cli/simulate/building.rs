//! A station builds: it takes an order, puts a part into each unit, replaces bad ones and records the steps.

use std::sync::Arc;

use rand::RngExt;
use reqwest::Method;

use super::super::AnyError;
use super::messages::{CreatedOrder, Envelope, Event, Link, Measured, NewOrder, OfJob, OfSerial, Progress};
use super::plant::ORDERED;
use super::station::Station;
use tracewright_model::WorkOrderStatus;

/// What is built at the moment.
struct Work {
    job_key: String,
    batch_key: String,
    /// Its steps, and the field of the second.
    steps: [String; 2],
    form_field_key: String,
}

impl Station {
    /// Takes a new order and builds its units, batch by batch.
    pub(super) async fn build(&mut self) -> Result<(), AnyError> {
        let code = format!("SIM-{}-{}-{}", self.plant.run, self.number, self.own.orders.len());
        let unit = &self.plant.line(self.number).unit;
        let order = NewOrder { product_key: unit, qt_planned: ORDERED, wo_code: &code };
        let created: Envelope<CreatedOrder> = self.client.send(Method::POST, "/work-order", &order).await?;
        let CreatedOrder { work_order, jobs } = created.detail;
        let job = jobs.into_iter().next().ok_or("the new work order has no job")?;
        let [first, second] = <[_; 2]>::try_from(job.step_sequence).map_err(|_| "the new job has not two steps")?;
        let field = second.form_fields.into_iter().flatten().next().ok_or("the second step has no field")?;
        let started: Progress = self.told(Event::JobStarted(OfJob { job_key: &job.key })).await?;
        let mut work = Work {
            job_key: job.key,
            batch_key: active_batch(started)?,
            steps: [first.key, second.key],
            form_field_key: field.key,
        };
        loop {
            self.fill_batch(&work).await?;
            if rand::rng().random_bool(0.1) {
                self.done(Event::JobPaused(OfJob { job_key: &work.job_key })).await?;
                self.done(Event::JobResumed(OfJob { job_key: &work.job_key })).await?;
            }
            let after = self.complete_batch(&work).await?;
            if after.job_data.as_ref().and_then(|job| job.stage.as_deref()) == Some(WorkOrderStatus::Closed.name()) {
                break;
            }
            work.batch_key = active_batch(after)?;
        }
        self.own.orders.push(work_order.key);
        Ok(())
    }

    /// Puts a part into every unit of the batch; some parts turn out bad and are replaced.
    async fn fill_batch(&mut self, work: &Work) -> Result<(), AnyError> {
        let serials: Vec<OfSerial> = self.client.get(&format!("/batch/{}/serials", work.batch_key)).await?;
        for OfSerial { serial_key: unit } in &serials {
            let part = self.new_part().await?;
            let within = Some(work.batch_key.as_str());
            self.done(Event::SerialLinked(Link { batch_key: within, ..link(&part, unit) })).await?;
            if rand::rng().random_bool(0.1) {
                self.refused(Event::SerialLinked(link(unit, &part))).await?;
                self.done(Event::SerialUnlinked(Link { reason: Some("bad part"), ..link(&part, unit) })).await?;
                let other = self.new_part().await?;
                self.done(Event::SerialLinked(Link { batch_key: within, ..link(&other, unit) })).await?;
            }
        }
        Ok(())
    }

    async fn new_part(&mut self) -> Result<String, AnyError> {
        self.own.codes += 1;
        let code = format!("P{}-{}-{}", self.number, self.own.codes, &self.place().position_key);
        let plant = Arc::clone(&self.plant);
        let part: OfSerial = self.told(Event::SerialCreated { product_key: &plant.part, code: &code }).await?;
        Ok(part.serial_key)
    }

    /// Records the steps of the batch, of which the last completes it.
    async fn complete_batch(&mut self, work: &Work) -> Result<Progress, AnyError> {
        let plant = Arc::clone(&self.plant);
        let (batch_key, [first, second]) = (work.batch_key.as_str(), &work.steps);
        self.done(Event::StepCompleted { batch_key, step_key: first, form_data: &[] }).await?;
        if rand::rng().random_bool(0.1) {
            self.refused(Event::StepCompleted { batch_key, step_key: second, form_data: &[] }).await?;
        }
        let value = f64::from(rand::rng().random_range(80..120)) / 10.0;
        let form_data = &[Measured { form_field_key: &work.form_field_key, custom_field_key: &plant.field, value }];
        self.told(Event::StepCompleted { batch_key, step_key: second, form_data }).await
    }
}

fn active_batch(progress: Progress) -> Result<String, AnyError> {
    Ok(progress.batch_data.and_then(|batch| batch.key).ok_or("the job has no batch")?)
}

fn link<'a>(child_serial_key: &'a str, parent_serial_key: &'a str) -> Link<'a> {
    Link { child_serial_key, parent_serial_key, batch_key: None, reason: None, process_inventory: false }
}
