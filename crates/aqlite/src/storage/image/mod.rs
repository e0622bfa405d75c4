//! Images of collections: what full scans have read of the tables, kept in blocks of memory for the next ones.
//!
//! An image belongs to the tables as of one commit. When writes arrive in the tables, the next ones inherit it without
//! the blocks in which something was written; those are read again when a scan comes to them.

mod block;
mod room;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use imbl::OrdMap;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::keys::{Bounds, doc_key, id_from};
use super::memtable::MemTable;
use super::tables::{Guard, ReadTables, Space};
use crate::{Error, Result};
use block::Builder;
pub(crate) use block::{Block, Column, Texts};
use room::Room;

/// The first block of a collection has so many documents: whoever wants a few does not pay for many.
const FIRST_BLOCK: usize = 32;
/// Later ones have twice as many as the one before, up to so many,
pub(crate) const BLOCK: usize = 256;
/// and no more bytes than this, unless one document has more.
const BLOCK_BYTES: usize = 256 << 10;
/// A block that has become smaller is joined to the one before it.
const SMALL_BLOCK: usize = 32;
/// A collection is not kept when its documents would not find room if each had no more bytes than this.
const LEAST_DOCUMENT: u64 = 64;

/// The images of all collections that were scanned.
pub(crate) struct Images {
    by_object: Mutex<FxHashMap<u64, Arc<Image>>>,
    room: Arc<Room>,
}

/// What is kept of one collection.
pub(crate) struct Image {
    object: u64,
    state: Mutex<State>,
    used: AtomicU64,
    room: Arc<Room>,
}

/// Blocks one after the other, from the first document on.
#[derive(Clone, Default)]
struct State {
    /// By the least id that may stand in a block: it ends where the next one begins.
    slots: OrdMap<u64, Slot>,
    /// Where the last one ends.
    end: u64,
    /// There is nothing behind it.
    is_complete: bool,
}

/// The place of a block that is read when a scan comes there. Images of several tables share it as long as nothing in it was
/// written between them, read or not.
type Slot = Arc<OnceLock<Arc<Block>>>;

/// Where a scan goes on.
enum Place {
    /// A block that is known to be there, and where it ends.
    Slot(Slot, u64),
    /// Behind all blocks, of which there are so many.
    Unread(usize),
    /// Behind all documents.
    End,
}

impl Images {
    /// None yet, and so many bytes for all.
    pub fn new(limit: usize) -> Self {
        Self { by_object: Mutex::default(), room: Arc::new(Room::new(limit)) }
    }

    /// Those of the next tables: the documents written in `writes` are in them now.
    pub fn after(&self, writes: &[MemTable]) -> Self {
        let mut by_object = self.by_object.lock().clone();
        if !by_object.is_empty() {
            for memtable in writes {
                note_writes(&mut by_object, memtable);
            }
        }
        Self { by_object: Mutex::new(by_object), room: Arc::clone(&self.room) }
    }

    /// None for tables in which something else has changed.
    pub fn emptied(&self) -> Self {
        Self { by_object: Mutex::default(), room: Arc::clone(&self.room) }
    }

    /// The image of a collection with so many documents; `None` where it is too large for one.
    pub fn of(&self, object: u64, documents: u64) -> Option<Arc<Image>> {
        if documents.saturating_mul(LEAST_DOCUMENT) > self.room.limit() as u64 {
            return None;
        }
        let mut by_object = self.by_object.lock();
        let image =
            by_object.entry(object).or_insert_with(|| Arc::new(Image::new(object, State::default(), &self.room)));
        image.used.store(self.room.next_use(), Ordering::Relaxed);
        Some(Arc::clone(image))
    }

    /// An image of a collection that is too large for one: blocks are read through it, and none is kept.
    pub fn of_none(object: u64) -> Arc<Image> {
        Arc::new(Image::new(object, State::default(), &Arc::new(Room::new(0))))
    }

    /// Forgets all of them; who scans one goes on with it.
    pub fn clear(&self) {
        let images = std::mem::take(&mut *self.by_object.lock());
        drop(images);
    }

    /// Forgets what was not scanned for the longest time, but not `object`.
    pub fn make_room(&self, object: u64) {
        let mut by_object = self.by_object.lock();
        let others = by_object.iter().filter(|(other, _)| **other != object);
        let oldest = others.min_by_key(|(_, image)| image.used.load(Ordering::Relaxed)).map(|(other, _)| *other);
        if let Some(oldest) = oldest {
            by_object.remove(&oldest);
        }
    }
}

/// Takes out the blocks in which something was written.
fn note_writes(by_object: &mut FxHashMap<u64, Arc<Image>>, memtable: &MemTable) {
    let mut present: Option<(u64, Option<State>)> = None;
    let done = |present: Option<(u64, Option<State>)>, by_object: &mut FxHashMap<u64, Arc<Image>>| {
        if let Some((object, Some(state))) = present
            && let Some(before) = by_object.get(&object)
        {
            let image = Image::new(object, state, &before.room);
            image.used.store(before.used.load(Ordering::Relaxed), Ordering::Relaxed);
            by_object.insert(object, Arc::new(image));
        }
    };
    for (key, _) in memtable.space(Space::Docs) {
        let (Some(object), Some(id)) = (key.first_chunk().map(|b| u64::from_be_bytes(*b)), id_from(key)) else {
            continue;
        };
        if present.as_ref().is_none_or(|(known, _)| *known != object) {
            done(present.take(), by_object);
            let state = by_object.get(&object).map(|image| image.state.lock().clone());
            present = Some((object, state));
        }
        if let Some((_, Some(state))) = &mut present {
            state.written(id);
        }
    }
    done(present, by_object);
}

