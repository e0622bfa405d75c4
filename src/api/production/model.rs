//! Work orders, jobs, sessions, batches and queues as they are answered: stored documents, with null where one says nothing.

use std::collections::HashMap;

use poem_openapi::Object;
use serde_json::Value;

use crate::api::process::PhaseParameters;
use crate::api::product::BomLineConsumptionOptions;
use crate::openapi::AsStored;
use tracewright_model::{TraceabilityLevel, WorkOrderStatus};

/// A line of the bill of materials of a work order.
#[derive(Debug, Object)]
#[oai(rename = "WOBomLine")]
pub(super) struct WoBomLine {
    component_key: String,
    component_code: Option<String>,
    component_description: Option<String>,
    /// Quantity in one product.
    qt: f64,
    phase_key: Option<String>,
    /// Alias of the phase.
    phase_name: Option<String>,
    consumption_options: Option<BomLineConsumptionOptions>,
    /// Of the component.
    traceability_level: Option<String>,
    /// Whether stock of the component is kept.
    manage_inventory: Option<bool>,
    /// The line of the product's bill of materials it comes from.
    bom_line_key: Option<String>,
    extra: Option<Value>,
}

/// A document of the product at the time of the planning.
#[derive(Debug, Object)]
pub(super) struct WorkOrderDocument {
    name: Option<String>,
    size: Option<i64>,
}

/// A field that serials of the order are to have.
#[derive(Debug, Object)]
pub(super) struct WorkOrderSerialField {
    form_field_key: Option<String>,
    custom_field_key: Option<String>,
    label: Option<String>,
    hint: Option<String>,
    mandatory: Option<bool>,
    phase_key: Option<String>,
    step_key: Option<String>,
}

/// A work order.
#[derive(Debug, Object)]
pub(super) struct WorkOrder {
    #[oai(rename = "_id")]
    id: String,
    #[oai(rename = "_key")]
    key: String,
    #[oai(rename = "_rev")]
    rev: String,
    /// Unique.
    wo_code: Option<String>,
    product_key: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
    /// Keys of its phases, in order; `default` for a product without a process.
    phase_sequence: Option<Vec<String>>,
    qt_planned: Option<f64>,
    /// A mark for the pages.
    priority: Option<bool>,
    project_code: Option<String>,
    /// A date or a time.
    start_from: Option<String>,
    /// A date or a time.
    due_by: Option<String>,
    wo_bom: Option<Vec<WoBomLine>>,
    output_position_key: Option<String>,
    traceability_level: Option<AsStored<TraceabilityLevel>>,
    serial_code_on_creation: Option<bool>,
    notes: Option<String>,
    extra: Option<Value>,
    status: Option<WorkOrderStatus>,
    qt_completed: Option<f64>,
    /// Whether somebody is at work on it.
    active: Option<bool>,
    on_time: Option<bool>,
    critical: Option<bool>,
    /// From 0 to 100.
    progress: Option<i64>,
    serial_fields: Option<Vec<WorkOrderSerialField>>,
    created: Option<String>,
    start: Option<String>,
    end: Option<String>,
    material_cost: Option<f64>,
    wo_docs: Option<Vec<WorkOrderDocument>>,
    /// Milliseconds.
    processing_time: Option<i64>,
    processing_cost: Option<f64>,
}

const ORDER_MEMBERS: [&str; 28] = [
    "wo_code",
    "product_key",
    "product_code",
    "product_description",
    "qt_planned",
    "project_code",
    "start_from",
    "due_by",
    "output_position_key",
    "traceability_level",
    "notes",
    "extra",
    "status",
    "qt_completed",
    "created",
    "start",
    "end",
    "material_cost",
    "serial_fields",
    "progress",
    "priority",
    "serial_code_on_creation",
    "active",
    "on_time",
    "critical",
    "phase_sequence",
    "wo_bom",
    "wo_docs",
];

/// A work order with every member, and what it has taken so far.
#[derive(Debug, Object)]
pub(super) struct WorkOrderRow {
    #[oai(flatten)]
    order: WorkOrder,
    /// Issues that are linked to it.
    issue_count: i64,
    /// Costs of work and material.
    total_cost: f64,
}

/// A job.
#[derive(Debug, Object)]
pub(super) struct Job {
    #[oai(flatten)]
    base: JobBase,
    /// Key of the user who is to do it.
    assigned_to: Option<String>,
}

