//! Leave for browsers to let pages of other origins read answers.

use poem::http::header::{ORIGIN, VARY};
use poem::http::{HeaderValue, Method};
use poem::middleware::{Cors, CorsEndpoint};
use poem::{Endpoint, Middleware, Request, Response};
use regex::RegexSet;

/// What of an answer pages may read besides its body and the few headers that they always may.
const EXPOSED: [&str; 11] = [
    "x-request-id",
    "content-disposition",
    "x-import-status",
    "x-error-count",
    "x-valid-count",
    "x-next-offset",
    "x-event-key",
    "x-event-group",
    "x-event-repeated",
    "retry-after",
    "etag",
];

/// Gives the pages of some origins leave. Requests of other origins are answered without it, and not refused: browsers name
/// the origin of the service's own pages too, and keep foreign pages from reading by themselves.
pub struct Origins(RegexSet);

impl Origins {
    /// Leave for these origins; `*` in one stands for anything.
    pub fn new(origins: &[String]) -> Self {
        let pattern = |origin: &String| {
            let escaped = regex::escape(origin.trim_end_matches('/'));
            format!("^{}$", escaped.replace(r"\*", ".*"))
        };
        Self(RegexSet::new(origins.iter().map(pattern)).unwrap_or_default())
    }
}

impl<E: Endpoint> Middleware<E> for Origins {
    type Output = Permitted<CorsEndpoint<E>>;

    fn transform(&self, inner: E) -> Self::Output {
        let methods = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
        let allowed = self.0.clone();
        let cors = Cors::new()
            .allow_methods(methods)
            .expose_headers(EXPOSED)
            .allow_origins_fn(move |origin| allowed.is_match(origin));
        Permitted { inner: cors.transform(inner), allowed: self.0.clone() }
    }
}

/// An endpoint that pages of some origins may read.
pub struct Permitted<E> {
    inner: E,
    allowed: RegexSet,
}

impl<E: Endpoint<Output = Response>> Endpoint for Permitted<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let origin = request.headers().get(ORIGIN).and_then(|origin| origin.to_str().ok());
        if origin.is_some_and(|origin| self.allowed.is_match(origin)) {
            return self.inner.call(request).await;
        }
        request.headers_mut().remove(ORIGIN);
        let mut response = self.inner.call(request).await?;
        // The same address answers with leave when another page asks.
        response.headers_mut().append(VARY, HeaderValue::from_static("origin"));
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use super::Origins;

    fn allows(origin: &str, setting: &str) -> bool {
        Origins::new(&[setting.to_owned()]).0.is_match(origin)
    }

    #[test]
    fn an_origin_matches_as_a_whole_and_a_star_stands_for_anything() {
        assert!(allows("http://a.example:8080", "http://a.example:8080"));
        assert!(allows("http://a.example", "http://a.example/"), "a slash at the end is no part of an origin");
        assert!(allows("http://any", "*"));
        assert!(allows("https://b.a.example", "https://*.a.example"));
        for other in ["http://a.example.evil", "http://aXexample", "https://a.example", "xhttp://a.example"] {
            assert!(!allows(other, "http://a.example"), "{other}");
        }
    }
}
