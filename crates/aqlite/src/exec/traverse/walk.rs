//! The walk itself: where it begins, which steps are taken, and what becomes of them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::found::FoundBy;
use super::graph::{EdgeRef, Neighbor, Neighbors, VertexReader};
use super::queue::ByWeight;
use super::unique::Used;
use crate::Result;
use crate::exec::context::Ctx;
use crate::plan::{EdgeSource, TraversalOrder, TraverseNode, Unique};
use crate::seeded::SeededSet;
use crate::txn::{KnownEdge, View, WayOn};
use crate::value::{SmolStr, Value};

/// The parent of the start vertex.
pub(super) const ROOT: u32 = u32::MAX;

/// One vertex on a path, reached over one edge.
pub(super) struct Step {
    /// The step before; [`ROOT`] at the start vertex, which has no edge.
    pub parent: u32,
    pub depth: u32,
    pub edge: EdgeRef,
    pub vertex: SmolStr,
    /// The edge, where it is kept in memory.
    pub known: Option<KnownEdge>,
    /// Whether it is known that no edges go on from it, where that was seen beside its document.
    pub is_end: Option<bool>,
    /// Total weight from the start.
    pub weight: f64,
    /// Documents, once they were read.
    pub vertex_document: Option<Value>,
    pub edge_document: Option<Value>,
    /// Bytes noted for it.
    pub noted: usize,
}

/// A walk from one start vertex.
pub(super) struct Walk {
    pub(super) node: Arc<TraverseNode>,
    pub(super) view: View,
    pub(super) vertices: VertexReader,
    /// Depth first: the present path. Otherwise: every step from which the walk goes on.
    pub(super) steps: Vec<Step>,
    min: u32,
    max: u32,
    pub(super) used: Used,
    /// Vertices visited, where each is visited once.
    pub(super) visited: SeededSet<SmolStr>,
    pub(super) frontier: Frontier,
    /// What indexes are asked for at every vertex.
    pub(super) found_by: Arc<[FoundBy]>,
    started: bool,
    /// Documents of steps are read for their row and not again.
    pub(super) reads_once: bool,
    pub(super) memory: usize,
}

/// Where the walk goes on.
pub(super) enum Frontier {
    /// The open edges of each step of the present path.
    Depth(Vec<Neighbors>),
    /// Steps in the order in which they were found, and the one whose edges are being followed.
    Breadth { queue: VecDeque<u32>, open: Option<(u32, Neighbors)> },
    /// Steps by weight, and the one that was visited last and is still to be left.
    Weighted { queue: ByWeight, open: Option<u32> },
}

/// What becomes of a step that was looked at.
pub(super) struct Visit {
    /// It is a row.
    pub emit: bool,
    /// The walk goes on from it.
    pub expand: bool,
}

/// The edges with which a walk goes on, where those are of one collection and one direction.
pub(super) fn onward(node: &TraverseNode) -> Option<WayOn<'_>> {
    let [source] = node.edges.as_slice() else { return None };
    let EdgeSource { collection, outbound, inbound } = source;
    (outbound != inbound).then_some(WayOn { collection, outbound: *outbound })
}

impl Walk {
    pub(super) fn new(ctx: &mut Ctx<'_>, node: &Arc<TraverseNode>, start: SmolStr) -> Result<Self> {
        let mut depth = |ex| Ok(ctx.eval(ex)?.to_i64()?.clamp(0, i64::from(ROOT - 1)) as u32);
        let (min, max) = (depth(&node.min)?, depth(&node.max)?);
        let frontier = match node.order {
            TraversalOrder::Depth => Frontier::Depth(Vec::new()),
            TraversalOrder::Breadth => Frontier::Breadth { queue: VecDeque::new(), open: None },
            TraversalOrder::Weighted => Frontier::Weighted { queue: ByWeight::default(), open: None },
        };
        let found_by = FoundBy::of(node, ctx)?;
        let start = Step {
            parent: ROOT,
            depth: 0,
            edge: (0, 0),
            vertex: start,
            known: None,
            is_end: None,
            weight: 0.0,
            vertex_document: None,
            edge_document: Some(Value::Null),
            noted: 0,
        };
        Ok(Self {
            used: Used::new(node, node.order == TraversalOrder::Depth),
            node: Arc::clone(node),
            view: ctx.view()?.clone(),
            vertices: VertexReader::default(),
            steps: vec![start],
            min,
            max,
            visited: SeededSet::default(),
            frontier,
            found_by: found_by.into(),
            started: false,
            reads_once: node.path.is_none() && node.conditions.is_empty() && node.order != TraversalOrder::Weighted,
            memory: 0,
        })
    }

