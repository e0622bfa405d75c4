//! The write-ahead log: every commit is appended here before it is applied to the file.
//!
//! ```text
//! record: magic u32, length u32, crc32 of the rest, sequence number u64, synced up to u64, the batch
//! ```
//! Numbers are big endian. A record tells up to which record the log was on disk for certain when it was written, so
//! that a gap before that point is known to be damage and a torn end is known to be the work of a crash.
//!
//! There are two files: while the records of one are made durable in the tables, commits go into the other. Both are synced
//! beside those who write to them, the one that was set aside first. So a power cut may tear the end of that one as well,
//! and then what stands in the other is not there either.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use redb::StorageBackend;

use super::LogRecord;
use super::disk::{Disk, DiskFile};
use super::{damaged, storage_error};
use crate::{Error, Result};

const MAGIC: [u8; 4] = *b"aqlw";
/// Begins a note: a record without a batch, which only tells up to where the log is on disk.
const NOTE: [u8; 4] = *b"aqln";
const HEADER: usize = 4 + 4 + 4 + 8 + 8;
/// So many bytes are written at once: a large commit is not copied as a whole.
const FULL: usize = 1 << 20;

/// One of the two files.
struct LogFile {
    file: Arc<dyn StorageBackend>,
    len: u64,
}

/// What is to be synced so that everything up to a record survives a power loss: by anybody, while others write.
pub(crate) struct ToSync {
    /// In their order.
    files: Vec<Arc<dyn StorageBackend>>,
    sequence: u64,
}

impl ToSync {
    /// Syncs it, and tells the number of the last record that is on disk then.
    pub fn sync(&self) -> Result<u64> {
        self.files.iter().try_for_each(|file| file.sync_data()).map_err(cannot_write)?;
        Ok(self.sequence)
    }
}

/// The open log.
pub(crate) struct Wal {
    /// Takes the records.
    current: LogFile,
    /// Took them before; empty, or not yet durable in the tables.
    retired: LogFile,
    /// The number of the last record written there.
    retired_up_to: u64,
    /// The number of the last record written.
    sequence: u64,
    /// The number of the last record that is on disk for certain.
    synced: u64,
    buffer: Vec<u8>,
    broken: bool,
}

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

/// What stands before a batch in its record, without the checksum.
fn unchecked_header(magic: [u8; 4], sequence: u64, synced: u64, batch: &LogRecord) -> Result<[u8; HEADER]> {
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&magic);
    header[4..8].copy_from_slice(&u32::try_from(batch.len()).map_err(|_| too_large())?.to_be_bytes());
    header[12..20].copy_from_slice(&sequence.to_be_bytes());
    header[20..].copy_from_slice(&synced.to_be_bytes());
    Ok(header)
}

/// What stands before a batch in its record.
fn header(magic: [u8; 4], sequence: u64, synced: u64, batch: &LogRecord) -> Result<[u8; HEADER]> {
    let mut header = unchecked_header(magic, sequence, synced, batch)?;
    let mut crc = crc32fast::Hasher::new();
    crc.update(&header[12..]);
    batch.pieces().for_each(|piece| crc.update(piece));
    header[8..12].copy_from_slice(&crc.finalize().to_be_bytes());
    Ok(header)
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
                // written before the file was emptied, which had not reached the disk when the power went
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
        Ok(LogFile { file: self.file.into(), len })
    }
}

