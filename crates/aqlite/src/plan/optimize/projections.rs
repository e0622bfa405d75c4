//! A scan that reads every document copies only what somebody looks at: single attributes where nobody needs the whole
//! document, and the whole document only after the conditions on it hold.

use std::sync::Arc;

use super::Rewrite;
use crate::plan::expr::{Ex, Slot};
use crate::plan::projection::Uses;
use crate::plan::{AccessPath, Node, Pipeline, ScanNode};
use crate::value::SmolStr;

/// With more attributes than this the whole document is not dearer.
pub(super) const MOST: usize = 8;

/// Gives every full scan of the pipeline and its subqueries the attributes to read.
pub(super) fn project(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    super::for_each_pipeline_ex(pipeline, &mut |ex| subqueries(ex, rewrite));
    for at in 0..pipeline.nodes.len() {
        let Node::Scan(scan) = &pipeline.nodes[at] else { continue };
        // what else an index finds is shared with the cache of documents, not copied
        let is_told = scan.from_entries && !scan.holds_values();
        if !matches!(scan.access, AccessPath::Full { .. }) && !is_told {
            continue;
        }
        let (mut inside, mut behind) = (Uses::default(), Uses::default());
        scan.filters.iter().for_each(|filter| inside.of_ex(filter, scan.slot));
        behind.of_nodes(&pipeline.nodes[at + 1..], scan.slot);
        if let Some(output) = &pipeline.output {
            behind.of_ex(output, scan.slot);
        }
        let only_inside = behind.whole;
        if !only_inside {
            inside = Uses::of_scan(scan, &pipeline.nodes[at + 1..], pipeline.output.as_ref());
        }
        if inside.whole || inside.paths.is_empty() || inside.paths.len() > MOST {
            continue;
        }
        rewrite.note("reduce-extraction-to-projection");
        let name = rewrite.names[scan.slot].clone();
        let projections: Vec<_> = inside
            .paths
            .into_iter()
            .map(|path| (rewrite.new_slot(&format!("{name}.{}", path.join("."))), path))
            .collect();
        install(pipeline, at, only_inside, projections);
    }
}

fn install(pipeline: &mut Pipeline, at: usize, only_inside: bool, projections: Vec<(Slot, Arc<[SmolStr]>)>) {
    let (before, rest) = pipeline.nodes.split_at_mut(at + 1);
    let Some(Node::Scan(scan)) = before.last_mut() else { return };
    let scan: &mut ScanNode = Arc::make_mut(scan);
    let mut replace = |ex: &mut Ex| replace(ex, scan.slot, &projections);
    scan.filters.iter_mut().for_each(&mut replace);
    if !only_inside {
        in_nodes(rest, &mut replace);
        pipeline.output.iter_mut().for_each(replace);
    }
    scan.projections = projections;
}

pub(super) fn in_nodes(nodes: &mut [Node], f: &mut dyn FnMut(&mut Ex)) {
    for node in nodes {
        node.for_each_ex_mut(f);
        if let Node::Upsert(n) = node {
            in_pipeline(Arc::make_mut(&mut Arc::make_mut(n).find), f);
        }
    }
}

fn in_pipeline(pipeline: &mut Pipeline, f: &mut dyn FnMut(&mut Ex)) {
    in_nodes(&mut pipeline.nodes, f);
    pipeline.output.iter_mut().for_each(f);
}

pub(super) fn replace(ex: &mut Ex, slot: Slot, projections: &[(Slot, Arc<[SmolStr]>)]) {
    match ex {
        Ex::Path(s, names) if *s == slot => {
            if let Some((projected, _)) = projections.iter().find(|(_, path)| path == names) {
                *ex = Ex::Slot(*projected);
            }
        }
        Ex::Subquery(p) | Ex::SubqueryCount(p) => {
            in_pipeline(Arc::make_mut(p), &mut |inner| replace(inner, slot, projections));
        }
        other => other.for_each_child_mut(&mut |child| replace(child, slot, projections)),
    }
}

fn subqueries(ex: &mut Ex, rewrite: &mut Rewrite<'_>) {
    match ex {
        Ex::Subquery(p) | Ex::SubqueryCount(p) => project(Arc::make_mut(p), rewrite),
        other => other.for_each_child_mut(&mut |child| subqueries(child, rewrite)),
    }
}
