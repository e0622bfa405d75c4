//! An open data directory.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use imbl::OrdMap;
use parking_lot::Mutex;
use tracing::warn;

use super::applier::{Applier, Queue};
use super::committer::{Commits, Committer, Message};
use super::cores::Cores;
use super::ddl::Draft;
use super::snapshot::{Shared, Snapshot};
use super::start::{Opened, open_files};
use super::syncer::Syncer;
use super::{Txn, TxnOptions, View, damage, expiry, scrub};
use crate::catalog::{Catalog, Collection, Database};
use crate::error::code;
use crate::memory::{self, Budget, Limits, Shortage};
use crate::storage::{Disk, Faults, Images, MemTable, Meta, Pages, ReadTables, SystemDisk, damaged, storage_error};
use crate::{Error, Result};

/// How a store is run.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Bytes of whole documents kept ready.
    pub document_cache: u64,
    /// Bytes of documents by key and edges by vertex kept ready.
    pub lookup_cache: u64,
    /// Bytes of collections kept ready for the next full scan.
    pub scan_cache: usize,
    /// Bytes of pages of the file kept ready.
    pub page_cache: usize,
    /// How often documents that have expired are removed.
    pub ttl_interval: Duration,
    /// The most bytes one transaction may write, where it does not ask for less itself.
    pub max_transaction_size: usize,
    /// Bytes of the log after which it is brought into the tables, while commits go on in a second one.
    pub log_limit: u64,
    /// How much memory queries and transactions may hold.
    pub memory: Limits,
    /// Cores that one query may use, as long as nobody else needs them.
    pub cores: usize,
    /// So many documents of a full scan, or rows of a sort, are worth one more.
    pub large: u64,
    /// How many bytes a second everything stored is read with to see whether it is damaged; 0: it is not.
    pub scrub_rate: u64,
    /// For how long it is not, between two times.
    pub scrub_pause: Duration,
    /// Where the files are; tests have disks that fail.
    pub disk: Arc<dyn Disk>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        let caches = memory::for_caches() / 17;
        Self {
            document_cache: 2 * caches as u64,
            lookup_cache: 3 * caches as u64,
            scan_cache: 4 * caches,
            page_cache: 8 * caches,
            ttl_interval: Duration::from_secs(30),
            max_transaction_size: 1 << 30,
            log_limit: 16 << 20,
            memory: Limits::default(),
            cores: std::thread::available_parallelism().map_or(1, NonZero::get),
            large: 64 << 10,
            scrub_rate: 4 << 20,
            scrub_pause: Duration::from_hours(24),
            disk: Arc::new(SystemDisk),
        }
    }
}

/// An open data directory. Cheap to clone; the last clone closes it.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
    /// Says whether somebody still wants what is done; `None`: for sure.
    is_wanted: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

/// A store that does not keep the directory open.
pub(super) struct WeakStore {
    inner: Weak<Inner>,
}

impl WeakStore {
    /// The store, while somebody else still has it.
    pub fn upgrade(&self) -> Option<Store> {
        self.inner.upgrade().map(Store::of)
    }
}

struct Inner {
    shared: Arc<Shared>,
    queue: Arc<Queue>,
    commits: Arc<Commits>,
    thread: Mutex<Option<JoinHandle<()>>>,
    server_id: u64,
    directory: PathBuf,
    max_transaction_size: usize,
    /// Dropped, it ends the thread that removes expired documents.
    expiry: OnceLock<Sender<()>>,
    /// The same for the one that looks for damage.
    scrub: OnceLock<Sender<()>>,
    /// The data file as it is on the disk.
    pages: Option<Arc<Pages>>,
    keeps_expired: AtomicBool,
}

impl Drop for Inner {
    fn drop(&mut self) {
        let _ = close(self);
    }
}

fn close(inner: &Inner) -> Result<()> {
    let Some(thread) = inner.thread.lock().take() else { return Ok(()) };
    let (reply, answer) = sync_channel(1);
    let sent = inner.commits.send(Message::Close(reply));
    let result = match sent {
        Ok(()) => answer.recv().unwrap_or_else(|_| Err(shut_down())),
        Err(_) => Err(shut_down()),
    };
    // a transaction may end on the committer's own thread only when the store is gone already
    if thread.thread().id() != std::thread::current().id() {
        let _ = thread.join();
    }
    result
}

