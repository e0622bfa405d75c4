//! Full scans over the image of a collection, with what is in memory only merged in.

use std::ops::Range;
use std::sync::Arc;

use super::snapshot::Snapshot;
use crate::Result;
use crate::storage::{BLOCK, Block, Bounds, Image, Images, MemTable, Overlay, Space, doc_key, id_from};
use crate::value::Value;
use crate::value::stored::Raw;

/// Goes over all documents of a collection, block by block.
pub(crate) struct BlockScan {
    snapshot: Arc<Snapshot>,
    image: Arc<Image>,
    /// Where the next block begins,
    from: u64,
    /// and where the scan ends,
    until: u64,
    /// at the latest: after so many blocks it ends as well.
    most: usize,
    block: Option<Arc<Block>>,
    /// How many blocks there were.
    number: usize,
    /// The next document of the block.
    next: usize,
    overlay: Option<Box<Overlay>>,
    current: Current,
}

/// A part of a collection: the documents from an id on, up to another one, and no more than so many blocks of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub from: u64,
    pub until: u64,
    pub most: usize,
}

/// The documents of a collection, cut into pieces for several threads.
pub(crate) struct Pieces {
    snapshot: Arc<Snapshot>,
    own: Option<MemTable>,
    image: Arc<Image>,
    object: u64,
    /// Where one ends and the next one begins.
    cuts: Vec<u64>,
    most: usize,
}

impl Pieces {
    /// Cut into about so many; `None` where that cannot be done now.
    pub(super) fn new(
        snapshot: &Arc<Snapshot>,
        own: Option<&MemTable>,
        object: u64,
        pieces: usize,
    ) -> Result<Option<Self>> {
        let documents = snapshot.count(object)?;
        let image = snapshot.images.of(object, documents).unwrap_or_else(|| Images::of_none(object));
        let most = (documents as usize / BLOCK / pieces.max(1)).clamp(1, MOST_BLOCKS);
        let Some((mut cuts, unknown)) = image.cuts(most) else { return Ok(None) };
        if let Some(unknown) = unknown
            && let Some((first, last)) = image.ends(unknown, &snapshot.tables)?
        {
            // between the two nothing is known: these pieces are cut when somebody is there
            cuts.extend([first, last.saturating_add(1)]);
        }
        cuts.retain(|cut| *cut > 0);
        cuts.dedup();
        Ok(Some(Self { snapshot: Arc::clone(snapshot), own: own.cloned(), image, object, cuts, most }))
    }

    /// All of them, in their order and without gaps.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, u64)> {
        let cuts = || self.cuts.iter().copied();
        std::iter::once(0).chain(cuts()).zip(cuts().chain([u64::MAX]))
    }

    /// Goes over the documents of one, or of the first blocks of it.
    pub(crate) fn scan(&self, from: u64, until: u64) -> BlockScan {
        let piece = Piece { from, until, most: self.most };
        BlockScan::of_piece(&self.snapshot, self.own.as_ref(), Arc::clone(&self.image), self.object, piece)
    }
}

/// A piece has no more blocks than this: whoever waits for it does not wait for long.
const MOST_BLOCKS: usize = 16;

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
        Self::of_piece(snapshot, own, image, object, Piece { from: 0, until: u64::MAX, most: usize::MAX })
    }

    pub(super) fn of_piece(
        snapshot: &Arc<Snapshot>,
        own: Option<&MemTable>,
        image: Arc<Image>,
        object: u64,
        piece: Piece,
    ) -> Self {
        let Piece { from, until, most } = piece;
        let overlays = own.into_iter().chain(&snapshot.recent);
        let bounds = Bounds { lower: doc_key(object, from).to_vec(), ..Bounds::of_id(object) };
        let overlay = Overlay::new(overlays, Space::Docs, &bounds);
        Self {
            overlay: overlay.map(Box::new),
            snapshot: Arc::clone(snapshot),
            image,
            from,
            until,
            most,
            block: None,
            number: 0,
            next: 0,
            current: Current::Nothing,
        }
    }

    /// Moves to the next document; `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        loop {
            let stored = self.block.as_ref().and_then(|block| block.id(self.next)).filter(|id| *id < self.until);
            if stored.is_none() && self.next_block()? {
                continue;
            }
            let written = self.overlay.as_ref().and_then(|overlay| overlay.head()).map(|(key, _)| id_from(key));
            match (stored, written.flatten().filter(|id| *id < self.until)) {
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

    /// The documents of a block that come next, up to one that is in memory only; `None` where that is the next one, and at
    /// the end. They are still to be passed over.
    pub(crate) fn run(&mut self) -> Result<Option<(&Arc<Block>, Range<usize>)>> {
        while self.block.as_ref().and_then(|block| block.id(self.next)).is_none_or(|id| id >= self.until) {
            if !self.next_block()? {
                return Ok(None);
            }
        }
        let written = self.overlay.as_ref().and_then(|overlay| overlay.head()).and_then(|(key, _)| id_from(key));
        let until = written.map_or(self.until, |written| written.min(self.until));
        let Some(block) = &self.block else { return Ok(None) };
        let run = self.next..block.position(until);
        Ok(if run.is_empty() { None } else { Some((block, run)) })
    }

    /// Passes over the documents of the block before a position.
    pub(crate) fn pass(&mut self, until: usize) {
        self.next = until;
        self.current = Current::Nothing;
    }

    fn next_block(&mut self) -> Result<bool> {
        if self.number > 0 && self.block.is_none() {
            return Ok(false);
        }
        if self.number == self.most {
            self.until = self.until.min(self.from);
        }
        if self.from >= self.until {
            self.block = None;
            return Ok(false);
        }
        self.number += 1;
        let next = self.image.block(self.from, &self.snapshot.tables, &self.snapshot.images)?;
        self.block = next.map(|(block, end)| {
            // others may have cut the collection elsewhere meanwhile
            self.next = block.position(self.from);
            self.from = end;
            block
        });
        Ok(self.block.is_some())
    }

    /// Where it ends: what was to be scanned behind that is left for others. Known when it has ended.
    pub(crate) fn end(&self) -> u64 {
        self.until
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
