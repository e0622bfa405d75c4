//! Whether what is stored follows from what was recorded: `tracewright check --deep` reads the journal and tells where it does
//! not.
//!
//! Events are the truth about what was recorded by them. What has no event, imported from an earlier system or written by a
//! query, is counted and not judged; where events know a part only, that part is. Of a work order, a serial, an issue or a task
//! the events are read by its key and played again (`production`, `serials`, `collaboration`); movements, counts and messages
//! are held against the one event that made them what they are, and stock against the sum of its movements (`stock`,
//! `counting`). The journal itself has every event that made or was made by another one (`journal`). What was changed without
//! events has its own chain (`changes`).
//!
//! Everything is read in portions, in one transaction and so at one moment. What stays in memory is a line for each product at a
//! position and for each counting session.

mod changes;
mod collaboration;
mod counting;
mod journal;
mod production;
mod serials;
mod stock;

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use aqlite::txn::Watch;
use serde_json::Value;

use crate::error::Result;
use crate::events::stock::{STANDINGS, is_same};
use crate::production::recompute;
use crate::store::{Access, Query, Store, Transaction};
use crate::{aql, clock};

/// Differences that are told one by one.
const TOLD: usize = 100;

/// Everything that is read by queries which name their collections.
fn queries() -> Vec<Query> {
    let own = [
        aql::audit::SOURCES,
        aql::audit::EVENTS_OF_ORDERS,
        aql::audit::ORDERS,
        aql::audit::EVENTS_OF_SERIALS,
        aql::audit::SERIALS,
        aql::audit::PLAIN_MOVEMENTS,
        aql::audit::EVENTS_OF_ISSUES,
        aql::audit::EVENTS_OF_TASKS,
        aql::audit::MARKS,
        aql::change::HEAD,
        aql::change::SEALED,
        STANDINGS,
    ];
    own.into_iter().chain(recompute::DERIVING).collect()
}

/// Collections that are read beside those.
const READ: [&str; 8] = [
    "Event",
    "InventoryCountAssignment",
    "InventoryCountSession",
    "MovementList",
    "Task",
    "User",
    "inventory_count_record",
    "message",
];

/// Something that is stored otherwise than events say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The document: its collection and key.
    pub id: String,
    /// What is different, in words.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.id, self.what)
    }
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Events that were read.
    pub events: u64,
    /// Changes without events in their chain.
    pub changes: u64,
    /// Documents that events tell of.
    pub judged: u64,
    /// Documents of the same kinds that no event tells of.
    pub unjudged: u64,
    /// How many differences there are.
    pub difference_count: u64,
    /// The first hundred of them.
    pub differences: Vec<Difference>,
}

/// Looks whether what is stored follows from what was recorded. Nothing is written.
pub async fn run(store: &Store, watch: &mut (dyn Watch + Send)) -> Result<Report> {
    let access = Access::of(&queries()).reading(&READ);
    let mut attempts = store.attempts(access);
    let trx = attempts.begin().await?;
    let mut audit = Audit { store, trx: &trx, watch, report: Report::default(), now: clock::now() };
    let (stock, counting) = journal::check(&mut audit).await?;
    counting.finish(&mut audit).await?;
    stock.finish(&mut audit).await?;
    production::check(&mut audit).await?;
    serials::check(&mut audit).await?;
    collaboration::check(&mut audit).await?;
    changes::check(&mut audit).await?;
    Ok(audit.report)
}

/// A check on its way.
struct Audit<'a> {
    store: &'a Store,
    trx: &'a Transaction,
    watch: &'a mut (dyn Watch + Send),
    report: Report,
    now: String,
}