fn shut_down() -> Error {
    Error::plain(code::SHUTTING_DOWN)
}

impl Store {
    /// Opens or creates a data directory. One that is damaged or in use is an error.
    pub fn open(data_dir: &Path) -> Result<Self> {
        Self::open_with(data_dir, &StoreOptions::default())
    }

    /// The same with other limits.
    pub fn open_with(data_dir: &Path, options: &StoreOptions) -> Result<Self> {
        let Opened { file, wal, is_clean } = open_files(data_dir, options.page_cache, &*options.disk)?;
        let tables = file.read()?;
        let catalog = Arc::new(load_catalog(&tables)?);
        let (clock, tick) = (tables.number(Meta::Clock)?, tables.number(Meta::Tick)?);
        let server_id = tables.number(Meta::ServerId)?;
        let fresh = catalog.databases().next().is_none();
        let snapshot = Snapshot {
            tables: Arc::new(tables),
            version: 0,
            images: Arc::new(Images::new(options.scan_cache)),
            recent: Vec::new(),
            sequence: wal.sequence(),
            changed: OrdMap::new(),
            catalog,
        };
        let (pages, faults) = (file.pages().cloned(), Arc::clone(file.faults()));
        let shared = Arc::new(Shared::new(snapshot, clock, tick, options, Arc::clone(&faults)));
        let caches = Arc::downgrade(&shared);
        shared.memory.give_way_by(move |shortage| {
            if shortage == Shortage::Process
                && let Some(shared) = caches.upgrade()
            {
                shared.empty_caches();
            }
        });
        let (sender, messages) = channel();
        let queue = Arc::new(Queue::default());
        let named = Arc::downgrade(&shared);
        faults.name_by(move |space, key, page| {
            let snapshot = named.upgrade()?.current();
            damage::name(&snapshot.tables, &snapshot.catalog, space, key, page)
        });
        let threads =
            (Applier::start(Arc::new(file), Arc::clone(&queue), sender.clone())?, Syncer::start(sender.clone())?);
        let logs = (wal, options.log_limit);
        let mut committer = Committer::new(Arc::clone(&shared), logs, threads, Box::new(Instant::now))?;
        if !is_clean {
            committer.recover()?;
        }
        let commits = Arc::new(Commits::new(committer, sender));
        let thread = spawn(Arc::clone(&commits), messages)?;
        let server_id = if fresh { uuid::Uuid::new_v4().as_u64_pair().0 >> 16 } else { server_id };
        let inner = Inner {
            shared,
            queue,
            commits,
            thread: Mutex::new(Some(thread)),
            server_id,
            directory: data_dir.to_owned(),
            max_transaction_size: options.max_transaction_size,
            expiry: OnceLock::new(),
            scrub: OnceLock::new(),
            pages,
            keeps_expired: AtomicBool::new(false),
        };
        let store = Self::of(Arc::new(inner));
        if fresh {
            store.initialize(server_id)?;
        }
        match store.renew_indexes() {
            Err(error) if error.num == code::FILESYSTEM_FULL => warn!(%error, "indexes of an earlier version stay"),
            renewed => renewed?,
        }
        let _ = store.inner.expiry.set(expiry::start(store.weak(), options.ttl_interval)?);
        if options.scrub_rate > 0 {
            let _ = store.inner.scrub.set(scrub::start(store.weak(), options.scrub_rate, options.scrub_pause)?);
        }
        Ok(store)
    }

    fn of(inner: Arc<Inner>) -> Self {
        Self { inner, is_wanted: None }
    }

    /// The same for somebody who may give up: changes of the catalog that have to wait for others end when he does.
    pub(crate) fn wanted_while(&self, is_wanted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { is_wanted: Some(Arc::new(is_wanted)), ..self.clone() }
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted.as_ref().is_none_or(|is_wanted| is_wanted())
    }

    pub(super) fn weak(&self) -> WeakStore {
        WeakStore { inner: Arc::downgrade(&self.inner) }
    }

    pub(super) fn pages(&self) -> Option<&Arc<Pages>> {
        self.inner.pages.as_ref()
    }

    pub(super) fn faults(&self) -> &Arc<Faults> {
        &self.shared().faults
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.inner.shared
    }

    /// Where work waits that nobody waits for.
    pub(super) fn queue(&self) -> &Queue {
        &self.inner.queue
    }

