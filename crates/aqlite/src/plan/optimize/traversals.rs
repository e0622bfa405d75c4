//! Conditions on a traversal are tested while it walks: those on the row before it is handed on, those on every vertex
//! or edge of the path as soon as a branch breaks them.

use std::sync::Arc;

use super::Rewrite;
use crate::catalog::{FieldPath, Index, IndexKind};
use crate::lang::ast::BinaryOp;
use crate::plan::expr::{Ex, Quantity, Slot};
use crate::plan::index_choice::comparison;
use crate::plan::{EdgeIndex, Node, PathCondition, Pipeline, TraverseNode, Unique};
use crate::value::{SmolStr, Value};

/// Moves the filters right behind a traversal into it.
pub(super) fn push_filters(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    if !rewrite.options.rule("optimize-traversals") {
        return;
    }
    for at in 0..pipeline.nodes.len() {
        while let (Some(Node::Traverse(_)), Some(Node::Filter(filter))) =
            (pipeline.nodes.get(at), pipeline.nodes.get(at + 1).filter(|node| !node.writes()))
        {
            let filter = (**filter).clone();
            let condition = match &pipeline.nodes[at] {
                Node::Traverse(t) => path_condition(t, &filter, rewrite).or_else(|| only_edge(t, &filter, rewrite)),
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
        // filters went into those before: there may be no node at this place any more
        if let Some(Node::Traverse(t)) = pipeline.nodes.get_mut(at) {
            let indexes = indexes(t);
            if !indexes.is_empty() {
                Arc::make_mut(t).indexes = indexes;
            }
        }
    }
}

/// The indexes that begin with an end of the edges and go on with attributes that every edge must have.
fn indexes(t: &TraverseNode) -> Vec<EdgeIndex> {
    let mut found = Vec::new();
    for (source, edges) in t.edges.iter().enumerate() {
        for (outbound, end) in [(true, "_from"), (false, "_to")] {
            if !(if outbound { edges.outbound } else { edges.inbound }) {
                continue;
            }
            let best = edges.collection.indexes.iter().filter_map(|index| {
                let values = wanted(t, index, end);
                (!values.is_empty()).then(|| EdgeIndex { source, outbound, index: Arc::clone(index), values })
            });
            found.extend(best.max_by_key(|index| index.values.len()));
        }
    }
    found
}

/// What the fields behind the end of the edge must equal.
fn wanted(t: &TraverseNode, index: &Index, end: &str) -> Vec<Ex> {
    let is_ordered = index.kind == IndexKind::Persistent && !index.sparse && !index.expands();
    let Some((first, rest)) = index.fields.split_first().filter(|_| is_ordered) else { return Vec::new() };
    if !matches!(first.names.as_slice(), [name] if name == end) {
        return Vec::new();
    }
    let value_of = |field: &FieldPath| {
        t.conditions.iter().find_map(|condition| match condition {
            PathCondition::EveryEdge { slot, test: Ex::Binary(BinaryOp::Eq, left, value) } => match &**left {
                Ex::Path(s, names) if s == slot && **names == *field.names => Some((**value).clone()),
                _ => None,
            },
            _ => None,
        })
    };
    rest.iter().map_while(value_of).collect()
}

/// A condition on the edge of the row, which is every edge where a walk has but one.
fn only_edge(t: &TraverseNode, filter: &Ex, rewrite: &mut Rewrite<'_>) -> Option<PathCondition> {
    // where each vertex is visited once it matters which edges lead there
    if !matches!(t.max, Ex::Const(Value::Int(..=1))) || t.unique_vertices == Unique::Global {
        return None;
    }
    let (path, op, value) = comparison(t.edge?, filter)?;
    let is_independent = [t.vertex, t.path].into_iter().flatten().all(|slot| !value.reads(slot));
    if !is_independent || !value.is_deterministic() {
        return None;
    }
    let slot = rewrite.new_slot("path");
    let test = Ex::Binary(op, Box::new(Ex::Path(slot, path.into())), Box::new(value.clone()));
    Some(PathCondition::EveryEdge { slot, test })
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
