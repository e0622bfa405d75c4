//! Edges that are kept in memory, with what was looked up at their other ends: who walks on from an edge finds it there
//! without being looked up again. It counts for as long as an entry among the look-ups does.

use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;
use smol_str::SmolStr;

use super::keys::id_from;
use super::lookups::{Lookup, Lookups, PlaceOf, stamp_of};

/// The edges at a vertex.
pub(crate) type Neighbors = Box<[Neighbor]>;

/// An edge at a vertex.
pub(crate) struct Neighbor {
    /// The id of its document.
    pub edge: u64,
    /// The vertex at its other end.
    pub other: SmolStr,
    /// The document, once it was read.
    pub document: OnceLock<Arc<[u8]>>,
    /// What was looked up at the other end.
    behind: Mutex<Behind>,
}

#[derive(Default)]
struct Behind {
    document: Option<Beside<Arc<[u8]>>>,
    /// The edges there. They may lead back to where this is kept, so they are not held; `None` where there are none.
    edges: Option<Beside<Option<Weak<Neighbors>>>>,
}

/// Something that is kept beside an edge, with what says how long it counts.
struct Beside<T> {
    lookup: Lookup,
    object: u64,
    stamp: usize,
    version: u64,
    found: T,
}

/// The edges that go on from a vertex.
pub(crate) enum Onward {
    /// There are none.
    None,
    /// These.
    Some(Arc<Neighbors>),
}

impl<T> Beside<T> {
    fn new(place: PlaceOf<'_>, version: u64, found: T) -> Self {
        Self { lookup: place.lookup, object: place.object, stamp: stamp_of(place), version, found }
    }

    /// Does it count for who looks up this in tables of that version?
    fn counts(&mut self, lookups: &Lookups, lookup: Lookup, object: u64, version: u64) -> bool {
        if self.object != object || self.lookup != lookup {
            return false;
        }
        let oldest = version.min(self.version);
        if lookups.last_change() <= oldest {
            return true;
        }
        let counts = lookups.changed_at(self.stamp) <= oldest;
        if counts {
            // it is the same in those tables, too: until the next change nobody looks at the stamp, which is far away
            self.version = self.version.max(version);
        }
        counts
    }
}

impl Behind {
    fn is_end(&mut self, lookups: &Lookups, lookup: Lookup, object: u64, version: u64) -> bool {
        let edges = self.edges.as_mut().filter(|edges| edges.found.is_none());
        edges.is_some_and(|edges| edges.counts(lookups, lookup, object, version))
    }
}

impl Neighbor {
    /// An entry of the table of edges.
    pub fn of_entry(key: &[u8], value: &[u8]) -> Option<Self> {
        let other = SmolStr::new(std::str::from_utf8(value).ok()?);
        Some(Self { edge: id_from(key)?, other, document: OnceLock::new(), behind: Mutex::default() })
    }

    /// The document of the vertex at the other end, where it is kept here, and whether it is known that the edges `onward` do not go
    /// on from there.
    pub fn document_behind(
        &self,
        lookups: &Lookups,
        object: u64,
        onward: Option<(Lookup, u64)>,
        version: u64,
    ) -> (Option<Arc<[u8]>>, bool) {
        let mut behind = self.behind.lock();
        let is_end = onward.is_some_and(|(lookup, object)| behind.is_end(lookups, lookup, object, version));
        let document = behind.document.as_mut().and_then(|document| {
            document.counts(lookups, Lookup::Key, object, version).then(|| Arc::clone(&document.found))
        });
        (document, is_end)
    }

    /// Keeps the document of that vertex, as it is in tables of a version.
    pub fn put_document_behind(&self, object: u64, key: &str, version: u64, found: Arc<[u8]>) {
        let place = PlaceOf { lookup: Lookup::Key, object, text: key.as_bytes() };
        self.behind.lock().document = Some(Beside::new(place, version, found));
    }

    /// The edges at that vertex, where it is known here which they are.
    pub fn edges_behind(&self, lookups: &Lookups, lookup: Lookup, object: u64, version: u64) -> Option<Onward> {
        let mut behind = self.behind.lock();
        let edges = behind.edges.as_mut()?;
        if !edges.counts(lookups, lookup, object, version) {
            return None;
        }
        match &edges.found {
            None => Some(Onward::None),
            Some(onward) => onward.upgrade().map(Onward::Some),
        }
    }

    /// Is it known here that there are no edges at that vertex?
    pub fn is_end(&self, lookups: &Lookups, lookup: Lookup, object: u64, version: u64) -> bool {
        self.behind.lock().is_end(lookups, lookup, object, version)
    }

    /// Notes which edges are at that vertex in tables of a version.
    pub fn put_edges_behind(&self, lookup: Lookup, object: u64, version: u64, edges: &Arc<Neighbors>) {
        let place = PlaceOf { lookup, object, text: self.other.as_bytes() };
        let onward = (!edges.is_empty()).then(|| Arc::downgrade(edges));
        self.behind.lock().edges = Some(Beside::new(place, version, onward));
    }
}
