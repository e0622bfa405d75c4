//! What is shown of a product, and what may be written of it.

use poem_openapi::types::{MaybeUndefined, ToJSON};
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::api::changes::{Null, changes};
use crate::api::counters::Counter;
use crate::api::tags::Tag;
use crate::error::Result;
use crate::openapi::{AsStored, Name, Note};
use tracewright_model::TraceabilityLevel;

/// What the window of indicators counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "KPIWindowType", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub(crate) enum WindowType {
    /// Days.
    Time,
    /// Pieces.
    Count,
}

/// What a piece should cost, and does.
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
pub(crate) struct TargetAverageCost {
    #[oai(default)]
    target: Option<f64>,
    #[oai(default)]
    average: Option<f64>,
}

/// A custom field of a product with its value.
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
pub(crate) struct ProductMetadataField {
    pub custom_field_key: String,
    value: Option<Value>,
    label: Option<String>,
    hint: Option<String>,
}

fn yes() -> Option<bool> {
    Some(true)
}

fn no() -> Option<bool> {
    Some(false)
}

fn by_count() -> Option<AsStored<WindowType>> {
    Some(AsStored::of("count"))
}

fn none() -> AsStored<i64> {
    AsStored::of(0)
}

/// A product in a list.
#[derive(Debug, Deserialize, Object)]
pub(in crate::api) struct ProductBaseData {
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    pub key: Option<String>,
    /// Unique among products that are not in the trash.
    pub code: Name,
    description: Option<Note>,
    #[oai(default = "yes")]
    active: Option<bool>,
    /// Whether it has a picture.
    #[oai(default = "no")]
    image: Option<bool>,
    #[oai(default = "no_tags")]
    tags: Option<Vec<Tag>>,
    /// The counter that gives its serials their codes.
    counter_key: Option<Name>,
    traceability_level: Option<AsStored<TraceabilityLevel>>,
    #[oai(default = "no")]
    manage_inventory: Option<bool>,
    #[oai(default = "no")]
    allow_negative_inventory: Option<bool>,
    /// Whether a serial has its code from the beginning, not only when it is released.
    #[oai(default = "no")]
    serial_code_on_creation: Option<bool>,
}

fn no_tags() -> Option<Vec<Tag>> {
    Some(Vec::new())
}

/// A product with all its members.
#[derive(Debug, Deserialize, Object)]
pub(super) struct ProductDetails {
    #[serde(flatten)]
    #[oai(flatten)]
    pub base: ProductBaseData,
    #[oai(default)]
    trash: bool,
    created: Option<String>,
    updated: Option<String>,
    cost: Option<AsStored<TargetAverageCost>>,
    #[oai(default = "none")]
    technical_batch_qt: AsStored<i64>,
    #[oai(default = "none")]
    minimum_order_qt: AsStored<i64>,
    /// Keys of the phases of its process, in order.
    #[oai(default)]
    process_phases: Vec<String>,
    production_notes: Option<Note>,
    throughput_time_target: Option<f64>,
    processing_time_target: Option<f64>,
    kpi_window_size: Option<AsStored<i64>>,
    #[oai(default = "by_count")]
    kpi_window_type: Option<AsStored<WindowType>>,
    metadata: Option<AsStored<Vec<ProductMetadataField>>>,
    default_production_position_key: Option<Name>,
    default_consumption_position_key: Option<Name>,
}

/// A document of a product.
#[derive(Debug, PartialEq, Eq, Object)]
pub(in crate::api) struct ProductDoc {
    pub name: String,
    #[oai(validator(minimum(value = "0")))]
    pub size: u64,
}

/// A print template by its name.
#[derive(Debug, Deserialize, Object)]
pub(super) struct ProductPrintTemplate {
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    key: String,
    name: Option<String>,
    description: Option<String>,
}

