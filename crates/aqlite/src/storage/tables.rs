//! The tables of the file.

use std::iter::Peekable;
use std::ops::Bound;

use redb::{
    AccessGuard, CursorError, ReadOnlyTable, ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction,
};

use super::keys::{Bounds, Meta};
use super::{at_hand, storage_error};
use crate::Result;

type Bytes = &'static [u8];
type Definition = TableDefinition<'static, Bytes, Bytes>;
/// A value read in place.
pub(crate) type Guard = AccessGuard<'static, Bytes>;
/// A run of entries read in place.
pub(crate) type Range = redb::Range<'static, Bytes, Bytes>;

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

fn read_failed(cause: redb::StorageError) -> crate::Error {
    storage_error("cannot read the data file", cause)
}

/// The tables as of one commit.
pub(crate) struct ReadTables {
    spaces: [ReadOnlyTable<Bytes, Bytes>; 5],
}

impl ReadTables {
    pub fn open(txn: &ReadTransaction) -> Result<Self> {
        let open = |definition| txn.open_table(definition).map_err(|e| storage_error("cannot read the data file", e));
        Ok(Self { spaces: [open(DOCS)?, open(PRIMARY)?, open(EDGES)?, open(INDEX)?, open(META)?] })
    }

    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Guard>> {
        at_hand::check_open()?;
        self.spaces[space as usize].get(key).map_err(read_failed)
    }

    /// The document id an entry of the primary or of a unique index holds.
    pub fn id(&self, space: Space, key: &[u8]) -> Result<Option<u64>> {
        Ok(self.get(space, key)?.and_then(|g| super::id_from(g.value())))
    }

    pub fn range(&self, space: Space, bounds: &Bounds) -> Result<Range> {
        at_hand::check_open()?;
        let table = &self.spaces[space as usize];
        match &bounds.upper {
            Some(upper) if *upper <= bounds.lower => table.range(bounds.lower.as_slice()..bounds.lower.as_slice()),
            Some(upper) => table.range(bounds.lower.as_slice()..upper.as_slice()),
            None => table.range(bounds.lower.as_slice()..),
        }
        .map_err(read_failed)
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

/// The tables inside a write transaction.
pub(crate) struct WriteTables<'t> {
    spaces: [Table<'t, Bytes, Bytes>; 5],
}

fn write_failed(cause: redb::StorageError) -> crate::Error {
    storage_error("cannot write the data file", cause)
}

/// An entry to be written: its key, and its value unless it goes.
pub(crate) type Entry<'e> = (&'e [u8], Option<&'e [u8]>);

/// Puts an entry into a table, and those behind it as long as they stand between the same two entries that are there
/// already; tells how many these were.
fn put_run<'e>(
    table: &mut Table<'_, Bytes, Bytes>,
    (key, value): (&[u8], &[u8]),
    rest: &mut Peekable<impl Iterator<Item = Entry<'e>>>,
) -> Result<usize> {
    let mut cursor = table.lower_bound_mut(Bound::Included(key)).map_err(write_failed)?;
    let mut fits = |key: &[u8], value: &[u8]| match cursor.insert_before(key, value) {
        Ok(()) => Ok(true),
        Err(CursorError::UnorderedKey) => Ok(false),
        Err(cause) => Err(storage_error("cannot write the data file", cause)),
    };
    let mut len = 0;
    if fits(key, value)? {
        len += 1;
        while let Some((key, Some(value))) = rest.peek()
            && fits(key, value)?
        {
            rest.next();
            len += 1;
        }
    }
    cursor.close().map_err(write_failed)?;
    if len == 0 {
        // it is there already and is written over
        table.insert(key, value).map_err(write_failed)?;
    }
    Ok(len)
}

/// When it is tried to put several entries into a table together, which costs more than one by one where they do not stand
/// together.
#[derive(Default)]
struct Attempts {
    /// The collection or index the entries are of: in each they may be spread in another way.
    object: [u8; 8],
    /// So many entries are still put one by one,
    wait: usize,
    /// and so many after another attempt in vain.
    next_wait: usize,
}

impl Attempts {
    /// Fewer entries than this are not worth it.
    const WORTH: usize = 3;
    const LONGEST: usize = 64;

    fn is_due(&mut self, key: &[u8]) -> bool {
        let object = key.first_chunk().copied().unwrap_or_default();
        if object != self.object {
            *self = Self { object, ..Self::default() };
        }
        let is_due = self.wait == 0;
        self.wait = self.wait.saturating_sub(1);
        is_due
    }

