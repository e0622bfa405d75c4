//! Why a change of production is not made. Operations and events tell it in their own ways.

use poem::http::StatusCode;
use serde_json::Value;

use crate::error::{Error, Invalid};

/// Why a change is not made.
#[derive(Debug)]
pub enum Refusal {
    /// What it names does not exist: its kind and its key.
    Unknown(&'static str, String),
    /// The state of things forbids it.
    Conflict(String),
    /// Members of the change are wrong: each with its place below the body.
    Wrong(Vec<(Vec<Value>, String)>),
    /// It could not be carried out.
    Failed(Error),
}

impl Refusal {
    /// The refusal of one member.
    pub fn member(name: &str, text: impl Into<String>) -> Self {
        Self::Wrong(vec![(vec![name.into()], text.into())])
    }

    /// What a person is told; nothing for what could not be carried out.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Unknown(kind, key) => Some(format!("{kind} {key} not found")),
            Self::Conflict(text) => Some(text.clone()),
            Self::Wrong(members) => members.first().map(|(_, text)| text.clone()),
            Self::Failed(_) => None,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// As operations tell it: 404 and 409 with a message, 422 with an entry for each member.
impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unknown(kind, key) => Self::message(StatusCode::NOT_FOUND, format!("{kind} {key} not found")),
            Refusal::Conflict(text) => Self::message(StatusCode::CONFLICT, text),
            Refusal::Wrong(members) => Self::Validation(members.into_iter().map(entry).collect()),
            Refusal::Failed(error) => error,
        }
    }
}

fn entry((place, text): (Vec<Value>, String)) -> Invalid {
    let mut loc = vec![Value::from("body")];
    loc.extend(place);
    Invalid::new(&loc, "value_error", format!("Value error, {text}"))
}