/// A product with everything that belongs to it.
#[derive(Debug, Deserialize, Object)]
pub(super) struct ProductFull {
    #[serde(flatten)]
    #[oai(flatten)]
    details: ProductDetails,
    /// Its documents, by name.
    #[serde(skip)]
    #[oai(default)]
    pub docs: Vec<ProductDoc>,
    /// The file of its picture.
    #[serde(skip)]
    pub img_name: Option<String>,
    counter: Option<Counter>,
    print_templates: Vec<ProductPrintTemplate>,
    /// Tasks that belong to its process: a `task_type_key` and what else was sent.
    process_tasks: Vec<Value>,
}

/// Changes of a product: what is absent stays.
#[derive(Debug, Default, Object)]
pub(crate) struct ProductUpdate {
    /// Not null.
    code: MaybeUndefined<Name>,
    description: MaybeUndefined<Note>,
    active: MaybeUndefined<bool>,
    traceability_level: MaybeUndefined<TraceabilityLevel>,
    counter_key: MaybeUndefined<Name>,
    manage_inventory: MaybeUndefined<bool>,
    allow_negative_inventory: MaybeUndefined<bool>,
    serial_code_on_creation: MaybeUndefined<bool>,
    /// True moves it to the trash, false brings it back.
    trash: MaybeUndefined<bool>,
    cost: MaybeUndefined<TargetAverageCost>,
    technical_batch_qt: MaybeUndefined<i64>,
    minimum_order_qt: MaybeUndefined<i64>,
    production_notes: MaybeUndefined<Note>,
    throughput_time_target: MaybeUndefined<f64>,
    processing_time_target: MaybeUndefined<f64>,
    kpi_window_size: MaybeUndefined<i64>,
    kpi_window_type: MaybeUndefined<WindowType>,
    metadata: MaybeUndefined<Vec<ProductMetadataField>>,
    default_production_position_key: MaybeUndefined<Name>,
    default_consumption_position_key: MaybeUndefined<Name>,
}

impl ProductUpdate {
    /// Whether it moves the product to the trash.
    pub(super) fn trashes(&self) -> bool {
        self.trash.value() == Some(&true)
    }

    /// The members that were sent, as they are stored.
    pub(super) fn changes(&self) -> Result<Value> {
        stored(self.to_json().unwrap_or_default())
    }
}

impl ProductDetails {
    /// Every member that a replacement writes; what was not sent has its default.
    pub(super) fn changes(&self) -> Result<Value> {
        let sent = self.to_json().unwrap_or_default();
        let written = defaults().into_iter().map(|(name, _)| name).chain(["code"]);
        stored(written.map(|name| (name.to_owned(), sent[name].clone())).collect::<Map<_, _>>().into())
    }
}

/// Changes with their defaults where null was sent.
fn stored(sent: Value) -> Result<Value> {
    let rules = defaults().into_iter().map(|(name, default)| (name, Null::Means(default)));
    let code = ("code", Null::Refused("string_type", "Input should be a valid string"));
    changes(sent, rules.chain([code, ("trash", Null::Means(false.into()))]).collect())
}

/// What can be written of a product besides its code and whether it is in the trash, and what null means there.
pub(super) fn defaults() -> [(&'static str, Value); 18] {
    [
        ("description", Value::Null),
        ("active", true.into()),
        ("counter_key", Value::Null),
        ("traceability_level", Value::Null),
        ("manage_inventory", false.into()),
        ("allow_negative_inventory", false.into()),
        ("serial_code_on_creation", false.into()),
        ("cost", Value::from_iter([("target", 0), ("average", 0)])),
        ("technical_batch_qt", 0.into()),
        ("minimum_order_qt", 0.into()),
        ("production_notes", Value::Null),
        ("throughput_time_target", Value::Null),
        ("processing_time_target", Value::Null),
        ("kpi_window_size", Value::Null),
        ("kpi_window_type", "count".into()),
        ("metadata", Value::Null),
        ("default_production_position_key", Value::Null),
        ("default_consumption_position_key", Value::Null),
    ]
}
