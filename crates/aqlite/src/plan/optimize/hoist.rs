//! Work that gives the same in every turn of a loop is done before the loop.

use std::sync::Arc;

use super::{Rewrite, is_barrier};
use crate::plan::expr::{Ex, Slot};
use crate::plan::{Node, Pipeline};

/// Moves invariant assignments before the loops they do not depend on, and gives invariant subqueries in other
/// expressions an assignment of their own there.
pub(super) fn hoist(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    let mut at = 0;
    while at < pipeline.nodes.len() {
        if let Node::Let(_, ex) = &pipeline.nodes[at]
            && worth_moving(ex)
            && let Some(to) = target(pipeline, at, ex, rewrite)
        {
            let node = pipeline.nodes.remove(at);
            pipeline.nodes.insert(to, node);
            rewrite.note("move-calculations-up");
        } else if let Some((to, slot, ex)) = extract(pipeline, at, rewrite) {
            pipeline.nodes.insert(to, Node::Let(slot, Arc::new(ex)));
            rewrite.note("move-calculations-up");
            // the same node again: it may hold another one
            at += 1;
            continue;
        }
        at += 1;
    }
    while let Some((to, slot, ex)) = extract_from_output(pipeline, rewrite) {
        pipeline.nodes.insert(to, Node::Let(slot, Arc::new(ex)));
        rewrite.note("move-calculations-up");
    }
}

/// Reads of variables cost nothing, so moving them gains nothing.
fn worth_moving(ex: &Ex) -> bool {
    !matches!(ex, Ex::Const(_) | Ex::Slot(_) | Ex::Path(..)) && ex.is_deterministic()
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

/// Takes one invariant subquery out of the node at `at`.
fn extract(pipeline: &mut Pipeline, at: usize, rewrite: &mut Rewrite<'_>) -> Option<(usize, Slot, Ex)> {
    let mut node = pipeline.nodes[at].clone();
    let mut found = None;
    node.for_each_ex_mut(&mut |ex| {
        if found.is_none() {
            found = take_subquery(ex, &|sub| target(pipeline, at, sub, rewrite));
        }
    });
    let (to, sub, place) = found?;
    let slot = rewrite.new_slot("hoisted");
    node.for_each_ex_mut(&mut |ex| fill(ex, place, slot));
    pipeline.nodes[at] = node;
    Some((to, slot, sub))
}

fn extract_from_output(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) -> Option<(usize, Slot, Ex)> {
    let mut output = pipeline.output.clone()?;
    let at = pipeline.nodes.len();
    let (to, sub, place) = take_subquery(&mut output, &|sub| target(pipeline, at, sub, rewrite))?;
    let slot = rewrite.new_slot("hoisted");
    fill(&mut output, place, slot);
    pipeline.output = Some(output);
    Some((to, slot, sub))
}

/// Marks where a subquery was taken out until its slot is known.
const TAKEN: Slot = Slot::MAX;

fn take_subquery(ex: &mut Ex, target: &dyn Fn(&Ex) -> Option<usize>) -> Option<(usize, Ex, Slot)> {
    if matches!(ex, Ex::Subquery(_) | Ex::SubqueryCount(_)) {
        if !ex.is_deterministic() {
            return None;
        }
        let to = target(ex)?;
        let sub = std::mem::replace(ex, Ex::Slot(TAKEN));
        return Some((to, sub, TAKEN));
    }
    let mut found = None;
    ex.for_each_child_mut(&mut |child| {
        if found.is_none() {
            found = take_subquery(child, target);
        }
    });
    found
}

fn fill(ex: &mut Ex, place: Slot, slot: Slot) {
    match ex {
        Ex::Slot(s) if *s == place => *s = slot,
        other => other.for_each_child_mut(&mut |child| fill(child, place, slot)),
    }
}
