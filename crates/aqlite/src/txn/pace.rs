//! How fast large writers may go on: those that write faster than the tables take it wait a little after each commit, long
//! before the log is full, and until there is room when it is. So it hardly ever comes to everybody having to wait.

use std::time::{Duration, Instant};

use super::committer::Reply;

/// Who writes no more than this at a time never waits.
const SMALL: usize = 64 << 10;
/// Nobody waits longer after one commit, unless the log is full.
const LONGEST: Duration = Duration::from_millis(250);
/// What setting a log aside takes is the mean of about so many times.
const REMEMBERED: u32 = 4;

/// How long it takes to bring a full log into the tables.
#[derive(Default)]
pub(crate) struct Pace {
    usual: Duration,
    /// When the log that is on its way there was set aside, and whether it was full.
    since: Option<(Instant, bool)>,
    /// Who waits until it is there.
    waiting: Vec<Reply>,
}

impl Pace {
    /// A log was set aside.
    pub fn begin(&mut self, is_full: bool) {
        self.since = Some((Instant::now(), is_full));
    }

    /// What was set aside is in the tables.
    pub fn end(&mut self) {
        if let Some((since, true)) = self.since.take() {
            self.usual = if self.usual.is_zero() {
                since.elapsed()
            } else {
                (self.usual * (REMEMBERED - 1) + since.elapsed()) / REMEMBERED
            };
        }
        self.let_go();
    }

    /// Nobody waits any longer.
    pub fn let_go(&mut self) {
        for reply in self.waiting.drain(..) {
            reply(Ok(Duration::ZERO));
        }
    }

    /// Tells a writer that so many bytes are committed, and how long it rests; at once, unless it is large and the log full.
    pub fn answer(&mut self, reply: Reply, size: usize, filled: f64, limit: u64) {
        if self.since.is_some() && size > SMALL && filled >= 1.0 {
            self.waiting.push(reply);
        } else {
            reply(Ok(self.rest(size, filled, limit)));
        }
    }

    /// How long a writer of so many bytes waits while another log is being brought into the tables, when `filled` of this one,
    /// 1 where it is full: with a quarter not at all, from then on longer and longer. At about the middle it is as long as it
    /// takes to bring these bytes into the tables.
    fn rest(&self, size: usize, filled: f64, limit: u64) -> Duration {
        let Some((since, _)) = self.since.filter(|_| size > SMALL && filled > 0.25) else { return Duration::ZERO };
        let share = (size as f64 / limit.max(1) as f64).min(1.0);
        self.usual.max(since.elapsed()).mul_f64(share * (filled - 0.25) * 4.0).min(LONGEST)
    }
}

impl Drop for Pace {
    /// What was committed stays so.
    fn drop(&mut self) {
        self.let_go();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};

    use super::*;
    use crate::Result;

    const LIMIT: u64 = 8 << 20;

    fn pace() -> Pace {
        Pace { usual: Duration::from_millis(800), since: Some((Instant::now(), true)), waiting: Vec::new() }
    }

    fn answered(pace: &mut Pace, size: usize, filled: f64) -> Receiver<Result<Duration>> {
        let (reply, answer) = sync_channel(1);
        pace.answer(Box::new(move |result| drop(reply.send(result))), size, filled, LIMIT);
        answer
    }

    #[test]
    fn large_writers_wait_longer_the_fuller_the_log_is() {
        let waits = [0.2, 0.3, 0.5, 0.9].map(|filled| pace().rest(1 << 20, filled, LIMIT));
        assert_eq!(waits[0], Duration::ZERO);
        assert!(waits.is_sorted() && waits[1] > Duration::ZERO, "{waits:?}");
        assert_eq!(waits[2], Duration::from_millis(100), "an eighth of a log in an eighth of the time");
        assert_eq!(pace().rest(1 << 30, 0.9, LIMIT), LONGEST);
    }

    #[test]
    fn large_writers_wait_for_a_full_log_until_there_is_room_or_nobody_makes_any() {
        let mut pace = pace();
        let (large, small) = (answered(&mut pace, 1 << 20, 1.0), answered(&mut pace, SMALL, 1.0));
        assert!(large.try_recv().is_err(), "it waits");
        assert_eq!(small.recv().expect("at once").expect("is committed"), Duration::ZERO);
        pace.end();
        assert_eq!(large.recv().expect("afterwards").expect("is committed"), Duration::ZERO);
        let at_once = answered(&mut pace, 1 << 20, 1.0);
        assert_eq!(at_once.recv().expect("at once").expect("is committed"), Duration::ZERO);
        pace.begin(true);
        let last = answered(&mut pace, 1 << 20, 1.0);
        drop(pace);
        assert!(last.recv().expect("hears of it").is_ok());
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
