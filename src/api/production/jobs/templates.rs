//! What new jobs take over: the process their order was planned with.

use std::collections::{BTreeSet, HashMap};

use super::super::model::key_of;
use crate::api::process::step_files;
use crate::aql::production as stored;
use crate::aql::production::job_templates::{self, Places, Row};
use crate::error::Result;
use crate::production::jobs::Template;
use crate::settings::Settings;
use crate::store::{Transaction, typed};

/// What new jobs take over from others or from their phases, with the files of steps where it comes from a phase.
pub(super) async fn templates(
    trx: &Transaction,
    settings: &Settings,
    places: BTreeSet<(String, String)>,
) -> Result<HashMap<(String, String), Template>> {
    if places.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<Places> = places.iter().map(|(order_key, phase_key)| Places { order_key, phase_key }).collect();
    let found = stored::job_templates(trx, job_templates::Params { places: &places }).await?;
    let mut templates = HashMap::new();
    for Row { order_key, mut template, is_new } in found {
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
    let keys: Vec<&str> = steps.iter().map(key_of).collect();
    let names = step_files(settings, &keys).await?;
    for (step, names) in steps.iter_mut().zip(names) {
        step["media"] = typed::bound(&names)?;
    }
    Ok(())
}
