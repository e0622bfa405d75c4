//! Query parameters as the guard has checked them.

use std::ops::Deref;

use poem::{Request, RequestBody, Result};
use poem_openapi::error::ParseParamError;
use poem_openapi::registry::{MetaParamIn, MetaSchemaRef, Registry};
use poem_openapi::types::ParseFromParameter;
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

/// Pairs of the query string: `name[]` written as `name`, booleans and numbers in their plain form.
#[derive(Debug, Clone, Default)]
pub struct QueryValues(pub Vec<(String, String)>);

/// A query parameter of an operation. It differs from the one of `poem_openapi` in where it reads: from what the
/// guard has checked, so that a request with several mistakes is told all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Query<T>(pub T);

impl<T> Deref for Query<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'a, T: ParseFromParameter> ApiExtractor<'a> for Query<T> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    const PARAM_IS_REQUIRED: bool = T::IS_REQUIRED;

    type ParamType = T;
    type ParamRawType = T::RawValueType;

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Query)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(T::schema_ref())
    }

    fn param_raw_type(&self) -> Option<&Self::ParamRawType> {
        self.0.as_raw_value()
    }

    async fn from_request(
        request: &'a Request,
        _body: &mut RequestBody,
        options: ExtractParamOptions<Self::ParamType>,
    ) -> Result<Self> {
        let no_values = QueryValues::default();
        let QueryValues(pairs) = request.data::<QueryValues>().unwrap_or(&no_values);
        let mut values = pairs.iter().filter(|(name, _)| name == options.name).map(|(_, value)| value).peekable();
        match options.default_value {
            Some(default) if values.peek().is_none() => Ok(Self(default())),
            _ => T::parse_from_parameters(values)
                .map(Self)
                .map_err(|e| ParseParamError { name: options.name, reason: e.into_message() }.into()),
        }
    }
}
