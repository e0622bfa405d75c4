//! The shape of a plan: two plans of one query with the same shape do the same work.

use super::expr::Ex;
use super::{AccessPath, Node, Pipeline, Plan, ScanNode};

/// What a plan is made of, without the values that stand in it.
#[derive(PartialEq, Eq)]
pub struct Outline {
    marks: Vec<usize>,
    rules: Vec<&'static str>,
    slots: usize,
}

impl Outline {
    /// Of a plan.
    pub fn of(plan: &Plan) -> Self {
        let mut marks = Vec::new();
        pipeline(&plan.main, &mut marks);
        Self { marks, rules: plan.rules.clone(), slots: plan.slots }
    }
}

fn pipeline(of: &Pipeline, marks: &mut Vec<usize>) {
    marks.push(of.nodes.len());
    for node in &of.nodes {
        match node {
            Node::Scan(n) => scan(n, marks),
            Node::Traverse(n) => {
                marks.extend([2, n.conditions.len(), n.filters.len(), n.indexes.len()]);
                marks.extend([n.needs_vertices, n.needs_edges].map(usize::from));
            }
            Node::Sort(n) => {
                marks.extend([3, n.keys.len(), usize::from(n.keep.is_some()), n.keep.unwrap_or_default(), n.sorted]);
            }
            Node::Limit(n) => marks.extend([4, n.offset, n.count]),
            Node::Upsert(n) => {
                marks.push(5);
                pipeline(&n.find, marks);
            }
            Node::List(_) => marks.push(6),
            Node::Filter(_) => marks.push(7),
            Node::Let(..) => marks.push(8),
            Node::Collect(_) => marks.push(9),
            Node::IndexCollect(_) => marks.push(10),
            Node::Distinct(_) => marks.push(11),
            Node::Window(_) => marks.push(12),
            Node::Modify(_) => marks.push(13),
            Node::Paths(_) => marks.push(14),
            Node::Search(_) => marks.push(15),
            Node::Materialize(_) => marks.push(16),
        }
        node.for_each_ex(&mut |ex| subqueries(ex, marks));
    }
    of.output.iter().for_each(|ex| subqueries(ex, marks));
}

fn scan(node: &ScanNode, marks: &mut Vec<usize>) {
    marks.push(1);
    match &node.access {
        AccessPath::Full { reverse } => marks.extend([1, usize::from(*reverse)]),
        AccessPath::Index { reverse, lookups } => {
            marks.extend([2, usize::from(*reverse), lookups.len()]);
            for lookup in lookups {
                let bounds = [lookup.lower.is_some(), lookup.upper.is_some()].map(usize::from);
                marks.extend([lookup.index.id as usize, lookup.equal.len()].into_iter().chain(bounds));
            }
        }
        AccessPath::Inverted(_) => marks.push(3),
    }
    marks.extend([node.early.len(), node.filters.len(), node.projections.len()]);
    let joins = node.join.is_some();
    marks.extend([node.needs_document, node.keys_only, node.from_entries, node.merged, joins].map(usize::from));
}

fn subqueries(ex: &Ex, marks: &mut Vec<usize>) {
    match ex {
        Ex::Subquery(of) | Ex::SubqueryCount(of) => pipeline(of, marks),
        _ => ex.for_each_child(&mut |child| subqueries(child, marks)),
    }
}
