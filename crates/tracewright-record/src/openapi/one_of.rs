//! Two types in one place of the document.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseFromJSON, ParseResult, ToJSON, Type};
use serde_json::Value;

/// A value of either type. In the document it has no name of its own, as generators of clients like it best: the
/// alternatives stand where the value does.
#[derive(Debug, Clone)]
pub enum OneOf<A, B> {
    /// Of the first type, which is tried first.
    First(A),
    /// Of the second.
    Second(B),
}

impl<A: Type, B: Type> Type for OneOf<A, B> {
    const IS_REQUIRED: bool = true;

    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        format!("{}_or_{}", A::name(), B::name()).into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema {
            any_of: vec![A::schema_ref(), B::schema_ref()],
            ..MetaSchema::ANY
        }))
    }

    fn register(registry: &mut Registry) {
        A::register(registry);
        B::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        Box::new(self.as_raw_value().into_iter())
    }
}

impl<A: ParseFromJSON, B: ParseFromJSON> ParseFromJSON for OneOf<A, B> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match A::parse_from_json(value.clone()) {
            Ok(first) => Ok(Self::First(first)),
            Err(_) => B::parse_from_json(value).map(Self::Second).map_err(poem_openapi::types::ParseError::propagate),
        }
    }
}

impl<A: ToJSON, B: ToJSON> ToJSON for OneOf<A, B> {
    fn to_json(&self) -> Option<Value> {
        match self {
            Self::First(first) => first.to_json(),
            Self::Second(second) => second.to_json(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_of_either_type_is_read_and_written_as_it_is() {
        for value in [json!("text"), json!(3)] {
            let read = OneOf::<i64, String>::parse_from_json(Some(value.clone())).ok().unwrap();
            assert_eq!(read.to_json(), Some(value));
        }
        assert!(OneOf::<i64, String>::parse_from_json(Some(json!([]))).is_err());
    }

    #[test]
    fn the_alternatives_stand_in_its_place() {
        let MetaSchemaRef::Inline(schema) = OneOf::<i64, String>::schema_ref() else { panic!("it has a name") };
        assert_eq!((schema.ty, schema.any_of.len()), ("", 2));
    }
}
