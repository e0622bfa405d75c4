//! `ASSIGNMENT_STARTED`, `ASSIGNMENT_COMPLETED`: somebody begins and ends what they were given to count.

use poem_openapi::Object;
use serde_json::Value;

use crate::aql::counting_events::assignment::{self, Row as Assignment};
use crate::aql::counting_events::change_assignment::{self, Changes};
use crate::aql::counting_events::{self, ASSIGNMENT, CHANGE_ASSIGNMENT};
use crate::error::Result;
use crate::events::refusal::of_state;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Query, Transaction};
use tracewright_model::machine::COUNT_ASSIGNMENT;
use tracewright_model::{CountAssignmentStatus, CountSessionStatus};

const QUERIES: [Query; 2] = [ASSIGNMENT, CHANGE_ASSIGNMENT];

impl Assignment {
    /// The assignment of a key, in a state in which such an event happens to it and in a session that has begun.
    async fn find(trx: &Transaction, key: &str, event: EventType) -> Result<Self> {
        let found = counting_events::assignment(trx, assignment::Params { assignment_key: key }).await?;
        let assignment = found.ok_or_else(|| Refusal::Value.not_found("Assignment", key))?;
        if !COUNT_ASSIGNMENT.allows(&assignment.status, event) {
            let needed = COUNT_ASSIGNMENT.before(event);
            return Err(of_state(&format!("Assignment {key}"), &assignment.status, &needed));
        }
        match &assignment.session_status {
            Some(status) if *status == CountSessionStatus::Started => Ok(assignment),
            Some(status) => {
                let session = format!("The counting session of assignment {key}");
                Err(of_state(&session, status, &[CountSessionStatus::Started]))
            }
            None => {
                let session = assignment.session_key.as_deref().unwrap_or("without key");
                Err(Refusal::Value.not_found("Counting session", session))
            }
        }
    }
}

async fn change(call: &Call<'_>, key: &str, changes: Changes<'_>) -> Result<Value> {
    let params = change_assignment::Params { assignment_key: key, changes };
    counting_events::change_assignment(call.trx, params).await?;
    Ok(Value::Null)
}

/// Somebody begins what they were given to count.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_ASSIGNMENT_STARTED")]
pub struct AssignmentStarted {
    assignment_key: String,
}

impl Event for AssignmentStarted {
    const TYPE: EventType = EventType::AssignmentStarted;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        Assignment::find(call.trx, &self.assignment_key, Self::TYPE).await?;
        let changes =
            Changes { status: CountAssignmentStatus::Started, started: Some(&call.stored_time()), completed: None };
        change(call, &self.assignment_key, changes).await
    }
}

/// Somebody is done with what they were given to count.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_ASSIGNMENT_COMPLETED")]
pub struct AssignmentCompleted {
    assignment_key: String,
}

impl Event for AssignmentCompleted {
    const TYPE: EventType = EventType::AssignmentCompleted;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, _this: EventId) -> Result<Value> {
        let key = &self.assignment_key;
        let assignment = Assignment::find(call.trx, key, Self::TYPE).await?;
        if assignment.open_counts > 0 {
            let number = assignment.open_counts;
            let text = format!("{number} open: complete or cancel the counts of assignment {key} first");
            return Err(Refusal::Value.says(text));
        }
        let time = call.stored_time();
        let started = assignment.started.is_none().then_some(time.as_str());
        change(call, key, Changes { status: CountAssignmentStatus::Completed, started, completed: Some(&time) }).await
    }
}
