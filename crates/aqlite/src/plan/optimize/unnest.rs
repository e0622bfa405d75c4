//! `FOR x IN (FOR d IN c FILTER … RETURN d)` is `FOR d IN c FILTER …`: a subquery that is only looped over becomes a part
//! of the query around it, so that conditions and orders there reach its loops, and its rows are not gathered first.

use std::sync::Arc;

use super::Rewrite;
use super::projections::in_nodes;
use crate::plan::expr::{Ex, Slot};
use crate::plan::rules::INLINE_SUBQUERIES;
use crate::plan::{Node, Pipeline};

/// Puts the clauses of such subqueries in the place of the loops over them.
pub(super) fn inline(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    let mut at = 0;
    while at < pipeline.nodes.len() {
        match source(pipeline, at) {
            // what comes to stand here may be such a loop again
            Some(source) => {
                rewrite.note(INLINE_SUBQUERIES);
                at = replace(pipeline, at, source);
            }
            None => at += 1,
        }
    }
}

struct Source {
    /// Where it is assigned to a variable, if it is.
    assigned: Option<usize>,
    subquery: Arc<Pipeline>,
}

fn source(pipeline: &Pipeline, at: usize) -> Option<Source> {
    let Node::List(list) = &pipeline.nodes[at] else { return None };
    let found = match &list.source {
        Ex::Subquery(subquery) => Source { assigned: None, subquery: Arc::clone(subquery) },
        Ex::Slot(slot) if reads(pipeline, *slot) == 1 => {
            let assigned = pipeline.nodes[..at].iter().position(|node| matches!(node, Node::Let(s, _) if s == slot))?;
            let Node::Let(_, ex) = &pipeline.nodes[assigned] else { return None };
            let Ex::Subquery(subquery) = &**ex else { return None };
            // it would read behind what is written
            if pipeline.nodes[assigned..at].iter().any(Node::writes) {
                return None;
            }
            Source { assigned: Some(assigned), subquery: Arc::clone(subquery) }
        }
        _ => return None,
    };
    can_be_inlined(&found.subquery, &pipeline.nodes[..at]).then_some(found)
}

/// How often a variable is read.
fn reads(pipeline: &Pipeline, slot: Slot) -> usize {
    let mut times = 0;
    pipeline.for_each_slot(&mut |s| times += usize::from(s == slot));
    times
}

fn can_be_inlined(subquery: &Pipeline, before: &[Node]) -> bool {
    let is_plain = |node: &Node| node.is_loop() || matches!(node, Node::Filter(_) | Node::Let(..));
    let is_first = before.iter().all(|node| matches!(node, Node::Let(..)));
    // an order is one of all rows: it stays that only where nothing stands around it
    let fits = |node: &Node| is_plain(node) || (is_first && matches!(node, Node::Sort(_)));
    subquery.output.is_some()
        && subquery.nodes.iter().any(Node::is_loop)
        && subquery.nodes.iter().all(fits)
        && subquery.is_deterministic()
        && before.iter().all(is_plain)
        // what gives the same in every turn of the loops around is computed once
        && (!before.iter().any(Node::is_loop) || reads_loops(subquery, before))
}

/// Does it read something that the loops around make another one in every turn?
fn reads_loops(subquery: &Pipeline, before: &[Node]) -> bool {
    let inside = before.iter().skip_while(|node| !node.is_loop());
    let defined: Vec<Slot> = inside.flat_map(Node::defines).collect();
    let mut found = false;
    subquery.for_each_slot(&mut |slot| found |= defined.contains(&slot));
    found
}

/// Tells where the first of the new clauses stands.
fn replace(pipeline: &mut Pipeline, mut at: usize, source: Source) -> usize {
    let Node::List(list) = pipeline.nodes.remove(at) else { return at };
    let Pipeline { nodes, output, .. } = Arc::unwrap_or_clone(source.subquery);
    let rest = pipeline.nodes.split_off(at);
    if let Some(assigned) = source.assigned {
        pipeline.nodes.remove(assigned);
        at -= 1;
    }
    pipeline.nodes.extend(nodes);
    let behind = pipeline.nodes.len();
    match output {
        Some(Ex::Slot(row)) => {
            pipeline.nodes.extend(rest);
            let mut rename = |ex: &mut Ex| rename(ex, list.slot, row);
            in_nodes(&mut pipeline.nodes[behind..], &mut rename);
            pipeline.output.iter_mut().for_each(rename);
        }
        output => {
            pipeline.nodes.extend(output.map(|row| Node::Let(list.slot, Arc::new(row))));
            pipeline.nodes.extend(rest);
        }
    }
    at
}

/// Lets an expression, and the subqueries in it, read another variable.
fn rename(ex: &mut Ex, from: Slot, to: Slot) {
    match ex {
        Ex::Slot(slot) | Ex::Path(slot, _) if *slot == from => *slot = to,
        Ex::Subquery(pipeline) | Ex::SubqueryCount(pipeline) => {
            let pipeline = Arc::make_mut(pipeline);
            in_nodes(&mut pipeline.nodes, &mut |inner| rename(inner, from, to));
            pipeline.output.iter_mut().for_each(|inner| rename(inner, from, to));
        }
        other => other.for_each_child_mut(&mut |child| rename(child, from, to)),
    }
}
