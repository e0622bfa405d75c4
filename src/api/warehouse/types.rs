//! What the operations of the warehouse take and answer.

use std::collections::HashMap;

use poem_openapi::{Enum, Object};
use serde_json::Value;

pub(super) use crate::events::stock::References;
use tracewright_model::{Day, Moment};
pub(super) use tracewright_model::{MovementStatus, MovementType};

/// An end of a movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
pub(super) enum PositionType {
    /// Where it begins.
    From,
    /// Where it ends.
    To,
}

/// How two conditions combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "FilterOperator", rename_all = "UPPERCASE")]
pub(super) enum Operator {
    /// Both hold.
    And,
    /// One of them holds.
    Or,
}

/// A place in the warehouse.
#[derive(Debug, Object)]
#[oai(rename = "models__inventory__position__Position")]
pub(super) struct Position {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    code: Option<String>,
    /// Whether what lies there is ours.
    owned: Option<bool>,
    available: Option<bool>,
    disposable: Option<bool>,
    /// Whether it cannot be moved itself.
    fixed: Option<bool>,
    deleted: Option<bool>,
    created: Option<Moment>,
    allow_consumption: Option<bool>,
    /// Anything.
    extra: Option<Value>,
}

/// A position on the way to another.
#[derive(Debug, Object)]
pub(super) struct InventoryPathItem {
    position_key: Option<String>,
    position_code: Option<String>,
}

/// An entry of the movement journal.
#[derive(Debug, Object)]
#[oai(rename = "InventoryMovementSearchResults")]
pub(super) struct Movement {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    /// Identifier of the position it begins at.
    #[oai(rename = "_from")]
    from: String,
    /// Identifier of the position it ends at.
    #[oai(rename = "_to")]
    to: String,
    #[oai(rename = "type")]
    kind: MovementType,
    product_key: Option<String>,
    serial_key: Option<String>,
    qt_planned: Option<f64>,
    qt_confirmed: Option<f64>,
    status: Option<MovementStatus>,
    created: Option<Moment>,
    start: Option<Moment>,
    end: Option<Moment>,
    inverse_movement_key: Option<String>,
    movement_list_key: Option<String>,
    movement_list_item: Option<f64>,
    references: Option<References>,
    reason: Option<String>,
    user_key: Option<String>,
    /// Anything.
    extra: Option<Value>,
    position_from_key: Option<String>,
    position_from_code: Option<String>,
    position_from_deleted: Option<bool>,
    position_to_key: Option<String>,
    position_to_code: Option<String>,
    position_to_deleted: Option<bool>,
    movement_list_code: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
    serial_code: Option<String>,
}

/// A list of movements with the number of its movements in each status.
#[derive(Debug, Object)]
pub(super) struct MovementListWithCounts {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    code: String,
    notes: Option<String>,
    due_by: Option<Day>,
    created: Option<Moment>,
    start: Option<Moment>,
    end: Option<Moment>,
    status: Option<MovementStatus>,
    /// Anything.
    extra: Option<Value>,
    references: Option<References>,
    #[oai(rename = "type")]
    kind: MovementType,
    /// `planned` and `completed` always, `started` and `canceled` when there are some.
    counts: HashMap<String, i64>,
}

/// A stock record with where it lies.
#[derive(Debug, Object)]
pub(super) struct InventorySearchResult {
    #[oai(rename = "_key")]
    key: String,
    product_code: Option<String>,
    product_description: Option<String>,
    position_code: Option<String>,
    /// From below the root to the position that holds it.
    path: Option<Vec<InventoryPathItem>>,
    serial_code: Option<String>,
    serial_key: Option<String>,
    product_key: Option<String>,
    position_key: Option<String>,
    quantity: f64,
    owned: Option<bool>,
    value: Option<f64>,
    reference: Option<String>,
    /// Anything.
    extra: Option<Value>,
}
