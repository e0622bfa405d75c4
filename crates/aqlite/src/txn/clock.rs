//! Numbers that only grow: document ids, which are revisions, and ticks for everything else.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use smol_str::SmolStr;

use super::DocId;

const COUNTER_BITS: u32 = 20;
const ALPHABET: &[u8; 64] = b"-_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A hybrid clock: milliseconds, then a counter. It never goes back, also not when the wall clock does.
pub(crate) struct Clock {
    last: AtomicU64,
}

impl Clock {
    pub fn new(last: u64) -> Self {
        Self { last: AtomicU64::new(last) }
    }

    pub fn next(&self) -> DocId {
        let millis = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64);
        let now = millis << COUNTER_BITS;
        let mut next = 0;
        let _ = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
            next = now.max(last + 1);
            Some(next)
        });
        next
    }

    pub fn last(&self) -> DocId {
        self.last.load(Ordering::Relaxed)
    }
}

/// A plain counter.
pub(crate) struct Tick {
    last: AtomicU64,
}

impl Tick {
    pub fn new(last: u64) -> Self {
        Self { last: AtomicU64::new(last) }
    }

    pub fn next(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub fn last(&self) -> u64 {
        self.last.load(Ordering::Relaxed)
    }
}

/// A document id as the text of `_rev`.
pub fn revision_text(id: DocId) -> SmolStr {
    let mut text = [0u8; 11];
    let mut at = text.len();
    let mut rest = id;
    while rest > 0 {
        at -= 1;
        text[at] = ALPHABET[(rest & 63) as usize];
        rest >>= 6;
    }
    SmolStr::new(std::str::from_utf8(&text[at..]).unwrap_or_default())
}

/// The document id in the text of a `_rev`.
pub fn revision_id(text: &str) -> Option<DocId> {
    if text.is_empty() || text.len() > 11 {
        return None;
    }
    text.bytes().try_fold(0u64, |id, b| {
        let digit = ALPHABET.iter().position(|a| *a == b)? as u64;
        id.checked_mul(64)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_reads_back() {
        for id in [1, 63, 64, 1_881_888_640_981_794_816, u64::MAX] {
            assert_eq!(revision_id(&revision_text(id)), Some(id));
        }
        assert_eq!(revision_id("not a revision"), None);
    }

    #[test]
    fn a_revision_is_written_as_arangodb_writes_it() {
        // recorded: GET /_api/collection/c/revision and the _rev of the last document
        assert_eq!(revision_text(1_881_888_640_981_794_816), "_mbx58Oi---");
    }

    #[test]
    fn the_clock_does_not_go_back() {
        let future = u64::MAX / 2;
        let clock = Clock::new(future);
        assert_eq!(clock.next(), future + 1);
        assert_eq!(clock.next(), future + 2);
    }
}
