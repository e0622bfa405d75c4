//! The operators: each pulls rows from the one before it, and a row is what stands in the frame.

use std::sync::Arc;

use super::batch::Batch;
use super::context::{Ctx, Kept};
use super::helpers::{Split, can_be_split};
use super::profile::Measured;
use super::{collect, index_collect, lookup, modify, not_iterable, paths, search, sort, traverse, window};
use crate::Result;
use crate::plan::expr::{Ex, Slot};
use crate::plan::{LimitNode, ListNode, Node, Pipeline};
use crate::seeded::SeededSet;
use crate::value::{Member, STACK, Value};

/// An operator: a row stands in the frame when `next` answers true.
pub(super) trait Op {
    /// Produces the next row.
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool>;

    /// The next rows, for those who look at nothing but variables; `None` where the next one is to be produced by itself.
    fn next_batch(&mut self, _: &mut Ctx<'_>) -> Result<Option<Batch>> {
        Ok(None)
    }

    /// Does it give no more than one row?
    fn is_single(&self) -> bool {
        false
    }

    /// All of its rows, to be computed by several threads; `None` where it gives them one by one.
    fn split(&mut self, _: &mut Ctx<'_>) -> Result<Option<Split>> {
        Ok(None)
    }

    /// Makes it as it was before its first row, to run with other variables; `false` where it cannot be used again. What
    /// it kept is counted no more.
    fn rewind(&mut self) -> bool {
        false
    }
}

/// Any operator.
pub(super) type BoxOp = Box<dyn Op>;

/// The operators of a pipeline, the last one outermost.
pub(super) fn build(pipeline: &Arc<Pipeline>, ctx: &Ctx<'_>) -> BoxOp {
    let mut op: BoxOp = once();
    let mut at = 0;
    let mut measured = 0;
    while at < pipeline.nodes.len() {
        if ctx.profile.is_some() && measured < at {
            op = Box::new(Measured::new(op, &pipeline.nodes[measured..at]));
            measured = at;
        }
        if at % GROW_EVERY == GROW_EVERY - 1 {
            op = Box::new(Grow { input: op });
        }
        if let Some(count) = collect::collection_count(&mut op, &pipeline.nodes[at..]) {
            op = count;
            at += 2;
            continue;
        }
        op = match &pipeline.nodes[at] {
            Node::Filter(_) | Node::Let(..) => {
                // a run of conditions and assignments is one operator
                let steps =
                    pipeline.nodes[at..].iter().take_while(|n| matches!(n, Node::Filter(_) | Node::Let(..))).count();
                let op = self::steps(op, pipeline, at, steps);
                at += steps - 1;
                op
            }
            Node::List(n) => {
                Box::new(List { input: op, node: Arc::clone(n), items: Items::None, kept: Kept::default() })
            }
            Node::Scan(n) => lookup::scan(op, Arc::clone(n)),
            Node::Search(n) => search::search(op, Arc::clone(n)),
            Node::Materialize(n) => search::materialize(op, Arc::clone(n)),
            Node::Traverse(n) => traverse::traverse(op, Arc::clone(n)),
            Node::Paths(n) => paths::paths(op, Arc::clone(n)),
            Node::Sort(n) => sort::sort(op, Arc::clone(n)),
            Node::Limit(n) => Box::new(Limit { input: op, node: Arc::clone(n), seen: 0, done: false }),
            Node::Collect(n) => collect::collect(op, Arc::clone(n)),
            Node::IndexCollect(n) => index_collect::index_collect(op, Arc::clone(n)),
            Node::Distinct(e) => Box::new(Distinct { input: op, value: Arc::clone(e), seen: SeededSet::default() }),
            Node::Window(n) => window::window(op, Arc::clone(n)),
            Node::Modify(n) => modify::modify(op, Arc::clone(n)),
            Node::Upsert(n) => modify::upsert(op, Arc::clone(n)),
        };
        at += 1;
    }
    if ctx.profile.is_some() && measured < at {
        op = Box::new(Measured::new(op, &pipeline.nodes[measured..at]));
    }
    op
}

/// So many conditions and assignments of a pipeline.
pub(super) fn steps(input: BoxOp, pipeline: &Arc<Pipeline>, from: usize, count: usize) -> BoxOp {
    let kept = (0..count).map(|_| Kept::default()).collect();
    Box::new(Steps { input, pipeline: Arc::clone(pipeline), from, kept })
}

/// Operators call each other: so many of them, and the stack is looked after.
const GROW_EVERY: usize = 16;

/// Gives the operators before it more stack where little is left.
struct Grow {
    input: BoxOp,
}

impl Op for Grow {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        stacker::maybe_grow(2 * STACK, 8 * STACK, || self.input.next(ctx))
    }

    fn is_single(&self) -> bool {
        self.input.is_single()
    }

    fn rewind(&mut self) -> bool {
        self.input.rewind()
    }
}

/// The one empty row every pipeline begins with.
struct Once {
    done: bool,
}

/// See [`Once`].
pub(super) fn once() -> BoxOp {
    Box::new(Once { done: false })
}

/// No row at all.
pub(super) fn none() -> BoxOp {
    Box::new(Once { done: true })
}

impl Op for Once {
    fn next(&mut self, _: &mut Ctx<'_>) -> Result<bool> {
        Ok(!std::mem::replace(&mut self.done, true))
    }

