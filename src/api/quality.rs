//! Quality: definitions of form fields, and the values of those that are chosen from a list.

mod slug;

use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;
use serde_json::Value;

use super::filters::lower;
use super::revision::IfMatch;
use super::setup::Create;
use super::texts::{Text, candidates};
use super::{Area, Envelope};
use crate::app::App;
use crate::aql::quality as stored;
use crate::aql::rows::{FieldDocument, ListValueDocument};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::openapi::{AsStored, Fails, Query};
use crate::store::{Access, Transaction, typed};
use crate::{aql, transaction};

/// Form fields and lists.
pub struct Quality(pub Arc<App>);

/// What a form field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub(crate) enum FieldType {
    Text,
    Number,
    Boolean,
    Ternary,
    Choice,
    Date,
    Time,
    Files,
    Separator,
}

/// The definition of a form field.
#[derive(Debug, Clone, Object)]
pub(crate) struct CustomField {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key", validator(pattern = r"^[A-Za-z0-9_\-:.@()+,=;$!*'%]{1,254}$"))]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    #[oai(rename = "type")]
    kind: FieldType,
    /// Unique by its slug: the lower-case letters and digits of what stands outside parentheses.
    #[oai(validator(min_length = 1))]
    name: String,
    default_label: Option<String>,
    default_hint: Option<String>,
}

/// A value of a choice field.
#[derive(Debug, Clone, Object)]
pub(crate) struct CustomListValue {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key", validator(pattern = r"^[A-Za-z0-9_\-:.@()+,=;$!*'%]{1,254}$"))]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    /// The field of the path when absent.
    field_key: Option<String>,
    /// Key in another system.
    ext_key: Option<String>,
    value: String,
}

fn default_limit() -> i64 {
    100
}

fn by_value() -> String {
    "value".to_owned()
}

#[OpenApi(tag = "Area::Quality")]
impl Quality {
    /// Create a field definition
    ///
    /// 409 when another field has the same slug.
    #[oai(path = "/field", method = "post", operation_id = "create_field_field_post")]
    async fn create_field(
        &self,
        #[oai(scope = "Scope::QualityFormCreate")] caller: Caller,
        field: Json<CustomField>,
        _fails: Fails<409>,
    ) -> Result<Json<Envelope>> {
        let key = transaction!(self.0.store.acting(caller.actor()), field.access(), |trx| {
            field.create(&self.0, trx, field.key.as_deref()).await
        })?;
        Ok(Json(Envelope::named("field_key", key).with_message("Field created successfully")))
    }

    /// List field definitions
    ///
    /// In the order of their names, whatever the case. Both parameters match exactly and combine.
    #[oai(path = "/field", method = "get", operation_id = "fetch_field_field_get")]
    async fn fields(
        &self,
        #[oai(scope = "Scope::QualityFormRead")] _caller: Caller,
        name: Query<Option<String>>,
        key: Query<Option<String>>,
    ) -> Result<Json<Vec<AsStored<CustomField>>>> {
        let params = stored::fields::Params { name: name.as_deref(), key: key.as_deref() };
        Ok(Json(stored::fields(&self.0.store, params).await?))
    }

    /// Replace a field definition
    ///
    /// The body names the same `_key` as the path. 409 when another field has the same slug. With `If-Match` only a field of
    /// that revision is replaced.
    #[oai(path = "/field/:field_key", method = "put", operation_id = "replace_field_metadata_field__field_key__put")]
    async fn replace_field(
        &self,
        #[oai(scope = "Scope::QualityFormUpdate")] caller: Caller,
        field_key: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        field: Json<CustomField>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Envelope>> {
        field.must_have_key(&field_key)?;
        let document = field.document(None)?;
        let access = Access::of(&[stored::FIELD_NAMES, stored::REPLACE_FIELD]).one_by_one(&["CustomField"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let others = Others::load(trx).await?;
            if !others.has(&field_key) {
                return Err(unknown_field(&field_key));
            }
            if_match.check_document(trx, "CustomField", &field_key).await?;
            others.refuse_slug(&field.name, Some(field_key.as_str()))?;
            trx.watch("CustomField", [&*field_key]).await?;
            stored::replace_field(trx, stored::replace_field::Params { key: &field_key, field: &document }).await
        })?;
        Ok(Json(Envelope::message("Field updated successfully")))
    }

    /// Delete a field and its list values
    #[oai(path = "/field/:field_key", method = "delete", operation_id = "delete_field_field__field_key__delete")]
    async fn delete_field(
        &self,
        #[oai(scope = "Scope::QualityFormUpdate")] caller: Caller,
        field_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let access = Access::of(&[stored::REMOVE_FIELD, stored::REMOVE_LIST]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            trx.watch("CustomField", [&*field_key]).await?;
            let removed = stored::remove_field(trx, stored::remove_field::Params { key: &field_key }).await?;
            let removed = removed.ok_or_else(|| unknown_field(&field_key))?;
            if removed.r#type.as_deref() == Some("choice") {
                remove_list(trx, &field_key).await?;
            }
            Ok(())
        })?;
        Ok(Json(Envelope::message("Field deleted successfully")))
    }

