//! The tables of the file.

use redb::{AccessGuard, ReadOnlyTable, ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction};

use super::keys::{Bounds, Meta};
use super::storage_error;
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

/// The tables that hold documents and their indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// collection, document id: the document
    Docs = 0,
    /// collection, key: document id
    Primary = 1,
    /// edge collection, direction, vertex, 0, document id: the vertex at the other end
    Edges = 2,
    /// index, fields, document id: nothing; unique: index, fields: document id
    Index = 3,
}

impl Space {
    pub const ALL: [Self; 4] = [Self::Docs, Self::Primary, Self::Edges, Self::Index];

    /// What it holds, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docs => "documents",
            Self::Primary => "primary index",
            Self::Edges => "edge index",
            Self::Index => "indexes",
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
    spaces: [ReadOnlyTable<Bytes, Bytes>; 4],
    meta: ReadOnlyTable<Bytes, Bytes>,
}

impl ReadTables {
    pub fn open(txn: &ReadTransaction) -> Result<Self> {
        let open = |definition| txn.open_table(definition).map_err(|e| storage_error("cannot read the data file", e));
        Ok(Self { spaces: [open(DOCS)?, open(PRIMARY)?, open(EDGES)?, open(INDEX)?], meta: open(META)? })
    }

    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Guard>> {
        self.spaces[space as usize].get(key).map_err(read_failed)
    }

    /// The document id an entry of the primary or of a unique index holds.
    pub fn id(&self, space: Space, key: &[u8]) -> Result<Option<u64>> {
        Ok(self.get(space, key)?.and_then(|g| super::id_from(g.value())))
    }

    pub fn range(&self, space: Space, bounds: &Bounds) -> Result<Range> {
        let table = &self.spaces[space as usize];
        match &bounds.upper {
            Some(upper) if *upper <= bounds.lower => table.range(bounds.lower.as_slice()..bounds.lower.as_slice()),
            Some(upper) => table.range(bounds.lower.as_slice()..upper.as_slice()),
            None => table.range(bounds.lower.as_slice()..),
        }
        .map_err(read_failed)
    }

    pub fn meta(&self, key: Meta) -> Result<Option<Guard>> {
        self.meta.get(key.key().as_slice()).map_err(read_failed)
    }

    pub fn number(&self, key: Meta) -> Result<u64> {
        Ok(self.meta(key)?.and_then(|g| super::id_from(g.value())).unwrap_or(0))
    }

    pub fn meta_range(&self, prefix: &[u8]) -> Result<Range> {
        let bounds = Bounds::prefix(prefix.to_vec());
        let upper = bounds.upper.unwrap_or_default();
        self.meta.range(bounds.lower.as_slice()..upper.as_slice()).map_err(read_failed)
    }
}

/// The tables inside a write transaction.
pub(crate) struct WriteTables<'t> {
    spaces: [Table<'t, Bytes, Bytes>; 4],
    meta: Table<'t, Bytes, Bytes>,
}

fn write_failed(cause: redb::StorageError) -> crate::Error {
    storage_error("cannot write the data file", cause)
}

impl<'t> WriteTables<'t> {
    pub fn open(txn: &'t WriteTransaction) -> Result<Self> {
        let open = |definition| txn.open_table(definition).map_err(|e| storage_error("cannot write the data file", e));
        Ok(Self { spaces: [open(DOCS)?, open(PRIMARY)?, open(EDGES)?, open(INDEX)?], meta: open(META)? })
    }

    pub fn put(&mut self, space: Space, key: &[u8], value: &[u8]) -> Result<()> {
        self.spaces[space as usize].insert(key, value).map_err(write_failed)?;
        Ok(())
    }

    pub fn delete(&mut self, space: Space, key: &[u8]) -> Result<()> {
        self.spaces[space as usize].remove(key).map_err(write_failed)?;
        Ok(())
    }

    /// Deletes a run of entries.
    pub fn clear(&mut self, space: Space, bounds: &Bounds) -> Result<()> {
        let table = &mut self.spaces[space as usize];
        let none = |_: &[u8], _: &[u8]| false;
        match &bounds.upper {
            Some(upper) => table.retain_in(bounds.lower.as_slice()..upper.as_slice(), none),
            None => table.retain_in(bounds.lower.as_slice().., none),
        }
        .map_err(write_failed)
    }

    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.spaces[space as usize].get(key).map_err(read_failed)?.map(|g| g.value().to_vec()))
    }

    /// The first entry at or behind `from` and before `upper`, for loops that write while they read.
    pub fn next(&self, space: Space, from: &[u8], upper: Option<&[u8]>) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let table = &self.spaces[space as usize];
        let first = match upper {
            Some(upper) => table.range(from..upper).map_err(read_failed)?.next(),
            None => table.range(from..).map_err(read_failed)?.next(),
        };
        match first.transpose().map_err(read_failed)? {
            Some((key, value)) => Ok(Some((key.value().to_vec(), value.value().to_vec()))),
            None => Ok(None),
        }
    }

    pub fn put_meta(&mut self, key: Meta, value: &[u8]) -> Result<()> {
        self.meta.insert(key.key().as_slice(), value).map_err(write_failed)?;
        Ok(())
    }

    pub fn delete_meta(&mut self, key: Meta) -> Result<()> {
        self.meta.remove(key.key().as_slice()).map_err(write_failed)?;
        Ok(())
    }

    pub fn number(&self, key: Meta) -> Result<u64> {
        let found = self.meta.get(key.key().as_slice()).map_err(read_failed)?;
        Ok(found.and_then(|g| super::id_from(g.value())).unwrap_or(0))
    }

    pub fn set_number(&mut self, key: Meta, number: u64) -> Result<()> {
        self.put_meta(key, &number.to_be_bytes())
    }

    /// Raises a number that never goes back.
    pub fn raise_number(&mut self, key: Meta, number: u64) -> Result<()> {
        if number > self.number(key)? {
            self.set_number(key, number)?;
        }
        Ok(())
    }
}
