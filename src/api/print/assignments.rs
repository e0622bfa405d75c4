//! Which entities may use which print templates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Enum, Object, OpenApi};
use serde_json::Value;

use super::{Context, TEMPLATE};
use crate::api::found::{looking_up, no_mistakes, not_found, unknown};
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::print::{self, ASSIGN, WITHDRAW};
use crate::aql::rows::TemplateAssignment;
use crate::auth::{Caller, Scope};
use crate::error::{Invalid, Result};
use crate::openapi::{Fails, Many};
use crate::store::{Access, Transaction};
use crate::transaction;

/// Which entities may use which print templates.
pub struct Assignments(pub(super) Arc<App>);

/// What happens to an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "TemplateAssignmentUpdateType", rename_all = "lowercase")]
pub(crate) enum UpdateType {
    Add,
    Remove,
}

/// One change of an assignment.
#[derive(Debug, Object)]
#[oai(rename = "TemplateAssignmentUpdate")]
pub(crate) struct Update {
    #[oai(rename = "type")]
    kind: UpdateType,
    template_key: String,
    context: Context,
    context_key: String,
}

impl Update {
    /// What it names: the template, then the entity.
    fn names(&self) -> [(&'static str, &str); 2] {
        [(TEMPLATE, &self.template_key), (self.context.collection(), &self.context_key)]
    }
}

#[OpenApi(tag = "Area::Quality")]
impl Assignments {
    /// Add or remove assignments of print templates
    ///
    /// All or nothing. Adding an assignment that is there keeps the one there is, and removing one that is not is no mistake.
    #[oai(
        path = "/update-template-assignments",
        method = "post",
        operation_id = "update_template_assignments_update_template_assignments_post"
    )]
    async fn update(
        &self,
        #[oai(scope = "Scope::QualityPrintTemplateAssign")] caller: Caller,
        body: Json<Many<Update>>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let updates = body.0.0;
        check_contexts(&updates)?;
        transaction!(self.0.store.acting(caller.actor()), access(&updates), |trx| { assign(trx, &updates).await })?;
        Ok(Json(Envelope::message("Assignments updated correctly")))
    }
}

fn added(updates: &[Update]) -> Vec<&Update> {
    updates.iter().filter(|update| update.kind == UpdateType::Add).collect()
}

/// What changing assignments reads, writes and holds.
pub(crate) fn access(updates: &[Update]) -> Access<'static> {
    let collections: Vec<&str> =
        added(updates).iter().flat_map(|update| update.names()).map(|(name, _)| name).collect();
    looking_up(Access::of(&[ASSIGN, WITHDRAW]).one_by_one(&["can_use_print_template"]), &collections)
}

/// Adds and removes assignments. 404 for what is not there.
pub(crate) async fn assign(trx: &Transaction, updates: &[Update]) -> Result<()> {
    let added = added(updates);
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (collection, key) in added.iter().flat_map(|update| update.names()) {
        named.entry(collection).or_default().insert(key);
    }
    let [assigned, withdrawn] = [UpdateType::Add, UpdateType::Remove].map(|kind| edges(updates, kind));
    check_known(trx, &named, &added).await?;
    let params = print::withdraw::Params { assignments: &withdrawn };
    let withdrawn: Vec<Assignment> = print::withdraw(trx, params).await?;
    let params = print::assign::Params { assignments: &assigned };
    let assigned: Vec<Assignment> = print::assign(trx, params).await?;
    note_withdrawn(trx, withdrawn);
    for (from, to) in assigned {
        trx.replaced(Some(from), NOTED, Value::Null, to);
    }
    Ok(())
}

/// From an entity to a print template.
pub(super) type Assignment = (String, String);

/// What an assignment is called where a change tells of it.
const NOTED: &str = "print template";

/// Notes assignments that are gone.
pub(super) fn note_withdrawn(trx: &Transaction, withdrawn: Vec<Assignment>) {
    for (from, to) in withdrawn {
        trx.replaced(Some(from), NOTED, to, Value::Null);
    }
}

/// 422 for a template that is to be assigned to a template.
fn check_contexts(updates: &[Update]) -> Result<()> {
    let wrong = updates.iter().enumerate().filter(|(_, update)| update.context == Context::Template);
    let msg = "Value error, a template is not assigned to a template";
    let mistakes = wrong.map(|(index, _)| {
        let loc = ["body".into(), index.into(), "context".into()];
        Invalid::new(&loc, "value_error", msg).input("template".into())
    });
    no_mistakes(mistakes.collect())
}

/// 404 for the first template or entity that is not there.
async fn check_known(trx: &Transaction, named: &BTreeMap<&str, BTreeSet<&str>>, added: &[&Update]) -> Result<()> {
    let mut missing = BTreeSet::new();
    for (collection, keys) in named {
        let keys: Vec<&str> = keys.iter().copied().collect();
        missing.extend(unknown(trx, collection, &keys).await?.into_iter().map(|key| (*collection, key)));
    }
    let mut names = added.iter().flat_map(|update| update.names());
    let first = names.find(|(collection, key)| missing.contains(&(*collection, (*key).to_owned())));
    first.map_or(Ok(()), |(collection, key)| Err(not_found(collection, key)))
}

/// The assignments whose last update is of this kind, so that the updates count in their order.
fn edges(updates: &[Update], kind: UpdateType) -> Vec<TemplateAssignment> {
    let last: BTreeMap<(Context, &str, &str), UpdateType> = updates
        .iter()
        .map(|update| ((update.context, update.context_key.as_str(), update.template_key.as_str()), update.kind))
        .collect();
    let wanted = last.into_iter().filter(|(_, last_kind)| *last_kind == kind);
    let edge = |((context, context_key, template_key), _): ((Context, &str, &str), _)| TemplateAssignment {
        from: format!("{}/{context_key}", context.collection()),
        to: format!("{TEMPLATE}/{template_key}"),
        r#type: context.to_json().unwrap_or_default(),
    };
    wanted.map(edge).collect()
}
