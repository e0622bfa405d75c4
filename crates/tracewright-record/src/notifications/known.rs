//! Which documents have been handed on, so that none is twice.

use std::collections::HashMap;

/// How far before the newest document another process may still record one, in microseconds.
pub(super) const OVERLAP: i64 = 15_000_000;
/// How far before the newest document keys are remembered.
const MEMORY: i64 = 60_000_000;

/// Keys of the documents of the last minute before the newest.
#[derive(Debug, Default)]
pub(super) struct Known {
    keys: HashMap<String, i64>,
    newest: i64,
}

impl Known {
    /// Nothing is known; documents recorded long before `now` are of no interest.
    pub(super) fn since(now: i64) -> Self {
        Self { keys: HashMap::new(), newest: now }
    }

    /// Notes a document. `false` when it is known already.
    pub(super) fn note(&mut self, key: &str, recorded: i64) -> bool {
        if self.has(key) {
            return false;
        }
        self.newest = self.newest.max(recorded);
        self.keys.insert(key.to_owned(), recorded);
        true
    }

    /// Whether a document is known.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// From when on documents are looked for.
    pub(super) fn from(&self) -> i64 {
        self.newest - OVERLAP
    }

    /// Forgets what is not looked for any more.
    pub(super) fn forget(&mut self) {
        let oldest = self.newest - MEMORY;
        self.keys.retain(|_, recorded| *recorded >= oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_new_once() {
        let mut known = Known::since(0);
        assert!(known.note("a", 5));
        assert!(!known.note("a", 5));
        assert_eq!(known.from(), 5 - OVERLAP);
    }

    #[test]
    fn what_is_still_looked_for_is_never_forgotten_however_long_nothing_comes() {
        let mut known = Known::since(0);
        known.note("old", 1);
        known.note("edge", MEMORY);
        known.note("new", OVERLAP + MEMORY);
        known.forget();
        assert!(!known.has("old") && known.has("edge") && known.has("new"));
    }
}
