//! The memory of the process: how it is divided, what queries and transactions hold of it, what one of them may take, and
//! what all of them together may.
//!
//! | part of what the process may take | for |
//! |---|---|
//! | a quarter, and no more than 272 MB | caches: pages of the file, documents, look-ups, collections for scans |
//! | half of the rest | queries, rows and batches that wait to be fetched, answers that wait to be sent, transactions, bodies of requests and what is read from them |
//! | the other half | the program, its threads, the log, what the allocator takes besides, what nobody counts |
//!
//! What is counted is refused when its part is used up. As counts are estimates, what the process really takes is looked
//! at as well (`resident.rs`).

mod container;
mod resident;

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::error::code;
use crate::{Error, Result, allocator};

pub(crate) use container::kilobytes;
pub use container::physical;
pub use resident::{Purpose, available, limit_process};
use resident::{Resident, process};

/// A share grows and shrinks in steps of this size, so that the queries of many threads seldom meet at the one counter. The
/// first one is never refused: small requests are answered whatever others do.
const STEP: usize = 64 << 10;
/// So much of a write is not refused either: it would be lost.
const SMALL_WRITE: usize = 16 * STEP;

/// What is so large goes back to the system at once where the process is short.
const LARGE: usize = 16 * STEP;

/// What a process needs to do anything.
pub const LEAST: usize = 64 << 20;

/// Bytes of all caches where there is enough memory.
const CACHES: usize = 272 << 20;

/// Bytes that caches may take together.
pub fn for_caches() -> usize {
    available().map_or(CACHES, caches_of)
}

fn caches_of(process: usize) -> usize {
    (process / 4).min(CACHES)
}

/// How much queries may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a query that sets no limit itself; 0: no limit.
    pub query: usize,
    /// Bytes of all queries and open transactions together; 0: no limit. Writes may take an eighth more.
    pub together: usize,
}

impl Default for Limits {
    fn default() -> Self {
        available().map_or(Self { query: 0, together: 0 }, Self::of_process)
    }
}

impl Limits {
    /// Those of a process that may take so many bytes: half of what caches leave for all together, and half of that for one.
    fn of_process(bytes: usize) -> Self {
        Self::of_all((bytes - caches_of(bytes)) / 2)
    }

    /// So many bytes for all together, and half of them for one.
    pub fn of_all(together: usize) -> Self {
        Self { query: together / 2, together }
    }
}

/// What all queries and open transactions of an engine hold together.
pub struct Budget {
    used: AtomicUsize,
    limits: Limits,
    process: &'static Resident,
    caches: Mutex<Caches>,
}

/// What there is too little of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortage {
    /// The budget is used up: caches that count have to give way.
    Budget,
    /// The process takes nearly all it may: all caches have to.
    Process,
}

/// What gives way before anybody is refused.
#[derive(Default)]
struct Caches {
    /// Each empties one.
    empty: Vec<Box<dyn Fn(Shortage) + Send>>,
    emptied: Option<Instant>,
}

impl Debug for Budget {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("used", &self.used()).field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// Caches are emptied no more often than this: what fills them again at once is needed.
const BETWEEN: Duration = Duration::from_secs(1);

impl Budget {
    /// One with these limits.
    pub fn new(limits: Limits) -> Self {
        Self::within(process(), limits)
    }

    fn within(process: &'static Resident, limits: Limits) -> Self {
        Self { used: AtomicUsize::new(0), limits, process, caches: Mutex::default() }
    }

    /// What empties caches, which give way before anybody is refused.
    pub fn give_way_by(&self, empty: impl Fn(Shortage) + Send + 'static) {
        self.caches.lock().empty.push(Box::new(empty));
    }

    /// Bytes that are taken.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The most bytes that can be taken, by one and by all.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    fn take(&self, bytes: usize, purpose: Purpose) -> bool {
        if self.process.is_short() {
            self.give_way(Shortage::Process);
        }
        let counts = self.count(bytes, purpose) || (self.give_way(Shortage::Budget) && self.count(bytes, purpose));
        if !counts {
            return false;
        }
        let is_there = self.process.allows(bytes, purpose);
        if !is_there {
            self.give_back(bytes);
        }
        is_there
    }

    fn count(&self, bytes: usize, purpose: Purpose) -> bool {
        let limit = match (self.limits.together, purpose) {
            (0, _) => usize::MAX,
            (together, Purpose::Queries) => together,
            (together, Purpose::Bodies | Purpose::Writes) => together.saturating_add(together / 8),
        };
        let more = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Takes what is there already, or too little to be refused.
    fn take_anyway(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        // the allocator would keep it for this thread while others are refused
        if bytes >= LARGE && self.process.is_short() {
            allocator::release();
        }
    }

    /// Empties the caches, unless that was just done.
    fn give_way(&self, shortage: Shortage) -> bool {
        let Some(mut caches) = self.caches.try_lock() else { return false };
        if caches.emptied.is_some_and(|at| at.elapsed() < BETWEEN) {
            return false;
        }
        caches.empty.iter().for_each(|empty| empty(shortage));
        if shortage == Shortage::Process {
            allocator::release();
        }
        caches.emptied = Some(Instant::now());
        true
    }
}

/// A part of a budget that somebody has taken; given back when it is dropped. Without a budget it takes from nobody.
#[derive(Debug, Default)]
pub struct Share {
    budget: Option<Arc<Budget>>,
    purpose: Purpose,
    taken: usize,
}

impl Share {
    /// Nothing yet, of a query.
    pub fn of(budget: &Arc<Budget>) -> Self {
        Self { budget: Some(Arc::clone(budget)), purpose: Purpose::Queries, taken: 0 }
    }

