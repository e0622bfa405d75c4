//! The writes of one commit as bytes: what stands in the log is what is applied to the file.

use std::sync::Arc;

use super::overlay::Overlay;
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
pub(crate) struct Batch {
    bytes: Vec<u8>,
    /// Long values, each with the place in `bytes` where it belongs.
    long: Vec<(usize, Arc<[u8]>)>,
    len: usize,
}

impl Batch {
    /// Encodes a transaction's writes with the numbers given out so far.
    pub fn new(overlay: &Overlay, clock: u64, tick: u64) -> Self {
        let mut bytes = Vec::new();
        let mut long = Vec::new();
        bytes.extend_from_slice(&clock.to_be_bytes());
        bytes.extend_from_slice(&tick.to_be_bytes());
        let put_len = |out: &mut Vec<u8>, len: usize| out.extend_from_slice(&(len as u32).to_be_bytes());
        for space in Space::ALL {
            for (key, value) in overlay.space(space) {
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
        for (collection, delta) in overlay.counts.iter().filter(|(_, delta)| **delta != 0) {
            bytes.push(COUNT);
            bytes.extend_from_slice(&collection.to_be_bytes());
            bytes.extend_from_slice(&delta.to_be_bytes());
        }
        for (collection, last) in &overlay.last_keys {
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

    /// Writes into the tables what the batch of an overlay would.
    pub fn apply_overlay(overlay: &Overlay, clock: u64, tick: u64, tables: &mut WriteTables<'_>) -> Result<()> {
        tables.raise_number(Meta::Clock, clock)?;
        tables.raise_number(Meta::Tick, tick)?;
        for space in Space::ALL {
            for (key, value) in overlay.space(space) {
                match value {
                    Some(value) => tables.put(space, key, value)?,
                    None => tables.delete(space, key)?,
                }
            }
        }
        for (collection, delta) in &overlay.counts {
            let count = Meta::Count(*collection);
            let new = tables.number(count)?.saturating_add_signed(*delta);
            tables.set_number(count, new)?;
        }
        for (collection, last) in &overlay.last_keys {
            tables.raise_number(Meta::LastKey(*collection), *last)?;
        }
        Ok(())
    }

    /// Writes an encoded batch into the tables.
    pub fn apply(bytes: &[u8], tables: &mut WriteTables<'_>) -> Result<()> {
        let mut input = Reader { rest: bytes };
        tables.raise_number(Meta::Clock, input.number()?)?;
        tables.raise_number(Meta::Tick, input.number()?)?;
        while let Some(kind) = input.byte() {
            match kind {
                PUT | DELETE => {
                    let space = input.byte().and_then(Space::from_byte).ok_or_else(Reader::bad)?;
                    let key = input.bytes()?;
                    if kind == PUT {
                        tables.put(space, key, input.bytes()?)?;
                    } else {
                        tables.delete(space, key)?;
                    }
                }
                COUNT => {
                    let count = Meta::Count(input.number()?);
                    let delta = input.number()? as i64;
                    let new = tables.number(count)?.saturating_add_signed(delta);
                    tables.set_number(count, new)?;
                }
                LAST_KEY => {
                    let key = Meta::LastKey(input.number()?);
                    tables.raise_number(key, input.number()?)?;
                }
                _ => return Err(Reader::bad()),
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
impl From<&[u8]> for Batch {
    fn from(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), long: Vec::new(), len: bytes.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_shared_and_stand_where_they_belong() {
        let mut overlay = Overlay::default();
        let long: Arc<[u8]> = vec![7; 1000].into();
        overlay.put(Space::Docs, &b"a"[..], Arc::clone(&long));
        overlay.put(Space::Docs, &b"b"[..], &b"short"[..]);
        overlay.put(Space::Docs, &b"c"[..], Arc::clone(&long));
        let batch = Batch::new(&overlay, 1, 2);
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
