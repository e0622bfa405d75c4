//! The hub: it hands what was committed to the streams of this process, and keeps their number and what waits for them in
//! bounds.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::known::Known;
use super::log::{Log, StreamId};
use super::message::recorded_micros;
use super::{Message, NotificationDocument};
use crate::auth::Scope;
use crate::cut::Cut;

/// How long a stream that was told to end has for it, before its connection is cut.
const FAREWELL: Duration = Duration::from_secs(1);

/// What the hub bounds.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many streams a user may have open.
    pub streams_of_user: usize,
    /// How long a message may wait for a stream.
    pub wait: Duration,
    /// How much memory all waiting messages may take together.
    pub bytes: usize,
    /// After how long without anything a stream shows that it is alive.
    pub silence: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            streams_of_user: 100,
            wait: Duration::from_secs(30),
            bytes: 64 * 1024 * 1024,
            silence: Duration::from_secs(14),
        }
    }
}

/// Who opens a stream, and of what.
#[derive(Debug, Clone)]
pub struct Subscriber {
    /// Key of the user.
    pub user_key: Arc<str>,
    /// Key of the token that the stream lives by.
    pub token_key: Arc<str>,
    /// The topic, by its name without `-notification`.
    pub topic: Arc<str>,
    /// The scope that the topic needs.
    pub scope: Option<Scope>,
    /// Ends the answer when its reader takes nothing any more.
    pub cut: Cut,
}

/// Why a stream is not opened.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// The user has too many open.
    TooMany,
    /// The service is being stopped.
    Stopping,
}

/// An open stream as the hub knows it.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) subscriber: Subscriber,
    /// Something came, or the end.
    wake: Notify,
    ended: AtomicBool,
}

impl Slot {
    fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.wake.notify_one();
    }
}

/// What all that use a hub share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) streams: HashMap<StreamId, Arc<Slot>>,
    next_id: StreamId,
    logs: HashMap<Arc<str>, Log>,
    /// What has been handed on; nothing while nobody listens.
    pub(super) known: Option<Known>,
    /// Streams that were told to end, and when.
    ending: Vec<(Instant, Cut)>,
    stopping: bool,
}

impl Shared {
    /// Takes a stream out of everything.
    fn remove(&mut self, id: StreamId) -> Option<Arc<Slot>> {
        let slot = self.streams.remove(&id)?;
        if let Some(log) = self.logs.get_mut(&slot.subscriber.topic) {
            log.remove(id);
            if log.is_unread() {
                self.logs.remove(&slot.subscriber.topic);
            }
        }
        Some(slot)
    }

    /// Ends a stream.
    pub(super) fn end(&mut self, id: StreamId) {
        if let Some(slot) = self.remove(id) {
            slot.end();
            self.ending.push((Instant::now(), slot.subscriber.cut.clone()));
        }
    }

    fn bytes(&self) -> usize {
        self.logs.values().map(Log::bytes).sum()
    }

    /// Ends the slowest streams until what waits is small enough again.
    fn relieve(&mut self, most: usize) {
        if self.bytes() <= most {
            return;
        }
        self.logs.values_mut().for_each(Log::trim);
        while self.bytes() > most {
            let slowest = self.logs.values_mut().flat_map(Log::waits).min();
            let Some((_, id)) = slowest else { break };
            self.warn_of(id, "too much waits for it and others");
            self.end(id);
        }
    }

    fn warn_of(&self, id: StreamId, reason: &str) {
        if let Some(slot) = self.streams.get(&id) {
            let Subscriber { user_key, topic, .. } = &slot.subscriber;
            tracing::warn!(%user_key, %topic, reason, "a stream of notifications is closed: its reader is too slow");
        }
    }
}

/// Hands messages to streams. Clones are the same hub.
#[derive(Clone)]
pub struct Hub {
    limits: Limits,
    shared: Arc<Mutex<Shared>>,
    /// Held by who begins to listen to other processes.
    pub(super) gate: Arc<tokio::sync::Mutex<()>>,
}

