//! Events that clients post, one or many in a call: checked in a fixed order, recorded once, answered again when they are
//! sent again.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::time::Instant;
use uuid::Uuid;

use super::call::{self, Call};
use super::locks::LockNames;
use super::receipt::Sent;
use super::recorded_for::{self, Before};
use super::registry::{self, Kind, Rows};
use super::{EventType, Posting, RecordedFor, Recorder, Refusal, refusal};
use crate::auth::Caller;
use crate::error::{Error, Result};
use crate::store::{Access, By, Held, Transaction, typed};
use crate::{aql, transaction};

/// How long a call may take until its commit begins, which is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The members that every event has.
#[derive(Debug, Clone, Default)]
pub struct Common {
    /// `primary` as it was sent.
    pub primary: Option<bool>,
    /// What it happened in the context of.
    pub context_type: Option<String>,
    /// The key of that.
    pub context_key: Option<String>,
    /// The user it is recorded for.
    pub user_key: Option<String>,
    /// That user's session.
    pub user_session_key: Option<String>,
    /// When it happened.
    pub timestamp: Option<DateTime<Utc>>,
    /// A remark.
    pub description: Option<String>,
}

/// An event as it was posted.
#[derive(Debug, Clone)]
pub struct Row {
    /// The members that every event has.
    pub common: Common,
    /// Everything that was sent.
    pub members: Map<String, Value>,
}

/// What was posted.
#[derive(Debug)]
pub struct Posted {
    /// The type of its events.
    pub event_type: EventType,
    /// The key under which it is sent.
    pub event_key: Option<String>,
    /// The group of its events.
    pub event_group: Option<String>,
    /// The events, one or many.
    pub rows: Vec<Row>,
    /// All of it, as it was sent.
    pub body: Value,
}

/// The answer to what was posted.
#[derive(Debug)]
pub struct Answered {
    /// The body.
    pub body: Value,
    /// Key of the event, or of the call.
    pub key: Option<String>,
    /// Group of the events.
    pub group: String,
    /// Whether it was recorded earlier.
    pub is_repeated: bool,
}

/// Records one event.
pub async fn post_one(recorder: &Recorder, caller: &Caller, posted: Posted) -> Result<Answered> {
    Post::new(recorder, caller, posted, false)?.run().await
}

/// Records events of one type, all or none.
pub async fn post_many(recorder: &Recorder, caller: &Caller, posted: Posted) -> Result<Answered> {
    let total = posted.rows.len();
    let run = async { Post::new(recorder, caller, posted, true)?.run().await };
    run.await.map_err(|error| match error {
        // A row that failed has its number already.
        Error::Answer(_, Value::Object(ref detail)) if detail.contains_key("total_events") => error,
        other => refusal::of_row(other, total, None),
    })
}

/// The body of an answer.
#[derive(Serialize)]
struct Body<D> {
    status: u16,
    message: Option<String>,
    detail: D,
}

/// What is answered to many events.
#[derive(Serialize)]
struct Bulk<'a> {
    event_count: usize,
    event_group: &'a str,
}

/// A call on its way.
struct Post<'a> {
    recorder: &'a Recorder,
    caller: &'a Caller,
    kind: &'static Kind,
    posted: Posted,
    /// The events, or what is wrong with their members: told when it is their turn.
    rows: Box<dyn Rows>,
    sent: Option<Sent>,
    is_bulk: bool,
}

/// How the rows of a call take effect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    InBulk,
    RowByRow,
}

impl<'a> Post<'a> {
    fn new(recorder: &'a Recorder, caller: &'a Caller, posted: Posted, is_bulk: bool) -> Result<Self> {
        let kind = kind_of(posted.event_type)?;
        kind.scope.map_or(Ok(()), |scope| caller.require(scope))?;
        let total = posted.rows.len();
        for (index, row) in posted.rows.iter().enumerate() {
            if row.common.primary == Some(false) {
                let refused = Refusal::Value.says("Only primary events can be posted");
                return Err(if is_bulk { refusal::of_row(refused, total, Some(index)) } else { refused });
            }
        }
        let rows = (kind.read)(posted.rows.iter().map(|row| Value::Object(row.members.clone())).collect());
        let sent = posted.event_key.as_deref().map(|key| Sent::new(key, caller.user_key(), &posted.body, is_bulk));
        Ok(Self { recorder, caller, kind, posted, rows, sent, is_bulk })
    }