    /// Values of a choice field
    ///
    /// `search` is a substring of `value` or of `ext_key`, whatever the case.
    #[oai(path = "/list", method = "get", operation_id = "fetch_custom_list_values_list_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::QualityFormRead")] _caller: Caller,
        field_key: Query<String>,
        #[oai(default = "default_limit", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        search: Query<Option<String>>,
        #[oai(default = "by_value")] sort_by: Query<String>,
    ) -> Result<Json<Vec<AsStored<CustomListValue>>>> {
        let search = lower(search.as_deref());
        let text = search.as_deref().map(Text::contained);
        let keys = candidates(&self.0.store, &aql::texts::LIST_VALUES, text).await?;
        let params = stored::list_values::Params {
            keys: keys.as_ref().map(Into::into),
            field_key: &field_key,
            search: search.as_deref(),
            sort_by: &sort_by,
            limit: *limit,
        };
        Ok(Json(stored::list_values(&self.0.store, params).await?))
    }

    /// Upsert or replace values of a choice field
    ///
    /// A value with a `_key` replaces the one with that key. With `reset` the field has no other values afterwards.
    #[oai(
        path = "/list/:field_key",
        method = "post",
        operation_id = "create_or_update_custom_list_values_list__field_key__post"
    )]
    async fn write_list(
        &self,
        #[oai(scope = "Scope::QualityFormUpdate")] caller: Caller,
        field_key: Path<String>,
        #[oai(default)] reset: Query<bool>,
        values: Json<Vec<CustomListValue>>,
    ) -> Result<Json<Option<Value>>> {
        let documents = documents(&values, &field_key)?;
        transaction!(self.0.store.acting(caller.actor()), list_access(), |trx| {
            if *reset {
                remove_list(trx, &field_key).await?;
            }
            put_list(trx, &documents).await
        })?;
        Ok(Json(None))
    }

    /// Delete values of a choice field
    ///
    /// By their keys alone; the field of the path does not restrict them.
    #[oai(
        path = "/list/:field_key",
        method = "delete",
        operation_id = "delete_custom_list_value_list__field_key__delete"
    )]
    async fn delete_list_values(
        &self,
        #[oai(scope = "Scope::QualityFormUpdate")] caller: Caller,
        #[oai(name = "field_key")] _field_key: Path<String>,
        value_key: Query<Vec<String>>,
    ) -> Result<Json<Option<Value>>> {
        let acting = self.0.store.acting(caller.actor());
        transaction!(acting, Access::of(&[stored::REMOVE_LIST_VALUES]), |trx| {
            trx.watch("CustomListValue", value_key.iter()).await?;
            stored::remove_list_values(trx, stored::remove_list_values::Params { keys: (&*value_key).into() }).await
        })?;
        Ok(Json(None))
    }
}

/// What writing the values of a choice field reads, writes and holds.
pub(crate) fn list_access() -> Access<'static> {
    Access::of(&[stored::REMOVE_LIST, stored::WRITE_LIST_VALUES]).one_by_one(&["CustomListValue"])
}

