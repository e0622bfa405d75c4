//! Connections: served over HTTP/1.1 or HTTP/2, and given up when the client is gone.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use aqlite::http::connections::{Arrived, Body, Limits, accept};
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use ipnet::IpNet;
use poem::http::uri::Scheme;
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Endpoint, Request, RequestParts, Response};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::cut::{self, Cut};

/// Serves an endpoint until `stop` is ready; requests that are running then have `patience` to finish.
///
/// The framework's own server goes on with a request over HTTP/1.1 whose connection has broken. Here the request is dropped
/// with its connection, and what it does in the database ends.
pub async fn serve(
    listener: TcpListener,
    limits: Limits,
    trusted_proxies: &[IpNet],
    endpoint: impl Endpoint<Output = Response> + 'static,
    stop: impl Future<Output = ()>,
    patience: Duration,
) -> io::Result<()> {
    let local = listener.local_addr()?;
    let endpoint = Arc::new(endpoint);
    // those that have no end are cut with it
    let mut connections = JoinSet::new();
    let take = |arrived: Arrived| {
        while connections.try_join_next().is_some() {}
        let (endpoint, remote) = (Arc::clone(&endpoint), arrived.remote());
        connections.spawn(async move {
            let handler = move |request| answer(Arc::clone(&endpoint), request, local, remote);
            match cut::serve(arrived.serve(cut::Streams, handler)).await {
                Some(Err(cause)) => tracing::debug!(%cause, %remote, "a connection broke"),
                None => tracing::debug!(%remote, "a connection was cut"),
                Some(Ok(())) => {}
            }
        });
    };
    accept(listener, limits, trusted_proxies, stop, patience, take).await
}

async fn answer(
    endpoint: Arc<impl Endpoint<Output = Response>>,
    request: http::Request<Body>,
    local: SocketAddr,
    remote: SocketAddr,
) -> http::Response<BoxBody<Bytes, io::Error>> {
    let (parts, body) = request.into_parts();
    let parts = RequestParts::from((parts, LocalAddr(local.into()), RemoteAddr(remote.into()), Scheme::HTTP));
    let mut request = Request::from_parts(parts, BoxBody::new(body).into());
    if let Some(cut) = Cut::of_next_request() {
        request.set_data(cut);
    }
    endpoint.get_response(request).await.into()
}
