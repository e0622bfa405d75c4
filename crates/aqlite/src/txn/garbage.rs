//! What nobody needs any more, and in which order it is cleared away.

use std::collections::VecDeque;
use std::sync::mpsc::SyncSender;

use super::snapshot::Snapshot;
use crate::Result;

/// What is stored under a number and belongs to nothing.
struct Dropped {
    object: u64,
    /// The record after which nobody writes to it.
    after: u64,
}

/// What is to be cleared away, one after the other, when there is time.
pub(crate) struct Garbage {
    dropped: VecDeque<Dropped>,
    /// A piece of the first is being cleared away.
    is_busy: bool,
    /// Who waits until there is none.
    waiting: Vec<SyncSender<Result<()>>>,
}

impl Garbage {
    /// What an earlier life of the store has left.
    pub fn of(snapshot: &Snapshot) -> Result<Self> {
        let dropped = snapshot.garbage()?.into_iter().map(|object| Dropped { object, after: 0 }).collect();
        Ok(Self { dropped, is_busy: false, waiting: Vec::new() })
    }

    /// Adds what a record of the log has dropped.
    pub fn add(&mut self, objects: Vec<u64>, after: u64) {
        self.dropped.extend(objects.into_iter().map(|object| Dropped { object, after }));
    }

    /// Somebody waits until there is none.
    pub fn wait(&mut self, reply: SyncSender<Result<()>>) {
        self.waiting.push(reply);
    }

    /// A piece of it is gone, or all that is stored under the number.
    pub fn swept(&mut self, object: u64, all: bool) {
        self.is_busy = false;
        if all {
            self.dropped.retain(|dropped| dropped.object != object);
        }
    }

    /// The number of which a piece can be cleared away now, when everything up to a record is in the tables. Answers
    /// those who wait when there is none, or never will be.
    pub fn next(&mut self, applied: u64, is_writable: &Result<()>) -> Option<u64> {
        if is_writable.is_err() || self.dropped.is_empty() {
            for reply in self.waiting.drain(..) {
                let _ = reply.send(is_writable.clone());
            }
            return None;
        }
        let first = self.dropped.front().filter(|first| !self.is_busy && first.after <= applied)?;
        self.is_busy = true;
        Some(first.object)
    }
}
