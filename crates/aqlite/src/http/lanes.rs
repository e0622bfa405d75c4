//! Which requests wait for one another. Each is answered on a thread that may block; queries take a bounded number of
//! them, so that there is always one left for who wants to see or end them, and for whatever else the process does.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tracing::error;

use super::request::Target;
use super::response::Answer;
use crate::error::code;
use crate::exec::Kill;
use crate::value::SmolStr;
use crate::{Engine, Error};

/// Requests that are answered at once, where nothing else is set: of those that run statements of their own, and as many
/// of those within stream transactions.
pub const DEFAULT_THREADS: usize = 64;

/// Where a request waits for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lane {
    /// Never: it is short, and it may be what frees the others.
    Control,
    /// It may run long, or wait for a collection that a transaction holds.
    Statements,
    /// It belongs to a transaction. Those who wait for what the transaction holds must not be in its way.
    Transactions,
}

impl Lane {
    fn of(request: &Request<Bytes>) -> Self {
        let path = Target::parse(request.uri().path(), None).segments;
        let path: Vec<&str> = path.iter().map(SmolStr::as_str).collect();
        match path.as_slice() {
            [] | ["_open" | "_admin", ..] => Self::Control,
            ["_api", "version" | "engine" | "query" | "job" | "user" | "token", ..] => Self::Control,
            ["_api", "database", "current"] => Self::Control,
            ["_api", "cursor", _] if request.method() == Method::DELETE => Self::Control,
            _ if request.headers().contains_key("x-arango-trx-id") => Self::Transactions,
            ["_api", "transaction", id] if *id != "begin" => Self::Transactions,
            _ => Self::Statements,
        }
    }
}

/// The turns of an engine.
pub(crate) struct Lanes {
    statements: Arc<Semaphore>,
    transactions: Arc<Semaphore>,
}

impl Lanes {
    /// So many turns at once in each lane.
    pub fn new(threads: usize) -> Self {
        let turns = || Arc::new(Semaphore::new(threads.clamp(1, Semaphore::MAX_PERMITS)));
        Self { statements: turns(), transactions: turns() }
    }

    async fn turn(&self, lane: Lane) -> Option<OwnedSemaphorePermit> {
        let turns = match lane {
            Lane::Control => return None,
            Lane::Statements => &self.statements,
            Lane::Transactions => &self.transactions,
        };
        // they are never closed
        Arc::clone(turns).acquire_owned().await.ok()
    }
}

/// Ends the query of a request whose answer nobody waits for any more.
struct Waiting {
    kill: Kill,
    answered: bool,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.answered {
            self.kill.kill();
        }
    }
}

impl Engine {
    /// Answers one HTTP request when it is its turn, on a thread of the runtime that may block. Dropped before that, it
    /// ends the query the request runs.
    pub async fn answer(&self, mut request: Request<Bytes>) -> Response<Bytes> {
        let turn = self.lanes().turn(Lane::of(&request)).await;
        let mut waiting = Waiting { kill: Kill::default(), answered: false };
        request.extensions_mut().insert(waiting.kill.clone());
        let engine = self.clone();
        let work = move || {
            let response = engine.handle(request);
            drop(turn);
            response
        };
        let response = spawn_blocking(work).await.unwrap_or_else(|cause| {
            error!(%cause, "a request was not answered");
            Answer::error(&Error::plain(code::INTERNAL)).into_response(false)
        });
        waiting.answered = true;
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(method: Method, path: &str, transaction: bool) -> Lane {
        let mut request = Request::builder().method(method).uri(path);
        if transaction {
            request = request.header("x-arango-trx-id", "1");
        }
        Lane::of(&request.body(Bytes::new()).expect("a request"))
    }

    #[test]
    fn who_wants_to_see_or_end_queries_waits_for_nobody() {
        for path in ["/", "/_api/version", "/_db/x/_api/query/current", "/_admin/metrics/v2", "/_open/auth"] {
            assert_eq!(lane(Method::GET, path, false), Lane::Control, "{path}");
        }
        assert_eq!(lane(Method::DELETE, "/_db/x/_api/query/5", false), Lane::Control);
        assert_eq!(lane(Method::DELETE, "/_api/cursor/5", false), Lane::Control);
    }

    #[test]
    fn who_is_in_a_transaction_does_not_wait_for_those_who_want_to_begin_one() {
        assert_eq!(lane(Method::POST, "/_api/cursor", false), Lane::Statements);
        assert_eq!(lane(Method::POST, "/_db/x/_api/transaction/begin", false), Lane::Statements);
        assert_eq!(lane(Method::POST, "/_api/document/c", false), Lane::Statements);
        assert_eq!(lane(Method::POST, "/_api/cursor", true), Lane::Transactions);
        assert_eq!(lane(Method::PUT, "/_db/x/_api/transaction/7", false), Lane::Transactions);
        assert_eq!(lane(Method::DELETE, "/_api/transaction/7", false), Lane::Transactions);
    }
}
