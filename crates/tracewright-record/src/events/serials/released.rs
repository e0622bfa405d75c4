//! `SERIAL_RELEASED`: a serial is ready, and has a code by then.

use poem_openapi::Object;
use serde_json::Value;

use super::Recorded;
use super::bulk::{self, Bulk};
use super::codes::{self, Codes};
use super::created::not_ahead;
use super::known::{self, Whereabouts};
use crate::aql::rows::SerialChange;
use crate::aql::serial_events::{UPDATE, update};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store};
use tracewright_model::Moment;

/// A serial is released, or gets another date of release.
#[derive(Debug, Clone, Default, Object)]
#[oai(rename = "Event_SERIAL_RELEASED")]
pub struct SerialReleased {
    /// The serial.
    pub serial_key: String,
    /// When; without it at the time of the event.
    pub released: Option<Moment>,
}

/// A serial that was released.
#[derive(Debug, Clone)]
pub struct Released {
    /// Its key.
    pub serial_key: String,
    /// Its code, which may be new.
    pub code: String,
}

/// Releases serials together, each as a child of `parent`.
pub async fn release_many(call: &mut Call<'_>, parent: EventId, serials: Vec<SerialReleased>) -> Result<Vec<Released>> {
    bulk::many(call, serials.into_iter().map(|serial| (parent, serial))).await
}

impl Event for SerialReleased {
    const TYPE: EventType = EventType::SerialReleased;

    type Answer = Recorded;

    fn access() -> Access<'static> {
        Access::of(&known::QUERIES).and(&[UPDATE]).joined(&codes::access())
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        let beside = known::beside(store, &self.serial_key).await?;
        let counter = beside.and_then(|beside| beside.counter_key).map(|key| codes::lock_of_counter(&key));
        Ok(counter.into_iter().chain([known::id(&self.serial_key)]).collect())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Recorded> {
        let released = bulk::one(call, this, self).await?;
        Ok(Recorded { message: format!("Serial {} released", released.code), serial_key: released.serial_key })
    }
}

impl Bulk for SerialReleased {
    type Outcome = Released;

    async fn together(call: &mut Call<'_>, ids: &[EventId], events: &mut [Self]) -> Result<Vec<(Released, Concerned)>> {
        let mut serials =
            known::touch(call, events.iter().map(|event| &event.serial_key).zip(ids.iter().copied()).collect()).await?;
        let posted = events.iter().zip(ids).filter(|(_, id)| call.is_primary(**id));
        let whereabouts = Whereabouts::of(call.trx, posted.map(|(event, _)| &event.serial_key).collect()).await?;
        for event in events.iter_mut() {
            let serial = serials.get(&event.serial_key).filter(|serial| !serial.deleted);
            let serial = serial.ok_or_else(|| Refusal::Value.not_found("Serial", &event.serial_key))?;
            if whereabouts.is_in_wip(&serial.key) {
                return Err(Refusal::Value.says(format!("Serial {} is still in production", serial.known_as())));
            }
            event.released = Some(match &event.released {
                Some(time) => not_ahead(time)?,
                None => Moment(call.stored_time()),
            });
        }
        let products = known::products(call.trx, &serials).await?;
        let nameless: Vec<_> = serials.values_mut().filter(|serial| serial.code.is_none()).collect();
        let wanting: Vec<_> = nameless.iter().map(|serial| known::wanting(serial, &products)).collect();
        let drawn = codes::draw(call, &wanting, &Codes::new()).await?;
        nameless.into_iter().zip(drawn).for_each(|(serial, code)| serial.code = Some(code));
        let changes: Vec<SerialChange> = events
            .iter()
            .map(|event| {
                let released = event.released.as_ref().map(|time| time.0.clone());
                let code = serials[&event.serial_key].code.clone();
                let members = Value::from_iter([("released", released), ("code", code)]);
                SerialChange { key: event.serial_key.clone(), members }
            })
            .collect();
        update(call.trx, update::Params { changes: &changes }).await?;
        let done = events.iter().map(|event| {
            let serial = &serials[&event.serial_key];
            let released = Released { serial_key: serial.key.clone(), code: serial.known_as().to_owned() };
            (released, serial.concerned())
        });
        Ok(done.collect())
    }
}
