//! Values that are checked against schemas of the document outside the guard, which checks whole bodies.

use poem_openapi::registry::{MetaSchemaRef, Registry};
use serde_json::Value;

use super::check::{Check, Schemas};
use crate::error::Invalid;

/// Schemas of the document.
pub struct Forms(Schemas);

impl Forms {
    /// The schemas that `register` registers.
    pub fn new(register: fn(&mut Registry)) -> Self {
        let mut registry = Registry::new();
        register(&mut registry);
        Self(registry.schemas)
    }

    /// Checks a part of a body, putting plain meanings into form, and says what is wrong.
    pub fn check(&self, value: &mut Value, schema: &MetaSchemaRef) -> Vec<Invalid> {
        let mut check = Check::new(&self.0, &["body".into()]);
        check.value(value, schema);
        check.errors
    }
}
