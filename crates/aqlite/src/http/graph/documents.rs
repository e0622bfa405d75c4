//! Vertices and edges of a graph.

use std::collections::BTreeSet;
use std::sync::Arc;

use http::{Method, header};

use super::body;
use super::definition::Graph;
use crate::catalog::Collection;
use crate::error::code;
use crate::http::document::try_write;
use crate::http::documents::*;
use crate::http::request::Ctx;
use crate::http::response::{Answer, HandlerResult, object};
use crate::http::session::Access;
use crate::txn::{Txn, WriteOptions, Written};
use crate::value::{SmolStr, Value};
use crate::{Error, Result};

/// `vertex` or `edge`, as the path says.
fn kind(ctx: &Ctx) -> &'static str {
    if ctx.target.segments.get(3).is_some_and(|s| s == "edge") { "edge" } else { "vertex" }
}

/// The revision the document must have, of the header or the parameter.
fn expected_revision(ctx: &Ctx) -> Option<SmolStr> {
    ctx.revision_header("if-match").or_else(|| ctx.param("rev").filter(|r| !r.is_empty()).map(SmolStr::from))
}

pub fn read(ctx: &Ctx) -> HandlerResult {
    Graph::load(ctx, ctx.arg(0))?;
    let collection = ctx.collection_for(ctx.arg(1), Access::Read)?;
    let document = ctx.view(&collection)?.by_key(&collection, ctx.arg(2))?;
    let document = document.ok_or_else(|| Error::plain(code::DOCUMENT_NOT_FOUND))?;
    let rev = document.get("_rev").to_text();
    if ctx.revision_header("if-none-match").is_some_and(|r| r == rev) {
        return Ok(Answer::empty(304).with(header::ETAG, &format!("\"{rev}\"")));
    }
    if expected_revision(ctx).is_some_and(|r| r != rev) {
        return Ok(Conflict::of_read(ctx.arg(2), rev).answer(&collection));
    }
    Ok(Answer::success(200, object([(kind(ctx), document)])).with(header::ETAG, &rev))
}

pub fn insert(ctx: &Ctx) -> HandlerResult {
    let graph = Graph::load(ctx, ctx.arg(0))?;
    let document = object_body(ctx)?;
    let collection = ctx.collection_for(ctx.arg(1), Access::Write)?;
    if kind(ctx) == "edge" {
        check_ends(ctx, &graph, &document)?;
    }
    write(ctx, Operation::Insert, &collection, &document)
}

pub fn change(ctx: &Ctx) -> HandlerResult {
    Graph::load(ctx, ctx.arg(0))?;
    let document = object_body(ctx)?;
    let collection = ctx.collection_for(ctx.arg(1), Access::Write)?;
    let operation = if ctx.method == Method::PUT { Operation::Replace } else { Operation::Update };
    write(ctx, operation, &collection, &document)
}

fn object_body(ctx: &Ctx) -> Result<Value> {
    let document = body(ctx)?;
    if document.is_object() { Ok(document) } else { Err(Error::plain(code::DOCUMENT_TYPE_INVALID)) }
}

fn write(ctx: &Ctx, operation: Operation, collection: &Arc<Collection>, document: &Value) -> HandlerResult {
    let flags = WriteFlags::of(ctx);
    let sync = ctx.waits_for_sync(collection);
    let key = ctx.arg(2);
    match try_write(ctx, operation, collection, key, document, &flags, expected_revision(ctx), sync)? {
        Ok(written) => Ok(written_in_graph(ctx, operation, collection, &flags, sync, written)),
        Err(conflict) => Ok(conflict.answer(collection)),
    }
}

fn written_in_graph(
    ctx: &Ctx,
    operation: Operation,
    collection: &Collection,
    flags: &WriteFlags,
    sync: bool,
    written: Written,
) -> Answer {
    let rev = written.rev.clone();
    let shown = identity(&collection.name, operation, &written);
    let mut body = versions(flags, operation, written);
    body.insert(kind(ctx).into(), Value::object(shown));
    Answer::success(write_status(operation, sync), body).with(header::ETAG, &rev)
}

