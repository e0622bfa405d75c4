//! What a station does: it takes an order and builds it, keeps its shelf, and reports what is wrong. Some of it is wrong on
//! purpose and must be refused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::Rng;
use reqwest::Method;
use serde_json::{Value, json};

use super::super::AnyError;
use super::books::Own;
use super::client::{Answer, Client};
use super::plant::{ORDERED, Place, Plant};

/// A station at work.
pub(super) struct Station {
    plant: Arc<Plant>,
    client: Client,
    number: usize,
    pace: Option<Duration>,
    own: Own,
}

/// What is built at the moment.
struct Work {
    job_key: String,
    batch_key: String,
    /// Its steps, and the field of the second.
    steps: [String; 2],
    form_field_key: String,
}

fn text(value: &Value) -> Result<String, AnyError> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("expected a text, not {value}").into())
}

impl Station {
    pub(super) fn new(plant: Arc<Plant>, client: Client, number: usize, pace: Option<Duration>) -> Self {
        let own = Own::new(number);
        Self { plant, client, number, pace, own }
    }

    fn place(&self) -> &Place {
        &self.plant.places[self.number]
    }

    /// Works until the time is over, and hands its books over.
    pub(super) async fn work(mut self, until: Instant) -> Result<(Own, Client), AnyError> {
        while Instant::now() < until {
            let choice = rand::rng().random_range(0..10);
            match choice {
                0..4 => self.build().await?,
                4..8 => self.keep_shelf().await?,
                _ => self.report().await?,
            }
        }
        Ok((self.own, self.client))
    }

    /// Records an event of this station's user, and waits when that is too fast.
    async fn event(&mut self, mut event: Value) -> Result<Answer, AnyError> {
        event["user_key"] = self.place().user_key.as_str().into();
        let began = Instant::now();
        let answer = self.client.event(event).await?;
        if matches!(answer, Answer::Recorded(_)) {
            self.own.events += 1;
        }
        if let Some(rest) = self.pace.and_then(|pace| pace.checked_sub(began.elapsed())) {
            tokio::time::sleep(rest).await;
        }
        Ok(answer)
    }

    /// An event that must be recorded.
    async fn done(&mut self, event: Value) -> Result<Value, AnyError> {
        self.event(event).await?.recorded()
    }

    /// An event that must be refused.
    async fn refused(&mut self, event: Value) -> Result<(), AnyError> {
        let name = event["event_type"].clone();
        match self.event(event).await? {
            Answer::Refused(_) => Ok(()),
            Answer::Recorded(_) => Err(format!("{name} was recorded although it breaks a rule").into()),
        }
    }

    /// Takes a new order and builds its units, batch by batch.
    async fn build(&mut self) -> Result<(), AnyError> {
        let order = json!({"product_key": self.plant.unit, "qt_planned": ORDERED});
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
            self.own.parts += 1;
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

    /// Screws come and go.
    async fn keep_shelf(&mut self) -> Result<(), AnyError> {
        let shelf = self.place().position_key.clone();
        let movement = |kind: &str, quantity: i64| {
            json!({
                "event_type": "MOVEMENT_COMPLETED", "movement_type": kind, "product_key": self.plant.screw,
                "qt_confirmed": quantity, "position_from": shelf, "position_to": shelf,
            })
        };
        let quantity = rand::rng().random_range(1..100);
        let receipt = movement("receipt", quantity);
        let shipment = movement("shipment", self.own.screws.min(quantity));
        let too_many = movement("shipment", self.own.screws + quantity + 1);
        self.done(receipt).await?;
        self.own.screws += quantity;
        if shipment["qt_confirmed"] != 0 {
            self.own.screws -= shipment["qt_confirmed"].as_i64().unwrap_or_default();
            self.done(shipment).await?;
        }
        if rand::rng().random_bool(0.1) {
            self.refused(too_many).await?;
        }
        Ok(())
    }

    /// Something is wrong, and then it is not any more.
    async fn report(&mut self) -> Result<(), AnyError> {
        let issue_data = json!({"issue_type_key": self.plant.issue_type, "data": [], "linked_to": []});
        let issue = json!({"event_type": "ISSUE_CREATED", "issue_data": issue_data});
        let key = text(&self.done(issue).await?["issue_key"])?;
        if rand::rng().random_bool(0.9) {
            self.done(json!({"event_type": "ISSUE_CLOSED", "issue_data": {"_key": key}})).await?;
        } else {
            self.own.open_issues.push(key);
        }
        Ok(())
    }
}
