//! `/_admin/log/level` and `/_admin/log/structured`: what goes to the log, changed while the process runs.
//!
//! ArangoDB's topics are those that clients know. Where a part of this engine does the work of a topic, its level
//! decides what that part logs; the others are remembered and otherwise without effect.

use std::sync::LazyLock;

use indexmap::IndexMap;
use parking_lot::Mutex;
use tracing_subscriber::filter::{ParseError, Targets};

use super::request::Ctx;
use super::response::{Answer, HandlerResult};
use super::router::{Route, delete, get, put};
use super::server::only_for_admins;
use crate::value::Value;

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_admin/log/level", levels),
    put("/_admin/log/level", set_levels),
    delete("/_admin/log/level", reset_levels),
    get("/_admin/log/structured", parameters),
    put("/_admin/log/structured", set_parameters),
];

/// Topics with the level they begin with.
const TOPICS: [(&str, &str); 49] = [
    ("agency", "INFO"),
    ("agencycomm", "INFO"),
    ("agencystore", "WARNING"),
    ("aql", "INFO"),
    ("arangosearch", "INFO"),
    ("authentication", "WARNING"),
    ("authorization", "DEFAULT"),
    ("backup", "DEFAULT"),
    ("bench", "DEFAULT"),
    ("cache", "INFO"),
    ("cluster", "INFO"),
    ("clustercomm", "INFO"),
    ("collector", "DEFAULT"),
    ("communication", "INFO"),
    ("config", "DEFAULT"),
    ("crash", "DEFAULT"),
    ("development", "FATAL"),
    ("dump", "INFO"),
    ("engines", "INFO"),
    ("flush", "INFO"),
    ("general", "INFO"),
    ("graphs", "INFO"),
    ("heartbeat", "INFO"),
    ("httpclient", "WARNING"),
    ("libiresearch", "INFO"),
    ("license", "INFO"),
    ("maintenance", "WARNING"),
    ("memory", "INFO"),
    ("mmap", "DEFAULT"),
    ("performance", "WARNING"),
    ("pregel", "INFO"),
    ("queries", "INFO"),
    ("replication", "INFO"),
    ("replication2", "INFO"),
    ("requests", "FATAL"),
    ("restore", "INFO"),
    ("rocksdb", "WARNING"),
    ("security", "INFO"),
    ("ssl", "WARNING"),
    ("startup", "INFO"),
    ("statistics", "INFO"),
    ("supervision", "INFO"),
    ("syscall", "INFO"),
    ("threads", "WARNING"),
    ("trx", "WARNING"),
    ("ttl", "WARNING"),
    ("v8", "WARNING"),
    ("validation", "INFO"),
    ("views", "FATAL"),
];

/// Levels with what they are called in the filter of the log.
const LEVELS: [(&str, Option<&str>); 7] = [
    ("FATAL", Some("off")),
    ("ERROR", Some("error")),
    ("WARNING", Some("warn")),
    ("INFO", Some("info")),
    ("DEBUG", Some("debug")),
    ("TRACE", Some("trace")),
    ("DEFAULT", None),
];

/// The parts of the engine that log, by topic. The empty one is everything.
const PARTS: [(&str, &str); 5] = [
    ("general", ""),
    ("requests", "aqlite::http"),
    ("ttl", "aqlite::txn::expiry"),
    ("trx", "aqlite::txn"),
    ("restore", "aqlite::dump"),
];

/// What a line about a request can name besides.
const PARAMETERS: [&str; 3] = ["database", "username", "url"];

type Apply = Box<dyn Fn(&str) + Send + Sync>;

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct State {
    /// Levels somebody has set, the last one last.
    set: IndexMap<&'static str, &'static str>,
    named: [bool; PARAMETERS.len()],
    apply: Option<Apply>,
}

/// What goes to the log: a level, or one for each module, with commas between them, as `RUST_LOG` says it. Of two for the same
/// module the later one counts.
///
/// # Errors
/// What is none of it.
pub fn log_filter(directives: &str) -> Result<Targets, ParseError> {
    // an empty one would be a level for all
    let directives: Vec<&str> = directives.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    directives.join(",").parse()
}

/// Calls `apply` whenever levels change, with directives to put behind those the process began with, in the syntax of
/// `RUST_LOG`.
pub fn on_log_levels(apply: impl Fn(&str) + Send + Sync + 'static) {
    STATE.lock().apply = Some(Box::new(apply));
}

/// Which of database, name of the user and URL a line about a request names.
pub fn named_in_requests() -> [bool; 3] {
    STATE.lock().named
}

