//! `TASK_COMPLETED`: what was to be done is done, and everything it needs is there.

use poem_openapi::Object;
use poem_openapi::types::ToJSON;
use serde_json::{Map, Value};

use super::links::{KINDS, Rules};
use super::{FormField, Standing, Task, access, lock};
use crate::aql::collaboration_events as queries;
use crate::error::Result;
use crate::events::collaboration::named::{given, keys_of};
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal, text_answer};
use crate::store::{Access, Store};
use tracewright_model::machine::TASK;
use tracewright_model::{Moment, TaskStatus};

/// A task is completed.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TASK_COMPLETED")]
pub struct TaskCompleted {
    task_key: String,
    /// Without it the time of the event.
    closed: Option<Moment>,
    /// Without it the user of the event.
    closed_by: Option<String>,
}

impl Event for TaskCompleted {
    const TYPE: EventType = EventType::TaskCompleted;

    type Answer = Value;

    fn access() -> Access<'static> {
        access(&[queries::TASK_RULES])
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        Ok(lock(&self.task_key))
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let mut task = Task::find(call, &self.task_key).await?;
        if !TASK.allows(&task.status(), Self::TYPE) {
            return Err(Refusal::Value.says(format!("{} is {}: reopen it first", task.name(), task.status())));
        }
        let rules = Rules::of(call, &task).await?;
        let (links, fields) = (missing_links(&rules), missing_fields(&task, &rules.fields));
        if !links.is_empty() {
            return Err(Refusal::Value.says(format!("{} needs a link to: {}", task.name(), links.join(", "))));
        }
        if !fields.is_empty() {
            return Err(Refusal::Value.says(format!("{} is not filled in: {}", task.name(), fields.join(", "))));
        }
        let closed = self.closed.as_ref().map_or_else(|| call.stored_time(), |closed| closed.0.clone());
        let closed_by = given(self.closed_by.as_ref()).unwrap_or_else(|| call.user_key()).to_owned();
        let standing = Standing { status: TaskStatus::Completed, closed: Some(&closed), closed_by: Some(&closed_by) };
        task.change(call, &standing).await?;
        (self.closed, self.closed_by) = (Some(Moment(closed)), Some(closed_by));
        Ok(text_answer(format!("{} was completed", task.name())))
    }
}

/// What a task of this type must be linked to and is not, in either direction.
fn missing_links(rules: &Rules) -> Vec<String> {
    let is_linked = |collection: &str| {
        let linked = |ids: &[String]| !keys_of(collection, ids).is_empty();
        linked(&rules.outgoing) || linked(&rules.incoming)
    };
    let missing = KINDS.iter().filter(|(kind, collection)| {
        let kind = kind.to_json().unwrap_or_default();
        let is_needed = rules.link_settings.iter().any(|one| one.r#type == kind && one.enabled && one.required);
        is_needed && !is_linked(collection)
    });
    missing.map(|(kind, _)| kind.to_json().unwrap_or_default().as_str().unwrap_or_default().replace('_', " ")).collect()
}

/// The labels of mandatory fields that are not filled in.
fn missing_fields(task: &Task, types: &Map<String, Value>) -> Vec<String> {
    let type_of = |field: &FormField| types.get(field.custom_field_key.as_str()?)?.as_str();
    let is_missing = |field: &FormField| field.mandatory == true && !is_filled(&field.value, type_of(field));
    let text = |text: &Value| text.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let label = |field: FormField| text(&field.label).or_else(|| text(&field.form_field_key)).unwrap_or_default();
    task.form().into_iter().filter(is_missing).map(label).collect()
}

/// Whether a mandatory field of a type has what it needs.
fn is_filled(value: &Value, kind: Option<&str>) -> bool {
    match kind {
        Some("separator") => true,
        Some("boolean") => *value == true,
        _ => match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(values) => !values.is_empty(),
            _ => true,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn zero_and_false_fill_a_field_but_for_false_in_a_boolean_one() {
        for (value, kind, expected) in [
            (json!(0), "number", true),
            (json!(false), "ternary", true),
            (json!(null), "ternary", false),
            (json!(false), "boolean", false),
            (json!(true), "boolean", true),
            (json!(" "), "text", false),
            (json!("x"), "text", true),
            (json!([]), "files", false),
            (json!([1]), "files", true),
            (json!({"value": "Red"}), "choice", true),
            (json!(null), "separator", true),
        ] {
            assert_eq!(is_filled(&value, Some(kind)), expected, "{kind} {value}");
        }
        assert!(!is_filled(&json!(null), None));
    }
}
