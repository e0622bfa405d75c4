//! Operations: templates of phases.

use std::collections::BTreeSet;
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::model::{Keyed, OperationTargets, PhaseParameters, Reference, StepType, instruction, keys, with_keys};
use super::operation_copy;
use crate::api::changes::{Null, changes};
use crate::api::collaboration::{FormFieldDefinition, field_mistakes};
use crate::api::found::{References, no_mistakes, not_found};
use crate::api::media_records::Media;
use crate::api::print::PrintTemplateRecord;
use crate::api::setup::Create;
use crate::api::{Area, Envelope, JsonRows};
use crate::app::App;
use crate::aql::operation;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{AsStored, Fails, Many, Name, Note, OneOf};
use crate::store::{Access, Query, Transaction, held, typed};
use crate::{media, transaction};

/// Templates of phases.
pub struct Operations(pub Arc<App>);

/// What connecting media runs.
const MEDIA: [Query; 3] = [operation::CONNECT_MEDIA, operation::DISCONNECT_MEDIA, operation::REMOVE_UNUSED_MEDIA];

/// Parameters that were sent; the others come from the configuration.
#[derive(Debug, Clone, Default, Object)]
#[oai(rename = "PhaseParameters-Input")]
pub(crate) struct SentParameters {
    #[oai(skip_serializing_if_is_none)]
    parallel_job_allowed: Option<bool>,
    #[oai(skip_serializing_if_is_none)]
    step_check: Option<bool>,
    #[oai(skip_serializing_if_is_none)]
    step_check_force_order: Option<bool>,
    #[oai(skip_serializing_if_is_none, validator(minimum(value = "0")))]
    production_batch_qt: Option<i64>,
    #[oai(skip_serializing_if_is_none, validator(minimum(value = "0")))]
    max_offline: Option<i64>,
    #[oai(skip_serializing_if_is_none)]
    auto_new_batch: Option<bool>,
    #[oai(skip_serializing_if_is_none, validator(minimum(value = "0")))]
    std_processing_time: Option<i64>,
    #[oai(skip_serializing_if_is_none)]
    unsupervised_work_allowed: Option<bool>,
    #[oai(skip_serializing_if_is_none)]
    display_job_timer: Option<bool>,
}

impl SentParameters {
    fn members(&self) -> Value {
        self.to_json().unwrap_or_default()
    }
}

/// A step that phases of the operation begin with.
#[derive(Debug, Object)]
#[oai(rename = "StepWithMediaInfo")]
pub(crate) struct DefaultStep {
    #[oai(rename = "_key")]
    key: Option<String>,
    title: Option<Name>,
    description: Option<Note>,
    #[oai(rename = "type", default = "instruction")]
    kind: StepType,
    #[oai(default)]
    form_fields: Many<FormFieldDefinition>,
    /// Keys or records.
    #[oai(default)]
    print_templates: Vec<Reference>,
    /// Keys or records.
    #[oai(default)]
    media: Vec<OneOf<String, Media>>,
}

impl DefaultStep {
    fn stored(&self) -> StoredStep<'_> {
        StoredStep {
            key: self.key.as_deref(),
            title: self.title.to_json(),
            description: self.description.to_json(),
            kind: self.kind,
            form_fields: with_keys(self.form_fields.to_json().unwrap_or_default()),
            print_templates: keys(&self.print_templates, Keyed::key),
            media: keys(&self.media, Media::key),
        }
    }
}

/// A step of an operation as it is stored.
#[derive(Debug, Clone, Serialize)]
struct StoredStep<'a> {
    #[serde(rename = "_key")]
    key: Option<&'a str>,
    title: Option<Value>,
    description: Option<Value>,
    #[serde(rename = "type")]
    kind: StepType,
    form_fields: Value,
    print_templates: Vec<String>,
    media: Vec<String>,
}

/// An operation as it is stored.
#[derive(Debug, Serialize)]
struct OperationDocument<'a> {
    #[serde(rename = "_key", skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    name: Option<Value>,
    code: Option<Value>,
    description: Option<Value>,
    default_phase_parameters: Map<String, Value>,
    default_phase_notes: Option<Value>,
    default_phase_steps: &'a [StoredStep<'a>],
}

/// What is read of a stored operation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Earlier {
    #[serde(rename = "_id")]
    id: String,
    default_phase_parameters: Value,
    default_phase_steps: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EarlierStep {
    media: Value,
}

/// Why an operation stays.
#[derive(Debug, Serialize)]
struct InUse {
    status_code: u16,
    message: String,
    product_codes: Vec<String>,
}

