//! What a request to one operation must look like, taken from the document; requests are checked and put into form.

use std::sync::Arc;

use poem::Request;
use poem_openapi::registry::{MetaOperation, MetaParamIn, MetaSchema, MetaSchemaRef};
use serde_json::Value;

use super::body::BodyShape;
use crate::error::{Error, Invalid, Result};
use crate::openapi::check::{Check, Schemas};
use crate::openapi::params::QueryValues;

/// The parameters and the body of an operation.
pub(super) struct Shape {
    params: Vec<Param>,
    body: Option<BodyShape>,
    schemas: Arc<Schemas>,
}

struct Param {
    name: String,
    /// Position among the path parameters, or `None` for a query parameter.
    path_index: Option<usize>,
    required: bool,
    schema: MetaSchemaRef,
}

impl Shape {
    /// The shape of an operation at `path`, whose body may have `limit` bytes.
    pub(super) fn new(path: &str, operation: &MetaOperation, schemas: Arc<Schemas>, limit: u64) -> Self {
        let path_names: Vec<&str> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        let params = operation.params.iter().filter_map(|param| {
            let path_index = match param.in_type {
                MetaParamIn::Path => Some(path_names.iter().position(|name| *name == param.name)?),
                MetaParamIn::Query => None,
                _ => return None,
            };
            let (name, schema) = (param.name.clone(), param.schema.clone());
            Some(Param { name, path_index, required: param.required, schema })
        });
        Self { params: params.collect(), body: BodyShape::of(operation, Arc::clone(&schemas), limit), schemas }
    }

    /// Checks a request and puts it into the form the handler's extractors read. Every mistake is told.
    pub(super) async fn apply(&self, request: &mut Request) -> Result<()> {
        let mut errors = Vec::new();
        self.params(request, &mut errors);
        if let Some(body) = &self.body {
            body.apply(request, &mut errors).await?;
        }
        if errors.is_empty() { Ok(()) } else { Err(Error::Validation(errors)) }
    }

    fn params(&self, request: &mut Request, errors: &mut Vec<Invalid>) {
        let mut pairs = self.query_pairs(request.uri().query().unwrap_or_default());
        for param in &self.params {
            if let Some(index) = param.path_index {
                let raw = request.raw_path_param(&format!("param{index}")).unwrap_or_default().to_owned();
                self.one(&["path".into(), param.name.as_str().into()], &raw, &param.schema, errors);
                continue;
            }
            let loc = [Value::from("query"), param.name.as_str().into()];
            let (item_schema, is_list) = self.item_schema(&param.schema);
            if !self.is_text(item_schema) {
                pairs.retain(|(name, value)| *name != param.name || !value.trim().is_empty());
            }
            if !is_list {
                keep_last(&mut pairs, &param.name);
            }
            let mut index = 0_usize;
            for (_, value) in pairs.iter_mut().filter(|(name, _)| *name == param.name) {
                let mut loc = loc.to_vec();
                if is_list {
                    loc.push(index.into());
                }
                if let Some(plain) = self.one(&loc, value, item_schema, errors) {
                    *value = plain;
                }
                index += 1;
            }
            if index == 0 && param.required {
                errors.push(Invalid::new(&loc, "missing", "Field required").input(Value::Null));
            }
        }
        request.set_data(QueryValues(pairs));
    }

    /// The pairs of a query string that the operation knows; `name[]` means `name`.
    fn query_pairs(&self, query: &str) -> Vec<(String, String)> {
        let plain = |name: &str| name.strip_suffix("[]").unwrap_or(name).to_owned();
        let is_known = |name: &str| self.params.iter().any(|param| param.path_index.is_none() && param.name == name);
        url::form_urlencoded::parse(query.as_bytes())
            .map(|(name, value)| (plain(&name), value))
            .filter(|(name, _)| is_known(name))
            .map(|(name, value)| (name, value.into_owned()))
            .collect()
    }

