//! The memtable: writes that are not in the tables yet. A transaction has one that nobody else sees; once it is committed, and
//! in the log, it stands beside the tables until its writes are brought into them.

use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdMap;

use super::keys::Meta;
use super::tables::Space;
use super::written::{List, Written, WrittenValue};
use crate::memory::Share;

/// Writes of a transaction, or of several that were committed. A clone costs next to nothing and stays as it is.
#[derive(Clone, Default)]
pub(crate) struct MemTable {
    spaces: [Written; 5],
    /// What came since somebody looked at it last: a transaction that only writes brings it into order once.
    unsettled: Vec<Unsettled>,
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

/// Entries of one collection or index in the order they were written.
#[derive(Clone)]
struct Unsettled {
    space: Space,
    object: [u8; 8],
    entries: List,
    /// Is that the order of their keys?
    is_sorted: bool,
}

impl Unsettled {
    /// Brings the entries into order; tells what those took that were written over.
    fn sort(&mut self) -> usize {
        if self.is_sorted {
            return 0;
        }
        let memory = |list: &List| list.iter().map(|(key, value)| memory_of(key.len(), value)).sum::<usize>();
        let before = memory(&self.entries);
        self.entries.sort();
        self.is_sorted = true;
        before - memory(&self.entries)
    }
}

/// What an entry takes besides its key and its value: their counters, their place in the tree, the lock of its key.
pub(crate) const ENTRY: usize = 128;

fn memory_of(key: usize, value: &WrittenValue) -> usize {
    ENTRY + key + value.as_ref().map_or(0, |value| value.len())
}

/// The first bytes of a key: those of a collection or index have its number there. Keys that differ in them have their order.
fn first_bytes(key: &[u8]) -> [u8; 8] {
    key.first_chunk().copied().unwrap_or_else(|| {
        let mut bytes = [0; 8];
        bytes[..key.len()].copy_from_slice(key);
        bytes
    })
}

impl MemTable {
    pub fn is_empty(&self) -> bool {
        self.unsettled.is_empty() && self.spaces.iter().all(Written::is_empty)
    }

    /// Is there anything to commit?
    pub fn has_writes(&self) -> bool {
        !self.is_empty() || !self.last_keys.is_empty()
    }

    /// Brings what was written into order. To be called before anybody looks at it.
    pub fn settle(&mut self) {
        if self.unsettled.is_empty() {
            return;
        }
        let mut unsettled = std::mem::take(&mut self.unsettled);
        unsettled.sort_by_key(|part| (part.space as usize, part.object));
        let mut parts = unsettled.into_iter().peekable();
        while let Some(mut part) = parts.next() {
            self.memory -= part.sort();
            let space = part.space;
            while let Some(mut next) = parts.next_if(|next| next.space == space) {
                self.memory -= next.sort();
                part.entries.append(next.entries);
            }
            let written = &mut self.spaces[space as usize];
            if !written.is_empty() {
                let before = part.entries.iter().filter_map(|(key, _)| Some(memory_of(key.len(), written.get(key)?)));
                self.memory -= before.sum::<usize>();
            }
            written.absorb(&Written::List(Arc::new(part.entries)));
        }
    }

    /// Is it in order?
    pub fn is_settled(&self) -> bool {
        self.unsettled.is_empty()
    }

    /// Those of one table.
    pub fn space(&self, space: Space) -> &Written {
        debug_assert!(self.is_settled(), "what was written is not in order");
        &self.spaces[space as usize]
    }

    /// What was written there; `None` when nothing was.
    pub fn get(&self, space: Space, key: &[u8]) -> Option<&WrittenValue> {
        self.space(space).get(key)
    }

    pub fn put(&mut self, space: Space, key: impl AsRef<[u8]>, value: impl Into<Arc<[u8]>>) {
        let (key, value) = (key.as_ref(), value.into());
        self.size += key.len() + value.len();
        self.push(space, key, Some(value));
    }

    fn push(&mut self, space: Space, key: &[u8], value: WrittenValue) {
        self.memory += memory_of(key.len(), &value);
        let object = first_bytes(key);
        // those that come together are of few collections and indexes
        let known = self.unsettled.iter().position(|part| part.space == space && part.object == object);
        let part = known.unwrap_or_else(|| {
            self.unsettled.push(Unsettled { space, object, entries: List::with_room(), is_sorted: true });
            self.unsettled.len() - 1
        });
        let part = &mut self.unsettled[part];
        part.is_sorted &= part.entries.last().is_none_or(|last| last < key);
        part.entries.push(key, value);
    }

