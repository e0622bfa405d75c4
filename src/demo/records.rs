//! What is recorded while an order runs: batches, work sessions, steps with their readings, loose goods used.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use serde::Deserialize;
use serde_json::{Value, json};

use super::calendar::stored;
use super::factory::Factory;
use super::library::Phase;
use super::movements::Move;
use super::production::Run;
use super::units::Unit;

/// What a form field records, by the number of the unit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
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

/// Where records go.
pub struct Records<'a> {
    /// The documents.
    pub factory: &'a mut Factory,
    /// What forms record.
    pub readings: &'a [Reading],
    /// The data of the serials.
    pub data: &'a mut BTreeMap<String, Vec<Value>>,
    /// The movements.
    pub moves: &'a mut Vec<Move>,
}

/// Some units that go through a phase together.
struct Batch<'a> {
    key: String,
    run: &'a Run<'a>,
    phase: &'a Phase,
    units: &'a [&'a Unit],
    start: NaiveDateTime,
    /// Absent while it is on the bench.
    end: Option<NaiveDateTime>,
}

/// Adds everything recorded in one phase of an order.
pub fn add(records: &mut Records, run: &Run, index: usize, phase: &Phase) -> Result<(), String> {
    let done = run.done(&phase.key).min(run.units.len());
    for (number, units) in run.units.get(..done).unwrap_or_default().chunks(phase.batch).enumerate() {
        let first = number * phase.batch;
        let Some(key) = run.batch(phase, first) else { continue };
        let (start, end) = (run.start(index, first), Some(run.finish(index, first + units.len() - 1)));
        add_batch(records, &Batch { key, run, phase, units, start, end })?;
    }
    if let (true, Some(unit), Some(key)) = (run.on_bench(&phase.key), run.units.get(done), run.batch(phase, done)) {
        let units = std::slice::from_ref(unit);
        add_batch(records, &Batch { key, run, phase, units, start: run.start(index, done), end: None })?;
    }
    Ok(())
}

fn add_batch(records: &mut Records, batch: &Batch) -> Result<(), String> {
    let Batch { key, run, phase, units, start, end } = batch;
    let (job, order, quantity) = (run.job(&phase.key), &run.order.key, units.len() as f64);
    let passed = if end.is_some() { quantity } else { 0.0 };
    records.factory.add(
        "Batch",
        json!({
            "key": key, "job_key": job, "phase_key": phase.key, "work_order_key": order,
            "product_key": run.order.product, "start": stored(*start), "end": end.map(stored),
            "active": end.is_none(), "qt_pass": passed, "qt_total": quantity,
        }),
    )?;
    for unit in *units {
        let ends = json!({"from": format!("Batch/{key}"), "to": format!("Serial/{}", unit.key)});
        records.factory.add("batch_serial", ends)?;
    }
    let session = format!("session-{key}");
    records.factory.add(
        "WorkSession",
        json!({
            "key": session, "batch_key": key, "job_key": job, "phase_key": phase.key, "work_order_key": order,
            "product_key": run.order.product, "user_key": run.order.operator, "start": stored(*start),
            "end": end.map(stored), "active": end.is_none(),
            "duration": i64::from(phase.minutes) * 60_000 * units.len() as i64,
        }),
    )?;
    let Some(end) = *end else { return Ok(()) };
    add_steps(records, batch, &session, end)?;
    use_loose_goods(records, batch, end)
}

fn add_steps(records: &mut Records, batch: &Batch, session: &str, end: NaiveDateTime) -> Result<(), String> {
    let Batch { key, run, phase, units, .. } = batch;
    for step in phase.steps(records.factory)? {
        let step_key = step["_key"].as_str().unwrap_or_default();
        let event = format!("event-{key}-{step_key}");
        records.factory.add(
            "StepExecutionData",
            json!({
                "key": format!("{key}-{step_key}"), "job_key": run.job(&phase.key), "user_key": run.order.operator,
                "work_session_key": session, "batch_key": key, "step_key": step_key, "completed": stored(end),
            }),
        )?;
        records.factory.add(
            "Event",
            json!({
                "key": event, "event_type": "STEP_COMPLETED", "user_key": run.order.operator, "timestamp": stored(end),
                "work_order_key": run.order.key, "job_key": run.job(&phase.key), "batch_key": key, "step_key": step_key,
            }),
        )?;
        for field in step["form_fields"].as_array().into_iter().flatten() {
            for unit in *units {
                let value = read(records, field["custom_field_key"].as_str().unwrap_or_default(), unit.number)?;
                records.data.entry(unit.key.clone()).or_default().push(json!({
                    "form_field_key": field["_key"], "custom_field_key": field["custom_field_key"],
                    "label": field["label"], "hint": field["hint"], "mandatory": field["mandatory"], "value": value,
                    "batch_key": key, "step_key": step_key, "phase_key": phase.key, "last_updated": event,
                }));
            }
        }
    }
    Ok(())
}

fn read(records: &Records, field: &str, number: u32) -> Result<Value, String> {
    let reading = records
        .readings
        .iter()
        .find(|reading| reading.field == field)
        .ok_or_else(|| format!("no reading of {field}"))?;
    if reading.choices.is_empty() {
        let step = (number * reading.stride).checked_rem(reading.span).unwrap_or_default();
        // A tenth is the finest any of the instruments reads.
        return Ok(json!(((reading.base + f64::from(step) * reading.unit) * 10.0).round() / 10.0));
    }
    let choice = &reading.choices[number as usize % reading.choices.len()];
    let listed = records.factory.find("CustomListValue", choice)?;
    Ok(json!({"_key": choice, "value": listed["value"]}))
}

/// What a batch uses of goods that nobody numbers.
fn use_loose_goods(records: &mut Records, batch: &Batch, end: NaiveDateTime) -> Result<(), String> {
    for (component, quantity) in &batch.phase.uses {
        if records.factory.find("Product", component)?["traceability_level"].is_null() {
            let quantity = f64::from(*quantity) * batch.units.len() as f64;
            let (order, job) = (&batch.run.order.key, batch.run.job(&batch.phase.key));
            let user = batch.run.order.operator.as_deref();
            records.moves.push(Move::consumed_loose(component, quantity, end, order, &job, &batch.key, user));
        }
    }
    Ok(())
}
