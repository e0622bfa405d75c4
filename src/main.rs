//! `tracewright`: reads the settings, opens the store, serves.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use tracewright::app::App;
use tracewright::cli::{self, Cli, Command, ServeArgs};
use tracewright::settings::Settings;
use tracewright::{demo, logging, runtime, server};

/// Events and answers are made of many small values, on threads that change.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let settings = match cli.settings.load() {
        Ok(settings) => settings,
        Err(error) => return failed(&format!("{error}\nThe README has the table of settings.")),
    };
    match run(cli.command.unwrap_or(Command::Serve(cli.serve)), &settings) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => failed(&cli::explain(&error, &settings)),
    }
}

fn failed(text: &str) -> ExitCode {
    eprintln!("tracewright: {text}");
    ExitCode::FAILURE
}

/// `false`: the command found something wrong and has said so.
fn run(command: Command, settings: &Settings) -> Result<bool, AnyError> {
    let runtime = runtime::build(settings)?;
    match command {
        Command::Serve(args) => {
            logging::init(settings)?;
            runtime.block_on(serve(settings.clone(), args)).map(|()| true)
        }
        command => runtime.block_on(cli::run(command, settings)),
    }
}

async fn serve(settings: Settings, args: ServeArgs) -> Result<(), AnyError> {
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
