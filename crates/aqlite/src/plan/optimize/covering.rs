//! A loop that reads nothing of its documents but what the entries of its index hold reads no document.

use std::sync::Arc;

use super::Rewrite;
use super::projections::MOST;
use crate::plan::projection::Uses;
use crate::plan::{AccessPath, Lookup, Node, Pipeline, ScanNode, estimates};
use crate::txn::View;

/// Marks the loops that need entries only.
pub(super) fn read_entries_only(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    if !rewrite.options.rule("reduce-extraction-to-projection") {
        return;
    }
    for at in 0..pipeline.nodes.len() {
        let Node::Scan(scan) = &pipeline.nodes[at] else { continue };
        let read = Uses::of_scan(scan, &pipeline.nodes[at + 1..], pipeline.output.as_ref());
        if !read.whole && is_held(scan, &read, rewrite.view) {
            let mut scan = (**scan).clone();
            scan.from_entries = true;
            pipeline.nodes[at] = Node::Scan(Arc::new(scan));
            rewrite.note("reduce-extraction-to-projection");
        }
    }
}

/// Are all attributes held as values, or told by the keys?
fn is_held(scan: &ScanNode, read: &Uses, view: &View) -> bool {
    let AccessPath::Index { lookups, reverse } = &scan.access else { return false };
    let paths = || read.paths.iter().chain(scan.early.iter().map(|filter| &filter.path));
    let in_values = || !scan.merged && paths().all(|path| lookups.iter().all(|lookup| lookup.index.holds(path)));
    let in_keys = || match lookups.as_slice() {
        [lookup] => {
            let index = &lookup.index;
            index.stored_values.is_empty()
                && (1..=MOST).contains(&read.paths.len())
                && paths().all(|path| index.tells(path))
                && (*reverse || !is_kept(scan, lookup, view))
        }
        _ => false,
    };
    paths().next().is_some() && (in_values() || in_keys())
}

/// So many documents of one value of an index are kept in memory once they were looked up.
const KEPT: f64 = 512.0;

/// Are the documents that are found likely to be in memory?
fn is_kept(scan: &ScanNode, lookup: &Lookup, view: &View) -> bool {
    let is_run = !lookup.equal.is_empty() && lookup.lower.is_none() && lookup.upper.is_none();
    is_run && estimates::found(view, &scan.collection, lookup) <= KEPT * estimates::values(lookup)
}
