//! The settings: built-in defaults, then `tracewright.toml`, then the environment, then the command line.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use aqlite::memory::LEAST;
use config::{Config, Environment, File, FileFormat};
use ipnet::IpNet;
use serde::{Deserialize, Deserializer};

use crate::clock::Zone;

mod connections;

pub use connections::Connections;

/// Everything that can be set. The table of keys stands in `docs/settings.md`.
#[derive(Debug, Clone, Deserialize)]
pub struct Settings {
    /// HTTP address of the service.
    pub listen: SocketAddr,
    /// Prefix under which the API answers besides the root.
    pub root_path: String,
    /// Where the embedded database, media and secrets live.
    pub data_dir: PathBuf,
    /// Where attachments live; see [`Settings::media_root`].
    media_root: Option<PathBuf>,
    /// Whether the group of the process's user may read its files, backups too; nobody else does.
    pub group_readable: bool,
    /// How many bytes of memory the process may take; what its container, service unit or machine has when absent.
    pub memory_bytes: Option<u64>,
    /// The database and how it is reached.
    pub database: Database,
    /// The administrator's password, used on the first start only.
    #[serde(default, deserialize_with = "none_if_empty")]
    pub admin_password: Option<String>,
    /// The key that signs session tokens; generated once when absent.
    #[serde(default, deserialize_with = "none_if_empty")]
    pub jwt_secret: Option<String>,
    /// Origins that browsers may call from; `*` for all.
    #[serde(default, deserialize_with = "list")]
    pub cors_allowed_origins: Vec<String>,
    /// Whether `/` answers with the explorer.
    pub explorer: bool,
    /// What the AQL console may take, and as whom it asks the database.
    pub aql: AqlConsole,
    /// Folders below `/media/` that need no token.
    #[serde(default, deserialize_with = "list")]
    pub media_public: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is believed: addresses and networks.
    #[serde(default, deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// How many connections may be open, and how long they may take.
    pub connections: Connections,
    /// The largest request body that is accepted.
    pub upload_limit_bytes: u64,
    /// IANA name of the time zone of the site, the machine's when absent; see [`Settings::time_zone`].
    #[serde(default, deserialize_with = "none_if_empty")]
    time_zone: Option<String>,
    /// Filter of the log, in the syntax of `tracing`.
    pub log: String,
    /// Shape of the log.
    pub log_format: LogFormat,
}

/// The database and how it is reached.
#[derive(Debug, Clone, Deserialize)]
pub struct Database {
    /// `embedded`, or the URL of an ArangoDB server or coordinator.
    pub url: String,
    /// Name of the database.
    pub name: String,
    /// User at the database server.
    pub username: String,
    /// Password at the database server; generated once for the embedded engine when absent.
    #[serde(default, deserialize_with = "none_if_empty")]
    pub password: Option<String>,
    /// Where the embedded engine answers analysts; empty for nowhere.
    pub embedded_listen: String,
    /// How many seconds a query may run.
    pub query_seconds: f64,
    /// How many bytes of memory a query may hold at the database.
    pub query_memory_bytes: u64,
    /// How many bytes all queries may hold together in the embedded engine; half of what caches leave when absent.
    pub embedded_memory_bytes: Option<u64>,
    /// How many requests the embedded engine works on at once, outside of transactions, half as many within, and half as many
    /// that commit; when absent [`Database::query_threads`] follows from the cores.
    pub embedded_query_threads: Option<usize>,
    /// How many bytes a second the embedded engine reads, once a day, to see whether what is stored is damaged; 0: none.
    #[serde(default)]
    pub embedded_scrub_bytes: Option<u64>,
    /// Used when collections are created on a cluster.
    pub replication_factor: Option<u32>,
    /// Used when collections are created on a cluster.
    pub number_of_shards: Option<u32>,
    /// Used when collections are created on a cluster.
    pub write_concern: Option<u32>,
}

/// The AQL console: what its queries may take, and as whom they are asked.
#[derive(Debug, Clone, Deserialize)]
pub struct AqlConsole {
    /// How many seconds a query may run.
    pub seconds: f64,
    /// How many bytes of memory a query may hold at the database.
    pub memory_bytes: u64,
    /// A user of the database that somebody has set up for it; the service keeps one of its own when absent.
    #[serde(default, deserialize_with = "none_if_empty")]
    pub username: Option<String>,
    /// The password of that user.
    #[serde(default, deserialize_with = "none_if_empty")]
    pub password: Option<String>,
}

impl Database {
    /// Whether the database is the engine inside this process.
    pub fn is_embedded(&self) -> bool {
        self.url == "embedded"
    }

