//! What a walk keeps: the steps from which it goes on, their documents, and where it has been. All of it is noted as memory of the query.

use super::graph::Neighbors;
use super::walk::{Frontier, ROOT, Step, Walk};
use crate::Result;
use crate::exec::context::Ctx;
use crate::txn::EdgeScan;
use crate::value::SmolStr;

/// Memory of an entry in a list that doubles when it is full.
const fn entry<T>() -> usize {
    2 * size_of::<T>()
}

/// Memory of the text of an id beyond its own place, which all its clones share.
fn text(id: &SmolStr) -> usize {
    if id.is_heap_allocated() { id.len() + 2 * size_of::<usize>() } else { 0 }
}

impl Walk {
    /// Gives back the memory that was noted.
    pub(super) fn release(&mut self, ctx: &mut Ctx<'_>) {
        ctx.shrink(self.memory);
        self.memory = 0;
    }

    /// The walk will go on from this step.
    pub(super) fn keep(&mut self, ctx: &mut Ctx<'_>, step: u32) -> Result<()> {
        self.used.enter(&self.steps[step as usize]);
        self.note_kept(ctx, step)
    }

    /// Notes what a step weighs that is kept, with its place in the queue and among what was used.
    pub(super) fn note_kept(&mut self, ctx: &mut Ctx<'_>, step: u32) -> Result<()> {
        let open = match self.frontier {
            Frontier::Depth(_) => entry::<Neighbors>() + size_of::<EdgeScan>(),
            Frontier::Breadth { .. } => entry::<u32>(),
            Frontier::Weighted { .. } => entry::<(f64, u32)>(),
        };
        let bytes = entry::<Step>() + text(&self.steps[step as usize].vertex) + open + self.used.entry_bytes();
        self.note(ctx, step, bytes)
    }

    /// Notes memory that is held as long as a step is.
    pub(super) fn note(&mut self, ctx: &mut Ctx<'_>, step: u32, bytes: usize) -> Result<()> {
        self.steps[step as usize].noted += bytes;
        self.memory += bytes;
        ctx.grow(bytes)
    }

    /// Remembers a vertex to the end of the walk; `false` when it was known.
    pub(super) fn mark_visited(&mut self, ctx: &mut Ctx<'_>, vertex: &SmolStr) -> Result<bool> {
        if !self.visited.insert(vertex.clone()) {
            return Ok(false);
        }
        let bytes = entry::<SmolStr>() + text(vertex);
        self.memory += bytes;
        ctx.grow(bytes)?;
        Ok(true)
    }

    /// Drops the documents of a step that nobody will read again.
    pub(super) fn forget_documents(&mut self, ctx: &mut Ctx<'_>, step: u32) {
        let step = &mut self.steps[step as usize];
        let mut bytes = step.vertex_document.take().map_or(0, |document| document.memory());
        // the start vertex has none, which is known without reading
        if step.parent != ROOT {
            bytes += step.edge_document.take().map_or(0, |document| document.memory());
        }
        step.noted = step.noted.saturating_sub(bytes);
        self.give_back(ctx, bytes);
    }

    /// Drops the last step.
    pub(super) fn drop_step(&mut self, ctx: &mut Ctx<'_>) {
        if let Some(step) = self.steps.pop() {
            self.give_back(ctx, step.noted);
        }
    }

    fn give_back(&mut self, ctx: &mut Ctx<'_>, bytes: usize) {
        self.memory = self.memory.saturating_sub(bytes);
        ctx.shrink(bytes);
    }
}
