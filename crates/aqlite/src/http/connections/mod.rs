//! Connections of a port: how many may be open, and how long one may take for what it sends.
//!
//! One implementation for the engine's port and for programs that put a service of their own before it: they say with
//! [`accept`] what becomes of a connection that has [`Arrived`], and with [`Arrived::serve`] what answers its requests.

mod body;
mod bounds;
mod phase;
mod serving;

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::{Builder, HttpServerConnExec};
use ipnet::IpNet;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tracing::{debug, warn};

pub use body::Body;
use bounds::{Bounds, Place};
use phase::Watched;
pub use serving::Answered;
use serving::{Answering, Serving, drive};

/// The largest head of a request, a long path included.
const MOST_HEAD_BYTES: usize = 64 * 1024;
/// The same over HTTP/2, of headers as they are counted there.
const MOST_HEAD_BYTES_OF_STREAMS: u32 = 16 * 1024;
/// Streams of one HTTP/2 connection that a client may take back before they are answered.
const MOST_PENDING_RESETS: usize = 20;
/// How long accepting rests when it fails: out of file descriptors, most likely, and others may close some.
const REST: Duration = Duration::from_millis(50);
/// How long a connection on which nothing is asked stays open after the word to stop: what it has sent may be on its way.
const LAST_CALL: Duration = Duration::from_millis(250);
/// What a connection is told that finds no place.
const NO_PLACE: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// How many connections may be open, and how long they may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// So many in all. A further one takes the place of the one that has rested the longest; where all are at work it is
    /// told to come back.
    pub most: usize,
    /// So many from one address, or from one network of version 6. Trusted proxies may have any number.
    pub most_per_address: usize,
    /// How long the head of a request may take from its first byte on.
    pub head: Duration,
    /// How long a body may be waited for; for each KiB that has come it may be a second longer.
    pub body: Duration,
    /// How long a connection may rest between two requests. Answers say so in `Keep-Alive`.
    pub idle: Duration,
}

impl Default for Limits {
    /// A connection may rest as long as with ArangoDB.
    fn default() -> Self {
        Self {
            most: 4096,
            most_per_address: 1024,
            head: Duration::from_secs(30),
            body: Duration::from_secs(30),
            idle: Duration::from_mins(5),
        }
    }
}

/// Hands over what arrives until `stop` is ready. Requests that are running then have `patience` to finish; what has arrived
/// by then is answered as well.
pub async fn accept(
    listener: TcpListener,
    limits: Limits,
    trusted_proxies: &[IpNet],
    stop: impl Future<Output = ()>,
    patience: Duration,
    mut take: impl FnMut(Arrived),
) -> io::Result<()> {
    let (open, mut all_gone) = mpsc::channel(1);
    let bounds = Arc::new(Bounds::new(limits, trusted_proxies, open));
    let mut arrived = |stream: TcpStream, remote: SocketAddr| match bounds.take(remote.ip()) {
        Some(place) => take(Arrived { stream, remote, place }),
        None => refuse(stream, remote),
    };
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted.and_then(|(stream, remote)| Ok((stream.into_std()?, remote))),
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, remote)) => arrived(stream, remote),
            Err(cause) => {
                warn!(%cause, "cannot accept a connection");
                tokio::time::sleep(REST).await;
            }
        }
    }
    // those that are through at the system's own door: it would reset them
    let listener = listener.into_std()?;
    while let Ok((stream, remote)) = listener.accept() {
        arrived(stream, remote);
    }
    bounds.end_after(LAST_CALL);
    drop((listener, bounds));
    if tokio::time::timeout(patience, all_gone.recv()).await.is_err() {
        warn!("requests still run; the server stops nevertheless");
    }
    Ok(())
}

fn refuse(stream: TcpStream, remote: SocketAddr) {
    debug!(%remote, "no place for a connection");
    // so little always fits; whoever has gone by now needs no answer
    let told = stream.set_nonblocking(true).and_then(|()| io::Write::write(&mut &stream, NO_PLACE));
    if let Err(cause) = told {
        debug!(%cause, %remote, "a connection broke");
    }
}

/// A connection that has arrived and has a place until it is dropped.
pub struct Arrived {
    stream: TcpStream,
    remote: SocketAddr,
    place: Place,
}

impl Arrived {
    /// Where it comes from.
    pub fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// Answers its requests until it ends, over HTTP/1.1 or HTTP/2. It belongs to the runtime in which this is called.
    pub async fn serve<H, F, B, X>(self, executor: X, handler: H) -> io::Result<()>
    where
        H: Fn(Request<Body>) -> F + Send + 'static,
        F: Future<Output = Response<B>> + Send + 'static,
        B: http_body::Body + Send + Unpin + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        X: HttpServerConnExec<Answering<B>, Answered<B>> + Clone + 'static,
    {
        let Self { stream, place, remote } = self;
        stream.set_nonblocking(true)?;
        let stream = tokio::net::TcpStream::from_std(stream)?;
        if let Err(cause) = stream.set_nodelay(true) {
            debug!(%cause, %remote, "cannot set TCP_NODELAY");
        }
        let phase = place.phase();
        let mut builder = Builder::new(executor);
        // waiting for a head is measured by the phase, which knows when its first byte came
        builder.http1().timer(TokioTimer::new()).header_read_timeout(None::<Duration>).max_buf_size(MOST_HEAD_BYTES);
        let mut streams = builder.http2();
        streams.max_pending_accept_reset_streams(MOST_PENDING_RESETS).max_header_list_size(MOST_HEAD_BYTES_OF_STREAMS);
        let io = TokioIo::new(Watched::new(stream, Arc::clone(phase)));
        let connection = builder.serve_connection(io, Serving::new(handler, Arc::clone(phase))).into_owned();
        drive(connection, phase).await.map_err(io::Error::other)
    }
}