    /// Goes to the next step that is a row and puts it into the frame.
    pub(super) fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if !self.started {
            self.started = true;
            if self.start(ctx)? {
                return Ok(true);
            }
        }
        match self.node.order {
            TraversalOrder::Depth => self.next_by_depth(ctx),
            TraversalOrder::Breadth => self.next_by_breadth(ctx),
            TraversalOrder::Weighted => self.next_by_weight(ctx),
        }
    }

    fn start(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if !self.vertex_is_admitted(ctx, 0)? {
            return Ok(false);
        }
        if self.node.unique_vertices == Unique::Global {
            let start = self.steps[0].vertex.clone();
            self.mark_visited(ctx, &start)?;
        }
        let visit = self.visit(ctx, 0)?;
        if visit.expand {
            self.keep(ctx, 0)?;
            match &mut self.frontier {
                Frontier::Depth(open) => open.push(Neighbors::default()),
                Frontier::Breadth { queue, .. } => queue.push_back(0),
                // the weights around the start are looked at before it is given, as in ArangoDB
                Frontier::Weighted { .. } => self.queue_neighbors(ctx, 0)?,
            }
        }
        Ok(visit.emit)
    }

    /// Takes a step, unless something forbids it.
    pub(super) fn step(&mut self, ctx: &mut Ctx<'_>, parent: u32, found: Neighbor) -> Result<Option<u32>> {
        let Neighbor { edge, vertex, document: edge_document, known } = found;
        ctx.stats.scanned_index += 1;
        if !self.collection_is_admitted(&vertex) || !self.used.allows(&self.steps, parent, edge, &vertex) {
            ctx.stats.filtered += 1;
            return Ok(None);
        }
        let once = self.node.unique_vertices == Unique::Global;
        // a vertex that a condition on its place in the path turns down may still come at another place, and of a weighted
        // walk the lightest way counts
        let whoever_comes_first = self.node.conditions.is_empty() && self.node.order != TraversalOrder::Weighted;
        let is_known = match (once, whoever_comes_first) {
            (false, _) => false,
            (true, true) => !self.mark_visited(ctx, &vertex)?,
            (true, false) => self.visited.contains(&vertex),
        };
        if is_known {
            ctx.stats.filtered += 1;
            return Ok(None);
        }
        let index = self.steps.len() as u32;
        let depth = self.steps[parent as usize].depth + 1;
        let bytes = edge_document.as_ref().filter(|_| !self.reads_once).map_or(0, Value::memory);
        self.steps.push(Step {
            parent,
            depth,
            edge,
            vertex,
            known,
            is_end: None,
            weight: 0.0,
            vertex_document: None,
            edge_document,
            noted: 0,
        });
        if bytes > 0 {
            self.note(ctx, index, bytes)?;
        }
        let admitted = self.node.conditions.is_empty()
            || (self.edge_is_admitted(ctx, index)? && self.vertex_is_admitted(ctx, index)?);
        if !admitted {
            self.drop_step(ctx);
            return Ok(None);
        }
        if once && !whoever_comes_first && self.node.order != TraversalOrder::Weighted {
            let vertex = self.steps[index as usize].vertex.clone();
            self.mark_visited(ctx, &vertex)?;
        }
        Ok(Some(index))
    }

    /// Puts a step into the frame, decides whether it is a row and whether the walk goes on from it.
    pub(super) fn visit(&mut self, ctx: &mut Ctx<'_>, step: u32) -> Result<Visit> {
        let depth = self.steps[step as usize].depth;
        let mut visit = Visit { emit: depth >= self.min, expand: depth < self.max };
        if visit.emit || (self.node.prune.is_some() && visit.expand) {
            self.fill_frame(ctx, step)?;
            match &self.node.prune {
                Some((Some(slot), prune)) => {
                    let value = ctx.eval(prune)?;
                    visit.expand &= !value.truthy();
                    ctx.frame[*slot] = value;
                }
                Some((None, prune)) => visit.expand &= !ctx.eval_bool(prune)?,
                None => {}
            }
        }
        if visit.emit {
            for filter in &self.node.filters {
                if !ctx.eval_bool(filter)? {
                    ctx.stats.filtered += 1;
                    visit.emit = false;
                    break;
                }
            }
        }
        // most vertices of a tree are its leaves: nobody needs to come back to them to see that
        visit.expand = visit.expand && !self.is_end(step);
        if self.reads_once {
            self.steps[step as usize].edge_document = None;
        } else if self.node.path.is_none() {
            self.forget_documents(ctx, step);
        }
        Ok(visit)
    }

    /// Is it known that no edges go on from a step?
    fn is_end(&self, step: u32) -> bool {
        let Step { is_end, known, .. } = &self.steps[step as usize];
        is_end.unwrap_or_else(|| {
            let edge = known.as_ref().zip(onward(&self.node));
            edge.is_some_and(|(edge, onward)| self.view.is_end_behind(edge, onward))
        })
    }
}