    /// The same of a body.
    pub fn of_body(budget: &Arc<Budget>) -> Self {
        Self { budget: Some(Arc::clone(budget)), purpose: Purpose::Bodies, taken: 0 }
    }

    /// Nothing yet, of the same budget for the same purpose.
    pub fn beside(&self) -> Self {
        Self { budget: self.budget.clone(), purpose: self.purpose, taken: 0 }
    }

    /// The same of what is written.
    pub fn of_writes(budget: &Arc<Budget>) -> Self {
        Self { budget: Some(Arc::clone(budget)), purpose: Purpose::Writes, taken: 0 }
    }

    /// So many bytes that are there already.
    pub fn of_made(budget: &Arc<Budget>, bytes: usize) -> Self {
        budget.take_anyway(bytes);
        Self { budget: Some(Arc::clone(budget)), purpose: Purpose::Queries, taken: bytes }
    }

    /// Makes it as large as needed to hold so many bytes; error 32 when others have taken too much for that.
    #[inline]
    pub fn resize(&mut self, bytes: usize) -> Result<()> {
        if bytes <= self.taken && self.taken - bytes < 2 * STEP { Ok(()) } else { self.resize_now(bytes) }
    }

    /// Room for so many bytes besides, which nobody else gets as long as it is kept. Error 32 where there is not so much.
    pub fn ask(&self, bytes: usize) -> Result<Room> {
        let Some(budget) = self.budget.as_ref().filter(|_| bytes > STEP) else { return Ok(Room::default()) };
        if !budget.take(bytes, self.purpose) {
            return Err(exceeded());
        }
        budget.process.promise(bytes);
        Ok(Room { budget: Some(Arc::clone(budget)), bytes, is_made: false })
    }

    fn resize_now(&mut self, bytes: usize) -> Result<()> {
        let Some(budget) = &self.budget else { return Ok(()) };
        let whole = bytes.div_ceil(STEP).saturating_mul(STEP);
        if bytes < self.taken {
            budget.give_back(self.taken - whole);
            self.taken = whole;
            return Ok(());
        }
        // where a whole step is too much, what is needed may still be there
        let size = [whole, bytes].into_iter().find(|size| budget.take(size - self.taken, self.purpose));
        let never_refused = match self.purpose {
            Purpose::Queries | Purpose::Bodies => STEP,
            Purpose::Writes => SMALL_WRITE,
        };
        if size.is_none() && bytes <= never_refused {
            budget.take_anyway(bytes - self.taken);
        }
        self.taken = size.or((bytes <= never_refused).then_some(bytes)).ok_or_else(exceeded)?;
        Ok(())
    }
}

/// Room for what is about to be made, or is there.
#[derive(Debug, Default)]
#[must_use]
pub struct Room {
    budget: Option<Arc<Budget>>,
    bytes: usize,
    is_made: bool,
}

impl Room {
    /// What it was asked for is there, and counts as long as this is kept.
    pub fn made(mut self) -> Self {
        self.keep_promise();
        self
    }

