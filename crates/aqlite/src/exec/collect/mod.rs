//! `COLLECT`: groups by hash, ordered afterwards where the order is asked for.

mod columns;
mod parts;

use std::cmp::Ordering;
use std::slice;
use std::sync::Arc;

use indexmap::IndexSet;

use super::context::Ctx;
use super::lookup;
use super::ops::{self, BoxOp, Op};
use crate::Result;
use crate::functions::aggregate::Accumulator;
use crate::memory::Room;
use crate::plan::expr::{Ex, Slot};
use crate::plan::{CollectNode, Node, ScanNode};
use crate::seeded::{Seeded, SeededMap};
use crate::value::{Lent, Member, Value};

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

/// The groups in the order in which they came, found by their keys.
struct Groups<G> {
    /// By the only criterion: in the same order,
    by_one: IndexSet<Member, Seeded>,
    /// or by all of them.
    by_all: SeededMap<Vec<Member>, usize>,
    groups: Vec<G>,
    key: Vec<Member>,
}

impl<G> Groups<G> {
    fn new(criteria: usize) -> Self {
        let key = Vec::with_capacity(criteria);
        Self { by_one: IndexSet::default(), by_all: SeededMap::default(), groups: Vec::new(), key }
    }

    /// The group of the present row, or the key of a new one.
    fn find(&mut self, node: &CollectNode, ctx: &mut Ctx<'_>) -> Result<std::result::Result<&mut G, Vec<Member>>> {
        let found = if let [(_, Ex::Slot(slot))] = node.groups.as_slice() {
            // copied only where it is a new one
            let key = &ctx.frame[*slot];
            let found = self.by_one.get_index_of(&Lent(key));
            if found.is_none() {
                self.key.push(Member(key.clone()));
            }
            found
        } else if let [(_, only)] = node.groups.as_slice() {
            let key = Member(ctx.eval(only)?);
            let found = self.by_one.get_index_of(&key);
            if found.is_none() {
                self.key.push(key);
            }
            found
        } else {
            self.key.clear();
            for (_, e) in &node.groups {
                self.key.push(Member(ctx.eval(e)?));
            }
            self.by_all.get(self.key.as_slice()).copied()
        };
        Ok(match found.and_then(|at| self.groups.get_mut(at)) {
            Some(group) => Ok(group),
            None => Err(std::mem::take(&mut self.key)),
        })
    }

    /// Where the group with a key stands.
    fn known(&self, key: &[Member]) -> Option<usize> {
        match key {
            [only] => self.by_one.get_index_of(only),
            all => self.by_all.get(all).copied(),
        }
    }

    fn add(&mut self, mut key: Vec<Member>, group: G) -> &mut G {
        let at = self.groups.len();
        if key.len() == 1 {
            self.by_one.extend(key.pop());
        } else {
            self.by_all.insert(key, at);
        }
        self.groups.push(group);
        &mut self.groups[at]
    }

    fn into_vec(self) -> Vec<(Vec<Value>, G)> {
        let mut keys: Vec<Vec<Value>> = vec![Vec::new(); self.groups.len()];
        for (key, Member(value)) in keys.iter_mut().zip(self.by_one) {
            *key = vec![value];
        }
        for (key, at) in self.by_all {
            keys[at] = key.into_iter().map(|Member(value)| value).collect();
        }
        keys.into_iter().zip(self.groups).collect()
    }
}

pub(super) struct Group {
    count: i64,
    accumulators: Vec<Box<dyn Accumulator>>,
    rows: Vec<Value>,
}

/// So many groups are moved only after asking.
const MANY: usize = 16 << 10;
/// Memory noted for a group besides its key and what it gathers, also for the list in which it is handed over,
const GROUP_BYTES: usize = size_of::<Group>() + 96;
/// and for each of its accumulators.
const ACCUMULATOR_BYTES: usize = 64;

impl Group {
    pub fn new(node: &CollectNode) -> Self {
        let accumulators = node.aggregates.iter().map(|(_, aggregate, _)| (aggregate.make)()).collect();
        Self { count: 0, accumulators, rows: Vec::new() }
    }

    /// Takes in the present row.
    pub fn add(&mut self, node: &CollectNode, ctx: &mut Ctx<'_>) -> Result<()> {
        self.count += 1;
        for ((_, _, args), accumulator) in node.aggregates.iter().zip(&mut self.accumulators) {
            let kept = match args.as_slice() {
                // what stands somewhere is lent, not copied
                [Ex::Const(value)] => accumulator.add(slice::from_ref(value), ctx)?,
                [Ex::Slot(slot)] => {
                    let value = std::mem::take(&mut ctx.frame[*slot]);
                    let kept = accumulator.add(slice::from_ref(&value), ctx);
                    ctx.frame[*slot] = value;
                    kept?
                }
                [e] => {
                    let value = ctx.eval(e)?;
                    accumulator.add(&[value], ctx)?
                }
                args => {
                    let values = args.iter().map(|e| ctx.eval(e)).collect::<Result<Vec<_>>>()?;
                    accumulator.add(&values, ctx)?
                }
            };
            if kept > 0 {
                ctx.grow(kept)?;
            }
        }
        if let Some((_, e)) = &node.into {
            let row = ctx.eval(e)?;
            ctx.grow(row.memory())?;
            ctx.make_room(&mut self.rows, 1)?;
            self.rows.push(row);
        }
        Ok(())
    }

