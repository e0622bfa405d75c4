//! Running stored queries: each with a limit of time and of memory.

use std::time::Duration;

use aqlite::http::{Rows, RowsApart};
use arangors::client::ClientExt;
use arangors::{Cursor, Database};
use http::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::running::Running;
use super::{Client, Meter, Query, StoreError, parse, request, send};
use crate::settings;

/// How a result is handed over.
#[derive(Debug, Clone, Copy)]
pub(super) enum Delivery {
    /// When it is complete.
    Whole,
    /// While it is still being found.
    AsItComes,
}

impl Delivery {
    /// Rows that come at once.
    fn batch_size(self) -> u32 {
        match self {
            Self::Whole => 5_000,
            Self::AsItComes => 1_000,
        }
    }
}

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

/// A cursor that is being read. Dropped before its end, it is given up in the database too.
pub(super) struct OpenCursor {
    pub(super) client: Client,
    pub(super) database: Database<Client>,
    /// The cursor, while it has more rows.
    pub(super) id: Option<String>,
}

impl Drop for OpenCursor {
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

/// Begins a query through `database`, which is one or a transaction in it, and returns its first batch.
/// `arangors` knows no limit of time, so the request is made without its help.
pub(super) async fn begin<T: DeserializeOwned>(
    database: &Database<Client>,
    limits: Limits,
    query: &Query,
    params: &Value,
    delivery: Delivery,
) -> Result<Cursor<T>, StoreError> {
    let running = Running::new(database, query);
    let stream = matches!(delivery, Delivery::AsItComes);
    let call = Call {
        query: running.text(),
        bind_vars: params,
        batch_size: delivery.batch_size(),
        memory_limit: limits.memory_bytes,
        options: CallOptions { max_runtime: limits.runtime.as_secs_f64(), stream },
    };
    let body = serde_json::to_string(&call).map_err(|error| StoreError::Answer(error.to_string()))?;
    let begun = batch(database, Method::POST, "_api/cursor", body).await;
    running.ended();
    begun
}

/// A query as the database is asked it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Call<'a> {
    query: &'a str,
    bind_vars: &'a Value,
    batch_size: u32,
    memory_limit: u64,
    options: CallOptions,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallOptions {
    max_runtime: f64,
    stream: bool,
}

/// The next batch of a cursor that has more rows.
pub(super) async fn next<T: DeserializeOwned>(database: &Database<Client>, id: &str) -> Result<Cursor<T>, StoreError> {
    batch(database, Method::PUT, &format!("_api/cursor/{id}"), String::new()).await
}

/// Asks for a batch. The engine in this process hands its rows over as they are, a server as text; either way they are
/// values of the engine before they are what the caller reads.
async fn batch<T: DeserializeOwned>(
    database: &Database<Client>,
    method: Method,
    path: &str,
    body: String,
) -> Result<Cursor<T>, StoreError> {
    let (cursor, beside) = ask(database, method, path, body).await?;
    let rows = beside.as_ref().map_or(&cursor.result[..], Rows::values);
    let result: Result<Vec<T>, _> = rows.iter().map(aqlite::value::Value::read).collect();
    let result = result.map_err(|error| StoreError::Answer(error.to_string()))?;
    let Cursor { count, cached, more, id, extra, .. } = cursor;
    Ok(Cursor { count, cached, more, result, id, extra })
}

/// The same before it is known what the rows are.
async fn ask(
    database: &Database<Client>,
    method: Method,
    path: &str,
    body: String,
) -> Result<(Cursor<aqlite::value::Value>, Option<Rows>), StoreError> {
    let mut request = request(database, method, path, body)?;
    request.extensions_mut().insert(RowsApart);
    let mut answer = database.session().request(request).await?;
    let cursor = parse(answer.status().as_u16(), answer.body())?;
    Ok((cursor, answer.extensions_mut().remove()))
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
    let mut cursor = begin(database, limits, query, &params, Delivery::Whole).await.map_err(failed)?;
    let mut found = Vec::new();
    loop {
        // While batches are to come, the numbers are not there or not final.
        if let Some(stats) = cursor.extra.and_then(|extra| extra.stats).filter(|_| !cursor.more) {
            meter.scanned.inc_by((stats.scanned_full + stats.scanned_index) as u64);
        }
        found.append(&mut cursor.result);
        match cursor.id.filter(|_| cursor.more) {
            Some(id) => cursor = next(database, &id).await.map_err(failed)?,
            None => return Ok(found),
        }
    }
}
