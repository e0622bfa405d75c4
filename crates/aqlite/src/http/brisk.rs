//! A client whose next request comes as soon as it has an answer is not waited for asleep.
//!
//! To wake a thread takes longer than to answer a small request. So a thread with one connection, whose last request came
//! soon after the answer before it, looks for the next one a little while before it rests. Who asks now and then, or over
//! several connections, costs nothing: nobody stays awake for them.

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use super::crew::has_one_connection;

/// Requests that come so soon after an answer are brisk, and so long a thread stays awake for the next one.
const SOON: Duration = Duration::from_micros(60);

/// How fast requests follow answers on a thread.
struct Pace {
    /// When the last answer was given.
    answered: Option<Instant>,
    /// Did the last request come soon after the answer before it?
    is_brisk: bool,
    /// Until then the thread stays awake.
    awake_until: Option<Instant>,
    /// Wakes who keeps the thread awake.
    resting: Option<Waker>,
}

thread_local! {
    static PACE: RefCell<Pace> = const { RefCell::new(Pace::new()) };
}

impl Pace {
    const fn new() -> Self {
        Self { answered: None, is_brisk: false, awake_until: None, resting: None }
    }

    fn asked(&mut self, now: Instant) {
        self.is_brisk = self.answered.is_some_and(|answered| now.duration_since(answered) < SOON);
        self.awake_until = None;
    }

    fn answered(&mut self, now: Instant, is_alone: bool) {
        self.answered = Some(now);
        if self.is_brisk && is_alone {
            self.awake_until = Some(now + SOON);
            if let Some(resting) = self.resting.take() {
                resting.wake();
            }
        }
    }

    fn is_awake(&self, now: Instant) -> bool {
        self.awake_until.is_some_and(|until| now < until)
    }
}

/// A request has come.
pub(super) fn asked() {
    PACE.with_borrow_mut(|pace| pace.asked(Instant::now()));
}

/// It is answered.
pub(super) fn answered() {
    let is_alone = has_one_connection();
    PACE.with_borrow_mut(|pace| pace.answered(Instant::now(), is_alone));
}

/// Keeps the runtime of this thread from resting while a request can come soon. It never ends.
pub(super) async fn stay_awake() {
    loop {
        if PACE.with_borrow(|pace| pace.is_awake(Instant::now())) {
            // the runtime looks for what has arrived, and comes back
            tokio::task::yield_now().await;
        } else {
            rest().await;
        }
    }
}

/// Waits until there is a reason to stay awake.
async fn rest() {
    let mut is_first = true;
    poll_fn(|context| {
        if !std::mem::take(&mut is_first) {
            return Poll::Ready(());
        }
        PACE.with_borrow_mut(|pace| pace.resting = Some(context.waker().clone()));
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Is the thread awake at once after a second request that came so long after the first answer?
    fn is_awake_after(gap: Duration, is_alone: bool) -> bool {
        let mut pace = Pace::new();
        let first = Instant::now();
        pace.asked(first);
        pace.answered(first, is_alone);
        assert!(!pace.is_awake(first), "nothing is known of who asks for the first time");
        pace.asked(first + gap);
        assert!(!pace.is_awake(first + gap), "nothing is waited for while a request is answered");
        pace.answered(first + gap, is_alone);
        pace.is_awake(first + gap)
    }

    #[test]
    fn a_thread_stays_awake_for_one_client_that_asks_again_at_once() {
        assert!(is_awake_after(SOON / 2, true));
        assert!(!is_awake_after(SOON, true), "it takes its time");
        assert!(!is_awake_after(SOON / 2, false), "others are waited for, too");
    }

    #[test]
    fn it_rests_when_nothing_has_come_soon() {
        let mut pace = Pace::new();
        let now = Instant::now();
        pace.answered(now, true);
        pace.asked(now);
        pace.answered(now, true);
        assert!(pace.is_awake(now + SOON / 2));
        assert!(!pace.is_awake(now + SOON));
        pace.asked(now + SOON * 10);
        pace.answered(now + SOON * 10, true);
        assert!(!pace.is_awake(now + SOON * 10), "the client has slowed down");
    }

    #[tokio::test]
    async fn who_rests_is_woken_by_the_answer_to_a_brisk_request() {
        let woken = async {
            rest().await;
            PACE.with_borrow(|pace| pace.awake_until.is_some())
        };
        let requests = async {
            PACE.with_borrow_mut(|pace| {
                let now = Instant::now();
                pace.answered(now, true);
                pace.asked(now);
                pace.answered(now, true);
            });
        };
        let (woken, ()) = tokio::join!(woken, requests);
        assert!(woken);
    }
}
