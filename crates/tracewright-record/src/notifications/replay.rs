//! What a client has missed, read page by page as it takes it, until it has caught up.

use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;

use super::known::OVERLAP;
use super::message::recorded_micros;
use super::{Beginning, Message, NotificationDocument, Place, Subscriber, Subscription};
use crate::aql::notification::{after, count, documents, recent_of_topic};
use crate::clock;
use crate::error::Result;
use crate::store::Store;

/// How long ago an id may have been sent, in microseconds.
const WINDOW: i64 = 10 * 60 * 1_000_000;
/// How many messages are sent again.
const MOST: i64 = 20_000;
/// About how many messages a page has. Documents are read whole, and have up to 200.
const PAGE: usize = 100;
/// How many documents the first page has, when nothing is known of them.
const FIRST_PAGE: usize = 5;
/// How many pages are read at the same time, when many clients come back at once.
static READERS: Semaphore = Semaphore::const_new(4);
/// How long a page that could not be read is left alone.
const REST: Duration = Duration::from_secs(2);

/// The beginning of a stream whose client names the last id it has got.
pub async fn beginning(store: &Store, subscriber: &Subscriber, last_id: Option<&str>) -> Result<Beginning> {
    let Some(last_id) = last_id.map(str::trim).filter(|id| !id.is_empty()) else { return Ok(Beginning::Live) };
    let oldest = Utc::now().timestamp_micros() - WINDOW;
    let Some(place) = last_id.parse::<Place>().ok().filter(|place| place.recorded >= oldest) else {
        return Ok(Beginning::Resync);
    };
    let Some(from) = stored(place.recorded.saturating_sub(OVERLAP)) else { return Ok(Beginning::Resync) };
    let params = count::Params { topic: &subscriber.topic, from: &from, limit: MOST + 1 };
    if count(store, params).await?.unwrap_or_default() > MOST as f64 {
        return Ok(Beginning::Resync);
    }
    Ok(Beginning::Replay(Box::new(Replay::new(store.clone(), subscriber.clone(), from))))
}

/// A time of an id in the stored form; `None` when it lies outside of all calendars.
fn stored(micros: i64) -> Option<String> {
    DateTime::from_timestamp_micros(micros).map(clock::stored)
}

/// What is left to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Pages in their order.
    Pages,
    /// The stream is attached by now. What was committed meanwhile, perhaps with an earlier time, is read once more.
    Rest,
    Over,
}

/// What a client has missed.
pub struct Replay {
    store: Store,
    subscriber: Subscriber,
    stage: Stage,
    /// From when on it is read.
    from: i64,
    /// The last document of the latest page, by time and key.
    after: (String, String),
    /// How many documents the next page has.
    limit: usize,
    reading: Option<BoxFuture<'static, Vec<NotificationDocument>>>,
    read: VecDeque<Arc<Message>>,
    sent: Sent,
}

impl Replay {
    fn new(store: Store, subscriber: Subscriber, from: String) -> Self {
        Self {
            store,
            subscriber,
            stage: Stage::Pages,
            from: recorded_micros(&from),
            after: (from, String::new()),
            limit: FIRST_PAGE,
            reading: None,
            read: VecDeque::new(),
            sent: Sent::default(),
        }
    }

    /// The next messages that have been read, `most` bytes together or a single one.
    pub(super) fn take(&mut self, most: usize) -> Vec<Arc<Message>> {
        let mut bytes = 0;
        let mut taken = Vec::new();
        while self.read.front().is_some_and(|next| bytes == 0 || bytes + next.data.len() <= most) {
            let next = self.read.pop_front();
            bytes += next.as_ref().map_or(0, |next| next.data.len());
            taken.extend(next);
        }
        taken
    }

    /// What has been sent, when nothing is left: from now on the stream is live.
    pub(super) fn finish(&mut self) -> Option<Sent> {
        (self.stage == Stage::Over && self.read.is_empty()).then(|| mem::take(&mut self.sent))
    }

