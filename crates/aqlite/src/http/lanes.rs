//! Which requests wait for one another. Each is answered on a thread that may block; those that run queries take a bounded
//! number of them, so that there is always one left for who wants to see or end them, and for whatever else the process
//! does.

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, header};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tracing::error;

use super::admission::{Admission, Admitted, Caller, Lane};
use super::apart::Apart;
use super::response::Answer;
use crate::error::code;
use crate::exec::Kill;
use crate::{Engine, Error};

/// Places for requests that are worked on at once, where nothing else is set.
pub const DEFAULT_PLACES: usize = 256;

/// Threads that requests with places take at most, when there are so many places. A runtime needs more than these: the others
/// are for what must never wait, like killing a query.
pub(crate) fn threads(places: usize) -> usize {
    places.saturating_add(2 * places.div_ceil(2))
}

/// For each place no more requests than this wait; the next one is refused.
const WAITING_PER_PLACE: usize = 16;
/// Bytes of the bodies of those that wait. One alone may be larger.
const MAX_WAITING_BYTES: usize = 256 << 20;
/// Seconds after which one that was refused may try again.
pub(super) const RETRY_AFTER: &str = "1";

/// Places for the requests that are worked on.
pub(crate) struct Places {
    ordinary: Arc<Semaphore>,
    /// For those within stream transactions: while one waits, what its transaction holds may be what all others wait for.
    in_transactions: Arc<Semaphore>,
    /// For the ends of stream transactions, which wait for the disk and for nothing else: not for those who wait for them.
    commits: Arc<Semaphore>,
    queue: Mutex<Queue>,
    most_waiting: usize,
}

/// The requests that wait for a place, and the bytes of their bodies.
#[derive(Default)]
struct Queue {
    requests: usize,
    bytes: usize,
}

/// Somebody in the queue, until it is dropped.
struct Queued<'a> {
    queue: &'a Mutex<Queue>,
    bytes: usize,
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let mut queue = self.queue.lock();
        queue.requests -= 1;
        queue.bytes -= self.bytes;
    }
}

/// Too many wait for a place already.
struct QueueIsFull;

impl Places {
    /// So many, half as many within stream transactions, and half as many for their ends.
    pub fn new(places: usize) -> Self {
        let places = places.clamp(1, Semaphore::MAX_PERMITS);
        let of = |places| Arc::new(Semaphore::new(places));
        Self {
            ordinary: of(places),
            in_transactions: of(places.div_ceil(2)),
            commits: of(places.div_ceil(2)),
            queue: Mutex::default(),
            most_waiting: places.saturating_mul(WAITING_PER_PLACE),
        }
    }

    /// A place for a request with a body of so many bytes, as soon as there is one; what is urgent needs none.
    async fn wait_for(&self, lane: Lane, bytes: usize) -> Result<Option<OwnedSemaphorePermit>, QueueIsFull> {
        let Some(places) = self.of(lane) else { return Ok(None) };
        if let Ok(place) = Arc::clone(places).try_acquire_owned() {
            return Ok(Some(place));
        }
        let _queued = self.queue_up(bytes)?;
        // it fails only when it is closed, which nobody does
        Ok(Arc::clone(places).acquire_owned().await.ok())
    }

    /// Is there a place now?
    fn has_room(&self, lane: Lane) -> bool {
        self.of(lane).is_none_or(|places| places.available_permits() > 0)
    }

    /// The places of a lane; what is urgent needs none.
    fn of(&self, lane: Lane) -> Option<&Arc<Semaphore>> {
        match lane {
            Lane::Urgent => None,
            Lane::Transaction => Some(&self.in_transactions),
            Lane::Commit => Some(&self.commits),
            Lane::Ordinary => Some(&self.ordinary),
        }
    }

