//! Values that are handed on as they are stored.

use std::borrow::Cow;
use std::marker::PhantomData;

use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::{ParseFromJSON, ParseResult, ToJSON, Type};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A value of which the document says that it is a `T`. It is answered as it is stored, with members that `T` does not name,
/// and whatever an existing database has put into those it does.
#[derive(Debug)]
pub struct AsStored<T>(Value, PhantomData<T>);

impl<T> AsStored<T> {
    /// A value that is handed on under that description.
    pub fn new(value: Value) -> Self {
        Self(value, PhantomData)
    }

    /// The same for many.
    pub fn rows(values: Vec<Value>) -> Vec<Self> {
        values.into_iter().map(Self::new).collect()
    }

    /// The value, as it came.
    pub fn into_value(self) -> Value {
        self.0
    }
}

impl<T> AsStored<T> {
    /// A value that is known, such as a default.
    pub fn of(value: impl Into<Value>) -> Self {
        Self(value.into(), PhantomData)
    }
}

impl<'de, T> Deserialize<'de> for AsStored<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|value| Self(value, PhantomData))
    }
}

impl<T: Type> Type for AsStored<T> {
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

impl<T: Type> ToJSON for AsStored<T> {
    fn to_json(&self) -> Option<Value> {
        Some(self.0.clone())
    }
}

impl<T: Type> ParseFromJSON for AsStored<T> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        Ok(Self(value.unwrap_or_default(), PhantomData))
    }
}
