//! Running stored queries: each with a limit of time and of memory.

use std::time::Duration;

use aqlite::http::Rows;
use aqlite::value::{Look, SmolStr, Value as Row};
use arangors::{Cursor, Database};
use http::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::running::Running;
use super::{Client, Meter, Query, StoreError, parse, send, send_values};
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
    fn batch_size(self) -> i64 {
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
pub(super) async fn begin(
    database: &Database<Client>,
    limits: Limits,
    query: &Query,
    params: Row,
    delivery: Delivery,
) -> Result<Batch, StoreError> {
    let running = Running::new(database, query);
    let call = call(running.text().clone(), params, limits, delivery);
    let begun = ask(database, Method::POST, "_api/cursor", Some(call)).await;
    running.ended();
    begun
}

/// The bind parameters of a query as the database is handed them.
pub(super) fn bound(query: &Query, params: impl Into<Params>) -> Result<Row, StoreError> {
    let Params(params) = params.into();
    if params.is_object() {
        Ok(params)
    } else {
        Err(StoreError::Answer(format!("parameters of {} are not an object", query.name)))
    }
}

/// Bind parameters: an object, as JSON or as the database takes it.
pub struct Params(Row);

impl From<Value> for Params {
    fn from(params: Value) -> Self {
        Self(Row::from(&params))
    }
}

impl From<Row> for Params {
    fn from(params: Row) -> Self {
        Self(params)
    }
}

/// A query as the database is asked it.
fn call(text: SmolStr, params: Row, limits: Limits, delivery: Delivery) -> Row {
    let options = [
        ("maxRuntime", Row::float(limits.runtime.as_secs_f64())),
        ("stream", Row::Bool(matches!(delivery, Delivery::AsItComes))),
    ];
    Row::from_pairs([
        ("query", Row::str(text)),
        ("bindVars", params),
        ("batchSize", Row::Int(delivery.batch_size())),
        ("memoryLimit", Row::Int(limits.memory_bytes.try_into().unwrap_or(i64::MAX))),
        ("options", Row::from_pairs(options)),
    ])
}

/// The next batch of a cursor that has more rows.
pub(super) async fn next(database: &Database<Client>, id: &str) -> Result<Batch, StoreError> {
    ask(database, Method::PUT, &format!("_api/cursor/{id}"), None).await
}

/// Rows of a cursor, before it is known what they are.
pub(super) enum Batch {
    /// As the engine in this process hands them over.
    Apart(Rows),
    /// As a server has sent them.
    Sent(Cursor<Row>),
}

impl Batch {
    /// The cursor, when it has more rows.
    pub(super) fn more(&self) -> Option<String> {
        match self {
            Self::Apart(rows) => rows.more().map(|id| id.to_string()),
            Self::Sent(cursor) => cursor.id.clone().filter(|_| cursor.more),
        }
    }

    /// Documents and entries of indexes that were looked at. While batches are to come, the numbers are not there or not final.
    fn scanned(&self) -> Option<u64> {
        match self {
            Self::Apart(rows) => rows.scanned(),
            Self::Sent(cursor) => {
                let stats = cursor.extra.as_ref()?.stats.as_ref()?;
                (!cursor.more).then(|| (stats.scanned_full + stats.scanned_index) as u64)
            }
        }
    }

    fn rows(&self) -> &[Row] {
        match self {
            Self::Apart(rows) => rows.values(),
            Self::Sent(cursor) => &cursor.result,
        }
    }

    /// The rows as what the caller reads.
    pub(super) fn read<T: DeserializeOwned>(&self, found: &mut Vec<T>) -> Result<(), StoreError> {
        let rows = self.rows();
        found.reserve(rows.len());
        for row in rows {
            found.push(row.read().map_err(|error| StoreError::Answer(error.to_string()))?);
        }
        Ok(())
    }
}

async fn ask(database: &Database<Client>, method: Method, path: &str, body: Option<Row>) -> Result<Batch, StoreError> {
    let mut answer = send_values(&database.session(), database, method, path, body).await?;
    match answer.extensions_mut().remove() {
        Some(rows) => Ok(Batch::Apart(rows)),
        None => parse(answer.status().as_u16(), answer.body()).map(Batch::Sent),
    }
}

/// What takes the rows of a query, whatever they are: all that waits for the database is compiled once, and not for each kind of
/// row again.
pub(super) trait Take: Send {
    /// Rows that follow those before.
    fn batch(&mut self, batch: &Batch) -> Result<(), StoreError>;

    /// The query begins again.
    fn afresh(&mut self);
}

impl<T: DeserializeOwned + Send> Take for Vec<T> {
    fn batch(&mut self, batch: &Batch) -> Result<(), StoreError> {
        batch.read(self)
    }

    fn afresh(&mut self) {
        self.clear();
    }
}

/// What is seen in the first row, looked at where it lies: for rows so large that reading them in the usual way would take longer
/// than finding them.
pub(super) struct FirstRow<T> {
    pub look: fn(Look<'_>) -> T,
    pub seen: Option<T>,
}

impl<T: Send> Take for FirstRow<T> {
    fn batch(&mut self, batch: &Batch) -> Result<(), StoreError> {
        if self.seen.is_none() {
            self.seen = batch.rows().first().map(|row| (self.look)(row.into()));
        }
        Ok(())
    }

    fn afresh(&mut self) {
        self.seen = None;
    }
}

/// What is wrong with rows, and whose they are.
fn of_rows(query: &Query, error: StoreError) -> StoreError {
    match error {
        StoreError::Answer(text) => StoreError::Answer(format!("a row of {}: {text}", query.name)),
        other => other,
    }
}

/// Runs a query through `database` and hands over all batches.
pub(super) async fn each_batch(
    database: &Database<Client>,
    limits: Limits,
    meter: &Meter,
    query: &Query,
    params: Row,
    found: &mut dyn Take,
) -> Result<(), StoreError> {
    let failed = |error: StoreError| {
        tracing::debug!(query = query.name, %error, "query failed");
        error
    };
    let mut batch = begin(database, limits, query, params, Delivery::Whole).await.map_err(failed)?;
    loop {
        meter.scanned.inc_by(batch.scanned().unwrap_or_default());
        found.batch(&batch).map_err(|error| failed(of_rows(query, error)))?;
        match batch.more() {
            Some(id) => batch = next(database, &id).await.map_err(failed)?,
            None => return Ok(()),
        }
    }
}
