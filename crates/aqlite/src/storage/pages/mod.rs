//! The data file with a checksum for each of its pages, which is compared whenever a page is read from the disk.
//!
//! ```text
//! block 0:              what the file is, and the header of the file inside (see [`head`])
//! then, as often as it takes:
//!   one block:          the checksums of the next 1024
//!   up to 1024 blocks:  the file inside, which redb reads and writes
//! ```
//! Blocks are of 4096 bytes, numbers little endian. So a bit that has changed is told wherever it is: in documents and
//! entries, but also in the pages that lead to them, where it would hide what is there, and in those that say what is free.
//!
//! redb never writes over a page that its last durable commit can reach. So the checksum of such a page is the same before
//! and after every write of a block of checksums, and nothing that a crash or a power cut leaves of that write can make it
//! another one. Checksums are written before a sync, and are on disk whenever a commit is that needs them. Pages that were
//! written since and that no commit reached may not fit theirs after a crash: they are free, and written before they are
//! read.

mod head;
mod scrub;

use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};
use redb::{BackendError, StorageBackend};

use self::head::Head;
pub(crate) use self::scrub::Suspect;
use super::faults::Faults;
use super::full::Backend;

/// Bytes of a page, and of everything else in the file.
pub(super) const BLOCK: usize = 4096;
/// Bytes of redb's header, which stands before them.
pub(super) const HEADER: usize = head::LEN;
/// Pages whose checksums are in one block.
const GROUP: u64 = 1024;
/// What `crc32fast::hash` says of a block of zeros.
const OF_ZEROS: u32 = 0xc71c_0011;

/// The checksum of a page. That of zeros is 0, so that what a file has grown by fits its checksums.
fn sum(page: &[u8]) -> u32 {
    crc32fast::hash(page) ^ OF_ZEROS
}

/// Where a page of the file inside is.
fn place_of(page: u64) -> u64 {
    (page + page / GROUP + 2) * BLOCK as u64
}

/// Where the checksums of a group are.
fn place_of_sums(group: u64) -> u64 {
    (group * (GROUP + 1) + 1) * BLOCK as u64
}

/// How long the file is when the one inside is so long.
fn outer_len(len: u64) -> u64 {
    let pages = len.div_ceil(BLOCK as u64);
    (1 + pages + pages.div_ceil(GROUP)) * BLOCK as u64
}

/// How long the file inside is when this one is so long.
fn inner_len(outer: u64) -> u64 {
    let blocks = (outer / BLOCK as u64).saturating_sub(1);
    let rest = (blocks % (GROUP + 1)).saturating_sub(1);
    (blocks / (GROUP + 1) * GROUP + rest) * BLOCK as u64
}

/// The checksums of up to [`GROUP`] pages.
#[derive(Debug, Default)]
struct Group {
    /// Read when they are needed first: a start takes no longer for a larger file.
    sums: OnceLock<Box<[AtomicU32]>>,
    /// Bits of those pages that were read or written since the file was opened: their checksums are not left of before a crash.
    known: OnceLock<Box<[AtomicU64]>>,
    /// There are others than on disk.
    is_changed: AtomicBool,
}

impl Group {
    fn note_known(&self, at: usize) {
        let known = self.known.get_or_init(|| (0..GROUP / 64).map(|_| AtomicU64::new(0)).collect());
        known[at / 64].fetch_or(1 << (at % 64), Ordering::Relaxed);
    }

    fn is_known(&self, at: usize) -> bool {
        self.known.get().is_some_and(|known| known[at / 64].load(Ordering::Relaxed) & (1 << (at % 64)) != 0)
    }
}

/// The data file, as redb wants it and as it is.
#[derive(Debug)]
pub(crate) struct Pages {
    file: Backend,
    faults: Arc<Faults>,
    groups: RwLock<Vec<Arc<Group>>>,
    /// Read when it is needed first: by then nobody else has the file open.
    head: Mutex<Option<Head>>,
    /// Held shared by whoever writes pages: alone, nobody does.
    writing: RwLock<()>,
}

fn out_of_place() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not whole pages inside the file")
}

impl Pages {
    /// Makes a file, whatever was there.
    pub fn create(file: Backend, faults: Arc<Faults>) -> io::Result<Self> {
        file.set_len(0)?;
        file.set_len(BLOCK as u64)?;
        let head = Mutex::new(Some(Head::create(&file)?));
        Ok(Self { file, faults, groups: RwLock::default(), head, writing: RwLock::default() })
    }

    /// Opens a file; `Err` gives one back that has no checksums.
    pub fn open(file: Backend, faults: Arc<Faults>) -> io::Result<Result<Self, Backend>> {
        if file.len()? == 0 {
            return Self::create(file, faults).map(Ok);
        }
        if !head::begins_file(&file)? {
            return Ok(Err(file));
        }
        let head = Mutex::default();
        Ok(Ok(Self { file, faults, groups: RwLock::default(), head, writing: RwLock::default() }))
    }

    fn with_head<T>(&self, work: impl FnOnce(&mut Head) -> io::Result<T>) -> io::Result<T> {
        let mut head = self.head.lock();
        if head.is_none() {
            *head = Some(Head::open(&self.file)?);
        }
        head.as_mut().map_or_else(|| Err(out_of_place()), work)
    }

