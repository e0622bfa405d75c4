//! The header of the file inside: what a start begins with. It says which commit was the last, and an earlier one would be
//! taken for it where a bit of it changes. So it has a checksum of its own, and two places of which the one that is on disk
//! for certain is never written over: what a power cut leaves torn is the other one. After each sync a mark says up to which
//! header that was done; one that is marked and does not read back is damaged.

use std::io;

use redb::StorageBackend;

use super::super::full::Backend;
use super::BLOCK;

/// Begins the file.
const MAGIC: [u8; 16] = *b"aqlite pages 1\r\n";
/// Begins one that is not inside another, as earlier versions made it.
const BARE: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";
/// Bytes of the header.
pub(super) const LEN: usize = 320;
/// What stands in a place: a number, the header, a checksum of both.
const SEALED: usize = 8 + LEN + 4;
/// Each in sectors of its own.
const PLACES: [usize; 2] = [512, 1024];
const MARK: usize = 1536;

/// Is in the number of a mark when the file was closed with everything on disk.
const CLEAN: u64 = 1 << 63;

/// The header, and what is known of it on disk.
#[derive(Debug)]
pub(super) struct Head {
    bytes: [u8; LEN],
    /// How often it was written.
    number: u64,
    /// Where.
    place: usize,
    /// The place that is on disk for certain.
    synced: usize,
    /// The number of what was.
    marked: u64,
    /// Did every page fit its checksum when the file was opened, or all were read later?
    pub was_clean: bool,
}

/// Puts a checksum behind bytes.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    [bytes, &crc32fast::hash(bytes).to_le_bytes()].concat()
}

/// The number and what follows, if they fit the checksum behind them.
fn open(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (bytes, seal) = bytes.split_last_chunk()?;
    let (number, rest) = bytes.split_first_chunk()?;
    (crc32fast::hash(bytes) == u32::from_le_bytes(*seal)).then_some((u64::from_le_bytes(*number), rest))
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn first_block(file: &Backend) -> io::Result<Vec<u8>> {
    let mut block = vec![0; BLOCK];
    let len = usize::try_from(file.len()?).unwrap_or(BLOCK).min(BLOCK);
    file.read(0, &mut block[..len])?;
    Ok(block)
}

/// Does a file have checksums? An earlier version made it where not.
pub(super) fn begins_file(file: &Backend) -> io::Result<bool> {
    let block = first_block(file)?;
    if block.starts_with(&MAGIC) || block.starts_with(BARE) {
        return Ok(block.starts_with(&MAGIC));
    }
    Err(damaged("the data file does not begin as one"))
}

impl Head {
    /// Of a new file.
    pub fn create(file: &Backend) -> io::Result<Self> {
        file.write(0, &MAGIC)?;
        Ok(Self { bytes: [0; LEN], number: 0, place: 0, synced: 0, marked: 0, was_clean: true })
    }

    pub fn open(file: &Backend) -> io::Result<Self> {
        let block = first_block(file)?;
        let mark = open(&block[MARK..MARK + 12]).map_or(0, |(number, _)| number);
        let marked = mark & !CLEAN;
        let places = PLACES.iter().enumerate();
        let found =
            places.filter_map(|(place, at)| open(&block[*at..*at + SEALED]).map(|(n, bytes)| (n, place, bytes)));
        let Some((number, place, bytes)) = found.max().filter(|(number, ..)| *number >= marked) else {
            return Err(damaged("the header of the data file does not fit its checksum"));
        };
        if number > marked {
            // a process that was killed may have left it in the memory of the system only
            file.sync_data()?;
        }
        let mut header = [0; LEN];
        header.copy_from_slice(bytes);
        Ok(Self { bytes: header, number, place, synced: place, marked, was_clean: mark == number | CLEAN })
    }

    /// Everything is on disk, and nothing is written any more. What a crash has left so that it does not fit is not known to be
    /// gone before everything was read once.
    pub fn close(&self, file: &Backend) {
        if self.was_clean && self.number == self.marked {
            // for the next scrub only: where it cannot be marked nothing is lost
            let _ = file.write(MARK as u64, &sealed(&(self.number | CLEAN).to_le_bytes()));
        }
    }

    /// Does it read back from the disk?
    pub fn fits(&self, file: &Backend) -> io::Result<bool> {
        let block = first_block(file)?;
        let at = PLACES[self.place];
        Ok(self.number == 0 || open(&block[at..at + SEALED]).is_some_and(|(number, _)| number == self.number))
    }

    pub fn read(&self, out: &mut [u8]) {
        let len = out.len().min(LEN);
        out[..len].copy_from_slice(&self.bytes[..len]);
        out[len..].fill(0);
    }

    pub fn write(&mut self, bytes: &[u8], file: &Backend) -> io::Result<()> {
        let header = self.bytes.get_mut(..bytes.len()).ok_or_else(super::out_of_place)?;
        header.copy_from_slice(bytes);
        self.number += 1;
        self.place = 1 - self.synced;
        let content = [&self.number.to_le_bytes()[..], &self.bytes].concat();
        file.write(PLACES[self.place] as u64, &sealed(&content))
    }

    /// What a sync that begins now brings to the disk, if it does.
    pub fn begin_sync(&mut self) -> (u64, usize) {
        self.marked = 0;
        (self.number, self.place)
    }

    /// It has. Where that cannot be marked nothing is lost: the next sync tries it again.
    pub fn was_synced(&mut self, (number, place): (u64, usize), file: &Backend) {
        self.synced = place;
        if file.write(MARK as u64, &sealed(&number.to_le_bytes())).is_ok() {
            self.marked = number;
        }
    }
}
