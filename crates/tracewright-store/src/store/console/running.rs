//! The queries of the console that run, under the names that their callers gave them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The most queries of one process at once: who tries things out must not take the database from those who record.
const MOST_AT_ONCE: usize = 16;

/// Who asks, and the name of the query.
type Name = (String, String);

/// The queries that run, each with its number and what stops it.
type Running = HashMap<Name, (u64, oneshot::Sender<()>)>;

/// The queries that run.
#[derive(Clone, Default)]
pub(super) struct Turns {
    running: Arc<Mutex<Running>>,
    last: Arc<AtomicU64>,
}

/// Why a query has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Busy {
    /// The caller has a query of that name at work.
    SameName,
    /// Too many are at work.
    TooMany,
}

/// A query while it runs; dropped, its name is free again.
pub struct Turn {
    name: Name,
    number: u64,
    turns: Turns,
    stopped: oneshot::Receiver<()>,
}

impl Turns {
    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a query.
    pub(super) fn begin(&self, user_key: &str, query_id: &str) -> Result<Turn, Busy> {
        let name = (user_key.to_owned(), query_id.to_owned());
        let mut running = self.running();
        if running.contains_key(&name) {
            return Err(Busy::SameName);
        }
        if running.len() >= MOST_AT_ONCE {
            return Err(Busy::TooMany);
        }
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let (stop, stopped) = oneshot::channel();
        running.insert(name.clone(), (number, stop));
        drop(running);
        Ok(Turn { name, number, turns: self.clone(), stopped })
    }

    /// Stops the queries of a name: a user's, or whoever's they are. Tells whether there was one.
    pub(super) fn stop(&self, user_key: Option<&str>, query_id: &str) -> bool {
        let is_meant = |(user, id): &Name| id == query_id && user_key.is_none_or(|key| key == user);
        let mut running = self.running();
        let stopped: Vec<_> = running.extract_if(|name, _| is_meant(name)).collect();
        // A query that has just ended no longer listens.
        stopped.into_iter().fold(false, |any, (_, (_, stop))| stop.send(()).is_ok() || any)
    }
}

impl Turn {
    /// Ready when somebody stops the query; never, when nobody does.
    pub async fn stopped(&mut self) {
        if (&mut self.stopped).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut running = self.turns.running();
        // After a stop the name may be another query's already.
        if running.get(&self.name).is_some_and(|(number, _)| *number == self.number) {
            running.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_until_its_query_ends() {
        let turns = Turns::default();
        let first = turns.begin("u", "q").ok().unwrap();
        assert_eq!(turns.begin("u", "q").err(), Some(Busy::SameName));
        assert!(turns.begin("v", "q").is_ok(), "another user's");
        drop(first);
        assert!(turns.begin("u", "q").is_ok());
    }

    #[test]
    fn so_many_run_at_once_and_no_more() {
        let turns = Turns::default();
        let running: Vec<_> = (0..MOST_AT_ONCE).map(|n| turns.begin("u", &n.to_string()).ok().unwrap()).collect();
        assert_eq!(turns.begin("u", "one more").err(), Some(Busy::TooMany));
        drop(running);
        assert!(turns.begin("u", "one more").is_ok());
    }

    #[tokio::test]
    async fn a_query_is_stopped_by_its_user_or_by_whoever_may_stop_all() {
        let turns = Turns::default();
        let mut own = turns.begin("u", "q").ok().unwrap();
        let mut others = turns.begin("v", "r").ok().unwrap();
        assert!(!turns.stop(Some("v"), "q") && !turns.stop(Some("u"), "r"), "neither has such a query");
        assert!(turns.stop(Some("u"), "q"));
        own.stopped().await;
        let again = turns.begin("u", "q").ok().unwrap();
        drop(own);
        assert_eq!(turns.begin("u", "q").err(), Some(Busy::SameName), "the end of the first frees nothing");
        drop(again);
        assert!(turns.stop(None, "r"));
        others.stopped().await;
        assert!(!turns.stop(None, "r"), "it is stopped already");
    }
}
