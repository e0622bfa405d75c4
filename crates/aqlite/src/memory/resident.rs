//! What the process really takes, as the system tells it: counts are estimates, and not everything is counted.
//!
//! The system ends a process that takes more than it may, whatever was counted. So whoever takes memory for long is refused
//! before it comes to that.

use std::fs::read_to_string;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::container::{available_by_system, kilobytes};

/// It is measured again when one of so many parts of what it may take was taken, a megabyte of 512: to measure takes a hundredth of
/// the time in which that is filled.
const PARTS: usize = 512;
/// And after so long: what was given back is seen.
const FOR: Duration = Duration::from_millis(50);

/// Who takes memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// What a query computes. It can be asked for again.
    #[default]
    Queries,
    /// Bodies of requests, which are refused before they are received.
    Bodies,
    /// What is written. Refused, it would be lost: there is room for it where there is none for queries.
    Writes,
}

/// Parts, of 32, of what the process may take. Above the first caches are emptied,
const SHORT: usize = 20;
/// above this one queries get no more,
const FULL_FOR_QUERIES: usize = 23;
/// and above this one nobody does. What is left is for what nobody asks for: the program, its threads, small requests.
const FULL: usize = 29;

/// How much the process takes and how much it may.
#[derive(Debug)]
pub(super) struct Resident {
    limit: usize,
    measure: fn() -> Option<usize>,
    /// Bytes, as they were measured last,
    measured: AtomicUsize,
    /// what was taken since then,
    since: AtomicUsize,
    /// and what is about to be made.
    promised: AtomicUsize,
    at: Mutex<Option<Instant>>,
}

impl Resident {
    pub fn new(limit: usize, measure: fn() -> Option<usize>) -> Self {
        Self {
            limit,
            measure,
            measured: AtomicUsize::new(0),
            since: AtomicUsize::new(0),
            promised: AtomicUsize::new(0),
            at: Mutex::new(None),
        }
    }

    /// May so many bytes more be taken?
    pub fn allows(&self, bytes: usize, purpose: Purpose) -> bool {
        let parts = match purpose {
            Purpose::Queries => FULL_FOR_QUERIES,
            Purpose::Bodies | Purpose::Writes => FULL,
        };
        if self.limit == 0 || self.after(bytes) <= self.limit / 32 * parts {
            return true;
        }
        let without = |since: usize| Some(since.saturating_sub(bytes));
        let _ = self.since.fetch_update(Ordering::Relaxed, Ordering::Relaxed, without);
        false
    }

    /// Is there so little left that caches have to be emptied?
    pub fn is_short(&self) -> bool {
        self.limit > 0 && self.after(0) > self.limit / 32 * SHORT
    }

    /// Notes that somebody makes so much, now that it is allowed: a measurement on the way sees a part of it at most.
    pub fn promise(&self, bytes: usize) {
        self.promised.fetch_add(bytes, Ordering::Relaxed);
    }

    /// It is made, or not needed any more.
    pub fn keep_promise(&self, bytes: usize) {
        self.promised.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// What it takes when so much more is taken, nearly.
    fn after(&self, bytes: usize) -> usize {
        let since = self.since.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        // one measures, others go on with what is known
        if let Some(mut at) = self.at.try_lock()
            && (since >= self.limit / PARTS || at.is_none_or(|at| at.elapsed() > FOR))
            && let Some(measured) = (self.measure)()
        {
            self.measured.store(measured, Ordering::Relaxed);
            // what is taken now is not there yet
            self.since.store(bytes, Ordering::Relaxed);
            *at = Some(Instant::now());
        }
        let made = self.measured.load(Ordering::Relaxed).saturating_add(self.since.load(Ordering::Relaxed));
        made.saturating_add(self.promised.load(Ordering::Relaxed))
    }
}

static LIMIT: OnceLock<usize> = OnceLock::new();
static PROCESS: OnceLock<Resident> = OnceLock::new();

/// Sets how many bytes the process may take, where that is less than the system allows. To be called before anything is
/// opened; later it changes nothing.
pub fn limit_process(bytes: usize) {
    let _ = LIMIT.set(bytes);
}

/// Bytes of memory this process may use: as it was told, or as far as the system tells.
pub fn available() -> Option<usize> {
    LIMIT.get().copied().or_else(available_by_system)
}

/// The process that this is.
pub(super) fn process() -> &'static Resident {
    // where it cannot be measured only counts are left
    let limit = || available().filter(|_| resident().is_some()).unwrap_or(0);
    PROCESS.get_or_init(|| Resident::new(limit(), resident))
}

/// Bytes it has in memory, where the system tells.
fn resident() -> Option<usize> {
    kilobytes(&read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: usize = 1 << 20;

    #[test]
    fn what_is_measured_and_what_was_taken_since_then_is_not_more_than_the_limit() {
        let resident = Resident::new(128 * MEGABYTE, || Some(90 * MEGABYTE));
        assert!(resident.allows(MEGABYTE / 2, Purpose::Queries));
        assert!(!resident.allows(9 * MEGABYTE, Purpose::Queries));
        assert!(resident.allows(9 * MEGABYTE, Purpose::Writes));
        assert!(!resident.allows(30 * MEGABYTE, Purpose::Writes));
        assert!(resident.is_short());
    }

    #[test]
    fn what_was_given_back_is_there_again() {
        static MEASURED: AtomicUsize = AtomicUsize::new(120 * MEGABYTE);
        let resident = Resident::new(128 * MEGABYTE, || Some(MEASURED.load(Ordering::Relaxed)));
        assert!(!resident.allows(MEGABYTE, Purpose::Queries));
        MEASURED.store(10 * MEGABYTE, Ordering::Relaxed);
        assert!(resident.allows(MEGABYTE, Purpose::Queries));
        assert!(!resident.is_short());
    }

    #[test]
    fn without_a_limit_nobody_is_refused() {
        let resident = Resident::new(0, || Some(usize::MAX));
        assert!(resident.allows(usize::MAX, Purpose::Queries));
        assert!(!resident.is_short());
    }

    #[test]
    fn who_is_refused_has_taken_nothing() {
        let resident = Resident::new(128 * MEGABYTE, || Some(90 * MEGABYTE));
        for _ in 0..10 {
            assert!(!resident.allows(30 * MEGABYTE, Purpose::Writes));
        }
        assert!(resident.allows(MEGABYTE / 2, Purpose::Queries));
    }
}
