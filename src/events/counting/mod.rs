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

use serde::Deserialize;
use serde_json::{Value, json};

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

use super::Refusal;
use super::stock::{is_same, rounded};
use crate::aql;
use crate::error::Result;
use crate::store::Transaction;

/// A session as its events see it.
#[derive(Debug, Deserialize)]
struct Session {
    key: String,
    code: Option<String>,
    status: String,
    adjustment_list_key: Option<String>,
}

impl Session {
    /// The session of a key; one that does not exist is refused.
    async fn find(trx: &Transaction, key: &str) -> Result<Self> {
        let found = trx.row(&aql::counting_events::SESSION, json!({"session_key": key})).await?;
        found.ok_or_else(|| Refusal::Value.not_found("Counting session", key))
    }

    /// How people call it.
    fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }

    /// Refused in any other state.
    fn must_be(&self, states: &[&str]) -> Result<()> {
        if states.contains(&self.status.as_str()) {
            return Ok(());
        }
        let (name, status, needed) = (self.name(), &self.status, states.join(" or "));
        Err(Refusal::Value.says(format!("Counting session {name} is {status}: it must be {needed}")))
    }
}

/// A count record as its events see it.
#[derive(Debug, Deserialize)]
struct Count {
    key: String,
    product_id: String,
    position_id: String,
    status: String,
    user_key: Option<String>,
    session_key: Option<String>,
    session_status: Option<String>,
    product: Option<Product>,
    position_code: Option<String>,
}

/// What counting needs to know of a product.
#[derive(Debug, Deserialize)]
struct Product {
    code: Option<String>,
    is_traced: bool,
}

impl Count {
    /// The record of a key; one that does not exist is refused.
    async fn find(trx: &Transaction, key: &str) -> Result<Self> {
        let found = trx.row(&aql::counting_events::COUNT, json!({"count_key": key})).await?;
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

    /// Refused in any other state.
    fn must_be(&self, states: &[&str]) -> Result<()> {
        if states.contains(&self.status.as_str()) {
            return Ok(());
        }
        let (name, status, needed) = (self.name(), &self.status, states.join(" or "));
        Err(Refusal::Value.says(format!("The count of {name} is {status}: it must be {needed}")))
    }

    /// Refused when its session is in any other state.
    fn session_must_be(&self, states: &[&str]) -> Result<()> {
        let key = self.session_key.as_deref().unwrap_or("without key");
        match self.session_status.as_deref() {
            Some(status) if states.contains(&status) => Ok(()),
            Some(status) => Err(Refusal::Value.says(format!(
                "The counting session of {} is {status}: it must be {}",
                self.name(),
                states.join(" or ")
            ))),
            None => Err(Refusal::Value.not_found("Counting session", key)),
        }
    }

    /// Its product and position, as queries take them.
    fn pair(&self) -> Value {
        json!({"product_id": self.product_id, "position_id": self.position_id})
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
