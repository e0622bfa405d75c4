//! Loading many documents into an empty collection, around log and memory.
//!
//! Documents go into the tables as they come, in the order of their ids; their keys, the ends of edges and the entries of all
//! indexes are sorted first, in files where they are many, so that every page is written once. All of it stands under new
//! numbers, which a note in the catalog calls garbage meanwhile. One small commit at the end makes them those of the
//! collection: after a crash the load has happened or it has not, and nobody ever sees a part of it. Writers of this
//! collection wait for it, those of others do not.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::clock::revision_text;
use super::ddl::Draft;
use super::document::{self, Buffer};
use super::entries::{Places, each_entry};
use super::feed::Feed;
use super::keygen::KeyState;
use super::locks::Held;
use super::sorter::{Merged, Sorted, Sorter};
use super::store::Store;
use super::write::{place_of, unique_violation};
use super::{DocId, OverwriteMode, WriteOptions};
use crate::catalog::{Collection, Index};
use crate::error::code;
use crate::storage::{Meta, Space, doc_key, edge_key, primary_value};
use crate::value::Value;
use crate::{Error, Result};

/// Groups of what is sorted: keys, ends of edges, and then each index.
const KEYS: u8 = 0;
const ENDS: u8 = 1;
const INDEXES: u8 = 2;
/// More indexes than this are not loaded in one go.
const MOST_INDEXES: usize = (u8::MAX - INDEXES) as usize;
/// What stands in the place of a document that is removed again; a document has nothing there.
const REMOVED: &[u8] = b"-";

/// What came of a load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Documents written, those that took the place of another counted again.
    pub written: u64,
    /// Documents left out because their key was there.
    pub ignored: u64,
}

/// What is wrong with one of the documents that were loaded.
#[derive(Debug)]
pub struct LoadError {
    /// The mark it came with, where it is known which one it is.
    pub mark: Option<u64>,
    /// What is wrong.
    pub error: Error,
}

impl From<Error> for LoadError {
    fn from(error: Error) -> Self {
        Self { mark: None, error }
    }
}

/// A collection that is being filled.
pub struct Load {
    sorter: Sorter,
    target: Target,
    keys: Arc<KeyState>,
    options: WriteOptions,
    buffer: Buffer,
    places: Places,
    _held: Held,
}

/// Where it goes. Dropped, it is given up.
struct Target {
    feed: Feed,
    store: Store,
    /// As it was.
    before: Arc<Collection>,
    /// As it will be: with other numbers.
    collection: Arc<Collection>,
    is_finished: bool,
}

impl Drop for Target {
    fn drop(&mut self) {
        if !self.is_finished {
            // nothing comes after what is there is cleared away
            self.feed.end();
            let objects: Vec<u64> = self.collection.objects().collect();
            let given_up = self.store.change(move |draft| {
                for object in objects {
                    draft.give_up(object);
                }
                Ok(())
            });
            if let Err(error) = given_up {
                // the next start does it
                tracing::warn!("what was loaded is not cleared away yet: {}", error.message);
            }
        }
    }
}

impl Store {
    /// Begins to fill a collection; nothing where only single writes can do it: it has documents, or computes values.
    pub fn begin_load(&self, database: &str, collection: &str, options: &WriteOptions) -> Result<Option<Load>> {
        let (before, held) = self.find_alone(database, collection)?;
        let is_simple = before.properties.computed_values.is_empty() && options.overwrite_mode != OverwriteMode::Update;
        let is_empty = self.shared().current().count(before.object())? == 0;
        if !is_simple || !is_empty || before.secondary().count() > MOST_INDEXES {
            return Ok(None);
        }
        let keys = self.shared().key_state(before.id)?;
        let old = Arc::clone(&before);
        let collection = Arc::new(self.change(move |draft| draft.begin_load(&old))?);
        let target = Target { feed: Feed::new(self), store: self.clone(), before, collection, is_finished: false };
        let sorter = Sorter::new(self.directory());
        let (options, buffer, places) = (options.clone(), Buffer::default(), Places::default());
        Ok(Some(Load { sorter, target, keys, options, buffer, places, _held: held }))
    }
}

