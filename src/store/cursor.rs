//! Running stored queries: each with a limit of time and of memory.

use std::time::Duration;

use arangors::{Cursor, Database};
use http::Method;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Client, Meter, Query, StoreError, send};
use crate::settings;

/// Rows a cursor hands over at once.
const BATCH_SIZE: u32 = 5_000;

/// What a query may take; the database ends it beyond that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    runtime: Duration,
    memory_bytes: u64,
}

impl Limits {
    pub(super) fn of(settings: &settings::Database) -> Self {
        Self { runtime: Duration::from_secs_f64(settings.query_seconds), memory_bytes: settings.query_memory_bytes }
    }
}

/// Begins a query through `database`, which is one or a transaction in it, and returns its first batch.
/// `arangors` knows no limit of time, so the request is made without its help.
async fn begin<T: DeserializeOwned>(
    database: &Database<Client>,
    limits: Limits,
    query: &Query,
    params: &Value,
) -> Result<Cursor<T>, StoreError> {
    let body = json!({
        "query": query.text,
        "bindVars": params,
        "batchSize": BATCH_SIZE,
        "memoryLimit": limits.memory_bytes,
        "options": {"maxRuntime": limits.runtime.as_secs_f64()},
    });
    send(&database.session(), database, Method::POST, "_api/cursor", Some(&body)).await
}

/// Runs a query through `database` and fetches all batches.
pub(super) async fn rows<T: DeserializeOwned>(
    database: &Database<Client>,
    limits: Limits,
    meter: &Meter,
    query: &Query,
    params: Value,
) -> Result<Vec<T>, StoreError> {
    if !params.is_object() {
        return Err(StoreError::Answer(format!("parameters of {} are not an object", query.name)));
    }
    let failed = |error: StoreError| {
        tracing::debug!(query = query.name, %error, "query failed");
        error
    };
    let mut cursor = begin(database, limits, query, &params).await.map_err(failed)?;
    let mut found = Vec::new();
    loop {
        // While batches are to come, the numbers are not there or not final.
        if let Some(stats) = cursor.extra.and_then(|extra| extra.stats).filter(|_| !cursor.more) {
            meter.scanned.inc_by((stats.scanned_full + stats.scanned_index) as u64);
        }
        found.append(&mut cursor.result);
        match cursor.id.filter(|_| cursor.more) {
            Some(id) => cursor = database.aql_next_batch(&id).await.map_err(|error| failed(error.into()))?,
            None => return Ok(found),
        }
    }
}
