//! How the database is reached: the engine in this process, the engine of a running service, or a server.

use std::time::Duration;

use aqlite::Engine;
use arangors::GenericConnection;

use super::{Client, Meter, StoreError};
use crate::secrets;
use crate::settings::Settings;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Name under which `arangors` addresses the engine in this process; it is never looked up.
pub(super) const EMBEDDED_URL: &str = "http://embedded.invalid/";

/// Attempts to reach a server that the log tells in one line.
const ATTEMPTS_A_LINE: u32 = 10;

/// Number of the engine's error when another process has the data directory open.
const LOCKED: u16 = 28;

/// A way to the database.
pub(super) struct Way {
    pub(super) client: Client,
    pub(super) url: String,
    pub(super) engine: Option<Engine>,
    pub(super) meter: Meter,
}

impl Way {
    /// The way that the settings name, for the service itself.
    pub(super) async fn of(settings: &Settings) -> Result<Self, AnyError> {
        let meter = Meter::new()?;
        if settings.database.is_embedded() {
            let (client, engine) = open_embedded(settings, &meter).await?;
            return Ok(Self { client, url: EMBEDDED_URL.to_owned(), engine: Some(engine), meter });
        }
        let password = settings.database.password.as_deref().unwrap_or_default();
        let client = Client::remote(&settings.database.username, password, meter.clone())?;
        Ok(Self { client, url: settings.database.url.clone(), engine: None, meter })
    }

    /// The same for a command beside the service: an embedded database that a running service has open is reached
    /// through that service's own port.
    pub(super) async fn beside(settings: &Settings) -> Result<Self, AnyError> {
        match Self::of(settings).await {
            Err(error) if is_locked(&*error) && !settings.database.embedded_listen.is_empty() => {
                let meter = Meter::new()?;
                let password = embedded_password(settings).await?;
                let client = Client::remote(&settings.database.username, &password, meter.clone())?;
                let url = format!("http://{}/", settings.database.embedded_listen);
                Ok(Self { client, url, engine: None, meter })
            }
            other => other,
        }
    }

    /// Connects, waiting as long as `patience` for a server that does not answer yet.
    pub(super) async fn connect(&self, patience: Duration) -> Result<GenericConnection<Client>, StoreError> {
        let started = tokio::time::Instant::now();
        let mut attempts = 0_u32;
        loop {
            let attempt = self.client.connecting(GenericConnection::<Client>::establish_without_auth(&self.url)).await;
            match attempt.map_err(StoreError::from) {
                Err(StoreError::Unreachable(cause) | StoreError::HandingOver(cause))
                    if started.elapsed() < patience =>
                {
                    if attempts.is_multiple_of(ATTEMPTS_A_LINE) {
                        tracing::warn!(%cause, "the database does not answer yet; trying for {} s", patience.as_secs());
                    }
                    attempts += 1;
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
                other => return other,
            }
        }
    }
}

/// Whether an error says that another process has the embedded database open.
pub fn is_locked(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<aqlite::Error>().is_some_and(|error| error.num == LOCKED)
}

async fn embedded_password(settings: &Settings) -> Result<String, AnyError> {
    let (given, data_dir) = (settings.database.password.clone(), settings.data_dir.clone());
    let load = move || given.map_or_else(|| secrets::load_or_create(&data_dir, "database_password"), Ok);
    Ok(tokio::task::spawn_blocking(load).await??)
}

/// What the engine lets queries take, and whom it believes.
pub(super) fn engine_settings(settings: &Settings) -> aqlite::Settings {
    let mut limits = aqlite::Settings {
        query_threads: settings.database.query_threads(),
        trusted_proxies: settings.trusted_proxies.clone(),
        connections: settings.connections.limits(),
        ..aqlite::Settings::default()
    };
    if let Some(bytes) = settings.database.embedded_memory_bytes {
        limits.store.memory = aqlite::memory::Limits::of_all(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    if let Some(bytes) = settings.database.embedded_scrub_bytes {
        limits.store.scrub_rate = bytes;
    }
    limits
}

async fn open_embedded(settings: &Settings, meter: &Meter) -> Result<(Client, Engine), AnyError> {
    let root_password = embedded_password(settings).await?;
    let (data_dir, username, meter) = (settings.data_dir.clone(), settings.database.username.clone(), meter.clone());
    let limits = engine_settings(settings);
    tokio::task::spawn_blocking(move || {
        let options =
            aqlite::Options { data_dir: data_dir.join("db"), root_password: root_password.clone(), jwt_secret: None };
        let engine = Engine::open_with(options, limits)?;
        Ok((Client::embedded(engine.clone(), &username, &root_password, meter), engine))
    })
    .await?
}
