//! Cross-origin requests, as ArangoDB answers them: any origin, no credentials.

use http::HeaderMap;
use http::header::{self, HeaderName, HeaderValue};

use super::response::Answer;

const METHODS: &str = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";
const EXPOSED: &str = "etag, content-encoding, content-length, location, server, x-arango-errors, x-arango-async-id";

/// The answer to an OPTIONS request.
pub fn preflight(headers: &HeaderMap) -> Answer {
    let answer = Answer::empty(200).with(header::ALLOW, METHODS);
    if !headers.contains_key(header::ORIGIN) {
        return answer;
    }
    let answer =
        answer.with(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS).with(header::ACCESS_CONTROL_MAX_AGE, "1800");
    match headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS).and_then(|v| v.to_str().ok()) {
        Some(asked) => answer.with(header::ACCESS_CONTROL_ALLOW_HEADERS, asked),
        None => answer,
    }
}

/// Adds what a page of another origin needs to read the answer.
pub fn allow(mut answer: Answer, origin: Option<HeaderValue>) -> Answer {
    if let Some(origin) = origin {
        let mut set = |name: HeaderName, value| answer.headers.insert(name, value);
        set(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        set(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("false"));
        set(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
    answer
}
