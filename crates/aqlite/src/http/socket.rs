//! The socket server: HTTP/1.1 with keep-alive (and HTTP/2 by prior knowledge). A connection stays with one thread; each
//! request that is not light is answered on another one, which may block.
//!
//! Who asks is found out from the head alone. Of a request that is refused then nothing is kept, and only so much of its
//! body is read that the next request on the connection is found where it begins.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{HeaderMap, Request, Response};
use http_body_util::Full;
use hyper_util::rt::TokioExecutor;
use tokio::net::TcpListener;
use tracing::debug;

use super::admission::{Admission, Admitted, Caller};
use super::brisk;
use super::connections::{self, accept};
use super::crew::Crew;
use super::encoding::{Encoding, accepted_encoding, compress, decompress, is_worth_compressing};
use super::incoming::Body;
use super::lanes::Waiting;
use super::response::Delay;
use crate::Engine;

/// How long running requests may take to finish after the server was told to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Serves an engine until `shutdown` is ready; requests that are running then are finished first.
pub async fn serve(engine: Engine, listener: TcpListener, shutdown: impl Future<Output = ()>) -> io::Result<()> {
    let crew = Crew::new(engine.blocking_threads())?;
    let settings = engine.settings();
    accept(listener, settings.connections.clone(), &settings.trusted_proxies, shutdown, GRACE, |arrived| {
        let server = Server { engine: engine.clone(), peer: arrived.remote().ip() };
        crew.take(move || async move {
            let answer = move |request| server.clone().answer(request);
            if let Err(cause) = arrived.serve(TokioExecutor::new(), answer).await {
                debug!(%cause, "a connection broke");
            }
        });
    })
    .await
}

/// What answers the requests of one connection.
#[derive(Clone)]
struct Server {
    engine: Engine,
    /// Where the connection comes from.
    peer: IpAddr,
}

impl Server {
    /// Answers one request.
    async fn answer(self, request: Request<connections::Body>) -> Response<Full<Bytes>> {
        brisk::asked();
        let (parts, incoming) = request.into_parts();
        let mut body = Body::new(&parts, incoming);
        let transfer = Transfer::of(&parts.headers);
        let waiting = Waiting::default();
        let address = self.engine.client_address(self.peer, &parts.headers);
        let caller = Caller { address: Some(address), gone: waiting.gone.clone(), takes_rows: false };
        let mut response = match self.engine.admit(parts, caller) {
            Admission::Refused(refusal) => body.close_after(refusal).await,
            Admission::Admitted(mut admitted) => match body.receive(admitted.max_body(), admitted.held()).await {
                Ok(received) => self.work(admitted, received, transfer).await,
                Err(error) => body.close_after(admitted.refuse(&error)).await,
            },
        };
        waiting.end();
        if let Some(Delay(delay)) = response.extensions_mut().remove() {
            tokio::time::sleep(delay).await;
        }
        brisk::answered();
        response.map(Full::new)
    }

    /// Runs the handler of a request, on a thread of its own unless it is light.
    async fn work(&self, admitted: Box<Admitted>, body: Bytes, transfer: Transfer) -> Response<Bytes> {
        let (lane, bytes) = (admitted.lane(), body.len());
        let admitted = if transfer.sent.is_none() {
            match (self.engine.answer_at_once(admitted, lane, &body, bytes), transfer.accepted) {
                (Ok(response), Some(encoding)) if is_worth_compressing(&response) => {
                    return self.engine.work(lane, bytes, move || compress(encoding, response)).await;
                }
                (Ok(response), _) => return response,
                (Err(admitted), _) => match admitted.begin_commit(lane) {
                    Ok(committing) => return committing.answer().await,
                    Err(admitted) => admitted,
                },
            }
        } else {
            admitted
        };
        let work = move || {
            let mut admitted = admitted;
            let limit = admitted.max_body();
            let plain = match &transfer.sent {
                None => Ok(body),
                Some(encoding) => decompress(encoding, &body, limit, admitted.held()),
            };
            let response = match plain {
                Ok(plain) => admitted.answer(plain),
                Err(error) => admitted.refuse(&error),
            };
            match transfer.accepted {
                Some(encoding) => compress(encoding, response),
                None => response,
            }
        };
        self.engine.work(lane, bytes, work).await
    }
}

/// How bodies are compressed.
struct Transfer {
    sent: Option<HeaderValue>,
    accepted: Option<Encoding>,
}

impl Transfer {
    fn of(headers: &HeaderMap) -> Self {
        Self { sent: headers.get(header::CONTENT_ENCODING).cloned(), accepted: accepted_encoding(headers) }
    }
}
