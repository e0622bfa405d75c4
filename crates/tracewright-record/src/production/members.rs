//! Members of stored documents that change. What is not named stays as it is; null is stored where there is nothing any more.

use poem_openapi::types::MaybeUndefined;
use serde::Serialize;
use serde_json::{Map, Value};

use super::bom::OrderLine;
use crate::aql::rows::MemberChange;
use crate::error::Result;
use crate::store::typed;
use tracewright_model::WorkOrderStatus;

impl MemberChange {
    /// What changes of the document with a key.
    pub fn of(key: &str, members: &impl Serialize) -> Result<Self> {
        Ok(Self { key: key.to_owned(), members: typed::bound(members)? })
    }
}

/// Members of a job.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct JobMembers {
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<WorkOrderStatus>,
    /// When it is to begin: a date or a time.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub start_from: MaybeUndefined<String>,
    /// When it is due: a date or a time.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub due_by: MaybeUndefined<String>,
    /// The project of its order.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub project_code: MaybeUndefined<String>,
    /// When it began.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub start: MaybeUndefined<String>,
    /// When it was done.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub end: MaybeUndefined<String>,
    /// Whether somebody works on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// Pieces to be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qt_planned: Option<f64>,
    /// Pieces that are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qt_completed: Option<f64>,
    /// Pieces that the next phase may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qt_released: Option<f64>,
    /// From 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<i64>,
    /// Whether its next batch can begin.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub next_batch_available: MaybeUndefined<bool>,
    /// The batch that is worked on.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub active_batch_key: MaybeUndefined<String>,
    /// Its pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_batch_qt: Option<f64>,
    /// Who is to do it.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub assigned_to: MaybeUndefined<String>,
    /// The session that began last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_work_session_started: Option<String>,
    /// When it was heard of last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_online: Option<String>,
    /// The event that changed it other than by work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
    /// Notes.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub notes: MaybeUndefined<String>,
    /// All its parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Map<String, Value>>,
    /// What other programs keep with it.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub extra: MaybeUndefined<Value>,
}

/// Members of a batch.
#[derive(Debug, Clone, Default, Serialize)]
pub struct BatchMembers {
    /// Its pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qt_total: Option<f64>,
    /// Pieces that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qt_pass: Option<f64>,
    /// Pieces that did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qt_scrap: Option<f64>,
    /// Whether it is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// When it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// The event that changed it other than by work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
    /// What it has cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

/// Members of a work session.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SessionMembers {
    /// The event since which it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canceled: Option<String>,
    /// The event that ended it since nothing was heard of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_offline: Option<String>,
}

/// Members of a work order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OrderMembers {
    /// When it is due: a date or a time.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub due_by: MaybeUndefined<String>,
    /// When it is to begin: a date or a time.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub start_from: MaybeUndefined<String>,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub project_code: MaybeUndefined<String>,
    /// Notes.
    #[serde(skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub notes: MaybeUndefined<String>,
    /// Its bill of materials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wo_bom: Option<Vec<OrderLine>>,
    /// Where its products come to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_position_key: Option<String>,
    /// Pieces to be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qt_planned: Option<f64>,
    /// The last event that changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_event: Option<String>,
}
