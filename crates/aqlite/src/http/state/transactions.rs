//! Stream transactions: open between requests, one request at a time in each, gone when nobody has used them for a while.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::auth::{Identity, Owner};
use crate::error::code;
use crate::http::metrics::TransactionCounters;
use crate::storage::at_hand;
use crate::txn::Txn;
use crate::value::SmolStr;
use crate::{Error, Result};

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
    owner: Owner,
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
    book: Arc<Book>,
    counters: TransactionCounters,
}

/// Which transactions there are, and which there were lately.
#[derive(Default)]
struct Book {
    open: Mutex<HashMap<u64, Arc<OpenTransaction>>>,
    ended: Mutex<Ended>,
}

/// Transactions that are over, for who asks how they ended. There are many more of them than open ones, so no more is kept.
#[derive(Default)]
struct Ended {
    ends: HashMap<u64, End>,
    /// When they ended, the oldest first.
    order: VecDeque<(Instant, u64)>,
}

struct End {
    database: SmolStr,
    owner: Owner,
    status: Status,
}

impl Ended {
    fn add(&mut self, id: u64, end: End, now: Instant) {
        // who ends what is over already has changed nothing
        if self.ends.insert(id, end).is_none() {
            self.order.push_back((now, id));
        }
        self.forget_old(now);
    }

    fn forget_old(&mut self, now: Instant) {
        while let Some((at, id)) = self.order.front().copied()
            && (self.order.len() > MAX_REMEMBERED || now.saturating_duration_since(at) > REMEMBERED)
        {
            self.order.pop_front();
            self.ends.remove(&id);
        }
    }
}

impl Book {
    /// A transaction is over. Whoever asks finds it among the open ones or among those that are over, never in neither.
    fn end(&self, id: u64, entry: &OpenTransaction, status: Status) {
        let end = End { database: entry.database.clone(), owner: entry.owner.clone(), status };
        self.ended.lock().add(id, end, Instant::now());
        self.open.lock().remove(&id);
    }

    fn all_open(&self) -> Vec<(u64, Arc<OpenTransaction>)> {
        self.open.lock().iter().map(|(id, entry)| (*id, Arc::clone(entry))).collect()
    }
}

/// A transaction that somebody asks for.
enum Found {
    Open(Arc<OpenTransaction>),
    Ended(Status),
}

impl Transactions {
    /// None yet; what happens to them is counted.
    pub fn new(counters: TransactionCounters) -> Self {
        Self { book: Arc::default(), counters }
    }

    /// Keeps a transaction under a number.
    pub fn add(&self, id: u64, database: &str, user: &Identity, txn: Txn, wait_for_sync: bool) {
        let slot = Slot { txn: Some(txn), status: Status::Running, used: Instant::now() };
        let entry = OpenTransaction {
            database: database.into(),
            owner: user.owner(),
            wait_for_sync,
            slot: Arc::new(Mutex::new(slot)),
        };
        self.book.open.lock().insert(id, Arc::new(entry));
        self.counters.started.inc();
    }

    fn find(&self, id: u64, database: &str, user: &Identity) -> Option<Found> {
        let is_own = |of: &SmolStr, owner: &Owner| of == database && user.is(owner);
        let open = self.book.open.lock().get(&id).cloned();
        if let Some(entry) = open {
            return is_own(&entry.database, &entry.owner).then_some(Found::Open(entry));
        }
        let ended = self.book.ended.lock();
        ended.ends.get(&id).filter(|end| is_own(&end.database, &end.owner)).map(|end| Found::Ended(end.status))
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
        let Some(Found::Open(entry)) = self.find(id, database, user) else { return Err(gone()) };
        let mut slot = entry.slot()?;
        let txn = slot.txn.as_mut().ok_or_else(gone)?;
        txn.set_rights(user.rights(database));
        let result = work(txn);
        slot.used = Instant::now();
        result
    }

    /// How a transaction stands.
    pub fn status(&self, id: u64, database: &str, user: &Identity) -> Option<Status> {
        Some(match self.find(id, database, user)? {
            Found::Open(entry) => entry.slot.lock().status,
            Found::Ended(status) => status,
        })
    }

    /// Commits; committing what is committed already changes nothing. Where the user has lost the right to write what was
    /// written, it ends without effect.
    pub fn commit(&self, id: u64, database: &str, user: &Identity) -> Result<Status> {
        let found = self.find(id, database, user).ok_or_else(|| {
            Error::new(code::TRANSACTION_NOT_FOUND, format!("transaction {id} not found on commit operation"))
        })?;
        let entry = match found {
            Found::Open(entry) => entry,
            Found::Ended(status) => return committed(status),
        };
        let mut slot = entry.slot_to_end()?;
        if let Some(txn) = &mut slot.txn
            && let Err(error) = may_commit(txn, database, user)
        {
            self.end_by_abort(id, &entry, &mut slot);
            return Err(error);
        }
        let Some(txn) = slot.txn.take() else { return committed(slot.status) };
        // should the commit fail or panic, the transaction is over without effect
        slot.status = Status::Aborted;
        slot.used = Instant::now();
        let result = txn.commit(entry.wait_for_sync);
        if result.is_ok() {
            slot.status = Status::Committed;
            self.counters.committed.inc();
        }
        self.book.end(id, &entry, slot.status);
        result.map(|()| Status::Committed)
    }

