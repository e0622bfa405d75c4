//! `TASK_DELETED`: a task that nobody has done anything about goes away; another one is hidden.

use poem_openapi::Object;
use serde::Serialize;

use super::{Task, access, lock};
use crate::aql::collaboration_events as queries;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType};
use crate::store::{Access, Store};

/// A task is deleted. One that somebody else has made and owns needs `collaboration:task:delete`.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TASK_DELETED")]
pub struct TaskDeleted {
    task_key: String,
}

/// What a task says of its deletion.
#[derive(Serialize)]
struct Deletion<'a> {
    deleted: &'a str,
    deleted_by: &'a str,
}

/// What is answered to who has deleted a task.
#[derive(Debug, Serialize)]
pub struct Deleted {
    message: String,
    mode: &'static str,
}

impl Event for TaskDeleted {
    const TYPE: EventType = EventType::TaskDeleted;

    type Answer = Deleted;

    fn access() -> Access<'static> {
        access(&[queries::TASK_HISTORY, queries::REMOVE_TASK])
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        Ok(lock(&self.task_key))
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Deleted> {
        let mut task = Task::find(call, &self.task_key).await?;
        task.require_say(call)?;
        let (key, task_id) = (task.key(), &task.id());
        let has_history = queries::task_history(call.trx, queries::task_history::Params { key, task_id }).await?;
        let mode = if has_history { "soft" } else { "hard" };
        if mode == "hard" {
            queries::remove_task(call.trx, queries::remove_task::Params { key, task_id }).await?;
            call.remove_files(&["task", task.key()]);
        } else {
            let deletion = Deletion { deleted: &call.stored_time(), deleted_by: call.key(this) };
            task.change(call, &deletion).await?;
        }
        Ok(Deleted { message: format!("{} was deleted", task.name()), mode })
    }
}
