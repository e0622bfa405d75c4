//! `COUNT_SESSION_APPLIED`: all counts of a session are applied, or told why they cannot be.

use poem_openapi::Object;
use serde_json::{Map, Value, json};

use super::naming::SessionName;
use super::{Session, figures};
use crate::aql;
use crate::error::Result;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::Access;

/// All counts of a session are applied, or told why they cannot be: its stock moves again.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_SESSION_APPLIED")]
pub struct CountSessionApplied {
    #[oai(flatten)]
    session: SessionName,
    /// Counts by which stock was corrected.
    #[oai(skip)]
    movements_created: u64,
    /// Counts that could not be applied.
    #[oai(skip)]
    movements_failed: u64,
}

impl CountSessionApplied {
    /// The end of what the service applies by itself.
    pub(super) fn of(session_key: &str) -> Self {
        Self { session: SessionName::of(session_key), movements_created: 0, movements_failed: 0 }
    }
}

impl Event for CountSessionApplied {
    const TYPE: EventType = EventType::CountSessionApplied;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[
            aql::counting_events::SESSION,
            aql::counting_events::UNLOCK_STOCK,
            aql::counting_events::CLOSE_LIST,
            aql::counting::UPDATE_SESSION,
        ])
        .and(&figures::QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let (trx, time) = (call.trx, call.stored_time());
        let session = Session::find(trx, &self.session.key()?).await?;
        session.must_be(&["processing"])?;
        let figures = figures::read(trx, &session.key).await?;
        if figures.open > 0 {
            let text = format!("{} counts of session {} are not applied yet", figures.open, session.name());
            return Err(Refusal::Value.says(text));
        }
        trx.run(&aql::counting_events::UNLOCK_STOCK, json!({"session_key": session.key})).await?;
        let lists: Vec<&String> = session.adjustment_list_key.iter().collect();
        trx.run(&aql::counting_events::CLOSE_LIST, json!({"list_keys": lists, "time": time})).await?;
        let mut changes = figures.members();
        for (member, value) in [
            ("status", json!("applied")),
            ("processing_completed", json!(time)),
            ("applying_by", Value::Null),
            ("applying_until", Value::Null),
        ] {
            changes[member] = value;
        }
        let params = json!({"session_key": session.key, "changes": changes});
        trx.run(&aql::counting::UPDATE_SESSION, params).await?;
        (self.movements_created, self.movements_failed) = (figures.created, figures.failed);
        let mut answer = figures.members();
        answer["message"] = format!("Counting session {} was applied", session.name()).into();
        Ok(answer)
    }

    fn stored(&self) -> Map<String, Value> {
        let mut members = self.session.stored(self, "session_key");
        members.insert("movements_created".to_owned(), json!(self.movements_created));
        members.insert("movements_failed".to_owned(), json!(self.movements_failed));
        members
    }
}
