//! Compression of answers that are worth it, with gzip: there is no client that does not take it.

use async_compression::Level;
use async_compression::tokio::bufread::GzipEncoder;
use bytes::Bytes;
use http_body::Body as _;
use http_body_util::combinators::BoxBody;
use poem::http::header::{ACCEPT_ENCODING, ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use poem::http::{HeaderMap, HeaderValue};
use poem::{Body, Endpoint, IntoResponse, Middleware, Request, Response};
use tokio::io::BufReader;

/// Answers of this size and more are compressed.
const FROM_BYTES: u64 = 500;

/// Compresses answers when the client accepts it.
pub struct Compress;

impl<E: Endpoint> Middleware<E> for Compress {
    type Output = Compressed<E>;

    fn transform(&self, inner: E) -> Compressed<E> {
        Compressed { inner }
    }
}

/// An endpoint whose answers are compressed.
pub struct Compressed<E> {
    inner: E,
}

impl<E: Endpoint> Endpoint for Compressed<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let is_accepted = takes_gzip(request.headers());
        let response = self.inner.call(request).await?.into_response();
        // What can be read in parts has its size and its places told: those of the file, not of its compressed form.
        let is_fixed = [CONTENT_ENCODING, ACCEPT_RANGES].iter().any(|name| response.headers().contains_key(name));
        // A compressor keeps what it gets until it is worth a block, and events are to arrive one by one.
        let is_live = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
        if !is_accepted || is_fixed || is_live {
            return Ok(response);
        }
        let (mut parts, body) = response.into_parts();
        parts.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
        let body: BoxBody<Bytes, std::io::Error> = body.into();
        let is_worth_it = body.size_hint().upper().is_none_or(|size| size >= FROM_BYTES);
        let mut body = Body::from(body);
        if is_worth_it {
            parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.remove(CONTENT_LENGTH);
            let plain = BufReader::new(body.into_async_read());
            body = Body::from_async_read(GzipEncoder::with_quality(plain, Level::Fastest));
        }
        Ok(Response::from_parts(parts, body))
    }
}

/// Whether the client takes gzip.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    let offers = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    offers.flat_map(|value| value.split(',')).any(|offer| {
        let mut parts = offer.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name == "*" || name.eq_ignore_ascii_case("gzip"));
        let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Ok(1.0), str::parse::<f32>);
        is_gzip && weight.is_ok_and(|weight| weight > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(value: &'static str) -> bool {
        takes_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]))
    }

    #[test]
    fn gzip_is_taken_beside_others_too() {
        assert!(takes("gzip") && takes("gzip, deflate, br, zstd") && takes("br, GZIP;q=0.1") && takes("*"));
    }

    #[test]
    fn what_the_client_refuses_is_not_used() {
        assert!(!takes("br, gzip;q=0") && !takes("identity") && !takes("br") && !takes("gzip;q=x"));
    }
}
