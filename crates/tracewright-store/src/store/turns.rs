//! Whose turn it is to write. A transaction that waits for a collection another one holds alone keeps a transaction open on
//! every server of a cluster while it waits, until one of them gives it up. So the writers of this process wait here, before
//! they begin: whoever holds a collection alone, or writes it in turn, holds its turn alone, the others share it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use super::Access;
use crate::error::{Error, Result};

/// How long a writer waits for its turn.
const PATIENCE: Duration = Duration::from_secs(20);
/// More writers than this do not wait; the next one is told to come again.
const MAX_WAITING: usize = 2_000;

/// The turns of all collections. They are taken in the order in which they are asked for.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// As many as there are collections that were ever written.
    collections: Mutex<HashMap<String, Arc<RwLock<()>>>>,
    /// Those that wait, and those that are about to find out that they need not.
    waiting: AtomicUsize,
}

/// One that waits, until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The turn of a transaction, until it is dropped.
#[derive(Debug, Default)]
pub(super) struct Turn {
    _held: Vec<Held>,
}

#[derive(Debug)]
enum Held {
    Shared { _guard: OwnedRwLockReadGuard<()> },
    Alone { _guard: OwnedRwLockWriteGuard<()> },
}

impl Turns {
    /// Waits for the turn of a transaction over these collections. 503 when it does not come.
    pub(super) async fn take(&self, access: &Access<'_>) -> Result<Turn> {
        self.take_within(access, PATIENCE).await
    }

    async fn take_within(&self, access: &Access<'_>, patience: Duration) -> Result<Turn> {
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MAX_WAITING {
            return Err(Error::Busy("too many transactions are waiting".to_owned()));
        }
        let too_long = |_| Error::Busy("the transactions before it took too long".to_owned());
        let turn = tokio::time::timeout(patience, self.wait(access)).await.map_err(too_long);
        drop(waiting);
        turn
    }

    /// In the order of the names, whoever asks: no two wait for one another.
    async fn wait(&self, access: &Access<'_>) -> Turn {
        let alone = access.alone_here();
        let shared = access.write.difference(&alone).map(|name| (name, false));
        let mut wanted: Vec<(&&str, bool)> = alone.iter().map(|name| (name, true)).chain(shared).collect();
        wanted.sort_unstable();
        let mut held = Vec::with_capacity(wanted.len());
        for (name, is_alone) in wanted {
            let lock = self.of(name);
            held.push(if is_alone {
                Held::Alone { _guard: lock.write_owned().await }
            } else {
                Held::Shared { _guard: lock.read_owned().await }
            });
        }
        Turn { _held: held }
    }

    fn of(&self, collection: &str) -> Arc<RwLock<()>> {
        let mut collections = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = collections.get(collection) {
            return Arc::clone(turn);
        }
        Arc::clone(collections.entry(collection.to_owned()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    const SHORT: Duration = Duration::from_millis(20);

    async fn is_free(turns: &Turns, access: &Access<'_>) -> bool {
        turns.take_within(access, SHORT).await.is_ok()
    }

    #[tokio::test]
    async fn one_who_holds_a_collection_alone_waits_for_writers_and_they_wait_for_it() {
        let turns = Turns::default();
        let (shared, alone) = (Access::default().writing(&["A"]), Access::default().in_turn(&["A"]));
        let first = turns.take(&shared).await.unwrap();
        assert!(is_free(&turns, &shared).await);
        assert!(!is_free(&turns, &alone).await);
        drop(first);
        let second = turns.take(&alone).await.unwrap();
        assert!(!is_free(&turns, &shared).await);
        assert!(is_free(&turns, &Access::default().writing(&["B"]).in_turn(&["C"])).await, "others have their own");
        drop(second);
        assert!(is_free(&turns, &shared).await);
    }

    #[tokio::test]
    async fn those_who_only_read_have_no_turn_to_wait_for() {
        let turns = Turns::default();
        let _held = turns.take(&Access::default().in_turn(&["A"])).await.unwrap();
        let mut reading = Access::default();
        reading.read.insert("A");
        assert!(is_free(&turns, &reading).await);
    }

    #[tokio::test]
    async fn turns_come_in_the_order_in_which_they_were_asked_for() {
        let turns = Turns::default();
        let (shared, alone) = (Access::default().writing(&["A"]), Access::default().in_turn(&["A"]));
        let held = turns.take(&shared).await.unwrap();
        let (mut second, mut third) = (Box::pin(turns.wait(&alone)), Box::pin(turns.wait(&shared)));
        assert!((&mut second).now_or_never().is_none());
        assert!((&mut third).now_or_never().is_none(), "it does not pass the one who waits");
        drop(held);
        let second = second.now_or_never().unwrap();
        assert!((&mut third).now_or_never().is_none());
        drop(second);
        assert!(third.now_or_never().is_some());
    }

    #[tokio::test]
    async fn more_writers_than_can_wait_are_told_to_come_again() {
        let turns = Turns::default();
        let alone = Access::default().in_turn(&["A"]);
        let held = turns.take(&alone).await.unwrap();
        let mut waiting: Vec<_> = (0..MAX_WAITING).map(|_| Box::pin(turns.take(&alone))).collect();
        assert!(waiting.iter_mut().all(|turn| turn.now_or_never().is_none()));
        assert!(matches!(turns.take(&alone).await, Err(Error::Busy(_))));
        waiting.pop();
        assert!(turns.take(&alone).now_or_never().is_none(), "one gave up, so there is room for another");
        drop(held);
    }

    #[tokio::test]
    async fn a_turn_that_does_not_come_is_busy() {
        let turns = Turns::default();
        let alone = Access::default().in_turn(&["A"]);
        let _held = turns.take(&alone).await.unwrap();
        assert!(matches!(turns.take_within(&alone, SHORT).await, Err(Error::Busy(_))));
    }
}
