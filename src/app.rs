//! What every handler can reach.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::auth::Auth;
use crate::events::units::Units;
use crate::http::Metrics;
use crate::notifications::{Hub, Limits};
use crate::secrets;
use crate::settings::Settings;
use crate::store::{Administrator, Console, Store};

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
    /// What calls that record events hold.
    pub units: Units,
    /// Rings when a counting session is to be applied.
    pub applying: Arc<Notify>,
}

impl App {
    /// Opens the database, creating what is missing, and reads or generates the secrets.
    pub async fn open(
        settings: Settings,
    ) -> Result<(Self, Option<Administrator>), Box<dyn std::error::Error + Send + Sync>> {
        let (given, data_dir) = (settings.jwt_secret.clone(), settings.data_dir.clone());
        let load = move || given.map_or_else(|| secrets::load_or_create(&data_dir, "jwt_secret"), Ok);
        let secret = tokio::task::spawn_blocking(load).await??;
        let (store, administrator) = Store::open(&settings).await?;
        let (auth, metrics) = (Auth::new(&secret), Metrics::new(&store)?);
        let password = auth.signer.derived(&format!("user of the database {} for AQL", settings.database.name))?;
        let console = Console::new(&store, &settings, password);
        let (notifications, units) = (Hub::new(Limits::default()), Units::default());
        let applying = Arc::new(Notify::new());
        let app = Self { settings, store, console, auth, metrics, notifications, units, applying };
        Ok((app, administrator))
    }
}