    fn note(&mut self, len: usize) {
        self.next_wait = if len < Self::WORTH { (2 * self.next_wait).clamp(2, Self::LONGEST) } else { 0 };
        self.wait = self.next_wait;
    }
}

impl<'t> WriteTables<'t> {
    pub fn open(txn: &'t WriteTransaction) -> Result<Self> {
        let open = |definition| txn.open_table(definition).map_err(|e| storage_error("cannot write the data file", e));
        Ok(Self { spaces: [open(DOCS)?, open(PRIMARY)?, open(EDGES)?, open(INDEX)?, open(META)?] })
    }

    pub fn put(&mut self, space: Space, key: &[u8], value: &[u8]) -> Result<()> {
        self.spaces[space as usize].insert(key, value).map_err(write_failed)?;
        Ok(())
    }

    /// Writes entries in the order of their keys; one without a value goes. Those that come to stand between the same two
    /// entries of the table are put there together, so that a page is made once for all of them.
    pub fn write<'e>(&mut self, space: Space, entries: impl Iterator<Item = Entry<'e>>) -> Result<()> {
        let table = &mut self.spaces[space as usize];
        let mut entries = entries.peekable();
        let mut attempts = Attempts::default();
        while let Some((key, value)) = entries.next() {
            let Some(value) = value else {
                table.remove(key).map_err(write_failed)?;
                continue;
            };
            let may_be_run = matches!(entries.peek(), Some((_, Some(_))));
            if may_be_run && attempts.is_due(key) {
                attempts.note(put_run(table, (key, value), &mut entries)?);
            } else {
                table.insert(key, value).map_err(write_failed)?;
            }
        }
        Ok(())
    }

    /// Puts entries one after the other; where their keys ascend, pages are filled in one go.
    pub fn put_run<'e>(&mut self, space: Space, entries: impl IntoIterator<Item = (&'e [u8], &'e [u8])>) -> Result<()> {
        self.write(space, entries.into_iter().map(|(key, value)| (key, Some(value))))
    }

    pub fn delete(&mut self, space: Space, key: &[u8]) -> Result<()> {
        self.spaces[space as usize].remove(key).map_err(write_failed)?;
        Ok(())
    }

    /// Deletes the first `most` entries that belong to a collection or an index; `true`: there are more.
    pub fn clear(&mut self, space: Space, id: u64, most: usize) -> Result<bool> {
        let table = &mut self.spaces[space as usize];
        let Bounds { lower, upper } = Bounds::of_id(id);
        let upper = upper.unwrap_or_default();
        let rest = table.range(lower.as_slice()..upper.as_slice()).map_err(read_failed)?.nth(most);
        let rest = rest.transpose().map_err(read_failed)?.map(|(key, _)| key.value().to_vec());
        let end = rest.as_ref().unwrap_or(&upper);
        table.retain_in(lower.as_slice()..end.as_slice(), |_, _| false).map_err(write_failed)?;
        Ok(rest.is_some())
    }

    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>> {
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
    use std::collections::BTreeMap;

    use redb::Durability;

    use super::super::disk::SystemDisk;
    use super::super::file::DataFile;
    use super::*;

    /// Numbers without a visible pattern.
    fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
        move |below| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        }
    }

    #[test]
    fn entries_written_in_their_order_are_what_they_are_written_one_by_one() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = DataFile::open(&directory.path().join("data"), 1 << 20, &SystemDisk).expect("opens");
        let mut model: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        let mut random = numbers(7);
        for round in 0..60 {
            // some rounds are spread over all keys there may be, some stand side by side, behind the others or between them
            let (from, span, count) = match round % 4 {
                0 => (0, 5000, 1 + random(300)),
                1 => (5000 + round * 500, 500, 500),
                2 => (random(4000), 40, 60),
                _ => (0, 40_000, 5),
            };
            let mut entries: BTreeMap<Vec<u8>, Option<Vec<u8>>> = BTreeMap::new();
            for _ in 0..count {
                let key = [random(3).to_be_bytes(), (from + random(span)).to_be_bytes()].concat();
                let value = vec![round as u8; random(200) as usize];
                entries.insert(key, (random(4) > 0).then_some(value));
            }
            let written = entries.iter().map(|(key, value)| (key.as_slice(), value.as_deref()));
            file.write(Durability::None, |tables| tables.write(Space::Index, written)).expect("writes");
            for (key, value) in entries {
                match value {
                    Some(value) => drop(model.insert(key, value)),
                    None => drop(model.remove(&key)),
                }
            }
            let found = file.read().expect("reads").range(Space::Index, &Bounds::ALL).expect("reads");
            let found = found.map(|entry| entry.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())));
            let found: BTreeMap<_, _> = found.collect::<std::result::Result<_, _>>().expect("reads");
            assert!(found == model, "round {round}");
        }
        assert!(model.len() > 1000);
    }

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
