//! `SHORTEST_PATH` without weights: two searches go towards each other until one finds what the other has seen.
//!
//! Of several paths of the same length ArangoDB gives the one that its order of steps meets first: the smaller side goes
//! on, of two equal ones the one from the target. The same order is kept here, so that the same path is found.

use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

use super::super::context::Ctx;
use super::super::traverse::graph::EdgeRef;
use super::graph::{Graph, Vertex};
use super::{Found, Search};
use crate::Result;

/// The one path with the fewest edges that is met first.
pub(super) struct Fewest {
    ends: Option<(Vertex, Vertex)>,
}

impl Fewest {
    pub(super) fn new(start: Vertex, target: Vertex) -> Self {
        Self { ends: Some((start, target)) }
    }
}

impl Search for Fewest {
    fn next(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<Option<Found>> {
        let Some((start, target)) = self.ends.take() else { return Ok(None) };
        let (mut forward, mut backward) = (Side::new(start, false), Side::new(target, true));
        if start == target {
            return Ok(Some(Found::over(start, forward.back(start), backward.back(start))));
        }
        while !forward.rim.is_empty() && !backward.rim.is_empty() {
            ctx.tick()?;
            let met = if forward.rim.len() < backward.rim.len() {
                forward.go_on(ctx, graph, &backward)?
            } else {
                backward.go_on(ctx, graph, &forward)?
            };
            if let Some(meeting) = met {
                return Ok(Some(Found::over(meeting, forward.back(meeting), backward.back(meeting))));
            }
        }
        Ok(None)
    }
}

/// What one of the two searches has seen.
struct Side {
    reversed: bool,
    /// How each vertex was reached; nothing for the end where the search began.
    reached: FxHashMap<Vertex, Option<(Vertex, EdgeRef)>>,
    /// The vertices reached in the last round.
    rim: Vec<Vertex>,
}

impl Side {
    fn new(begin: Vertex, reversed: bool) -> Self {
        Self { reversed, reached: FxHashMap::from_iter([(begin, None)]), rim: vec![begin] }
    }

    /// One edge further from every vertex at the rim, until one is found that the other side knows.
    fn go_on(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph, other: &Self) -> Result<Option<Vertex>> {
        let mut next = Vec::new();
        for vertex in std::mem::take(&mut self.rim) {
            ctx.tick()?;
            for link in graph.links(ctx, vertex, self.reversed)?.iter() {
                let Entry::Vacant(free) = self.reached.entry(link.to) else { continue };
                free.insert(Some((vertex, link.edge)));
                if other.reached.contains_key(&link.to) {
                    return Ok(Some(link.to));
                }
                next.push(link.to);
            }
        }
        self.rim = next;
        Ok(None)
    }

    /// The steps from a vertex back to where the search began.
    fn back(&self, vertex: Vertex) -> impl Iterator<Item = (Vertex, EdgeRef)> {
        let before = |v: &Vertex| self.reached.get(v).copied().flatten();
        std::iter::successors(before(&vertex), move |(v, _)| before(v))
    }
}
