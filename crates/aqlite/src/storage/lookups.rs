//! What was looked up in the tables before: documents by their keys, and the edges at a vertex.
//!
//! The tables change while this is kept. Each entry says of which tables it is, each key has a stamp that says since which
//! tables it may be another one, and an entry counts for whoever reads tables that are not separated from its own by such a
//! change. Several keys share a stamp: then one of them is looked up again without need, and nothing worse.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{Equivalent, Weighter};
use rustc_hash::{FxBuildHasher, FxHasher};
use smol_str::SmolStr;

use super::keys::id_from;
use super::memtable::MemTable;
use super::tables::Space;

/// So many stamps for all keys there are.
const STAMPS: usize = 1 << 15;
/// What an entry takes besides what it holds.
const ENTRY: usize = 96;
/// A document of an edge, as long as it is not known.
const EDGE: usize = 256;
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
struct PlaceOf<'t> {
    lookup: Lookup,
    object: u64,
    text: &'t [u8],
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

/// An edge at a vertex.
pub(crate) struct Neighbor {
    /// The id of its document.
    pub edge: u64,
    /// The vertex at its other end.
    pub other: SmolStr,
    /// The document, once it was read.
    pub document: OnceLock<Arc<[u8]>>,
}

#[derive(Clone)]
enum Found {
    Document(u64, Arc<[u8]>),
    Edges(Arc<[Neighbor]>),
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
    cache: Cache<Place, Entry, Bytes, FxBuildHasher, DefaultLifecycle<Place, Entry>>,
    stamps: Box<[AtomicU64]>,
}

impl Lookups {
    /// Nothing yet, and at most so many bytes.
    pub fn new(bytes: u64) -> Self {
        let items = (bytes / 512).max(16) as usize;
        Self {
            cache: Cache::with(items, bytes, Bytes, FxBuildHasher, DefaultLifecycle::default()),
            stamps: (0..STAMPS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn stamp(&self, place: PlaceOf<'_>) -> &AtomicU64 {
        let mut hasher = FxHasher::default();
        place.hash(&mut hasher);
        // the upper bits: those of this hash depend on all of the key
        &self.stamps[(hasher.finish() >> 32) as usize % STAMPS]
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
    pub fn edges(&self, object: u64, lookup: Lookup, vertex: &str, version: u64) -> Option<Arc<[Neighbor]>> {
        match self.get(PlaceOf { lookup, object, text: vertex.as_bytes() }, version)? {
            Found::Edges(edges) => Some(edges),
            Found::Document(..) => None,
        }
    }

    /// Keeps the edges at a vertex that were read from the tables of a version.
    pub fn put_edges(&self, object: u64, lookup: Lookup, vertex: &str, version: u64, edges: Arc<[Neighbor]>) {
        let place = Place { lookup, object, text: vertex.into() };
        self.cache.insert(place, Entry { version, found: Found::Edges(edges) });
    }

    /// What was written is in the tables from a version on. To be called before anybody reads them.
    pub fn changed(&self, writes: &[MemTable], version: u64) {
        let object = |key: &[u8]| key.first_chunk().map(|b| u64::from_be_bytes(*b));
        for memtable in writes {
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
        self.stamps.iter().for_each(|stamp| stamp.store(version, Ordering::Relaxed));
    }
}

/// An entry of the table of edges.
pub(crate) fn neighbor(key: &[u8], value: &[u8]) -> Option<Neighbor> {
    let other = SmolStr::new(std::str::from_utf8(value).ok()?);
    Some(Neighbor { edge: id_from(key)?, other, document: OnceLock::new() })
}
