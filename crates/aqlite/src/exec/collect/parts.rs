//! Groups that several threads gather: each notes what the rows of its piece tell their groups, and that is told in the
//! order of the pieces. So sums are added up in the order of the rows, as by one thread.

use super::{Group, Groups, group_bytes, new_group};
use crate::Result;
use crate::exec::context::Ctx;
use crate::exec::helpers::{Split, can_be_split};
use crate::exec::ops::BoxOp;
use crate::functions::aggregate::Accumulator;
use crate::plan::CollectNode;
use crate::plan::expr::Ex;
use crate::value::{Member, Value};

/// Can helpers gather the rows?
pub(super) fn can_be_gathered(node: &CollectNode) -> bool {
    let mut all = true;
    node.for_each_ex(&mut |ex| all &= can_be_split(ex));
    all
}

/// What the rows of a piece tell one group.
struct Noted {
    count: usize,
    aggregates: Vec<(Box<dyn Accumulator>, Vec<Value>)>,
    rows: Vec<Value>,
}

impl Noted {
    fn new(node: &CollectNode) -> Self {
        let aggregates = node.aggregates.iter().map(|(_, aggregate, _)| ((aggregate.make)(), Vec::new())).collect();
        Self { count: 0, aggregates, rows: Vec::new() }
    }

    /// Notes the present row; tells the bytes that the group will have of it.
    fn add(&mut self, node: &CollectNode, ctx: &mut Ctx<'_>) -> Result<usize> {
        self.count += 1;
        let mut bytes = 0;
        for ((_, _, args), (accumulator, notes)) in node.aggregates.iter().zip(&mut self.aggregates) {
            let evaluated;
            let value = match args.as_slice() {
                [] => &Value::Null,
                [Ex::Const(value), ..] => value,
                [Ex::Slot(slot), ..] => &ctx.frame[*slot],
                [e, ..] => {
                    evaluated = ctx.eval(e)?;
                    &evaluated
                }
            };
            if let Some(kept) = accumulator.note(value) {
                bytes += kept;
                notes.push(value.clone());
            }
        }
        if let Some((_, e)) = &node.into {
            let row = ctx.eval(e)?;
            bytes += row.memory();
            self.rows.push(row);
        }
        Ok(bytes)
    }

    fn tell(self, group: &mut Group, ctx: &mut Ctx<'_>) -> Result<()> {
        group.count += self.count as i64;
        for (whole, (_, notes)) in group.accumulators.iter_mut().zip(self.aggregates) {
            whole.count_in(self.count);
            let mut kept = 0;
            for value in &notes {
                kept += whole.add(std::slice::from_ref(value), ctx)?;
            }
            ctx.grow(kept)?;
        }
        ctx.grow(self.rows.iter().map(Value::memory).sum())?;
        group.rows.extend(self.rows);
        Ok(())
    }
}

/// The groups of all rows.
pub(super) fn gather(node: &CollectNode, split: Split, ctx: &mut Ctx<'_>) -> Result<Groups<Group>> {
    let mut groups = Groups::new(node.groups.len());
    let make = |op: &mut BoxOp, ctx: &mut Ctx<'_>| note(node, op, ctx).map(|noted| (noted.into_vec(), 0));
    split.run(ctx, &make, |noted, ctx| {
        for (key, noted) in noted {
            let key: Vec<Member> = key.into_iter().map(Member).collect();
            let group = match groups.known(&key) {
                Some(at) => &mut groups.groups[at],
                None => new_group(node, &mut groups, key, ctx)?,
            };
            noted.tell(group, ctx)?;
        }
        Ok(())
    })?;
    Ok(groups)
}

/// What the rows of a piece tell their groups.
fn note(node: &CollectNode, op: &mut BoxOp, ctx: &mut Ctx<'_>) -> Result<Groups<Noted>> {
    let mut groups = Groups::new(node.groups.len());
    let mut kept = 0;
    while op.next(ctx)? {
        ctx.tick()?;
        let mut bytes = 0;
        let noted = match groups.find(node, ctx)? {
            Ok(noted) => noted,
            Err(key) => {
                bytes += group_bytes(node, &key);
                groups.add(key, Noted::new(node))
            }
        };
        bytes += noted.add(node, ctx)?;
        if bytes > 0 {
            kept += bytes;
            ctx.may_have(kept)?;
            ctx.set_apart(bytes)?;
        }
    }
    Ok(groups)
}

/// The one group of all rows, where there are no criteria.
pub(super) fn gather_all(node: &CollectNode, split: Split, ctx: &mut Ctx<'_>) -> Result<Group> {
    let mut group = Group::new(node);
    let make = |op: &mut BoxOp, ctx: &mut Ctx<'_>| -> Result<_> {
        let (mut noted, mut kept) = (Noted::new(node), 0);
        while op.next(ctx)? {
            ctx.tick()?;
            let bytes = noted.add(node, ctx)?;
            if bytes > 0 {
                kept += bytes;
                ctx.may_have(kept)?;
                ctx.set_apart(bytes)?;
            }
        }
        Ok((noted, 0))
    };
    split.run(ctx, &make, |noted, ctx| noted.tell(&mut group, ctx))?;
    Ok(group)
}
