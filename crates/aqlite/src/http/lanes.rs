//! Which requests wait for one another. Each is answered on a thread that may block; those that run queries take a bounded
//! number of them, so that there is always one left for who wants to see or end them, and for whatever else the process
//! does.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tracing::error;

use super::admission::{Caller, Entry, Lane};
use super::response::Answer;
use crate::error::code;
use crate::exec::Kill;
use crate::{Engine, Error};

/// Places for requests that are worked on at once, where nothing else is set. A runtime has 512 threads by default: those
/// that remain are for what must never wait, like killing a query.
pub const DEFAULT_PLACES: usize = 256;

/// Places for the requests that are worked on.
pub(crate) struct Places {
    ordinary: Arc<Semaphore>,
    /// For those within stream transactions: while one waits, what its transaction holds may be what all others wait for.
    in_transactions: Arc<Semaphore>,
}

impl Places {
    /// So many, and half as many within stream transactions.
    pub fn new(places: usize) -> Self {
        let places = places.clamp(1, Semaphore::MAX_PERMITS);
        let of = |places| Arc::new(Semaphore::new(places));
        Self { ordinary: of(places), in_transactions: of(places.div_ceil(2)) }
    }

    /// A place, as soon as there is one; what is urgent needs none.
    async fn wait_for(&self, lane: Lane) -> Option<OwnedSemaphorePermit> {
        let places = match lane {
            Lane::Urgent => return None,
            Lane::Transaction => &self.in_transactions,
            Lane::Ordinary => &self.ordinary,
        };
        // it fails only when it is closed, which nobody does
        Arc::clone(places).acquire_owned().await.ok()
    }
}

/// Somebody waits for an answer. Dropped before it is there, it ends the queries of the request: nobody would read what
/// they find.
#[derive(Default)]
pub(super) struct Waiting {
    /// Ends them.
    pub gone: Kill,
    is_over: bool,
}

impl Waiting {
    /// The answer is there.
    pub fn end(mut self) {
        self.is_over = true;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.is_over {
            self.gone.kill();
        }
    }
}

impl Engine {
    /// Answers one HTTP request when there is a place for it, on a thread of the runtime that may block. Dropped before
    /// that, it ends the query the request runs.
    pub async fn answer(&self, request: Request<Bytes>) -> Response<Bytes> {
        let waiting = Waiting::default();
        let (parts, body) = request.into_parts();
        let response = match self.admit(parts, Caller { address: None, gone: waiting.gone.clone() }) {
            Entry::Admitted(admitted) => self.work(admitted.lane(), move || admitted.answer(body)).await,
            Entry::Refused(refusal) => refusal,
        };
        waiting.end();
        response
    }

    /// Works on a request when there is a place for it.
    pub(super) async fn work(
        &self,
        lane: Lane,
        work: impl FnOnce() -> Response<Bytes> + Send + 'static,
    ) -> Response<Bytes> {
        let place = self.places().wait_for(lane).await;
        let work = move || {
            let _place = place;
            work()
        };
        spawn_blocking(work).await.unwrap_or_else(|cause| {
            error!(%cause, "a request was not answered");
            Answer::error(&Error::plain(code::INTERNAL)).into_response(false)
        })
    }
}
