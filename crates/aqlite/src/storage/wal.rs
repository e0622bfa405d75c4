//! The write-ahead log: every commit is appended here before it is applied to the file.
//!
//! ```text
//! record: magic u32, length u32, crc32 of the rest, sequence number u64, synced up to u64, the batch
//! ```
//! Numbers are big endian. A record tells up to which record the log was on disk for certain when it was written, so
//! that a gap before that point is known to be damage and a torn end is known to be the work of a crash.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use super::disk::{Disk, DiskFile, DiskWork, ask};
use super::{damaged, storage_error};
use crate::{Error, Result};

const MAGIC: [u8; 4] = *b"aqlw";
const HEADER: usize = 4 + 4 + 4 + 8 + 8;

/// The open log.
pub(crate) struct Wal {
    file: File,
    len: u64,
    /// The number of the last record written.
    sequence: u64,
    /// The number of the last record that is on disk for certain.
    synced: u64,
    buffer: Vec<u8>,
    broken: bool,
    disk: Option<Arc<dyn Disk>>,
}

struct Record<'a> {
    sequence: u64,
    synced: u64,
    batch: &'a [u8],
    len: usize,
}

fn read_record(bytes: &[u8]) -> Option<Record<'_>> {
    let header = bytes.first_chunk::<HEADER>()?;
    if header[..4] != MAGIC {
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
    Some(Record { sequence: u64::from_be_bytes(*sequence), synced: u64::from_be_bytes(*synced), batch, len })
}

impl Wal {
    /// Opens the log and hands every record behind `applied` to `replay`, in order. What a crash left torn at the end
    /// is cut off; damage before it is an error.
    pub fn open(path: &Path, applied: u64, mut replay: impl FnMut(&[u8]) -> Result<()>) -> Result<Self> {
        let failed = |e: std::io::Error| storage_error(&format!("cannot open the log {}", path.display()), e);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (mut at, mut sequence) = (0, applied);
        let mut previous = None;
        while let Some(record) = read_record(&bytes[at..]) {
            let expected = previous.map_or(record.sequence, |p: u64| p + 1);
            if record.sequence != expected || record.sequence > sequence + 1 {
                return Err(damaged(format!("record {} of the log is missing", sequence + 1)));
            }
            if record.sequence > sequence {
                replay(record.batch)?;
                sequence = record.sequence;
            }
            previous = Some(record.sequence);
            at += record.len;
        }
        if at < bytes.len() {
            let lost = previous.map_or(applied, |p| p.max(applied)) + 1;
            if promised(&bytes[at + 1..]) >= Some(lost) {
                return Err(damaged(format!("record {lost} of the log does not read back")));
            }
            file.set_len(at as u64).map_err(failed)?;
        }
        file.seek(SeekFrom::Start(at as u64)).map_err(failed)?;
        file.sync_data().map_err(failed)?;
        Ok(Self { file, len: at as u64, sequence, synced: sequence, buffer: Vec::new(), broken: false, disk: None })
    }

    /// Asks `disk` before every change of the file.
    pub fn on_disk(mut self, disk: Option<Arc<dyn Disk>>) -> Self {
        self.disk = disk;
        self
    }

    fn ask(&self, work: DiskWork) -> std::io::Result<()> {
        ask(self.disk.as_ref(), DiskFile::Log, work)
    }

    /// Writes the buffer. Where the disk is to fail, half of it arrives, as a disk does it.
    fn write_buffer(&mut self) -> std::io::Result<()> {
        let allowed = self.ask(DiskWork::Write);
        let len = if allowed.is_ok() { self.buffer.len() } else { self.buffer.len() / 2 };
        self.file.write_all(&self.buffer[..len]).and(allowed)
    }

    fn sync_file(&self) -> std::io::Result<()> {
        self.ask(DiskWork::Sync).and_then(|()| self.file.sync_data())
    }

