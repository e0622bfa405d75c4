//! `K_SHORTEST_PATHS`: paths in the order of their weight, by Yen's method: every further path leaves one that is known
//! at some vertex and goes on in a way not taken yet.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use super::super::context::Ctx;
use super::super::traverse::graph::EdgeRef;
use super::graph::{Graph, Vertex};
use super::lightest::{Forbidden, lightest};
use super::{Found, Search};
use crate::Result;

pub(super) struct KShortest {
    start: Vertex,
    target: Vertex,
    /// Paths handed out, with the position up to which each follows the one it was derived from.
    known: Vec<(Found, usize)>,
    candidates: BinaryHeap<PathCandidate>,
    /// Every path that was ever a candidate.
    seen: FxHashSet<Vec<EdgeRef>>,
}

struct PathCandidate {
    path: Found,
    deviates_at: usize,
    /// Of equal weight, the one found last, as in ArangoDB.
    order: usize,
}

impl Ord for PathCandidate {
    fn cmp(&self, other: &Self) -> Ordering {
        other.path.weight.total_cmp(&self.path.weight).then_with(|| self.order.cmp(&other.order))
    }
}

impl PartialOrd for PathCandidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathCandidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PathCandidate {}

impl KShortest {
    pub(super) fn new(start: Vertex, target: Vertex) -> Self {
        Self { start, target, known: Vec::new(), candidates: BinaryHeap::new(), seen: FxHashSet::default() }
    }

    /// Finds the paths that leave the last known one.
    fn deviate(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<()> {
        let Some((last, from)) = self.known.last() else { return Ok(()) };
        for at in *from..last.edges.len() {
            ctx.tick()?;
            let root = &last.edges[..at];
            let forbidden = Forbidden {
                vertices: last.vertices[..at].iter().copied().collect(),
                edges: self
                    .known
                    .iter()
                    .filter(|(path, _)| path.edges.starts_with(root))
                    .filter_map(|(path, _)| path.edges.get(at).copied())
                    .collect(),
            };
            let Some(rest) = lightest(ctx, graph, last.vertices[at], self.target, &forbidden)? else { continue };
            let mut path = Found {
                vertices: last.vertices[..at].to_vec(),
                edges: root.to_vec(),
                weight: weight_of(ctx, graph, last, at)? + rest.weight,
            };
            path.vertices.extend(rest.vertices);
            path.edges.extend(rest.edges);
            if self.seen.insert(path.edges.clone()) {
                graph.note_memory(ctx, 64 + path.edges.len() * 48)?;
                self.candidates.push(PathCandidate { path, deviates_at: at, order: self.seen.len() });
            }
        }
        Ok(())
    }
}

/// The weight of the first edges of a path.
fn weight_of(ctx: &mut Ctx<'_>, graph: &mut Graph, path: &Found, edges: usize) -> Result<f64> {
    let mut total = 0.0;
    for (vertex, edge) in path.vertices.iter().zip(&path.edges[..edges]) {
        let links = graph.links(ctx, *vertex, false)?;
        total += links.iter().find(|l| l.edge == *edge).map_or(0.0, |l| l.weight);
    }
    Ok(total)
}

impl Search for KShortest {
    fn next(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<Option<Found>> {
        let (path, deviates_at) = if self.known.is_empty() {
            let path = lightest(ctx, graph, self.start, self.target, &Forbidden::default())?;
            let Some(path) = path else { return Ok(None) };
            self.seen.insert(path.edges.clone());
            (path, 0)
        } else {
            self.deviate(ctx, graph)?;
            let Some(best) = self.candidates.pop() else { return Ok(None) };
            (best.path, best.deviates_at)
        };
        self.known.push((path.clone(), deviates_at));
        Ok(Some(path))
    }
}
