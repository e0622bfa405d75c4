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
//!
//! A file whose records are not needed any more keeps its bytes, and the next records are written over them: a file that
//! does not grow is synced in less time, since only what was written has to reach the disk. What stands behind the new
//! records has lower numbers than they have.

mod found;

use std::sync::Arc;

use redb::StorageBackend;

pub(crate) use found::FoundLog;

use super::LogRecord;
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
    /// Bytes of its records.
    len: u64,
    /// Bytes of the file: those behind the records are of earlier ones, which are written over.
    size: u64,
}

impl LogFile {
    fn cut(&mut self, len: u64) -> std::io::Result<()> {
        self.file.set_len(len)?;
        (self.len, self.size) = (len, len);
        Ok(())
    }

    fn empty(&mut self) -> std::io::Result<()> {
        if self.size > 0 { self.cut(0) } else { Ok(()) }
    }
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

impl Wal {
    /// Writes the buffer so many bytes behind the last record, and empties it; tells how many there are now.
    fn write_buffer(&mut self, behind: u64) -> Result<u64> {
        let written = self.current.file.write(self.current.len + behind, &self.buffer);
        let behind = behind + self.buffer.len() as u64;
        self.current.size = self.current.size.max(self.current.len + behind);
        self.buffer.clear();
        self.buffer.shrink_to(FULL);
        written.map(|()| behind).map_err(cannot_write)
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
        let undone = self.current.cut(self.current.len);
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

    /// After an error what the file holds is not known any more.
    fn or_broken(&mut self, result: std::io::Result<()>) -> Result<()> {
        self.broken |= result.is_err();
        result.map_err(cannot_write)
    }

    /// What was set aside is not needed any more; everything in it must be durable in the tables. The file keeps its bytes,
    /// if they are no more than so many: to write over them takes less than to give them back and to get others.
    pub fn clear_retired(&mut self, most: u64) -> Result<()> {
        if self.retired.size > most {
            let emptied = self.retired.empty();
            self.or_broken(emptied)?;
        }
        self.retired.len = 0;
        self.synced = self.synced.max(self.retired_up_to);
        Ok(())
    }

    /// Empties the log; everything in it must be durable in the tables.
    pub fn clear(&mut self) -> Result<()> {
        let emptied = self.retired.empty().and_then(|()| self.current.empty());
        self.or_broken(emptied)?;
        self.synced = self.sequence;
        Ok(())
    }
}

fn cannot_write(cause: std::io::Error) -> Error {
    Error::new(crate::error::code::CANNOT_WRITE_FILE, format!("cannot write the log, nothing was committed: {cause}"))
}

fn too_large() -> Error {
    Error::new(crate::error::code::RESOURCE_LIMIT, "the transaction is too large to commit")
}

#[cfg(test)]
mod tests;
