//! Variables that nobody reads are not computed.

use rustc_hash::FxHashSet;

use super::Rewrite;
use crate::plan::expr::Slot;
use crate::plan::{Node, Pipeline};

/// Drops assignments of values that are never looked at. What writes, or may give something else the next time, stays.
pub(super) fn remove(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    let mut read: FxHashSet<Slot> = FxHashSet::default();
    if let Some(output) = &pipeline.output {
        output.for_each_slot(&mut |slot| {
            read.insert(slot);
        });
    }
    for at in (0..pipeline.nodes.len()).rev() {
        match &pipeline.nodes[at] {
            Node::Let(slot, ex) if !read.contains(slot) && ex.is_deterministic() => {
                pipeline.nodes.remove(at);
                rewrite.note("remove-unnecessary-calculations");
            }
            node => node.for_each_slot(&mut |slot| {
                read.insert(slot);
            }),
        }
    }
}
