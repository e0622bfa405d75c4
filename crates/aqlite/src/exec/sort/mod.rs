//! `SORT`; `SORT` with a `LIMIT` behind it, which keeps only the rows that can still come first; and `SORT` of rows that
//! come in the order of the first keys already, which sorts group by group.

mod encoded;

use std::cmp::Ordering;
use std::sync::Arc;

use super::context::Ctx;
use super::ops::{BoxOp, Op, Rows};
use crate::Result;
use crate::plan::SortNode;
use crate::value::Value;
use encoded::Keys;

pub(super) fn sort(input: BoxOp, node: Arc<SortNode>) -> BoxOp {
    if node.sorted > 0 {
        return Box::new(Grouped { input, node, rows: None, next: None, memory: 0 });
    }
    if node.keep.is_none() {
        return Box::new(Whole { input, node, rows: None });
    }
    Box::new(Sort { input, node, rows: None })
}

/// All rows are kept and sorted.
struct Whole {
    input: BoxOp,
    node: Arc<SortNode>,
    rows: Option<Ordered>,
}

/// The values of rows one after the other, and the order in which the rows are handed out.
struct Ordered {
    values: Vec<Value>,
    order: std::vec::IntoIter<u32>,
}

impl Whole {
    fn gather(&mut self, ctx: &mut Ctx<'_>) -> Result<Ordered> {
        let node = Arc::clone(&self.node);
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        let mut rows = 0;
        while self.input.next(ctx)? {
            ctx.tick()?;
            rows += 1;
            let (first_key, first_value) = (keys.len(), values.len());
            for (e, _) in &node.keys {
                keys.push(ctx.eval(e)?);
            }
            values.extend(node.live.iter().map(|slot| ctx.frame[*slot].clone()));
            let kept = keys[first_key..].iter().chain(&values[first_value..]);
            ctx.grow(encoded::ROW_BYTES + kept.map(Value::memory).sum::<usize>())?;
        }
        let ascending: Vec<bool> = node.keys.iter().map(|(_, ascending)| *ascending).collect();
        let order = Keys { rows, values: &keys, ascending: &ascending }.order();
        Ok(Ordered { values, order: order.into_iter() })
    }
}

impl Op for Whole {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if self.rows.is_none() {
            self.rows = Some(self.gather(ctx)?);
        }
        let Some(rows) = &mut self.rows else { return Ok(false) };
        let Some(at) = rows.order.next() else { return Ok(false) };
        let width = self.node.live.len();
        for (slot, value) in self.node.live.iter().zip(&mut rows.values[at as usize * width..]) {
            ctx.frame[*slot] = std::mem::take(value);
        }
        Ok(true)
    }
}

struct Sort {
    input: BoxOp,
    node: Arc<SortNode>,
    rows: Option<Rows>,
}

/// The values sorted by, the position in the input (rows that compare equal keep their order), and the row.
struct SortedRow {
    keys: Vec<Value>,
    at: usize,
    row: Vec<Value>,
}

impl SortedRow {
    fn memory(&self) -> usize {
        size_of::<Self>() + self.keys.iter().chain(&self.row).map(Value::memory).sum::<usize>()
    }
}

impl Sort {
    fn order(node: &SortNode, a: &[Value], b: &[Value]) -> Ordering {
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
        let keep = node.keep.unwrap_or(usize::MAX);
        let mut candidates: Vec<SortedRow> = Vec::new();
        // the least key that can no longer come first, once enough rows are known
        let mut bar: Option<Vec<Value>> = None;
        let (mut at, mut held) = (0, 0);
        let mut most = keep.saturating_mul(2).max(64);
        let mut keys = Vec::new();
        while (keep > 0 || node.counts) && self.input.next(ctx)? {
            ctx.tick()?;
            at += 1;
            if keep == 0 {
                continue;
            }
            keys.clear();
            if !Self::may_come_first(&node, bar.as_deref(), &mut keys, ctx)? {
                continue;
            }
            let keys = std::mem::take(&mut keys);
            let row = ctx.save(&node.live);
            let candidate = SortedRow { keys, at, row };
            let bytes = candidate.memory();
            ctx.grow(bytes)?;
            held += bytes;
            candidates.push(candidate);
            // twice as many as needed, then half of them go: linear in all
            if candidates.len() >= most && keep < usize::MAX {
                cut(&node, &mut candidates, keep);
                most = most.max(candidates.len().saturating_mul(2));
                ctx.shrink(held);
                held = candidates.iter().map(SortedRow::memory).sum();
                ctx.grow(held)?;
                bar = candidates.last().map(|c| c.keys.clone());
            }
        }
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

/// Rows come in the order of the first keys: those that agree on them are sorted by the others and handed on before the
/// next ones are read.
struct Grouped {
    input: BoxOp,
    node: Arc<SortNode>,
    rows: Option<Rows>,
    /// The first row of the next group.
    next: Option<SortedRow>,
    memory: usize,
}

impl Grouped {
    /// The next row of the input.
    fn read(&mut self, ctx: &mut Ctx<'_>) -> Result<Option<SortedRow>> {
        if !self.input.next(ctx)? {
            return Ok(None);
        }
        ctx.tick()?;
        let mut keys = Vec::with_capacity(self.node.keys.len());
        for (e, _) in &self.node.keys {
            keys.push(ctx.eval(e)?);
        }
        Ok(Some(SortedRow { keys, at: 0, row: ctx.save(&self.node.live) }))
    }

    /// The next group; `None` at the end.
    fn gather(&mut self, ctx: &mut Ctx<'_>) -> Result<Option<Rows>> {
        ctx.shrink(std::mem::take(&mut self.memory));
        let first = match self.next.take() {
            Some(first) => first,
            None => match self.read(ctx)? {
                Some(first) => first,
                None => return Ok(None),
            },
        };
        let prefix = ..self.node.sorted;
        let mut group = vec![first];
        while let Some(row) = self.read(ctx)? {
            if Sort::order(&self.node, &row.keys[prefix], &group[0].keys[prefix]).is_ne() {
                self.next = Some(row);
                break;
            }
            let bytes = row.memory();
            ctx.grow(bytes)?;
            self.memory += bytes;
            group.push(row);
        }
        group.sort_by(|a, b| Sort::order(&self.node, &a.keys, &b.keys));
        Ok(Some(Rows::new(self.node.live.clone(), group.into_iter().map(|c| c.row).collect())))
    }
}

impl Op for Grouped {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        loop {
            if self.rows.as_mut().is_some_and(|rows| rows.next(ctx)) {
                return Ok(true);
            }
            self.rows = self.gather(ctx)?;
            if self.rows.is_none() {
                return Ok(false);
            }
        }
    }
}
