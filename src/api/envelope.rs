//! The envelope most changing operations answer with.

use poem_openapi::Object;
use serde_json::Value;

/// The envelope of an answer.
#[derive(Debug, Clone, PartialEq, Object)]
#[oai(rename = "APIResponse")]
pub struct Envelope {
    /// Status code of the result.
    #[oai(default = "ok")]
    pub status: i64,
    /// Text for people.
    pub message: Option<String>,
    /// Payload of the result.
    pub detail: Option<Value>,
}

fn ok() -> i64 {
    200
}

impl Envelope {
    /// Status 200 with a payload.
    pub fn detail(detail: Value) -> Self {
        Self { status: ok(), message: None, detail: Some(detail) }
    }

    /// Status 200 with a text.
    pub fn message(message: impl Into<String>) -> Self {
        Self { status: ok(), message: Some(message.into()), detail: None }
    }

    /// The same with a text.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// The same with another status code in the envelope (not of the answer).
    pub fn with_status(mut self, status: i64) -> Self {
        self.status = status;
        self
    }
}
