//! Phases and procedures by key.

use std::collections::HashMap;
use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};

use super::model::{PhaseRecord, StepOutput};
use super::step_media;
use crate::api::Area;
use crate::api::found::not_found;
use crate::app::App;
use crate::aql::process::{self as stored, phases, procedure};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::openapi::{Fails, Query};

/// Phases and procedures.
pub struct Phases(pub Arc<App>);

/// A step with the names of its files.
#[derive(Debug, Object)]
struct ProcedureStep {
    #[oai(flatten)]
    step: StepOutput,
    /// Names of its files.
    media: Vec<String>,
}

#[OpenApi(tag = "Area::Process")]
impl Phases {
    /// Phases by their keys
    ///
    /// In the order asked, each once. Those that do not exist are left out, those that left their process are not.
    #[oai(path = "/phase", method = "get", operation_id = "get_phase_data_phase_get")]
    async fn phases(
        &self,
        #[oai(scope = "Scope::ProcessTemplateRead")] _caller: Caller,
        phase_key: Query<Vec<String>>,
    ) -> Result<Json<Vec<PhaseRecord>>> {
        if phase_key.0.is_empty() {
            let loc = ["query".into(), "phase_key".into()];
            return Err(Error::Validation(vec![Invalid::new(&loc, "missing", "Field required")]));
        }
        let params = phases::Params { phase_keys: (&phase_key.0).into() };
        let rows: Vec<PhaseRecord> = stored::phases(&self.0.store, params).await?;
        let key = |phase: PhaseRecord| (phase.key.clone().unwrap_or_default(), phase);
        let mut found: HashMap<String, PhaseRecord> = rows.into_iter().map(key).collect();
        Ok(Json(phase_key.0.iter().filter_map(|key| found.remove(key)).collect()))
    }

    /// The steps of a phase
    ///
    /// In their order, with the names of their files.
    #[oai(
        path = "/procedure/:phase_key",
        method = "get",
        operation_id = "get_phase_procedure_procedure__phase_key__get"
    )]
    async fn procedure(
        &self,
        #[oai(scope = "Scope::ProcessTemplateRead")] _caller: Caller,
        phase_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Vec<ProcedureStep>>> {
        let params = procedure::Params { phase_key: &phase_key };
        let steps: Option<Vec<StepOutput>> = stored::procedure(&self.0.store, params).await?;
        let steps = steps.ok_or_else(|| not_found("Phase", &phase_key))?;
        let keys: Vec<&str> = steps.iter().map(|step| step.key.as_deref().unwrap_or_default()).collect();
        let media = step_media::names_of_each(&self.0.settings, &keys).await?;
        Ok(Json(steps.into_iter().zip(media).map(|(step, media)| ProcedureStep { step, media }).collect()))
    }
}
