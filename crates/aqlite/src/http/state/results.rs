//! The cache of query results: off unless somebody turns it on, and right even then, because an entry is used only while
//! the collections it was read from are as they were.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;

use crate::Result;
use crate::http::clock::iso_seconds;
use crate::memory::{Budget, Share};
use crate::value::{Object, SmolStr, Value};

/// When results are cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Off,
    /// Unless a query says no.
    On,
    /// Where a query says yes.
    Demand,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Demand => "demand",
        }
    }
}

/// Settings of the cache.
struct Properties {
    mode: Mode,
    max_results: usize,
    max_results_size: usize,
    max_entry_size: usize,
    include_system: bool,
}

impl Default for Properties {
    fn default() -> Self {
        Self {
            mode: Mode::Off,
            max_results: 128,
            max_results_size: 268_435_456,
            max_entry_size: 16_777_216,
            include_system: false,
        }
    }
}

impl Properties {
    fn apply(&mut self, body: &Value) {
        let number = |name, old| body.get(name).as_amount().unwrap_or(old);
        if let Some(mode) = body.get("mode").as_str() {
            // what is not a mode turns the cache off
            self.mode = [Mode::On, Mode::Demand].into_iter().find(|m| m.name() == mode).unwrap_or(Mode::Off);
        }
        self.max_results = number("maxResults", self.max_results);
        self.max_results_size = number("maxResultsSize", self.max_results_size);
        self.max_entry_size = number("maxEntrySize", self.max_entry_size);
        self.include_system = body.get("includeSystem").as_bool().unwrap_or(self.include_system);
    }

    fn to_object(&self) -> Object {
        let number = |n: usize| Value::Int(n as i64);
        let mut object = Object::default();
        let mut set = |name: &'static str, value| object.insert(name.into(), value);
        set("mode", Value::str(self.mode.name()));
        set("maxResults", number(self.max_results));
        set("maxResultsSize", number(self.max_results_size));
        set("maxEntrySize", number(self.max_entry_size));
        set("includeSystem", Value::Bool(self.include_system));
        object
    }
}

/// What a result belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The database.
    pub database: SmolStr,
    /// The text of the query.
    pub text: String,
    /// Its parameters and what else changes the answer, as JSON text.
    pub parameters: String,
}

/// A collection a result was read from, and how it was then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Name of the collection.
    pub name: SmolStr,
    /// Its number.
    pub id: u64,
    /// What changes with every change of its documents.
    pub last_change: (u64, u64),
}

/// A cached result.
pub struct CachedResult {
    key: Key,
    bind_vars: Value,
    /// Its rows.
    pub rows: Vec<Value>,
    /// Where they came from.
    pub sources: Vec<Source>,
    size: usize,
    /// The memory it takes.
    share: Share,
    hits: Mutex<i64>,
    started: SystemTime,
    run_time: f64,
}

impl CachedResult {
    /// A result that took so many seconds.
    pub fn new(key: Key, bind_vars: Value, rows: Vec<Value>, sources: Vec<Source>, run_time: f64) -> Self {
        let size = rows.iter().map(|row| size_of::<Value>() + row.memory()).sum::<usize>() + key.text.len();
        let share = Share::default();
        Self { key, bind_vars, rows, sources, size, share, hits: Mutex::new(0), started: SystemTime::now(), run_time }
    }

    /// Takes the memory it needs.
    pub fn hold(&mut self, memory: &Arc<Budget>) -> Result<()> {
        self.share = Share::of(memory);
        self.share.resize(self.size)
    }

    fn to_value(&self, hash: usize) -> Value {
        let given = Some(self.bind_vars.clone()).filter(Value::is_object);
        Value::from_pairs([
            ("hash", Value::str(hash.to_string())),
            ("query", Value::str(self.key.text.clone())),
            ("bindVars", given.unwrap_or_else(|| Value::object(Object::default()))),
            ("size", Value::Int(self.size as i64)),
            ("results", Value::Int(self.rows.len() as i64)),
            ("started", Value::str(iso_seconds(self.started))),
            ("hits", Value::Int(*self.hits.lock())),
            ("runTime", Value::float(self.run_time)),
            ("dataSources", Value::array(self.sources.iter().map(|s| Value::Str(s.name.clone())).collect())),
        ])
    }
}

