//! Arrays of bodies with an end.

use std::borrow::Cow;
use std::ops::Deref;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type};
use serde_json::Value;

/// The most elements of an array in a body: more than any page sends, and no burden for one transaction.
pub const MOST: usize = 10_000;

/// An array of at most 10,000 elements; the guard answers a longer one with `too_long`. As a body or a member of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Many<T>(pub Vec<T>);

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for Many<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Type> Type for Many<T> {
    const IS_REQUIRED: bool = true;

    type RawValueType = Vec<T>;
    type RawElementValueType = T::RawValueType;

    fn name() -> Cow<'static, str> {
        Vec::<T>::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        let items = Some(Box::new(T::schema_ref()));
        MetaSchemaRef::Inline(Box::new(MetaSchema { items, max_items: Some(MOST), ..MetaSchema::new("array") }))
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Vec<T>> {
        Some(&self.0)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        self.0.raw_element_iter()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: ParseFromJSON> ParseFromJSON for Many<T> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        Vec::parse_from_json(value).map(Self).map_err(ParseError::propagate)
    }
}

impl<T: ToJSON> ToJSON for Many<T> {
    fn to_json(&self) -> Option<Value> {
        self.0.to_json()
    }
}
