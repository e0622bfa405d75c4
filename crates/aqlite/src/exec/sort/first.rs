//! `SORT` with a `LIMIT` behind it: only the rows that can still come first are kept.

use std::cmp::Ordering;
use std::sync::Arc;

use parking_lot::RwLock;

use super::can_be_gathered;
use crate::Result;
use crate::exec::context::Ctx;
use crate::exec::ops::{BoxOp, Op, Rows};
use crate::plan::SortNode;
use crate::value::Value;

/// Rows of which the first are kept.
pub(super) struct Sort {
    pub input: BoxOp,
    pub node: Arc<SortNode>,
    pub rows: Option<Rows>,
}

/// The values sorted by, the position in the input (rows that compare equal keep their order), and the row.
pub(super) struct SortedRow {
    pub keys: Vec<Value>,
    pub at: usize,
    pub row: Vec<Value>,
}

impl SortedRow {
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.keys.iter().chain(&self.row).map(Value::memory).sum::<usize>()
    }
}

impl Sort {
    /// How rows with these keys follow each other.
    pub fn order(node: &SortNode, a: &[Value], b: &[Value]) -> Ordering {
        for ((x, y), (_, ascending)) in a.iter().zip(b).zip(&node.keys) {
            let order = x.compare(y);
            if order.is_ne() {
                return if *ascending { order } else { order.reverse() };
            }
        }
        Ordering::Equal
    }

    /// Evaluates the keys of a row; false when the row comes behind the bar. What only reads an attribute is not
    /// evaluated any more once that is known.
    fn may_come_first(
        node: &SortNode,
        bar: Option<&[Value]>,
        keys: &mut Vec<Value>,
        ctx: &mut Ctx<'_>,
    ) -> Result<bool> {
        let Some(bar) = bar else {
            for (e, _) in &node.keys {
                keys.push(ctx.eval(e)?);
            }
            return Ok(true);
        };
        let mut order = Ordering::Equal;
        for ((e, ascending), least) in node.keys.iter().zip(bar) {
            if order.is_gt() && e.as_path().is_some() {
                continue;
            }
            let key = ctx.eval(e)?;
            if order.is_eq() {
                order = key.compare(least);
                order = if *ascending { order } else { order.reverse() };
            }
            keys.push(key);
        }
        Ok(order.is_lt() || (node.with_equals && order.is_eq()))
    }

    fn gather(&mut self, ctx: &mut Ctx<'_>) -> Result<Rows> {
        let node = Arc::clone(&self.node);
        let mut first = First::new(&node);
        let is_large = first.keep > 0 && can_be_gathered(&node);
        if let Some(split) = if is_large { self.input.split(ctx)? } else { None } {
            let bar: RwLock<Option<Arc<[Value]>>> = RwLock::new(None);
            let make = |op: &mut BoxOp, ctx: &mut Ctx<'_>| -> Result<_> {
                let bar = bar.read().clone();
                Self::candidates(op, &node, bar.as_deref(), ctx).map(|candidates| (candidates, 0))
            };
            split.run(ctx, &make, |(rows, candidates), ctx| {
                let before = first.at;
                for candidate in candidates {
                    // the bar may have become lower meanwhile
                    if first.admits(&candidate.keys) {
                        first.add(SortedRow { at: before + candidate.at, ..candidate }, ctx)?;
                    }
                }
                first.at = before + rows;
                *bar.write() = first.bar.as_deref().map(Arc::from);
                Ok(())
            })?;
        } else {
            let mut keys = Vec::new();
            while self.input.next(ctx)? {
                ctx.tick()?;
                first.at += 1;
                if first.keep == 0 {
                    continue;
                }
                keys.clear();
                if Self::may_come_first(&node, first.bar.as_deref(), &mut keys, ctx)? {
                    let (keys, row) = (std::mem::take(&mut keys), ctx.save(&node.live));
                    first.add(SortedRow { keys, at: first.at, row }, ctx)?;
                }
            }
        }
        let First { mut candidates, keep, at, .. } = first;
        if keep < candidates.len() {
            cut(&node, &mut candidates, keep);
        } else {
            candidates.sort_by(|a, b| Self::order(&node, &a.keys, &b.keys));
        }
        if node.counts {
            ctx.cut_off = at - candidates.len();
        }
        Ok(Rows::new(node.live.clone(), candidates.into_iter().map(|c| c.row).collect()))
    }

    /// How many rows an operator gives, and those of them that may come first.
    fn candidates(
        input: &mut BoxOp,
        node: &SortNode,
        bar: Option<&[Value]>,
        ctx: &mut Ctx<'_>,
    ) -> Result<(usize, Vec<SortedRow>)> {
        let (mut at, mut candidates, mut keys) = (0, Vec::new(), Vec::new());
        while input.next(ctx)? {
            ctx.tick()?;
            at += 1;
            keys.clear();
            if Self::may_come_first(node, bar, &mut keys, ctx)? {
                let candidate = SortedRow { keys: std::mem::take(&mut keys), at, row: ctx.save(&node.live) };
                ctx.set_apart(candidate.memory())?;
                candidates.push(candidate);
            }
        }
        Ok((at, candidates))
    }
}

