//! Records as earlier versions wrote them, with nothing that tells them from other bytes but their checksum. A start with
//! such a log reads it once and leaves an empty one.
//!
//! ```text
//! record: magic u32, length u32, crc32 of the rest, sequence number u64, synced up to u64, the batch
//! ```

use super::found::Record;

const MAGIC: &[u8] = b"aqlw";
const NOTE: &[u8] = b"aqln";
const HEADER: usize = 4 + 4 + 4 + 8 + 8;

pub(super) fn begins(window: &[u8]) -> bool {
    window == MAGIC || window == NOTE
}

pub(super) fn record(bytes: &[u8]) -> Option<Record<'_>> {
    let header = bytes.first_chunk::<HEADER>()?;
    if !begins(&header[..4]) {
        return None;
    }
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let len = HEADER.checked_add(word(4) as usize)?;
    let body = bytes.get(12..len)?;
    if crc32fast::hash(body) != word(8) {
        return None;
    }
    let (sequence, rest) = body.split_first_chunk()?;
    let (synced, batch) = rest.split_first_chunk()?;
    let (sequence, synced) = (u64::from_be_bytes(*sequence), u64::from_be_bytes(*synced));
    Some(Record { of_use: 0, is_note: &header[..4] == NOTE, sequence, synced, batch, len })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A record as those versions wrote it; a note has no batch.
    pub fn record(sequence: u64, synced: u64, batch: &[u8]) -> Vec<u8> {
        let body = [&sequence.to_be_bytes()[..], &synced.to_be_bytes(), batch].concat();
        let magic = if batch.is_empty() { NOTE } else { MAGIC };
        let (len, crc) = (batch.len() as u32, crc32fast::hash(&body));
        [magic, &len.to_be_bytes(), &crc.to_be_bytes(), &body].concat()
    }
}
