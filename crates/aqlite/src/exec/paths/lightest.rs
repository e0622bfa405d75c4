//! The lightest path that leaves some vertices and edges aside: two searches, of which the one with fewer vertices
//! waiting moves on.
//!
//! Of several paths of the same weight ArangoDB gives the one that its order of steps finds first. The same order is
//! kept here, so that the same path is found.

use rustc_hash::FxHashSet;

use super::super::context::Ctx;
use super::super::traverse::graph::EdgeRef;
use super::Found;
use super::graph::{Graph, Vertex};
use super::meeting::{Reached, Side};
use crate::Result;

/// What a path may not use.
#[derive(Default)]
pub(super) struct Forbidden {
    pub vertices: FxHashSet<Vertex>,
    pub edges: FxHashSet<EdgeRef>,
}

/// One of the two searches.
struct Ball {
    side: Side,
    /// The weight of the vertex that was visited last.
    reach: f64,
}

impl Ball {
    fn new(centre: Vertex, reversed: bool) -> Self {
        let mut side = Side::new(centre, reversed);
        side.finish(centre);
        Self { side, reach: 0.0 }
    }

    /// Nothing waits, or nothing that could be on a lighter path.
    fn is_done(&self, best: Option<(f64, Vertex)>) -> bool {
        self.side.queue.is_empty() || best.is_some_and(|(least, _)| least < self.reach)
    }

    /// Visits the lightest vertex that waits; the weight over it, if the other search has visited it, too.
    fn advance(
        &mut self,
        ctx: &mut Ctx<'_>,
        graph: &mut Graph,
        other: &Self,
        forbidden: &Forbidden,
    ) -> Result<Option<(f64, Vertex)>> {
        let Some((weight, vertex)) = self.side.queue.pop() else { return Ok(None) };
        for link in graph.links(ctx, vertex, self.side.reversed)?.iter() {
            if !forbidden.vertices.contains(&link.to) && !forbidden.edges.contains(&link.edge) {
                let by = Some((vertex, link.edge));
                self.side.reach(link.to, Reached { weight: weight + link.weight, by, done: false });
            }
        }
        self.side.finish(vertex);
        self.reach = weight;
        let met = other.side.reached.get(&vertex).filter(|known| known.done);
        Ok(met.map(|known| (weight + known.weight, vertex)))
    }
}

/// The lightest path; `None` when there is none.
pub(super) fn lightest(
    ctx: &mut Ctx<'_>,
    graph: &mut Graph,
    start: Vertex,
    target: Vertex,
    forbidden: &Forbidden,
) -> Result<Option<Found>> {
    let (mut forward, mut backward) = (Ball::new(start, false), Ball::new(target, true));
    let mut best: Option<(f64, Vertex)> = None;
    while !forward.is_done(best) && !backward.is_done(best) {
        ctx.tick()?;
        let met = if forward.side.queue.len() < backward.side.queue.len() {
            forward.advance(ctx, graph, &backward, forbidden)?
        } else {
            backward.advance(ctx, graph, &forward, forbidden)?
        };
        best = match (best, met) {
            (Some(least), Some(found)) if found.0 < least.0 => Some(found),
            (None, found) => found,
            (least, _) => least,
        };
    }
    Ok(best.map(|(weight, vertex)| {
        let (to_start, to_target) = (forward.side.back(vertex), backward.side.back(vertex));
        Found { weight, ..Found::over(vertex, to_start, to_target) }
    }))
}
