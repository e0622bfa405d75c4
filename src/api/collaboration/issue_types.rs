//! Types of issues.

use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use poem_openapi::{ApiResponse, Object, OpenApi};
use serde::Deserialize;
use serde_json::{Value, json};

use super::forms::{FormFieldDefinition, PrintTemplateRecord, check_form, document, not_null};
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::error::{Error, Result};
use crate::openapi::Query;
use crate::store::{self, Access, Transaction};
use crate::{query, transaction};

const ISSUE_TYPES: store::Query = query!("collaboration/issue_types");
const ISSUE_TYPE_NAMES: store::Query = query!("collaboration/issue_type_names");
const INSERT_ISSUE_TYPE: store::Query = query!("collaboration/insert_issue_type");
const UPDATE_ISSUE_TYPE: store::Query = query!("collaboration/update_issue_type");
const REMOVE_ISSUE_TYPE: store::Query = query!("collaboration/remove_issue_type");

/// Types of issues.
pub struct IssueTypes(pub Arc<App>);

fn yes() -> bool {
    true
}

/// A type of issue.
#[derive(Debug, Object)]
struct IssueType {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key", validator(pattern = r"^[A-Za-z0-9_\-:.@()+,=;$!*'%]{1,254}$"))]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    name: String,
    /// Unique among issue types.
    code: Option<String>,
    #[oai(default = "yes")]
    active: bool,
    description: Option<String>,
    icon: Option<String>,
    #[oai(default)]
    form_template: Vec<FormFieldDefinition>,
    #[oai(default)]
    critical: bool,
}

/// A type of issue with its print templates.
#[derive(Debug, Object)]
struct IssueTypeFull {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    name: String,
    code: Option<String>,
    #[oai(default = "yes")]
    active: bool,
    description: Option<String>,
    icon: Option<String>,
    #[oai(default)]
    form_template: Vec<FormFieldDefinition>,
    #[oai(default)]
    critical: bool,
    print_templates: Option<Vec<PrintTemplateRecord>>,
}

/// Changes of a type of issue: what is absent stays.
#[derive(Debug, Object)]
struct IssueTypeUpdate {
    /// Ignored: the path names the type.
    #[oai(rename = "_key")]
    key: MaybeUndefined<String>,
    code: MaybeUndefined<String>,
    /// Not null.
    name: MaybeUndefined<String>,
    /// Null means true.
    active: MaybeUndefined<bool>,
    description: MaybeUndefined<String>,
    icon: MaybeUndefined<String>,
    /// Not null.
    form_template: MaybeUndefined<Vec<FormFieldDefinition>>,
    /// Not null.
    critical: MaybeUndefined<bool>,
}

#[derive(ApiResponse)]
enum Created {
    /// The issue type was created; `detail` is what is stored.
    #[oai(status = 201)]
    Created(Json<Envelope>),
}

#[OpenApi(tag = "Area::Collaboration")]
impl IssueTypes {
    /// List issue types
    ///
    /// In the order of their names. All given conditions apply together.
    #[oai(
        path = "/issue-type",
        method = "get",
        operation_id = "get_issue_type_issue_type_get",
        actual_type = "Json<Vec<IssueTypeFull>>"
    )]
    async fn list(
        &self,
        key: Query<Option<String>>,
        code: Query<Option<String>>,
        critical: Query<Option<bool>>,
        #[oai(default = "yes")] active_only: Query<bool>,
    ) -> Result<Json<Vec<Value>>> {
        let params = json!({"key": *key, "code": *code, "critical": *critical, "active_only": *active_only});
        Ok(Json(self.0.store.rows(&ISSUE_TYPES, params).await?))
    }

    /// Create an issue type
    ///
    /// 409 when the code exists.
    #[oai(path = "/issue-type", method = "post", operation_id = "create_issue_type_issue_type_post")]
    async fn create(&self, body: Json<IssueType>) -> Result<Created> {
        check_form("form_template", &body.form_template)?;
        let document = document(body.to_json());
        let access = Access::of(&[ISSUE_TYPE_NAMES, INSERT_ISSUE_TYPE]).exclusive(&["IssueType"]);
        let stored: Option<Value> = transaction!(self.0.store, access, |trx| {
            let others = Others::load(trx).await?;
            if let Some(key) = body.key.as_ref().filter(|key| others.has(key)) {
                return Err(Error::conflict(format!("An issue type with key '{key}' already exists")));
            }
            others.refuse_code(body.code.as_deref(), None)?;
            trx.row(&INSERT_ISSUE_TYPE, json!({"issue_type": document})).await
        })?;
        let stored = stored.unwrap_or_default();
        let message = format!("Issue type '{}' created", stored["_key"].as_str().unwrap_or_default());
        Ok(Created::Created(Json(Envelope::detail(stored).with_message(message))))
    }

    /// Partial update of an issue type
    ///
    /// 409 when another type has the code.
    #[oai(
        path = "/issue-type/:issue_type_key",
        method = "patch",
        operation_id = "update_issue_type_issue_type__issue_type_key__patch"
    )]
    async fn update(&self, issue_type_key: Path<String>, body: Json<IssueTypeUpdate>) -> Result<Json<Envelope>> {
        let changes = body.changes()?;
        let access = Access::of(&[ISSUE_TYPE_NAMES, UPDATE_ISSUE_TYPE]).exclusive(&["IssueType"]);
        let stored: Option<Value> = transaction!(self.0.store, access, |trx| {
            let others = Others::load(trx).await?;
            if !others.has(&issue_type_key) {
                return Err(unknown(&issue_type_key));
            }
            others.refuse_code(body.code.value().map(String::as_str), Some(issue_type_key.as_str()))?;
            trx.row(&UPDATE_ISSUE_TYPE, json!({"key": *issue_type_key, "changes": changes})).await
        })?;
        Ok(Json(Envelope::detail(stored.unwrap_or_default()).with_message("Issue type updated correctly")))
    }

    /// Delete an issue type
    ///
    /// Issues of the type stay as they are.
    #[oai(
        path = "/issue-type/:issue_type_key",
        method = "delete",
        operation_id = "delete_issue_type_issue_type__issue_type_key__delete"
    )]
    async fn delete(&self, issue_type_key: Path<String>) -> Result<Json<Envelope>> {
        let removed: Vec<String> = self.0.store.write(&REMOVE_ISSUE_TYPE, json!({"key": *issue_type_key})).await?;
        if removed.is_empty() {
            return Err(unknown(&issue_type_key));
        }
        Ok(Json(Envelope::message("Issue type deleted successfully")))
    }
}

