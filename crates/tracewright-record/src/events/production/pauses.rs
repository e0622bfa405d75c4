//! `JOB_PAUSED`, `JOB_PAUSE_FORCED`, `JOB_PAUSED_OFFLINE` and `JOB_BACK_ONLINE`: nobody works on a job for a while.

use poem_openapi::Object;
use serde_json::Value;

use super::overrides::update_session;
use super::sessions::{self, WorkSessionClosed};
use super::settle::{self, JobAnswer};
use super::work::{self, Session, Work, update_job, update_online};
use crate::aql::production_events::{RESUME_SESSION, RUNNING_ELSEWHERE, UPDATE_SESSIONS, resume_session};
use crate::auth::Scope;
use crate::clock;
use crate::error::{Error, Result};
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::production::members::{JobMembers, SessionMembers};
use crate::store::{Access, Store};
use tracewright_model::Moment;
use tracewright_model::WorkOrderStatus;

/// Somebody stops working on a job.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_JOB_PAUSED")]
pub struct JobPaused {
    job_key: String,
}

impl JobPaused {
    /// The pause of a job.
    pub fn of(job_key: String) -> Self {
        Self { job_key }
    }
}

/// Somebody else stops the work on a job.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_JOB_PAUSE_FORCED")]
pub struct JobPauseForced {
    job_key: String,
}

/// The station at which somebody worked on a job was not heard of for too long.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_JOB_PAUSED_OFFLINE")]
pub struct JobPausedOffline {
    job_key: String,
    /// When the work ended; without it, when the job was heard of last.
    work_session_end: Option<Moment>,
}

/// The station is heard of again: the work went on.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_JOB_BACK_ONLINE")]
pub struct JobBackOnline {
    job_key: String,
}

/// What the three pauses have in common: they end a session, of a job that is theirs alone meanwhile, and its order follows.
macro_rules! is_pause {
    () => {
        type Answer = Value;

        fn access() -> Access<'static> {
            WorkSessionClosed::access().and(&work::QUERIES).and(&[UPDATE_SESSIONS]).joined(&settle::access())
        }

        async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
            work::lock_of_job(store, &self.job_key).await
        }

        async fn settle(call: &mut Call<'_>, this: EventId) -> Result<()> {
            settle::orders(call, this).await
        }
    };
}

/// The session that runs. Refused when none does.
fn running(work: &Work) -> Result<Session> {
    let not_running = || Refusal::Value.says(format!("Job {} is not running", work.job.key));
    work.running().cloned().ok_or_else(not_running)
}

/// Refused when the session is another operator's, but for supervisors. What another event stops is not asked for.
fn must_be_own(call: &Call<'_>, this: EventId, work: &Work, session: &Session) -> Result<()> {
    let is_own = session.user_key.as_deref() == Some(call.user_key()) || !call.is_primary(this);
    if is_own || call.may(Scope::ProductionOverrideRecord) {
        return Ok(());
    }
    Err(Refusal::Value.says(format!("Job {} is worked on by another operator", work.job.key)))
}

/// The end of the session; the job keeps its batch.
async fn pause(call: &mut Call<'_>, this: EventId, work: &Work, session: &Session, end: String) -> Result<()> {
    call.child(this, WorkSessionClosed::of(work, &session.key, end)).await?;
    update_job(call, &work.job.key, &JobMembers { active: Some(false), ..JobMembers::default() }).await
}

impl Event for JobPaused {
    const TYPE: EventType = EventType::JobPaused;

    is_pause!();

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        let session = running(&work)?;
        must_be_own(call, this, &work, &session)?;
        let end = call.stored_time();
        pause(call, this, &work, &session, end).await?;
        update_online(call, &work).await?;
        Ok(Value::Null)
    }
}

impl Event for JobPauseForced {
    const TYPE: EventType = EventType::JobPauseForced;

    is_pause!();

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        let session = running(&work)?;
        let end = call.stored_time();
        pause(call, this, &work, &session, end).await?;
        Ok(Value::Null)
    }
}

impl Event for JobPausedOffline {
    const TYPE: EventType = EventType::JobPausedOffline;

    is_pause!();

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        let session = running(&work)?;
        must_be_own(call, this, &work, &session)?;
        let given = self.work_session_end.as_ref().map(|moment| moment.0.clone());
        if given.as_deref().and_then(clock::parse).is_some_and(|end| end > call.time()) {
            return Err(Refusal::Value.says("The end of the session lies after the event"));
        }
        let end = given.or_else(|| work.job.last_online.clone()).unwrap_or_else(|| call.stored_time());
        pause(call, this, &work, &session, end).await?;
        let paused_offline = Some(call.key(this).to_owned());
        let members = SessionMembers { paused_offline, ..SessionMembers::default() };
        update_session(call, &session.key, &members).await?;
        Ok(Value::Null)
    }
}

impl Event for JobBackOnline {
    const TYPE: EventType = EventType::JobBackOnline;

    type Answer = Option<JobAnswer>;

    fn access() -> Access<'static> {
        Access::of(&[RESUME_SESSION, RUNNING_ELSEWHERE]).and(&work::QUERIES).joined(&settle::answering())
    }

    async fn locks(&self, store: &Store, user_key: &str) -> Result<LockNames> {
        work::locks_of_work(store, &self.job_key, user_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Option<JobAnswer>> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        let session = work.session.clone().ok_or_else(|| not_offline(&work))?;
        must_be_own(call, this, &work, &session)?;
        let batch_runs = work.active_batch().is_some_and(|batch| session.batch_key.as_deref() == Some(&batch.key));
        let was_offline = session.paused_offline.is_some() && !session.active;
        if work.job.stage != WorkOrderStatus::Started || work.job.active || !was_offline || !batch_runs {
            return Err(not_offline(&work));
        }
        let user_key = session.user_key.clone().unwrap_or_default();
        if !sessions::running_elsewhere(call, &user_key, &self.job_key).await?.is_empty() {
            return Err(Refusal::Value.says("Another job was started meanwhile: resume this one"));
        }
        let params = resume_session::Params { session_key: &session.key, user_key: &user_key };
        resume_session(call.trx, params).await?;
        let last_online = Some(work.online(call));
        let members = JobMembers { active: Some(true), last_online, ..JobMembers::default() };
        update_job(call, &self.job_key, &members).await?;
        settle::answer(call, this, &self.job_key, "The job is running on".to_owned()).await
    }
}

fn not_offline(work: &Work) -> Error {
    Refusal::Value.says(format!("Job {} was not paused offline: resume it", work.job.key))
}
