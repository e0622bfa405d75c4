//! What was looked up in the tables before: documents by their keys, and the edges at a vertex.
//!
//! The tables change while this is kept. Each entry says of which tables it is, each key has a stamp that says since which
//! tables it may be another one, and an entry counts for whoever reads tables that are not separated from its own by such a
//! change. Several keys share a stamp: then one of them is looked up again without need, and nothing worse.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{Equivalent, Weighter};
use rustc_hash::FxHasher;
use smol_str::SmolStr;

use super::behind::{Neighbor, Neighbors};
use super::memtable::MemTable;
use super::runs::Runs;
use super::tables::Space;
use crate::seeded::Seeded;

/// So many stamps for all keys there are.
const STAMPS: usize = 1 << 15;
/// What an entry takes besides what it holds.
const ENTRY: usize = 96;
/// The documents of an edge and of the vertex it leads to, as long as they are not known.
const EDGE: usize = 320;
/// Bytes behind the vertex in a key of an edge: an end mark and the id.
const BEHIND_VERTEX: usize = 9;

/// What is looked up.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lookup {
    /// The document with a key.
    Key,
    /// The edges whose `_to` a vertex is.
    Inbound,
    /// Those whose `_from` it is.
    Outbound,
}

/// A place in the cache: what is looked up, in which collection, under which key or vertex.
#[derive(Clone, PartialEq, Eq)]
struct Place {
    lookup: Lookup,
    object: u64,
    text: SmolStr,
}

/// The same with a text of somebody else.
#[derive(Clone, Copy)]
pub(super) struct PlaceOf<'t> {
    pub lookup: Lookup,
    pub object: u64,
    pub text: &'t [u8],
}

impl Place {
    fn borrowed(&self) -> PlaceOf<'_> {
        PlaceOf { lookup: self.lookup, object: self.object, text: self.text.as_bytes() }
    }
}

impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.borrowed().hash(state);
    }
}

impl Hash for PlaceOf<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.object ^ (self.lookup as u64) << 62);
        state.write(self.text);
    }
}

impl Equivalent<Place> for PlaceOf<'_> {
    fn equivalent(&self, place: &Place) -> bool {
        self.object == place.object && self.lookup == place.lookup && self.text == place.text.as_bytes()
    }
}

#[derive(Clone)]
enum Found {
    Document(u64, Arc<[u8]>),
    Edges(Arc<Neighbors>),
}

#[derive(Clone)]
struct Entry {
    /// The tables it was read from.
    version: u64,
    found: Found,
}

#[derive(Clone)]
struct Bytes;

impl Weighter<Place, Entry> for Bytes {
    fn weight(&self, _: &Place, entry: &Entry) -> u64 {
        let found = match &entry.found {
            Found::Document(_, bytes) => bytes.len(),
            Found::Edges(edges) => edges.len() * (size_of::<Neighbor>() + EDGE),
        };
        (ENTRY + found) as u64
    }
}

/// What was looked up before.
pub(crate) struct Lookups {
    /// Documents by values of indexes.
    pub runs: Runs,
    cache: Cache<Place, Entry, Bytes, Seeded, DefaultLifecycle<Place, Entry>>,
    stamps: Box<[AtomicU64]>,
    /// The last one of them.
    last_change: AtomicU64,
}

impl Lookups {
    /// Nothing yet, and at most so many bytes.
    pub fn new(bytes: u64) -> Self {
        let of_runs = bytes / 4;
        let bytes = bytes - of_runs;
        let items = (bytes / 512).max(16) as usize;
        Self {
            runs: Runs::new(of_runs),
            cache: Cache::with(items, bytes, Bytes, Seeded, DefaultLifecycle::default()),
            stamps: (0..STAMPS).map(|_| AtomicU64::new(0)).collect(),
            last_change: AtomicU64::new(0),
        }
    }

    /// Forgets all of it.
    pub fn clear(&self) {
        self.runs.clear();
        self.cache.clear();
    }

