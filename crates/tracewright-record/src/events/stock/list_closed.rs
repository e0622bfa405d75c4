//! `WAREHOUSE_LIST_CLOSED`: nothing more of a list will be done.

use poem_openapi::Object;
use serde_json::Value;

use super::{MovementStatus, lists};
use crate::aql::stock_events::update_lists::Lists;
use crate::aql::stock_events::{self, CLOSE_MOVEMENTS, close_movements, update_lists};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store};

/// A list is done: what was not moved will not be.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WAREHOUSE_LIST_CLOSED")]
pub struct WarehouseListClosed {
    /// The list.
    pub movement_list_key: String,
}

impl Event for WarehouseListClosed {
    const TYPE: EventType = EventType::WarehouseListClosed;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&lists::QUERIES).and(&[CLOSE_MOVEMENTS])
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        Ok(LockNames::from([format!("MovementList/{}", self.movement_list_key)]))
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let key = &self.movement_list_key;
        let list = lists::state(call, key).await?.ok_or_else(|| Refusal::Value.not_found("Movement list", key))?;
        if list.is(MovementStatus::Canceled) {
            return Err(Refusal::Value.says("The movement list is canceled"));
        }
        if list.is(MovementStatus::Completed) {
            // Whoever confirms the last movement closes the list too.
            return Ok(Value::Null);
        }
        if list.is_being_applied {
            return Err(Refusal::Value.says("The movement list is closed when its count has been applied"));
        }
        let now = call.stored_time();
        stock_events::close_movements(call.trx, close_movements::Params { list_key: key, now: &now }).await?;
        let start = lists::state(call, key).await?.and_then(|list| list.first_start);
        let standing = (Some(MovementStatus::Completed.into()), start, Some(now));
        let lists = [Lists { key, changes: lists::changes(&standing) }];
        stock_events::update_lists(call.trx, update_lists::Params { lists: &lists }).await?;
        Ok(Value::Null)
    }
}
