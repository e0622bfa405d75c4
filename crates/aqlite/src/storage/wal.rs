//! The write-ahead log: every commit is appended here before it is applied to the file.
//!
//! ```text
//! record: mark u32, crc32 of the rest u32, use u32, length u32, sequence number u64, synced up to u64, the batch
//! ```
//! Numbers are big endian. A record tells up to which record the log was on disk for certain when it was written, so
//! that a gap before that point is known to be damage and a torn end is known to be the work of a crash. One without a batch
//! is a note, which tells nothing else.
//!
//! There are two files: while the records of one are made durable in the tables, commits go into the other. Both are synced
//! beside those who write to them, the one that was set aside first. So a power cut may tear the end of that one as well,
//! and then what stands in the other is not there either.
//!
//! A file whose records are not needed any more keeps its bytes, and the next records are written over them: a file that
//! does not grow is synced in less time, since only what was written has to reach the disk. So anything may stand behind the
//! last record: earlier ones, or a document that looks like one. What is not a record of this use of the file never counts as
//! one: each use has a random number, which its first record begins with and all others have as well, and each data directory
//! a random [`Secret`], which the tables keep. Both go into the checksum of every record, with its place in the file.

mod earlier;
mod found;

use std::sync::Arc;

use redb::StorageBackend;

pub(crate) use found::FoundLog;

use super::{LogRecord, is_full};
use crate::{Error, Result};

const HEADER: usize = 4 + 4 + 4 + 4 + 8 + 8;
/// Where that begins which the checksum is of.
const CHECKED: usize = 4 + 4;
/// So many bytes are written at once: a large commit is not copied as a whole. In tests not so large ones, either.
const FULL: usize = if cfg!(test) { 4 << 10 } else { 1 << 20 };

/// What makes bytes records of this data directory: nobody who writes a document knows it.
#[derive(Clone, Copy)]
pub(crate) struct Secret(pub u64);

impl Secret {
    /// What records begin with.
    fn mark(self) -> [u8; 4] {
        ((self.0 >> 32) as u32).to_be_bytes()
    }

    /// The checksum of what stands behind it in the record at a place of its file.
    fn checksum<'b>(self, place: u64, rest: impl Iterator<Item = &'b [u8]>) -> [u8; 4] {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&self.0.to_be_bytes());
        crc.update(&place.to_be_bytes());
        rest.for_each(|piece| crc.update(piece));
        crc.finalize().to_be_bytes()
    }
}

/// One of the two files.
struct LogFile {
    file: Arc<dyn StorageBackend>,
    /// The number of this use of it.
    of_use: u32,
    /// Bytes of its records.
    len: u64,
    /// Bytes of the file: those behind the records are of earlier ones, which are written over.
    size: u64,
}

impl LogFile {
    /// What is cut off is gone for good, also when the power goes: otherwise it could come back behind what is written next.
    fn cut(&mut self, len: u64) -> std::io::Result<()> {
        self.file.set_len(len)?;
        (self.len, self.size) = (len, len);
        self.file.sync_data()
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
    secret: Secret,
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

impl Wal {
    /// Begins to write records behind those there are.
    fn begin(&mut self) {
        self.buffer.clear();
        if self.current.len == 0 {
            self.current.of_use = rand::random();
        }
    }

    /// What stands before a batch in its record, without the checksum.
    fn header(&self, sequence: u64, batch: &LogRecord) -> Result<[u8; HEADER]> {
        let mut header = [0; HEADER];
        header[..4].copy_from_slice(&self.secret.mark());
        header[8..12].copy_from_slice(&self.current.of_use.to_be_bytes());
        header[12..16].copy_from_slice(&u32::try_from(batch.len()).map_err(|_| too_large())?.to_be_bytes());
        header[16..24].copy_from_slice(&sequence.to_be_bytes());
        header[24..].copy_from_slice(&self.synced.to_be_bytes());
        Ok(header)
    }

    /// Writes the buffer so many bytes behind the last record, and empties it; tells how many there are now.
    fn write_buffer(&mut self, behind: u64) -> Result<u64> {
        let written = self.current.file.write(self.current.len + behind, &self.buffer);
        let behind = behind + self.buffer.len() as u64;
        self.current.size = self.current.size.max(self.current.len + behind);
        self.buffer.clear();
        self.buffer.shrink_to(FULL);
        written
            .map(|()| behind)
            .map_err(|cause| if is_full(&cause) { no_room_in_log(&cause) } else { cannot_write(cause) })
    }

    /// Is there room for so many bytes? What is written to see that is not a record, and written over by the next one.
    pub fn has_room(&mut self, len: usize) -> bool {
        self.buffer.clear();
        self.buffer.resize(len.min(FULL), 0);
        let written = self.write_buffer(0);
        if written.is_err() {
            self.take_back();
        }
        written.is_ok()
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

    /// Is it unknown what is on disk?
    #[cfg(test)]
    pub fn is_broken(&self) -> bool {
        self.broken
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
        self.begin();
        for batch in batches {
            sequence += 1;
            let begin = self.buffer.len();
            let place = self.current.len + written + begin as u64;
            let header = self.header(sequence, batch)?;
            self.buffer.extend_from_slice(&header);
            let crc_at = begin + 4..begin + CHECKED;
            if begin + HEADER + batch.len() < FULL {
                // one look at all of it is faster than one at each piece
                batch.pieces().for_each(|piece| self.buffer.extend_from_slice(piece));
                let crc = self.secret.checksum(place, std::iter::once(&self.buffer[begin + CHECKED..]));
                self.buffer[crc_at].copy_from_slice(&crc);
                continue;
            }
            let crc = self.secret.checksum(place, std::iter::once(&header[CHECKED..]).chain(batch.pieces()));
            self.buffer[crc_at].copy_from_slice(&crc);
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
        self.begin();
        let Ok(mut header) = self.header(self.sequence, &LogRecord::default()) else { return };
        let crc = self.secret.checksum(self.current.len, std::iter::once(&header[CHECKED..]));
        header[4..CHECKED].copy_from_slice(&crc);
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

fn no_room_in_log(cause: &std::io::Error) -> Error {
    Error::new(
        crate::error::code::FILESYSTEM_FULL,
        format!("the disk is full, nothing was committed: cannot write the log: {cause}"),
    )
}

fn too_large() -> Error {
    Error::new(crate::error::code::RESOURCE_LIMIT, "the transaction is too large to commit")
}

#[cfg(test)]
mod tests;
