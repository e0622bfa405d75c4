//! Work that gives the same in every turn of a loop is done before the loop.

use std::sync::Arc;

use super::{Rewrite, is_barrier};
use crate::plan::expr::{Ex, Slot};
use crate::plan::{Node, Pipeline};

/// Subqueries inside other expressions are pulled out: they run before the clause they stand in, whatever becomes of their
/// value there, as in ArangoDB.
pub(super) fn pull_out_subqueries(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    let nodes = std::mem::take(&mut pipeline.nodes);
    for mut node in nodes {
        // the update of an UPSERT reads OLD, which only the UPSERT itself knows
        let is_subquery = matches!(&node, Node::Let(_, e) if matches!(**e, Ex::Subquery(_) | Ex::SubqueryCount(_)));
        if !is_subquery && !matches!(node, Node::Upsert(_)) {
            let mut pulled = Vec::new();
            node.for_each_ex_mut(&mut |ex| pull(ex, rewrite, &mut pulled));
            pipeline.nodes.append(&mut pulled);
        }
        pipeline.nodes.push(node);
    }
    if let Some(output) = &mut pipeline.output {
        pull(output, rewrite, &mut pipeline.nodes);
    }
}

fn pull(ex: &mut Ex, rewrite: &mut Rewrite<'_>, out: &mut Vec<Node>) {
    match ex {
        Ex::Subquery(_) | Ex::SubqueryCount(_) => {
            let slot = rewrite.new_slot("subquery");
            let subquery = std::mem::replace(ex, Ex::Slot(slot));
            out.push(Node::Let(slot, Arc::new(subquery)));
        }
        // what stands in an expansion may read its CURRENT
        Ex::Expansion(x) => pull(&mut x.base, rewrite, out),
        Ex::Question(q) => pull(&mut q.base, rewrite, out),
        other => other.for_each_child_mut(&mut |child| pull(child, rewrite, out)),
    }
}

/// Moves invariant assignments before the loops they do not depend on.
pub(super) fn hoist(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    for at in 0..pipeline.nodes.len() {
        if let Node::Let(_, ex) = &pipeline.nodes[at]
            && worth_moving(ex)
            && let Some(to) = target(pipeline, at, ex, rewrite)
        {
            let node = pipeline.nodes.remove(at);
            pipeline.nodes.insert(to, node);
            rewrite.note("move-calculations-up");
        }
    }
}

/// Reads of variables cost nothing, so moving them gains nothing.
fn worth_moving(ex: &Ex) -> bool {
    !matches!(ex, Ex::Const(_) | Ex::Bound(_) | Ex::Slot(_) | Ex::Path(..)) && ex.is_deterministic()
}

/// The position of the outermost loop before `at` that the expression does not depend on.
fn target(pipeline: &Pipeline, at: usize, ex: &Ex, rewrite: &Rewrite<'_>) -> Option<usize> {
    let mut reads_current = false;
    ex.for_each_slot(&mut |s| reads_current |= rewrite.names[s] == "CURRENT" && !defined_inside(ex, s));
    if reads_current {
        return None;
    }
    let mut found = None;
    for to in (0..at).rev() {
        let node = &pipeline.nodes[to];
        if is_barrier(node) || node.defines().iter().any(|slot| ex.reads(*slot)) {
            break;
        }
        if node.is_loop() {
            found = Some(to);
        }
    }
    found
}

/// Is the slot the `CURRENT` of an expansion within the expression?
fn defined_inside(ex: &Ex, slot: Slot) -> bool {
    match ex {
        Ex::Expansion(x) if x.current == slot => true,
        Ex::Question(q) if q.current == slot => true,
        Ex::Subquery(p) | Ex::SubqueryCount(p) => {
            let mut found = p.output.as_ref().is_some_and(|e| defined_inside(e, slot));
            for node in &p.nodes {
                node.for_each_ex(&mut |e| found |= defined_inside(e, slot));
            }
            found
        }
        _ => {
            let mut found = false;
            ex.for_each_child(&mut |child| found |= defined_inside(child, slot));
            found
        }
    }
}
