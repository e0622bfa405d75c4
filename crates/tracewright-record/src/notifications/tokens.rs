//! Streams live as long as the tokens they were opened with, and as long as their users may read them.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::Utc;

use super::Hub;
use super::hub::Slot;
use crate::auth::Standing;
use crate::error::Result;
use crate::store::Store;

/// How many tokens are asked for at once.
const AT_ONCE: usize = 500;

/// Ends the streams whose token is revoked or over, or whose user is disabled or has lost the scope.
pub async fn check_tokens(store: &Store, hub: &Hub) -> Result<()> {
    let asked = hub.tokens();
    for asked in asked.chunks(AT_ONCE) {
        let keys: Vec<&str> = asked.iter().map(AsRef::as_ref).collect();
        let found = Standing::of(store, &keys).await?;
        hub.end_unless_good(asked, &found);
    }
    Ok(())
}

impl Hub {
    /// Keys of the tokens that open streams live by.
    fn tokens(&self) -> Vec<Arc<str>> {
        let shared = self.lock();
        let keys: BTreeSet<Arc<str>> =
            shared.streams.values().map(|slot| Arc::clone(&slot.subscriber.token_key)).collect();
        keys.into_iter().collect()
    }

    /// Ends the streams that live by one of these tokens and may not go on.
    fn end_unless_good(&self, asked: &[Arc<str>], found: &[Standing]) {
        let now = Utc::now();
        let is_good = |slot: &Slot| {
            let token_key = &*slot.subscriber.token_key;
            let mut of_token = found.iter().filter(|standing| standing.token_key == token_key);
            of_token.any(|standing| standing.is_good(now, slot.subscriber.scope))
        };
        let mut shared = self.lock();
        let of_asked = shared.streams.iter().filter(|(_, slot)| asked.contains(&slot.subscriber.token_key));
        let over: Vec<_> = of_asked.filter(|(_, slot)| !is_good(slot)).map(|(id, _)| *id).collect();
        for id in over {
            shared.end(id);
        }
    }
}
