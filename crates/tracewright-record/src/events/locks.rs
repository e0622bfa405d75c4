//! Locks: what no two calls change at the same time, such as a work order, a serial or a counter. Calls of this process
//! that have one in common run one after the other instead of meeting in the database, where all but one would have to
//! begin again.
//!
//! A call gets its locks together, when all of them are free. While it waits it holds none: who needs only some of them
//! and can go on passes it, a few times at most, so that nobody waits for ever.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::error::{Error, Result};

/// How long a call waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// A wait of this length is told to whoever looks for the reason of slow calls.
const WORTH_TELLING: Duration = Duration::from_millis(20);

/// How many calls that came later may pass one that waits.
const MOST_PASSING: usize = 4;

/// Names of locks: `WorkOrder/<key>`, `Serial/<key>`, ...
pub type LockNames = BTreeSet<String>;

type Shared = Arc<Mutex<State>>;

/// The locks that calls of this process hold or wait for.
#[derive(Debug, Default)]
pub struct LockTable {
    state: Shared,
}

#[derive(Debug, Default)]
struct State {
    held: HashSet<String>,
    /// In the order in which they came.
    waiting: Vec<Waiting>,
}

/// A call that waits.
#[derive(Debug)]
struct Waiting {
    names: LockNames,
    /// How many that came later went on before it with one of its locks.
    passed: usize,
    go: oneshot::Sender<Held>,
}

/// The locks of one call, until it is dropped.
#[derive(Debug)]
pub struct Held {
    names: LockNames,
    state: Shared,
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LockTable {
    /// Waits for the locks of a call. 503 when it takes too long.
    pub async fn take(&self, names: LockNames) -> Result<Held> {
        let (busy, waiting) = {
            let mut state = locked(&self.state);
            let number = state.waiting.len();
            let Some(busy) = state.in_the_way(&names, number) else {
                state.hold(&names, number);
                return Ok(Held { names, state: Arc::clone(&self.state) });
            };
            let (go, waiting) = oneshot::channel();
            state.waiting.push(Waiting { names, passed: 0, go });
            (busy, waiting)
        };
        let began = Instant::now();
        let too_long = || Error::Busy("the calls before it took too long".to_owned());
        let held = tokio::time::timeout(PATIENCE, waiting).await.map_err(|_| too_long())?.map_err(|_| too_long())?;
        let waited = began.elapsed();
        if waited > WORTH_TELLING {
            tracing::debug!(name = busy, ?waited, "a call has waited for others");
        }
        Ok(held)
    }
}

impl State {
    /// The lock for which a call has to wait, with so many calls before it: somebody holds it, or has waited for it long enough.
    fn in_the_way(&self, names: &LockNames, before: usize) -> Option<String> {
        let has_been_passed = |other: &&Waiting| other.passed >= MOST_PASSING && !other.go.is_closed();
        let is_kept = |name: &&String| {
            self.waiting[..before].iter().filter(has_been_passed).any(|other| other.names.contains(*name))
        };
        names.iter().find(|name| self.held.contains(*name) || is_kept(name)).cloned()
    }

    /// A call goes on, past so many.
    fn hold(&mut self, names: &LockNames, before: usize) {
        for other in &mut self.waiting[..before] {
            other.passed += usize::from(!other.names.is_disjoint(names));
        }
        self.held.extend(names.iter().cloned());
    }