fn unknown(key: &str) -> Error {
    Error::not_found(format!("Issue type '{key}' not found"))
}

impl IssueTypeUpdate {
    /// The attributes that were sent.
    fn changes(&self) -> Result<Value> {
        if self.name.is_null() {
            return Err(not_null("name", "string_type", "Input should be a valid string"));
        }
        if self.form_template.is_null() {
            return Err(not_null("form_template", "list_type", "Input should be a valid list"));
        }
        if self.critical.is_null() {
            return Err(not_null("critical", "bool_type", "Input should be a valid boolean"));
        }
        if let Some(fields) = self.form_template.value() {
            check_form("form_template", fields)?;
        }
        let mut changes = document(self.to_json());
        if let Some(members) = changes.as_object_mut() {
            members.remove("_key");
            if self.active.is_null() {
                members.insert("active".to_owned(), json!(true));
            }
        }
        Ok(changes)
    }
}

/// The issue types that exist when another one is written.
struct Others(Vec<Other>);

#[derive(Deserialize)]
struct Other {
    key: String,
    code: Option<String>,
}

impl Others {
    async fn load(trx: &Transaction) -> Result<Self> {
        Ok(Self(trx.rows(&ISSUE_TYPE_NAMES, json!({})).await?))
    }

    fn has(&self, key: &str) -> bool {
        self.0.iter().any(|other| other.key == key)
    }

    /// 409 when a type other than `own` has the code.
    fn refuse_code(&self, code: Option<&str>, own: Option<&str>) -> Result<()> {
        let Some(code) = code else { return Ok(()) };
        let has_code = |other: &Other| other.code.as_deref() == Some(code) && Some(other.key.as_str()) != own;
        if self.0.iter().any(has_code) {
            return Err(Error::conflict(format!("An issue type with code '{code}' already exists")));
        }
        Ok(())
    }
}
