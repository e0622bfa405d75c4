//! `FOR d IN collection` where every document is looked at.

use std::sync::Arc;

use super::batch::Batch;
use super::context::{Ctx, Kept};
use super::early::{self, Early, passes_filters};
use super::hash_join::{Matches, Table};
use super::helpers::{Split, can_be_split};
use super::ops::{self, BoxOp, Op};
use crate::Result;
use crate::plan::{AccessPath, EarlyFilter, ScanNode};
use crate::storage::{Block, Column};
use crate::txn::{BlockScan, Row, Scan};
use crate::value::Value;
use crate::value::stored::{Hint, Raw};

pub(super) fn full_scan(input: BoxOp, node: Arc<ScanNode>) -> BoxOp {
    let reader = Reader::new(&node, Vec::new());
    Box::new(FullScan { input, node, source: Source::None, reader, kept: Kept::default() })
}

/// The scan of a part of a collection.
pub(super) fn scan_of(node: Arc<ScanNode>, early: Vec<Early>, scan: BlockScan) -> BoxOp {
    let (reader, source) = (Reader::new(&node, early), Source::Image(scan, Columns::default()));
    Box::new(FullScan { input: ops::none(), node, source, reader, kept: Kept::default() })
}

struct FullScan {
    input: BoxOp,
    node: Arc<ScanNode>,
    source: Source,
    reader: Reader,
    kept: Kept,
}

/// Where the documents come from.
enum Source {
    None,
    /// The tables.
    Tables(Box<Scan>),
    /// What is in memory of them.
    Image(BlockScan, Columns),
    /// Those that a table has for the row.
    Joined(Matches, Columns),
}

/// The columns of the present block that the scan reads.
#[derive(Default)]
struct Columns {
    /// The number of the block.
    of: usize,
    /// One for each early condition and one for each projected attribute; empty: not all of them are there.
    early: Vec<Column>,
    projections: Vec<Column>,
    are_there: bool,
}

impl Columns {
    fn find(&mut self, block: &Block, node: &ScanNode, number: usize) {
        self.of = number;
        self.early.clear();
        self.projections.clear();
        self.early.extend(node.early.iter().map_while(|filter| block.column(&filter.path)));
        self.projections.extend(node.projections.iter().map_while(|(_, path)| block.column(path)));
        self.are_there = self.early.len() == node.early.len() && self.projections.len() == node.projections.len();
    }
}

/// Reads what the scan needs of a document.
struct Reader {
    early: Vec<Early>,
    /// Where each projected attribute stood in the document before.
    hints: Vec<Hint>,
    filters_read_document: bool,
}

impl Reader {
    fn new(node: &ScanNode, early: Vec<Early>) -> Self {
        let filters_read_document = node.filters.iter().any(|filter| filter.reads(node.slot));
        Self { early, hints: vec![Hint::default(); node.projections.len()], filters_read_document }
    }

    /// Puts the attributes of a document into the frame; `false` where a condition does not hold.
    fn read(&mut self, node: &ScanNode, document: Raw<'_>, ctx: &mut Ctx<'_>) -> bool {
        if !early::passes(node, &mut self.early, document) {
            return false;
        }
        for ((slot, path), hint) in node.projections.iter().zip(&mut self.hints) {
            ctx.frame[*slot] = document.path_near(path, hint).map_or(Value::Null, Raw::to_value);
        }
        true
    }

    /// The same of a row of a block of that number, from its columns where they are there.
    fn read_row(
        &mut self,
        node: &ScanNode,
        row: Row<'_>,
        number: usize,
        columns: &mut Columns,
        ctx: &mut Ctx<'_>,
    ) -> bool {
        match row {
            Row::Stored(block, at) => {
                if columns.of != number {
                    columns.find(block, node, number);
                }
                if columns.are_there {
                    self.read_columns(node, columns, at, ctx)
                } else {
                    self.read(node, block.raw(at), ctx)
                }
            }
            Row::Written(document) => self.read(node, document, ctx),
        }
    }

    /// The same from the columns of a block.
    fn read_columns(&mut self, node: &ScanNode, columns: &Columns, at: usize, ctx: &mut Ctx<'_>) -> bool {
        if !self.admits(node, columns, at) {
            return false;
        }
        for ((slot, _), column) in node.projections.iter().zip(&columns.projections) {
            ctx.frame[*slot].clone_from(&column[at]);
        }
        true
    }

    /// Do the conditions hold for a row of the columns?
    fn admits(&self, node: &ScanNode, columns: &Columns, at: usize) -> bool {
        let holds = |((filter, early), column): ((&EarlyFilter, &Early), &Column)| early.holds(filter.op, &column[at]);
        node.early.iter().zip(&self.early).zip(&columns.early).all(holds)
    }
}

impl Source {
    fn open(node: &ScanNode, reader: &Reader, ctx: &mut Ctx<'_>) -> Result<Self> {
        if let Some(early) = node.join.and_then(|at| reader.early.get(at))
            && let Some(table) = Table::of(node, ctx)?
        {
            return Ok(Self::Joined(Matches::new(table, early.value()), Columns::default()));
        }
        let reverse = matches!(node.access, AccessPath::Full { reverse: true });
        let view = ctx.view()?;
        Ok(match if reverse { None } else { view.blocks(&node.collection)? } {
            Some(blocks) => Self::Image(blocks, Columns::default()),
            None => Self::Tables(Box::new(view.scan(&node.collection, reverse)?)),
        })
    }

