//! What a handler answers, and the one place where errors become ArangoDB's error bodies.

use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, Response, StatusCode};

use super::apart::Rows;
use super::names;
use crate::value::{Object, Value};
use crate::{Error, Result};

/// JSON, as ArangoDB labels it.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
/// Text; also the label of an empty body.
pub const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// The answer of a handler.
#[derive(Debug)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers besides those every answer has.
    pub headers: HeaderMap,
    /// The body, labelled by `content_type`.
    pub body: Vec<u8>,
    /// Label of the body.
    pub content_type: HeaderValue,
    /// Rows beside the body, for a caller in the process.
    pub rows: Option<Rows>,
    /// It is held back so long.
    pub delay: Option<Duration>,
    /// An error of a handler: ArangoDB answers a HEAD request with no body at all then, not even its length.
    pub failed: bool,
}

impl Answer {
    /// An answer without a body.
    pub fn empty(status: u16) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body: Vec::new(),
            content_type: TEXT,
            rows: None,
            delay: None,
            failed: false,
        }
    }

    /// An answer whose body is already JSON text.
    pub fn raw_json(status: u16, body: Vec<u8>) -> Self {
        Self { content_type: JSON, body, ..Self::empty(status) }
    }

    /// An answer whose body is one value.
    pub fn json(status: u16, value: &Value) -> Self {
        let mut body = Vec::with_capacity(256);
        value.write_json(&mut body);
        Self::raw_json(status, body)
    }

    /// An answer of plain text.
    pub fn text(status: u16, text: String) -> Self {
        Self { body: text.into_bytes(), ..Self::empty(status) }
    }

    /// `{"error": false, "code": status, ...}` with the given attributes.
    pub fn success(status: u16, attributes: Object) -> Self {
        let mut object = Object::default();
        object.insert("error".into(), Value::Bool(false));
        object.insert("code".into(), Value::Int(i64::from(status)));
        object.extend(attributes);
        Self::json(status, &Value::object(object))
    }

    /// `{"error": false, "code": status, "result": ...}`
    pub fn result(status: u16, result: Value) -> Self {
        Self::success(status, object([("result", result)]))
    }

    /// The answer ArangoDB gives for an error.
    pub fn error(error: &Error) -> Self {
        let mut answer = Self::json(error.http_status(), &error_body(error));
        answer.failed = true;
        answer
    }

    /// The same answer with one more header; a value no header can hold is left out.
    pub fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.append(name, value);
        }
        self
    }

    /// The same answer, held back for a while.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = Some(delay);
        self
    }

    /// The response for a caller in the process that takes rows: who talks to nobody has no use for headers that every answer
    /// has.
    pub fn into_apart(self) -> Response<Bytes> {
        let mut response = Response::new(Bytes::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        *response.headers_mut() = self.headers;
        if let Some(rows) = self.rows {
            response.extensions_mut().insert(rows);
        }
        if let Some(delay) = self.delay {
            response.extensions_mut().insert(Delay(delay));
        }
        response
    }

    /// The HTTP response. `head` keeps the length and leaves the body out.
    pub fn into_response(mut self, head: bool) -> Response<Bytes> {
        if head && self.failed {
            self.body.clear();
            self.content_type = TEXT;
        }
        let (length, content_type) = (self.body.len(), self.content_type.clone());
        if head {
            self.body.clear();
        }
        let mut response = self.into_apart();
        let headers = response.headers_mut();
        headers.insert(header::SERVER, HeaderValue::from_static("ArangoDB"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(&names::QUEUE_TIME, HeaderValue::from_static("0.000000"));
        headers.insert(header::CONTENT_TYPE, content_type);
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        response
    }
}

/// How long a response is held back by whoever sends it.
#[derive(Debug, Clone, Copy)]
pub struct Delay(pub Duration);

/// What a handler returns.
pub type HandlerResult = Result<Answer>;

/// An object of the given attributes.
pub fn object<const N: usize>(pairs: [(&'static str, Value); N]) -> Object {
    pairs.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

/// ArangoDB's error body.
fn error_body(error: &Error) -> Value {
    Value::object(object([
        ("code", Value::Int(i64::from(error.http_status()))),
        ("error", Value::Bool(true)),
        ("errorMessage", Value::str(error.message.as_str())),
        ("errorNum", Value::Int(i64::from(error.num))),
    ]))
}

/// The error of one document in an answer about many.
pub fn item_error(error: &Error) -> Value {
    Value::object(object([
        ("error", Value::Bool(true)),
        ("errorNum", Value::Int(i64::from(error.num))),
        ("errorMessage", Value::str(error.message.as_str())),
    ]))
}
