//! The state as of one commit, and what all transactions share.

use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;

use super::clock::{Clock, Tick};
use super::keygen::KeyState;
use super::locks::{CollectionLocks, KeyLocks};
use crate::catalog::Catalog;
use crate::error::code;
use crate::storage::{DocumentCache, ReadTables};
use crate::{Error, Result};

/// The state as of one commit.
pub(crate) struct Snapshot {
    pub tables: ReadTables,
    pub sequence: u64,
    pub catalog: Arc<Catalog>,
}

/// What the store, its transactions and the committer share.
pub(crate) struct Shared {
    pub current: RwLock<Arc<Snapshot>>,
    pub clock: Clock,
    pub tick: Tick,
    pub owners: Tick,
    pub key_locks: KeyLocks,
    pub collection_locks: CollectionLocks,
    pub cache: DocumentCache,
    pub key_states: Mutex<FxHashMap<u64, Arc<KeyState>>>,
    poison: OnceLock<Error>,
}

impl Shared {
    pub fn new(snapshot: Snapshot, clock: u64, tick: u64, cache_bytes: u64) -> Self {
        Self {
            current: RwLock::new(Arc::new(snapshot)),
            clock: Clock::new(clock),
            tick: Tick::new(tick),
            owners: Tick::new(0),
            key_locks: KeyLocks::default(),
            collection_locks: CollectionLocks::default(),
            cache: DocumentCache::new(cache_bytes),
            key_states: Mutex::default(),
            poison: OnceLock::new(),
        }
    }

    /// The newest committed state.
    pub fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read())
    }

    /// Refuses writes from here on: what the file holds is not known any more.
    pub fn poison(&self, cause: &Error) {
        let _ = self
            .poison
            .set(Error::new(code::READ_ONLY, format!("writing failed before, restart to continue: {}", cause.message)));
    }

    pub fn check_writable(&self) -> Result<()> {
        self.poison.get().map_or(Ok(()), |error| Err(error.clone()))
    }
}
