//! The journal of events: what happened in the plant, checked, taken into effect and written in one transaction.
//!
//! A [`Call`] is one request that records. Its events are values whose types say what they check and change ([`Event`]); an
//! event makes others by [`Call::child`]. Clients post those that stand in `registry`; operations that record what they do
//! make a call of their own ([`Call::of_operation`]).

mod call;
mod collaboration;
pub mod counting;
mod keys;
mod messages;
pub mod noted;
mod post;
pub mod production;
mod receipt;
mod recorded_for;
mod recorder;
mod refusal;
pub mod registry;
pub mod serials;
pub mod stock;

pub mod locks;

use std::future::Future;

use poem_openapi::types::{ParseFromJSON, ToJSON, Type};
use serde::Serialize;
use serde_json::{Map, Value};

pub use call::{Call, Concerned, EventId, QUERIES, RecordedFor, Taken};
pub use keys::Keys;
pub use post::{Answered, Common, Posted, Row, post_many, post_one};
pub use recorder::Recorder;
pub use refusal::{Refusal, of_row};
pub use tracewright_model::{EventType, Posting};

use crate::error::Result;
use crate::store::{Access, Held, Store};
use locks::LockNames;

/// An event: its members as they are sent and stored, what it checks and what it changes.
pub trait Event: Type + ParseFromJSON + ToJSON + Clone + Send + Sync {
    /// Its type.
    const TYPE: EventType;

    /// What a client is answered as `detail`.
    type Answer: Serialize + Send;

    /// What its transaction reads and writes, that of the events it makes included.
    fn access() -> Access<'static>;

    /// What no other call may change meanwhile, found out before the transaction begins. What does not exist has no name: the
    /// event itself refuses it.
    fn locks(&self, _store: &Store, _user_key: &str) -> impl Future<Output = Result<LockNames>> + Send {
        async { Ok(LockNames::new()) }
    }

    /// What is found out about events of one call before its transaction begins, each with the key of its user. Types that look
    /// up more than names do so here, for all of them at once.
    fn ahead(events: &[(&Self, &str)], store: &Store) -> impl Future<Output = Result<Vec<Ahead>>> + Send {
        async move {
            let mut found = Vec::with_capacity(events.len());
            for (event, user_key) in events {
                found.push(Ahead { locks: event.locks(store, user_key).await?, ..Ahead::default() });
            }
            Ok(found)
        }
    }

    /// Checks and changes. Members are brought to their final values, since they are stored afterwards.
    fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> impl Future<Output = Result<Self::Answer>> + Send;

    /// What is to be done at the end of a primary event, when all it made has taken effect.
    fn settle(_call: &mut Call<'_>, _this: EventId) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Whether rows of a bulk call take effect by a few queries for all of them; see [`Event::take_effect_in_bulk`].
    fn fit_in_bulk(_events: &[&Self]) -> bool {
        false
    }

    /// Checks and changes for rows of a bulk call that have user and time in common, each under its own id, as if they came one
    /// after the other. What is refused here is tried again row by row, which finds the row to blame.
    fn take_effect_in_bulk(
        call: &mut Call<'_>,
        ids: &[EventId],
        events: &mut [Self],
    ) -> impl Future<Output = Result<()>> + Send {
        async move {
            for (event, id) in events.iter_mut().zip(ids) {
                event.take_effect(call, *id).await?;
            }
            Ok(())
        }
    }

    /// Its members as they are stored.
    fn stored(&self) -> Map<String, Value> {
        match self.to_json() {
            Some(Value::Object(members)) => members,
            _ => Map::new(),
        }
    }
}

/// What is found out about an event before its transaction begins.
#[derive(Debug, Default)]
pub struct Ahead {
    /// What no other call may change meanwhile: [`Event::locks`].
    pub locks: LockNames,
    /// What is held alone where that depends on the members. What every event of the type holds stands in [`Event::access`].
    pub alone: Option<Held>,
    /// A user whose key as `user_key` names nobody, because it belongs to the stored row that was sent along.
    pub user_of_row: Option<String>,
}

/// An answer that is a text for the person.
pub fn text_answer(message: impl Into<String>) -> Value {
    Value::from_iter([("message", message.into())])
}