    /// How many requests the embedded engine works on at once, outside of transactions: more than the cores can work on, since
    /// some wait, and few enough that the memory which each thread keeps stays small.
    pub fn query_threads(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.embedded_query_threads.unwrap_or((8 * cores).clamp(32, 256))
    }
}

/// Shape of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum LogFormat {
    /// One readable line an event.
    Text,
    /// One JSON object an event.
    Json,
}

impl TryFrom<String> for LogFormat {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        match name.as_str() {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(format!("`{name}` is neither `text` nor `json`")),
        }
    }
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A source cannot be read or a value has the wrong form.
    #[error("settings: {0}")]
    Source(#[from] config::ConfigError),
    /// The file sets something that does not exist: a typing error, or a key of another version.
    #[error("settings: the file has unknown keys: {0}")]
    UnknownKeys(String),
    /// A value is well formed but cannot work.
    #[error("setting `{key}`: {reason}")]
    Value {
        /// The key as it stands in the file.
        key: &'static str,
        /// What is wrong with its value.
        reason: String,
    },
}

const DEFAULTS: &str = r#"
listen = "127.0.0.1:8000"
root_path = "/api"
data_dir = "./data"
group_readable = false
cors_allowed_origins = []
explorer = true
media_public = ["config"]
trusted_proxies = []
upload_limit_bytes = 67108864
log = "info"
log_format = "text"

[database]
url = "embedded"
name = "tracewright"
username = "root"
embedded_listen = "127.0.0.1:8529"
query_seconds = 240
query_memory_bytes = 268435456

[connections]
most = 4096
most_per_address = 1024
head_seconds = 30
body_seconds = 30
idle_seconds = 300

[aql]
seconds = 30
memory_bytes = 134217728
"#;

/// A request to a database server is given up after five minutes; its query must not go on after that.
const MAX_QUERY_SECONDS: f64 = 290.0;

/// More threads would make none of them faster, and each keeps memory for its next request.
const QUERY_THREADS: std::ops::RangeInclusive<usize> = 1..=300;

/// Name of the settings file that is read from the working directory when no other is named.
pub const FILE_NAME: &str = "tracewright.toml";

impl Settings {
    /// Reads all sources. `file` must exist when it is given; `flags` are pairs of a key and its value.
    pub fn load(file: Option<&Path>, flags: &[(&str, String)]) -> Result<Self, SettingsError> {
        let file = match file {
            Some(path) => File::from(path).required(true),
            None => File::new(FILE_NAME, FileFormat::Toml).required(false),
        };
        let environment = Environment::with_prefix("TRACEWRIGHT").prefix_separator("_").separator("__");
        Self::build(Some(file.format(FileFormat::Toml)), environment, flags)
    }

    /// The defaults with the given values in their place, untouched by file and environment.
    pub fn with(values: &[(&str, String)]) -> Result<Self, SettingsError> {
        let no_environment = Environment::default().source(Some(std::collections::HashMap::new()));
        Self::build::<config::FileSourceFile>(None, no_environment, values)
    }

    fn build<T>(
        file: Option<File<T, FileFormat>>,
        environment: Environment,
        flags: &[(&str, String)],
    ) -> Result<Self, SettingsError>
    where
        T: config::FileSource<FileFormat> + Send + Sync + 'static,
    {
        let mut builder = Config::builder().add_source(File::from_str(DEFAULTS, FileFormat::Toml));
        if let Some(file) = file {
            builder = builder.add_source(file);
            refuse_unknown(builder.build_cloned()?)?;
        }
        // Variables that nobody reads are no mistake: others may use the prefix too.
        builder = builder.add_source(environment);
        for (key, value) in flags {
            builder = builder.set_override(*key, value.as_str())?;
        }
        let settings: Self = builder.build()?.try_deserialize()?;
        settings.checked()
    }

