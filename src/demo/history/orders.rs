//! Work orders: planned, worked on batch by batch and phase by phase, with what is read off and built in.

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bodies::{JobChange, JobData, Wish};
use super::parts::Parts;
use super::{Entry, What};
use crate::demo::body;
use crate::demo::calendar::{self, stored, stored_as_written};
use crate::demo::factory::Factory;
use crate::demo::library::{Library, Phase};
use crate::demo::units::{Order, Unit};
use crate::demo::unreadable;
use crate::error::Result;
use crate::events::production::{BatchCompleted, JobResumed, JobStarted, StepCompleted};
use tracewright_model::FormFieldValue;

/// Who plans.
const PLANNER: &str = "marco";

/// What a form field records, by the number of the first unit of the batch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    field: String,
    #[serde(default)]
    base: f64,
    #[serde(default)]
    stride: u32,
    #[serde(default)]
    span: u32,
    #[serde(default)]
    unit: f64,
    #[serde(default)]
    choices: Vec<String>,
}

/// A step as the file writes it, as far as it is filled in.
#[derive(Debug, Deserialize)]
struct Step {
    #[serde(default)]
    form_fields: Vec<FormField>,
}

#[derive(Debug, Deserialize)]
struct FormField {
    #[serde(rename = "_key")]
    key: String,
    #[serde(default)]
    custom_field_key: String,
}

/// A value of a choice field.
#[derive(Debug, Serialize, Deserialize)]
struct Choice {
    #[serde(rename = "_key")]
    key: String,
    value: Value,
}

/// Some units that go through a phase together.
pub struct Batch<'a> {
    /// Its key.
    pub key: String,
    /// Key of its order.
    pub order: &'a str,
    /// Key of its job.
    pub job: String,
    /// Its phase.
    pub phase: &'a Phase,
    /// Its units.
    pub units: &'a [&'a Unit],
    /// When it begins.
    pub start: NaiveDateTime,
    /// When it is done; absent while it is on the bench.
    end: Option<NaiveDateTime>,
    /// Who works on it.
    pub user: &'a str,
}

impl Batch<'_> {
    /// Whether it is still worked on.
    pub fn is_open(&self) -> bool {
        self.end.is_none()
    }

    /// When the last thing about it is known to happen.
    pub fn last(&self) -> NaiveDateTime {
        self.end.unwrap_or(self.start + TimeDelta::minutes(20))
    }
}

/// Everything that the work is worked out from.
struct Shop<'a> {
    factory: &'a Factory,
    readings: Vec<Reading>,
    parts: Parts,
    units: &'a [Unit],
}

/// Adds the orders and the work on them.
pub fn read(
    factory: &mut Factory,
    library: &Library,
    (orders, units): (&[Order], &[Unit]),
    entries: &mut Vec<Entry>,
) -> Result<()> {
    let readings = factory.rules("reading").map_err(unreadable)?;
    let parts = Parts::read(factory).map_err(unreadable)?;
    let mut shop = Shop { factory, readings, parts, units };
    for order in orders {
        let phases = library.phases_of(&order.product);
        let begins = calendar::time(&order.begins).map_err(unreadable)?;
        entries.extend(planned(order, &phases, begins)?);
        shop.work(order, &phases, begins, entries)?;
    }
    Ok(())
}

/// Key of the job of an order in a phase.
fn job_key(order: &Order, phase: &Phase) -> String {
    format!("{}-{}", order.key, phase.key)
}

/// The order with its jobs, planned some days before; the first job of an order that waits is given to who will do it.
fn planned(order: &Order, phases: &[&Phase], begins: NaiveDateTime) -> Result<Vec<Entry>> {
    let latest = NaiveDate::from_ymd_opt(2026, 5, 8).and_then(|day| day.and_hms_opt(8, 0, 0)).unwrap_or(begins);
    let at = latest.min(begins - TimeDelta::days(3));
    let due = order.due.as_ref().map(stored_as_written).transpose().map_err(unreadable)?;
    let wish = Wish {
        wo_code: &order.code,
        product_key: &order.product,
        qt_planned: f64::from(order.planned),
        priority: order.priority,
        project_code: order.project.as_deref(),
        start_from: stored(begins),
        due_by: due,
    };
    let mut entry = Entry::new(at, PLANNER, What::Order(Box::new(body(&wish)?)));
    entry.keys.give("WorkOrder", &order.code, &order.key);
    for phase in phases {
        entry.keys.give("Job", &phase.key, &job_key(order, phase));
    }
    let mut entries = vec![entry];
    if let (Some(operator), Some(phase), true) = (&order.operator, phases.first(), order.waits()) {
        let data = JobData { key: job_key(order, phase), assigned_to: operator };
        entries.push(Entry::new(at, PLANNER, What::Jobs(body(&[JobChange { action: "update", data }])?)));
    }
    Ok(entries)
}