/// The cache.
#[derive(Default)]
pub struct Results {
    properties: Mutex<Properties>,
    /// The newest last.
    entries: Mutex<VecDeque<Arc<CachedResult>>>,
}

impl Results {
    /// Takes over what a body gives of the settings, and shows them.
    pub fn properties(&self, body: &Value) -> Object {
        let mut properties = self.properties.lock();
        properties.apply(body);
        if properties.mode == Mode::Off {
            self.entries.lock().clear();
        }
        properties.to_object()
    }

    /// May the result of a query that asks for caching, or asks for none, be cached?
    pub fn wanted(&self, asked: Option<bool>) -> bool {
        match self.properties.lock().mode {
            Mode::Off => false,
            Mode::On => asked != Some(false),
            Mode::Demand => asked == Some(true),
        }
    }

    /// The result of a query, whether it is up to date or not.
    pub fn get(&self, key: &Key) -> Option<Arc<CachedResult>> {
        self.entries.lock().iter().find(|entry| entry.key == *key).cloned()
    }

    /// Notes that a result was used.
    pub fn hit(entry: &CachedResult) {
        *entry.hits.lock() += 1;
    }

    /// Forgets the result of a query.
    pub fn remove(&self, key: &Key) {
        self.entries.lock().retain(|entry| entry.key != *key);
    }

    /// Keeps a result, unless it is too large; the oldest ones make room.
    pub fn add(&self, entry: CachedResult) {
        let properties = self.properties.lock();
        let system = entry.sources.iter().any(|s| s.name.starts_with('_'));
        if entry.size > properties.max_entry_size || (system && !properties.include_system) {
            return;
        }
        let mut entries = self.entries.lock();
        entries.retain(|other| other.key != entry.key);
        entries.push_back(Arc::new(entry));
        let size = |entries: &VecDeque<Arc<CachedResult>>| entries.iter().map(|e| e.size).sum::<usize>();
        while entries.len() > properties.max_results || size(&entries) > properties.max_results_size {
            entries.pop_front();
        }
    }

    /// The entries of a database whose sources are all readable, as the API shows them.
    pub fn list(&self, database: &str, readable: impl Fn(&Source) -> bool) -> Vec<Value> {
        let entries = self.entries.lock();
        let of_database = entries.iter().enumerate().filter(|(_, entry)| entry.key.database == database);
        let of_database = of_database.filter(|(_, entry)| entry.sources.iter().all(&readable));
        of_database.map(|(position, entry)| entry.to_value(position)).collect()
    }

    /// Forgets all of them.
    pub fn clear_all(&self) {
        let entries = std::mem::take(&mut *self.entries.lock());
        drop(entries);
    }

    /// Forgets the results of a database.
    pub fn clear(&self, database: &str) {
        self.entries.lock().retain(|entry| entry.key.database != database);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

    fn key(text: &str) -> Key {
        Key { database: "d".into(), text: text.to_owned(), parameters: String::new() }
    }

    fn entry(text: &str) -> CachedResult {
        CachedResult::new(key(text), Value::Null, vec![Value::Int(1)], Vec::new(), 0.0)
    }

    fn cache(properties: &str) -> Results {
        let results = Results::default();
        results.properties(&parse_json(properties).expect("JSON"));
        results
    }

    #[test]
    fn the_mode_and_the_query_decide_together() {
        let wanted = |mode: &str| {
            let results = cache(&format!(r#"{{"mode":"{mode}"}}"#));
            [None, Some(true), Some(false)].map(|asked| results.wanted(asked))
        };
        assert_eq!(wanted("off"), [false, false, false]);
        assert_eq!(wanted("on"), [true, true, false]);
        assert_eq!(wanted("demand"), [false, true, false]);
        assert_eq!(wanted("sometimes"), [false, false, false]);
    }

    #[test]
    fn the_oldest_results_make_room() {
        let results = cache(r#"{"mode":"on","maxResults":2}"#);
        for text in ["a", "b", "c"] {
            results.add(entry(text));
        }
        assert!(results.get(&key("a")).is_none());
        assert!(results.get(&key("c")).is_some());
        results.clear("d");
        assert!(results.list("d", |_| true).is_empty());
    }

    #[test]
    fn a_result_that_is_too_large_is_not_kept() {
        let results = cache(r#"{"mode":"on","maxEntrySize":1}"#);
        results.add(entry("a"));
        assert!(results.get(&key("a")).is_none());
    }
}
