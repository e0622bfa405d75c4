//! Commits: they are collected, logged together, and the new state is published. The tables follow
//! a little later (see [`super::applier`]); until then what was committed stands in memory beside them.

mod commits;
mod logs;
#[cfg(test)]
mod simulation;

use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

pub(crate) use commits::Commits;
use imbl::OrdMap;

use super::applier::{Applier, Done, Job};
use super::ddl::Draft;
use super::garbage::Garbage;
use super::locks::Held;
use super::pace::Pace;
use super::snapshot::{Shared, Snapshot};
use super::syncer::Syncer;
use crate::Result;
use crate::catalog::Catalog;
use crate::error::code;
use crate::storage::{Images, LogRecord, MemTable, ReadTables, Wal, no_room};

/// A log is set aside when nothing was written for this long.
const IDLE: Duration = Duration::from_secs(1);
/// A commit that did not ask to wait is on disk after this long.
const SYNC_EVERY: Duration = Duration::from_millis(100);
/// What was committed goes into the tables after this long,
const APPLY_AFTER: Duration = Duration::from_millis(100);
/// or when it is more than this.
const APPLY_SIZE: usize = 8 << 20;
/// Committed writes stand in no more than so many layers before they are on their way into the tables,
const MOST_LAYERS: usize = 16;
/// and are copied together while they are no larger than this,
const SMALL_LAYER: usize = 128 << 10;
/// or there are so many of them, if the older one is not so many times as large as the newer one: each write is copied a few
/// times only.
const LIKE: usize = 4;
/// What is committed at once is no larger than this.
const SMALL_COMMIT: usize = 16 << 10;
/// Without room for the log, it is looked so often whether there is some.
const LOOKS_FOR_ROOM: Duration = Duration::from_secs(1);
/// What keeps commits waiting for longer is told in the log of the process.
const LONG: Duration = Duration::from_millis(20);

/// A change of the catalog.
pub(crate) type Work = Box<dyn FnOnce(&mut Draft<'_>) -> Result<()> + Send>;

/// Hears when something is committed, and how long its writer rests before it goes on. Dropped unheard, it is not committed
/// any more.
pub(crate) type Reply = Box<dyn FnOnce(Result<Duration>) + Send>;

/// A transaction that wants to commit.
pub(crate) struct Commit {
    pub batch: LogRecord,
    pub writes: MemTable,
    pub sync: bool,
    pub held: Held,
    pub reply: Reply,
}

/// What the committer is asked to do.
pub(crate) enum Message {
    Change(Work, SyncSender<Result<()>>),
    /// Writes have arrived in the tables, or commits wait.
    Look,
    /// The log was synced up to a record.
    Synced(Result<u64>),
    /// Everything committed is to be in the tables, durably.
    Flush(SyncSender<Result<()>>),
    /// Everything that was dropped is to be cleared away.
    Sweep(SyncSender<Result<()>>),
    Close(SyncSender<Result<()>>),
}

/// The time it is; in tests one that they set.
pub(crate) type Now = Box<dyn Fn() -> Instant + Send>;

/// What a commit needs; one at a time works with it.
pub(crate) struct Committer {
    now: Now,
    shared: Arc<Shared>,
    wal: Wal,
    tables: Arc<ReadTables>,
    /// How often they were others.
    version: u64,
    /// What scans have read of them.
    images: Arc<Images>,
    applier: Applier,
    /// On its way into the tables, the newest first.
    frozen: Vec<MemTable>,
    /// Committed behind that, the newest first.
    fresh: Vec<MemTable>,
    fresh_since: Option<Instant>,
    /// See [`Snapshot::changed`].
    changed: OrdMap<u64, u64>,
    /// The last record in the tables.
    applied: u64,
    /// A log is set aside when it is longer than this, and when it is half as long again every commit waits for it: a start
    /// after a crash has no more to read than three of them and the commits of two writes.
    log_limit: u64,
    /// The last record of the log that was set aside, until the tables hold all of it durably.
    rotating: Option<u64>,
    /// The tables are being made durable.
    checkpointing: bool,
    last_write: Instant,
    dirty_since: Option<Instant>,
    syncer: Syncer,
    /// When the sync that is under way was begun.
    syncing_since: Option<Instant>,
    pace: Pace,
    garbage: Garbage,
    /// When the thread looks what is due; `None`: when it is asked to.
    wakes_at: Option<Instant>,
    /// The log did not take a commit for want of room.
    lacks_room: Option<LacksRoom>,
    /// What a start found in the logs is in the tables, but not durable: until it is, the logs are left alone.
    is_recovering: bool,
}

/// What the log had no room for.
#[derive(Clone, Copy)]
struct LacksRoom {
    bytes: usize,
    next_look: Instant,
}

/// Tells what commits had to wait for.
fn told_if_long<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let result = work();
    let took = began.elapsed();
    if took > LONG {
        tracing::debug!(took_ms = took.as_secs_f64() * 1000.0, "commits waited: {what}");
    }
    result
}

