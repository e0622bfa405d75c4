//! Departments that users belong to.

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};

use super::changes::{Null, changes};
use super::found::not_found;
use super::setup::{self, Create};
use super::{Answer, Area, Created};
use crate::app::App;
use crate::aql::departments::{self, INSERT, MEMBERS, REMOVE, TAKEN, UPDATE};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{Fails, Name, Note};
use crate::store::{Access, Transaction};
use crate::transaction;

/// Departments.
pub struct Departments(pub Arc<App>);

/// A department.
#[derive(Debug, Deserialize, Object)]
pub(crate) struct Department {
    #[serde(rename = "_id")]
    #[oai(rename = "_id")]
    id: Option<String>,
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    key: Option<String>,
    #[serde(rename = "_rev")]
    #[oai(rename = "_rev")]
    rev: Option<String>,
    name: Option<String>,
    code: Option<String>,
    description: Option<String>,
}

/// A department to be created.
#[derive(Debug, Object)]
pub(crate) struct DepartmentNew {
    /// Unique, whatever its case.
    name: Name,
    /// Unique, whatever its case.
    code: Option<Name>,
    description: Option<Note>,
}

/// What changes of a department. What is absent stays.
#[derive(Debug, Object)]
struct DepartmentUpdate {
    /// Not null.
    name: MaybeUndefined<Name>,
    code: MaybeUndefined<Name>,
    description: MaybeUndefined<Note>,
}

#[OpenApi(tag = "Area::Organization")]
impl Departments {
    /// List departments
    ///
    /// In the order of their names.
    #[oai(path = "/department", method = "get", operation_id = "get_department_list_department_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::OrgDepartmentRead")] _caller: Caller,
    ) -> Result<Json<Answer<Vec<Department>>>> {
        Ok(Json(Answer::detail(departments::list(&self.0.store).await?)))
    }

    /// Create a department
    ///
    /// 409 when another department has the name or the code.
    #[oai(path = "/department", method = "post", operation_id = "create_department_department_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::OrgDepartmentWrite")] caller: Caller,
        body: Json<DepartmentNew>,
        _fails: Fails<409>,
    ) -> Result<Created<Answer<Department>>> {
        let stored = transaction!(self.0.store.acting(caller.actor()), body.access(), |trx| {
            body.create(&self.0, trx, None).await
        })?;
        Ok(Created::Created(Json(Answer::detail(stored).with_message("Department created"))))
    }

    /// Change a department
    ///
    /// What is absent stays; null clears `code` and `description`. 409 when another department has the name or the code.
    #[oai(
        path = "/department/:department_key",
        method = "patch",
        operation_id = "update_department_department__department_key__patch"
    )]
    async fn update(
        &self,
        #[oai(scope = "Scope::OrgDepartmentWrite")] caller: Caller,
        department_key: Path<String>,
        body: Json<DepartmentUpdate>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Answer<Department>>> {
        let no_text = Null::Refused("string_type", "Input should be a valid string");
        let changes = changes(body.to_json().unwrap_or_default(), vec![("name", no_text)])?;
        let access = Access::of(&[TAKEN, UPDATE]).one_by_one(&["Department"]);
        let stored: Department = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            trx.watch("Department", [&*department_key]).await?;
            let params = departments::update::Params { key: &department_key, changes: &changes };
            let stored = departments::update(trx, params).await?;
            let stored = stored.ok_or_else(|| not_found("Department", &department_key))?;
            let (name, code) = (body.name.value(), body.code.value());
            refuse_taken(trx, name.map(|name| &**name), code.map(|code| &**code), Some(&department_key)).await?;
            Ok(stored)
        })?;
        Ok(Json(Answer::detail(stored).with_message("Department updated")))
    }

    /// Delete a department
    ///
    /// 409 with `total` and a `sample` while users who are not archived belong to it.
    #[oai(
        path = "/department/:department_key",
        method = "delete",
        operation_id = "delete_department_department__department_key__delete"
    )]
    async fn delete(
        &self,
        #[oai(scope = "Scope::OrgDepartmentWrite")] caller: Caller,
        department_key: Path<String>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Answer<Department>>> {
        // Nobody joins it before it is gone.
        let access = Access::of(&[REMOVE, MEMBERS]).one_by_one(&["Department", "User"]);
        let key = department_key.as_str();
        let removed: Department = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            trx.watch("Department", [key]).await?;
            let removed: Option<Department> = departments::remove(trx, departments::remove::Params { key }).await?;
            let removed = removed.ok_or_else(|| not_found("Department", key))?;
            refuse_members(departments::members(trx, departments::members::Params { key }).await?)?;
            Ok(removed)
        })?;
        Ok(Json(Answer::detail(removed).with_message("Department deleted")))
    }
}

impl Create for DepartmentNew {
    type Stored = Department;

    fn access(&self) -> Access<'static> {
        Access::of(&[TAKEN, INSERT]).one_by_one(&["Department"])
    }

    async fn create(&self, _app: &App, trx: &Transaction, key: Option<&str>) -> Result<Department> {
        refuse_taken(trx, Some(&self.name), self.code.as_deref(), None).await?;
        let document = self.to_json().unwrap_or_default();
        let params = departments::insert::Params { department: &setup::keyed(document, key) };
        let stored: Department = departments::insert(trx, params).await?;
        trx.created("Department", stored.key.as_deref());
        Ok(stored)
    }
}

/// Who belongs to a department.
#[derive(Serialize)]
struct HasMembers {
    message: String,
    total: usize,
    sample: Vec<departments::members::Sample>,
}

/// 409 while users belong to a department.
fn refuse_members(departments::members::Row { total, sample }: departments::members::Row) -> Result<()> {
    if total == 0 {
        return Ok(());
    }
    let message = format!("{total} users belong to the department.");
    Err(Error::detailed(StatusCode::CONFLICT, &HasMembers { message, total, sample }))
}

/// 409 when another department than `own` has the name or the code.
async fn refuse_taken(trx: &Transaction, name: Option<&str>, code: Option<&str>, own: Option<&str>) -> Result<()> {
    match departments::taken(trx, departments::taken::Params { name, code, key: own }).await? {
        None => Ok(()),
        Some(member) => {
            let value = if member == "name" { name } else { code }.unwrap_or_default();
            Err(Error::message(StatusCode::CONFLICT, format!("Another department has the {member} {value}.")))
        }
    }
}
