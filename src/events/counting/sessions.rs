//! A session from its beginning to the end of the counting: `COUNT_SESSION_STARTED`, `COUNT_SESSION_COMPLETED`,
//! `COUNT_SESSION_RESUMED`, `COUNT_SESSION_CANCELED`.

use poem_openapi::Object;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::naming::SessionName;
use super::{ASSIGNMENTS_OF, Session};
use crate::aql;
use crate::error::Result;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Query, guards, held};

/// What every one of them reads and writes.
const QUERIES: [Query; 2] = [aql::counting_events::SESSION, aql::counting::UPDATE_SESSION];

/// Writes the new state of a session.
async fn update(call: &Call<'_>, session: &Session, changes: Value) -> Result<()> {
    call.trx.run(&aql::counting::UPDATE_SESSION, json!({"session_key": session.key, "changes": changes})).await
}

/// An answer that names the session.
fn answer(session: &Session, what: &str) -> Value {
    json!({"message": format!("Counting session {} {what}", session.name()), "session_key": session.key})
}

/// A planned session begins.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_SESSION_STARTED")]
pub struct CountSessionStarted {
    #[oai(flatten)]
    session: SessionName,
}

impl Event for CountSessionStarted {
    const TYPE: EventType = EventType::CountSessionStarted;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let session = Session::find(call.trx, &self.session.key()?).await?;
        session.must_be(&["planned"])?;
        update(call, &session, json!({"status": "started", "started": call.stored_time()})).await?;
        Ok(Value::Null)
    }

    fn stored(&self) -> Map<String, Value> {
        self.session.stored(self, "count_session_key")
    }
}

/// Everything is counted; what was found is reviewed.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_SESSION_COMPLETED")]
pub struct CountSessionCompleted {
    #[oai(flatten)]
    session: SessionName,
}

/// Who still counts.
#[derive(Deserialize)]
struct Open {
    number: u64,
    users: Vec<Option<String>>,
}

impl Event for CountSessionCompleted {
    const TYPE: EventType = EventType::CountSessionCompleted;

    type Answer = Value;

    /// Nobody begins a count meanwhile: whoever does writes count records.
    fn access() -> Access<'static> {
        Access::of(&QUERIES).and(&[aql::counting_events::OPEN_COUNTS]).exclusive(&held::COUNTS)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let session = Session::find(call.trx, &self.session.key()?).await?;
        session.must_be(&["started"])?;
        let open: Option<Open> =
            call.trx.row(&aql::counting_events::OPEN_COUNTS, json!({"session_key": session.key})).await?;
        if let Some(Open { number, users }) = open.filter(|open| open.number > 0) {
            let names = users.into_iter().map(|name| name.unwrap_or_else(|| "unknown user".to_owned()));
            let names = names.collect::<Vec<_>>().join(", ");
            let counts = if number == 1 { "count is" } else { "counts are" };
            let text = format!("{number} {counts} still open ({names}): complete or cancel them first");
            return Err(Refusal::Value.says(text));
        }
        update(call, &session, json!({"status": "completed", "completed": call.stored_time()})).await?;
        Ok(answer(&session, "completed"))
    }

    fn stored(&self) -> Map<String, Value> {
        self.session.stored(self, "session_key")
    }
}

/// A completed session is counted on.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_SESSION_RESUMED")]
pub struct CountSessionResumed {
    #[oai(flatten)]
    session: SessionName,
}

impl Event for CountSessionResumed {
    const TYPE: EventType = EventType::CountSessionResumed;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let session = Session::find(call.trx, &self.session.key()?).await?;
        session.must_be(&["completed"])?;
        update(call, &session, json!({"status": "started", "completed": null})).await?;
        Ok(answer(&session, "resumed"))
    }

    fn stored(&self) -> Map<String, Value> {
        self.session.stored(self, "session_key")
    }
}

/// A session is given up: what was counted does not count, and stock moves again.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_SESSION_CANCELED")]
pub struct CountSessionCanceled {
    #[oai(flatten)]
    session: SessionName,
}

impl Event for CountSessionCanceled {
    const TYPE: EventType = EventType::CountSessionCanceled;

    type Answer = Value;

    /// Nobody begins or ends a count meanwhile.
    fn access() -> Access<'static> {
        Access::of(&QUERIES)
            .and(&[
                aql::guards::TOUCH,
                aql::counting_events::RELEASE_OPEN_COUNTS,
                aql::counting_events::REMOVE_OPEN_COUNTS,
                aql::counting_events::DISCARD_SESSION_COUNTS,
                aql::counting_events::CANCEL_OPEN_ASSIGNMENTS,
            ])
            .exclusive(&held::COUNTS)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let (trx, time) = (call.trx, call.stored_time());
        let session = Session::find(trx, &self.session.key()?).await?;
        session.must_be(&["planned", "started", "completed"])?;
        // An assignment that is added meanwhile is canceled too, or refused.
        guards::touch(trx, [(ASSIGNMENTS_OF, session.key.as_str())]).await?;
        let of_session = || json!({"session_key": session.key});
        trx.run(&aql::counting_events::RELEASE_OPEN_COUNTS, of_session()).await?;
        trx.run(&aql::counting_events::REMOVE_OPEN_COUNTS, of_session()).await?;
        let discarded = json!({"session_key": session.key, "time": time});
        trx.run(&aql::counting_events::DISCARD_SESSION_COUNTS, discarded).await?;
        trx.run(&aql::counting_events::CANCEL_OPEN_ASSIGNMENTS, of_session()).await?;
        update(call, &session, json!({"status": "canceled", "canceled": time})).await?;
        Ok(answer(&session, "canceled"))
    }

    fn stored(&self) -> Map<String, Value> {
        self.session.stored(self, "session_key")
    }
}
