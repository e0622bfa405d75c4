//! Which documents have a value at the fields of an index, as it was read from the tables before: the beginnings of runs of
//! entries. They are old when something with the same first value was written to the index, which stamps tell as in
//! [`super::lookups`].

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{Equivalent, Weighter};
use rustc_hash::FxHasher;

use super::memtable::MemTable;
use super::tables::Space;
use crate::seeded::Seeded;
use crate::value::index_key;

/// So many stamps for all values there are.
const STAMPS: usize = 1 << 15;
/// What a run takes besides its entries,
const RUN: usize = 160;
/// and a document as long as it is not known.
const DOCUMENT: usize = 256;

/// The beginning of a run of entries.
#[derive(Default)]
pub(crate) struct Run {
    /// The first of them.
    pub entries: Vec<RunEntry>,
    /// The key of the next one; `None` where there is none.
    pub rest: Option<Box<[u8]>>,
}

/// An entry.
#[derive(Clone)]
pub(crate) struct RunEntry {
    /// The id of its document.
    pub id: u64,
    /// The document, once it was read.
    pub document: OnceLock<Arc<[u8]>>,
}

#[derive(Clone, PartialEq, Eq)]
struct Place {
    object: u64,
    prefix: Box<[u8]>,
}

/// The same with a prefix of somebody else.
#[derive(Clone, Copy)]
struct PlaceOf<'p> {
    object: u64,
    prefix: &'p [u8],
}

impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        PlaceOf { object: self.object, prefix: &self.prefix }.hash(state);
    }
}

impl Hash for PlaceOf<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.object);
        state.write(self.prefix);
    }
}

impl Equivalent<Place> for PlaceOf<'_> {
    fn equivalent(&self, place: &Place) -> bool {
        self.object == place.object && self.prefix == &*place.prefix
    }
}

#[derive(Clone)]
struct Entry {
    /// The tables it was read from.
    version: u64,
    run: Arc<Run>,
}

#[derive(Clone)]
struct Bytes;

impl Weighter<Place, Entry> for Bytes {
    fn weight(&self, place: &Place, entry: &Entry) -> u64 {
        (RUN + place.prefix.len() + entry.run.entries.len() * (size_of::<RunEntry>() + DOCUMENT)) as u64
    }
}

/// The runs that were read before.
pub(crate) struct Runs {
    cache: Cache<Place, Entry, Bytes, Seeded, DefaultLifecycle<Place, Entry>>,
    stamps: Box<[AtomicU64]>,
}

impl Runs {
    /// None yet, and at most so many bytes.
    pub fn new(bytes: u64) -> Self {
        let items = (bytes / 512).max(16) as usize;
        Self {
            cache: Cache::with(items, bytes, Bytes, Seeded, DefaultLifecycle::default()),
            stamps: (0..STAMPS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Forgets all of them.
    pub fn clear(&self) {
        self.cache.clear();
    }

    /// The stamp of an index and the first value of a key.
    fn stamp(&self, object: u64, key: &[u8]) -> &AtomicU64 {
        let mut hasher = FxHasher::default();
        PlaceOf { object, prefix: index_key::first_value(key) }.hash(&mut hasher);
        &self.stamps[(hasher.finish() >> 32) as usize % STAMPS]
    }

    /// The run of entries with a prefix, as it was in the tables of a version.
    pub fn get(&self, object: u64, prefix: &[u8], version: u64) -> Option<Arc<Run>> {
        let entry = self.cache.get(&PlaceOf { object, prefix })?;
        let changed = self.stamp(object, prefix).load(Ordering::Relaxed);
        (changed <= version.min(entry.version)).then_some(entry.run)
    }

    /// Keeps a run that was read from the tables of a version.
    pub fn put(&self, object: u64, prefix: &[u8], version: u64, run: Arc<Run>) {
        self.cache.insert(Place { object, prefix: prefix.into() }, Entry { version, run });
    }

    /// What was written is in the tables from a version on.
    pub fn changed(&self, writes: &MemTable, version: u64) {
        for (key, _) in writes.space(Space::Index) {
            if let Some((object, key)) = key.split_first_chunk() {
                self.stamp(u64::from_be_bytes(*object), key).store(version, Ordering::Relaxed);
            }
        }
    }

    /// Anything may be another one from a version on.
    pub fn all_changed(&self, version: u64) {
        self.stamps.iter().for_each(|stamp| stamp.store(version, Ordering::Relaxed));
    }
}
