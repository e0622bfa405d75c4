//! Definitions of graphs.

use std::collections::BTreeSet;

use http::header;

use super::body;
use super::definition::{EdgeDefinition, Graph};
use crate::auth::Level;
use crate::catalog::Collection;
use crate::error::code;
use crate::http::request::Ctx;
use crate::http::response::{Answer, HandlerResult, object};
use crate::value::{SmolStr, Value};
use crate::{Error, Result};

fn graph_answer(status: u16, graph: &Graph) -> Answer {
    Answer::success(status, object([("graph", graph.to_value())])).with(header::ETAG, &graph.rev)
}

fn name_list(names: BTreeSet<SmolStr>) -> HandlerResult {
    let names = Value::array(names.into_iter().map(Value::Str).collect());
    Ok(Answer::success(200, object([("collections", names)])))
}

fn require_write(ctx: &Ctx) -> Result<()> {
    let message = format!("Createing Graphs requires RW access on the database ({})", ctx.database());
    ctx.check_database_write(message)
}

/// The graph of the path for somebody who may change it: who may read every collection it consists of.
fn changeable(ctx: &Ctx) -> Result<Graph> {
    require_write(ctx)?;
    let graph = Graph::load(ctx, ctx.arg(0))?;
    graph.check_readable(ctx)?;
    Ok(graph)
}

/// Fails where a collection of the definition belongs to another graph in another way, or is not of edges.
fn check_definition(ctx: &Ctx, graph: &str, name: &SmolStr, definition: &EdgeDefinition) -> Result<()> {
    for other in Graph::all(ctx)?.iter().filter(|g| g.name != graph) {
        if other.edges.get(name).is_some_and(|d| d != definition) {
            let message = format!("{name} edge collection already used in edge def");
            return Err(Error::new(code::GRAPH_COLLECTION_USE_IN_MULTI_GRAPHS, message));
        }
    }
    Ok(())
}

fn add_definition(ctx: &Ctx, graph: &mut Graph, value: &Value) -> Result<()> {
    let (name, definition) = EdgeDefinition::parse(value)?;
    if graph.edges.contains_key(&name) {
        let message = format!("{name} multi use of edge collection in edge def");
        return Err(Error::new(code::GRAPH_COLLECTION_MULTI_USE, message));
    }
    check_definition(ctx, &graph.name, &name, &definition)?;
    graph.edges.insert(name, definition);
    Ok(())
}

// ---------- graphs ----------

pub fn list(ctx: &Ctx) -> HandlerResult {
    let graphs = Graph::all(ctx)?;
    let shown = Value::array(graphs.iter().map(Graph::to_value).collect());
    Ok(Answer::success(200, object([("graphs", shown)])))
}

pub fn show(ctx: &Ctx) -> HandlerResult {
    let graph = Graph::load(ctx, ctx.arg(0))?;
    Ok(Answer::success(200, object([("graph", graph.to_value())])))
}

pub fn create(ctx: &Ctx) -> HandlerResult {
    require_write(ctx)?;
    let body = body(ctx)?;
    let name = body.get("name");
    let Some(name) = name.as_str().filter(|n| !n.is_empty()) else {
        return Err(Error::plain(code::GRAPH_CREATE_MISSING_NAME));
    };
    if Graph::exists(ctx, name)? {
        return Err(Error::plain(code::GRAPH_DUPLICATE));
    }
    let mut graph = Graph::new(name);
    let definitions = body.get("edgeDefinitions");
    if !definitions.is_null() && !definitions.is_array() {
        let message = "'edgeDefinitions' are not an array in the graph definition";
        return Err(Error::new(code::GRAPH_INVALID_GRAPH, message));
    }
    for definition in definitions.iter_array() {
        add_definition(ctx, &mut graph, &definition)?;
    }
    graph.orphans = orphans(&body.get("orphanCollections"))?;
    graph.settle_orphans(&BTreeSet::new());
    graph.create_collections(ctx)?;
    let sync = ctx.flag("waitForSync");
    graph.save(ctx, sync)?;
    Ok(graph_answer(if sync { 201 } else { 202 }, &graph))
}

fn orphans(list: &Value) -> Result<BTreeSet<SmolStr>> {
    let malformed = || Error::plain(code::GRAPH_CREATE_MALFORMED_ORPHAN_LIST);
    if !list.is_null() && !list.is_array() {
        return Err(malformed());
    }
    list.iter_array().map(|name| name.as_str().map(SmolStr::from).ok_or_else(malformed)).collect()
}

pub fn remove(ctx: &Ctx) -> HandlerResult {
    require_write(ctx)?;
    let graph = Graph::load(ctx, ctx.arg(0))?;
    let collections = dropped(ctx, "dropCollections", graph.collections())?;
    graph.remove(ctx, ctx.flag("waitForSync"))?;
    drop_unused(ctx, collections)?;
    Ok(Answer::success(202, object([("removed", Value::Bool(true))])))
}

/// The collections that are to go with what is taken out of the graph of the path, if the request says so. Those that no other
/// graph uses must be the caller's to drop, which is told before anything is changed.
fn dropped(ctx: &Ctx, flag: &str, names: BTreeSet<SmolStr>) -> Result<BTreeSet<SmolStr>> {
    if !ctx.flag(flag) {
        return Ok(BTreeSet::new());
    }
    let graphs = Graph::all(ctx)?;
    let is_used = |name: &SmolStr| graphs.iter().any(|other| other.name != ctx.arg(0) && other.uses(name));
    let mut gone = names.iter().filter(|name| !is_used(name)).filter_map(|name| ctx.collection(name).ok());
    gone.try_for_each(|collection| may_drop(ctx, &collection))?;
    Ok(names)
}

