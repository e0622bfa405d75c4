//! What the database refuses of a query, as an answer.

use poem::http::StatusCode;
use serde::Serialize;

use crate::error::Error;
use crate::store::{ConsoleLimits, Refusal, StoreError};

/// Numbers of the database's errors that are not those of a query: nothing its author could do about them.
const INTERNAL: std::ops::Range<u16> = 1..10;
const FORBIDDEN: u16 = 11;
const RESOURCE_LIMIT: u16 = 32;
const READ_ONLY: u16 = 1004;
const KILLED: u16 = 1500;
/// What whoever wanted to read users does instead.
const INSTEAD: &str = "Users are told by the parameter @users, which needs no value";

/// The answer to a query that was refused.
pub(super) fn answer(refusal: Refusal, limits: ConsoleLimits) -> Error {
    match refusal {
        Refusal::Query { number, message, .. } if INTERNAL.contains(&number) => {
            StoreError::Refused { number, message }.into()
        }
        Refusal::Query { number, message, place } => {
            let seconds = limits.runtime.as_secs_f64();
            let (status, message) = match number {
                FORBIDDEN => (StatusCode::FORBIDDEN, format!("{message}. {INSTEAD}")),
                READ_ONLY => (StatusCode::FORBIDDEN, message),
                KILLED => {
                    let text =
                        format!("{message}: it was stopped, or ran longer than {seconds} s (setting aql.seconds)");
                    (StatusCode::GONE, text)
                }
                RESOURCE_LIMIT => {
                    let text =
                        format!("{message}: it may hold {} bytes (setting aql.memory_bytes)", limits.memory_bytes);
                    (StatusCode::BAD_REQUEST, text)
                }
                _ => (StatusCode::BAD_REQUEST, message),
            };
            Error::detailed(status, &detail(number, &message, place))
        }
        Refusal::Unusable(text) => Error::message(StatusCode::SERVICE_UNAVAILABLE, text),
        Refusal::Failed(error) => error,
    }
}

/// The answer to a query that somebody has stopped.
pub(super) fn stopped() -> Error {
    Error::detailed(StatusCode::GONE, &detail(KILLED, "query killed: it was stopped", None))
}

/// What was refused, and where in the text.
#[derive(Serialize)]
struct Detail<'a> {
    message: &'a str,
    error_num: u16,
    line: Option<u64>,
    column: Option<u64>,
}

fn detail(error_num: u16, message: &str, place: Option<(u64, u64)>) -> Detail<'_> {
    let (line, column) = place.unzip();
    Detail { message, error_num, line, column }
}
