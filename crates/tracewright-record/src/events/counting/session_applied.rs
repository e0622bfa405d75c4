//! `COUNT_SESSION_APPLIED`: all counts of a session are applied, or told why they cannot be.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::{Map, Value};

use super::naming::SessionName;
use super::{Session, figures, update};
use crate::aql;
use crate::aql::counting_events as stored;
use crate::error::Result;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::Access;
use tracewright_model::CountSessionStatus;

/// All counts of a session are applied, or told why they cannot be: its stock moves again.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_SESSION_APPLIED")]
pub struct CountSessionApplied {
    #[oai(flatten)]
    session: SessionName,
    /// Counts by which stock was corrected.
    #[oai(skip)]
    movements_created: i64,
    /// Counts that could not be applied.
    #[oai(skip)]
    movements_failed: i64,
}

/// What is written of the session.
#[derive(Serialize)]
struct Applied<'a> {
    status: CountSessionStatus,
    movements_created: i64,
    movements_failed: i64,
    processing_completed: &'a str,
    applying_by: Option<&'a str>,
    applying_until: Option<&'a str>,
}

/// What is answered.
#[derive(Debug, Serialize)]
pub struct AppliedAnswer {
    message: String,
    movements_created: i64,
    movements_failed: i64,
}

impl CountSessionApplied {
    /// The end of what the service applies by itself.
    pub(super) fn of(session_key: &str) -> Self {
        Self { session: SessionName::of(session_key), movements_created: 0, movements_failed: 0 }
    }
}

impl Event for CountSessionApplied {
    const TYPE: EventType = EventType::CountSessionApplied;

    type Answer = AppliedAnswer;

    fn access() -> Access<'static> {
        Access::of(&[
            aql::counting_events::SESSION,
            aql::counting_events::UNLOCK_STOCK,
            aql::counting_events::CLOSE_LIST,
            aql::counting::UPDATE_SESSION,
        ])
        .and(&figures::QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<AppliedAnswer> {
        let (trx, time) = (call.trx, call.stored_time());
        let session = Session::find(trx, &self.session.key()?).await?;
        session.must_allow(Self::TYPE)?;
        let figures = figures::read(trx, &session.key).await?;
        if figures.open > 0 {
            let text = format!("{} counts of session {} are not applied yet", figures.open, session.name());
            return Err(Refusal::Value.says(text));
        }
        stored::unlock_stock(trx, stored::unlock_stock::Params { session_key: &session.key }).await?;
        let list_keys = session.adjustment_list_key.iter().collect();
        stored::close_list(trx, stored::close_list::Params { list_keys, time: &time }).await?;
        let (movements_created, movements_failed) = (figures.created, figures.failed);
        let changes = Applied {
            status: CountSessionStatus::Applied,
            movements_created,
            movements_failed,
            processing_completed: &time,
            applying_by: None,
            applying_until: None,
        };
        update(trx, &session.key, &changes).await?;
        (self.movements_created, self.movements_failed) = (movements_created, movements_failed);
        let message = format!("Counting session {} was applied", session.name());
        Ok(AppliedAnswer { message, movements_created, movements_failed })
    }

    fn stored(&self) -> Map<String, Value> {
        let mut members = self.session.stored(self, "session_key");
        members.insert("movements_created".to_owned(), self.movements_created.into());
        members.insert("movements_failed".to_owned(), self.movements_failed.into());
        members
    }
}
