//! Jobs: what a new one looks like, and what closing and opening again change.

use poem_openapi::types::MaybeUndefined;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::members::JobMembers;
use super::{part, quantities, queues};
use crate::aql::production as stored;
use crate::aql::production::insert_jobs::{self, Row as Stored};
pub use crate::aql::rows::JobTemplate as Template;
use crate::error::Result;
use crate::store::{Transaction, typed};
use tracewright_model::WorkOrderStatus;

/// The phase of a product without a process. No document has this key.
pub const DEFAULT_PHASE: &str = "default";
/// What a closed job says when nobody said more.
const CLOSED_NOTES: &str = "Job closed";

impl Template {
    /// That of a product without a process.
    pub fn without_process(parameters: Value) -> Self {
        Self {
            phase_key: DEFAULT_PHASE.to_owned(),
            phase_alias: Some("Production".to_owned()),
            operation_key: None,
            parameters,
            step_sequence: Value::Array(Vec::new()),
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

/// What a job takes over from its work order.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Order {
    #[serde(rename = "_key")]
    key: Value,
    wo_code: Value,
    product_key: Value,
    product_code: Value,
    product_description: Value,
    project_code: Value,
    phase_sequence: Value,
    start_from: Value,
    due_by: Value,
    traceability_level: Value,
    serial_code_on_creation: Value,
    wo_docs: Value,
}

/// What is stored of a new job.
#[derive(Serialize)]
struct Document<'a> {
    wo_key: Value,
    wo_code: Value,
    phase_key: &'a str,
    phase_alias: Option<&'a str>,
    operation_key: Option<&'a str>,
    product_key: Value,
    product_code: Value,
    product_description: Value,
    project_code: Value,
    parameters: &'a Value,
    step_sequence: &'a Value,
    first_phase: bool,
    last_phase: bool,
    stage: WorkOrderStatus,
    start_from: Value,
    due_by: Value,
    start: Option<String>,
    end: Option<String>,
    active: bool,
    critical: bool,
    on_time: bool,
    qt_planned: f64,
    qt_completed: u8,
    qt_released: u8,
    progress: u8,
    active_batch_key: Option<String>,
    active_batch_qt: u8,
    next_batch_available: bool,
    assigned_to: Option<&'a str>,
    traceability_level: Value,
    serial_code_on_creation: Value,
    last_work_session_started: Option<String>,
    last_online: Option<String>,
    job_docs: Value,
    wo_bom: [Value; 0],
    forced: Option<String>,
    notes: Option<&'a str>,
    extra: Option<Value>,
    trash: bool,
}

/// A new job of a work order, as it is stored.
pub fn new(order: &Value, template: &Template, plan: Plan) -> Result<Value> {
    let order: Order = part(order);
    let sequence = queues::keys(&order.phase_sequence);
    let is_first = sequence.first() == Some(&template.phase_key);
    let size = part::<Parameters>(&template.parameters).production_batch_qt.as_f64().unwrap_or(1.0);
    let next = quantities::next_batch(plan.quantity, 0.0, 0.0, size);
    let job = Document {
        wo_key: order.key,
        wo_code: order.wo_code,
        phase_key: &template.phase_key,
        phase_alias: template.phase_alias.as_deref(),
        operation_key: template.operation_key.as_deref(),
        product_key: order.product_key,
        product_code: order.product_code,
        product_description: order.product_description,
        project_code: order.project_code,
        parameters: &template.parameters,
        step_sequence: &template.step_sequence,
        first_phase: is_first,
        last_phase: sequence.last() == Some(&template.phase_key),
        stage: WorkOrderStatus::Created,
        start_from: order.start_from,
        due_by: order.due_by,
        start: None,
        end: None,
        active: false,
        critical: false,
        on_time: true,
        qt_planned: quantities::rounded(plan.quantity),
        qt_completed: 0,
        qt_released: 0,
        progress: 0,
        active_batch_key: None,
        active_batch_qt: 0,
        next_batch_available: is_first || quantities::fits(next, plan.free),
        assigned_to: plan.assigned_to,
        traceability_level: order.traceability_level,
        serial_code_on_creation: order.serial_code_on_creation,
        last_work_session_started: None,
        last_online: None,
        job_docs: order.wo_docs,
        wo_bom: [],
        forced: None,
        notes: plan.notes,
        extra: None,
        trash: false,
    };
    Ok(typed::bound(&job)?)
}

/// How a job is worked on, as far as its first batch follows from it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Parameters {
    production_batch_qt: Value,
}

/// What closing changes of a job that has completed so many pieces. Notes that were given replace those that are there.
pub fn closing(completed: f64, notes: Option<&str>, now: &str) -> JobMembers {
    JobMembers {
        active: Some(false),
        stage: Some(WorkOrderStatus::Closed),
        active_batch_key: MaybeUndefined::Null,
        active_batch_qt: Some(0.0),
        qt_released: Some(completed),
        next_batch_available: MaybeUndefined::Null,
        end: now.to_owned().into(),
        notes: notes.unwrap_or(CLOSED_NOTES).to_owned().into(),
        ..JobMembers::default()
    }
}

/// The same for a job that is complete: notes that are there stay.
pub fn completing(completed: f64, notes: Option<&str>, now: &str) -> JobMembers {
    closing(completed, notes.filter(|notes| !notes.is_empty()), now)
}

/// What opening a closed job again changes of it. `has_begun`: whether somebody worked on it.
pub fn reopening(has_begun: bool) -> JobMembers {
    let stage = if has_begun { WorkOrderStatus::Started } else { WorkOrderStatus::Created };
    JobMembers { stage: Some(stage), end: MaybeUndefined::Null, ..JobMembers::default() }
}

/// Stores new jobs and gives them as they are stored, in the order given: the database answers in any order.
pub async fn insert(trx: &Transaction, jobs: &[Value]) -> Result<Vec<Value>> {
    let placed: Vec<_> = jobs.iter().enumerate().map(|(place, job)| insert_jobs::Jobs { place, job }).collect();
    Ok(in_place(stored::insert_jobs(trx, insert_jobs::Params { jobs: &placed }).await?))
}

fn in_place(mut stored: Vec<Stored>) -> Vec<Value> {
    stored.sort_by_key(|stored| stored.place);
    stored.into_iter().map(|stored| stored.job).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stored_jobs_come_in_the_order_given_whatever_order_the_database_answers_in() {
        let stored = |places: [usize; 3]| places.map(|place| Stored { place, job: json!(place) }).to_vec();
        for places in [[0, 1, 2], [2, 0, 1], [2, 1, 0]] {
            assert_eq!(in_place(stored(places)), [json!(0), json!(1), json!(2)]);
        }
    }

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
        let job =
            |key: &str, free| new(&order, &template(key), Plan { quantity: 5.0, free, ..Plan::default() }).unwrap();
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
        let notes = |members: JobMembers| members.notes.take();
        assert_eq!(notes(closing(3.0, None, "now")).as_deref(), Some("Job closed"));
        assert_eq!(notes(closing(3.0, Some("done"), "now")).as_deref(), Some("done"));
        assert_eq!(notes(completing(3.0, Some("mind the edge"), "now")).as_deref(), Some("mind the edge"));
        assert_eq!(notes(completing(3.0, Some(""), "now")).as_deref(), Some("Job closed"));
        assert_eq!(closing(3.0, None, "now").qt_released, Some(3.0));
    }

    #[test]
    fn a_job_is_opened_again_to_where_it_was() {
        assert_eq!(reopening(false).stage, Some(WorkOrderStatus::Created));
        assert_eq!(reopening(true).stage, Some(WorkOrderStatus::Started));
    }
}
