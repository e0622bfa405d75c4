//! The write-ahead log: every commit is appended here before it is applied to the file.
//!
//! ```text
//! record: magic u32, length u32, crc32 of the rest, sequence number u64, synced up to u64, the batch
//! ```
//! Numbers are big endian. A record tells up to which record the log was on disk for certain when it was written, so
//! that a gap before that point is known to be damage and a torn end is known to be the work of a crash.
//!
//! There are two files: while the records of one are made durable in the tables, commits go into the other. A file that
//! is set aside is on disk before the other takes its first record, so that only the end of the last one can be torn.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Batch;
use super::disk::{Disk, DiskFile, DiskWork, ask};
use super::{damaged, storage_error};
use crate::{Error, Result};

const MAGIC: [u8; 4] = *b"aqlw";
const HEADER: usize = 4 + 4 + 4 + 8 + 8;
/// So many bytes are written at once: a large commit is not copied as a whole.
const FULL: usize = 1 << 20;

/// One of the two files.
struct LogFile {
    file: File,
    len: u64,
}

/// The open log.
pub(crate) struct Wal {
    /// Takes the records.
    current: LogFile,
    /// Took them before; empty, or not yet durable in the tables.
    retired: LogFile,
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

/// A file as it was found.
struct Found {
    file: File,
    bytes: Vec<u8>,
    /// Up to here its records are whole.
    intact: usize,
    failed: String,
}

impl Found {
    fn read(path: &Path) -> Result<Self> {
        let failed = format!("cannot open the log {}", path.display());
        let open = || {
            let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(|e: std::io::Error| storage_error(&failed, e))?;
        Ok(Self { file, bytes, intact: 0, failed })
    }

    /// The number of its first record; nothing where there is none.
    fn begins(&self) -> Option<u64> {
        read_record(&self.bytes).map(|record| record.sequence)
    }

    /// Hands every record behind `sequence` to `replay` and counts on.
    fn replay(&mut self, sequence: &mut u64, replay: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut previous = None;
        while let Some(record) = read_record(&self.bytes[self.intact..]) {
            let expected = previous.map_or(record.sequence, |p: u64| p + 1);
            if record.sequence != expected || record.sequence > *sequence + 1 {
                return Err(damaged(format!("record {} of the log is missing", *sequence + 1)));
            }
            if record.sequence > *sequence {
                replay(record.batch)?;
                *sequence = record.sequence;
            }
            previous = Some(record.sequence);
            self.intact += record.len;
        }
        Ok(())
    }

    /// Cuts off what a crash left torn behind the last record there is, `sequence`; anything else is damage.
    fn cut(mut self, sequence: u64) -> Result<LogFile> {
        let len = self.intact as u64;
        if self.intact < self.bytes.len() {
            let lost = sequence + 1;
            if promised(&self.bytes[self.intact + 1..]) >= Some(lost) {
                return Err(damaged(format!("record {lost} of the log does not read back")));
            }
            self.file.set_len(len).map_err(|e| storage_error(&self.failed, e))?;
        }
        let ready = self.file.seek(SeekFrom::Start(len)).and_then(|_| self.file.sync_data());
        ready.map_err(|e| storage_error(&self.failed, e))?;
        Ok(LogFile { file: self.file, len })
    }
}

/// The path of the second file.
fn second(path: &Path) -> PathBuf {
    path.with_extension("2.log")
}

impl Wal {
    /// Is there nothing to replay?
    pub fn is_clean(path: &Path) -> bool {
        let is_empty = |path: &Path| std::fs::metadata(path).map(|m| m.len() == 0);
        // what an earlier version has written has one file only
        is_empty(path).unwrap_or(false) && is_empty(&second(path)).unwrap_or(true)
    }

