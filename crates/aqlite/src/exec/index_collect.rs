//! Groups that stand one behind the other in an index: see [`IndexCollectNode`].

use std::sync::Arc;

use super::collect::Group;
use super::context::Ctx;
use super::entry::Entry;
use super::lookup;
use super::ops::{BoxOp, Op};
use crate::Result;
use crate::plan::IndexCollectNode;
use crate::txn::RangeScan;
use crate::value::index_key;

/// So many entries of a group are passed over before it is worth to look for the next group.
const PASSED_OVER: usize = 8;

pub(super) fn index_collect(input: BoxOp, node: Arc<IndexCollectNode>) -> BoxOp {
    Box::new(IndexCollect { input, node, run: None, begun: false, entry: Entry::default(), group: Vec::new() })
}

struct IndexCollect {
    input: BoxOp,
    node: Arc<IndexCollectNode>,
    /// What is left to be read; `None`: nothing.
    run: Option<Run>,
    begun: bool,
    /// The entry that was read last, which belongs to the next group.
    entry: Entry,
    /// What the keys of the present group begin with.
    group: Vec<u8>,
}

struct Run {
    range: RangeScan,
    upper: Vec<u8>,
}

impl IndexCollect {
    /// Reads the next entry; `false` where it is not one of the present group.
    fn advance(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        ctx.tick()?;
        let Some(run) = &mut self.run else { return Ok(false) };
        let Some(id) = run.range.next()? else {
            self.run = None;
            return Ok(false);
        };
        ctx.stats.scanned_index += 1;
        let key = run.range.key();
        let is_in_group = !self.group.is_empty() && key.starts_with(&self.group);
        // of the others of a group nobody may want to know more
        if !is_in_group || !self.node.projections.is_empty() {
            self.entry.take(id, key);
        }
        Ok(is_in_group)
    }

    fn begin(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        if !self.input.next(ctx)? {
            return Ok(());
        }
        if let Some((lower, upper)) = lookup::single_run(&self.node.lookup, ctx)? {
            self.open(&lower, upper, ctx)?;
        }
        Ok(())
    }

    /// Goes to the first entry behind a bound.
    fn open(&mut self, lower: &[u8], upper: Vec<u8>, ctx: &mut Ctx<'_>) -> Result<()> {
        let node = &self.node;
        let range = ctx.view()?.range(&node.collection, &node.lookup.index, lower, Some(&upper), false)?;
        self.run = Some(Run { range, upper });
        self.advance(ctx)?;
        Ok(())
    }

    /// Leaves the present group behind without looking at its entries.
    fn leap(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        for _ in 0..PASSED_OVER {
            if !self.advance(ctx)? {
                return Ok(());
            }
        }
        let mut lower = self.group.clone();
        index_key::increment(&mut lower);
        match self.run.take() {
            Some(run) if lower < run.upper => self.open(&lower, run.upper, ctx),
            _ => Ok(()),
        }
    }

    /// Puts what aggregates read of the present entry into the frame.
    fn project(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        let node = &self.node;
        let index = &node.lookup.index;
        if node.projections.is_empty() {
            return Ok(());
        }
        let held = match &self.run {
            Some(run) if !index.stored_values.is_empty() => Some(run.range.held()),
            _ => None,
        };
        for (slot, path) in &node.projections {
            ctx.frame[*slot] = match &held {
                Some(held) => held.path(path),
                None => self.entry.at(path, (&node.collection, index), ctx)?,
            };
        }
        Ok(())
    }
}

impl Op for IndexCollect {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if !std::mem::replace(&mut self.begun, true) {
            self.begin(ctx)?;
        }
        if self.run.is_none() {
            return Ok(false);
        }
        let node = Arc::clone(&self.node);
        let of = (&*node.collection, &*node.lookup.index);
        let end = match node.depth.checked_sub(1) {
            Some(last) => self.entry.end(last, of, ctx)?,
            None => 0,
        };
        self.group.clear();
        self.group.extend_from_slice(self.entry.key().get(..end).unwrap_or_default());
        let mut criteria = Vec::with_capacity(node.fields.len());
        for field in &node.fields {
            criteria.push(self.entry.value(*field, of, ctx)?);
        }
        let mut group = Group::new(&node.collect);
        if node.collect.count.is_none() && node.collect.aggregates.is_empty() {
            self.leap(ctx)?;
        } else {
            loop {
                self.project(ctx)?;
                group.add(&node.collect, ctx)?;
                if !self.advance(ctx)? {
                    break;
                }
            }
        }
        group.hand_over(&node.collect, criteria, ctx)?;
        Ok(true)
    }
}
