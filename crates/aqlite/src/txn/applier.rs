//! Brings what was committed into the file, beside the thread that commits: a commit is in the log and in memory then,
//! and does not wait for the tables. When there is nothing to bring there, it does the long work that nobody waits for
//! piece by piece: filling new indexes, and clearing away what was dropped.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use redb::Durability;

use super::committer::Message;
use super::piece::{Piece, TableEntry};
use crate::error::code;
use crate::storage::{DataFile, MemTable, Meta, ReadTables, Space, apply_writes, id_from, storage_error};
use crate::{Error, Result};

/// So many entries are cleared away in one piece.
const CLEAR_AT_ONCE: usize = 2048;
/// After so many pieces they are made durable: what is cleared away between two syncs of the data file is written by the
/// second of them, and syncs of the log, for which commits wait, wait for it on some disks.
const CLEARED_PIECES: usize = 8;

/// Who waits for what is being done looks as often whether it still can be.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// What the thread is asked to do at once.
enum Work {
    Apply(Job),
    Checkpoint,
}

/// What it does when there is nothing else.
enum Later {
    /// Clears away a piece of what is stored under a number.
    Sweep(u64),
    /// Brings entries of an index in the making into the tables.
    Fill(Fill, SyncSender<Result<()>>),
    /// Brings entries of a collection that is loaded or gets another name into the tables.
    Put(Piece, SyncSender<Result<()>>),
    /// Makes what was brought there durable.
    Sync(SyncSender<Result<()>>),
    /// Makes what was filled durable and visible.
    Publish(SyncSender<Result<()>>),
}

/// What it has done.
pub(crate) enum Done {
    /// Everything up to this record is in the tables.
    Applied(Arc<ReadTables>, u64),
    /// What was in the tables survives a power loss.
    Durable,
    /// A piece of what is stored under a number is gone; `true`: all of it.
    Swept(Arc<ReadTables>, u64, bool),
    /// What was filled is in the tables for good; somebody waits until it is seen.
    Published(Arc<ReadTables>, SyncSender<Result<()>>),
}

/// Writes to bring into the file, the newest first, with the numbers given out and logged by then.
pub(crate) struct Job {
    pub writes: Vec<MemTable>,
    pub sequence: u64,
    pub clock: u64,
    pub tick: u64,
}

/// Entries of an index in the making: first those that go, then those that come. In a unique index an entry that goes
/// names the document it was of; one that comes has what it holds.
#[derive(Default)]
pub(crate) struct Fill {
    pub unique: bool,
    pub gone: Vec<(Vec<u8>, u64)>,
    pub new: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Fill {
    pub fn len(&self) -> usize {
        self.gone.len() + self.new.len()
    }
}

#[derive(Default)]
struct ToDo {
    work: VecDeque<Work>,
    later: VecDeque<Later>,
    is_closed: bool,
}

impl ToDo {
    fn next(&mut self) -> Option<Next> {
        let work = self.work.pop_front().map(Next::Work);
        work.or_else(|| self.later.pop_front().map(Next::Later))
    }
}

/// What waits for the thread.
#[derive(Default)]
pub(crate) struct Queue {
    to_do: Mutex<ToDo>,
    changed: Condvar,
}

enum Next {
    Work(Work),
    Later(Later),
}

impl Queue {
    fn push(&self, add: impl FnOnce(&mut ToDo)) {
        let mut to_do = self.to_do.lock();
        if !to_do.is_closed {
            add(&mut to_do);
            self.changed.notify_one();
        }
    }

    fn close(&self) {
        let mut to_do = self.to_do.lock();
        to_do.is_closed = true;
        // nobody waits for it, and it is begun again with the next start
        to_do.later.clear();
        self.changed.notify_one();
    }

    fn next(&self) -> Option<Next> {
        let mut to_do = self.to_do.lock();
        loop {
            let next = to_do.next();
            if next.is_some() || to_do.is_closed {
                return next;
            }
            self.changed.wait(&mut to_do);
        }
    }

    fn begin(&self, later: impl FnOnce(SyncSender<Result<()>>) -> Later) -> Receiver<Result<()>> {
        let (reply, answer) = sync_channel(1);
        self.push(|to_do| to_do.later.push_back(later(reply)));
        answer
    }

    fn wait_for(&self, later: impl FnOnce(SyncSender<Result<()>>) -> Later) -> Result<()> {
        self.begin(later).recv().map_err(|_| Error::plain(code::SHUTTING_DOWN))?
    }