/// A new operation.
#[derive(Debug, Object)]
#[oai(rename = "Operation")]
pub(crate) struct NewOperation {
    /// Given by the service, as the two that follow.
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    name: Name,
    code: Option<Name>,
    description: Option<Note>,
    default_phase_parameters: Option<SentParameters>,
    default_phase_notes: Option<Note>,
    #[oai(default, validator(max_items = 500))]
    default_phase_steps: Vec<DefaultStep>,
}

/// Changes of an operation: what is absent stays.
#[derive(Debug, Object)]
struct OperationUpdate {
    /// Not null.
    name: MaybeUndefined<Name>,
    code: MaybeUndefined<Name>,
    description: MaybeUndefined<Note>,
    /// Member by member.
    default_phase_parameters: Option<SentParameters>,
    default_phase_notes: MaybeUndefined<Note>,
    /// All of them.
    #[oai(validator(max_items = 500))]
    default_phase_steps: Option<Vec<DefaultStep>>,
}

/// A step of an operation, as it is shown.
#[derive(Debug, Deserialize, Object)]
struct OperationStep {
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    key: Option<String>,
    title: Option<String>,
    description: Option<String>,
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    kind: AsStored<StepType>,
    form_fields: Vec<AsStored<FormFieldDefinition>>,
    print_templates: Vec<AsStored<PrintTemplateRecord>>,
    media: Vec<OperationMedia>,
}

/// A file of a step.
#[derive(Debug, Deserialize, Object)]
struct OperationMedia {
    #[serde(flatten)]
    #[oai(flatten)]
    media: Media,
    /// Its name.
    filename: Option<String>,
}

/// A product by its code.
#[derive(Debug, Deserialize, Object)]
struct ProductCode {
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    key: String,
    code: Option<String>,
}

/// An operation with what it is used for.
#[derive(Debug, Deserialize, Object)]
struct OperationRow {
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
    default_phase_parameters: AsStored<PhaseParameters>,
    default_phase_notes: Option<String>,
    default_phase_steps: Vec<OperationStep>,
    /// Products with a phase of it.
    used_for: Vec<ProductCode>,
}

