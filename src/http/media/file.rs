//! The answer with a file: conditional, in parts, and in a way that nothing in it runs in the page's origin.

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use poem::http::StatusCode;
use poem::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, RANGE, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use poem::{Body, IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use tokio::io::AsyncReadExt;

use crate::error::{Error, Result};

/// Enough of a file to tell what it is.
const BEGINNING: u64 = 8 * 1024;
const UNKNOWN: &str = "application/octet-stream";

/// What somebody has noted of a file.
pub struct KnownFile {
    /// Its media type.
    pub media_type: String,
    /// Its name.
    pub name: String,
}

/// The answer with a file.
pub struct FileAnswer(Response);

impl FileAnswer {
    /// The answer to a request with these headers for a file below the root. `None` when there is none, or only a folder, or
    /// a link that leaves the root.
    pub async fn of(root: PathBuf, path: PathBuf, known: Option<KnownFile>, asked: &HeaderMap) -> Result<Option<Self>> {
        let opened = tokio::task::spawn_blocking(move || open(&root, &path, known)).await;
        let found = opened.map_err(|e| Error::internal("The file could not be read.", e))??;
        found.map(|found| found.answer(asked).map(Self)).transpose()
    }

    /// The response itself.
    pub fn into_inner(self) -> Response {
        self.0
    }
}

impl IntoResponse for FileAnswer {
    fn into_response(self) -> Response {
        self.0
    }
}

impl ApiResponse for FileAnswer {
    fn meta() -> MetaResponses {
        let schema = MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", "binary")));
        let content = vec![MetaMediaType { content_type: UNKNOWN, schema }];
        let response = MetaResponse {
            description: "The file",
            status: Some(200),
            status_range: None,
            content,
            headers: Vec::new(),
        };
        MetaResponses { responses: vec![response] }
    }

    fn register(_registry: &mut Registry) {}
}

/// A file that is there.
struct OpenFile {
    file: File,
    about: Metadata,
    media_type: String,
    name: String,
}

impl OpenFile {
    /// The answer to a request with these headers.
    fn answer(self, asked: &HeaderMap) -> Result<Response> {
        let etag = self.etag();
        let modified = self.about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let common = Response::builder()
            .header(ETAG, &etag)
            .header(LAST_MODIFIED, httpdate::fmt_http_date(modified))
            .header(CACHE_CONTROL, "private, no-cache")
            .header(VARY, "Authorization, Cookie")
            .header(X_CONTENT_TYPE_OPTIONS, "nosniff")
            .header(HeaderName::from_static("cross-origin-resource-policy"), "same-site");
        if is_unchanged(asked, &etag, modified) {
            return Ok(common.status(StatusCode::NOT_MODIFIED).finish());
        }
        let size = self.about.len();
        let common = common
            .header(ACCEPT_RANGES, "bytes")
            .header(CONTENT_TYPE, &self.media_type)
            .header(CONTENT_DISPOSITION, disposition(&self.media_type, &self.name));
        let common = if self.media_type == "application/pdf" {
            common
        } else {
            common.header(CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox")
        };
        match range(asked, size) {
            Part::Whole => Ok(common.header(CONTENT_LENGTH, size).body(part(self.file, 0, size)?)),
            Part::From { start, length } => {
                let told = format!("bytes {start}-{}/{size}", start + length - 1);
                let response = common.status(StatusCode::PARTIAL_CONTENT).header(CONTENT_RANGE, told);
                Ok(response.header(CONTENT_LENGTH, length).body(part(self.file, start, length)?))
            }
            Part::Impossible => {
                let response = common.status(StatusCode::RANGE_NOT_SATISFIABLE);
                Ok(response.header(CONTENT_RANGE, format!("bytes */{size}")).finish())
            }
        }
    }

    /// Another one as soon as the file is replaced: a new file has another number, even within the same second.
    fn etag(&self) -> String {
        let about = &self.about;
        format!("\"{:x}-{:x}.{:x}-{:x}\"", about.ino(), about.mtime(), about.mtime_nsec(), about.len())
    }
}

fn open(root: &Path, path: &Path, known: Option<KnownFile>) -> Result<Option<OpenFile>> {
    // Resolved before it is compared: a link inside the root may lead anywhere.
    let (Ok(root), Ok(path)) = (root.canonicalize(), path.canonicalize()) else { return Ok(None) };
    if !path.starts_with(&root) || !path.is_file() {
        return Ok(None);
    }
    let unreadable = |e| Error::internal("The file could not be read.", e);
    let mut file = File::open(&path).map_err(unreadable)?;
    let about = file.metadata().map_err(unreadable)?;
    let (media_type, name) = if let Some(KnownFile { media_type, name }) = known {
        (media_type, name)
    } else {
        let mut beginning = Vec::new();
        file.by_ref().take(BEGINNING).read_to_end(&mut beginning).map_err(unreadable)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (media_type(&beginning, &name), name)
    };
    Ok(Some(OpenFile { file, about, media_type, name }))
}

/// What a file is, by its content, then by its name.
fn media_type(beginning: &[u8], name: &str) -> String {
    let by_content = infer::get(beginning).map(|kind| kind.mime_type());
    let by_name = || mime_guess::from_path(name).first_raw();
    let told = by_content.or_else(by_name).unwrap_or(UNKNOWN);
    if told == "text/plain" { "text/plain; charset=utf-8".to_owned() } else { told.to_owned() }
}

/// Shown in the page only where nothing can run: everything else is saved.
fn disposition(media_type: &str, name: &str) -> String {
    let kind = media_type.split(['/', ';']).next().unwrap_or_default();
    let is_shown = (kind == "image" && media_type != "image/svg+xml")
        || matches!(kind, "video" | "audio")
        || media_type == "application/pdf"
        || media_type.starts_with("text/plain");
    let how = if is_shown { "inline" } else { "attachment" };
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\') || c == ' ' { c } else { '_' })
        .collect();
    let whole = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    format!("{how}; filename=\"{plain}\"; filename*=UTF-8''{whole}")
}

fn is_unchanged(asked: &HeaderMap, etag: &str, modified: SystemTime) -> bool {
    let text = |name| asked.get(name).and_then(|value| value.to_str().ok());
    if let Some(tags) = text(&IF_NONE_MATCH) {
        return names_tag(tags, etag);
    }
    let since = text(&IF_MODIFIED_SINCE).and_then(|since| httpdate::parse_http_date(since).ok());
    // Dates of this kind have whole seconds.
    since.is_some_and(|since| modified.duration_since(since).map_or(true, |later| later.as_secs() == 0))
}

/// Whether the tags of `If-None-Match` name this one.
pub(in crate::http) fn names_tag(tags: &str, etag: &str) -> bool {
    tags.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_start_matches("W/") == etag)
}

/// Which part of a file is asked for.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Whole,
    From { start: u64, length: u64 },
    Impossible,
}