    fn keep_promise(&mut self) {
        if let Some(budget) = self.budget.as_ref().filter(|_| !self.is_made) {
            budget.process.keep_promise(self.bytes);
        }
        self.is_made = true;
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.keep_promise();
        if let Some(budget) = &self.budget {
            budget.give_back(self.bytes);
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.give_back(self.taken);
        }
    }
}

fn exceeded() -> Error {
    Error::new(code::RESOURCE_LIMIT, "more memory would be used than is allowed for all queries together")
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    /// One of a process that may take whatever it wants.
    fn budget(together: usize) -> Arc<Budget> {
        static PROCESS: LazyLock<Resident> = LazyLock::new(|| Resident::new(0, || None));
        Arc::new(Budget::within(&PROCESS, Limits { query: 0, together }))
    }

    #[test]
    fn what_is_taken_is_given_back() {
        let budget = budget(10 * STEP);
        let (mut a, mut b) = (Share::of(&budget), Share::of(&budget));
        a.resize(1).expect("fits");
        assert_eq!(budget.used(), STEP);
        b.resize(5 * STEP).expect("fits");
        assert_eq!(budget.used(), 6 * STEP);
        b.resize(STEP).expect("shrinks");
        assert_eq!(budget.used(), 2 * STEP);
        drop((a, b));
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn too_much_together_is_error_32_and_changes_nothing() {
        let budget = budget(10 * STEP);
        let (mut a, mut b) = (Share::of(&budget), Share::of(&budget));
        a.resize(6 * STEP).expect("fits");
        assert_eq!(b.resize(5 * STEP).map_err(|e| e.num), Err(code::RESOURCE_LIMIT));
        assert_eq!(budget.used(), 6 * STEP);
        b.resize(4 * STEP).expect("the rest is still there");
        drop(a);
        b.resize(10 * STEP).expect("fits now");
    }

    #[test]
    fn the_last_bytes_can_be_taken_without_a_whole_step() {
        let budget = budget(3 * STEP / 2);
        let mut share = Share::of(&budget);
        share.resize(STEP + 100).expect("fits");
        assert_eq!(budget.used(), STEP + 100);
        assert!(share.resize(2 * STEP).is_err());
    }

    #[test]
    fn a_first_step_is_never_refused_and_is_given_back() {
        let budget = budget(1);
        let mut share = Share::of(&budget);
        share.resize(STEP).expect("a small query");
        assert_eq!(share.resize(STEP + 1).map_err(|e| e.num), Err(code::RESOURCE_LIMIT));
        assert_eq!(budget.used(), STEP);
        drop(share);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn writes_find_room_where_queries_do_not() {
        let budget = budget(160 * STEP);
        let (mut query, mut write) = (Share::of(&budget), Share::of_writes(&budget));
        query.resize(160 * STEP).expect("fits");
        assert!(query.resize(161 * STEP).is_err());
        write.resize(20 * STEP).expect("there is more for it");
        assert!(write.resize(21 * STEP).is_err());
        // a small one finds room even then
        Share::of_writes(&budget).resize(SMALL_WRITE).expect("a small write");
        drop((query, write));
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn room_that_was_asked_for_is_nobody_elses_until_it_is_given_back() {
        static PROCESS: LazyLock<Resident> = LazyLock::new(|| Resident::new(128 << 20, || Some(60 << 20)));
        let budget = Arc::new(Budget::within(&PROCESS, Limits { query: 0, together: 0 }));
        let (one, other) = (Share::of(&budget), Share::of(&budget));
        let room = one.ask(20 << 20).expect("there is room");
        assert_eq!(budget.used(), 20 << 20);
        assert_eq!(other.ask(20 << 20).map(drop).map_err(|e| e.num), Err(code::RESOURCE_LIMIT));
        drop(room);
        assert_eq!(budget.used(), 0);
        drop(other.ask(20 << 20).expect("there is room again"));
    }

    #[test]
    fn what_was_made_in_a_room_counts_until_it_is_dropped_and_is_measured_once() {
        static PROCESS: LazyLock<Resident> = LazyLock::new(|| Resident::new(128 << 20, || Some(60 << 20)));
        let budget = Arc::new(Budget::within(&PROCESS, Limits { query: 0, together: 0 }));
        let share = Share::of(&budget);
        let made = share.ask(20 << 20).expect("there is room").made();
        assert_eq!(budget.used(), 20 << 20);
        drop(share.ask(20 << 20).expect("what is measured by now is not promised as well"));
        drop(made);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn what_was_made_counts_whatever_others_have_and_is_given_back() {
        let budget = budget(STEP);
        let made = Share::of_made(&budget, 5 * STEP);
        assert_eq!(budget.used(), 5 * STEP);
        drop(made);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn caches_give_way_before_anybody_is_refused() {
        let budget = budget(4 * STEP);
        let cached = Arc::new(Mutex::new(Some(Share::of_made(&budget, 4 * STEP))));
        let emptied = Arc::clone(&cached);
        budget.give_way_by(move |shortage| {
            assert_eq!(shortage, Shortage::Budget);
            drop(emptied.lock().take());
        });
        Share::of(&budget).resize(4 * STEP).expect("the cache is empty now");
        assert!(cached.lock().is_none());
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_process_that_takes_more_than_was_counted_refuses_queries_first() {
        static PROCESS: LazyLock<Resident> = LazyLock::new(|| Resident::new(32 << 20, || Some(26 << 20)));
        let budget = Arc::new(Budget::within(&PROCESS, Limits { query: 0, together: 0 }));
        let emptied = Arc::new(AtomicUsize::new(0));
        let times = Arc::clone(&emptied);
        budget.give_way_by(move |shortage| {
            assert_eq!(shortage, Shortage::Process);
            times.fetch_add(1, Ordering::Relaxed);
        });
        let (mut query, mut write) = (Share::of(&budget), Share::of_writes(&budget));
        assert_eq!(query.resize(4 * STEP).map_err(|e| e.num), Err(code::RESOURCE_LIMIT));
        write.resize(4 * STEP).expect("there is more for it");
        assert_eq!(emptied.load(Ordering::Relaxed), 1);
        drop((query, write));
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn caches_and_queries_have_their_parts_of_the_process() {
        let megabytes = |of: usize| (caches_of(of << 20) >> 20, Limits::of_process(of << 20).together >> 20);
        assert_eq!(megabytes(512), (128, 192));
        assert_eq!(megabytes(4096), (272, 1912));
    }

    #[test]
    fn no_limit_is_never_exceeded() {
        let budget = budget(0);
        let mut share = Share::of(&budget);
        share.resize(usize::MAX / 2).expect("fits");
        assert!(budget.used() > 0);
    }
}
