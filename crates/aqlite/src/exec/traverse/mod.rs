//! `FOR v, e, p IN 1..3 OUTBOUND …`: walks from a start vertex along edges.
//!
//! A walk is lazy: the next edge is looked at when the next row is asked for. Paths are not copied from step to step: a
//! step knows the one before it, and the path variable is put together only where something reads it.

mod admitted;
mod found;
pub(super) mod graph;
mod kept;
mod orders;
mod output;
mod queue;
mod unique;
mod walk;

use std::sync::Arc;

use super::context::Ctx;
use super::ops::{BoxOp, Op};
use crate::Result;
use crate::plan::TraverseNode;
use graph::{End, vertex_id};
use walk::Walk;

/// The operator of a traversal.
pub(super) fn traverse(input: BoxOp, node: Arc<TraverseNode>) -> BoxOp {
    Box::new(Traverse { input, node, walk: None })
}

struct Traverse {
    input: BoxOp,
    node: Arc<TraverseNode>,
    /// The walk from the start vertex of the present input row.
    walk: Option<Walk>,
}

impl Op for Traverse {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        loop {
            if let Some(walk) = &mut self.walk {
                if walk.next(ctx)? {
                    return Ok(true);
                }
                walk.release(ctx);
                self.walk = None;
            }
            if !self.input.next(ctx)? {
                return Ok(false);
            }
            let end = End { operation: "traversal", silent: false };
            if let Some(start) = vertex_id(ctx, &self.node.start, end)? {
                self.walk = Some(Walk::new(ctx, &self.node, start)?);
            }
        }
    }

    fn rewind(&mut self) -> bool {
        self.walk = None;
        self.input.rewind()
    }
}
