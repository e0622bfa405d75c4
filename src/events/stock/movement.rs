//! A movement as it is stored, also by earlier systems: what is missing has its usual meaning.

use serde::Deserialize;
use serde_json::Value;

use super::{MovementStatus, MovementType};
use crate::events::Concerned;

/// A stored movement.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(super) struct Movement(Value);

impl Movement {
    /// The whole document.
    pub(super) fn document(&self) -> &Value {
        &self.0
    }

    /// A member that is a text and not empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0[name].as_str().filter(|text| !text.is_empty())
    }

    /// Its key.
    pub(super) fn key(&self) -> &str {
        self.text("_key").unwrap_or_default()
    }

    /// Key of the position it begins at.
    pub(super) fn from(&self) -> &str {
        self.end("_from")
    }

    /// Key of the position it ends at.
    pub(super) fn to(&self) -> &str {
        self.end("_to")
    }

    fn end(&self, name: &str) -> &str {
        self.text(name).and_then(|id| id.split_once('/')).map_or("", |(_, key)| key)
    }

    /// What it does.
    pub(super) fn kind(&self) -> Option<MovementType> {
        serde_json::from_value(self.0["type"].clone()).ok()
    }

    /// How far it has come.
    pub(super) fn status(&self) -> MovementStatus {
        serde_json::from_value(self.0["status"].clone()).unwrap_or(MovementStatus::Planned)
    }

    /// How much was planned.
    pub(super) fn planned(&self) -> f64 {
        self.0["qt_planned"].as_f64().unwrap_or(1.0)
    }

    /// How much was moved.
    pub(super) fn confirmed(&self) -> f64 {
        self.0["qt_confirmed"].as_f64().unwrap_or(0.0)
    }

    /// How much of that was taken back, without sign.
    pub(super) fn reverted(&self) -> f64 {
        self.0["qt_reverted"].as_f64().unwrap_or(0.0).abs()
    }

    /// The item of its list.
    pub(super) fn item(&self) -> Option<f64> {
        self.0["movement_list_item"].as_f64()
    }

    /// Whether a whole position is moved.
    pub(super) fn is_container(&self) -> bool {
        self.kind() == Some(MovementType::Transfer)
            && self.text("product_key").is_none()
            && self.text("serial_key").is_none()
    }
}

/// What a movement of these documents concerns.
pub(super) fn concerned(movement: &Value) -> Concerned {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let references = &movement["references"];
    let serial_key = text(&movement["serial_key"]);
    Concerned {
        work_order_key: text(&references["work_order_key"]),
        job_key: text(&references["job_key"]),
        batch_key: text(&references["batch_key"]),
        phase_key: None,
        product_key: text(&movement["product_key"]),
        serial_keys: serial_key.iter().cloned().collect(),
        serial_key,
    }
}
