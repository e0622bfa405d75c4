//! Searches of any length: one query finds the keys, in order, and another one reads what they name, a portion at a time. No query
//! holds more than keys or a portion, and all of them see one state of the database.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::try_unfold;
use serde_json::{Map, Value};
use tokio::sync::Mutex;

use super::{Access, Batches, Query, Store, StoreError, Transaction};
use crate::error::{Error, Result};
use crate::transaction;

/// Documents that are read at once: as many rows as a server makes at once.
pub const PORTION: usize = 1_000;

/// How often a transaction is used while a client takes nothing of its answer. A server ends one that nobody uses after a minute,
/// unless it was started with less; using it begins that time anew. It ends with the connection, which may not rest for ever.
const KEEP: Duration = Duration::from_secs(5);

/// A search by two queries. Each is handed those of the parameters that it names, the second one `keys` beside them.
#[derive(Clone, Copy)]
pub struct Portioned {
    /// Gives keys in order.
    pub keys: &'static Query,
    /// Gives a row for each of its `keys`, with that `_key`, in any order.
    pub rows: &'static Query,
}

/// A search that goes on.
struct Reading {
    search: Portioned,
    params: Value,
    /// Keys of what is not read yet, the last first.
    left: Vec<String>,
}

impl Portioned {
    fn access(self) -> Access<'static> {
        Access::of(&[*self.keys, *self.rows])
    }

    async fn begin(self, transaction: &Transaction, params: &Value) -> Result<Reading> {
        let mut left: Vec<String> = transaction.rows(self.keys, named(self.keys, params)).await?;
        left.reverse();
        Ok(Reading { search: self, params: named(self.rows, params), left })
    }
}

impl Reading {
    /// The next rows; none when there are no more.
    async fn next(&mut self, transaction: &Transaction) -> Result<Vec<Value>, StoreError> {
        let mut keys = self.left.split_off(self.left.len().saturating_sub(PORTION));
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        keys.reverse();
        let rows = self.named(transaction, &keys).await?;
        let mut by_key: HashMap<String, Value> =
            rows.into_iter().filter_map(|row| Some((row["_key"].as_str()?.to_owned(), row))).collect();
        Ok(keys.iter().filter_map(|key| by_key.remove(key)).collect())
    }

    async fn named(&mut self, transaction: &Transaction, keys: &[String]) -> Result<Vec<Value>, StoreError> {
        self.params["keys"] = keys.into();
        let mut rows = Vec::new();
        transaction.read(self.search.rows, self.params.clone().into(), &mut rows).await?;
        Ok(rows)
    }
}

/// A search that goes on with its transaction, which one at a time may use.
type Open = Mutex<(Transaction, Reading)>;

/// Keeps the transaction of a search from being ended for as long as somebody wants more of its rows.
async fn keep(open: Weak<Open>) {
    loop {
        tokio::time::sleep(KEEP).await;
        let Some(open) = open.upgrade() else { break };
        // Where it is in use it needs nothing.
        let Ok(mut open) = open.try_lock() else { continue };
        let (transaction, reading) = &mut *open;
        if let Err(error) = reading.named(transaction, &[]).await {
            tracing::debug!(%error, "the transaction of an answer has ended before it");
            break;
        }
    }
}

impl Store {
    /// All rows of a search, for a page.
    pub async fn in_portions(&self, search: Portioned, params: Value) -> Result<Vec<Value>> {
        transaction!(self, search.access(), |trx| {
            let mut reading = search.begin(trx, &params).await?;
            let mut rows = reading.next(trx).await?;
            while !reading.left.is_empty() {
                rows.extend(reading.next(trx).await?);
            }
            Ok(rows)
        })
    }

    /// The rows of a search, portion by portion; no more than one of them is in memory. What fails before the first is read is
    /// told here.
    pub async fn stream_portions(&self, search: Portioned, params: Value) -> Result<Batches> {
        let mut attempts = self.attempts(search.access());
        let (transaction, reading, first) = loop {
            let transaction = attempts.begin().await?;
            let begun = async {
                let mut reading = search.begin(&transaction, &params).await?;
                let first = reading.next(&transaction).await?;
                Ok::<_, Error>((reading, first))
            };
            match begun.await {
                Ok((reading, first)) => break (transaction, reading, first),
                Err(error) => {
                    if let Some(Err(error)) = attempts.end::<()>(transaction, Err(error)).await {
                        return Err(error);
                    }
                }
            }
        };
        let has_more = !reading.left.is_empty();
        let open = Arc::new(Mutex::new((transaction, reading)));
        if has_more {
            tokio::spawn(keep(Arc::downgrade(&open)));
        }
        let batches = try_unfold(Some((open, Some(first))), |state| async move {
            let Some((shared, ready)) = state else { return Ok(None) };
            let mut open = shared.lock().await;
            let (transaction, reading) = &mut *open;
            let rows = match ready {
                Some(rows) => rows,
                None => reading.next(transaction).await?,
            };
            if reading.left.is_empty() {
                transaction.leave().await;
                return Ok(Some((rows, None)));
            }
            drop(open);
            Ok(Some((rows, Some((shared, None)))))
        });
        Ok(batches.boxed())
    }
}

/// Those of the parameters that a query names.
fn named(query: &Query, params: &Value) -> Value {
    let params = params.as_object().into_iter().flatten();
    let own = params.filter(|(name, _)| query.params.contains(&name.as_str()));
    own.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>().into()
}
