//! Phases and steps, as they are read and written.

use poem_openapi::types::ToJSON;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::api::collaboration::FormFieldDefinition;
use crate::api::print::PrintTemplateRecord;
use crate::openapi::{AsStored, Many, Name, Note, OneOf};

/// How a phase is worked on.
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
pub(crate) struct PhaseParameters {
    #[oai(default = "yes")]
    pub parallel_job_allowed: bool,
    /// Whether every step has to be completed.
    #[oai(default)]
    pub step_check: bool,
    /// Whether steps are completed in their order.
    #[oai(default)]
    pub step_check_force_order: bool,
    /// Pieces of a batch; 0 for all that are left.
    #[oai(default = "one", validator(minimum(value = "0")))]
    pub production_batch_qt: i64,
    /// Seconds that a station may be silent.
    #[oai(default = "sixty", validator(minimum(value = "0")))]
    pub max_offline: i64,
    #[oai(default = "yes")]
    pub auto_new_batch: bool,
    /// Planned seconds for a piece.
    #[oai(default = "sixty", validator(minimum(value = "0")))]
    pub std_processing_time: i64,
    #[oai(default)]
    pub unsupervised_work_allowed: bool,
    #[oai(default)]
    pub display_job_timer: bool,
}

fn yes() -> bool {
    true
}

fn one() -> i64 {
    1
}

fn sixty() -> i64 {
    60
}

impl Default for PhaseParameters {
    fn default() -> Self {
        Self {
            parallel_job_allowed: true,
            step_check: false,
            step_check_force_order: false,
            production_batch_qt: one(),
            max_offline: sixty(),
            auto_new_batch: true,
            std_processing_time: sixty(),
            unsupervised_work_allowed: false,
            display_job_timer: false,
        }
    }
}

/// What a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(crate) enum StepType {
    /// Something to be done.
    Instruction,
    /// Something to be filled in.
    Form,
}

pub(super) fn instruction() -> StepType {
    StepType::Instruction
}

/// Something that is named by its key, however much of it is sent.
#[derive(Debug, Clone, Object)]
pub(crate) struct Keyed {
    #[oai(rename = "_key")]
    key: Option<String>,
}

/// A key, or what has it.
pub(crate) type Reference = OneOf<String, Keyed>;

/// The keys of what is named by a key or a whole record.
pub(super) fn keys<T>(references: &[OneOf<String, T>], key_of: fn(&T) -> Option<&String>) -> Vec<String> {
    let key = |reference: &OneOf<String, T>| match reference {
        OneOf::First(key) => Some(key.clone()),
        OneOf::Second(record) => key_of(record).cloned(),
    };
    references.iter().filter_map(key).collect()
}

impl Keyed {
    /// Its key.
    pub(super) fn key(&self) -> Option<&String> {
        self.key.as_ref()
    }
}

/// A step to be written.
#[derive(Debug, Object)]
#[oai(rename = "Step-Input")]
pub(crate) struct StepInput {
    /// Of a step of this process; any other step is new.
    #[oai(rename = "_key")]
    pub key: Option<String>,
    pub title: Option<Name>,
    pub description: Option<Note>,
    #[oai(rename = "type", default = "instruction")]
    pub kind: StepType,
    #[oai(default)]
    pub form_fields: Many<FormFieldDefinition>,
    /// Keys or records; they count for a new step only.
    #[oai(default)]
    pub print_templates: Vec<Reference>,
}

impl StepInput {
    /// What is stored of it.
    pub(super) fn document<'a>(&self, key: &'a str) -> StepDocument<'a> {
        StepDocument {
            key,
            title: self.title.to_json(),
            description: self.description.to_json(),
            kind: self.kind.to_json(),
            form_fields: with_keys(self.form_fields.to_json().unwrap_or_default()),
        }
    }
}

/// A step as it is stored. What comes from an operation stays as it is there.
#[derive(Debug, Serialize)]
pub(super) struct StepDocument<'a> {
    #[serde(rename = "_key")]
    pub key: &'a str,
    pub title: Option<Value>,
    pub description: Option<Value>,
    #[serde(rename = "type")]
    pub kind: Option<Value>,
    pub form_fields: Value,
}

/// Form fields, each with a key of its own.
pub(super) fn with_keys(mut fields: Value) -> Value {
    for field in fields.as_array_mut().into_iter().flatten() {
        if field["_key"].as_str().is_none_or(str::is_empty) {
            field["_key"] = Uuid::new_v4().to_string().into();
        }
    }
    fields
}

/// A phase to be written.
#[derive(Debug, Object)]
#[oai(rename = "PhaseData-Input")]
pub(crate) struct PhaseInput {
    #[oai(rename = "_id")]
    id: Option<String>,
    /// Of a phase of this process; a phase without one is new.
    #[oai(rename = "_key")]
    pub key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    pub alias: Name,
    /// Ignored: the path names the product.
    product_key: Option<String>,
    pub operation_key: String,
    pub params: Option<PhaseParameters>,
    /// Ignored: `steps` tells it.
    step_sequence: Option<Vec<Option<String>>>,
    pub production_notes: Option<Note>,
    #[oai(default, validator(max_items = 500))]
    pub steps: Vec<StepInput>,
    /// Keys or records; they count for a new phase only.
    #[oai(default)]
    pub print_templates: Vec<Reference>,
}

/// A step.
#[derive(Debug, Deserialize, Object)]
#[oai(rename = "Step-Output")]
pub(super) struct StepOutput {
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    pub key: Option<String>,
    title: Option<String>,
    description: Option<String>,
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    kind: AsStored<StepType>,
    form_fields: Vec<AsStored<FormFieldDefinition>>,
    print_templates: Vec<AsStored<PrintTemplateRecord>>,
}

/// A phase.
#[derive(Debug, Deserialize, Object)]
pub(super) struct PhaseRecord {
    #[serde(rename = "_id")]
    #[oai(rename = "_id")]
    id: Option<String>,
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    pub key: Option<String>,
    #[serde(rename = "_rev")]
    #[oai(rename = "_rev")]
    pub rev: Option<String>,
    alias: Option<String>,
    product_key: Option<String>,
    operation_key: Option<String>,
    params: AsStored<PhaseParameters>,
    /// Keys of its steps, in order.
    step_sequence: Vec<Option<String>>,
    production_notes: Option<String>,
}

/// A phase with its steps.
#[derive(Debug, Deserialize, Object)]
#[oai(rename = "PhaseData-Output")]
pub(super) struct PhaseOutput {
    #[serde(flatten)]
    #[oai(flatten)]
    pub phase: PhaseRecord,
    pub steps: Vec<StepOutput>,
    print_templates: Vec<AsStored<PrintTemplateRecord>>,
}

/// The products that something is copied to: one form under the names that the document has for it.
macro_rules! targets {
    ($($form:ident = $name:tt,)*) => {
        $(/// The products that it is copied to.
        #[derive(Debug, Object)]
        #[oai(rename = $name)]
        pub(super) struct $form {
            #[oai(validator(min_items = 1))]
            pub target_product_keys: Many<String>,
        })*
    };
}

targets! {
    OperationTargets = "Body_copy_operation_to_phases_operation__operation_key__copy_post",
    ProcessTargets = "Body_copy_process_to_products_product__product_key__process_copy_post",
    CounterTargets = "Body_copy_process_to_products_product__product_key__counter_copy_post",
}
