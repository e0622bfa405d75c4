//! Copies of an operation to the phases that are based on it.

use poem::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::model::StepDocument;
use super::operations::{find, parameters};
use super::plan::{self, Plan, Stored, fresh_fields, text};
use super::step_media;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{Error, Result};
use crate::media::CopiedFolders;
use crate::store::typed;
use crate::{aql, clock, transaction};

/// Copies an operation to its phases in the processes of products, and returns these phases.
pub(super) async fn to_products(app: &App, caller: &Caller, operation_key: &str, targets: &[&str]) -> Result<Value> {
    let queries = [aql::operation::ONE, aql::operation::MEDIA, aql::process::PHASES];
    let access = plan::access().and(&queries);
    let (phases, files): (Vec<Value>, CopiedFolders) = transaction!(app.store.acting(caller.actor()), access, |trx| {
        let operation = find(trx, operation_key).await?;
        let products = Stored::read(trx, targets).await?;
        let unknown: Vec<&str> =
            targets.iter().filter(|key| products.get(**key).is_none_or(Stored::is_trashed)).copied().collect();
        if !unknown.is_empty() {
            return Err(Error::message(StatusCode::NOT_FOUND, format!("Products not found: {}", unknown.join(", "))));
        }
        let media: Vec<Value> = trx.rows(&aql::operation::MEDIA, json!({"operation_key": operation_key})).await?;
        let mut plan = Plan::default();
        let mut copies = Vec::new();
        let mut keys = Vec::new();
        for stored in products.values() {
            for phase in stored.phases().filter(|phase| text(phase, "operation_key") == operation_key) {
                keys.push(text(phase, "_key").to_owned());
                for (step, files) in copy(&mut plan, stored, phase, &operation)? {
                    copies.extend(files.into_iter().map(|key| (key, step.clone())));
                }
            }
        }
        let files = CopiedFolders::make(step_media::of_media(&app.settings, &media, &copies)).await?;
        let ids: Vec<String> = keys.iter().map(|key| format!("Phase/{key}")).collect();
        trx.replaced(Some(format!("Operation/{operation_key}")), "copied to", Value::Array(Vec::new()), ids);
        plan.write(trx, &products.values().collect::<Vec<_>>(), &clock::now()).await?;
        let params = aql::process::phases::Params { phase_keys: (&keys).into() };
        let phases = aql::process::phases(trx, params).await?;
        Ok((phases, files))
    })?;
    files.place().await?;
    Ok(phases.into())
}

/// Gives a phase the steps, parameters and notes of its operation. Returns each new step with the media it shows.
fn copy(plan: &mut Plan, stored: &Stored, phase: &Value, operation: &Value) -> Result<Vec<(String, Vec<String>)>> {
    for step in stored.steps(phase) {
        plan.drop_step(text(step, "_key"));
    }
    let mut steps = Vec::new();
    let Defaults { default_phase_steps, default_phase_parameters, default_phase_notes } =
        Defaults::deserialize(operation).unwrap_or_default();
    for default in Vec::<DefaultStep>::deserialize(&default_phase_steps).unwrap_or_default() {
        let key = Uuid::new_v4().to_string();
        plan.step(&StepDocument {
            key: &key,
            title: Some(default.title),
            description: Some(default.description),
            kind: Some(default.kind),
            form_fields: fresh_fields(&default.form_fields),
        })?;
        let list = |keys: &Value| -> Vec<String> {
            keys.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        plan.use_templates("step", &format!("Step/{key}"), list(&default.print_templates));
        steps.push((key, list(&default.media)));
    }
    let mut params = parameters(&[default_phase_parameters])?;
    if steps.is_empty() {
        params.insert("step_check".to_owned(), false.into());
    }
    let changes = FromOperation {
        params,
        production_notes: default_phase_notes,
        step_sequence: steps.iter().map(|(key, _)| key.as_str()).collect(),
    };
    let mut changed = phase.as_object().cloned().unwrap_or_default();
    changed.append(&mut typed::members(&changes)?);
    plan.phase(&changed)?;
    Ok(steps)
}

/// What a phase takes over of its operation, as it is stored.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Defaults {
    default_phase_steps: Value,
    default_phase_parameters: Value,
    default_phase_notes: Value,
}

/// A step of an operation, as it is stored.
#[derive(Default, Deserialize)]
#[serde(default)]
struct DefaultStep {
    title: Value,
    description: Value,
    #[serde(rename = "type")]
    kind: Value,
    form_fields: Value,
    print_templates: Value,
    media: Value,
}

/// What changes in a phase.
#[derive(Serialize)]
struct FromOperation<'a> {
    params: Map<String, Value>,
    production_notes: Value,
    step_sequence: Vec<&'a str>,
}
