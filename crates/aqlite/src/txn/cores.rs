//! Who works on requests, and which cores are left for a query that can use more than one.
//!
//! Nobody waits for a core: a query that finds none runs alone, and a helper leaves as soon as others come.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The cores of the process.
#[derive(Debug)]
pub(crate) struct Cores {
    total: usize,
    large: u64,
    /// Requests that are worked on.
    requests: AtomicUsize,
    /// Threads that help one of them.
    helpers: AtomicUsize,
    /// How often somebody got one.
    given: AtomicUsize,
}

impl Cores {
    /// So many; each helper of a query wants at least `large` rows to look at.
    pub fn new(total: usize, large: u64) -> Self {
        let [requests, helpers, given] = [(); 3].map(|()| AtomicUsize::new(0));
        Self { total, large, requests, helpers, given }
    }

    /// A request is worked on until this is dropped.
    pub fn work(self: &Arc<Self>) -> Work {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Work(Arc::clone(self))
    }

    /// The cores that nobody needs now, as many as are worth it for so many rows.
    pub fn spare(self: &Arc<Self>, rows: u64) -> Vec<Helper> {
        (0..rows / self.large.max(1)).map_while(|_| self.helper()).collect()
    }

    fn helper(self: &Arc<Self>) -> Option<Helper> {
        let free = |helpers: usize| (self.busy() + helpers < self.total).then_some(helpers + 1);
        self.helpers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, free).ok()?;
        self.given.fetch_add(1, Ordering::Relaxed);
        Some(Helper(Arc::clone(self)))
    }

    /// How often somebody got a core besides his own.
    pub fn given(&self) -> usize {
        self.given.load(Ordering::Relaxed)
    }

    /// What is asked for without a request, as by tests, is somebody's work as well.
    fn busy(&self) -> usize {
        self.requests.load(Ordering::Relaxed).max(1)
    }
}

/// Somebody works on a request.
pub(crate) struct Work(Arc<Cores>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A core that a query uses besides its own.
pub(crate) struct Helper(Arc<Cores>);

impl Helper {
    /// Do others need the core now?
    pub fn is_wanted(&self) -> bool {
        self.0.busy() + self.0.helpers.load(Ordering::Relaxed) > self.0.total
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.0.helpers.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_gets_the_cores_that_nobody_needs() {
        let cores = Arc::new(Cores::new(3, 100));
        assert!(cores.spare(99).is_empty());
        assert_eq!(cores.spare(199).len(), 1);
        let first = cores.work();
        let helpers = cores.spare(1000);
        assert_eq!(helpers.len(), 2);
        assert!(cores.spare(1000).is_empty());
        assert!(!helpers[0].is_wanted());
        let second = cores.work();
        assert!(helpers[0].is_wanted());
        drop(helpers);
        assert_eq!(cores.spare(1000).len(), 1);
        let third = cores.work();
        assert!(cores.spare(1000).is_empty());
        drop((first, second, third));
        assert_eq!(cores.spare(1000).len(), 2);
    }

    #[test]
    fn on_one_core_there_are_no_helpers() {
        let cores = Arc::new(Cores::new(1, 0));
        assert!(cores.spare(1000).is_empty());
    }
}
