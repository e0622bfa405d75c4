//! `MOVEMENT_CANCELED` and `MOVEMENT_DELETED`: a movement that never moved anything is given up.

use std::collections::{BTreeMap, BTreeSet};

use poem_openapi::Object;
use serde_json::{Map, Value, json};

use super::known;
use super::movement::{self, Movement};
use super::{MovementStatus, lists, units, wanted, writing};
use crate::app::App;
use crate::aql;
use crate::error::{Error, Result};
use crate::events::units::Names;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::Access;

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

impl Event for MovementCanceled {
    const TYPE: EventType = EventType::MovementCanceled;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[aql::stock_events::MOVEMENTS, aql::stock_events::UPDATE_MOVEMENTS]).and(&lists::QUERIES)
    }

    async fn units(&self, app: &App, _user_key: &str) -> Result<Names> {
        units_of(app, &self.movement_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let movement = one(call, &self.movement_key).await?;
        match movement.status() {
            MovementStatus::Canceled => return Err(Refusal::Movement.says("The movement was canceled already")),
            MovementStatus::Planned | MovementStatus::Started if movement.confirmed() == 0.0 => {}
            _ => return Err(has_moved()),
        }
        let mut changes = json!({"status": MovementStatus::Canceled, "start": null, "end": null});
        if let Some(reason) = wanted::given(self.reason.as_ref()) {
            changes["reason"] = reason.into();
        }
        let changed = vec![(0, movement.key().to_owned(), changes)];
        let canceled = writing::write(call, Vec::new(), changed).await?.pop().unwrap_or_default();
        call.concerns(this, movement::concerned(&canceled));
        follow(call, this, &movement).await?;
        Ok(canceled)
    }
}

impl Event for MovementDeleted {
    const TYPE: EventType = EventType::MovementDeleted;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[aql::stock_events::MOVEMENTS, aql::stock_events::REMOVE_MOVEMENTS]).and(&lists::QUERIES)
    }

    async fn units(&self, app: &App, _user_key: &str) -> Result<Names> {
        units_of(app, &self.movement_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let movement = one(call, &self.movement_key).await?;
        if movement.status() == MovementStatus::Completed || movement.confirmed() != 0.0 {
            return Err(has_moved());
        }
        call.trx.run(&aql::stock_events::REMOVE_MOVEMENTS, json!({"keys": [movement.key()]})).await?;
        self.movement_data = movement.document().clone();
        call.concerns(this, movement::concerned(movement.document()));
        follow(call, this, &movement).await?;
        Ok(Value::Null)
    }

    fn stored(&self) -> Map<String, Value> {
        let stored = json!({"movement_key": self.movement_key, "movement_data": self.movement_data});
        stored.as_object().cloned().unwrap_or_default()
    }
}

async fn units_of(app: &App, key: &str) -> Result<Names> {
    let movement = units::movement(app, Some(key)).await?;
    Ok(movement.map(|movement| units::of_stored(&movement)).unwrap_or_default())
}

async fn one(call: &Call<'_>, key: &str) -> Result<Movement> {
    let found = known::movements(call.trx, &BTreeSet::from([key.to_owned()])).await?.remove(key);
    found.ok_or_else(|| Refusal::Movement.not_found("Movement", key))
}

fn has_moved() -> Error {
    Refusal::Movement.says("The movement has moved stock and stays in the journal: post MOVEMENT_REVERSED to undo it")
}

async fn follow(call: &mut Call<'_>, this: EventId, movement: &Movement) -> Result<()> {
    let list = movement.text("movement_list_key").map(|key| (key.to_owned(), this));
    lists::follow(call, BTreeMap::from_iter(list)).await
}
