//! The state as of one commit, and what all transactions share.

use std::sync::{Arc, OnceLock, Weak};

use imbl::OrdMap;
use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};

use super::StoreOptions;
use super::build::Watched;
use super::clock::{Clock, Tick};
use super::cores::Cores;
use super::estimates::Estimates;
use super::keygen::KeyState;
use super::locks::{CollectionLocks, KeyLocks};
use crate::catalog::Catalog;
use crate::error::code;
use crate::memory::Budget;
use crate::storage::{
    Bounds, Cursor, DocumentCache, Faults, Images, Lookups, MemTable, Meta, ReadTables, Space, WrittenValue, id_from,
    origin_from, prefixed,
};
use crate::value::Value;
use crate::{Error, Result};

/// The state as of one commit.
pub(crate) struct Snapshot {
    pub tables: Arc<ReadTables>,
    /// A number that is another one for other tables, and greater for later ones.
    pub version: u64,
    /// What scans have read of these tables.
    pub images: Arc<Images>,
    /// Committed, but not in the tables yet; the newest first.
    pub recent: Vec<MemTable>,
    pub sequence: u64,
    /// The record of the log with which the documents of a collection have changed last, of those that have since the start.
    pub changed: OrdMap<u64, u64>,
    pub catalog: Arc<Catalog>,
}

impl Snapshot {
    /// What was written there and is not in the tables yet; `None` when nothing was.
    pub fn written(&self, space: Space, key: &[u8]) -> Option<&WrittenValue> {
        self.recent.iter().find_map(|recent| recent.get(space, key))
    }

    /// The document id an entry of the primary or of a unique index holds.
    pub fn id(&self, space: Space, key: &[u8]) -> Result<Option<u64>> {
        match self.written(space, key) {
            Some(written) => Ok(written.as_ref().and_then(|id| id_from(id))),
            None => self.tables.id(space, key),
        }
    }

    /// Is there such an entry, and what does it hold?
    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>> {
        match self.written(space, key) {
            Some(written) => Ok(written.as_ref().map(|value| value.to_vec())),
            None => Ok(self.tables.get(space, key)?.map(|found| found.value().to_vec())),
        }
    }

    /// The origin of a document that is there.
    pub fn origin(&self, collection: u64, document: &Value) -> Result<Option<u64>> {
        let key = document.get("_key");
        let place = prefixed(collection, key.as_str().unwrap_or_default().as_bytes());
        Ok(self.get(Space::Primary, &place)?.and_then(|held| origin_from(&held)))
    }

    /// How many documents a collection has.
    pub fn count(&self, collection: u64) -> Result<u64> {
        let change: i64 = self.recent.iter().filter_map(|recent| recent.counts.get(&collection)).sum();
        Ok(self.tables.number(Meta::Count(collection))?.saturating_add_signed(change))
    }

    /// The last number of a collection's key generator.
    pub fn last_key(&self, collection: u64) -> Result<u64> {
        let recent = self.recent.iter().filter_map(|recent| recent.last_keys.get(&collection)).max();
        Ok(self.tables.number(Meta::LastKey(collection))?.max(recent.copied().unwrap_or(0)))
    }

    /// The numbers under which there is something that nobody needs, or that an index in the making needs.
    pub fn garbage(&self) -> Result<FxHashSet<u64>> {
        let mut cursor = self.cursor(None, Space::Meta, &Bounds::prefix(Meta::GARBAGE.to_vec()), false)?;
        let mut garbage = FxHashSet::default();
        while cursor.advance()? {
            garbage.extend(id_from(cursor.key()));
        }
        Ok(garbage)
    }

    /// A run of entries, with those of a transaction merged in.
    pub fn cursor(&self, own: Option<&MemTable>, space: Space, bounds: &Bounds, reverse: bool) -> Result<Cursor> {
        Cursor::new(&self.tables, own.into_iter().chain(&self.recent), space, bounds, reverse)
    }
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
    pub lookups: Lookups,
    /// How well indexes tell documents apart.
    pub estimates: Estimates,
    pub key_states: Mutex<FxHashMap<u64, Arc<KeyState>>>,
    /// Who wants to know which documents of a collection are written.
    pub watches: Mutex<Vec<Weak<Watched>>>,
    /// What queries and open transactions hold together.
    pub memory: Arc<Budget>,
    /// The cores that queries share.
    pub cores: Arc<Cores>,
    /// What is wrong with the files.
    pub faults: Arc<Faults>,
    poison: OnceLock<Error>,
}

impl Shared {
    pub fn new(snapshot: Snapshot, clock: u64, tick: u64, options: &StoreOptions, faults: Arc<Faults>) -> Self {
        Self {
            current: RwLock::new(Arc::new(snapshot)),
            clock: Clock::new(clock),
            tick: Tick::new(tick),
            owners: Tick::new(0),
            key_locks: KeyLocks::default(),
            collection_locks: CollectionLocks::default(),
            cache: DocumentCache::new(options.document_cache),
            lookups: Lookups::new(options.lookup_cache),
            estimates: Estimates::default(),
            key_states: Mutex::default(),
            watches: Mutex::default(),
            memory: Arc::new(Budget::new(options.memory)),
            cores: Arc::new(Cores::new(options.cores, options.large)),
            faults,
            poison: OnceLock::new(),
        }
    }

    /// The newest committed state.
    pub fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read())
    }

    /// Forgets what is only kept to be at hand.
    pub fn empty_caches(&self) {
        self.cache.clear();
        self.lookups.clear();
        self.current().images.clear();
    }

    /// Refuses writes from here on: what the file holds is not known any more.
    pub fn poison(&self, cause: &Error) {
        let _ = self
            .poison
            .set(Error::new(code::READ_ONLY, format!("writing failed before, restart to continue: {}", cause.message)));
    }

    /// An error when writing has failed for good.
    pub fn check_sound(&self) -> Result<()> {
        self.poison.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// The same, and while there is no room.
    pub fn check_writable(&self) -> Result<()> {
        self.check_sound()?;
        self.faults.check_room()
    }
}
