//! The queries that run, so that they can be listed and killed, and the slow ones of the past.

use std::collections::{HashMap, VecDeque};
use std::time::{Instant, SystemTime};

use parking_lot::Mutex;

use crate::auth::{Identity, Owner};
use crate::error::code;
use crate::exec::Kill;
use crate::http::clock::iso_seconds;
use crate::http::metrics::Metrics;
use crate::http::state::recent::{Query, Recent};
use crate::storage::at_hand;
use crate::value::{Object, SmolStr, Value};
use crate::{Error, Result};

/// What is kept about queries of a database; the names of the API.
#[derive(Clone, Debug)]
pub struct Properties {
    enabled: bool,
    track_slow_queries: bool,
    track_bind_vars: bool,
    max_slow_queries: usize,
    slow_query_threshold: f64,
    slow_streaming_query_threshold: f64,
    max_query_string_length: usize,
}

impl Default for Properties {
    fn default() -> Self {
        Self {
            enabled: true,
            track_slow_queries: true,
            track_bind_vars: true,
            max_slow_queries: 64,
            slow_query_threshold: 10.0,
            slow_streaming_query_threshold: 10.0,
            max_query_string_length: 4096,
        }
    }
}

impl Properties {
    /// As the API shows them.
    pub fn to_object(&self) -> Object {
        let mut object = Object::default();
        let mut set = |name: &'static str, value| object.insert(name.into(), value);
        set("enabled", Value::Bool(self.enabled));
        set("trackSlowQueries", Value::Bool(self.track_slow_queries));
        set("trackBindVars", Value::Bool(self.track_bind_vars));
        set("maxSlowQueries", Value::Int(self.max_slow_queries as i64));
        set("slowQueryThreshold", Value::float(self.slow_query_threshold));
        set("slowStreamingQueryThreshold", Value::float(self.slow_streaming_query_threshold));
        set("maxQueryStringLength", Value::Int(self.max_query_string_length as i64));
        object
    }

    /// Takes over what a body gives.
    pub fn apply(&mut self, body: &Value) {
        let flag = |name, old| body.get(name).as_bool().unwrap_or(old);
        let size = |name, old| body.get(name).as_amount().unwrap_or(old);
        let number = |name, old| body.get(name).as_f64().unwrap_or(old);
        self.enabled = flag("enabled", self.enabled);
        self.track_slow_queries = flag("trackSlowQueries", self.track_slow_queries);
        self.track_bind_vars = flag("trackBindVars", self.track_bind_vars);
        self.max_slow_queries = size("maxSlowQueries", self.max_slow_queries);
        self.slow_query_threshold = number("slowQueryThreshold", self.slow_query_threshold);
        self.slow_streaming_query_threshold =
            number("slowStreamingQueryThreshold", self.slow_streaming_query_threshold);
        self.max_query_string_length = size("maxQueryStringLength", self.max_query_string_length);
    }
}

/// What is known about a query when it starts.
pub struct Running {
    /// Its database.
    pub database: SmolStr,
    /// Who asked.
    pub owner: Owner,
    /// Its text.
    pub text: SmolStr,
    /// Its parameters.
    pub bind_vars: Value,
    /// A streaming query?
    pub stream: bool,
    /// The job it belongs to.
    pub job: Option<u64>,
}

/// Which queries somebody asks about.
pub struct Scope {
    /// Those of a database, or of every one.
    pub database: Option<SmolStr>,
    /// Those of this one, or of everybody.
    pub user: Option<Identity>,
}

impl Scope {
    fn covers(&self, database: &str) -> bool {
        self.database.as_ref().is_none_or(|own| own == database)
    }

    fn admits(&self, owner: &Owner) -> bool {
        self.user.as_ref().is_none_or(|user| user.is(owner))
    }
}

struct RunningQuery {
    info: Running,
    kill: Kill,
    started: Instant,
    wall: SystemTime,
}

impl RunningQuery {
    fn to_object(&self, id: u64, properties: &Properties, state: &str) -> Object {
        let text: String = self.info.text.chars().take(properties.max_query_string_length).collect();
        let mut object = Object::default();
        let mut set = |name: &'static str, value| object.insert(name.into(), value);
        set("id", Value::str(id.to_string()));
        set("database", Value::Str(self.info.database.clone()));
        set("user", Value::Str(self.info.owner.name.clone()));
        set("query", Value::str(text));
        if properties.track_bind_vars {
            let given = Some(self.info.bind_vars.clone()).filter(Value::is_object);
            set("bindVars", given.unwrap_or_else(|| Value::object(Object::default())));
        }
        set("started", Value::str(iso_seconds(self.wall)));
        set("runTime", Value::float(self.started.elapsed().as_secs_f64()));
        set("state", Value::str(state.to_owned()));
        set("stream", Value::Bool(self.info.stream));
        set("modificationQuery", Value::Bool(self.kill.modifies()));
        set("peakMemoryUsage", Value::Int(self.kill.peak_memory() as i64));
        object
    }
}

/// All queries.
#[derive(Default)]
pub struct Queries {
    running: Mutex<HashMap<u64, RunningQuery>>,
    slow: Mutex<HashMap<SmolStr, VecDeque<(Owner, Value)>>>,
    properties: Mutex<HashMap<SmolStr, Properties>>,
    recent: Recent<Query>,
}

