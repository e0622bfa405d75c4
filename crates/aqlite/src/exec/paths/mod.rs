//! `SHORTEST_PATH`, `ALL_SHORTEST_PATHS`, `K_SHORTEST_PATHS` and `K_PATHS`.

mod ball;
mod fewest;
mod graph;
mod k_shortest;
mod lightest;
mod meeting;
mod queue;
mod shortest;
mod simple;

use std::sync::Arc;

use super::context::Ctx;
use super::ops::{BoxOp, Op};
use super::traverse::graph::{EdgeRef, End, VertexReader, edge_document, vertex_id};
use crate::Result;
use crate::lang::ast::PathKind;
use crate::plan::PathsNode;
use crate::value::{Object, SmolStr, Value};
use graph::{Graph, Vertex};

/// The operator of a path search.
pub(super) fn paths(input: BoxOp, node: Arc<PathsNode>) -> BoxOp {
    Box::new(Paths { input, node, running: None })
}

struct Paths {
    input: BoxOp,
    node: Arc<PathsNode>,
    /// The search between the vertices of the present input row.
    running: Option<Running>,
}

struct Running {
    graph: Graph,
    search: Box<dyn Search>,
    documents: VertexReader,
    /// `SHORTEST_PATH`: the path whose vertices are handed out, and how many were.
    rows: Option<(Found, usize)>,
}

/// A path that was found.
#[derive(Clone, Debug)]
struct Found {
    vertices: Vec<Vertex>,
    edges: Vec<EdgeRef>,
    weight: f64,
}

impl Found {
    /// The path over a vertex at which two searches met, from the steps that lead back from it on either side. It weighs as
    /// much as it has edges.
    fn over(
        meeting: Vertex,
        to_start: impl Iterator<Item = (Vertex, EdgeRef)>,
        to_target: impl Iterator<Item = (Vertex, EdgeRef)>,
    ) -> Self {
        let (mut vertices, mut edges): (Vec<_>, Vec<_>) = to_start.unzip();
        vertices.reverse();
        edges.reverse();
        vertices.push(meeting);
        for (vertex, edge) in to_target {
            vertices.push(vertex);
            edges.push(edge);
        }
        let weight = edges.len() as f64;
        Self { vertices, edges, weight }
    }
}

/// A way to find paths one after the other.
trait Search {
    fn next(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<Option<Found>>;
}

impl Op for Paths {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        loop {
            if let Some(running) = &mut self.running {
                let more = match self.node.kind {
                    PathKind::Shortest => running.next_vertex(ctx, &self.node)?,
                    _ => running.next_path(ctx, &self.node)?,
                };
                if more {
                    return Ok(true);
                }
                running.graph.release(ctx);
                self.running = None;
            }
            if !self.input.next(ctx)? {
                return Ok(false);
            }
            self.running = Running::new(ctx, &self.node)?;
        }
    }
}

impl Running {
    fn new(ctx: &mut Ctx<'_>, node: &Arc<PathsNode>) -> Result<Option<Self>> {
        let end = End { operation: "Shortest Path", silent: true };
        let Some(start) = vertex_id(ctx, &node.start, end)? else { return Ok(None) };
        let Some(target) = vertex_id(ctx, &node.target, end)? else { return Ok(None) };
        let mut graph = Graph::new(ctx, node)?;
        let (start, target) = (graph.vertex(start), graph.vertex(target));
        let search: Box<dyn Search> = match node.kind {
            PathKind::Shortest if node.weight.is_some() => Box::new(meeting::Meeting::new(start, target)),
            PathKind::Shortest => Box::new(fewest::Fewest::new(start, target)),
            PathKind::AllShortest => Box::new(shortest::AllShortest::new(start, target)),
            PathKind::KShortest => Box::new(k_shortest::KShortest::new(start, target)),
            PathKind::KPaths => {
                let mut length = |ex| Ok(ctx.eval(ex)?.to_i64()?.clamp(0, i64::from(u32::MAX) - 1) as u32);
                let (min, max) = (length(&node.min)?, length(&node.max)?);
                Box::new(simple::SimplePaths::new(start, target, min, max))
            }
        };
        Ok(Some(Self { graph, search, documents: VertexReader::default(), rows: None }))
    }

    /// One row a vertex of the one path, with the edge that leads to it.
    fn next_vertex(&mut self, ctx: &mut Ctx<'_>, node: &PathsNode) -> Result<bool> {
        if self.rows.is_none() {
            let Some(found) = self.search.next(ctx, &mut self.graph)? else { return Ok(false) };
            self.rows = Some((found, 0));
        }
        let Some((found, position)) = &mut self.rows else { return Ok(false) };
        let Some(vertex) = found.vertices.get(*position) else { return Ok(false) };
        let (id, edge) = (self.graph.id(*vertex), self.graph.known(*vertex));
        ctx.frame[node.first] = self.documents.read(ctx, &self.graph.view, id, edge)?;
        if let Some(slot) = node.second {
            let edge = position.checked_sub(1).and_then(|before| found.edges.get(before));
            ctx.frame[slot] = match edge {
                Some(edge) => edge_document(&self.graph.view, &node.edges, *edge)?,
                None => Value::Null,
            };
        }
        *position += 1;
        Ok(true)
    }

    /// One row a path.
    fn next_path(&mut self, ctx: &mut Ctx<'_>, node: &PathsNode) -> Result<bool> {
        let Some(found) = self.search.next(ctx, &mut self.graph)? else { return Ok(false) };
        let mut vertices = Vec::with_capacity(found.vertices.len());
        for vertex in &found.vertices {
            let (id, edge) = (self.graph.id(*vertex), self.graph.known(*vertex));
            vertices.push(self.documents.read(ctx, &self.graph.view, id, edge)?);
        }
        let mut edges = Vec::with_capacity(found.edges.len());
        for edge in &found.edges {
            edges.push(edge_document(&self.graph.view, &node.edges, *edge)?);
        }
        let mut path = Object::default();
        path.insert(SmolStr::new_static("vertices"), Value::array(vertices));
        path.insert(SmolStr::new_static("edges"), Value::array(edges));
        if node.kind == PathKind::KShortest {
            let weight = match node.weight {
                Some(_) => Value::float(found.weight),
                None => Value::from(found.edges.len()),
            };
            path.insert(SmolStr::new_static("weight"), weight);
        }
        ctx.frame[node.first] = Value::object(path);
        Ok(true)
    }
}
