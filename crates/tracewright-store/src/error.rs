//! The one error type of the API: it knows its status and its body. Every body is `{"detail": X}`.

use std::error::Error as StdError;
use std::fmt;

use poem::error::ResponseError;
use poem::http::{HeaderValue, StatusCode, header};
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaResponses, Registry};
use serde::Serialize;
use serde_json::Value;

use crate::secrets;

/// What handlers return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong with a request.
#[derive(Debug)]
pub enum Error {
    /// 422: the request does not fit the interface; one entry for each thing wrong.
    Validation(Vec<Invalid>),
    /// 401: no token was sent.
    NotAuthenticated,
    /// 401: token or credentials are no good. Which part is not told.
    Credentials,
    /// 403: the token lacks the scope of the operation.
    MissingScope(&'static str),
    /// 429: too many failures; try again after that many seconds.
    TooManyFailures(u64),
    /// 503 with a time to wait: the database cannot be reached; what happened is for the log. The request had no effect.
    Unavailable(String),
    /// 503 with a time to wait: a server of the database's cluster hands over to another one. The request had no effect.
    HandingOver(String),
    /// 503 with a time to wait: other transactions were faster every time. The request had no effect.
    Busy(String),
    /// An answer the operation's description names: its status and its `detail`.
    Answer(StatusCode, Value),
    /// 500: a message a user can act on, and the cause, which only the log sees.
    Internal {
        /// Shown to the user.
        message: &'static str,
        /// Written to the log.
        cause: Box<dyn StdError + Send + Sync>,
    },
}

/// What is said where others were faster.
const OVERTAKEN: &str = "Others are changing the same data. Nothing was changed; please try again.";

/// What most errors say: a text, and what the one or the other adds to it.
#[derive(Debug, Default, Serialize)]
struct Told<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_scope: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
}

impl Told<'_> {
    fn detail(&self) -> Value {
        detail(self)
    }
}

/// The body of every error.
#[derive(Debug, Serialize)]
struct Body {
    detail: Value,
}

/// What is told, as a value. Nothing of what errors tell cannot be one.
fn detail(told: &impl Serialize) -> Value {
    serde_json::to_value(told).unwrap_or_default()
}

/// One thing that is wrong with a request, in FastAPI's shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Invalid {
    /// Where: `query`, `path`, `body` or `header`, then names and indexes.
    pub loc: Vec<Value>,
    /// What, for people.
    pub msg: String,
    /// What, for programs: FastAPI's name of the kind of error.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The offending value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The bounds that were violated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ctx: Option<Value>,
}

impl Invalid {
    /// An entry at `loc`.
    pub fn new(loc: &[Value], kind: &'static str, msg: impl Into<String>) -> Self {
        Self { loc: loc.to_vec(), msg: msg.into(), kind, input: None, ctx: None }
    }

    /// The same entry with the offending value.
    pub fn input(mut self, input: Value) -> Self {
        self.input = Some(input);
        self
    }

    /// The same entry with a bound that was violated.
    pub fn bound(self, name: &str, bound: impl Into<Value>) -> Self {
        self.ctx(Value::from_iter([(name, bound)]))
    }

    /// The same entry as others may read it: without what secret members hold.
    fn without_secrets(&self) -> Self {
        let mut entry = self.clone();
        let is_secret = entry.loc.iter().filter_map(Value::as_str).any(secrets::is_secret);
        match &mut entry.input {
            Some(input) if is_secret && !input.is_null() => *input = secrets::HIDDEN.into(),
            Some(input) => secrets::hide(input),
            None => {}
        }
        entry
    }

    /// The same entry with the bounds that were violated.
    pub fn ctx(mut self, ctx: impl Serialize) -> Self {
        self.ctx = Some(detail(&ctx));
        self
    }
}

/// Why the body of a request was not received as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreceived {
    /// It is larger than the operation takes.
    TooLarge,
    /// It did not come in time.
    TooSlow,
}

impl Error {
    /// 400 with a text.
    pub fn bad_request(text: impl Into<String>) -> Self {
        Self::Answer(StatusCode::BAD_REQUEST, Value::String(text.into()))
    }

    /// 404 with a text.
    pub fn not_found(text: impl Into<String>) -> Self {
        Self::Answer(StatusCode::NOT_FOUND, Value::String(text.into()))
    }

    /// 409 with a text.
    pub fn conflict(text: impl Into<String>) -> Self {
        Self::Answer(StatusCode::CONFLICT, Value::String(text.into()))
    }

    /// Any status with a text in `message`.
    pub fn message(status: StatusCode, text: impl Into<String>) -> Self {
        let text: String = text.into();
        Self::Answer(status, Told { message: &text, ..Told::default() }.detail())
    }