/// The path of the second file.
fn second(path: &Path) -> PathBuf {
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

impl Wal {
    /// Writes the buffer so many bytes behind the last record, and empties it; tells how many there are now.
    fn write_buffer(&mut self, behind: u64) -> Result<u64> {
        let written = self.current.file.write(self.current.len + behind, &self.buffer);
        let behind = behind + self.buffer.len() as u64;
        self.buffer.clear();
        self.buffer.shrink_to(FULL);
        written.map(|()| behind).map_err(cannot_write)
    }

    fn cut(&mut self, is_retired: bool, len: u64) -> std::io::Result<()> {
        let log = if is_retired { &mut self.retired } else { &mut self.current };
        log.file.set_len(len)?;
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
    pub fn append<'b>(&mut self, batches: impl Iterator<Item = &'b LogRecord>, sync: bool) -> Result<()> {
        if self.broken {
            return Err(Error::new(
                crate::error::code::CANNOT_WRITE_FILE,
                "the log could not be written before; restart to recover what was committed",
            ));
        }
        let (sequence, len) = match self.write_records(batches) {
            Ok(written) => written,
            Err(cause) => {
                self.take_back();
                return Err(cause);
            }
        };
        if sync && let Err(cause) = self.to_sync().sync() {
            // what the system has done with the pages is unknown from here on
            self.take_back();
            self.broken = true;
            return Err(cause);
        }
        self.current.len += len;
        self.sequence = sequence;
        if sync {
            self.synced = sequence;
            self.note();
        }
        Ok(())
    }

    /// Writes a record for each batch; tells the number of the last one and the bytes of all.
    fn write_records<'b>(&mut self, batches: impl Iterator<Item = &'b LogRecord>) -> Result<(u64, u64)> {
        let (mut sequence, mut written) = (self.sequence, 0);
        self.buffer.clear();
        for batch in batches {
            sequence += 1;
            let begin = self.buffer.len();
            if begin + HEADER + batch.len() < FULL {
                // one look at all of it is faster than one at each piece
                self.buffer.extend_from_slice(&unchecked_header(MAGIC, sequence, self.synced, batch)?);
                batch.pieces().for_each(|piece| self.buffer.extend_from_slice(piece));
                let crc = crc32fast::hash(&self.buffer[begin + 12..]);
                self.buffer[begin + 8..begin + 12].copy_from_slice(&crc.to_be_bytes());
                continue;
            }
            self.buffer.extend_from_slice(&header(MAGIC, sequence, self.synced, batch)?);
            for piece in batch.pieces() {
                self.buffer.extend_from_slice(piece);
                if self.buffer.len() >= FULL {
                    written = self.write_buffer(written)?;
                }
            }
        }
        Ok((sequence, self.write_buffer(written)?))
    }

    fn take_back(&mut self) {
        let undone = self.cut(false, self.current.len);
        self.broken |= undone.is_err();
    }

    /// Tells behind the last record that it is on disk, so that damage to it is known from what a crash leaves. It is for
    /// those who read: where it cannot be written nothing is lost, and the next record comes in its place.
    fn note(&mut self) {
        self.buffer.clear();
        let Ok(header) = header(NOTE, self.sequence, self.synced, &LogRecord::default()) else { return };
        self.buffer.extend_from_slice(&header);
        if let Ok(len) = self.write_buffer(0) {
            self.current.len += len;
        }
    }

    /// What is to be synced for everything written so far.
    pub fn to_sync(&self) -> ToSync {
        let retired = (self.synced < self.retired_up_to).then(|| Arc::clone(&self.retired.file));
        let files = retired.into_iter().chain([Arc::clone(&self.current.file)]).collect();
        ToSync { files, sequence: self.sequence }
    }

    /// Takes note of what came of syncing. After an error what is on disk is not known any more.
    pub fn was_synced(&mut self, result: Result<u64>) -> Result<()> {
        match result {
            Ok(sequence) if sequence > self.synced => {
                self.synced = sequence;
                self.note();
            }
            Ok(_) => {}
            Err(cause) => {
                self.broken = true;
                return Err(cause);
            }
        }
        Ok(())
    }

    /// Makes everything written so far survive a power loss.
    pub fn sync(&mut self) -> Result<()> {
        if self.is_dirty() {
            let result = self.to_sync().sync();
            self.was_synced(result)?;
        }
        Ok(())
    }

    /// Sets what was written aside: further records go into the other file, which must be empty. It is synced with the next
    /// sync of them.
    pub fn rotate(&mut self) {
        std::mem::swap(&mut self.current, &mut self.retired);
        self.retired_up_to = self.sequence;
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
        self.empty(true)?;
        self.synced = self.synced.max(self.retired_up_to);
        Ok(())
    }

    /// Empties the log; everything in it must be durable in the tables.
    pub fn clear(&mut self) -> Result<()> {
        self.empty(true)?;
        self.empty(false)?;
        self.synced = self.sequence;
        Ok(())
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

fn cannot_write(cause: std::io::Error) -> Error {
    Error::new(crate::error::code::CANNOT_WRITE_FILE, format!("cannot write the log, nothing was committed: {cause}"))
}

fn too_large() -> Error {
    Error::new(crate::error::code::RESOURCE_LIMIT, "the transaction is too large to commit")
}

#[cfg(test)]
mod tests {
    use super::super::disk::SystemDisk;
    use super::*;

    fn found(path: &Path) -> FoundLog {
        FoundLog::read(path, &SystemDisk).expect("reads")
    }

    fn open(path: &Path, applied: u64) -> Wal {
        found(path).open(applied, |_| Ok(())).expect("opens")
    }

    fn written(records: &[&[u8]], sync: bool) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("log");
        let mut wal = open(&path, 0);
        for record in records {
            wal.append(std::iter::once(&LogRecord::from(*record)), sync).expect("appends");
        }
        (dir, path)
    }

    /// Two records in the file that was set aside, one in the other.
    fn rotated() -> (tempfile::TempDir, std::path::PathBuf) {
        let (dir, path) = written(&[b"one", b"two"], false);
        // opening it syncs it
        let mut wal = open(&path, 0);
        wal.rotate();
        wal.append(std::iter::once(&LogRecord::from(&b"three"[..])), false).expect("appends");
        assert_eq!((wal.is_empty(), wal.sequence()), (false, 3));
        (dir, path)
    }

    fn replayed(path: &Path, applied: u64) -> Result<Vec<Vec<u8>>> {
        let mut seen = Vec::new();
        found(path).open(applied, |batch| {
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
        assert!(!found(&path).is_clean());
        assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
        assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()]);
        // the next rotation goes the other way round
        let mut wal = open(&path, 2);
        wal.clear_retired().expect("clears");
        wal.rotate();
        wal.append(std::iter::once(&LogRecord::from(&b"four"[..])), true).expect("appends");
        drop(wal);
        assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec(), b"four".to_vec()]);
    }

    #[test]
    fn a_file_that_was_set_aside_and_not_emptied_any_more_is_passed_over() {
        let (_dir, path) = rotated();
        let stale = std::fs::read(&path).unwrap();
        let mut wal = open(&path, 3);
        wal.clear().expect("clears");
        drop(wal);
        assert!(found(&path).is_clean());
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
    fn what_follows_on_a_torn_end_that_was_never_on_disk_is_cut_off_with_it() {
        let (_dir, path) = written(&[], false);
        let mut wal = open(&path, 0);
        let append = |wal: &mut Wal, record: &[u8]| {
            wal.append(std::iter::once(&LogRecord::from(record)), false).expect("appends");
        };
        append(&mut wal, b"one");
        append(&mut wal, b"two");
        wal.rotate();
        append(&mut wal, b"three");
        let (first, other) = (path.clone(), second(&path));
        let (whole, rest) = (std::fs::read(&first).unwrap(), std::fs::read(&other).unwrap());
        assert!(!whole.is_empty() && !rest.is_empty());
        for (len, left) in [(whole.len() - 1, 1), (whole.len() / 2, 1), (whole.len() / 2 - 1, 0), (0, 0)] {
            std::fs::write(&first, &whole[..len]).unwrap();
            std::fs::write(&other, &rest).unwrap();
            assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()][..left], "{len}");
            assert_eq!(std::fs::metadata(&other).unwrap().len(), 0, "{len}");
            // what the tables have does not matter
            std::fs::write(&first, &whole[..len]).unwrap();
            std::fs::write(&other, &rest).unwrap();
            assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()], "{len}");
        }
        // the same behind a sync of both, or of the first alone, is damage
        let to_sync = wal.to_sync();
        append(&mut wal, b"four");
        wal.was_synced(to_sync.sync()).expect("syncs");
        let rest = std::fs::read(&other).unwrap();
        for len in [whole.len() - 1, whole.len() / 2, 0] {
            std::fs::write(&first, &whole[..len]).unwrap();
            std::fs::write(&other, &rest).unwrap();
            assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID, "{len}");
            assert_eq!(std::fs::read(&first).unwrap().len(), len, "nothing is changed");
        }
    }

    #[test]
    fn a_note_at_the_beginning_of_a_file_is_about_the_one_before() {
        let (_dir, path) = written(&[], false);
        let mut wal = open(&path, 0);
        for record in [&b"one"[..], b"two"] {
            wal.append(std::iter::once(&LogRecord::from(record)), false).expect("appends");
            wal.rotate();
            wal.sync().expect("syncs");
            if record == b"one" {
                wal.clear_retired().expect("clears");
            }
        }
        drop(wal);
        assert_eq!(replayed(&path, 1).unwrap(), [b"two".to_vec()]);
        for file in [path.clone(), second(&path)] {
            let whole = std::fs::read(&file).unwrap();
            std::fs::write(&file, []).unwrap();
            let seen = replayed(&path, 1);
            // without the note nothing is missing, without the record it is
            assert_eq!(seen.is_err(), whole.windows(4).any(|bytes| bytes == MAGIC), "{seen:?}");
            std::fs::write(&file, whole).unwrap();
        }
    }

    #[test]
    fn a_torn_last_record_is_cut_off() {
        let (_dir, path) = written(&[b"one"], true);
        let first = std::fs::metadata(&path).unwrap().len();
        open(&path, 0).append(std::iter::once(&LogRecord::from(&b"two"[..])), false).expect("appends");
        let whole = std::fs::read(&path).unwrap();
        for len in first as usize + 1..whole.len() {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()], "{len}");
            assert_eq!(std::fs::metadata(&path).unwrap().len(), first);
        }
    }

    #[test]
    fn a_record_that_was_on_disk_is_never_dropped_also_when_it_is_the_last() {
        for records in [&[&b"one"[..]][..], &[b"one", b"two"]] {
            let (_dir, path) = written(records, true);
            let whole = std::fs::read(&path).unwrap();
            // the note behind the last record is all that is not needed to read it
            for at in 0..whole.len() - HEADER {
                let mut bytes = whole.clone();
                bytes[at] ^= 1;
                std::fs::write(&path, &bytes).unwrap();
                match replayed(&path, 0) {
                    Err(error) => assert_eq!(error.num, crate::error::code::DATADIR_INVALID, "{at}"),
                    // a note in the middle
                    Ok(seen) => assert_eq!(seen, records, "{at}"),
                }
            }
        }
    }

    #[test]
    fn a_log_synced_later_promises_its_records_as_well() {
        let (_dir, path) = written(&[], false);
        let mut wal = open(&path, 0);
        wal.append(std::iter::once(&LogRecord::from(&b"one"[..])), false).expect("appends");
        wal.sync().expect("syncs");
        drop(wal);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[HEADER] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID);
    }

    #[test]
    fn records_written_over_those_of_an_earlier_time_end_where_the_new_ones_do() {
        let (_dir, path) = written(&[b"one", b"two", b"thr"], false);
        let stale = std::fs::read(&path).unwrap();
        let mut wal = open(&path, 0);
        wal.clear().expect("clears");
        wal.append(std::iter::once(&LogRecord::from(&b"fou"[..])), false).expect("appends");
        drop(wal);
        let new = std::fs::read(&path).unwrap();
        // the new record is on disk, that the file was emptied is not
        std::fs::write(&path, [&new, &stale[new.len()..]].concat()).unwrap();
        assert_eq!(replayed(&path, 3).unwrap(), [b"fou".to_vec()]);
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
