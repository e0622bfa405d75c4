//! How fast the service takes what it is sent.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What the service answered to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was recorded.
    Recorded,
    /// It was refused for a reason.
    Refused,
    /// It was sent again, because no answer came or the service was busy.
    Again,
}

/// The figures of all stations.
#[derive(Debug)]
pub(super) struct Figures {
    since: Instant,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    recorded: u64,
    refused: u64,
    again: u64,
    /// Of the whole time, in microseconds.
    latencies: Vec<u32>,
    /// How many of these were printed already.
    printed: usize,
}

impl Default for Figures {
    fn default() -> Self {
        Self { since: Instant::now(), counts: Mutex::default() }
    }
}

impl Figures {
    /// What stands above the lines.
    pub(super) const HEAD: &str = "  seconds   events/s    p50 ms    p99 ms   recorded   refused     again";

    pub(super) fn note(&self, outcome: Outcome, took: Duration) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Outcome::Recorded => counts.recorded += 1,
            Outcome::Refused => counts.refused += 1,
            Outcome::Again => counts.again += 1,
        }
        if outcome != Outcome::Again {
            counts.latencies.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
        }
    }

    /// How it went since the last line.
    pub(super) fn line(&self) -> String {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let latest: Vec<u32> = counts.latencies[counts.printed..].to_vec();
        counts.printed = counts.latencies.len();
        let [p50, p99] = [0.5, 0.99].map(|part| milliseconds(&latest, part));
        format!(
            "{:>9.0} {:>10} {p50:>9.1} {p99:>9.1} {:>10} {:>9} {:>9}",
            self.since.elapsed().as_secs_f64(),
            latest.len(),
            counts.recorded,
            counts.refused,
            counts.again,
        )
    }

    /// How it went all in all.
    pub(super) fn summary(&self) -> String {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let [p50, p99, most] = [0.5, 0.99, 1.0].map(|part| milliseconds(&counts.latencies, part));
        let rate = counts.latencies.len() as f64 / self.since.elapsed().as_secs_f64();
        format!(
            "{} events recorded, {} refused, {} sent again; {rate:.0} a second; p50 {p50:.1} ms, p99 {p99:.1} ms, at most \
             {most:.1} ms",
            counts.recorded, counts.refused, counts.again
        )
    }
}

/// The latency that a part of all does not exceed.
fn milliseconds(latencies: &[u32], part: f64) -> f64 {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    let at = ((last as f64) * part).ceil() as usize;
    f64::from(sorted.get(at).copied().unwrap_or(0)) / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_all_latencies_is_not_above() {
        let latencies: Vec<u32> = (1..=100).rev().map(|millisecond| millisecond * 1_000).collect();
        assert_eq!(milliseconds(&latencies, 0.5), 51.0);
        assert_eq!(milliseconds(&latencies, 1.0), 100.0);
        assert_eq!(milliseconds(&[], 0.99), 0.0);
    }

    #[test]
    fn a_line_tells_what_came_since_the_last_one() {
        let figures = Figures::default();
        figures.note(Outcome::Recorded, Duration::from_millis(2));
        figures.note(Outcome::Refused, Duration::from_millis(4));
        figures.note(Outcome::Again, Duration::from_secs(9));
        let words: Vec<String> = figures.line().split_whitespace().map(str::to_owned).collect();
        assert_eq!(words[1..], ["2", "4.0", "4.0", "1", "1", "1"]);
        assert!(figures.line().contains(" 0 "), "nothing came since");
    }
}
