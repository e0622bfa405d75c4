//! Failed logins are slowed down, by name and by address.
//!
//! A program asks [`Throttle::check`] before it looks at a password, and tells afterwards whether it was right. Ten
//! failures (or as many as it says) of one name or from one address in a minute make the next attempts wait until the
//! minute is over.
//!
//! Of a name only a hash is kept, with a key that is made up when the process starts; a failure is forgotten after a
//! minute, and no more than ten thousand are remembered. What strangers send therefore never costs more than some
//! hundred kilobytes.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Failures within a minute after which further attempts wait, unless another number is set.
pub const FAILURES: usize = 10;
/// How long a failure counts.
const WINDOW: Duration = Duration::from_mins(1);
/// Failures remembered at once; beyond it the oldest are forgotten.
const REMEMBERED: usize = 10_000;

/// Counts failures.
#[derive(Debug)]
pub struct Throttle {
    keys: RandomState,
    /// So many failures within [`WINDOW`] make further attempts wait; 0: none ever wait.
    most: usize,
    /// The oldest first.
    failures: Mutex<VecDeque<Failure>>,
}

impl Default for Throttle {
    fn default() -> Self {
        Self::after(FAILURES)
    }
}

/// Who attempts to log in: a name, and an address where it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    name: u64,
    address: Option<IpAddr>,
}

/// There were too many failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyFailures {
    wait: Duration,
}

impl TooManyFailures {
    /// Whole seconds after which an attempt is let through again, as `Retry-After` says them; never none.
    pub fn retry_after(self) -> u64 {
        self.wait.as_secs_f64().ceil().max(1.0) as u64
    }
}

#[derive(Debug, Clone, Copy)]
struct Failure {
    attempt: Attempt,
    time: Instant,
}

impl Throttle {
    /// One that lets attempts wait after so many failures; 0: never.
    pub fn after(most: usize) -> Self {
        Self { keys: RandomState::default(), most, failures: Mutex::default() }
    }

    /// An attempt with `name`, however long, from `address`.
    pub fn attempt(&self, name: &str, address: Option<IpAddr>) -> Attempt {
        Attempt { name: self.keys.hash_one(name), address: address.map(network) }
    }

    /// One that counts for this name from this address alone: whoever else fails does not hinder it.
    pub fn attempt_from(&self, name: &str, address: IpAddr) -> Attempt {
        Attempt { name: self.keys.hash_one((name, network(address))), address: None }
    }

    /// Lets an attempt through, or says how long to wait.
    pub fn check(&self, attempt: Attempt) -> Result<(), TooManyFailures> {
        self.check_at(attempt, Instant::now())
    }

    /// Counts a failure.
    pub fn failed(&self, attempt: Attempt) {
        self.failed_at(attempt, Instant::now());
    }

    /// Forgets the failures of this name from this address after a success; those of other names from there, and those
    /// of the name from elsewhere, still count. Many attempts at once all pass the first check, so a password that is
    /// right counts for nothing when too many of them have failed meanwhile.
    pub fn succeeded(&self, attempt: Attempt) -> Result<(), TooManyFailures> {
        self.check(attempt)?;
        self.failures.lock().retain(|failure| failure.attempt != attempt);
        Ok(())
    }

    fn check_at(&self, attempt: Attempt, now: Instant) -> Result<(), TooManyFailures> {
        let Some(before_last) = self.most.checked_sub(1) else { return Ok(()) };
        let failures = self.failures.lock();
        let recent = || failures.iter().rev().take_while(|failure| is_recent(failure.time, now));
        // The wait ends when the failure that is one too many no longer counts.
        let by_name = recent().filter(|failure| failure.attempt.name == attempt.name).nth(before_last);
        let by_address = attempt
            .address
            .and_then(|address| recent().filter(|f| f.attempt.address == Some(address)).nth(before_last));
        match by_name.into_iter().chain(by_address).map(|failure| failure.time).max() {
            Some(time) => Err(TooManyFailures { wait: WINDOW.saturating_sub(now.saturating_duration_since(time)) }),
            None => Ok(()),
        }
    }

    fn failed_at(&self, attempt: Attempt, now: Instant) {
        let mut failures = self.failures.lock();
        while failures.len() >= REMEMBERED || failures.front().is_some_and(|failure| !is_recent(failure.time, now)) {
            failures.pop_front();
        }
        failures.push_back(Failure { attempt, time: now });
    }
}

