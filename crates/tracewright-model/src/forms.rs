//! What is recorded in forms.

use poem_openapi::Object;
use serde_json::Value;

/// What was recorded in a field of a form.
#[derive(Debug, Clone, Object)]
pub struct FormFieldValue {
    /// Key of the field in the form.
    pub form_field_key: String,
    /// Key of the custom field.
    pub custom_field_key: Option<String>,
    /// Whatever the type of the field takes.
    pub value: Option<Value>,
}
