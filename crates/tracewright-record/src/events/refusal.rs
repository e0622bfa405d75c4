//! Why an event is refused: 422 with a kind for programs and a text for people.

use poem::http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Invalid};
use tracewright_model::{Named, Word, either};

macro_rules! refusals {
    ($($(#[$meta:meta])* $name:ident = $text:literal,)*) => {
        /// The kind of a refusal, `error_type` of the answer.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Refusal {
            $($(#[$meta])* $name,)*
        }

        impl Refusal {
            /// Its name in answers.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

refusals! {
    /// Members that are not in form.
    Validation = "ValidationError",
    /// Any rule without a kind of its own.
    Value = "ValueError",
    /// The job runs or has run.
    JobIsStarted = "JobIsStartedError",
    /// The job does not run yet, or not any more.
    JobIsNotStarted = "JobIsNotStartedError",
    /// Somebody works on the job.
    JobIsActive = "JobIsActiveError",
    /// The job has an open batch.
    JobHasActiveBatch = "JobHasActiveBatchError",
    /// The job has no open batch.
    JobHasNoActiveBatch = "JobHasNoActiveBatchError",
    /// The job is nobody's.
    JobHasNoAssignee = "JobHasNoAssigneeError",
    /// What is to be worked on is not there.
    WipNotAvailable = "WipNotAvailableError",
    /// A serial could not be made.
    SerialNotCreated = "SerialNotCreatedError",
    /// A serial could not be changed.
    SerialNotUpdated = "SerialNotUpdatedError",
    /// A serial could not be deleted.
    SerialNotDeleted = "SerialNotDeletedError",
    /// A serial could not be put into another.
    SerialNotLinked = "SerialNotLinkedError",
    /// Another serial of the product has the code.
    SerialCodePresent = "SerialCodeAlreadyPresent",
    /// Stock does not allow it.
    Movement = "InventoryMovementException",
    /// The service cannot do that.
    NotImplemented = "NotImplementedError",
    /// The key of the event stands for another one.
    EventKeyReused = "EventKeyReusedError",
}

/// What a refusal tells.
#[derive(Serialize)]
struct Detail<'a> {
    error_type: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<&'a [Invalid]>,
}

impl Refusal {
    /// The error of this kind with a text that says what the person can do.
    pub fn says(self, text: impl Into<String>) -> Error {
        let detail = Detail { error_type: self.name(), message: &text.into(), errors: None };
        Error::detailed(StatusCode::UNPROCESSABLE_ENTITY, &detail)
    }

    /// Something that is named and does not exist.
    pub fn not_found(self, kind: &str, key: &str) -> Error {
        self.says(format!("{kind} {key} not found"))
    }
}

/// The refusal of something that is in none of the states in which it would do.
pub(super) fn of_state<S: Named>(what: &str, state: &Word<S>, needed: &[S]) -> Error {
    Refusal::Value.says(format!("{what} is {state}: it must be {}", either(needed)))
}

/// The refusal of members that are not in form: the first mistake as a text, all of them as entries.
pub(super) fn not_in_form(errors: &[Invalid]) -> Error {
    let text = errors.first().map_or_else(String::new, |first| {
        let path: Vec<String> = first
            .loc
            .iter()
            .skip(1)
            .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
            .collect();
        format!("{}: {}", path.join("."), first.msg)
    });
    let detail = Detail { error_type: Refusal::Validation.name(), message: &text, errors: Some(errors) };
    Error::detailed(StatusCode::UNPROCESSABLE_ENTITY, &detail)
}

/// The refusal of a bulk call with the number of its rows and the one that failed.
pub fn of_row(error: Error, total: usize, index: Option<usize>) -> Error {
    match error {
        Error::Answer(status, Value::Object(mut detail)) if detail.contains_key("error_type") => {
            detail.insert("total_events".to_owned(), total.into());
            detail.insert("failed_index".to_owned(), index.into());
            Error::Answer(status, Value::Object(detail))
        }
        other => other,
    }
}
