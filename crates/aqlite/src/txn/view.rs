//! Reading: a consistent state and the ways through it.

use std::sync::Arc;

use super::DocId;
use super::blocks::{BlockScan, Pieces};
use super::cores::Cores;
use super::snapshot::{Shared, Snapshot};
use crate::catalog::{Catalog, Collection, Index, IndexKind};
use crate::error::code;
use crate::search::keys;
use crate::storage::{Bounds, Cursor, MemTable, Space, damaged, doc_key, id_from, prefixed};
use crate::value::Value;
use crate::value::stored::Raw;
use crate::{Error, Result};

/// A consistent state to read from: a snapshot, and what one transaction had written when the view was taken.
#[derive(Clone)]
pub struct View {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) shared: Arc<Shared>,
    memtable: Option<MemTable>,
}

impl View {
    pub(crate) fn new(shared: &Arc<Shared>, snapshot: &Arc<Snapshot>, memtable: &MemTable) -> Self {
        let memtable = (!memtable.is_empty()).then(|| {
            let mut memtable = memtable.clone();
            memtable.settle();
            memtable
        });
        Self { snapshot: Arc::clone(snapshot), shared: Arc::clone(shared), memtable }
    }

    /// The number the documents of a collection are stored under in this state.
    pub(super) fn object(&self, c: &Collection) -> u64 {
        self.snapshot.catalog.of_this_state(c).object()
    }

    /// The number the entries of an index are stored under in this state.
    pub(super) fn index_object(&self, c: &Collection, index: &Index) -> u64 {
        let here = self.snapshot.catalog.of_this_state(c);
        here.indexes.iter().find(|i| i.id == index.id).map_or(index.object(), |i| i.object())
    }

    /// The id of the document with a key.
    pub fn id_of_key(&self, c: &Collection, key: &str) -> Result<Option<DocId>> {
        let key = prefixed(self.object(c), key.as_bytes());
        if let Some(written) = self.memtable.as_ref().and_then(|o| o.get(Space::Primary, &key)) {
            return Ok(written.as_ref().and_then(|id| id_from(id)));
        }
        self.snapshot.id(Space::Primary, &key)
    }

    /// The document with an id that came from this view.
    pub fn by_id(&self, c: &Collection, id: DocId) -> Result<Option<Value>> {
        Ok(self.bytes_by_id(c, id)?.map(Value::from_stored))
    }

    /// The document that the postings of an index know by this number.
    pub(crate) fn by_origin(&self, c: &Collection, index: &Index, origin: DocId) -> Result<Option<Value>> {
        let posting = keys::document(self.index_object(c, index), origin);
        let own = self.memtable.as_ref().and_then(|own| own.get(Space::Index, &posting));
        let id = match own.or_else(|| self.snapshot.written(Space::Index, &posting)) {
            Some(None) => return Ok(None),
            Some(Some(id)) => id_from(id),
            None => match self.snapshot.tables.get(Space::Index, &posting)? {
                None => return Ok(None),
                Some(found) => id_from(found.value()),
            },
        };
        self.by_id(c, id.unwrap_or(origin))
    }

    pub(crate) fn bytes_by_id(&self, c: &Collection, id: DocId) -> Result<Option<Arc<[u8]>>> {
        document_bytes(&self.shared, &self.snapshot, self.memtable.as_ref(), c, id)
    }

    /// How many documents a collection has.
    pub fn count(&self, c: &Collection) -> Result<u64> {
        let object = self.object(c);
        let committed = self.snapshot.count(object)?;
        let change = self.memtable.as_ref().and_then(|o| o.counts.get(&object)).copied().unwrap_or(0);
        Ok(committed.saturating_add_signed(change))
    }

    /// What is another one whenever the committed documents of a collection are others: the number they are stored under, and
    /// the record of the log with which they have changed last.
    pub(crate) fn last_change(&self, c: &Collection) -> (u64, u64) {
        let object = self.object(c);
        (object, self.snapshot.changed.get(&object).copied().unwrap_or(0))
    }

    /// Every document in the order of [`Self::scan`], from what scans before have left in memory; `None` where a collection
    /// is too large for that.
    pub(crate) fn blocks(&self, c: &Collection) -> Result<Option<BlockScan>> {
        let object = self.object(c);
        let Some(image) = self.snapshot.images.of(object, self.snapshot.count(object)?) else { return Ok(None) };
        Ok(Some(BlockScan::new(&self.snapshot, self.memtable.as_ref(), image, object)))
    }

    /// Is a collection kept in memory when it is scanned?
    pub(crate) fn fits_in_memory(&self, c: &Collection) -> Result<bool> {
        let object = self.object(c);
        Ok(self.snapshot.images.of(object, self.snapshot.count(object)?).is_some())
    }

    /// The same in about so many pieces for several threads; `None` where it cannot be cut.
    pub(crate) fn pieces(&self, c: &Collection, pieces: usize) -> Result<Option<Pieces>> {
        Pieces::new(&self.snapshot, self.memtable.as_ref(), self.object(c), pieces)
    }

    /// The cores that queries share.
    pub(crate) fn cores(&self) -> &Arc<Cores> {
        &self.shared.cores
    }

