//! The two logs: how they are synced beside commits, set aside, and used again when the tables have what is in them.

use super::{Committer, LOOKS_FOR_ROOM, LacksRoom};
use crate::Result;
use crate::error::code;
use crate::storage::LogRecord;

impl Committer {
    /// Begins to sync the log, unless that is under way: commits go on meanwhile.
    pub(super) fn begin_sync(&mut self) {
        if self.syncing_since.is_none() {
            self.syncing_since = Some((self.now)());
            self.syncer.sync(self.wal.to_sync());
        }
    }

    /// What was written until the sync began is on disk.
    pub(super) fn was_synced(&mut self, result: Result<u64>) {
        let since = self.syncing_since.take();
        self.dirty_since = None;
        let result = self.wal.was_synced(result);
        if self.or_poison(result).is_ok() && self.wal.is_dirty() {
            self.dirty_since = since;
        }
    }

    /// Sets the log aside: commits go on in the other one, while its records are made durable in the tables.
    pub(super) fn rotate_log(&mut self) -> Result<()> {
        self.shared.check_sound()?;
        self.pace.begin(self.wal.current_len() > self.log_limit);
        self.wal.rotate();
        self.rotating = Some(self.wal.sequence());
        Ok(())
    }

    /// The next step for the log that was set aside: into the tables, and when all of it is there, durably.
    pub(super) fn go_on_rotating(&mut self) {
        match self.rotating {
            Some(last) if !self.checkpointing && self.applied >= last => self.begin_checkpoint(),
            Some(_) if !self.checkpointing => self.freeze(),
            _ => {}
        }
    }

    /// Makes durable what a start has brought from the logs into the tables, and empties them. Without room the store can be
    /// read until there is some.
    pub fn recover(&mut self) -> Result<()> {
        self.is_recovering = true;
        self.begin_checkpoint();
        match self.settle() {
            Err(error) if error.num == code::FILESYSTEM_FULL => Ok(()),
            settled => settled,
        }
    }

    fn begin_checkpoint(&mut self) {
        self.applier.checkpoint();
        self.checkpointing = true;
    }

    /// Writes commits to the log.
    pub(super) fn append<'b>(
        &mut self,
        batches: impl Iterator<Item = &'b LogRecord> + Clone,
        sync: bool,
    ) -> Result<()> {
        let appended = self.wal.append(batches.clone(), sync);
        match &appended {
            Err(error) if error.num == code::FILESYSTEM_FULL => {
                let bytes = batches.map(LogRecord::len).sum();
                self.lacks_room = Some(LacksRoom { bytes, next_look: (self.now)() + LOOKS_FOR_ROOM });
                self.shared.faults.set_log_full(Some(error));
            }
            Err(_) => {}
            Ok(()) => self.has_room(),
        }
        appended
    }

    fn has_room(&mut self) {
        if self.lacks_room.take().is_some() {
            self.shared.faults.set_log_full(None);
        }
    }

    /// Looks whether the log has room again: nobody may come to try it.
    pub(super) fn look_for_room(&mut self) {
        let Some(lacks) = self.lacks_room.filter(|lacks| lacks.next_look <= (self.now)()) else { return };
        if self.wal.has_room(lacks.bytes) {
            self.has_room();
        } else {
            self.lacks_room = Some(LacksRoom { next_look: (self.now)() + LOOKS_FOR_ROOM, ..lacks });
        }
    }

    /// Waits until the log that was set aside is not needed any more.
    pub(super) fn finish_rotation(&mut self) -> Result<()> {
        while self.rotating.is_some() {
            // after a failure nothing is on its way any more
            self.shared.check_sound()?;
            self.go_on_rotating();
            let done = self.applier.wait(|| self.shared.check_writable());
            self.arrived(done)?;
        }
        Ok(())
    }

    /// Makes everything durable in the file and empties the logs.
    pub(super) fn checkpoint(&mut self) -> Result<()> {
        self.shared.check_sound()?;
        if !self.wal.is_empty() {
            self.settle()?;
            self.begin_checkpoint();
            self.settle()?;
        }
        self.clear_logs()
    }

    /// Everything in the logs is durable in the tables.
    pub(super) fn clear_logs(&mut self) -> Result<()> {
        self.wal.clear()?;
        self.applied = self.wal.sequence();
        self.rotating = None;
        self.pace.end();
        self.dirty_since = None;
        Ok(())
    }
}
