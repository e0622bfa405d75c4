//! Tasks that belong to the process of a product: a list that the pages keep. The service creates no tasks from it.

use std::collections::HashMap;
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Object, OpenApi};
use serde_json::{Map, Value};

use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::process::{self as stored, SET_TASKS, TASKS, set_tasks, tasks};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{Fails, Many};
use crate::store::Access;
use crate::{clock, transaction};

/// Tasks of processes.
pub struct ProcessTasks(pub Arc<App>);

/// A task of a process. Further members are kept as they are sent.
#[derive(Debug, Clone, Object)]
struct ProcessTask {
    task_type_key: String,
    #[oai(flatten)]
    others: HashMap<String, Value>,
}

#[OpenApi(tag = "Area::Process")]
impl ProcessTasks {
    /// Tasks of a process
    ///
    /// Each with the name and icon of its type, null when the type is gone.
    #[oai(
        path = "/product/:product_key/process/tasks",
        method = "get",
        operation_id = "get_process_tasks_product__product_key__process_tasks_get"
    )]
    async fn tasks(
        &self,
        #[oai(scope = "Scope::ProcessTemplateRead")] _caller: Caller,
        product_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Vec<HashMap<String, Value>>>> {
        let found = stored::tasks(&self.0.store, tasks::Params { product_key: &product_key }).await?;
        let found = found.ok_or_else(|| unknown(&product_key))?;
        Ok(Json(found.into_iter().map(HashMap::from_iter).collect()))
    }

    /// Replace the tasks of a process
    #[oai(
        path = "/product/:product_key/process/tasks",
        method = "put",
        operation_id = "update_process_tasks_product__product_key__process_tasks_put"
    )]
    async fn replace(
        &self,
        #[oai(scope = "Scope::ProcessPhaseConfigure")] caller: Caller,
        product_key: Path<String>,
        body: Json<Many<ProcessTask>>,
        _fails: Fails<404, 422>,
    ) -> Result<Json<Envelope>> {
        let sent = body.0.to_json().unwrap_or_default();
        let access = Access::of(&[TASKS, SET_TASKS]).in_turn(&["Product"]);
        let shown: Option<Vec<Map<String, Value>>> =
            transaction!(self.0.store.acting(caller.actor()), access, |trx| {
                let params = set_tasks::Params { product_key: &product_key, tasks: &sent, now: &clock::now() };
                let written = stored::set_tasks(trx, params).await?;
                let set_tasks::Row { before, after } = written.ok_or_else(|| unknown(&product_key))?;
                trx.wrote(format!("Product/{}", *product_key), &before, &after);
                let shown = stored::tasks(trx, tasks::Params { product_key: &product_key }).await?;
                let is_gone = |task: &&Map<String, Value>| task.get("task_type_name").is_none_or(Value::is_null);
                match shown.iter().flatten().find(is_gone) {
                    Some(task) => {
                        let key = task.get("task_type_key").and_then(Value::as_str).unwrap_or_default();
                        Err(Error::rule(format!("Task type {key} not found")))
                    }
                    None => Ok(shown),
                }
            })?;
        let detail = shown.unwrap_or_default().into_iter().map(Value::Object).collect();
        Ok(Json(Envelope::detail(detail).with_message("Process tasks updated successfully")))
    }
}

fn unknown(key: &str) -> Error {
    Error::answer(StatusCode::NOT_FOUND, format!("Product {key} not found").into())
}
