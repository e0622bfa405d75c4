//! Stream transactions: open between requests, one request at a time in each, gone after a minute without one.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::auth::Identity;
use crate::error::code;
use crate::http::metrics::TransactionCounters;
use crate::storage::at_hand;
use crate::txn::Txn;
use crate::value::SmolStr;
use crate::{Error, Result};

/// A transaction nobody used for this long is aborted.
pub const IDLE: Duration = Duration::from_mins(1);
/// How long the end of a transaction is remembered.
const REMEMBERED: Duration = Duration::from_mins(5);
/// Remembered ends beyond this many go early, the oldest first.
const MAX_REMEMBERED: usize = 50_000;
/// Writes that take no more memory than this are handed over to be committed in no time.
const SMALL: usize = 64 << 10;

/// How a transaction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Open.
    Running,
    /// Over, its writes are there.
    Committed,
    /// Over, its writes are gone.
    Aborted,
}

impl Status {
    /// The name in the HTTP API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Committed => "committed",
            Self::Aborted => "aborted",
        }
    }
}

struct OpenTransaction {
    database: SmolStr,
    user: SmolStr,
    wait_for_sync: bool,
    slot: Arc<Mutex<Slot>>,
}

struct Slot {
    txn: Option<Txn>,
    status: Status,
    used: Instant,
}

impl OpenTransaction {
    /// The transaction, when nobody else uses it. Who may not wait does not.
    fn slot(&self) -> Result<MutexGuard<'_, Slot>> {
        if at_hand::may_wait() { Ok(self.slot.lock()) } else { self.slot.try_lock().ok_or_else(at_hand::refuse) }
    }

    /// The same to end it. What it has written is brought to the disk, or thrown away, by those who may take their time.
    fn slot_to_end(&self) -> Result<MutexGuard<'_, Slot>> {
        let slot = self.slot()?;
        if !at_hand::may_wait() && slot.txn.as_ref().is_some_and(Txn::has_writes) {
            return Err(at_hand::refuse());
        }
        Ok(slot)
    }
}

/// All stream transactions.
pub struct Transactions {
    entries: Mutex<HashMap<u64, Arc<OpenTransaction>>>,
    counters: TransactionCounters,
}

impl Transactions {
    /// None yet; what happens to them is counted.
    pub fn new(counters: TransactionCounters) -> Self {
        Self { entries: Mutex::default(), counters }
    }

    /// Keeps a transaction under a number.
    pub fn add(&self, id: u64, database: &str, user: &Identity, txn: Txn, wait_for_sync: bool) {
        let slot = Slot { txn: Some(txn), status: Status::Running, used: Instant::now() };
        let entry = OpenTransaction {
            database: database.into(),
            user: user.name(),
            wait_for_sync,
            slot: Arc::new(Mutex::new(slot)),
        };
        self.entries.lock().insert(id, Arc::new(entry));
        self.counters.started.inc();
    }

    fn find(&self, id: u64, database: &str, user: &Identity) -> Option<Arc<OpenTransaction>> {
        let entry = self.entries.lock().get(&id).cloned()?;
        let owned = matches!(user, Identity::Superuser) || entry.user == user.name();
        (entry.database == database && owned).then_some(entry)
    }

    /// Works within an open transaction, with the rights its user has now; whoever else uses it waits.
    pub fn with<T>(
        &self,
        id: u64,
        database: &str,
        user: &Identity,
        work: impl FnOnce(&mut Txn) -> Result<T>,
    ) -> Result<T> {
        let gone = || Error::new(code::TRANSACTION_NOT_FOUND, format!("transaction {id} not found"));
        let entry = self.find(id, database, user).ok_or_else(gone)?;
        let mut slot = entry.slot()?;
        let txn = slot.txn.as_mut().ok_or_else(gone)?;
        txn.set_rights(user.rights(database));
        let result = work(txn);
        slot.used = Instant::now();
        result
    }

    /// How a transaction stands.
    pub fn status(&self, id: u64, database: &str, user: &Identity) -> Option<Status> {
        let entry = self.find(id, database, user)?;
        let status = entry.slot.lock().status;
        Some(status)
    }

    /// Commits; committing what is committed already changes nothing.
    pub fn commit(&self, id: u64, database: &str, user: &Identity) -> Result<Status> {
        let entry = self.find(id, database, user).ok_or_else(|| {
            Error::new(code::TRANSACTION_NOT_FOUND, format!("transaction {id} not found on commit operation"))
        })?;
        let mut slot = entry.slot_to_end()?;
        match (slot.status, slot.txn.take()) {
            (Status::Aborted, _) => {
                Err(Error::new(code::TRANSACTION_DISALLOWED_OPERATION, "transaction was already aborted"))
            }
            (_, None) => Ok(Status::Committed),
            (_, Some(txn)) => {
                // should the commit fail or panic, the transaction is over without effect
                slot.status = Status::Aborted;
                slot.used = Instant::now();
                txn.commit(entry.wait_for_sync)?;
                slot.status = Status::Committed;
                self.counters.committed.inc();
                Ok(Status::Committed)
            }
        }
    }

