//! Where a reading query may run.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Query, Store, Transaction};
use crate::error::Result;

/// What reading queries run on: the [`Store`] for an answer that takes one query, a [`Transaction`] for one that takes
/// several, which then read one state of the database.
pub trait Source: Sync {
    /// Runs a query that only reads and returns all its rows.
    fn rows<T: DeserializeOwned + Send>(
        &self,
        query: &Query,
        params: Value,
    ) -> impl Future<Output = Result<Vec<T>>> + Send;
}

impl Source for Store {
    async fn rows<T: DeserializeOwned + Send>(&self, query: &Query, params: Value) -> Result<Vec<T>> {
        Self::rows(self, query, params).await
    }
}

impl Source for Transaction {
    async fn rows<T: DeserializeOwned + Send>(&self, query: &Query, params: Value) -> Result<Vec<T>> {
        Self::rows(self, query, params).await
    }
}
