//! Who may write what: single keys, and whole collections.

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;

use super::snapshot::Shared;

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
    owners: Mutex<FxHashMap<Arc<[u8]>, u64>>,
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
}

impl CollectionLocks {
    fn acquire(&self, collection: u64, exclusive: bool, timeout: Duration) -> bool {
        let deadline = Instant::now().checked_add(timeout);
        let mut states = self.states.lock();
        if exclusive {
            states.entry(collection).or_default().waiting += 1;
        }
        let got = loop {
            let state = states.entry(collection).or_default();
            let free =
                if exclusive { !state.exclusive && state.writers == 0 } else { !state.exclusive && state.waiting == 0 };
            if free {
                if exclusive {
                    state.exclusive = true;
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

    /// Waits for a collection; `false` when the time is over.
    pub fn collection(&mut self, collection: u64, exclusive: bool, timeout: Duration) -> bool {
        if self.collections.iter().any(|(id, _)| *id == collection) {
            return true;
        }
        let got = self.shared.collection_locks.acquire(collection, exclusive, timeout);
        if got {
            self.collections.push((collection, exclusive));
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
