//! The body of a request to one operation: received within its limit, checked against the document, put into form.

use std::io;
use std::sync::{Arc, LazyLock};

use aqlite::memory::{self, Budget, Share};
use bytes::Bytes;
use futures_util::StreamExt;
use poem::error::ReadBodyError;
use poem::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use poem::http::{HeaderValue, StatusCode};
use poem::{Body, Request};
use poem_openapi::registry::{MetaOperation, MetaSchema, MetaSchemaRef};
use serde_json::{Map, Value};

use crate::error::{Error, Invalid, Result, Unreceived};
use crate::http::Context;
use crate::openapi::check::{Bounds, Check, Schemas};
use crate::secrets;

/// The body of an operation.
pub(super) struct BodyShape {
    kind: Kind,
    required: bool,
    schema: MetaSchemaRef,
    schemas: Arc<Schemas>,
    /// Bytes it may have.
    limit: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Json,
    Form,
    /// Read by the handler as it arrives.
    Stream,
}

impl BodyShape {
    /// That of an operation, when it takes one, with `limit` bytes at most.
    pub(super) fn of(operation: &MetaOperation, schemas: Arc<Schemas>, limit: u64) -> Option<Self> {
        let request = operation.request.as_ref()?;
        let media = request.content.first()?;
        let kind = match media.content_type.split(';').next().unwrap_or_default() {
            "application/json" => Kind::Json,
            "application/x-www-form-urlencoded" => Kind::Form,
            _ => Kind::Stream,
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Some(Self { kind, required: request.required, schema: media.schema.clone(), schemas, limit })
    }

    /// Receives a body and puts it into the form the handler's extractor reads.
    pub(super) async fn apply(&self, request: &mut Request, errors: &mut Vec<Invalid>) -> Result<()> {
        let announced =
            request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        // What announces too much is not received at all.
        if announced.is_some_and(|length| length > self.limit) {
            return Err(Error::too_large());
        }
        if self.kind != Kind::Stream {
            hold(request, announced.unwrap_or(self.limit))?;
        }
        let mut found = Vec::new();
        match self.kind {
            Kind::Json => self.json(request, &mut found).await?,
            Kind::Form => self.form(request, &mut found).await?,
            Kind::Stream => self.stream(request),
        }
        if self.members().any(secrets::is_secret) {
            found.iter_mut().for_each(forget_body);
        }
        errors.append(&mut found);
        Ok(())
    }

    async fn json(&self, request: &mut Request, errors: &mut Vec<Invalid>) -> Result<()> {
        let bytes = self.read(request).await?;
        let content_type = request.content_type().unwrap_or_default();
        if !bytes.is_empty() && !content_type.is_empty() && !is_json(content_type) {
            return Err(Error::answer(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body must be application/json.".into()));
        }
        let loc = [Value::from("body")];
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if bytes.is_empty() {
            if self.required {
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
        drop(bytes);
        let mut check = Check::new(&self.schemas, &loc);
        if self.required || !value.is_null() {
            check.value(&mut value, &self.schema);
        }
        errors.append(&mut check.errors);
        request.set_body(Body::from_string(value.to_string()));
        Ok(())
    }

    /// A body in another encoding has none of the fields. What the operation does not know is not even unfolded.
    async fn form(&self, request: &mut Request, errors: &mut Vec<Invalid>) -> Result<()> {
        let bytes = self.read(request).await?;
        let is_form = request
            .content_type()
            .and_then(|value| value.split(';').next())
            .is_some_and(|value| value.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded"));
        let fields: Map<String, Value> = url::form_urlencoded::parse(if is_form { &bytes } else { &[] })
            .filter(|(name, value)| !value.is_empty() && self.members().any(|known| known == name))
            .map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())))
            .collect();
        let mut value = Value::Object(fields);
        let mut check = Check::new(&self.schemas, &["body".into()]);
        check.value(&mut value, &self.schema);
        errors.append(&mut check.errors);
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
    fn stream(&self, request: &mut Request) {
        let context = request.data::<Context>().cloned().unwrap_or_default();
        let mut left = self.limit;
        let chunks = request.take_body().into_bytes_stream().map(move |chunk| {
            let chunk = chunk.inspect_err(|cause| {
                if cause.kind() == io::ErrorKind::TimedOut {
                    context.set_unreceived(Unreceived::TooSlow);
                }
            })?;
            left = left.checked_sub(chunk.len()).ok_or_else(|| {
                context.set_unreceived(Unreceived::TooLarge);
                io::Error::other("larger than the limit")
            })?;
            Ok::<_, io::Error>(chunk)
        });
        request.set_body(Body::from_bytes_stream(chunks));
    }

    async fn read(&self, request: &mut Request) -> Result<Bytes> {
        match request.take_body().into_bytes_limit(self.limit).await {
            Ok(bytes) => Ok(bytes),
            Err(ReadBodyError::PayloadTooLarge) => Err(Error::unreceived(Unreceived::TooLarge)),
            Err(ReadBodyError::Io(cause)) if cause.kind() == io::ErrorKind::TimedOut => {
                Err(Error::unreceived(Unreceived::TooSlow))
            }
            Err(error) => Err(Error::bad_request(format!("The body could not be read: {error}"))),
        }
    }

    /// The names of its members, when it is an object.
    fn members(&self) -> impl Iterator<Item = &'static str> {
        let schema: Option<&MetaSchema> = match &self.schema {
            MetaSchemaRef::Inline(schema) => Some(schema),
            MetaSchemaRef::Reference(name) => self.schemas.get(name),
        };
        schema.into_iter().flat_map(|schema| &schema.properties).map(|(name, _)| *name)
    }
}

/// What bodies take that are received as a whole, and what becomes of them: an eighth of what the process may use.
static RECEIVED: LazyLock<Arc<Budget>> = LazyLock::new(|| {
    let together = memory::available().map_or(0, |bytes| bytes / 8);
    Arc::new(Budget::new(memory::Limits { query: 0, together }))
});
/// Smaller bodies are not counted: connections are bounded.
const SMALL: usize = 64 * 1024;

/// Holds memory for a body as long as its request lasts, before anything of it is received.
fn hold(request: &mut Request, bytes: usize) -> Result<()> {
    if bytes > SMALL {
        let mut share = Share::of_body(&RECEIVED);
        // the text, and what it is read into
        share.resize(bytes.saturating_mul(2)).map_err(|_| Error::no_room())?;
        request.set_data(Arc::new(share));
    }
    Ok(())
}

/// Of a body with secrets an answer repeats single members that are known, and nothing else: who misspells `password`, or sends
/// it as the whole body, must not read it there.
fn forget_body(entry: &mut Invalid) {
    let is_compound = entry.input.as_ref().is_some_and(|input| input.is_object() || input.is_array());
    if is_compound || entry.loc.len() == 1 {
        entry.input = Some(Value::Null);
    }
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
        .input(Map::new().into())
        .ctx(Bounds::Error(&error.to_string()))
}