    fn cut(&mut self, len: u64) -> std::io::Result<()> {
        self.ask(DiskWork::Resize)?;
        self.file.set_len(len)?;
        self.file.seek(SeekFrom::Start(len)).map(drop)
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Is there anything that a power loss could take?
    pub fn is_dirty(&self) -> bool {
        self.synced < self.sequence
    }

    /// Appends batches with one write. After an error nothing of them is in the log, or the log is broken for good.
    pub fn append<'b>(&mut self, batches: impl Iterator<Item = &'b [u8]>, sync: bool) -> Result<()> {
        if self.broken {
            return Err(Error::new(
                crate::error::code::CANNOT_WRITE_FILE,
                "the log could not be written before; restart to continue",
            ));
        }
        self.buffer.clear();
        let mut sequence = self.sequence;
        for batch in batches {
            sequence += 1;
            let len = u32::try_from(batch.len()).map_err(|_| too_large())?;
            let start = self.buffer.len();
            self.buffer.extend_from_slice(&MAGIC);
            self.buffer.extend_from_slice(&len.to_be_bytes());
            self.buffer.extend_from_slice(&[0; 4]);
            self.buffer.extend_from_slice(&sequence.to_be_bytes());
            self.buffer.extend_from_slice(&self.synced.to_be_bytes());
            self.buffer.extend_from_slice(batch);
            let crc = crc32fast::hash(&self.buffer[start + 12..]);
            self.buffer[start + 8..start + 12].copy_from_slice(&crc.to_be_bytes());
        }
        let written = self.write_buffer();
        self.buffer.shrink_to(1 << 20);
        if let Err(cause) = written {
            self.take_back();
            return Err(cannot_write(cause));
        }
        if sync && let Err(cause) = self.sync_file() {
            // what the system has done with the pages is unknown from here on
            self.take_back();
            self.broken = true;
            return Err(cannot_write(cause));
        }
        self.len += self.buffer.len() as u64;
        self.sequence = sequence;
        if sync {
            self.synced = sequence;
        }
        Ok(())
    }

    fn take_back(&mut self) {
        let undone = self.cut(self.len);
        self.broken |= undone.is_err();
    }

    /// Makes everything written so far survive a power loss.
    pub fn sync(&mut self) -> Result<()> {
        if self.is_dirty() {
            if let Err(cause) = self.sync_file() {
                self.broken = true;
                return Err(cannot_write(cause));
            }
            self.synced = self.sequence;
        }
        Ok(())
    }

    /// Empties the log; everything in it must be durable in the file.
    pub fn clear(&mut self) -> Result<()> {
        if self.len > 0 {
            if let Err(cause) = self.cut(0) {
                self.broken = true;
                return Err(cannot_write(cause));
            }
            self.len = 0;
        }
        self.synced = self.sequence;
        Ok(())
    }

    /// Counts on without a record: the file itself has what happened.
    pub fn skip(&mut self) -> u64 {
        self.sequence += 1;
        self.synced = self.sequence;
        self.sequence
    }
}

/// The highest record that any intact record behind the gap says was on disk.
fn promised(bytes: &[u8]) -> Option<u64> {
    let mut best = None;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.windows(MAGIC.len()).position(|w| w == MAGIC)) {
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

fn cannot_write(cause: std::io::Error) -> Error {
    Error::new(crate::error::code::CANNOT_WRITE_FILE, format!("cannot write the log, nothing was committed: {cause}"))
}

fn too_large() -> Error {
    Error::new(crate::error::code::RESOURCE_LIMIT, "the transaction is too large to commit")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(records: &[&[u8]], sync: bool) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("log");
        let mut wal = Wal::open(&path, 0, |_| Ok(())).expect("opens");
        for record in records {
            wal.append(std::iter::once(*record), sync).expect("appends");
        }
        (dir, path)
    }

    fn replayed(path: &Path, applied: u64) -> Result<Vec<Vec<u8>>> {
        let mut seen = Vec::new();
        Wal::open(path, applied, |batch| {
            seen.push(batch.to_vec());
            Ok(())
        })?;
        Ok(seen)
    }

    #[test]
    fn what_was_appended_is_replayed_once() {
        let (_dir, path) = written(&[b"one", b"two", b"three"], false);
        assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
        assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()]);
        assert!(replayed(&path, 3).unwrap().is_empty());
    }

    #[test]
    fn a_torn_last_record_is_cut_off() {
        let (_dir, path) = written(&[b"one", b"two"], true);
        let whole = std::fs::read(&path).unwrap();
        for len in whole.len() / 2 + 1..whole.len() {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()], "{len}");
            assert_eq!(std::fs::metadata(&path).unwrap().len(), whole.len() as u64 / 2);
        }
    }

    #[test]
    fn damage_before_what_was_on_disk_is_an_error() {
        let (_dir, path) = written(&[b"one", b"two", b"thr"], true);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() / 3 + 20;
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID);
    }

    #[test]
    fn a_gap_that_was_never_on_disk_is_the_work_of_a_crash() {
        let (_dir, path) = written(&[b"one", b"two", b"thr"], false);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() / 3 + 20;
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()]);
    }

    #[test]
    fn a_log_that_begins_too_late_is_an_error() {
        let (_dir, path) = written(&[b"one", b"two"], true);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[bytes.len() / 2..]).unwrap();
        assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID);
        assert_eq!(replayed(&path, 1).unwrap(), [b"two".to_vec()]);
    }
}
