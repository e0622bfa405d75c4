//! `TIME_OVERRIDE_REQUESTED` and `WORK_SESSION_CANCELED`: what somebody declares about times instead of what was measured.

use poem_openapi::Object;
use serde_json::Value;

use super::batch_completed::values;
use super::closed::must_not_run;
use super::sessions::SessionDocument;
use super::settle;
use super::work::{self, Work, update_job};
pub use crate::aql::production_events::batches_of_job::Row as Done;
use crate::aql::production_events::{
    self as stored, BATCH_VALUES, BATCHES_OF_JOB, CANCEL_SESSIONS, INSERT_FORCED_SESSIONS, SESSION, UPDATE_BATCHES,
    UPDATE_SESSIONS,
};
use crate::aql::rows::MemberChange;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production::members::{BatchMembers, JobMembers, SessionMembers};
use crate::store::{Access, Query, Store, typed};

/// What declared times run.
pub const QUERIES: [Query; 5] = [BATCHES_OF_JOB, BATCH_VALUES, CANCEL_SESSIONS, INSERT_FORCED_SESSIONS, UPDATE_BATCHES];

/// The batches of a job that count.
pub async fn batches(call: &Call<'_>, job_key: &str) -> Result<Vec<Done>> {
    stored::batches_of_job(call.trx, stored::batches_of_job::Params { job_key }).await
}

/// Shares of a time in whole milliseconds, in proportion to quantities; the last takes what is left.
pub fn shares(total: i64, quantities: &[f64]) -> Vec<i64> {
    let sum: f64 = quantities.iter().sum();
    let mut shares: Vec<i64> = quantities
        .iter()
        .map(|quantity| if sum > 0.0 { (total as f64 * quantity / sum).floor() as i64 } else { 0 })
        .collect();
    let given: i64 = shares.iter().rev().skip(1).sum();
    if let Some(last) = shares.last_mut() {
        *last = total - given;
    }
    shares
}

/// Stores declared times of batches.
pub async fn declare(call: &Call<'_>, this: EventId, work: &Work, times: &[(&str, i64)]) -> Result<()> {
    let session = |(batch_key, duration): &(&str, i64)| {
        typed::bound(&SessionDocument {
            key: None,
            user_key: None,
            job_key: &work.job.key,
            batch_key,
            work_order_key: &work.order.key,
            phase_key: &work.job.phase_key,
            product_key: &work.job.product_key,
            user_session_key: None,
            start: None,
            active: false,
            end: None,
            duration: Some(*duration),
            canceled: None,
            forced: Some(call.key(this)),
            paused_offline: None,
        })
    };
    let sessions: Vec<Value> = times.iter().map(session).collect::<Result<_, _>>()?;
    if sessions.is_empty() {
        return Ok(());
    }
    let user_key = work.job.assigned_to.as_deref();
    stored::insert_forced_sessions(call.trx, stored::insert_forced_sessions::Params { sessions: &sessions, user_key })
        .await
}

/// The sessions of a job do not count any more.
pub async fn cancel_sessions(call: &Call<'_>, this: EventId, job_key: &str) -> Result<()> {
    stored::cancel_sessions(call.trx, stored::cancel_sessions::Params { job_key, event_key: call.key(this) }).await
}

/// Values batches anew by their sessions. `forced`: the event that does, where they keep it.
pub async fn value_anew(call: &Call<'_>, batch_keys: &[&str], forced: Option<&str>) -> Result<()> {
    let mut changes = Vec::new();
    for (key, value) in values(call, batch_keys).await? {
        let forced = forced.map(str::to_owned);
        let members = BatchMembers { forced, value: Some(value), ..BatchMembers::default() };
        changes.push(MemberChange::of(&key, &members)?);
    }
    if changes.is_empty() {
        return Ok(());
    }
    stored::update_batches(call.trx, stored::update_batches::Params { changes: &changes }).await
}

/// Changes members of a work session.
pub async fn update_session(call: &Call<'_>, session_key: &str, members: &SessionMembers) -> Result<()> {
    let changes = &[MemberChange::of(session_key, members)?];
    stored::update_sessions(call.trx, stored::update_sessions::Params { changes }).await
}

