//! Full scans over the image of a collection, with what is in memory only merged in.

use std::sync::Arc;

use super::snapshot::Snapshot;
use crate::Result;
use crate::storage::{Block, Bounds, Image, MemTable, Overlay, Space, id_from};
use crate::value::Value;
use crate::value::stored::Raw;

/// Goes over all documents of a collection, block by block.
pub(crate) struct BlockScan {
    snapshot: Arc<Snapshot>,
    image: Arc<Image>,
    /// Where the next block begins.
    from: u64,
    block: Option<Arc<Block>>,
    /// How many blocks there were.
    number: usize,
    /// The next document of the block.
    next: usize,
    overlay: Option<Box<Overlay>>,
    current: Current,
}

/// What the scan is at.
enum Current {
    Nothing,
    Stored(usize),
    Written(Arc<[u8]>),
}

/// The document a scan is at.
pub(crate) enum Row<'s> {
    /// One of a block.
    Stored(&'s Arc<Block>, usize),
    /// One that is in memory only.
    Written(Raw<'s>),
}

impl BlockScan {
    pub(super) fn new(snapshot: &Arc<Snapshot>, own: Option<&MemTable>, image: Arc<Image>, object: u64) -> Self {
        let overlays = own.into_iter().chain(&snapshot.recent);
        let overlay = Overlay::new(overlays, Space::Docs, &Bounds::of_id(object));
        Self {
            overlay: overlay.map(Box::new),
            snapshot: Arc::clone(snapshot),
            image,
            from: 0,
            block: None,
            number: 0,
            next: 0,
            current: Current::Nothing,
        }
    }

    /// Moves to the next document; `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        loop {
            let stored = self.block.as_ref().and_then(|block| block.id(self.next));
            if stored.is_none() && self.next_block()? {
                continue;
            }
            let written = self.overlay.as_ref().and_then(|overlay| overlay.head()).map(|(key, _)| id_from(key));
            match (stored, written.flatten()) {
                (None, None) => {
                    self.current = Current::Nothing;
                    return Ok(false);
                }
                (Some(id), written) if written.is_none_or(|written| id < written) => {
                    self.current = Current::Stored(self.next);
                    self.next += 1;
                    return Ok(true);
                }
                (stored, written) => {
                    // what was written in memory takes the place of what stands in the tables
                    self.next += usize::from(stored == written);
                    if self.take_written() {
                        return Ok(true);
                    }
                }
            }
        }
    }

    fn next_block(&mut self) -> Result<bool> {
        if self.number > 0 && self.block.is_none() {
            return Ok(false);
        }
        self.number += 1;
        self.next = 0;
        let next = self.image.block(self.from, &self.snapshot.tables, &self.snapshot.images)?;
        self.block = next.map(|(block, end)| {
            self.from = end;
            block
        });
        Ok(self.block.is_some())
    }

    /// Takes the first entry of those in memory; `false` where it is a deleted one.
    fn take_written(&mut self) -> bool {
        let Some(overlay) = &mut self.overlay else { return false };
        let value = overlay.head().and_then(|(_, value)| value.clone());
        overlay.advance();
        match value {
            Some(value) => {
                self.current = Current::Written(value);
                true
            }
            None => false,
        }
    }

    /// A number that is another one in every block.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// The document it is at, read in place.
    pub(crate) fn row(&self) -> Row<'_> {
        match (&self.current, &self.block) {
            (Current::Stored(at), Some(block)) => Row::Stored(block, *at),
            (Current::Written(bytes), _) => Row::Written(Raw::new(bytes)),
            _ => Row::Written(Raw::new(&[])),
        }
    }

    /// The document it is at, as a value of its own.
    pub(crate) fn document(&self) -> Value {
        match (&self.current, &self.block) {
            (Current::Stored(at), Some(block)) => block.document(*at),
            (Current::Written(bytes), _) => Value::from_stored(Arc::clone(bytes)),
            _ => Value::Null,
        }
    }
}