    /// Makes as many groups as the file inside needs.
    fn fit_groups(&self, len: u64) {
        let count = usize::try_from((len / BLOCK as u64).div_ceil(GROUP)).unwrap_or(usize::MAX);
        self.groups.write().resize_with(count, Arc::default);
    }

    fn group_at(&self, group: u64) -> Option<Arc<Group>> {
        self.groups.read().get(usize::try_from(group).ok()?).cloned()
    }

    fn group(&self, group: u64) -> io::Result<Arc<Group>> {
        if let Some(found) = self.group_at(group) {
            return Ok(found);
        }
        // the file has just been opened
        self.fit_groups(self.len()?);
        self.group_at(group).ok_or_else(out_of_place)
    }

    /// The checksums of a group.
    fn sums<'g>(&self, number: u64, group: &'g Group) -> io::Result<&'g [AtomicU32]> {
        if let Some(sums) = group.sums.get() {
            return Ok(sums);
        }
        let mut block = vec![0; BLOCK];
        self.file.read(place_of_sums(number), &mut block)?;
        let sums = block.as_chunks().0.iter().map(|bytes| AtomicU32::new(u32::from_le_bytes(*bytes))).collect();
        Ok(group.sums.get_or_init(|| sums))
    }

    /// Hands on each piece of whole pages that lies within one group: the group and its number, the number of its first page
    /// in there, where the piece is in the file, and its bytes in what is read or written.
    fn pieces(
        &self,
        offset: u64,
        len: usize,
        mut work: impl FnMut(&Group, u64, usize, u64, std::ops::Range<usize>) -> io::Result<()>,
    ) -> io::Result<()> {
        if !offset.is_multiple_of(BLOCK as u64) || !len.is_multiple_of(BLOCK) {
            return Err(out_of_place());
        }
        let mut at = 0;
        while at < len {
            let page = (offset + at as u64) / BLOCK as u64;
            let (number, first) = (page / GROUP, page % GROUP);
            let end = (at + (GROUP - first) as usize * BLOCK).min(len);
            work(&*self.group(number)?, number, first as usize, place_of(page), at..end)?;
            at = end;
        }
        Ok(())
    }
}

impl StorageBackend for Pages {
    fn len(&self) -> io::Result<u64> {
        Ok(inner_len(self.file.len()?))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if offset == 0 {
            return self.with_head(|head| {
                head.read(out);
                Ok(())
            });
        }
        self.pieces(offset, out.len(), |group, number, first, place, bytes| {
            let sums = self.sums(number, group)?;
            self.file.read(place, &mut out[bytes.clone()])?;
            for (at, page) in (first..).zip(out[bytes].chunks_exact(BLOCK)) {
                if sum(page) != sums[at].load(Ordering::Acquire) {
                    return Err(self.faults.damaged_page(number * GROUP + at as u64));
                }
                group.note_known(at);
            }
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let cut = len.div_ceil(BLOCK as u64);
        if len < self.len()? && !cut.is_multiple_of(GROUP) {
            // what the file may grow by again begins with zeros
            let group = self.group(cut / GROUP)?;
            let sums = self.sums(cut / GROUP, &group)?;
            sums[(cut % GROUP) as usize..].iter().for_each(|sum| sum.store(0, Ordering::Release));
            group.is_changed.store(true, Ordering::Release);
        }
        let _writing = self.writing.read();
        self.file.set_len(outer_len(len))?;
        self.fit_groups(len);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let written = self.with_head(|head| Ok(head.begin_sync()))?;
        let groups = self.groups.read().clone();
        for (number, group) in (0..).zip(&groups) {
            if group.is_changed.swap(false, Ordering::AcqRel) {
                let sums = self.sums(number, group)?;
                let block: Vec<u8> = sums.iter().flat_map(|sum| sum.load(Ordering::Acquire).to_le_bytes()).collect();
                self.file.write(place_of_sums(number), &block)?;
            }
        }
        self.file.sync_data()?;
        self.with_head(|head| {
            head.was_synced(written, &self.file);
            Ok(())
        })
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if offset == 0 {
            return self.with_head(|head| head.write(data, &self.file));
        }
        let _writing = self.writing.read();
        self.pieces(offset, data.len(), |group, number, first, place, bytes| {
            let sums = self.sums(number, group)?;
            self.file.write(place, &data[bytes.clone()])?;
            for (at, page) in (first..).zip(data[bytes].chunks_exact(BLOCK)) {
                sums[at].store(sum(page), Ordering::Release);
                group.note_known(at);
            }
            group.is_changed.store(true, Ordering::Release);
            Ok(())
        })
    }

    fn close(&self) -> io::Result<()> {
        if self.groups.read().iter().all(|group| !group.is_changed.load(Ordering::Acquire))
            && let Some(head) = &*self.head.lock()
        {
            head.close(&self.file);
        }
        self.file.close()
    }
}

/// The same file for redb, while others look at it as it is.
#[derive(Debug)]
pub(super) struct SharedPages(pub Arc<Pages>);

impl StorageBackend for SharedPages {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.file.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests;
