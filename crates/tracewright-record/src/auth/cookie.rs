//! The session token in the cookie of the web app. Pictures and videos of a page cannot send a header, so files are read
//! with it, and nothing else is: reading changes nothing, so that a page of another site gains nothing by it.

use poem::Request;
use poem::http::header::COOKIE;

/// The token of the cookie, unless a page of another site makes the request.
pub(super) fn token(request: &Request) -> Option<String> {
    let is_foreign = request.header("sec-fetch-site") == Some("cross-site");
    request.header(COOKIE).filter(|_| !is_foreign).and_then(cookie_token)
}

/// The token that the cookie `Authorization` holds, as the web app writes it there: percent-encoded, perhaps in quotes,
/// perhaps after `Bearer `.
fn cookie_token(header: &str) -> Option<String> {
    let raw = header.split(';').find_map(|pair| pair.trim().strip_prefix("Authorization="))?;
    let text = percent_encoding::percent_decode_str(raw).decode_utf8().ok()?;
    let text = text.trim().trim_matches('"').trim();
    let behind = text.strip_prefix("Bearer").filter(|rest| rest.is_empty() || rest.starts_with(' '));
    let token = behind.unwrap_or(text).trim();
    (!token.is_empty()).then(|| token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_read_as_the_web_app_writes_it() {
        for header in ["Authorization=abc", "x=1; Authorization=Bearer%20abc", "Authorization=\"Bearer abc\"; y=2"] {
            assert_eq!(cookie_token(header).as_deref(), Some("abc"), "{header}");
        }
        for header in ["Authorization=", "Authorization=Bearer%20", "authorization2=abc", ""] {
            assert_eq!(cookie_token(header), None, "{header}");
        }
    }
}