impl State {
    fn set(&mut self, topic: &str, level: &str) {
        let level = level.trim();
        let level = if level.eq_ignore_ascii_case("warn") { "warning" } else { level };
        let known = LEVELS.iter().find(|(name, _)| name.eq_ignore_ascii_case(level));
        // ArangoDB passes over what it does not know
        let Some((level, _)) = known else { return };
        for (name, _) in TOPICS.iter().filter(|(name, _)| *name == topic || topic == "all") {
            self.set.shift_remove(name);
            self.set.insert(name, level);
        }
    }

    fn shown(&self) -> Value {
        let level = |(topic, level): &(&'static str, &'static str)| {
            (*topic, Value::str(self.set.get(topic).copied().unwrap_or(level)))
        };
        Value::from_pairs(TOPICS.iter().map(level))
    }

    fn directives(&self) -> String {
        let of_topic = |(topic, level): (&&'static str, &&'static str)| {
            let part = PARTS.iter().find(|(name, _)| name == topic)?.1;
            let level = LEVELS.iter().find(|(name, _)| name == level)?.1?;
            Some(if part.is_empty() { level.to_owned() } else { format!("{part}={level}") })
        };
        self.set.iter().filter_map(of_topic).collect::<Vec<_>>().join(",")
    }

    fn apply(&self) {
        if let Some(apply) = &self.apply {
            apply(&self.directives());
        }
    }

    fn parameters(&self) -> Value {
        let named = PARAMETERS.into_iter().zip(self.named).filter(|(_, named)| *named);
        Value::from_pairs(named.map(|(name, _)| (name, Value::Bool(true))))
    }
}

fn levels(ctx: &Ctx) -> HandlerResult {
    only_for_admins(ctx)?;
    let levels = STATE.lock().shown();
    if ctx.flag("withAppenders") {
        let to_stderr = Value::from_pairs([("-", levels.clone())]);
        return Ok(Answer::json(200, &Value::from_pairs([("global", levels), ("appenders", to_stderr)])));
    }
    Ok(Answer::json(200, &levels))
}

fn set_levels(ctx: &Ctx) -> HandlerResult {
    only_for_admins(ctx)?;
    let body = ctx.json()?;
    let mut state = STATE.lock();
    if let Some(level) = body.as_str() {
        state.set("general", level);
    }
    for (topic, level) in body.iter_object() {
        if let Some(level) = level.as_str() {
            state.set(topic, level);
        }
    }
    state.apply();
    Ok(Answer::json(200, &state.shown()))
}

fn reset_levels(ctx: &Ctx) -> HandlerResult {
    only_for_admins(ctx)?;
    let mut state = STATE.lock();
    state.set.clear();
    state.apply();
    Ok(Answer::json(200, &state.shown()))
}

fn parameters(ctx: &Ctx) -> HandlerResult {
    only_for_admins(ctx)?;
    Ok(Answer::json(200, &STATE.lock().parameters()))
}

fn set_parameters(ctx: &Ctx) -> HandlerResult {
    only_for_admins(ctx)?;
    let body = ctx.json()?;
    let mut state = STATE.lock();
    for (position, name) in PARAMETERS.into_iter().enumerate() {
        if let Some(named) = body.get(name).as_bool() {
            state.named[position] = named;
        }
    }
    Ok(Answer::json(200, &state.parameters()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_set_for_the_part_that_does_the_work_of_the_topic() {
        let mut state = State::default();
        state.set("requests", "debug");
        state.set("agency", "TRACE");
        state.set("requests", "no such level");
        state.set("no such topic", "ERROR");
        assert_eq!(state.directives(), "aqlite::http=debug");
        assert_eq!(state.shown().get("requests").as_str(), Some("DEBUG"));
        assert_eq!(state.shown().get("agency").as_str(), Some("TRACE"));
        assert_eq!(state.shown().get("startup").as_str(), Some("INFO"));
    }

    #[test]
    fn a_filter_has_a_level_for_all_and_for_modules_the_later_one_counts_and_gaps_say_nothing() {
        use tracing::Level;
        let filter = log_filter("info, aqlite::http=debug,,aqlite::http=warn,").expect("a filter");
        let shown = |target: &str, level| filter.would_enable(target, &level);
        assert!(shown("tracewright", Level::INFO) && !shown("tracewright", Level::DEBUG));
        assert!(shown("aqlite::http::router", Level::WARN) && !shown("aqlite::http", Level::INFO));
        assert!(log_filter("info,aqlite=loud").is_err());
    }

    #[test]
    fn all_topics_can_be_set_at_once_and_general_is_everything() {
        let mut state = State::default();
        state.set("all", "ERROR");
        state.set("general", "WARN");
        assert!(state.directives().ends_with(",warn"), "{}", state.directives());
        assert!(TOPICS.iter().all(|(topic, _)| state.set.contains_key(topic)));
    }
}
