//! Tasks that belong to the process of a product: a list that the pages keep. The service creates no tasks from it.

use std::collections::HashMap;
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::{Area, Envelope};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{Fails, Many};
use crate::store::Access;
use crate::{aql, clock, transaction};

/// Tasks of processes.
pub struct ProcessTasks(pub Arc<App>);

/// A task of a process. Further members are kept as they are sent.
#[derive(Debug, Clone, Object)]
struct ProcessTask {
    task_type_key: String,
    #[oai(flatten)]
    others: HashMap<String, Value>,
}

/// The product as it was and as it is.
#[derive(Deserialize)]
struct Written {
    before: Value,
    after: Value,
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
        let tasks = self.0.store.row(&aql::process::TASKS, json!({"product_key": *product_key})).await?;
        tasks.map(Json).ok_or_else(|| unknown(&product_key))
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
        let tasks = body.0.to_json().unwrap_or_default();
        let access = Access::of(&[aql::process::TASKS, aql::process::SET_TASKS]).in_turn(&["Product"]);
        let shown: Option<Vec<Value>> = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let params = json!({"product_key": *product_key, "tasks": tasks, "now": clock::now()});
            let written: Option<Written> = trx.row(&aql::process::SET_TASKS, params).await?;
            let Written { before, after } = written.ok_or_else(|| unknown(&product_key))?;
            trx.wrote(format!("Product/{}", *product_key), &before, &after);
            let shown: Option<Vec<Value>> = trx.row(&aql::process::TASKS, json!({"product_key": *product_key})).await?;
            let is_gone = |task: &&Value| task["task_type_name"].is_null();
            match shown.iter().flatten().find(is_gone) {
                Some(task) => {
                    let key = task["task_type_key"].as_str().unwrap_or_default();
                    Err(Error::rule(format!("Task type {key} not found")))
                }
                None => Ok(shown),
            }
        })?;
        let detail = shown.unwrap_or_default().into();
        Ok(Json(Envelope::detail(detail).with_message("Process tasks updated successfully")))
    }
}

fn unknown(key: &str) -> Error {
    Error::answer(StatusCode::NOT_FOUND, format!("Product {key} not found").into())
}
