//! Conditions of a scan that are tested before a row is made: on the stored document, or on a column of it.

use std::sync::Arc;

use super::context::{Ctx, Kept};
use super::eval::compare;
use crate::Result;
use crate::lang::ast::BinaryOp;
use crate::plan::{EarlyFilter, ScanNode};
use crate::value::stored::{Hint, Kind, Raw};
use crate::value::{Members, Value};

/// What an early filter needs besides the document.
#[derive(Clone)]
pub(super) struct Early {
    /// Its right side, evaluated once a scan.
    value: Value,
    /// The members of the right side, where many are looked for.
    members: Option<Arc<Members>>,
    /// Where the attribute stood in the document before.
    hint: Hint,
}

/// The right sides of the conditions.
pub(super) fn values(node: &ScanNode, ctx: &mut Ctx<'_>, kept: &mut Kept) -> Result<Vec<Early>> {
    let evaluate = |filter: &EarlyFilter| {
        let value = ctx.eval(&filter.value)?;
        kept.add(ctx, value.own_memory())?;
        let is_search = matches!(filter.op, BinaryOp::In | BinaryOp::NotIn);
        let members = if is_search { Members::of(&value) } else { None };
        kept.add(ctx, members.as_ref().map_or(0, Members::memory))?;
        let members = members.map(Arc::new);
        Ok(Early { value, members, hint: Hint::default() })
    };
    node.early.iter().map(evaluate).collect()
}

/// Makes a document the row of a loop, unless one of the conditions turns it down.
pub(super) fn admits(node: &ScanNode, early: &mut [Early], document: Value, ctx: &mut Ctx<'_>) -> bool {
    if let Value::Stored(stored) = &document
        && !passes(node, early, stored.raw())
    {
        ctx.stats.filtered += 1;
        return false;
    }
    ctx.frame[node.slot] = document;
    true
}

impl Early {
    /// Its right side.
    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// Does the condition hold for a value?
    pub(super) fn holds(&self, op: BinaryOp, left: &Value) -> bool {
        match &self.members {
            Some(members) => members.contains(left) == (op == BinaryOp::In),
            None => compare(op, left, &self.value),
        }
    }

    fn holds_in(&mut self, filter: &EarlyFilter, document: Raw<'_>) -> bool {
        let attribute = document.path_near(&filter.path, &mut self.hint);
        match filter.op {
            BinaryOp::Eq => attribute.map_or(self.value.is_null(), |raw| self.value.equals_raw(raw)),
            BinaryOp::Ne => !attribute.map_or(self.value.is_null(), |raw| self.value.equals_raw(raw)),
            op => {
                let left = match attribute {
                    None => Value::Null,
                    Some(raw) if raw.kind() < Kind::Array => raw.scalar().unwrap_or_default(),
                    Some(raw) => raw.to_value(),
                };
                self.holds(op, &left)
            }
        }
    }
}

/// Do all of the conditions hold for a document?
pub(super) fn passes(node: &ScanNode, early: &mut [Early], document: Raw<'_>) -> bool {
    node.early.iter().zip(early).all(|(filter, early)| early.holds_in(filter, document))
}

/// Do those hold that are evaluated on the row?
pub(super) fn passes_filters(node: &ScanNode, ctx: &mut Ctx<'_>) -> Result<bool> {
    for filter in &node.filters {
        if !ctx.eval_bool(filter)? {
            ctx.stats.filtered += 1;
            return Ok(false);
        }
    }
    Ok(true)
}