/// Stores documents of list values.
pub(crate) async fn put_list(trx: &Transaction, documents: &[ListValueDocument]) -> Result<()> {
    trx.watch("CustomListValue", documents.iter().filter_map(|document| document.key.as_deref())).await?;
    let keys = stored::write_list_values(trx, stored::write_list_values::Params { values: documents }).await?;
    trx.created("CustomListValue", keys.iter().map(String::as_str));
    Ok(())
}

/// Removes all values of a field.
async fn remove_list(trx: &Transaction, field_key: &str) -> Result<()> {
    let removed = stored::remove_list(trx, stored::remove_list::Params { field_key }).await?;
    trx.removed("CustomListValue", removed);
    Ok(())
}

fn unknown_field(key: &str) -> Error {
    Error::not_found(format!("Custom field '{key}' not found"))
}

impl Create for CustomField {
    type Stored = String;

    fn access(&self) -> Access<'static> {
        Access::of(&[stored::FIELD_NAMES, stored::INSERT_FIELD]).one_by_one(&["CustomField"])
    }

    async fn create(&self, _app: &App, trx: &Transaction, key: Option<&str>) -> Result<String> {
        let document = self.document(key)?;
        let others = Others::load(trx).await?;
        if let Some(key) = key.filter(|key| others.has(key)) {
            return Err(Error::conflict(format!("A custom field with key '{key}' already exists")));
        }
        others.refuse_slug(&self.name, None)?;
        let key = stored::insert_field(trx, stored::insert_field::Params { field: &document }).await?;
        trx.created("CustomField", [key.as_str()]);
        Ok(key)
    }
}

impl CustomField {
    /// What is stored, without the key.
    fn document(&self, key: Option<&str>) -> Result<FieldDocument> {
        if slug::of(&self.name).is_empty() {
            let msg = "the name needs a letter or digit outside parentheses";
            return Err(Error::invalid(&["body", "name"], msg));
        }
        Ok(FieldDocument {
            key: key.map(str::to_owned),
            r#type: typed::bound(&self.kind)?,
            name: self.name.clone(),
            default_label: self.default_label.clone(),
            default_hint: self.default_hint.clone(),
        })
    }

    fn must_have_key(&self, path_key: &str) -> Result<()> {
        let loc = ["body".into(), "_key".into()];
        match &self.key {
            None => Err(Error::Validation(vec![Invalid::new(&loc, "missing", "Field required")])),
            Some(key) if key != path_key => Err(Error::invalid(&["body", "_key"], "the path names another key")),
            Some(_) => Ok(()),
        }
    }
}

/// The documents of list values. The path fills in a missing field.
pub(crate) fn documents(values: &[CustomListValue], field_key: &str) -> Result<Vec<ListValueDocument>> {
    let mut errors = Vec::new();
    let mut documents = Vec::with_capacity(values.len());
    for (index, entry) in values.iter().enumerate() {
        if let Some(other) = entry.field_key.as_ref().filter(|key| *key != field_key) {
            let loc = ["body".into(), index.into(), "field_key".into()];
            let msg = format!("Value error, the path names the field '{field_key}'");
            errors.push(Invalid::new(&loc, "value_error", msg).input(other.as_str().into()));
            continue;
        }
        documents.push(ListValueDocument {
            key: entry.key.clone(),
            field_key: field_key.to_owned(),
            ext_key: entry.ext_key.clone(),
            value: entry.value.clone(),
        });
    }
    if errors.is_empty() { Ok(documents) } else { Err(Error::Validation(errors)) }
}

/// The fields that exist when another one is written.
struct Others(Vec<stored::field_names::Row>);

impl Others {
    async fn load(trx: &Transaction) -> Result<Self> {
        Ok(Self(stored::field_names(trx).await?))
    }

    fn has(&self, key: &str) -> bool {
        self.0.iter().any(|field| field.key == key)
    }

    /// 409 when a field other than `own` has the slug of `name`.
    fn refuse_slug(&self, name: &str, own: Option<&str>) -> Result<()> {
        let slug = slug::of(name);
        let has_slug =
            |field: &stored::field_names::Row| field.name.as_deref().is_some_and(|name| slug::of(name) == slug);
        if self.0.iter().any(|field| Some(field.key.as_str()) != own && has_slug(field)) {
            return Err(Error::conflict(format!("A custom field with slug '{slug}' already exists")));
        }
        Ok(())
    }
}