/// One range is answered; several, or what cannot be understood, count as none.
fn range(asked: &HeaderMap, size: u64) -> Part {
    let parsed = asked.get(RANGE).and_then(|value| value.to_str().ok()).map(http_range_header::parse_range_header);
    let Some(Ok(ranges)) = parsed else { return Part::Whole };
    if ranges.ranges.len() != 1 {
        return Part::Whole;
    }
    match ranges.validate(size).as_deref() {
        Ok([range]) => Part::From { start: *range.start(), length: range.end() - range.start() + 1 },
        _ => Part::Impossible,
    }
}

fn part(mut file: File, start: u64, length: u64) -> Result<Body> {
    file.seek(SeekFrom::Start(start)).map_err(|e| Error::internal("The file could not be read.", e))?;
    Ok(Body::from_async_read(tokio::fs::File::from_std(file).take(length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn one_range_is_cut_out_and_several_are_not() {
        let range = |value: &str| range(&asked(RANGE, value), 1_000);
        assert_eq!(range("bytes=100-199"), Part::From { start: 100, length: 100 });
        assert_eq!(range("bytes=990-"), Part::From { start: 990, length: 10 });
        assert_eq!(range("bytes=-5"), Part::From { start: 995, length: 5 });
        assert_eq!(range("bytes=0-1,5-6"), Part::Whole);
        assert_eq!(range("pages=1"), Part::Whole);
        assert_eq!(range("bytes=1000-"), Part::Impossible);
    }

    #[test]
    fn content_tells_the_type_before_the_name_does() {
        assert_eq!(media_type(b"\x89PNG\r\n\x1a\nrest", "image.jpg"), "image/png");
        assert_eq!(media_type(b"plain words", "notes.txt"), "text/plain; charset=utf-8");
        assert_eq!(media_type(b"<!DOCTYPE html><html>", "notes.txt"), "text/html");
        assert_eq!(media_type(b"\x00\x01", "thing"), UNKNOWN);
    }

    #[test]
    fn what_could_run_is_saved_and_not_shown() {
        for shown in ["image/png", "video/mp4", "audio/mpeg", "application/pdf", "text/plain; charset=utf-8"] {
            assert!(disposition(shown, "x").starts_with("inline"), "{shown}");
        }
        for saved in ["image/svg+xml", "text/html", "application/javascript", "text/csv", UNKNOWN] {
            assert!(disposition(saved, "x").starts_with("attachment"), "{saved}");
        }
    }

    #[test]
    fn names_of_any_script_are_told_in_both_ways() {
        let told = disposition("image/png", "Prüf\"7\".png");
        assert_eq!(told, "inline; filename=\"Pr_f_7_.png\"; filename*=UTF-8''Pr%C3%BCf%227%22%2Epng");
    }

    #[test]
    fn an_unchanged_file_is_known_by_its_tag_or_its_date() {
        let modified = SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(1_500);
        assert!(is_unchanged(&asked(IF_NONE_MATCH, "\"a\", W/\"b\""), "\"b\"", modified));
        assert!(!is_unchanged(&asked(IF_NONE_MATCH, "\"a\""), "\"b\"", modified));
        assert!(is_unchanged(&asked(IF_MODIFIED_SINCE, "Thu, 01 Jan 1970 00:00:01 GMT"), "", modified));
        assert!(!is_unchanged(&asked(IF_MODIFIED_SINCE, "Thu, 01 Jan 1970 00:00:00 GMT"), "", modified));
    }
}
