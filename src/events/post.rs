//! Events that clients post, one or many in a call: checked in a fixed order, recorded once, answered again when they are
//! sent again.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::call::{self, Call, Committed};
use super::receipt::Sent;
use super::registry::{self, Kind, Ready};
use super::stand::{self, Before};
use super::{EventType, Refusal, refusal};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{Error, Result};
use crate::store::{Access, Transaction};
use crate::{aql, transaction};

/// How long a call may take until it is committed.
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
pub async fn post_one(app: &App, caller: &Caller, posted: Posted) -> Result<Answered> {
    Post::new(app, caller, posted, false)?.run().await
}

/// Records events of one type, all or none.
pub async fn post_many(app: &App, caller: &Caller, posted: Posted) -> Result<Answered> {
    let total = posted.rows.len();
    let run = async { Post::new(app, caller, posted, true)?.run().await };
    run.await.map_err(|error| match error {
        // A row that failed has its number already.
        Error::Answer(_, Value::Object(ref detail)) if detail.contains_key("total_events") => error,
        other => refusal::of_row(other, total, None),
    })
}

/// A call on its way.
struct Post<'a> {
    app: &'a App,
    caller: &'a Caller,
    kind: &'static Kind,
    posted: Posted,
    /// The members of each row, or what is wrong with them: told when it is their turn.
    ready: Vec<Result<Box<dyn Ready>>>,
    sent: Option<Sent>,
    is_bulk: bool,
}

impl<'a> Post<'a> {
    fn new(app: &'a App, caller: &'a Caller, posted: Posted, is_bulk: bool) -> Result<Self> {
        let kind = kind_of(posted.event_type)?;
        kind.scope.map_or(Ok(()), |scope| caller.require(scope))?;
        let total = posted.rows.len();
        for (index, row) in posted.rows.iter().enumerate() {
            if row.common.primary == Some(false) {
                let refused = Refusal::Value.says("Only primary events can be posted");
                return Err(if is_bulk { refusal::of_row(refused, total, Some(index)) } else { refused });
            }
        }
        let ready = posted.rows.iter().map(|row| (kind.read)(Value::Object(row.members.clone()))).collect();
        let sent = posted.event_key.as_deref().map(|key| Sent::new(key, caller.user_key(), &posted.body, is_bulk));
        Ok(Self { app, caller, kind, posted, ready, sent, is_bulk })
    }

    /// The same error, with the number of its row in a call of many.
    fn at_row(&self, index: usize, error: Error) -> Error {
        if self.is_bulk { refusal::of_row(error, self.posted.rows.len(), Some(index)) } else { error }
    }

    async fn run(mut self) -> Result<Answered> {
        self.forget_users_of_rows().await?;
        let _held = self.app.units.take(self.units().await?).await?;
        let access = (self.kind.access)().and(&call::QUERIES).exclusive(&self.alone().await?);
        let limited = tokio::time::timeout(PATIENCE, self.record(access)).await;
        let (answered, committed) = limited.map_err(|_| Error::Busy("the event took too long".to_owned()))??;
        committed.announce(self.app).await;
        Ok(answered)
    }

    /// A user who belongs to a row that was sent along is not the one it is recorded for.
    async fn forget_users_of_rows(&mut self) -> Result<()> {
        for (row, ready) in self.posted.rows.iter_mut().zip(&self.ready) {
            let is_other = row.common.user_key.as_deref().is_some_and(|key| key != self.caller.user_key());
            let Ok(ready) = ready else { continue };
            if is_other && ready.user_of_row(self.app).await? == row.common.user_key {
                row.common.user_key = None;
            }
        }
        Ok(())
    }

    /// What no other call may change meanwhile.
    async fn units(&self) -> Result<BTreeSet<String>> {
        let mut units = BTreeSet::new();
        for (row, ready) in self.posted.rows.iter().zip(&self.ready) {
            let user_key = row.common.user_key.as_deref().unwrap_or_else(|| self.caller.user_key());
            if let Ok(ready) = ready {
                units.extend(ready.units(self.app, user_key).await?);
            }
        }
        units.extend(self.posted.event_key.as_ref().map(|key| format!("EventReceipt/{key}")));
        units.extend(self.posted.event_group.as_ref().map(|group| format!("Group/{group}")));
        Ok(units)
    }

