//! `aqlited` serves a data directory over HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use aqlite::{Engine, Options};
use clap::Parser;
use tokio::net::TcpListener;
use tokio::signal;
use tracing::{error, info};
use tracing_subscriber::EnvFilter;

/// Queries make and drop many small values, on threads that change: half of the time of some was the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// An embedded document-and-graph engine that speaks AQL and ArangoDB's HTTP API.
#[derive(Parser)]
#[command(version)]
struct Settings {
    /// Directory of the data file; created when missing
    #[arg(long, env = "AQLITED_DATA_DIR")]
    data_dir: PathBuf,
    /// Address to listen on
    #[arg(long, env = "AQLITED_LISTEN", default_value = "127.0.0.1:8529")]
    listen: SocketAddr,
    /// Password of root, set on the first start only
    #[arg(long, env = "AQLITED_ROOT_PASSWORD", default_value = "", hide_env_values = true, hide_default_value = true)]
    root_password: String,
    /// Key that signs the tokens of /_open/auth; without it tokens end with the process
    #[arg(long, env = "AQLITED_JWT_SECRET", hide_env_values = true)]
    jwt_secret: Option<String>,
}

fn main() -> ExitCode {
    let settings = Settings::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match run(settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            error!("{message}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn run(settings: Settings) -> Result<(), String> {
    let options =
        Options { data_dir: settings.data_dir, root_password: settings.root_password, jwt_secret: settings.jwt_secret };
    let engine = Engine::open(options).map_err(|e| format!("cannot open the data directory: {e}"))?;
    let listener =
        TcpListener::bind(settings.listen).await.map_err(|e| format!("cannot listen on {}: {e}", settings.listen))?;
    let address = listener.local_addr().map_err(|e| format!("cannot tell the address: {e}"))?;
    info!("listening on http://{address}");
    aqlite::http::serve(engine.clone(), listener, asked_to_stop()).await.map_err(|e| e.to_string())?;
    engine.close().map_err(|e| format!("cannot close the data file: {e}"))?;
    info!("stopped");
    Ok(())
}

/// Ready when the process is asked to stop.
async fn asked_to_stop() {
    let interrupted = signal::ctrl_c();
    #[cfg(unix)]
    {
        if let Ok(mut terminated) = signal::unix::signal(signal::unix::SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = signal::ctrl_c().await;
}
