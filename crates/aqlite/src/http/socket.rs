//! The socket server: HTTP/1.1 with keep-alive (and HTTP/2 by prior knowledge); each request is answered on a thread
//! that may block.

use std::convert::Infallible;
use std::future::Future;
use std::io::{self, Read, Write};
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::read::{GzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use http::header::{self, HeaderValue};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;
use tracing::{debug, error, warn};

use super::response::Answer;
use crate::error::code;
use crate::{Engine, Error};

/// The largest body of a request, also after decompression.
pub const MAX_BODY: usize = 512 * 1024 * 1024;
/// The largest head of a request, a long path included.
const MAX_HEAD: usize = 1024 * 1024;
/// Shorter answers are not worth compressing.
const MIN_COMPRESSED: usize = 4096;
/// How long running requests may take to finish after the server was told to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Serves an engine until `shutdown` is ready; requests that are running then are finished first.
pub async fn serve(engine: Engine, listener: TcpListener, shutdown: impl Future<Output = ()>) -> io::Result<()> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).max_buf_size(MAX_HEAD).keep_alive(true);
    let graceful = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(cause) => {
                    // out of file descriptors, most likely: others may close some
                    warn!(%cause, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut shutdown => break,
        };
        if let Err(cause) = stream.set_nodelay(true) {
            debug!(%cause, "cannot set TCP_NODELAY");
        }
        let engine = engine.clone();
        let service = service_fn(move |request| answer(engine.clone(), request));
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(cause) = connection.await {
                debug!(%cause, "a connection broke");
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(GRACE, graceful.shutdown()).await.is_err() {
        warn!("requests still run; the server stops nevertheless");
    }
    Ok(())
}

/// Answers one request of a connection.
async fn answer(engine: Engine, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, incoming) = request.into_parts();
    let body = match Limited::new(incoming, MAX_BODY).collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(cause) => return Ok(whole(refuse_body(cause.as_ref(), &parts.method))),
    };
    let accepted = accepted_encoding(&parts.headers);
    let body = match parts.headers.get(header::CONTENT_ENCODING).cloned() {
        None => Ok(body),
        Some(encoding) => beside(move || decompress(&encoding, &body)).await.unwrap_or_else(Err),
    };
    let response = match body {
        Ok(body) => engine.answer(Request::from_parts(parts, body)).await,
        Err(error) => return Ok(whole(Answer::error(&error).into_response(parts.method == Method::HEAD))),
    };
    let response = match accepted {
        Some(encoding) if response.body().len() >= MIN_COMPRESSED => {
            let compressed = beside(move || compress(encoding, response)).await;
            compressed.unwrap_or_else(|error| Answer::error(&error).into_response(false))
        }
        _ => response,
    };
    Ok(whole(response))
}

/// Does what takes time on a thread that may block.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    spawn_blocking(work).await.map_err(|cause| {
        error!(%cause, "a request was not answered");
        Error::plain(code::INTERNAL)
    })
}

fn whole(response: Response<Bytes>) -> Response<Full<Bytes>> {
    response.map(Full::new)
}

fn refuse_body(cause: &(dyn std::error::Error + 'static), method: &Method) -> Response<Bytes> {
    let error = if cause.is::<LengthLimitError>() {
        let message = format!("request body is larger than {MAX_BODY} bytes");
        Error::new(code::HTTP_BAD_PARAMETER, message).with_status(StatusCode::PAYLOAD_TOO_LARGE.as_u16())
    } else {
        Error::new(code::HTTP_BAD_PARAMETER, format!("request body is unreadable: {cause}"))
    };
    Answer::error(&error).into_response(method == Method::HEAD)
}

// ---------- compression ----------

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Gzip,
    Deflate,
}

/// The encoding the client asks for, if it asks for one.
fn accepted_encoding(headers: &HeaderMap) -> Option<Encoding> {
    let accepted = headers.get(header::ACCEPT_ENCODING)?.to_str().ok()?;
    let asked = |name: &str| {
        accepted.split(',').any(|part| {
            let mut parts = part.split(';').map(str::trim);
            parts.next() == Some(name) && !parts.any(|p| matches!(p, "q=0" | "q=0.0"))
        })
    };
    if asked("gzip") { Some(Encoding::Gzip) } else { asked("deflate").then_some(Encoding::Deflate) }
}

/// Compresses an answer.
fn compress(encoding: Encoding, response: Response<Bytes>) -> Response<Bytes> {
    let (mut parts, body) = response.into_parts();
    let compressed = match encoding {
        Encoding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
            encoder.write_all(&body).and_then(|()| encoder.finish())
        }
        Encoding::Deflate => {
            let mut encoder = ZlibEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
            encoder.write_all(&body).and_then(|()| encoder.finish())
        }
    };
    let Ok(compressed) = compressed else { return Response::from_parts(parts, body) };
    let name = if encoding == Encoding::Gzip { "gzip" } else { "deflate" };
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
    parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(compressed.len()));
    Response::from_parts(parts, Bytes::from(compressed))
}

/// The body of a request as it was before compression.
fn decompress(encoding: &HeaderValue, body: &Bytes) -> Result<Bytes, Error> {
    let bad = |message: &str| Error::new(code::HTTP_BAD_PARAMETER, message.to_owned());
    let limit = MAX_BODY as u64 + 1;
    let mut plain = Vec::new();
    let read = match encoding.as_bytes() {
        b"gzip" | b"x-gzip" => GzDecoder::new(body.as_ref()).take(limit).read_to_end(&mut plain),
        b"deflate" => ZlibDecoder::new(body.as_ref()).take(limit).read_to_end(&mut plain),
        b"identity" => return Ok(body.clone()),
        _ => return Err(bad("the content encoding is neither gzip nor deflate")),
    };
    match read {
        Ok(size) if size > MAX_BODY => {
            Err(bad("request body is too large").with_status(StatusCode::PAYLOAD_TOO_LARGE.as_u16()))
        }
        Ok(_) => Ok(Bytes::from(plain)),
        Err(_) => Err(bad("request body cannot be decompressed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(accept: &'static str) -> HeaderMap {
        [(header::ACCEPT_ENCODING, HeaderValue::from_static(accept))].into_iter().collect()
    }

    #[test]
    fn an_encoding_is_used_only_when_it_is_asked_for() {
        assert_eq!(accepted_encoding(&HeaderMap::new()), None);
        assert_eq!(accepted_encoding(&headers("identity")), None);
        assert_eq!(accepted_encoding(&headers("deflate, gzip;q=0")), Some(Encoding::Deflate));
        assert_eq!(accepted_encoding(&headers("br, gzip")), Some(Encoding::Gzip));
    }

    #[test]
    fn a_compressed_answer_is_the_same_answer() {
        let body = Bytes::from("0123456789".repeat(1000));
        for (encoding, name) in [(Encoding::Gzip, "gzip"), (Encoding::Deflate, "deflate")] {
            let response = compress(encoding, Response::new(body.clone()));
            assert!(response.body().len() < body.len());
            let plain = decompress(&HeaderValue::from_static(name), response.body()).expect("plain");
            assert_eq!(plain, body);
        }
    }
}