impl Committer {
    /// With the threads that work beside it.
    pub fn new(
        shared: Arc<Shared>,
        (wal, log_limit): (Wal, u64),
        (applier, syncer): (Applier, Syncer),
        now: Now,
    ) -> Result<Self> {
        let garbage = Garbage::of(&shared.current())?;
        let (tables, images) = (Arc::clone(&shared.current().tables), Arc::clone(&shared.current().images));
        Ok(Self {
            syncer,
            syncing_since: None,
            pace: Pace::default(),
            applier,
            applied: wal.sequence(),
            log_limit,
            rotating: None,
            checkpointing: false,
            shared,
            wal,
            tables,
            version: 0,
            images,
            frozen: Vec::new(),
            fresh: Vec::new(),
            fresh_since: None,
            changed: OrdMap::new(),
            last_write: now(),
            dirty_since: None,
            garbage,
            wakes_at: None,
            now,
            lacks_room: None,
            is_recovering: false,
        })
    }

    /// What the thread does in one go; tells when it has to look again.
    fn turn(&mut self, group: Vec<Commit>, message: Option<Message>) -> Option<Instant> {
        self.commit(group);
        self.see_to(message);
        self.keep_house();
        self.wakes_at = self.next_deadline();
        self.wakes_at
    }

    /// Is it so long ago?
    fn is_past(&self, since: Instant, time: Duration) -> bool {
        (self.now)().duration_since(since) >= time
    }

    /// Does what was asked of the thread.
    fn see_to(&mut self, message: Option<Message>) {
        match message {
            Some(Message::Change(work, reply)) => {
                let result = self.change(work);
                let _ = reply.send(result);
            }
            Some(Message::Flush(reply)) => {
                let result = self.checkpoint();
                let _ = reply.send(self.or_poison(result));
            }
            Some(Message::Sweep(reply)) => self.garbage.wait(reply),
            Some(Message::Synced(result)) => self.was_synced(result),
            Some(Message::Look | Message::Close(_)) | None => {}
        }
    }

    /// Is something due before the thread looks again?
    fn is_due_earlier(&mut self) -> bool {
        let due = self.next_deadline();
        let is_earlier = due.is_some_and(|due| self.wakes_at.is_none_or(|at| due < at));
        if is_earlier {
            self.wakes_at = due;
        }
        is_earlier
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.shared.check_sound().ok()?;
        let idle = (self.wal.current_len() > 0 && self.rotating.is_none()).then(|| self.last_write + IDLE);
        let sync = self.dirty_since.filter(|_| self.syncing_since.is_none()).map(|since| since + SYNC_EVERY);
        let apply = self.fresh_since.filter(|_| self.frozen.is_empty()).map(|since| since + APPLY_AFTER);
        let room = self.lacks_room.map(|lacks| lacks.next_look);
        [idle, sync, apply, room].into_iter().flatten().min()
    }

    /// Is a commit done as soon as it is handed to the system? It is small, does not wait for the disk, and no log has to be
    /// set aside for it.
    fn commits_at_once(&self, commit: &Commit) -> bool {
        let len = commit.batch.len();
        !commit.sync && len <= SMALL_COMMIT && self.wal.current_len() + (2 * len) as u64 <= self.log_limit
    }

    /// Is it time to send what was committed on its way into the tables?
    fn has_much(&self) -> bool {
        let size: usize = self.fresh.iter().map(|writes| writes.size).sum();
        size > APPLY_SIZE || self.fresh.len() >= MOST_LAYERS
    }

