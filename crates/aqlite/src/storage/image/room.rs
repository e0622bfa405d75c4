//! How much memory the images of all collections take together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The room there is, and how much of it is taken.
pub(crate) struct Room {
    limit: usize,
    taken: AtomicUsize,
    uses: AtomicU64,
}

impl Room {
    pub fn new(limit: usize) -> Self {
        Self { limit, taken: AtomicUsize::new(0), uses: AtomicU64::new(0) }
    }

    /// All of it.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Takes some of it, if it is there.
    pub fn reserve(self: &Arc<Self>, bytes: usize) -> Option<Reserved> {
        let take = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= self.limit);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Reserved { room: Arc::clone(self), bytes })
    }

    /// Is there so much left?
    pub fn has(&self, bytes: usize) -> bool {
        self.taken.load(Ordering::Relaxed).saturating_add(bytes) <= self.limit
    }

    /// A number that grows with every use of an image.
    pub fn next_use(&self) -> u64 {
        self.uses.fetch_add(1, Ordering::Relaxed)
    }
}

/// A part of the room, given back when it is dropped.
pub(crate) struct Reserved {
    room: Arc<Room>,
    bytes: usize,
}

impl Reserved {
    /// Where it is from.
    pub fn room(&self) -> &Arc<Room> {
        &self.room
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.room.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
