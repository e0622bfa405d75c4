//! Events as clients would have posted them, and the bodies of operations between them.

use serde::Serialize;
use serde_json::Value;

/// A new work order.
#[derive(Serialize)]
pub(super) struct Wish<'a> {
    pub wo_code: &'a str,
    pub product_key: &'a str,
    pub qt_planned: f64,
    pub priority: bool,
    pub project_code: Option<&'a str>,
    pub start_from: String,
    pub due_by: Option<String>,
}

/// A change of a job.
#[derive(Serialize)]
pub(super) struct JobChange<'a> {
    pub action: &'static str,
    pub data: JobData<'a>,
}

#[derive(Serialize)]
pub(super) struct JobData<'a> {
    #[serde(rename = "_key")]
    pub key: String,
    pub assigned_to: &'a str,
}

/// Work on a batch of some units begins.
#[derive(Serialize)]
pub(super) struct JobBegun<'a> {
    pub job_key: &'a str,
    pub batch_serials: Vec<&'a str>,
}

#[derive(Serialize)]
pub(super) struct StepCompleted<'a> {
    pub batch_key: &'a str,
    pub step_key: &'a str,
    pub form_data: Vec<Field>,
}

/// What a field of a form holds.
#[derive(Serialize)]
pub(super) struct Field {
    pub form_field_key: Value,
    pub custom_field_key: String,
    pub value: Value,
}

#[derive(Serialize)]
pub(super) struct BatchCompleted<'a> {
    pub active_batch_key: &'a str,
    pub completed_batch_qt: usize,
}

/// A part goes into a unit, or comes out again.
#[derive(Serialize)]
pub(super) struct Link<'a> {
    pub child_serial_key: &'a str,
    pub parent_serial_key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
}

/// A piece is moved.
#[derive(Serialize)]
pub(super) struct Moved<'a> {
    pub movement_type: &'static str,
    pub qt_confirmed: i64,
    pub product_key: &'a str,
    pub serial_key: &'a str,
    pub position_from: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position_to: Option<&'a str>,
    pub reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<OfBatch<'a>>,
}

#[derive(Serialize)]
pub(super) struct OfBatch<'a> {
    pub work_order_key: &'a str,
    pub job_key: &'a str,
    pub batch_key: &'a str,
}

#[derive(Serialize)]
pub(super) struct ListCreated<'a> {
    pub new_movement_list: NewList<'a>,
}

/// A new list of movements.
#[derive(Serialize)]
pub(super) struct NewList<'a> {
    pub code: &'a str,
    #[serde(rename = "type")]
    pub kind: &'a str,
    pub due_by: String,
    pub status: &'static str,
    pub references: Papers<'a>,
    pub movements: Vec<NewMovement<'a>>,
}

#[derive(Serialize)]
pub(super) struct Papers<'a> {
    pub partner_name: Option<&'a str>,
    pub purchase_doc: Option<&'a str>,
    pub sales_doc: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct NewMovement<'a> {
    pub product_key: &'a str,
    pub qt_planned: f64,
    pub movement_list_item: usize,
    pub position_from: Option<&'a str>,
    pub position_to: Option<&'a str>,
    pub reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial_code: Option<&'a str>,
}

/// A new counting session with who counts what.
#[derive(Serialize)]
pub(super) struct NewCount<'a> {
    pub count_session: CountPlan<'a>,
    pub assignments: Vec<Counter<'a>>,
}

#[derive(Serialize)]
pub(super) struct CountPlan<'a> {
    pub code: &'a str,
    pub description: &'a str,
    #[serde(rename = "type")]
    pub kind: &'static str,
}

#[derive(Serialize)]
pub(super) struct Counter<'a> {
    pub user_key: &'a str,
    pub targets: [Target<'a>; 1],
}

#[derive(Serialize)]
pub(super) struct Target<'a> {
    pub target_key: &'a str,
    pub include_children: bool,
}
