//! The writes of one commit as bytes: what stands in the log is what is applied to the file.

use std::sync::Arc;

use super::keys::{push_number, take_number};
use super::memtable::MemTable;
use super::tables::{Space, WriteTables};
use super::{Meta, damaged};
use crate::Result;

/// An entry as earlier versions wrote it: lengths in four bytes, the whole key.
const WHOLE_PUT: u8 = 1;
const WHOLE_DELETE: u8 = 2;
const COUNT: u8 = 3;
const LAST_KEY: u8 = 4;
/// How many bytes the key has in common with the one before it, how many others it has, these, and then the value. Keys
/// come in their order, and those of an index or of postings mostly begin alike.
const PUT: u8 = 5;
const DELETE: u8 = 6;

/// A longer value is not copied into the batch: the transaction holds it as well, and documents are most of what is
/// written.
const COPIED: usize = 256;

/// What an entry without a long value takes, roughly.
const SHORT_ENTRY: usize = 32;

/// How many bytes two keys have in common at their beginning.
fn in_common(a: &[u8], b: &[u8]) -> usize {
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0).take_while(|(a, b)| a == b).count();
    let begin = 8 * words;
    begin + a[begin..].iter().zip(&b[begin..]).take_while(|(a, b)| a == b).count()
}

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
    pub fn new(memtable: &mut MemTable, clock: u64, tick: u64) -> Self {
        memtable.settle();
        // about as much as keys and short values take, so that it is not copied while it grows
        let mut bytes = Vec::with_capacity(2 * size_of::<u64>() + SHORT_ENTRY * memtable.len());
        let mut long = Vec::new();
        bytes.extend_from_slice(&clock.to_be_bytes());
        bytes.extend_from_slice(&tick.to_be_bytes());
        let mut before: &[u8] = &[];
        for space in Space::ALL {
            for (key, value) in memtable.space(space) {
                bytes.push(if value.is_some() { PUT } else { DELETE });
                bytes.push(space as u8);
                let common = in_common(before, key);
                push_number(&mut bytes, common as u32);
                push_number(&mut bytes, (key.len() - common) as u32);
                bytes.extend_from_slice(&key[common..]);
                before = key;
                if let Some(value) = value {
                    push_number(&mut bytes, value.len() as u32);
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
        let mut key = Vec::new();
        while let Some(kind) = input.byte() {
            match kind {
                PUT | DELETE => {
                    let space = input.byte().and_then(Space::from_byte).ok_or_else(Reader::bad)?;
                    let common = input.length()?;
                    if common > key.len() {
                        return Err(Reader::bad());
                    }
                    key.truncate(common);
                    let rest = input.length()?;
                    key.extend_from_slice(input.take(rest)?);
                    if kind == PUT {
                        let len = input.length()?;
                        memtable.put(space, key.as_slice(), input.take(len)?);
                    } else {
                        memtable.delete(space, key.as_slice());
                    }
                }
                WHOLE_PUT | WHOLE_DELETE => {
                    let space = input.byte().and_then(Space::from_byte).ok_or_else(Reader::bad)?;
                    let key = input.bytes()?;
                    if kind == WHOLE_PUT {
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
        memtable.settle();
        Ok(Writes { memtable, clock, tick })
    }
}

/// Writes with the numbers given out by then.
pub(crate) struct Writes {
    pub memtable: MemTable,
    pub clock: u64,
    pub tick: u64,
}

/// Brings writes, the newest first, into the tables: the one way there, from memory and from the log. Of an entry that was
/// written several times only the last value comes there.
pub(crate) fn apply(writes: &[MemTable], clock: u64, tick: u64, tables: &mut WriteTables<'_>) -> Result<()> {
    tables.raise_number(Meta::Clock, clock)?;
    tables.raise_number(Meta::Tick, tick)?;
    for memtable in writes.iter().rev() {
        for (collection, delta) in &memtable.counts {
            let count = Meta::Count(*collection);
            let new = tables.number(count)?.saturating_add_signed(*delta);
            tables.set_number(count, new)?;
        }
        for (collection, last) in &memtable.last_keys {
            tables.raise_number(Meta::LastKey(*collection), *last)?;
        }
    }
    // last, as what was dropped has no numbers any more
    for space in Space::ALL {
        if let [memtable] = writes {
            tables.write(space, memtable.space(space).iter().map(|(key, value)| (key, value.as_deref())))?;
            continue;
        }
        // the oldest first: most keys of later writes stand behind those of earlier ones, and are in order then
        let layers = writes.iter().rev().map(|memtable| memtable.space(space));
        let mut entries: Vec<_> = layers.flatten().map(|(key, value)| (key, value.as_deref())).collect();
        // it keeps the order of those with the same key, and goes through what is sorted already quickly
        entries.sort_by(|a, b| a.0.cmp(b.0));
        entries.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            if is_same {
                first.1 = later.1;
            }
            is_same
        });
        tables.write(space, entries.into_iter())?;
    }
    Ok(())
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

    fn length(&mut self) -> Result<usize> {
        take_number(&mut self.rest).map(|len| len as usize).ok_or_else(Self::bad)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or_else(Self::bad)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Bytes behind their length in four bytes.
    fn bytes(&mut self) -> Result<&'a [u8]> {
        let (len, rest) = self.rest.split_first_chunk().ok_or_else(Self::bad)?;
        self.rest = rest;
        self.take(u32::from_be_bytes(*len) as usize)
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
        let batch = LogRecord::new(&mut memtable, 1, 2);
        let bytes = batch.pieces().collect::<Vec<_>>().concat();
        assert_eq!(bytes.len(), batch.len());
        assert!(batch.bytes.len() < 100 && batch.long.len() == 2);
        let read = LogRecord::read(&bytes).expect("reads").memtable;
        let expected = [(&b"a"[..], &*long), (b"b", b"short"), (b"c", &*long)];
        let found = read.space(Space::Docs).iter().map(|(key, value)| (key, value.as_deref().unwrap_or(&[])));
        assert!(found.eq(expected));
    }

    #[test]
    fn keys_that_begin_alike_are_written_once() {
        let mut memtable = MemTable::default();
        for n in 0..100u8 {
            memtable.put(Space::Index, [b"the same beginning of many keys".as_slice(), &[n]].concat(), &b"v"[..]);
        }
        memtable.delete(Space::Index, &b"the same beginning of another one"[..]);
        memtable.delete(Space::Meta, &b""[..]);
        let bytes = LogRecord::new(&mut memtable, 1, 2).pieces().collect::<Vec<_>>().concat();
        assert!(bytes.len() < 100 * 8, "{}", bytes.len());
        let read = LogRecord::read(&bytes).expect("reads").memtable;
        for space in Space::ALL {
            assert!(read.space(space).iter().eq(memtable.space(space)), "{}", space.name());
        }
        for len in 16..bytes.len() {
            // whatever is cut off in the middle of an entry is told
            let read = LogRecord::read(&bytes[..len]).map(|read| read.memtable.len());
            assert!(read.is_err() || read.is_ok_and(|read| read < memtable.len()), "{len}");
        }
    }

    #[test]
    fn a_record_of_an_earlier_version_is_read() {
        let entry = |kind: u8, key: &[u8]| [&[kind, Space::Docs as u8, 0, 0, 0, key.len() as u8], key].concat();
        let put = [entry(WHOLE_PUT, b"a"), vec![0, 0, 0, 2], b"vv".to_vec()].concat();
        let bytes = [vec![0; 16], put, entry(WHOLE_DELETE, b"bb")].concat();
        let read = LogRecord::read(&bytes).expect("reads").memtable;
        let found: Vec<_> = read.space(Space::Docs).iter().map(|(key, value)| (key, value.as_deref())).collect();
        assert_eq!(found, [(&b"a"[..], Some(&b"vv"[..])), (b"bb", None)]);
    }
}