/// Both ends of a new edge must be vertices of the graph.
fn check_ends(ctx: &Ctx, graph: &Graph, edge: &Value) -> Result<()> {
    let vertices = graph.vertices();
    let mut ends = Vec::new();
    for name in ["_from", "_to"] {
        let id = edge.get(name);
        let parts = id.as_str().and_then(|id| id.split_once('/'));
        let Some((collection, key)) = parts.filter(|(c, k)| !c.is_empty() && !k.is_empty() && !k.contains('/')) else {
            return Err(Error::plain(code::INVALID_EDGE_ATTRIBUTE));
        };
        if !vertices.contains(collection) {
            let message = format!("referenced {name} collection '{collection}' is not part of the graph");
            return Err(Error::new(code::GRAPH_REFERENCED_VERTEX_COLLECTION_NOT_USED, message));
        }
        ends.push((SmolStr::from(collection), SmolStr::from(key)));
    }
    for (collection, key) in ends {
        let collection = ctx.collection_for(&collection, Access::Read)?;
        if ctx.view(&collection)?.by_key(&collection, &key)?.is_none() {
            return Err(Error::plain(code::DOCUMENT_NOT_FOUND));
        }
    }
    Ok(())
}

/// Takes a vertex or an edge away together with the edges at it, in whichever graph they are.
pub fn remove(ctx: &Ctx) -> HandlerResult {
    Graph::load(ctx, ctx.arg(0))?;
    let collection = ctx.collection_for(ctx.arg(1), Access::Write)?;
    let connected = connected_edge_collections(ctx)?;
    let flags = WriteFlags::of(ctx);
    let sync = ctx.waits_for_sync(&collection);
    let expected = expected_revision(ctx);
    let key = ctx.arg(2);
    let mut names: Vec<SmolStr> = connected.iter().map(|c| c.name.clone()).collect();
    if !names.contains(&collection.name) {
        names.push(collection.name.clone());
    }
    let outcome = ctx.write(&names, sync, |txn| {
        txn.collection_for_write(&collection.name)?;
        let options = flags.expecting(expected.clone());
        match apply(txn, Operation::Remove, &collection, key, &Value::Null, &options) {
            Ok(written) => {
                let id = format!("{}/{}", collection.name, written.key);
                remove_edges_at(txn, &connected, &id)?;
                Ok(Ok(written))
            }
            Err(error) => Conflict::of(error, txn, &collection, key, expected.as_deref()).map(Err),
        }
    })?;
    match outcome {
        Ok(written) => {
            let mut body = versions(&flags, Operation::Remove, written);
            body.insert("removed".into(), Value::Bool(true));
            Ok(Answer::success(write_status(Operation::Remove, sync), body))
        }
        Err(conflict) => Ok(conflict.answer(&collection)),
    }
}

fn connected_edge_collections(ctx: &Ctx) -> Result<Vec<Arc<Collection>>> {
    let names: BTreeSet<SmolStr> = Graph::all(ctx)?.into_iter().flat_map(|g| g.edges.into_keys()).collect();
    Ok(names.iter().filter_map(|name| ctx.collection(name).ok()).filter(|c| c.is_edge()).collect())
}

fn remove_edges_at(txn: &mut Txn, collections: &[Arc<Collection>], vertex: &str) -> Result<()> {
    for collection in collections {
        let view = txn.view();
        let mut keys = BTreeSet::new();
        for outbound in [true, false] {
            for edge in view.edges(collection, vertex, outbound)? {
                let (id, _) = edge?;
                keys.extend(view.by_id(collection, id)?.map(|e| e.get("_key").to_text()));
            }
        }
        if keys.is_empty() {
            continue;
        }
        txn.collection_for_write(&collection.name)?;
        for key in keys {
            txn.remove(collection, &Value::Str(key), &WriteOptions::default())?;
        }
    }
    Ok(())
}
