//! A loop that reads nothing of its documents but their keys reads the primary index alone.

use std::sync::Arc;

use super::Rewrite;
use super::sorts::whole_primary_index;
use crate::plan::projection::Uses;
use crate::plan::{AccessPath, Node, Pipeline, ScanNode};
use crate::value::SmolStr;

/// Marks the loops that need keys only.
pub(super) fn read_keys_only(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    if !rewrite.options.rule("reduce-extraction-to-projection") {
        return;
    }
    for at in 0..pipeline.nodes.len() {
        let Node::Scan(scan) = &pipeline.nodes[at] else { continue };
        if !scan.early.is_empty() || scan.no_index || scan.hint.is_some() {
            continue;
        }
        let Some(access) = access_by_key(scan) else { continue };
        let read = Uses::of_scan(scan, &pipeline.nodes[at + 1..], pipeline.output.as_ref());
        let is_key = |path: &Arc<[SmolStr]>| matches!(&**path, [name] if name == "_key" || name == "_id");
        if !read.whole && !read.paths.is_empty() && read.paths.iter().all(is_key) {
            let mut scan = (**scan).clone();
            scan.access = access;
            scan.keys_only = true;
            pipeline.nodes[at] = Node::Scan(Arc::new(scan));
            rewrite.note("reduce-extraction-to-projection");
        }
    }
}

/// The access that finds the same documents in the primary index.
fn access_by_key(scan: &ScanNode) -> Option<AccessPath> {
    match &scan.access {
        AccessPath::Full { reverse: false } => whole_primary_index(scan, false),
        AccessPath::Full { reverse: true } | AccessPath::Inverted(_) => None,
        AccessPath::Index { lookups, .. } => {
            let by_key = matches!(lookups.as_slice(), [lookup] if lookup.field == "_key" && lookup.equal.is_empty());
            by_key.then(|| scan.access.clone())
        }
    }
}
