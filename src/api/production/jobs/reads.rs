//! Jobs as pages and screens read them, and the sign of life that screens give.

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde_json::Value;

use super::super::model::{JobBase, WoBomLine, whole_job};
use crate::api::{Answer, Area};
use crate::app::App;
use crate::aql::production::{self as stored, HEARTBEAT, heartbeat, job_time, jobs, last_session};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{AsStored, Fails, Query};
use crate::production::views;
use crate::store::Access;
use crate::{clock, transaction};

/// Jobs as pages and screens read them.
pub struct Reads(pub Arc<App>);

/// Who is to do a job.
#[derive(Debug, Object)]
#[oai(rename = "JobOperator")]
pub(super) struct Operator {
    #[oai(rename = "_key")]
    key: String,
    name: Option<String>,
    surname: Option<String>,
    active: bool,
    department_key: Option<String>,
}

/// A job with who is to do it.
#[derive(Debug, Object)]
struct JobRow {
    #[oai(flatten)]
    job: JobBase,
    assigned_to: Option<Operator>,
}

/// A component that was declared for the active batch.
#[derive(Debug, Object)]
struct DeclaredSerial {
    #[oai(rename = "_key")]
    key: String,
    code: Option<String>,
    phase_key: Option<String>,
    component_key: Option<String>,
    /// The unit it is built into; null for the batch as a whole.
    parent_serial_key: Option<String>,
    batch_key: Option<String>,
    link_key: String,
}

/// A line of the bill of materials with what was declared of it.
#[derive(Debug, Object)]
struct DeclaredLine {
    #[oai(flatten)]
    line: WoBomLine,
    declared_serials: Vec<DeclaredSerial>,
}

/// What a screen needs to work on a job.
#[derive(Debug, Object)]
struct JobData {
    #[oai(flatten)]
    job: JobBase,
    /// Key of the user who is to do it.
    assigned_to: Option<String>,
    wo_bom: Vec<DeclaredLine>,
    /// Issues that are linked to the job.
    issue_count: i64,
    product_notes: Option<String>,
    phase_notes: Option<String>,
    order_notes: Option<String>,
    /// Messages about the work order.
    message_count: i64,
}

/// A work session.
#[derive(Debug, Object)]
struct WorkSession {
    #[oai(rename = "_id")]
    id: String,
    #[oai(rename = "_key")]
    key: String,
    #[oai(rename = "_rev")]
    rev: String,
    user_session_key: Option<String>,
    batch_key: Option<String>,
    job_key: Option<String>,
    phase_key: Option<String>,
    work_order_key: Option<String>,
    product_key: Option<String>,
    user_key: Option<String>,
    start: Option<String>,
    end: Option<String>,
    /// Milliseconds.
    duration: Option<i64>,
    active: Option<bool>,
    hourly_cost: Option<f64>,
    canceled: Option<String>,
    forced: Option<String>,
}

/// When a screen gave its last sign of life.
#[derive(Debug, Object)]
struct Heartbeat {
    last_online: String,
}

/// 404 for a job that does not exist.
pub(super) fn unknown_job(job_key: &str) -> Error {
    Error::message(StatusCode::NOT_FOUND, format!("Job/{job_key} not found"))
}

#[OpenApi(tag = "Area::Production")]
impl Reads {
    /// List jobs with their operators
    ///
    /// A value of each parameter that is given; without any, all open jobs. By the codes of work orders, within an order by phase.
    #[oai(path = "/job", method = "get", operation_id = "get_job_list_job_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::ProductionJobRead")] _caller: Caller,
        job_key: Query<Option<Vec<String>>>,
        work_order_key: Query<Option<Vec<String>>>,
        phase_key: Query<Option<Vec<String>>>,
    ) -> Result<Json<Answer<AsStored<Vec<JobRow>>>>> {
        let params = jobs::Params {
            job_keys: job_key.as_ref().filter(|keys| !keys.is_empty()).map(Into::into),
            order_keys: work_order_key.as_ref().filter(|keys| !keys.is_empty()).map(Into::into),
            phase_keys: phase_key.as_ref().filter(|keys| !keys.is_empty()).map(Into::into),
        };
        let jobs: Vec<Value> = stored::jobs(&self.0.store, params).await?.into_iter().map(whole_job).collect();
        Ok(Json(Answer::detail(AsStored::new(jobs.into()))))
    }

    /// Working data of a job
    ///
    /// With the whole bill of materials of its order and what is declared of it for the active batch.
    #[oai(path = "/job/:job_key", method = "get", operation_id = "get_job_data_job__job_key__get")]
    async fn one(
        &self,
        #[oai(scope = "Scope::ProductionJobRead")] _caller: Caller,
        job_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Answer<AsStored<JobData>>>> {
        let job = views::job(&self.0.store, &job_key).await?.ok_or_else(|| unknown_job(&job_key))?;
        let message = format!("Retrieved data for Job/{}", *job_key);
        Ok(Json(Answer::detail(AsStored::new(whole_job(job))).with_message(message)))
    }

    /// Elapsed time of a job
    ///
    /// Milliseconds of all its work sessions, running ones up to now.
    #[oai(path = "/job/:job_key/time", method = "get", operation_id = "get_job_elapsed_time_job__job_key__time_get")]
    async fn time(
        &self,
        #[oai(scope = "Scope::ProductionJobRead")] _caller: Caller,
        job_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Answer<f64>>> {
        let params = job_time::Params { job_key: &job_key, now: &clock::now() };
        let time = stored::job_time(&self.0.store, params).await?;
        Ok(Json(Answer::detail(time.ok_or_else(|| unknown_job(&job_key))?)))
    }

    /// Last work session of a job
    ///
    /// Running or not; null when nobody has worked on it.
    #[oai(path = "/work-session", method = "get", operation_id = "get_active_work_session_for_job_work_session_get")]
    async fn session(
        &self,
        #[oai(scope = "Scope::ProductionWorkSessionRead")] _caller: Caller,
        job_key: Query<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Answer<AsStored<WorkSession>>>> {
        let row = stored::last_session(&self.0.store, last_session::Params { job_key: &job_key }).await?;
        let session = row.ok_or_else(|| unknown_job(&job_key))?.session;
        let session = (!session.is_null()).then(|| AsStored::new(session));
        let message = format!("Retrieved session for Job/{}", *job_key);
        Ok(Json(Answer::of(session).with_message(message)))
    }

    /// Tell that the screen of a job is alive
    ///
    /// Nothing but `last_online` changes. Whoever changes the job at the same time shows as well that it lives.
    #[oai(
        path = "/job/:job_key/heartbeat",
        method = "post",
        operation_id = "job_heartbeat_job__job_key__heartbeat_post"
    )]
    async fn heartbeat(
        &self,
        #[oai(scope = "Scope::ProductionJobUpdate")] _caller: Caller,
        job_key: Path<String>,
        /// Ignored.
        work_session_key: Query<Option<String>>,
        _fails: Fails<404>,
    ) -> Result<Json<Answer<Heartbeat>>> {
        drop(work_session_key);
        let now = clock::now();
        let params = heartbeat::Params { job_key: &job_key, now: &now };
        let alive: Result<Option<String>> = transaction!(self.0.store, Access::of(&[HEARTBEAT]), |trx| {
            stored::heartbeat(trx, params.clone()).await
        });
        match alive {
            Ok(None) => Err(unknown_job(&job_key)),
            Ok(_) | Err(Error::Busy(_)) => Ok(Json(Answer::detail(Heartbeat { last_online: now }))),
            Err(error) => Err(error),
        }
    }
}
