//! A bounded cache of hot documents.
//!
//! A document id is given out once and its content never changes, so nothing is ever invalidated.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use rustc_hash::FxBuildHasher;

type Key = (u64, u64);
type Lifecycle = DefaultLifecycle<Key, Arc<[u8]>>;

#[derive(Clone)]
struct Bytes;

impl Weighter<Key, Arc<[u8]>> for Bytes {
    fn weight(&self, _: &Key, value: &Arc<[u8]>) -> u64 {
        // the entry itself costs about this much
        value.len() as u64 + 64
    }
}

/// Documents by the epoch of their collection and their id.
pub(crate) struct DocumentCache {
    cache: Cache<Key, Arc<[u8]>, Bytes, FxBuildHasher, Lifecycle>,
}

impl DocumentCache {
    pub fn new(bytes: u64) -> Self {
        let items = (bytes / 512).max(16) as usize;
        Self { cache: Cache::with(items, bytes, Bytes, FxBuildHasher, Lifecycle::default()) }
    }

    pub fn get(&self, epoch: u64, id: u64) -> Option<Arc<[u8]>> {
        self.cache.get(&(epoch, id))
    }

    /// How often a document was found here, and how often it was not.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.cache.hits(), self.cache.misses())
    }

    /// Forgets all of them.
    pub fn clear(&self) {
        self.cache.clear();
    }

    pub fn put(&self, epoch: u64, id: u64, document: Arc<[u8]>) {
        self.cache.insert((epoch, id), document);
    }
}
