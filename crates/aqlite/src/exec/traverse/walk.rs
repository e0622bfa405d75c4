//! The walk itself: which step comes next in each order, and which steps are not taken.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::found::FoundBy;
use super::graph::{Asked, EdgeRef, Neighbor, Neighbors, VertexReader, edge_weight};
use super::queue::ByWeight;
use super::unique::Used;
use crate::Result;
use crate::exec::context::Ctx;
use crate::plan::{PathCondition, TraversalOrder, TraverseNode, Unique};
use crate::txn::{EdgeScan, KnownEdge, View};
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
    /// Total weight from the start.
    pub weight: f64,
    /// Documents, once they were read.
    pub vertex_document: Option<Value>,
    pub edge_document: Option<Value>,
    /// Bytes noted for it.
    noted: usize,
}

/// Memory of an entry in a list that doubles when it is full.
const fn entry<T>() -> usize {
    2 * size_of::<T>()
}

/// Memory of the text of an id beyond its own place, which all its clones share.
fn text(id: &SmolStr) -> usize {
    if id.is_heap_allocated() { id.len() + 2 * size_of::<usize>() } else { 0 }
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
    used: Used,
    /// Vertices visited, where each is visited once.
    visited: FxHashSet<SmolStr>,
    frontier: Frontier,
    /// What indexes are asked for at every vertex.
    found_by: Arc<[FoundBy]>,
    started: bool,
    /// Documents of steps are read for their row and not again.
    pub(super) reads_once: bool,
    memory: usize,
}

/// Where the walk goes on.
enum Frontier {
    /// The open edges of each step of the present path.
    Depth(Vec<Neighbors>),
    /// Steps in the order in which they were found, and the one whose edges are being followed.
    Breadth { queue: VecDeque<u32>, open: Option<(u32, Neighbors)> },
    /// Steps by weight, and the one that was visited last and is still to be left.
    Weighted { queue: ByWeight, open: Option<u32> },
}

/// What becomes of a step that was looked at.
struct Visit {
    /// It is a row.
    emit: bool,
    /// The walk goes on from it.
    expand: bool,
}

