//! The command line: what can be said, and the commands.
//!
//! Exit codes: 0 when the command did what it says, 1 when it could not or `check` found a problem, 2 when the command
//! line itself is wrong.

mod check;
mod explain;
mod files;
mod serve;
mod simulate;
mod transfer;
mod user;

use std::path::PathBuf;
use std::process::ExitCode;

use aqlite::private_files;
use clap::{Args, Parser, Subcommand};

use self::explain::explain;
use crate::runtime;
use crate::settings::{Settings, SettingsError};

/// What a command that failed says; what to do next is added when it is shown.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;

const EXAMPLES: &str = "Examples:
  tracewright serve --demo                       try it out with a small e-bike factory inside
  tracewright check                              is everything in place?
  tracewright user add anna --scope operator     a new user; the one-time password is printed
  tracewright export backup/                     a copy of the whole database
  tracewright openapi > openapi.json             generate a client from it
  tracewright simulate --stations 16 --for 5m    a plant at work: the load test

Exit codes: 0 done, 1 failed or a problem was found, 2 wrong command line.";

/// Production traceability: which serial contains which, made from which lot, in which work order.
#[derive(Debug, Parser)]
#[command(name = "tracewright", version, about, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do; `serve` when nothing is said.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of `serve` when it is not named.
    #[command(flatten)]
    pub serve: ServeArgs,
    /// Settings given on the command line.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the API (the default).
    Serve(ServeArgs),
    /// Add and list users, set passwords. Works while the service runs.
    #[command(subcommand)]
    User(user::UserCommand),
    /// Look for problems: settings, folders, database, schema, and with --deep everything stored. Changes nothing; the exit
    /// code tells.
    Check(check::CheckArgs),
    /// Make the file of the embedded database as small as it can be. The service must not be running.
    Compact,
    /// Read a folder that `export` or arangodump has written, or JSON lines, into the database.
    Import(transfer::ImportArgs),
    /// Write the whole database into a folder, in arangodump's layout. Works while the service runs.
    Export(transfer::ExportArgs),
    /// Let a plant of stations work against a running service, and tell how fast it takes it.
    Simulate(simulate::SimulateArgs),
    /// Print the OpenAPI document.
    Openapi,
}

/// Options of `serve`.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ServeArgs {
    /// Load the demo factory into an empty database.
    #[arg(long)]
    pub demo: bool,
}

macro_rules! settings_args {
    ($($field:ident, $key:literal, $help:literal;)*) => {
        /// One flag for each key of the settings.
        #[derive(Debug, Default, Args)]
        #[command(next_help_heading = "Settings")]
        pub struct SettingsArgs {
            /// Settings file to read instead of ./tracewright.toml.
            #[arg(long, global = true, value_name = "FILE")]
            pub config: Option<PathBuf>,
            $(
                #[doc = $help]
                #[arg(long, global = true, value_name = "VALUE")]
                pub $field: Option<String>,
            )*
        }

        impl SettingsArgs {
            fn pairs(&self) -> Vec<(&'static str, String)> {
                let mut pairs = Vec::new();
                $(if let Some(value) = &self.$field { pairs.push(($key, value.clone())); })*
                pairs
            }
        }
    };
}

