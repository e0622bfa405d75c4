//! Work that reads nothing but memory, on threads that may not wait for a disk.
//!
//! Whether it can be done so is seen when it is tried: whoever comes to the tables is refused, and then all of it is done
//! again elsewhere.

use std::cell::Cell;

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

/// What was done cannot be done again elsewhere: from here on nothing is refused.
pub(crate) fn settle() {
    if TABLES.get() == Tables::Closed {
        TABLES.set(Tables::Open);
    }
}

/// To be asked before tables are read.
pub(super) fn check_open() -> Result<()> {
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
    fn what_is_settled_is_not_refused_any_more() {
        assert!(from_memory(|| check_open().or_else(|_| check_open())).is_none());
        let done = from_memory(|| {
            settle();
            check_open()
        });
        assert!(done.is_some_and(|done| done.is_ok()));
        let refused = from_memory(|| {
            let _ = check_open();
            settle();
        });
        assert!(refused.is_none());
    }

    #[test]
    fn tables_are_open_again_after_a_panic() {
        let result = std::panic::catch_unwind(|| from_memory(|| panic!("of this test")));
        assert!(result.is_err());
        assert!(check_open().is_ok());
    }
}