    fn commit(&mut self, mut group: Vec<Commit>) {
        if group.is_empty() {
            return;
        }
        let result = self.commit_group(&mut group);
        let filled = self.wal.current_len() as f64 / self.log_limit.max(1) as f64;
        for Commit { held, reply, batch, .. } in group {
            // the new state is published: who gets a key now sees what was written to it
            drop(held);
            match &result {
                Ok(()) => self.pace.answer(reply, batch.len(), filled, self.log_limit),
                Err(error) => reply(Err(error.clone())),
            }
        }
    }

    /// An error while nothing can be committed.
    fn check_open(&self) -> Result<()> {
        self.shared.check_writable()?;
        if self.is_recovering { Err(no_room()) } else { Ok(()) }
    }

    fn commit_group(&mut self, group: &mut [Commit]) -> Result<()> {
        self.check_open()?;
        let sync = group.iter().any(|c| c.sync);
        let what = if sync { "the log is written and synced" } else { "the log is written" };
        told_if_long(what, || self.append(group.iter().map(|c| &c.batch), sync))?;
        for commit in group {
            self.take_in(std::mem::take(&mut commit.writes));
        }
        self.logged(Arc::clone(&self.shared.current().catalog));
        Ok(())
    }

    /// Shows what was logged and taken in.
    fn logged(&mut self, catalog: Arc<Catalog>) {
        self.fresh_since.get_or_insert_with(&self.now);
        self.publish(catalog);
        self.last_write = (self.now)();
        if self.wal.is_dirty() {
            self.dirty_since.get_or_insert(self.last_write);
        } else {
            self.dirty_since = None;
        }
    }

    /// Shows committed writes beside the tables. Few layers, so that reading stays cheap; but copying a large one into
    /// another would cost more than to look at both.
    fn take_in(&mut self, writes: MemTable) {
        self.shared.watches.lock().retain(|watched| {
            let watched = watched.upgrade();
            watched.inspect(|watched| watched.note(&writes, self.wal.sequence())).is_some()
        });
        self.changed.extend(writes.collections().map(|collection| (collection, self.wal.sequence())));
        self.fresh.insert(0, writes);
        while let [newest, before, ..] = self.fresh.as_slice() {
            let is_like = before.size <= LIKE * newest.size;
            let are_small = newest.size + before.size <= SMALL_LAYER;
            let layers = self.fresh.len();
            if !(is_like && (are_small || layers > MOST_LAYERS) || layers > 2 * MOST_LAYERS) {
                break;
            }
            let newest = self.fresh.remove(0);
            self.fresh[0].absorb(&newest);
        }
    }

    /// The store is being closed: nobody waits for room any more.
    fn end_waiting(&self) {
        self.shared.faults.end_waiting();
    }

    fn or_poison<T>(&mut self, result: Result<T>) -> Result<T> {
        // room is waited for, unless the store is being closed, and nothing is lost meanwhile
        if let Err(error) = &result
            && !(error.num == code::FILESYSTEM_FULL && self.shared.faults.may_wait())
        {
            self.shared.poison(error);
            self.pace.let_go();
            // nobody comes back to what was acknowledged before it was on disk
            let _ = self.wal.sync();
            self.dirty_since = None;
        }
        result
    }

    fn publish(&self, catalog: Arc<Catalog>) {
        let snapshot = Snapshot {
            tables: Arc::clone(&self.tables),
            version: self.version,
            images: Arc::clone(&self.images),
            recent: self.fresh.iter().chain(&self.frozen).cloned().collect(),
            sequence: self.wal.sequence(),
            changed: self.changed.clone(),
            catalog,
        };
        let before = std::mem::replace(&mut *self.shared.current.write(), Arc::new(snapshot));
        drop(before);
    }

    /// Sends what was committed on its way into the tables, unless something is on that way already.
    fn freeze(&mut self) {
        if !self.frozen.is_empty() || self.fresh_since.take().is_none() {
            return;
        }
        let writes = std::mem::take(&mut self.fresh);
        self.frozen.clone_from(&writes);
        let (clock, tick) = (self.shared.clock.last(), self.shared.tick.last());
        self.applier.apply(Job { writes, sequence: self.wal.sequence(), clock, tick });
    }

