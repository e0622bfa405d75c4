//! Templates of labels, in the form of pdfme.

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use serde_json::{Map, Value};

use super::assignments::note_withdrawn;
use super::model::{NewTemplate, PrintTemplateRecord};
use super::{Context, TEMPLATE};
use crate::api::found::not_found;
use crate::api::revision::{IfMatch, Tagged};
use crate::api::setup::{self, Create};
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::print::{
    self, DROP_FROM_STEPS, INSERT_TEMPLATE, REMOVE_ASSIGNMENTS, REMOVE_TEMPLATE, REPLACE_TEMPLATE,
};
use crate::aql::rows::PrintTemplate;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::openapi::{AsStored, Fails, Query};
use crate::store::{Access, Transaction, typed};
use crate::transaction;

/// Templates of labels.
pub struct Templates(pub(super) Arc<App>);

/// A record as the database has it.
type Record = AsStored<PrintTemplateRecord>;

#[OpenApi(tag = "Area::Quality")]
impl Templates {
    /// List print templates
    ///
    /// In the order of their names, without what they print: all of them, or with a context those of one entity.
    #[oai(path = "/print-template", method = "get", operation_id = "find_print_templates_print_template_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::QualityPrintTemplateRead")] _caller: Caller,
        context: Query<Option<Context>>,
        context_key: Query<Option<String>>,
    ) -> Result<Json<Vec<Record>>> {
        let store = &self.0.store;
        let rows: Vec<Record> = match (context.0, context_key.0) {
            (None, _) => print::templates(store, print::templates::Params { key: None }).await?,
            (Some(_), None) => Vec::new(),
            (Some(Context::Template), Some(key)) => {
                print::templates(store, print::templates::Params { key: Some(&key) }).await?
            }
            (Some(context), Some(key)) => {
                let entity_id = format!("{}/{key}", context.collection());
                print::templates_of(store, print::templates_of::Params { entity_id: &entity_id }).await?
            }
        };
        Ok(Json(rows))
    }

    /// One print template
    ///
    /// With what it prints. Members without a value are left out: the designer of labels does not take null.
    #[oai(
        path = "/print-template/:template_key",
        method = "get",
        operation_id = "get_print_template_details_print_template__template_key__get"
    )]
    async fn one(
        &self,
        #[oai(scope = "Scope::QualityPrintTemplateRead")] _caller: Caller,
        template_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Tagged<Json<Record>>> {
        let row: Option<PrintTemplate> =
            print::template(&self.0.store, print::template::Params { key: &template_key }).await?;
        let row = row.ok_or_else(|| not_found(TEMPLATE, &template_key))?;
        let body = Json(AsStored::new(without_nulls(typed::bound(&row)?)));
        Ok(Tagged { rev: Some(row.rev), body })
    }

    /// Create a print template
    #[oai(path = "/print-template", method = "post", operation_id = "create_print_template_print_template_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::QualityPrintTemplateCreate")] caller: Caller,
        body: Json<NewTemplate>,
    ) -> Result<Json<Envelope>> {
        let key = transaction!(self.0.store.acting(caller.actor()), body.access(), |trx| {
            body.create(&self.0, trx, None).await
        })?;
        Ok(Json(Envelope::named("template_key", key).with_message("Print template created successfully")))
    }

    /// Replace a print template
    ///
    /// The one that `_key` of the body names. What it prints stays when the body does not tell it, as the rows of the list do
    /// not. With `If-Match` only a template of that revision is replaced.
    #[oai(path = "/print-template", method = "put", operation_id = "update_print_template_print_template_put")]
    async fn replace(
        &self,
        #[oai(scope = "Scope::QualityPrintTemplateCreate")] caller: Caller,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<NewTemplate>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let key = body.0.key.clone().ok_or_else(no_key)?;
        let members = members(&body);
        let access = if_match.in_turn(Access::of(&[REPLACE_TEMPLATE]), &[TEMPLATE]);
        let replaced: Option<String> = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            if_match.check_document(trx, TEMPLATE, &key).await?;
            trx.watch(TEMPLATE, [&key]).await?;
            print::replace_template(trx, print::replace_template::Params { key: &key, members: &members }).await
        })?;
        let key = replaced.ok_or_else(|| not_found(TEMPLATE, &key))?;
        let message = format!("Print template {key} updated successfully");
        Ok(Json(Envelope::named("template_key", key).with_message(message)))
    }

    /// Delete a print template
    ///
    /// Its assignments go with it, and the default steps of operations that name it do so no longer.
    #[oai(
        path = "/print-template/:template_key",
        method = "delete",
        operation_id = "delete_print_template_print_template__template_key__delete"
    )]
    async fn remove(
        &self,
        #[oai(scope = "Scope::QualityPrintTemplateCreate")] caller: Caller,
        template_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let queries = [REMOVE_TEMPLATE, REMOVE_ASSIGNMENTS, DROP_FROM_STEPS];
        // An assignment at the same time must not be left without its template.
        let access = Access::of(&queries).one_by_one(&["can_use_print_template"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            trx.watch(TEMPLATE, [&*template_key]).await?;
            let removed = print::remove_template(trx, print::remove_template::Params { key: &template_key }).await?;
            removed.ok_or_else(|| not_found(TEMPLATE, &template_key))?;
            let template_id = format!("{TEMPLATE}/{}", *template_key);
            let params = print::remove_assignments::Params { template_id: &template_id };
            note_withdrawn(trx, print::remove_assignments(trx, params).await?);
            let params = print::drop_from_steps::Params { key: &template_key };
            let operations = print::drop_from_steps(trx, params).await?;
            trx.removed("Operation", operations);
            Ok(())
        })?;
        Ok(Json(Envelope::message("Template deleted successfully")))
    }
}

/// What is stored of a record: the members that have a value.
fn members(record: &NewTemplate) -> Map<String, Value> {
    let members = [
        ("name", record.name.to_json()),
        ("description", record.description.as_ref().and_then(ToJSON::to_json)),
        ("template", record.template.as_ref().and_then(ToJSON::to_json)),
    ];
    members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

impl Create for NewTemplate {
    type Stored = String;

    fn access(&self) -> Access<'static> {
        Access::of(&[INSERT_TEMPLATE])
    }

    async fn create(&self, _app: &App, trx: &Transaction, key: Option<&str>) -> Result<String> {
        let template = setup::keyed(members(self).into(), key);
        let params = print::insert_template::Params { template: &template };
        let key = print::insert_template(trx, params).await?;
        trx.created(TEMPLATE, [key.as_str()]);
        Ok(key)
    }
}

fn no_key() -> Error {
    let loc = ["body".into(), "_key".into()];
    Error::Validation(vec![Invalid::new(&loc, "missing", "Field required").input(Value::Null)])
}

/// A value whose objects have no member that is null.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(_, member)| !member.is_null())
            .map(|(name, member)| (name, without_nulls(member)))
            .collect(),
        Value::Array(elements) => elements.into_iter().map(without_nulls).collect(),
        plain => plain,
    }
}
