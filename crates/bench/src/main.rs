//! Measures the queries of the service against an ArangoDB-compatible endpoint, and streams against the service itself.

mod answer;
mod client;
mod connection;
mod crowd;
mod data;
mod dump;
mod events;
mod pause;
mod queries;
mod race;
mod run;
mod search;
mod service;
mod streams;
mod wakeful;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use client::{Client, Failure};

/// Measures the queries of the service against an ArangoDB-compatible endpoint
#[derive(Parser)]
#[command(version)]
struct Settings {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Loads the data set and prints the median of each query beside ArangoDB's
    Run(RunSettings),
    /// Prints the longest time a writer waits while an index is made and collections are truncated and dropped
    Pause(PauseSettings),
    /// Prints what arrives at many open streams of notifications of a running service, and what the service needs for it
    Streams(StreamSettings),
    /// Prints what recording an event costs a running service, with few and with many events in its journal
    Events(EventSettings),
    /// Prints what searches for a text that may stand anywhere cost, among few texts and among many
    Search(SearchSettings),
    /// Prints requests a second of a running service, beside those of another one on the same data
    Race(RaceSettings),
    /// Writes products, serials and their links as a dump, with the indexes of the service
    Dump(DumpSettings),
    /// Prints the ratios of two saved runs
    Compare {
        /// The run to compare with
        a: PathBuf,
        /// The run to compare
        b: PathBuf,
    },
}

#[derive(Args)]
struct Server {
    /// Address of the server
    #[arg(default_value = "http://127.0.0.1:8529")]
    endpoint: String,
    /// User to log in as
    #[arg(long, default_value = "root")]
    user: String,
    /// Password of the user
    #[arg(long, env = "BENCH_PASSWORD", default_value = "", hide_env_values = true)]
    password: String,
    /// Database of the data set; it is dropped and made anew
    #[arg(long, default_value = "bench")]
    database: String,
}

impl Server {
    fn connect(&self) -> Result<Client, Failure> {
        Client::connect(&self.endpoint, &self.database, &self.user, &self.password)
    }
}

#[derive(Args)]
struct PauseSettings {
    #[command(flatten)]
    server: Server,
    /// Documents of the collection
    #[arg(long, default_value_t = 1_000_000)]
    documents: usize,
}

#[derive(Args)]
struct StreamSettings {
    /// Address of the service; users and a printer are added to it
    #[arg(default_value = "http://127.0.0.1:8000")]
    service: String,
    /// Password of its administrator
    #[arg(long, env = "BENCH_PASSWORD", default_value = "", hide_env_values = true)]
    password: String,
    /// Streams that are opened
    #[arg(long, default_value_t = 1000)]
    subscribers: usize,
    /// Messages a second
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    rate: u64,
    /// For how long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

#[derive(Args)]
struct EventSettings {
    /// Address of the service; products, serials and orders are added to it
    #[arg(default_value = "http://127.0.0.1:8000")]
    service: String,
    /// Password of its administrator
    #[arg(long, env = "BENCH_PASSWORD", default_value = "", hide_env_values = true)]
    password: String,
    /// Events of this run in the journal when single ones are measured
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 1_000_000])]
    journal: Vec<usize>,
    /// Serials of the batch whose step is recorded
    #[arg(long, default_value_t = 500)]
    batch: usize,
    /// Connections that record at once
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// For how long they do
    #[arg(long, default_value_t = 20)]
    seconds: u64,
}

#[derive(Args)]
struct SearchSettings {
    /// Address of the service; tasks and serials are added to it
    #[arg(default_value = "http://127.0.0.1:8000")]
    service: String,
    /// Password of its administrator
    #[arg(long, env = "BENCH_PASSWORD", default_value = "", hide_env_values = true)]
    password: String,
    /// Address of its database
    #[arg(long, default_value = "http://127.0.0.1:8529")]
    database_url: String,
    /// Name of its database
    #[arg(long, default_value = "tracewright")]
    database: String,
    /// User of the database
    #[arg(long, default_value = "root")]
    database_user: String,
    /// Password of that user
    #[arg(long, env = "BENCH_DATABASE_PASSWORD", default_value = "", hide_env_values = true)]
    database_password: String,
    /// Tasks and serials that there are when searches are measured
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 1_000_000])]
    texts: Vec<usize>,
}

