//! Sorts: left out where an index gives the order, cut short where a limit follows.

use std::sync::Arc;

use super::Rewrite;
use crate::catalog::{Index, IndexKind};
use crate::plan::expr::Slot;
use crate::plan::{Access, KeyPart, Lookup, Node, Pipeline, ScanNode, SortNode};
use crate::value::SmolStr;

/// Drops a sort that the index of the first loop already gives, or reads the collection through an index that gives it.
pub(super) fn use_index_order(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    if !rewrite.options.rule("use-index-for-sort") {
        return;
    }
    let Some(first_loop) = pipeline.nodes.iter().position(Node::is_loop) else { return };
    let Node::Scan(scan) = &pipeline.nodes[first_loop] else { return };
    // only what neither adds nor reorders rows may stand between
    let steps =
        pipeline.nodes[first_loop + 1..].iter().take_while(|n| matches!(n, Node::Filter(_) | Node::Let(..))).count();
    let at = first_loop + 1 + steps;
    let Some(Node::Sort(sort)) = pipeline.nodes.get(at) else { return };
    let Some((access, new_scan)) = ordered_access(scan, sort) else { return };
    let mut node = (**scan).clone();
    if new_scan && !followed_by_limit(pipeline, at) {
        // reading a whole collection through an index is dearer than sorting it, unless only a part is wanted
        return;
    }
    node.access = access;
    pipeline.nodes[first_loop] = Node::Scan(Arc::new(node));
    pipeline.nodes.remove(at);
    rewrite.note("use-index-for-sort");
}

fn followed_by_limit(pipeline: &Pipeline, sort_at: usize) -> bool {
    pipeline.nodes[sort_at + 1..]
        .iter()
        .find(|n| !matches!(n, Node::Let(..)))
        .is_some_and(|n| matches!(n, Node::Limit(l) if !l.full_count))
}

/// The sort keys as attributes of the variable, all in one direction.
fn sort_paths(slot: Slot, sort: &SortNode) -> Option<(Vec<&[SmolStr]>, bool)> {
    let ascending = sort.keys.first()?.1;
    let paths = sort
        .keys
        .iter()
        .map(|(e, asc)| match e.as_path() {
            Some((s, path)) if s == slot && !path.is_empty() && *asc == ascending => Some(path),
            _ => None,
        })
        .collect::<Option<_>>()?;
    Some((paths, ascending))
}

/// Access in the order of the sort, and whether it is a new one.
fn ordered_access(scan: &ScanNode, sort: &SortNode) -> Option<(Access, bool)> {
    let (paths, ascending) = sort_paths(scan.slot, sort)?;
    match &scan.access {
        Access::Index { lookups, .. } => {
            let [lookup] = lookups.as_slice() else { return None };
            if !sortable(&lookup.index) || lookup.equal.iter().any(|p| matches!(p, KeyPart::In(_))) {
                return None;
            }
            let fields = field_paths(&lookup.index);
            // fields fixed by an equality may stand in the sort or be left out of it
            let mut rest = fields[lookup.equal.len()..].iter();
            for path in paths {
                if fields[..lookup.equal.len()].contains(&path) {
                    continue;
                }
                if rest.next() != Some(&path) {
                    return None;
                }
            }
            Some((Access::Index { reverse: !ascending, lookups: lookups.clone() }, false))
        }
        Access::Full { .. } if !scan.no_index && scan.hint.is_none() => {
            let index = scan
                .collection
                .indexes
                .iter()
                .find(|index| sortable(index) && !index.sparse && field_paths(index).starts_with(&paths))?;
            let lookup = Lookup {
                index: Arc::clone(index),
                field: SmolStr::default(),
                equal: Vec::new(),
                lower: None,
                upper: None,
            };
            Some((Access::Index { reverse: !ascending, lookups: vec![lookup] }, true))
        }
        Access::Full { .. } => None,
    }
}

fn sortable(index: &Index) -> bool {
    index.kind == IndexKind::Persistent && index.fields.iter().all(|f| f.expand_after.is_none())
}

fn field_paths(index: &Index) -> Vec<&[SmolStr]> {
    index.fields.iter().map(|f| f.names.as_slice()).collect()
}

/// `SORT … LIMIT n` keeps n rows.
pub(super) fn limit_sorts(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    if !rewrite.options.rule("sort-limit") {
        return;
    }
    for at in 0..pipeline.nodes.len() {
        let Some(Node::Limit(limit)) = pipeline.nodes.get(at + 1) else { continue };
        let keep = limit.offset.saturating_add(limit.count);
        if limit.full_count {
            continue;
        }
        if let Node::Sort(sort) = &mut pipeline.nodes[at] {
            Arc::make_mut(sort).keep = Some(keep);
            rewrite.note("sort-limit");
        }
    }
}
