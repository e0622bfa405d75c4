//! Computing at planning what does not depend on data.

use super::context::Ctx;
use super::light::is_light_expression;
use super::{Warning, during};
use crate::Result;
use crate::error::code;
use crate::plan::expr::{Ex, ObjectEntry};
use crate::storage::at_hand;

/// Replaces an expression whose parts are constant by its value. What warns or fails does so now, whether it would ever
/// run or not. What is only too large to be computed ahead is left for the run.
///
/// `room` is what constants may still take.
pub(crate) fn fold_constant(ex: Ex, warnings: &mut Vec<Warning>, room: &mut usize) -> Result<Ex> {
    if !can_fold(&ex) || *room == 0 {
        return Ok(ex);
    }
    if at_hand::is_from_memory() && !is_light_expression(&ex) {
        return Err(at_hand::refuse());
    }
    let mut ctx = Ctx::constant(*room);
    match ctx.eval(&ex) {
        Ok(value) => {
            *room = room.saturating_sub(value.own_memory());
            warnings.extend(ctx.finish().1);
            Ok(Ex::Const(value))
        }
        Err(error) if matches!(error.num, code::RESOURCE_LIMIT | code::NOT_IMPLEMENTED) => Ok(ex),
        Err(error) => Err(during(error, "optimizing ast")),
    }
}

fn can_fold(ex: &Ex) -> bool {
    match ex {
        // CURRENT stands in a slot, so expansions wait for the frame
        Ex::Const(_)
        | Ex::Slot(_)
        | Ex::Path(..)
        | Ex::Subquery(_)
        | Ex::SubqueryCount(_)
        | Ex::Expansion(_)
        | Ex::Question(_) => false,
        // a range is cheaper kept as a range
        Ex::Range(..) => false,
        Ex::Call(function, args) => function.deterministic && args.iter().all(is_const),
        Ex::Object(entries) => entries.iter().all(|e| match e {
            ObjectEntry::Named(_, e) | ObjectEntry::Spread(e) => is_const(e),
            ObjectEntry::Computed(k, e) => is_const(k) && is_const(e),
        }),
        _ => {
            let mut all = true;
            ex.for_each_child(&mut |child| all &= is_const(child));
            all
        }
    }
}

fn is_const(ex: &Ex) -> bool {
    matches!(ex, Ex::Const(_))
}
