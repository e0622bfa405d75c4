//! Connections: accepted, served over HTTP/1.1 or HTTP/2, and given up when the client is gone.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use poem::http::uri::Scheme;
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Endpoint, Request, Response};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::cut::{self, Cut};

/// Streams of one HTTP/2 connection that a client may take back before they are answered.
const MOST_PENDING_RESETS: usize = 20;
/// The largest head of a request over HTTP/2.
const MOST_HEAD_BYTES: u32 = 16 * 1024;
/// How long accepting rests when it fails: out of file descriptors, most likely, and others may close some.
const REST: Duration = Duration::from_millis(50);

/// Serves an endpoint until `stop` is ready; requests that are running then have `patience` to finish.
///
/// The framework's own server goes on with a request over HTTP/1.1 whose connection has broken. Here the request is dropped
/// with its connection, and what it does in the database ends.
pub async fn serve(
    listener: TcpListener,
    endpoint: impl Endpoint<Output = Response> + 'static,
    stop: impl Future<Output = ()>,
    patience: Duration,
) -> io::Result<()> {
    let local = listener.local_addr()?;
    let endpoint = Arc::new(endpoint);
    let mut builder = Builder::new(cut::Streams);
    builder.http2().max_pending_accept_reset_streams(MOST_PENDING_RESETS).max_header_list_size(MOST_HEAD_BYTES);
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let (stream, remote) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(cause) => {
                    tracing::warn!(%cause, "cannot accept a connection");
                    tokio::time::sleep(REST).await;
                    continue;
                }
            },
            Some(_) = connections.join_next() => continue,
            () = &mut stop => break,
        };
        if let Err(cause) = stream.set_nodelay(true) {
            tracing::debug!(%cause, "cannot set TCP_NODELAY");
        }
        let endpoint = Arc::clone(&endpoint);
        let service = service_fn(move |request| answer(Arc::clone(&endpoint), request, local, remote));
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), service).into_owned());
        connections.spawn(async move {
            match cut::serve(connection).await {
                Some(Err(cause)) => tracing::debug!(%cause, %remote, "a connection broke"),
                None => tracing::debug!(%remote, "a connection was cut"),
                Some(Ok(())) => {}
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(patience, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests still run; the service stops nevertheless");
    }
    Ok(())
}

async fn answer(
    endpoint: Arc<impl Endpoint<Output = Response>>,
    request: http::Request<Incoming>,
    local: SocketAddr,
    remote: SocketAddr,
) -> Result<http::Response<BoxBody<Bytes, io::Error>>, Infallible> {
    let mut request = Request::from((request, LocalAddr(local.into()), RemoteAddr(remote.into()), Scheme::HTTP));
    if let Some(cut) = Cut::of_next_request() {
        request.set_data(cut);
    }
    Ok(endpoint.get_response(request).await.into())
}
