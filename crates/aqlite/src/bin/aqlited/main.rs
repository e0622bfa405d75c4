//! `aqlited` serves a data directory over HTTP, moves data in and out of it, and looks after it.

mod progress;
mod serve;
mod settings;
mod transfer;
mod upkeep;

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use aqlite::http::{RecentMessages, log_filter, on_log_levels};
use aqlite::private_files;
use clap::Parser;
use settings::{Cli, Command};
use tracing::{error, warn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload;
use tracing_subscriber::util::SubscriberInitExt;

/// Queries make and drop many small values, on threads that change: half of the time of some was the system's allocator.
#[global_allocator]
static ALLOCATOR: aqlite::allocator::MiMalloc = aqlite::allocator::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    // RUST_LOG, where it is set, says more than one level for all
    let by_module = std::env::var("RUST_LOG").ok().and_then(|directives| log_filter(&directives).ok());
    let filter = by_module.unwrap_or_else(|| cli.serve.log_level.clone());
    let begun_with = filter.to_string();
    let (filter, reload) = reload::Layer::new(filter);
    on_log_levels(move |directives| {
        if let Ok(filter) = log_filter(&format!("{begun_with},{directives}")) {
            let _ = reload.reload(filter);
        }
    });
    let colored = std::io::stderr().is_terminal();
    let to_stderr = tracing_subscriber::fmt::layer().with_ansi(colored).with_writer(std::io::stderr);
    tracing_subscriber::registry().with(filter).with(to_stderr).with(RecentMessages).init();
    private_files::keep_private(cli.group_readable);
    let data_dir = match &cli.command {
        Some(Command::Import(import)) => Some(&import.data_dir),
        Some(Command::Export(export)) => Some(&export.data_dir),
        Some(Command::Check(upkeep) | Command::Compact(upkeep)) => Some(&upkeep.data_dir),
        None => cli.serve.data_dir.as_ref(),
    };
    let closed = data_dir.map_or(Ok(()), |folder| close(folder, cli.group_readable));
    let result = closed.and_then(|()| match cli.command {
        Some(Command::Import(import)) => transfer::import(&import),
        Some(Command::Export(export)) => transfer::export(&export),
        Some(Command::Check(check)) => upkeep::check(&check),
        Some(Command::Compact(compact)) => upkeep::compact(&compact),
        None => serve::run(cli.serve),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            error!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Nobody else may read what is stored: a folder of an earlier version is closed, and that is said.
fn close(folder: &Path, group: bool) -> Result<(), String> {
    match private_files::mend(folder, group) {
        Ok(true) => warn!("others could read {}; now they cannot", folder.display()),
        Ok(false) => {}
        Err(cause) => {
            return Err(format!("others can read {}, and it cannot be closed to them: {cause}", folder.display()));
        }
    }
    Ok(())
}
