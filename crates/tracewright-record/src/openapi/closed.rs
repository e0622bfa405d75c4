//! Bodies that refuse members they do not know, where all others ignore them.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseFromJSON, ParseResult, ToJSON, Type};
use serde_json::{Map, Value};

/// Put into a body as `#[oai(flatten)] no_others: NoOthers`, it makes the guard answer members that the body does not
/// name with `extra_forbidden`. The document does not show it: generators of clients would make a map of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOthers;

/// What no member fits.
fn nothing() -> MetaSchemaRef {
    let schema = MetaSchema { min_length: Some(1), max_length: Some(0), ..MetaSchema::new("string") };
    MetaSchemaRef::Inline(Box::new(schema))
}

/// Whether a schema refuses members that it does not name.
pub(super) fn is_closed(schema: &MetaSchema) -> bool {
    schema.additional_properties.as_deref() == Some(&nothing())
}

/// Takes the refusal out of what the document shows.
pub(super) fn hide(registry: &mut Registry) {
    for schema in registry.schemas.values_mut().filter(|schema| is_closed(schema)) {
        schema.additional_properties = None;
    }
}

impl Type for NoOthers {
    const IS_REQUIRED: bool = false;

    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "no_others".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        let additional_properties = Some(Box::new(nothing()));
        MetaSchemaRef::Inline(Box::new(MetaSchema { additional_properties, ..MetaSchema::new("object") }))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::empty())
    }
}

impl ParseFromJSON for NoOthers {
    fn parse_from_json(_: Option<Value>) -> ParseResult<Self> {
        Ok(Self)
    }
}

impl ToJSON for NoOthers {
    fn to_json(&self) -> Option<Value> {
        Some(Value::Object(Map::new()))
    }
}
