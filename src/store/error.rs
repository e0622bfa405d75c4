//! Errors of the database, by what the caller can do about them.

use arangors::ClientError;

use crate::error::Error;

/// Numbers by which the database says that another transaction was faster: conflict, lock timeout, deadlock.
const BUSY: [u16; 3] = [1200, 18, 29];

/// Number of the database's error when it ended a query, by its limit of time or by hand.
const KILLED: u16 = 1500;

/// Number of the database's error when a query needs too much memory.
const RESOURCE_LIMIT: u16 = 32;

/// What went wrong at the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another transaction was faster; trying again may work.
    #[error("write conflict: {0}")]
    Conflict(String),
    /// The database did not answer or said it cannot at the moment.
    #[error("database unreachable: {0}")]
    Unreachable(String),
    /// The database refused, with its error number.
    #[error("{message} (error {number})")]
    Refused {
        /// The database's error number.
        number: u16,
        /// Its message.
        message: String,
    },
    /// The database's answer cannot be understood.
    #[error("unexpected answer of the database: {0}")]
    Answer(String),
}

impl StoreError {
    /// The error number of a refusal.
    pub fn number(&self) -> Option<u16> {
        match self {
            Self::Refused { number, .. } => Some(*number),
            _ => None,
        }
    }

    /// What the database says when it does not exist.
    pub(super) fn no_database(name: &str) -> Self {
        Self::Refused { number: 1228, message: format!("database not found: {name}") }
    }

    pub(super) fn refused(status: u16, number: u16, message: &str) -> Self {
        let message = message.to_owned();
        match (status, number) {
            (_, number) if BUSY.contains(&number) => Self::Conflict(message),
            (503, _) => Self::Unreachable(message),
            _ => Self::Refused { number, message },
        }
    }
}

impl From<ClientError> for StoreError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Arango(e) => Self::refused(e.code(), e.error_num(), e.message()),
            ClientError::HttpClient(text) | ClientError::InvalidServer(text) => Self::Unreachable(text),
            ClientError::Serde(e) => Self::Answer(e.to_string()),
            ClientError::InsufficientPermission { operation, .. } => Self::Refused { number: 11, message: operation },
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict(cause) => Self::Busy(cause),
            StoreError::Unreachable(cause) => Self::Unavailable(cause),
            StoreError::Refused { number: KILLED, .. } => Self::internal(
                "The database ended this request, which took too long. Nothing was changed; please ask for less at once.",
                error,
            ),
            StoreError::Refused { number: RESOURCE_LIMIT, .. } => Self::internal(
                "This request needs more memory than the database has for it. Nothing was changed; please ask for less at \
                 once, or try again when fewer requests run.",
                error,
            ),
            other => Self::internal("The database could not carry out the request.", other),
        }
    }
}
