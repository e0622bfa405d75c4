//! Ending an answer whose client does not take it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::rt::Executor;
use tokio::sync::Notify;

tokio::task_local! {
    static SERVED: Arc<Served>;
}

/// What one task serves: a connection over HTTP/1.1, a stream of one over HTTP/2.
#[derive(Debug, Default)]
struct Served {
    cut: Notify,
    /// How many requests have come. Over HTTP/1.1 they come one after the other.
    requests: AtomicU64,
}

/// Ends the connection of an answer over HTTP/1.1, the stream of one over HTTP/2. A client that reads nothing takes no end
/// either, so that its answer would stay for as long as it likes; who has made the answer can cut it. A request has it among
/// its data.
#[derive(Debug, Clone, Default)]
pub struct Cut {
    served: Arc<Served>,
    request: u64,
}

impl Cut {
    /// Ends it, unless the client has taken the answer and asks for something else by now.
    pub fn now(&self) {
        if self.served.requests.load(Ordering::Acquire) == self.request {
            self.served.cut.notify_one();
        }
    }

    /// That of a request that has come just now; `None` outside of connections.
    pub fn of_next_request() -> Option<Self> {
        let served = SERVED.try_with(Arc::clone).ok()?;
        let request = served.requests.fetch_add(1, Ordering::AcqRel) + 1;
        Some(Self { served, request })
    }
}

/// Serves until the end or until it is cut; `None` in that case.
pub async fn serve<F: Future>(task: F) -> Option<F::Output> {
    let served = Arc::new(Served::default());
    tokio::select! {
        output = SERVED.scope(Arc::clone(&served), task) => Some(output),
        () = served.cut.notified() => None,
    }
}

/// Runs each stream of an HTTP/2 connection as a task that can be cut.
#[derive(Debug, Clone, Copy)]
pub struct Streams;

impl<F> Executor<F> for Streams
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    fn execute(&self, stream: F) {
        tokio::spawn(async move {
            serve(stream).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_served_ends_when_it_is_cut() {
        let outcome = serve(async {
            Cut::of_next_request().unwrap().now();
            std::future::pending::<()>().await;
        });
        assert_eq!(outcome.await, None);
    }

    #[tokio::test]
    async fn an_answer_that_was_taken_is_not_cut_any_more() {
        let outcome = serve(async {
            let first = Cut::of_next_request().unwrap();
            let _second = Cut::of_next_request().unwrap();
            first.now();
            tokio::task::yield_now().await;
        });
        assert_eq!(outcome.await, Some(()));
        assert!(Cut::of_next_request().is_none());
    }
}
