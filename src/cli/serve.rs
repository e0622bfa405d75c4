//! The service itself: opens the store and serves until it is asked to end.

use std::sync::Arc;

use super::{AnyError, ServeArgs};
use crate::app::App;
use crate::settings::Settings;
use crate::{demo, logging, server};

pub(super) async fn serve(settings: Settings, args: ServeArgs) -> Result<(), AnyError> {
    logging::init(&settings)?;
    server::check_addresses(&settings).await?;
    let (app, administrator) = App::open(settings).await?;
    if let Some(administrator) = administrator {
        administrator.announce();
    }
    let is_loaded = args.demo && demo::load(&app).await?;
    if args.demo && !is_loaded {
        tracing::warn!("the demo factory is loaded into an empty database only");
    }
    let app = Arc::new(app);
    let stop = stop_signal()?;
    let engine_port = server::bind_engine(&app).await?;
    let bound = server::bind(Arc::clone(&app)).await?;
    if args.demo && app.settings.explorer {
        let as_whom =
            if is_loaded { format!("; log in as `marco`, password `{}`", demo::PASSWORD) } else { String::new() };
        println!("The explorer is open at {}{as_whom}", bound.explorer_address());
    }
    bound.serve(stop).await?;
    if let Some(engine_port) = engine_port {
        engine_port.close().await?;
    }
    app.store.close().await?;
    Ok(())
}

/// Ready when the process is asked to end.
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
