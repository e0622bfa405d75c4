//! The process of a product: its phases and their steps.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::model::{Keyed, PhaseInput, PhaseOutput, PhaseParameters, keys};
use super::plan::{self, Plan, Stored, text};
use crate::api::Area;
use crate::api::collaboration::field_mistakes;
use crate::api::found::{no_mistakes, not_found};
use crate::api::revision::{self, IfMatch, Tagged};
use crate::app::App;
use crate::aql;
use crate::aql::process::{self as stored, PROCESS, UNKNOWN_OPERATIONS};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::openapi::Fails;
use crate::store::Transaction;
use crate::{clock, transaction};

/// Processes of products.
pub struct Processes(pub Arc<App>);

/// Most phases of a process.
const MOST_PHASES: usize = 200;

#[derive(Deserialize)]
struct StoredPhases {
    phases: Vec<PhaseOutput>,
}

impl StoredPhases {
    /// Another one as soon as a phase is written, comes or goes.
    fn revision(&self) -> String {
        revision::of_parts(self.phases.iter().filter_map(|phase| phase.phase.rev.as_deref()))
    }
}

#[OpenApi(tag = "Area::Process")]
impl Processes {
    /// Phases and steps of a product
    ///
    /// In the order of the process. The revision that a replacement may name in `If-Match` is the `ETag`.
    #[oai(
        path = "/product/:product_key/process",
        method = "get",
        operation_id = "get_production_process_product__product_key__process_get"
    )]
    async fn process(
        &self,
        #[oai(scope = "Scope::ProcessTemplateRead")] _caller: Caller,
        product_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Tagged<Json<Vec<PhaseOutput>>>> {
        let params = stored::process::Params { product_key: &product_key };
        let row: Option<StoredPhases> = stored::process(&self.0.store, params).await?;
        let row = row.ok_or_else(|| not_found("Product", &product_key))?;
        Ok(Tagged { rev: Some(row.revision()), body: Json(row.phases) })
    }

    /// Replace the process of a product
    ///
    /// A phase or step with a key of this process is replaced, others are new. What is missing leaves the process; its
    /// documents stay for what was recorded with them. 409 when a phase that would go still has lines of the bill of
    /// materials.
    #[oai(
        path = "/product/:product_key/process",
        method = "put",
        operation_id = "update_process_product__product_key__process_put"
    )]
    async fn replace(
        &self,
        #[oai(scope = "Scope::ProcessPhaseConfigure")] caller: Caller,
        product_key: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<Vec<PhaseInput>>,
        _fails: Fails<404, 409, 412>,
    ) -> Result<Json<Vec<PhaseOutput>>> {
        check_form(&body)?;
        let access = plan::access().and(&[PROCESS, UNKNOWN_OPERATIONS]);
        let row: Option<StoredPhases> = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let mut found = Stored::read(trx, &[&product_key]).await?;
            let before = found.remove(product_key.as_str()).filter(|before| !before.is_trashed());
            let before = before.ok_or_else(|| not_found("Product", &product_key))?;
            if if_match.is_given() {
                let params = stored::process::Params { product_key: &product_key };
                let now: Option<StoredPhases> = stored::process(trx, params).await?;
                if_match.check(now.map(|row| row.revision()).as_deref())?;
            }
            check_references(trx, &before, &body).await?;
            refuse_dropped_lines(&before, &body)?;
            plan(&before, &body, &Keys::Known)?.write(trx, &[&before], &clock::now()).await?;
            stored::process(trx, stored::process::Params { product_key: &product_key }).await
        })?;
        Ok(Json(row.map(|row| row.phases).unwrap_or_default()))
    }
}

/// What the keys of phases and steps say that the process does not have yet.
enum Keys {
    /// Nothing: a new phase or step gets a key of its own.
    Known,
    /// The keys of new ones, as who fills a database names them.
    Given,
}

impl Keys {
    /// The key of something new.
    fn of_new(&self, named: Option<&str>) -> String {
        let given = named.filter(|_| matches!(self, Self::Given));
        given.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned)
    }
}

/// Gives a product without a process its first one, with the keys that its phases and steps name.
pub(crate) async fn set_up(trx: &Transaction, product_key: &str, phases: &[PhaseInput]) -> Result<()> {
    check_form(phases)?;
    let stored = Stored::read(trx, &[product_key]).await?.remove(product_key);
    let stored = stored.ok_or_else(|| not_found("Product", product_key))?;
    no_mistakes(unknown_operations(trx, &stored, phases).await?)?;
    plan(&stored, phases, &Keys::Given)?.write(trx, &[&stored], &clock::now()).await
}

/// What the document cannot say of a process: 422 with every mistake.
fn check_form(phases: &[PhaseInput]) -> Result<()> {
    let mut mistakes = Vec::new();
    if phases.len() > MOST_PHASES {
        let msg = format!("List should have at most {MOST_PHASES} items after validation, not {}", phases.len());
        mistakes.push(Invalid::new(&["body".into()], "too_long", msg));
    }
    let mut seen = HashSet::new();
    for (index, phase) in phases.iter().enumerate() {
        if phase.key.as_deref().is_some_and(|key| !seen.insert(key)) {
            let loc = ["body".into(), index.into(), "_key".into()];
            mistakes.push(Invalid::new(&loc, "value_error", "Value error, the phase stands twice in the process"));
        }
        for (place, step) in phase.steps.iter().enumerate() {
            let loc = ["body".into(), index.into(), "steps".into(), place.into(), "form_fields".into()];
            mistakes.extend(field_mistakes(&loc, &step.form_fields));
        }
    }
    no_mistakes(mistakes)
}