    /// Reads on. Given up on the way, it goes on where it was.
    pub(super) async fn read(&mut self, subscription: &Subscription) {
        if self.reading.is_none() {
            self.reading = Some(self.begin());
        }
        let Some(reading) = &mut self.reading else { return };
        let documents = reading.await;
        self.reading = None;
        let messages: usize = documents.iter().map(|document| document.messages.len()).sum();
        for document in &documents {
            self.sent.note(&document.key, recorded_micros(&document.recorded));
            self.read.extend(Message::all_of(document));
        }
        match self.stage {
            Stage::Pages => {
                if documents.len() < self.limit {
                    subscription.attach();
                    self.stage = Stage::Rest;
                }
                if let Some(last) = documents.into_iter().next_back() {
                    self.limit = (self.limit * PAGE / messages.max(1)).clamp(1, PAGE);
                    self.after = (last.recorded, last.key);
                }
            }
            Stage::Rest | Stage::Over => self.stage = Stage::Over,
        }
    }

    /// Begins to read what is next, and tries until it works: the stream stays open when the database is away.
    fn begin(&self) -> BoxFuture<'static, Vec<NotificationDocument>> {
        let (store, stage, sent) = (self.store.clone(), self.stage, self.sent.clone());
        let Subscriber { topic, user_key, .. } = self.subscriber.clone();
        let (recorded, key) = self.after.clone();
        let limit = self.limit;
        let from = stored(self.from.max(recorded_micros(&recorded) - OVERLAP));
        let read = async move {
            loop {
                let permit = READERS.acquire().await;
                let found = match stage {
                    Stage::Pages => {
                        let (topic, recorded, key, user_key) = (&*topic, &*recorded, &*key, &*user_key);
                        after(&store, after::Params { topic, recorded, key, user_key, limit }).await
                    }
                    Stage::Rest | Stage::Over => {
                        let (topic, user_key, from) = (&*topic, &*user_key, from.as_deref());
                        unsent(&store, recent_of_topic::Params { topic, user_key, from }, &sent).await
                    }
                };
                drop(permit);
                match found {
                    Ok(documents) => break documents,
                    Err(error) => {
                        tracing::warn!(%error, "what a stream of notifications has missed cannot be read yet");
                    }
                }
                tokio::time::sleep(REST).await;
            }
        };
        read.boxed()
    }
}

/// Recent documents of a topic that have not been sent yet.
async fn unsent(store: &Store, params: recent_of_topic::Params<'_>, sent: &Sent) -> Result<Vec<NotificationDocument>> {
    let mut keys = recent_of_topic(store, params).await?;
    keys.retain(|key| !sent.has(key));
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    documents(store, documents::Params { keys: (&keys).into() }).await
}

/// Which documents of the last seconds a stream has sent, so that it does not send them again when they are handed on.
#[derive(Debug, Clone, Default)]
pub(super) struct Sent {
    hasher: RandomState,
    /// Of each key as much as tells it from others.
    keys: HashSet<u64>,
    order: VecDeque<(i64, u64)>,
}

impl Sent {
    fn note(&mut self, key: &str, recorded: i64) {
        let hash = self.hasher.hash_one(key);
        self.keys.insert(hash);
        self.order.push_back((recorded, hash));
        while let Some((_, old)) = self.order.front().filter(|(other, _)| *other < recorded - OVERLAP) {
            self.keys.remove(old);
            self.order.pop_front();
        }
    }

    /// Whether a document has been sent.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains(&self.hasher.hash_one(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_in_the_last_15_seconds_is_known() {
        let mut sent = Sent::default();
        sent.note("a", 0);
        sent.note("b", 1);
        sent.note("c", OVERLAP + 1);
        assert!(!sent.has("a") && sent.has("b") && sent.has("c") && !sent.has("d"));
    }
}
