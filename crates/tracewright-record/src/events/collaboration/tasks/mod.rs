//! Events of tasks, and what they have in common: a task as it stands, who has a say in it, its assignees and its dates.

mod completed;
mod created;
mod deleted;
mod links;
mod status;
mod updated;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use completed::TaskCompleted;
pub use created::TaskCreated;
pub use deleted::TaskDeleted;
pub use links::{TaskLinked, TaskUnlinked};
pub use status::{TaskCanceled, TaskReopened, TaskSuspended};
pub use updated::TaskUpdated;

use super::named::parts;
use crate::aql::collaboration_events as queries;
use crate::auth::Scope;
use crate::error::{Invalid, Result};
use crate::events::locks::LockNames;
use crate::events::refusal::not_in_form;
use crate::events::{Call, EventId, Refusal};
use crate::openapi::OneOf;
use crate::store::{Access, Query, typed};
use tracewright_model::{Day, TaskStatus, Word};
use tracewright_model::{TaskAssignment, TaskAssignmentRole};

/// A date as it is sent. An empty text is none.
type SentDay = OneOf<Day, String>;

/// A task that is not deleted.
struct Task(Map<String, Value>);

/// A field of a task's form as far as events look at it. Existing databases hold all kinds of values.
#[derive(Default, Deserialize)]
#[serde(default)]
struct FormField {
    form_field_key: Value,
    custom_field_key: Value,
    label: Value,
    mandatory: Value,
    value: Value,
}

/// Who a task is assigned to, and as what.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Assigned {
    user_key: Value,
    role: Value,
}

/// Whether a task is closed, and since when.
#[derive(Serialize)]
struct Standing<'a> {
    status: TaskStatus,
    closed: Option<&'a str>,
    closed_by: Option<&'a str>,
}

/// What an assignee is told.
#[derive(Serialize)]
struct Ring<'a> {
    notification: &'a str,
    task_key: &'a str,
    task_code: &'a str,
    assigned_by: &'a str,
    timestamp: &'a str,
    subtopic: &'a str,
    recipient_key: &'a str,
}

/// What every event of a task reads and writes beside its own queries.
fn access(own: &[Query]) -> Access<'static> {
    Access::of(own).and(&[queries::TASK, queries::UPDATE_TASK])
}

/// What no other call may change meanwhile.
fn lock(key: &str) -> LockNames {
    LockNames::from([format!("Task/{key}")])
}

impl Task {
    /// The task of a key. Refused when there is none or it was deleted.
    async fn find(call: &Call<'_>, key: &str) -> Result<Self> {
        let found = queries::task(call.trx, queries::task::Params { key }).await?;
        found.map(Self).ok_or_else(|| Refusal::Value.not_found("Task", key))
    }

    fn text(&self, member: &str) -> &str {
        self.0.get(member).and_then(Value::as_str).unwrap_or_default()
    }

    fn key(&self) -> &str {
        self.text("_key")
    }

    fn id(&self) -> String {
        format!("Task/{}", self.key())
    }

    fn status(&self) -> Word<TaskStatus> {
        Word::of(self.text("status"))
    }

    /// What people call it.
    fn name(&self) -> String {
        let code = self.text("code");
        format!("Task {}", if code.is_empty() { self.key() } else { code })
    }

    fn entries(&self, member: &str) -> &[Value] {
        self.0.get(member).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn form(&self) -> Vec<FormField> {
        self.entries("form_fields").iter().map(|field| FormField::deserialize(field).unwrap_or_default()).collect()
    }

    fn assigned_to(&self) -> Vec<Assigned> {
        self.entries("assigned_to").iter().map(|one| Assigned::deserialize(one).unwrap_or_default()).collect()
    }

    /// An error unless the user of the event has made the task or is one of its owners, or the caller may do it to the tasks
    /// of others.
    fn require_say(&self, call: &Call<'_>) -> Result<()> {
        let user = call.user_key();
        let is_owner = |assignee: &Assigned| assignee.role == "owner" && assignee.user_key == user;
        let is_own = parts(self.text("created_by")).1 == user || self.text("owner_key") == user;
        if is_own || self.assigned_to().iter().any(is_owner) {
            return Ok(());
        }
        call.require(Scope::CollaborationTaskDelete)
    }

    async fn change(&mut self, call: &Call<'_>, changes: &impl Serialize) -> Result<()> {
        let params = queries::update_task::Params { key: self.key(), changes: &typed::bound(changes)? };
        self.0 = queries::update_task(call.trx, params).await?;
        Ok(())
    }
}

/// Assignees as they are stored, the owner first. Refused unless each is a user, stands there once, and one of them is the
/// owner.
async fn assignees(call: &Call<'_>, sent: &[TaskAssignment]) -> Result<Vec<TaskAssignment>> {
    let is_owner = |assignee: &TaskAssignment| assignee.role == Some(TaskAssignmentRole::Owner);
    let keys: BTreeSet<&str> = sent.iter().map(|assignee| assignee.user_key.as_str()).collect();
    if keys.len() != sent.len() {
        return Err(Refusal::Value.says("A user can be assigned to a task once only"));
    }
    if !sent.is_empty() && sent.iter().filter(|assignee| is_owner(assignee)).count() != 1 {
        return Err(Refusal::Value.says("A task that is assigned needs exactly one owner"));
    }
    let params = queries::assignable_users::Params { keys: keys.iter().copied().collect() };
    let known = queries::assignable_users(call.trx, params).await?;
    if let Some(unknown) = keys.iter().find(|key| !known.iter().any(|known| known == *key)) {
        return Err(Refusal::Value.not_found("User", unknown));
    }
    let mut sorted = sent.to_vec();
    for assignee in &mut sorted {
        assignee.role.get_or_insert(TaskAssignmentRole::Participant);
    }
    sorted.sort_by_key(|assignee| !is_owner(assignee));
    Ok(sorted)
}

/// The key of the owner among assignees, who comes first.
fn owner_key(assignees: &[TaskAssignment]) -> Option<&str> {
    assignees.first().map(|owner| owner.user_key.as_str())
}

/// Tells those who were not assigned before, but for the user of the event.
fn ring(
    call: &mut Call<'_>,
    this: EventId,
    (task_key, task_code): (&str, &str),
    assignees: &[TaskAssignment],
    before: &[Assigned],
) -> Result<()> {
    for TaskAssignment { user_key, .. } in assignees {
        let was_assigned = before.iter().any(|earlier| earlier.user_key == user_key.as_str());
        if was_assigned || user_key == call.user_key() {
            continue;
        }
        let topic = format!("user:{user_key}");
        let message = typed::bound(&Ring {
            notification: "TASK_UPDATED",
            task_key,
            task_code,
            assigned_by: call.user_key(),
            timestamp: &call.stored_time(),
            subtopic: &topic,
            recipient_key: user_key,
        })?;
        call.publish_on(this, topic, message);
    }
    Ok(())
}

/// A date as it is stored: its midnight in UTC.
fn midnight(member: &str, sent: &SentDay) -> Result<Option<String>> {
    match sent {
        OneOf::First(day) => Ok(Some(format!("{}T00:00:00.000000+00:00", day.0))),
        OneOf::Second(text) if text.trim().is_empty() => Ok(None),
        OneOf::Second(text) => {
            let entry = Invalid::new(
                &["body".into(), member.into()],
                "date_from_datetime_parsing",
                "Input should be a valid date or datetime, input is not a date",
            );
            Err(not_in_form(&[entry.input(text.clone().into())]))
        }
    }
}
