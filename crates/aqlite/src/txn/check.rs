//! Checking that everything stored fits together.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Store;
use super::clock::revision_text;
use super::entries::stored_entries;
use super::snapshot::Snapshot;
use super::view::View;
use crate::Result;
use crate::catalog::{Collection, IndexKind, names};
use crate::error::code;
use crate::storage::{Bounds, Faults, MemTable, Space, damaged, edge_key};
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

    /// Notes pages that are damaged, before all that follows from them.
    pub(super) fn damaged_pages(&mut self, faults: &Faults) {
        let pages = faults.all();
        self.problem_count += pages.len() as u64;
        self.problems.splice(0..0, pages);
        self.problems.truncate(MOST_DESCRIBED);
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

    /// The same, and tells every problem. Where something cannot be read, the rest is.
    pub fn check(&self, watch: &mut dyn Watch) -> Result<Findings> {
        let snapshot = self.shared().current();
        let view = View::new(self.shared(), &snapshot, &MemTable::default());
        let (clock, tick) = (self.shared().clock.last(), self.shared().tick.last());
        let findings = Findings::default();
        let faults = self.faults();
        let mut check = Check {
            snapshot: &snapshot,
            view: &view,
            watch,
            findings,
            expected: FxHashMap::default(),
            clock,
            faults,
            damaged_reads: faults.refused(),
            unread: FxHashSet::default(),
        };
        for database in snapshot.catalog.databases() {
            for collection in database.collections() {
                let ids = collection.indexes.iter().map(|index| index.id).chain(collection.objects());
                if let Some(id) = ids.chain([collection.id, database.id]).find(|id| *id > tick) {
                    check
                        .findings
                        .problem(format!("number {id} is in use by {} and could be given again", collection.name));
                }
                let count = check.readable(collection, view.count(collection))?.unwrap_or_default();
                check.watch.begin(&format!("{}/{}", database.name, collection.name), count);
                check.collection(collection)?;
            }
        }
        for space in Space::OF_DOCUMENTS {
            check.space(space)?;
        }
        check.findings.damaged_pages(faults);
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
    faults: &'a Faults,
    /// How often a damaged page was come to.
    damaged_reads: u64,
    /// The collections of which something cannot be read: their entries cannot be counted.
    unread: FxHashSet<u64>,
}

impl Check<'_> {
    /// What was read of a collection; `None` where it is damaged.
    fn readable<T>(&mut self, c: &Collection, read: Result<T>) -> Result<Option<T>> {
        if read.is_err() {
            self.unread.extend(c.objects());
        }
        self.undamaged(read)
    }

    /// What was read; `None` where it is damaged. Pages are told at the end, each of them once.
    fn undamaged<T>(&mut self, read: Result<T>) -> Result<Option<T>> {
        let error = match read {
            Ok(value) => return Ok(Some(value)),
            Err(error) if error.num != code::DATADIR_INVALID => return Err(error),
            Err(error) => error,
        };
        if std::mem::replace(&mut self.damaged_reads, self.faults.refused()) == self.faults.refused() {
            self.findings.problem(error.message);
        }
        Ok(None)
    }

    /// Every document, and that everything which must be known of it is there.
    fn collection(&mut self, c: &Collection) -> Result<()> {
        let mut last = 0;
        let mut count = 0;
        if let Some(mut scan) = self.readable(c, self.view.scan(c, false))? {
            while let Some(Some((id, document))) = self.readable(c, scan.next())? {
                (last, count) = (id, count + 1);
                self.stored(c, id, &document)?;
                if count % STRIDE == 0 {
                    self.watch.at(count);
                }
            }
        }
        if self.unread.contains(&c.object()) {
            count += self.by_keys(c, last)?;
        }
        self.expect(Space::Docs, c.object(), count);
        self.findings.documents += count;
        let counted = self.readable(c, self.view.count(c))?;
        if counted.is_some_and(|counted| counted != count) && !self.unread.contains(&c.object()) {
            self.findings.problem(format!(
                "{} has {count} documents but counts {}",
                c.name,
                counted.unwrap_or_default()
            ));
        }
        Ok(())
    }

    /// The documents that a scan does not come to because of a damaged page, behind the last one it has come to. Those
    /// that cannot be read are told by their keys.
    fn by_keys(&mut self, c: &Collection, last: u64) -> Result<u64> {
        let Some(primary) = c.indexes.iter().find(|index| index.kind == IndexKind::Primary) else { return Ok(0) };
        let mut count = 0;
        // where the keys cannot be read to the end, from the other end on
        for reverse in [false, true] {
            let Some(mut keys) = self.readable(c, self.view.range(c, primary, &[], None, reverse))? else { continue };
            while let Some(id) = self.readable(c, keys.next())? {
                let Some(id) = id else { return Ok(count) };
                if id <= last {
                    continue;
                }
                match self.readable(c, self.view.by_id(c, id))? {
                    Some(Some(document)) => {
                        count += 1;
                        self.stored(c, id, &document)?;
                    }
                    Some(None) => self.wrong(c, &String::from_utf8_lossy(keys.key()), "the primary index"),
                    None => {
                        let key = String::from_utf8_lossy(keys.key());
                        self.findings.problem(format!("document {}/{key} cannot be read", c.name));
                    }
                }
            }
        }
        Ok(count)
    }

    /// A document, and its entries in every index.
    fn stored(&mut self, c: &Collection, id: u64, document: &Value) -> Result<()> {
        let key = document.get("_key");
        let key = key.as_str().unwrap_or_default();
        self.document(c, id, key, document)?;
        let origin = self.snapshot.origin(c.object(), document);
        let Some(origin) = self.readable(c, origin)? else { return Ok(()) };
        let origin = origin.unwrap_or(id);
        for index in c.secondary() {
            let Ok(entries) = stored_entries(index, origin, id, document) else {
                self.wrong(c, key, &format!("index {}", index.name));
                continue;
            };
            for (at, value) in entries {
                let Some(found) = self.readable(c, self.snapshot.get(Space::Index, &at))? else { continue };
                if found.is_none_or(|found| found != value) {
                    self.wrong(c, key, &format!("index {}", index.name));
                } else {
                    self.expect(Space::Index, index.object(), 1);
                }
            }
        }
        Ok(())
    }

    fn document(&mut self, c: &Collection, id: u64, key: &str, document: &Value) -> Result<()> {
        match self.readable(c, self.view.id_of_key(c, key))? {
            Some(Some(found)) if found == id => self.expect(Space::Primary, c.object(), 1),
            Some(_) => self.wrong(c, key, "the primary index"),
            None => {}
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
            let found = self.snapshot.get(Space::Edges, &edge_key(c.object(), outbound, vertex, id));
            match self.readable(c, found)? {
                Some(Some(value)) if value == other.as_bytes() => self.expect(Space::Edges, c.object(), 1),
                Some(_) => self.wrong(c, key, "the edge index"),
                None => {}
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
        let mut found: FxHashMap<u64, u64> = FxHashMap::default();
        if !self.entries(space, false, &mut found)? {
            // what is behind a damaged page is come to from the other end; nothing of it can be counted
            self.entries(space, true, &mut found)?;
            return Ok(());
        }
        // what nobody needs any more goes little by little
        let Some(garbage) = self.undamaged(self.snapshot.garbage())? else { return Ok(()) };
        for (id, count) in found.into_iter().filter(|(id, _)| !garbage.contains(id) && !self.unread.contains(id)) {
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

    /// Counts the entries of each collection and index in a table; `false`: not all can be read.
    fn entries(&mut self, space: Space, reverse: bool, found: &mut FxHashMap<u64, u64>) -> Result<bool> {
        let cursor = self.snapshot.cursor(None, space, &Bounds::ALL, reverse);
        let Some(mut cursor) = self.undamaged(cursor)? else { return Ok(false) };
        let mut count = 0;
        let is_whole = loop {
            match self.undamaged(cursor.advance())? {
                None => break false,
                Some(false) => break true,
                Some(true) => {}
            }
            let id = cursor.key().first_chunk().map_or(0, |b| u64::from_be_bytes(*b));
            *found.entry(id).or_default() += 1;
            count += 1;
            if count % STRIDE == 0 {
                self.watch.at(count);
            }
        };
        if space != Space::Docs {
            self.findings.entries += count;
        }
        Ok(is_whole)
    }
}