#[OpenApi(tag = "Area::Process")]
impl Operations {
    /// Operations
    ///
    /// In the order of their names, with whole print templates and media of their steps.
    #[oai(path = "/operation", method = "get", operation_id = "get_operation_list_operation_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::ProcessTemplateRead")] _caller: Caller,
    ) -> Result<JsonRows<OperationRow>> {
        Ok(JsonRows::all_as::<OperationRow>(self.0.store.stream(&operation::LIST, typed::nothing()?).await?))
    }

    /// Create an operation
    ///
    /// Parameters that are not sent come from the configuration.
    #[oai(path = "/operation", method = "post", operation_id = "create_operation_operation_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::ProcessTemplateCreate")] caller: Caller,
        body: Json<NewOperation>,
    ) -> Result<Json<Envelope>> {
        check_steps(&body.default_phase_steps)?;
        let stored = transaction!(self.0.store.acting(caller.actor()), body.access(), |trx| {
            body.create(&self.0, trx, None).await
        })?;
        Ok(Json(Envelope::detail(stored).with_message("Operation created successfully")))
    }

    /// Change an operation
    ///
    /// What is absent stays. Steps are replaced as a whole; media that no step needs any more go with their files.
    #[oai(
        path = "/operation/:operation_key",
        method = "patch",
        operation_id = "update_operation_operation__operation_key__patch"
    )]
    async fn update(
        &self,
        #[oai(scope = "Scope::ProcessTemplateUpdate")] caller: Caller,
        operation_key: Path<String>,
        body: Json<OperationUpdate>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let steps: Option<Vec<StoredStep<'_>>> = match &body.default_phase_steps {
            Some(steps) => {
                check_steps(steps)?;
                Some(steps.iter().map(DefaultStep::stored).collect())
            }
            None => None,
        };
        let sent = body.changes()?;
        let queries = [operation::ONE, operation::UPDATE];
        let access = Access::of(&queries).and(&MEDIA);
        let access = References::default().access(access).exclusive(&held::OPERATION);
        let acting = self.0.store.acting(caller.actor());
        let (stored, unused): (Value, Vec<String>) = transaction!(acting, access, |trx| {
            let earlier = find(trx, &operation_key).await?;
            let mut changes = sent.clone();
            if let Some(parameters_sent) = &body.default_phase_parameters {
                let before = read(&earlier).default_phase_parameters;
                let merged = parameters(&[before, parameters_sent.members()])?;
                changes.insert("default_phase_parameters".to_owned(), merged.into());
            }
            let mut removed = Vec::new();
            if let Some(steps) = &steps {
                changes.insert("default_phase_steps".to_owned(), typed::bound(steps)?);
                removed = compare_media(trx, &earlier, steps).await?;
            }
            let params = operation::update::Params { operation_key: &operation_key, changes: &changes };
            let stored = operation::update(trx, params).await?.unwrap_or_default();
            trx.wrote(format!("Operation/{}", *operation_key), &earlier, &stored);
            Ok((stored, remove_unused(trx, &removed).await?))
        })?;
        self.remove_files(&unused).await?;
        Ok(Json(Envelope::detail(stored).with_message("Operation updated successfully")))
    }

    /// Delete an operation
    ///
    /// 403 while the process of a product that is not in the trash has a phase of it.
    #[oai(path = "/operation/:op_key", method = "delete", operation_id = "delete_operation_operation__op_key__delete")]
    async fn delete(
        &self,
        #[oai(scope = "Scope::ProcessTemplateUpdate")] caller: Caller,
        op_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let queries = [operation::ONE, operation::USERS, operation::REMOVE, operation::REMOVE_LINKS];
        let access = Access::of(&queries).and(&MEDIA).exclusive(&held::OPERATION_DELETED);
        let acting = self.0.store.acting(caller.actor());
        let (removed, unused): (Value, Vec<String>) = transaction!(acting, access, |trx| {
            let earlier = find(trx, &op_key).await?;
            let codes = operation::users(trx, operation::users::Params { operation_key: &op_key }).await?;
            if !codes.is_empty() {
                let message = format!("The operation is used in the processes of {}", codes.join(", "));
                let detail = InUse { status_code: 403, message, product_codes: codes };
                return Err(Error::detailed(StatusCode::FORBIDDEN, &detail));
            }
            let id = format!("Operation/{}", *op_key);
            trx.wrote(id.clone(), &earlier, &Value::Null);
            // Phases that left their process, or whose product is in the trash.
            let phases = operation::remove_links(trx, operation::remove_links::Params { operation_id: &id }).await?;
            for phase in phases {
                trx.replaced(Some(phase), "link to its operation", id.as_str(), Value::Null);
            }
            let removed = operation::remove(trx, operation::remove::Params { operation_key: &op_key }).await?;
            let keys = compare_media(trx, &earlier, &[]).await?;
            Ok((removed.unwrap_or_default(), remove_unused(trx, &keys).await?))
        })?;
        self.remove_files(&unused).await?;
        Ok(Json(Envelope::detail(removed).with_message("Operation successfully deleted")))
    }

    /// Copy an operation to the phases that are based on it
    ///
    /// In the processes of the products named: steps, parameters and notes of those phases become the operation's.
    #[oai(
        path = "/operation/:operation_key/copy",
        method = "post",
        operation_id = "copy_operation_to_phases_operation__operation_key__copy_post"
    )]
    async fn copy(
        &self,
        #[oai(scope = "Scope::ProcessTemplateUpdate")] caller: Caller,
        operation_key: Path<String>,
        body: Json<OperationTargets>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let targets: Vec<&str> = body.target_product_keys.iter().map(String::as_str).collect();
        let phases = operation_copy::to_products(&self.0, &caller, &operation_key, &targets).await?;
        let message = "Operation successfully copied to all related phases";
        Ok(Json(Envelope::detail(phases).with_message(message)))
    }
}

impl Create for NewOperation {
    type Stored = Value;

    fn access(&self) -> Access<'static> {
        let queries = [operation::DEFAULT_PARAMETERS, operation::INSERT, operation::CONNECT_MEDIA];
        References::default().access(Access::of(&queries)).exclusive(&held::OPERATION)
    }

    async fn create(&self, _app: &App, trx: &Transaction, key: Option<&str>) -> Result<Value> {
        let steps: Vec<StoredStep<'_>> = self.default_phase_steps.iter().map(DefaultStep::stored).collect();
        media_of(&steps, |_| true).check(trx).await?;
        let configured = operation::default_parameters(trx).await?;
        let sent = self.default_phase_parameters.clone().unwrap_or_default().members();
        let new = OperationDocument {
            key,
            name: self.name.to_json(),
            code: self.code.to_json(),
            description: self.description.to_json(),
            default_phase_parameters: parameters(&[configured, sent])?,
            default_phase_notes: self.default_phase_notes.to_json(),
            default_phase_steps: &steps,
        };
        let params = operation::insert::Params { operation: &typed::bound(&new)? };
        let stored = operation::insert(trx, params).await?;
        let id = read(&stored).id;
        let media_ids = ids(&media_keys(&steps));
        let params = operation::connect_media::Params { operation_id: &id, media_ids: (&media_ids).into() };
        operation::connect_media(trx, params).await?;
        trx.wrote(id, &Value::Null, &stored);
        Ok(stored)
    }
}