impl Load {
    /// Adds a document. `mark` says where it came from, should it turn out to be a second one. After an error there is
    /// nothing to do but to give the load up.
    pub fn add(&mut self, mark: u64, doc: &Value) -> Result<()> {
        if !doc.is_object() {
            return Err(Error::plain(code::DOCUMENT_TYPE_INVALID));
        }
        let c = &self.target.collection;
        let shared = self.target.store.shared();
        let (key, _) = self.keys.key_for(c, doc.get_opt("_key"), self.options.is_restore, shared)?;
        let id = shared.clock.next();
        let bytes = document::build(c, (&key, &revision_text(id)), doc, &mut self.buffer)?;
        let document = Value::from_stored(Arc::clone(&bytes));
        if let (Some(schema), false) = (&c.properties.schema, self.options.skip_validation) {
            schema.check(&document, None)?;
        }
        let of = (id, mark);
        self.sorter.push((KEYS, &place_of(c, &key)), of, &[])?;
        if c.is_edge() {
            let (from, to) = (document.get("_from"), document.get("_to"));
            let (from, to) = (from.as_str().unwrap_or_default(), to.as_str().unwrap_or_default());
            self.sorter.push((ENDS, &edge_key(c.object(), true, from, id)), of, to.as_bytes())?;
            self.sorter.push((ENDS, &edge_key(c.object(), false, to, id)), of, from.as_bytes())?;
        }
        for (index, group) in c.secondary().zip(INDEXES..) {
            each_entry(index, (id, id), &document, &mut self.places, |entry, value| {
                self.sorter.push((group, entry), of, value)
            })?;
        }
        let place = doc_key(c.object(), id);
        self.target.feed.add((Space::Docs, &place, Some(&bytes)))
    }

    /// Removes a document that was added before, if it was.
    pub fn remove(&mut self, mark: u64, key: &Value) -> Result<()> {
        let Some(key) = key.as_str() else { return Ok(()) };
        let id = self.target.store.shared().clock.next();
        self.sorter.push((KEYS, &place_of(&self.target.collection, key)), (id, mark), REMOVED)
    }

    /// Brings the rest into the tables and shows all of it.
    pub fn finish(self) -> Result<Loaded, LoadError> {
        let Self { sorter, mut target, keys, options, _held, .. } = self;
        let mut rest = Rest::new(&mut target, options.overwrite_mode);
        rest.bring_in(sorter.finish()?)?;
        let (loaded, count) = (rest.loaded, rest.count);
        target.feed.publish()?;
        let (before, after) = (Arc::clone(&target.before), Arc::clone(&target.collection));
        let last = keys.last();
        target.store.change(move |draft| draft.finish_load(&before, &after, count, last))?;
        target.is_finished = true;
        Ok(loaded)
    }
}

/// What is sorted, on its way into the tables.
struct Rest<'t> {
    target: &'t mut Target,
    mode: OverwriteMode,
    loaded: Loaded,
    /// How many documents there are.
    count: u64,
    /// Documents that are not there after all.
    gone: FxHashSet<DocId>,
}

impl<'t> Rest<'t> {
    fn new(target: &'t mut Target, mode: OverwriteMode) -> Self {
        Self { target, mode, loaded: Loaded::default(), count: 0, gone: FxHashSet::default() }
    }

    /// Brings all of it there. Keys come first, so that it is known of which documents nothing else is wanted.
    fn bring_in(&mut self, mut sorted: Merged) -> Result<(), LoadError> {
        let (mut entry, mut last) = (Sorted::default(), None::<Sorted>);
        // what was brought there leaves its memory to the next one
        let mut spare = Sorted::default();
        while sorted.next(&mut entry)? {
            if entry.group != KEYS && self.gone.contains(&entry.id) {
                continue;
            }
            let first = last.take_if(|last| last.group == entry.group && last.key == entry.key);
            if let Some(whole) = last.take() {
                self.put(&whole)?;
                spare = whole;
            }
            last = match first {
                first if entry.group == KEYS => self.version(first, &mut entry)?,
                Some(first) if first.id != entry.id => return Err(self.second(&first, &entry)),
                _ => Some(std::mem::take(&mut entry)),
            };
            if last.is_some() {
                entry = std::mem::take(&mut spare);
            }
        }
        if let Some(whole) = last {
            self.put(&whole)?;
        }
        Ok(())
    }

