//! Documents of a view are read as late as can be: not at all where the index keeps every attribute that is read, and
//! behind a `LIMIT` where nothing before it needs more than scores and such attributes.

use std::ops::Range;
use std::sync::Arc;

use super::Rewrite;
use super::projections::{in_nodes, replace};
use crate::plan::expr::{Ex, Slot};
use crate::plan::projection::Uses;
use crate::plan::rules::{COVERED, LATE};
use crate::plan::{MaterializeNode, Node, Pipeline, SearchNode, SortNode};
use crate::value::{SmolStr, Value};

/// Gives the loops over views what they read of the index, and the documents to read to a node behind them.
pub(super) fn read_late(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    // from the last one, because nodes are added behind them
    for at in (0..pipeline.nodes.len()).rev() {
        let Node::Search(search) = &pipeline.nodes[at] else { continue };
        let search = Arc::clone(search);
        let mut all = Uses::default();
        all.of_nodes(&pipeline.nodes[at + 1..], search.slot);
        pipeline.output.iter().for_each(|output| all.of_ex(output, search.slot));
        if covers(&search, &all) {
            if !all.paths.is_empty() && rewrite.options.rule(COVERED) {
                rewrite.note(COVERED);
                let rest = at + 1..pipeline.nodes.len();
                let projections = project(pipeline, rest, search.slot, all, rewrite);
                pipeline.output.iter_mut().for_each(|output| replace(output, search.slot, &projections));
                pipeline.nodes[at] = Node::Search(Arc::new(SearchNode { projections, ..(*search).clone() }));
            }
        } else if rewrite.options.rule(LATE)
            && let Some(limit) = last_limit(pipeline, at, &search)
        {
            rewrite.note(LATE);
            put_off(pipeline, at, limit, &search, rewrite);
        } else if rewrite.options.rule(LATE)
            && let Some((sort, first)) = first_keys(pipeline, at, &search)
        {
            rewrite.note(LATE);
            pipeline.nodes.insert(sort, Node::Sort(Arc::new(first)));
            put_off(pipeline, at, sort, &search, rewrite);
        }
    }
}

/// Rows of a search that are only counted need not be told.
pub(super) fn leave_out_rows(pipeline: &mut Pipeline) {
    let searches = pipeline.nodes.iter().any(|node| matches!(node, Node::Search(_)));
    if searches && pipeline.output.as_ref().is_some_and(Ex::is_deterministic) {
        pipeline.output = Some(Ex::Const(Value::Bool(true)));
    }
}

/// Has the index of every link all that is read?
fn covers(search: &SearchNode, uses: &Uses) -> bool {
    let kept = |path: &Arc<[SmolStr]>| {
        search.links.iter().all(|(_, index)| index.search.as_ref().is_some_and(|s| s.kept(path).is_some()))
    };
    !uses.whole && uses.paths.iter().all(kept)
}

/// The last limit that rows come to without their documents, if that spares any.
fn last_limit(pipeline: &Pipeline, at: usize, search: &SearchNode) -> Option<usize> {
    let mut uses = Uses::default();
    let mut spares = false;
    let mut last = None;
    for (at, node) in pipeline.nodes.iter().enumerate().skip(at + 1) {
        uses.of_nodes(std::slice::from_ref(node), search.slot);
        if !matches!(node, Node::Filter(_) | Node::Let(..) | Node::Sort(_) | Node::Limit(_)) || !covers(search, &uses) {
            break;
        }
        spares |= match node {
            Node::Limit(limit) => limit.offset > 0 || limit.full_count,
            node => matches!(node, Node::Sort(_) | Node::Filter(_)),
        };
        if spares && matches!(node, Node::Limit(_)) {
            last = Some(at);
        }
    }
    last
}

/// Where rows are sorted for a limit and the first keys need no documents: the place of the sort, and one by these keys
/// before it, which leaves the rows that may come before the limit.
fn first_keys(pipeline: &Pipeline, at: usize, search: &SearchNode) -> Option<(usize, SortNode)> {
    let mut uses = Uses::default();
    for (at, node) in pipeline.nodes.iter().enumerate().skip(at + 1) {
        if let (Node::Sort(sort), Some(Node::Limit(_))) = (node, pipeline.nodes.get(at + 1)) {
            // rows that are counted have to come to it
            let keep = sort.keep.filter(|_| !sort.counts)?;
            let known = |(key, _): &&(Ex, bool)| {
                uses.of_ex(key, search.slot);
                covers(search, &uses)
            };
            let keys: Vec<_> = sort.keys.iter().take_while(known).cloned().collect();
            let first =
                SortNode { keys, live: Vec::new(), keep: Some(keep), counts: false, with_equals: true, sorted: 0 };
            return (!first.keys.is_empty()).then_some((at, first));
        }
        uses.of_nodes(std::slice::from_ref(node), search.slot);
        if !matches!(node, Node::Filter(_) | Node::Let(..)) || !covers(search, &uses) {
            return None;
        }
    }
    None
}

/// Lets nodes read attributes that the index keeps, each in a variable of its own.
fn project(
    pipeline: &mut Pipeline,
    nodes: Range<usize>,
    slot: Slot,
    uses: Uses,
    rewrite: &mut Rewrite<'_>,
) -> Vec<(Slot, Arc<[SmolStr]>)> {
    let name = rewrite.names[slot].clone();
    let new = |path: Arc<[SmolStr]>| (rewrite.new_slot(&format!("{name}.{}", path.join("."))), path);
    let projections: Vec<_> = uses.paths.into_iter().map(new).collect();
    in_nodes(&mut pipeline.nodes[nodes], &mut |ex| replace(ex, slot, &projections));
    projections
}

fn put_off(pipeline: &mut Pipeline, at: usize, limit: usize, search: &SearchNode, rewrite: &mut Rewrite<'_>) {
    let before = at + 1..limit + 1;
    let mut uses = Uses::default();
    uses.of_nodes(&pipeline.nodes[before.clone()], search.slot);
    let projections = project(pipeline, before, search.slot, uses, rewrite);
    let place = (rewrite.new_slot("link"), rewrite.new_slot("place"));
    let later = MaterializeNode {
        slot: search.slot,
        link: Ex::Slot(place.0),
        id: Ex::Slot(place.1),
        links: search.links.clone(),
    };
    pipeline.nodes.insert(limit + 1, Node::Materialize(Arc::new(later)));
    pipeline.nodes[at] = Node::Search(Arc::new(SearchNode { projections, place: Some(place), ..search.clone() }));
}
