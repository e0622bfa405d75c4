//! Forms, which types of issues and tasks have alike.

use poem_openapi::Object;
use serde_json::{Map, Value};

use crate::api::found::no_mistakes;
use crate::error::{Invalid, Result};

/// A field of a form.
#[derive(Debug, Clone, Object)]
pub struct FormFieldDefinition {
    #[oai(rename = "_key")]
    pub(super) key: Option<String>,
    pub(super) custom_field_key: String,
    #[oai(default)]
    pub(super) multiple: bool,
    pub(super) label: Option<String>,
    pub(super) hint: Option<String>,
    /// Needed by a hidden field.
    pub(super) default: Option<String>,
    #[oai(default)]
    pub(super) mandatory: bool,
    pub(super) hidden: Option<bool>,
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
    no_mistakes(field_mistakes(&["body".into(), member.into()], fields))
}

/// What is wrong with the fields of a form that stands at `loc`: a hidden one has no default, so nobody could fill it in.
pub(in crate::api) fn field_mistakes(loc: &[Value], fields: &[FormFieldDefinition]) -> Vec<Invalid> {
    let is_wrong = |field: &FormFieldDefinition| field.hidden == Some(true) && field.default.is_none();
    let wrong = fields.iter().enumerate().filter(|(_, field)| is_wrong(field));
    wrong
        .map(|(index, _)| {
            let loc = [loc, &[index.into()]].concat();
            Invalid::new(&loc, "value_error", "Value error, a hidden field must have a default")
        })
        .collect()
}

/// A document to be stored: what the body says, without the metadata that the database gives. A key that was chosen
/// stays.
pub(super) fn document(body: Option<Value>) -> Value {
    let mut document = body.unwrap_or_else(|| Map::new().into());
    if let Some(members) = document.as_object_mut() {
        members.retain(|name, value| match name.as_str() {
            "_id" | "_rev" => false,
            "_key" => !value.is_null(),
            _ => true,
        });
    }
    document
}
