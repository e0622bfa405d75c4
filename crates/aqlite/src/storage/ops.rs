//! The writes of one commit as bytes: what stands in the log is what is applied to the file.

use super::overlay::Overlay;
use super::tables::{Space, WriteTables};
use super::{Meta, damaged};
use crate::Result;

const PUT: u8 = 1;
const DELETE: u8 = 2;
const COUNT: u8 = 3;
const LAST_KEY: u8 = 4;

/// The encoded writes of one commit.
pub(crate) struct Batch {
    bytes: Vec<u8>,
}

impl Batch {
    /// Encodes a transaction's writes with the numbers given out so far.
    pub fn new(overlay: &Overlay, clock: u64, tick: u64) -> Self {
        let mut bytes = Vec::with_capacity(overlay.size + overlay.size / 4 + 64);
        bytes.extend_from_slice(&clock.to_be_bytes());
        bytes.extend_from_slice(&tick.to_be_bytes());
        let put_bytes = |out: &mut Vec<u8>, b: &[u8]| {
            out.extend_from_slice(&(b.len() as u32).to_be_bytes());
            out.extend_from_slice(b);
        };
        for space in Space::ALL {
            for (key, value) in overlay.space(space) {
                bytes.push(if value.is_some() { PUT } else { DELETE });
                bytes.push(space as u8);
                put_bytes(&mut bytes, key);
                if let Some(value) = value {
                    put_bytes(&mut bytes, value);
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
        Self { bytes }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
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
