//! Reading everything stored once in a while, so that damage is told before somebody asks for what is damaged.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use tracing::{error, info, warn};

use super::Store;
use super::damage;
use super::snapshot::Snapshot;
use super::store::WeakStore;
use crate::Result;
use crate::catalog::Collection;
use crate::error::code;
use crate::storage::storage_error;

/// The first time it begins so long after the start.
const FIRST: Duration = Duration::from_mins(1);
/// So many documents that cannot be read are named.
const MOST_NAMED: usize = 100;

/// Reads everything, no more than `rate` bytes a second, then again after `pause`, until the sender is dropped or the store is
/// closed.
pub(super) fn start(store: WeakStore, rate: u64, pause: Duration) -> Result<Sender<()>> {
    let (stop, stopped) = channel();
    let work = move || {
        let mut next = FIRST.min(pause);
        while stopped.recv_timeout(next) == Err(RecvTimeoutError::Timeout) {
            next = pause;
            let (began, mut read) = (Instant::now(), 0);
            let mut is_stopped = false;
            let found = scrub(&store, &mut |bytes| {
                read += bytes as u64;
                let due = Duration::from_secs_f64(read as f64 / rate.max(1) as f64);
                let early = due.saturating_sub(began.elapsed());
                is_stopped = stopped.recv_timeout(early) != Err(RecvTimeoutError::Timeout);
                !is_stopped
            });
            if is_stopped {
                return;
            }
            match found {
                Ok(0) => info!(bytes = read, "everything stored was read and fits its checksums"),
                Ok(damaged) => {
                    error!(bytes = read, pages = damaged, "everything stored was read: some of it is damaged");
                }
                Err(e) if e.num == code::SHUTTING_DOWN => return,
                Err(error) => warn!(%error, "cannot read everything stored"),
            }
        }
    };
    std::thread::Builder::new()
        .name("aqlite-scrub".into())
        .spawn(work)
        .map(|_| stop)
        .map_err(|e| storage_error("cannot start the thread that reads everything stored", e))
}

/// The store is held no longer than it takes to look at it: it may be closed meanwhile.
fn scrub(store: &WeakStore, go_on: &mut dyn FnMut(usize) -> bool) -> Result<usize> {
    let gone = || crate::Error::plain(code::SHUTTING_DOWN);
    let (pages, faults) = {
        let store = store.upgrade().ok_or_else(gone)?;
        (store.pages().cloned(), store.faults().clone())
    };
    let Some(pages) = pages else { return Ok(0) };
    let suspects = pages.scrub(go_on).map_err(|e| storage_error("cannot read the data file", e))?;
    for suspect in suspects.iter().filter(|suspect| suspect.is_damaged) {
        faults.note(suspect.page, None);
    }
    if !suspects.is_empty() {
        // which of them are in use is seen by going to everything that is; what is damaged gets a name there
        let snapshot = store.upgrade().ok_or_else(gone)?.shared().current();
        let mut is_whole = true;
        let mut go_on = |bytes| if go_on(bytes) { Ok(()) } else { Err(gone()) };
        for collection in snapshot.catalog.databases().flat_map(|database| database.collections()) {
            let fits = damage::walk(&snapshot.tables, collection, &mut go_on)?;
            is_whole &= fits;
            if !fits {
                name_documents(&snapshot, collection);
            }
        }
        if !is_whole {
            for suspect in &suspects {
                faults.note(suspect.page, None);
            }
        }
    }
    Ok(faults.damaged_pages())
}

/// Tells the keys of documents that cannot be read.
fn name_documents(snapshot: &Snapshot, collection: &Collection) {
    let mut named = 0;
    damage::unreadable_documents(&snapshot.tables, collection, &mut |key| {
        error!(collection = %collection.name, key, "a document cannot be read: it is damaged");
        named += 1;
        named < MOST_NAMED
    });
}

impl Store {
    /// Reads everything stored from the disk and compares it with its checksums; tells how many pages of the data file are
    /// damaged.
    pub fn scrub(&self) -> Result<usize> {
        scrub(&self.weak(), &mut |_| true)
    }

    /// What is wrong with the files, in words; `None` when nothing is.
    pub fn what_is_wrong(&self) -> Option<String> {
        let failed = self.shared().check_sound().err();
        failed.map(|error| error.message).or_else(|| self.faults().what_is_wrong())
    }

    /// How many pages of the data file are known to be damaged.
    pub fn damaged_pages(&self) -> usize {
        self.faults().damaged_pages()
    }

    /// How often somebody came to a page that is damaged.
    pub fn damaged_reads(&self) -> u64 {
        self.faults().refused()
    }
}
