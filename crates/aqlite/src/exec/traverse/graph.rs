//! What every graph operation shares: walking along the edges of a vertex, reading its document, naming where to begin.

use std::sync::Arc;

use super::super::context::Ctx;
use super::found::FoundBy;
use crate::Result;
use crate::catalog::Collection;
use crate::error::{Error, code};
use crate::functions::Host;
use crate::plan::EdgeSource;
use crate::plan::expr::Ex;
use crate::txn::{DocId, EdgeScan, KnownEdge, View, WayOn};
use crate::value::{SmolStr, Value};

/// An edge, named by the position of its collection in the operation's list and its document id.
pub(in crate::exec) type EdgeRef = (u32, DocId);

/// The edges at one vertex, found one by one: collection after collection, in each the outbound ones first.
///
/// Where the tables are read it is one edge ahead: a scan ends with its last edge, so that a long path does not hold one
/// open per step.
#[derive(Default)]
pub(in crate::exec) struct Neighbors {
    /// Twice the position of the collection, and one more for its inbound edges.
    position: usize,
    scan: Option<EdgeScan>,
    ahead: Option<Neighbor>,
    /// Those that an index has found.
    found: Option<std::vec::IntoIter<Neighbor>>,
    /// The edge that led to the vertex.
    from: Option<KnownEdge>,
}

/// What lies next to a vertex.
pub(in crate::exec) struct Neighbor {
    pub edge: EdgeRef,
    /// The vertex at the other end.
    pub vertex: SmolStr,
    /// The document of the edge, where it was asked for and stood beside it.
    pub document: Option<Value>,
    /// The edge itself, where it is kept in memory.
    pub known: Option<KnownEdge>,
}

/// Which edges an operation follows.
pub(in crate::exec) struct Asked<'n> {
    pub sources: &'n [EdgeSource],
    /// Against the given directions.
    pub reversed: bool,
    /// With their documents, where those are at hand.
    pub documents: bool,
    /// Indexes that find those which count.
    pub found_by: &'n [FoundBy],
}

impl Neighbors {
    /// Those at the vertex that an edge leads to.
    pub(in crate::exec) fn behind(from: Option<KnownEdge>) -> Self {
        Self { from, ..Self::default() }
    }

    /// The next edge and the vertex at its other end.
    pub(in crate::exec) fn next(&mut self, view: &View, asked: &Asked<'_>, vertex: &str) -> Result<Option<Neighbor>> {
        // what is found goes on as it is: to take it apart and put it together again would take longer than to find it
        let found = match self.ahead.take() {
            None => self.fetch(view, asked, vertex),
            ahead => Ok(ahead),
        };
        if found.is_ok() && self.scan.as_ref().is_some_and(EdgeScan::is_open) {
            self.ahead = self.fetch(view, asked, vertex)?;
        }
        found
    }

    fn fetch(&mut self, view: &View, asked: &Asked<'_>, vertex: &str) -> Result<Option<Neighbor>> {
        loop {
            let index = self.position / 2;
            let source = asked.sources.get(index);
            if let Some(found) = &mut self.found {
                if let Some(neighbor) = found.next() {
                    return Ok(Some(neighbor));
                }
                self.found = None;
                self.position += 1;
                continue;
            }
            if let (Some(scan), Some(source)) = (&mut self.scan, source) {
                if let Some(found) = scan.next() {
                    let (edge, vertex) = found?;
                    let document = if asked.documents { scan.document(view, &source.collection)? } else { None };
                    let known = scan.known();
                    return Ok(Some(Neighbor { edge: (index as u32, edge), vertex, document, known }));
                }
                self.scan = None;
                self.position += 1;
                continue;
            }
            let Some(source) = source else { return Ok(None) };
            let outbound = self.position.is_multiple_of(2);
            if if outbound { source.outbound } else { source.inbound } {
                let is_outbound = outbound != asked.reversed;
                let scan = match &self.from {
                    Some(edge) => view.edges_behind(edge, &source.collection, vertex, is_outbound)?,
                    None => view.edges(&source.collection, vertex, is_outbound)?,
                };
                // only where there are many edges it is worth to look for some of them
                let by = asked.found_by.iter().find(|by| by.fits(index, outbound)).filter(|_| scan.is_open());
                self.found = match by {
                    Some(by) => by.read(view, source, vertex)?.map(Vec::into_iter),
                    None => None,
                };
                if self.found.is_none() {
                    self.scan = Some(scan);
                }
            } else {
                self.position += 1;
            }
        }
    }
}

