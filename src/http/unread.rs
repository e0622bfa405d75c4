//! What an answered request has left unread of its body. Over HTTP/1.1 it stands on the connection before the next request: a
//! short rest is taken off, and beyond that the answer says that the connection ends.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use poem::http::header::{CONNECTION, EXPECT};
use poem::http::{HeaderValue, Version};
use poem::{Body, Endpoint, IntoResponse, Middleware, Request, Response};

/// The longest rest that is taken off.
const LONGEST: u64 = 256 * 1024;
/// How long a client has to send it.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a connection that ends is read on. A client that is still sending would lose the answer otherwise.
const LINGERING: Duration = Duration::from_secs(5);

/// Takes off what requests leave unread.
pub struct Discard;

impl<E: Endpoint> Middleware<E> for Discard {
    type Output = Discarding<E>;

    fn transform(&self, inner: E) -> Discarding<E> {
        Discarding { inner }
    }
}

/// An endpoint after whose answers the connection goes on, or says that it does not.
pub struct Discarding<E> {
    inner: E,
}

impl<E: Endpoint> Endpoint for Discarding<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let body = request.take_body();
        // Over HTTP/2 every request has a stream of its own.
        if request.version() >= Version::HTTP_2 || body.is_empty() {
            request.set_body(body);
            return Ok(self.inner.call(request).await?.into_response());
        }
        // Who waits for leave to send has sent nothing, and may never do.
        let waits = request.headers().contains_key(EXPECT);
        let unread = Unread::default();
        request.set_body(unread.lend(body));
        let mut response = self.inner.call(request).await?.into_response();
        if let Some(rest) = unread.take()
            && !is_taken_off(rest, waits).await
        {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response)
    }
}

/// Where a body comes back to when nobody wants the rest of it.
#[derive(Clone, Default)]
struct Unread(Arc<Mutex<Option<BoxBody<Bytes, io::Error>>>>);

impl Unread {
    fn lend(&self, body: Body) -> Body {
        Body::from(BoxBody::new(Lent { body: Some(body.into()), unread: self.clone() }))
    }

    fn take(&self) -> Option<BoxBody<Bytes, io::Error>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A body that comes back when it is dropped before its end.
struct Lent {
    body: Option<BoxBody<Bytes, io::Error>>,
    unread: Unread,
}

impl http_body::Body for Lent {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        if !matches!(frame, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(http_body::Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), http_body::Body::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) {
            *self.unread.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
        }
    }
}

/// Takes the rest of a body off its connection. `false` when that would be too much: it is read on for a moment only.
async fn is_taken_off(mut rest: BoxBody<Bytes, io::Error>, waits: bool) -> bool {
    let announced = rest.size_hint().exact();
    if !waits && announced.is_some_and(|length| length <= LONGEST) {
        // The answer need not wait for it.
        tokio::spawn(async move { tokio::time::timeout(PATIENCE, discard(&mut rest, LONGEST)).await });
        return true;
    }
    if !waits && announced.is_none() && tokio::time::timeout(PATIENCE, discard(&mut rest, LONGEST)).await == Ok(true) {
        return true;
    }
    tokio::spawn(async move { tokio::time::timeout(LINGERING, discard(&mut rest, u64::MAX)).await });
    false
}

/// Reads a body to its end, when that comes within so many bytes.
async fn discard(body: &mut BoxBody<Bytes, io::Error>, mut left: u64) -> bool {
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, |data| data.len() as u64);
        match left.checked_sub(length) {
            Some(rest) => left = rest,
            None => return false,
        }
    }
    true
}
