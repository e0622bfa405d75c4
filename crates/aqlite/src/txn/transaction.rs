//! An open transaction.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::committer::{Commit, Reply};
use super::document::Buffer;
use super::entries::Places;
use super::locks::Held;
use super::snapshot::Snapshot;
use super::store::Store;
use super::{Access, InBetween, Rights, TxnOptions, Used, View};
use crate::catalog::{Catalog, Collection, Database};
use crate::error::code;
use crate::memory::Share;
use crate::storage::{LogRecord, MemTable, at_hand};
use crate::{Error, Result};

/// Larger writes count as memory in use until they have arrived in the tables; they are committed before that.
const LIVES_ON: usize = 1 << 20;

/// How long others that hold a collection are waited for.
pub(super) const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_mins(15);

/// An open transaction: a snapshot, a write set, locks. Dropped without commit it is aborted.
pub struct Txn {
    pub(super) store: Store,
    pub(super) snapshot: Arc<Snapshot>,
    database: Arc<Database>,
    pub(super) options: TxnOptions,
    pub(super) memtable: MemTable,
    pub(super) held: Held,
    declared: FxHashMap<u64, Access>,
    /// Only what was declared may be written.
    restricted: bool,
    /// What whoever works in it may do; `None`: everything.
    rights: Option<Arc<dyn Rights>>,
    /// The collections that the statement at work has asked for.
    used: Used,
    /// The collections written so far, as they are now and stay while this transaction holds them.
    written: FxHashMap<u64, Arc<Collection>>,
    sync: bool,
    /// What its writes take of the memory of all transactions.
    pub(super) share: Share,
    /// Documents written since it committed last.
    pub(super) pending: u64,
    commits_in_between: u64,
    /// It has taken away or written over entries of unique indexes, without having claimed them.
    pub(super) has_changed_unique: bool,
    /// Where documents are put together,
    pub(super) buffer: Buffer,
    /// and their places in indexes.
    pub(super) places: Places,
    /// What most entries of indexes that are not unique hold. One of its own, for threads wait for each other where they count
    /// who uses the same.
    pub(super) nothing: Option<Arc<[u8]>>,
}

/// See [`Txn::mark`].
pub(crate) struct Mark {
    memtable: MemTable,
    keys: usize,
    pending: u64,
}

fn unknown(name: &str) -> Error {
    Error::detailed(code::DATA_SOURCE_NOT_FOUND, name)
}

impl Txn {
    pub(super) fn begin(store: Store, database: &Arc<Database>, options: TxnOptions) -> Result<Self> {
        let shared = Arc::clone(store.shared());
        let mut held = Held::new(&shared);
        let mut declared: FxHashMap<u64, Access> = FxHashMap::default();
        let lists =
            [(&options.read, Access::Read), (&options.write, Access::Write), (&options.exclusive, Access::Exclusive)];
        let restricted = lists.iter().any(|(names, _)| !names.is_empty()) || !options.allow_implicit;
        if restricted {
            let catalog = Arc::clone(&shared.current().catalog);
            let now = catalog.database_by_id(database.id).ok_or_else(|| Error::plain(code::DATABASE_NOT_FOUND))?;
            for (names, access) in lists {
                for name in names {
                    let id = now.collection(name).ok_or_else(|| unknown(name))?.id;
                    let entry = declared.entry(id).or_insert(access);
                    *entry = access.max(*entry);
                }
            }
            // always in the same order, so that two that begin at once do not wait for each other
            let mut order: Vec<_> = declared.iter().filter(|(_, a)| **a > Access::Read).collect();
            order.sort_unstable_by_key(|(id, _)| **id);
            let may_wait = at_hand::may_wait();
            let timeout = options.lock_timeout.unwrap_or(DEFAULT_LOCK_TIMEOUT);
            for (id, access) in order {
                let exclusive = *access == Access::Exclusive;
                if !may_wait && !held.collection(*id, exclusive, Duration::ZERO) {
                    return Err(at_hand::refuse());
                }
                if !held.collection(*id, exclusive, timeout) {
                    let name = catalog.collection(database.id, *id).map(|c| c.name.clone()).unwrap_or_default();
                    return Err(lock_timeout(timeout, exclusive, &database.name, &name));
                }
            }
        }
        let share = Share::of_writes(&shared.memory);
        let snapshot = shared.current();
        let database = snapshot.catalog.database_by_id(database.id);
        let database = Arc::clone(database.ok_or_else(|| Error::plain(code::DATABASE_NOT_FOUND))?);
        Ok(Self {
            store,
            snapshot,
            database,
            options,
            memtable: MemTable::default(),
            held,
            declared,
            restricted,
            rights: None,
            used: Used::default(),
            written: FxHashMap::default(),
            sync: false,
            share,
            pending: 0,
            commits_in_between: 0,
            has_changed_unique: false,
            buffer: Buffer::default(),
            places: Places::default(),
            nothing: None,
        })
    }

