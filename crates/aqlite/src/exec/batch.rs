//! Many rows at once, as columns: for operators that only look at what stands in variables.

use super::context::Ctx;
use crate::Result;
use crate::plan::expr::{Ex, Slot};
use crate::storage::Column;
use crate::value::Value;

/// Rows of a block.
pub(super) struct Batch {
    /// What stands in the variables that differ from row to row.
    pub columns: Vec<(Slot, Column)>,
    /// The positions of the rows in the columns.
    pub rows: Vec<u32>,
}

impl Batch {
    /// The values of a variable; `None`: it is the same in all rows.
    fn column(&self, slot: Slot) -> Option<&[Value]> {
        self.columns.iter().find(|(known, _)| *known == slot).map(|(_, column)| &**column)
    }
}

/// What expressions that need no computing give, for all rows of a batch.
pub(super) enum Given<'b> {
    Column(&'b [Value]),
    /// The same for all of them.
    Same(Vec<Value>),
}

impl<'b> Given<'b> {
    pub fn of(expressions: &[Ex], batch: &'b Batch, ctx: &mut Ctx<'_>) -> Result<Self> {
        if let [Ex::Slot(slot)] = expressions
            && let Some(column) = batch.column(*slot)
        {
            return Ok(Self::Column(column));
        }
        expressions.iter().map(|ex| ctx.eval(ex)).collect::<Result<_>>().map(Self::Same)
    }

    /// For one row.
    pub fn at(&self, row: usize) -> &[Value] {
        match self {
            Self::Column(column) => column.get(row..=row).unwrap_or_default(),
            Self::Same(values) => values,
        }
    }
}
