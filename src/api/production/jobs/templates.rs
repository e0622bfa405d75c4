//! What new jobs take over: the process their order was planned with.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::process::step_files;
use crate::aql::production::JOB_TEMPLATES;
use crate::error::Result;
use crate::production::jobs::Template;
use crate::settings::Settings;
use crate::store::Transaction;

#[derive(Debug, Deserialize)]
struct Found {
    order_key: String,
    template: Template,
    is_new: bool,
}

/// What new jobs take over from others or from their phases, with the files of steps where it comes from a phase.
pub(super) async fn templates(
    trx: &Transaction,
    settings: &Settings,
    places: BTreeSet<(String, String)>,
) -> Result<HashMap<(String, String), Template>> {
    if places.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<Value> =
        places.iter().map(|(order_key, phase_key)| json!({"order_key": order_key, "phase_key": phase_key})).collect();
    let found: Vec<Found> = trx.rows(&JOB_TEMPLATES, json!({"places": places})).await?;
    let mut templates = HashMap::new();
    for Found { order_key, mut template, is_new } in found {
        if is_new {
            add_files(settings, &mut template).await?;
        }
        templates.insert((order_key, template.phase_key.clone()), template);
    }
    Ok(templates)
}

/// Adds the names of their files to the steps of a template.
pub(in crate::api::production) async fn add_files(settings: &Settings, template: &mut Template) -> Result<()> {
    let Some(steps) = template.step_sequence.as_array_mut() else { return Ok(()) };
    let keys: Vec<&str> = steps.iter().map(|step| step["_key"].as_str().unwrap_or_default()).collect();
    let names = step_files(settings, &keys).await?;
    for (step, names) in steps.iter_mut().zip(names) {
        step["media"] = json!(names);
    }
    Ok(())
}
