//! Filters: split into single conditions, moved to the earliest place where all they read is known.

use std::sync::Arc;

use super::{Rewrite, is_barrier};
use crate::plan::expr::Ex;
use crate::plan::{Node, Pipeline};

/// `FILTER a AND b` becomes `FILTER a FILTER b`; what is always true goes.
pub(super) fn split(pipeline: &mut Pipeline) {
    let nodes = std::mem::take(&mut pipeline.nodes);
    for node in nodes {
        match node {
            Node::Filter(e) => {
                let mut parts = Vec::new();
                conjuncts(Arc::unwrap_or_clone(e), &mut parts);
                pipeline
                    .nodes
                    .extend(parts.into_iter().filter(|e| e.truth() != Some(true)).map(|e| Node::Filter(Arc::new(e))));
            }
            node => pipeline.nodes.push(node),
        }
    }
}

/// The conditions that must all hold.
pub(in crate::plan) fn conjuncts(ex: Ex, out: &mut Vec<Ex>) {
    match ex {
        Ex::And(a, b) => {
            conjuncts(*a, out);
            conjuncts(*b, out);
        }
        // NOT (a OR b) is NOT a AND NOT b
        Ex::Not(inner) => match *inner {
            Ex::Or(a, b) => {
                conjuncts(Ex::Not(a), out);
                conjuncts(Ex::Not(b), out);
            }
            inner => out.push(Ex::Not(Box::new(inner))),
        },
        ex => out.push(ex),
    }
}

/// Moves each filter up to just behind the last node that defines something it reads.
pub(super) fn move_up(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    for from in 0..pipeline.nodes.len() {
        let Node::Filter(e) = &pipeline.nodes[from] else { continue };
        if !e.is_deterministic() || e.is_null() {
            continue;
        }
        let mut to = from;
        while to > 0 {
            let before = &pipeline.nodes[to - 1];
            if is_barrier(before) || before.defines().iter().any(|slot| e.reads(*slot)) {
                break;
            }
            to -= 1;
        }
        // filters keep their order among themselves
        while matches!(&pipeline.nodes[to], Node::Filter(_)) && to < from {
            to += 1;
        }
        if to < from {
            let filter = pipeline.nodes.remove(from);
            pipeline.nodes.insert(to, filter);
            rewrite.note("move-filters-up");
        }
    }
}
