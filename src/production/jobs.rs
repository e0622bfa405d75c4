//! Jobs: what a new one looks like, and what closing and opening again change.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{CLOSED, quantities};
use crate::aql::production::INSERT_JOBS;
use crate::error::Result;
use crate::store::Transaction;

/// The phase of a product without a process. No document has this key.
pub const DEFAULT_PHASE: &str = "default";
/// What a closed job says when nobody said more.
const CLOSED_NOTES: &str = "Job closed";

/// What a job takes over from its phase when it is planned.
#[derive(Debug, Clone, Deserialize)]
pub struct Template {
    /// Key of the phase.
    pub phase_key: String,
    /// Its alias.
    pub phase_alias: Option<String>,
    /// The operation it is based on.
    pub operation_key: Option<String>,
    /// How it is worked on.
    pub parameters: Value,
    /// Whole steps with the names of their files.
    pub step_sequence: Value,
}

impl Template {
    /// That of a product without a process.
    pub fn without_process(parameters: Value) -> Self {
        Self {
            phase_key: DEFAULT_PHASE.to_owned(),
            phase_alias: Some("Production".to_owned()),
            operation_key: None,
            parameters,
            step_sequence: json!([]),
        }
    }
}

/// What is planned of a new job.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plan<'a> {
    /// Pieces.
    pub quantity: f64,
    /// Who is to do it.
    pub assigned_to: Option<&'a str>,
    /// Notes.
    pub notes: Option<&'a str>,
    /// Free work in progress of its phase.
    pub free: f64,
}

/// A new job of a work order, as it is stored.
pub fn new(order: &Value, template: &Template, plan: Plan) -> Value {
    let sequence: Vec<&str> =
        order["phase_sequence"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_first = sequence.first() == Some(&template.phase_key.as_str());
    let size = template.parameters["production_batch_qt"].as_f64().unwrap_or(1.0);
    let next = quantities::next_batch(plan.quantity, 0.0, 0.0, size);
    json!({
        "wo_key": order["_key"], "wo_code": order["wo_code"], "phase_key": template.phase_key,
        "phase_alias": template.phase_alias, "operation_key": template.operation_key,
        "product_key": order["product_key"], "product_code": order["product_code"],
        "product_description": order["product_description"], "project_code": order["project_code"],
        "parameters": template.parameters, "step_sequence": template.step_sequence,
        "first_phase": is_first, "last_phase": sequence.last() == Some(&template.phase_key.as_str()),
        "stage": "created", "start_from": order["start_from"], "due_by": order["due_by"], "start": null, "end": null,
        "active": false, "critical": false, "on_time": true, "qt_planned": quantities::rounded(plan.quantity),
        "qt_completed": 0, "qt_released": 0, "progress": 0, "active_batch_key": null, "active_batch_qt": 0,
        "next_batch_available": is_first || quantities::fits(next, plan.free), "assigned_to": plan.assigned_to,
        "traceability_level": order["traceability_level"], "serial_code_on_creation": order["serial_code_on_creation"],
        "last_work_session_started": null, "last_online": null, "job_docs": order["wo_docs"], "wo_bom": [],
        "forced": null, "notes": plan.notes, "extra": null, "trash": false,
    })
}

/// What closing changes of a job. Notes that were given replace those that are there.
pub fn closing(job: &Value, notes: Option<&str>, now: &str) -> Map<String, Value> {
    let members = json!({
        "active": false, "stage": CLOSED, "active_batch_key": null, "active_batch_qt": 0,
        "qt_released": job["qt_completed"].as_f64().unwrap_or_default(), "next_batch_available": null, "end": now,
        "notes": notes.unwrap_or(CLOSED_NOTES),
    });
    object(members)
}

/// The same for a job that is complete: notes that are there stay.
pub fn completing(job: &Value, now: &str) -> Map<String, Value> {
    closing(job, job["notes"].as_str().filter(|notes| !notes.is_empty()), now)
}

/// What opening a closed job again changes of it.
pub fn reopening(job: &Value) -> Map<String, Value> {
    object(json!({"stage": if job["start"].is_null() { "created" } else { "started" }, "end": null}))
}

fn object(members: Value) -> Map<String, Value> {
    match members {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// Inserts jobs and gives them as they are stored, in the order given.
pub async fn insert(trx: &Transaction, jobs: Vec<Value>) -> Result<Vec<Value>> {
    #[derive(Deserialize)]
    struct Inserted {
        place: usize,
        job: Value,
    }
    let rows: Vec<Value> =
        jobs.into_iter().enumerate().map(|(place, job)| json!({"place": place, "job": job})).collect();
    let mut inserted: Vec<Inserted> = trx.rows(&INSERT_JOBS, json!({"jobs": rows})).await?;
    inserted.sort_unstable_by_key(|inserted| inserted.place);
    Ok(inserted.into_iter().map(|inserted| inserted.job).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_job_is_first_and_last_by_its_place_and_waits_for_work_in_progress() {
        let order = json!({"_key": "w", "phase_sequence": ["a", "b"], "project_code": "X", "wo_docs": []});
        let template = |key: &str| Template {
            phase_key: key.to_owned(),
            phase_alias: None,
            operation_key: None,
            parameters: json!({"production_batch_qt": 2}),
            step_sequence: json!([]),
        };
        let job = |key: &str, free| new(&order, &template(key), Plan { quantity: 5.0, free, ..Plan::default() });
        let flags = |job: &Value| {
            ["first_phase", "last_phase", "next_batch_available"].map(|name| job[name].as_bool().unwrap())
        };
        assert_eq!(flags(&job("a", 0.0)), [true, false, true]);
        assert_eq!(flags(&job("b", 1.0)), [false, true, false]);
        assert_eq!(flags(&job("b", 2.0)), [false, true, true]);
        assert_eq!(job("a", 0.0)["project_code"], "X");
    }

    #[test]
    fn notes_of_a_closed_job_are_those_given_and_stay_when_it_closes_by_itself() {
        let job = json!({"qt_completed": 3, "notes": "mind the edge"});
        assert_eq!(closing(&job, None, "now")["notes"], "Job closed");
        assert_eq!(closing(&job, Some("done"), "now")["notes"], "done");
        assert_eq!(completing(&job, "now")["notes"], "mind the edge");
        assert_eq!(completing(&json!({"notes": ""}), "now")["notes"], "Job closed");
        assert_eq!(closing(&job, None, "now")["qt_released"], 3.0);
    }

    #[test]
    fn a_job_is_opened_again_to_where_it_was() {
        assert_eq!(reopening(&json!({"start": null}))["stage"], "created");
        assert_eq!(reopening(&json!({"start": "2026"}))["stage"], "started");
    }
}
