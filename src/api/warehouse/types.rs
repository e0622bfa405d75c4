//! What the operations of the warehouse take and answer.

use std::collections::HashMap;

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::filters::{Day, Moment};

/// What a movement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "InventoryMovementType", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(super) enum MovementType {
    /// From one position to another; without a product a whole position moves.
    Transfer,
    /// From outside into stock.
    Receipt,
    /// Out of stock to the outside.
    Shipment,
    /// Made and put into stock.
    Production,
    /// Taken from stock and used up.
    Consumption,
    /// A correction of stock, up or down.
    Adjustment,
    /// The undoing of another movement.
    Reversal,
}

impl MovementType {
    /// Every type.
    pub(super) const ALL: [Self; 7] = [
        Self::Transfer,
        Self::Receipt,
        Self::Shipment,
        Self::Production,
        Self::Consumption,
        Self::Adjustment,
        Self::Reversal,
    ];

    /// What the type of a stored document can be, each to be looked up for itself.
    pub(super) fn every() -> Vec<Value> {
        Self::ALL.iter().map(|kind| json!(kind)).chain([Value::Null]).collect()
    }
}

/// How far a movement or a list has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "MovementStatus", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(super) enum MovementStatus {
    /// Not begun.
    Planned,
    /// Begun.
    Started,
    /// Done; stock has changed.
    Completed,
    /// Given up.
    Canceled,
}

impl MovementStatus {
    /// Every status.
    pub(super) const ALL: [Self; 4] = [Self::Planned, Self::Started, Self::Completed, Self::Canceled];

    /// What the status of a stored document can be, each to be looked up for itself.
    pub(super) fn every() -> Vec<Value> {
        Self::ALL.iter().map(|status| json!(status)).chain([Value::Null]).collect()
    }

    /// Whether there is something left to do.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::Planned | Self::Started)
    }
}

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

/// What a movement has to do with.
#[derive(Debug, Clone, Default, PartialEq, Object, Serialize)]
#[oai(rename = "InventoryMovementReferences")]
pub(super) struct References {
    pub work_order_key: Option<String>,
    pub job_key: Option<String>,
    pub batch_key: Option<String>,
    pub origin_movement_key: Option<String>,
    pub transfer_doc: Option<String>,
    pub sales_doc: Option<String>,
    pub purchase_doc: Option<String>,
    pub partner_name: Option<String>,
    pub partner_code: Option<String>,
    pub inventory_count_session_key: Option<String>,
}

impl References {
    /// These, completed by those of the list.
    pub(super) fn or(self, list: &Self) -> Self {
        Self {
            work_order_key: self.work_order_key.or_else(|| list.work_order_key.clone()),
            job_key: self.job_key.or_else(|| list.job_key.clone()),
            batch_key: self.batch_key.or_else(|| list.batch_key.clone()),
            origin_movement_key: self.origin_movement_key.or_else(|| list.origin_movement_key.clone()),
            transfer_doc: self.transfer_doc.or_else(|| list.transfer_doc.clone()),
            sales_doc: self.sales_doc.or_else(|| list.sales_doc.clone()),
            purchase_doc: self.purchase_doc.or_else(|| list.purchase_doc.clone()),
            partner_name: self.partner_name.or_else(|| list.partner_name.clone()),
            partner_code: self.partner_code.or_else(|| list.partner_code.clone()),
            inventory_count_session_key: self
                .inventory_count_session_key
                .or_else(|| list.inventory_count_session_key.clone()),
        }
    }
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
