//! Rows that are handed on as they come, for answers of any length.

use arangors::Database;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, try_unfold};
use http::Method;
use serde_json::Value;

use super::cursor::{self, Delivery};
use super::retry::Retries;
use super::{Client, Query, Store, StoreError, send};
use crate::error::{Error, Result};

/// Rows as they come.
pub type Batches = BoxStream<'static, Result<Vec<Value>, StoreError>>;

impl Store {
    /// Runs a query that only reads; its rows come batch by batch, and no more than a few batches are in memory at any moment.
    /// What fails before the first of them is told here.
    pub async fn stream(&self, query: &Query, params: Value) -> Result<Batches> {
        let inner = &self.inner;
        let mut retries = Retries::default();
        let first = loop {
            let begun = cursor::begin(&inner.database, inner.limits, query, &params, Delivery::AsItComes).await;
            match begun.map_err(Error::from) {
                Err(error) if retries.again(&error, &inner.meter).await => {}
                other => break other?,
            }
        };
        let mut reading = Reading { client: inner.client.clone(), database: inner.database.clone(), id: None };
        let rows = reading.go_on(first);
        let batches = try_unfold((reading, Some(rows)), |(mut reading, ready)| async move {
            let rows = match ready {
                Some(rows) => Some(rows),
                None => reading.next().await?,
            };
            Ok(rows.map(|rows| (rows, (reading, None))))
        });
        Ok(batches.boxed())
    }
}

/// A cursor that is being read. Dropped before its end, it is given up in the database too.
struct Reading {
    client: Client,
    database: Database<Client>,
    /// The cursor, while it has more rows.
    id: Option<String>,
}

impl Reading {
    /// The rows of a batch; whether there are more is noted.
    fn go_on(&mut self, batch: arangors::Cursor<Value>) -> Vec<Value> {
        self.id = batch.id.filter(|_| batch.more);
        batch.result
    }

    async fn next(&mut self) -> Result<Option<Vec<Value>>, StoreError> {
        let Some(id) = &self.id else { return Ok(None) };
        let batch = self.database.aql_next_batch(id).await?;
        Ok(Some(self.go_on(batch)))
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current()) else { return };
        let (client, database) = (self.client.clone(), self.database.clone());
        runtime.spawn(async move {
            let path = format!("_api/cursor/{id}");
            if let Err(error) = send::<Value>(&client, &database, Method::DELETE, &path, None).await {
                tracing::debug!(%error, "a cursor could not be given up");
            }
        });
    }
}