fn is_recent(time: Instant, now: Instant) -> bool {
    now.saturating_duration_since(time) < WINDOW
}

/// What counts as one address: of version 6 the network, for a single machine has a whole one to choose from.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([10, 0, 0, last]))
    }

    #[test]
    fn the_eleventh_attempt_in_a_minute_waits_and_a_minute_later_it_does_not() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        let attempt = throttle.attempt("a", from(1));
        for _ in 0..10 {
            assert_eq!(throttle.check_at(attempt, start), Ok(()));
            throttle.failed_at(attempt, start);
        }
        assert_eq!(throttle.check_at(attempt, start).map_err(TooManyFailures::retry_after), Err(60));
        let soon = start + Duration::from_millis(59_500);
        assert_eq!(throttle.check_at(attempt, soon).map_err(TooManyFailures::retry_after), Err(1));
        assert_eq!(throttle.check_at(attempt, start + WINDOW), Ok(()));
    }

    #[test]
    fn as_many_may_fail_as_it_says() {
        let now = Instant::now();
        for (most, waits) in [(0, false), (1, true), (3, true), (4, false)] {
            let throttle = Throttle::after(most);
            let attempt = throttle.attempt("a", from(1));
            (0..3).for_each(|_| throttle.failed_at(attempt, now));
            assert_eq!(throttle.check_at(attempt, now).is_err(), waits, "{most}");
        }
    }

    #[test]
    fn names_and_addresses_are_counted_separately() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for other in 0..10 {
            throttle.failed_at(throttle.attempt("a", from(other)), now);
            throttle.failed_at(throttle.attempt(&format!("name {other}"), from(200)), now);
        }
        assert!(throttle.check_at(throttle.attempt("a", from(99)), now).is_err(), "the name");
        assert!(throttle.check_at(throttle.attempt("a", None), now).is_err(), "the name from nowhere");
        assert!(throttle.check_at(throttle.attempt("b", from(200)), now).is_err(), "the address");
        assert!(throttle.check_at(throttle.attempt("b", from(1)), now).is_ok(), "another name, one failure from there");
    }

    #[test]
    fn an_attempt_from_an_address_counts_for_it_alone() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let at = |last: u8| throttle.attempt_from("a", IpAddr::from([10, 0, 0, last]));
        for _ in 0..10 {
            throttle.failed_at(at(1), now);
        }
        assert!(throttle.check_at(at(1), now).is_err());
        assert!(throttle.check_at(at(2), now).is_ok(), "from elsewhere");
        assert!(throttle.check_at(throttle.attempt("a", from(1)), now).is_ok(), "another way to log in");
    }

    #[test]
    fn a_success_forgets_the_failures_of_its_name_from_its_address_alone() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let (own, other) = (throttle.attempt("own", from(1)), throttle.attempt("other", from(1)));
        for _ in 0..5 {
            throttle.failed_at(own, now);
            throttle.failed_at(other, now);
            throttle.failed_at(throttle.attempt("own", from(2)), now);
        }
        assert!(throttle.succeeded(own).is_err(), "ten from one address: a right password does not help");
        throttle.failures.lock().pop_front();
        assert_eq!(throttle.succeeded(own), Ok(()));
        let left = |attempt| throttle.failures.lock().iter().filter(|f| f.attempt == attempt).count();
        assert_eq!((left(own), left(other), left(throttle.attempt("own", from(2)))), (0, 5, 5));
    }

    #[test]
    fn failures_expire_and_never_fill_the_memory() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        for number in 0..REMEMBERED + 100 {
            throttle.failed_at(throttle.attempt(&"x".repeat(number % 50), None), start);
        }
        assert_eq!(throttle.failures.lock().len(), REMEMBERED);
        throttle.failed_at(throttle.attempt("late", None), start + WINDOW);
        assert_eq!(throttle.failures.lock().len(), 1);
    }

    #[test]
    fn a_network_of_version_6_is_one_address() {
        let throttle = Throttle::default();
        let at = |address: &str| throttle.attempt("a", address.parse().ok());
        assert_eq!(at("2001:db8::1"), at("2001:db8::ffff:1"));
        assert_ne!(at("2001:db8::1"), at("2001:db8:0:1::1"));
        assert_eq!(at("::ffff:10.0.0.1"), at("10.0.0.1"));
    }
}