impl Operations {
    /// Removes the files of media that are gone.
    async fn remove_files(&self, keys: &[String]) -> Result<()> {
        for key in keys.iter().filter(|key| media::is_part(key)) {
            let removed = media::remove_file(&self.0.settings.media_root().join(key)).await;
            removed.map_err(|e| Error::internal("The change is stored, but a file could not be removed.", e))?;
        }
        Ok(())
    }
}

impl OperationUpdate {
    /// The plain members that were sent.
    fn changes(&self) -> Result<Map<String, Value>> {
        let sent = self.to_json().unwrap_or_default();
        let rules = vec![("name", Null::Refused("string_type", "Input should be a valid string"))];
        let mut sent = match changes(sent, rules)? {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        sent.remove("default_phase_parameters");
        sent.remove("default_phase_steps");
        Ok(sent)
    }
}

/// The stored operation; 404 when there is none.
pub(super) async fn find(trx: &Transaction, key: &str) -> Result<Value> {
    let found = operation::one(trx, operation::one::Params { operation_key: key }).await?;
    found.ok_or_else(|| not_found("Operation", key))
}

/// Complete parameters: of several members with a value the last counts, then the built-in ones.
pub(super) fn parameters(given: &[Value]) -> Result<Map<String, Value>> {
    let mut all = typed::members(&PhaseParameters::default())?;
    for members in given.iter().filter_map(Value::as_object) {
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            if let Some(member) = all.get_mut(name) {
                *member = value.clone();
            }
        }
    }
    Ok(all)
}

fn read(operation: &Value) -> Earlier {
    Earlier::deserialize(operation).unwrap_or_default()
}

/// 422 for fields that nobody could fill in.
fn check_steps(steps: &[DefaultStep]) -> Result<()> {
    let mistakes = steps.iter().enumerate().flat_map(|(index, step)| {
        let loc = ["body".into(), "default_phase_steps".into(), index.into(), "form_fields".into()];
        field_mistakes(&loc, &step.form_fields)
    });
    no_mistakes(mistakes.collect())
}

/// Those media of steps that have to exist, and where the steps name them.
fn media_of<'s>(steps: &'s [StoredStep<'_>], has_to_exist: impl Fn(&str) -> bool) -> References<'s> {
    let mut references = References::default();
    for (index, step) in steps.iter().enumerate() {
        for (place, key) in step.media.iter().enumerate() {
            if has_to_exist(key) {
                references.add(
                    &["default_phase_steps".into(), index.into(), "media".into(), place.into()],
                    "Media",
                    key,
                );
            }
        }
    }
    references
}

fn media_keys(steps: &[StoredStep<'_>]) -> BTreeSet<String> {
    steps.iter().flat_map(|step| step.media.iter().cloned()).collect()
}

fn ids(keys: &BTreeSet<String>) -> Vec<String> {
    keys.iter().map(|key| format!("Media/{key}")).collect()
}

/// Connects an operation with the media of its new steps alone, and returns the keys of those it no longer needs.
async fn compare_media(trx: &Transaction, earlier: &Value, steps: &[StoredStep<'_>]) -> Result<Vec<String>> {
    let earlier = read(earlier);
    let old_steps = Vec::<EarlierStep>::deserialize(&earlier.default_phase_steps).unwrap_or_default();
    let old = old_steps.iter().filter_map(|step| step.media.as_array()).flatten();
    let old: BTreeSet<String> = old.filter_map(Value::as_str).map(str::to_owned).collect();
    let new = media_keys(steps);
    let added: BTreeSet<String> = new.difference(&old).cloned().collect();
    let removed: BTreeSet<String> = old.difference(&new).cloned().collect();
    media_of(steps, |key| added.contains(key)).check(trx).await?;
    let operation_id = earlier.id.as_str();
    let ended = ids(&removed);
    let params = operation::disconnect_media::Params { operation_id, media_ids: (&ended).into() };
    operation::disconnect_media(trx, params).await?;
    let begun = ids(&added);
    operation::connect_media(trx, operation::connect_media::Params { operation_id, media_ids: (&begun).into() })
        .await?;
    Ok(removed.into_iter().collect())
}

/// Removes those media that nothing shows any more, and returns their keys.
async fn remove_unused(trx: &Transaction, keys: &[String]) -> Result<Vec<String>> {
    let params = operation::remove_unused_media::Params { media_keys: keys.into() };
    let removed = operation::remove_unused_media(trx, params).await?;
    let key = |medium: &Value| medium["_key"].as_str().unwrap_or_default().to_owned();
    for medium in &removed {
        trx.wrote(format!("Media/{}", key(medium)), medium, &Value::Null);
    }
    Ok(removed.iter().map(key).collect())
}