    /// Opens the log and hands every record behind `applied` to `replay`, in order. What a crash left torn at the end
    /// is cut off; damage before it is an error.
    pub fn open(path: &Path, applied: u64, mut replay: impl FnMut(&[u8]) -> Result<()>) -> Result<Self> {
        let mut files = [Found::read(&second(path))?, Found::read(path)?];
        // an empty one comes first: the other takes the next records
        files.sort_by_key(Found::begins);
        let mut sequence = applied;
        for file in &mut files {
            file.replay(&mut sequence, &mut replay)?;
        }
        let [retired, current] = files;
        let (retired, current) = (retired.cut(sequence)?, current.cut(sequence)?);
        Ok(Self { current, retired, sequence, synced: sequence, buffer: Vec::new(), broken: false, disk: None })
    }

    /// Asks `disk` before every change of the file.
    pub fn on_disk(mut self, disk: Option<Arc<dyn Disk>>) -> Self {
        self.disk = disk;
        self
    }

    fn ask(&self, work: DiskWork) -> std::io::Result<()> {
        ask(self.disk.as_ref(), DiskFile::Log, work)
    }

    /// Writes the buffer and empties it. Where the disk is to fail, half of it arrives, as a disk does it.
    fn write_buffer(&mut self) -> std::io::Result<()> {
        let allowed = self.ask(DiskWork::Write);
        let len = if allowed.is_ok() { self.buffer.len() } else { self.buffer.len() / 2 };
        let written = self.current.file.write_all(&self.buffer[..len]).and(allowed);
        self.buffer.clear();
        self.buffer.shrink_to(FULL);
        written
    }

    fn sync_file(&self) -> std::io::Result<()> {
        self.ask(DiskWork::Sync).and_then(|()| self.current.file.sync_data())
    }

    fn cut(&mut self, is_retired: bool, len: u64) -> std::io::Result<()> {
        self.ask(DiskWork::Resize)?;
        let log = if is_retired { &mut self.retired } else { &mut self.current };
        log.file.set_len(len)?;
        log.file.seek(SeekFrom::Start(len))?;
        log.len = len;
        Ok(())
    }

    /// Bytes since the log was set aside last.
    pub fn current_len(&self) -> u64 {
        self.current.len
    }

    /// Is there nothing to replay?
    pub fn is_empty(&self) -> bool {
        self.current.len == 0 && self.retired.len == 0
    }

    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Is there anything that a power loss could take?
    pub fn is_dirty(&self) -> bool {
        self.synced < self.sequence
    }

    /// Appends batches, with one write unless they are large. After an error nothing of them is in the log, or the log is
    /// broken for good.
    pub fn append<'b>(&mut self, batches: impl Iterator<Item = &'b Batch>, sync: bool) -> Result<()> {
        if self.broken {
            return Err(Error::new(
                crate::error::code::CANNOT_WRITE_FILE,
                "the log could not be written before; restart to continue",
            ));
        }
        let (sequence, len) = match self.write_records(batches) {
            Ok(written) => written,
            Err(cause) => {
                self.take_back();
                return Err(cause);
            }
        };
        if sync && let Err(cause) = self.sync_file() {
            // what the system has done with the pages is unknown from here on
            self.take_back();
            self.broken = true;
            return Err(cannot_write(cause));
        }
        self.current.len += len;
        self.sequence = sequence;
        if sync {
            self.synced = sequence;
        }
        Ok(())
    }

    /// Writes a record for each batch; tells the number of the last one and the bytes of all.
    fn write_records<'b>(&mut self, batches: impl Iterator<Item = &'b Batch>) -> Result<(u64, u64)> {
        let (mut sequence, mut written) = (self.sequence, 0);
        self.buffer.clear();
        for batch in batches {
            sequence += 1;
            let len = u32::try_from(batch.len()).map_err(|_| too_large())?;
            let mut numbers = [0; 16];
            numbers[..8].copy_from_slice(&sequence.to_be_bytes());
            numbers[8..].copy_from_slice(&self.synced.to_be_bytes());
            let mut crc = crc32fast::Hasher::new();
            crc.update(&numbers);
            batch.pieces().for_each(|piece| crc.update(piece));
            self.buffer.extend_from_slice(&MAGIC);
            self.buffer.extend_from_slice(&len.to_be_bytes());
            self.buffer.extend_from_slice(&crc.finalize().to_be_bytes());
            self.buffer.extend_from_slice(&numbers);
            for piece in batch.pieces() {
                self.buffer.extend_from_slice(piece);
                if self.buffer.len() >= FULL {
                    self.write_buffer().map_err(cannot_write)?;
                }
            }
            written += (HEADER + batch.len()) as u64;
        }
        self.write_buffer().map_err(cannot_write)?;
        Ok((sequence, written))
    }

