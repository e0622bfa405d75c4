//! The journal of events: what happened in the plant, checked, taken into effect and written in one transaction.
//!
//! A [`Call`] is one request that records. Its events are values whose types say what they check and change ([`Event`]); an
//! event makes others by [`Call::child`]. Clients post those that stand in [`registry`]; operations that record what they do
//! make a call of their own ([`Call::of_operation`]).

mod call;
pub mod collaboration;
pub mod counting;
mod keys;
mod messages;
mod post;
pub mod production;
mod receipt;
mod refusal;
pub mod registry;
pub mod serials;
mod stand;
pub mod stock;
mod types;
pub mod units;

use std::future::Future;

use poem_openapi::types::{ParseFromJSON, ToJSON, Type};
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use call::{Call, Committed, Concerned, EventId, QUERIES, Stand, Taken};
pub use keys::Keys;
pub use post::{Answered, Common, Posted, Row, post_many, post_one};
pub use refusal::{Refusal, of_row};
pub use types::EventType;

use crate::app::App;
use crate::error::Result;
use crate::store::Access;
use units::Names;

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
    fn units(&self, _app: &App, _user_key: &str) -> impl Future<Output = Result<Names>> + Send {
        async { Ok(Names::new()) }
    }

    /// Collections that no other call may write meanwhile, where that depends on the members; found out before the transaction
    /// begins. What every event of the type holds stands in [`Event::access`].
    fn alone(&self, _app: &App) -> impl Future<Output = Result<Vec<&'static str>>> + Send {
        async { Ok(Vec::new()) }
    }

    /// Checks and changes. Members are brought to their final values, since they are stored afterwards.
    fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> impl Future<Output = Result<Self::Answer>> + Send;

    /// What is to be done at the end of a primary event, when all it made has taken effect.
    fn settle(_call: &mut Call<'_>, _this: EventId) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// A user whose key as `user_key` names nobody, because it belongs to the stored row that was sent along.
    fn user_of_row(&self, _app: &App) -> impl Future<Output = Result<Option<String>>> + Send {
        async { Ok(None) }
    }

    /// Its members as they are stored.
    fn stored(&self) -> Map<String, Value> {
        match self.to_json() {
            Some(Value::Object(members)) => members,
            _ => Map::new(),
        }
    }
}

/// An answer that is a text for the person.
pub fn told(message: impl Into<String>) -> Value {
    json!({"message": message.into()})
}
