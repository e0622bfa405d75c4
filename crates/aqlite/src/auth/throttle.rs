//! Failed logins are slowed down, by name and address; a right password is never refused.
//!
//! A program verifies each password, tells [`Throttle::failed`] of a wrong one, and lets the answer to it wait as long as it
//! is told. Ten failures of a name from an address in a minute (or as many as it says) are answered at once, and so are ten
//! times as many of a name or from an address; each further one waits a little longer than the one before. Who knows the
//! password does not notice, wherever others fail.
//!
//! Of a name only a hash is kept, with a key that is made up when the process starts; a failure is forgotten after a
//! minute, and no more than ten thousand are remembered. What strangers send therefore never costs more than some
//! hundred kilobytes.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Failures of a name from an address within a minute after which further ones have to wait, unless another number is set.
pub const FAILURES: usize = 10;
/// So many times as many of a name from anywhere, or of any names from an address, have to wait as well.
const OF_MANY: usize = 10;
/// How long a failure counts.
const WINDOW: Duration = Duration::from_mins(1);
/// How much longer than the one before it each failure beyond these waits. Who tries over many connections at once gets no
/// further than the root of their number.
const STEP: Duration = Duration::from_millis(100);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(20);
/// Failures remembered at once; beyond it the oldest are forgotten.
const REMEMBERED: usize = 10_000;

/// Counts failures.
#[derive(Debug)]
pub struct Throttle {
    keys: RandomState,
    /// So many failures within [`WINDOW`] make further ones wait; 0: none ever wait.
    most: usize,
    failures: Mutex<Failures>,
}

impl Default for Throttle {
    fn default() -> Self {
        Self::after(FAILURES)
    }
}

/// Who attempts to log in: a name, and an address where it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Attempt {
    name: u64,
    address: Option<IpAddr>,
}

/// There were too many failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyFailures {
    /// How long the answer waits.
    pub delay: Duration,
    forgotten_after: Duration,
}

impl TooManyFailures {
    /// Seconds after which all of these failures are forgotten, as `Retry-After` says them.
    pub fn retry_after(self) -> u64 {
        self.forgotten_after.as_secs()
    }
}

/// What failures are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum By {
    Both(Attempt),
    Name(u64),
    Address(IpAddr),
}

impl Attempt {
    fn counted(self) -> impl Iterator<Item = By> {
        [By::Both(self), By::Name(self.name)].into_iter().chain(self.address.map(By::Address))
    }
}

/// The failures of the last minute.
#[derive(Debug, Default)]
struct Failures {
    /// The oldest first.
    all: VecDeque<(Attempt, Instant)>,
    counts: HashMap<By, usize>,
}

impl Failures {
    fn note(&mut self, attempt: Attempt, time: Instant) {
        self.all.push_back((attempt, time));
        for by in attempt.counted() {
            *self.counts.entry(by).or_default() += 1;
        }
    }

    /// Forgets those that no longer count, and the oldest where there are too many.
    fn forget_old(&mut self, now: Instant) {
        let is_old = |time: &Instant| now.saturating_duration_since(*time) >= WINDOW;
        while self.all.len() >= REMEMBERED || self.all.front().is_some_and(|(_, time)| is_old(time)) {
            let Some((attempt, _)) = self.all.pop_front() else { return };
            self.uncount(attempt);
        }
    }

    fn forget(&mut self, attempt: Attempt) {
        let before = self.all.len();
        self.all.retain(|(other, _)| *other != attempt);
        (self.all.len()..before).for_each(|_| self.uncount(attempt));
    }

    fn uncount(&mut self, attempt: Attempt) {
        for by in attempt.counted() {
            if let Some(count) = self.counts.get_mut(&by) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&by);
                }
            }
        }
    }
}

impl Throttle {
    /// One that lets failures wait after so many; 0: never.
    pub fn after(most: usize) -> Self {
        Self { keys: RandomState::default(), most, failures: Mutex::default() }
    }

    /// An attempt with `name`, however long, from `address`.
    pub fn attempt(&self, name: &str, address: Option<IpAddr>) -> Attempt {
        Attempt { name: self.keys.hash_one(name), address: address.map(network) }
    }

    /// Counts a failure, and says how long its answer waits where there were too many before it.
    pub fn failed(&self, attempt: Attempt) -> Result<(), TooManyFailures> {
        self.failed_at(attempt, Instant::now())
    }

    /// Forgets the failures of this name from this address after a success; those of other names from there, and those
    /// of the name from elsewhere, still count.
    pub fn succeeded(&self, attempt: Attempt) {
        self.failures.lock().forget(attempt);
    }