/// The document of an edge.
pub(in crate::exec) fn edge_document(view: &View, sources: &[EdgeSource], edge: EdgeRef) -> Result<Value> {
    match sources.get(edge.0 as usize) {
        Some(source) => Ok(view.by_id(&source.collection, edge.1)?.unwrap_or_default()),
        None => Ok(Value::Null),
    }
}

/// The weight of an edge: its attribute where that is a number, otherwise the default.
pub(in crate::exec) fn edge_weight(document: &Value, attribute: Option<&str>, default: f64) -> Result<f64> {
    let weight = attribute.and_then(|name| document.get(name).as_f64()).unwrap_or(default);
    if weight < 0.0 { Err(Error::plain(code::GRAPH_NEGATIVE_EDGE_WEIGHT)) } else { Ok(weight) }
}

/// Reads documents of vertices; neighbours mostly are of one collection, so the last one is kept at hand.
#[derive(Default)]
pub(in crate::exec) struct VertexReader {
    last: Option<Arc<Collection>>,
}

impl VertexReader {
    /// The document, or null and a warning: edges may dangle. `edge` is the one that led there.
    pub(in crate::exec) fn read(
        &mut self,
        ctx: &mut Ctx<'_>,
        view: &View,
        id: &str,
        edge: Option<&KnownEdge>,
    ) -> Result<Value> {
        self.read_ahead(ctx, view, id, edge.map(|edge| (edge, None))).map(|(document, _)| document)
    }

    /// The same, and whether it is known that certain edges do not go on from there.
    pub(in crate::exec) fn read_ahead(
        &mut self,
        ctx: &mut Ctx<'_>,
        view: &View,
        id: &str,
        edge: Option<(&KnownEdge, Option<WayOn<'_>>)>,
    ) -> Result<(Value, bool)> {
        let in_last = self.last.as_ref().and_then(|c| id.strip_prefix(c.name.as_str())?.strip_prefix('/'));
        let key = if let Some(key) = in_last {
            key
        } else {
            let Some((name, key)) = id.split_once('/') else {
                return Err(Error::new(code::GRAPH_INVALID_EDGE, format!("edge contains invalid value {id}")));
            };
            self.last = Some(ctx.txn()?.collection_for_read(name).map_err(|e| unknown_to_traversal(e, name))?);
            key
        };
        ctx.stats.scanned_index += 1;
        let (found, is_end) = match (&self.last, edge) {
            (Some(collection), Some((edge, onward))) => view.vertex_behind(edge, (collection, key), onward)?,
            (Some(collection), None) => (view.by_key(collection, key)?, false),
            (None, _) => (None, false),
        };
        if let Some(document) = found {
            return Ok((document, is_end));
        }
        ctx.warn(code::DOCUMENT_NOT_FOUND, format!("vertex '{id}' not found"))?;
        Ok((Value::Null, is_end))
    }
}

fn unknown_to_traversal(error: Error, name: &str) -> Error {
    if error.num != code::TRANSACTION_UNREGISTERED_COLLECTION {
        return error;
    }
    Error::new(
        code::QUERY_COLLECTION_LOCK_FAILED,
        format!("collection not known to traversal: '{name}'. please add 'WITH {name}' as the first line in your AQL"),
    )
}

/// What to say of a vertex that cannot be one.
#[derive(Clone, Copy)]
pub(in crate::exec) struct End {
    /// As warnings call the operation.
    pub operation: &'static str,
    /// A document without an id is passed over in silence.
    pub silent: bool,
}

/// The vertex an expression names: an id, or a document with one. `None`: there is nothing to search from.
pub(in crate::exec) fn vertex_id(ctx: &mut Ctx<'_>, ex: &Ex, end: End) -> Result<Option<SmolStr>> {
    let id = match ctx.eval(ex)? {
        Value::Str(id) => Some(id),
        ref object if object.is_object() => match object.get("_id") {
            Value::Str(id) => Some(id),
            _ if end.silent => return Ok(None),
            _ => None,
        },
        _ => None,
    };
    if let Some(id) = id
        && id.contains('/')
    {
        return Ok(Some(id));
    }
    ctx.warn(
        code::BAD_PARAMETER,
        format!("Invalid input for {}: Only id strings or objects with _id are allowed", end.operation),
    )?;
    Ok(None)
}