    fn take_back(&mut self) {
        let undone = self.cut(false, self.current.len);
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

    /// Sets what was written aside: further records go into the other file, which must be empty.
    pub fn rotate(&mut self) -> Result<()> {
        self.sync()?;
        std::mem::swap(&mut self.current, &mut self.retired);
        Ok(())
    }

    fn empty(&mut self, is_retired: bool) -> Result<()> {
        let len = if is_retired { self.retired.len } else { self.current.len };
        if len > 0
            && let Err(cause) = self.cut(is_retired, 0)
        {
            self.broken = true;
            return Err(cannot_write(cause));
        }
        Ok(())
    }

    /// Empties what was set aside; everything in it must be durable in the tables.
    pub fn clear_retired(&mut self) -> Result<()> {
        self.empty(true)
    }

    /// Empties the log; everything in it must be durable in the tables.
    pub fn clear(&mut self) -> Result<()> {
        self.empty(true)?;
        self.empty(false)?;
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
            wal.append(std::iter::once(&Batch::from(*record)), sync).expect("appends");
        }
        (dir, path)
    }

    /// Two records in the file that was set aside, one in the other.
    fn rotated() -> (tempfile::TempDir, std::path::PathBuf) {
        let (dir, path) = written(&[b"one", b"two"], false);
        let mut wal = Wal::open(&path, 0, |_| Ok(())).expect("opens");
        wal.rotate().expect("rotates");
        wal.append(std::iter::once(&Batch::from(&b"three"[..])), false).expect("appends");
        assert_eq!((wal.is_empty(), wal.sequence()), (false, 3));
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
    fn what_was_set_aside_is_replayed_before_what_came_then() {
        let (_dir, path) = rotated();
        assert!(!Wal::is_clean(&path));
        assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
        assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()]);
        // the next rotation goes the other way round
        let mut wal = Wal::open(&path, 2, |_| Ok(())).expect("opens");
        wal.clear_retired().expect("clears");
        wal.rotate().expect("rotates");
        wal.append(std::iter::once(&Batch::from(&b"four"[..])), true).expect("appends");
        drop(wal);
        assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec(), b"four".to_vec()]);
    }

    #[test]
    fn a_file_that_was_set_aside_and_not_emptied_any_more_is_passed_over() {
        let (_dir, path) = rotated();
        let stale = std::fs::read(&path).unwrap();
        let mut wal = Wal::open(&path, 3, |_| Ok(())).expect("opens");
        wal.clear().expect("clears");
        drop(wal);
        assert!(Wal::is_clean(&path));
        // the power went before the end of the file was on disk
        std::fs::write(&path, stale).unwrap();
        assert!(replayed(&path, 3).unwrap().is_empty());
    }

    #[test]
    fn a_torn_end_is_cut_off_in_the_file_that_came_last() {
        let (_dir, path) = rotated();
        let whole = std::fs::read(second(&path)).unwrap();
        for len in 1..whole.len() {
            std::fs::write(second(&path), &whole[..len]).unwrap();
            assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec()], "{len}");
        }
    }

    #[test]
    fn a_torn_end_of_what_was_set_aside_is_damage() {
        let (_dir, path) = rotated();
        let whole = std::fs::read(&path).unwrap();
        for len in [whole.len() - 1, whole.len() / 2, 0] {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID, "{len}");
        }
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
