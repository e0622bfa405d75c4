//! Full scans on more than one core.
//!
//! A large collection is cut into pieces that the query and its helpers take in turns. Each makes what it can of the rows of
//! its pieces: it filters and computes, groups, encodes. What was made is taken in by the query in the order of the pieces,
//! with the figures and warnings that belong to it, so that nobody can tell that there were several. Helpers are there only
//! while nobody else needs their cores.

mod turns;

use std::sync::Arc;
use std::thread;

use super::context::{Ctx, Seed};
use super::early::Early;
use super::full_scan;
use super::ops::{self, BoxOp};
use crate::Result;
use crate::plan::expr::Ex;
use crate::plan::{AccessPath, Pipeline, ScanNode};
use crate::storage::at_hand;
use crate::txn::{Helper, Pieces};
use turns::{Claimed, Turn, Turns};

/// So many pieces for each thread: the last ones are not far behind the others.
const PIECES: usize = 8;

/// The rows of a full scan, and of the conditions and assignments behind it, for several threads.
pub(super) struct Split {
    node: Arc<ScanNode>,
    pieces: Pieces,
    helpers: Vec<Helper>,
    /// Where the runs of conditions and assignments stand.
    steps: Vec<(Arc<Pipeline>, usize, usize)>,
    early: Vec<Early>,
    seed: Option<Seed>,
}

/// So many times as fast one thread goes over documents that are kept in memory, by the columns that are looked at. Parts of
/// them that are put together would take longer.
const FASTER_IN_MEMORY: usize = 64;

/// Can an expression be evaluated by a helper: does it need nothing but the row, and is there nothing to remember of it?
pub(super) fn can_be_split(ex: &Ex) -> bool {
    match ex {
        Ex::Call(function, _) if !function.deterministic => false,
        Ex::Subquery(_) | Ex::SubqueryCount(_) => false,
        _ => {
            let mut all = true;
            ex.for_each_child(&mut |child| all &= can_be_split(child));
            all
        }
    }
}

/// Helpers for work on so many rows, where it is worth it and there are cores for it.
pub(super) fn for_rows(rows: usize, ctx: &Ctx<'_>) -> Result<Vec<Helper>> {
    Ok(if at_hand::may_wait() { ctx.view()?.cores().spare(rows as u64) } else { Vec::new() })
}

impl Split {
    /// That of a scan that is large enough, where there are cores for it.
    pub fn of(node: &Arc<ScanNode>, ctx: &Ctx<'_>) -> Result<Option<Self>> {
        if matches!(node.access, AccessPath::Full { reverse: true }) || ctx.profile.is_some() {
            return Ok(None);
        }
        let view = ctx.view()?;
        let documents = view.count(&node.collection)? as usize;
        let is_kept = view.fits_in_memory(&node.collection)?;
        let helpers = for_rows(if is_kept { documents / FASTER_IN_MEMORY } else { documents }, ctx)?;
        if helpers.is_empty() {
            return Ok(None);
        }
        let pieces = view.pieces(&node.collection, PIECES * (helpers.len() + 1))?;
        let split =
            |pieces| Self { node: Arc::clone(node), pieces, helpers, steps: Vec::new(), early: Vec::new(), seed: None };
        Ok(pieces.map(split))
    }

    /// The row of the loops around it stands in the frame, and so do the right sides of its conditions.
    pub fn begin(&mut self, early: Vec<Early>, ctx: &Ctx<'_>) -> Result<()> {
        self.early = early;
        self.seed = Some(ctx.seed()?);
        Ok(())
    }

    /// Behind it come so many conditions and assignments.
    pub fn add_steps(&mut self, pipeline: &Arc<Pipeline>, from: usize, count: usize) {
        self.steps.push((Arc::clone(pipeline), from, count));
    }

    /// Lets `make` make something of the rows of each piece, on several threads, and `take` take that in, in the order of
    /// the pieces. With it `make` tells how many bytes of its memory that takes.
    pub fn run<P: Send>(
        mut self,
        ctx: &mut Ctx<'_>,
        make: &(impl Fn(&mut BoxOp, &mut Ctx<'_>) -> Result<(P, usize)> + Sync),
        mut take: impl FnMut(P, &mut Ctx<'_>) -> Result<()>,
    ) -> Result<()> {
        let helpers = std::mem::take(&mut self.helpers);
        let Some(seed) = self.seed.take() else { return Ok(()) };
        let turns = Turns::new(self.pieces.all());
        let (split, seed, turns) = (&self, &seed, &turns);
        thread::scope(|scope| {
            let _ending = turns.ending(&seed.over);
            for helper in helpers {
                let help = move || {
                    let mut ctx = Ctx::helping(seed);
                    while let Some(piece) = turns.claim(&helper) {
                        split.work(piece, seed, &mut ctx, make);
                    }
                };
                // where there is no thread, the others do its work
                let _ = thread::Builder::new().name(String::from("aql-helper")).spawn_scoped(scope, help);
            }
            let mut own = Ctx::helping(seed);
            // what assignments hold of the last row, and what would be kept by one thread
            let (mut held, mut lasting) = (0, 0);
            loop {
                match turns.next()? {
                    Turn::Work(piece) => split.work(piece, seed, &mut own, make),
                    Turn::Take(mut done) => {
                        ctx.take_in(&mut done.figures)?;
                        let (part, bytes) = done.made?;
                        held = done.figures.memory.saturating_sub(bytes);
                        lasting = lasting.max(done.figures.lasting);
                        drop(done.figures.share);
                        take(part, ctx)?;
                    }
                    Turn::End => {
                        ctx.keep(lasting)?;
                        return ctx.grow(held);
                    }
                }
            }
        })
    }

    fn work<P: Send>(
        &self,
        piece: Claimed<'_, P>,
        seed: &Seed,
        ctx: &mut Ctx<'_>,
        make: &impl Fn(&mut BoxOp, &mut Ctx<'_>) -> Result<(P, usize)>,
    ) {
        let scan = self.pieces.scan(piece.from, piece.until);
        let mut op = full_scan::scan_of(Arc::clone(&self.node), self.early.clone(), scan);
        for (pipeline, from, count) in &self.steps {
            op = ops::steps(op, pipeline, *from, *count);
        }
        // a piece may have too few rows to notice on the way that nobody waits any more
        let made = make(&mut op, ctx).and_then(|made| ctx.check_now().map(|()| made));
        piece.done(made, ctx.end_part(seed));
    }
}
