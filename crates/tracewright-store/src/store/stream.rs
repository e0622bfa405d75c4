//! Rows that are handed on as they come, for answers of any length.

use futures_util::StreamExt;
use futures_util::stream::{BoxStream, try_unfold};
use serde_json::Value;

use super::cursor::{self, Batch, Delivery, OpenCursor};
use super::retry::Retries;
use super::{Query, Store, StoreError};
use crate::error::{Error, Result};

/// Rows as they come.
pub type Batches = BoxStream<'static, Result<Vec<Value>, StoreError>>;

impl Store {
    /// Runs a query that only reads; its rows come batch by batch, and no more than a few batches are in memory at any moment.
    /// What fails before the first of them is told here.
    pub async fn stream(&self, query: &Query, params: Value) -> Result<Batches> {
        let inner = &self.inner;
        let params = cursor::bound(query, params)?;
        let mut retries = Retries::default();
        let first = loop {
            let begun = cursor::begin(&inner.database, inner.limits, query, params.clone(), Delivery::AsItComes).await;
            match begun.map_err(Error::from) {
                Err(error) if retries.again(&error, &inner.meter).await => {}
                other => break other?,
            }
        };
        let mut reading = OpenCursor { client: inner.client.clone(), database: inner.database.clone(), id: None };
        let rows = reading.go_on(&first)?;
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

impl OpenCursor {
    /// The rows of a batch; whether there are more is noted.
    fn go_on(&mut self, batch: &Batch) -> Result<Vec<Value>, StoreError> {
        self.id = batch.more();
        let mut rows = Vec::new();
        batch.read(&mut rows)?;
        Ok(rows)
    }

    async fn next(&mut self) -> Result<Option<Vec<Value>>, StoreError> {
        let Some(id) = &self.id else { return Ok(None) };
        let batch = cursor::next(&self.database, id).await?;
        Ok(Some(self.go_on(&batch)?))
    }
}
