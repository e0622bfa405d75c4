//! Bodies of the operations between the events, as clients would have sent them.

use serde::Serialize;

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

/// A component that is collected for a unit.
#[derive(Serialize)]
pub(super) struct Link<'a> {
    pub child_serial_key: &'a str,
    pub parent_serial_key: &'a str,
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
