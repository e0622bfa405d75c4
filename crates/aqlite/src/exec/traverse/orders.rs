//! Which step comes next in each order.

use std::sync::Arc;

use super::found::FoundBy;
use super::graph::{Asked, Neighbors, edge_weight};
use super::walk::{Frontier, Walk};
use crate::Result;
use crate::exec::context::Ctx;
use crate::plan::{TraverseNode, Unique};
use crate::txn::KnownEdge;

/// The edges a walk follows. Whoever reads their documents gets those that are at hand.
fn asked<'n>(node: &'n TraverseNode, found_by: &'n [FoundBy]) -> Asked<'n> {
    Asked { sources: &node.edges, reversed: false, documents: node.needs_edges, found_by }
}

impl Walk {
    pub(super) fn next_by_depth(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
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

    pub(super) fn next_by_breadth(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
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

    pub(super) fn next_by_weight(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
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

    pub(super) fn queue_neighbors(&mut self, ctx: &mut Ctx<'_>, parent: u32) -> Result<()> {
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
}