    /// Collections that no other call may write meanwhile.
    async fn alone(&self) -> Result<Vec<&'static str>> {
        let mut alone = Vec::new();
        for ready in self.ready.iter().flatten() {
            alone.extend(ready.alone(self.app).await?);
        }
        Ok(alone)
    }

    async fn record(&self, access: Access<'static>) -> Result<(Answered, Committed)> {
        transaction!(self.app.store, access.clone(), |trx| { self.attempt(trx).await })
    }

    async fn attempt(&self, trx: &Transaction) -> Result<(Answered, Committed)> {
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
            return Ok((self.answered(earlier.answer.clone(), &earlier.event_group, true), Committed::default()));
        }
        let now = Utc::now();
        let group = group.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned);
        let mut call = Call::new(self.app, trx, Some(self.caller), group.clone(), next_sequence);
        let mut detail = Value::Null;
        for (index, row) in self.posted.rows.iter().enumerate() {
            let recorded = self.one(&mut call, &before, index, row, now).await;
            detail = recorded.map_err(|error| self.at_row(index, error))?;
        }
        let body = self.body(detail, &group);
        let receipt = self.sent.as_ref().map(|sent| sent.receipt(&group, &body));
        let key = if self.is_bulk { self.posted.event_key.clone() } else { call.first_key() };
        let committed = call.write(receipt).await?;
        Ok((Answered { body, key, group, is_repeated: false }, committed))
    }

    async fn one(
        &self,
        call: &mut Call<'_>,
        before: &Before,
        index: usize,
        row: &Row,
        now: DateTime<Utc>,
    ) -> Result<Value> {
        call.stand(stand::of(before, self.caller, &row.common, now)?);
        let ready = match &self.ready[index] {
            Ok(ready) => ready,
            Err(Error::Answer(status, detail)) => return Err(Error::Answer(*status, detail.clone())),
            Err(other) => return Err(Error::internal("The event could not be read.", other.to_string())),
        };
        let key = self.posted.event_key.clone().filter(|_| !self.is_bulk);
        ready.record(call, key).await
    }

    fn body(&self, detail: Value, group: &str) -> Value {
        if !self.is_bulk {
            return json!({"status": 200, "message": null, "detail": detail});
        }
        let count = self.posted.rows.len();
        let message = if count == 1 { "1 event recorded".to_owned() } else { format!("{count} events recorded") };
        json!({"status": 200, "message": message, "detail": {"event_count": count, "event_group": group}})
    }

    fn answered(&self, body: Value, group: &str, is_repeated: bool) -> Answered {
        Answered { body, key: self.posted.event_key.clone(), group: group.to_owned(), is_repeated }
    }

    async fn before(&self, trx: &Transaction) -> Result<Before> {
        let own = self.caller.user_key();
        let named = |member: fn(&super::Common) -> &Option<String>| -> BTreeSet<&String> {
            self.posted.rows.iter().filter_map(|row| member(&row.common).as_ref()).collect()
        };
        let mut users = named(|common| &common.user_key);
        users.retain(|key| *key != own);
        let params = json!({
            "user_key": own, "token_key": self.caller.claims.jti, "users": users,
            "sessions": named(|common| &common.user_session_key), "tasks": named(|common| &common.context_key),
            "groups": self.posted.event_group.iter().collect::<Vec<_>>(),
            "keys": self.posted.event_key.iter().collect::<Vec<_>>(),
        });
        let missing = || Error::internal("The database gave no answer about the event.", "event/before has no row");
        trx.row(&aql::event::BEFORE, params).await?.ok_or_else(missing)
    }
}

/// The row of a type that clients may post.
fn kind_of(event_type: EventType) -> Result<&'static Kind> {
    let name = event_type.name();
    if event_type.is_internal() {
        return Err(Refusal::Value.says(format!("{name} is internal: the service records it itself")));
    }
    registry::kind(event_type).ok_or_else(|| {
        let instead = event_type.instead().map(|other| format!(": post {other}")).unwrap_or_default();
        Refusal::Value.says(format!("{name} is not supported{instead}"))
    })
}
