//! What the operations of counting take and answer.

use poem_openapi::Object;
use serde_json::Value;

use crate::api::tags::Tag;
use tracewright_model::{CountAssignmentStatus, CountRecordStatus, CountSessionStatus, CountTarget, Moment};

fn yes() -> Option<bool> {
    Some(true)
}

fn planned_session() -> Option<CountSessionStatus> {
    Some(CountSessionStatus::Planned)
}

fn planned_assignment() -> Option<CountAssignmentStatus> {
    Some(CountAssignmentStatus::Planned)
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
    pub kind: CountTarget,
    #[oai(default = "planned_session")]
    pub status: Option<CountSessionStatus>,
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
    pub target_type: CountTarget,
    pub target_key: String,
    /// Whether the positions in the target are to be counted too.
    pub include_children: Option<bool>,
    pub assigned_to: Option<String>,
    #[oai(default = "planned_assignment")]
    pub status: Option<CountAssignmentStatus>,
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
    status: CountRecordStatus,
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
