//! What a request to one operation must look like, taken from the document; requests are checked and put into form.

use std::io;
use std::sync::Arc;

use futures_util::StreamExt;
use poem::error::ReadBodyError;
use poem::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use poem::http::{HeaderValue, StatusCode};
use poem::{Body, Request};
use poem_openapi::registry::{MetaOperation, MetaParamIn, MetaSchema, MetaSchemaRef};
use serde_json::{Map, Value, json};

use super::check::{Check, Schemas};
use super::params::QueryValues;
use crate::error::{Error, Invalid, Result};
use crate::http::Context;

/// The parameters and the body of an operation.
pub(super) struct Shape {
    params: Vec<Param>,
    body: Option<BodyShape>,
    schemas: Arc<Schemas>,
    limit: usize,
}

struct Param {
    name: String,
    /// Position among the path parameters, or `None` for a query parameter.
    path_index: Option<usize>,
    required: bool,
    schema: MetaSchemaRef,
}

struct BodyShape {
    kind: BodyKind,
    required: bool,
    schema: MetaSchemaRef,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BodyKind {
    Json,
    Form,
    /// Read by the handler as it arrives.
    Stream,
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
        let body = operation.request.as_ref().and_then(|request| {
            let media = request.content.first()?;
            let kind = match media.content_type.split(';').next().unwrap_or_default() {
                "application/json" => BodyKind::Json,
                "application/x-www-form-urlencoded" => BodyKind::Form,
                _ => BodyKind::Stream,
            };
            Some(BodyShape { kind, required: request.required, schema: media.schema.clone() })
        });
        Self { params: params.collect(), body, schemas, limit: usize::try_from(limit).unwrap_or(usize::MAX) }
    }

    /// Checks a request and puts it into the form the handler's extractors read. Every mistake is told.
    pub(super) async fn apply(&self, request: &mut Request) -> Result<()> {
        let mut errors = Vec::new();
        self.params(request, &mut errors);
        if let Some(body) = &self.body {
            match body.kind {
                BodyKind::Json => self.json(body, request, &mut errors).await?,
                BodyKind::Form => self.form(body, request, &mut errors).await?,
                BodyKind::Stream => self.stream(request)?,
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(Error::Validation(errors)) }
    }

    fn params(&self, request: &mut Request, errors: &mut Vec<Invalid>) {
        let mut pairs = query_pairs(request.uri().query().unwrap_or_default());
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

    async fn json(&self, shape: &BodyShape, request: &mut Request, errors: &mut Vec<Invalid>) -> Result<()> {
        let bytes = self.read(request).await?;
        let content_type = request.content_type().unwrap_or_default();
        if !bytes.is_empty() && !content_type.is_empty() && !is_json(content_type) {
            return Err(Error::answer(StatusCode::UNSUPPORTED_MEDIA_TYPE, json!("The body must be application/json.")));
        }
        let loc = [Value::from("body")];
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if bytes.is_empty() {
            if shape.required {
                errors.push(Invalid::new(&loc, "missing", "Field required").input(Value::Null));
            }
            return Ok(());
        }
        let mut value: Value = match serde_json::from_slice(&bytes) {
            Ok(value) => value,
            Err(error) => {
                errors.push(unreadable(&bytes, &error));
                return Ok(());
            }
        };
        let mut check = Check::new(&self.schemas, &loc);
        if shape.required || !value.is_null() {
            check.value(&mut value, &shape.schema);
        }
        errors.append(&mut check.errors);
        request.set_body(Body::from_string(value.to_string()));
        Ok(())
    }

    /// A body in another encoding has none of the fields.
    async fn form(&self, shape: &BodyShape, request: &mut Request, errors: &mut Vec<Invalid>) -> Result<()> {
        let bytes = self.read(request).await?;
        let is_form = request
            .content_type()
            .and_then(|value| value.split(';').next())
            .is_some_and(|value| value.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded"));
        let pairs: Vec<(String, String)> =
            if is_form { serde_urlencoded::from_bytes(&bytes).unwrap_or_default() } else { Vec::new() };
        let fields: Map<String, Value> = pairs
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name, Value::String(value)))
            .collect();
        let mut value = Value::Object(fields);
        let mut check = Check::new(&self.schemas, &["body".into()]);
        check.value(&mut value, &shape.schema);
        // The other fields hold a password, which an answer should not repeat.
        errors.extend(check.errors.into_iter().map(|mut entry| {
            if entry.kind == "missing" {
                entry.input = Some(Value::Null);
            }
            entry
        }));
        let plain: Vec<(String, String)> = value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
            .collect();
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        request.set_body(Body::from_string(serde_urlencoded::to_string(plain).unwrap_or_default()));
        Ok(())
    }

    /// Lets a body pass up to the limit. What lies beyond ends the handler's reading, and the answer will be 413.
    fn stream(&self, request: &mut Request) -> Result<()> {
        let announced =
            request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if announced.is_some_and(|length| length > self.limit) {
            return Err(Error::too_large());
        }
        let context = request.data::<Context>().cloned().unwrap_or_default();
        let mut left = self.limit;
        let chunks = request.take_body().into_bytes_stream().map(move |chunk| {
            let chunk = chunk?;
            left = left.checked_sub(chunk.len()).ok_or_else(|| {
                context.set_too_large();
                io::Error::other("larger than the limit")
            })?;
            Ok::<_, io::Error>(chunk)
        });
        request.set_body(Body::from_bytes_stream(chunks));
        Ok(())
    }

    async fn read(&self, request: &mut Request) -> Result<Vec<u8>> {
        match request.take_body().into_bytes_limit(self.limit).await {
            Ok(bytes) => Ok(bytes.into()),
            Err(ReadBodyError::PayloadTooLarge) => Err(Error::too_large()),
            Err(error) => Err(Error::bad_request(format!("The body could not be read: {error}"))),
        }
    }
}

/// The pairs of a query string; `name[]` means `name`.
fn query_pairs(query: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(query.as_bytes())
        .map(|(name, value)| (name.strip_suffix("[]").unwrap_or(&name).to_owned(), value.into_owned()))
        .collect()
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

fn is_json(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

fn unreadable(bytes: &[u8], error: &serde_json::Error) -> Invalid {
    let before: usize =
        bytes.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    let position = before + error.column().saturating_sub(1);
    Invalid::new(&["body".into(), position.into()], "json_invalid", "JSON decode error")
        .input(json!({}))
        .ctx(json!({"error": error.to_string()}))
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