    /// Begins to commit, without waiting for it: what comes back hears of it, or is closed with the store. `None` where
    /// somebody else uses the transaction, or where it has written nothing or much, or where there is none: [`Self::commit`]
    /// sees to that.
    pub fn begin_commit(&self, id: u64, database: &str, user: &Identity) -> Option<oneshot::Receiver<Result<()>>> {
        let entry = self.find(id, database, user)?;
        // others wait until it is committed, also when whoever asked for it is gone
        let mut slot = entry.slot.try_lock_arc()?;
        let txn = slot.txn.take_if(|txn| txn.has_writes() && txn.write_memory() <= SMALL)?;
        slot.status = Status::Aborted;
        slot.used = Instant::now();
        let (reply, answer) = oneshot::channel();
        let committed = self.counters.committed.clone();
        txn.commit_then(entry.wait_for_sync, move |result| {
            if result.is_ok() {
                slot.status = Status::Committed;
                committed.inc();
            }
            drop(slot);
            // whoever asked may be gone
            let _ = reply.send(result);
        });
        Some(answer)
    }

    /// Aborts; aborting what is aborted already changes nothing.
    pub fn abort(&self, id: u64, database: &str, user: &Identity) -> Result<Status> {
        let entry = self.find(id, database, user).ok_or_else(|| {
            Error::new(code::TRANSACTION_NOT_FOUND, format!("transaction {id} inaccessible on abort operation"))
        })?;
        let mut slot = entry.slot_to_end()?;
        if slot.status == Status::Committed {
            return Err(Error::new(code::TRANSACTION_DISALLOWED_OPERATION, "transaction was already committed"));
        }
        slot.abort(&self.counters);
        Ok(Status::Aborted)
    }

    /// Numbers of the open transactions of a database the caller may see.
    pub fn running(&self, database: &str, user: &Identity) -> Vec<u64> {
        let entries: Vec<(u64, Arc<OpenTransaction>)> =
            self.entries.lock().iter().map(|(id, entry)| (*id, Arc::clone(entry))).collect();
        let mut running: Vec<u64> = entries
            .into_iter()
            .filter(|(_, e)| e.database == database && (user.is_admin() || e.user == user.name()))
            // one that is in use right now is open
            .filter(|(_, e)| e.slot.try_lock().is_none_or(|slot| slot.status == Status::Running))
            .map(|(id, _)| id)
            .collect();
        running.sort_unstable();
        running
    }

    /// How many are open.
    pub fn count_running(&self) -> usize {
        let entries: Vec<Arc<OpenTransaction>> = self.entries.lock().values().cloned().collect();
        entries.iter().filter(|e| e.slot.try_lock().is_none_or(|slot| slot.status == Status::Running)).count()
    }

    /// Aborts every open transaction of a database that is about to go, or of all of them.
    pub fn abort_all(&self, database: Option<&str>) {
        let entries: Vec<Arc<OpenTransaction>> = self.entries.lock().values().cloned().collect();
        for entry in entries.iter().filter(|e| database.is_none_or(|d| e.database == d)) {
            let mut slot = entry.slot.lock();
            if slot.status == Status::Running {
                slot.abort(&self.counters);
            }
        }
    }

    /// Aborts what was not used for long and forgets what is long over.
    pub fn sweep(&self, now: Instant) {
        let entries: Vec<(u64, Arc<OpenTransaction>)> =
            self.entries.lock().iter().map(|(id, entry)| (*id, Arc::clone(entry))).collect();
        let mut over = Vec::new();
        for (id, entry) in entries {
            // whoever holds the lock is using it
            let Some(mut slot) = entry.slot.try_lock() else { continue };
            let idle = now.saturating_duration_since(slot.used);
            match slot.status {
                Status::Running if idle > IDLE => slot.abort(&self.counters),
                Status::Running => {}
                _ => over.push((idle, id)),
            }
        }
        over.sort_unstable();
        let mut entries = self.entries.lock();
        for (position, (idle, id)) in over.into_iter().enumerate() {
            if idle > REMEMBERED || position >= MAX_REMEMBERED {
                entries.remove(&id);
            }
        }
    }
}

impl Slot {
    fn abort(&mut self, counters: &TransactionCounters) {
        if let Some(txn) = self.txn.take() {
            txn.abort();
            counters.aborted.inc();
        }
        self.status = Status::Aborted;
        self.used = Instant::now();
    }
}
