//! Computing at planning what does not depend on data.

use std::sync::Arc;

use super::context::Ctx;
use super::light::is_light_expression;
use super::{Warning, during};
use crate::Result;
use crate::error::code;
use crate::memory::{Budget, Share};
use crate::plan::bound::Bound;
use crate::plan::expr::{Ex, ObjectEntry};
use crate::storage::at_hand;
use crate::value::Value;

/// Bytes that the computed constants of a query may take; what does not fit is computed when it runs.
const MOST: usize = 16 << 20;

/// The computed constants of a query that is being planned.
#[derive(Debug)]
pub(crate) struct Constants {
    size: usize,
    share: Share,
}

impl Constants {
    /// None yet.
    pub fn of(memory: &Arc<Budget>) -> Self {
        Self { size: 0, share: Share::of(memory) }
    }

    /// Bytes that they take.
    pub fn size(&self) -> usize {
        self.size
    }

    fn keep(&mut self, value: &Value) -> Result<()> {
        let size = self.size + value.own_memory();
        self.share.resize(size)?;
        self.size = size;
        Ok(())
    }
}

/// Replaces an expression whose parts are constant by its value. What warns or fails does so now, whether it would ever
/// run or not. What is only too large to be computed ahead, or takes too long, is left for the run.
///
/// `constants` are those of the query so far.
pub(crate) fn fold_constant(ex: Ex, warnings: &mut Vec<Warning>, constants: &mut Constants) -> Result<Ex> {
    if !can_fold(&ex) || constants.size >= MOST {
        return Ok(ex);
    }
    if at_hand::is_from_memory() && !is_light_expression(&ex) {
        return Err(at_hand::refuse());
    }
    let bound = first_bound(&ex).cloned();
    let values = bound.as_ref().map(|bound| bound.sheet().values()).unwrap_or_default();
    let mut ctx = Ctx::constant(MOST - constants.size, values).sharing(constants.share.beside());
    let result = ctx.eval(&ex).and_then(|value| constants.keep(&value).map(|()| value));
    let warned = ctx.finish().1;
    if let Some(bound) = &bound
        && (result.is_err() || !warned.is_empty())
    {
        bound.sheet().spoil();
    }
    match result {
        Ok(value) => {
            warnings.extend(warned);
            Ok(match bound {
                Some(bound) => bound.follows(ex, value),
                None => Ex::Const(value),
            })
        }
        Err(error) if matches!(error.num, code::RESOURCE_LIMIT | code::QUERY_KILLED | code::NOT_IMPLEMENTED) => Ok(ex),
        Err(error) => Err(during(error, "optimizing ast")),
    }
}

/// The parameters of a run with what follows from them. `None`: planning has to tell what is wrong.
pub(crate) fn follow(steps: &[Ex], parameters: Vec<Value>, memory: &Arc<Budget>) -> Option<Vec<Value>> {
    if steps.is_empty() {
        return Some(parameters);
    }
    let mut ctx = Ctx::constant(MOST, parameters).sharing(Share::of(memory));
    for step in steps {
        if at_hand::is_from_memory() && !is_light_expression(step) {
            at_hand::refuse();
            return None;
        }
        let value = ctx.eval(step).ok()?;
        ctx.bound.push(value);
    }
    ctx.warnings.is_empty().then_some(ctx.bound)
}

/// One of the values that an expression rests on.
fn first_bound(ex: &Ex) -> Option<&Bound> {
    let mut found = None;
    ex.for_each_child(&mut |child| {
        if let Ex::Bound(bound) = child {
            found = Some(bound);
        }
    });
    found
}

fn can_fold(ex: &Ex) -> bool {
    match ex {
        // CURRENT stands in a slot, so expansions wait for the frame
        Ex::Const(_)
        | Ex::Bound(_)
        | Ex::Slot(_)
        | Ex::Path(..)
        | Ex::Subquery(_)
        | Ex::SubqueryCount(_)
        | Ex::Expansion(_)
        | Ex::Question(_) => false,
        // a range is cheaper kept as a range
        Ex::Range(..) => false,
        Ex::Call(function, args) => function.deterministic && args.iter().all(Ex::is_known),
        // an object of parameters is made when it is needed: who plans looks at its members
        Ex::Object(entries) => entries.iter().all(|e| match e {
            ObjectEntry::Named(_, e) | ObjectEntry::Spread(e) => matches!(e, Ex::Const(_)),
            ObjectEntry::Computed(k, e) => matches!((k, e), (Ex::Const(_), Ex::Const(_))),
        }),
        _ => {
            let mut all = true;
            ex.for_each_child(&mut |child| all &= child.is_known());
            all
        }
    }
}