    /// 503: somebody else has changed what this was to change, and another attempt would find the same.
    pub fn overtaken() -> Self {
        Self::message(StatusCode::SERVICE_UNAVAILABLE, OVERTAKEN)
    }

    /// 422 with a text: a rule of the operation is broken, not the form of the request.
    pub fn rule(text: impl Into<String>) -> Self {
        Self::Answer(StatusCode::UNPROCESSABLE_ENTITY, Value::String(text.into()))
    }

    /// 422 with one entry of kind `value_error` at `loc`, for a check that the document cannot express.
    pub fn invalid(loc: &[&str], msg: impl fmt::Display) -> Self {
        let loc: Vec<Value> = loc.iter().map(|part| Value::from(*part)).collect();
        Self::Validation(vec![Invalid::new(&loc, "value_error", format!("Value error, {msg}"))])
    }

    /// 413: the request has more bytes than the settings allow.
    pub fn too_large() -> Self {
        Self::Answer(StatusCode::PAYLOAD_TOO_LARGE, "The request is larger than this service accepts.".into())
    }

    /// 413 or 408: the body was not received as a whole.
    pub fn unreceived(why: Unreceived) -> Self {
        match why {
            Unreceived::TooLarge => Self::too_large(),
            Unreceived::TooSlow => {
                Self::message(StatusCode::REQUEST_TIMEOUT, "The body of the request did not come in time.")
            }
        }
    }

    /// 503: so many large requests are being received that there is no memory for another one.
    pub fn no_room() -> Self {
        let text = "Too many large requests are being received. Nothing was changed; please try again.";
        Self::message(StatusCode::SERVICE_UNAVAILABLE, text)
    }

    /// Any status with a `detail` of any shape.
    pub fn answer(status: StatusCode, detail: Value) -> Self {
        Self::Answer(status, detail)
    }

    /// The same with a `detail` whose shape is known.
    pub fn detailed(status: StatusCode, told: &impl Serialize) -> Self {
        Self::Answer(status, detail(told))
    }

    /// 500 with a message a user can act on.
    pub fn internal(message: &'static str, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Internal { message, cause: cause.into() }
    }

    fn parts(&self, request_id: &str) -> (StatusCode, Value) {
        let message = |message: &str| Told { message, ..Told::default() }.detail();
        match self {
            Self::Validation(entries) => {
                let entries: Vec<Invalid> = entries.iter().map(Invalid::without_secrets).collect();
                (StatusCode::UNPROCESSABLE_ENTITY, detail(&entries))
            }
            Self::NotAuthenticated => (StatusCode::UNAUTHORIZED, "Not authenticated".into()),
            Self::Credentials => (StatusCode::UNAUTHORIZED, message("Could not validate credentials.")),
            Self::MissingScope(scope) => {
                let message = &format!("This operation needs the scope {scope}.");
                (StatusCode::FORBIDDEN, Told { message, required_scope: Some(*scope), ..Told::default() }.detail())
            }
            Self::TooManyFailures(seconds) => (
                StatusCode::TOO_MANY_REQUESTS,
                message(&format!("Too many failed attempts. Try again in {seconds} seconds.")),
            ),
            Self::Unavailable(_) | Self::HandingOver(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                message("The database cannot be reached at the moment. Nothing was changed."),
            ),
            Self::Busy(_) => (StatusCode::SERVICE_UNAVAILABLE, message(OVERTAKEN)),
            Self::Answer(status, detail) => (*status, detail.clone()),
            Self::Internal { message, .. } => {
                let told = Told { status: Some(500), message, request_id: Some(request_id), ..Told::default() };
                (StatusCode::INTERNAL_SERVER_ERROR, told.detail())
            }
        }
    }

