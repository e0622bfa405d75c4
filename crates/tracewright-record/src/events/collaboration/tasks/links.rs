//! `TASK_LINKED` and `TASK_UNLINKED`: what a task is about.

use poem_openapi::Object;
use poem_openapi::types::ToJSON;
use serde_json::Value;

use super::{Task, access, lock};
use crate::aql::collaboration_events as queries;
use crate::aql::guards::TOUCH;
use crate::error::Result;
use crate::events::collaboration::named::{Named, keys_of};
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal, text_answer};
use crate::store::{Access, Store, guards};
use tracewright_model::TaskLinkType;

/// What tasks are linked to, and the collections of it.
pub(super) const KINDS: [(TaskLinkType, &str); 5] = [
    (TaskLinkType::Issue, "Issue"),
    (TaskLinkType::WorkOrder, "WorkOrder"),
    (TaskLinkType::Product, "Product"),
    (TaskLinkType::Serial, "Serial"),
    (TaskLinkType::Task, "Task"),
];

/// What the type of a task says of its links, what it is linked to, and the types of its fields.
pub(super) type Rules = queries::task_rules::Row;

impl Rules {
    pub(super) async fn of(call: &Call<'_>, task: &Task) -> Result<Self> {
        let form = task.form();
        let field_keys = form.iter().filter_map(|field| field.custom_field_key.as_str());
        let (task_id, type_key) = (&task.id(), task.text("task_type_key"));
        let params = queries::task_rules::Params { task_id, type_key, field_keys: field_keys.collect() };
        queries::task_rules(call.trx, params).await
    }
}

/// The collection of a kind, and what people call it.
fn described(kind: TaskLinkType) -> (&'static str, String) {
    let collection = KINDS.iter().find(|(known, _)| *known == kind).map_or("", |(_, collection)| collection);
    (collection, written(kind).replace('_', " "))
}

fn written(kind: TaskLinkType) -> String {
    kind.to_json().unwrap_or_default().as_str().unwrap_or_default().to_owned()
}

/// Among what the guards of links are.
const LINKS_OF: &str = "links of";

/// A task is linked to something.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TASK_LINKED")]
pub struct TaskLinked {
    task_key: String,
    link_type: TaskLinkType,
    link_key: String,
}

impl Event for TaskLinked {
    const TYPE: EventType = EventType::TaskLinked;

    type Answer = Value;

    fn access() -> Access<'static> {
        access(&[TOUCH, queries::TASK_RULES, queries::LINK_TASK]).reading(&KINDS.map(|(_, collection)| collection))
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        let mut locks = lock(&self.task_key);
        if matches!(self.link_type, TaskLinkType::Issue | TaskLinkType::Task) {
            locks.insert(format!("{}/{}", described(self.link_type).0, self.link_key));
        }
        Ok(locks)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let (collection, name) = described(self.link_type);
        // What a link is compared with is every other link of the task and of what it leads to.
        let ends =
            [(LINKS_OF, format!("Task/{}", self.task_key)), (LINKS_OF, format!("{collection}/{}", self.link_key))];
        guards::touch(call.trx, ends.iter().map(|(among, id)| (*among, id.as_str()))).await?;
        let task = Task::find(call, &self.task_key).await?;
        let rules = Rules::of(call, &task).await?;
        let kind = written(self.link_type);
        let setting = rules.link_settings.iter().find(|setting| setting.r#type == kind.as_str() && setting.enabled);
        let Some(setting) = setting else {
            return Err(Refusal::Value.says(format!("Tasks of this type are not linked to a {name}")));
        };
        let target = format!("{collection}/{}", self.link_key);
        self.must_be_there(call, collection, &name).await?;
        if target == task.id() {
            return Err(Refusal::Value.says(format!("{} cannot be linked to itself", task.name())));
        }
        if rules.outgoing.contains(&target) || rules.incoming.contains(&target) {
            return Err(Refusal::Value.says(format!("{} is linked to this {name} already", task.name())));
        }
        if !setting.allow_multiple && !keys_of(collection, &rules.outgoing).is_empty() {
            return Err(Refusal::Value.says(format!("{} can be linked to one {name} only", task.name())));
        }
        let (from, created) = (&task.id(), &call.stored_time());
        let link = queries::link_task::Link { from, to: &target, created, created_by: call.user_key() };
        queries::link_task(call.trx, queries::link_task::Params { link }).await?;
        Ok(text_answer(format!("{} was linked to the {name}", task.name())))
    }
}

impl TaskLinked {
    /// Refuses a target that there is not, or not any more.
    async fn must_be_there(&self, call: &Call<'_>, collection: &str, name: &str) -> Result<()> {
        let found = Named::find(call.trx, collection, &self.link_key).await?;
        let is_gone =
            |named: &Named| named.is_deleted && matches!(self.link_type, TaskLinkType::Serial | TaskLinkType::Task);
        if found.is_some_and(|named| !is_gone(&named)) {
            return Ok(());
        }
        let mut kind = name.to_owned();
        kind[..1].make_ascii_uppercase();
        Err(Refusal::Value.not_found(&kind, &self.link_key))
    }
}

/// The link between a task and something else is removed, whichever of them it begins at.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TASK_UNLINKED")]
pub struct TaskUnlinked {
    task_key: String,
    link_type: TaskLinkType,
    link_key: String,
}

impl Event for TaskUnlinked {
    const TYPE: EventType = EventType::TaskUnlinked;

    type Answer = Value;

    fn access() -> Access<'static> {
        access(&[queries::UNLINK_TASK])
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        Ok(lock(&self.task_key))
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let task = Task::find(call, &self.task_key).await?;
        let (collection, name) = described(self.link_type);
        let target_id = &format!("{collection}/{}", self.link_key);
        let params = queries::unlink_task::Params { task_id: &task.id(), target_id };
        let removed = queries::unlink_task(call.trx, params).await?;
        if removed.is_empty() {
            return Err(Refusal::Value.says(format!("{} is not linked to this {name}", task.name())));
        }
        Ok(text_answer(format!("{} is no longer linked to the {name}", task.name())))
    }
}
