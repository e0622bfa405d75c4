//! Syncs the log beside the thread that commits: who did not ask for it does not wait for the disk, which may be busy with
//! the tables for a long time.

use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::committer::Message;
use crate::Result;
use crate::storage::{ToSync, storage_error};

/// The thread that syncs the log.
pub(crate) struct Syncer {
    /// Until it is dropped.
    work: Option<Sender<ToSync>>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    /// Starts the thread; `wake` hears [`Message::Synced`] after everything it does.
    pub fn start(wake: Sender<Message>) -> Result<Self> {
        let (work, to_do) = channel::<ToSync>();
        let sync = move || {
            for to_sync in to_do {
                if wake.send(Message::Synced(to_sync.sync())).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("aqlite-sync".into())
            .spawn(sync)
            .map_err(|e| storage_error("cannot start the syncing thread", e))?;
        Ok(Self { work: Some(work), thread: Some(thread) })
    }

    /// A test syncs what it receives, when it wants to.
    #[cfg(test)]
    pub fn by_hand() -> (Self, std::sync::mpsc::Receiver<ToSync>) {
        let (work, to_do) = channel();
        (Self { work: Some(work), thread: None }, to_do)
    }

    /// Begins to sync.
    pub fn sync(&self, to_sync: ToSync) {
        // it ends only with this
        let _ = self.work.as_ref().map(|work| work.send(to_sync));
    }
}

impl Drop for Syncer {
    /// The files are free only when the thread has ended.
    fn drop(&mut self) {
        self.work = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