    pub fn delete(&mut self, space: Space, key: impl AsRef<[u8]>) {
        let key = key.as_ref();
        self.size += key.len();
        self.push(space, key, None);
    }

    pub fn put_meta(&mut self, key: Meta, value: &[u8]) {
        self.put(Space::Meta, key.key(), value);
    }

    pub fn delete_meta(&mut self, key: Meta) {
        self.delete(Space::Meta, key.key());
    }

    /// Deletes an entry whose key has a document id in it: if this transaction wrote the document, nobody else knows it.
    pub fn delete_of_document(&mut self, space: Space, key: impl AsRef<[u8]>, is_own: bool) {
        let key = key.as_ref();
        if is_own {
            self.settle();
            if let Some(written) = self.spaces[space as usize].remove(key) {
                self.memory -= memory_of(key.len(), &written);
                return;
            }
        }
        self.delete(space, key);
    }

    /// The numbers of the collections whose documents it changes.
    pub fn collections(&self) -> impl Iterator<Item = u64> {
        let documents = self.space(Space::Docs);
        let from = move |number: u64| {
            let first = documents.range(Bound::Included(number.to_be_bytes().as_slice()), Bound::Unbounded).next();
            first.map(|(key, _)| u64::from_be_bytes(first_bytes(key)))
        };
        std::iter::successors(from(0), move |number| from(number.checked_add(1)?))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        Space::ALL.into_iter().map(|space| self.space(space).len()).sum()
    }

    /// Adds what a later transaction has written.
    pub fn absorb(&mut self, later: &Self) {
        self.settle();
        for space in Space::ALL {
            self.spaces[space as usize].absorb(later.space(space));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(object: u64, rest: &[u8]) -> Vec<u8> {
        super::super::keys::prefixed(object, rest)
    }

    /// What a memtable holds when everything in it is settled one by one.
    fn one_by_one(writes: &[(u64, u8, Option<u8>)]) -> MemTable {
        let mut memtable = MemTable::default();
        for (object, rest, value) in writes {
            write(&mut memtable, *object, *rest, *value);
            memtable.settle();
        }
        memtable
    }

    fn write(memtable: &mut MemTable, object: u64, rest: u8, value: Option<u8>) {
        match value {
            Some(value) => memtable.put(Space::Index, key(object, &[rest]), vec![value; value.into()]),
            None => memtable.delete(Space::Index, key(object, &[rest])),
        }
    }

    #[test]
    fn it_is_the_same_whenever_it_is_brought_into_order() {
        let mut seed = 3_u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        let mut writes = Vec::new();
        for _ in 0..400 {
            let value = (random(3) > 0).then(|| random(20) as u8);
            writes.push((u64::from(random(3)), random(40) as u8, value));
        }
        for every in [1, 3, 100, 1000] {
            let mut memtable = MemTable::default();
            for (number, (object, rest, value)) in writes.iter().enumerate() {
                write(&mut memtable, *object, *rest, *value);
                if number % every == 0 {
                    memtable.settle();
                }
            }
            memtable.settle();
            let wanted = one_by_one(&writes);
            assert!(memtable.space(Space::Index).iter().eq(wanted.space(Space::Index)), "every {every}");
            assert_eq!((memtable.size, memtable.memory), (wanted.size, wanted.memory), "every {every}");
            let memory = memtable.space(Space::Index).iter().map(|(key, value)| memory_of(key.len(), value));
            assert_eq!(memtable.memory, memory.sum::<usize>(), "every {every}");
        }
    }

    #[test]
    fn short_keys_stand_where_they_belong() {
        let mut memtable = MemTable::default();
        let keys: [&[u8]; 6] = [b"c", b"", b"b\0\0\0\0\0\0\0\0", b"b", b"bcdefghijk", b"a234567890"];
        for key in keys {
            memtable.put(Space::Meta, key, &b"v"[..]);
        }
        memtable.settle();
        assert!(memtable.space(Space::Meta).iter().map(|(key, _)| key).is_sorted());
        assert_eq!(memtable.len(), keys.len());
    }

    #[test]
    fn what_a_transaction_wrote_and_deleted_itself_leaves_nothing() {
        let mut memtable = MemTable::default();
        memtable.put(Space::Docs, key(1, b"a"), &b"own"[..]);
        memtable.delete_of_document(Space::Docs, key(1, b"a"), true);
        memtable.delete_of_document(Space::Docs, key(1, b"b"), false);
        memtable.settle();
        let left: Vec<_> = memtable.space(Space::Docs).iter().collect();
        assert_eq!(left, [(key(1, b"b").as_slice(), &None)]);
        assert_eq!(memtable.memory, memory_of(9, &None));
    }
}
