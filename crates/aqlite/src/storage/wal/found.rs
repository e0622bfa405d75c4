//! The log as a start finds it: which of its records count, what a crash left torn, and what is damage.

use std::path::{Path, PathBuf};

use redb::StorageBackend;

use super::super::disk::{Disk, DiskFile};
use super::super::{damaged, storage_error};
use super::{CHECKED, HEADER, LogFile, Secret, Wal, earlier};
use crate::Result;

pub(super) struct Record<'a> {
    pub of_use: u32,
    pub is_note: bool,
    pub sequence: u64,
    pub synced: u64,
    pub batch: &'a [u8],
    pub len: usize,
}

/// What makes bytes a record.
#[derive(Clone, Copy)]
enum Form {
    Secret(Secret),
    /// They look like one: those of an earlier version.
    Earlier,
}

impl Form {
    fn begins(self, window: &[u8]) -> bool {
        match self {
            Self::Secret(secret) => window == secret.mark(),
            Self::Earlier => earlier::begins(window),
        }
    }

    /// The record at a place of a file.
    fn record(self, file: &[u8], place: usize) -> Option<Record<'_>> {
        let bytes = file.get(place..)?;
        let Self::Secret(secret) = self else { return earlier::record(bytes) };
        let header = bytes.first_chunk::<HEADER>()?;
        let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let len = HEADER.checked_add(word(12) as usize)?;
        let rest = bytes.get(CHECKED..len)?;
        if header[..4] != secret.mark() || header[4..CHECKED] != secret.checksum(place as u64, std::iter::once(rest)) {
            return None;
        }
        let number = |at: usize| u64::from(word(at)) << 32 | u64::from(word(at + 4));
        let (sequence, synced, batch) = (number(16), number(24), &bytes[HEADER..len]);
        Some(Record { of_use: word(8), is_note: batch.is_empty(), sequence, synced, batch, len })
    }
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
    fn begins(&self, form: Form) -> Option<(u64, bool)> {
        form.record(&self.bytes, 0).map(|record| (record.sequence, record.is_note))
    }

    /// Hands every record behind `sequence` to `replay` and counts on. What does not follow on it is left: the end of the
    /// file before was lost.
    fn replay(&mut self, form: Form, sequence: &mut u64, replay: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut previous: Option<(u32, u64)> = None;
        while let Some(record) = form.record(&self.bytes, self.intact) {
            let is_of_earlier_time = |(of_use, p): (u32, u64)| {
                record.of_use != of_use || (record.sequence <= p && !(record.is_note && record.sequence == p))
            };
            if previous.is_some_and(is_of_earlier_time) {
                // it is written over, or was cut off when the power went
                break;
            }
            let is_behind_a_gap = record.sequence > *sequence + u64::from(!record.is_note);
            if is_behind_a_gap && previous.is_none() {
                return Ok(());
            }
            if !record.is_note {
                let expected = previous.map_or(record.sequence, |(_, p)| p + 1);
                if record.sequence != expected || is_behind_a_gap {
                    return Err(damaged(format!("record {} of the log is missing", *sequence + 1)));
                }
                if record.sequence > *sequence {
                    replay(record.batch)?;
                    *sequence = record.sequence;
                }
            }
            previous = Some((record.of_use, record.sequence));
            self.intact += record.len;
        }
        Ok(())
    }

    /// What does not read back behind the last record there is, `sequence`, is what a crash left torn, unless it is said to
    /// have been on disk.
    fn check_rest(&self, form: Form, sequence: u64) -> Result<()> {
        let lost = sequence + 1;
        if self.promised(form) >= Some(lost) {
            return Err(damaged(format!("record {lost} of the log does not read back")));
        }
        Ok(())
    }

    /// The highest record that any intact record behind the gap says was on disk.
    fn promised(&self, form: Form) -> Option<u64> {
        let mut best = None;
        let mut at = self.intact;
        while let Some(found) = self.bytes.get(at..).and_then(|rest| rest.windows(4).position(|four| form.begins(four)))
        {
            at += found;
            match form.record(&self.bytes, at) {
                Some(record) => {
                    best = best.max(Some(record.synced));
                    at += record.len;
                }
                None => at += 1,
            }
        }
        best
    }

    /// As it is, and stays when the power goes: where it is empty, that may be the work of a start that was killed.
    fn opened(self) -> Result<LogFile> {
        self.file.sync_data().map_err(|e| storage_error(&self.failed, e))?;
        let len = self.bytes.len() as u64;
        Ok(LogFile { file: self.file.into(), of_use: 0, len, size: len })
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

    /// Hands every record behind `applied` to `replay`, in order, and tells the number of the last one. What a crash left torn
    /// at the end does not count; damage before it is an error. Without a secret the log is one of an earlier version.
    pub fn replay(
        &mut self,
        secret: Option<Secret>,
        applied: u64,
        mut replay: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<u64> {
        let form = secret.map_or(Form::Earlier, Form::Secret);
        // one without records comes first: nothing follows on it
        self.files.sort_by_key(|file| file.begins(form));
        let mut sequence = applied;
        for file in &mut self.files {
            file.replay(form, &mut sequence, &mut replay)?;
        }
        self.files.iter().try_for_each(|file| file.check_rest(form, sequence))?;
        Ok(sequence)
    }

    /// A log that goes on behind a record. Where it is not clean it has to be emptied first, and for that everything up to
    /// that record must be durable in the tables.
    pub fn opened(self, secret: Secret, sequence: u64) -> Result<Wal> {
        let [second, first] = self.files;
        let (retired, current) = (second.opened()?, first.opened()?);
        let (synced, retired_up_to) = (sequence, sequence);
        Ok(Wal { secret, current, retired, retired_up_to, sequence, synced, buffer: Vec::new(), broken: false })
    }
}
