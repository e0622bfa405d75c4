//! The tables of the file.

use std::cell::Cell;
use std::sync::Arc;

use redb::{AccessGuard, ReadOnlyTable, ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction};

use super::faults::{DamagedPage, Faults, reading};
use super::in_order::{self, Entry};
use super::keys::{Bounds, Meta};
use super::{at_hand, file_error};
use crate::Result;

pub(super) type Bytes = &'static [u8];
type Definition = TableDefinition<'static, Bytes, Bytes>;
/// A value read in place.
pub(crate) type Guard = AccessGuard<'static, Bytes>;

const DOCS: Definition = TableDefinition::new("docs");
const PRIMARY: Definition = TableDefinition::new("primary");
const EDGES: Definition = TableDefinition::new("edges");
const INDEX: Definition = TableDefinition::new("index");
const META: Definition = TableDefinition::new("meta");

/// The tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// collection, document id: the document
    Docs = 0,
    /// collection, key: document id, behind its origin where that is another one
    Primary = 1,
    /// edge collection, direction, vertex, 0, document id: the vertex at the other end
    Edges = 2,
    /// index, fields, document id: what the index keeps of the document; unique: index, fields: that and the document id
    Index = 3,
    /// See [`Meta`].
    Meta = 4,
}

impl Space {
    /// Those that hold documents and their indexes.
    pub const OF_DOCUMENTS: [Self; 4] = [Self::Docs, Self::Primary, Self::Edges, Self::Index];
    pub const ALL: [Self; 5] = [Self::Docs, Self::Primary, Self::Edges, Self::Index, Self::Meta];

    /// What it holds, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docs => "documents",
            Self::Primary => "primary index",
            Self::Edges => "edge index",
            Self::Index => "indexes",
            Self::Meta => "catalog",
        }
    }

    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(byte as usize).copied()
    }
}

pub(super) fn read_failed(cause: impl Into<redb::Error>) -> crate::Error {
    file_error("cannot read the data file", cause)
}

/// The tables as of one commit.
pub(crate) struct ReadTables {
    spaces: [ReadOnlyTable<Bytes, Bytes>; 5],
    faults: Arc<Faults>,
}

/// A run of entries read in place.
pub(crate) struct Range {
    /// Until a page is come to that is damaged.
    entries: Option<redb::Range<'static, Bytes, Bytes>>,
    space: Space,
    /// The collection or index they are of.
    object: Vec<u8>,
    faults: Arc<Faults>,
}

impl Range {
    fn read(&mut self, reverse: bool) -> Option<Result<(Guard, Guard)>> {
        let entries = self.entries.as_mut()?;
        match reading(|| if reverse { entries.next_back() } else { entries.next() }) {
            Ok(entry) => entry.map(|entry| entry.map_err(read_failed)),
            Err(page) => {
                self.entries = None;
                Some(Err(self.faults.told(&page, self.space, &self.object)))
            }
        }
    }
}

impl Iterator for Range {
    type Item = Result<(Guard, Guard)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read(false)
    }
}

impl DoubleEndedIterator for Range {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.read(true)
    }
}

impl ReadTables {
    pub fn open(txn: &ReadTransaction, faults: &Arc<Faults>) -> Result<Self> {
        let open = |definition| txn.open_table(definition).map_err(read_failed);
        let spaces = reading(|| Ok([open(DOCS)?, open(PRIMARY)?, open(EDGES)?, open(INDEX)?, open(META)?]));
        let spaces = spaces.unwrap_or_else(|page| Err(faults.told(&page, Space::Meta, &[])))?;
        Ok(Self { spaces, faults: Arc::clone(faults) })
    }

    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Guard>> {
        at_hand::check_open()?;
        let found = reading(|| self.spaces[space as usize].get(key));
        found.map_err(|page| self.faults.told(&page, space, key))?.map_err(read_failed)
    }

    /// The document id an entry of the primary or of a unique index holds.
    pub fn id(&self, space: Space, key: &[u8]) -> Result<Option<u64>> {
        Ok(self.get(space, key)?.and_then(|g| super::id_from(g.value())))
    }

    pub fn range(&self, space: Space, bounds: &Bounds) -> Result<Range> {
        at_hand::check_open()?;
        let table = &self.spaces[space as usize];
        let entries = reading(|| match &bounds.upper {
            Some(upper) if *upper <= bounds.lower => table.range(bounds.lower.as_slice()..bounds.lower.as_slice()),
            Some(upper) => table.range(bounds.lower.as_slice()..upper.as_slice()),
            None => table.range(bounds.lower.as_slice()..),
        });
        let object = bounds.lower.get(..8).unwrap_or_default();
        let entries = entries.map_err(|page| self.faults.told(&page, space, object))?.map_err(read_failed)?;
        Ok(Range { entries: Some(entries), space, object: object.to_vec(), faults: Arc::clone(&self.faults) })
    }

    /// Does the way to an entry lead over this page, which is damaged?
    pub fn is_behind(&self, page: u64, space: Space, key: &[u8]) -> bool {
        reading(|| self.spaces[space as usize].get(key)).is_err_and(|damaged| damaged.is(page))
    }

    pub fn meta(&self, key: Meta) -> Result<Option<Guard>> {
        self.get(Space::Meta, &key.key())
    }

    pub fn number(&self, key: Meta) -> Result<u64> {
        Ok(self.meta(key)?.and_then(|g| super::id_from(g.value())).unwrap_or(0))
    }

    pub fn meta_range(&self, prefix: &[u8]) -> Result<Range> {
        self.range(Space::Meta, &Bounds::prefix(prefix.to_vec()))
    }
}

