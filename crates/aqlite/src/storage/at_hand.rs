//! Work on threads that others wait for: it reads nothing but memory, or it is known to be brief.
//!
//! Whether it can be done so is seen when it is tried: whoever comes to what has to be waited for is refused, and then all of
//! it is done again elsewhere.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::error::code;
use crate::{Error, Result};

/// How work goes on.
#[derive(Clone, Copy)]
enum Pace {
    /// It takes its time.
    Free,
    /// It waits for nobody. Where a disk has to be waited for, this lets others go on meanwhile.
    Hurried { begun: Begun, apart: Apart },
    /// It waits for nobody and reads no tables,
    FromMemory,
    /// or it would have had to.
    Refused,
}

/// Does something that waits for a disk without holding up others.
pub(crate) type Apart = fn(&mut dyn FnMut());

/// Hurried work that takes longer is done elsewhere; what never took longer is worth the attempt.
const HURRIED: Duration = Duration::from_millis(2);

/// When a thread began to work on something. For how long it waits for a core says nothing of the work: if that counted, what
/// is brief would be done elsewhere just when there are more threads than cores already, and there would be more still.
#[derive(Clone, Copy)]
pub(crate) struct Begun {
    at: Instant,
    /// What the thread had worked by then, where the system tells it.
    worked: Option<Duration>,
}

impl Begun {
    pub fn now() -> Self {
        Self { at: Instant::now(), worked: worked() }
    }

    /// Has the thread worked on it for longer than is brief?
    pub fn takes_long(self) -> bool {
        // the clock is asked for less time than the system
        self.at.elapsed() > HURRIED
            && self.worked.zip(worked()).is_none_or(|(before, now)| now.saturating_sub(before) > HURRIED)
    }
}

/// For how long this thread has had a core.
#[cfg(unix)]
fn worked() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::ThreadCPUTime).try_into().ok()
}

#[cfg(not(unix))]
fn worked() -> Option<Duration> {
    None
}

thread_local! {
    static PACE: Cell<Pace> = const { Cell::new(Pace::Free) };
}

/// What some work gives without reading tables; `None` where it would have to, whatever it has made of that.
pub(crate) fn from_memory<T>(work: impl FnOnce() -> T) -> Option<T> {
    at_pace(Pace::FromMemory, work)
}

/// What some work gives without waiting for anybody else and without taking long; `None` where it would have to.
pub(crate) fn hurried<T>(apart: Apart, work: impl FnOnce() -> T) -> Option<T> {
    at_pace(Pace::Hurried { begun: Begun::now(), apart }, work)
}

fn at_pace<T>(pace: Pace, work: impl FnOnce() -> T) -> Option<T> {
    /// However the work ends.
    struct Relax;
    impl Drop for Relax {
        fn drop(&mut self) {
            PACE.set(Pace::Free);
        }
    }
    PACE.set(pace);
    let _relax = Relax;
    let done = work();
    (!was_refused()).then_some(done)
}

/// May this work wait for others, as for a collection that is locked?
pub(crate) fn may_wait() -> bool {
    matches!(PACE.get(), Pace::Free)
}

/// Is this work that may read nothing but memory?
pub(crate) fn is_from_memory() -> bool {
    matches!(PACE.get(), Pace::FromMemory | Pace::Refused)
}

/// Has this work gone on for long, so that it is better done elsewhere?
pub(crate) fn takes_long() -> bool {
    match PACE.get() {
        Pace::Free => false,
        Pace::Hurried { begun, .. } => begun.takes_long(),
        Pace::FromMemory | Pace::Refused => true,
    }
}

/// Has it turned out that this work cannot be done so?
pub(crate) fn was_refused() -> bool {
    matches!(PACE.get(), Pace::Refused)
}

/// It cannot, or it takes too long.
pub(crate) fn refuse() -> Error {
    PACE.set(Pace::Refused);
    Error::new(code::INTERNAL, "this has to be done elsewhere")
}

/// What was done cannot be done again elsewhere: from here on nothing is refused.
pub(crate) fn settle() {
    if !was_refused() {
        PACE.set(Pace::Free);
    }
}

/// To be asked before tables are read.
pub(super) fn check_open() -> Result<()> {
    if is_from_memory() { Err(refuse()) } else { Ok(()) }
}

/// Reads from a disk.
pub(super) fn read_disk<T>(mut read: impl FnMut() -> T) -> T {
    let Pace::Hurried { apart, .. } = PACE.get() else { return read() };
    let mut done = None;
    apart(&mut || done = Some(read()));
    done.unwrap_or_else(read)
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
    fn who_is_in_a_hurry_reads_tables_and_lets_others_go_on_while_a_disk_is_waited_for() {
        thread_local! {
            static APART: Cell<u32> = const { Cell::new(0) };
        }
        let apart: Apart = |read| {
            APART.set(APART.get() + 1);
            read();
        };
        let done = hurried(apart, || {
            assert!(!may_wait() && !is_from_memory() && !takes_long());
            check_open().map(|()| read_disk(|| 7))
        });
        assert_eq!(done.and_then(Result::ok), Some(7));
        assert_eq!(APART.get(), 1);
        assert_eq!(read_disk(|| 8), 8, "nobody waits for this thread any more");
        assert_eq!(APART.get(), 1);
        assert!(hurried(apart, refuse).is_none());
        assert!(may_wait());
    }

    #[test]
    fn what_is_in_a_hurry_takes_long_after_a_while() {
        let taken = hurried(
            |read| read(),
            || {
                while !takes_long() {}
                takes_long()
            },
        );
        assert_eq!(taken, Some(true));
        assert!(!takes_long());
    }

    #[test]
    #[cfg(unix)]
    fn who_waits_for_a_core_does_not_take_long() {
        let taken = hurried(
            |read| read(),
            || {
                std::thread::sleep(5 * HURRIED);
                takes_long()
            },
        );
        assert_eq!(taken, Some(false));
    }

    #[test]
    fn tables_are_open_again_after_a_panic() {
        let result = std::panic::catch_unwind(|| from_memory(|| panic!("of this test")));
        assert!(result.is_err());
        assert!(check_open().is_ok());
    }
}
