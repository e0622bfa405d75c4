//! Running a pipeline to its end: the rows of a query or of a subquery, as values or as text, or only their number.

use std::sync::Arc;

use super::context::{Ctx, Kept};
use super::helpers::{Split, can_be_split};
use super::lookup;
use super::ops::{BoxOp, build};
use super::rows::ResultRows;
use super::text::{TextRows, TextWriter};
use crate::Result;
use crate::plan::expr::Ex;
use crate::plan::{Node, Pipeline};
use crate::value::Value;

/// Takes a row and tells how many bytes of them it has now; `None` when nobody wants more.
pub(super) type Sink<'s> = dyn FnMut(Value) -> Option<usize> + 's;

/// Runs a pipeline and hands over what its rows give, one by one, until `sink` wants no more.
pub(super) fn run_each(pipeline: &Arc<Pipeline>, ctx: &mut Ctx<'_>, sink: &mut Sink<'_>) -> Result<()> {
    let mut op = build(pipeline, ctx);
    let mut kept = Kept::default();
    while op.next(ctx)? {
        let Some(output) = &pipeline.output else { continue };
        match sink(ctx.eval(output)?) {
            Some(bytes) => kept.set(ctx, bytes)?,
            None => break,
        }
    }
    Ok(())
}

/// Runs a pipeline and gathers what its rows give.
pub(super) fn run_to_end(pipeline: &Arc<Pipeline>, ctx: &mut Ctx<'_>) -> Result<Vec<Value>> {
    let before = ctx.memory();
    let mut op = take(pipeline, ctx);
    let (mut rows, mut size) = (Vec::new(), 0);
    match split(pipeline, &mut op, ctx)? {
        None => (rows, size) = values(pipeline, &mut op, ctx)?,
        Some(split) => split.run(
            ctx,
            &|op, ctx| values(pipeline, op, ctx).map(|(rows, bytes)| ((rows, bytes), bytes)),
            |(more, bytes): (Vec<Value>, usize), ctx| {
                size += bytes;
                ctx.grow(bytes)?;
                ctx.make_room(&mut rows, more.len())?;
                rows.extend(more);
                Ok(())
            },
        )?,
    }
    // what the operators kept is free again, the rows are not
    ctx.reset_memory(before + size);
    put_back(pipeline, op, ctx);
    Ok(rows)
}

/// What is left of the rows, and the bytes they take.
fn values(pipeline: &Pipeline, op: &mut BoxOp, ctx: &mut Ctx<'_>) -> Result<(Vec<Value>, usize)> {
    if pipeline.stays_together {
        return together(pipeline, op, ctx);
    }
    let (mut rows, mut size) = (Vec::new(), 0);
    while op.next(ctx)? {
        if let Some(output) = &pipeline.output {
            let value = ctx.eval_inner_row(output)?;
            let bytes = value.row_memory();
            ctx.grow(bytes)?;
            size += bytes;
            ctx.make_room(&mut rows, 1)?;
            rows.push(value);
        }
    }
    Ok((rows, size))
}

/// The same of rows that share their memory.
fn together(pipeline: &Pipeline, op: &mut BoxOp, ctx: &mut Ctx<'_>) -> Result<(Vec<Value>, usize)> {
    let (mut rows, mut size) = (ResultRows::default(), 0);
    while op.next(ctx)? {
        if let Some(output) = &pipeline.output {
            rows.make_room(ctx)?;
            let bytes = ctx.eval_row(output, &mut rows)?;
            ctx.grow(bytes)?;
            size += bytes;
        }
    }
    Ok((rows.finish(), size))
}

/// The rows for several threads, where their values can be computed so.
fn split(pipeline: &Pipeline, op: &mut BoxOp, ctx: &mut Ctx<'_>) -> Result<Option<Split>> {
    if pipeline.output.as_ref().is_some_and(can_be_split) { op.split(ctx) } else { Ok(None) }
}