/// The table that was written to last, and the collection or index: where a page that is damaged was come to.
#[derive(Default)]
pub(super) struct LastWritten(Cell<Option<(Space, [u8; 8])>>);

impl LastWritten {
    fn note(&self, space: Space, key: &[u8]) {
        self.0.set(key.first_chunk().map(|object| (space, *object)));
    }

    /// What whoever writes is told.
    pub fn told(&self, page: &DamagedPage, faults: &Faults) -> crate::Error {
        match self.0.get() {
            Some((space, object)) => faults.told(page, space, &object),
            None => faults.told(page, Space::Meta, &[]),
        }
    }
}

/// The tables inside a write transaction.
pub(crate) struct WriteTables<'t> {
    spaces: [Table<'t, Bytes, Bytes>; 5],
    last: &'t LastWritten,
}

pub(super) fn write_failed(cause: impl Into<redb::Error>) -> crate::Error {
    file_error("cannot write the data file", cause)
}

impl<'t> WriteTables<'t> {
    pub(super) fn open(txn: &'t WriteTransaction, last: &'t LastWritten) -> Result<Self> {
        let open = |definition| txn.open_table(definition).map_err(write_failed);
        Ok(Self { spaces: [open(DOCS)?, open(PRIMARY)?, open(EDGES)?, open(INDEX)?, open(META)?], last })
    }

    pub fn put(&mut self, space: Space, key: &[u8], value: &[u8]) -> Result<()> {
        self.last.note(space, key);
        self.spaces[space as usize].insert(key, value).map_err(write_failed)?;
        Ok(())
    }

    /// Writes entries in the order of their keys; one without a value goes.
    pub fn write<'e>(&mut self, space: Space, entries: impl Iterator<Item = Entry<'e>>) -> Result<()> {
        let last = self.last;
        in_order::write(&mut self.spaces[space as usize], entries, &|key| last.note(space, key))
    }

    /// Puts entries one after the other; where their keys ascend, pages are filled in one go.
    pub fn put_run<'e>(&mut self, space: Space, entries: impl IntoIterator<Item = (&'e [u8], &'e [u8])>) -> Result<()> {
        self.write(space, entries.into_iter().map(|(key, value)| (key, Some(value))))
    }

    pub fn delete(&mut self, space: Space, key: &[u8]) -> Result<()> {
        self.last.note(space, key);
        self.spaces[space as usize].remove(key).map_err(write_failed)?;
        Ok(())
    }

    /// Deletes the first `most` entries that belong to a collection or an index; `true`: there are more.
    pub fn clear(&mut self, space: Space, id: u64, most: usize) -> Result<bool> {
        let table = &mut self.spaces[space as usize];
        let Bounds { lower, upper } = Bounds::of_id(id);
        self.last.note(space, &lower);
        let upper = upper.unwrap_or_default();
        let rest = table.range(lower.as_slice()..upper.as_slice()).map_err(read_failed)?.nth(most);
        let rest = rest.transpose().map_err(read_failed)?.map(|(key, _)| key.value().to_vec());
        let end = rest.as_ref().unwrap_or(&upper);
        table.retain_in(lower.as_slice()..end.as_slice(), |_, _| false).map_err(write_failed)?;
        Ok(rest.is_some())
    }

    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.last.note(space, key);
        Ok(self.spaces[space as usize].get(key).map_err(read_failed)?.map(|g| g.value().to_vec()))
    }

    pub fn number(&self, key: Meta) -> Result<u64> {
        Ok(self.get(Space::Meta, &key.key())?.and_then(|value| super::id_from(&value)).unwrap_or(0))
    }

    pub fn set_number(&mut self, key: Meta, number: u64) -> Result<()> {
        self.put(Space::Meta, &key.key(), &number.to_be_bytes())
    }

    /// Raises a number that never goes back.
    pub fn raise_number(&mut self, key: Meta, number: u64) -> Result<()> {
        if number > self.number(key)? {
            self.set_number(key, number)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use redb::Durability;

    use super::super::disk::SystemDisk;
    use super::super::file::DataFile;
    use super::*;

    #[test]
    fn a_run_puts_what_single_puts_do_in_whatever_order_it_comes() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = DataFile::open(&directory.path().join("f"), 1 << 20, &SystemDisk).expect("opens");
        let entry = |n: u64| ((n * 7919 % 1000).to_be_bytes(), vec![n as u8; (n % 50) as usize]);
        let content = |numbers: &[u64]| {
            let entries: Vec<_> = numbers.iter().map(|n| entry(*n)).collect();
            file.write(Durability::None, |tables| {
                tables.put_run(Space::Docs, entries.iter().map(|(key, value)| (key.as_slice(), value.as_slice())))?;
                entries.iter().try_for_each(|(key, value)| tables.put(Space::Index, key, value))
            })
            .expect("writes");
            let tables = file.read().expect("reads");
            let of = |space| {
                let range = tables.range(space, &Bounds::ALL).expect("reads");
                let entries = range.map(|entry| entry.expect("reads"));
                entries.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())).collect::<Vec<_>>()
            };
            (of(Space::Docs), of(Space::Index))
        };
        let mut ascending: Vec<u64> = (0..400).collect();
        ascending.sort_by_key(|n| entry(*n).0);
        // new ones, some between them, all of them again with other values, and in any order
        let again: Vec<u64> = ascending.iter().map(|n| n + 1000).collect();
        let between: Vec<u64> = (300..700).collect();
        for numbers in [ascending, between, again, (900..1200).collect()] {
            let (run, single) = content(&numbers);
            assert_eq!(run, single);
        }
    }
}
