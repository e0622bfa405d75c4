//! What two calls may not change at once: work orders, serials, users, counters, codes, keys of events. Calls of this process
//! that have one in common run one after the other, in the order in which they came, instead of meeting in the database,
//! where all but one would have to begin again.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex as Lock, OwnedMutexGuard};

use crate::error::{Error, Result};

/// How long a call waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// A wait of this length is told to whoever looks for the reason of slow calls.
const WORTH_TELLING: Duration = Duration::from_millis(20);

/// Names of units: `WorkOrder/<key>`, `Serial/<key>`, ...
pub type Names = BTreeSet<String>;

type Locks = Arc<Mutex<HashMap<String, Arc<Lock<()>>>>>;

/// The units that calls of this process hold or wait for.
#[derive(Debug, Default)]
pub struct Units {
    locks: Locks,
}

/// The units of one call, until it is dropped.
#[derive(Debug)]
pub struct Held {
    guards: Vec<(String, OwnedMutexGuard<()>)>,
    locks: Locks,
}

impl Units {
    /// Waits for the units of a call, in the order of their names, so that no two wait for one another. 503 when it takes too
    /// long.
    pub async fn take(&self, names: Names) -> Result<Held> {
        let mut held = Held { guards: Vec::with_capacity(names.len()), locks: Arc::clone(&self.locks) };
        let all = async {
            for name in names {
                let lock = self.of(&name);
                let began = Instant::now();
                let guard = lock.lock_owned().await;
                let waited = began.elapsed();
                if waited > WORTH_TELLING {
                    tracing::debug!(name, ?waited, "a call has waited for others");
                }
                held.guards.push((name, guard));
            }
        };
        let too_long = |_| Error::Busy("the calls before it took too long".to_owned());
        tokio::time::timeout(PATIENCE, all).await.map_err(too_long)?;
        Ok(held)
    }

    fn of(&self, name: &str) -> Arc<Lock<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(locks.entry(name.to_owned()).or_default())
    }
}

impl Drop for Held {
    /// What nobody else holds or waits for is forgotten.
    fn drop(&mut self) {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, guard) in self.guards.drain(..) {
            drop(guard);
            if locks.get(&name).is_some_and(|lock| Arc::strong_count(lock) == 1) {
                locks.remove(&name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn names(list: &[&str]) -> Names {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[tokio::test]
    async fn calls_with_a_common_unit_wait_and_others_do_not() {
        let units = Units::default();
        let first = units.take(names(&["a", "b"])).await.unwrap();
        assert!(units.take(names(&["c"])).now_or_never().is_some());
        let mut second = Box::pin(units.take(names(&["b", "c"])));
        assert!((&mut second).now_or_never().is_none());
        drop(first);
        assert!(second.await.is_ok());
    }

    #[tokio::test]
    async fn units_that_nobody_holds_are_forgotten() {
        let units = Units::default();
        let held = units.take(names(&["a", "b"])).await.unwrap();
        assert!(units.take(names(&["a"])).now_or_never().is_none(), "one that gave up waiting");
        drop(held);
        assert_eq!(units.locks.lock().unwrap().len(), 0);
    }
}
