//! `TASK_DELETED`: a task that nobody has done anything about goes away; another one is hidden.

use poem_openapi::Object;
use serde_json::{Value, json};

use super::{Task, access, unit};
use crate::app::App;
use crate::aql::collaboration_events as queries;
use crate::error::Result;
use crate::events::units::Names;
use crate::events::{Call, Event, EventId, EventType};
use crate::store::Access;

/// A task is deleted. One that somebody else has made and owns needs `collaboration:task:delete`.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TASK_DELETED")]
pub struct TaskDeleted {
    task_key: String,
}

impl Event for TaskDeleted {
    const TYPE: EventType = EventType::TaskDeleted;

    type Answer = Value;

    fn access() -> Access<'static> {
        access(&[queries::TASK_HISTORY, queries::REMOVE_TASK])
    }

    async fn units(&self, _app: &App, _user_key: &str) -> Result<Names> {
        Ok(unit(&self.task_key))
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let mut task = Task::find(call, &self.task_key).await?;
        task.require_say(call)?;
        let (key, task_id) = (task.key(), &task.id());
        let has_history = queries::task_history(call.trx, queries::task_history::Params { key, task_id }).await?;
        let mode = if has_history { "soft" } else { "hard" };
        if mode == "hard" {
            queries::remove_task(call.trx, queries::remove_task::Params { key, task_id }).await?;
            call.remove_files(&["task", task.key()]);
        } else {
            let (deleted, deleted_by) = (call.stored_time(), call.key(this).to_owned());
            task.change(call, json!({"deleted": deleted, "deleted_by": deleted_by})).await?;
        }
        Ok(json!({"message": format!("{} was deleted", task.name()), "mode": mode}))
    }
}
