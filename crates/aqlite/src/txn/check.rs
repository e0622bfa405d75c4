//! Checking that everything stored fits together.

use rustc_hash::FxHashMap;

use super::Store;
use super::clock::revision_text;
use super::entries::stored_entries;
use super::snapshot::Snapshot;
use super::view::View;
use crate::Result;
use crate::catalog::{Collection, names};
use crate::storage::{Bounds, MemTable, Space, damaged, edge_key};
use crate::value::Value;

/// So many problems are described; the others are only counted.
const MOST_DESCRIBED: usize = 100;
/// A watcher hears of every so many steps.
const STRIDE: u64 = 1024;

/// Is told how far a check is.
pub trait Watch {
    /// A part of it begins; so many steps are to be done, none where that cannot be told.
    fn begin(&mut self, part: &str, steps: u64);
    /// So many of them are done.
    fn at(&mut self, done: u64);
}

/// Nobody looks.
impl Watch for () {
    fn begin(&mut self, _: &str, _: u64) {}
    fn at(&mut self, _: u64) {}
}

/// What a check has found.
#[derive(Debug, Default)]
pub struct Findings {
    /// What is wrong, in words: the first hundred problems.
    pub problems: Vec<String>,
    /// How many problems there are.
    pub problem_count: u64,
    /// How many documents were read.
    pub documents: u64,
    /// How many entries of indexes were read.
    pub entries: u64,
}

impl Findings {
    /// Notes a problem.
    pub(super) fn problem(&mut self, what: String) {
        if self.problems.len() < MOST_DESCRIBED {
            self.problems.push(what);
        }
        self.problem_count += 1;
    }
}

impl Store {
    /// Checks that all indexes and counts agree with the documents, and that nothing is left over. Reads everything.
    /// The first problem is an error.
    pub fn verify(&self) -> Result<()> {
        match self.check(&mut ())?.problems.first() {
            Some(problem) => Err(damaged(problem)),
            None => Ok(()),
        }
    }

    /// The same, and tells every problem.
    pub fn check(&self, watch: &mut dyn Watch) -> Result<Findings> {
        let snapshot = self.shared().current();
        let view = View::new(self.shared(), &snapshot, &MemTable::default());
        let (clock, tick) = (self.shared().clock.last(), self.shared().tick.last());
        let findings = Findings::default();
        let mut check =
            Check { snapshot: &snapshot, view: &view, watch, findings, expected: FxHashMap::default(), clock };
        for database in snapshot.catalog.databases() {
            for collection in database.collections() {
                let ids = collection.indexes.iter().map(|index| index.id).chain(collection.objects());
                if let Some(id) = ids.chain([collection.id, database.id]).find(|id| *id > tick) {
                    check
                        .findings
                        .problem(format!("number {id} is in use by {} and could be given again", collection.name));
                }
                check.watch.begin(&format!("{}/{}", database.name, collection.name), view.count(collection)?);
                check.collection(collection)?;
            }
        }
        for space in Space::OF_DOCUMENTS {
            check.space(space)?;
        }
        Ok(check.findings)
    }
}

struct Check<'a> {
    snapshot: &'a Snapshot,
    view: &'a View,
    watch: &'a mut dyn Watch,
    findings: Findings,
    /// How many entries each collection and index must have in each table.
    expected: FxHashMap<(Space, u64), u64>,
    /// The greatest document id that was given.
    clock: u64,
}

