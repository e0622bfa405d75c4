//! `SERIAL_DELETED`: serials go, softly with their history kept, or as if they had never been.

use std::collections::{BTreeMap, BTreeSet};

use poem_openapi::Object;
use serde_json::Value;

use super::bulk::{self, Bulk};
use super::known::{self, Serial, Serials, Whereabouts};
use super::links::Changes;
use super::{Recorded, rules};
use crate::aql::rows::{ReplacedLink, SerialChange};
use crate::aql::serial_events::{
    self as stored, BELOW, CONTENTS, HISTORIES, REMOVE, REMOVE_FROM_BATCHES, REMOVE_LINKS, REPLACE_LINKS, RULES, UPDATE,
};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store};

/// Why the links of a deleted serial are replaced.
const REASON: &str = "Parent deleted";

/// A serial is deleted.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_SERIAL_DELETED")]
pub struct SerialDeleted {
    /// The serial.
    pub serial_key: String,
    /// Whether it is kept, marked as deleted.
    #[oai(default = "yes")]
    pub soft: bool,
    /// Whether everything in it is deleted too.
    pub delete_children: Option<bool>,
}

fn yes() -> bool {
    true
}

/// A serial that was deleted.
#[derive(Debug, Clone)]
pub struct Deleted {
    /// Its key.
    pub serial_key: String,
    /// How people know it.
    pub name: String,
}

/// Deletes serials together, each as a child of `parent`.
pub async fn delete_many(call: &mut Call<'_>, parent: EventId, serials: Vec<SerialDeleted>) -> Result<Vec<Deleted>> {
    bulk::many(call, serials.into_iter().map(|serial| (parent, serial))).await
}

impl Event for SerialDeleted {
    const TYPE: EventType = EventType::SerialDeleted;

    type Answer = Recorded;

    fn access() -> Access<'static> {
        Access::of(&known::QUERIES).and(&[RULES, UPDATE]).and(&[
            BELOW,
            CONTENTS,
            HISTORIES,
            REMOVE,
            REMOVE_FROM_BATCHES,
            REMOVE_LINKS,
            REPLACE_LINKS,
        ])
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        let mut names = LockNames::from([known::id(&self.serial_key)]);
        if self.delete_children == Some(true) {
            let keys = [self.serial_key.as_str()].into_iter().collect();
            let below = stored::below(store, stored::below::Params { keys }).await?;
            names.extend(below.iter().map(|below| known::id(&below.serial_key)));
        }
        Ok(names)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Recorded> {
        let deleted = bulk::one(call, this, self).await?;
        Ok(Recorded { message: format!("Serial {} deleted", deleted.name), serial_key: deleted.serial_key })
    }
}

impl Bulk for SerialDeleted {
    type Outcome = Deleted;

    async fn together(call: &mut Call<'_>, ids: &[EventId], events: &mut [Self]) -> Result<Vec<(Deleted, Concerned)>> {
        if ids.iter().any(|id| call.is_primary(*id)) && !rules::read(call).await?.allow_deletion() {
            return Err(Refusal::SerialNotDeleted.says("Deleting serials is not allowed by configuration"));
        }
        let named: Vec<(EventId, Self)> = ids.iter().copied().zip(events.iter().cloned()).collect();
        let inner = contained(call, &named).await?;
        let all: Vec<&(EventId, Self)> = named.iter().chain(&inner).collect();
        let serials = known::touch(call, all.iter().map(|(id, event)| (&event.serial_key, *id)).collect()).await?;
        for (_, event) in &all {
            if serials.get(&event.serial_key).is_none_or(|serial| serial.deleted) {
                return Err(Refusal::SerialNotDeleted.not_found("Serial", &event.serial_key));
            }
        }
        check(call, &all, &serials).await?;
        let (soft, hard): (Vec<_>, Vec<_>) = all.iter().copied().partition(|(_, event)| event.soft);
        free_contents(call, &serials).await?;
        mark(call, &soft).await?;
        remove(call, &hard).await?;
        for (id, event) in &inner {
            call.finish(*id, event, serials[&event.serial_key].concerned());
        }
        Ok(events.iter().map(|event| outcome(&serials[&event.serial_key])).collect())
    }
}

fn outcome(serial: &Serial) -> (Deleted, Concerned) {
    (Deleted { serial_key: serial.key.clone(), name: serial.known_as().to_owned() }, serial.concerned())
}

