//! Bodies that are compressed on their way.

use std::io::{Read, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::{GzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use http::header::{self, HeaderValue};
use http::{HeaderMap, Response, StatusCode};

use crate::Error;
use crate::error::code;
use crate::memory::Share;

/// Shorter answers are not worth compressing.
const MIN_COMPRESSED: usize = 4096;

/// Of a body so much is unfolded before memory is asked for.
const UNFOLDED: usize = 64 * 1024;

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `gzip`
    Gzip,
    /// `deflate`
    Deflate,
}

/// The encoding the client asks for, if it asks for one.
pub fn accepted_encoding(headers: &HeaderMap) -> Option<Encoding> {
    let accepted = headers.get(header::ACCEPT_ENCODING)?.to_str().ok()?;
    let asked = |name: &str| {
        accepted.split(',').any(|part| {
            let mut parts = part.split(';').map(str::trim);
            parts.next() == Some(name) && !parts.any(|p| matches!(p, "q=0" | "q=0.0"))
        })
    };
    if asked("gzip") { Some(Encoding::Gzip) } else { asked("deflate").then_some(Encoding::Deflate) }
}

/// Is an answer large enough that it pays to compress it?
pub fn is_worth_compressing(response: &Response<Bytes>) -> bool {
    response.body().len() >= MIN_COMPRESSED
}

/// Compresses an answer that is large enough for it to pay.
pub fn compress(encoding: Encoding, response: Response<Bytes>) -> Response<Bytes> {
    if !is_worth_compressing(&response) {
        return response;
    }
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

/// The body of a request as it was before compression, if it is not larger than `limit` and there is memory for it.
pub fn decompress(encoding: &HeaderValue, body: &Bytes, limit: usize, held: &mut Share) -> Result<Bytes, Error> {
    let bad = |message: &str| Error::new(code::HTTP_BAD_PARAMETER, message.to_owned());
    let mut reader: Box<dyn Read + '_> = match encoding.as_bytes() {
        b"gzip" | b"x-gzip" => Box::new(GzDecoder::new(body.as_ref())),
        b"deflate" => Box::new(ZlibDecoder::new(body.as_ref())),
        b"identity" => return Ok(body.clone()),
        _ => return Err(bad("the content encoding is neither gzip nor deflate")),
    };
    let mut plain = Vec::new();
    loop {
        let part = reader.by_ref().take(UNFOLDED as u64).read_to_end(&mut plain);
        let more = part.map_err(|_| bad("request body cannot be decompressed"))?;
        if plain.len() > limit {
            return Err(bad("request body is too large").with_status(StatusCode::PAYLOAD_TOO_LARGE.as_u16()));
        }
        if more < UNFOLDED {
            return Ok(Bytes::from(plain));
        }
        // the next part may double it
        held.resize(body.len() + 2 * plain.capacity())?;
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
            let held = &mut Share::default();
            let name = HeaderValue::from_static(name);
            let plain = decompress(&name, response.body(), body.len(), held).expect("plain");
            assert_eq!(plain, body);
            let refused = decompress(&name, response.body(), body.len() - 1, held);
            assert_eq!(refused.map_err(|e| e.http_status()), Err(413));
        }
    }
}
