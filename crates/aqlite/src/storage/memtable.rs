//! The memtable: writes that are not in the tables yet. A transaction has one that nobody else sees; once it is committed, and
//! in the log, it stands beside the tables until its writes are brought into them.

use std::sync::Arc;

use imbl::OrdMap;

use super::keys::Meta;
use super::tables::Space;
use crate::memory::Share;

/// An entry as a transaction left it; `None` is a deleted one.
pub(crate) type WrittenValue = Option<Arc<[u8]>>;
/// Written entries of one table.
pub(crate) type Written = OrdMap<Arc<[u8]>, WrittenValue>;

/// Writes of a transaction, or of several that were committed. A clone costs next to nothing and stays as it is.
#[derive(Clone, Default)]
pub(crate) struct MemTable {
    spaces: [Written; 5],
    /// By how much the number of documents of a collection changes.
    pub counts: OrdMap<u64, i64>,
    /// The last number of a collection's key generator.
    pub last_keys: OrdMap<u64, u64>,
    /// Bytes written.
    pub size: usize,
    /// Bytes it takes.
    pub memory: usize,
    /// What was taken for it from the memory of all transactions, where it lives on after its own.
    pub share: Option<Arc<Share>>,
}

/// What an entry takes besides its key and its value: their counters, their place in the tree, the lock of its key.
pub(crate) const ENTRY: usize = 128;

fn memory_of(key: usize, value: &WrittenValue) -> usize {
    ENTRY + key + value.as_ref().map_or(0, |value| value.len())
}

impl MemTable {
    pub fn is_empty(&self) -> bool {
        self.spaces.iter().all(OrdMap::is_empty)
    }

    /// Is there anything to commit?
    pub fn has_writes(&self) -> bool {
        !self.is_empty() || !self.last_keys.is_empty()
    }

    pub fn space(&self, space: Space) -> &Written {
        &self.spaces[space as usize]
    }

    /// What was written there; `None` when nothing was.
    pub fn get(&self, space: Space, key: &[u8]) -> Option<&WrittenValue> {
        self.spaces[space as usize].get(key)
    }

    pub fn put(&mut self, space: Space, key: impl Into<Arc<[u8]>>, value: impl Into<Arc<[u8]>>) {
        let (key, value) = (key.into(), value.into());
        self.size += key.len() + value.len();
        self.insert(space, key, Some(value));
    }

    fn insert(&mut self, space: Space, key: Arc<[u8]>, value: WrittenValue) {
        let len = key.len();
        self.memory += memory_of(len, &value);
        if let Some(before) = self.spaces[space as usize].insert(key, value) {
            self.memory -= memory_of(len, &before);
        }
    }

    pub fn delete(&mut self, space: Space, key: impl Into<Arc<[u8]>>) {
        let key = key.into();
        self.size += key.len();
        self.insert(space, key, None);
    }

    pub fn put_meta(&mut self, key: Meta, value: &[u8]) {
        self.put(Space::Meta, key.key(), value);
    }

    pub fn delete_meta(&mut self, key: Meta) {
        self.delete(Space::Meta, key.key());
    }

    /// Deletes an entry whose key has a document id in it: if this transaction wrote the document, nobody else knows it.
    pub fn delete_of_document(&mut self, space: Space, key: impl Into<Arc<[u8]>> + AsRef<[u8]>, is_own: bool) {
        let map = &mut self.spaces[space as usize];
        if is_own && let Some(written) = map.remove(key.as_ref()) {
            self.memory -= memory_of(key.as_ref().len(), &written);
        } else {
            self.delete(space, key);
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.spaces.iter().map(OrdMap::len).sum()
    }

    /// Adds what a later transaction has written.
    pub fn absorb(&mut self, later: &Self) {
        for (mine, theirs) in self.spaces.iter_mut().zip(&later.spaces) {
            if mine.is_empty() {
                *mine = theirs.clone();
            } else {
                for (key, value) in theirs {
                    mine.insert(Arc::clone(key), value.clone());
                }
            }
        }
        for (collection, delta) in &later.counts {
            self.add_count(*collection, *delta);
        }
        for (collection, last) in &later.last_keys {
            let known = self.last_keys.get(collection).copied().unwrap_or(0);
            self.last_keys.insert(*collection, known.max(*last));
        }
        self.size += later.size;
        self.memory += later.memory;
        if self.share.is_none() {
            self.share.clone_from(&later.share);
        }
    }

    pub fn add_count(&mut self, collection: u64, delta: i64) {
        let count = self.counts.get(&collection).copied().unwrap_or(0);
        self.counts.insert(collection, count + delta);
    }
}