    /// Begins to commit, without waiting for it: what comes back hears of it, or is closed with the store. `None` where
    /// somebody else uses the transaction, or where it has written nothing, or much, or what must not be written any more, or
    /// where there is none: [`Self::commit`] sees to that.
    pub fn begin_commit(&self, id: u64, database: &str, user: &Identity) -> Option<oneshot::Receiver<Result<()>>> {
        let Some(Found::Open(entry)) = self.find(id, database, user) else { return None };
        // others wait until it is committed, also when whoever asked for it is gone
        let mut slot = entry.slot.try_lock_arc()?;
        let is_fit =
            |txn: &mut Txn| txn.has_writes() && txn.write_memory() <= SMALL && may_commit(txn, database, user).is_ok();
        let txn = slot.txn.take_if(is_fit)?;
        slot.status = Status::Aborted;
        slot.used = Instant::now();
        let (reply, answer) = oneshot::channel();
        let (book, committed) = (Arc::clone(&self.book), self.counters.committed.clone());
        txn.commit_then(entry.wait_for_sync, move |result| {
            if result.is_ok() {
                slot.status = Status::Committed;
                committed.inc();
            }
            book.end(id, &entry, slot.status);
            drop(slot);
            // whoever asked may be gone
            let _ = reply.send(result);
        });
        Some(answer)
    }

    /// Aborts; aborting what is aborted already changes nothing.
    pub fn abort(&self, id: u64, database: &str, user: &Identity) -> Result<Status> {
        let found = self.find(id, database, user).ok_or_else(|| {
            Error::new(code::TRANSACTION_NOT_FOUND, format!("transaction {id} inaccessible on abort operation"))
        })?;
        let entry = match found {
            Found::Open(entry) => entry,
            Found::Ended(status) => return aborted(status),
        };
        let mut slot = entry.slot_to_end()?;
        if slot.status != Status::Running {
            return aborted(slot.status);
        }
        self.end_by_abort(id, &entry, &mut slot);
        Ok(Status::Aborted)
    }

    /// Numbers of the open transactions of a database the caller may see.
    pub fn running(&self, database: &str, user: &Identity) -> Vec<u64> {
        let open = self.book.all_open();
        let mut running: Vec<u64> = open
            .into_iter()
            .filter(|(_, e)| e.database == database && (user.is_admin() || user.is(&e.owner)))
            // one that is in use right now is open
            .filter(|(_, e)| e.slot.try_lock().is_none_or(|slot| slot.status == Status::Running))
            .map(|(id, _)| id)
            .collect();
        running.sort_unstable();
        running
    }

    /// How many are open.
    pub fn count_running(&self) -> usize {
        self.book.open.lock().len()
    }

    /// Aborts every open transaction of a database that is about to go, or of all of them.
    pub fn abort_all(&self, database: Option<&str>) {
        for (id, entry) in self.book.all_open().iter().filter(|(_, e)| database.is_none_or(|d| e.database == d)) {
            let mut slot = entry.slot.lock();
            if slot.status == Status::Running {
                self.end_by_abort(*id, entry, &mut slot);
            }
        }
    }

    /// Aborts what nobody has used for longer than that and forgets what is long over.
    pub fn sweep(&self, now: Instant, idle: Duration) {
        for (id, entry) in self.book.all_open() {
            // whoever holds the lock is using it
            let Some(mut slot) = entry.slot.try_lock() else { continue };
            match slot.status {
                Status::Running if now.saturating_duration_since(slot.used) > idle => {
                    self.end_by_abort(id, &entry, &mut slot);
                }
                Status::Running => {}
                // whoever ended it did not come to the end
                status => self.book.end(id, &entry, status),
            }
        }
        self.book.ended.lock().forget_old(now);
    }

    fn end_by_abort(&self, id: u64, entry: &OpenTransaction, slot: &mut Slot) {
        slot.status = Status::Aborted;
        if let Some(txn) = slot.txn.take() {
            txn.abort();
            self.counters.aborted.inc();
        }
        self.book.end(id, entry, Status::Aborted);
    }
}

/// Fails unless the user has the rights now that the commit of a transaction takes.
fn may_commit(txn: &mut Txn, database: &str, user: &Identity) -> Result<()> {
    txn.set_rights(user.rights(database));
    txn.check_written()
}

/// What a commit makes of a transaction that is over.
fn committed(status: Status) -> Result<Status> {
    if status == Status::Aborted {
        return Err(Error::new(code::TRANSACTION_DISALLOWED_OPERATION, "transaction was already aborted"));
    }
    Ok(Status::Committed)
}

/// What an abort makes of a transaction that is over.
fn aborted(status: Status) -> Result<Status> {
    if status == Status::Committed {
        return Err(Error::new(code::TRANSACTION_DISALLOWED_OPERATION, "transaction was already committed"));
    }
    Ok(Status::Aborted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(status: Status) -> End {
        End { database: "d".into(), owner: Owner::default(), status }
    }

    #[test]
    fn ends_are_remembered_for_a_while_and_no_more_than_so_many() {
        let (mut ended, begin) = (Ended::default(), Instant::now());
        let later = |seconds| begin + Duration::from_secs(seconds);
        ended.add(1, end(Status::Committed), begin);
        ended.add(2, end(Status::Aborted), later(200));
        assert!(ended.ends.contains_key(&1));
        ended.forget_old(later(301));
        assert!(!ended.ends.contains_key(&1) && ended.ends.contains_key(&2));
        for id in 3..MAX_REMEMBERED as u64 + 10 {
            ended.add(id, end(Status::Committed), later(302));
        }
        assert_eq!((ended.ends.len(), ended.order.len()), (MAX_REMEMBERED, MAX_REMEMBERED));
        assert!(!ended.ends.contains_key(&2) && ended.ends.contains_key(&(MAX_REMEMBERED as u64 + 9)));
    }

    #[test]
    fn who_ends_what_is_over_is_remembered_once() {
        let (mut ended, now) = (Ended::default(), Instant::now());
        ended.add(1, end(Status::Aborted), now);
        ended.add(1, end(Status::Aborted), now);
        assert_eq!((ended.ends.len(), ended.order.len()), (1, 1));
    }
}
