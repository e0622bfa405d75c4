//! Forms, which types of issues and tasks have alike.

use poem_openapi::Object;
use serde_json::{Value, json};

use crate::error::{Error, Invalid, Result};

/// A field of a form.
#[derive(Debug, Clone, Object)]
pub(super) struct FormFieldDefinition {
    #[oai(rename = "_key")]
    pub key: Option<String>,
    pub custom_field_key: String,
    #[oai(default)]
    pub multiple: bool,
    pub label: Option<String>,
    pub hint: Option<String>,
    /// Needed by a hidden field.
    pub default: Option<String>,
    #[oai(default)]
    pub mandatory: bool,
    pub hidden: Option<bool>,
}

/// What a flag of an answer means where nothing is stored.
pub(super) fn no() -> Option<bool> {
    Some(false)
}

/// The same for one that is set unless somebody clears it.
pub(super) fn is_set() -> Option<bool> {
    Some(true)
}

/// 422 when a hidden field has no default, which nobody could fill in.
pub(super) fn check_form(member: &str, fields: &[FormFieldDefinition]) -> Result<()> {
    let is_wrong = |field: &FormFieldDefinition| field.hidden == Some(true) && field.default.is_none();
    let errors: Vec<Invalid> = fields
        .iter()
        .enumerate()
        .filter(|(_, field)| is_wrong(field))
        .map(|(index, _)| {
            let loc = ["body".into(), member.into(), index.into()];
            Invalid::new(&loc, "value_error", "Value error, a hidden field must have a default")
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Error::Validation(errors)) }
}

/// A document to be stored: what the body says, without the metadata that the database gives. A key that was chosen
/// stays.
pub(super) fn document(body: Option<Value>) -> Value {
    let mut document = body.unwrap_or_else(|| json!({}));
    if let Some(members) = document.as_object_mut() {
        members.retain(|name, value| match name.as_str() {
            "_id" | "_rev" => false,
            "_key" => !value.is_null(),
            _ => true,
        });
    }
    document
}