    fn checked(mut self) -> Result<Self, SettingsError> {
        let prefix = self.root_path.trim_matches('/');
        if prefix.contains([':', '*', '<', '?', '#']) {
            let reason = "must be a plain path such as /api".to_owned();
            return Err(SettingsError::Value { key: "root_path", reason });
        }
        self.root_path = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        if self.database.is_embedded() {
            if self.database.username != "root" {
                let reason = "the embedded engine's administrator is `root`".to_owned();
                return Err(SettingsError::Value { key: "database.username", reason });
            }
        } else {
            let is_web = |url: url::Url| matches!(url.scheme(), "http" | "https");
            if !url::Url::parse(&self.database.url).is_ok_and(is_web) {
                let reason = "must be `embedded` or a URL such as http://127.0.0.1:8529".to_owned();
                return Err(SettingsError::Value { key: "database.url", reason });
            }
        }
        if self.memory_bytes.is_some_and(|bytes| bytes < LEAST as u64) {
            let reason = format!("must be at least {LEAST}");
            return Err(SettingsError::Value { key: "memory_bytes", reason });
        }
        if !(self.database.query_seconds > 0.0 && self.database.query_seconds <= MAX_QUERY_SECONDS) {
            let reason = format!("must be more than 0 and at most {MAX_QUERY_SECONDS}");
            return Err(SettingsError::Value { key: "database.query_seconds", reason });
        }
        if !(self.aql.seconds > 0.0 && self.aql.seconds <= MAX_QUERY_SECONDS) {
            let reason = format!("must be more than 0 and at most {MAX_QUERY_SECONDS}");
            return Err(SettingsError::Value { key: "aql.seconds", reason });
        }
        if !QUERY_THREADS.contains(&self.database.query_threads()) {
            let reason = format!("must be from {} to {}", QUERY_THREADS.start(), QUERY_THREADS.end());
            return Err(SettingsError::Value { key: "database.embedded_query_threads", reason });
        }
        self.connections.check()?;
        if !self.database.embedded_listen.is_empty() {
            self.database
                .embedded_listen
                .parse::<SocketAddr>()
                .map_err(|e| SettingsError::Value { key: "database.embedded_listen", reason: e.to_string() })?;
        }
        let zone = self.time_zone.unwrap_or_else(machine_zone);
        if Zone::of(&zone).is_none() {
            let reason = format!("`{zone}` is no time zone such as Europe/Rome");
            return Err(SettingsError::Value { key: "time_zone", reason });
        }
        self.time_zone = Some(zone);
        Ok(self)
    }

    /// The time zone of the site: dates in codes are its dates.
    pub fn time_zone(&self) -> Zone {
        self.time_zone.as_deref().and_then(Zone::of).unwrap_or(Zone::UTC)
    }

    /// Where attachments live: the setting, or `media` below the data directory.
    pub fn media_root(&self) -> PathBuf {
        self.media_root.clone().unwrap_or_else(|| self.data_dir.join("media"))
    }
}

/// The name of the machine's time zone. A machine that has none, as containers are, lives in UTC.
fn machine_zone() -> String {
    let name = iana_time_zone::get_timezone().ok().filter(|name| Zone::of(name).is_some());
    name.unwrap_or_else(|| Zone::UTC.name().to_owned())
}

/// An error that names every key that is not one of the settings.
fn refuse_unknown(config: Config) -> Result<(), SettingsError> {
    let mut unknown = Vec::new();
    serde_ignored::deserialize::<_, _, Settings>(config, |path| unknown.push(format!("`{path}`")))?;
    unknown.sort_unstable();
    if unknown.is_empty() { Ok(()) } else { Err(SettingsError::UnknownKeys(unknown.join(", "))) }
}

/// A list as such, or as one text with commas, which is how the environment writes it.
fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        List(Vec<String>),
        Text(String),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::List(items) => items,
        Either::Text(text) => text.split(',').map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned).collect(),
    })
}

/// A list of addresses, which are networks of one, and networks.
fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let parse = |text: String| {
        let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        network.map_err(|_| {
            serde::de::Error::custom(format!("trusted_proxies: `{text}` is neither an address nor a network"))
        })
    };
    list(deserializer)?.into_iter().map(parse).collect()
}