    /// Brings entries of an index in the making into the tables. Error 1210 names the document that has a unique entry
    /// already by its id.
    pub fn fill(&self, fill: Fill) -> Result<()> {
        self.wait_for(|reply| Later::Fill(fill, reply))
    }

    /// Begins to bring entries of a collection into the tables that is loaded or gets another name.
    pub fn begin_put(&self, entries: Piece) -> Receiver<Result<()>> {
        self.begin(|reply| Later::Put(entries, reply))
    }

    /// Begins to make what was brought into the tables survive a power loss. Nobody sees more than before.
    pub fn begin_sync(&self) -> Receiver<Result<()>> {
        self.begin(Later::Sync)
    }

    /// Waits until what was filled survives a power loss.
    pub fn sync(&self) -> Result<()> {
        self.wait_for(Later::Sync)
    }

    /// Waits until what was filled survives a power loss and is seen by everybody.
    pub fn publish(&self) -> Result<()> {
        self.wait_for(Later::Publish)
    }
}

/// The thread that brings writes into the file, one job after the other.
pub(crate) struct Applier {
    queue: Arc<Queue>,
    done: Receiver<Result<Done>>,
    thread: Option<JoinHandle<()>>,
    /// What the thread would do, where a test does it.
    #[cfg(test)]
    by_hand: Option<Mutex<Worker>>,
}

impl Applier {
    /// Starts the thread; `wake` hears [`Message::Look`] after everything it does.
    pub fn start(file: Arc<DataFile>, queue: Arc<Queue>, wake: Sender<Message>) -> Result<Self> {
        let (mut worker, done) = Worker::new(file, wake);
        let to_do = Arc::clone(&queue);
        let work = move || {
            while let Some(next) = to_do.next() {
                if !worker.work(next) {
                    to_do.close();
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("aqlite-apply".into())
            .spawn(work)
            .map_err(|e| storage_error("cannot start the writing thread", e))?;
        Ok(Self {
            queue,
            done,
            thread: Some(thread),
            #[cfg(test)]
            by_hand: None,
        })
    }

    /// A test does the work, step by step.
    #[cfg(test)]
    pub fn by_hand(file: Arc<DataFile>, wake: Sender<Message>) -> Self {
        let (worker, done) = Worker::new(file, wake);
        Self { queue: Arc::default(), done, thread: None, by_hand: Some(Mutex::new(worker)) }
    }

    /// Does a piece of the work, if a test does it and there is any.
    #[cfg(test)]
    pub fn step(&self) {
        let next = self.by_hand.as_ref().and_then(|worker| Some((worker, self.queue.to_do.lock().next()?)));
        if let Some((worker, next)) = next {
            worker.lock().work(next);
        }
    }

    /// Begins to bring writes into the tables.
    pub fn apply(&self, job: Job) {
        self.queue.push(|to_do| to_do.work.push_back(Work::Apply(job)));
    }

    /// Begins to make the tables durable, after everything that was begun before.
    pub fn checkpoint(&self) {
        self.queue.push(|to_do| to_do.work.push_back(Work::Checkpoint));
    }

    /// Clears away a piece of what is stored under a number, when there is time.
    pub fn sweep(&self, id: u64) {
        self.queue.push(|to_do| to_do.later.push_back(Later::Sweep(id)));
    }

    /// What came of something, if it is finished.
    pub fn finished(&self) -> Option<Result<Done>> {
        self.done.try_recv().ok()
    }

    /// Waits for something to finish, as long as it can.
    pub fn wait(&self, can_it: impl Fn() -> Result<()>) -> Result<Done> {
        #[cfg(test)]
        self.step();
        loop {
            match self.done.recv_timeout(LOOKS_EVERY) {
                Ok(done) => return done,
                Err(RecvTimeoutError::Timeout) => can_it()?,
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            }
        }
    }
}

fn gone() -> Error {
    Error::new(code::INTERNAL, "the thread that writes the data file ended")
}

impl Drop for Applier {
    /// The file is free only when the thread has ended.
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the thread works on.
struct Worker {
    file: Arc<DataFile>,
    finished: Sender<Result<Done>>,
    wake: Sender<Message>,
    /// Pieces cleared away since the data file was synced.
    cleared: usize,
}

impl Worker {
    fn new(file: Arc<DataFile>, wake: Sender<Message>) -> (Self, Receiver<Result<Done>>) {
        let (finished, done) = channel();
        (Self { file, finished, wake, cleared: 0 }, done)
    }

    /// Does something and tells what came of it; `false`: nobody listens any more.
    fn work(&mut self, next: Next) -> bool {
        let Some(result) = self.carry_out(next) else { return true };
        self.finished.send(result).is_ok() && self.wake.send(Message::Look).is_ok()
    }

    /// Does something; what the committing thread does not need to know of is told to whoever waits for it.
    fn carry_out(&mut self, next: Next) -> Option<Result<Done>> {
        let file = Arc::clone(&self.file);
        let result = match next {
            Next::Work(Work::Apply(job)) => {
                let sequence = job.sequence;
                apply(&file, job).map(|tables| Done::Applied(Arc::new(tables), sequence))
            }
            Next::Work(Work::Checkpoint) => self.checkpoint().map(|()| Done::Durable),
            Next::Later(Later::Sweep(id)) => self.sweep(id),
            Next::Later(Later::Publish(reply)) => match self.checkpoint().and_then(|()| file.read()) {
                Ok(tables) => Ok(Done::Published(Arc::new(tables), reply)),
                Err(error) => {
                    let _ = reply.send(Err(error.clone()));
                    Err(error)
                }
            },
            Next::Later(Later::Fill(entries, reply)) => {
                let _ = reply.send(fill(&file, &entries));
                return None;
            }
            Next::Later(Later::Put(entries, reply)) => {
                let _ = reply.send(put(&file, &entries));
                return None;
            }
            Next::Later(Later::Sync(reply)) => {
                let result = self.checkpoint();
                let _ = reply.send(result.clone());
                return result.err().map(Err);
            }
        };
        Some(result)
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.cleared = 0;
        self.file.checkpoint()
    }

    fn sweep(&mut self, id: u64) -> Result<Done> {
        let all = sweep(&self.file, id)?;
        self.cleared += 1;
        if self.cleared >= CLEARED_PIECES {
            self.checkpoint()?;
        }
        Ok(Done::Swept(Arc::new(self.file.read()?), id, all))
    }
}

fn apply(file: &DataFile, job: Job) -> Result<ReadTables> {
    let Job { writes, sequence, clock, tick } = job;
    file.write(Durability::None, |tables| {
        apply_writes(&writes, clock, tick, tables)?;
        tables.set_number(Meta::Applied, sequence)
    })?;
    file.read()
}

/// Clears away a piece of what is stored under a number; `true`: nothing is left, also not the note of it.
fn sweep(file: &DataFile, id: u64) -> Result<bool> {
    file.write(Durability::None, |tables| {
        for space in Space::OF_DOCUMENTS {
            if tables.clear(space, id, CLEAR_AT_ONCE)? {
                return Ok(false);
            }
        }
        tables.delete(Space::Meta, &Meta::Garbage(id).key())?;
        Ok(true)
    })
}

fn put(file: &DataFile, piece: &Piece) -> Result<()> {
    let entries: Vec<TableEntry> = piece.iter().collect();
    let is_run = |a: &TableEntry, b: &TableEntry| a.0 == b.0 && a.2.is_some() && b.2.is_some();
    file.write(Durability::None, |tables| {
        entries.chunk_by(is_run).try_for_each(|run| match run {
            [(space, key, None)] => tables.delete(*space, key),
            [(space, ..), ..] => {
                tables.put_run(*space, run.iter().filter_map(|(_, key, value)| Some((*key, (*value)?))))
            }
            [] => Ok(()),
        })
    })
}

fn fill(file: &DataFile, fill: &Fill) -> Result<()> {
    file.write(Durability::None, |tables| {
        for (key, id) in &fill.gone {
            if !fill.unique || tables.get(Space::Index, key)?.is_some_and(|value| id_from(&value) == Some(*id)) {
                tables.delete(Space::Index, key)?;
            }
        }
        if !fill.unique {
            return tables
                .put_run(Space::Index, fill.new.iter().map(|(key, value)| (key.as_slice(), value.as_slice())));
        }
        for (key, value) in &fill.new {
            if let Some(other) = tables.get(Space::Index, key)? {
                let other = id_from(&other).unwrap_or_default();
                return Err(Error::new(code::UNIQUE_CONSTRAINT_VIOLATED, other.to_string()));
            }
            tables.put(Space::Index, key, value)?;
        }
        Ok(())
    })
}
