//! The log as a start finds it: which of its records count, what a crash left torn, and what is damage.

use std::path::{Path, PathBuf};

use redb::StorageBackend;

use super::super::disk::{Disk, DiskFile};
use super::super::{damaged, storage_error};
use super::{HEADER, LogFile, MAGIC, NOTE, Wal};
use crate::Result;

struct Record<'a> {
    is_note: bool,
    sequence: u64,
    synced: u64,
    batch: &'a [u8],
    len: usize,
}

fn read_record(bytes: &[u8]) -> Option<Record<'_>> {
    let header = bytes.first_chunk::<HEADER>()?;
    let is_note = header[..4] == NOTE;
    if !is_note && header[..4] != MAGIC {
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
    Some(Record { is_note, sequence, synced, batch, len })
}

/// A file as it was found.
struct Found {
    file: Box<dyn StorageBackend>,
    bytes: Vec<u8>,
    /// Up to here its records are whole.
    intact: usize,
    failed: String,
}

impl Found {
    fn read(path: &Path, disk: &dyn Disk) -> Result<Self> {
        let failed = format!("cannot open the log {}", path.display());
        let open = || {
            let file = disk.open(path, DiskFile::Log)?;
            let mut bytes = vec![0; usize::try_from(file.len()?).unwrap_or(usize::MAX)];
            file.read(0, &mut bytes)?;
            Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(|e: std::io::Error| storage_error(&failed, e))?;
        Ok(Self { file, bytes, intact: 0, failed })
    }

    /// The number of its first record; nothing where there is none. A note is about a record that stands before it.
    fn begins(&self) -> Option<(u64, bool)> {
        read_record(&self.bytes).map(|record| (record.sequence, record.is_note))
    }

    /// Hands every record behind `sequence` to `replay` and counts on. What does not follow on it is left: the end of the
    /// file before was lost.
    fn replay(&mut self, sequence: &mut u64, replay: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut previous = None;
        while let Some(record) = read_record(&self.bytes[self.intact..]) {
            if previous.is_some_and(|p| record.sequence <= p && !(record.is_note && record.sequence == p)) {
                // of an earlier time: it is written over, or was cut off when the power went
                break;
            }
            let is_behind_a_gap = record.sequence > *sequence + u64::from(!record.is_note);
            if is_behind_a_gap && previous.is_none() {
                return Ok(());
            }
            if !record.is_note {
                let expected = previous.map_or(record.sequence, |p| p + 1);
                if record.sequence != expected || is_behind_a_gap {
                    return Err(damaged(format!("record {} of the log is missing", *sequence + 1)));
                }
                if record.sequence > *sequence {
                    replay(record.batch)?;
                    *sequence = record.sequence;
                }
            }
            previous = Some(record.sequence);
            self.intact += record.len;
        }
        Ok(())
    }

    /// What does not read back behind the last record there is, `sequence`, is what a crash left torn, unless it is said to
    /// have been on disk.
    fn check_rest(&self, sequence: u64) -> Result<()> {
        let lost = sequence + 1;
        if promised(&self.bytes[self.intact..]) >= Some(lost) {
            return Err(damaged(format!("record {lost} of the log does not read back")));
        }
        Ok(())
    }

    /// Cuts off what a crash left torn.
    fn cut(self) -> Result<LogFile> {
        let len = self.intact as u64;
        if self.intact < self.bytes.len() {
            self.file.set_len(len).map_err(|e| storage_error(&self.failed, e))?;
        }
        self.file.sync_data().map_err(|e| storage_error(&self.failed, e))?;
        Ok(LogFile { file: self.file.into(), len, size: len })
    }
}

/// The path of the second file.
pub(super) fn second(path: &Path) -> PathBuf {
    path.with_extension("2.log")
}

/// The files of the log as they were found.
pub(crate) struct FoundLog {
    files: [Found; 2],
}

impl FoundLog {
    /// Reads the log, or makes an empty one.
    pub fn read(path: &Path, disk: &dyn Disk) -> Result<Self> {
        Ok(Self { files: [Found::read(&second(path), disk)?, Found::read(path, disk)?] })
    }

    /// Is there nothing to replay?
    pub fn is_clean(&self) -> bool {
        self.files.iter().all(|file| file.bytes.is_empty())
    }

    /// Hands every record behind `applied` to `replay`, in order. What a crash left torn at the end is cut off; damage
    /// before it is an error.
    pub fn open(self, applied: u64, mut replay: impl FnMut(&[u8]) -> Result<()>) -> Result<Wal> {
        let mut files = self.files;
        // an empty one comes first: the other takes the next records
        files.sort_by_key(Found::begins);
        let mut sequence = applied;
        for file in &mut files {
            file.replay(&mut sequence, &mut replay)?;
        }
        files.iter().try_for_each(|file| file.check_rest(sequence))?;
        let [retired, current] = files;
        let (retired, current) = (retired.cut()?, current.cut()?);
        let (synced, retired_up_to) = (sequence, sequence);
        Ok(Wal { current, retired, retired_up_to, sequence, synced, buffer: Vec::new(), broken: false })
    }
}

/// The highest record that any intact record behind the gap says was on disk.
fn promised(bytes: &[u8]) -> Option<u64> {
    let mut best = None;
    let mut at = 0;
    let begins = |window: &[u8]| window == MAGIC || window == NOTE;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.windows(MAGIC.len()).position(begins)) {
        at += found;
        match read_record(&bytes[at..]) {
            Some(record) => {
                best = best.max(Some(record.synced));
                at += record.len;
            }
            None => at += 1,
        }
    }
    best
}
