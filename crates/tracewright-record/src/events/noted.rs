//! Events without effect of their own, which only the service records.

use poem_openapi::Object;
use poem_openapi::types::{ToJSON, Type};

use super::EventType;

/// What an event says that has no effect of its own.
pub trait Noted: Type + ToJSON {
    /// Its type.
    const TYPE: EventType;
}

macro_rules! of_row {
    (noted $event:ident) => {
        impl Noted for $event {
            const TYPE: EventType = EventType::$event;
        }
    };
    ($module:ident $event:ident) => {};
}

macro_rules! of_rows {
    ($($name:ident $text:literal $module:ident [$($posting:tt)*] [$($topic:ident)?];)*) => {
        $(of_row!($module $name);)*
    };
}

tracewright_model::event_types!(of_rows);

/// Pieces leave production.
#[derive(Debug, Object)]
#[oai(rename = "Event_BATCH_RELEASED")]
pub struct BatchReleased {
    /// How many.
    pub qt_released: f64,
}

/// Counts came from a file.
#[derive(Debug, Object)]
#[oai(rename = "Event_COUNT_IMPORTED")]
pub struct CountImported {
    /// The session they belong to.
    pub count_session_key: String,
    /// `update` or `replace`.
    pub import_mode: String,
    /// Key of the file.
    pub import_file_key: String,
    /// Its name.
    pub import_filename: String,
    /// Rows of the file.
    pub rows_total: usize,
    /// Counts that were added.
    pub rows_added: usize,
    /// Always 0: a count is discarded and added again.
    pub rows_updated: usize,
    /// Counts that were there and count no longer.
    pub rows_discarded: usize,
    /// Columns that the import does not know.
    pub ignored_columns: Vec<String>,
}

/// There is more or less of a product at a place.
#[derive(Debug, Object)]
#[oai(rename = "Event_INVENTORY_CHANGED")]
pub struct InventoryChanged {
    /// The position.
    pub position_key: String,
    /// The product.
    pub product_key: String,
    /// The piece.
    pub serial_key: Option<String>,
    /// How much more; less is negative.
    pub quantity_change: f64,
    /// How much there is by now.
    pub quantity_after: f64,
}

/// Products came from a file.
#[derive(Debug, Object)]
#[oai(rename = "Event_PRODUCT_IMPORTED")]
pub struct ProductImported {
    /// Key of the file.
    pub import_file_key: String,
    /// Its name.
    pub import_filename: String,
    /// Rows of the file.
    pub rows_total: usize,
    /// Products that are new.
    pub rows_created: usize,
    /// Products that were changed.
    pub rows_updated: usize,
    /// Rows that change nothing.
    pub rows_skipped: usize,
}

/// A work order was planned.
#[derive(Debug, Object)]
#[oai(rename = "Event_WORK_ORDER_CREATED")]
pub struct WorkOrderCreated {
    /// The order.
    pub work_order_key: String,
}

/// Work on the first job of an order has begun.
#[derive(Debug, Object)]
#[oai(rename = "Event_WORK_ORDER_STARTED")]
pub struct WorkOrderStarted {
    /// The order.
    pub work_order_key: String,
}

/// All jobs of an order are closed.
#[derive(Debug, Object)]
#[oai(rename = "Event_WORK_ORDER_CLOSED")]
pub struct WorkOrderClosed {
    /// The order.
    pub work_order_key: String,
}