impl Check<'_> {
    /// Every document, and that everything which must be known of it is there.
    fn collection(&mut self, c: &Collection) -> Result<()> {
        let mut scan = self.view.scan(c, false)?;
        let mut count = 0;
        while let Some((id, document)) = scan.next()? {
            count += 1;
            let key = document.get("_key");
            let key = key.as_str().unwrap_or_default();
            self.document(c, id, key, &document)?;
            let origin = self.snapshot.origin(c.object(), &document)?.unwrap_or(id);
            for index in c.secondary() {
                let Ok(entries) = stored_entries(index, origin, id, &document) else {
                    self.wrong(c, key, &format!("index {}", index.name));
                    continue;
                };
                for (at, value) in entries {
                    let found = self.snapshot.get(Space::Index, &at)?;
                    if found.is_none_or(|found| found != value) {
                        self.wrong(c, key, &format!("index {}", index.name));
                    } else {
                        self.expect(Space::Index, index.object(), 1);
                    }
                }
            }
            if count % STRIDE == 0 {
                self.watch.at(count);
            }
        }
        self.expect(Space::Docs, c.object(), count);
        self.findings.documents += count;
        let counted = self.view.count(c)?;
        if counted != count {
            self.findings.problem(format!("{} has {count} documents but counts {counted}", c.name));
        }
        Ok(())
    }

    fn document(&mut self, c: &Collection, id: u64, key: &str, document: &Value) -> Result<()> {
        if self.view.id_of_key(c, key)? == Some(id) {
            self.expect(Space::Primary, c.object(), 1);
        } else {
            self.wrong(c, key, "the primary index");
        }
        if !names::is_key(key) {
            self.wrong(c, key, "_key");
        }
        let handle = document.get("_id");
        if handle.as_str().and_then(|h| h.split_once('/')) != Some((c.name.as_str(), key)) {
            self.wrong(c, key, "_id");
        }
        if document.get("_rev").as_str() != Some(&revision_text(id)) || id > self.clock {
            self.wrong(c, key, "_rev");
        }
        if !c.is_edge() {
            return Ok(());
        }
        let (from, to) = (document.get("_from"), document.get("_to"));
        for (name, vertex) in [("_from", &from), ("_to", &to)] {
            if !vertex.as_str().is_some_and(names::is_document_id) {
                self.wrong(c, key, name);
            }
        }
        let (from, to) = (from.to_text(), to.to_text());
        for (outbound, vertex, other) in [(true, &from, &to), (false, &to, &from)] {
            let found = self.snapshot.get(Space::Edges, &edge_key(c.object(), outbound, vertex, id))?;
            if found.is_none_or(|value| value != other.as_bytes()) {
                self.wrong(c, key, "the edge index");
            } else {
                self.expect(Space::Edges, c.object(), 1);
            }
        }
        Ok(())
    }

    fn expect(&mut self, space: Space, id: u64, more: u64) {
        *self.expected.entry((space, id)).or_default() += more;
    }

    fn wrong(&mut self, c: &Collection, key: &str, what: &str) {
        self.findings.problem(format!("{what} of {}/{key} does not fit", c.name));
    }

    /// Every entry of a table: those that belong to a document were counted, so that a larger number tells of others.
    fn space(&mut self, space: Space) -> Result<()> {
        self.watch.begin(space.name(), self.expected.iter().filter(|((of, _), _)| *of == space).map(|(_, n)| n).sum());
        let mut cursor = self.snapshot.cursor(None, space, &Bounds::ALL, false)?;
        let mut found: FxHashMap<u64, u64> = FxHashMap::default();
        let mut count = 0;
        while cursor.advance()? {
            let id = cursor.key().first_chunk().map_or(0, |b| u64::from_be_bytes(*b));
            *found.entry(id).or_default() += 1;
            count += 1;
            if count % STRIDE == 0 {
                self.watch.at(count);
            }
        }
        if space != Space::Docs {
            self.findings.entries += count;
        }
        // what nobody needs any more goes little by little
        let garbage = self.snapshot.garbage()?;
        for (id, count) in found.into_iter().filter(|(id, _)| !garbage.contains(id)) {
            let wanted = self.expected.get(&(space, id)).copied().unwrap_or(0);
            if count != wanted {
                let name = self.snapshot.catalog.name_of(id);
                let owner = name.unwrap_or_else(|| format!("number {id}, which nothing has,"));
                self.findings.problem(format!(
                    "{owner} has {count} entries in {}, of which {wanted} belong to a document",
                    space.name()
                ));
            }
        }
        Ok(())
    }
}