#[derive(Args)]
struct RaceSettings {
    /// Address of the service
    #[arg(default_value = "http://127.0.0.1:8000")]
    service: String,
    /// Password of its administrator
    #[arg(long, env = "BENCH_PASSWORD", default_value = "", hide_env_values = true)]
    password: String,
    /// Address of another service with the same paths, without `/api`, that takes the same tokens
    #[arg(long)]
    peer: Option<String>,
    /// What is asked, below `/api`; may be given several times
    #[arg(long = "path", default_values_t = race::PATHS.map(str::to_owned))]
    paths: Vec<String>,
    /// Connections that ask at once
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// For how long each path is asked
    #[arg(long, default_value_t = 6)]
    seconds: u64,
    /// Process of the service on this machine, whose processor time is looked up; otherwise the service is asked for it, which
    /// tells whole seconds
    #[arg(long)]
    process: Option<u32>,
}

#[derive(Args)]
struct RunSettings {
    #[command(flatten)]
    server: Server,
    /// Trees of 1,011 serials; the figures of ArangoDB are for 60
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u16).range(20..))]
    trees: u16,
    /// Measure the data of an earlier run instead of loading it anew
    #[arg(long)]
    loaded: bool,
    /// Only the queries whose name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// Seconds to spend on each query
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Save the run to this file
    #[arg(long)]
    json: Option<PathBuf>,
}

#[derive(Args)]
struct DumpSettings {
    /// Folder to write to
    directory: PathBuf,
    /// Trees of 1,011 serials
    #[arg(long, default_value_t = 60)]
    trees: usize,
    /// Database that the dump names
    #[arg(long, default_value = "tracewright")]
    database: String,
    /// Leave out the search view of serials
    #[arg(long)]
    without_views: bool,
}

fn main() -> ExitCode {
    let done = match Settings::parse().command {
        Command::Run(settings) => measure(&settings),
        Command::Pause(settings) => pauses(&settings),
        Command::Streams(settings) => listeners(settings),
        Command::Events(settings) => recording(settings),
        Command::Search(settings) => searching(settings),
        Command::Race(settings) => racing(settings),
        Command::Dump(settings) => {
            dump::write(&settings.directory, &settings.database, settings.trees, !settings.without_views)
        }
        Command::Compare { a, b } => compare(&a, &b),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn measure(settings: &RunSettings) -> Result<(), Failure> {
    let time = Duration::try_from_secs_f64(settings.seconds).map_err(|e| format!("--seconds: {e}"))?;
    let client = settings.server.connect()?;
    if !settings.loaded {
        data::load(&client, &settings.server.database, settings.trees.into())?;
    }
    let measured = run::measure(&client, &settings.only, time)?;
    println!("{}", run::table(&measured));
    settings.json.as_ref().map_or(Ok(()), |path| run::save(path, &measured))
}

fn pauses(settings: &PauseSettings) -> Result<(), Failure> {
    let server = &settings.server;
    println!("{}", pause::table(&pause::measure(&server.database, settings.documents, &|| server.connect())?));
    Ok(())
}

fn listeners(settings: StreamSettings) -> Result<(), Failure> {
    let StreamSettings { service, password, subscribers, rate, seconds } = settings;
    let plan = streams::Plan { service, password, subscribers, rate, seconds };
    println!("{}", streams::table(&streams::measure(&plan)?));
    Ok(())
}

fn recording(settings: EventSettings) -> Result<(), Failure> {
    let EventSettings { service, password, journal, batch, connections, seconds } = settings;
    let plan = events::Plan { service, password, journal, batch, connections, seconds };
    println!("{}", events::table(&events::measure(&plan)?));
    Ok(())
}

fn searching(settings: SearchSettings) -> Result<(), Failure> {
    let SearchSettings { service, password, texts, .. } = settings;
    let (url, user) = (&settings.database_url, &settings.database_user);
    let database = Client::connect(url, &settings.database, user, &settings.database_password)?;
    println!("{}", search::table(&search::measure(&search::Plan { service, password, database, texts })?));
    Ok(())
}

fn racing(settings: RaceSettings) -> Result<(), Failure> {
    let RaceSettings { service, password, peer, paths, connections, seconds, process } = settings;
    let plan = race::Plan { service, password, peer, paths, connections, time: Duration::from_secs(seconds), process };
    println!("{}", race::table(&race::measure(&plan)?));
    Ok(())
}

fn compare(a: &std::path::Path, b: &std::path::Path) -> Result<(), Failure> {
    println!("{}", run::comparison(&run::read(a)?, &run::read(b)?));
    Ok(())
}
