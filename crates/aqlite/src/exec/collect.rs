//! `COLLECT`: groups by hash, ordered afterwards where the order is asked for.

use std::cmp::Ordering;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::context::Ctx;
use super::lookup;
use super::ops::{self, BoxOp, Op};
use crate::Result;
use crate::functions::aggregate::Accumulator;
use crate::plan::expr::Slot;
use crate::plan::{CollectNode, Node, ScanNode};
use crate::value::{Member, Value};

pub(super) fn collect(input: BoxOp, node: Arc<CollectNode>) -> BoxOp {
    Box::new(Collect { input, node, groups: None })
}

/// `FOR d IN c COLLECT WITH COUNT INTO n`: the collection knows its size. Takes the operator before it.
pub(super) fn collection_count(input: &mut BoxOp, nodes: &[Node]) -> Option<BoxOp> {
    let [Node::Scan(scan), Node::Collect(collect), ..] = nodes else { return None };
    let slot = collect.count?;
    if !collect.groups.is_empty() || !collect.aggregates.is_empty() || !lookup::is_whole_collection(scan) {
        return None;
    }
    let input = std::mem::replace(input, ops::once());
    Some(Box::new(CollectionCount { input, scan: Arc::clone(scan), slot, done: false }))
}

struct CollectionCount {
    input: BoxOp,
    scan: Arc<ScanNode>,
    slot: Slot,
    done: bool,
}

impl Op for CollectionCount {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if std::mem::replace(&mut self.done, true) {
            return Ok(false);
        }
        // once for every row that reaches the loop
        let size = ctx.view()?.count(&self.scan.collection)? as i64;
        let mut total = 0;
        while self.input.next(ctx)? {
            total += size;
        }
        ctx.frame[self.slot] = Value::Int(total);
        Ok(true)
    }
}

struct Collect {
    input: BoxOp,
    node: Arc<CollectNode>,
    groups: Option<std::vec::IntoIter<(Vec<Value>, Group)>>,
}

struct Group {
    count: i64,
    accumulators: Vec<Box<dyn Accumulator>>,
    rows: Vec<Value>,
}

/// Memory noted for a group besides its key and what it gathers,
const GROUP_BYTES: usize = size_of::<Group>() + 48;
/// and for each of its accumulators.
const ACCUMULATOR_BYTES: usize = 64;

impl Group {
    fn new(node: &CollectNode) -> Self {
        let accumulators = node.aggregates.iter().map(|(_, aggregate, _)| (aggregate.make)()).collect();
        Self { count: 0, accumulators, rows: Vec::new() }
    }

    fn add(&mut self, node: &CollectNode, ctx: &mut Ctx<'_>) -> Result<()> {
        self.count += 1;
        for ((_, _, args), accumulator) in node.aggregates.iter().zip(&mut self.accumulators) {
            let kept = match args.as_slice() {
                [e] => {
                    let value = ctx.eval(e)?;
                    accumulator.add(&[value], ctx)?
                }
                args => {
                    let values = args.iter().map(|e| ctx.eval(e)).collect::<Result<Vec<_>>>()?;
                    accumulator.add(&values, ctx)?
                }
            };
            ctx.grow(kept)?;
        }
        if let Some((_, e)) = &node.into {
            let row = ctx.eval(e)?;
            ctx.grow(row.memory())?;
            self.rows.push(row);
        }
        Ok(())
    }
}

impl Collect {
    fn gather(&mut self, ctx: &mut Ctx<'_>) -> Result<Vec<(Vec<Value>, Group)>> {
        let node = Arc::clone(&self.node);
        if node.groups.is_empty() {
            let mut group = Group::new(&node);
            while self.input.next(ctx)? {
                ctx.tick()?;
                group.add(&node, ctx)?;
            }
            return Ok(vec![(Vec::new(), group)]);
        }
        let mut groups: IndexMap<Vec<Member>, Group, FxBuildHasher> = IndexMap::default();
        let mut key = Vec::with_capacity(node.groups.len());
        while self.input.next(ctx)? {
            ctx.tick()?;
            key.clear();
            for (_, e) in &node.groups {
                key.push(Member(ctx.eval(e)?));
            }
            if let Some(group) = groups.get_mut(key.as_slice()) {
                group.add(&node, ctx)?;
            } else {
                let key_bytes = key.iter().map(|Member(value)| value.memory()).sum::<usize>();
                ctx.grow(key_bytes + GROUP_BYTES + node.aggregates.len() * ACCUMULATOR_BYTES)?;
                let mut group = Group::new(&node);
                group.add(&node, ctx)?;
                groups.insert(std::mem::take(&mut key), group);
            }
        }
        let values = |key: Vec<Member>| key.into_iter().map(|Member(value)| value).collect();
        let mut groups: Vec<(Vec<Value>, _)> = groups.into_iter().map(|(key, group)| (values(key), group)).collect();
        if node.sorted {
            groups.sort_by(|(a, _), (b, _)| {
                a.iter().zip(b).map(|(x, y)| x.compare(y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
            });
        }
        Ok(groups)
    }
}

impl Op for Collect {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if self.groups.is_none() {
            let groups = self.gather(ctx)?;
            self.groups = Some(groups.into_iter());
        }
        let Some((key, mut group)) = self.groups.as_mut().and_then(Iterator::next) else { return Ok(false) };
        for ((slot, _), value) in self.node.groups.iter().zip(key) {
            ctx.frame[*slot] = value;
        }
        for ((slot, _, _), accumulator) in self.node.aggregates.iter().zip(&mut group.accumulators) {
            ctx.frame[*slot] = accumulator.finish(ctx)?;
        }
        if let Some(slot) = self.node.count {
            ctx.frame[slot] = Value::Int(group.count);
        }
        if let Some((slot, _)) = &self.node.into {
            ctx.frame[*slot] = Value::array(group.rows);
        }
        Ok(true)
    }
}
