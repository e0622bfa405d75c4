//! A station builds: it takes an order, puts a part into each unit, replaces bad ones and records the steps.

use rand::RngExt;
use reqwest::Method;
use serde_json::{Value, json};

use super::super::AnyError;
use super::plant::ORDERED;
use super::station::{Station, text};

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
        let order = json!({"product_key": unit, "qt_planned": ORDERED, "wo_code": code});
        let created = self.client.send(Method::POST, "/work-order", order).await?;
        let job = &created["detail"]["jobs"][0];
        let job_key = text(&job["_key"])?;
        let steps = [text(&job["step_sequence"][0]["_key"])?, text(&job["step_sequence"][1]["_key"])?];
        let form_field_key = text(&job["step_sequence"][1]["form_fields"][0]["_key"])?;
        let order_key = text(&created["detail"]["work_order"]["_key"])?;
        let started = self.done(json!({"event_type": "JOB_STARTED", "job_key": job_key})).await?;
        let batch_key = text(&started["batch_data"]["_key"])?;
        let mut work = Work { job_key, batch_key, steps, form_field_key };
        loop {
            self.fill_batch(&work).await?;
            if rand::rng().random_bool(0.1) {
                self.done(json!({"event_type": "JOB_PAUSED", "job_key": work.job_key})).await?;
                self.done(json!({"event_type": "JOB_RESUMED", "job_key": work.job_key})).await?;
            }
            let after = self.complete_batch(&work).await?;
            if after["job_data"]["stage"] == "closed" {
                break;
            }
            work.batch_key = text(&after["batch_data"]["_key"])?;
        }
        self.own.orders.push(order_key);
        Ok(())
    }

    /// Puts a part into every unit of the batch; some parts turn out bad and are replaced.
    async fn fill_batch(&mut self, work: &Work) -> Result<(), AnyError> {
        let serials = self.client.get(&format!("/batch/{}/serials", work.batch_key)).await?;
        for serial in serials.as_array().into_iter().flatten() {
            let unit = text(&serial["serial_key"])?;
            let part = self.new_part().await?;
            let link = |part: &str| {
                json!({
                    "event_type": "SERIAL_LINKED", "child_serial_key": part, "parent_serial_key": unit,
                    "batch_key": work.batch_key, "process_inventory": false,
                })
            };
            self.done(link(&part)).await?;
            if rand::rng().random_bool(0.1) {
                self.refused(json!({
                    "event_type": "SERIAL_LINKED", "child_serial_key": unit, "parent_serial_key": part,
                    "process_inventory": false,
                }))
                .await?;
                self.done(json!({
                    "event_type": "SERIAL_UNLINKED", "child_serial_key": part, "parent_serial_key": unit,
                    "reason": "bad part", "process_inventory": false,
                }))
                .await?;
                let other = self.new_part().await?;
                self.done(link(&other)).await?;
            }
        }
        Ok(())
    }

    async fn new_part(&mut self) -> Result<String, AnyError> {
        self.own.codes += 1;
        let code = format!("P{}-{}-{}", self.number, self.own.codes, &self.place().position_key);
        let part = json!({"event_type": "SERIAL_CREATED", "product_key": self.plant.part, "code": code});
        text(&self.done(part).await?["serial_key"])
    }

    /// Records the steps of the batch, of which the last completes it.
    async fn complete_batch(&mut self, work: &Work) -> Result<Value, AnyError> {
        let step = |index: usize, form_data: Value| {
            json!({
                "event_type": "STEP_COMPLETED", "batch_key": work.batch_key, "step_key": work.steps[index],
                "form_data": form_data,
            })
        };
        self.done(step(0, json!([]))).await?;
        if rand::rng().random_bool(0.1) {
            self.refused(step(1, json!([]))).await?;
        }
        let torque = f64::from(rand::rng().random_range(80..120)) / 10.0;
        let field =
            json!({"form_field_key": work.form_field_key, "custom_field_key": self.plant.field, "value": torque});
        self.done(step(1, json!([field]))).await
    }
}
