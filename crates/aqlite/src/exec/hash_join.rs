//! Loops over a collection inside other loops, with a condition `document.attribute == value of the row`: the documents are
//! found by a table of the attribute's values instead of being looked at for every row.
//!
//! The table is made when as many documents were looked at as the collection has: whoever finds what he wants at once does
//! not pay for it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::context::Ctx;
use crate::Result;
use crate::functions::Host;
use crate::plan::ScanNode;
use crate::seeded::SeededMap;
use crate::storage::Block;
use crate::txn::Row;
use crate::value::stored::{Hint, Raw};
use crate::value::{SmolStr, Value};

/// Bytes noted for a document in a table,
const ROW: usize = 2 * size_of::<Place>();
/// and for a value that none before it had.
const VALUE: usize = 96;

/// The loops of a query that may have a table, each by the place of its node in the plan.
#[derive(Default)]
pub(super) struct Joins {
    loops: FxHashMap<usize, Join>,
}

#[derive(Default)]
struct Join {
    /// Documents that were looked at without a table.
    looked_at: usize,
    table: State,
}

#[derive(Default)]
enum State {
    #[default]
    NotYet,
    /// It cannot be made, or there is no room for it.
    Never,
    Made(Arc<Table>),
}

fn place_of(node: &ScanNode) -> usize {
    std::ptr::from_ref(node).addr()
}

impl Joins {
    /// So many documents more were looked at.
    pub(super) fn note(&mut self, node: &ScanNode, documents: usize) {
        if node.join.is_some() {
            self.loops.entry(place_of(node)).or_default().looked_at += documents;
        }
    }
}

/// Where a document is.
#[derive(Clone, Copy)]
enum Place {
    /// The number of its block, and its position there.
    Stored(u32, u32),
    /// Its position among those that are in memory only.
    Written(u32),
}

/// The documents of a collection by the value of an attribute.
pub(super) struct Table {
    /// The number of the list of each value.
    by_value: SeededMap<Value, u32>,
    /// In the order of the scan.
    lists: Vec<Vec<Place>>,
    blocks: Vec<Arc<Block>>,
    written: Vec<Value>,
}

impl Table {
    /// The table of a loop, once it is worth it.
    pub(super) fn of(node: &ScanNode, ctx: &mut Ctx<'_>) -> Result<Option<Arc<Self>>> {
        let Some(early) = node.join.and_then(|at| node.early.get(at)) else { return Ok(None) };
        let Some(join) = ctx.joins.loops.get(&place_of(node)) else { return Ok(None) };
        match &join.table {
            State::Made(table) => return Ok(Some(Arc::clone(table))),
            State::Never => return Ok(None),
            State::NotYet => {}
        }
        if (join.looked_at as u64) < ctx.view()?.count(&node.collection)? {
            return Ok(None);
        }
        let made = Self::make(node, &early.path, ctx)?.map(Arc::new);
        if let Some(join) = ctx.joins.loops.get_mut(&place_of(node)) {
            join.table = made.as_ref().map_or(State::Never, |table| State::Made(Arc::clone(table)));
        }
        Ok(made)
    }

    fn make(node: &ScanNode, path: &Arc<[SmolStr]>, ctx: &mut Ctx<'_>) -> Result<Option<Self>> {
        let Some(mut scan) = ctx.view()?.blocks(&node.collection)? else { return Ok(None) };
        let mut table =
            Self { by_value: SeededMap::default(), lists: Vec::new(), blocks: Vec::new(), written: Vec::new() };
        let (mut number, mut column) = (0, None);
        let (mut hint, mut rows) = (Hint::default(), 0);
        while scan.advance()? {
            ctx.tick()?;
            ctx.stats.scanned_full += 1;
            let (value, place) = match scan.row() {
                Row::Stored(block, at) => {
                    if number != scan.number() {
                        number = scan.number();
                        column = block.column(path);
                        table.blocks.push(Arc::clone(block));
                    }
                    let value = match &column {
                        Some(column) => column[at].clone(),
                        None => attribute(block.raw(at), path, &mut hint),
                    };
                    (value, Place::Stored(table.blocks.len() as u32 - 1, at as u32))
                }
                Row::Written(raw) => {
                    table.written.push(scan.document());
                    (attribute(raw, path, &mut hint), Place::Written(table.written.len() as u32 - 1))
                }
            };
            rows += 1;
            let new = table.lists.len() as u32;
            let list = *table.by_value.entry(value).or_insert(new);
            if list == new {
                table.lists.push(Vec::new());
            }
            table.lists[list as usize].push(place);
        }
        let bytes = rows * ROW + table.lists.len() * VALUE;
        if ctx.room(bytes).is_err() {
            return Ok(None);
        }
        ctx.keep(bytes)?;
        Ok(Some(table))
    }
}

fn attribute(document: Raw<'_>, path: &[SmolStr], hint: &mut Hint) -> Value {
    document.path_near(path, hint).map_or(Value::Null, Raw::to_value)
}

/// The documents of a table that have one value.
pub(super) struct Matches {
    table: Arc<Table>,
    list: Option<u32>,
    /// How many of them were given.
    given: usize,
}

impl Matches {
    pub(super) fn new(table: Arc<Table>, value: &Value) -> Self {
        let list = table.by_value.get(value).copied();
        Self { table, list, given: 0 }
    }

    fn place(&self, at: usize) -> Option<Place> {
        self.table.lists.get(self.list? as usize)?.get(at).copied()
    }

    /// Moves to the next document; `false` at the end.
    pub(super) fn advance(&mut self) -> bool {
        self.given += 1;
        self.place(self.given - 1).is_some()
    }

    /// The number of the block it is at, the document there, and its position; or a document that is in memory only.
    pub(super) fn row(&self) -> Option<(usize, Row<'_>)> {
        match self.place(self.given.checked_sub(1)?)? {
            Place::Stored(block, at) => {
                Some((block as usize + 1, Row::Stored(self.table.blocks.get(block as usize)?, at as usize)))
            }
            Place::Written(at) => match self.table.written.get(at as usize)? {
                Value::Stored(stored) => Some((0, Row::Written(stored.raw()))),
                _ => None,
            },
        }
    }

    /// The document it is at.
    pub(super) fn document(&self) -> Value {
        match self.given.checked_sub(1).and_then(|at| self.place(at)) {
            Some(Place::Stored(block, at)) => self.table.blocks[block as usize].document(at as usize),
            Some(Place::Written(at)) => self.table.written[at as usize].clone(),
            None => Value::Null,
        }
    }
}