    fn queue_up(&self, bytes: usize) -> Result<Queued<'_>, QueueIsFull> {
        let mut queue = self.queue.lock();
        let is_too_much = queue.bytes > 0 && queue.bytes.saturating_add(bytes) > MAX_WAITING_BYTES;
        if queue.requests >= self.most_waiting || is_too_much {
            return Err(QueueIsFull);
        }
        queue.requests += 1;
        queue.bytes += bytes;
        Ok(Queued { queue: &self.queue, bytes })
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
        let (mut parts, body) = request.into_parts();
        let apart = parts.extensions.remove::<Apart>();
        let caller = Caller { address: None, gone: waiting.gone.clone(), takes_rows: apart.is_some() };
        let response = match self.admit(parts, caller) {
            Admission::Admitted(mut admitted) => {
                admitted.take_body(apart);
                let (lane, bytes) = (admitted.lane(), admitted.body_bytes(&body));
                match admitted.begin_commit(lane) {
                    Ok(committing) => committing.answer().await,
                    Err(admitted) => match self.answer_at_once(admitted, lane, &body, bytes) {
                        Ok(response) => response,
                        Err(admitted) => self.work(lane, bytes, move || admitted.answer(body)).await,
                    },
                }
            }
            Admission::Refused(refusal) => refusal,
        };
        waiting.end();
        response
    }

    /// Answers a request with a body of so many bytes on this thread, if it can be answered at once and nobody has to wait;
    /// gives it back otherwise.
    pub(super) fn answer_at_once(
        &self,
        admitted: Box<Admitted>,
        lane: Lane,
        body: &Bytes,
        bytes: usize,
    ) -> Result<Response<Bytes>, Box<Admitted>> {
        let _work = self.store().cores().work();
        if self.places().has_room(lane) { admitted.answer_at_once(body, bytes) } else { Err(admitted) }
    }

    /// Works on a request with a body of so many bytes when there is a place for it. Where too many wait for one, it is
    /// refused: it had no effect and may be sent again.
    pub(super) async fn work(
        &self,
        lane: Lane,
        bytes: usize,
        work: impl FnOnce() -> Response<Bytes> + Send + 'static,
    ) -> Response<Bytes> {
        let Ok(place) = self.places().wait_for(lane, bytes).await else {
            let error = Error::new(code::REQUEST_CANCELED, "too many requests are waiting").with_status(503);
            return Answer::error(&error).with(header::RETRY_AFTER, RETRY_AFTER).into_response(false);
        };
        let cores = Arc::clone(self.store().cores());
        let work = move || {
            let (_place, _work) = (place, cores.work());
            work()
        };
        spawn_blocking(work).await.unwrap_or_else(|cause| not_answered(&cause))
    }
}

fn not_answered(cause: &dyn Display) -> Response<Bytes> {
    error!(%cause, "a request was not answered");
    Answer::error(&Error::plain(code::INTERNAL)).into_response(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The requests that wait, and their bytes.
    fn counted(places: &Places) -> (usize, usize) {
        let queue = places.queue.lock();
        (queue.requests, queue.bytes)
    }

    #[test]
    fn a_queue_holds_so_many_requests_and_so_many_bytes_and_no_more() {
        let places = Places::new(1);
        let many: Vec<_> = (0..WAITING_PER_PLACE).map(|_| places.queue_up(0).ok().expect("a place")).collect();
        assert!(places.queue_up(0).is_err());
        drop(many);
        let large = places.queue_up(2 * MAX_WAITING_BYTES).ok().expect("one alone may be larger");
        assert!(places.queue_up(1).is_err());
        drop(large);
        assert!(places.queue_up(1).is_ok());
    }

    #[tokio::test]
    async fn a_commit_waits_for_commits_alone_and_all_lanes_together_take_so_many_threads() {
        let places = Places::new(3);
        let at_once = async |lane| {
            tokio::select! {
                biased;
                place = places.wait_for(lane, 0) => place.ok().flatten(),
                () = std::future::ready(()) => None,
            }
        };
        let mut held = Vec::new();
        for (lane, count) in [(Lane::Ordinary, 3), (Lane::Transaction, 2), (Lane::Commit, 2)] {
            for _ in 0..count {
                held.push(at_once(lane).await.expect("a place"));
            }
            assert!(at_once(lane).await.is_none(), "{lane:?}");
        }
        assert_eq!(held.len(), threads(3));
    }

    #[tokio::test]
    async fn who_does_not_wait_is_not_counted_and_who_gives_up_leaves() {
        let places = Places::new(1);
        let held = places.wait_for(Lane::Ordinary, 5).await.ok().expect("a place");
        assert_eq!(counted(&places), (0, 0));
        {
            let mut waiting = Box::pin(places.wait_for(Lane::Ordinary, 5));
            assert!(tokio::time::timeout(std::time::Duration::from_millis(5), &mut waiting).await.is_err());
            assert_eq!(counted(&places), (1, 5));
            assert!(places.wait_for(Lane::Urgent, 5).await.is_ok());
        }
        assert_eq!(counted(&places), (0, 0));
        drop(held);
    }
}
