//! What can be given on the command line and in the environment.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use aqlite::auth::throttle::FAILURES;
use aqlite::http::log_filter;
use aqlite::memory::{LEAST, Limits};
use clap::{Args, Parser, Subcommand, ValueEnum};
use ipnet::IpNet;
use tracing_subscriber::filter::Targets;

/// An embedded document-and-graph engine that speaks AQL and ArangoDB's HTTP API.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do instead of serving.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Let the group of the process's user read the files of the data directory and of exports, too
    #[arg(long, global = true, env = "AQLITED_GROUP_READABLE")]
    pub group_readable: bool,
    /// How to serve.
    #[command(flatten)]
    pub serve: Serve,
}

/// What to do instead of serving.
#[derive(Subcommand)]
pub enum Command {
    /// Bring data in: a directory that arangodump wrote (plain or gzip), or a file of JSON lines
    Import(Import),
    /// Write data out: a directory as arangodump writes it, or files of JSON lines
    Export(Export),
    /// Read everything stored and say whether it fits together: the log, the pages of the data file, each document, each
    /// entry of each index; the exit code tells
    Check(Upkeep),
    /// Make the data file as small as it can be
    Compact(Upkeep),
}

/// How to serve.
#[derive(Args)]
pub struct Serve {
    /// Directory of the data file, without which nothing can be served; created when missing
    #[arg(long, env = "AQLITED_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, env = "AQLITED_LISTEN", default_value = "127.0.0.1:8529")]
    pub listen: SocketAddr,
    /// Password of root, set on the first start only
    #[arg(long, env = "AQLITED_ROOT_PASSWORD", default_value = "", hide_env_values = true, hide_default_value = true)]
    pub root_password: String,
    /// Key that signs the tokens of /_open/auth; without it tokens end with the process
    #[arg(long, env = "AQLITED_JWT_SECRET", hide_env_values = true, conflicts_with = "jwt_secret_file")]
    pub jwt_secret: Option<String>,
    /// File with that key; white space around it is left out
    #[arg(long, env = "AQLITED_JWT_SECRET_FILE")]
    pub jwt_secret_file: Option<PathBuf>,
    /// Seconds between two removals of the documents that a TTL index lets expire
    #[arg(long, env = "AQLITED_TTL_INTERVAL", default_value_t = 30.0, value_parser = positive)]
    pub ttl_interval: f64,
    /// How many bytes a second are read, once a day, to see whether what is stored is damaged; 0: none
    #[arg(long, env = "AQLITED_SCRUB_RATE", default_value = "4M", value_parser = size)]
    pub scrub_rate: usize,
    /// The most bytes a statement of its own may write, with K, M or G for more
    #[arg(long, env = "AQLITED_MAX_TRANSACTION_SIZE", default_value = "1G", value_parser = size)]
    pub max_transaction_size: usize,
    /// The most bytes a stream transaction may write, where it does not ask for less itself
    #[arg(long, env = "AQLITED_STREAMING_MAX_TRANSACTION_SIZE", default_value = "512M", value_parser = size)]
    pub streaming_max_transaction_size: usize,
    /// Seconds after which a stream transaction that nobody has used is aborted
    #[arg(long, env = "AQLITED_STREAMING_IDLE_TIMEOUT", default_value_t = 60.0, value_parser = positive)]
    pub streaming_idle_timeout: f64,
    /// Proxies whose X-Forwarded-For is believed, addresses and networks with commas between them
    #[arg(long, env = "AQLITED_TRUSTED_PROXIES", value_delimiter = ',', value_parser = network)]
    pub trusted_proxies: Vec<IpNet>,
    /// How many logins of one name from one address may fail in a minute before the answers to further failures are held
    /// back; 0: any number
    #[arg(long, env = "AQLITED_FAILED_LOGINS", default_value_t = FAILURES)]
    pub failed_logins: usize,
    /// The most bytes the process may take, at least 64M [default: what the container, the service unit or the machine has]
    #[arg(long, env = "AQLITED_MEMORY", value_parser = memory)]
    pub memory: Option<usize>,
    /// The most bytes a query may hold that sets no limit itself [default: half of --global-memory-limit]
    #[arg(long, env = "AQLITED_QUERY_MEMORY_LIMIT", value_parser = size)]
    pub query_memory_limit: Option<usize>,
    /// The most bytes all queries and open transactions may hold together [default: half of what caches leave of --memory]
    #[arg(long, env = "AQLITED_GLOBAL_MEMORY_LIMIT", value_parser = size)]
    pub global_memory_limit: Option<usize>,
    /// How many requests are worked on at once, outside of stream transactions; half as many more within them
    #[arg(long, env = "AQLITED_QUERY_THREADS", default_value_t = 256, value_parser = threads)]
    pub query_threads: usize,
    /// How many connections may be open. A further one takes the place of the one that has rested the longest; where all are
    /// at work it gets 503
    #[arg(long, env = "AQLITED_CONNECTIONS", default_value_t = 4096, value_parser = connections)]
    pub connections: usize,
    /// The same from one address; trusted proxies may have any number
    #[arg(long, env = "AQLITED_CONNECTIONS_PER_ADDRESS", default_value_t = 1024, value_parser = connections)]
    pub connections_per_address: usize,
    /// Seconds the head of a request may take from its first byte on
    #[arg(long, env = "AQLITED_HEAD_TIMEOUT", default_value_t = 30.0, value_parser = positive)]
    pub head_timeout: f64,
    /// Seconds the body of a request may be waited for, and one more for each KiB that has come
    #[arg(long, env = "AQLITED_BODY_TIMEOUT", default_value_t = 30.0, value_parser = positive)]
    pub body_timeout: f64,
    /// Seconds a connection may rest between two requests
    #[arg(long, env = "AQLITED_KEEP_ALIVE_TIMEOUT", default_value_t = 300.0, value_parser = positive)]
    pub keep_alive_timeout: f64,
    /// What goes to the log on standard error: error, warn, info, debug (every request) or trace
    #[arg(long, env = "AQLITED_LOG_LEVEL", default_value = "info", value_parser = log_filter)]
    pub log_level: Targets,
}

