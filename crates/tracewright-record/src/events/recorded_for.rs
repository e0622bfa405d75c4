//! For whom and when an event is recorded: what a client may say of it, held to what it may say.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Common, RecordedFor, Refusal};
use crate::aql::event::named;
use crate::aql::rows::Receipt;
use crate::auth::{Caller, Scope};
use crate::error::Result;

/// How far ahead a station's clock may be.
pub(super) const AHEAD: TimeDelta = TimeDelta::minutes(5);
/// How late a station may report.
const LATE: TimeDelta = TimeDelta::days(7);

/// What the database knows of a call before it records. Calls that name little are spared the questions about the rest.
#[derive(Debug, Default)]
pub(super) struct Before {
    pub users: Vec<String>,
    pub receipt: Option<Receipt>,
    pub recorded: Option<String>,
    /// What it names beside users: sessions, tasks and the group.
    pub named: Option<named::Row>,
}

impl Before {
    /// The number of the next event in a group. Refused when the group holds events of another user.
    pub(super) fn next_sequence(&self, group: Option<&str>) -> Result<i64> {
        match (self.named.as_ref().and_then(|named| named.group.as_ref()), group) {
            (Some(found), Some(group)) if found.is_foreign => {
                Err(Refusal::Value.says(format!("Event group {group} belongs to another user")))
            }
            (Some(found), _) => Ok(found.last.map_or(0, |last| last + 1)),
            (None, _) => Ok(0),
        }
    }

    /// The task in whose context an event happened.
    pub(super) fn context(&self, common: &Common) -> Result<Option<String>> {
        match (&common.context_type, &common.context_key) {
            (None, None) => Ok(None),
            (Some(kind), Some(key)) if kind == "task" => {
                let is_known = self.named.as_ref().is_some_and(|named| named.tasks.contains(key));
                if is_known { Ok(Some(key.clone())) } else { Err(Refusal::Value.not_found("Task", key)) }
            }
            (Some(kind), Some(_)) => Err(Refusal::Value.says(format!("Context type {kind} is not known: use task"))),
            _ => Err(Refusal::Value.says("Context needs type and key")),
        }
    }

    /// Who it is recorded for: key of the user, key of the session, key of the recorder.
    pub(super) fn identity(
        &self,
        caller: &Caller,
        common: &Common,
    ) -> Result<(String, Option<String>, Option<String>)> {
        let own = caller.user_key();
        let user_key = common.user_key.as_deref().unwrap_or(own);
        let is_own = user_key == own;
        if !is_own {
            caller.require(Scope::OrgUserActAs)?;
            if !self.users.iter().any(|known| known == user_key) {
                return Err(Refusal::Value.not_found("User", user_key));
            }
        }
        let session = match &common.user_session_key {
            None => caller.session_key().filter(|_| is_own).map(str::to_owned),
            Some(key) => {
                let of_user = |session: &named::Sessions| session.user_key.as_deref() == Some(user_key);
                let mut sessions = self.named.iter().flat_map(|named| &named.sessions);
                if !sessions.any(|session| session.key == *key && of_user(session)) {
                    let text = format!("User session {key} does not belong to user {user_key}");
                    return Err(Refusal::Value.says(text));
                }
                Some(key.clone())
            }
        };
        Ok((user_key.to_owned(), session, (!is_own).then(|| own.to_owned())))
    }
}

/// When an event happened.
pub(super) fn time(caller: &Caller, common: &Common, now: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let Some(time) = common.timestamp else { return Ok(now) };
    if time > now + AHEAD {
        return Err(Refusal::Value.says("Timestamp lies in the future"));
    }
    if time < now - LATE && caller.require(Scope::OrgUserActAs).is_err() {
        return Err(Refusal::Value.says("Timestamp is older than 7 days"));
    }
    Ok(time)
}

/// For whom, when and about what an event is recorded.
pub(super) fn of(before: &Before, caller: &Caller, common: &Common, now: DateTime<Utc>) -> Result<RecordedFor> {
    let (user_key, user_session_key, recorded_by) = before.identity(caller, common)?;
    Ok(RecordedFor {
        user_key,
        user_session_key,
        recorded_by,
        time: time(caller, common, now)?,
        context_key: before.context(common)?,
        description: common.description.clone(),
    })
}