/// The rows that can still come first.
struct First<'n> {
    node: &'n SortNode,
    keep: usize,
    candidates: Vec<SortedRow>,
    /// The least key that can no longer come first, once enough rows are known.
    bar: Option<Vec<Value>>,
    /// How many rows there were.
    at: usize,
    held: usize,
    most: usize,
}

impl<'n> First<'n> {
    fn new(node: &'n SortNode) -> Self {
        let keep = node.keep.unwrap_or(usize::MAX);
        let most = keep.saturating_mul(2).max(64);
        Self { node, keep, candidates: Vec::new(), bar: None, at: 0, held: 0, most }
    }

    /// Are these the keys of a row that may come first?
    fn admits(&self, keys: &[Value]) -> bool {
        let Some(bar) = &self.bar else { return true };
        let order = Sort::order(self.node, keys, bar);
        order.is_lt() || (self.node.with_equals && order.is_eq())
    }

    fn add(&mut self, candidate: SortedRow, ctx: &mut Ctx<'_>) -> Result<()> {
        let bytes = candidate.memory();
        ctx.grow(bytes)?;
        self.held += bytes;
        self.candidates.push(candidate);
        // twice as many as needed, then half of them go: linear in all
        if self.candidates.len() >= self.most && self.keep < usize::MAX {
            cut(self.node, &mut self.candidates, self.keep);
            self.most = self.most.max(self.candidates.len().saturating_mul(2));
            ctx.shrink(self.held);
            self.held = self.candidates.iter().map(SortedRow::memory).sum();
            ctx.grow(self.held)?;
            self.bar = self.candidates.last().map(|c| c.keys.clone());
        }
        Ok(())
    }
}

/// Sorts, and keeps the first `keep`.
fn cut(node: &SortNode, candidates: &mut Vec<SortedRow>, keep: usize) {
    let order = |a: &SortedRow, b: &SortedRow| Sort::order(node, &a.keys, &b.keys).then(a.at.cmp(&b.at));
    if keep < candidates.len() {
        let (_, last, rest) = candidates.select_nth_unstable_by(keep - 1, order);
        let mut left = keep;
        if node.with_equals {
            // those that are equal to the last one come to stand right behind it
            for at in 0..rest.len() {
                if Sort::order(node, &rest[at].keys, &last.keys).is_eq() {
                    rest.swap(at, left - keep);
                    left += 1;
                }
            }
        }
        candidates.truncate(left);
    }
    candidates.sort_unstable_by(order);
}

impl Op for Sort {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if self.rows.is_none() {
            let rows = self.gather(ctx)?;
            self.rows = Some(rows);
        }
        Ok(self.rows.as_mut().is_some_and(|rows| rows.next(ctx)))
    }
}