    /// From here on only declared collections may be written, also when none was declared.
    pub fn restrict(&mut self) {
        self.restricted = true;
    }

    /// From here on every collection is asked for in somebody's name.
    pub fn set_rights(&mut self, rights: Option<Arc<dyn Rights>>) {
        self.rights = rights;
    }

    /// From here on another statement is at work; gives what it will have asked for.
    pub fn begin_statement(&mut self) -> Used {
        self.used = Used::default();
        self.used.clone()
    }

    /// Fails unless whoever works in it may write to everything that was written.
    pub fn check_written(&self) -> Result<()> {
        self.written.values().try_for_each(|collection| self.check_rights(collection, Access::Write))
    }

    /// Fails unless whoever works in it may use a collection like this.
    pub fn check_rights(&self, collection: &Collection, access: Access) -> Result<()> {
        self.rights.as_ref().map_or(Ok(()), |rights| rights.check(&collection.name, access))
    }

    /// Brings what was written into order, so that views need not do it each for itself.
    pub(crate) fn settle(&mut self) {
        self.memtable.settle();
    }

    /// What a statement sees: the snapshot and the writes so far. Later writes do not show in it.
    pub fn view(&self) -> View {
        View::new(self.store.shared(), &self.snapshot, &self.memtable)
    }

    /// What existed when the transaction began.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.snapshot.catalog
    }

    /// The database it works in.
    pub fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// The store it belongs to.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Has a commit anything to do?
    pub fn has_writes(&self) -> bool {
        self.memtable.has_writes()
    }

    /// Bytes that its writes take until they are committed.
    pub fn write_memory(&self) -> usize {
        self.memtable.memory
    }

    /// How often it has committed before its end.
    pub fn commits_in_between(&self) -> u64 {
        self.commits_in_between
    }

    /// Has it written to a collection whose writes wait for the disk, or was it asked to itself?
    pub fn wait_for_sync(&self) -> bool {
        self.options.wait_for_sync.unwrap_or(false) || self.sync
    }

    /// A collection to read from: error 1203 when there is none, 1652 when it had to be declared, 11 when it must not be
    /// read.
    pub fn collection_for_read(&self, name: &str) -> Result<Arc<Collection>> {
        let collection = self.database.collection(name).ok_or_else(|| unknown(name))?;
        if self.restricted && !self.options.allow_implicit && !self.declared.contains_key(&collection.id) {
            return Err(unregistered(name, Access::Read));
        }
        self.check_rights(collection, Access::Read)?;
        self.used.note(collection);
        Ok(Arc::clone(collection))
    }

    /// A collection to write to: error 1203 when there is none, 1652 when it had to be declared, 11 or 1004 when it must
    /// not be written.
    pub fn collection_for_write(&self, name: &str) -> Result<Arc<Collection>> {
        let collection = self.database.collection(name).ok_or_else(|| unknown(name))?;
        self.check_writable(collection)?;
        self.used.note(collection);
        Ok(Arc::clone(collection))
    }

    fn check_writable(&self, collection: &Collection) -> Result<()> {
        let access = self.declared.get(&collection.id);
        if self.restricted && access.is_none_or(|a| *a < Access::Write) {
            return Err(unregistered(&collection.name, Access::Write));
        }
        self.check_rights(collection, Access::Write)
    }

    /// The collection to write to as it is now: an index may have come since the transaction began.
    pub(super) fn target(&mut self, collection: &Collection) -> Result<Arc<Collection>> {
        if let Some(target) = self.written.get(&collection.id) {
            return Ok(Arc::clone(target));
        }
        self.check_writable(collection)?;
        let timeout = self.options.lock_timeout.unwrap_or(DEFAULT_LOCK_TIMEOUT);
        if !at_hand::may_wait() && !self.held.collection(collection.id, false, Duration::ZERO) {
            return Err(at_hand::refuse());
        }
        if !self.held.collection(collection.id, false, timeout) {
            return Err(lock_timeout(timeout, false, &self.database.name, &collection.name));
        }
        let current = self.store.shared().current();
        let now = current.catalog.collection(collection.database, collection.id);
        let now = now.ok_or_else(|| unknown(&collection.name))?;
        let before = self.snapshot.catalog.collection(collection.database, collection.id);
        let before = before.ok_or_else(|| unknown(&collection.name))?;
        let still_there = |index: u64| now.indexes.iter().any(|i| i.id == index);
        if now.epoch != before.epoch || !before.indexes.iter().all(|i| still_there(i.id)) {
            return Err(Error::new(
                code::CONFLICT,
                format!("write-write conflict; collection {} was changed meanwhile", collection.name),
            ));
        }
        self.sync |= now.properties.wait_for_sync;
        self.written.insert(now.id, Arc::clone(now));
        Ok(Arc::clone(now))
    }

    /// Makes the writes visible to others and durable; returns when that is done. With `wait_for_sync` they are on
    /// disk then, also when the machine loses power.
    pub fn commit(self, wait_for_sync: bool) -> Result<()> {
        let sync = wait_for_sync || self.wait_for_sync();
        let Self { store, memtable, held, snapshot, share, .. } = self;
        drop(snapshot);
        commit_writes(&store, memtable, share, held, sync)
    }

    /// The same without waiting for it: `then` hears of it on the thread that commits, or is dropped with a store that closes.
    pub(crate) fn commit_then(self, wait_for_sync: bool, then: impl FnOnce(Result<()>) + Send + 'static) {
        let sync = wait_for_sync || self.wait_for_sync();
        let Self { store, memtable: mut writes, held, snapshot, share, .. } = self;
        drop(snapshot);
        let (batch, share) = match prepare(&store, &mut writes, share) {
            Ok(prepared) => prepared,
            Err(error) => return then(Err(error)),
        };
        let reply: Reply = Box::new(move |committed| {
            drop(share);
            then(committed.map(drop));
        });
        store.commits().commit_elsewhere(Commit { batch, writes, sync, held, reply });
    }

    /// Commits what was written so far, where that is due, and goes on: keys are given back, collections are not. What
    /// comes then is compared with the state after it.
    pub(super) fn commit_when_due(&mut self) -> Result<()> {
        let InBetween { count, size } = self.options.in_between;
        if !(count.is_some_and(|count| self.pending >= count) || size.is_some_and(|size| self.memtable.size >= size)) {
            return Ok(());
        }
        if !at_hand::may_wait() {
            // what comes after it might have to be done elsewhere, and this with it
            return Err(at_hand::refuse());
        }
        let share = std::mem::replace(&mut self.share, Share::of_writes(&self.store.shared().memory));
        let writes = std::mem::take(&mut self.memtable);
        self.pending = 0;
        commit_writes(&self.store, writes, share, self.held.take_keys(), self.wait_for_sync())?;
        self.commits_in_between += 1;
        self.snapshot = self.store.shared().current();
        Ok(())
    }

    /// Forgets everything written.
    pub fn abort(self) {}

    /// What was written so far, to come back to with [`Self::go_back_to`].
    pub(crate) fn mark(&mut self) -> Mark {
        self.settle();
        Mark { memtable: self.memtable.clone(), keys: self.held.mark(), pending: self.pending }
    }

    /// Forgets what was written since. Collections stay held.
    pub(crate) fn go_back_to(&mut self, mark: Mark) {
        let Mark { memtable, keys, pending } = mark;
        self.memtable = memtable;
        self.held.release_since(keys);
        self.pending = pending;
        // what shrinks is never refused
        let _ = self.share.resize(self.memtable.memory);
    }
}

