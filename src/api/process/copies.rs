//! Copies of a process, or of the counter, to other products.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use serde::Serialize;
use serde_json::Value;

use super::model::{CounterTargets, ProcessTargets};
use super::plan::{self, Plan, Stored, text};
use super::step_media;
use crate::api::found::not_found;
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::media::CopiedFolders;
use crate::openapi::Fails;
use crate::store::Transaction;
use crate::{aql, clock, transaction};

/// Copies to other products.
pub struct Copies(pub Arc<App>);

#[OpenApi(tag = "Area::Process")]
impl Copies {
    /// Copy the process to other products
    ///
    /// The targets get new phases and steps with their files and print templates; what they had leaves their processes. Lines
    /// of their bills of materials go to the new phase of the same name, or to the last one. All targets or none.
    #[oai(
        path = "/product/:product_key/process/copy",
        method = "post",
        operation_id = "copy_process_to_products_product__product_key__process_copy_post"
    )]
    async fn copy_process(
        &self,
        #[oai(scope = "Scope::ProcessTemplateUpdate")] caller: Caller,
        product_key: Path<String>,
        body: Json<ProcessTargets>,
        _fails: Fails<400, 404, 409>,
    ) -> Result<Json<Envelope>> {
        let targets: Vec<&str> = body.target_product_keys.iter().map(String::as_str).collect();
        let copied = transaction!(self.0.store.acting(caller.actor()), plan::access(), |trx| {
            let (source, targets) = read(trx, &product_key, &targets).await?;
            let plan = copies(&source, &targets)?;
            let files = CopiedFolders::make(step_media::pairs(&self.0.settings, &plan.files)).await?;
            let ids: Vec<String> = targets.keys().map(|key| format!("Product/{key}")).collect();
            trx.replaced(Some(format!("Product/{}", source.key())), "process copied to", Value::Null, ids);
            plan.write(trx, &targets.values().collect::<Vec<_>>(), &clock::now()).await?;
            Ok(files)
        })?;
        CopiedFolders::place(copied).await?;
        Ok(Json(Envelope::message("Process successfully copied to all related products")))
    }

    /// Copy the serial counter to other products
    #[oai(
        path = "/product/:product_key/counter/copy",
        method = "post",
        operation_id = "copy_process_to_products_product__product_key__counter_copy_post"
    )]
    async fn copy_counter(
        &self,
        #[oai(scope = "Scope::ProcessTemplateUpdate")] caller: Caller,
        product_key: Path<String>,
        body: Json<CounterTargets>,
        _fails: Fails<400, 404>,
    ) -> Result<Json<Envelope>> {
        let targets: Vec<&str> = body.target_product_keys.iter().map(String::as_str).collect();
        let access = plan::access().and(&[aql::process::SET_COUNTER]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let (source, targets) = read(trx, &product_key, &targets).await?;
            let counter_key = &source.head().counter_key;
            let product_keys = targets.keys().collect();
            let params = aql::process::set_counter::Params { product_keys, counter_key, now: &clock::now() };
            aql::process::set_counter(trx, params).await?;
            for (key, target) in &targets {
                let earlier = target.head().counter_key;
                trx.replaced(Some(format!("Product/{key}")), "counter_key", earlier, counter_key.clone());
            }
            Ok(())
        })?;
        Ok(Json(Envelope::message("Counter successfully copied to all related products")))
    }
}

/// The source of a copy and its targets. 404 for a source or targets that do not exist, 400 when one is both.
async fn read(trx: &Transaction, source: &str, targets: &[&str]) -> Result<(Stored, BTreeMap<String, Stored>)> {
    let mut all = Stored::read(trx, &[targets, &[source]].concat()).await?;
    let found = all.remove(source).filter(|stored| !stored.is_trashed()).ok_or_else(|| not_found("Product", source))?;
    if targets.contains(&source) {
        let message = "The product that is copied cannot be a target as well";
        return Err(Error::message(StatusCode::BAD_REQUEST, message));
    }
    let is_unknown = |key: &&&str| all.get(**key).is_none_or(Stored::is_trashed);
    let unknown: Vec<&str> = targets.iter().filter(is_unknown).copied().collect();
    if !unknown.is_empty() {
        return Err(Error::message(StatusCode::NOT_FOUND, format!("Products not found: {}", unknown.join(", "))));
    }
    Ok((found, all))
}

/// Why an empty process is not copied.
#[derive(Serialize)]
struct WithLines {
    message: &'static str,
    product_codes: Vec<Value>,
}

/// What the copies write.
fn copies(source: &Stored, targets: &BTreeMap<String, Stored>) -> Result<Plan> {
    let aliases: Vec<(&str, &str)> = source.phases().map(|phase| (text(phase, "_key"), text(phase, "alias"))).collect();
    if aliases.is_empty() {
        let with_lines = targets.values().filter(|target| !target.lines.is_empty());
        let product_codes: Vec<Value> = with_lines.map(|target| target.head().code).collect();
        if !product_codes.is_empty() {
            let message = "The process to copy is empty, and these products need phases for their bills of materials";
            return Err(Error::detailed(StatusCode::CONFLICT, &WithLines { message, product_codes }));
        }
    }
    let mut plan = Plan::default();
    for (key, target) in targets {
        for phase in target.phases() {
            plan.drop_phase(target, phase, &HashSet::new());
        }
        let phases = plan.copy_phases(source, key);
        for line in &target.lines {
            let old = target.phases().find(|phase| text(phase, "_id") == text(line, "_from"));
            let alias = old.map(|phase| text(phase, "alias"));
            let same = aliases.iter().position(|(_, name)| Some(*name) == alias);
            if let Some((_, phase)) = same.and_then(|at| phases.get(at)).or(phases.last()) {
                plan.line(line, phase);
            }
        }
        let sequence: Vec<String> = phases.into_iter().map(|(_, new)| new).collect();
        plan.process(key, &sequence);
    }
    Ok(plan)
}
