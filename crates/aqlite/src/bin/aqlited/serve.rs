//! Serving until somebody asks to stop.

use std::net::SocketAddr;
use std::time::Duration;

use aqlite::http::connections::Limits;
use aqlite::memory::limit_process;
use aqlite::txn::StoreOptions;
use aqlite::{Engine, Options, Settings};
use tokio::net::TcpListener;
use tokio::signal;
use tracing::info;

use super::settings::Serve;

/// Serves a data directory; requests that run when the process is asked to stop are finished first.
pub fn run(serve: Serve) -> Result<(), String> {
    let jwt_secret = secret(&serve)?;
    if let Some(bytes) = serve.memory {
        limit_process(bytes);
    }
    let store = StoreOptions {
        ttl_interval: Duration::from_secs_f64(serve.ttl_interval),
        scrub_rate: serve.scrub_rate as u64,
        max_transaction_size: serve.max_transaction_size,
        memory: serve.memory_of_queries(),
        ..StoreOptions::default()
    };
    let settings = Settings {
        store,
        stream_transaction_size: serve.streaming_max_transaction_size,
        stream_transaction_idle: Duration::from_secs_f64(serve.streaming_idle_timeout),
        trusted_proxies: serve.trusted_proxies,
        failed_logins: serve.failed_logins,
        query_threads: serve.query_threads,
        connections: Limits {
            most: serve.connections,
            most_per_address: serve.connections_per_address,
            head: Duration::from_secs_f64(serve.head_timeout),
            body: Duration::from_secs_f64(serve.body_timeout),
            idle: Duration::from_secs_f64(serve.keep_alive_timeout),
        },
    };
    let data_dir = serve.data_dir.ok_or("where is the data? --data-dir or AQLITED_DATA_DIR says so")?;
    let options = Options { data_dir, root_password: serve.root_password, jwt_secret };
    // connections have threads of their own
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| format!("cannot start threads: {e}"))?;
    runtime.block_on(answer(options, settings, serve.listen))
}

async fn answer(options: Options, settings: Settings, listen: SocketAddr) -> Result<(), String> {
    let engine = Engine::open_with(options, settings).map_err(|e| format!("cannot open the data directory: {e}"))?;
    let listener = TcpListener::bind(listen).await.map_err(|e| format!("cannot listen on {listen}: {e}"))?;
    let address = listener.local_addr().map_err(|e| format!("cannot tell the address: {e}"))?;
    info!("listening on http://{address}");
    aqlite::http::serve(engine.clone(), listener, asked_to_stop()).await.map_err(|e| e.to_string())?;
    engine.close().map_err(|e| format!("cannot close the data file: {e}"))?;
    info!("stopped");
    Ok(())
}

fn secret(serve: &Serve) -> Result<Option<String>, String> {
    let Some(file) = &serve.jwt_secret_file else { return Ok(serve.jwt_secret.clone()) };
    let content = std::fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    match content.trim() {
        "" => Err(format!("there is no key in {}", file.display())),
        key => Ok(Some(key.to_owned())),
    }
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
            info!("asked to stop, finishing what runs");
            return;
        }
    }
    let _ = signal::ctrl_c().await;
}
