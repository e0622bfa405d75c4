//! What other processes announce: it lies in the database, and is looked at as long as streams are open here.

use chrono::{DateTime, Utc};

use super::Hub;
use super::known::{Known, OVERLAP};
use super::message::recorded_micros;
use crate::aql::notification as stored;
use crate::clock;
use crate::error::Result;
use crate::store::Store;

/// How many documents are read at once.
const AT_ONCE: usize = 100;

/// A document that was recorded a short time ago.
type Recent = stored::recent::Row;

/// Begins to listen to other processes, unless somebody does already: what they have announced before is not new. The caller has
/// a stream open.
pub async fn listen(store: &Store, hub: &Hub) -> Result<()> {
    if hub.is_listening() {
        return Ok(());
    }
    let _alone = hub.gate.lock().await;
    if hub.is_listening() {
        return Ok(());
    }
    let now = Utc::now().timestamp_micros();
    let announced = recent(store, now - OVERLAP).await?;
    let mut known = Known::since(now);
    for document in announced {
        known.note(&document.key, recorded_micros(&document.recorded));
    }
    hub.lock().known = Some(known);
    Ok(())
}

/// Hands on what other processes have announced since the last time.
pub async fn receive_from_others(store: &Store, hub: &Hub) -> Result<()> {
    let Some(from) = hub.look_from() else { return Ok(()) };
    let keys = hub.unknown(recent(store, from).await?);
    for keys in keys.chunks(AT_ONCE) {
        hub.hand_on(stored::documents(store, stored::documents::Params { keys: keys.into() }).await?);
    }
    Ok(())
}

async fn recent(store: &Store, from: i64) -> Result<Vec<Recent>> {
    let from = DateTime::from_timestamp_micros(from).unwrap_or_default();
    stored::recent(store, stored::recent::Params { from: &clock::stored(from) }).await
}

impl Hub {
    /// Whether what other processes announce is looked at.
    pub(super) fn is_listening(&self) -> bool {
        self.lock().known.is_some()
    }

    /// From when on there may be something new of other processes; `None` when nobody listens.
    pub(super) fn look_from(&self) -> Option<i64> {
        let mut shared = self.lock();
        if shared.streams.is_empty() {
            shared.known = None;
        }
        shared.known.as_ref().map(Known::from)
    }

    /// Which of these documents have not been handed on.
    fn unknown(&self, recent: Vec<Recent>) -> Vec<String> {
        let shared = self.lock();
        let Some(known) = &shared.known else { return Vec::new() };
        recent.into_iter().map(|document| document.key).filter(|key| !known.has(key)).collect()
    }
}