    /// Checks one parameter and returns its plain form.
    fn one(&self, loc: &[Value], text: &str, schema: &MetaSchemaRef, errors: &mut Vec<Invalid>) -> Option<String> {
        let mut value = Value::String(text.to_owned());
        let mut check = Check::new(&self.schemas, loc);
        check.value(&mut value, schema);
        errors.append(&mut check.errors);
        match value {
            Value::String(_) => None,
            other => Some(other.to_string()),
        }
    }

    fn resolve<'a>(&'a self, schema: &'a MetaSchemaRef) -> Option<&'a MetaSchema> {
        match schema {
            MetaSchemaRef::Inline(schema) => Some(schema),
            MetaSchemaRef::Reference(name) => self.schemas.get(name),
        }
    }

    fn item_schema<'a>(&'a self, schema: &'a MetaSchemaRef) -> (&'a MetaSchemaRef, bool) {
        match self.resolve(schema) {
            Some(MetaSchema { ty: "array", items: Some(items), .. }) => (items, true),
            _ => (schema, false),
        }
    }

    fn is_text(&self, schema: &MetaSchemaRef) -> bool {
        self.resolve(schema).is_none_or(|schema| {
            !matches!(schema.ty, "integer" | "number" | "boolean")
                && schema.all_of.iter().all(|part| self.is_text(part))
        })
    }
}

/// Of a parameter that is no list the last value counts.
fn keep_last(pairs: &mut Vec<(String, String)>, name: &str) {
    let mut left = pairs.iter().filter(|(other, _)| other == name).count();
    pairs.retain(|(other, _)| {
        if other != name {
            return true;
        }
        left -= 1;
        left == 0
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::Query;
    use poem_openapi::OpenApi;
    use poem_openapi::param::Path;
    use poem_openapi::payload::PlainText;
    use poem_openapi::registry::Registry;

    struct Api;

    #[OpenApi]
    #[expect(clippy::unused_async, reason = "handlers are async")]
    impl Api {
        #[oai(path = "/thing/:number", method = "get")]
        async fn thing(
            &self,
            number: Path<i64>,
            #[oai(validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<Option<i64>>,
            key: Query<Vec<String>>,
            search: Query<Option<String>>,
        ) -> PlainText<String> {
            PlainText(format!("{} {:?} {:?} {:?}", number.0, limit.0, key.0, search.0))
        }
    }

    fn apply(query: &str) -> Result<Vec<(String, String)>> {
        let mut registry = Registry::new();
        Api::register(&mut registry);
        let meta = Api::meta();
        let path = &meta[0].paths[0];
        let shape = Shape::new(&path.path, &path.operations[0], Arc::new(registry.schemas), 100);
        let mut request = Request::builder().uri_str(format!("/thing/1?{query}")).finish();
        let mut errors = Vec::new();
        shape.params(&mut request, &mut errors);
        // The router is not here, so the path parameter is empty.
        errors.retain(|entry| entry.loc[0] != "path");
        let pairs = request.data::<QueryValues>().map(|values| values.0.clone()).unwrap_or_default();
        if errors.is_empty() { Ok(pairs) } else { Err(Error::Validation(errors)) }
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn lists_are_repeated_names_with_or_without_brackets() {
        let pairs = apply("key=a&key[]=b").unwrap();
        assert_eq!(pairs, [pair("key", "a"), pair("key", "b")]);
    }

    #[test]
    fn an_empty_number_is_absent_and_an_empty_text_is_empty() {
        let pairs = apply("limit=&search=&key=a").unwrap();
        assert_eq!(pairs, [pair("search", ""), pair("key", "a")]);
    }

    #[test]
    fn of_a_single_parameter_the_last_value_counts() {
        assert_eq!(apply("limit=1&limit=%2B2&key=a").unwrap(), [pair("limit", "2"), pair("key", "a")]);
    }

    #[test]
    fn limits_are_bounded() {
        for (value, kind) in [("0", "greater_than_equal"), ("10001", "less_than_equal"), ("x", "int_parsing")] {
            let Err(Error::Validation(entries)) = apply(&format!("limit={value}&key=a")) else {
                panic!("{value} is accepted")
            };
            assert_eq!(entries[0].kind, kind);
        }
    }
}