impl State {
    /// A document was written or removed.
    fn written(&mut self, id: u64) {
        if id >= self.end {
            // what comes behind a block that is not full goes into it
            let was_complete = std::mem::take(&mut self.is_complete);
            let last = self.slots.get_max().filter(|(_, slot)| slot.get().is_none_or(|block| block.len() < BLOCK));
            if let (true, Some(start)) = (was_complete, last.map(|(start, _)| *start)) {
                self.slots.remove(&start);
                self.end = start;
            }
            return;
        }
        let Some((start, slot)) = self.slots.get_prev(&id).map(|(start, slot)| (*start, Arc::clone(slot))) else {
            return;
        };
        let Some(block) = slot.get() else {
            // whoever scans the tables before reads what stood there then
            self.slots.insert(start, Slot::default());
            return;
        };
        let before = start.checked_sub(1).and_then(|id| self.slots.get_prev(&id));
        let joined = before
            .filter(|(_, slot)| block.len() <= SMALL_BLOCK && slot.get().is_some_and(|before| before.len() <= BLOCK));
        match joined.map(|(start, _)| *start) {
            Some(before) => {
                self.slots.remove(&start);
                self.slots.insert(before, Slot::default());
            }
            None => {
                self.slots.insert(start, Slot::default());
            }
        }
    }

    fn place(&self, id: u64) -> Place {
        if id >= self.end {
            return if self.is_complete { Place::End } else { Place::Unread(self.slots.len()) };
        }
        let end = self.slots.get_next(&(id + 1)).map_or(self.end, |(start, _)| *start);
        self.slots.get_prev(&id).map_or(Place::End, |(_, slot)| Place::Slot(Arc::clone(slot), end))
    }
}

impl Image {
    fn new(object: u64, state: State, room: &Arc<Room>) -> Self {
        Self { object, state: Mutex::new(state), used: AtomicU64::new(0), room: Arc::clone(room) }
    }

    /// Ids that cut what is known of the collection into runs of so many blocks, and behind them where the unknown begins,
    /// if there is any; `None` as long as the next scan can make more of it known.
    pub fn cuts(&self, blocks: usize) -> Option<(Vec<u64>, Option<u64>)> {
        let state = self.state.lock();
        if !state.is_complete && self.room.has(BLOCK_BYTES) {
            return None;
        }
        let cuts = state.slots.keys().step_by(blocks.max(1)).copied().filter(|start| *start > 0).collect();
        Some((cuts, (!state.is_complete).then_some(state.end)))
    }

    /// The first and the last document that are known from an id on.
    pub fn ends(&self, from: u64, tables: &ReadTables) -> Result<Option<(u64, u64)>> {
        let bounds = Bounds { lower: doc_key(self.object, from).to_vec(), ..Bounds::of_id(self.object) };
        let mut range = tables.range(Space::Docs, &bounds)?;
        let id = |entry: Option<Result<(Guard, Guard)>>| {
            Ok::<_, Error>(entry.transpose()?.and_then(|(key, _)| id_from(key.value())))
        };
        let Some(first) = id(range.next())? else { return Ok(None) };
        Ok(Some((first, id(range.next_back())?.unwrap_or(first))))
    }

    /// The block in which an id stands, and where it ends; `None` behind the last document. It may begin before the id where
    /// that was not the end of another block when this one was read. `tables` are those the image belongs to, and `images` where room is made for it.
    pub fn block(&self, from: u64, tables: &ReadTables, images: &Images) -> Result<Option<(Arc<Block>, u64)>> {
        // bound first: the lock is not held while the tables are read
        let place = self.state.lock().place(from);
        match place {
            Place::End => Ok(None),
            Place::Slot(slot, end) => {
                if let Some(block) = slot.get() {
                    return Ok(Some((Arc::clone(block), end)));
                }
                let (block, _) = self.read(from, Some(end), usize::MAX, tables, images)?;
                if block.is_kept() {
                    let _ = slot.set(Arc::clone(&block));
                }
                Ok(Some((block, end)))
            }
            Place::Unread(blocks) => {
                let is_large = self.room.limit() == 0;
                let most = if is_large { BLOCK } else { BLOCK.min(FIRST_BLOCK << blocks.min(8)) };
                let (block, is_last) = self.read(from, None, most, tables, images)?;
                let end = block.id(block.len().wrapping_sub(1)).map_or(from, |last| last + 1);
                let mut state = self.state.lock();
                if block.is_kept() && state.end == from && !state.is_complete {
                    state.end = end;
                    state.is_complete = is_last;
                    if block.len() > 0 {
                        let slot = Slot::default();
                        let _ = slot.set(Arc::clone(&block));
                        state.slots.insert(from, slot);
                    }
                }
                Ok((block.len() > 0).then_some((block, end)))
            }
        }
    }

    /// At most `most` documents from an id on; `true` when there are no more.
    fn read(
        &self,
        from: u64,
        end: Option<u64>,
        most: usize,
        tables: &ReadTables,
        images: &Images,
    ) -> Result<(Arc<Block>, bool)> {
        let upper = end.map_or(Bounds::of_id(self.object).upper, |end| Some(doc_key(self.object, end).to_vec()));
        let bounds = Bounds { lower: doc_key(self.object, from).to_vec(), upper };
        let mut builder = Builder::default();
        let mut is_last = true;
        for entry in tables.range(Space::Docs, &bounds)? {
            let (key, value) = entry?;
            let Some(id) = id_from(key.value()) else { continue };
            builder.add(id, value.value());
            if builder.len() >= most || (builder.bytes() >= BLOCK_BYTES && end.is_none()) {
                is_last = false;
                break;
            }
        }
        let block = builder.build(&self.room);
        if !block.is_kept() {
            // for the next one
            images.make_room(self.object);
        }
        Ok((Arc::new(block), is_last))
    }
}