    /// Another version of a document, or the first: the one that stays so far.
    fn version(&mut self, first: Option<Sorted>, entry: &mut Sorted) -> Result<Option<Sorted>, LoadError> {
        let is_removed = entry.value == REMOVED;
        let Some(first) = first else {
            self.loaded.written += u64::from(!is_removed);
            return Ok((!is_removed).then(|| std::mem::take(entry)));
        };
        if is_removed {
            self.loaded.written -= 1;
            self.forget(first.id)?;
            return Ok(None);
        }
        match self.mode {
            OverwriteMode::Conflict => Err(self.second(&first, entry)),
            OverwriteMode::Ignore => {
                self.loaded.ignored += 1;
                self.forget(entry.id)?;
                Ok(Some(first))
            }
            OverwriteMode::Replace | OverwriteMode::Update => {
                self.loaded.written += 1;
                self.forget(first.id)?;
                Ok(Some(std::mem::take(entry)))
            }
        }
    }

    fn forget(&mut self, id: DocId) -> Result<()> {
        self.gone.insert(id);
        self.target.feed.add((Space::Docs, &doc_key(self.target.collection.object(), id), None))
    }

    fn put(&mut self, entry: &Sorted) -> Result<()> {
        let Sorted { group, key, id, value, .. } = entry;
        match *group {
            KEYS => {
                self.count += 1;
                // a document that is loaded is its own origin
                self.target.feed.add((Space::Primary, key, Some(&primary_value(*id, *id))))
            }
            ENDS => self.target.feed.add((Space::Edges, key, Some(value))),
            _ => self.target.feed.add((Space::Index, key, Some(value))),
        }
    }

    /// What is wrong with a second document of the same key, or with the same entry in a unique index.
    fn second(&mut self, first: &Sorted, second: &Sorted) -> LoadError {
        let error = self.key_of(first).map_or_else(
            |error| error,
            |key| {
                let index = self.index(first.group);
                unique_violation(&index.map_or_else(String::new, |index| index.conflict_with(&key)))
            },
        );
        LoadError { mark: Some(second.mark), error }
    }

    fn index(&self, group: u8) -> Option<&Arc<Index>> {
        let c = &self.target.collection;
        match group.checked_sub(INDEXES) {
            None => c.indexes.first(),
            Some(at) => c.secondary().nth(usize::from(at)),
        }
    }

    /// The key of the document an entry is of.
    fn key_of(&mut self, entry: &Sorted) -> Result<String> {
        if entry.group == KEYS {
            return Ok(String::from_utf8_lossy(entry.key.get(size_of::<u64>()..).unwrap_or_default()).into_owned());
        }
        self.target.feed.publish()?;
        let place = doc_key(self.target.collection.object(), entry.id);
        let document = self.target.store.shared().current().get(Space::Docs, &place)?.unwrap_or_default();
        Ok(Value::from_stored(document.into()).get("_key").to_text().to_string())
    }
}

impl Draft<'_> {
    /// A collection with the numbers it will have, under which what is stored is garbage until then.
    fn begin_load(&mut self, collection: &Collection) -> Result<Collection> {
        let mut loaded = self.collection(collection)?;
        self.renumber(&mut loaded);
        for object in loaded.objects() {
            self.writes.put_meta(Meta::Garbage(object), &[]);
        }
        Ok(loaded)
    }

    /// Gives a collection the numbers under which it was loaded.
    fn finish_load(&mut self, before: &Collection, loaded: &Collection, count: u64, last_key: u64) -> Result<()> {
        let mut now = self.collection(before)?;
        let is_same = now.indexes.iter().map(|index| index.id).eq(before.indexes.iter().map(|index| index.id));
        if now.object() != before.object() || !is_same {
            return Err(Error::new(code::CONFLICT, "the collection was changed while it was loaded"));
        }
        for object in now.objects() {
            self.give_up(object);
        }
        self.writes.delete_meta(Meta::Count(now.object()));
        for object in loaded.objects() {
            self.writes.delete_meta(Meta::Garbage(object));
        }
        (now.object, now.epoch) = (loaded.object, loaded.epoch);
        now.indexes.clone_from(&loaded.indexes);
        self.writes.add_count(now.object(), i64::try_from(count).unwrap_or(i64::MAX));
        if last_key > 0 {
            self.writes.last_keys.insert(now.id, last_key);
        }
        self.put_collection(now).map(|_| ())
    }
}
