//! A session from its beginning to the end of the counting: `COUNT_SESSION_STARTED`, `COUNT_SESSION_COMPLETED`,
//! `COUNT_SESSION_RESUMED`, `COUNT_SESSION_CANCELED`.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::{Map, Value};

use super::naming::SessionName;
use super::{ASSIGNMENTS_OF, Session, SessionAnswer, update};
use crate::aql;
use crate::aql::counting_events as stored;
use crate::error::Result;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Query, guards, held};
use tracewright_model::CountSessionStatus;

/// What every one of them reads and writes.
const QUERIES: [Query; 2] = [aql::counting_events::SESSION, aql::counting::UPDATE_SESSION];

/// A session is being counted.
#[derive(Serialize)]
struct Started<'a> {
    status: CountSessionStatus,
    started: &'a str,
}

/// Whether everything of a session is counted, and since when.
#[derive(Serialize)]
struct Completed<'a> {
    status: CountSessionStatus,
    completed: Option<&'a str>,
}

/// A session is given up.
#[derive(Serialize)]
struct Canceled<'a> {
    status: CountSessionStatus,
    canceled: &'a str,
}

/// An answer that names the session.
fn answer(session: &Session, what: &str) -> SessionAnswer {
    let message = format!("Counting session {} {what}", session.name());
    SessionAnswer { message, session_key: session.key.clone() }
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
        session.must_allow(Self::TYPE)?;
        let changes = Started { status: CountSessionStatus::Started, started: &call.stored_time() };
        update(call.trx, &session.key, &changes).await?;
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

impl Event for CountSessionCompleted {
    const TYPE: EventType = EventType::CountSessionCompleted;

    type Answer = SessionAnswer;

    /// Nobody begins a count meanwhile: whoever does writes count records.
    fn access() -> Access<'static> {
        Access::of(&QUERIES).and(&[aql::counting_events::OPEN_COUNTS]).exclusive(&held::COUNTS)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<SessionAnswer> {
        let session = Session::find(call.trx, &self.session.key()?).await?;
        session.must_allow(Self::TYPE)?;
        let open = stored::open_counts::Params { session_key: &session.key };
        let stored::open_counts::Row { number, users } = stored::open_counts(call.trx, open).await?;
        if number > 0 {
            let names = users.into_iter().map(|name| name.unwrap_or_else(|| "unknown user".to_owned()));
            let names = names.collect::<Vec<_>>().join(", ");
            let counts = if number == 1 { "count is" } else { "counts are" };
            let text = format!("{number} {counts} still open ({names}): complete or cancel them first");
            return Err(Refusal::Value.says(text));
        }
        let changes = Completed { status: CountSessionStatus::Completed, completed: Some(&call.stored_time()) };
        update(call.trx, &session.key, &changes).await?;
        Ok(answer(&session, CountSessionStatus::Completed.name()))
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

    type Answer = SessionAnswer;

    fn access() -> Access<'static> {
        Access::of(&QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<SessionAnswer> {
        let session = Session::find(call.trx, &self.session.key()?).await?;
        session.must_allow(Self::TYPE)?;
        update(call.trx, &session.key, &Completed { status: CountSessionStatus::Started, completed: None }).await?;
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

    type Answer = SessionAnswer;

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

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<SessionAnswer> {
        let (trx, time) = (call.trx, call.stored_time());
        let session = Session::find(trx, &self.session.key()?).await?;
        session.must_allow(Self::TYPE)?;
        // An assignment that is added meanwhile is canceled too, or refused.
        guards::touch(trx, [(ASSIGNMENTS_OF, session.key.as_str())]).await?;
        let session_key = session.key.as_str();
        stored::release_open_counts(trx, stored::release_open_counts::Params { session_key }).await?;
        stored::remove_open_counts(trx, stored::remove_open_counts::Params { session_key }).await?;
        let discarded = stored::discard_session_counts::Params { session_key, time: &time };
        stored::discard_session_counts(trx, discarded).await?;
        stored::cancel_open_assignments(trx, stored::cancel_open_assignments::Params { session_key }).await?;
        update(trx, session_key, &Canceled { status: CountSessionStatus::Canceled, canceled: &time }).await?;
        Ok(answer(&session, CountSessionStatus::Canceled.name()))
    }

    fn stored(&self) -> Map<String, Value> {
        self.session.stored(self, "session_key")
    }
}
