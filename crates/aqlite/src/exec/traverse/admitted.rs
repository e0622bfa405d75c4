//! Which edges and vertices conditions on the path of a walk let through.

use std::sync::Arc;

use super::walk::Walk;
use crate::Result;
use crate::exec::context::Ctx;
use crate::plan::PathCondition;

impl Walk {
    pub(super) fn collection_is_admitted(&self, vertex: &str) -> bool {
        match &self.node.vertex_collections {
            Some(names) if !names.is_empty() => {
                vertex.split_once('/').is_some_and(|(name, _)| names.iter().any(|n| n == name))
            }
            _ => true,
        }
    }

    pub(super) fn vertex_is_admitted(&mut self, ctx: &mut Ctx<'_>, index: u32) -> Result<bool> {
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

    pub(super) fn edge_is_admitted(&mut self, ctx: &mut Ctx<'_>, index: u32) -> Result<bool> {
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
