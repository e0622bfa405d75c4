//! The envelope most changing operations answer with.

use poem_openapi::payload::Json;
use poem_openapi::types::{ParseFromJSON, ToJSON, Type};
use poem_openapi::{ApiResponse, Object};
use serde::Serialize;
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

    /// Status 200 with a payload that has members of its own.
    pub fn of(detail: &impl Serialize) -> Self {
        Self::detail(serde_json::to_value(detail).unwrap_or_default())
    }

    /// Status 200 with a payload that has one member.
    pub fn named(name: &str, value: impl Into<Value>) -> Self {
        Self::detail(Value::from_iter([(name, value)]))
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

/// The envelope with a payload of a known type.
#[derive(Debug, Object)]
#[oai(rename = "APIResponse")]
pub struct Answer<T: Type + ParseFromJSON + ToJSON> {
    /// Status code of the result.
    status: i64,
    /// Text for people.
    message: Option<String>,
    /// Payload of the result.
    detail: Option<T>,
}

impl<T: Type + ParseFromJSON + ToJSON> Answer<T> {
    /// Status 200 with a payload.
    pub fn detail(detail: T) -> Self {
        Self::of(Some(detail))
    }

    /// Status 200 with a payload where there is one.
    pub fn of(detail: Option<T>) -> Self {
        Self { status: ok(), message: None, detail }
    }

    /// The same with a text.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

/// The answer to what was created.
#[derive(ApiResponse)]
pub enum Created<T: ToJSON> {
    /// It was created.
    #[oai(status = 201)]
    Created(Json<T>),
}
