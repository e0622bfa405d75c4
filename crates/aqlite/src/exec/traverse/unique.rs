//! What a walk may not visit twice.

use rustc_hash::FxHashSet;

use super::graph::EdgeRef;
use super::walk::{ROOT, Step};
use crate::plan::{TraversalOrder, TraverseNode, Unique};
use crate::seeded::SeededSet;
use crate::value::SmolStr;

/// Remembers edges and vertices, so that most steps are known to be new without looking at their path.
///
/// Depth first the sets hold exactly the present path. In the other orders many paths are open at once: the sets hold
/// what any of them used, and only a step to something known walks its path back.
pub(super) struct Used {
    edges: Option<FxHashSet<EdgeRef>>,
    vertices: Option<SeededSet<SmolStr>>,
    one_path: bool,
}

impl Used {
    pub(super) fn new(node: &TraverseNode, one_path: bool) -> Self {
        // who visits each vertex once leaves it once, and comes over each edge to a vertex it has not seen
        let is_implied = node.unique_vertices == Unique::Global && node.order != TraversalOrder::Weighted;
        Self {
            edges: (node.unique_edges != Unique::None && !is_implied).then(FxHashSet::default),
            vertices: (node.unique_vertices == Unique::Path).then(SeededSet::default),
            one_path,
        }
    }

    /// Whether a step from `steps[parent]` over that edge to that vertex keeps its path free of repetitions.
    pub(super) fn allows(&self, steps: &[Step], parent: u32, edge: EdgeRef, vertex: &SmolStr) -> bool {
        if let Some(edges) = &self.edges
            && edges.contains(&edge)
            && (self.one_path || path(steps, parent).any(|s| s.parent != ROOT && s.edge == edge))
        {
            return false;
        }
        if let Some(vertices) = &self.vertices
            && vertices.contains(vertex)
            && (self.one_path || path(steps, parent).any(|s| s.vertex == *vertex))
        {
            return false;
        }
        true
    }

    /// Memory that each step takes here from which the walk goes on; the text of its id is counted with the step.
    pub(super) fn entry_bytes(&self) -> usize {
        let edge = if self.edges.is_some() { 2 * size_of::<EdgeRef>() } else { 0 };
        edge + if self.vertices.is_some() { 2 * size_of::<SmolStr>() } else { 0 }
    }

    /// The walk goes on from this step.
    pub(super) fn enter(&mut self, step: &Step) {
        if let Some(edges) = &mut self.edges
            && step.parent != ROOT
        {
            edges.insert(step.edge);
        }
        if let Some(vertices) = &mut self.vertices {
            vertices.insert(step.vertex.clone());
        }
    }

    /// The walk is done with everything behind this step.
    pub(super) fn leave(&mut self, step: &Step) {
        if let Some(edges) = &mut self.edges {
            edges.remove(&step.edge);
        }
        if let Some(vertices) = &mut self.vertices {
            vertices.remove(&step.vertex);
        }
    }
}

/// The steps of a path from its end to its start.
pub(super) fn path(steps: &[Step], end: u32) -> impl Iterator<Item = &Step> {
    std::iter::successors(steps.get(end as usize), |s| steps.get(s.parent as usize))
}