impl Shop<'_> {
    /// The work on an order: phase after phase, batch after batch, then what is on the bench.
    fn work(
        &mut self,
        order: &Order,
        phases: &[&Phase],
        begins: NaiveDateTime,
        entries: &mut Vec<Entry>,
    ) -> Result<()> {
        let Some(user) = order.operator.as_deref() else { return Ok(()) };
        let all = self.units;
        let units: Vec<&Unit> = all.iter().filter(|unit| unit.made_by.as_deref() == Some(&order.key)).collect();
        let mut minutes = 0;
        for (index, phase) in phases.iter().enumerate() {
            let done = units.get(..order.done(&phase.key)).unwrap_or_default();
            for (number, units) in done.chunks(phase.batch).enumerate() {
                let start = calendar::after(begins, minutes);
                minutes += phase.minutes * units.len() as u32;
                let end = Some(calendar::after(begins, minutes));
                let batch = Batch::new(order, phase, number, units, (start, end), user);
                self.batch(&batch, index == 0, number == 0, entries)?;
            }
        }
        for (index, phase) in phases.iter().enumerate().filter(|(_, phase)| order.bench.contains(&phase.key)) {
            let done = order.done(&phase.key);
            let Some(units) = units.get(done..=done) else { continue };
            let number = done.div_ceil(phase.batch);
            let times = (calendar::after(begins, minutes), None);
            let batch = Batch::new(order, phase, number, units, times, user);
            self.batch(&batch, index == 0, number == 0, entries)?;
            minutes += phase.minutes;
        }
        Ok(())
    }

    /// A batch from its beginning to its end.
    fn batch(&mut self, batch: &Batch, is_first_phase: bool, is_first: bool, entries: &mut Vec<Entry>) -> Result<()> {
        let name = |unit: &&Unit| if is_first_phase { unit.code.clone() } else { unit.key.clone() };
        let (job_key, serials) = (batch.job.clone(), batch.units.iter().map(name).collect());
        let entry = if is_first {
            Entry::event(batch.start, batch.user, &JobStarted::of(job_key, serials))
        } else {
            Entry::event(batch.start, batch.user, &JobResumed::of(job_key, serials))
        };
        let mut entry = entry.giving("Batch", &batch.job, &batch.key);
        for unit in batch.units {
            entry.keys.give("Serial", &unit.code, &unit.key);
        }
        entries.push(entry);
        self.parts.add(batch, self.units, entries)?;
        let Some(end) = batch.end else { return Ok(()) };
        for step in &batch.phase.steps {
            let form_data = self.form_data(step, batch).map_err(unreadable)?;
            let completed = StepCompleted::of(batch.key.clone(), step.clone(), form_data);
            entries.push(Entry::event(end, batch.user, &completed));
        }
        // The last step completes the batch.
        if batch.phase.steps.is_empty() {
            let completed = BatchCompleted::of(&batch.key, batch.units.len() as f64);
            entries.push(Entry::event(end, batch.user, &completed));
        }
        Ok(())
    }

    /// What the form of a step records.
    fn form_data(&self, step: &str, batch: &Batch) -> Result<Vec<FormFieldValue>, String> {
        let step = Step::deserialize(self.factory.find("Step", step)?).map_err(|error| error.to_string())?;
        let number = batch.units.first().map_or(0, |unit| unit.number);
        let mut data = Vec::new();
        for FormField { key, custom_field_key } in step.form_fields {
            let value = self.read_off(&custom_field_key, number)?;
            let custom_field_key = Some(custom_field_key);
            data.push(FormFieldValue { form_field_key: key, custom_field_key, value: Some(value) });
        }
        Ok(data)
    }

    fn read_off(&self, field: &str, number: u32) -> Result<Value, String> {
        let reading = self.readings.iter().find(|reading| reading.field == field);
        let reading = reading.ok_or_else(|| format!("no reading of {field}"))?;
        if reading.choices.is_empty() {
            let step = (number * reading.stride).checked_rem(reading.span).unwrap_or_default();
            // A tenth is the finest any of the instruments reads.
            return Ok((((reading.base + f64::from(step) * reading.unit) * 10.0).round() / 10.0).into());
        }
        let choice = &reading.choices[number as usize % reading.choices.len()];
        let chosen = Choice::deserialize(self.factory.find("CustomListValue", choice)?);
        serde_json::to_value(chosen.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
    }
}

impl<'a> Batch<'a> {
    fn new(
        order: &'a Order,
        phase: &'a Phase,
        number: usize,
        units: &'a [&'a Unit],
        (start, end): (NaiveDateTime, Option<NaiveDateTime>),
        user: &'a str,
    ) -> Self {
        let job = job_key(order, phase);
        Self { key: format!("{job}-{}", number + 1), order: &order.key, job, phase, units, start, end, user }
    }
}
