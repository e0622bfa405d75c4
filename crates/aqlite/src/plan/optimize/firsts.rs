//! Subqueries of which only the first rows count: they end when those are there.

use std::sync::Arc;

use super::Rewrite;
use crate::lang::ast::BinaryOp;
use crate::plan::expr::Ex;
use crate::plan::rules::FIRST_ROWS;
use crate::plan::{LimitNode, Node, Pipeline};
use crate::value::Value;

/// With more rows than this it is as well to count them all.
const MOST: i64 = 1000;

/// Limits the subqueries of a pipeline: `FIRST(subquery)` to one row, and where the number of rows is compared with a
/// constant to one more than that.
pub(super) fn limit(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    super::for_each_pipeline_ex(pipeline, &mut |ex| limit_in(ex, rewrite));
}

fn limit_in(ex: &mut Ex, rewrite: &mut Rewrite<'_>) {
    match ex {
        Ex::Call(function, args) if function.name == "FIRST" => {
            if let [Ex::Subquery(subquery)] = args.as_mut_slice() {
                cut(subquery, 1, rewrite);
            }
        }
        Ex::Binary(op, left, right) if is_comparison(*op) => {
            if let (Ex::SubqueryCount(subquery), number) | (number, Ex::SubqueryCount(subquery)) =
                (&mut **left, &mut **right)
                && let Some(Value::Int(constant @ 0..=MOST)) = number.known()
            {
                cut(subquery, constant as usize + 1, rewrite);
            }
        }
        _ => {}
    }
    ex.for_each_child_mut(&mut |child| limit_in(child, rewrite));
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

fn cut(subquery: &mut Arc<Pipeline>, count: usize, rewrite: &mut Rewrite<'_>) {
    let is_loop = subquery.nodes.iter().any(Node::is_loop);
    let is_limited = matches!(subquery.nodes.last(), Some(Node::Limit(limit)) if limit.count <= count);
    // what writes, or is another one each time, does so for every row
    if !is_loop || is_limited || !subquery.is_deterministic() {
        return;
    }
    let limit = LimitNode { offset: 0, count, full_count: false, drains: false };
    Arc::make_mut(subquery).nodes.push(Node::Limit(Arc::new(limit)));
    rewrite.note(FIRST_ROWS);
}