    /// The cores that queries share.
    pub(crate) fn cores(&self) -> &Arc<Cores> {
        &self.shared().cores
    }

    /// How often a query got a core besides its own.
    pub fn cores_given(&self) -> usize {
        self.cores().given()
    }

    /// What queries and open transactions hold together.
    pub fn memory(&self) -> &Arc<Budget> {
        &self.shared().memory
    }

    /// From now on, are documents kept whose time is over by a TTL index?
    pub fn keep_expired(&self, keep: bool) {
        self.inner.keeps_expired.store(keep, Ordering::Relaxed);
    }

    pub(super) fn keeps_expired(&self) -> bool {
        self.inner.keeps_expired.load(Ordering::Relaxed)
    }

    /// Everything that exists now.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.shared().current().catalog)
    }

    /// A database by its name, or error 1228.
    pub fn database(&self, name: &str) -> Result<Arc<Database>> {
        self.catalog().database(name).cloned().ok_or_else(|| Error::plain(code::DATABASE_NOT_FOUND))
    }

    /// A number that names this data directory.
    pub fn server_id(&self) -> u64 {
        self.inner.server_id
    }

    /// Where its files are.
    pub(super) fn directory(&self) -> &Path {
        &self.inner.directory
    }

    /// A number nobody has had, of the sequence that numbers collections and indexes.
    pub fn next_tick(&self) -> u64 {
        self.shared().tick.next()
    }

    /// The last number the key generator of a collection gave out or met.
    pub fn last_key(&self, collection: &Collection) -> Result<u64> {
        Ok(self.shared().key_state(collection.id)?.last())
    }

    /// The most bytes a transaction may write.
    pub(crate) fn max_transaction_size(&self) -> usize {
        self.inner.max_transaction_size
    }

    /// Begins a transaction, waiting for the collections it declares to write.
    pub fn begin(&self, database: &Arc<Database>, options: TxnOptions) -> Result<Txn> {
        Txn::begin(self.clone(), database, options)
    }

    /// The committed state of now, for reading only.
    pub fn view(&self) -> View {
        View::new(self.shared(), &self.shared().current(), &MemTable::default())
    }

    pub(super) fn commits(&self) -> &Commits {
        &self.inner.commits
    }

    /// Runs a change of the catalog on the writing thread and waits for it.
    pub(crate) fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = sync_channel(1);
        let (result, made) = sync_channel(1);
        let work = move |draft: &mut Draft<'_>| {
            let value = work(draft)?;
            let _ = result.send(value);
            Ok(())
        };
        self.commits().send(Message::Change(Box::new(work), reply))?;
        answer.recv().map_err(|_| shut_down())??;
        made.recv().map_err(|_| shut_down())
    }

    /// Brings everything committed into the tables, durably, and empties the log.
    pub fn flush(&self) -> Result<()> {
        let (reply, answer) = sync_channel(1);
        self.commits().send(Message::Flush(reply))?;
        answer.recv().map_err(|_| shut_down())?
    }

    /// Waits until everything that was dropped is cleared away.
    pub fn sweep(&self) -> Result<()> {
        let (reply, answer) = sync_channel(1);
        self.commits().send(Message::Sweep(reply))?;
        answer.recv().map_err(|_| shut_down())?
    }

    /// Makes everything durable and gives the directory back. Writes fail from here on.
    pub fn close(&self) -> Result<()> {
        close(&self.inner)
    }
}

fn spawn(commits: Arc<Commits>, messages: Receiver<Message>) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name("aqlite-commit".into())
        .spawn(move || commits.run(&messages))
        .map_err(|e| storage_error("cannot start the writing thread", e))
}

pub(super) fn load_catalog(tables: &ReadTables) -> Result<Catalog> {
    let unreadable = |e: serde_json::Error| damaged(format!("the catalog does not read back: {e}"));
    let mut catalog = Catalog::default();
    for entry in tables.meta_range(Meta::DATABASES)? {
        let (_, value) = entry?;
        catalog.put_database(serde_json::from_slice(value.value()).map_err(unreadable)?);
    }
    for entry in tables.meta_range(Meta::COLLECTIONS)? {
        let (_, value) = entry?;
        let collection: Collection = serde_json::from_slice(value.value()).map_err(unreadable)?;
        catalog.put_collection(Arc::new(collection));
    }
    Ok(catalog)
}