fn may_drop(ctx: &Ctx, collection: &Collection) -> Result<()> {
    if ctx.level(&collection.name) == Level::Rw { Ok(()) } else { Err(Error::plain(code::FORBIDDEN)) }
}

/// Drops collections, except those another graph uses.
fn drop_unused(ctx: &Ctx, names: BTreeSet<SmolStr>) -> Result<()> {
    let graphs = Graph::all(ctx)?;
    for name in names.into_iter().filter(|name| !graphs.iter().any(|g| g.uses(name))) {
        let Ok(collection) = ctx.collection(&name) else { continue };
        may_drop(ctx, &collection)?;
        ctx.changing_store().drop_collection(ctx.database(), &collection.name, false)?;
    }
    Ok(())
}

// ---------- vertex collections ----------

pub fn vertex_collections(ctx: &Ctx) -> HandlerResult {
    name_list(Graph::load(ctx, ctx.arg(0))?.vertices())
}

pub fn add_vertex_collection(ctx: &Ctx) -> HandlerResult {
    let mut graph = changeable(ctx)?;
    let body = body(ctx)?;
    let name = body.get("collection");
    let Some(name) = name.as_str() else {
        return Err(Error::new(code::INTERNAL, "VPack error: Expecting type String"));
    };
    if graph.connected().contains(name) {
        let message = format!("{name} collection already used in edge def");
        return Err(Error::new(code::GRAPH_COLLECTION_USED_IN_EDGE_DEF, message));
    }
    if ctx.collection(name).is_ok_and(|c: std::sync::Arc<Collection>| c.is_edge()) {
        return Err(Error::plain(code::GRAPH_WRONG_COLLECTION_TYPE_VERTEX));
    }
    if !graph.orphans.insert(name.into()) {
        return Err(Error::plain(code::GRAPH_COLLECTION_USED_IN_ORPHANS));
    }
    graph.create_collections(ctx)?;
    changed(ctx, graph)
}

pub fn remove_vertex_collection(ctx: &Ctx) -> HandlerResult {
    let mut graph = changeable(ctx)?;
    if !graph.orphans.remove(ctx.arg(1)) {
        return Err(Error::plain(code::GRAPH_NOT_IN_ORPHAN_COLLECTION).with_status(400));
    }
    let lost = dropped(ctx, "dropCollection", [ctx.arg(1).into()].into())?;
    let answer = changed(ctx, graph)?;
    drop_unused(ctx, lost)?;
    Ok(answer)
}

fn changed(ctx: &Ctx, mut graph: Graph) -> HandlerResult {
    let sync = ctx.flag("waitForSync");
    graph.save(ctx, sync)?;
    Ok(graph_answer(202, &graph))
}

// ---------- edge definitions ----------

pub fn edge_collections(ctx: &Ctx) -> HandlerResult {
    name_list(Graph::load(ctx, ctx.arg(0))?.edges.into_keys().collect())
}

pub fn add_edge_definition(ctx: &Ctx) -> HandlerResult {
    let mut graph = changeable(ctx)?;
    let before = graph.connected();
    add_definition(ctx, &mut graph, &body(ctx)?)?;
    graph.settle_orphans(&before);
    graph.create_collections(ctx)?;
    changed(ctx, graph)
}

pub fn replace_edge_definition(ctx: &Ctx) -> HandlerResult {
    let mut graph = changeable(ctx)?;
    let (name, definition) = EdgeDefinition::parse(&body(ctx)?)?;
    if name != ctx.arg(1) || !graph.edges.contains_key(&name) {
        return Err(Error::plain(code::GRAPH_EDGE_COLLECTION_NOT_USED));
    }
    // one edge collection has one definition: the other graphs that use it follow
    let mut others = Graph::all(ctx)?;
    others.retain(|other| other.name != graph.name && other.edges.contains_key(&name));
    others.iter().try_for_each(|other| other.check_readable(ctx))?;
    let before = graph.vertices();
    redefine(&mut graph, &name, definition.clone());
    let lost = dropped(ctx, "dropCollections", before.difference(&graph.vertices()).cloned().collect())?;
    for mut other in others {
        redefine(&mut other, &name, definition.clone());
        other.create_collections(ctx)?;
        other.save(ctx, false)?;
    }
    graph.create_collections(ctx)?;
    let answer = changed(ctx, graph)?;
    drop_unused(ctx, lost)?;
    Ok(answer)
}

fn redefine(graph: &mut Graph, name: &SmolStr, definition: EdgeDefinition) {
    let before = graph.connected();
    graph.edges.insert(name.clone(), definition);
    graph.settle_orphans(&before);
}

pub fn remove_edge_definition(ctx: &Ctx) -> HandlerResult {
    let mut graph = changeable(ctx)?;
    let before = graph.connected();
    if graph.edges.remove(ctx.arg(1)).is_none() {
        return Err(Error::plain(code::GRAPH_EDGE_COLLECTION_NOT_USED));
    }
    graph.settle_orphans(&before);
    let lost = dropped(ctx, "dropCollections", [ctx.arg(1).into()].into())?;
    let answer = changed(ctx, graph)?;
    drop_unused(ctx, lost)?;
    Ok(answer)
}
