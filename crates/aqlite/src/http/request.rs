//! One request on its way through a handler, with the parameters every handler reads the same way.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::header::AsHeaderName;
use http::{HeaderMap, Method};
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;

use super::admission::Caller;
use crate::auth::Identity;
use crate::engine::Inner;
use crate::error::code;
use crate::memory::{Room, Share};
use crate::value::{SmolStr, Value, parse_json_bytes, room_of_json};
use crate::{Error, Result};

/// A request whose path is taken apart.
#[derive(Clone)]
pub struct Target {
    /// Database of the `/_db/{name}` prefix, `_system` without one.
    pub database: SmolStr,
    /// The path behind that prefix, as it was sent.
    pub path: String,
    /// Its segments, decoded; empty ones are dropped, as ArangoDB does.
    pub segments: Vec<SmolStr>,
    /// The query parameters, decoded, in their order.
    pub query: Vec<(String, String)>,
}

impl Target {
    /// Takes a request target apart.
    pub fn parse(path: &str, query: Option<&str>) -> Self {
        let (database, rest) = match path.strip_prefix("/_db/") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                (SmolStr::new(decoded(&rest[..end])), &rest[end..])
            }
            None => ("_system".into(), path),
        };
        Self {
            database,
            path: if rest.is_empty() { "/".to_owned() } else { rest.to_owned() },
            segments: rest.split('/').filter(|s| !s.is_empty()).map(|s| SmolStr::new(decoded(s))).collect(),
            query: query.map(parse_query).unwrap_or_default(),
        }
    }
}

fn decoded(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte != b'%') {
        return Cow::Borrowed(text);
    }
    percent_decode_str(text).decode_utf8_lossy()
}

fn parse_query(query: &str) -> Vec<(String, String)> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let text = |part: &str| decoded(&part.replace('+', " ")).into_owned();
            (text(name), text(value))
        })
        .collect()
}

/// What a handler gets. It owns its parts, so that a job can take it to another thread.
pub struct Ctx {
    /// The engine's parts.
    pub engine: Arc<Inner>,
    /// HTTP method.
    pub method: Method,
    /// The path taken apart.
    pub target: Target,
    /// What stands in the places `{}` of the route, then the rest of the path where the route ends in `*`.
    pub args: Vec<SmolStr>,
    /// HTTP headers.
    pub headers: HeaderMap,
    /// Body as it was sent.
    pub body: Bytes,
    /// The same as JSON, where it was read before.
    pub read: Option<Value>,
    /// The memory that the body takes, as long as the request does.
    pub held: Share,
    /// That of the value that was read from it.
    pub room_of_value: Mutex<Room>,
    /// Who asks.
    pub user: Identity,
    /// The job this is, if it is one.
    pub job: Option<u64>,
    /// Where it comes from, and whether anybody still waits for the answer.
    pub caller: Caller,
}

impl Ctx {
    /// Name of the database the request is for.
    pub fn database(&self) -> &str {
        &self.target.database
    }

    /// What stands in a place `{}` of the route.
    pub fn arg(&self, position: usize) -> &str {
        self.args.get(position).map_or("", SmolStr::as_str)
    }

    /// A query parameter; the last one wins when it is given twice.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.target.query.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// A boolean query parameter: `true`, `yes`, `on`, `y`, `1` in any case are true, anything else is false.
    pub fn flag_opt(&self, name: &str) -> Option<bool> {
        self.param(name).map(is_true)
    }

    /// A boolean query parameter, false when missing.
    pub fn flag(&self, name: &str) -> bool {
        self.flag_opt(name).unwrap_or(false)
    }

    /// A header as text.
    pub fn header(&self, name: impl AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|v| v.to_str().ok())
    }

    /// The body as JSON; an empty body is an empty value (`None`).
    pub fn json_opt(&self) -> Result<Option<Value>> {
        if let Some(read) = &self.read {
            return Ok(Some(read.clone()));
        }
        if self.body.is_empty() {
            return Ok(None);
        }
        if self.header("content-type").is_some_and(|t| t.starts_with("application/x-velocypack")) {
            return Err(Error::new(
                code::HTTP_CORRUPTED_JSON,
                "VPackError error: binary velocypack is not supported, send JSON",
            ));
        }
        let room = self.held.ask(room_of_json(&self.body))?;
        let value = parse_json_bytes(&self.body)?;
        *self.room_of_value.lock() = room.made();
        Ok(Some(value))
    }

    /// The body as JSON; an empty body reads as null.
    pub fn json(&self) -> Result<Value> {
        Ok(self.json_opt()?.unwrap_or(Value::Null))
    }

    /// The revision of an `If-Match` or `If-None-Match` header, with or without its quotes.
    pub fn revision_header(&self, name: &str) -> Option<SmolStr> {
        self.header(name).map(|v| v.trim().trim_matches('"')).filter(|v| !v.is_empty()).map(SmolStr::from)
    }
}

/// ArangoDB's reading of a boolean in a query string.
pub fn is_true(text: &str) -> bool {
    ["true", "yes", "on", "y", "1"].iter().any(|t| text.eq_ignore_ascii_case(t))
}

/// 400 with ArangoDB's "bad parameter" number and a message of its own.
pub fn bad_parameter(message: impl Into<String>) -> Error {
    Error::new(code::BAD_PARAMETER, message)
}

/// 400 with the number of the status itself.
pub fn bad_request(message: impl Into<String>) -> Error {
    Error::new(code::HTTP_BAD_PARAMETER, message)
}

/// What ArangoDB answers where it takes an object for granted and gets something else.
pub fn no_object() -> Error {
    Error::new(code::INTERNAL, "VPack error: Expecting Object")
}