    /// Moves to the next document and reads what is needed of it: `None` at the end, `false` where a condition does not
    /// hold.
    fn next(&mut self, node: &ScanNode, reader: &mut Reader, ctx: &mut Ctx<'_>) -> Result<Option<bool>> {
        match self {
            Self::None => Ok(None),
            Self::Tables(scan) => match scan.next_raw()? {
                Some((_, document)) => Ok(Some(reader.read(node, document, ctx))),
                None => Ok(None),
            },
            Self::Image(scan, columns) => {
                if !scan.advance()? {
                    ctx.scanned_to = scan.end();
                    return Ok(None);
                }
                let (number, row) = (scan.number(), scan.row());
                match row {
                    Row::Stored(_, _) if columns.of == number => {}
                    Row::Stored(block, _) => {
                        ctx.joins.note(node, block.len());
                        if node.needs_document {
                            ctx.scanned.enter(block);
                        }
                    }
                    Row::Written(_) => ctx.joins.note(node, 1),
                }
                Ok(Some(reader.read_row(node, row, number, columns, ctx)))
            }
            Self::Joined(matches, columns) => {
                if !matches.advance() {
                    return Ok(None);
                }
                let Some((number, row)) = matches.row() else { return Ok(None) };
                Ok(Some(reader.read_row(node, row, number, columns, ctx)))
            }
        }
    }

    /// The document it is at.
    fn document(&self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Tables(scan) => scan.current(),
            Self::Image(scan, _) => scan.document(),
            Self::Joined(matches, _) => matches.document(),
        }
    }
}

impl FullScan {
    /// Takes the next row of the loops around this one; `false` where there is none.
    fn begin(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if !self.input.next(ctx)? {
            return Ok(false);
        }
        self.reader.early.clear();
        self.kept.release(ctx);
        self.reader.early = early::values(&self.node, ctx, &mut self.kept)?;
        Ok(true)
    }

    /// The rows of a run of documents whose columns are there, without their documents.
    fn batch(&mut self, ctx: &mut Ctx<'_>) -> Result<Option<Batch>> {
        let (node, Source::Image(scan, columns)) = (&self.node, &mut self.source) else { return Ok(None) };
        let Some((block, run)) = scan.run()? else { return Ok(None) };
        let block = Arc::clone(block);
        if columns.of != scan.number() {
            columns.find(&block, node, scan.number());
        }
        if !columns.are_there {
            return Ok(None);
        }
        scan.pass(run.end);
        let count = run.len();
        let rows: Vec<u32> = run.filter(|at| self.reader.admits(node, columns, *at)).map(|at| at as u32).collect();
        ctx.stats.scanned_full += count as u64;
        ctx.stats.filtered += (count - rows.len()) as u64;
        let slots = node.projections.iter().map(|(slot, _)| *slot);
        Ok(Some(Batch { columns: slots.zip(columns.projections.iter().cloned()).collect(), rows }))
    }
}

impl Op for FullScan {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let node = Arc::clone(&self.node);
        loop {
            if matches!(self.source, Source::None) {
                if !self.begin(ctx)? {
                    return Ok(false);
                }
                self.source = Source::open(&node, &self.reader, ctx)?;
            }
            ctx.tick()?;
            match self.source.next(&node, &mut self.reader, ctx)? {
                None => {
                    self.source = Source::None;
                    continue;
                }
                Some(passes) => {
                    ctx.stats.scanned_full += 1;
                    if !passes {
                        ctx.stats.filtered += 1;
                        continue;
                    }
                }
            }
            if self.reader.filters_read_document {
                ctx.frame[node.slot] = self.source.document();
            }
            if passes_filters(&node, ctx)? {
                // made only now that the row is known to count
                if node.needs_document && !self.reader.filters_read_document {
                    ctx.frame[node.slot] = self.source.document();
                }
                return Ok(true);
            }
        }
    }

    fn next_batch(&mut self, ctx: &mut Ctx<'_>) -> Result<Option<Batch>> {
        let node = &self.node;
        if node.needs_document || !node.filters.is_empty() || node.join.is_some() {
            return Ok(None);
        }
        // where the loops around this one are at their next row is seen when its next row is asked for
        let batch = self.batch(ctx)?;
        if batch.is_some() {
            ctx.check_now()?;
        }
        Ok(batch)
    }

    fn split(&mut self, ctx: &mut Ctx<'_>) -> Result<Option<Split>> {
        let is_plain = matches!(self.source, Source::None) && self.input.is_single() && self.node.join.is_none();
        if !is_plain || !self.node.filters.iter().all(can_be_split) {
            return Ok(None);
        }
        let Some(mut split) = Split::of(&self.node, ctx)? else { return Ok(None) };
        if !self.begin(ctx)? {
            return Ok(None);
        }
        split.begin(self.reader.early.clone(), ctx)?;
        Ok(Some(split))
    }

    fn rewind(&mut self) -> bool {
        self.source = Source::None;
        self.kept = Kept::default();
        self.input.rewind()
    }
}
