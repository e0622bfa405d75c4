//! `TASK_UPDATED`: what is to be done, by whom, until when, and what has been found out.

use std::collections::HashMap;

use poem_openapi::Object;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{FormField, SentDay, Task, access, assignees, lock, midnight, owner_key, ring};
use crate::aql::collaboration_events as queries;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::openapi::{Note, OneOf};
use crate::store::{Access, Store};
use tracewright_model::TaskAssignment;

/// A field of a task's form and its new value.
#[derive(Debug, Clone, Object)]
pub struct TaskFieldUpdate {
    form_field_key: String,
    value: Option<Value>,
}

/// A task is changed; what is absent stays.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TASK_UPDATED")]
pub struct TaskUpdated {
    task_key: String,
    /// Null or blank clears it.
    title: MaybeUndefined<Note>,
    /// Null or blank clears it.
    description: MaybeUndefined<Note>,
    /// All assignees, of whom one is the owner; none of them clears it, null leaves it.
    assigned_to: Option<Vec<TaskAssignment>>,
    /// Null clears it.
    start_from: MaybeUndefined<SentDay>,
    /// Null clears it.
    due_by: MaybeUndefined<SentDay>,
    /// The fields that change.
    form_fields: Option<Vec<TaskFieldUpdate>>,
}

impl Event for TaskUpdated {
    const TYPE: EventType = EventType::TaskUpdated;

    type Answer = Value;

    fn access() -> Access<'static> {
        access(&[queries::ASSIGNABLE_USERS])
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        Ok(lock(&self.task_key))
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let mut task = Task::find(call, &self.task_key).await?;
        let mut changes = Map::new();
        self.texts(&mut changes);
        self.dates(&mut changes)?;
        if let Some(sent) = &self.assigned_to {
            let assigned_to = assignees(call, sent).await?;
            changes.insert("owner_key".to_owned(), owner_key(&assigned_to).into());
            changes.insert("assigned_to".to_owned(), assigned_to.to_json().unwrap_or_default());
            ring(call, this, (task.key(), task.text("code")), &assigned_to, &task.assigned_to())?;
            self.assigned_to = Some(assigned_to);
        }
        if let Some(sent) = &self.form_fields {
            changes.insert("form_fields".to_owned(), form(&task, sent, &call.stored_time())?.into());
        }
        if changes.is_empty() {
            return Err(Refusal::Value.says(format!("Nothing to change was sent for {}", task.name())));
        }
        task.change(call, &changes).await?;
        let message = format!("{} was updated", task.name());
        let mut answer = task.0;
        answer.insert("message".to_owned(), message.into());
        Ok(Value::Object(answer))
    }
}

impl TaskUpdated {
    fn texts(&mut self, changes: &mut Map<String, Value>) {
        for (name, sent) in [("title", &mut self.title), ("description", &mut self.description)] {
            if sent.value().is_some_and(|text| text.trim().is_empty()) {
                *sent = MaybeUndefined::Null;
            }
            if !sent.is_undefined() {
                changes.insert(name.to_owned(), sent.to_json().unwrap_or_default());
            }
        }
    }

    fn dates(&mut self, changes: &mut Map<String, Value>) -> Result<()> {
        for (name, sent) in [("start_from", &mut self.start_from), ("due_by", &mut self.due_by)] {
            let day = match &*sent {
                MaybeUndefined::Undefined => continue,
                MaybeUndefined::Null => None,
                MaybeUndefined::Value(day) => midnight(name, day)?,
            };
            changes.insert(name.to_owned(), day.clone().into());
            *sent = day.map_or(MaybeUndefined::Null, |day| MaybeUndefined::Value(OneOf::Second(day)));
        }
        Ok(())
    }
}

/// The form of a task with new values; only what changes gets a new time.
fn form(task: &Task, sent: &[TaskFieldUpdate], now: &str) -> Result<Vec<Value>> {
    let mut new: HashMap<&str, &TaskFieldUpdate> =
        sent.iter().map(|field| (field.form_field_key.as_str(), field)).collect();
    let mut form = task.entries("form_fields").to_vec();
    for entry in &mut form {
        let field = FormField::deserialize(&*entry).unwrap_or_default();
        let update = field.form_field_key.as_str().and_then(|key| new.remove(key));
        let value = update.map(|update| update.value.clone().unwrap_or_default());
        if let (Some(value), Some(entry)) = (value.filter(|value| field.value != *value), entry.as_object_mut()) {
            entry.insert("value".to_owned(), value);
            entry.insert("last_updated".to_owned(), now.into());
        }
    }
    match new.into_keys().min() {
        Some(unknown) => Err(Refusal::Value.says(format!("{} has no field {unknown}", task.name()))),
        None => Ok(form),
    }
}
