//! Sorts: left out where an index gives the order, cut short where a limit follows.

use std::sync::Arc;

use super::Rewrite;
use crate::catalog::{Index, IndexKind};
use crate::plan::expr::Slot;
use crate::plan::rules::GEO;
use crate::plan::{AccessPath, KeyPart, Lookup, Node, Pipeline, ScanNode, SortNode, estimates, geo_choice};
use crate::txn::View;
use crate::value::SmolStr;

/// Drops a sort that the index of the first loop already gives, or reads the collection through an index that gives it.
/// Where the index gives the first keys only, the sort has the rest to do.
pub(super) fn use_index_order(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    if !rewrite.options.rule("use-index-for-sort") {
        return;
    }
    let Some(first_loop) = pipeline.nodes.iter().position(Node::is_loop) else { return };
    let Node::Scan(scan) = &pipeline.nodes[first_loop] else { return };
    // only what neither adds nor reorders rows may stand between
    let is_step = |node: &&Node| matches!(node, Node::Filter(_) | Node::Let(..)) && !node.writes();
    let steps = pipeline.nodes[first_loop + 1..].iter().take_while(is_step).count();
    let at = first_loop + 1 + steps;
    let Some(Node::Sort(sort)) = pipeline.nodes.get(at) else { return };
    let by_distance = rewrite.options.rule(GEO);
    let nearest = || {
        if !by_distance {
            return None;
        }
        let access = geo_choice::nearest(scan, &pipeline.nodes[first_loop + 1..at], sort)?;
        Some(Ordered { access, new: true, keys: 1, merged: false })
    };
    let Some(ordered) = ordered_access(scan, sort).or_else(nearest) else { return };
    let is_by_distance = matches!(&ordered.access, AccessPath::Index { lookups, .. } if lookups[0].area.is_some());
    let complete = ordered.keys == sort.keys.len();
    let hinted = scan.hint.is_some();
    if ordered.new && !hinted && !is_limited(pipeline, at, complete) {
        // reading a whole collection through an index is dearer than sorting it, unless only a part is wanted
        return;
    }
    if ordered.merged && !is_worth_merging(pipeline, at, scan, complete, rewrite.view) {
        return;
    }
    let mut node = (**scan).clone();
    node.access = ordered.access;
    node.merged = ordered.merged;
    pipeline.nodes[first_loop] = Node::Scan(Arc::new(node));
    if complete {
        pipeline.nodes.remove(at);
    } else if let Node::Sort(sort) = &mut pipeline.nodes[at] {
        Arc::make_mut(sort).sorted = ordered.keys;
    }
    if is_by_distance {
        rewrite.note(GEO);
    } else {
        rewrite.note("use-indexes");
        rewrite.note("use-index-for-sort");
    }
    rewrite.note("remove-unnecessary-calculations-2");
}

/// Whether a limit can end the query before all rows were sorted.
fn is_limited(pipeline: &Pipeline, sort_at: usize, complete: bool) -> bool {
    limit_behind(pipeline, sort_at, complete).is_some()
}

/// How many rows a limit behind a sort lets come before it ends the query.
fn limit_behind(pipeline: &Pipeline, sort_at: usize, complete: bool) -> Option<usize> {
    let streams =
        |n: &&Node| matches!(n, Node::Let(..)) || (!complete && (n.is_loop() || matches!(n, Node::Filter(_))));
    match pipeline.nodes[sort_at + 1..].iter().find(|n| !streams(n))? {
        Node::Limit(limit) if !limit.full_count => Some(limit.offset.saturating_add(limit.count)),
        _ => None,
    }
}

/// Whether much less is read when the runs of a loop are merged than when all they find is sorted.
fn is_worth_merging(pipeline: &Pipeline, sort_at: usize, scan: &ScanNode, complete: bool, view: &View) -> bool {
    let AccessPath::Index { lookups, .. } = &scan.access else { return false };
    let Some(rows) = limit_behind(pipeline, sort_at, complete) else { return false };
    let found: f64 = lookups.iter().map(|lookup| estimates::found(view, &scan.collection, lookup)).sum();
    let runs: f64 = lookups.iter().map(estimates::values).sum();
    found > 2.0 * (runs + rows as f64)
}

/// An access in the order of a sort.
struct Ordered {
    access: AccessPath,
    /// The collection was to be read without an index.
    new: bool,
    /// How many of the keys it orders.
    keys: usize,
    /// It has several runs that have to be merged for it.
    merged: bool,
}

/// The first sort keys that are attributes of the variable, as far as they have one direction.
fn sort_paths(slot: Slot, sort: &SortNode) -> Option<(Vec<&[SmolStr]>, bool)> {
    let ascending = sort.keys.first()?.1;
    let paths: Vec<_> = sort
        .keys
        .iter()
        .map_while(|(e, asc)| match e.as_path() {
            Some((s, path)) if s == slot && !path.is_empty() && *asc == ascending => Some(path),
            _ => None,
        })
        .collect();
    (!paths.is_empty()).then_some((paths, ascending))
}

