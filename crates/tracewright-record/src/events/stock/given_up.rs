//! `MOVEMENT_CANCELED` and `MOVEMENT_DELETED`: a movement that never moved anything is given up.

use std::collections::{BTreeMap, BTreeSet};

use poem_openapi::Object;
use serde::Serialize;
use serde_json::{Map, Value};

use super::known;
use super::movement::Movement;
use super::{MovementStatus, lists, locks, wanted, writing};
use crate::aql::stock_events::{self, MOVEMENTS, REMOVE_MOVEMENTS, UPDATE_MOVEMENTS};
use crate::error::{Error, Result};
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store, typed};
use tracewright_model::machine::MOVEMENT;

/// A planned movement will not be made.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_MOVEMENT_CANCELED")]
pub struct MovementCanceled {
    /// The movement.
    pub movement_key: String,
    /// Why.
    pub reason: Option<String>,
}

/// A movement that never moved anything is removed.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_MOVEMENT_DELETED")]
pub struct MovementDeleted {
    /// The movement.
    pub movement_key: String,
    /// The movement as it was.
    #[oai(skip)]
    movement_data: Value,
}

/// What is written of a movement that will not be made.
#[derive(Serialize)]
struct Canceled {
    status: MovementStatus,
    start: Option<String>,
    end: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Event for MovementCanceled {
    const TYPE: EventType = EventType::MovementCanceled;

    type Answer = Movement;

    fn access() -> Access<'static> {
        Access::of(&[MOVEMENTS, UPDATE_MOVEMENTS]).and(&lists::QUERIES)
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        units_of(store, &self.movement_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Movement> {
        let movement = one(call, &self.movement_key).await?;
        match movement.status() {
            MovementStatus::Canceled => return Err(Refusal::Movement.says("The movement was canceled already")),
            status if MOVEMENT.has(status, Self::TYPE) && movement.confirmed() == 0.0 => {}
            _ => return Err(has_moved()),
        }
        let reason = wanted::given(self.reason.as_ref());
        let changes = Canceled { status: MovementStatus::Canceled, start: None, end: None, reason };
        let changed = vec![(0, movement.key().to_owned(), typed::bound(&changes)?)];
        let canceled = writing::write(call, Vec::new(), changed).await?.pop().unwrap_or_default();
        call.concerns(this, canceled.concerned());
        follow(call, this, &movement).await?;
        Ok(canceled)
    }
}

impl Event for MovementDeleted {
    const TYPE: EventType = EventType::MovementDeleted;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[MOVEMENTS, REMOVE_MOVEMENTS]).and(&lists::QUERIES)
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        units_of(store, &self.movement_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let movement = one(call, &self.movement_key).await?;
        if !MOVEMENT.has(movement.status(), Self::TYPE) || movement.confirmed() != 0.0 {
            return Err(has_moved());
        }
        let keys = [movement.key()].into_iter().collect();
        stock_events::remove_movements(call.trx, stock_events::remove_movements::Params { keys }).await?;
        self.movement_data = movement.document().clone();
        call.concerns(this, movement.concerned());
        follow(call, this, &movement).await?;
        Ok(Value::Null)
    }

    fn stored(&self) -> Map<String, Value> {
        Map::from_iter([
            ("movement_key".to_owned(), self.movement_key.as_str().into()),
            ("movement_data".to_owned(), self.movement_data.clone()),
        ])
    }
}

async fn units_of(store: &Store, key: &str) -> Result<LockNames> {
    let movement = locks::movement(store, Some(key)).await?;
    Ok(movement.map(|movement| locks::of_stored(&movement)).unwrap_or_default())
}

async fn one(call: &Call<'_>, key: &str) -> Result<Movement> {
    let found = known::movements(call.trx, &BTreeSet::from([key.to_owned()])).await?.remove(key);
    found.ok_or_else(|| Refusal::Movement.not_found("Movement", key))
}

fn has_moved() -> Error {
    Refusal::Movement.says("The movement has moved stock and stays in the journal: post MOVEMENT_REVERSED to undo it")
}

async fn follow(call: &mut Call<'_>, this: EventId, movement: &Movement) -> Result<()> {
    let list = movement.list_key().map(|key| (key.to_owned(), this));
    lists::follow(call, BTreeMap::from_iter(list)).await
}
