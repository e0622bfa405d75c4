//! The bodies of requests, received within a limit or passed over.

use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{Response, StatusCode, Version};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};

use crate::Error;
use crate::error::code;

/// So much of a body nobody wants is read nevertheless.
const PASSED_OVER: u64 = 256 * 1024;
/// So long somebody may take to send it.
const PATIENCE: Duration = Duration::from_secs(5);

/// A body on its way.
pub struct Body {
    incoming: Incoming,
    /// The client sends it only when it is told to go on.
    announced: bool,
    /// The requests of the connection follow one another.
    in_sequence: bool,
}

impl Body {
    /// The body of a request.
    pub fn new(parts: &Parts, incoming: Incoming) -> Self {
        let expects = parts.headers.get(header::EXPECT);
        Self {
            incoming,
            announced: expects.is_some_and(|expected| expected.as_bytes().eq_ignore_ascii_case(b"100-continue")),
            in_sequence: parts.version <= Version::HTTP_11,
        }
    }

    /// All of it, if it is not larger than `limit`.
    pub async fn receive(&mut self, limit: usize) -> Result<Bytes, Error> {
        if self.incoming.size_hint().lower() > limit as u64 {
            return Err(too_large(limit));
        }
        match Limited::new(&mut self.incoming, limit).collect().await {
            Ok(collected) => Ok(collected.to_bytes()),
            Err(cause) if cause.is::<LengthLimitError>() => Err(too_large(limit)),
            Err(cause) => Err(Error::new(code::HTTP_BAD_PARAMETER, format!("request body is unreadable: {cause}"))),
        }
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

fn too_large(limit: usize) -> Error {
    let message = format!("request body is larger than {limit} bytes");
    Error::new(code::HTTP_BAD_PARAMETER, message).with_status(StatusCode::PAYLOAD_TOO_LARGE.as_u16())
}