    /// Puts the group into the frame.
    pub fn hand_over(mut self, node: &CollectNode, criteria: Vec<Value>, ctx: &mut Ctx<'_>) -> Result<()> {
        for ((slot, _), value) in node.groups.iter().zip(criteria) {
            ctx.frame[*slot] = value;
        }
        for ((slot, _, _), accumulator) in node.aggregates.iter().zip(&mut self.accumulators) {
            ctx.frame[*slot] = accumulator.finish(ctx)?.computed()?;
        }
        if let Some(slot) = node.count {
            ctx.frame[slot] = Value::Int(self.count);
        }
        if let Some((slot, _)) = &node.into {
            ctx.frame[*slot] = Value::array(self.rows).computed()?;
        }
        Ok(())
    }
}

/// A new group, and the memory it takes.
fn new_group<'g>(
    node: &CollectNode,
    groups: &'g mut Groups<Group>,
    key: Vec<Member>,
    ctx: &mut Ctx<'_>,
) -> Result<&'g mut Group> {
    ctx.grow(group_bytes(node, &key))?;
    let count = groups.groups.len();
    // the tables move to larger places
    let moves = count >= MANY && count.is_power_of_two();
    let _room = if moves { ctx.ask(count * GROUP_BYTES)? } else { Room::default() };
    Ok(groups.add(key, Group::new(node)))
}

/// What a group takes before something is gathered in it.
fn group_bytes(node: &CollectNode, key: &[Member]) -> usize {
    let key_bytes = key.iter().map(|Member(value)| value.memory()).sum::<usize>();
    key_bytes + GROUP_BYTES + node.aggregates.len() * ACCUMULATOR_BYTES
}

impl Collect {
    fn gather(&mut self, ctx: &mut Ctx<'_>) -> Result<Vec<(Vec<Value>, Group)>> {
        let node = Arc::clone(&self.node);
        let split = if parts::can_be_gathered(&node) { self.input.split(ctx)? } else { None };
        if node.groups.is_empty() {
            let group = match split {
                Some(split) => parts::gather_all(&node, split, ctx)?,
                None => self.gather_all(&node, ctx)?,
            };
            return Ok(vec![(Vec::new(), group)]);
        }
        let groups = match split {
            Some(split) => parts::gather(&node, split, ctx)?,
            None => self.gather_groups(&node, ctx)?,
        };
        let mut groups = groups.into_vec();
        if node.sorted {
            groups.sort_by(|(a, _), (b, _)| {
                a.iter().zip(b).map(|(x, y)| x.compare(y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
            });
        }
        Ok(groups)
    }

    fn gather_all(&mut self, node: &CollectNode, ctx: &mut Ctx<'_>) -> Result<Group> {
        let mut group = Group::new(node);
        let by_columns = columns::suffice(node);
        loop {
            if by_columns && let Some(batch) = self.input.next_batch(ctx)? {
                columns::add_all(node, &batch, &mut group, ctx)?;
                continue;
            }
            if !self.input.next(ctx)? {
                return Ok(group);
            }
            ctx.tick()?;
            group.add(node, ctx)?;
        }
    }

    fn gather_groups(&mut self, node: &CollectNode, ctx: &mut Ctx<'_>) -> Result<Groups<Group>> {
        let mut groups = Groups::new(node.groups.len());
        let by_columns = columns::suffice(node);
        loop {
            if by_columns && let Some(batch) = self.input.next_batch(ctx)? {
                columns::group(node, &batch, &mut groups, ctx)?;
                continue;
            }
            if !self.input.next(ctx)? {
                return Ok(groups);
            }
            ctx.tick()?;
            let group = match groups.find(node, ctx)? {
                Ok(group) => group,
                Err(key) => new_group(node, &mut groups, key, ctx)?,
            };
            group.add(node, ctx)?;
        }
    }
}

impl Op for Collect {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if self.groups.is_none() {
            let groups = self.gather(ctx)?;
            self.groups = Some(groups.into_iter());
        }
        let Some((key, group)) = self.groups.as_mut().and_then(Iterator::next) else { return Ok(false) };
        group.hand_over(&self.node, key, ctx)?;
        Ok(true)
    }
}