    /// Those who can go on by now, in the order in which they came. Who has stopped waiting is forgotten.
    fn ready(&mut self) -> Vec<Waiting> {
        self.waiting.retain(|call| !call.go.is_closed());
        let (mut ready, mut number) = (Vec::new(), 0);
        while number < self.waiting.len() {
            if self.in_the_way(&self.waiting[number].names, number).is_none() {
                let call = self.waiting.remove(number);
                self.hold(&call.names, number);
                ready.push(call);
            } else {
                number += 1;
            }
        }
        ready
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let ready = {
            let mut state = locked(&self.state);
            for name in &self.names {
                state.held.remove(name);
            }
            state.ready()
        };
        for Waiting { names, go, .. } in ready {
            // One that stops waiting at this moment gives them back at once.
            drop(go.send(Self { names, state: Arc::clone(&self.state) }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;

    fn names(list: &[&str]) -> LockNames {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    /// A call that asks for locks now.
    fn asking<'u>(locks: &'u LockTable, list: &[&str]) -> BoxFuture<'u, Result<Held>> {
        locks.take(names(list)).boxed()
    }

    /// What it has got by now.
    fn got(call: &mut BoxFuture<'_, Result<Held>>) -> Option<Held> {
        call.now_or_never().map(Result::unwrap)
    }

    #[tokio::test]
    async fn calls_with_a_common_lock_wait_and_others_do_not() {
        let locks = LockTable::default();
        let first = locks.take(names(&["a", "b"])).await.unwrap();
        assert!(got(&mut asking(&locks, &["c"])).is_some());
        let mut second = asking(&locks, &["b", "c"]);
        assert!(got(&mut second).is_none());
        drop(first);
        assert!(got(&mut second).is_some());
    }

    #[tokio::test]
    async fn locks_that_nobody_holds_are_forgotten() {
        let locks = LockTable::default();
        let held = locks.take(names(&["a", "b"])).await.unwrap();
        assert!(got(&mut asking(&locks, &["a"])).is_none(), "one that gave up waiting");
        drop(held);
        let state = locked(&locks.state);
        assert_eq!((state.held.len(), state.waiting.len()), (0, 0));
    }

    #[tokio::test]
    async fn a_call_that_waits_for_one_lock_keeps_nobody_from_the_others() {
        let locks = LockTable::default();
        let queue = locks.take(names(&["queue"])).await.unwrap();
        let mut both = asking(&locks, &["counter", "queue"]);
        assert!(got(&mut both).is_none());
        let counter = got(&mut asking(&locks, &["counter"])).expect("the counter is free");
        drop(queue);
        assert!(got(&mut both).is_none(), "the counter is not free any more");
        drop(counter);
        assert!(got(&mut both).is_some());
    }

    #[tokio::test]
    async fn calls_go_on_in_the_order_in_which_they_came() {
        let locks = LockTable::default();
        let held = locks.take(names(&["a"])).await.unwrap();
        let (mut first, mut second) = (asking(&locks, &["a"]), asking(&locks, &["a"]));
        assert!(got(&mut first).is_none() && got(&mut second).is_none());
        drop(held);
        assert!(got(&mut second).is_none());
        let held = got(&mut first).unwrap();
        assert!(got(&mut second).is_none());
        drop(held);
        assert!(got(&mut second).is_some());
    }

    #[tokio::test]
    async fn nobody_is_passed_for_ever() {
        let locks = LockTable::default();
        let queue = locks.take(names(&["queue"])).await.unwrap();
        let mut both = asking(&locks, &["counter", "queue"]);
        assert!(got(&mut both).is_none());
        for _ in 0..MOST_PASSING {
            assert!(got(&mut asking(&locks, &["counter"])).is_some());
        }
        let mut later = asking(&locks, &["counter"]);
        assert!(got(&mut later).is_none(), "it is not passed once more");
        drop(queue);
        assert!(got(&mut later).is_none());
        drop(got(&mut both).unwrap());
        assert!(got(&mut later).is_some());
    }

    #[tokio::test]
    async fn a_call_that_stops_waiting_when_it_may_go_on_is_in_nobodys_way() {
        let locks = LockTable::default();
        let held = locks.take(names(&["a"])).await.unwrap();
        let (mut first, mut second) = (asking(&locks, &["a"]), asking(&locks, &["a"]));
        assert!(got(&mut first).is_none() && got(&mut second).is_none());
        drop(held);
        drop(first);
        assert!(got(&mut second).is_some());
    }
}
