//! The body of a request, which has to come in time.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep};

use super::phase::UnderWay;

/// For so many bytes that have come, the rest may take a second longer.
const BYTES_A_SECOND: u64 = 1024;

/// The body of a request. It fails with [`io::ErrorKind::TimedOut`] when its client lets it be waited for too long; time
/// in which nobody asks for more of it does not count.
pub struct Body {
    incoming: Incoming,
    received: u64,
    /// How long it was waited for.
    waited: Duration,
    /// Since when it is.
    waits: Option<(Instant, Pin<Box<Sleep>>)>,
    request: Arc<UnderWay>,
}

impl Body {
    pub(super) fn new(incoming: Incoming, request: Arc<UnderWay>) -> Self {
        Self { incoming, received: 0, waited: Duration::ZERO, waits: None, request }
    }

    /// How much longer it may be waited for.
    fn left(&self) -> Duration {
        let earned = Duration::from_secs(self.received / BYTES_A_SECOND);
        (self.request.phase().body + earned).saturating_sub(self.waited)
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = self.get_mut();
        match Pin::new(&mut this.incoming).poll_frame(cx) {
            Poll::Ready(frame) => {
                if let Some((since, _)) = this.waits.take() {
                    this.waited += since.elapsed();
                }
                if let Some(Ok(frame)) = &frame {
                    this.received += frame.data_ref().map_or(0, |data| data.len() as u64);
                }
                Poll::Ready(frame.map(|frame| frame.map_err(io::Error::other)))
            }
            Poll::Pending => {
                let left = this.left();
                let (_, end) = this.waits.get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(left))));
                end.as_mut().poll(cx).map(|()| Some(Err(too_slow())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

fn too_slow() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the body did not come in time")
}
