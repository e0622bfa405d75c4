//! `TASK_CREATED`: something is to be done.

use poem_openapi::Object;
use poem_openapi::types::ToJSON;
use serde::Serialize;

use super::{SentDay, assignees, midnight, owner_key, ring};
use crate::aql::collaboration_events as queries;
use crate::aql::guards::TOUCH;
use crate::aql::rows::TaskDocument;
use crate::counters;
use crate::error::{Error, Result};
use crate::events::collaboration::named::given;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::openapi::{Note, OneOf};
use crate::store::{Access, Store, guards};
use tracewright_model::TaskAssignment;
use tracewright_model::TaskStatus;

/// How many codes of the counter may be taken before it is given up.
const MOST_TAKEN: usize = 1_000;

/// A task is made.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TASK_CREATED")]
pub struct TaskCreated {
    /// Set by the service.
    task_key: Option<String>,
    task_type_key: String,
    /// Without it the next one of the counter.
    code: Option<String>,
    title: Option<Note>,
    description: Option<Note>,
    /// Nobody, or users of whom one is the owner.
    assigned_to: Option<Vec<TaskAssignment>>,
    start_from: Option<SentDay>,
    due_by: Option<SentDay>,
}

/// What is answered to who has made a task.
#[derive(Debug, Serialize)]
pub struct Made {
    message: String,
    task_key: String,
}

/// Among what the guards of their codes are.
const CODES: &str = "Task";

impl Event for TaskCreated {
    const TYPE: EventType = EventType::TaskCreated;

    type Answer = Made;

    fn access() -> Access<'static> {
        let own = [TOUCH, queries::TASK_TYPE, queries::TASK_CODE_USED, queries::ASSIGNABLE_USERS, queries::INSERT_TASK];
        counters::drawing(Access::of(&own))
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        Ok(given(self.code.as_ref()).map(|code| guards::unit(CODES, &code.to_uppercase())).into_iter().collect())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Made> {
        let kind = queries::task_type(call.trx, queries::task_type::Params { key: &self.task_type_key }).await?;
        let kind = kind.ok_or_else(|| Refusal::Value.not_found("Task type", &self.task_type_key))?;
        if !kind.is_active {
            return Err(Refusal::Value.says("There are no new tasks of this type: it is not active"));
        }
        let assigned_to = assignees(call, self.assigned_to.as_deref().unwrap_or_default()).await?;
        let [start_from, due_by] = [("start_from", &self.start_from), ("due_by", &self.due_by)]
            .map(|(name, sent)| sent.as_ref().map_or(Ok(None), |sent| midnight(name, sent)));
        let (start_from, due_by) = (start_from?, due_by?);
        let text = |sent: &Option<Note>| sent.clone().filter(|text| !text.trim().is_empty());
        let (title, description) = (text(&self.title), text(&self.description));
        let code = self.code(call).await?;
        let task = TaskDocument {
            key: call.keys.given("Task", &code),
            task_type_key: self.task_type_key.clone(),
            code: code.clone(),
            status: TaskStatus::Open.into(),
            owner_key: owner_key(&assigned_to).map(str::to_owned),
            assigned_to: assigned_to.to_json().unwrap_or_default(),
            start_from: start_from.clone(),
            due_by: due_by.clone(),
            created: call.stored_time(),
            created_by: call.user_key().to_owned(),
            closed: None,
            closed_by: None,
            title: title.as_ref().map(|title| title.to_string()),
            description: description.as_ref().map(|description| description.to_string()),
            form_fields: kind.form_fields,
            deleted: None,
            deleted_by: None,
        };
        let key = queries::insert_task(call.trx, queries::insert_task::Params { task: &task }).await?;
        ring(call, this, (&key, &code), &assigned_to, &[])?;
        let answer = Made { message: format!("Task {code} was created"), task_key: key.clone() };
        (self.task_key, self.code, self.assigned_to) = (Some(key), Some(code), Some(assigned_to));
        (self.title, self.description) = (title, description);
        (self.start_from, self.due_by) = (start_from.map(OneOf::Second), due_by.map(OneOf::Second));
        Ok(answer)
    }
}

impl TaskCreated {
    /// The code of the task: the one that was sent, or the next of the counter that no task has.
    async fn code(&self, call: &Call<'_>) -> Result<String> {
        if let Some(sent) = given(self.code.as_ref()) {
            let code = sent.to_uppercase();
            if is_used(call, &code).await? {
                return Err(Refusal::Value.says(format!("Task code {code} is already used")));
            }
            return Ok(code);
        }
        for _ in 0..MOST_TAKEN {
            let drawn = counters::next_distinct_code(call.trx, &call.recorder.settings.time_zone(), "tasks").await;
            let code = drawn.map_err(as_refusal)?.to_uppercase();
            if !is_used(call, &code).await? {
                return Ok(code);
            }
        }
        Err(Refusal::Value.says("The counter of tasks gives no free code: give one"))
    }
}

/// Whether a task has the code. Another one that is to get it meanwhile begins again.
async fn is_used(call: &Call<'_>, code: &str) -> Result<bool> {
    guards::touch(call.trx, [(CODES, code)]).await?;
    queries::task_code_used(call.trx, queries::task_code_used::Params { code }).await
}

/// A counter that cannot give different codes, as events are refused.
fn as_refusal(error: Error) -> Error {
    match error {
        Error::Answer(_, detail) => match detail["message"].as_str() {
            Some(text) => Refusal::Value.says(text),
            None => Error::Answer(poem::http::StatusCode::CONFLICT, detail),
        },
        other => other,
    }
}
