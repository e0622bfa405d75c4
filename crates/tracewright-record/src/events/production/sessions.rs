//! `WORK_SESSION_CREATED` and `WORK_SESSION_CLOSED`: the times that somebody works. Only the service records them.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::pauses::JobPaused;
use super::work::{Work, latest_start};
use crate::aql::production_events::{
    CLOSE_SESSION, INSERT_SESSION, RUNNING_ELSEWHERE, close_session, insert_session, running_elsewhere as running,
};
use crate::error::Result;
use crate::events::{Call, Concerned, Event, EventId, EventType};
use crate::store::{Access, typed};

/// What is stored of a work session.
#[derive(Debug, Serialize)]
pub struct SessionDocument<'a> {
    /// The database makes it unless somebody began to work.
    #[serde(rename = "_key", skip_serializing_if = "Option::is_none")]
    pub key: Option<&'a str>,
    pub user_key: Option<&'a str>,
    pub job_key: &'a str,
    pub batch_key: &'a str,
    pub work_order_key: &'a str,
    pub phase_key: &'a str,
    pub product_key: &'a str,
    pub user_session_key: Option<&'a str>,
    pub start: Option<String>,
    pub active: bool,
    pub end: Option<String>,
    /// Milliseconds.
    pub duration: Option<i64>,
    pub canceled: Option<String>,
    /// The event that declared it.
    pub forced: Option<&'a str>,
    pub paused_offline: Option<String>,
}

/// Somebody begins to work on a batch.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WORK_SESSION_CREATED")]
pub struct WorkSessionCreated {
    user_key: String,
    job_key: String,
    batch_key: String,
    work_order_key: String,
    phase_key: String,
    product_key: String,
    user_session_key: Option<String>,
    /// Filled in: the session.
    work_session_key: Option<String>,
    #[oai(default)]
    forced: bool,
}

impl WorkSessionCreated {
    /// A session of a user for a batch of a job.
    pub fn of(work: &Work, user_key: &str, user_session_key: Option<String>, batch_key: &str) -> Self {
        Self {
            user_key: user_key.to_owned(),
            job_key: work.job.key.clone(),
            batch_key: batch_key.to_owned(),
            work_order_key: work.order.key.clone(),
            phase_key: work.job.phase_key.clone(),
            product_key: work.job.product_key.clone(),
            user_session_key,
            work_session_key: None,
            forced: false,
        }
    }

    fn concerned(&self) -> Concerned {
        Concerned {
            work_order_key: Some(self.work_order_key.clone()),
            job_key: Some(self.job_key.clone()),
            phase_key: Some(self.phase_key.clone()),
            batch_key: Some(self.batch_key.clone()),
            product_key: Some(self.product_key.clone()),
            ..Concerned::default()
        }
    }
}

impl Event for WorkSessionCreated {
    const TYPE: EventType = EventType::WorkSessionCreated;

    /// The key of the session.
    type Answer = String;

    fn access() -> Access<'static> {
        Access::of(&[INSERT_SESSION, RUNNING_ELSEWHERE]).joined(&JobPaused::access())
    }

    /// Whatever else runs for the user stops, but for what was begun later than this and what runs unsupervised.
    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<String> {
        call.concerns(this, self.concerned());
        for job_key in running_elsewhere(call, &self.user_key, &self.job_key).await? {
            call.child(this, JobPaused::of(job_key)).await?;
        }
        let key = Uuid::new_v4().to_string();
        self.work_session_key = Some(key.clone());
        let session = typed::bound(&SessionDocument {
            key: Some(&key),
            user_key: Some(&self.user_key),
            job_key: &self.job_key,
            batch_key: &self.batch_key,
            work_order_key: &self.work_order_key,
            phase_key: &self.phase_key,
            product_key: &self.product_key,
            user_session_key: self.user_session_key.as_deref(),
            start: Some(call.stored_time()),
            active: true,
            end: None,
            duration: None,
            canceled: None,
            forced: None,
            paused_offline: None,
        })?;
        let params = insert_session::Params { session: &session, user_key: &self.user_key };
        Ok(insert_session(call.trx, params).await?.key)
    }
}

/// The jobs, but for one, that run for a user and stop when the user begins something at the time of the event.
pub async fn running_elsewhere(call: &Call<'_>, user_key: &str, job_key: &str) -> Result<Vec<String>> {
    running(call.trx, running::Params { user_key, job_key, latest: &latest_start(call) }).await
}

/// A work session ends.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WORK_SESSION_CLOSED")]
pub struct WorkSessionClosed {
    work_session_key: String,
    work_session_end: String,
    #[oai(skip)]
    concerned: Concerned,
}

impl WorkSessionClosed {
    /// The end of a session of a job.
    pub fn of(work: &Work, session_key: &str, end: String) -> Self {
        Self { work_session_key: session_key.to_owned(), work_session_end: end, concerned: work.concerned() }
    }
}

impl Event for WorkSessionClosed {
    const TYPE: EventType = EventType::WorkSessionClosed;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[CLOSE_SESSION])
    }

    /// A session that is closed already stays as it is.
    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        call.concerns(this, self.concerned.clone());
        let params = close_session::Params { session_key: &self.work_session_key, end: &self.work_session_end };
        if let Some(closed) = close_session(call.trx, params).await? {
            self.work_session_end = closed.end;
        }
        Ok(Value::Null)
    }
}
