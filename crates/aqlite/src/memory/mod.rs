//! Memory that queries and transactions hold: what one of them may take, and what all of them together may.

mod container;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::code;
use crate::{Error, Result};

pub(crate) use container::kilobytes;
pub use container::{available, physical};

/// A share grows and shrinks in steps of this size, so that the queries of many threads seldom meet at the one counter.
const STEP: usize = 64 << 10;

/// How much queries may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a query that sets no limit itself; 0: no limit.
    pub query: usize,
    /// Bytes of all queries and open transactions together; 0: no limit.
    pub together: usize,
}

impl Default for Limits {
    /// Half of what the process may use for all together, and half of that for one of them: what is counted is less than
    /// what the allocator takes for it, and caches, connections and answers need room besides.
    fn default() -> Self {
        let together = available().map_or(0, |bytes| bytes / 2);
        Self { query: together / 2, together }
    }
}

/// What all queries and open transactions of an engine hold together.
#[derive(Debug)]
pub struct Budget {
    used: AtomicUsize,
    limits: Limits,
}

impl Budget {
    /// One with these limits.
    pub fn new(limits: Limits) -> Self {
        Self { used: AtomicUsize::new(0), limits }
    }

    /// Bytes that are taken.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The most bytes that can be taken, by one and by all.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    fn take(&self, bytes: usize) -> bool {
        let limit = self.limits.together;
        let more = |used: usize| used.checked_add(bytes).filter(|sum| limit == 0 || *sum <= limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A part of a budget that somebody has taken; given back when it is dropped. Without a budget it takes from nobody.
#[derive(Debug, Default)]
pub struct Share {
    budget: Option<Arc<Budget>>,
    taken: usize,
}

impl Share {
    /// Nothing yet.
    pub fn of(budget: &Arc<Budget>) -> Self {
        Self { budget: Some(Arc::clone(budget)), taken: 0 }
    }

    /// Makes it as large as needed to hold so many bytes; error 32 when others have taken too much for that.
    #[inline]
    pub fn resize(&mut self, bytes: usize) -> Result<()> {
        if bytes <= self.taken && self.taken - bytes < 2 * STEP { Ok(()) } else { self.resize_now(bytes) }
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
        let size = [whole, bytes].into_iter().find(|size| budget.take(size - self.taken));
        self.taken = size.ok_or_else(exceeded)?;
        Ok(())
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
    use super::*;

    fn budget(together: usize) -> Arc<Budget> {
        Arc::new(Budget::new(Limits { query: 0, together }))
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
        let budget = budget(STEP / 2);
        let mut share = Share::of(&budget);
        share.resize(100).expect("fits");
        assert_eq!(budget.used(), 100);
        assert!(share.resize(STEP).is_err());
    }

    #[test]
    fn no_limit_is_never_exceeded() {
        let budget = budget(0);
        let mut share = Share::of(&budget);
        share.resize(usize::MAX / 2).expect("fits");
        assert!(budget.used() > 0);
    }
}