/// The time of a job is declared instead of measured.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_TIME_OVERRIDE_REQUESTED")]
pub struct TimeOverrideRequested {
    job_key: String,
    /// Milliseconds; without it, what is planned for the pieces that are completed.
    #[oai(validator(minimum(value = "0")))]
    new_job_duration: Option<i64>,
}

impl Event for TimeOverrideRequested {
    const TYPE: EventType = EventType::TimeOverrideRequested;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&QUERIES).and(&work::QUERIES).joined(&settle::access())
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        work::lock_of_job(store, &self.job_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        must_not_run(&work)?;
        if work.job.stage.is_untouched() {
            return Err(Refusal::JobIsNotStarted.says(format!("Job {} is not started", self.job_key)));
        }
        let made = batches(call, &self.job_key).await?;
        if made.is_empty() {
            return Err(Refusal::Value.says(format!("Job {} has no batch that takes the time", self.job_key)));
        }
        let planned = || (work.job.std_processing_time * 1000.0 * work.job.qt_completed).round() as i64;
        let total = *self.new_job_duration.get_or_insert_with(planned);
        cancel_sessions(call, this, &self.job_key).await?;
        let quantities: Vec<f64> = made.iter().map(|batch| batch.qt_total).collect();
        let keys: Vec<&str> = made.iter().map(|batch| batch.key.as_str()).collect();
        let times: Vec<(&str, i64)> = keys.iter().copied().zip(shares(total, &quantities)).collect();
        declare(call, this, &work, &times).await?;
        value_anew(call, &keys, Some(call.key(this))).await?;
        let forced = Some(call.key(this).to_owned());
        update_job(call, &self.job_key, &JobMembers { forced, ..JobMembers::default() }).await?;
        Ok(Value::Null)
    }

    async fn settle(call: &mut Call<'_>, this: EventId) -> Result<()> {
        settle::orders(call, this).await
    }
}

/// A work session was none.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WORK_SESSION_CANCELED")]
pub struct WorkSessionCanceled {
    work_session_key: String,
}

impl Event for WorkSessionCanceled {
    const TYPE: EventType = EventType::WorkSessionCanceled;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[BATCH_VALUES, SESSION, UPDATE_BATCHES, UPDATE_SESSIONS])
            .and(&work::QUERIES)
            .joined(&settle::access())
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        let params = stored::session::Params { session_key: &self.work_session_key };
        match stored::session(store, params).await? {
            Some(session) => work::lock_of_job(store, &session.job_key).await,
            None => Ok(LockNames::new()),
        }
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let key = &self.work_session_key;
        let found = stored::session(call.trx, stored::session::Params { session_key: key }).await?;
        let session = found.ok_or_else(|| Refusal::Value.not_found("Work session", key))?;
        let work = Work::take_up(call, this, &session.job_key).await?;
        call.concerns(this, Concerned { batch_key: session.batch_key.clone(), ..work.concerned() });
        if session.is_canceled {
            return Err(Refusal::Value.says(format!("Work session {key} is canceled")));
        }
        if session.active {
            return Err(Refusal::Value.says(format!("Pause job {} first", session.job_key)));
        }
        let members = SessionMembers { canceled: Some(call.key(this).to_owned()), ..SessionMembers::default() };
        update_session(call, key, &members).await?;
        let batches: Vec<&str> = session.batch_key.iter().map(String::as_str).collect();
        value_anew(call, &batches, None).await?;
        Ok(Value::Null)
    }

    async fn settle(call: &mut Call<'_>, this: EventId) -> Result<()> {
        settle::orders(call, this).await
    }
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn a_time_is_shared_in_whole_milliseconds_and_the_last_takes_what_is_left() {
        assert_eq!(shares(10_000, &[5.0, 2.0]), [7_142, 2_858]);
        assert_eq!(shares(10, &[1.0, 1.0, 1.0]), [3, 3, 4]);
        assert_eq!(shares(7, &[0.0]), [7]);
        assert!(shares(7, &[]).is_empty());
    }
}
