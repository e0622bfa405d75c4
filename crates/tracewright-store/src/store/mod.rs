//! The database behind the service: embedded or remote, always through `arangors` and its HTTP API.

mod bulk;
// Used by the build script; the service itself has the queries as constants.
#[cfg(test)]
mod catalogue;
mod client;
mod console;
mod cursor;
mod error;
pub mod guards;
pub mod held;
mod left;
mod meter;
mod model;
mod portions;
mod query;
mod reach;
mod retry;
mod running;
mod schema;
mod source;
mod stream;
mod trace;
mod transaction;
mod turns;
pub mod typed;
mod views;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use aqlite::Engine;
use aqlite::http::Apart;
use arangors::client::ClientExt;
use arangors::{Collection, Database};
use http::{Method, Request, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use bulk::{Described, Parameters};
pub use client::Client;
pub use console::{
    Busy, Console, ConsoleLimits, MOST_BYTES, MOST_ROWS, Question, Refusal, Row, SECRET, StoredIndex, Structure, Told,
};
pub use cursor::Params;
pub use error::StoreError;
pub use held::Held;
pub use meter::Meter;
pub use model::{COLLECTIONS, EDGES, Edge, VIEWS, View, is_edge};
pub use portions::{PORTION, Portioned};
pub use query::{Access, Query};
pub use reach::is_locked;
pub use schema::{Index, Missing};
pub use source::Source;
pub use stream::Batches;
pub use trace::Acting;
pub use transaction::{AfterCommit, Attempts, By, Reserved, Transaction};
pub use views::Analyzer;
pub use waiting::retry_until_done;

use self::cursor::Take;
use self::left::Left;
use self::reach::{EMBEDDED_URL, Way};
use self::retry::Retries;
use self::turns::Turns;
use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::transaction;

/// How long the start waits for a server that does not answer yet.
const START_PATIENCE: Duration = Duration::from_mins(1);
/// How long a command beside the service waits.
const COMMAND_PATIENCE: Duration = Duration::ZERO;

/// What can go wrong while a database is opened.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// An open database. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client,
    database: Database<Client>,
    /// Any collection will do: `arangors` hands out the database of a transaction through one.
    anchor: Collection<Client>,
    engine: Option<Engine>,
    limits: cursor::Limits,
    meter: Meter,
    turns: Turns,
    /// Where open transactions are noted; `None` where nobody would have to end them.
    left: Option<Arc<Left>>,
}

impl Store {
    /// Opens the database of the settings and creates collections, indexes and views that are missing in it.
    pub async fn open(settings: &Settings) -> Result<Self, AnyError> {
        Self::open_by(Way::of(settings).await?, settings, START_PATIENCE).await
    }

    /// The same for a command, which may run while a service has the embedded database open.
    pub async fn open_beside(settings: &Settings) -> Result<Self, AnyError> {
        Self::open_by(Way::beside(settings).await?, settings, COMMAND_PATIENCE).await
    }

    async fn open_by(way: Way, settings: &Settings, patience: Duration) -> Result<Self, AnyError> {
        let connection = way.connect(patience).await?;
        schema::create_database(&connection, &settings.database.name).await?;
        let database = connection.db(&settings.database.name).await.map_err(StoreError::from)?;
        let mut left = None;
        if way.engine.is_none() {
            left::end(&way.client, &database, settings).await;
            left = note_transactions(settings);
        }
        let created = schema::create_collections(&way.client, &database, &settings.database);
        waiting::told("collections, indexes and views", created).await?;
        Self::over(way, database, settings, left).await
    }

    /// Opens the database of the settings for a command that must not create anything.
    pub async fn attach(settings: &Settings) -> Result<Self, AnyError> {
        if settings.database.is_embedded() && !settings.data_dir.join("db").exists() {
            return Err(StoreError::no_database(&settings.database.name).into());
        }
        let way = Way::beside(settings).await?;
        let connection = way.connect(COMMAND_PATIENCE).await?;
        let database = connection.db(&settings.database.name).await.map_err(StoreError::from)?;
        Self::over(way, database, settings, None).await
    }

    async fn over(
        way: Way,
        database: Database<Client>,
        settings: &Settings,
        left: Option<Arc<Left>>,
    ) -> Result<Self, AnyError> {
        let anchor = database.collection(COLLECTIONS[0]).await.map_err(StoreError::from)?;
        let Way { client, engine, meter, .. } = way;
        let (limits, turns) = (cursor::Limits::of(&settings.database), Turns::default());
        Ok(Self { inner: Arc::new(Inner { client, database, anchor, engine, limits, meter, turns, left }) })
    }

    /// Threads that may block which calls to the database of the settings take at most: none where it is a server.
    pub fn threads(settings: &Settings) -> usize {
        if settings.database.is_embedded() { reach::engine_settings(settings).threads() } else { 0 }
    }

    /// Collections, indexes and views of the data model that the database does not have.
    pub async fn missing(&self) -> Result<Missing, StoreError> {
        schema::missing(&self.inner.client, &self.inner.database).await
    }

