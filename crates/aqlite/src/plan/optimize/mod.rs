//! Rewriting of pipelines: filters move to where they cut most, indexes take over conditions and orders, what does not
//! change in a loop leaves it.

mod covering;
mod filters;
mod firsts;
mod groups;
mod hoist;
mod inline;
mod interchange;
mod keys;
mod late;
mod likes;
mod liveness;
mod projections;
mod sorts;
mod together;
mod traversals;
mod unnest;
mod unused;

use std::sync::Arc;

pub(super) use filters::conjuncts;
pub(crate) use likes::{literal_prefix, literal_runs};
pub(super) use sorts::hint_gives_order;

use super::expr::Ex;
use super::rules::{FIRST_ROWS, INLINE_SUBQUERIES, INTERCHANGE, LIKE_RANGE};
use super::{Node, Pipeline, index_choice};
use crate::Result;
use crate::exec::QueryOptions;
use crate::txn::View;
use crate::value::SmolStr;

/// What the rules share.
pub(in crate::plan) struct Rewrite<'a> {
    /// Names of the slots; new slots are added at the end.
    pub names: &'a mut Vec<SmolStr>,
    /// Rules that changed something.
    pub applied: &'a mut Vec<&'static str>,
    /// Rules that are switched off.
    pub options: &'a QueryOptions,
    /// The data, to estimate what is found.
    pub view: &'a View,
}

impl Rewrite<'_> {
    pub(in crate::plan) fn new_slot(&mut self, name: &str) -> usize {
        self.names.push(name.into());
        self.names.len() - 1
    }

    pub(in crate::plan) fn note(&mut self, rule: &'static str) {
        if !self.applied.contains(&rule) {
            self.applied.push(rule);
        }
    }
}

/// Optimises a pipeline and every subquery in it.
pub(super) fn optimize(
    pipeline: &mut Pipeline,
    names: &mut Vec<SmolStr>,
    applied: &mut Vec<&'static str>,
    options: &QueryOptions,
    view: &View,
) -> Result<()> {
    let mut rewrite = Rewrite { names, applied, options, view };
    run(pipeline, false, &mut rewrite)?;
    if rewrite.options.rule("reduce-extraction-to-projection") {
        projections::project(pipeline, &mut rewrite);
    }
    // after everything has its place: what has to be kept where
    liveness::annotate(pipeline);
    together::note(pipeline);
    Ok(())
}

/// Of a pipeline that `is_counted` nobody looks at the rows.
fn run(pipeline: &mut Pipeline, is_counted: bool, rewrite: &mut Rewrite<'_>) -> Result<()> {
    if rewrite.options.rule(INLINE_SUBQUERIES) {
        unnest::inline(pipeline, rewrite);
    }
    if rewrite.options.rule(FIRST_ROWS) {
        firsts::limit(pipeline, rewrite);
    }
    let mut failed = Ok(());
    for_each_pipeline_ex(pipeline, &mut |ex| {
        if failed.is_ok() {
            failed = subqueries(ex, rewrite);
        }
    });
    failed?;
    for node in &mut pipeline.nodes {
        if let Node::Upsert(n) = node {
            run(Arc::make_mut(&mut Arc::make_mut(n).find), false, rewrite)?;
        }
    }
    if rewrite.options.rule(LIKE_RANGE) {
        likes::add_ranges(pipeline, rewrite);
    }
    if rewrite.options.rule("remove-unnecessary-calculations") {
        unused::remove(pipeline, rewrite);
    }
    // before conditions are taken apart: a subquery that writes does so whatever the conditions before it say
    hoist::pull_out_subqueries(pipeline, rewrite);
    filters::split(pipeline);
    if rewrite.options.rule("inline-calculations") {
        inline::inline_paths(pipeline);
        if rewrite.options.rule("remove-unnecessary-calculations") {
            unused::remove(pipeline, rewrite);
        }
    }
    if rewrite.options.rule("move-filters-up") {
        filters::move_up(pipeline, rewrite);
    }
    if rewrite.options.rule(INTERCHANGE) {
        interchange::interchange(pipeline, is_counted, rewrite);
    }
    if rewrite.options.rule("move-calculations-up") {
        hoist::hoist(pipeline, rewrite);
    }
    if rewrite.options.rule("move-filters-into-enumerate") {
        index_choice::attach(pipeline, rewrite)?;
    }
    traversals::push_filters(pipeline, rewrite);
    sorts::use_index_order(pipeline, rewrite);
    sorts::limit_sorts(pipeline, rewrite);
    groups::read_from_index(pipeline, rewrite)?;
    keys::read_keys_only(pipeline, rewrite);
    covering::read_entries_only(pipeline, rewrite);
    late::read_late(pipeline, rewrite);
    Ok(())
}

/// Optimises the subqueries in an expression.
fn subqueries(ex: &mut Ex, rewrite: &mut Rewrite<'_>) -> Result<()> {
    match ex {
        Ex::Subquery(p) => run(Arc::make_mut(p), false, rewrite),
        Ex::SubqueryCount(p) => {
            let pipeline = Arc::make_mut(p);
            late::leave_out_rows(pipeline);
            run(pipeline, true, rewrite)
        }
        _ => {
            let mut result = Ok(());
            ex.for_each_child_mut(&mut |child| {
                if result.is_ok() {
                    result = subqueries(child, rewrite);
                }
            });
            result
        }
    }
}

/// Calls `f` for every expression of a pipeline, its output included.
pub(super) fn for_each_pipeline_ex(pipeline: &mut Pipeline, f: &mut dyn FnMut(&mut Ex)) {
    for node in &mut pipeline.nodes {
        node.for_each_ex_mut(f);
    }
    if let Some(output) = &mut pipeline.output {
        f(output);
    }
}

/// Rows must not pass this node earlier or later than they do.
fn is_barrier(node: &Node) -> bool {
    matches!(node, Node::Limit(_) | Node::Collect(_) | Node::IndexCollect(_) | Node::Window(_) | Node::Distinct(_))
        || node.writes()
}
