//! Work that reads nothing but memory, on threads that may not wait for a disk.
//!
//! Whether it can be done so is seen when it is tried: whoever comes to the tables is refused, and then all of it is done
//! again elsewhere. A commit at its end waits for the log: meanwhile the thread is none of those any more.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

use crate::error::code;
use crate::{Error, Result};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tables {
    /// May be read.
    Open,
    /// May not,
    Closed,
    /// and somebody wanted to.
    Refused,
}

thread_local! {
    static TABLES: Cell<Tables> = const { Cell::new(Tables::Open) };
}

/// What some work gives without reading tables; `None` where it would have to, whatever it has made of that.
pub(crate) fn from_memory<T>(work: impl FnOnce() -> T) -> Option<T> {
    /// However the work ends.
    struct Reopen;
    impl Drop for Reopen {
        fn drop(&mut self) {
            TABLES.set(Tables::Open);
        }
    }
    TABLES.set(Tables::Closed);
    let _reopen = Reopen;
    let done = work();
    (!was_refused()).then_some(done)
}

/// Is this work that may read nothing but memory?
pub(crate) fn is_from_memory() -> bool {
    TABLES.get() != Tables::Open
}

/// Has it turned out that this work cannot be done so?
pub(crate) fn was_refused() -> bool {
    TABLES.get() == Tables::Refused
}

/// It cannot, or it takes too long.
pub(crate) fn refuse() -> Error {
    TABLES.set(Tables::Refused);
    Error::new(code::INTERNAL, "this takes more than memory")
}

/// So many wait at once on threads of a runtime that another thread takes the place of. More of them go the usual way, where
/// it is counted how many threads they take.
const MOST_WAITING: usize = 4;

static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Can this thread wait at the end of such work, while another one takes its place?
pub(crate) fn may_end_waiting() -> bool {
    let has_others = |handle: Handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread;
    WAITING.load(Ordering::Relaxed) < MOST_WAITING && Handle::try_current().is_ok_and(has_others)
}

/// Ends such work with something that may wait and is done once: from here on nothing is refused, and nothing done again
/// elsewhere.
pub(crate) fn end_waiting<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    /// However the work ends.
    struct Waiting;
    impl Drop for Waiting {
        fn drop(&mut self) {
            WAITING.fetch_sub(1, Ordering::Relaxed);
        }
    }
    if was_refused() {
        return Err(refuse());
    }
    TABLES.set(Tables::Open);
    WAITING.fetch_add(1, Ordering::Relaxed);
    let _waiting = Waiting;
    block_in_place(work)
}

/// To be asked before tables are read, or something is committed.
pub(crate) fn check_open() -> Result<()> {
    if is_from_memory() { Err(refuse()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_to_the_tables_is_refused_even_if_the_error_is_passed_over() {
        assert!(check_open().is_ok());
        assert_eq!(from_memory(|| 1), Some(1));
        assert_eq!(from_memory(|| check_open().map_or(2, |()| 1)), None);
        assert!(check_open().is_ok());
    }

    #[test]
    fn tables_are_open_again_after_a_panic() {
        let result = std::panic::catch_unwind(|| from_memory(|| panic!("of this test")));
        assert!(result.is_err());
        assert!(check_open().is_ok());
    }
}
