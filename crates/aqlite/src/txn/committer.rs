//! The one thread that writes: it collects commits, logs them together, applies them and publishes the new state.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use redb::Durability;

use super::ddl::Draft;
use super::locks::Held;
use super::snapshot::{Shared, Snapshot};
use crate::storage::{Batch, DataFile, Meta, Wal};
use crate::{Error, Result};

/// The log is emptied into the file when it is longer than this,
const LOG_LIMIT: u64 = 32 << 20;
/// or when nothing was written for this long.
const IDLE: Duration = Duration::from_secs(1);
/// A commit that did not ask to wait is on disk after this long.
const SYNC_EVERY: Duration = Duration::from_millis(100);
/// More than this is not put into one write.
const GROUP_LIMIT: usize = 8 << 20;

/// A change of the catalog, run inside one transaction of the file.
pub(crate) type Work = Box<dyn FnOnce(&mut Draft<'_, '_>) -> Result<()> + Send>;

/// A transaction that wants to commit.
pub(crate) struct Commit {
    pub batch: Batch,
    pub sync: bool,
    pub held: Held,
    pub reply: SyncSender<Result<()>>,
}

/// What the committer is asked to do.
pub(crate) enum Message {
    Commit(Commit),
    Change(Work, SyncSender<Result<()>>),
    Close(SyncSender<Result<()>>),
}

/// The state of the writing thread.
pub(crate) struct Committer {
    pub shared: Arc<Shared>,
    pub file: DataFile,
    pub wal: Wal,
    last_write: Instant,
    dirty_since: Option<Instant>,
}

impl Committer {
    pub fn new(shared: Arc<Shared>, file: DataFile, wal: Wal) -> Self {
        Self { shared, file, wal, last_write: Instant::now(), dirty_since: None }
    }

    /// Works until the store is closed or forgotten.
    pub fn run(mut self, messages: &Receiver<Message>) {
        loop {
            let first = match self.next_deadline() {
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(deadline) => messages.recv_timeout(deadline.saturating_duration_since(Instant::now())),
            };
            let mut other = None;
            match first {
                Ok(Message::Commit(commit)) => {
                    let mut size = commit.batch.bytes().len();
                    let mut group = vec![commit];
                    while size < GROUP_LIMIT {
                        match messages.try_recv() {
                            Ok(Message::Commit(commit)) => {
                                size += commit.batch.bytes().len();
                                group.push(commit);
                            }
                            Ok(message) => {
                                other = Some(message);
                                break;
                            }
                            Err(_) => break,
                        }
                    }
                    self.commit(group);
                }
                Ok(message) => other = Some(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let _ = self.checkpoint();
                    return;
                }
            }
            match other {
                Some(Message::Change(work, reply)) => {
                    let result = self.change(work);
                    let _ = reply.send(result);
                }
                Some(Message::Close(reply)) => {
                    let result = self.checkpoint();
                    // the file is released before the caller goes on, so that it can be opened again
                    drop(self);
                    let _ = reply.send(result);
                    return;
                }
                _ => {}
            }
            self.keep_house();
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.shared.check_writable().ok()?;
        let idle = (self.wal.len() > 0).then(|| self.last_write + IDLE);
        let sync = self.dirty_since.map(|since| since + SYNC_EVERY);
        match (idle, sync) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn commit(&mut self, group: Vec<Commit>) {
        let result = self.commit_group(&group);
        for Commit { held, reply, .. } in group {
            // the new state is published: who gets a key now sees what was written to it
            drop(held);
            let _ = reply.send(result.clone());
        }
    }

    fn commit_group(&mut self, group: &[Commit]) -> Result<()> {
        self.shared.check_writable()?;
        let (len_before, sequence_before) = (self.wal.len(), self.wal.sequence());
        self.wal.append(group.iter().map(|c| c.batch.bytes()), group.iter().any(|c| c.sync))?;
        let sequence = self.wal.sequence();
        let applied = self.file.write(Durability::None, |tables| {
            for commit in group {
                Batch::apply(commit.batch.bytes(), tables)?;
            }
            tables.set_number(Meta::Applied, sequence)
        });
        if applied.is_err() {
            // a commit that is reported as failed must not come back with the next start
            self.wal.retract(len_before, sequence_before);
        }
        self.or_poison(applied)?;
        let catalog = Arc::clone(&self.shared.current().catalog);
        let published = self.publish(catalog);
        self.or_poison(published)?;
        self.last_write = Instant::now();
        if self.wal.is_dirty() {
            self.dirty_since.get_or_insert(self.last_write);
        } else {
            self.dirty_since = None;
        }
        Ok(())
    }

    fn or_poison<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result {
            self.shared.poison(error);
        }
        result
    }

    fn publish(&self, catalog: Arc<crate::catalog::Catalog>) -> Result<()> {
        let snapshot = Snapshot { tables: self.file.read()?, sequence: self.wal.sequence(), catalog };
        let before = std::mem::replace(&mut *self.shared.current.write(), Arc::new(snapshot));
        drop(before);
        Ok(())
    }

    /// Changes the catalog. The file itself makes this atomic and durable, so the log does not hear of it.
    fn change(&mut self, work: Work) -> Result<()> {
        self.shared.check_writable()?;
        let sequence = self.wal.sequence() + 1;
        let shared = Arc::clone(&self.shared);
        let mut committing = false;
        let changed = self.file.write(Durability::Immediate, |tables| {
            let mut draft = Draft::new(tables, (*shared.current().catalog).clone(), &shared);
            work(&mut draft)?;
            let catalog = draft.finish(sequence)?;
            committing = true;
            Ok(catalog)
        });
        let catalog = if committing { self.or_poison(changed)? } else { changed? };
        self.wal.skip();
        let cleared = self.wal.clear();
        self.or_poison(cleared)?;
        self.dirty_since = None;
        let published = self.publish(Arc::new(catalog));
        self.or_poison(published)
    }

    fn keep_house(&mut self) {
        let result = if self.wal.len() > LOG_LIMIT || (self.wal.len() > 0 && self.last_write.elapsed() >= IDLE) {
            self.checkpoint()
        } else if self.dirty_since.is_some_and(|since| since.elapsed() >= SYNC_EVERY) {
            self.dirty_since = None;
            self.wal.sync()
        } else {
            Ok(())
        };
        let _: Result<(), Error> = self.or_poison(result);
    }

    /// Makes everything durable in the file and empties the log.
    fn checkpoint(&mut self) -> Result<()> {
        self.shared.check_writable()?;
        if self.wal.len() > 0 {
            self.file.checkpoint()?;
            self.wal.clear()?;
            self.dirty_since = None;
        }
        Ok(())
    }
}
