//! Events of counting: people count what lies where, somebody reviews it, and stock is corrected.

mod applier;
mod assignments;
mod completion;
mod confirmed;
mod count_applied;
mod count_canceled;
mod count_completed;
mod count_discarded;
mod count_started;
mod figures;
mod naming;
mod position_empty;
mod session_applied;
mod sessions;

use serde::Serialize;

/// Among what guards are: who adds assignments to a session and who ends it meet there.
pub const ASSIGNMENTS_OF: &str = "assignments of";

pub use applier::Applier;
pub use assignments::{AssignmentCompleted, AssignmentStarted};
pub use confirmed::CountSessionConfirmed;
pub use count_applied::CountApplied;
pub use count_canceled::CountCanceled;
pub use count_completed::CountCompleted;
pub use count_discarded::CountDiscarded;
pub use count_started::CountStarted;
pub use position_empty::PositionConfirmedEmpty;
pub use session_applied::CountSessionApplied;
pub use sessions::{CountSessionCanceled, CountSessionCompleted, CountSessionResumed, CountSessionStarted};

use super::refusal::of_state;
use super::stock::{is_same, rounded};
use super::{EventType, Refusal};
use crate::aql;
use crate::aql::counting_events as stored;
use crate::aql::rows::CountSession as Session;
use crate::error::Result;
use crate::store::{Transaction, typed};
use tracewright_model::CountSessionStatus;
use tracewright_model::machine::{COUNT_RECORD, COUNT_SESSION};

impl Session {
    /// The session of a key; one that does not exist is refused.
    async fn find(trx: &Transaction, key: &str) -> Result<Self> {
        let found = stored::session(trx, stored::session::Params { session_key: key }).await?;
        found.ok_or_else(|| Refusal::Value.not_found("Counting session", key))
    }

    /// How people call it.
    fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }

    /// Refused in a state in which such an event does not happen to it.
    fn must_allow(&self, event: EventType) -> Result<()> {
        self.must_be(&COUNT_SESSION.before(event))
    }

    /// Refused in any other state.
    fn must_be(&self, states: &[CountSessionStatus]) -> Result<()> {
        if self.status.is_among(states) {
            return Ok(());
        }
        Err(of_state(&format!("Counting session {}", self.name()), &self.status, states))
    }
}

/// A count record as its events see it.
type Count = stored::count::Row;

/// What is answered to an event of a count.
#[derive(Debug, Serialize)]
pub struct CountAnswer {
    message: String,
    count_record_key: String,
}

/// What is answered to an event of a session.
#[derive(Debug, Serialize)]
pub struct SessionAnswer {
    message: String,
    session_key: String,
}

/// Writes members of a session.
async fn update(trx: &Transaction, session_key: &str, changes: &(impl Serialize + Sync)) -> Result<()> {
    let changes = &typed::members(changes)?;
    aql::counting::update_session(trx, aql::counting::update_session::Params { session_key, changes }).await
}

impl Count {
    /// The record of a key; one that does not exist is refused.
    async fn find(trx: &Transaction, key: &str) -> Result<Self> {
        let found = stored::count(trx, stored::count::Params { count_key: key }).await?;
        found.ok_or_else(|| Refusal::Value.not_found("Count record", key))
    }

    fn product_key(&self) -> &str {
        key_of(&self.product_id)
    }

    fn position_key(&self) -> &str {
        key_of(&self.position_id)
    }

    fn product_code(&self) -> &str {
        self.product.as_ref().and_then(|product| product.code.as_deref()).unwrap_or_else(|| self.product_key())
    }

    /// What is counted, for people.
    fn name(&self) -> String {
        pair_name(self.product_code(), self.position_code.as_deref().unwrap_or_else(|| self.position_key()))
    }

    fn is_traced(&self) -> bool {
        self.product.as_ref().is_some_and(|product| product.is_traced)
    }

    /// Refused in a state in which such an event does not happen to it.
    fn must_allow(&self, event: EventType) -> Result<()> {
        if COUNT_RECORD.allows(&self.status, event) {
            return Ok(());
        }
        Err(of_state(&format!("The count of {}", self.name()), &self.status, &COUNT_RECORD.before(event)))
    }

    /// Refused when its session is in any other state.
    fn session_must_be(&self, states: &[CountSessionStatus]) -> Result<()> {
        let key = self.session_key.as_deref().unwrap_or("without key");
        match &self.session_status {
            Some(status) if status.is_among(states) => Ok(()),
            Some(status) => Err(of_state(&format!("The counting session of {}", self.name()), status, states)),
            None => Err(Refusal::Value.not_found("Counting session", key)),
        }
    }
}

/// A product at a position, for people.
fn pair_name(product: &str, position: &str) -> String {
    format!("{product} at {position}")
}

/// The key in an identifier, or in a text that is a key already.
fn key_of(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, key)| key)
}

/// What was given: an empty text counts as nothing.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}