    fn stamp(&self, place: PlaceOf<'_>) -> &AtomicU64 {
        &self.stamps[stamp_of(place)]
    }

    fn get(&self, place: PlaceOf<'_>, version: u64) -> Option<Found> {
        let entry = self.cache.get(&place)?;
        let changed = self.stamp(place).load(Ordering::Relaxed);
        (changed <= version.min(entry.version)).then_some(entry.found)
    }

    /// The id and the content of a document as it was in the tables of a version.
    pub fn document(&self, object: u64, key: &str, version: u64) -> Option<(u64, Arc<[u8]>)> {
        match self.get(PlaceOf { lookup: Lookup::Key, object, text: key.as_bytes() }, version)? {
            Found::Document(id, bytes) => Some((id, bytes)),
            Found::Edges(_) => None,
        }
    }

    /// Keeps a document that was read from the tables of a version.
    pub fn put_document(&self, object: u64, key: &str, version: u64, (id, bytes): (u64, Arc<[u8]>)) {
        let place = Place { lookup: Lookup::Key, object, text: key.into() };
        self.cache.insert(place, Entry { version, found: Found::Document(id, bytes) });
    }

    /// The edges at a vertex as they were in the tables of a version.
    pub fn edges(&self, object: u64, lookup: Lookup, vertex: &str, version: u64) -> Option<Arc<Neighbors>> {
        match self.get(PlaceOf { lookup, object, text: vertex.as_bytes() }, version)? {
            Found::Edges(edges) => Some(edges),
            Found::Document(..) => None,
        }
    }

    /// Keeps the edges at a vertex that were read from the tables of a version.
    pub fn put_edges(&self, object: u64, lookup: Lookup, vertex: &str, version: u64, edges: Arc<Neighbors>) {
        let place = Place { lookup, object, text: vertex.into() };
        self.cache.insert(place, Entry { version, found: Found::Edges(edges) });
    }

    /// The version since which the stamp with a number says that its keys may be other ones.
    pub(super) fn changed_at(&self, stamp: usize) -> u64 {
        self.stamps[stamp].load(Ordering::Relaxed)
    }

    /// The version since which no key is another one.
    pub(super) fn last_change(&self) -> u64 {
        self.last_change.load(Ordering::Relaxed)
    }

    /// What was written is in the tables from a version on. To be called before anybody reads them.
    pub fn changed(&self, writes: &[MemTable], version: u64) {
        self.last_change.store(version, Ordering::Relaxed);
        let object = |key: &[u8]| key.first_chunk().map(|b| u64::from_be_bytes(*b));
        for memtable in writes {
            self.runs.changed(memtable, version);
            for (key, _) in memtable.space(Space::Primary) {
                let (Some(object), Some(text)) = (object(key), key.get(8..)) else { continue };
                self.set_stamp(PlaceOf { lookup: Lookup::Key, object, text }, version);
            }
            for (key, _) in memtable.space(Space::Edges) {
                let end = key.len().saturating_sub(BEHIND_VERTEX);
                let (Some(object), Some(text), Some(outbound)) = (object(key), key.get(9..end), key.get(8)) else {
                    continue;
                };
                let lookup = if *outbound == 0 { Lookup::Inbound } else { Lookup::Outbound };
                self.set_stamp(PlaceOf { lookup, object, text }, version);
            }
        }
    }

    fn set_stamp(&self, place: PlaceOf<'_>, version: u64) {
        self.stamp(place).store(version, Ordering::Relaxed);
    }

    /// Anything may be another one from a version on.
    pub fn all_changed(&self, version: u64) {
        self.last_change.store(version, Ordering::Relaxed);
        self.runs.all_changed(version);
        self.stamps.iter().for_each(|stamp| stamp.store(version, Ordering::Relaxed));
    }
}

/// Which stamp a place has.
pub(super) fn stamp_of(place: PlaceOf<'_>) -> usize {
    let mut hasher = FxHasher::default();
    place.hash(&mut hasher);
    // the upper bits: those of this hash depend on all of the key
    (hasher.finish() >> 32) as usize % STAMPS
}