    /// The same error, with the number of its row in a call of many.
    fn at_row(&self, index: usize, error: Error) -> Error {
        if self.is_bulk { refusal::of_row(error, self.posted.rows.len(), Some(index)) } else { error }
    }

    async fn run(mut self) -> Result<Answered> {
        let (locks, alone) = self.look_ahead().await?;
        let _held = self.recorder.locks.take(locks).await?;
        let access = alone.iter().fold((self.kind.access)().and(&call::QUERIES), Access::exclusive);
        self.record(self.recorder.store.by(Instant::now() + PATIENCE), access).await
    }

    /// What no other call may change meanwhile, and what is held alone. A user who belongs to a row that was
    /// sent along is not the one it is recorded for.
    async fn look_ahead(&mut self) -> Result<(LockNames, Vec<Held>)> {
        let own = self.caller.user_key();
        let users: Vec<&str> =
            self.posted.rows.iter().map(|row| row.common.user_key.as_deref().unwrap_or(own)).collect();
        let (mut locks, mut alone) = (LockNames::new(), Vec::new());
        let found = self.rows.ahead(&self.recorder.store, &users).await?;
        for (ahead, row) in found.into_iter().zip(&mut self.posted.rows) {
            locks.extend(ahead.locks);
            alone.extend(ahead.alone);
            if row.common.user_key.as_deref().is_some_and(|key| key != own) && ahead.user_of_row == row.common.user_key
            {
                row.common.user_key = None;
            }
        }
        locks.extend(self.posted.event_key.as_ref().map(|key| format!("EventReceipt/{key}")));
        locks.extend(self.posted.event_group.as_ref().map(|group| format!("Group/{group}")));
        Ok((locks, alone))
    }

    /// Rows that are refused together are tried again one after the other, so that the refusal names its row.
    async fn record(&self, store: By<'_>, access: Access<'static>) -> Result<Answered> {
        if self.posted.rows.len() > 1 && self.rows.fit_in_bulk() {
            let in_bulk = self.record_at(store, access.clone(), Pace::InBulk).await;
            if !matches!(in_bulk, Err(Error::Answer(..))) {
                return in_bulk;
            }
        }
        self.record_at(store, access, Pace::RowByRow).await
    }

    async fn record_at(&self, store: By<'_>, access: Access<'static>, pace: Pace) -> Result<Answered> {
        transaction!(store, access.clone(), |trx| { self.attempt(trx, pace).await })
    }