settings_args! {
    listen, "listen", "HTTP address of the service";
    root_path, "root_path", "Prefix of the API";
    data_dir, "data_dir", "Where the embedded database, media and secrets live";
    media_root, "media_root", "Where attachments live";
    group_readable, "group_readable", "Whether the group may read data and backups: `true` or `false`";
    memory_bytes, "memory_bytes", "How much memory the process may take";
    database_url, "database.url", "`embedded`, or the URL of an ArangoDB server";
    database_name, "database.name", "Name of the database";
    database_username, "database.username", "User at the database";
    database_password, "database.password", "Password at the database";
    database_embedded_listen, "database.embedded_listen", "Where the embedded engine answers; empty for nowhere";
    database_query_seconds, "database.query_seconds", "How long a query may run";
    database_query_memory_bytes, "database.query_memory_bytes", "How much memory a query may hold";
    database_embedded_memory_bytes, "database.embedded_memory_bytes", "How much all queries may hold in the embedded engine";
    database_embedded_query_threads, "database.embedded_query_threads", "Queries the embedded engine runs at once";
    database_embedded_scrub_bytes, "database.embedded_scrub_bytes", "Bytes a second read to look for damage, 0 for none";
    database_replication_factor, "database.replication_factor", "For new collections on a cluster";
    database_number_of_shards, "database.number_of_shards", "For new collections on a cluster";
    database_write_concern, "database.write_concern", "For new collections on a cluster";
    admin_password, "admin_password", "The administrator's password on the first start";
    jwt_secret, "jwt_secret", "Key that signs session tokens";
    cors_allowed_origins, "cors_allowed_origins", "Origins browsers may call from, with commas";
    explorer, "explorer", "Whether `/` answers with the explorer: `true` or `false`";
    aql_seconds, "aql.seconds", "How long a query of the AQL console may run";
    aql_memory_bytes, "aql.memory_bytes", "How much memory a query of the AQL console may hold";
    aql_username, "aql.username", "User at the database for the AQL console";
    aql_password, "aql.password", "Password of that user";
    media_public, "media_public", "Folders below /media/ that need no token, with commas";
    trusted_proxies, "trusted_proxies", "Proxies whose X-Forwarded-For is believed, with commas";
    upload_limit_bytes, "upload_limit_bytes", "Largest upload";
    time_zone, "time_zone", "Time zone of the site, such as Europe/Rome";
    log, "log", "Filter of the log";
    log_format, "log_format", "`text` or `json`";
}

impl SettingsArgs {
    /// The settings from all sources, these flags last.
    pub fn load(&self) -> Result<Settings, SettingsError> {
        Settings::load(self.config.as_deref(), &self.pairs())
    }
}

/// The program, from its command line to its exit code. It builds the runtime itself: the futures of a library are compiled
/// where they are run, and its own types twice if that is elsewhere.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let settings = match cli.settings.load() {
        Ok(settings) => settings,
        Err(error) => return failed(&format!("{error}\ndocs/settings.md has the table of settings.")),
    };
    if let Some(bytes) = settings.memory_bytes {
        aqlite::memory::limit_process(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    if let Err(error) = close_to_others(&settings) {
        return failed(&error);
    }
    let command = cli.command.unwrap_or(Command::Serve(cli.serve));
    let done =
        runtime::build(&settings).map_err(AnyError::from).and_then(|threads| threads.block_on(run(command, &settings)));
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => failed(&explain(&error, &settings)),
    }
}

/// Nobody else on the machine may read what the process writes. Folders of an earlier version are closed, and that is said.
fn close_to_others(settings: &Settings) -> Result<(), String> {
    private_files::keep_private(settings.group_readable);
    for folder in [settings.data_dir.clone(), settings.data_dir.join("db")] {
        match private_files::mend(&folder, settings.group_readable) {
            Ok(true) => eprintln!("tracewright: others could read {}; now they cannot.", folder.display()),
            Ok(false) => {}
            Err(error) => {
                let text = "others can read it, and it cannot be closed to them";
                return Err(format!("{}: {text}: {error}\nGive the folder to the service's user.", folder.display()));
            }
        }
    }
    Ok(())
}

fn failed(text: &str) -> ExitCode {
    eprintln!("tracewright: {text}");
    ExitCode::FAILURE
}

/// Runs a command. `false`: it found something wrong and has said so.
async fn run(command: Command, settings: &Settings) -> Result<bool, AnyError> {
    match command {
        Command::Serve(args) => Box::pin(serve::serve(settings.clone(), args)).await.map(|()| true),
        Command::User(command) => user::run(command, settings).await.map(|()| true),
        Command::Check(args) => Ok(check::run(args, settings).await),
        Command::Compact => files::compact(settings).await.map(|()| true),
        Command::Import(args) => transfer::import(&args, settings).await.map(|()| true),
        Command::Export(args) => transfer::export(&args, settings).await.map(|()| true),
        Command::Simulate(args) => simulate::run(args).await,
        Command::Openapi => {
            println!("{}", crate::server::document(&settings.root_path)?);
            Ok(true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn serve_is_the_default_and_takes_demo_either_way() {
        assert!(Cli::parse_from(["tracewright", "--demo"]).serve.demo);
        let named = Cli::parse_from(["tracewright", "serve", "--demo"]);
        assert!(matches!(named.command, Some(Command::Serve(ServeArgs { demo: true }))));
    }
}
