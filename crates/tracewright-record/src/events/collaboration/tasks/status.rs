//! `TASK_CANCELED`, `TASK_SUSPENDED` and `TASK_REOPENED`: a task is given up, waits, or is to be done after all.

use poem_openapi::Object;
use serde_json::Value;

use super::{Standing, Task, access, lock};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal, text_answer};
use crate::store::{Access, Store};
use tracewright_model::TaskStatus;
use tracewright_model::machine::TASK;

/// What events that change the status of a task have in common: they change that task and nothing else.
macro_rules! is_of_one_task {
    () => {
        type Answer = Value;

        fn access() -> Access<'static> {
            access(&[])
        }

        async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
            Ok(lock(&self.task_key))
        }
    };
}

/// A task is given up. One that somebody else has made and owns needs `collaboration:task:delete`.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TASK_CANCELED")]
pub struct TaskCanceled {
    task_key: String,
    reason: Option<String>,
}

impl Event for TaskCanceled {
    const TYPE: EventType = EventType::TaskCanceled;

    is_of_one_task!();

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let mut task = Task::find(call, &self.task_key).await?;
        task.require_say(call)?;
        task.must_allow(Self::TYPE)?;
        let closed = &call.stored_time();
        let standing =
            Standing { status: TaskStatus::Canceled, closed: Some(closed), closed_by: Some(call.user_key()) };
        task.change(call, &standing).await?;
        Ok(text_answer(format!("{} was canceled", task.name())))
    }
}

/// A task waits.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TASK_SUSPENDED")]
pub struct TaskSuspended {
    task_key: String,
}

impl Event for TaskSuspended {
    const TYPE: EventType = EventType::TaskSuspended;

    is_of_one_task!();

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let task = take_up(call, &self.task_key, (Self::TYPE, TaskStatus::Pending)).await?;
        Ok(text_answer(format!("{} was suspended", task.name())))
    }
}

/// A task is to be done after all.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TASK_REOPENED")]
pub struct TaskReopened {
    task_key: String,
}

impl Event for TaskReopened {
    const TYPE: EventType = EventType::TaskReopened;

    is_of_one_task!();

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let task = take_up(call, &self.task_key, (Self::TYPE, TaskStatus::Open)).await?;
        Ok(text_answer(format!("{} was reopened", task.name())))
    }
}

/// Brings a task to a status in which it is not closed.
async fn take_up(call: &Call<'_>, key: &str, (event, status): (EventType, TaskStatus)) -> Result<Task> {
    let mut task = Task::find(call, key).await?;
    task.must_allow(event)?;
    task.change(call, &Standing { status, closed: None, closed_by: None }).await?;
    Ok(task)
}

impl Task {
    /// Refused when it is already what such an event makes of it.
    fn must_allow(&self, event: EventType) -> Result<()> {
        let status = self.status();
        if TASK.forbids(&status, event) {
            return Err(Refusal::Value.says(format!("{} is {status} already", self.name())));
        }
        Ok(())
    }
}