/// The same for the query itself, whose rows stay together.
pub(super) fn run_query(pipeline: &Arc<Pipeline>, ctx: &mut Ctx<'_>) -> Result<Vec<Value>> {
    let before = ctx.memory();
    let mut op = build(pipeline, ctx);
    let make = |op: &mut BoxOp, ctx: &mut Ctx<'_>| -> Result<_> {
        together(pipeline, op, ctx).map(|(rows, size)| ((rows, size), size))
    };
    let (rows, size) = match split(pipeline, &mut op, ctx)? {
        None => make(&mut op, ctx)?.0,
        Some(split) => {
            let (mut rows, mut size) = (Vec::new(), 0);
            split.run(ctx, &make, |(more, bytes): (Vec<Value>, usize), ctx| {
                size += bytes;
                ctx.grow(bytes)?;
                ctx.make_room(&mut rows, more.len())?;
                rows.extend(more);
                Ok(())
            })?;
            (rows, size)
        }
    };
    ctx.reset_memory(before + size);
    Ok(rows)
}

/// The same for a query whose rows are only sent.
pub(super) fn run_text(pipeline: &Arc<Pipeline>, ctx: &mut Ctx<'_>) -> Result<TextRows> {
    let before = ctx.memory();
    let mut op = build(pipeline, ctx);
    let Some(output) = &pipeline.output else {
        while op.next(ctx)? {}
        ctx.reset_memory(before);
        return Ok(TextRows::default());
    };
    let make = |op: &mut BoxOp, ctx: &mut Ctx<'_>| -> Result<_> {
        let (mut writer, mut size) = (TextWriter::new(output), 0);
        while op.next(ctx)? {
            let bytes = writer.write(ctx)?;
            ctx.grow(bytes)?;
            size += bytes;
        }
        Ok(((writer.finish(), size), size))
    };
    let (rows, size) = match split(pipeline, &mut op, ctx)? {
        None => make(&mut op, ctx)?.0,
        Some(split) => {
            let (mut rows, mut size) = (TextRows::default(), 0);
            split.run(ctx, &make, |(more, bytes), ctx| {
                size += bytes;
                ctx.grow(bytes)?;
                rows.append(&more, ctx)
            })?;
            (rows, size)
        }
    };
    ctx.reset_memory(before + size);
    Ok(rows)
}

/// Runs a pipeline and counts its rows.
pub(super) fn count_rows(pipeline: &Arc<Pipeline>, ctx: &mut Ctx<'_>) -> Result<usize> {
    if let [Node::Scan(scan)] = pipeline.nodes.as_slice()
        && pipeline.output.as_ref().is_some_and(Ex::is_deterministic)
    {
        // a bare collection knows its size
        if lookup::is_whole_collection(scan) {
            return Ok(ctx.view()?.count(&scan.collection)? as usize);
        }
        if ctx.profile.is_none()
            && let Some(edges) = lookup::edges_of_all(scan, ctx)?
        {
            return Ok(edges);
        }
    }
    let before = ctx.memory();
    let mut op = take(pipeline, ctx);
    let make = |op: &mut BoxOp, ctx: &mut Ctx<'_>| -> Result<_> {
        let mut rows = 0;
        while op.next(ctx)? {
            // what a row gives is evaluated only for what it may do besides
            if let Some(output) = &pipeline.output
                && !output.is_deterministic()
            {
                ctx.eval(output)?;
            }
            rows += 1;
        }
        Ok((rows, 0))
    };
    let mut rows = 0;
    match split(pipeline, &mut op, ctx)? {
        None => rows = make(&mut op, ctx)?.0,
        Some(split) => split.run(ctx, &make, |more, _| {
            rows += more;
            Ok(())
        })?,
    }
    ctx.reset_memory(before);
    put_back(pipeline, op, ctx);
    Ok(rows)
}

/// So many subqueries keep their operators.
const KEPT_OPERATORS: usize = 16;

/// Operators of subqueries that have run, each with the place of its pipeline in the plan.
pub(super) type Idle = Vec<(usize, BoxOp)>;

/// The operators of a subquery: those of its last run where they can be used again.
fn take(pipeline: &Arc<Pipeline>, ctx: &mut Ctx<'_>) -> BoxOp {
    let place = Arc::as_ptr(pipeline).addr();
    match ctx.idle.iter().position(|(of, _)| *of == place) {
        Some(at) => ctx.idle.swap_remove(at).1,
        None => build(pipeline, ctx),
    }
}

fn put_back(pipeline: &Arc<Pipeline>, mut op: BoxOp, ctx: &mut Ctx<'_>) {
    if ctx.idle.len() < KEPT_OPERATORS && op.rewind() {
        ctx.idle.push((Arc::as_ptr(pipeline).addr(), op));
    }
}
