//! A movement as it is stored, also by earlier systems: what is missing has its usual meaning.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{MovementStatus, MovementType, References};
use crate::events::Concerned;

/// A stored movement.
#[derive(Debug, Clone, Default)]
pub struct Movement {
    document: Value,
    members: Members,
}

/// What is read of a movement. A member of another form than ours is as good as missing.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Members {
    #[serde(rename = "_key", deserialize_with = "lenient")]
    key: Option<String>,
    #[serde(rename = "_from", deserialize_with = "lenient")]
    pub from: Option<String>,
    #[serde(rename = "_to", deserialize_with = "lenient")]
    pub to: Option<String>,
    #[serde(rename = "type", deserialize_with = "lenient")]
    kind: Option<MovementType>,
    #[serde(deserialize_with = "lenient")]
    status: Option<MovementStatus>,
    #[serde(deserialize_with = "lenient")]
    pub product_key: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub serial_key: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub serial_code: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub qt_planned: Option<f64>,
    #[serde(deserialize_with = "lenient")]
    pub qt_confirmed: Option<f64>,
    #[serde(deserialize_with = "lenient")]
    qt_reverted: Option<f64>,
    #[serde(deserialize_with = "lenient")]
    pub start: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub movement_list_key: Option<String>,
    /// A number as it is stored.
    pub movement_list_item: Value,
    pub references: Value,
    #[serde(deserialize_with = "lenient")]
    pub reason: Option<String>,
    #[serde(deserialize_with = "lenient")]
    user_key: Option<String>,
    #[serde(deserialize_with = "lenient")]
    inverse_movement_key: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub inverse_movement_keys: Option<Vec<String>>,
    pub extra: Value,
}

/// Why a movement is made, as far as events tell it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Work {
    #[serde(deserialize_with = "lenient")]
    work_order_key: Option<String>,
    #[serde(deserialize_with = "lenient")]
    job_key: Option<String>,
    #[serde(deserialize_with = "lenient")]
    batch_key: Option<String>,
}

fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

fn given(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}

impl From<Value> for Movement {
    fn from(document: Value) -> Self {
        let members = Members::deserialize(&document).unwrap_or_default();
        Self { document, members }
    }
}

impl<'de> Deserialize<'de> for Movement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Into::into)
    }
}

impl Serialize for Movement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.document.serialize(serializer)
    }
}

impl Movement {
    /// The whole document.
    pub(super) fn document(&self) -> &Value {
        &self.document
    }

    /// What is read of it, as it is stored.
    pub(super) fn members(&self) -> &Members {
        &self.members
    }

    /// Its key.
    pub fn key(&self) -> &str {
        given(self.members.key.as_ref()).unwrap_or_default()
    }

    /// Key of the position it begins at.
    pub(super) fn from(&self) -> &str {
        end(self.members.from.as_ref())
    }

    /// Key of the position it ends at.
    pub(super) fn to(&self) -> &str {
        end(self.members.to.as_ref())
    }

    /// What it does.
    pub(super) fn kind(&self) -> Option<MovementType> {
        self.members.kind
    }

    /// How far it has come.
    pub(super) fn status(&self) -> MovementStatus {
        self.members.status.unwrap_or(MovementStatus::Planned)
    }

    /// What is moved; a container has no product.
    pub(super) fn product_key(&self) -> Option<&str> {
        given(self.members.product_key.as_ref())
    }

    /// The piece that is moved.
    pub(super) fn serial_key(&self) -> Option<&str> {
        given(self.members.serial_key.as_ref())
    }

    /// The list it belongs to.
    pub(super) fn list_key(&self) -> Option<&str> {
        given(self.members.movement_list_key.as_ref())
    }

    /// Who is named in it.
    pub(super) fn user_key(&self) -> Option<&str> {
        given(self.members.user_key.as_ref())
    }

    /// When it began.
    pub(super) fn start(&self) -> Option<&str> {
        given(self.members.start.as_ref())
    }

    /// Why.
    pub(super) fn reason(&self) -> Option<&str> {
        given(self.members.reason.as_ref())
    }

    /// The movement that has undone the last of it.
    pub(super) fn inverse_key(&self) -> Option<&str> {
        given(self.members.inverse_movement_key.as_ref())
    }

    /// How much was planned.
    pub(super) fn planned(&self) -> f64 {
        self.members.qt_planned.unwrap_or(1.0)
    }

    /// How much was moved.
    pub(super) fn confirmed(&self) -> f64 {
        self.members.qt_confirmed.unwrap_or(0.0)
    }

    /// How much of that was taken back, without sign.
    pub(super) fn reverted(&self) -> f64 {
        self.members.qt_reverted.unwrap_or(0.0).abs()
    }

    /// The item of its list.
    pub(super) fn item(&self) -> Option<f64> {
        self.members.movement_list_item.as_f64()
    }

    /// What it has to do with.
    pub(super) fn references(&self) -> Option<References> {
        References::deserialize(&self.members.references).ok()
    }

    /// Anything, where there is something.
    pub(super) fn extra(&self) -> Option<Value> {
        Some(self.members.extra.clone()).filter(|extra| !extra.is_null())
    }

    /// Whether a whole position is moved.
    pub(super) fn is_container(&self) -> bool {
        self.kind() == Some(MovementType::Transfer) && self.product_key().is_none() && self.serial_key().is_none()
    }

    /// What an event of it concerns.
    pub(super) fn concerned(&self) -> Concerned {
        let Members { product_key, serial_key, references, .. } = &self.members;
        let Work { work_order_key, job_key, batch_key } = Work::deserialize(references).unwrap_or_default();
        Concerned {
            work_order_key,
            job_key,
            batch_key,
            phase_key: None,
            product_key: product_key.clone(),
            serial_keys: serial_key.iter().cloned().collect(),
            serial_key: serial_key.clone(),
        }
    }
}

/// Key of the position at an end.
fn end(id: Option<&String>) -> &str {
    id.and_then(|id| id.split_once('/')).map_or("", |(_, key)| key)
}
