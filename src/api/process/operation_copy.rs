//! Copies of an operation to the phases that are based on it.

use poem::http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use super::operations::{find, parameters};
use super::plan::{self, Plan, Stored, fresh_fields, text};
use super::step_media;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{Error, Result};
use crate::media::CopiedFolders;
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
                for (step, files) in copy(&mut plan, stored, phase, &operation) {
                    copies.extend(files.into_iter().map(|key| (key, step.clone())));
                }
            }
        }
        let files = CopiedFolders::make(step_media::of_media(&app.settings, &media, &copies)).await?;
        let ids: Vec<String> = keys.iter().map(|key| format!("Phase/{key}")).collect();
        trx.replaced(Some(format!("Operation/{operation_key}")), "copied to", json!([]), ids);
        plan.write(trx, &products.values().collect::<Vec<_>>(), &clock::now()).await?;
        let phases = trx.rows(&aql::process::PHASES, json!({"phase_keys": keys})).await?;
        Ok((phases, files))
    })?;
    files.place().await?;
    Ok(phases.into())
}

/// Gives a phase the steps, parameters and notes of its operation. Returns each new step with the media it shows.
fn copy(plan: &mut Plan, stored: &Stored, phase: &Value, operation: &Value) -> Vec<(String, Vec<String>)> {
    for step in stored.steps(phase) {
        plan.drop_step(text(step, "_key"));
    }
    let mut steps = Vec::new();
    for default in operation["default_phase_steps"].as_array().into_iter().flatten() {
        let key = Uuid::new_v4().to_string();
        plan.step(json!({
            "_key": key, "title": default["title"], "description": default["description"], "type": default["type"],
            "form_fields": fresh_fields(&default["form_fields"]),
        }));
        let list = |member: &str| -> Vec<String> {
            default[member].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        plan.use_templates("step", &format!("Step/{key}"), list("print_templates"));
        steps.push((key, list("media")));
    }
    let mut changed = phase.clone();
    let mut params = parameters(&[operation["default_phase_parameters"].clone()]);
    if steps.is_empty() {
        params["step_check"] = json!(false);
    }
    changed["params"] = params;
    changed["production_notes"] = operation["default_phase_notes"].clone();
    changed["step_sequence"] = steps.iter().map(|(key, _)| json!(key)).collect();
    plan.phase(changed);
    steps
}
