//! What became of the counts of a session.

use serde::Serialize;

use crate::aql;
use crate::aql::counting_events::figures::{Params, Row};
use crate::error::Result;
use crate::store::{Query, Transaction};

/// What [`read`] runs.
pub(super) const QUERIES: [Query; 1] = [aql::counting_events::FIGURES];

/// What became of the counts of a session.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// Counts by which stock was corrected.
    pub created: i64,
    /// Counts that could not be applied.
    pub failed: i64,
    /// Counts that are still to be applied.
    pub open: i64,
}

/// The members of a session that tell them.
#[derive(Debug, Serialize)]
pub(super) struct Members {
    movements_created: i64,
    movements_failed: i64,
}

impl Figures {
    /// The members of the session that tell them.
    pub(super) fn members(&self) -> Members {
        Members { movements_created: self.created, movements_failed: self.failed }
    }
}

/// What became of the counts of a session.
pub(super) async fn read(trx: &Transaction, session_key: &str) -> Result<Figures> {
    let rows = aql::counting_events::figures(trx, Params { session_key }).await?;
    let sum = |counts: fn(&Row) -> bool| rows.iter().filter(|row| counts(row)).map(|row| row.number).sum();
    Ok(Figures { created: sum(|row| row.is_moved), failed: sum(|row| row.is_failed), open: sum(|row| row.is_open) })
}
