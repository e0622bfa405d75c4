//! The explorer: a page for browsers, whose files are part of the program.

use std::borrow::Cow;
use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use poem::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, HeaderName, IF_NONE_MATCH, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use poem::http::{HeaderMap, StatusCode};
use poem::{Endpoint, IntoResponse, Request, Response, ResponseBuilder};
use rust_embed::{Embed, EmbeddedFile};
use tokio::sync::OnceCell;

use super::Context;
use super::compress::takes_gzip;
use super::media::names_tag;

/// What `web/` was built to.
#[derive(Embed)]
#[folder = "web/dist"]
struct Built;

/// The page itself; the others are loaded by it.
const PAGE: &str = "index.html";
/// Files below it have their hash in their name: a change has another one.
const HASHED: &str = "assets/";
/// Nothing runs but the program's own files, and nothing is asked of another host. Previews of attachments and the viewer of
/// device history records show what was fetched with the token (`blob:`).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    font-src 'self'; connect-src 'self'; media-src 'self' blob:; frame-src 'self' blob:; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'";

/// The page.
pub fn explorer_page() -> Option<ExplorerFile> {
    ExplorerFile::named(PAGE)
}

/// The other files with the paths they answer at.
pub fn explorer_files() -> Vec<(String, ExplorerFile)> {
    let others = Built::iter().filter(|name| name != PAGE);
    others.filter_map(|name| Some((format!("/{name}"), ExplorerFile::named(&name)?))).collect()
}

/// An endpoint with a page at its root, where there is one.
pub struct AtRoot<P, E> {
    /// What answers at `/`.
    pub page: Option<P>,
    /// What answers elsewhere.
    pub inner: E,
}

impl<P: Endpoint, E: Endpoint> Endpoint for AtRoot<P, E> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        match &self.page {
            Some(page) if request.uri().path() == "/" => Ok(page.call(request).await?.into_response()),
            _ => Ok(self.inner.call(request).await?.into_response()),
        }
    }
}

/// A file of the explorer.
pub struct ExplorerFile {
    content_type: String,
    caching: &'static str,
    /// Of its content, without quotes.
    hash: String,
    content: Bytes,
    /// Compressed when the first browser asks for it.
    compressed: OnceCell<Bytes>,
}

impl ExplorerFile {
    fn named(name: &str) -> Option<Self> {
        Built::get(name).map(|found| Self::new(name, &found))
    }

    fn new(name: &str, found: &EmbeddedFile) -> Self {
        let kind = mime_guess::from_path(name).first_raw().unwrap_or("application/octet-stream");
        let content_type = if kind.starts_with("text/") { format!("{kind}; charset=utf-8") } else { kind.to_owned() };
        let is_hashed = name.starts_with(HASHED);
        let hash = URL_SAFE_NO_PAD.encode(found.metadata.sha256_hash());
        Self {
            content_type,
            caching: if is_hashed { "public, max-age=31536000, immutable" } else { "no-cache" },
            hash,
            content: match &found.data {
                Cow::Borrowed(data) => Bytes::from_static(data),
                Cow::Owned(data) => Bytes::copy_from_slice(data),
            },
            compressed: OnceCell::new(),
        }
    }

    /// The answer to a request with these headers.
    async fn answer(&self, asked: &HeaderMap) -> Response {
        let compressed = if takes_gzip(asked) { self.compressed().await } else { None };
        let etag = format!("\"{}{}\"", self.hash, if compressed.is_some() { "-gzip" } else { "" });
        let common = guarded(Response::builder(), POLICY)
            .header(ETAG, &etag)
            .header(CACHE_CONTROL, self.caching)
            .header(VARY, "accept-encoding");
        let known = asked.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
        if known.is_some_and(|tags| names_tag(tags, &etag)) {
            return common.status(StatusCode::NOT_MODIFIED).finish();
        }
        let common = common.content_type(&self.content_type);
        match compressed {
            Some(compressed) => common.header(CONTENT_ENCODING, "gzip").body(compressed),
            None => common.body(self.content.clone()),
        }
    }

    /// Its compressed form, where that is smaller.
    async fn compressed(&self) -> Option<Bytes> {
        let compress = async || {
            let content = self.content.clone();
            let compressed = tokio::task::spawn_blocking(move || gzip(&content)).await;
            compressed.unwrap_or_else(|_| self.content.clone())
        };
        let compressed = self.compressed.get_or_init(compress).await;
        (compressed.len() < self.content.len()).then(|| compressed.clone())
    }
}

/// The headers that every page has: what it may load, and that no other page may have it inside.
pub(super) fn guarded(response: ResponseBuilder, policy: &str) -> ResponseBuilder {
    response
        .header(CONTENT_SECURITY_POLICY, policy)
        .header(X_CONTENT_TYPE_OPTIONS, "nosniff")
        .header(REFERRER_POLICY, "no-referrer")
        .header(HeaderName::from_static("cross-origin-opener-policy"), "same-origin")
        .header(HeaderName::from_static("cross-origin-resource-policy"), "same-origin")
}

/// Once a file: the best there is.
fn gzip(content: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Memory takes everything; what it did not take would be no smaller than the content.
    let written = encoder.write_all(content).and_then(|()| encoder.finish());
    written.map_or_else(|_| Bytes::copy_from_slice(content), Bytes::from)
}

impl Endpoint for ExplorerFile {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        if let Some(context) = request.data::<Context>() {
            context.set_route("explorer");
        }
        Ok(self.answer(request.headers()).await)
    }
}