/// What is logged of writes, and what they take of the memory of all transactions until they are committed, or longer.
fn prepare(store: &Store, writes: &mut MemTable, share: Share) -> Result<(LogRecord, Arc<Share>)> {
    store.shared().check_writable()?;
    let batch = LogRecord::new(writes, store.shared().clock.last(), store.shared().tick.last());
    let share = Arc::new(share);
    if writes.memory > LIVES_ON {
        writes.share = Some(Arc::clone(&share));
    }
    Ok((batch, share))
}

/// Hands writes over and waits until they are committed.
fn commit_writes(store: &Store, mut writes: MemTable, share: Share, held: Held, sync: bool) -> Result<()> {
    if !writes.has_writes() {
        return Ok(());
    }
    let (batch, share) = prepare(store, &mut writes, share)?;
    let (reply, answer) = sync_channel(1);
    let commit = Commit { batch, writes, sync, held, reply: Box::new(move |committed| drop(reply.send(committed))) };
    if at_hand::may_wait() {
        store.commits().commit(commit)?;
    } else if at_hand::was_refused() || store.commits().commit_at_once(commit).is_err() {
        return Err(at_hand::refuse());
    }
    let committed = answer.recv().map_err(|_| Error::plain(code::SHUTTING_DOWN))?;
    drop(share);
    // whoever writes much waits a little where the tables do not keep up, so that nobody has to wait for long
    committed.map(std::thread::sleep)
}

fn unregistered(name: &str, access: Access) -> Error {
    Error::detailed(code::TRANSACTION_UNREGISTERED_COLLECTION, format!("{name} [{}]", access.name()))
}

pub(super) fn lock_timeout(timeout: Duration, exclusive: bool, database: &str, collection: &str) -> Error {
    let kind = if exclusive { "exclusive" } else { "write" };
    Error::new(
        code::LOCK_TIMEOUT,
        format!(
            "timed out after {:.6} s waiting for {kind}-lock on collection {database}/{collection} on single",
            timeout.as_secs_f64()
        ),
    )
}
