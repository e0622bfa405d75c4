//! Counting sessions stand where their last event has brought them, and what was counted is applied once.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Audit, given, text};
use crate::error::Result;
use crate::store::typed;
use tracewright_model::machine::COUNT_SESSION;
use tracewright_model::{CountAssignmentStatus, CountRecordStatus, CountSessionStatus, EventType};

/// The last event of each session.
#[derive(Default)]
pub struct Counting {
    sessions: HashMap<String, Last>,
}

/// An event of a session, and the status that it brings it to.
struct Last {
    recorded: String,
    sequence: i64,
    status: CountSessionStatus,
    event: Teller,
}

/// An event that tells of something, as far as a difference names it.
#[derive(Debug, Clone)]
pub(super) struct Teller {
    key: String,
    event_type: String,
}

impl Teller {
    pub(super) fn of(event: &Value) -> Self {
        Self { key: text(event, "_key").to_owned(), event_type: text(event, "event_type").to_owned() }
    }

    /// Tells that a document is not there.
    pub(super) fn is_missing(&self, audit: &mut Audit<'_>, id: String) {
        audit.differs(id, format!("is missing, event {} ({}) tells of it", self.key, self.event_type));
    }
}

/// The place of an event among those of its call.
pub(super) fn sequence(event: &Value) -> i64 {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Placed {
        sequence: Option<i64>,
    }
    Placed::deserialize(event).unwrap_or_default().sequence.unwrap_or_default()
}

/// What is read of events and of what is stored, whatever they hold.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Members {
    status: Value,
    adjustment_list_key: Value,
    count_qt: Value,
    count_serial_keys: Value,
    movement_keys: Value,
}

fn members(document: &Value) -> Members {
    Members::deserialize(document).unwrap_or_default()
}

/// What a count is after it was completed.
#[derive(Serialize)]
struct Counted {
    counted_qt: Value,
    counted_serial_keys: Value,
}

/// What a count is after it was applied.
#[derive(Serialize)]
struct Applied {
    status: CountRecordStatus,
    processed: bool,
    movement_keys: Value,
}

/// The status to which an event brings its session.
fn status_after(event: &Value) -> Option<CountSessionStatus> {
    let name = text(event, "event_type");
    if !name.starts_with("COUNT_SESSION_") {
        return None;
    }
    match EventType::of_name(name)? {
        EventType::CountSessionConfirmed if members(event).adjustment_list_key.is_null() => {
            Some(CountSessionStatus::Applied)
        }
        EventType::CountSessionConfirmed => Some(CountSessionStatus::Processing),
        event_type => COUNT_SESSION.after(event_type),
    }
}

fn session_key(event: &Value) -> &str {
    given(event, "session_key").or_else(|| given(event, "count_session_key")).unwrap_or_default()
}

/// The count of which an event tells what became of it.
fn count_key(event: &Value) -> Option<&str> {
    match text(event, "event_type") {
        "COUNT_COMPLETED" | "COUNT_DISCARDED" => given(event, "count_key"),
        "COUNT_APPLIED" => given(event, "count_record_key"),
        _ => None,
    }
}

fn assignment_key(event: &Value) -> Option<&str> {
    let is_about = ["ASSIGNMENT_STARTED", "ASSIGNMENT_COMPLETED"].contains(&text(event, "event_type"));
    given(event, "assignment_key").filter(|_| is_about)
}

impl Counting {
    /// Takes a portion of events.
    pub async fn take(&mut self, audit: &mut Audit<'_>, events: &[&Value]) -> Result<()> {
        for event in events {
            if let Some(status) = status_after(event) {
                self.note(event, status);
            }
        }
        let counts =
            audit.named("inventory_count_record", events.iter().filter_map(|event| count_key(event)).collect());
        let counts = counts.await?;
        for event in events {
            let Some(key) = count_key(event) else { continue };
            let id = format!("inventory_count_record/{key}");
            match counts.get(key) {
                Some(count) => {
                    audit.report.judged += u64::from(text(event, "event_type") == "COUNT_COMPLETED");
                    hold_count(audit, &id, count, event)?;
                }
                None => audit.is_missing(id, event),
            }
        }
        let keys = events.iter().filter_map(|event| assignment_key(event)).collect();
        let assignments = audit.named("InventoryCountAssignment", keys).await?;
        for event in events {
            let Some(key) = assignment_key(event) else { continue };
            let id = format!("InventoryCountAssignment/{key}");
            let Some(assignment) = assignments.get(key) else {
                audit.is_missing(id, event);
                continue;
            };
            // One that has begun may be completed or canceled since.
            let status = members(assignment).status;
            if text(event, "event_type") == "ASSIGNMENT_COMPLETED" {
                audit.hold(&id, "status", &status, &CountAssignmentStatus::Completed.name().into());
            } else if status == CountAssignmentStatus::Planned.name() {
                audit.hold(&id, "status", &status, &CountAssignmentStatus::Started.name().into());
            }
        }
        Ok(())
    }

    fn note(&mut self, event: &Value, status: CountSessionStatus) {
        let (recorded, sequence) = (text(event, "recorded"), sequence(event));
        let key = session_key(event);
        let is_later = |last: &Last| (recorded, sequence) > (last.recorded.as_str(), last.sequence);
        if self.sessions.get(key).is_none_or(is_later) {
            let event = Teller::of(event);
            self.sessions.insert(key.to_owned(), Last { recorded: recorded.to_owned(), sequence, status, event });
        }
    }

    /// Holds sessions against their last events, when the whole journal is read.
    pub async fn finish(self, audit: &mut Audit<'_>) -> Result<()> {
        let keys: BTreeSet<&str> = self.sessions.keys().map(String::as_str).collect();
        let total = audit.store.count("InventoryCountSession").await?;
        audit.report.unjudged += total.saturating_sub(keys.len() as u64);
        for keys in keys.into_iter().collect::<Vec<_>>().chunks(500) {
            let stored = audit.named("InventoryCountSession", keys.iter().copied().collect()).await?;
            for key in keys {
                let (id, last) = (format!("InventoryCountSession/{key}"), &self.sessions[*key]);
                match stored.get(*key) {
                    Some(session) => {
                        audit.report.judged += 1;
                        audit.hold(&id, "status", &members(session).status, &last.status.name().into());
                    }
                    None => last.event.is_missing(audit, id),
                }
            }
        }
        Ok(())
    }
}

/// A count is what the event has made of it. One that was applied twice has the movements of one of the two.
fn hold_count(audit: &mut Audit<'_>, id: &str, count: &Value, event: &Value) -> Result<()> {
    let (status, said) = (members(count).status, members(event));
    match text(event, "event_type") {
        "COUNT_COMPLETED" => {
            let recorded = Counted { counted_qt: said.count_qt, counted_serial_keys: said.count_serial_keys };
            audit.hold_all(id, count, &typed::bound(&recorded)?);
            if status == CountRecordStatus::Started.name() {
                audit.hold(id, "status", &status, &CountRecordStatus::Completed.name().into());
            }
        }
        "COUNT_DISCARDED" => audit.hold(id, "status", &status, &CountRecordStatus::Discarded.name().into()),
        _ => {
            let recorded =
                Applied { status: CountRecordStatus::Confirmed, processed: true, movement_keys: said.movement_keys };
            audit.hold_all(id, count, &typed::bound(&recorded)?);
        }
    }
    Ok(())
}
