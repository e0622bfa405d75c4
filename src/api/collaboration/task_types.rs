//! Types of tasks.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use poem_openapi::{ApiResponse, Object, OpenApi};
use serde_json::Value;

use super::forms::{FormFieldDefinition, check_form, document, is_set, no};
use super::types::Types;
use crate::api::changes::{Null, changes};
use crate::api::filters::lower;
use crate::api::print::PrintTemplateRecord;
use crate::api::revision::IfMatch;
use crate::api::setup::{self, Create};
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::collaboration as stored;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Fails, Query};
use crate::store::{Access, Transaction};
use crate::{clock, transaction};
use tracewright_model::Moment;
use tracewright_model::TaskLinkType;

const TASK_TYPES: Types = Types { collection: "TaskType", title: "Task type", one: "A task type" };

/// Types of tasks.
pub struct TaskTypes(pub Arc<App>);

fn yes() -> bool {
    true
}

/// How tasks of a type are linked to entities of one kind.
#[derive(Debug, Clone, Object)]
pub(crate) struct TaskLinkedEntitySettings {
    #[oai(rename = "type")]
    kind: TaskLinkType,
    #[oai(default)]
    enabled: bool,
    #[oai(default)]
    allow_multiple: bool,
    #[oai(default)]
    required: bool,
}

/// A type of task.
#[derive(Debug, Object)]
pub(crate) struct TaskType {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key", validator(pattern = r"^[A-Za-z0-9_\-:.@()+,=;$!*'%]{1,254}$"))]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    name: String,
    description: Option<String>,
    #[oai(default = "yes")]
    active: bool,
    icon: Option<String>,
    /// The present when absent.
    created: Option<Moment>,
    #[oai(default)]
    form_fields: Vec<FormFieldDefinition>,
    /// One disabled entry a kind when absent.
    #[oai(default = "no_links")]
    link_settings: Vec<TaskLinkedEntitySettings>,
    #[oai(default)]
    require_time_entry: bool,
}

/// A type of task with its print templates.
#[derive(Debug, Object)]
struct TaskTypeFull {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    name: String,
    description: Option<String>,
    #[oai(default = "is_set")]
    active: Option<bool>,
    icon: Option<String>,
    created: Option<DateTime<Utc>>,
    form_fields: Option<Vec<FormFieldDefinition>>,
    link_settings: Option<Vec<TaskLinkedEntitySettings>>,
    #[oai(default = "no")]
    require_time_entry: Option<bool>,
    print_templates: Option<Vec<PrintTemplateRecord>>,
}

/// Changes of a type of task: what is absent stays.
#[derive(Debug, Object)]
struct TaskTypeUpdate {
    /// Not null.
    name: MaybeUndefined<String>,
    description: MaybeUndefined<String>,
    /// Null means true.
    active: MaybeUndefined<bool>,
    icon: MaybeUndefined<String>,
    /// Null changes nothing.
    created: MaybeUndefined<Moment>,
    /// Null means none.
    form_fields: MaybeUndefined<Vec<FormFieldDefinition>>,
    /// Null means one disabled entry a kind.
    link_settings: MaybeUndefined<Vec<TaskLinkedEntitySettings>>,
    /// Null means false.
    require_time_entry: MaybeUndefined<bool>,
}

#[derive(ApiResponse)]
enum Created {
    /// The task type as it is stored.
    #[oai(status = 201)]
    Created(Json<AsStored<TaskType>>),
}

fn no_links() -> Vec<TaskLinkedEntitySettings> {
    use TaskLinkType::{Issue, Product, Serial, Task, WorkOrder};
    let disabled = |kind| TaskLinkedEntitySettings { kind, enabled: false, allow_multiple: false, required: false };
    [Issue, WorkOrder, Product, Serial, Task].map(disabled).to_vec()
}

#[OpenApi(tag = "Area::Collaboration")]
impl TaskTypes {
    /// List task types
    ///
    /// In the order of their names. `name` is a substring, whatever the case.
    #[oai(path = "/task-type", method = "get", operation_id = "get_task_types_task_type_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::CollaborationTaskTypeRead")] _caller: Caller,
        #[oai(default = "yes")] active_only: Query<bool>,
        name: Query<Option<String>>,
    ) -> Result<Json<Vec<AsStored<TaskTypeFull>>>> {
        let name = lower(name.as_deref());
        let params = stored::task_types::Params { name: name.as_deref(), active_only: *active_only };
        Ok(Json(stored::task_types(&self.0.store, params).await?))
    }

    /// Create a task type
    #[oai(path = "/task-type", method = "post", operation_id = "create_task_type_task_type_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::CollaborationTaskTypeWrite")] caller: Caller,
        body: Json<TaskType>,
        _fails: Fails<409>,
    ) -> Result<Created> {
        let stored = transaction!(self.0.store.acting(caller.actor()), body.access(), |trx| {
            body.create(&self.0, trx, body.key.as_deref()).await
        })?;
        Ok(Created::Created(Json(AsStored::new(stored))))
    }

    /// Update a task type (sent fields only)
    ///
    /// With `If-Match` only a task type of that revision is changed.
    #[oai(path = "/task-type/:type_key", method = "put", operation_id = "update_task_type_task_type__type_key__put")]
    async fn update(
        &self,
        #[oai(scope = "Scope::CollaborationTaskTypeWrite")] caller: Caller,
        type_key: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<TaskTypeUpdate>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let stored = TASK_TYPES
            .update(self.0.store.acting(caller.actor()), &type_key, &if_match, &body.changes()?, None)
            .await?;
        Ok(Json(Envelope::detail(stored).with_message("Task type updated successfully")))
    }

    /// Delete a task type
    ///
    /// Tasks of the type stay as they are.
    #[oai(
        path = "/task-type/:type_key",
        method = "delete",
        operation_id = "delete_task_type_task_type__type_key__delete"
    )]
    async fn delete(
        &self,
        #[oai(scope = "Scope::CollaborationTaskTypeWrite")] caller: Caller,
        type_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        Ok(Json(TASK_TYPES.remove(self.0.store.acting(caller.actor()), &type_key).await?))
    }
}

impl Create for TaskType {
    type Stored = Value;

    fn access(&self) -> Access<'static> {
        TASK_TYPES.access()
    }

    async fn create(&self, _app: &App, trx: &Transaction, key: Option<&str>) -> Result<Value> {
        check_form("form_fields", &self.form_fields)?;
        let mut document = setup::keyed(document(self.to_json()), key);
        let created = self.created.as_ref().map_or_else(clock::now, |moment| moment.0.clone());
        document.as_object_mut().map(|members| members.insert("created".to_owned(), created.into()));
        TASK_TYPES.insert(trx, &document, key.or(self.key.as_deref()), None).await
    }
}

impl TaskTypeUpdate {
    /// The attributes that were sent. Null means the default where there is one.
    fn changes(&self) -> Result<Value> {
        if let Some(fields) = self.form_fields.value() {
            check_form("form_fields", fields)?;
        }
        changes(
            document(self.to_json()),
            vec![
                ("name", Null::Refused("string_type", "Input should be a valid string")),
                ("created", Null::Ignored),
                ("active", Null::Means(true.into())),
                ("require_time_entry", Null::Means(false.into())),
                ("form_fields", Null::Means(Value::Array(Vec::new()))),
                ("link_settings", Null::Means(no_links().to_json().unwrap_or_default())),
            ],
        )
    }
}