/// Access in the order of the sort, or of its first keys.
fn ordered_access(scan: &ScanNode, sort: &SortNode) -> Option<Ordered> {
    let (paths, ascending) = sort_paths(scan.slot, sort)?;
    match &scan.access {
        AccessPath::Index { lookups, .. } => {
            let [lookup] = lookups.as_slice() else { return merged_access(lookups, &paths, ascending) };
            if lookup.index.kind == IndexKind::Primary && lookup.equal.is_empty() {
                let access = AccessPath::Index { reverse: !ascending, lookups: lookups.clone() };
                return is_key_order(sort, &paths).then_some(Ordered { access, new: false, keys: 1, merged: false });
            }
            if lookup.equal.iter().any(|p| matches!(p, KeyPart::In(_))) {
                return merged_access(lookups, &paths, ascending);
            }
            if !sortable(&lookup.index) {
                return None;
            }
            let fields = field_paths(&lookup.index);
            // fields fixed by an equality may stand in the sort or be left out of it
            let mut rest = fields[lookup.equal.len()..].iter();
            let fixed = &fields[..lookup.equal.len()];
            let keys = paths.iter().take_while(|path| fixed.contains(path) || rest.next() == Some(path)).count();
            let access = AccessPath::Index { reverse: !ascending, lookups: lookups.clone() };
            (keys > 0).then_some(Ordered { access, new: false, keys, merged: false })
        }
        AccessPath::Full { .. } if !scan.no_index => {
            if scan.admits_any_index()
                && let Some(ordered) = by_key(scan, sort, &paths, ascending)
            {
                return Some(ordered);
            }
            let common = |index: &Index| field_paths(index).iter().zip(&paths).take_while(|(a, b)| a == b).count();
            let usable = || scan.collection.indexes.iter().filter(|index| sortable(index) && !index.sparse);
            // one that is asked for, in the order in which they are named, else of equally good ones the first
            let hinted = scan
                .hint
                .iter()
                .flat_map(|(names, _)| names)
                .find_map(|name| usable().find(|index| index.name == *name && common(index) > 0));
            let index = match hinted {
                None if scan.admits_any_index() => usable().rev().max_by_key(|index| common(index))?,
                hinted => hinted?,
            };
            let keys = common(index);
            let access = AccessPath::Index { reverse: !ascending, lookups: vec![Lookup::whole(index)] };
            (keys > 0).then_some(Ordered { access, new: true, keys, merged: false })
        }
        AccessPath::Full { .. } | AccessPath::Inverted(_) => None,
    }
}

/// Several runs of entries, each in the order of the same keys behind the values that it begins with.
fn merged_access(lookups: &[Lookup], paths: &[&[SmolStr]], ascending: bool) -> Option<Ordered> {
    let in_order = |lookup: &Lookup| {
        if !sortable(&lookup.index) || lookup.area.is_some() {
            return 0;
        }
        field_paths(&lookup.index)[lookup.equal.len()..].iter().zip(paths).take_while(|(a, b)| a == b).count()
    };
    let keys = lookups.iter().map(in_order).min().filter(|keys| *keys > 0)?;
    let access = AccessPath::Index { reverse: !ascending, lookups: lookups.to_vec() };
    Some(Ordered { access, new: false, keys, merged: true })
}

/// `SORT d._key` alone is the order of the primary index: that of the bytes of the keys, as in ArangoDB.
fn by_key(scan: &ScanNode, sort: &SortNode, paths: &[&[SmolStr]], ascending: bool) -> Option<Ordered> {
    let access = is_key_order(sort, paths).then(|| whole_primary_index(scan, !ascending))??;
    Some(Ordered { access, new: false, keys: 1, merged: false })
}

fn is_key_order(sort: &SortNode, paths: &[&[SmolStr]]) -> bool {
    matches!(paths, [[name]] if name == "_key") && sort.keys.len() == 1
}

/// Can the order be read from an index that the loop asks for?
pub(in crate::plan) fn hint_gives_order(scan: &ScanNode, sort: &SortNode) -> bool {
    ordered_access(scan, sort).is_some()
}

/// Every document, by its key.
pub(super) fn whole_primary_index(scan: &ScanNode, reverse: bool) -> Option<AccessPath> {
    let primary = scan.collection.indexes.iter().find(|index| matches!(index.kind, IndexKind::Primary))?;
    let lookup = Lookup { field: SmolStr::new_static("_key"), ..Lookup::whole(primary) };
    Some(AccessPath::Index { reverse, lookups: vec![lookup] })
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
        let (keep, counts) = (limit.offset.saturating_add(limit.count), limit.full_count);
        // nothing is sorted for a limit that lets nothing pass, unless a subquery before it writes
        if keep == 0 && !counts {
            continue;
        }
        if let Node::Sort(sort) = &mut pipeline.nodes[at]
            && sort.sorted == 0
        {
            let sort = Arc::make_mut(sort);
            (sort.keep, sort.counts) = (Some(keep), counts);
            rewrite.note("sort-limit");
        }
    }
}
