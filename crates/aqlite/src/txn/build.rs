//! Building an index beside those who write.
//!
//! The documents of one state are read, their entries sorted in runs and brought into the tables piece by piece; then
//! those of the documents that were written meanwhile, until there are few. Only for the last of them writers of the
//! collection wait: these entries and the index itself are one commit. Until then nobody reads or writes the index, and a
//! note in the catalog says that what is stored under its number is garbage, which it is after a crash.

use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::applier::Fill;
use super::entries::stored_entries;
use super::locks::Held;
use super::snapshot::Snapshot;
use super::sorter::{Sorted, Sorter};
use super::store::Store;
use super::transaction::{DEFAULT_LOCK_TIMEOUT, lock_timeout};
use super::view::View;
use crate::catalog::{Collection, Index, IndexDefinition};
use crate::error::code;
use crate::seeded::SeededMap;
use crate::storage::{Bounds, MemTable, Space, doc_key, id_from};
use crate::value::Value;
use crate::{Error, Result};

/// So many entries are brought into the tables in one piece,
const PIECE: usize = 2048;
/// and of those that stand one behind the other in the index so many.
const SORTED_PIECE: usize = 8192;
/// After so many pieces they are made durable: syncs of the log wait for those of the data file on some disks, so that it
/// must never be much at once.
const PIECES: usize = 8;
/// For so few documents writers can wait.
const FEW: usize = 200;
/// Where writers are always faster, they have to wait for more.
const MOST_ROUNDS: usize = 20;
/// How long those that come later wait for a change of a collection that waits itself for transactions that write it,
const WRITERS_WAIT: Duration = Duration::from_millis(30);
/// and how long they are then let pass, at first and at last.
const LET_PASS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(250));

/// The documents of a collection that were written since somebody began to look.
pub(crate) struct Watched {
    object: u64,
    /// The record of the log each was written with, and its id.
    written: Mutex<Vec<(u64, u64)>>,
}

impl Watched {
    pub fn new(collection: &Collection) -> Arc<Self> {
        Arc::new(Self { object: collection.object(), written: Mutex::default() })
    }

    /// Notes what a commit has written.
    pub fn note(&self, writes: &MemTable, sequence: u64) {
        let Bounds { lower, upper } = Bounds::of_id(self.object);
        let upper = upper.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let documents = writes.space(Space::Docs).range(Bound::Included(&lower), upper);
        self.written.lock().extend(documents.filter_map(|(key, _)| Some((sequence, id_from(key)?))));
    }

    /// How much was written that nobody has taken.
    fn len(&self) -> usize {
        self.written.lock().len()
    }