fn none_if_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(values: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let owned: Vec<_> = values.iter().map(|(k, v)| (*k, (*v).to_owned())).collect();
        Settings::with(&owned)
    }

    fn sources(file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Settings {
        try_sources(file, environment, flags).unwrap()
    }

    fn try_sources(
        file: &str,
        environment: &[(&str, &str)],
        flags: &[(&str, &str)],
    ) -> Result<Settings, SettingsError> {
        let environment = Environment::with_prefix("TRACEWRIGHT")
            .prefix_separator("_")
            .separator("__")
            .source(Some(environment.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()));
        let flags: Vec<_> = flags.iter().map(|(k, v)| (*k, (*v).to_owned())).collect();
        Settings::build(Some(File::from_str(file, FileFormat::Toml)), environment, &flags)
    }

    #[test]
    fn defaults_are_those_of_the_contract() {
        let settings = with(&[]).unwrap();
        assert_eq!(settings.listen.to_string(), "127.0.0.1:8000");
        assert_eq!(settings.root_path, "/api");
        assert_eq!(settings.media_root(), Path::new("./data/media"));
        assert!(settings.database.is_embedded());
        assert_eq!(settings.database.embedded_listen, "127.0.0.1:8529");
        assert_eq!(settings.upload_limit_bytes, 64 * 1024 * 1024);
        assert!(settings.explorer);
        assert_eq!((settings.aql.seconds, settings.aql.memory_bytes), (30.0, 128 * 1024 * 1024));
        assert_eq!((settings.database.query_seconds, settings.database.query_memory_bytes), (240.0, 256 * 1024 * 1024));
    }

    #[test]
    fn flags_beat_environment_beats_file_beats_defaults() {
        let file = "root_path = \"/file\"\nlog = \"warn\"\n[database]\nname = \"file\"";
        let environment = [("TRACEWRIGHT_LOG", "debug"), ("TRACEWRIGHT_DATABASE__NAME", "environment")];
        let settings = sources(file, &environment, &[("database.name", "flag")]);
        assert_eq!(
            (settings.root_path.as_str(), settings.log.as_str(), settings.database.name.as_str()),
            ("/file", "debug", "flag")
        );
    }

    #[test]
    fn the_time_zone_is_the_one_that_is_set_or_the_machines() {
        assert_eq!(with(&[("time_zone", "Europe/Rome")]).unwrap().time_zone().name(), "Europe/Rome");
        assert_eq!(with(&[]).unwrap().time_zone().name(), machine_zone());
        assert_eq!(with(&[("time_zone", "")]).unwrap().time_zone().name(), machine_zone());
    }

    #[test]
    fn a_password_of_digits_keeps_its_leading_zeros() {
        let settings = sources("", &[("TRACEWRIGHT_DATABASE__PASSWORD", "0012")], &[]);
        assert_eq!(settings.database.password.as_deref(), Some("0012"));
    }

    #[test]
    fn origins_come_as_list_or_as_text_with_commas() {
        assert_eq!(sources("cors_allowed_origins = [\"*\"]", &[], &[]).cors_allowed_origins, ["*"]);
        let settings = sources("", &[("TRACEWRIGHT_CORS_ALLOWED_ORIGINS", "http://a, http://b")], &[]);
        assert_eq!(settings.cors_allowed_origins, ["http://a", "http://b"]);
    }

    #[test]
    fn trusted_proxies_are_addresses_and_networks() {
        let settings = sources("trusted_proxies = [\"10.0.0.0/8\", \"::1\"]", &[], &[]);
        assert_eq!(
            settings.trusted_proxies.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["10.0.0.0/8", "::1/128"]
        );
        let settings = sources("", &[("TRACEWRIGHT_TRUSTED_PROXIES", "127.0.0.1, fd00::/8")], &[]);
        assert_eq!(settings.trusted_proxies.len(), 2);
        assert_eq!(with(&[]).unwrap().trusted_proxies, []);
    }

    #[test]
    fn keys_of_the_file_that_do_not_exist_are_named() {
        let file = "lissen = \"127.0.0.1:1\"\nlog = \"warn\"\n[database]\nnmae = \"x\"\n[databse]\nurl = \"x\"";
        let error = try_sources(file, &[], &[]).unwrap_err().to_string();
        assert_eq!(error, "settings: the file has unknown keys: `database.nmae`, `databse`, `lissen`");
    }

    #[test]
    fn variables_that_do_not_exist_are_passed_over() {
        let settings = sources("", &[("TRACEWRIGHT_SERVICE_HOST", "10.0.0.1"), ("TRACEWRIGHT_LOG", "warn")], &[]);
        assert_eq!(settings.log, "warn");
    }

    #[test]
    fn values_that_cannot_work_name_their_key() {
        for (key, value) in [
            ("database.url", "nonsense"),
            ("database.username", "other"),
            ("root_path", "/a:b"),
            ("trusted_proxies", "10.0.0.0/8, proxy"),
            ("database.embedded_listen", "x"),
            ("time_zone", "Mars/Phobos"),
            ("database.query_seconds", "0"),
            ("database.query_seconds", "1000"),
            ("aql.seconds", "0"),
            ("memory_bytes", "1048576"),
            ("aql.seconds", "1000"),
            ("connections.most", "0"),
            ("connections.most_per_address", "0"),
            ("connections.head_seconds", "0"),
            ("connections.body_seconds", "-1"),
            ("connections.idle_seconds", "1e9"),
            ("connections.idle_seconds", "NaN"),
            ("database.embedded_query_threads", "0"),
            ("database.embedded_query_threads", "5000"),
        ] {
            assert!(with(&[(key, value)]).unwrap_err().to_string().contains(key), "{key}");
        }
    }
}
