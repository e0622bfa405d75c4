//! `QUEUE_UPDATED`: tells other screens that a queue was sorted.

use poem_openapi::Object;
use serde_json::Value;

use crate::aql::event::{QUEUE_EXISTS, queue_exists};
use crate::error::Result;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::Access;

/// A queue was sorted.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_QUEUE_UPDATED")]
pub struct QueueUpdated {
    queue_key: String,
}

impl Event for QueueUpdated {
    const TYPE: EventType = EventType::QueueUpdated;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[QUEUE_EXISTS])
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        match queue_exists(call.trx, queue_exists::Params { key: &self.queue_key }).await? {
            Some(true) => Ok(Value::Null),
            _ => Err(Refusal::Value.not_found("Queue", &self.queue_key)),
        }
    }
}
