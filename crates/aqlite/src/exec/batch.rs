//! Many rows at once, as columns: for operators that only look at what stands in variables.

use crate::plan::expr::Slot;
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
    pub fn column(&self, slot: Slot) -> Option<&[Value]> {
        self.columns.iter().find(|(known, _)| *known == slot).map(|(_, column)| &**column)
    }
}
