//! When something that the database refused is tried again.

use std::time::{Duration, Instant};

use rand::RngExt;

use super::Meter;
use crate::error::Error;

/// How often at least a transaction that loses against others is tried before its conflict is reported.
const ATTEMPTS: u32 = 5;
/// For how long at least. Who wrote the same document holds it until the end of his transaction, and on a machine that is busy
/// that is longer than five attempts.
const PATIENCE: Duration = Duration::from_secs(5);
/// Mean wait before the second attempt; it doubles with each further one, up to [`LONGEST_BACKOFF`].
const BACKOFF: Duration = Duration::from_millis(25);
/// Longest mean wait for another transaction.
const LONGEST_BACKOFF: Duration = Duration::from_millis(400);
/// How long a cluster has to agree on a new leader: its supervision gives a server up after some ten seconds.
const HANDOVER: Duration = Duration::from_secs(20);
/// Mean wait before a cluster is asked again; it doubles with each further time, up to [`LONGEST_WAIT`].
const HANDOVER_BACKOFF: Duration = Duration::from_millis(100);
/// Longest mean wait for a cluster.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The attempts at one thing so far.
#[derive(Debug, Default)]
pub(super) struct Retries {
    conflicts: u32,
    first_conflict: Option<Instant>,
    handovers: u32,
    first_handover: Option<Instant>,
}

impl Retries {
    /// Notes a failure. Where another attempt is to be made, waits until it is due and says true.
    pub(super) async fn again(&mut self, error: &Error, meter: &Meter) -> bool {
        let Some(wait) = self.next(error) else { return false };
        meter.retries.inc();
        let cause = match error {
            Error::Busy(cause) | Error::HandingOver(cause) => cause.as_str(),
            _ => "",
        };
        tracing::debug!(attempt = self.conflicts + self.handovers, cause, "the database is asked again");
        tokio::time::sleep(wait).await;
        true
    }

    /// How long to wait before the next attempt; `None` when there is none to make.
    fn next(&mut self, error: &Error) -> Option<Duration> {
        match error {
            Error::Busy(_) => {
                self.conflicts += 1;
                let waited = self.first_conflict.get_or_insert_with(Instant::now).elapsed();
                (self.conflicts < ATTEMPTS || waited < PATIENCE)
                    .then(|| spread(doubled(BACKOFF, self.conflicts).min(LONGEST_BACKOFF)))
            }
            Error::HandingOver(_) => {
                self.handovers += 1;
                let waited = self.first_handover.get_or_insert_with(Instant::now).elapsed();
                (waited < HANDOVER).then(|| spread(doubled(HANDOVER_BACKOFF, self.handovers).min(LONGEST_WAIT)))
            }
            _ => None,
        }
    }
}

/// A wait that doubles with each time but the first.
fn doubled(wait: Duration, times: u32) -> Duration {
    wait.saturating_mul(2_u32.saturating_pow(times.saturating_sub(1)))
}

/// Half to one and a half of the mean, so that losers do not meet again.
fn spread(mean: Duration) -> Duration {
    mean.mul_f64(rand::rng().random_range(0.5..1.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_is_tried_for_a_while_and_five_times_at_least() {
        let busy = Error::Busy(String::new());
        let mut retries = Retries::default();
        let waits: Vec<Duration> = (0..40).map_while(|_| retries.next(&busy)).collect();
        assert_eq!(waits.len(), 40, "whoever it waits for may take longer than some attempts");
        assert!(waits.iter().all(|wait| *wait <= LONGEST_BACKOFF.mul_f64(1.5)));
        retries.first_conflict = Instant::now().checked_sub(PATIENCE);
        assert_eq!(retries.next(&busy), None);
        let mut slow = Retries { first_conflict: retries.first_conflict, ..Retries::default() };
        assert_eq!((0..10).filter(|_| slow.next(&busy).is_some()).count(), 4);
    }

    #[test]
    fn a_handover_is_waited_for_as_long_as_a_cluster_may_take() {
        let mut retries = Retries::default();
        let moving = Error::HandingOver(String::new());
        let waits: Vec<Duration> = (0..40).map_while(|_| retries.next(&moving)).collect();
        assert_eq!(waits.len(), 40);
        assert!(waits.iter().all(|wait| *wait <= LONGEST_WAIT.mul_f64(1.5)));
        retries.first_handover = Instant::now().checked_sub(HANDOVER);
        assert_eq!(retries.next(&moving), None);
    }

    #[test]
    fn nothing_else_is_tried_again() {
        let mut retries = Retries::default();
        for error in [Error::Unavailable(String::new()), Error::not_found("x"), Error::internal("m", "cause")] {
            assert_eq!(retries.next(&error), None);
        }
    }
}
