//! What has to be kept where: the variables a row must carry past a node that stores rows, and the documents that
//! somebody looks at.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::for_each_pipeline_ex;
use crate::plan::expr::{Ex, Slot};
use crate::plan::{Node, Pipeline};

/// Fills in `live`, `eager`, `needs_document`, `needs_vertices` and `needs_edges`, in subqueries too.
pub(super) fn annotate(pipeline: &mut Pipeline) {
    for_each_pipeline_ex(pipeline, &mut |ex| subqueries(ex));
    for node in &mut pipeline.nodes {
        if let Node::Upsert(n) = node {
            annotate(Arc::make_mut(&mut Arc::make_mut(n).find));
        }
    }
    drain_behind_writes(pipeline);
    // walking backwards: what is read from here on
    let mut read: FxHashSet<Slot> = FxHashSet::default();
    if let Some(output) = &pipeline.output {
        output.for_each_slot(&mut |s| {
            read.insert(s);
        });
    }
    let mut limited = false;
    for at in (0..pipeline.nodes.len()).rev() {
        let (before, rest) = pipeline.nodes.split_at_mut(at);
        let node = &mut rest[0];
        let defined = |own: Vec<Slot>| -> Vec<Slot> {
            before
                .iter()
                .flat_map(Node::defines)
                .chain(own)
                .filter(|s| read.contains(s))
                .collect::<FxHashSet<_>>()
                .into_iter()
                .collect()
        };
        match node {
            Node::Sort(n) => Arc::make_mut(n).live = defined(Vec::new()),
            Node::Window(n) => Arc::make_mut(n).live = defined(Vec::new()),
            Node::Modify(n) => {
                let own: Vec<Slot> = n.old.into_iter().chain(n.new).collect();
                let n = Arc::make_mut(n);
                n.returns = own.iter().any(|s| read.contains(s));
                n.eager = limited.then(|| defined(own));
            }
            Node::Upsert(n) => {
                let own = vec![n.old, n.new];
                let n = Arc::make_mut(n);
                n.returns = own.iter().any(|s| read.contains(s));
                n.eager = limited.then(|| defined(own));
            }
            Node::Limit(_) => limited = true,
            Node::Scan(n) => {
                let slot = n.slot;
                let needed = read.contains(&slot) || n.filters.iter().any(|f| f.reads(slot));
                Arc::make_mut(n).needs_document = needed;
            }
            Node::Search(n) => {
                let needed = read.contains(&n.slot);
                Arc::make_mut(n).needs_document = needed;
            }
            // before it nobody has the document
            Node::Materialize(n) => {
                read.remove(&n.slot);
            }
            Node::Traverse(n) => {
                let inside = |slot: Option<Slot>| {
                    slot.is_some_and(|s| {
                        read.contains(&s)
                            || n.filters.iter().any(|f| f.reads(s))
                            || n.prune.as_ref().is_some_and(|(_, e)| e.reads(s))
                    })
                };
                let path = inside(n.path);
                let (vertices, edges) = (inside(n.vertex) || path, inside(n.edge) || path);
                let n = Arc::make_mut(n);
                n.needs_vertices = vertices;
                n.needs_edges = edges;
                if !path {
                    n.path = None;
                }
            }
            _ => {}
        }
        node.for_each_slot(&mut |s| {
            read.insert(s);
        });
    }
}

/// What a subquery writes is written for every row, however few of them a `LIMIT` lets pass.
fn drain_behind_writes(pipeline: &mut Pipeline) {
    let mut writes = false;
    for node in &mut pipeline.nodes {
        match node {
            Node::Limit(limit) if writes => Arc::make_mut(limit).drains = true,
            _ => node.for_each_ex(&mut |ex| writes |= ex.modifies()),
        }
    }
}

fn subqueries(ex: &mut Ex) {
    match ex {
        Ex::Subquery(p) | Ex::SubqueryCount(p) => annotate(Arc::make_mut(p)),
        other => other.for_each_child_mut(&mut subqueries),
    }
}