/// What goes with serials that are deleted with their contents, each as a child of the event of what contains it.
async fn contained(call: &mut Call<'_>, named: &[(EventId, SerialDeleted)]) -> Result<Vec<(EventId, SerialDeleted)>> {
    let roots: Vec<String> = named
        .iter()
        .filter(|(_, event)| event.delete_children == Some(true))
        .map(|(_, event)| event.serial_key.clone())
        .collect();
    if roots.is_empty() {
        return Ok(Vec::new());
    }
    let below = stored::below(call.trx, stored::below::Params { keys: (&roots).into() }).await?;
    let mut events: BTreeMap<String, EventId> =
        named.iter().map(|(id, event)| (event.serial_key.clone(), *id)).collect();
    let mut inner = Vec::new();
    for stored::below::Row { serial_key, holder_key } in below {
        if events.contains_key(&serial_key) {
            continue;
        }
        let holder = events.get(&holder_key).copied().unwrap_or(named[0].0);
        let id = call.begin(holder, EventType::SerialDeleted);
        events.insert(serial_key.clone(), id);
        inner.push((id, SerialDeleted { serial_key, soft: true, delete_children: Some(false) }));
    }
    Ok(inner)
}

/// Nothing that is in use is deleted, and nothing with a history as if it had none.
async fn check(call: &Call<'_>, all: &[&(EventId, SerialDeleted)], serials: &Serials) -> Result<()> {
    let whereabouts = Whereabouts::of(call.trx, serials.keys().collect()).await?;
    let refused =
        |serial: &Serial, why: &str| Refusal::SerialNotDeleted.says(format!("Serial {} {why}", serial.known_as()));
    for (id, event) in all {
        let serial = &serials[&event.serial_key];
        if whereabouts.is_stocked(&serial.key) {
            return Err(refused(serial, "is in stock"));
        }
        let mut batches = whereabouts.batches.iter().filter(|batch| batch.serial_key == serial.key);
        if call.is_primary(*id) && (whereabouts.is_in_wip(&serial.key) || batches.any(|batch| batch.is_open)) {
            return Err(refused(serial, "is in production"));
        }
        let is_going = |holder: &str| holder.strip_prefix("Serial/").is_some_and(|key| serials.contains_key(key));
        if let Some(link) = whereabouts.holders(&serial.key).find(|link| !is_going(&link.holder)) {
            return Err(refused(serial, &format!("is {}", link.described())));
        }
    }
    let hard: Vec<&String> = all.iter().filter(|(_, event)| !event.soft).map(|(_, event)| &event.serial_key).collect();
    if hard.is_empty() {
        return Ok(());
    }
    let ids = known::ids(hard.iter().copied());
    let params = stored::histories::Params { keys: (&hard).into(), ids: (&ids).into() };
    let mut with_history: BTreeSet<String> = stored::histories(call.trx, params).await?.into_iter().collect();
    let completed = whereabouts.batches.iter().filter(|batch| batch.is_completed);
    with_history.extend(completed.map(|batch| batch.serial_key.clone()));
    match hard.into_iter().find(|key| with_history.contains(*key)) {
        Some(key) => Err(refused(&serials[key], "has a history: delete it softly")),
        None => Ok(()),
    }
}

/// What deleted serials contained is free; what they had reserved is as if they had not.
async fn free_contents(call: &Call<'_>, serials: &Serials) -> Result<()> {
    let ids = known::ids(serials.keys());
    let contents = stored::contents(call.trx, stored::contents::Params { ids: (&ids).into() }).await?;
    let (installed, reserved): (Vec<_>, Vec<_>) = contents.into_iter().partition(|link| link.confirmed);
    let changes = Changes {
        replaced: installed
            .iter()
            .map(|link| ReplacedLink { key: link.key.clone(), reason: Some(REASON.to_owned()) })
            .collect(),
        removed: reserved.into_iter().map(|link| link.key).collect(),
        ..Changes::default()
    };
    changes.write(call.trx).await
}

async fn mark(call: &Call<'_>, soft: &[&(EventId, SerialDeleted)]) -> Result<()> {
    if soft.is_empty() {
        return Ok(());
    }
    let change = |(id, event): &&(EventId, SerialDeleted)| SerialChange {
        key: event.serial_key.clone(),
        members: Value::from_iter([("deleted", call.key(*id))]),
    };
    let changes: Vec<SerialChange> = soft.iter().map(change).collect();
    stored::update(call.trx, stored::update::Params { changes: &changes }).await
}

async fn remove(call: &mut Call<'_>, hard: &[&(EventId, SerialDeleted)]) -> Result<()> {
    if hard.is_empty() {
        return Ok(());
    }
    let keys: Vec<&String> = hard.iter().map(|(_, event)| &event.serial_key).collect();
    let ids = known::ids(keys.iter().copied());
    stored::remove_from_batches(call.trx, stored::remove_from_batches::Params { ids: (&ids).into() }).await?;
    stored::remove(call.trx, stored::remove::Params { keys: (&keys).into() }).await?;
    for key in keys {
        call.remove_files(&["serial", key]);
    }
    Ok(())
}
