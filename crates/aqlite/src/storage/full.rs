//! A data file on a disk that may be full for a while.
//!
//! redb takes any error of its file for the end of it. So what does not fit on a full disk is kept in memory here, where it is
//! read from as well, and whoever wants it on the disk waits until there is room. Nobody is acknowledged anything meanwhile:
//! the store takes no writes as long as [`Faults`] says that the disk is full, so that this does not grow.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use redb::{BackendError, StorageBackend};

use super::at_hand;
use super::faults::Faults;

/// What is kept in one piece.
const PIECE: u64 = 4096;
/// How often it is tried whether there is room.
const TRY_EVERY: Duration = Duration::from_millis(100);

thread_local! {
    static WAITS: Cell<bool> = const { Cell::new(true) };
}

/// Does something that need not be durable: a sync in the middle of it, as redb does one where a file grows, does not wait for
/// room.
pub(super) fn without_waiting<T>(work: impl FnOnce() -> T) -> T {
    let before = WAITS.replace(false);
    let done = work();
    WAITS.set(before);
    done
}

/// Says an error that there is no room?
pub(crate) fn is_full(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}

/// What is not on the disk yet.
#[derive(Debug, Default)]
struct Waiting {
    pieces: BTreeMap<u64, Vec<u8>>,
    /// How long the file is when there is room.
    len: Option<u64>,
}

/// The data file of any disk.
#[derive(Debug)]
pub(crate) struct Backend {
    file: Box<dyn StorageBackend>,
    faults: Arc<Faults>,
    waiting: Mutex<Waiting>,
    /// Is there anything?
    waits: AtomicBool,
}

impl Backend {
    pub fn new(file: Box<dyn StorageBackend>, faults: Arc<Faults>) -> Self {
        Self { file, faults, waiting: Mutex::default(), waits: AtomicBool::new(false) }
    }

    /// What the file has there, and zeros behind its end.
    fn read_file(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let there = usize::try_from(self.file.len()?.saturating_sub(offset)).unwrap_or(usize::MAX).min(out.len());
        let (there, behind) = out.split_at_mut(there);
        behind.fill(0);
        if there.is_empty() { Ok(()) } else { self.file.read(offset, there) }
    }

    fn keep_pieces(&self, waiting: &mut Waiting, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut at = 0;
        while at < data.len() {
            let place = offset + at as u64;
            let (piece, within) = (place / PIECE, (place % PIECE) as usize);
            let end = (at + PIECE as usize - within).min(data.len());
            let bytes = match waiting.pieces.entry(piece) {
                Entry::Occupied(bytes) => bytes.into_mut(),
                Entry::Vacant(place) => {
                    let mut bytes = vec![0; PIECE as usize];
                    self.read_file(piece * PIECE, &mut bytes)?;
                    place.insert(bytes)
                }
            };
            bytes[within..within + end - at].copy_from_slice(&data[at..end]);
            at = end;
        }
        Ok(())
    }

    /// Writes what waits, as far as there is room.
    fn write_waiting(&self, waiting: &mut Waiting) -> io::Result<()> {
        if let Some(len) = waiting.len {
            self.file.set_len(len)?;
            waiting.len = None;
        }
        while let Some(entry) = waiting.pieces.first_entry() {
            self.file.write(entry.key() * PIECE, entry.get())?;
            entry.remove();
        }
        self.waits.store(false, Ordering::Release);
        self.faults.data_file_has_room();
        Ok(())
    }
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        match self.waiting.lock().len {
            Some(len) => Ok(len),
            None => self.file.len(),
        }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if !self.waits.load(Ordering::Acquire) {
            return at_hand::read_disk(|| self.file.read(offset, out));
        }
        let waiting = self.waiting.lock();
        self.read_file(offset, out)?;
        let end = offset + out.len() as u64;
        for (piece, bytes) in waiting.pieces.range(offset / PIECE..end.div_ceil(PIECE)) {
            let (from, to) = ((piece * PIECE).max(offset), ((piece + 1) * PIECE).min(end));
            let within = (from - piece * PIECE) as usize;
            let len = (to - from) as usize;
            out[(from - offset) as usize..][..len].copy_from_slice(&bytes[within..within + len]);
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut waiting = self.waiting.lock();
        waiting.pieces.split_off(&len.div_ceil(PIECE));
        match self.file.set_len(len) {
            Ok(()) => waiting.len = None,
            Err(cause) if is_full(&cause) && self.faults.may_wait() => {
                waiting.len = Some(len);
                self.waits.store(true, Ordering::Release);
                self.faults.data_file_waits(&cause);
            }
            Err(cause) => return Err(cause),
        }
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        while self.waits.load(Ordering::Acquire) {
            if !WAITS.get() {
                return Ok(());
            }
            match self.write_waiting(&mut self.waiting.lock()) {
                Err(cause) if is_full(&cause) && self.faults.may_wait() => {}
                written => {
                    written?;
                    break;
                }
            }
            std::thread::sleep(TRY_EVERY);
        }
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if !self.waits.load(Ordering::Acquire) {
            match self.file.write(offset, data) {
                Err(cause) if is_full(&cause) && self.faults.may_wait() => self.faults.data_file_waits(&cause),
                written => return written,
            }
        }
        let mut waiting = self.waiting.lock();
        self.keep_pieces(&mut waiting, offset, data)?;
        self.waits.store(true, Ordering::Release);
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}
