//! Errors of the database, by what the caller can do about them.

use arangors::ClientError;

use crate::error::Error;

/// Numbers by which the database says that another transaction was faster: conflict, lock timeout, deadlock, a key that
/// exists although it was looked for, since nothing but keys is unique, a collection that could not be locked. And that its
/// storage has to be asked again: try again, busy.
const BUSY: [u16; 7] = [1200, 18, 29, 1210, 1521, 1302, 1303];

/// Number of the database's error when it ended a query, by its limit of time or by hand.
const KILLED: u16 = 1500;

/// Number of the database's error when a query needs too much memory.
const RESOURCE_LIMIT: u16 = 32;
/// Numbers by which the database says that it has given a transaction up: aborted, not found.
const GIVEN_UP: [u16; 2] = [1654, 1655];

/// Numbers by which a cluster says that one of its servers does not do its part at the moment. A shard has no leader or a new
/// one: gone, leader or follower refuses, leader resigned, challenge ongoing, not a leader. A server is not reached: timeout,
/// connection lost, communication for AQL, backend unavailable, a server that is not known yet. What the cluster agreed on is
/// not reached: plan, agency. There are too few copies: write concern not fulfilled. A server starts or ends, or has more to
/// write than it can. What servers of version 3.9 answer where there are too few copies, 1004, is also what they answer to who
/// may not write, and is not tried again.
const HANDING_OVER: [u16; 17] =
    [1429, 1449, 1457, 1464, 1465, 1472, 1474, 1478, 1489, 1490, 1491, 1492, 1495, 1496, 30, 38, 1236];

/// What went wrong at the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another transaction was faster; trying again may work.
    #[error("write conflict: {0}")]
    Conflict(String),
    /// The database has given the transaction up; from its beginning it may work.
    #[error("transaction given up: {0}")]
    GivenUp(String),
    /// A server of the database's cluster hands over to another one; trying again may work.
    #[error("database hands over: {0}")]
    HandingOver(String),
    /// The database did not answer.
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
            (_, number) if GIVEN_UP.contains(&number) => Self::GivenUp(message),
            (_, number) if HANDING_OVER.contains(&number) => Self::HandingOver(message),
            (503, _) => Self::HandingOver(message),
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
            StoreError::Conflict(cause) | StoreError::GivenUp(cause) => Self::Busy(cause),
            StoreError::HandingOver(cause) => Self::HandingOver(cause),
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
