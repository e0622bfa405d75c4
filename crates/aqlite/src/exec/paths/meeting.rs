//! `SHORTEST_PATH` with weights: two searches, each always at its lightest vertex, take turns until they meet.
//!
//! Of several paths of the same weight ArangoDB gives the one that its order of steps meets first. The same turns are
//! taken and the same queue is kept here, so that the same path is found.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::context::Ctx;
use super::super::traverse::graph::EdgeRef;
use super::graph::{Graph, Vertex};
use super::queue::Queue;
use super::{Found, Search};
use crate::Result;

/// The one path with the least total weight.
pub(super) struct Meeting {
    ends: Option<(Vertex, Vertex)>,
}

impl Meeting {
    pub(super) fn new(start: Vertex, target: Vertex) -> Self {
        Self { ends: Some((start, target)) }
    }
}

impl Search for Meeting {
    fn next(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<Option<Found>> {
        let Some((start, target)) = self.ends.take() else { return Ok(None) };
        let (mut forward, mut backward) = (Side::new(start, false), Side::new(target, true));
        let mut best = Best::default();
        while forward.turn(ctx, graph, &backward, &mut best)? && backward.turn(ctx, graph, &forward, &mut best)? {}
        let found =
            |(weight, vertex)| Found { weight, ..Found::over(vertex, forward.back(vertex), backward.back(vertex)) };
        Ok(best.meeting.map(found))
    }
}

/// The lightest way over a vertex that both sides know.
#[derive(Default)]
struct Best {
    meeting: Option<(f64, Vertex)>,
    /// Nothing lighter can be found.
    certain: bool,
}

/// How a vertex was reached.
pub(super) struct Reached {
    pub weight: f64,
    pub by: Option<(Vertex, EdgeRef)>,
    /// Its edges were followed.
    pub done: bool,
}

/// What one of the two searches has seen.
pub(super) struct Side {
    pub reversed: bool,
    pub reached: FxHashMap<Vertex, Reached>,
    pub queue: Queue,
}

impl Side {
    pub(super) fn new(begin: Vertex, reversed: bool) -> Self {
        let mut queue = Queue::default();
        queue.insert(begin, 0.0);
        let reached = FxHashMap::from_iter([(begin, Reached { weight: 0.0, by: None, done: false })]);
        Self { reversed, reached, queue }
    }

    /// Follows the edges of the lightest vertex; false: the search is over.
    fn turn(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph, other: &Self, best: &mut Best) -> Result<bool> {
        ctx.tick()?;
        if best.certain {
            return Ok(false);
        }
        let Some((weight, vertex)) = self.queue.pop() else { return Ok(false) };
        // of parallel edges the lightest counts
        let mut neighbors: IndexMap<Vertex, (f64, EdgeRef), FxBuildHasher> = IndexMap::default();
        for link in graph.links(ctx, vertex, self.reversed)?.iter() {
            let entry = neighbors.entry(link.to).or_insert((link.weight, link.edge));
            if link.weight < entry.0 {
                *entry = (link.weight, link.edge);
            }
        }
        for (to, (further, edge)) in neighbors {
            self.reach(to, Reached { weight: weight + further, by: Some((vertex, edge)), done: false });
        }
        if let Some(known) = other.reached.get(&vertex) {
            let total = known.weight + weight;
            if best.meeting.is_none_or(|(least, _)| total < least || (known.done && total <= least)) {
                best.meeting = Some((total, vertex));
            }
            best.certain = known.done || known.weight == 0.0;
        }
        self.finish(vertex);
        Ok(true)
    }

    /// Notes that a vertex was visited.
    pub(super) fn finish(&mut self, vertex: Vertex) {
        if let Some(entry) = self.reached.get_mut(&vertex) {
            entry.done = true;
        }
    }

    /// Notes a way to a vertex, if there is no better one.
    pub(super) fn reach(&mut self, vertex: Vertex, found: Reached) {
        let weight = found.weight;
        match self.reached.get_mut(&vertex) {
            None => {
                self.reached.insert(vertex, found);
                self.queue.insert(vertex, weight);
            }
            Some(known) if !known.done && known.weight > weight => {
                *known = found;
                self.queue.lower(vertex, weight);
            }
            Some(_) => {}
        }
    }

    /// The steps from a vertex back to where the search began.
    pub(super) fn back(&self, vertex: Vertex) -> impl Iterator<Item = (Vertex, EdgeRef)> {
        let before = |v: &Vertex| self.reached.get(v).and_then(|r| r.by);
        std::iter::successors(before(&vertex), move |(v, _)| before(v))
    }
}
