//! The messages of one topic that wait for streams. Each is there once; a stream has nothing but its place among them.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tokio::time::Instant;

use super::Message;

/// What tells streams apart.
pub(super) type StreamId = u64;

/// A reader of a log.
#[derive(Debug)]
struct Reader {
    user_key: Arc<str>,
    /// How many messages there were before the next one it takes.
    next: u64,
}

/// The waiting messages of a topic and their readers.
#[derive(Debug, Default)]
pub(super) struct Log {
    waiting: VecDeque<Arc<Message>>,
    /// How many messages have left.
    gone: u64,
    readers: HashMap<StreamId, Reader>,
    bytes: usize,
}

impl Log {
    /// Memory of what waits.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether nobody reads it.
    pub(super) fn is_unread(&self) -> bool {
        self.readers.is_empty()
    }

    /// Its readers.
    pub(super) fn readers(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.readers.keys().copied()
    }

    /// A new reader: it gets what comes from now on.
    pub(super) fn add(&mut self, id: StreamId, user_key: &Arc<str>) {
        let next = self.gone + self.waiting.len() as u64;
        self.readers.insert(id, Reader { user_key: Arc::clone(user_key), next });
    }

    /// A reader is gone, and with it what waited for nobody else.
    pub(super) fn remove(&mut self, id: StreamId) {
        if self.readers.remove(&id).is_some() {
            self.trim();
        }
    }

    /// A message comes.
    pub(super) fn push(&mut self, message: Arc<Message>) {
        self.bytes += message.size();
        self.waiting.push_back(message);
    }

    /// The next messages of a reader: all, or as many as have `most` bytes together; one at least when there is any.
    pub(super) fn take(&mut self, id: StreamId, most: usize) -> Vec<Arc<Message>> {
        let Some(reader) = self.readers.get_mut(&id) else { return Vec::new() };
        let mut taken = Vec::new();
        let mut bytes = 0;
        let from = (reader.next - self.gone) as usize;
        for message in self.waiting.range(from..) {
            if message.is_for(&reader.user_key) {
                if bytes > 0 && bytes + message.data.len() > most {
                    break;
                }
                bytes += message.data.len();
                taken.push(Arc::clone(message));
            }
            reader.next += 1;
        }
        taken
    }

    /// Lets go of what every reader has taken.
    pub(super) fn trim(&mut self) {
        let end = self.gone + self.waiting.len() as u64;
        let first = self.readers.values().map(|reader| reader.next).min().unwrap_or(end);
        while self.gone < first {
            let Some(message) = self.waiting.pop_front() else { break };
            self.bytes -= message.size();
            self.gone += 1;
        }
        if self.waiting.is_empty() {
            // A burst leaves no memory behind that only a burst needs.
            self.waiting.shrink_to(64);
        }
    }

    /// The readers for which something waits, each with since when its oldest message does. What is not for a reader does not
    /// wait for it.
    pub(super) fn waits(&mut self) -> Vec<(Instant, StreamId)> {
        let mut found = Vec::new();
        for (id, reader) in &mut self.readers {
            let from = (reader.next - self.gone) as usize;
            let mut ahead = self.waiting.range(from..);
            let own = ahead.position(|message| message.is_for(&reader.user_key));
            reader.next = own.map_or(self.gone + self.waiting.len() as u64, |skipped| reader.next + skipped as u64);
            if own.is_some() {
                found.push((self.waiting[(reader.next - self.gone) as usize].arrived, *id));
            }
        }
        found
    }
}
