//! The two logs: how they are synced beside commits, set aside, and used again when the tables have what is in them.

use super::Committer;
use crate::Result;

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
        self.shared.check_writable()?;
        self.pace.begin(self.wal.current_len() > self.log_limit);
        self.wal.rotate();
        self.rotating = Some(self.wal.sequence());
        Ok(())
    }

    /// The next step for the log that was set aside: into the tables, and when all of it is there, durably.
    pub(super) fn go_on_rotating(&mut self) {
        match self.rotating {
            Some(last) if !self.checkpointing && self.applied >= last => {
                self.applier.checkpoint();
                self.checkpointing = true;
            }
            Some(_) if !self.checkpointing => self.freeze(),
            _ => {}
        }
    }

    /// Waits until the log that was set aside is not needed any more.
    pub(super) fn finish_rotation(&mut self) -> Result<()> {
        while self.rotating.is_some() {
            // after a failure nothing is on its way any more
            self.shared.check_writable()?;
            self.go_on_rotating();
            let done = self.applier.wait();
            self.arrived(done)?;
        }
        Ok(())
    }

    /// Makes everything durable in the file and empties the logs.
    pub(super) fn checkpoint(&mut self) -> Result<()> {
        self.shared.check_writable()?;
        if !self.wal.is_empty() {
            self.settle()?;
            self.file.checkpoint()?;
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
