//! `SORT`; `SORT` with a `LIMIT` behind it, which keeps only the rows that can still come first; and `SORT` of rows that
//! come in the order of the first keys already, which sorts group by group.

mod encoded;
mod first;

use std::slice;
use std::sync::Arc;

use super::batch::{Batch, Given};
use super::context::Ctx;
use super::helpers::{self, can_be_split};
use super::ops::{BoxOp, Op, Rows};
use crate::Result;
use crate::plan::SortNode;
use crate::plan::expr::Ex;
use crate::value::Value;
use encoded::Keys;
use first::{Sort, SortedRow};

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

/// Rows that are to be sorted: their keys and their values, one row behind the other.
#[derive(Default)]
struct Gathered {
    keys: Vec<Value>,
    values: Vec<Value>,
    rows: usize,
    bytes: usize,
}

impl Gathered {
    /// All rows of an operator.
    fn of(input: &mut BoxOp, node: &SortNode, ctx: &mut Ctx<'_>) -> Result<Self> {
        let mut gathered = Self::default();
        let by_columns = node.keys.iter().all(|(key, _)| matches!(key, Ex::Slot(_)));
        loop {
            if by_columns && let Some(batch) = input.next_batch(ctx)? {
                gathered.add_all(&batch, node, ctx)?;
            } else if input.next(ctx)? {
                ctx.tick()?;
                gathered.add(node, ctx)?;
            } else {
                return Ok(gathered);
            }
        }
    }

    /// The present row.
    fn add(&mut self, node: &SortNode, ctx: &mut Ctx<'_>) -> Result<()> {
        let (first_key, first_value) = (self.keys.len(), self.values.len());
        ctx.make_room(&mut self.keys, node.keys.len())?;
        ctx.make_room(&mut self.values, node.live.len())?;
        for (key, _) in &node.keys {
            self.keys.push(ctx.eval(key)?);
        }
        self.values.extend(node.live.iter().map(|slot| ctx.frame[*slot].clone()));
        self.note(1, first_key, first_value, ctx)
    }

    /// Those of a batch, whose keys stand in variables.
    fn add_all(&mut self, batch: &Batch, node: &SortNode, ctx: &mut Ctx<'_>) -> Result<()> {
        let (first_key, first_value) = (self.keys.len(), self.values.len());
        let keys = node.keys.iter().map(|(key, _)| Given::of(slice::from_ref(key), batch, ctx));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let live = node.live.iter().map(|slot| Given::of(&[Ex::Slot(*slot)], batch, ctx));
        let live = live.collect::<Result<Vec<_>>>()?;
        ctx.make_room(&mut self.keys, keys.len() * batch.rows.len())?;
        ctx.make_room(&mut self.values, live.len() * batch.rows.len())?;
        for row in batch.rows.iter().map(|row| *row as usize) {
            self.keys.extend(keys.iter().flat_map(|key| key.at(row)).cloned());
            self.values.extend(live.iter().flat_map(|value| value.at(row)).cloned());
        }
        self.note(batch.rows.len(), first_key, first_value, ctx)
    }

    /// So many more rows were added, whose keys and values begin there.
    fn note(&mut self, rows: usize, first_key: usize, first_value: usize, ctx: &mut Ctx<'_>) -> Result<()> {
        let kept = self.keys[first_key..].iter().chain(&self.values[first_value..]);
        let bytes = rows * encoded::ROW_BYTES + kept.map(Value::memory).sum::<usize>();
        self.rows += rows;
        self.bytes += bytes;
        ctx.grow(bytes)
    }

    fn append(&mut self, others: Self, ctx: &mut Ctx<'_>) -> Result<()> {
        ctx.grow(others.bytes)?;
        ctx.make_room(&mut self.keys, others.keys.len())?;
        ctx.make_room(&mut self.values, others.values.len())?;
        self.keys.extend(others.keys);
        self.values.extend(others.values);
        self.rows += others.rows;
        Ok(())
    }
}

/// Can helpers gather the rows?
fn can_be_gathered(node: &SortNode) -> bool {
    node.keys.iter().all(|(e, _)| can_be_split(e))
}

impl Whole {
    fn gather(&mut self, ctx: &mut Ctx<'_>) -> Result<Ordered> {
        let node = Arc::clone(&self.node);
        let split = if can_be_gathered(&node) { self.input.split(ctx)? } else { None };
        let gathered = if let Some(split) = split {
            let mut all = Gathered::default();
            let make = |op: &mut BoxOp, ctx: &mut Ctx<'_>| -> Result<_> {
                let gathered = Gathered::of(op, &node, ctx)?;
                let bytes = gathered.bytes;
                Ok((gathered, bytes))
            };
            split.run(ctx, &make, |more, ctx| all.append(more, ctx))?;
            all
        } else {
            Gathered::of(&mut self.input, &node, ctx)?
        };
        let Gathered { keys, values, rows, .. } = gathered;
        let ascending: Vec<bool> = node.keys.iter().map(|(_, ascending)| *ascending).collect();
        let helpers = helpers::for_rows(rows, ctx)?;
        let keys = Keys { rows, values: &keys, ascending: &ascending };
        // held while it is sorted
        let bytes = keys.long_texts();
        ctx.grow(bytes)?;
        let order = keys.order(helpers);
        ctx.shrink(bytes);
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
