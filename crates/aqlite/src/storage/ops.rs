//! The writes of one commit as bytes: what stands in the log is what is applied to the file.

use std::sync::Arc;

use super::memtable::MemTable;
use super::tables::{Space, WriteTables};
use super::{Meta, damaged};
use crate::Result;

const PUT: u8 = 1;
const DELETE: u8 = 2;
const COUNT: u8 = 3;
const LAST_KEY: u8 = 4;

/// A longer value is not copied into the batch: the transaction holds it as well, and documents are most of what is
/// written.
const COPIED: usize = 256;

/// The encoded writes of one commit.
#[derive(Default)]
pub(crate) struct LogRecord {
    bytes: Vec<u8>,
    /// Long values, each with the place in `bytes` where it belongs.
    long: Vec<(usize, Arc<[u8]>)>,
    len: usize,
}

impl LogRecord {
    /// Encodes a transaction's writes with the numbers given out so far.
    pub fn new(memtable: &MemTable, clock: u64, tick: u64) -> Self {
        let mut bytes = Vec::new();
        let mut long = Vec::new();
        bytes.extend_from_slice(&clock.to_be_bytes());
        bytes.extend_from_slice(&tick.to_be_bytes());
        let put_len = |out: &mut Vec<u8>, len: usize| out.extend_from_slice(&(len as u32).to_be_bytes());
        for space in Space::ALL {
            for (key, value) in memtable.space(space) {
                bytes.push(if value.is_some() { PUT } else { DELETE });
                bytes.push(space as u8);
                put_len(&mut bytes, key.len());
                bytes.extend_from_slice(key);
                if let Some(value) = value {
                    put_len(&mut bytes, value.len());
                    if value.len() > COPIED {
                        long.push((bytes.len(), Arc::clone(value)));
                    } else {
                        bytes.extend_from_slice(value);
                    }
                }
            }
        }
        for (collection, delta) in memtable.counts.iter().filter(|(_, delta)| **delta != 0) {
            bytes.push(COUNT);
            bytes.extend_from_slice(&collection.to_be_bytes());
            bytes.extend_from_slice(&delta.to_be_bytes());
        }
        for (collection, last) in &memtable.last_keys {
            bytes.push(LAST_KEY);
            bytes.extend_from_slice(&collection.to_be_bytes());
            bytes.extend_from_slice(&last.to_be_bytes());
        }
        let len = bytes.len() + long.iter().map(|(_, value)| value.len()).sum::<usize>();
        Self { bytes, long, len }
    }

    /// Bytes of all of it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes, in pieces.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let mut begin = 0;
        let upto_long = self.long.iter().flat_map(move |(place, value)| {
            let before = begin..*place;
            begin = *place;
            [&self.bytes[before], &**value]
        });
        let last = self.long.last().map_or(0, |(place, _)| *place);
        upto_long.chain(std::iter::once(&self.bytes[last..]))
    }

    /// Reads back what was encoded: the writes, and the numbers given out by then.
    pub fn read(bytes: &[u8]) -> Result<Writes> {
        let mut input = Reader { rest: bytes };
        let (clock, tick) = (input.number()?, input.number()?);
        let mut memtable = MemTable::default();
        while let Some(kind) = input.byte() {
            match kind {
                PUT | DELETE => {
                    let space = input.byte().and_then(Space::from_byte).ok_or_else(Reader::bad)?;
                    let key = input.bytes()?;
                    if kind == PUT {
                        memtable.put(space, key, input.bytes()?);
                    } else {
                        memtable.delete(space, key);
                    }
                }
                COUNT => {
                    let collection = input.number()?;
                    memtable.add_count(collection, input.number()? as i64);
                }
                LAST_KEY => {
                    let collection = input.number()?;
                    memtable.last_keys.insert(collection, input.number()?);
                }
                _ => return Err(Reader::bad()),
            }
        }
        Ok(Writes { memtable, clock, tick })
    }
}

/// Writes with the numbers given out by then.
pub(crate) struct Writes {
    pub memtable: MemTable,
    pub clock: u64,
    pub tick: u64,
}

impl Writes {
    /// Brings them into the tables: the one way there, from memory and from the log.
    pub fn apply(&self, tables: &mut WriteTables<'_>) -> Result<()> {
        tables.raise_number(Meta::Clock, self.clock)?;
        tables.raise_number(Meta::Tick, self.tick)?;
        for (collection, delta) in &self.memtable.counts {
            let count = Meta::Count(*collection);
            let new = tables.number(count)?.saturating_add_signed(*delta);
            tables.set_number(count, new)?;
        }
        for (collection, last) in &self.memtable.last_keys {
            tables.raise_number(Meta::LastKey(*collection), *last)?;
        }
        // last, as what was dropped has no numbers any more
        for space in Space::ALL {
            for (key, value) in self.memtable.space(space) {
                match value {
                    Some(value) => tables.put(space, key, value)?,
                    None => tables.delete(space, key)?,
                }
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn bad() -> crate::Error {
        damaged("a record of the log does not read back")
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn number(&mut self) -> Result<u64> {
        let (number, rest) = self.rest.split_first_chunk().ok_or_else(Self::bad)?;
        self.rest = rest;
        Ok(u64::from_be_bytes(*number))
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        let (len, rest) = self.rest.split_first_chunk().ok_or_else(Self::bad)?;
        let len = u32::from_be_bytes(*len) as usize;
        if len > rest.len() {
            return Err(Self::bad());
        }
        let (bytes, rest) = rest.split_at(len);
        self.rest = rest;
        Ok(bytes)
    }
}

#[cfg(test)]
impl From<&[u8]> for LogRecord {
    fn from(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), long: Vec::new(), len: bytes.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_shared_and_stand_where_they_belong() {
        let mut memtable = MemTable::default();
        let long: Arc<[u8]> = vec![7; 1000].into();
        memtable.put(Space::Docs, &b"a"[..], Arc::clone(&long));
        memtable.put(Space::Docs, &b"b"[..], &b"short"[..]);
        memtable.put(Space::Docs, &b"c"[..], Arc::clone(&long));
        let batch = LogRecord::new(&memtable, 1, 2);
        let bytes = batch.pieces().collect::<Vec<_>>().concat();
        assert_eq!(bytes.len(), batch.len());
        assert!(batch.bytes.len() < 100 && batch.long.len() == 2);
        let mut input = Reader { rest: &bytes[16..] };
        for expected in [(b"a", &*long), (b"b", &b"short"[..]), (b"c", &*long)] {
            assert_eq!((input.byte(), input.byte()), (Some(PUT), Some(Space::Docs as u8)));
            assert_eq!(input.bytes().expect("a key"), expected.0);
            assert_eq!(input.bytes().expect("a value"), expected.1);
        }
        assert!(input.rest.is_empty());
    }
}
