//! Compression of answers that are worth it.

use bytes::Bytes;
use http_body::Body as _;
use http_body_util::combinators::BoxBody;
use poem::http::header::{ACCEPT_ENCODING, ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use poem::http::{HeaderMap, HeaderValue};
use poem::web::{CompressionAlgo, CompressionLevel};
use poem::{Body, Endpoint, IntoResponse, Middleware, Request, Response};

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
        let accepted = accepted(request.headers());
        let response = self.inner.call(request).await?.into_response();
        // What can be read in parts has its size and its places told: those of the file, not of its compressed form.
        let is_fixed = [CONTENT_ENCODING, ACCEPT_RANGES].iter().any(|name| response.headers().contains_key(name));
        // A compressor keeps what it gets until it is worth a block, and events are to arrive one by one.
        let is_live = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
        let Some(algorithm) = accepted.filter(|_| !is_fixed && !is_live) else {
            return Ok(response);
        };
        let (parts, body) = response.into_parts();
        let body: BoxBody<Bytes, std::io::Error> = body.into();
        let worth_it = body.size_hint().upper().is_none_or(|size| size >= FROM_BYTES);
        let mut response = Response::from_parts(parts, Body::from(body));
        response.headers_mut().append(VARY, HeaderValue::from_static("accept-encoding"));
        if !worth_it {
            return Ok(response);
        }
        let compressed = poem::web::Compress::new(response, algorithm).with_quality(CompressionLevel::Fastest);
        Ok(compressed.into_response())
    }
}

/// The best encoding the client takes.
fn accepted(headers: &HeaderMap) -> Option<CompressionAlgo> {
    offers(headers).max_by_key(|(weight, rank, _)| (*weight, *rank)).map(|(_, _, algorithm)| algorithm)
}

/// Whether the client takes gzip.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    offers(headers).any(|(_, _, algorithm)| algorithm == CompressionAlgo::GZIP)
}

/// What the client takes: its own weight, our rank among equals, and the encoding.
fn offers(headers: &HeaderMap) -> impl Iterator<Item = (u32, u8, CompressionAlgo)> {
    let offers = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    offers.flat_map(|value| value.split(',')).filter_map(|offer| {
        let mut parts = offer.split(';').map(str::trim);
        let (algorithm, rank) = match parts.next()?.to_ascii_lowercase().as_str() {
            "gzip" | "*" => (CompressionAlgo::GZIP, 1),
            "br" => (CompressionAlgo::BR, 2),
            "deflate" => (CompressionAlgo::DEFLATE, 0),
            _ => return None,
        };
        let weight: f32 = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse().ok())?;
        (weight > 0.0).then_some(((weight * 1000.0) as u32, rank, algorithm))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted_of(value: &'static str) -> Option<CompressionAlgo> {
        accepted(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]))
    }

    #[test]
    fn the_client_chooses_by_weight() {
        assert_eq!(accepted_of("gzip;q=0.5, br;q=0.1"), Some(CompressionAlgo::GZIP));
        assert_eq!(accepted_of("gzip, deflate, br"), Some(CompressionAlgo::BR));
        assert_eq!(accepted_of("*"), Some(CompressionAlgo::GZIP));
    }

    #[test]
    fn gzip_is_taken_beside_others_too() {
        let takes = |value| takes_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]));
        assert!(takes("br, gzip;q=0.1") && takes("*"));
        assert!(!takes("br, gzip;q=0") && !takes("identity"));
    }

    #[test]
    fn what_the_client_refuses_is_not_used() {
        assert_eq!(accepted_of("gzip;q=0"), None);
        assert_eq!(accepted_of("identity"), None);
    }
}
