//! The bodies of requests, received within a limit or passed over.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{Response, StatusCode, Version};
use http_body::Body as _;
use http_body_util::BodyExt;

use super::connections;
use crate::Error;
use crate::error::code;
use crate::memory::Share;

/// So much of a body nobody wants is read nevertheless.
const PASSED_OVER: u64 = 256 * 1024;
/// So long somebody may take to send it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Smaller bodies are not counted as memory that is held: connections are bounded.
const SMALL: usize = 64 * 1024;

/// A body on its way.
pub struct Body {
    incoming: connections::Body,
    /// The client sends it only when it is told to go on.
    announced: bool,
    /// The requests of the connection follow one another.
    in_sequence: bool,
}

impl Body {
    /// The body of a request.
    pub fn new(parts: &Parts, incoming: connections::Body) -> Self {
        let expects = parts.headers.get(header::EXPECT);
        Self {
            incoming,
            announced: expects.is_some_and(|expected| expected.as_bytes().eq_ignore_ascii_case(b"100-continue")),
            in_sequence: parts.version <= Version::HTTP_11,
        }
    }

    /// All of it, if it is not larger than `limit` and there is memory for it, which is held before it is received.
    pub async fn receive(&mut self, limit: usize, held: &mut Share) -> Result<Bytes, Error> {
        let announced = usize::try_from(self.incoming.size_hint().lower()).unwrap_or(usize::MAX);
        if announced > limit {
            return Err(too_large(limit));
        }
        hold(held, announced)?;
        let mut whole = Bytes::new();
        let mut parts = Vec::new();
        while let Some(frame) = self.incoming.frame().await {
            let Ok(data) = frame.map_err(|cause| unreadable(&cause))?.into_data() else { continue };
            if parts.is_empty() && whole.is_empty() {
                // mostly there is no other one, and it need not be copied
                whole = data;
                continue;
            }
            if parts.is_empty() {
                parts.reserve(announced.max(whole.len() + data.len()));
                parts.extend_from_slice(&whole);
            }
            let length = parts.len() + data.len();
            if length > limit {
                return Err(too_large(limit));
            }
            // it grows to the double when it has no room
            hold(held, if length > parts.capacity() { 2 * length } else { parts.capacity() })?;
            parts.extend_from_slice(&data);
        }
        if parts.is_empty() {
            return if whole.len() > limit { Err(too_large(limit)) } else { Ok(whole) };
        }
        Ok(Bytes::from(parts))
    }

    /// Passes over what was not received. Where that is too much, the answer says that the connection ends with it:
    /// nobody could tell where the next request begins.
    pub async fn close_after<T>(&mut self, mut response: Response<T>) -> Response<T> {
        if self.in_sequence && !self.pass_over().await {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// Is there nothing left of it?
    async fn pass_over(&mut self) -> bool {
        if self.incoming.is_end_stream() {
            return true;
        }
        if self.announced || self.incoming.size_hint().lower() > PASSED_OVER {
            return false;
        }
        let mut left = PASSED_OVER;
        let read = async {
            while let Some(frame) = self.incoming.frame().await {
                let Ok(frame) = frame else { return false };
                let size = frame.data_ref().map_or(0, Bytes::len) as u64;
                let Some(rest) = left.checked_sub(size) else { return false };
                left = rest;
            }
            true
        };
        tokio::time::timeout(PATIENCE, read).await.unwrap_or(false)
    }
}

/// Holds memory for so many bytes.
fn hold(held: &mut Share, bytes: usize) -> Result<(), Error> {
    if bytes > SMALL { held.resize(bytes) } else { Ok(()) }
}

fn unreadable(cause: &io::Error) -> Error {
    if cause.kind() == io::ErrorKind::TimedOut {
        return Error::new(code::HTTP_REQUEST_TIMEOUT, "the request body did not come in time");
    }
    Error::new(code::HTTP_BAD_PARAMETER, format!("request body is unreadable: {cause}"))
}

fn too_large(limit: usize) -> Error {
    let message = format!("request body is larger than {limit} bytes");
    Error::new(code::HTTP_BAD_PARAMETER, message).with_status(StatusCode::PAYLOAD_TOO_LARGE.as_u16())
}