    /// What was written up to a record.
    fn take(&self, sequence: u64) -> Vec<u64> {
        let mut written = self.written.lock();
        let later = written.partition_point(|(record, _)| *record <= sequence);
        let mut ids: Vec<u64> = written.drain(..later).map(|(_, id)| id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// What came of a build.
pub(super) enum Built {
    Index(Arc<Index>, bool),
    /// The collection was truncated meanwhile.
    Again,
}

/// An index in the making.
pub(super) struct Build<'s> {
    store: &'s Store,
    collection: Arc<Collection>,
    index: Arc<Index>,
    watched: Arc<Watched>,
    /// The state whose documents are in the index.
    seen: Arc<Snapshot>,
    pieces: usize,
}

impl Store {
    /// Creates an index and fills it; `false`: there was one like it already. Others go on writing meanwhile.
    pub fn create_index(
        &self,
        database: &str,
        collection: &str,
        definition: IndexDefinition,
    ) -> Result<(Arc<Index>, bool)> {
        loop {
            let collection = self.find(database, collection)?;
            let definition = definition.clone();
            let begun = self.change(move |draft| draft.begin_index(&collection, definition))?;
            let Some((collection, index, watched)) = begun.to_build else { return Ok((begun.index, begun.is_new)) };
            let object = index.object();
            let built = Build::new(self, collection, index, watched).run();
            match built {
                Ok(Built::Index(index, true)) => return Ok((index, true)),
                other => {
                    self.change(move |draft| {
                        draft.give_up(object);
                        Ok(())
                    })?;
                    if let Built::Index(index, is_new) = other? {
                        return Ok((index, is_new));
                    }
                }
            }
        }
    }

    /// Keeps writers out of a collection. Transactions that write it are waited for as they wait for each other, as long as
    /// somebody wants that; nobody else has to wait for long meanwhile.
    pub(super) fn alone(&self, collection: &Collection) -> Result<Held> {
        self.alone_after(collection, || Ok(()))
    }

    /// The same, doing something now and then while there is somebody to wait for.
    fn alone_after(&self, collection: &Collection, mut meanwhile: impl FnMut() -> Result<()>) -> Result<Held> {
        let deadline = Instant::now() + DEFAULT_LOCK_TIMEOUT;
        let mut held = Held::new(self.shared());
        let (mut let_pass, at_last) = LET_PASS;
        while !held.collection(collection.id, true, WRITERS_WAIT) {
            if !self.is_wanted() {
                return Err(Error::plain(code::REQUEST_CANCELED));
            }
            if Instant::now() >= deadline {
                let database = self.catalog().database_by_id(collection.database).map(|d| d.name.clone());
                let database = database.unwrap_or_default();
                return Err(lock_timeout(DEFAULT_LOCK_TIMEOUT, true, &database, &collection.name));
            }
            meanwhile()?;
            std::thread::sleep(let_pass);
            let_pass = at_last.min(2 * let_pass);
        }
        Ok(held)
    }
}

impl<'s> Build<'s> {
    pub fn new(store: &'s Store, collection: Arc<Collection>, index: Arc<Index>, watched: Arc<Watched>) -> Self {
        let seen = store.shared().current();
        Self { store, collection, index, watched, seen, pieces: 0 }
    }

    pub fn run(mut self) -> Result<Built> {
        self.read_all()?;
        for _ in 0..MOST_ROUNDS {
            if self.keep_up()? <= FEW {
                break;
            }
        }
        self.publish()?;
        let (store, collection) = (self.store, Arc::clone(&self.collection));
        let held = store.alone_after(&collection, || {
            // an open transaction may keep it waiting for long, while others go on writing
            if self.watched.len() < PIECE {
                return Ok(());
            }
            self.keep_up()?;
            self.publish()
        })?;
        let changes = self.catch_up()?;
        let writes = self.last_writes(changes)?;
        let Self { index, .. } = self;
        let built = store.change(move |draft| draft.finish_index(&collection, &index, writes))?;
        drop(held);
        Ok(built.map_or(Built::Again, |(index, is_new)| Built::Index(index, is_new)))
    }

    /// Brings there what was written meanwhile; tells how much that was.
    fn keep_up(&mut self) -> Result<usize> {
        let changes = self.catch_up()?;
        let count = changes.len();
        self.fill(changes)?;
        Ok(count)
    }

    /// Shows what was brought into the tables. Where nothing had to be, there is nothing to wait for.
    fn publish(&self) -> Result<()> {
        if self.pieces > 0 { self.store.queue().publish() } else { Ok(()) }
    }

    /// The entries of a document that is there in a state.
    fn entries(&self, state: &Snapshot, id: u64, document: &Value) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let origin = if self.index.search.is_some() { state.origin(self.watched.object, document)? } else { None };
        stored_entries(&self.index, origin.unwrap_or(id), id, document).map_err(|e| e.with_status(400))
    }

    fn nothing(&self) -> Fill {
        Fill { unique: self.index.unique, ..Fill::default() }
    }

    /// The documents that were there at the beginning: their entries are sorted first, so that every page is written once.
    fn read_all(&mut self) -> Result<()> {
        let view = View::new(self.store.shared(), &self.seen, &MemTable::default());
        let mut scan = view.scan(&self.collection, false)?;
        let mut sorter = Sorter::new(self.store.directory());
        while let Some((id, document)) = scan.next()? {
            for (key, value) in self.entries(&self.seen, id, &document)? {
                sorter.push((0, &key), (id, 0), &value)?;
            }
        }
        drop(scan);
        let mut sorted = sorter.finish()?;
        let (mut piece, mut entry) = (self.nothing(), Sorted::default());
        while sorted.next(&mut entry)? {
            piece.new.push((std::mem::take(&mut entry.key), std::mem::take(&mut entry.value)));
            if piece.len() >= SORTED_PIECE {
                let next = self.nothing();
                self.bring(std::mem::replace(&mut piece, next))?;
            }
        }
        if piece.len() > 0 { self.bring(piece) } else { Ok(()) }
    }

    /// Brings a piece into the tables.
    fn bring(&mut self, piece: Fill) -> Result<()> {
        self.store.queue().fill(piece).map_err(|e| self.explain(e))?;
        self.pieces += 1;
        if self.pieces.is_multiple_of(PIECES) { self.store.queue().sync() } else { Ok(()) }
    }

    /// Brings entries into the tables, in their order and in pieces.
    fn fill(&mut self, mut all: Fill) -> Result<()> {
        all.gone.sort_unstable();
        all.new.sort_unstable();
        let unique = all.unique;
        let gone = all.gone.chunks(PIECE).map(|gone| Fill { unique, gone: gone.to_vec(), new: Vec::new() });
        let new = all.new.chunks(PIECE).map(|new| Fill { unique, gone: Vec::new(), new: new.to_vec() });
        for piece in gone.chain(new) {
            self.bring(piece)?;
        }
        Ok(())
    }

    /// What has changed since the state whose documents are in the index: a document of an id never changes, it is there
    /// or not.
    fn catch_up(&mut self) -> Result<Fill> {
        let now = self.store.shared().current();
        let mut changes = self.nothing();
        for id in self.watched.take(now.sequence) {
            let place = doc_key(self.watched.object, id);
            let (before, after) = (self.seen.get(Space::Docs, &place)?, now.get(Space::Docs, &place)?);
            match (before, after) {
                (Some(before), None) => {
                    let before = Value::from_stored(before.into());
                    changes.gone.extend(self.entries(&self.seen, id, &before)?.into_iter().map(|(key, _)| (key, id)));
                }
                (None, Some(after)) => {
                    changes.new.extend(self.entries(&now, id, &Value::from_stored(after.into()))?);
                }
                _ => {}
            }
        }
        self.seen = now;
        Ok(changes)
    }

    /// The last entries, which are committed together with the index.
    fn last_writes(&self, changes: Fill) -> Result<MemTable> {
        let mut writes = MemTable::default();
        let mut taken: SeededMap<&[u8], Option<u64>> = SeededMap::default();
        let holder = |key: &[u8]| self.seen.tables.id(Space::Index, key);
        for (key, id) in &changes.gone {
            if !changes.unique || holder(key)? == Some(*id) {
                writes.delete(Space::Index, key.as_slice());
                taken.insert(key, None);
            }
        }
        for (key, value) in &changes.new {
            let other = match taken.get(key.as_slice()) {
                _ if !changes.unique => None,
                Some(other) => *other,
                None => holder(key)?,
            };
            if let Some(other) = other {
                return Err(self.explain(Error::new(code::UNIQUE_CONSTRAINT_VIOLATED, other.to_string())));
            }
            writes.put(Space::Index, key.as_slice(), value.as_slice());
            taken.insert(key, id_from(value));
        }
        Ok(writes)
    }

    /// A violation in ArangoDB's words, with the key of the document that has the entry.
    fn explain(&self, error: Error) -> Error {
        let Some(other) = error.message.parse().ok().filter(|_| error.num == code::UNIQUE_CONSTRAINT_VIOLATED) else {
            return error;
        };
        let view = View::new(self.store.shared(), &self.seen, &MemTable::default());
        let document = view.by_id(&self.collection, other).ok().flatten().unwrap_or_default();
        let message = code::message(code::UNIQUE_CONSTRAINT_VIOLATED).to_owned()
            + &self.index.conflict_with(document.get("_key").as_str().unwrap_or_default());
        Error::new(code::UNIQUE_CONSTRAINT_VIOLATED, message).with_status(400)
    }
}
