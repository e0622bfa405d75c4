//! Values that are handed on as they are.

use std::borrow::Cow;
use std::marker::PhantomData;

use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type};
use serde_json::Value;

/// A value that the document describes as a `T`. The guard has checked it against that description; members that `T` does
/// not name are kept.
pub struct Kept<T>(pub Value, PhantomData<fn() -> T>);

impl<T> Kept<T> {
    /// A value of that description.
    pub fn new(value: Value) -> Self {
        Self(value, PhantomData)
    }
}

impl<T> std::fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Type> Type for Kept<T> {
    const IS_REQUIRED: bool = T::IS_REQUIRED;

    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl<T: Type> ParseFromJSON for Kept<T> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        value.map(Self::new).ok_or_else(ParseError::expected_input)
    }
}

impl<T: Type> ToJSON for Kept<T> {
    fn to_json(&self) -> Option<Value> {
        Some(self.0.clone())
    }
}