/// 422 unless every phase that has a key is one of the process, and every operation that is new to it exists.
async fn check_references(trx: &Transaction, stored: &Stored, phases: &[PhaseInput]) -> Result<()> {
    let mut mistakes = Vec::new();
    for (index, phase) in phases.iter().enumerate() {
        if let Some(key) = phase.key.as_deref().filter(|key| stored.phase(key).is_none()) {
            mistakes.push(entry(index, "_key", format!("Phase {key} is not a phase of the product")));
        }
    }
    mistakes.extend(unknown_operations(trx, stored, phases).await?);
    no_mistakes(mistakes)
}

fn entry(index: usize, member: &str, msg: String) -> Invalid {
    Invalid::new(&["body".into(), index.into(), member.into()], "value_error", format!("Value error, {msg}"))
}

/// What is wrong with the operations that phases are based on from now on: each exists.
async fn unknown_operations(trx: &Transaction, stored: &Stored, phases: &[PhaseInput]) -> Result<Vec<Invalid>> {
    let mut mistakes = Vec::new();
    let mut operations: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, phase) in phases.iter().enumerate() {
        let known = phase.key.as_deref().and_then(|key| stored.phase(key));
        let before = known.map(|known| text(known, "operation_key"));
        if before != Some(phase.operation_key.as_str()) {
            operations.entry(&phase.operation_key).or_default().push(index);
        }
    }
    let keys = operations.keys().copied().collect();
    for key in aql::process::unknown_operations(trx, aql::process::unknown_operations::Params { keys }).await? {
        for index in operations.get(key.as_str()).into_iter().flatten() {
            mistakes.push(entry(*index, "operation_key", format!("Operation {key} not found")));
        }
    }
    Ok(mistakes)
}

/// 409 when a phase that would leave the process still needs components.
fn refuse_dropped_lines(stored: &Stored, phases: &[PhaseInput]) -> Result<()> {
    let kept: HashSet<&str> = phases.iter().filter_map(|phase| phase.key.as_deref()).collect();
    let has_lines = |phase: &&Value| stored.lines.iter().any(|line| text(line, "_from") == text(phase, "_id"));
    let dropped: Vec<DroppedPhase> = stored
        .phases()
        .filter(|phase| !kept.contains(text(phase, "_key")))
        .filter(has_lines)
        .filter_map(|phase| DroppedPhase::deserialize(phase).ok())
        .collect();
    if dropped.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = dropped.iter().map(|phase| phase.alias.as_str().unwrap_or_default()).collect();
    let message = format!("The bill of materials still has lines in {}. Move or remove them first.", names.join(", "));
    Err(Error::detailed(StatusCode::CONFLICT, &StillNeeded { message, phases: dropped }))
}

/// A phase that would leave, as it is stored.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct DroppedPhase {
    #[serde(rename = "_key")]
    key: Value,
    alias: Value,
}

/// Why phases stay.
#[derive(Serialize)]
struct StillNeeded {
    message: String,
    phases: Vec<DroppedPhase>,
}

/// A phase as it is stored.
#[derive(Serialize)]
struct PhaseDocument<'a> {
    #[serde(rename = "_key")]
    key: &'a str,
    alias: Option<Value>,
    product_key: &'a str,
    operation_key: &'a str,
    params: PhaseParameters,
    step_sequence: Vec<String>,
    production_notes: Option<Value>,
}

/// What a replacement writes.
fn plan(stored: &Stored, phases: &[PhaseInput], new: &Keys) -> Result<Plan> {
    let mut plan = Plan::default();
    let mut sequence = Vec::new();
    let mut kept_steps = HashSet::new();
    for phase in phases {
        let earlier = phase.key.as_deref().and_then(|key| stored.phase(key));
        let known = earlier.map(|earlier| text(earlier, "_key").to_owned());
        let key = known.unwrap_or_else(|| new.of_new(phase.key.as_deref()));
        let mut steps = Vec::new();
        for step in &phase.steps {
            let own = step.key.as_deref().filter(|key| stored.has_step(key) && kept_steps.insert((*key).to_owned()));
            let step_key = own.map_or_else(|| new.of_new(step.key.as_deref()), str::to_owned);
            if own.is_none() {
                plan.use_templates("step", &format!("Step/{step_key}"), keys(&step.print_templates, Keyed::key));
            }
            plan.step(&step.document(&step_key))?;
            steps.push(step_key);
        }
        let mut params = phase.params.clone().unwrap_or_default();
        params.step_check &= !steps.is_empty();
        plan.phase(&PhaseDocument {
            key: &key,
            alias: phase.alias.to_json(),
            product_key: stored.key(),
            operation_key: &phase.operation_key,
            params,
            step_sequence: steps,
            production_notes: phase.production_notes.to_json(),
        })?;
        match earlier {
            None => {
                plan.link_phase(&key, stored.key(), &phase.operation_key);
                plan.use_templates("phase", &format!("Phase/{key}"), keys(&phase.print_templates, Keyed::key));
            }
            Some(earlier) if text(earlier, "operation_key") != phase.operation_key => {
                plan.rebase(&key, &phase.operation_key);
            }
            Some(_) => {}
        }
        sequence.push(key);
    }
    for earlier in stored.phases() {
        if !sequence.iter().any(|key| key == text(earlier, "_key")) {
            plan.drop_phase(stored, earlier, &kept_steps);
            continue;
        }
        for step in stored.steps(earlier).map(|step| text(step, "_key")).filter(|key| !kept_steps.contains(*key)) {
            plan.drop_step(step);
        }
    }
    plan.process(stored.key(), &sequence);
    Ok(plan)
}
