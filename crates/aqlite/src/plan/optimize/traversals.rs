//! Conditions on a traversal are tested while it walks: those on the row before it is handed on, those on every vertex
//! or edge of the path as soon as a branch breaks them.

use std::sync::Arc;

use super::Rewrite;
use crate::lang::ast::BinaryOp;
use crate::plan::expr::{Ex, Quantity, Slot};
use crate::plan::{Node, PathCondition, Pipeline, TraverseNode};
use crate::value::{SmolStr, Value};

/// Moves the filters right behind a traversal into it.
pub(super) fn push_filters(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    if !rewrite.options.rule("optimize-traversals") {
        return;
    }
    for at in 0..pipeline.nodes.len() {
        while let (Some(Node::Traverse(_)), Some(Node::Filter(filter))) =
            (pipeline.nodes.get(at), pipeline.nodes.get(at + 1))
        {
            let filter = (**filter).clone();
            let condition = match &pipeline.nodes[at] {
                Node::Traverse(t) => path_condition(t, &filter, rewrite),
                _ => None,
            };
            pipeline.nodes.remove(at + 1);
            if let Node::Traverse(t) = &mut pipeline.nodes[at] {
                let t = Arc::make_mut(t);
                t.conditions.extend(condition);
                t.filters.push(filter);
            }
            rewrite.note("optimize-traversals");
        }
    }
}

/// A condition that every longer path inherits, so that breaking it ends the branch.
fn path_condition(t: &TraverseNode, filter: &Ex, rewrite: &mut Rewrite<'_>) -> Option<PathCondition> {
    let path = t.path?;
    let independent =
        |e: &Ex| [t.vertex, t.edge, t.path].into_iter().flatten().all(|s| !e.reads(s)) && e.is_deterministic();
    match filter {
        // p.vertices[*].a ALL == x, p.edges[*].b NONE == y
        Ex::ArrayCompare(quantity @ (Quantity::All | Quantity::None), op, left, right) if independent(right) => {
            let Ex::Expansion(x) = &**left else { return None };
            if x.filter.is_some() || x.limit.is_some() || x.flatten > 0 {
                return None;
            }
            let part = part_of_path(&x.base, path)?;
            let slot = rewrite.new_slot("path");
            let element = match &x.projection {
                None => Ex::Slot(slot),
                Some(projection) => {
                    let mut element = projection.clone();
                    rename(&mut element, x.current, slot);
                    element
                }
            };
            let mut test = Ex::Binary(*op, Box::new(element), right.clone());
            if matches!(quantity, Quantity::None) {
                test = Ex::Not(Box::new(test));
            }
            Some(match part {
                Part::Vertices => PathCondition::EveryVertex { slot, test },
                Part::Edges => PathCondition::EveryEdge { slot, test },
            })
        }
        // p.edges[0].a == x, x == p.edges[0].a
        Ex::Binary(op, left, right) if is_comparison(*op) && (independent(left) || independent(right)) => {
            let mirrored = op.mirrored().filter(|_| independent(left));
            let (op, left, right) = match mirrored {
                Some(mirrored) => (mirrored, right, left),
                None => (*op, left, right),
            };
            if !independent(right) {
                return None;
            }
            let slot = rewrite.new_slot("path");
            let (part, depth, element) = element_of_path(left, path, slot)?;
            let test = Ex::Binary(op, Box::new(element), right.clone());
            Some(match part {
                Part::Vertices => PathCondition::VertexAt { depth, slot, test },
                Part::Edges => PathCondition::EdgeAt { depth, slot, test },
            })
        }
        _ => None,
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::In
            | BinaryOp::NotIn
    )
}

enum Part {
    Vertices,
    Edges,
}

fn part_of_path(ex: &Ex, path: Slot) -> Option<Part> {
    match ex.as_path()? {
        (slot, [name]) if slot == path => match name.as_str() {
            "vertices" => Some(Part::Vertices),
            "edges" => Some(Part::Edges),
            _ => None,
        },
        _ => None,
    }
}

/// `p.vertices[2].a.b` as the part, the position, and the same access on the element alone.
fn element_of_path(ex: &Ex, path: Slot, slot: Slot) -> Option<(Part, usize, Ex)> {
    let mut names: Vec<SmolStr> = Vec::new();
    let mut at = ex;
    while let Ex::Attribute(base, name) = at {
        names.push(name.clone());
        at = base;
    }
    let Ex::Index(base, index) = at else { return None };
    let Ex::Const(Value::Int(depth)) = **index else { return None };
    let part = part_of_path(base, path)?;
    names.reverse();
    let element = if names.is_empty() { Ex::Slot(slot) } else { Ex::Path(slot, names.into()) };
    usize::try_from(depth).ok().map(|depth| (part, depth, element))
}

fn rename(ex: &mut Ex, from: Slot, to: Slot) {
    match ex {
        Ex::Slot(s) | Ex::Path(s, _) if *s == from => *s = to,
        other => other.for_each_child_mut(&mut |child| rename(child, from, to)),
    }
}
