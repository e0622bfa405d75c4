//! `WORK_SESSION_CREATED` and `WORK_SESSION_CLOSED`: the times that somebody works. Only the service records them.

use poem_openapi::Object;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::pauses::JobPaused;
use super::work::{Work, latest_start};
use crate::aql::production_events::{CLOSE_SESSION, INSERT_SESSION, RUNNING_ELSEWHERE};
use crate::error::{Error, Result};
use crate::events::{Call, Concerned, Event, EventId, EventType};
use crate::store::Access;

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

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[INSERT_SESSION, RUNNING_ELSEWHERE]).joined(&JobPaused::access())
    }

    /// Whatever else runs for the user stops, but for what was begun later than this and what runs unsupervised.
    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        call.concerns(this, self.concerned());
        for job_key in running_elsewhere(call, &self.user_key, &self.job_key).await? {
            call.child(this, JobPaused::of(job_key)).await?;
        }
        let key = Uuid::new_v4().to_string();
        self.work_session_key = Some(key.clone());
        let session = json!({
            "_key": key, "user_key": self.user_key, "job_key": self.job_key,
            "batch_key": self.batch_key, "work_order_key": self.work_order_key, "phase_key": self.phase_key,
            "product_key": self.product_key, "user_session_key": self.user_session_key, "start": call.stored_time(),
            "active": true, "end": null, "duration": null, "canceled": null, "forced": null, "paused_offline": null,
        });
        let params = json!({"session": session, "user_key": self.user_key});
        let stored: Option<Value> = call.trx.row(&INSERT_SESSION, params).await?;
        stored.ok_or_else(|| Error::internal("The work session could not be stored.", "no row"))
    }
}

/// The jobs, but for one, that run for a user and stop when the user begins something at the time of the event.
pub async fn running_elsewhere(call: &Call<'_>, user_key: &str, job_key: &str) -> Result<Vec<String>> {
    let params = json!({"user_key": user_key, "job_key": job_key, "latest": latest_start(call)});
    call.trx.rows(&RUNNING_ELSEWHERE, params).await
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
        #[derive(Deserialize)]
        struct Closed {
            end: String,
        }
        call.concerns(this, self.concerned.clone());
        let params = json!({"session_key": self.work_session_key, "end": self.work_session_end});
        if let Some(Closed { end }) = call.trx.row(&CLOSE_SESSION, params).await? {
            self.work_session_end = end;
        }
        Ok(Value::Null)
    }
}
