//! What became of the counts of a session.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::aql;
use crate::error::Result;
use crate::store::{Query, Transaction};

/// What [`read`] runs.
pub(super) const QUERIES: [Query; 1] = [aql::counting_events::FIGURES];

/// What became of the counts of a session.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// Counts by which stock was corrected.
    pub created: u64,
    /// Counts that could not be applied.
    pub failed: u64,
    /// Counts that are still to be applied.
    pub open: u64,
}

#[derive(Deserialize)]
struct Row {
    is_moved: bool,
    is_failed: bool,
    is_open: bool,
    number: u64,
}

impl Figures {
    /// The members of the session that tell them.
    pub(super) fn members(&self) -> Value {
        json!({"movements_created": self.created, "movements_failed": self.failed})
    }
}

/// What became of the counts of a session.
pub(super) async fn read(trx: &Transaction, session_key: &str) -> Result<Figures> {
    let rows: Vec<Row> = trx.rows(&aql::counting_events::FIGURES, json!({"session_key": session_key})).await?;
    let sum = |counts: fn(&Row) -> bool| rows.iter().filter(|row| counts(row)).map(|row| row.number).sum();
    Ok(Figures { created: sum(|row| row.is_moved), failed: sum(|row| row.is_failed), open: sum(|row| row.is_open) })
}
