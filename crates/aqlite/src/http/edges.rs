//! `/_api/edges`: the edges at vertices.

use std::collections::HashSet;
use std::time::Instant;

use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, any, get, post};
use super::session::Access;
use crate::error::code;
use crate::value::{SmolStr, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/edges/{}", of_one),
    post("/_api/edges/{}", of_many),
    get("/_api/edges/*", malformed),
    any("/_api/edges/*", unsupported),
];

fn malformed(_: &Ctx) -> HandlerResult {
    let message = "expected GET /_api/edges/<collection-identifier>?vertex=<vertex-id>&direction=<direction>";
    Err(bad_request(message))
}

/// Methods that the path does not have: status, number and words are those of ArangoDB.
fn unsupported(_: &Ctx) -> HandlerResult {
    Err(Error::new(code::NOT_IMPLEMENTED, "'ILLEGAL /_api/edges' not implemented"))
}

/// The ways to look: outbound, inbound or both.
fn directions(ctx: &Ctx) -> Result<&'static [bool]> {
    match ctx.param("direction") {
        None | Some("any") => Ok(&[true, false]),
        Some("out") => Ok(&[true]),
        Some("in") => Ok(&[false]),
        Some(other) => Err(bad_request(format!("<direction> must by any, in, or out, not: {other}"))),
    }
}

fn of_one(ctx: &Ctx) -> HandlerResult {
    let directions = directions(ctx)?;
    let Some(vertex) = ctx.param("vertex").filter(|v| !v.is_empty()) else {
        return Err(Error::new(code::DOCUMENT_HANDLE_BAD, "illegal document handle"));
    };
    edges(ctx, &[vertex.into()], directions)
}

fn of_many(ctx: &Ctx) -> HandlerResult {
    let directions = directions(ctx)?;
    let expected = || bad_request("Expected an array of vertex _id's in body parameter");
    let body = ctx.json()?;
    if !body.is_array() {
        return Err(expected());
    }
    let vertices: Result<Vec<SmolStr>> =
        body.iter_array().map(|v| v.as_str().map(SmolStr::from).ok_or_else(expected)).collect();
    edges(ctx, &vertices?, directions)
}

fn edges(ctx: &Ctx, vertices: &[SmolStr], directions: &[bool]) -> HandlerResult {
    let started = Instant::now();
    let collection = ctx.collection(ctx.arg(0))?;
    ctx.check(&collection.name, Access::Read)?;
    if !collection.is_edge() {
        return Err(Error::plain(code::COLLECTION_TYPE_INVALID));
    }
    let view = ctx.view(&collection)?;
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for vertex in vertices {
        for outbound in directions {
            for edge in view.edges(&collection, vertex, *outbound)? {
                let (id, _) = edge?;
                if seen.insert(id) {
                    found.extend(view.by_id(&collection, id)?);
                }
            }
        }
    }
    let stats = Value::from_pairs([
        ("writesExecuted", Value::Int(0)),
        ("writesIgnored", Value::Int(0)),
        ("scannedFull", Value::Int(0)),
        ("scannedIndex", Value::Int(found.len() as i64)),
        ("filtered", Value::Int(0)),
        ("httpRequests", Value::Int(0)),
        ("executionTime", Value::float(started.elapsed().as_secs_f64())),
        ("peakMemoryUsage", Value::Int(0)),
    ]);
    Ok(Answer::success(200, object([("edges", Value::array(found)), ("stats", stats)])))
}
