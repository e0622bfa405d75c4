//! What stations send, and what they read of the answers. It is written down as clients know it, not by the types of the service: a
//! member that is renamed there is missed here.

use serde::{Deserialize, Serialize};

/// An event.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event_type", rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Event<'a> {
    JobStarted(OfJob<'a>),
    JobPaused(OfJob<'a>),
    JobResumed(OfJob<'a>),
    SerialCreated { product_key: &'a str, code: &'a str },
    SerialLinked(Link<'a>),
    SerialUnlinked(Link<'a>),
    StepCompleted { batch_key: &'a str, step_key: &'a str, form_data: &'a [Measured<'a>] },
    MovementCompleted(Movement<'a>),
    MovementPlanned(Movement<'a>),
    MovementUpdated { movement_key: &'a str, qt_confirmed: i64 },
    MovementCanceled { movement_key: &'a str },
    MovementReversed { original_movement_key: &'a str, quantity_to_revert: i64, reason: &'a str },
    CountSessionStarted(OfSession<'a>),
    CountSessionCompleted(OfSession<'a>),
    CountSessionConfirmed(OfSession<'a>),
    CountStarted { session_key: &'a str, product_key: &'a str, position_key: &'a str },
    CountCompleted { count_key: &'a str, count_qt: i64 },
    CountDiscarded { count_key: &'a str },
    IssueCreated { issue_data: Issue<'a> },
    IssueClosed { issue_data: Keyed },
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct OfJob<'a> {
    pub job_key: &'a str,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct OfSession<'a> {
    pub session_key: &'a str,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Link<'a> {
    pub child_serial_key: &'a str,
    pub parent_serial_key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    pub process_inventory: bool,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Measured<'a> {
    pub form_field_key: &'a str,
    pub custom_field_key: &'a str,
    pub value: f64,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Movement<'a> {
    pub movement_type: &'static str,
    pub product_key: &'a str,
    pub qt_confirmed: i64,
    pub position_from: &'a str,
    pub position_to: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movement_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qt_planned: Option<i64>,
}

/// An issue without data and links.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Issue<'a> {
    pub issue_type_key: &'a str,
    pub data: [(); 0],
    pub linked_to: [(); 0],
}

/// An event with its key and the user it is recorded for; without one that is whoever sends it.
#[derive(Debug, Serialize)]
pub(super) struct Sent<'a> {
    pub event_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_key: Option<&'a str>,
    #[serde(flatten)]
    pub event: &'a Event<'a>,
}

/// A field, an issue type or an operation.
#[derive(Debug, Serialize)]
pub(super) struct Named {
    pub name: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_label: Option<&'static str>,
}

#[derive(Debug, Serialize)]
pub(super) struct NewPosition {
    pub code: String,
}

#[derive(Debug, Serialize)]
pub(super) struct NewUser {
    pub username: String,
    pub scope: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct NewPassword<'a> {
    pub new_password: &'a str,
}

#[derive(Debug, Serialize)]
pub(super) struct NewToken<'a> {
    pub token_description: &'a str,
}

#[derive(Debug, Serialize)]
pub(super) struct NewCounter {
    pub name: String,
    pub template: [String; 2],
    pub next_tick: i64,
}

#[derive(Debug, Serialize)]
pub(super) struct NewPhase<'a> {
    pub alias: &'static str,
    pub operation_key: &'a str,
    pub params: PhaseParams,
    pub steps: [NewStep<'a>; 2],
}

#[derive(Debug, Serialize)]
pub(super) struct PhaseParams {
    pub step_check: bool,
    pub production_batch_qt: i64,
    pub auto_new_batch: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct NewStep<'a> {
    pub title: &'static str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_fields: Option<[NewFormField<'a>; 1]>,
}

#[derive(Debug, Serialize)]
pub(super) struct NewFormField<'a> {
    pub custom_field_key: &'a str,
    pub label: &'static str,
    pub mandatory: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct NewOrder<'a> {
    pub product_key: &'a str,
    pub qt_planned: i64,
    pub wo_code: &'a str,
}

#[derive(Debug, Serialize)]
pub(super) struct NewSession<'a> {
    pub count_session: SessionPlan<'a>,
    pub assignments: [SessionTargets<'a>; 1],
}

#[derive(Debug, Serialize)]
pub(super) struct SessionPlan<'a> {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub code: &'a str,
}

#[derive(Debug, Serialize)]
pub(super) struct SessionTargets<'a> {
    pub user_key: &'a str,
    pub target_keys: [&'a str; 1],
}

/// What most answers hold theirs in.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope<T> {
    pub detail: T,
}

/// Why an event was refused.
#[derive(Debug, Deserialize)]
pub(super) struct Refusal {
    pub error_type: String,
    #[serde(default)]
    pub message: Option<String>,
}

/// A token, and what the service wants of its user next.
#[derive(Debug, Deserialize)]
pub(super) struct Token {
    pub access_token: String,
    #[serde(default)]
    pub detail: Option<Next>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Next {
    #[serde(default)]
    pub action: Option<String>,
}

/// What a token says of itself.
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    pub jti: String,
}

/// The key of something.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Keyed {
    #[serde(rename = "_key")]
    pub key: String,
}

/// The key of something new, which has another name for each kind.
#[derive(Debug, Deserialize)]
pub(super) struct Created {
    #[serde(rename = "_key")]
    pub key: Option<String>,
    pub user_key: Option<String>,
    pub counter_key: Option<String>,
    pub field_key: Option<String>,
    pub issue_type_key: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CreatedUser {
    pub user_key: String,
    pub temp_psw: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct CreatedOrder {
    pub work_order: Keyed,
    pub jobs: Vec<Job>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Job {
    #[serde(rename = "_key")]
    pub key: String,
    pub step_sequence: Vec<Step>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Step {
    #[serde(rename = "_key")]
    pub key: String,
    #[serde(default)]
    pub form_fields: Option<Vec<Keyed>>,
}

/// How far a job has come.
#[derive(Debug, Deserialize)]
pub(super) struct Progress {
    #[serde(default)]
    pub job_data: Option<JobData>,
    #[serde(default)]
    pub batch_data: Option<Created>,
}

#[derive(Debug, Deserialize)]
pub(super) struct JobData {
    #[serde(default)]
    pub stage: Option<String>,
}

/// A new serial, or one of a batch.
#[derive(Debug, Deserialize)]
pub(super) struct OfSerial {
    pub serial_key: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct OfIssue {
    pub issue_key: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct OfCountSession {
    pub count_session_key: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct OfCount {
    pub count_record_key: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Confirmed {
    pub records_to_process: usize,
}

/// A work order.
#[derive(Debug, Deserialize)]
pub(super) struct Order {
    pub status: Option<String>,
    pub qt_completed: Option<f64>,
}

/// A counting session.
#[derive(Debug, Deserialize)]
pub(super) struct Session {
    pub status: Option<String>,
    pub movements_failed: Option<f64>,
}

/// A stock record.
#[derive(Debug, Deserialize)]
pub(super) struct Stock {
    pub quantity: Option<f64>,
}