/// The edges a walk follows. Whoever reads their documents gets those that are at hand.
fn asked<'n>(node: &'n TraverseNode, found_by: &'n [FoundBy]) -> Asked<'n> {
    Asked { sources: &node.edges, reversed: false, documents: node.needs_edges, found_by }
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
            visited: FxHashSet::default(),
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

    /// Gives back the memory that was noted.
    pub(super) fn release(&mut self, ctx: &mut Ctx<'_>) {
        ctx.shrink(self.memory);
        self.memory = 0;
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

    fn next_by_depth(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        loop {
            ctx.tick()?;
            let Frontier::Depth(open) = &self.frontier else { return Ok(false) };
            // the step that was looked at last and not entered, or left, goes
            if self.steps.len() > open.len() {
                self.drop_step(ctx);
            }
            let Frontier::Depth(open) = &mut self.frontier else { return Ok(false) };
            let (Some(edges), Some(step)) = (open.last_mut(), self.steps.last()) else { return Ok(false) };
            let Some(found) = edges.next(&self.view, &asked(&self.node, &self.found_by), &step.vertex)? else {
                open.pop();
                self.used.leave(step);
                continue;
            };
            let parent = self.steps.len() as u32 - 1;
            let Some(step) = self.step(ctx, parent, found)? else { continue };
            let visit = self.visit(ctx, step)?;
            if visit.expand {
                self.keep(ctx, step)?;
                let from = self.edge_to(step);
                if let Frontier::Depth(open) = &mut self.frontier {
                    open.push(Neighbors::behind(from));
                }
            }
            if visit.emit {
                return Ok(true);
            }
        }
    }

    fn next_by_breadth(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        loop {
            ctx.tick()?;
            let Frontier::Breadth { queue, open } = &mut self.frontier else { return Ok(false) };
            if open.is_none()
                && let Some(step) = queue.pop_front()
            {
                let from = self.edge_to(step);
                if let Frontier::Breadth { open, .. } = &mut self.frontier {
                    *open = Some((step, Neighbors::behind(from)));
                }
            }
            let Frontier::Breadth { open, .. } = &mut self.frontier else { return Ok(false) };
            let Some((parent, edges)) = open else { return Ok(false) };
            let parent = *parent;
            let vertex = &self.steps[parent as usize].vertex;
            let Some(found) = edges.next(&self.view, &asked(&self.node, &self.found_by), vertex)? else {
                *open = None;
                continue;
            };
            let Some(step) = self.step(ctx, parent, found)? else { continue };
            let visit = self.visit(ctx, step)?;
            if visit.expand {
                self.keep(ctx, step)?;
                if let Frontier::Breadth { queue, .. } = &mut self.frontier {
                    queue.push_back(step);
                }
            } else {
                self.drop_step(ctx);
            }
            if visit.emit {
                return Ok(true);
            }
        }
    }

    fn next_by_weight(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        loop {
            ctx.tick()?;
            let Frontier::Weighted { queue, open } = &mut self.frontier else { return Ok(false) };
            if let Some(parent) = open.take() {
                self.queue_neighbors(ctx, parent)?;
                continue;
            }
            let Some(step) = queue.pop() else { return Ok(false) };
            // the lightest way to a vertex is the one that counts
            let vertex = self.steps[step as usize].vertex.clone();
            if self.node.unique_vertices == Unique::Global && !self.mark_visited(ctx, &vertex)? {
                continue;
            }
            let visit = self.visit(ctx, step)?;
            if visit.expand
                && let Frontier::Weighted { open, .. } = &mut self.frontier
            {
                self.used.enter(&self.steps[step as usize]);
                *open = Some(step);
            }
            if visit.emit {
                return Ok(true);
            }
        }
    }

    fn queue_neighbors(&mut self, ctx: &mut Ctx<'_>, parent: u32) -> Result<()> {
        let from = self.steps[parent as usize].vertex.clone();
        let mut edges = Neighbors::behind(self.edge_to(parent));
        let (node, found_by) = (Arc::clone(&self.node), Arc::clone(&self.found_by));
        while let Some(found) = edges.next(&self.view, &asked(&node, &found_by), &from)? {
            ctx.tick()?;
            let Some(step) = self.step(ctx, parent, found)? else { continue };
            let document = self.edge_document(ctx, step)?;
            let (attribute, default) = self.node.weight.as_ref().map_or((None, 1.0), |(a, d)| (a.as_deref(), *d));
            let weight = self.steps[parent as usize].weight + edge_weight(&document, attribute, default)?;
            self.steps[step as usize].weight = weight;
            if self.node.path.is_none() {
                self.forget_documents(ctx, step);
            }
            self.note_kept(ctx, step)?;
            if let Frontier::Weighted { queue, .. } = &mut self.frontier {
                queue.push(weight, step);
            }
        }
        Ok(())
    }

    /// The edge that led to a step from which the walk goes on.
    fn edge_to(&mut self, step: u32) -> Option<KnownEdge> {
        let known = &mut self.steps[step as usize].known;
        // where its document is not read again the step has no use for it any more
        if self.reads_once { known.take() } else { known.clone() }
    }

    /// Takes a step, unless something forbids it.
    fn step(&mut self, ctx: &mut Ctx<'_>, parent: u32, found: Neighbor) -> Result<Option<u32>> {
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
    fn visit(&mut self, ctx: &mut Ctx<'_>, step: u32) -> Result<Visit> {
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
        let (Some(edge), [source]) = (&self.steps[step as usize].known, self.node.edges.as_slice()) else {
            return false;
        };
        source.outbound != source.inbound && self.view.is_end_behind(edge, &source.collection, source.outbound)
    }

    /// The walk will go on from this step.
    fn keep(&mut self, ctx: &mut Ctx<'_>, step: u32) -> Result<()> {
        self.used.enter(&self.steps[step as usize]);
        self.note_kept(ctx, step)
    }

    /// Notes what a step weighs that is kept, with its place in the queue and among what was used.
    fn note_kept(&mut self, ctx: &mut Ctx<'_>, step: u32) -> Result<()> {
        let open = match self.frontier {
            Frontier::Depth(_) => entry::<Neighbors>() + size_of::<EdgeScan>(),
            Frontier::Breadth { .. } => entry::<u32>(),
            Frontier::Weighted { .. } => entry::<(f64, u32)>(),
        };
        let bytes = entry::<Step>() + text(&self.steps[step as usize].vertex) + open + self.used.entry_bytes();
        self.note(ctx, step, bytes)
    }

    /// Notes memory that is held as long as a step is.
    pub(super) fn note(&mut self, ctx: &mut Ctx<'_>, step: u32, bytes: usize) -> Result<()> {
        self.steps[step as usize].noted += bytes;
        self.memory += bytes;
        ctx.grow(bytes)
    }

    /// Remembers a vertex to the end of the walk; `false` when it was known.
    fn mark_visited(&mut self, ctx: &mut Ctx<'_>, vertex: &SmolStr) -> Result<bool> {
        if !self.visited.insert(vertex.clone()) {
            return Ok(false);
        }
        let bytes = entry::<SmolStr>() + text(vertex);
        self.memory += bytes;
        ctx.grow(bytes)?;
        Ok(true)
    }

    /// Drops the documents of a step that nobody will read again.
    fn forget_documents(&mut self, ctx: &mut Ctx<'_>, step: u32) {
        let step = &mut self.steps[step as usize];
        let mut bytes = step.vertex_document.take().map_or(0, |document| document.memory());
        // the start vertex has none, which is known without reading
        if step.parent != ROOT {
            bytes += step.edge_document.take().map_or(0, |document| document.memory());
        }
        step.noted = step.noted.saturating_sub(bytes);
        self.give_back(ctx, bytes);
    }

    /// Drops the last step.
    fn drop_step(&mut self, ctx: &mut Ctx<'_>) {
        if let Some(step) = self.steps.pop() {
            self.give_back(ctx, step.noted);
        }
    }

    fn give_back(&mut self, ctx: &mut Ctx<'_>, bytes: usize) {
        self.memory = self.memory.saturating_sub(bytes);
        ctx.shrink(bytes);
    }

    fn collection_is_admitted(&self, vertex: &str) -> bool {
        match &self.node.vertex_collections {
            Some(names) if !names.is_empty() => {
                vertex.split_once('/').is_some_and(|(name, _)| names.iter().any(|n| n == name))
            }
            _ => true,
        }
    }

    fn vertex_is_admitted(&mut self, ctx: &mut Ctx<'_>, index: u32) -> Result<bool> {
        if self.node.conditions.is_empty() {
            return Ok(true);
        }
        let node = Arc::clone(&self.node);
        let at = self.steps[index as usize].depth as usize;
        for condition in &node.conditions {
            let (slot, test) = match condition {
                PathCondition::EveryVertex { slot, test } => (*slot, test),
                PathCondition::VertexAt { depth, slot, test } if *depth == at => (*slot, test),
                _ => continue,
            };
            ctx.frame[slot] = self.vertex_document(ctx, index)?;
            if !ctx.eval_bool(test)? {
                ctx.stats.filtered += 1;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn edge_is_admitted(&mut self, ctx: &mut Ctx<'_>, index: u32) -> Result<bool> {
        let node = Arc::clone(&self.node);
        let at = self.steps[index as usize].depth as usize;
        for condition in &node.conditions {
            let (slot, test) = match condition {
                PathCondition::EveryEdge { slot, test } => (*slot, test),
                // the edge at position 0 leads to depth 1
                PathCondition::EdgeAt { depth, slot, test } if depth.checked_add(1) == Some(at) => (*slot, test),
                _ => continue,
            };
            ctx.frame[slot] = self.edge_document(ctx, index)?;
            if !ctx.eval_bool(test)? {
                ctx.stats.filtered += 1;
                return Ok(false);
            }
        }
        Ok(true)
    }
}