impl Audit<'_> {
    /// A pass over a collection begins.
    async fn begin(&mut self, collection: &str) -> Result<()> {
        let steps = self.store.count(collection).await?;
        self.watch.begin(collection, steps);
        Ok(())
    }

    /// The next documents of a collection by their keys.
    async fn portion(&self, collection: &str, after: &str, limit: usize) -> Result<Vec<Value>> {
        aql::transfer::documents(self.trx, aql::transfer::documents::Params { collection, after, limit }).await
    }

    /// The documents with these keys.
    async fn named(&self, collection: &str, keys: BTreeSet<&str>) -> Result<HashMap<String, Value>> {
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        let keys = keys.into_iter().collect();
        let found = aql::change::named(self.trx, aql::change::named::Params { collection, keys }).await?;
        Ok(found.into_iter().map(|document| (text(&document, "_key").to_owned(), document)).collect())
    }

    /// Those of these keys that a collection does not have.
    async fn absent(&self, collection: &str, keys: &BTreeSet<&str>) -> Result<BTreeSet<String>> {
        if keys.is_empty() {
            return Ok(BTreeSet::new());
        }
        let params = aql::audit::known::Params { collection, keys: keys.iter().copied().collect() };
        let found: BTreeSet<String> = aql::audit::known(self.trx, params).await?.into_iter().collect();
        Ok(keys.iter().filter(|key| !found.contains(**key)).map(|key| (*key).to_owned()).collect())
    }

    /// Tells a difference.
    fn differs(&mut self, id: String, what: String) {
        self.report.difference_count += 1;
        if self.report.differences.len() < TOLD {
            self.report.differences.push(Difference { id, what });
        }
    }

    /// Holds a member against what events say of it. Numbers are the same within the tolerance of quantities, and what is not
    /// there is null.
    fn hold(&mut self, id: &str, name: &str, stored: &Value, recorded: &Value) {
        let same = match (stored.as_f64(), recorded.as_f64()) {
            (Some(stored), Some(recorded)) => is_same(stored, recorded),
            _ => stored == recorded,
        };
        if !same {
            self.differs(id.to_owned(), format!("{name} is {stored}, events say {recorded}"));
        }
    }

    /// The same for a member of a document.
    fn hold_member(&mut self, id: &str, name: &str, document: &Value, recorded: &Value) {
        self.hold(id, name, &document[name], recorded);
    }

    /// The same for several members.
    fn hold_all(&mut self, id: &str, stored: &Value, recorded: &Value) {
        for (name, value) in recorded.as_object().into_iter().flatten() {
            self.hold_member(id, name, stored, value);
        }
    }

    /// A document that should be there.
    fn is_missing(&mut self, id: String, event: &Value) {
        self.is_told(id, text(event, "_key"), text(event, "event_type"));
    }

    /// The same by the key and the type of the event.
    fn is_told(&mut self, id: String, event_key: &str, event_type: &str) {
        self.differs(id, format!("is missing, event {event_key} ({event_type}) tells of it"));
    }
}

/// What events say of something, where they say anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Said<T> {
    /// They do not tell.
    #[default]
    Nothing,
    /// What it is.
    That(T),
}

impl<T> Said<T> {
    fn get(&self) -> Option<&T> {
        match self {
            Self::That(said) => Some(said),
            Self::Nothing => None,
        }
    }
}

/// A member that is a text.
fn text<'v>(document: &'v Value, name: &str) -> &'v str {
    document[name].as_str().unwrap_or_default()
}

/// A member that is a number.
fn number(document: &Value, name: &str) -> f64 {
    document[name].as_f64().unwrap_or_default()
}

/// The text of a member that is there.
fn given<'v>(document: &'v Value, name: &str) -> Option<&'v str> {
    document[name].as_str().filter(|text| !text.is_empty())
}

/// Keys of a member that lists them.
fn listed<'v>(document: &'v Value, name: &str) -> impl Iterator<Item = &'v str> {
    document[name].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Events, or documents, by the key that one of their members names.
fn by<'v>(documents: &'v [Value], name: &str) -> HashMap<&'v str, Vec<&'v Value>> {
    grouped(documents, |document| text(document, name))
}

/// The same by a key of any kind of row.
fn grouped<'v, R>(rows: &'v [R], key: impl Fn(&'v R) -> &'v str) -> HashMap<&'v str, Vec<&'v R>> {
    let mut groups: HashMap<&str, Vec<&R>> = HashMap::new();
    for row in rows {
        groups.entry(key(row)).or_default().push(row);
    }
    groups
}