    fn failed_at(&self, attempt: Attempt, now: Instant) -> Result<(), TooManyFailures> {
        if self.most == 0 {
            return Ok(());
        }
        let mut failures = self.failures.lock();
        failures.forget_old(now);
        failures.note(attempt, now);
        let beyond = |by: By| {
            let most = if by == By::Both(attempt) { self.most } else { OF_MANY.saturating_mul(self.most) };
            failures.counts.get(&by).map_or(0, |count| count.saturating_sub(most))
        };
        match attempt.counted().map(beyond).max() {
            None | Some(0) => Ok(()),
            Some(beyond) => Err(TooManyFailures {
                delay: STEP.saturating_mul(u32::try_from(beyond).unwrap_or(u32::MAX)).min(LONGEST),
                forgotten_after: WINDOW,
            }),
        }
    }
}

/// What counts as one address: of version 6 the network, for a single machine has a whole one to choose from.
pub fn network(address: IpAddr) -> IpAddr {
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

    /// How long the answers to so many failures wait, in steps.
    fn waits(throttle: &Throttle, attempt: Attempt, count: usize, now: Instant) -> Vec<u128> {
        let wait = |_| throttle.failed_at(attempt, now).map_or_else(|refused| refused.delay.as_millis(), |()| 0);
        (0..count).map(wait).map(|millis| millis / STEP.as_millis()).collect()
    }

    #[test]
    fn each_failure_after_the_tenth_of_a_name_from_an_address_in_a_minute_waits_longer() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        let attempt = throttle.attempt("a", from(1));
        assert_eq!(waits(&throttle, attempt, 13, start), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
        let soon = start + Duration::from_millis(59_500);
        assert_eq!(throttle.failed_at(attempt, soon).map_err(TooManyFailures::retry_after), Err(60));
        assert_eq!(throttle.failed_at(attempt, start + WINDOW), Ok(()));
        assert!(waits(&throttle, attempt, 300, start).into_iter().max() == Some(200), "and never too long");
    }

    #[test]
    fn as_many_are_answered_at_once_as_it_says() {
        let now = Instant::now();
        for (most, expected) in [(0, [0, 0, 0]), (1, [0, 1, 2]), (2, [0, 0, 1]), (3, [0, 0, 0])] {
            let throttle = Throttle::after(most);
            assert_eq!(waits(&throttle, throttle.attempt("a", from(1)), 3, now), expected, "{most}");
        }
    }

    #[test]
    fn failures_of_a_name_from_elsewhere_and_of_others_from_an_address_count_ten_times_less() {
        let now = Instant::now();
        let throttle = Throttle::default();
        for other in 0..100 {
            assert_eq!(throttle.failed_at(throttle.attempt("a", from(other)), now), Ok(()));
        }
        assert!(throttle.failed_at(throttle.attempt("a", from(200)), now).is_err(), "the name");
        assert!(throttle.failed_at(throttle.attempt("a", None), now).is_err(), "the name from nowhere");
        assert_eq!(throttle.failed_at(throttle.attempt("b", from(1)), now), Ok(()), "another name");
        let throttle = Throttle::default();
        for other in 0..100 {
            assert_eq!(throttle.failed_at(throttle.attempt(&format!("name {other}"), from(1)), now), Ok(()));
        }
        assert!(throttle.failed_at(throttle.attempt("b", from(1)), now).is_err(), "the address");
        assert_eq!(throttle.failed_at(throttle.attempt("b", from(2)), now), Ok(()), "another address");
    }

    #[test]
    fn a_success_forgets_the_failures_of_its_name_from_its_address_alone() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let (own, other) = (throttle.attempt("own", from(1)), throttle.attempt("other", from(1)));
        for _ in 0..20 {
            let _ = throttle.failed_at(own, now);
            let _ = throttle.failed_at(other, now);
            let _ = throttle.failed_at(throttle.attempt("own", from(2)), now);
        }
        throttle.succeeded(own);
        let left = |attempt| throttle.failures.lock().counts.get(&By::Both(attempt)).copied().unwrap_or_default();
        assert_eq!((left(own), left(other), left(throttle.attempt("own", from(2)))), (0, 20, 20));
        assert_eq!(throttle.failed_at(own, now), Ok(()));
    }

    #[test]
    fn failures_expire_and_never_fill_the_memory() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        for number in 0..REMEMBERED + 100 {
            let _ = throttle.failed_at(throttle.attempt(&"x".repeat(number % 50), None), start);
        }
        assert_eq!(throttle.failures.lock().all.len(), REMEMBERED);
        assert_eq!(throttle.failed_at(throttle.attempt("late", None), start + WINDOW), Ok(()));
        let failures = throttle.failures.lock();
        assert_eq!((failures.all.len(), failures.counts.len()), (1, 2));
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
