//! `tracewright`: reads the settings, opens the store, serves.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use tracewright::app::App;
use tracewright::cli::{Cli, Command, ServeArgs};
use tracewright::settings::Settings;
use tracewright::store::Administrator;
use tracewright::{demo, logging, server};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tracewright: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<(), AnyError> {
    let settings = cli.settings.load()?;
    match cli.command.unwrap_or(Command::Serve(cli.serve)) {
        Command::Openapi => {
            println!("{}", server::document(&settings.root_path));
            Ok(())
        }
        Command::Serve(args) => {
            logging::init(&settings)?;
            tokio::runtime::Runtime::new()?.block_on(serve(settings, args))
        }
    }
}

async fn serve(settings: Settings, args: ServeArgs) -> Result<(), AnyError> {
    let (app, administrator) = App::open(settings).await?;
    if let Some(administrator) = administrator {
        announce(&administrator);
    }
    if args.demo && !demo::load(&app.store).await? {
        tracing::warn!("the demo factory is loaded into an empty database only");
    }
    let app = Arc::new(app);
    let stop = stop_signal()?;
    let engine_port = server::bind_engine(&app).await?;
    server::bind(Arc::clone(&app)).await?.serve(stop).await?;
    if let Some(engine_port) = engine_port {
        engine_port.close().await?;
    }
    app.store.close().await?;
    Ok(())
}

/// The one moment at which the generated password is shown.
fn announce(administrator: &Administrator) {
    if let Some(password) = &administrator.one_time_password {
        println!("Administrator `{}` created. One-time password: {password}", administrator.username);
    }
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
