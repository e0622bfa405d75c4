//! The database behind the service: embedded or remote, always through `arangors` and its HTTP API.

mod client;
mod defaults;
mod error;
mod query;
mod schema;
mod transaction;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aqlite::Engine;
use arangors::client::ClientExt;
use arangors::{AqlQuery, Collection, Database, GenericConnection};
use http::{Method, Request};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use client::Client;
pub use defaults::Administrator;
pub use error::StoreError;
pub use query::{Access, Header, Query};
pub use schema::{COLLECTIONS, INDEXES, Index, is_edge};
pub use transaction::{Attempts, Transaction};

use crate::error::Result;
use crate::settings::Settings;
use crate::transaction;

/// Rows a cursor hands over at once.
const BATCH_SIZE: u32 = 5_000;
/// How long the start waits for a server that does not answer yet.
const START_PATIENCE: Duration = Duration::from_secs(60);
/// Name under which `arangors` addresses the engine in this process; it is never looked up.
const EMBEDDED_URL: &str = "http://embedded.invalid/";

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
}

impl Store {
    /// Opens the database of the settings and creates what is missing in it.
    pub async fn open(
        settings: &Settings,
    ) -> Result<(Self, Option<Administrator>), Box<dyn std::error::Error + Send + Sync>> {
        let (client, url, engine) = if settings.database.is_embedded() {
            let (client, engine) = open_embedded(settings).await?;
            (client, EMBEDDED_URL.to_owned(), Some(engine))
        } else {
            let password = settings.database.password.as_deref().unwrap_or_default();
            (Client::remote(&settings.database.username, password)?, settings.database.url.clone(), None)
        };
        let connection = connect(&client, &url).await?;
        schema::create_database(&connection, &settings.database.name).await?;
        let database = connection.db(&settings.database.name).await.map_err(StoreError::from)?;
        schema::create_collections(&client, &database, &settings.database).await?;
        let anchor = database.collection(COLLECTIONS[0]).await.map_err(StoreError::from)?;
        let store = Self { inner: Arc::new(Inner { client, database, anchor, engine }) };
        let administrator = defaults::create(&store, settings.admin_password.as_deref()).await?;
        Ok((store, administrator))
    }

    /// The engine in this process, when the database is embedded.
    pub fn engine(&self) -> Option<&Engine> {
        self.inner.engine.as_ref()
    }

    /// Runs a query that only reads and returns all its rows. `params` is an object with its bind parameters.
    pub async fn rows<T: DeserializeOwned>(&self, query: &Query, params: Value) -> Result<Vec<T>> {
        Ok(rows(&self.inner.database, query, params).await?)
    }

    /// Runs a query that only reads and returns its first row.
    pub async fn row<T: DeserializeOwned>(&self, query: &Query, params: Value) -> Result<Option<T>> {
        Ok(self.rows(query, params).await?.into_iter().next())
    }

    /// Runs a single writing query as a transaction of its own.
    pub async fn write<T: DeserializeOwned>(&self, query: &Query, params: Value) -> Result<Vec<T>> {
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

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.inner.database.info().await?;
        Ok(())
    }
}

/// Runs a query through `database` and fetches all batches.
async fn rows<T: DeserializeOwned>(
    database: &Database<Client>,
    query: &Query,
    params: Value,
) -> Result<Vec<T>, StoreError> {
    let Value::Object(params) = params else {
        return Err(StoreError::Answer(format!("parameters of {} are not an object", query.name)));
    };
    let bind_vars: HashMap<&str, Value> = params.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let aql = AqlQuery::builder().query(query.text).bind_vars(bind_vars).batch_size(BATCH_SIZE).build();
    database.aql_query(aql).await.map_err(|error| {
        tracing::debug!(query = query.name, %error, "query failed");
        StoreError::from(error)
    })
}

/// Sends a request that `arangors` has no method for, through the same client.
async fn send<T: DeserializeOwned>(
    client: &Client,
    database: &Database<Client>,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Result<T, StoreError> {
    let url = database.url().join(path).map_err(|e| StoreError::Answer(e.to_string()))?;
    let request = Request::builder()
        .method(method)
        .uri(url.as_str())
        .body(body.map(Value::to_string).unwrap_or_default())
        .map_err(|e| StoreError::Answer(e.to_string()))?;
    let answer = client.request(request).await?;
    parse(answer.status().as_u16(), answer.body())
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
            Err(_) if status == 503 => StoreError::Unreachable(format!("status {status}")),
            Err(_) => StoreError::Answer(format!("status {status}")),
        });
    }
    serde_json::from_str(body).map_err(|e| StoreError::Answer(e.to_string()))
}

async fn connect(client: &Client, url: &str) -> Result<GenericConnection<Client>, StoreError> {
    let started = tokio::time::Instant::now();
    loop {
        let attempt = client.connecting(GenericConnection::<Client>::establish_without_auth(url)).await;
        match attempt.map_err(StoreError::from) {
            Err(StoreError::Unreachable(cause)) if started.elapsed() < START_PATIENCE => {
                tracing::warn!(%cause, "the database does not answer yet");
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            other => return other,
        }
    }
}

async fn open_embedded(settings: &Settings) -> Result<(Client, Engine), Box<dyn std::error::Error + Send + Sync>> {
    let data_dir = settings.data_dir.clone();
    let username = settings.database.username.clone();
    let given = settings.database.password.clone();
    tokio::task::spawn_blocking(move || {
        let root_password = match given {
            Some(password) => password,
            None => crate::secrets::load_or_create(&data_dir, "database_password")?,
        };
        let options =
            aqlite::Options { data_dir: data_dir.join("db"), root_password: root_password.clone(), jwt_secret: None };
        let engine = Engine::open(options)?;
        Ok((Client::embedded(engine.clone(), &username, &root_password), engine))
    })
    .await?
}