impl Hub {
    /// A hub without streams.
    pub fn new(limits: Limits) -> Self {
        Self { limits, shared: Arc::default(), gate: Arc::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Shared> {
        // What is shared is whole between any two statements: a panic elsewhere has not harmed it.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands on what a transaction of this process has committed. Nothing waits for a reader here.
    pub fn publish(&self, documents: Vec<NotificationDocument>) {
        self.hand_on(documents);
    }

    /// Hands on documents, those that are new to this process.
    pub(super) fn hand_on(&self, mut documents: Vec<NotificationDocument>) {
        {
            let mut shared = self.lock();
            let Shared { known: Some(known), logs, .. } = &mut *shared else { return };
            documents.retain(|document| known.note(&document.key, recorded_micros(&document.recorded)));
            documents.retain(|document| logs.contains_key(document.topic.as_str()));
        }
        // Texts are made while others go on.
        let texts: Vec<_> = documents.iter().map(|document| (&document.topic, Message::all_of(document))).collect();
        let (mut touched, mut woken): (BTreeSet<&str>, Vec<Arc<Slot>>) = Default::default();
        {
            let mut shared = self.lock();
            let Shared { logs, streams, .. } = &mut *shared;
            for (topic, messages) in texts {
                let Some(log) = logs.get_mut(topic.as_str()) else { continue };
                log.trim();
                for message in messages {
                    log.push(message);
                }
                touched.insert(topic.as_str());
            }
            let readers = touched.iter().filter_map(|topic| logs.get(*topic)).flat_map(Log::readers);
            woken.extend(readers.filter_map(|id| streams.get(&id).cloned()));
            shared.relieve(self.limits.bytes);
        }
        for slot in woken {
            slot.wake.notify_one();
        }
    }

    /// Opens a stream. It gets nothing before it is attached.
    pub fn open(&self, subscriber: Subscriber) -> Result<Subscription, Refused> {
        let mut shared = self.lock();
        if shared.stopping {
            return Err(Refused::Stopping);
        }
        let of_user = |slot: &&Arc<Slot>| slot.subscriber.user_key == subscriber.user_key;
        if shared.streams.values().filter(of_user).count() >= self.limits.streams_of_user {
            return Err(Refused::TooMany);
        }
        let id = shared.next_id;
        shared.next_id += 1;
        let slot = Arc::new(Slot { subscriber, wake: Notify::new(), ended: AtomicBool::new(false) });
        shared.streams.insert(id, Arc::clone(&slot));
        Ok(Subscription { hub: self.clone(), id, slot })
    }

    /// Ends the streams for which a message has waited too long, and lets go of what nobody waits for.
    pub fn sweep(&self, now: Instant) {
        let mut shared = self.lock();
        let waits: Vec<(Instant, StreamId)> = shared.logs.values_mut().flat_map(Log::waits).collect();
        for (_, id) in waits.into_iter().filter(|(since, _)| now.duration_since(*since) >= self.limits.wait) {
            shared.warn_of(id, "a message has waited too long");
            shared.end(id);
        }
        shared.logs.values_mut().for_each(Log::trim);
        shared.known.iter_mut().for_each(Known::forget);
        shared.ending.retain(|(since, cut)| {
            let has_time = now.duration_since(*since) < FAREWELL;
            if !has_time {
                cut.now();
            }
            has_time
        });
    }

    /// Ends all streams, and lets nobody open another.
    pub fn stop(&self) {
        let mut shared = self.lock();
        shared.stopping = true;
        let all: Vec<StreamId> = shared.streams.keys().copied().collect();
        for id in all {
            shared.end(id);
        }
    }

    /// How many streams are open.
    pub fn streams(&self) -> usize {
        self.lock().streams.len()
    }

    /// How much memory waiting messages take.
    pub fn waiting_bytes(&self) -> usize {
        self.lock().bytes()
    }
}

/// An open stream. Dropped, it is closed.
pub struct Subscription {
    hub: Hub,
    id: StreamId,
    slot: Arc<Slot>,
}

impl Subscription {
    /// Who reads, and what.
    pub fn subscriber(&self) -> &Subscriber {
        &self.slot.subscriber
    }

    /// After how long without anything the stream shows that it is alive.
    pub(super) fn silence(&self) -> Duration {
        self.hub.limits.silence
    }

    /// From now on what comes waits for this stream.
    pub fn attach(&self) {
        let mut shared = self.hub.lock();
        if !shared.streams.contains_key(&self.id) {
            return;
        }
        let Subscriber { topic, user_key, .. } = &self.slot.subscriber;
        shared.logs.entry(Arc::clone(topic)).or_default().add(self.id, user_key);
    }

    /// The next messages, `most` bytes together or a single one.
    pub fn take(&self, most: usize) -> Vec<Arc<Message>> {
        let mut shared = self.hub.lock();
        shared.logs.get_mut(&self.slot.subscriber.topic).map_or_else(Vec::new, |log| log.take(self.id, most))
    }

    /// Whether the stream is to end.
    pub fn is_ended(&self) -> bool {
        self.slot.ended.load(Ordering::Acquire)
    }

    /// Waits until there may be something to take, or the stream is to end.
    pub async fn changed(&self) {
        self.slot.wake.notified().await;
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.lock().remove(self.id);
    }
}

#[cfg(test)]
pub(super) mod tests;
