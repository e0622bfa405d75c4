//! Codes of a counter that a transaction shares with others: whoever writes the counter later meets a conflict and begins
//! again, so that no code is given twice and none is lost.

use chrono::{DateTime, Utc};

use super::template;
use crate::aql::counters::{self as stored, ADVANCE, BY_KEY};
use crate::aql::rows::Counter;
use crate::clock::Zone;
use crate::error::Result;
use crate::store::{Query, Transaction};
use tracewright_model::{Key, collection};

/// A counter while codes are drawn from it.
#[derive(Debug)]
pub struct Series {
    counter: Counter,
    now: DateTime<Utc>,
    zone: Zone,
}

impl Series {
    /// What a transaction that draws runs.
    pub const QUERIES: [Query; 2] = [BY_KEY, ADVANCE];

    /// The counter of a key; `None` when there is none. Its dates are those of the site's `zone`.
    pub async fn of(trx: &Transaction, zone: Zone, key: &Key<collection::Counter>) -> Result<Option<Self>> {
        let counter = stored::by_key(trx, stored::by_key::Params { key }).await?;
        Ok(counter.map(|counter| Self { counter, now: Utc::now(), zone }))
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        self.counter.known_as()
    }

    /// Whether its codes differ.
    pub fn is_distinct(&self) -> bool {
        template::has_number(self.counter.parts())
    }

    /// The codes that come next.
    pub fn upcoming(&self, count: usize) -> Result<Vec<String>> {
        let mut counter = self.counter.clone();
        (0..count).map(|_| counter.draw(self.now, &self.zone)).collect()
    }

    /// Uses up so many codes and writes it. The last that is done with it.
    pub async fn advance(mut self, trx: &Transaction, count: usize) -> Result<()> {
        for _ in 0..count {
            self.counter.draw(self.now, &self.zone)?;
        }
        self.counter.store(trx).await
    }
}
