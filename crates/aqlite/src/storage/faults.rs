//! What is wrong with the files of a store: pages that are damaged, and a disk that is full. Whoever comes to it gets an
//! error; what was found is kept for those who run the store.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};

use super::pages::BLOCK;
use super::{Space, damaged};
use crate::Error;
use crate::error::code;

/// No more damaged pages than these are counted.
const MOST_KEPT: usize = 1000;

/// What stands under a key, or all keys of an object, of a table, in words: it came to a page with this number that is damaged.
type Namer = Box<dyn Fn(Space, &[u8], u64) -> Option<String> + Send + Sync>;

/// What is wrong with the files of a store.
#[derive(Default)]
pub(crate) struct Faults {
    /// The pages that are damaged, and what they hold as far as that is known.
    pages: Mutex<BTreeMap<u64, String>>,
    /// How often somebody came to one.
    refused: AtomicU64,
    namer: RwLock<Option<Namer>>,
    /// Why something waits for room.
    full: Mutex<Full>,
    /// Does the data file?
    has_no_room: AtomicBool,
    /// The store is being closed: nobody waits any more.
    is_ending: AtomicBool,
}

/// Why a disk took no more.
#[derive(Default)]
struct Full {
    data_file: Option<String>,
    log: Option<String>,
}

impl std::fmt::Debug for Faults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Faults").field("pages", &self.pages.lock()).finish_non_exhaustive()
    }
}

/// A page that is damaged, on its way to whoever reads it.
pub(super) struct DamagedPage(u64);

impl DamagedPage {
    pub fn is(&self, page: u64) -> bool {
        self.0 == page
    }
}

thread_local! {
    static READS: Cell<bool> = const { Cell::new(false) };
}

/// Reads pages of the file through redb.
///
/// An error of the file would not do for a damaged page: redb takes it for one of the whole file, and reads and writes
/// nothing any more until the file is opened again, so that one page would take all others with it. So a damaged page
/// unwinds from where it is read to here, past redb, which holds nothing at that time that it would leave in a bad state,
/// and is an error only here.
pub(super) fn reading<T>(read: impl FnOnce() -> T) -> Result<T, DamagedPage> {
    let before = READS.replace(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    READS.set(before);
    done.map_err(|cause| match cause.downcast::<DamagedPage>() {
        Ok(page) => *page,
        Err(other) => resume_unwind(other),
    })
}

impl Faults {
    /// From now on, tells what is stored in a page by this.
    pub fn name_by(&self, namer: impl Fn(Space, &[u8], u64) -> Option<String> + Send + Sync + 'static) {
        *self.namer.write() = Some(Box::new(namer));
    }

    /// From now on nobody can tell.
    pub fn name_no_more(&self) {
        *self.namer.write() = None;
    }

    /// Takes note of a damaged page that was come to; an error where it is not [`reading`] that did so.
    pub(super) fn damaged_page(&self, page: u64) -> io::Error {
        self.refused.fetch_add(1, Ordering::Relaxed);
        self.note(page, None);
        // what is dropped on the way may read as well
        if READS.get() && !std::thread::panicking() {
            resume_unwind(Box::new(DamagedPage(page)));
        }
        io::Error::new(io::ErrorKind::InvalidData, describe(page))
    }

    /// Takes note of a damaged page, and of what it holds.
    pub fn note(&self, page: u64, holds: Option<String>) {
        let mut pages = self.pages.lock();
        if pages.len() >= MOST_KEPT && !pages.contains_key(&page) {
            return;
        }
        let holds = holds.unwrap_or_default();
        let before = pages.get(&page);
        if before.is_none_or(|before| before.is_empty() && !holds.is_empty()) {
            tracing::error!(%holds, "{}", describe(page));
            pages.insert(page, holds);
        }
    }

    /// What whoever reads an entry is told.
    pub(super) fn told(&self, page: &DamagedPage, space: Space, key: &[u8]) -> Error {
        let namer = self.namer.read();
        let holds = namer.as_ref().and_then(|namer| namer(space, key, page.0));
        let holds = holds.unwrap_or_else(|| space.name().to_owned());
        let error = damaged(format!("{}: {holds}", describe(page.0)));
        self.note(page.0, Some(holds));
        error
    }

    /// The data file waits for room.
    pub(super) fn data_file_waits(&self, cause: &io::Error) {
        let mut full = self.full.lock();
        if full.data_file.is_none() {
            tracing::error!(%cause, "the disk is full: the data file waits for room, and nothing is written until there is some");
            full.data_file = Some(cause.to_string());
            self.has_no_room.store(true, Ordering::Release);
        }
    }

    /// It has got it.
    pub(super) fn data_file_has_room(&self) {
        if self.full.lock().data_file.take().is_some() {
            tracing::info!("there is room for the data file again");
            self.has_no_room.store(false, Ordering::Release);
        }
    }

    /// The log did not take a commit for want of room, or it has room again.
    pub fn set_log_full(&self, cause: Option<&Error>) {
        let mut full = self.full.lock();
        match cause {
            Some(cause) if full.log.is_none() => {
                tracing::error!(%cause, "the disk is full: the log takes no commits");
                full.log = Some(cause.message.clone());
            }
            None if full.log.take().is_some() => tracing::info!("there is room for the log again"),
            _ => {}
        }
    }

    /// Nobody waits for room any more.
    pub fn end_waiting(&self) {
        self.is_ending.store(true, Ordering::Release);
    }

    /// Is room waited for?
    pub fn may_wait(&self) -> bool {
        !self.is_ending.load(Ordering::Acquire)
    }

    /// An error while the data file waits for room.
    pub fn check_room(&self) -> Result<(), Error> {
        if !self.has_no_room.load(Ordering::Acquire) {
            return Ok(());
        }
        Err(no_room())
    }

    /// Every page that is damaged, and what it holds, in words.
    pub fn all(&self) -> Vec<String> {
        let pages = self.pages.lock();
        let told = pages.iter().map(|(page, holds)| match holds.as_str() {
            "" => format!("{}; nothing that is in use was found there", describe(*page)),
            holds => format!("{}: {holds}", describe(*page)),
        });
        told.collect()
    }

    /// How many pages are damaged.
    pub fn damaged_pages(&self) -> usize {
        self.pages.lock().len()
    }

    /// How often somebody came to one.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// What is wrong, in words that anybody may hear; `None` when nothing is.
    pub fn what_is_wrong(&self) -> Option<String> {
        let full = self.full.lock();
        if let Some(cause) = full.data_file.as_ref().or(full.log.as_ref()) {
            return Some(format!("the disk is full, nothing can be written: {cause}"));
        }
        match self.damaged_pages() {
            0 => None,
            1 => Some("a page of the data file is damaged: the log says what it holds".to_owned()),
            pages => Some(format!("{pages} pages of the data file are damaged: the log says what they hold")),
        }
    }
}

/// What a write is told meanwhile.
pub(crate) fn no_room() -> Error {
    Error::new(code::FILESYSTEM_FULL, "the disk is full: nothing is written until there is room again")
}

fn describe(page: u64) -> String {
    format!("page {page} of the data file, {BLOCK} bytes, does not fit its checksum")
}
