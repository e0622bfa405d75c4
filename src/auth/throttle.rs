//! Failed logins are slowed down, by name and by address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Failures within [`WINDOW`] after which further attempts wait.
const FAILURES: usize = 10;
/// How long a failure counts.
const WINDOW: Duration = Duration::from_mins(1);
/// Names and addresses remembered at once; beyond it those without a recent failure are forgotten.
const REMEMBERED: usize = 10_000;

/// Counts failures.
#[derive(Debug, Default)]
pub struct Throttle {
    failures: Mutex<HashMap<Source, Vec<Instant>>>,
}

/// Whom a failure is counted against.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Source {
    Name(String),
    Address(IpAddr),
}

/// Who attempts to log in: a name, and an address where it is known.
#[derive(Debug, Clone)]
pub struct Attempt {
    sources: Vec<Source>,
}

impl Attempt {
    /// An attempt with `name` from `address`.
    pub fn new(name: &str, address: Option<IpAddr>) -> Self {
        let mut sources = vec![Source::Name(name.to_owned())];
        sources.extend(address.map(Source::Address));
        Self { sources }
    }
}

impl Throttle {
    /// Lets an attempt through, or says how long to wait.
    pub fn check(&self, attempt: &Attempt) -> Result<()> {
        self.check_at(attempt, Instant::now())
    }

    /// Counts a failure.
    pub fn failed(&self, attempt: &Attempt) {
        self.failed_at(attempt, Instant::now());
    }

    /// Forgets the failures of a name and an address after a success.
    pub fn succeeded(&self, attempt: &Attempt) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for source in &attempt.sources {
            failures.remove(source);
        }
    }

    fn check_at(&self, attempt: &Attempt, now: Instant) -> Result<()> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = attempt.sources.iter().filter_map(|source| {
            let recent: Vec<_> = failures.get(source)?.iter().filter(|time| is_recent(**time, now)).collect();
            // The wait ends when the tenth latest failure no longer counts.
            let oldest_that_counts = recent.len().checked_sub(FAILURES).and_then(|first| recent.get(first))?;
            Some(WINDOW.saturating_sub(now.saturating_duration_since(**oldest_that_counts)))
        });
        match waits.max() {
            Some(wait) => Err(Error::TooManyFailures(wait.as_secs().max(1))),
            None => Ok(()),
        }
    }

    fn failed_at(&self, attempt: &Attempt, now: Instant) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= REMEMBERED {
            failures.retain(|_, times| times.last().is_some_and(|time| is_recent(*time, now)));
        }
        for source in &attempt.sources {
            let times = failures.entry(source.clone()).or_default();
            times.retain(|time| is_recent(*time, now));
            times.push(now);
        }
    }
}

fn is_recent(time: Instant, now: Instant) -> bool {
    now.saturating_duration_since(time) < WINDOW
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(name: &str, last: u8) -> Attempt {
        Attempt::new(name, Some(IpAddr::from([10, 0, 0, last])))
    }

    #[test]
    fn the_eleventh_attempt_in_a_minute_waits_and_a_minute_later_it_does_not() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        for _ in 0..10 {
            assert!(throttle.check_at(&attempt("a", 1), start).is_ok());
            throttle.failed_at(&attempt("a", 1), start);
        }
        assert!(matches!(throttle.check_at(&attempt("a", 1), start), Err(Error::TooManyFailures(60))));
        assert!(throttle.check_at(&attempt("a", 1), start + WINDOW).is_ok());
    }

    #[test]
    fn names_and_addresses_are_counted_separately() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for other in 0..10 {
            throttle.failed_at(&attempt("a", other), now);
        }
        assert!(throttle.check_at(&attempt("a", 99), now).is_err(), "the name");
        assert!(throttle.check_at(&attempt("b", 1), now).is_ok(), "another name from an address that failed once");
    }

    #[test]
    fn a_success_resets_the_count() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for _ in 0..10 {
            throttle.failed_at(&attempt("a", 1), now);
        }
        throttle.succeeded(&attempt("a", 1));
        assert!(throttle.check_at(&attempt("a", 1), now).is_ok());
    }
}