impl Queries {
    /// Enters a query; the guard takes it out again.
    pub fn enter<'a>(&'a self, metrics: &'a Metrics, id: u64, info: Running, kill: Kill) -> Guard<'a> {
        // one that is only tried is noted when it has worked
        let tried = !at_hand::may_wait();
        if !tried {
            self.note(&info);
        }
        let entry = RunningQuery { info, kill, started: Instant::now(), wall: SystemTime::now() };
        self.running.lock().insert(id, entry);
        Guard { queries: self, metrics, id, exit_code: i64::from(code::QUERY_KILLED), tried }
    }

    fn note(&self, info: &Running) {
        self.recent.note(Query::now(&info.text, &info.bind_vars, &info.database));
    }

    /// What is kept about queries of a database.
    pub fn properties(&self, database: &str) -> Properties {
        self.properties.lock().get(database).cloned().unwrap_or_default()
    }

    /// Changes what is kept about queries of a database.
    pub fn set_properties(&self, database: &str, body: &Value) -> Properties {
        let mut all = self.properties.lock();
        let properties = all.entry(database.into()).or_default();
        properties.apply(body);
        properties.clone()
    }

    /// The queries that run.
    pub fn current(&self, scope: &Scope) -> Vec<Value> {
        let running = self.running.lock();
        let mut entries: Vec<_> =
            running.iter().filter(|(_, e)| scope.covers(&e.info.database) && scope.admits(&e.info.owner)).collect();
        entries.sort_unstable_by_key(|(id, _)| **id);
        let shown = entries.into_iter().map(|(id, entry)| {
            let properties = self.properties(&entry.info.database);
            Value::object(entry.to_object(*id, &properties, "executing"))
        });
        shown.collect()
    }

    /// The slow queries of the past.
    pub fn slow(&self, scope: &Scope) -> Vec<Value> {
        let slow = self.slow.lock();
        let lists = slow.iter().filter(|(database, _)| scope.covers(database)).flat_map(|(_, list)| list);
        lists.filter(|(owner, _)| scope.admits(owner)).map(|(_, query)| query.clone()).collect()
    }

    /// The last queries of all databases, the newest first.
    pub fn recent(&self) -> Vec<Value> {
        self.recent.newest_first()
    }

    /// How many run.
    pub fn len(&self) -> usize {
        self.running.lock().len()
    }

    /// Forgets slow queries.
    pub fn clear_slow(&self, scope: &Scope) {
        for (_, list) in self.slow.lock().iter_mut().filter(|(database, _)| scope.covers(database)) {
            list.retain(|(owner, _)| !scope.admits(owner));
        }
    }

    /// Stops a query.
    pub fn kill(&self, scope: &Scope, id: &str) -> Result<()> {
        let not_found = || Error::new(code::QUERY_NOT_FOUND, "query ID not found in query list");
        let id: u64 = id.parse().map_err(|_| not_found())?;
        let running = self.running.lock();
        let entry = running.get(&id).filter(|e| scope.covers(&e.info.database)).ok_or_else(not_found)?;
        if !scope.admits(&entry.info.owner) {
            return Err(Error::plain(code::FORBIDDEN));
        }
        entry.kill.kill();
        Ok(())
    }

    /// Stops the queries of a job, or, for `None`, every one.
    pub fn kill_of(&self, job: Option<u64>) {
        for entry in self.running.lock().values().filter(|e| job.is_none() || e.info.job == job) {
            entry.kill.kill();
        }
    }

    fn leave(&self, metrics: &Metrics, id: u64, exit_code: i64, tried: bool) {
        let Some(entry) = self.running.lock().remove(&id) else { return };
        if tried {
            self.note(&entry.info);
        }
        metrics.queries.inc();
        metrics.query_time.observe(entry.started.elapsed().as_secs_f64());
        let properties = self.properties(&entry.info.database);
        let threshold =
            if entry.info.stream { properties.slow_streaming_query_threshold } else { properties.slow_query_threshold };
        if !properties.enabled || !properties.track_slow_queries || entry.started.elapsed().as_secs_f64() < threshold {
            return;
        }
        metrics.slow_queries.inc();
        let mut object = entry.to_object(id, &properties, "finished");
        object.insert("exitCode".into(), Value::Int(exit_code));
        let mut slow = self.slow.lock();
        let list = slow.entry(entry.info.database).or_default();
        list.push_back((entry.info.owner, Value::object(object)));
        while list.len() > properties.max_slow_queries {
            list.pop_front();
        }
    }
}

/// Takes a query out of the list when it ends, however it ends.
pub struct Guard<'a> {
    queries: &'a Queries,
    metrics: &'a Metrics,
    id: u64,
    exit_code: i64,
    /// Is it not sure that it will work?
    tried: bool,
}

impl Guard<'_> {
    /// It did not work: it was no query.
    pub fn abandon(&mut self) {
        self.queries.running.lock().remove(&self.id);
    }

    /// Notes how the query ended.
    pub fn ended<T>(&mut self, result: &Result<T>) {
        self.exit_code = result.as_ref().map_or_else(|e| i64::from(e.num), |_| 0);
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.queries.leave(self.metrics, self.id, self.exit_code, self.tried);
    }
}
