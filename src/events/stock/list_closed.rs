//! `WAREHOUSE_LIST_CLOSED`: nothing more of a list will be done.

use poem_openapi::Object;
use serde_json::{Value, json};

use super::{MovementStatus, lists};
use crate::app::App;
use crate::aql;
use crate::error::Result;
use crate::events::units::Names;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::Access;

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
        Access::of(&lists::QUERIES).and(&[aql::stock_events::CLOSE_MOVEMENTS])
    }

    async fn units(&self, _app: &App, _user_key: &str) -> Result<Names> {
        Ok(Names::from([format!("MovementList/{}", self.movement_list_key)]))
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let key = &self.movement_list_key;
        let list = lists::state(call, key).await?.ok_or_else(|| Refusal::Value.not_found("Movement list", key))?;
        match list.status {
            Some(MovementStatus::Canceled) => return Err(Refusal::Value.says("The movement list is canceled")),
            // Whoever confirms the last movement closes the list too.
            Some(MovementStatus::Completed) => return Ok(Value::Null),
            _ if list.is_being_applied => {
                return Err(Refusal::Value.says("The movement list is closed when its count has been applied"));
            }
            _ => {}
        }
        let now = call.stored_time();
        call.trx.run(&aql::stock_events::CLOSE_MOVEMENTS, json!({"list_key": key, "now": now})).await?;
        let start = lists::state(call, key).await?.and_then(|list| list.first_start);
        let changes = json!({"status": MovementStatus::Completed, "start": start, "end": now});
        call.trx.run(&aql::stock_events::UPDATE_LISTS, json!({"lists": [{"key": key, "changes": changes}]})).await?;
        Ok(Value::Null)
    }
}