    /// The catalog of this state.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.snapshot.catalog
    }

    /// What is in memory only, the newest first.
    pub(super) fn layers(&self) -> impl Iterator<Item = &MemTable> {
        self.memtable.iter().chain(&self.snapshot.recent)
    }

    pub(super) fn cursor(&self, space: Space, bounds: &Bounds, reverse: bool) -> Result<Cursor> {
        self.snapshot.cursor(self.memtable.as_ref(), space, bounds, reverse)
    }

    /// Every document in the order of ids: the order in which they were last written.
    pub fn scan(&self, c: &Collection, reverse: bool) -> Result<Scan> {
        Ok(Scan { cursor: self.cursor(Space::Docs, &Bounds::of_id(self.object(c)), reverse)? })
    }

    /// The entries of an index between two bounds made by [`crate::value::index_key`], the lower inclusive, the upper
    /// exclusive. The primary index is ordered by the bytes of the keys.
    pub fn range(
        &self,
        c: &Collection,
        index: &Index,
        lower: &[u8],
        upper: Option<&[u8]>,
        reverse: bool,
    ) -> Result<RangeScan> {
        let (space, id, id_in_key) = match index.kind {
            IndexKind::Primary => (Space::Primary, self.object(c), false),
            IndexKind::Edge => {
                return Err(Error::new(code::INTERNAL, "the edge index is read with edges()"));
            }
            _ => (Space::Index, self.index_object(c, index), !index.unique),
        };
        let cursor = self.cursor(space, &Bounds::within(id, lower, upper), reverse)?;
        Ok(RangeScan { cursor, id_in_key })
    }
}

/// The document with an id in a snapshot with the writes of a transaction.
pub(super) fn document_bytes(
    shared: &Shared,
    snapshot: &Snapshot,
    memtable: Option<&MemTable>,
    c: &Collection,
    id: DocId,
) -> Result<Option<Arc<[u8]>>> {
    let c = snapshot.catalog.of_this_state(c);
    let place = doc_key(c.object(), id);
    let own = memtable.and_then(|memtable| memtable.get(Space::Docs, &place));
    if let Some(written) = own.or_else(|| snapshot.written(Space::Docs, &place)) {
        return Ok(written.clone());
    }
    if let Some(bytes) = shared.cache.get(c.epoch, id) {
        return Ok(Some(bytes));
    }
    let Some(found) = snapshot.tables.get(Space::Docs, &place)? else { return Ok(None) };
    let bytes: Arc<[u8]> = found.value().into();
    shared.cache.put(c.epoch, id, Arc::clone(&bytes));
    Ok(Some(bytes))
}

/// The document that the tables have under an id, for whoever writes another version of it: this one is not kept.
pub(super) fn document_in_tables(
    shared: &Shared,
    snapshot: &Snapshot,
    c: &Collection,
    id: DocId,
) -> Result<Option<Arc<[u8]>>> {
    let c = snapshot.catalog.of_this_state(c);
    if let Some(bytes) = shared.cache.get(c.epoch, id) {
        return Ok(Some(bytes));
    }
    let found = snapshot.tables.get(Space::Docs, &doc_key(c.object(), id))?;
    Ok(found.map(|found| found.value().into()))
}

/// See [`View::scan`].
pub struct Scan {
    cursor: Cursor,
}

impl Scan {
    /// The next document, read in place.
    pub fn next_raw(&mut self) -> Result<Option<(DocId, Raw<'_>)>> {
        if !self.cursor.advance()? {
            return Ok(None);
        }
        let id = entry_id(self.cursor.key())?;
        Ok(Some((id, Raw::new(self.cursor.value()))))
    }

    /// The document [`Self::next_raw`] stopped at, as a value of its own.
    pub fn current(&self) -> Value {
        Value::from_stored(self.cursor.shared_value())
    }

    /// The next document.
    #[expect(clippy::should_implement_trait, reason = "fallible, and a twin of next_raw")]
    pub fn next(&mut self) -> Result<Option<(DocId, Value)>> {
        if !self.cursor.advance()? {
            return Ok(None);
        }
        Ok(Some((entry_id(self.cursor.key())?, self.current())))
    }
}

pub(super) fn entry_id(bytes: &[u8]) -> Result<DocId> {
    id_from(bytes).ok_or_else(|| damaged("an entry without a document id"))
}

/// See [`View::range`].
pub struct RangeScan {
    cursor: Cursor,
    id_in_key: bool,
}

impl RangeScan {
    /// The id of the next document.
    #[expect(clippy::should_implement_trait, reason = "fallible, and key() belongs to it")]
    pub fn next(&mut self) -> Result<Option<DocId>> {
        if !self.cursor.advance()? {
            return Ok(None);
        }
        entry_id(if self.id_in_key { self.cursor.key() } else { self.cursor.value() }).map(Some)
    }

    /// What is kept of the document in the entry [`Self::next`] stopped at.
    pub fn held(&self) -> Value {
        let value = self.cursor.value();
        let end = if self.id_in_key { value.len() } else { value.len().saturating_sub(size_of::<DocId>()) };
        Value::from_stored(value.get(..end).unwrap_or(&[]).into())
    }

    /// The bytes of what is kept in the entry [`Self::next`] stopped at.
    pub(crate) fn value(&self) -> &[u8] {
        self.cursor.value()
    }

    /// The bytes by which the entry [`Self::next`] stopped at has its place: its fields, and the id where that is a part.
    pub(crate) fn entry(&self) -> &[u8] {
        self.cursor.key().get(8..).unwrap_or(&[])
    }

    /// The encoded fields of the entry [`Self::next`] stopped at.
    pub fn key(&self) -> &[u8] {
        let key = self.cursor.key();
        let end = if self.id_in_key { key.len().saturating_sub(8) } else { key.len() };
        key.get(8..end).unwrap_or(&[])
    }
}
