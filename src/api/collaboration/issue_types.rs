//! Types of issues.

use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use poem_openapi::{ApiResponse, Object, OpenApi};
use serde_json::Value;

use super::forms::{FormFieldDefinition, check_form, document};
use super::types::Types;
use crate::api::changes::{Null, changes};
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
use crate::transaction;

const ISSUE_TYPES: Types = Types { collection: "IssueType", title: "Issue type", one: "An issue type" };

/// Types of issues.
pub struct IssueTypes(pub Arc<App>);

fn yes() -> bool {
    true
}

/// A type of issue.
#[derive(Debug, Object)]
pub(crate) struct IssueType {
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
    #[oai(flatten)]
    kind: IssueType,
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
    #[oai(path = "/issue-type", method = "get", operation_id = "get_issue_type_issue_type_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::CollaborationIssueTypeRead")] _caller: Caller,
        key: Query<Option<String>>,
        code: Query<Option<String>>,
        critical: Query<Option<bool>>,
        #[oai(default = "yes")] active_only: Query<bool>,
    ) -> Result<Json<Vec<AsStored<IssueTypeFull>>>> {
        let (key, code) = (key.as_deref(), code.as_deref());
        let params = stored::issue_types::Params { key, code, critical: *critical, active_only: *active_only };
        Ok(Json(stored::issue_types(&self.0.store, params).await?))
    }

    /// Create an issue type
    ///
    /// 409 when the code exists.
    #[oai(path = "/issue-type", method = "post", operation_id = "create_issue_type_issue_type_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::CollaborationIssueTypeWrite")] caller: Caller,
        body: Json<IssueType>,
        _fails: Fails<409>,
    ) -> Result<Created> {
        let stored = transaction!(self.0.store.acting(caller.actor()), body.access(), |trx| {
            body.create(&self.0, trx, body.key.as_deref()).await
        })?;
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
    async fn update(
        &self,
        #[oai(scope = "Scope::CollaborationIssueTypeWrite")] caller: Caller,
        issue_type_key: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<IssueTypeUpdate>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Envelope>> {
        let stored = ISSUE_TYPES
            .update(
                self.0.store.acting(caller.actor()),
                &issue_type_key,
                &if_match,
                &body.changes()?,
                body.code.value().map(String::as_str),
            )
            .await?;
        Ok(Json(Envelope::detail(stored).with_message("Issue type updated correctly")))
    }

    /// Delete an issue type
    ///
    /// Issues of the type stay as they are.
    #[oai(
        path = "/issue-type/:issue_type_key",
        method = "delete",
        operation_id = "delete_issue_type_issue_type__issue_type_key__delete"
    )]
    async fn delete(
        &self,
        #[oai(scope = "Scope::CollaborationIssueTypeWrite")] caller: Caller,
        issue_type_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        Ok(Json(ISSUE_TYPES.remove(self.0.store.acting(caller.actor()), &issue_type_key).await?))
    }
}

impl Create for IssueType {
    type Stored = Value;

    fn access(&self) -> Access<'static> {
        ISSUE_TYPES.access()
    }

    async fn create(&self, _app: &App, trx: &Transaction, key: Option<&str>) -> Result<Value> {
        check_form("form_template", &self.form_template)?;
        let document = setup::keyed(document(self.to_json()), key);
        ISSUE_TYPES.insert(trx, &document, key.or(self.key.as_deref()), self.code.as_deref()).await
    }
}

impl IssueTypeUpdate {
    /// The attributes that were sent.
    fn changes(&self) -> Result<Value> {
        if let Some(fields) = self.form_template.value() {
            check_form("form_template", fields)?;
        }
        let mut sent = document(self.to_json());
        if let Some(members) = sent.as_object_mut() {
            members.remove("_key");
        }
        changes(
            sent,
            vec![
                ("name", Null::Refused("string_type", "Input should be a valid string")),
                ("form_template", Null::Refused("list_type", "Input should be a valid list")),
                ("critical", Null::Refused("bool_type", "Input should be a valid boolean")),
                ("active", Null::Means(true.into())),
            ],
        )
    }
}
