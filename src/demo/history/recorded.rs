//! What the files write down as it happened: events with their members, and counting sessions.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::value::Datetime;

use super::bodies::{CountPlan, Counter, NewCount, Target};
use super::{Entry, What};
use crate::demo::body;
use crate::demo::calendar::time;
use crate::demo::factory::{self, Factory};
use crate::demo::unreadable;
use crate::error::Result;
use crate::events::EventType;

/// An event that somebody posted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PostedEvent {
    at: Datetime,
    user: String,
    #[serde(rename = "type")]
    kind: String,
    members: toml::Value,
    /// Keys of what it makes, by collection and name: `"Task/TASK-0001" = "task-recall"`.
    #[serde(default)]
    keys: BTreeMap<String, String>,
}

/// A counting session that somebody planned.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Session {
    key: String,
    at: Datetime,
    user: String,
    code: String,
    description: String,
    /// Who counts which positions, and the key of that assignment.
    assignments: Vec<Assignment>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Assignment {
    key: String,
    user: String,
    position: String,
    #[serde(default)]
    whole: bool,
}

impl Assignment {
    fn counter(&self) -> Counter<'_> {
        let target = Target { target_key: &self.position, include_children: self.whole };
        Counter { user_key: &self.user, targets: [target] }
    }
}

/// Adds the sessions and the events.
pub fn read(factory: &mut Factory, entries: &mut Vec<Entry>) -> Result<()> {
    for session in factory.rules::<Session>("session").map_err(unreadable)? {
        let count = NewCount {
            count_session: CountPlan { code: &session.code, description: &session.description, kind: "position" },
            assignments: session.assignments.iter().map(Assignment::counter).collect(),
        };
        let what = What::Session(Box::new(body(&count)?));
        let mut entry = Entry::new(time(&session.at).map_err(unreadable)?, &session.user, what);
        entry.keys.give("InventoryCountSession", &session.code, &session.key);
        for assignment in &session.assignments {
            entry.keys.give("InventoryCountAssignment", &assignment.position, &assignment.key);
        }
        entries.push(entry);
    }
    for event in factory.rules::<PostedEvent>("event").map_err(unreadable)? {
        let event_type = EventType::ALL.iter().find(|event_type| event_type.name() == event.kind);
        let event_type = event_type.ok_or_else(|| unreadable(format!("there is no event {}", event.kind)))?;
        let members = factory::json(event.members).map_err(unreadable)?;
        let what = What::Event(*event_type, members);
        let mut entry = Entry::new(time(&event.at).map_err(unreadable)?, &event.user, what);
        for (name, key) in &event.keys {
            let parts = name.split_once('/').ok_or_else(|| unreadable(format!("{name} names no document")))?;
            entry.keys.give(parts.0, parts.1, key);
        }
        entries.push(entry);
    }
    Ok(())
}