/// A network, or an address, which is a network of one.
fn network(text: &str) -> Result<IpNet, String> {
    let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| format!("'{text}' is neither an address nor a network"))
}

impl Serve {
    /// How much memory queries may hold.
    pub fn memory_of_queries(&self) -> Limits {
        let limits = self.global_memory_limit.map_or_else(Limits::default, Limits::of_all);
        Limits { query: self.query_memory_limit.unwrap_or(limits.query), ..limits }
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=300).contains(&number) => Ok(number),
        _ => Err("it has to be a number from 1 to 300".to_owned()),
    }
}

fn connections(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "it has to be a number from 1".to_owned())
}

fn positive(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("'{text}' is no number"))?;
    if seconds > 0.0 && seconds <= 1e9 { Ok(seconds) } else { Err("it has to be more than nothing".to_owned()) }
}

fn memory(text: &str) -> Result<usize, String> {
    size(text).and_then(|size| if size >= LEAST { Ok(size) } else { Err("it has to be at least 64M".to_owned()) })
}

/// Bytes, or with a letter behind the number 1,024 of the next smaller unit.
fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: usize = match text[digits.len()..].to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        unit => return Err(format!("'{unit}' is no unit: K, M or G")),
    };
    let number: usize = digits.parse().map_err(|_| format!("'{text}' is no size"))?;
    match number.checked_mul(factor) {
        Some(size) if size > 0 => Ok(size),
        _ => Err(format!("'{text}' cannot be a limit")),
    }
}

/// How files look.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A directory as arangodump writes it
    Arangodump,
    /// A document a line
    Jsonl,
}

/// What happens to a document whose key exists.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnDuplicate {
    /// The import ends
    Error,
    /// It is updated
    Update,
    /// It is replaced
    Replace,
    /// It stays as it is
    Ignore,
}

/// Bringing data in.
#[derive(Args)]
pub struct Import {
    /// A directory of a dump, a file of JSON lines (plain or gzip), or - for JSON lines from standard input
    pub source: PathBuf,
    /// Directory of the data file; created when missing. No server may be using it
    #[arg(long, env = "AQLITED_DATA_DIR")]
    pub data_dir: PathBuf,
    /// Password of root, set when the data directory is new
    #[arg(long, env = "AQLITED_ROOT_PASSWORD", default_value = "", hide_env_values = true, hide_default_value = true)]
    pub root_password: String,
    /// The database, created when missing; of a dump of several databases, the only one to import [default: what the
    /// dump names, all of them; _system for JSON lines]
    #[arg(long)]
    pub database: Option<String>,
    /// The collection for JSON lines, created when missing [default: the name of the file]
    #[arg(long)]
    pub collection: Option<String>,
    /// Make a missing collection for JSON lines an edge collection
    #[arg(long)]
    pub edges: bool,
    /// What happens to a JSON line whose key exists
    #[arg(long, value_enum, default_value = "error")]
    pub on_duplicate: OnDuplicate,
    /// Replace collections of a dump that exist
    #[arg(long)]
    pub overwrite: bool,
    /// Read a dump that is not whole as far as it is there, and say what it lacks
    #[arg(long)]
    pub incomplete: bool,
    /// Say nothing while working
    #[arg(long)]
    pub quiet: bool,
}

/// Writing data out.
#[derive(Args)]
pub struct Export {
    /// The directory to write to, empty or not there; it is there when all is written
    pub target: PathBuf,
    /// Directory of the data file. No server may be using it
    #[arg(long, env = "AQLITED_DATA_DIR")]
    pub data_dir: PathBuf,
    /// The database
    #[arg(long, default_value = "_system")]
    pub database: String,
    /// A collection; may be given several times [default: all]
    #[arg(long = "collection")]
    pub collections: Vec<String>,
    /// How the files look
    #[arg(long, value_enum, default_value = "arangodump")]
    pub format: Format,
    /// Compress the data with gzip
    #[arg(long)]
    pub compress: bool,
    /// Wrap each document as older versions of arangodump do
    #[arg(long)]
    pub envelope: bool,
    /// Also collections whose name begins with an underscore; graphs are always written
    #[arg(long)]
    pub include_system: bool,
    /// Say nothing while working
    #[arg(long)]
    pub quiet: bool,
}

/// Work on the data directory as a whole.
#[derive(Args)]
pub struct Upkeep {
    /// Directory of the data file. No server may be using it
    #[arg(long, env = "AQLITED_DATA_DIR")]
    pub data_dir: PathBuf,
    /// Say nothing while working
    #[arg(long)]
    pub quiet: bool,
}
