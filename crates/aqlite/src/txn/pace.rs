//! How fast large writers may go on: those that write faster than the tables take it wait a little after each commit, long
//! before the log is full and everybody would have to.

use std::time::{Duration, Instant};

/// Who writes no more than this at a time never waits.
const SMALL: usize = 64 << 10;
/// Nobody waits longer after one commit.
const LONGEST: Duration = Duration::from_millis(250);
/// What setting a log aside takes is the mean of about so many times.
const REMEMBERED: u32 = 4;

/// How long it takes to bring a full log into the tables.
#[derive(Default)]
pub(crate) struct Pace {
    usual: Duration,
    since: Option<Instant>,
}

impl Pace {
    /// A log was set aside because it was full.
    pub fn begin(&mut self) {
        self.since = Some(Instant::now());
    }

    /// What was set aside is in the tables.
    pub fn end(&mut self) {
        if let Some(since) = self.since.take() {
            self.usual = if self.usual.is_zero() {
                since.elapsed()
            } else {
                (self.usual * (REMEMBERED - 1) + since.elapsed()) / REMEMBERED
            };
        }
    }

    /// How long a writer of so many bytes waits while another log is being brought into the tables, when `filled` of this one,
    /// 1 where it is full: with a quarter not at all, from then on longer and longer. At about the middle it is as long as it
    /// takes to bring these bytes into the tables.
    pub fn rest(&self, size: usize, filled: f64, limit: u64) -> Duration {
        let Some(since) = self.since.filter(|_| size > SMALL && filled > 0.25) else { return Duration::ZERO };
        let share = (size as f64 / limit.max(1) as f64).min(1.0);
        self.usual.max(since.elapsed()).mul_f64(share * (filled - 0.25) * 4.0).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 8 << 20;

    fn pace() -> Pace {
        Pace { usual: Duration::from_millis(800), since: Some(Instant::now()) }
    }

    #[test]
    fn large_writers_wait_longer_the_fuller_the_log_is() {
        let waits = [0.2, 0.3, 0.5, 1.0].map(|filled| pace().rest(1 << 20, filled, LIMIT));
        assert_eq!(waits[0], Duration::ZERO);
        assert!(waits.is_sorted() && waits[1] > Duration::ZERO, "{waits:?}");
        assert_eq!(waits[2], Duration::from_millis(100), "an eighth of a log in an eighth of the time");
        assert_eq!(pace().rest(1 << 30, 1.0, LIMIT), LONGEST);
    }

    #[test]
    fn small_writers_never_wait_and_nobody_does_when_the_tables_keep_up() {
        assert_eq!(pace().rest(SMALL, 1.4, LIMIT), Duration::ZERO);
        let mut pace = pace();
        pace.end();
        assert_eq!(pace.rest(1 << 20, 1.0, LIMIT), Duration::ZERO);
        assert!(pace.usual < Duration::from_millis(800));
    }
}