    /// The embedded engine's own metrics as a page for Prometheus; `None` on a server, which has its own.
    pub async fn engine_metrics(&self) -> Option<String> {
        let inner = &self.inner;
        inner.engine.as_ref()?;
        let request = Request::get(format!("{EMBEDDED_URL}_admin/metrics/v2")).body(String::new()).ok()?;
        let answer = inner.client.request(request).await.ok()?;
        answer.status().is_success().then(|| answer.into_body())
    }

    /// Counters of the calls.
    pub fn meter(&self) -> &Meter {
        &self.inner.meter
    }

    /// The engine in this process, when the database is embedded.
    pub fn engine(&self) -> Option<&Engine> {
        self.inner.engine.as_ref()
    }

    /// Runs a query that only reads and returns all its rows. `params` is an object with its bind parameters.
    pub async fn rows<T: DeserializeOwned + Send>(&self, query: &Query, params: Value) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.read(query, params, &mut found).await?;
        Ok(found)
    }

    async fn read(&self, query: &Query, params: Value, found: &mut dyn Take) -> Result<()> {
        let inner = &self.inner;
        let params = cursor::bound(query, params)?;
        let mut retries = Retries::default();
        loop {
            let params = params.clone();
            let read = cursor::each_batch(&inner.database, inner.limits, &inner.meter, query, params, found).await;
            match read.map_err(Error::from) {
                Err(error) if retries.again(&error, &inner.meter).await => found.afresh(),
                other => return other,
            }
        }
    }

    /// Runs a query that only reads and returns its first row.
    pub async fn row<T: DeserializeOwned + Send>(&self, query: &Query, params: Value) -> Result<Option<T>> {
        Ok(self.rows(query, params).await?.into_iter().next())
    }

    /// Runs a single writing query as a transaction of its own.
    pub async fn write<T: DeserializeOwned + Send>(&self, query: &Query, params: Value) -> Result<Vec<T>> {
        transaction!(self, Access::of(&[*query]), |trx| { trx.rows(query, params.clone()).await })
    }

    /// Closes the embedded engine; what was acknowledged is on disk either way.
    pub async fn close(&self) -> Result<(), StoreError> {
        let Some(engine) = self.inner.engine.clone() else { return Ok(()) };
        let closed = tokio::task::spawn_blocking(move || engine.close()).await;
        closed
            .map_err(|error| StoreError::Answer(error.to_string()))?
            .map_err(|error| StoreError::Refused { number: error.num, message: error.message })
    }

    /// Whether the database answers and can be worked with: the embedded engine says what is wrong with its files.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let inner = &self.inner;
        inner.database.info().await?;
        send::<Value>(&inner.client, &inner.database, Method::GET, "_admin/server/availability", None).await?;
        Ok(())
    }
}

/// Where this process notes its open transactions. A data folder that cannot be written costs time after a kill, nothing else.
fn note_transactions(settings: &Settings) -> Option<Arc<Left>> {
    let created = Left::create(settings);
    created.inspect_err(|error| tracing::warn!(%error, "open transactions cannot be noted in the data folder")).ok()
}

/// Sends a request that `arangors` has no method for, through the same client.
async fn send<T: DeserializeOwned>(
    client: &Client,
    database: &Database<Client>,
    method: Method,
    path: &str,
    body: Option<String>,
) -> Result<T, StoreError> {
    let answer = client.request(request(database, method, path, body.unwrap_or_default())?).await?;
    parse(answer.status().as_u16(), answer.body())
}

/// A body as it is sent.
fn written(body: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(body).map_err(|error| StoreError::Answer(error.to_string()))
}

/// Sends what happens all the time. The engine in this process takes and gives values; only for a server they become text.
async fn send_values(
    client: &Client,
    database: &Database<Client>,
    method: Method,
    path: &str,
    body: Option<aqlite::value::Value>,
) -> Result<Response<String>, StoreError> {
    let mut asked = request(database, method, path, String::new())?;
    if client.is_remote() {
        *asked.body_mut() = body.map(|body| body.to_json()).unwrap_or_default();
    } else {
        asked.extensions_mut().insert(Apart { body });
    }
    Ok(client.request(asked).await?)
}

fn request(
    database: &Database<Client>,
    method: Method,
    path: &str,
    body: String,
) -> Result<Request<String>, StoreError> {
    let base = database.url();
    let uri = if path.starts_with("..") {
        base.join(path).map_err(|e| StoreError::Answer(e.to_string()))?.into()
    } else {
        // below the database, whose address ends in a slash: asked for all the time, and nothing to resolve
        format!("{base}{path}")
    };
    let request = Request::builder().method(method).uri(uri).body(body);
    request.map_err(|e| StoreError::Answer(e.to_string()))
}

fn parse<T: DeserializeOwned>(status: u16, body: &str) -> Result<T, StoreError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Refusal {
        error_num: u16,
        #[serde(default)]
        error_message: String,
    }
    if status >= 400 {
        return Err(match serde_json::from_str::<Refusal>(body) {
            Ok(refusal) => StoreError::refused(status, refusal.error_num, &refusal.error_message),
            Err(_) if status == 503 => StoreError::HandingOver(format!("status {status}")),
            Err(_) => StoreError::Answer(format!("status {status}")),
        });
    }
    serde_json::from_str(body).map_err(|e| StoreError::Answer(e.to_string()))
}
