//! Requests of a connection, and its end in time.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Request, Response, Version};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::server::graceful::GracefulConnection;
use tokio::time::Instant;

use super::body::Body;
use super::phase::{Due, Phase, UnderWay};

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");

/// The answer to a request on its way.
pub type Answering<B> = Pin<Box<dyn Future<Output = Result<Response<Answered<B>>, Infallible>> + Send>>;

/// What answers the requests of a connection.
pub(super) struct Serving<H> {
    handler: H,
    phase: Arc<Phase>,
}

impl<H> Serving<H> {
    pub fn new(handler: H, phase: Arc<Phase>) -> Self {
        Self { handler, phase }
    }
}

impl<H, F, B> Service<Request<Incoming>> for Serving<H>
where
    H: Fn(Request<Body>) -> F,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Send + 'static,
{
    type Response = Response<Answered<B>>;
    type Error = Infallible;
    type Future = Answering<B>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let under_way = Arc::new(self.phase.begin(request.version()));
        let goes_on = goes_on(request.version(), request.headers());
        let answer = (self.handler)(request.map(|incoming| Body::new(incoming, Arc::clone(&under_way))));
        Box::pin(async move {
            let mut response = answer.await;
            if goes_on && response.headers().get(header::CONNECTION).is_none_or(|told| told != "close") {
                tell(under_way.phase(), response.headers_mut());
            }
            Ok(response.map(|body| Answered { body, _under_way: under_way }))
        })
    }
}

/// Does the connection go on after the answer, as far as the request says? Of one with streams nothing has to be said.
fn goes_on(version: Version, headers: &HeaderMap) -> bool {
    let asked = |what: &str| {
        let mut lines = headers.get_all(header::CONNECTION).iter().filter_map(|line| line.to_str().ok());
        lines.any(|line| line.split(',').any(|word| word.trim().eq_ignore_ascii_case(what)))
    };
    match version {
        Version::HTTP_11 => !asked("close"),
        Version::HTTP_10 => asked("keep-alive"),
        _ => false,
    }
}

/// Says how long the connection stays open, or that it ends.
fn tell(phase: &Phase, headers: &mut HeaderMap) {
    if phase.ends() {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    } else if let Some(time) = &phase.keep_alive {
        headers.insert(KEEP_ALIVE, time.clone());
    }
}

/// The body of an answer, whose request is under way until it was sent.
pub struct Answered<B> {
    body: B,
    _under_way: Arc<UnderWay>,
}

impl<B: http_body::Body + Unpin> http_body::Body for Answered<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Drives a connection to its end, which comes when it has taken longer for something than it may.
pub(super) async fn drive<C: GracefulConnection>(connection: C, phase: &Phase) -> Result<(), C::Error> {
    let mut connection = pin!(connection);
    let mut clock = pin!(tokio::time::sleep_until(Instant::now()));
    // a clock is set to an earlier time only: what follows one another quickly need not set it each time
    let mut set_to = None;
    poll_fn(|cx| {
        loop {
            if let Poll::Ready(outcome) = connection.as_mut().poll(cx) {
                return Poll::Ready(outcome);
            }
            match phase.due(Instant::now(), cx.waker()) {
                Due::Cut => return Poll::Ready(Ok(())),
                Due::End => {
                    connection.as_mut().graceful_shutdown();
                    phase.told(Instant::now());
                }
                Due::Wait(None) => return Poll::Pending,
                Due::Wait(Some(time)) => {
                    if set_to.is_none_or(|set| time < set) {
                        clock.as_mut().reset(time);
                        set_to = Some(time);
                    }
                    if clock.as_mut().poll(cx).is_pending() {
                        return Poll::Pending;
                    }
                    set_to = None;
                }
            }
        }
    })
    .await
}
