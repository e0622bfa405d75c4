//! Rows of `dhr/records`. Existing databases hold all kinds of values, so only what must be there is typed strictly.

use serde::Deserialize;
use serde_json::Value;

/// What is stored about a serial.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StoredSerial {
    pub serial_key: String,
    pub code: Value,
    pub created: Value,
    pub released: Value,
    pub product: Option<Product>,
    pub work_order: Option<WorkOrder>,
    pub data: Vec<Value>,
    pub fields: Vec<Field>,
    pub updates: Vec<Update>,
    pub executions: Vec<Execution>,
    pub phases: Vec<Phase>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Product {
    pub code: Value,
    pub description: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WorkOrder {
    pub wo_code: Value,
    pub project_code: Value,
    pub phase_sequence: Value,
}

/// A field definition.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Field {
    #[serde(rename = "_key")]
    pub key: String,
    #[serde(rename = "type")]
    pub kind: Value,
    pub name: Value,
    pub default_label: Value,
}

/// The event by which a value was last changed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Update {
    #[serde(rename = "_key")]
    pub key: String,
    pub timestamp: Value,
    pub user: User,
}

/// A step that was executed on a batch of the serial.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Execution {
    pub phase_key: Value,
    pub step_key: Value,
    pub step: Value,
    pub batch_end: Value,
    pub completed: Value,
    pub user: User,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Phase {
    #[serde(rename = "_key")]
    pub key: String,
    pub alias: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct User {
    #[serde(rename = "_key")]
    pub key: Value,
    pub username: Value,
    pub name: Value,
    pub surname: Value,
}
