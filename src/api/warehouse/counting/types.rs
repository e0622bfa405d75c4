//! What the operations of counting take and answer.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::tags::Tag;
use tracewright_model::Moment;

/// What a session counts by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "InventoryCountSessionType", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(super) enum TargetType {
    /// Position by position.
    Position,
    /// Product by product.
    Product,
}

impl TargetType {
    /// Its name, as it is stored.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Product => "product",
        }
    }
}

/// How far a session has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "InventoryCountSessionStatus", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(super) enum SessionStatus {
    /// Not begun.
    Planned,
    /// People count.
    Started,
    /// Counted; under review.
    Completed,
    /// Stock is being corrected.
    Processing,
    /// Stock is corrected.
    Applied,
    /// Given up.
    Canceled,
}

impl SessionStatus {
    /// Its name, as it is stored.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Started => "started",
            Self::Completed => "completed",
            Self::Processing => "processing",
            Self::Applied => "applied",
            Self::Canceled => "canceled",
        }
    }
}

/// How far an assignment has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "InventoryCountAssignmentStatus", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(super) enum AssignmentStatus {
    /// Not begun.
    Planned,
    /// Somebody counts.
    Started,
    /// Counted.
    Completed,
    /// Given up.
    Canceled,
}

impl AssignmentStatus {
    /// Its name, as it is stored.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Started => "started",
            Self::Completed => "completed",
            Self::Canceled => "canceled",
        }
    }
}

/// How far a count record has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "InventoryCountRecordStatus", rename_all = "lowercase")]
pub(super) enum RecordStatus {
    /// Somebody counts.
    Started,
    /// Counted.
    Completed,
    /// Handed in.
    Submitted,
    /// Accepted.
    Confirmed,
    /// Thrown away.
    Discarded,
}

fn yes() -> Option<bool> {
    Some(true)
}

fn planned_session() -> Option<SessionStatus> {
    Some(SessionStatus::Planned)
}

fn planned_assignment() -> Option<AssignmentStatus> {
    Some(AssignmentStatus::Planned)
}

/// A counting session.
#[derive(Debug, Object)]
#[oai(rename = "InventoryCountSession")]
pub(super) struct Session {
    #[oai(rename = "_id")]
    pub id: Option<String>,
    #[oai(rename = "_key")]
    pub key: Option<String>,
    #[oai(rename = "_rev")]
    pub rev: Option<String>,
    /// From a counter when not given.
    pub code: Option<String>,
    pub description: Option<String>,
    #[oai(rename = "type")]
    pub kind: TargetType,
    #[oai(default = "planned_session")]
    pub status: Option<SessionStatus>,
    /// Whether those who count do not see the quantities.
    #[oai(default = "yes")]
    pub blind_quantities: Option<bool>,
    /// Whether those who count do not see the serials.
    #[oai(default = "yes")]
    pub blind_serials: Option<bool>,
    pub coverage_percentage: Option<f64>,
    pub scheduled_start: Option<Moment>,
    pub scheduled_end: Option<Moment>,
    pub created: Option<Moment>,
    pub created_by: Option<String>,
    pub started: Option<Moment>,
    pub completed: Option<Moment>,
    pub baseline_snapshot_key: Option<String>,
    pub post_count_snapshot_key: Option<String>,
    pub post_adjustment_snapshot_key: Option<String>,
    pub adjustment_list_key: Option<String>,
    pub notes: Option<String>,
    /// Anything.
    pub extra: Option<Value>,
}

/// Something to be counted by somebody.
#[derive(Debug, Object)]
#[oai(rename = "InventoryCountAssignment")]
pub(super) struct Assignment {
    #[oai(rename = "_id")]
    pub id: Option<String>,
    #[oai(rename = "_key")]
    pub key: Option<String>,
    #[oai(rename = "_rev")]
    pub rev: Option<String>,
    pub inventory_count_session_key: String,
    pub target_type: TargetType,
    pub target_key: String,
    /// Whether the positions in the target are to be counted too.
    pub include_children: Option<bool>,
    pub assigned_to: Option<String>,
    #[oai(default = "planned_assignment")]
    pub status: Option<AssignmentStatus>,
    pub created: Option<Moment>,
    pub created_by: Option<String>,
    pub started: Option<Moment>,
    pub completed: Option<Moment>,
    pub notes: Option<String>,
    /// Anything.
    pub extra: Option<Value>,
}

/// A serial in a count record.
#[derive(Debug, Object)]
pub(super) struct CountedSerial {
    serial_key: String,
    serial_code: Option<String>,
}

/// One count of a product at a position.
#[derive(Debug, Object)]
#[oai(rename = "InventoryCountRecord")]
pub(super) struct Record {
    #[oai(rename = "_id")]
    id: String,
    #[oai(rename = "_key")]
    key: String,
    #[oai(rename = "_rev")]
    rev: String,
    /// Identifier of the product.
    #[oai(rename = "_from")]
    from: String,
    /// Identifier of the position.
    #[oai(rename = "_to")]
    to: String,
    system_qt: Option<f64>,
    system_serial_keys: Option<Vec<String>>,
    system_at: Option<Moment>,
    counted_qt: Option<f64>,
    counted_serial_keys: Option<Vec<String>>,
    counted_at: Option<Moment>,
    inventory_count_session_key: Option<String>,
    assignment_key: Option<String>,
    user_key: Option<String>,
    status: RecordStatus,
    reviewed_at: Option<Moment>,
    processed: Option<bool>,
    movement_keys: Option<Vec<String>>,
    notes: Option<String>,
    /// Anything.
    extra: Option<Value>,
    product_key: String,
    product_code: Option<String>,
    product_description: Option<String>,
    product_traceability_level: Option<String>,
    product_tags: Vec<Tag>,
    position_key: String,
    position_code: Option<String>,
    position_deleted: bool,
    /// Codes from below `IN` to the position.
    position_path: Vec<String>,
    system_serials: Vec<CountedSerial>,
    counted_serials: Vec<CountedSerial>,
    /// What was counted less what the system knew; null while not counted.
    delta: Option<f64>,
}