    /// Shows the tables with what has arrived in them, or empties the log that is not needed any more.
    fn arrived(&mut self, done: Result<Done>) -> Result<()> {
        match self.or_poison(done)? {
            Done::Applied(tables, sequence) => {
                self.applied = sequence;
                let writes = std::mem::take(&mut self.frozen);
                self.shared.lookups.changed(&writes, self.version + 1);
                self.show(tables, self.images.after(&writes));
                Ok(())
            }
            Done::Swept(tables, object, all) => {
                // what goes is of no collection any more
                self.show(tables, self.images.after(&[]));
                self.garbage.swept(object, all);
                Ok(())
            }
            Done::Published(tables, reply) => {
                self.shared.lookups.all_changed(self.version + 1);
                self.show(tables, self.images.emptied());
                let _ = reply.send(Ok(()));
                Ok(())
            }
            Done::Durable => {
                self.checkpointing = false;
                if std::mem::take(&mut self.is_recovering) {
                    let cleared = self.clear_logs();
                    return self.or_poison(cleared);
                }
                self.rotating = None;
                self.pace.end();
                // a commit that was much larger than a log does not take its room for ever
                let most = 2 * self.log_limit;
                let cleared = told_if_long("a log is emptied", || self.wal.clear_retired(most));
                self.or_poison(cleared)
            }
        }
    }

    /// Waits until everything committed is in the tables.
    fn settle(&mut self) -> Result<()> {
        while self.checkpointing || !self.frozen.is_empty() || self.fresh_since.is_some() {
            self.freeze();
            let done = self.applier.wait(|| self.shared.check_writable());
            self.arrived(done)?;
        }
        Ok(())
    }

    /// Shows other tables under what was committed since.
    fn show(&mut self, tables: Arc<ReadTables>, images: Images) {
        self.tables = tables;
        self.version += 1;
        self.images = Arc::new(images);
        self.publish(Arc::clone(&self.shared.current().catalog));
    }

    /// Changes the catalog: a commit that is on disk before it is acknowledged.
    fn change(&mut self, work: Work) -> Result<()> {
        self.check_open()?;
        let shared = Arc::clone(&self.shared);
        let mut draft = Draft::new((*shared.current().catalog).clone(), &shared);
        work(&mut draft)?;
        let Draft { mut writes, catalog, dropped, .. } = draft;
        if writes.is_empty() {
            return Ok(());
        }
        let batch = LogRecord::new(&mut writes, shared.clock.last(), shared.tick.last());
        self.append(std::iter::once(&batch), true)?;
        self.take_in(writes);
        for object in &dropped {
            self.changed.remove(object);
        }
        self.logged(Arc::new(catalog));
        self.garbage.add(dropped, self.wal.sequence());
        Ok(())
    }

    fn keep_house(&mut self) {
        told_if_long("what arrived in the tables is shown", || {
            while let Some(done) = self.applier.finished() {
                let _: Result<()> = self.arrived(done);
            }
        });
        self.go_on();
        if let Some(object) = self.garbage.next(self.applied, &self.shared.check_writable()) {
            self.applier.sweep(object);
        }
    }

    /// Begins what is due.
    fn go_on(&mut self) {
        if self.is_recovering {
            return;
        }
        if self.has_much() || self.fresh_since.is_some_and(|since| self.is_past(since, APPLY_AFTER)) {
            self.freeze();
        }
        let (len, idle) = (self.wal.current_len(), self.is_past(self.last_write, IDLE));
        let result = if self.rotating.is_none() && (len > self.log_limit || (len > 0 && idle)) {
            self.rotate_log()
        } else if len > self.log_limit + self.log_limit / 2 && self.shared.check_writable().is_ok() {
            // large writers rest before it comes to this: commits have to wait for the log that was set aside
            told_if_long("both logs are full", || self.finish_rotation()).and_then(|()| self.rotate_log())
        } else {
            Ok(())
        };
        if result.is_ok() {
            self.go_on_rotating();
        }
        let _: Result<()> = self.or_poison(result);
        if self.dirty_since.is_some_and(|since| self.is_past(since, SYNC_EVERY)) {
            self.begin_sync();
        }
        self.look_for_room();
    }
}