    async fn attempt(&self, trx: &Transaction, pace: Pace) -> Result<Answered> {
        let before = self.before(trx).await?;
        let group = self.posted.event_group.as_deref();
        let next_sequence = before.next_sequence(group)?;
        for (index, row) in self.posted.rows.iter().enumerate() {
            let named = before.context(&row.common).map(drop);
            named
                .and_then(|()| before.identity(self.caller, &row.common).map(drop))
                .map_err(|e| self.at_row(index, e))?;
        }
        let Before { receipt, recorded, .. } = &before;
        if let Some(sent) = &self.sent
            && let Some(earlier) = sent.earlier(receipt.as_ref(), recorded.as_deref())?
        {
            return Ok(self.answered(earlier.answer.clone(), &earlier.event_group, true));
        }
        let now = Utc::now();
        let group = group.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned);
        let mut call = Call::new(self.recorder, trx, Some(self.caller), group.clone(), next_sequence);
        let detail = match pace {
            Pace::InBulk => self.take_in_bulk(&mut call, &before, now).await.map(|()| Value::Null),
            Pace::RowByRow => self.take_rows(&mut call, &before, now).await,
        };
        let body = self.body(detail?, &group)?;
        let receipt = self.sent.as_ref().map(|sent| sent.receipt(&group, &body)).transpose()?;
        let key = if self.is_bulk { self.posted.event_key.clone() } else { call.first_key() };
        call.write(receipt).await?;
        Ok(Answered { body, key, group, is_repeated: false })
    }

    /// Records one row after the other, and gives the answer to the last.
    async fn take_rows(&self, call: &mut Call<'_>, before: &Before, now: DateTime<Utc>) -> Result<Value> {
        let mut detail = Value::Null;
        for (index, row) in self.posted.rows.iter().enumerate() {
            let key = self.posted.event_key.clone().filter(|_| !self.is_bulk);
            let recorded = match recorded_for::of(before, self.caller, &row.common, now) {
                Ok(recorded_for) => {
                    call.recorded_for(recorded_for);
                    self.rows.record(call, index, key).await
                }
                Err(error) => Err(error),
            };
            detail = recorded.map_err(|error| self.at_row(index, error))?;
        }
        Ok(detail)
    }

    /// Records rows that follow each other and have user and time in common together.
    async fn take_in_bulk(&self, call: &mut Call<'_>, before: &Before, now: DateTime<Utc>) -> Result<()> {
        let all_recorded_for =
            self.posted.rows.iter().map(|row| recorded_for::of(before, self.caller, &row.common, now));
        let all_recorded_for: Vec<RecordedFor> = all_recorded_for.collect::<Result<_>>()?;
        let mut start = 0;
        for run in all_recorded_for.chunk_by(|one, next| one == next) {
            let end = start + run.len();
            call.recorded_for(run[0].clone());
            self.rows.record_in_bulk(call, start..end).await?;
            start = end;
        }
        Ok(())
    }

    fn body(&self, detail: Value, group: &str) -> Result<Value> {
        if !self.is_bulk {
            return Ok(typed::bound(&Body { status: 200, message: None, detail })?);
        }
        let count = self.posted.rows.len();
        let message = if count == 1 { "1 event recorded".to_owned() } else { format!("{count} events recorded") };
        let detail = Bulk { event_count: count, event_group: group };
        Ok(typed::bound(&Body { status: 200, message: Some(message), detail })?)
    }

    fn answered(&self, body: Value, group: &str, is_repeated: bool) -> Answered {
        Answered { body, key: self.posted.event_key.clone(), group: group.to_owned(), is_repeated }
    }

    async fn before(&self, trx: &Transaction) -> Result<Before> {
        let own = self.caller.user_key();
        let named = |member: fn(&super::Common) -> &Option<String>| -> BTreeSet<&str> {
            self.posted.rows.iter().filter_map(|row| member(&row.common).as_deref()).collect()
        };
        let mut users = named(|common| &common.user_key);
        users.retain(|key| *key != own);
        let mut before = Before::default();
        if !(users.is_empty() && self.posted.event_key.is_none()) {
            let keys = self.posted.event_key.iter().collect();
            let params = aql::event::before::Params { users: users.into_iter().collect(), keys };
            let aql::event::before::Row { users, receipt, recorded } = aql::event::before(trx, params).await?;
            before = Before { users, receipt, recorded, named: None };
        }
        let (sessions, tasks) = (named(|common| &common.user_session_key), named(|common| &common.context_key));
        if !(sessions.is_empty() && tasks.is_empty() && self.posted.event_group.is_none()) {
            let (sessions, tasks) = (sessions.into_iter().collect(), tasks.into_iter().collect());
            let groups = self.posted.event_group.iter().collect();
            let params = aql::event::named::Params { user_key: own, sessions, tasks, groups };
            before.named = Some(aql::event::named(trx, params).await?);
        }
        Ok(before)
    }
}

/// How a type is posted, where clients may.
fn kind_of(event_type: EventType) -> Result<&'static Kind> {
    registry::kind(event_type).ok_or_else(|| {
        let name = event_type.name();
        Refusal::Value.says(match event_type.posting() {
            Posting::Nobody(Some(others)) => format!("{name} is not supported: post {others}"),
            Posting::Nobody(None) => format!("{name} is not supported"),
            Posting::Service | Posting::Client(_) => format!("{name} is internal: the service records it itself"),
        })
    })
}
