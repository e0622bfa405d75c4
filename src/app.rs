//! What every handler can reach.

use std::sync::Arc;

use crate::auth::Auth;
use crate::defaults::{self, Administrator};
use crate::events::Recorder;
use crate::http::Metrics;
use crate::notifications::{Hub, Limits};
use crate::secrets;
use crate::settings::Settings;
use crate::store::{AnyError, Console, Store};

/// The running service, shared by all requests.
pub struct App {
    /// The settings it was started with.
    pub settings: Settings,
    /// The database.
    pub store: Store,
    /// Where queries are asked that somebody has written.
    pub console: Console,
    /// Authentication.
    pub auth: Auth,
    /// Metrics.
    pub metrics: Metrics,
    /// Hands what events announce to the pages that listen.
    pub notifications: Hub,
    /// Where events are recorded.
    pub recorder: Arc<Recorder>,
}

impl App {
    /// Opens the database, creating what is missing, and reads or generates the secrets.
    pub async fn open(settings: Settings) -> Result<(Self, Option<Administrator>), AnyError> {
        let (given, data_dir) = (settings.jwt_secret.clone(), settings.data_dir.clone());
        let load = move || given.map_or_else(|| secrets::load_or_create(&data_dir, "jwt_secret"), Ok);
        let secret = tokio::task::spawn_blocking(load).await??;
        let store = Store::open(&settings).await?;
        let administrator = defaults::create(&store, &settings).await?;
        let (auth, metrics) = (Auth::new(&secret), Metrics::new(&store)?);
        let password = auth.signer.derived(&format!("user of the database {} for AQL", settings.database.name))?;
        let console = Console::new(&store, &settings, password);
        let notifications = Hub::new(Limits::default());
        let recorder = Arc::new(Recorder::new(&store, &notifications, &settings));
        let app = Self { settings, store, console, auth, metrics, notifications, recorder };
        Ok((app, administrator))
    }
}
