//! A run of documents in one piece of memory, and columns of what queries read of them.

use std::sync::Arc;

use parking_lot::RwLock;

use super::room::{Reserved, Room};
use crate::value::stored::{Hint, Raw, Stored};
use crate::value::{SmolStr, Value};

/// One attribute of every document of a block.
pub(crate) type Column = Arc<[Value]>;
/// The names that lead to an attribute.
pub(crate) type Path = Arc<[SmolStr]>;

/// The documents of a block as JSON text, one behind the other.
pub(crate) struct Texts {
    text: Box<[u8]>,
    /// Where each of them ends.
    ends: Box<[usize]>,
}

impl Texts {
    fn of(block: &Block) -> Self {
        let (mut text, mut ends) = (Vec::with_capacity(2 * block.bytes.len()), Vec::with_capacity(block.len()));
        for at in 0..block.len() {
            block.raw(at).write_json(&mut text);
            ends.push(text.len());
        }
        Self { text: text.into(), ends: ends.into() }
    }

    /// The text of a document.
    pub fn get(&self, at: usize) -> Option<&[u8]> {
        let end = *self.ends.get(at)?;
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(begin..end)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.text.len() + size_of_val(&*self.ends)
    }
}

/// More attributes of a block are not kept ready.
const MOST_COLUMNS: usize = 16;
/// What a text that stands beside its column takes besides its bytes.
const TEXT: usize = 24;

/// A run of documents.
pub(crate) struct Block {
    ids: Box<[u64]>,
    /// Where each document begins.
    starts: Box<[u32]>,
    bytes: Arc<[u8]>,
    kept: RwLock<Kept>,
}

/// What queries have read of the documents before.
#[derive(Default)]
struct Kept {
    columns: Vec<(Path, Column)>,
    texts: Option<Arc<Texts>>,
    /// Somebody has asked for the texts.
    texts_are_wanted: bool,
    /// Room for the block itself and for its columns; empty: there was none, and nothing more is kept.
    reserved: Vec<Reserved>,
}

/// A block in the making.
#[derive(Default)]
pub(crate) struct Builder {
    ids: Vec<u64>,
    starts: Vec<u32>,
    bytes: Vec<u8>,
}

impl Builder {
    /// The next document.
    pub fn add(&mut self, id: u64, document: &[u8]) {
        self.ids.push(id);
        self.starts.push(self.bytes.len() as u32);
        self.bytes.extend_from_slice(document);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Bytes of all of them.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The block, in the room there is for it.
    pub fn build(self, room: &Arc<Room>) -> Block {
        let Self { ids, starts, bytes } = self;
        let size = size_of::<Block>() + bytes.len() + ids.len() * (size_of::<u64>() + size_of::<u32>());
        let reserved = room.reserve(size).into_iter().collect();
        Block {
            ids: ids.into(),
            starts: starts.into(),
            bytes: bytes.into(),
            kept: RwLock::new(Kept { reserved, ..Kept::default() }),
        }
    }
}

impl Block {
    /// How many documents it has.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The id of a document.
    pub fn id(&self, at: usize) -> Option<u64> {
        self.ids.get(at).copied()
    }

    /// Where the documents from an id on begin.
    pub fn position(&self, from: u64) -> usize {
        self.ids.partition_point(|id| *id < from)
    }

    /// Is there room to keep it?
    pub fn is_kept(&self) -> bool {
        !self.kept.read().reserved.is_empty()
    }

    /// A document, read in place.
    pub fn raw(&self, at: usize) -> Raw<'_> {
        Raw::new(self.starts.get(at).and_then(|start| self.bytes.get(*start as usize..)).unwrap_or_default())
    }

    /// A document as a value that shares the memory of the block.
    pub fn document(&self, at: usize) -> Value {
        self.starts.get(at).map_or(Value::Null, |start| Value::Stored(Stored::within(&self.bytes, *start)))
    }

    /// An attribute of all documents, as long as there is room for it. Read once, it is ready for whoever comes next.
    pub fn column(&self, path: &Path) -> Option<Column> {
        if let Some((_, column)) = self.kept.read().columns.iter().find(|(known, _)| known == path) {
            return Some(Arc::clone(column));
        }
        let mut kept = self.kept.write();
        if kept.columns.len() >= MOST_COLUMNS {
            return None;
        }
        let room = Arc::clone(kept.reserved.first()?.room());
        let (column, size) = self.read(path);
        kept.reserved.push(room.reserve(size)?);
        kept.columns.push((Arc::clone(path), Arc::clone(&column)));
        Some(column)
    }

    /// All documents as text, as long as there is room for it: made when somebody asks for it again.
    pub fn texts(&self) -> Option<Arc<Texts>> {
        if let Some(texts) = &self.kept.read().texts {
            return Some(Arc::clone(texts));
        }
        let mut kept = self.kept.write();
        if let Some(texts) = &kept.texts {
            return Some(Arc::clone(texts));
        }
        let is_wanted = std::mem::replace(&mut kept.texts_are_wanted, true);
        let room = Arc::clone(kept.reserved.first()?.room());
        // the last quarter is for blocks and columns, which more depends on
        if !is_wanted || !room.has(room.limit() / 4 + 2 * self.bytes.len()) {
            return None;
        }
        let texts = Arc::new(Texts::of(self));
        kept.reserved.push(room.reserve(texts.size())?);
        kept.texts = Some(Arc::clone(&texts));
        Some(texts)
    }

    /// Where a document stands that is one of this block; `near` is where it may be.
    pub fn place(&self, document: &Stored, near: usize) -> Option<usize> {
        let start = document.start_in(&self.bytes)?;
        if self.starts.get(near) == Some(&start) { Some(near) } else { self.starts.binary_search(&start).ok() }
    }

    fn read(&self, path: &Path) -> (Column, usize) {
        let mut hint = Hint::default();
        let mut size = self.len() * size_of::<Value>();
        let column = (0..self.len()).map(|at| {
            let value = match self.raw(at).path_near(path, &mut hint) {
                None => Value::Null,
                Some(raw) => raw.scalar().unwrap_or_else(|| Value::Stored(Stored::part(&self.bytes, raw))),
            };
            if let Value::Str(text) = &value
                && text.is_heap_allocated()
            {
                size += TEXT + text.len();
            }
            value
        });
        (column.collect(), size)
    }
}