    fn is_single(&self) -> bool {
        true
    }

    fn rewind(&mut self) -> bool {
        self.done = false;
        true
    }
}

/// `FILTER`s and `LET`s in a row.
struct Steps {
    input: BoxOp,
    pipeline: Arc<Pipeline>,
    from: usize,
    /// What each of the assignments keeps.
    kept: Vec<Kept>,
}

impl Op for Steps {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        'row: while self.input.next(ctx)? {
            ctx.tick()?;
            for (node, kept) in self.pipeline.nodes[self.from..].iter().zip(&mut self.kept) {
                match node {
                    Node::Filter(e) if !ctx.eval_bool(e)? => {
                        ctx.stats.filtered += 1;
                        continue 'row;
                    }
                    Node::Let(slot, e) => {
                        let value = ctx.eval(e)?;
                        kept.set(ctx, value.own_memory())?;
                        ctx.frame[*slot] = value;
                    }
                    _ => {}
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn is_single(&self) -> bool {
        self.input.is_single()
    }

    fn split(&mut self, ctx: &mut Ctx<'_>) -> Result<Option<Split>> {
        let (pipeline, count) = (&self.pipeline, self.kept.len());
        let mut all = true;
        for node in pipeline.nodes[self.from..].iter().take(count) {
            node.for_each_ex(&mut |ex| all &= can_be_split(ex));
        }
        let split = if all { self.input.split(ctx)? } else { None };
        Ok(split.map(|mut split| {
            split.add_steps(pipeline, self.from, count);
            split
        }))
    }

    fn rewind(&mut self) -> bool {
        self.kept.fill_with(Kept::default);
        self.input.rewind()
    }
}

/// `FOR x IN array`
struct List {
    input: BoxOp,
    node: Arc<ListNode>,
    items: Items,
    kept: Kept,
}

/// What is left of the array.
enum Items {
    None,
    Array(Value, usize),
    Range { next: i64, last: i64 },
}

impl Items {
    fn next(&mut self) -> Option<Value> {
        match self {
            Self::None => None,
            Self::Array(array, at) => {
                let item = match array {
                    Value::Array(items) => items.get(*at).cloned(),
                    stored => (*at < stored.array_len().unwrap_or_default()).then(|| stored.at(*at as i64)),
                };
                *at += 1;
                item
            }
            Self::Range { next, last } => {
                let value = *next;
                if value == *last {
                    *self = Self::None;
                } else {
                    *next += if value < *last { 1 } else { -1 };
                }
                Some(Value::Int(value))
            }
        }
    }
}

impl Op for List {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        loop {
            ctx.tick()?;
            if let Some(item) = self.items.next() {
                ctx.frame[self.node.slot] = item;
                return Ok(true);
            }
            self.items = Items::None;
            self.kept.release(ctx);
            if !self.input.next(ctx)? {
                return Ok(false);
            }
            self.items = match &self.node.source {
                Ex::Range(a, b) => {
                    let (next, last) = ctx.eval_range(a, b)?;
                    Items::Range { next, last }
                }
                source => {
                    let array = ctx.eval(source)?;
                    if !array.is_array() {
                        return Err(not_iterable(&array));
                    }
                    self.kept.add(ctx, array.own_memory())?;
                    Items::Array(array, 0)
                }
            };
        }
    }

    fn rewind(&mut self) -> bool {
        self.items = Items::None;
        self.kept = Kept::default();
        self.input.rewind()
    }
}

/// `LIMIT`
struct Limit {
    input: BoxOp,
    node: Arc<LimitNode>,
    seen: usize,
    done: bool,
}

impl Op for Limit {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let end = self.node.offset.saturating_add(self.node.count);
        while !self.done {
            if self.seen >= end && !self.node.full_count && !self.node.drains {
                break;
            }
            if !self.input.next(ctx)? {
                break;
            }
            self.seen += 1;
            if self.seen > self.node.offset && self.seen <= end {
                return Ok(true);
            }
        }
        self.done = true;
        if self.node.full_count {
            ctx.stats.full_count = Some((self.seen + ctx.cut_off) as u64);
        }
        Ok(false)
    }

    fn rewind(&mut self) -> bool {
        (self.seen, self.done) = (0, false);
        self.input.rewind()
    }
}

/// `RETURN DISTINCT`
struct Distinct {
    input: BoxOp,
    value: Arc<Ex>,
    seen: SeededSet<Member>,
}

impl Op for Distinct {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        while self.input.next(ctx)? {
            ctx.tick()?;
            let value = ctx.eval(&self.value)?;
            let size = value.memory();
            if self.seen.insert(Member(value)) {
                ctx.grow(size)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Rows kept in memory, handed out one by one.
pub(super) struct Rows {
    slots: Vec<Slot>,
    rows: std::vec::IntoIter<Vec<Value>>,
}

impl Rows {
    /// Rows of these slots.
    pub(super) fn new(slots: Vec<Slot>, rows: Vec<Vec<Value>>) -> Self {
        Self { slots, rows: rows.into_iter() }
    }

    /// Puts the next row into the frame.
    pub(super) fn next(&mut self, ctx: &mut Ctx<'_>) -> bool {
        match self.rows.next() {
            Some(row) => {
                ctx.restore(&self.slots, row);
                true
            }
            None => false,
        }
    }
}
