//! The part of the graph a search has seen: vertices by number, their edges read once.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::super::context::Ctx;
use super::super::traverse::graph::{Asked, EdgeRef, Neighbor, Neighbors, edge_document, edge_weight};
use crate::Result;
use crate::plan::PathsNode;
use crate::seeded::Seeded;
use crate::txn::{KnownEdge, View};
use crate::value::SmolStr;

/// A vertex of the search.
pub(super) type Vertex = u32;

/// An edge from a vertex to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub edge: EdgeRef,
    pub to: Vertex,
    /// 1 where the search does not weigh.
    pub weight: f64,
}

/// Memory of a vertex that was not seen before, but for a long id.
const NEW_VERTEX: usize = 64;

pub(super) struct Graph {
    node: Arc<PathsNode>,
    pub(super) view: View,
    ids: IndexSet<SmolStr, Seeded>,
    /// For each of them an edge that led there.
    known: Vec<Option<KnownEdge>>,
    /// By vertex, and whether walked against the direction of the search.
    links: FxHashMap<(Vertex, bool), Arc<[Link]>>,
    memory: usize,
}

impl Graph {
    pub(super) fn new(ctx: &Ctx<'_>, node: &Arc<PathsNode>) -> Result<Self> {
        Ok(Self {
            node: Arc::clone(node),
            view: ctx.view()?.clone(),
            ids: IndexSet::default(),
            known: Vec::new(),
            links: FxHashMap::default(),
            memory: 0,
        })
    }

    /// The number of the vertex with that id.
    pub(super) fn vertex(&mut self, id: SmolStr) -> Vertex {
        self.vertex_behind(id, None)
    }

    fn vertex_behind(&mut self, id: SmolStr, edge: Option<KnownEdge>) -> Vertex {
        let (at, is_new) = self.ids.insert_full(id);
        if is_new {
            self.known.push(edge);
        }
        at as Vertex
    }

    /// The id of a vertex.
    pub(super) fn id(&self, vertex: Vertex) -> &str {
        self.ids.get_index(vertex as usize).map_or("", SmolStr::as_str)
    }

    /// An edge that led to a vertex, where one is kept in memory.
    pub(super) fn known(&self, vertex: Vertex) -> Option<&KnownEdge> {
        self.known.get(vertex as usize)?.as_ref()
    }

    /// The edges that leave a vertex in the direction of the search, or lead to it when `reversed`.
    pub(super) fn links(&mut self, ctx: &mut Ctx<'_>, vertex: Vertex, reversed: bool) -> Result<Arc<[Link]>> {
        if let Some(known) = self.links.get(&(vertex, reversed)) {
            return Ok(Arc::clone(known));
        }
        let id = self.ids.get_index(vertex as usize).cloned().unwrap_or_default();
        let mut found = Vec::new();
        let mut edges = Neighbors::behind(self.known(vertex).cloned());
        let mut ids = 0;
        let node = Arc::clone(&self.node);
        let asked = Asked { sources: &node.edges, reversed, documents: false, found_by: &[] };
        while let Some(Neighbor { edge, vertex: other, known: way, .. }) = edges.next(&self.view, &asked, &id)? {
            ctx.tick()?;
            ctx.stats.scanned_index += 1;
            let weight = match &self.node.weight {
                Some((attribute, default)) => {
                    let document = edge_document(&self.view, &self.node.edges, edge)?;
                    edge_weight(&document, Some(attribute), *default)?
                }
                None => 1.0,
            };
            let (known, text) = (self.ids.len(), if other.is_heap_allocated() { other.len() } else { 0 });
            let to = self.vertex_behind(other, way);
            if self.ids.len() > known {
                ids += text + NEW_VERTEX;
            }
            found.push(Link { edge, to, weight });
        }
        let bytes = 64 + found.len() * size_of::<Link>() + ids;
        self.note_memory(ctx, bytes)?;
        let found: Arc<[Link]> = found.into();
        self.links.insert((vertex, reversed), Arc::clone(&found));
        Ok(found)
    }

    /// Notes memory that is held until the search ends.
    pub(super) fn note_memory(&mut self, ctx: &mut Ctx<'_>, bytes: usize) -> Result<()> {
        self.memory += bytes;
        ctx.grow(bytes)
    }

    /// Gives back the memory that was noted.
    pub(super) fn release(&mut self, ctx: &mut Ctx<'_>) {
        ctx.shrink(self.memory);
        self.memory = 0;
    }
}
