//! Who has which jobs.

use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use serde_json::Value;

use super::super::model::{Job, whole_job};
use super::reads::Operator;
use crate::api::found::not_found;
use crate::api::{Answer, Area};
use crate::app::App;
use crate::aql::production;
use crate::aql::production::assignments::{self, Operators};
use crate::auth::{ByFilter, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Fails, Query};
use crate::store::typed;

/// Who has which jobs.
pub struct Assignments(pub Arc<App>);

/// A job with how things stand with its order.
#[derive(Debug, Object)]
struct AssignedJob {
    #[oai(flatten)]
    job: Job,
    /// Open issues of its order.
    issues_open: i64,
    /// Issues of its order.
    issues_total: i64,
}

/// What somebody is to do.
#[derive(Debug, Object)]
struct OperatorAssignment {
    operator: Operator,
    /// In the order of the queue.
    assigned_jobs: Vec<AssignedJob>,
    /// Whether the operator sorts the queue alone.
    independent: bool,
}

/// Who has which jobs.
#[derive(Debug, Object)]
struct JobAssignments {
    assigned_jobs_by_operator: Vec<OperatorAssignment>,
    unassigned_jobs: Vec<AssignedJob>,
}

/// The same with jobs as they are stored.
#[derive(Serialize)]
struct Assigned {
    assigned_jobs_by_operator: Vec<Operators>,
    unassigned_jobs: Vec<Value>,
}

#[OpenApi(tag = "Area::Production")]
impl Assignments {
    /// Jobs by operator, and unassigned jobs
    ///
    /// Operators, and everybody else who has an open job; with `user_key` exactly that user. Everybody may ask for
    /// themselves; without the scope they do not see what nobody has.
    #[oai(path = "/job-assignment", method = "get", operation_id = "get_assignment_list_job_assignment_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::ProductionJobRead")] caller: ByFilter,
        user_key: Query<Option<String>>,
        _fails: Fails<404>,
    ) -> Result<Json<Answer<AsStored<JobAssignments>>>> {
        if user_key.as_deref() != Some(caller.user_key()) {
            caller.require(Scope::ProductionJobRead)?;
        }
        let may_see = caller.require(Scope::ProductionJobRead).is_ok();
        let params = assignments::Params { user_key: user_key.as_deref() };
        let mut row = production::assignments(&self.0.store, params).await?;
        if let Some(key) = user_key.0.as_deref().filter(|_| row.operators.is_empty()) {
            return Err(not_found("User", key));
        }
        for entry in &mut row.operators {
            for job in &mut entry.assigned_jobs {
                *job = whole_job(job.take());
            }
        }
        let unassigned_jobs = row.unassigned_jobs.into_iter().filter(|_| may_see).map(whole_job).collect();
        let assigned = Assigned { assigned_jobs_by_operator: row.operators, unassigned_jobs };
        Ok(Json(Answer::detail(AsStored::new(typed::bound(&assigned)?))))
    }
}
