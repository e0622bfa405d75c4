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

/// Writes to bring into the file, the newest first, with the numbers given out and logged by then.
pub(crate) struct Job {
    pub writes: Vec<Overlay>,
    pub sequence: u64,
    pub clock: u64,
    pub tick: u64,
}

/// The thread that brings writes into the file, one job after the other.
pub(crate) struct Applier {
    jobs: Option<Sender<Job>>,
    done: Receiver<Result<ReadTables>>,
    thread: Option<JoinHandle<()>>,
}

impl Applier {
    /// Starts the thread; `wake` hears [`Message::Applied`] after every job.
    pub fn start(file: Arc<DataFile>, wake: Sender<Message>) -> Result<Self> {
        let (jobs, to_do) = channel::<Job>();
        let (finished, done) = channel();
        let work = move || {
            for job in to_do {
                if finished.send(apply(&file, &job)).is_err() || wake.send(Message::Applied).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("aqlite-apply".into())
            .spawn(work)
            .map_err(|e| storage_error("cannot start the writing thread", e))?;
        Ok(Self { jobs: Some(jobs), done, thread: Some(thread) })
    }

    /// Hands over a job.
    pub fn begin(&self, job: Job) -> Result<()> {
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or_else(gone)
    }

    /// What came of a job, if one is finished.
    pub fn finished(&self) -> Option<Result<ReadTables>> {
        self.done.try_recv().ok()
    }

    /// Waits for a job to finish.
    pub fn wait(&self) -> Result<ReadTables> {
        self.done.recv().map_err(|_| gone())?
    }
}

fn gone() -> Error {
    Error::new(code::INTERNAL, "the thread that writes the data file ended")
}

impl Drop for Applier {
    /// The file is free only when the thread has ended.
    fn drop(&mut self) {
        self.jobs = None;
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