    /// The answer to send, and a line in the log where the body keeps the cause to itself.
    pub fn respond(&self, request_id: &str) -> Response {
        match self {
            Self::Internal { message, cause } => {
                tracing::error!(request_id, error = %chain(&**cause), "{message}");
            }
            Self::Unavailable(cause) | Self::HandingOver(cause) | Self::Busy(cause) => {
                tracing::warn!(request_id, error = %cause, "not carried out");
            }
            _ => {}
        }
        let (status, detail) = self.parts(request_id);
        let mut response = poem::web::Json(Body { detail }).with_status(status).into_response();
        let headers = response.headers_mut();
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status == StatusCode::REQUEST_TIMEOUT {
            // the rest of the body may still come
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let wait = match self {
            Self::TooManyFailures(seconds) => Some(*seconds),
            Self::Busy(_)
            | Self::HandingOver(_)
            | Self::Unavailable(_)
            | Self::Answer(StatusCode::SERVICE_UNAVAILABLE, _) => Some(1),
            _ => None,
        };
        if let Some(seconds) = wait {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (status, detail) = self.parts("");
        write!(f, "{status}: {detail}")
    }
}

impl StdError for Error {}

impl ResponseError for Error {
    fn status(&self) -> StatusCode {
        self.parts("").0
    }

    fn as_response(&self) -> Response {
        self.respond("")
    }
}

/// The document's error answers are the same for every operation and stand in one place, `openapi::document`.
impl ApiResponse for Error {
    fn meta() -> MetaResponses {
        MetaResponses { responses: Vec::new() }
    }

    fn register(_registry: &mut Registry) {}
}

/// Turns what the framework reports (unknown path, wrong method, unreadable parameter) into our shape.
pub fn from_poem(error: &poem::Error) -> Error {
    use poem::error::{MethodNotAllowedError, NotFoundError, ReadBodyError, SizedLimitError};
    use poem_openapi::error::{
        ContentTypeError, ParseMultipartError, ParseParamError, ParsePathError, ParseRequestPayloadError,
    };

    let body = [Value::from("body")];
    if error.is::<NotFoundError>() {
        return Error::not_found("Not Found");
    }
    if error.is::<MethodNotAllowedError>() {
        return Error::Answer(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed".into());
    }
    if let Some(ParseParamError { name, reason }) = error.downcast_ref() {
        return Error::Validation(vec![Invalid::new(&["query".into(), (*name).into()], "value_error", reason)]);
    }
    if let Some(ParsePathError { name, reason }) = error.downcast_ref() {
        return Error::Validation(vec![Invalid::new(&["path".into(), (*name).into()], "value_error", reason)]);
    }
    if let Some(ParseRequestPayloadError { reason }) = error.downcast_ref() {
        return Error::Validation(vec![Invalid::new(&body, "value_error", reason)]);
    }
    if let Some(ParseMultipartError { reason }) = error.downcast_ref() {
        return Error::Validation(vec![multipart_entry(reason)]);
    }
    if error.is::<ContentTypeError>() {
        return Error::Answer(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported Media Type".into());
    }
    let too_large = matches!(error.downcast_ref(), Some(ReadBodyError::PayloadTooLarge))
        || error.is::<SizedLimitError>()
        || error.status() == StatusCode::PAYLOAD_TOO_LARGE;
    if too_large {
        return Error::too_large();
    }
    let status = error.status();
    if status.is_client_error() {
        return Error::Answer(status, error.to_string().into());
    }
    Error::internal("An unexpected error occurred. Please report it with the request id.", error.to_string())
}

/// The framework names the part in the reason, between backticks or quotes.
fn multipart_entry(reason: &str) -> Invalid {
    let part = reason.split(['`', '"', '\'']).nth(1).unwrap_or_default();
    let mut loc = vec![Value::from("body")];
    if !part.is_empty() {
        loc.push(part.into());
    }
    if reason.ends_with("is required") {
        Invalid::new(&loc, "missing", "Field required")
    } else if reason.contains("enumeration value") {
        Invalid::new(&loc, "enum", reason)
    } else {
        Invalid::new(&loc, "value_error", reason)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn body(error: Error) -> (u16, Value) {
        let response = error.respond("abc");
        let status = response.status().as_u16();
        (status, response.into_body().into_json().await.unwrap())
    }

    #[tokio::test]
    async fn an_internal_error_names_the_request_and_hides_the_cause() {
        let error = Error::internal("The list could not be read.", "a secret cause");
        let expected =
            json!({"detail": {"status": 500, "message": "The list could not be read.", "request_id": "abc"}});
        assert_eq!(body(error).await, (500, expected));
    }

    #[tokio::test]
    async fn a_validation_error_lists_every_entry_in_fastapis_shape() {
        let loc = ["query".into(), "limit".into()];
        let entry = Invalid::new(&loc, "missing", "Field required");
        let expected = json!({"detail": [{"loc": ["query", "limit"], "msg": "Field required", "type": "missing"}]});
        assert_eq!(body(Error::Validation(vec![entry])).await, (422, expected));
    }

    #[test]
    fn every_401_asks_for_a_bearer_token() {
        for error in [Error::NotAuthenticated, Error::Credentials] {
            assert_eq!(error.respond("").headers()["www-authenticate"], "Bearer");
        }
    }

    #[test]
    fn waiting_times_stand_in_retry_after() {
        assert_eq!(Error::TooManyFailures(7).respond("").headers()["retry-after"], "7");
        assert_eq!(Error::Busy(String::new()).respond("").headers()["retry-after"], "1");
        assert_eq!(Error::Unavailable(String::new()).respond("").headers()["retry-after"], "1");
    }

    #[test]
    fn errors_of_the_framework_take_our_shape() {
        let not_found: poem::Error = poem::error::NotFoundError.into();
        assert_eq!(from_poem(&not_found).status(), 404);
        let method: poem::Error = poem::error::MethodNotAllowedError.into();
        assert_eq!(from_poem(&method).status(), 405);
    }
}
