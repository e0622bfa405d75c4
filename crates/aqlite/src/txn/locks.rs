//! Who may write what: single keys, and whole collections.

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;

use super::snapshot::Shared;
use crate::seeded::SeededMap;

/// The outcome of asking for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It is now held.
    Fresh,
    /// It was held already by the same owner.
    Held,
    /// Somebody else holds it.
    Busy,
}

/// Keys of documents and unique values that open transactions have written.
#[derive(Default)]
pub(crate) struct KeyLocks {
    owners: Mutex<SeededMap<Arc<[u8]>, u64>>,
}

/// Collections: many writers or one exclusive holder.
#[derive(Default)]
pub(crate) struct CollectionLocks {
    states: Mutex<FxHashMap<u64, State>>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    exclusive: bool,
    writers: usize,
    /// Writers that come later wait for these, else a busy collection could never be had.
    waiting: usize,
    /// One of them writes already. A second one would wait for the first, and the first for it.
    upgrading: bool,
}

impl CollectionLocks {
    /// Waits for a collection; `false` when the time is over, or can only go by. `is_writer`: it is held already, but not
    /// exclusively.
    fn acquire(&self, collection: u64, exclusive: bool, is_writer: bool, timeout: Duration) -> bool {
        let deadline = Instant::now().checked_add(timeout);
        let own = usize::from(is_writer);
        let mut states = self.states.lock();
        if exclusive {
            let state = states.entry(collection).or_default();
            if is_writer && std::mem::replace(&mut state.upgrading, true) {
                return false;
            }
            state.waiting += 1;
        }
        let got = loop {
            let state = states.entry(collection).or_default();
            let free = !state.exclusive && if exclusive { state.writers == own } else { state.waiting == 0 };
            if free {
                if exclusive {
                    state.exclusive = true;
                    state.writers = 0;
                } else {
                    state.writers += 1;
                }
                break true;
            }
            let timed_out = if let Some(deadline) = deadline {
                self.changed.wait_until(&mut states, deadline).timed_out()
            } else {
                self.changed.wait(&mut states);
                false
            };
            if timed_out {
                break false;
            }
        };
        if exclusive && let Some(state) = states.get_mut(&collection) {
            state.waiting -= 1;
            state.upgrading &= !is_writer;
            if !got {
                self.changed.notify_all();
            }
        }
        got
    }

    fn release(&self, collection: u64, exclusive: bool) {
        let mut states = self.states.lock();
        if let Some(state) = states.get_mut(&collection) {
            if exclusive {
                state.exclusive = false;
            } else {
                state.writers = state.writers.saturating_sub(1);
            }
            if !state.exclusive && state.writers == 0 && state.waiting == 0 {
                states.remove(&collection);
            }
        }
        self.changed.notify_all();
    }
}

/// Everything one transaction holds; given back when dropped.
pub(crate) struct Held {
    shared: Arc<Shared>,
    owner: u64,
    keys: Vec<Arc<[u8]>>,
    /// Collections, and whether nobody else writes them meanwhile.
    collections: Vec<(u64, bool)>,
}

impl Held {
    pub fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), owner: shared.owners.next(), keys: Vec::new(), collections: Vec::new() }
    }

    /// Asks for a key; never waits.
    pub fn claim(&mut self, key: &Arc<[u8]>) -> Claim {
        match self.shared.key_locks.owners.lock().entry(Arc::clone(key)) {
            Entry::Occupied(owner) if *owner.get() == self.owner => Claim::Held,
            Entry::Occupied(_) => Claim::Busy,
            Entry::Vacant(free) => {
                free.insert(self.owner);
                self.keys.push(Arc::clone(key));
                Claim::Fresh
            }
        }
    }

    /// How many keys are held, to come back to with [`Self::release_since`].
    pub fn mark(&self) -> usize {
        self.keys.len()
    }

    /// Gives back the keys claimed since a mark.
    pub fn release_since(&mut self, mark: usize) {
        let mut owners = self.shared.key_locks.owners.lock();
        for key in self.keys.drain(mark..) {
            owners.remove(&key);
        }
    }

    /// The keys alone, to be given back apart from the collections.
    pub fn take_keys(&mut self) -> Self {
        let keys = std::mem::take(&mut self.keys);
        Self { shared: Arc::clone(&self.shared), owner: self.owner, keys, collections: Vec::new() }
    }

    /// Waits for a collection; `false` when the time is over. What is held together with others is given up to nobody on the
    /// way to being held alone; of two that want that only one can wait for the other, and the second one is refused.
    pub fn collection(&mut self, collection: u64, exclusive: bool, timeout: Duration) -> bool {
        let known = self.collections.iter_mut().find(|(id, _)| *id == collection);
        if known.as_ref().is_some_and(|(_, alone)| *alone || !exclusive) {
            return true;
        }
        let got = self.shared.collection_locks.acquire(collection, exclusive, known.is_some(), timeout);
        match known {
            Some((_, alone)) => *alone = got,
            None if got => self.collections.push((collection, exclusive)),
            None => {}
        }
        got
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.release_since(0);
        for (collection, exclusive) in self.collections.drain(..) {
            self.shared.collection_locks.release(collection, exclusive);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;
    use crate::txn::Store;

    const COLLECTION: u64 = 7;
    const LONG: Duration = Duration::from_hours(1);

    fn store() -> (Store, tempfile::TempDir) {
        let dir = tempfile::tempdir().expect("a directory");
        (Store::open(dir.path()).expect("opens"), dir)
    }

    /// May somebody else write the collection now?
    fn is_open(store: &Store) -> bool {
        Held::new(store.shared()).collection(COLLECTION, false, Duration::ZERO)
    }

    #[test]
    fn who_holds_a_collection_with_others_gets_it_alone_and_not_before() {
        let (store, _dir) = store();
        let (mut own, mut other) = (Held::new(store.shared()), Held::new(store.shared()));
        assert!(own.collection(COLLECTION, false, LONG) && other.collection(COLLECTION, false, LONG));
        assert!(!own.collection(COLLECTION, true, Duration::ZERO), "another one writes it");
        assert!(is_open(&store), "what was not given changes nothing");
        drop(other);
        assert!(own.collection(COLLECTION, true, LONG));
        assert!(!is_open(&store));
        drop(own);
        assert!(is_open(&store));
    }

    #[test]
    fn who_holds_a_collection_alone_goes_on_doing_so_when_he_asks_for_less() {
        let (store, _dir) = store();
        let mut own = Held::new(store.shared());
        assert!(own.collection(COLLECTION, true, LONG) && own.collection(COLLECTION, false, LONG));
        assert!(!is_open(&store));
        drop(own);
        assert!(is_open(&store));
    }

    #[test]
    fn of_two_writers_that_want_a_collection_alone_the_second_is_refused_at_once() {
        let (store, _dir) = store();
        let (mut first, mut second) = (Held::new(store.shared()), Held::new(store.shared()));
        assert!(first.collection(COLLECTION, false, LONG) && second.collection(COLLECTION, false, LONG));
        let (sender, got) = channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                let _ = sender.send(first.collection(COLLECTION, true, LONG));
            });
            // one of both begins to wait; as long as it is not known to be the other one it is asked again
            while !store.shared().collection_locks.states.lock()[&COLLECTION].upgrading {
                thread::yield_now();
            }
            assert!(!second.collection(COLLECTION, true, LONG));
            drop(second);
            assert_eq!(got.recv(), Ok(true));
        });
        assert!(is_open(&store));
    }
}