/// A job apart from who is to do it.
#[derive(Debug, Object)]
pub(super) struct JobBase {
    #[oai(rename = "_id")]
    id: String,
    #[oai(rename = "_key")]
    key: String,
    #[oai(rename = "_rev")]
    rev: String,
    wo_key: Option<String>,
    wo_code: Option<String>,
    phase_key: Option<String>,
    phase_alias: Option<String>,
    product_key: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
    operation_key: Option<String>,
    project_code: Option<String>,
    parameters: Option<AsStored<PhaseParameters>>,
    first_phase: Option<bool>,
    last_phase: Option<bool>,
    stage: Option<WorkOrderStatus>,
    /// A date or a time.
    start_from: Option<String>,
    /// A date or a time.
    due_by: Option<String>,
    start: Option<String>,
    end: Option<String>,
    active: Option<bool>,
    critical: Option<bool>,
    qt_planned: Option<f64>,
    qt_completed: Option<f64>,
    qt_released: Option<f64>,
    /// Whole steps, as they were when the order was planned, with the names of their files.
    step_sequence: Option<Vec<Value>>,
    /// From 0 to 100.
    progress: Option<i64>,
    active_batch_key: Option<String>,
    active_batch_qt: Option<f64>,
    /// Whether the next batch can begin; null on a closed job.
    next_batch_available: Option<bool>,
    traceability_level: Option<AsStored<TraceabilityLevel>>,
    serial_code_on_creation: Option<bool>,
    on_time: Option<bool>,
    last_work_session_started: Option<String>,
    last_online: Option<String>,
    job_docs: Option<Vec<WorkOrderDocument>>,
    forced: Option<String>,
    notes: Option<String>,
    extra: Option<Value>,
    trash: Option<bool>,
}

const JOB_MEMBERS: [&str; 37] = [
    "wo_key",
    "wo_code",
    "phase_key",
    "phase_alias",
    "product_key",
    "product_code",
    "product_description",
    "operation_key",
    "project_code",
    "parameters",
    "first_phase",
    "last_phase",
    "stage",
    "start_from",
    "due_by",
    "start",
    "end",
    "active",
    "critical",
    "qt_planned",
    "qt_completed",
    "qt_released",
    "step_sequence",
    "progress",
    "active_batch_key",
    "active_batch_qt",
    "next_batch_available",
    "traceability_level",
    "serial_code_on_creation",
    "on_time",
    "last_work_session_started",
    "last_online",
    "job_docs",
    "forced",
    "notes",
    "extra",
    "assigned_to",
];

/// A new work order with its jobs.
#[derive(Debug, Object)]
pub(super) struct NewWorkOrder {
    work_order: WorkOrder,
    /// In the order of the phases.
    jobs: Vec<Job>,
}

/// Who is to do a job; all null when nobody is.
#[derive(Debug, Object)]
pub(super) struct JobAssignee {
    #[oai(rename = "_key")]
    key: Option<String>,
    name: Option<String>,
    surname: Option<String>,
    active: Option<bool>,
}

/// A job of a work order with what it has taken so far.
#[derive(Debug, Object)]
pub(super) struct WorkOrderJob {
    #[oai(flatten)]
    job: JobBase,
    assigned_to: JobAssignee,
    /// Milliseconds.
    processing_time: i64,
    processing_cost: f64,
    /// Issues that are linked to it.
    issue_count: i64,
}

/// A work order with its jobs.
#[derive(Debug, Object)]
pub(super) struct WorkOrderFull {
    #[oai(flatten)]
    order: WorkOrder,
    /// In the order of the phases.
    jobs: Vec<WorkOrderJob>,
    /// Costs of work and material.
    total_cost: f64,
}

/// A stored document with null for the members that it lacks, apart from lists and flags.
pub(super) fn whole_order(order: Value) -> Value {
    whole(order, &ORDER_MEMBERS)
}

/// The same for a job.
pub(super) fn whole_job(job: Value) -> Value {
    whole(job, &JOB_MEMBERS)
}

/// A document with every member; the database of an earlier system may lack some.
pub(super) fn whole(mut document: Value, members: &[&str]) -> Value {
    if let Some(own) = document.as_object_mut() {
        for name in members {
            own.entry(*name).or_insert_with(|| match *name {
                "phase_sequence" | "wo_bom" | "wo_docs" | "job_docs" | "step_sequence" => Value::Array(Vec::new()),
                "priority" | "serial_code_on_creation" | "active" | "critical" => false.into(),
                _ => Value::Null,
            });
        }
    }
    document
}

/// The key of a stored document.
pub(super) fn key_of(document: &Value) -> &str {
    document["_key"].as_str().unwrap_or_default()
}

/// Documents in the order of their keys.
pub(super) fn in_order(keys: &[String], documents: Vec<Value>) -> Vec<Value> {
    let keyed = |document: Value| (key_of(&document).to_owned(), document);
    let mut found: HashMap<String, Value> = documents.into_iter().map(keyed).collect();
    keys.iter().filter_map(|key| found.remove(key)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_that_lacks_members_is_answered_with_all() {
        let order = whole_order(json!({"_key": "w", "wo_code": "A", "colour": "red"}));
        assert_eq!((&order["wo_code"], &order["colour"]), (&json!("A"), &json!("red")));
        assert_eq!((&order["wo_docs"], &order["priority"], &order["end"]), (&json!([]), &json!(false), &Value::Null));
        assert_eq!(whole_job(json!({}))["assigned_to"], Value::Null);
    }
}
