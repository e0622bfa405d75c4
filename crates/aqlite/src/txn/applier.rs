//! Brings what was committed into the file, beside the thread that commits: a commit is in the log and in memory then,
//! and does not wait for the tables.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use redb::Durability;

use super::committer::Message;
use crate::error::code;
use crate::storage::{Batch, DataFile, Meta, Overlay, ReadTables, storage_error};
use crate::{Error, Result};

/// What the thread is asked to do.
enum Work {
    Apply(Job),
    Checkpoint,
}

/// What it has done.
pub(crate) enum Done {
    /// Everything up to this record is in the tables.
    Applied(Arc<ReadTables>, u64),
    /// What was in the tables survives a power loss.
    Durable,
}

/// Writes to bring into the file, the newest first, with the numbers given out and logged by then.
pub(crate) struct Job {
    pub writes: Vec<Overlay>,
    pub sequence: u64,
    pub clock: u64,
    pub tick: u64,
}

/// The thread that brings writes into the file, one job after the other.
pub(crate) struct Applier {
    work: Option<Sender<Work>>,
    done: Receiver<Result<Done>>,
    thread: Option<JoinHandle<()>>,
}

impl Applier {
    /// Starts the thread; `wake` hears [`Message::Applied`] after everything it does.
    pub fn start(file: Arc<DataFile>, wake: Sender<Message>) -> Result<Self> {
        let (sender, to_do) = channel::<Work>();
        let (finished, done) = channel();
        let work = move || {
            for work in to_do {
                let result = match work {
                    Work::Apply(job) => apply(&file, &job).map(|tables| Done::Applied(Arc::new(tables), job.sequence)),
                    Work::Checkpoint => file.checkpoint().map(|()| Done::Durable),
                };
                if finished.send(result).is_err() || wake.send(Message::Applied).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("aqlite-apply".into())
            .spawn(work)
            .map_err(|e| storage_error("cannot start the writing thread", e))?;
        Ok(Self { work: Some(sender), done, thread: Some(thread) })
    }

    fn hand_over(&self, work: Work) -> Result<()> {
        self.work.as_ref().and_then(|sender| sender.send(work).ok()).ok_or_else(gone)
    }

    /// Begins to bring writes into the tables.
    pub fn apply(&self, job: Job) -> Result<()> {
        self.hand_over(Work::Apply(job))
    }

    /// Begins to make the tables durable, after everything that was begun before.
    pub fn checkpoint(&self) -> Result<()> {
        self.hand_over(Work::Checkpoint)
    }

    /// What came of something, if it is finished.
    pub fn finished(&self) -> Option<Result<Done>> {
        self.done.try_recv().ok()
    }

    /// Waits for something to finish.
    pub fn wait(&self) -> Result<Done> {
        self.done.recv().map_err(|_| gone())?
    }
}

fn gone() -> Error {
    Error::new(code::INTERNAL, "the thread that writes the data file ended")
}

impl Drop for Applier {
    /// The file is free only when the thread has ended.
    fn drop(&mut self) {
        self.work = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn apply(file: &DataFile, job: &Job) -> Result<ReadTables> {
    file.write(Durability::None, |tables| {
        for writes in job.writes.iter().rev() {
            Batch::apply_overlay(writes, job.clock, job.tick, tables)?;
        }
        tables.set_number(Meta::Applied, job.sequence)
    })?;
    file.read()
}
