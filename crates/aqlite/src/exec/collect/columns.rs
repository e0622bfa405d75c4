//! Groups of rows that come as columns: values are looked at where they stand.

use std::slice;

use super::{Group, Groups, new_group};
use crate::Result;
use crate::exec::batch::{Batch, Given};
use crate::exec::context::Ctx;
use crate::plan::CollectNode;
use crate::plan::expr::Ex;
use crate::value::{Lent, Member};

/// Is nothing asked of the rows but what stands in variables, with no more than one criterion?
pub(super) fn suffice(node: &CollectNode) -> bool {
    let is_given = |args: &[Ex]| matches!(args, [] | [Ex::Slot(_) | Ex::Const(_)]);
    matches!(node.groups.as_slice(), [] | [(_, Ex::Slot(_))])
        && node.aggregates.iter().all(|(_, _, args)| is_given(args))
        && node.into.is_none()
}

fn arguments<'b>(node: &CollectNode, batch: &'b Batch, ctx: &mut Ctx<'_>) -> Result<Vec<Given<'b>>> {
    node.aggregates.iter().map(|(_, _, args)| Given::of(args, batch, ctx)).collect()
}

impl Group {
    fn take_in(&mut self, arguments: &[Given<'_>], row: usize, ctx: &mut Ctx<'_>) -> Result<()> {
        self.count += 1;
        for (arguments, accumulator) in arguments.iter().zip(&mut self.accumulators) {
            let kept = accumulator.add(arguments.at(row), ctx)?;
            if kept > 0 {
                ctx.grow(kept)?;
            }
        }
        Ok(())
    }
}

/// Adds all rows to the one group there is.
pub(super) fn add_all(node: &CollectNode, batch: &Batch, group: &mut Group, ctx: &mut Ctx<'_>) -> Result<()> {
    let arguments = arguments(node, batch, ctx)?;
    batch.rows.iter().try_for_each(|row| group.take_in(&arguments, *row as usize, ctx))
}

/// Adds every row to its group.
pub(super) fn group(node: &CollectNode, batch: &Batch, groups: &mut Groups<Group>, ctx: &mut Ctx<'_>) -> Result<()> {
    let [(_, criterion)] = node.groups.as_slice() else { return Ok(()) };
    let criterion = Given::of(slice::from_ref(criterion), batch, ctx)?;
    let arguments = arguments(node, batch, ctx)?;
    for row in batch.rows.iter().map(|row| *row as usize) {
        let [key] = criterion.at(row) else { continue };
        let group = match groups.by_one.get_index_of(&Lent(key)).and_then(|at| groups.groups.get_mut(at)) {
            Some(group) => group,
            None => new_group(node, groups, vec![Member(key.clone())], ctx)?,
        };
        group.take_in(&arguments, row, ctx)?;
    }
    Ok(())
}
