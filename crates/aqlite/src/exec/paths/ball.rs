//! Breadth-first search around a vertex, level by level.

use rustc_hash::FxHashMap;

use super::super::context::Ctx;
use super::graph::{Graph, Vertex};
use crate::Result;

/// All vertices within some number of edges of a centre.
pub(super) struct Ball {
    reversed: bool,
    distance: FxHashMap<Vertex, u32>,
    levels: Vec<Vec<Vertex>>,
}

impl Ball {
    /// The centre alone. `reversed`: distances are those to the centre, not from it.
    pub(super) fn new(centre: Vertex, reversed: bool) -> Self {
        Self { reversed, distance: FxHashMap::from_iter([(centre, 0)]), levels: vec![vec![centre]] }
    }

    /// How far the ball reaches.
    pub(super) fn radius(&self) -> u32 {
        self.levels.len() as u32 - 1
    }

    /// The vertices at its rim; none: it holds everything that can be reached.
    pub(super) fn rim(&self) -> &[Vertex] {
        self.levels.last().map_or(&[], Vec::as_slice)
    }

    /// The vertices at a distance.
    pub(super) fn level(&self, distance: u32) -> &[Vertex] {
        self.levels.get(distance as usize).map_or(&[], Vec::as_slice)
    }

    /// How far a vertex is from the centre, if it is in the ball.
    pub(super) fn distance(&self, vertex: Vertex) -> Option<u32> {
        self.distance.get(&vertex).copied()
    }

    /// Notes a distance that was found in another way.
    pub(super) fn set_distance(&mut self, vertex: Vertex, distance: u32) {
        self.distance.insert(vertex, distance);
    }

    /// Reaches one edge further.
    pub(super) fn grow(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<()> {
        let radius = self.levels.len() as u32;
        let mut next = Vec::new();
        for vertex in self.levels.last().into_iter().flatten() {
            for link in graph.links(ctx, *vertex, self.reversed)?.iter() {
                if let std::collections::hash_map::Entry::Vacant(free) = self.distance.entry(link.to) {
                    free.insert(radius);
                    next.push(link.to);
                }
            }
        }
        self.levels.push(next);
        Ok(())
    }
}
