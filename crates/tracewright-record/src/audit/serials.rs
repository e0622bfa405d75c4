//! Serials are released, deleted, put into one another and lie where their events have left them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;
use serde_json::Value;

use super::{Audit, Said, given, grouped, text};
use crate::aql::{self, audit::events_of_serials};
use crate::error::Result;
use crate::events::serials::normal_code;
use crate::events::stock;
use tracewright_model::MovementType;

/// Serials that are read at once.
const PORTION: usize = 500;

/// What is stored of the whereabouts of serials.
#[derive(Default, Deserialize)]
struct Stored {
    links: Vec<Link>,
    stock: Vec<Record>,
    moves: Vec<Move>,
    wip: Vec<String>,
}

#[derive(Deserialize)]
struct Record {
    key: String,
    serial_key: String,
    position_key: Option<String>,
    quantity: Value,
}

/// An event of a serial.
type Event = events_of_serials::Row;

/// What an event says of the beginning or the end of a serial.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Life {
    event_type: Value,
    serial_key: Value,
    soft: Value,
}

impl Life {
    fn begins(&self) -> bool {
        self.event_type == "SERIAL_CREATED"
    }

    /// Whether nothing is left of it.
    fn ends(&self) -> bool {
        self.event_type == "SERIAL_DELETED" && self.soft == false
    }

    fn key(&self) -> &str {
        self.serial_key.as_str().unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct Link {
    key: String,
    from: String,
    to: String,
    confirmed: bool,
    replaced: bool,
    is_of_deleted: bool,
}

#[derive(Deserialize)]
struct Move {
    serial_key: String,
    origin_type: Option<MovementType>,
    #[serde(flatten)]
    movement: Value,
}

/// Serials that events have made are there unless they were deleted for good, and those are not.
pub async fn exist(audit: &mut Audit<'_>, events: &[&Value]) -> Result<()> {
    let lives = events.iter().map(|event| Life::deserialize(*event).unwrap_or_default());
    let lives: Vec<Life> = lives.filter(|life| life.begins() || life.ends()).collect();
    let named: BTreeSet<&str> = lives.iter().map(Life::key).filter(|key| !key.is_empty()).collect();
    let absent = audit.absent("Serial", &named).await?;
    let events_of = events_of(audit, &absent).await?;
    for (key, own) in grouped(&events_of, |event| &event.serial_key) {
        let is_gone = |event: &&Event| event.soft == Some(Value::Bool(false));
        if let Some(last) = own.last().filter(|_| !own.iter().any(is_gone)) {
            audit.is_told(format!("Serial/{key}"), &last.key, &last.event_type);
        }
    }
    for life in lives.iter().filter(|life| life.ends() && !absent.contains(life.key())) {
        let what = "is there, an event has deleted it for good".to_owned();
        audit.differs(format!("Serial/{}", life.key()), what);
    }
    Ok(())
}

async fn events_of(audit: &Audit<'_>, keys: &BTreeSet<String>) -> Result<Vec<Event>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let params = events_of_serials::Params { serial_keys: keys.iter().collect() };
    aql::audit::events_of_serials(audit.trx, params).await
}

/// Goes through all serials.
pub async fn check(audit: &mut Audit<'_>) -> Result<()> {
    audit.begin("Serial").await?;
    let (mut after, mut done) = (String::new(), 0);
    // A restore may have left the whole collection out.
    let mut has_journal = audit.report.events > 0;
    loop {
        let serials = audit.portion("Serial", &after, PORTION).await?;
        let keys: BTreeSet<String> = serials.iter().map(|serial| text(serial, "_key").to_owned()).collect();
        let events = events_of(audit, &keys).await?;
        let events = grouped(&events, |event| &event.serial_key);
        let ids: Vec<String> = events.keys().map(|key| format!("Serial/{key}")).collect();
        let params = aql::audit::serials::Params { keys: events.keys().copied().collect(), ids: (&ids).into() };
        let stored: Stored =
            if ids.is_empty() { Stored::default() } else { aql::audit::serials(audit.trx, params).await? };
        let places = Places::of(&stored);
        for serial in &serials {
            if let Some(own) = events.get(text(serial, "_key")) {
                audit.report.judged += 1;
                let history = History::of(own);
                history.hold(audit, serial);
                history.hold_links(audit, text(serial, "_key"), places.links(serial));
                history.hold_place(audit, text(serial, "_key"), &places);
                continue;
            }
            audit.report.unjudged += 1;
            if let Some(event_key) = given(serial, "last_event").filter(|_| !has_journal) {
                let what = format!("is empty, Serial/{} names event {event_key}", text(serial, "_key"));
                audit.differs("Event".to_owned(), what);
                has_journal = true;
            }
        }
        done += serials.len() as u64;
        audit.watch.at(done);
        match serials.last() {
            Some(last) if serials.len() == PORTION => text(last, "_key").clone_into(&mut after),
            _ => return Ok(()),
        }
    }
}

/// What is stored, by serial.
struct Places<'s> {
    links: HashMap<&'s str, Vec<&'s Link>>,
    stock: HashMap<&'s str, Vec<&'s Record>>,
    /// How much the movements of a serial leave at each position.
    moved: HashMap<&'s str, BTreeMap<&'s str, f64>>,
    wip: HashMap<&'s str, usize>,
}

impl<'s> Places<'s> {
    fn of(stored: &'s Stored) -> Self {
        let mut links: HashMap<&str, Vec<&Link>> = HashMap::new();
        for link in &stored.links {
            links.entry(link.to.strip_prefix("Serial/").unwrap_or_default()).or_default().push(link);
        }
        let mut moved: HashMap<&str, BTreeMap<&str, f64>> = HashMap::new();
        for one in &stored.moves {
            for (position, by) in stock::changes_of(&one.movement, one.origin_type) {
                *moved.entry(&one.serial_key).or_default().entry(position).or_default() += by;
            }
        }
        let mut wip: HashMap<&str, usize> = HashMap::new();
        for key in &stored.wip {
            *wip.entry(key).or_default() += 1;
        }
        Self { links, stock: grouped(&stored.stock, |record| &record.serial_key), moved, wip }
    }

    fn links(&self, serial: &Value) -> &[&'s Link] {
        self.links.get(text(serial, "_key")).map_or(&[], Vec::as_slice)
    }
}

/// What events say of a serial. What they do not tell is `None`.
#[derive(Debug, Default, PartialEq)]
struct History<'e> {
    is_made: bool,
    /// Whether it stands for many pieces, each of which goes its own way.
    is_lot: bool,
    code: Said<Option<String>>,
    released: Option<&'e Value>,
    deleted: Option<&'e str>,
    /// Where it is, and how often it was put into what.
    holder: Said<Option<String>>,
    links: BTreeMap<String, usize>,
    /// Position of its last change of stock, when it lies there since.
    position: Said<Option<&'e str>>,
}

impl<'e> History<'e> {
    fn of(events: &[&'e Event]) -> Self {
        let mut history = Self::default();
        for event in events {
            history.add(event);
        }
        history
    }

    fn add(&mut self, event: &'e Event) {
        match event.event_type.as_str() {
            "SERIAL_CREATED" => {
                self.is_made = true;
                self.is_lot = number(event.quantity.as_ref()).is_some_and(|pieces| pieces > 1.0);
                self.code = Said::That(string(event.code.as_ref()).map(str::to_owned));
                self.released = Some(event.released.as_ref().unwrap_or(&Value::Null));
            }
            "SERIAL_UPDATED" => {
                if let Some(code) = string(event.serial_code.as_ref()) {
                    self.code = Said::That(normal_code(code));
                }
                if event.unrelease == Some(Value::Bool(true)) {
                    self.released = Some(&Value::Null);
                }
            }
            "SERIAL_RELEASED" => {
                self.released = Some(event.released.as_ref().unwrap_or(&Value::Null));
                // It has drawn one by now.
                if self.code == Said::That(None) {
                    self.code = Said::Nothing;
                }
            }
            "SERIAL_DELETED" => self.deleted = Some(&event.key),
            "SERIAL_LINKED" => {
                let holder = holders(event).next();
                if self.holder.get() != Some(&holder) {
                    *self.links.entry(holder.clone().unwrap_or_default()).or_default() += 1;
                }
                self.holder = Said::That(holder);
            }
            "SERIAL_UNLINKED" => {
                let current = self.holder.get().cloned().flatten();
                self.holder = Said::That(current.filter(|current| holders(event).all(|holder| holder != *current)));
            }
            "INVENTORY_CHANGED" => {
                let is_there = number(event.quantity_after.as_ref()).is_some_and(|quantity| quantity > 0.0);
                self.position = Said::That(string(event.position_key.as_ref()).filter(|_| is_there));
            }
            _ => {}
        }
    }

    fn hold(&self, audit: &mut Audit<'_>, serial: &Value) {
        let id = format!("Serial/{}", text(serial, "_key"));
        if let Said::That(code) = &self.code {
            audit.hold_member(&id, "code", serial, &code.clone().into());
        }
        if let Some(released) = self.released {
            audit.hold_member(&id, "released", serial, released);
        }
        match self.deleted {
            Some(event_key) => audit.hold_member(&id, "deleted", serial, &event_key.into()),
            None if self.is_made => audit.hold_member(&id, "deleted", serial, &Value::Bool(false)),
            None => {}
        }
    }

    /// It is in one thing at most: where it was put last, unless that was deleted.
    fn hold_links(&self, audit: &mut Audit<'_>, key: &str, links: &[&Link]) {
        let id = format!("Serial/{key}");
        if self.is_lot {
            return self.hold_pieces(audit, &id, links);
        }
        let current: Vec<&&Link> = links.iter().filter(|link| !link.replaced).collect();
        if current.len() > 1 {
            let all: Vec<String> = current.iter().map(|link| format!("contains/{}", link.key)).collect();
            audit.differs(id.clone(), format!("is in several things at once: {}", all.join(", ")));
        }
        let Said::That(holder) = &self.holder else { return };
        for link in current.iter().filter(|link| link.confirmed && Some(&link.from) != holder.as_ref()) {
            let said = holder.as_deref().unwrap_or("nothing");
            audit.differs(format!("contains/{}", link.key), format!("{id} is in {}, events say in {said}", link.from));
        }
        let is_in = |holder: &String, counts: fn(&Link) -> bool| {
            links.iter().filter(|link| link.from == *holder && counts(link)).count()
        };
        if let Some(holder) = holder
            && is_in(holder, |link| link.confirmed && (!link.replaced || link.is_of_deleted)) == 0
        {
            let of_it = links.iter().rfind(|link| link.from == *holder);
            let told = of_it.map_or(id.clone(), |link| format!("contains/{}", link.key));
            let state = of_it.map_or("there is no link", |link| {
                if link.replaced { "the link is replaced" } else { "the link is not confirmed" }
            });
            audit.differs(told, format!("events say that {id} is in {holder}, {state}"));
            return;
        }
        for (holder, times) in &self.links {
            let found = is_in(holder, |link| link.confirmed);
            if found < *times {
                let what = format!("was put into {holder} {times} times, {found} links tell of it");
                audit.differs(id.clone(), what);
            }
        }
    }

    /// The pieces of a lot are where events have put them, and nowhere else.
    fn hold_pieces(&self, audit: &mut Audit<'_>, id: &str, links: &[&Link]) {
        let is_told = |link: &&&Link| !link.confirmed || self.links.contains_key(&link.from);
        for link in links.iter().filter(|link| !is_told(link)) {
            audit.differs(format!("contains/{}", link.key), format!("{id} is in {}, no event says so", link.from));
        }
        for holder in self.links.keys().filter(|holder| !links.iter().any(|link| link.from == **holder)) {
            audit.differs(id.to_owned(), format!("was put into {holder}, no link tells of it"));
        }
    }

    /// It lies where its movements have left it, and is a piece of work in progress once at most.
    fn hold_place(&self, audit: &mut Audit<'_>, key: &str, places: &Places<'_>) {
        let id = format!("Serial/{key}");
        if let Some(rows) = places.wip.get(key).filter(|rows| **rows > 1) {
            audit.differs(id.clone(), format!("is {rows} pieces of work in progress"));
        }
        let records = places.stock.get(key).map_or(&[][..], Vec::as_slice);
        let mut stored: Vec<&str> =
            records.iter().map(|record| record.position_key.as_deref().unwrap_or_default()).collect();
        stored.sort_unstable();
        let moved: Vec<&str> = places
            .moved
            .get(key)
            .into_iter()
            .flatten()
            .filter(|(_, quantity)| **quantity > 0.5)
            .map(|(position, _)| *position)
            .collect();
        let recorded: Vec<&str> = self.position.get().copied().flatten().into_iter().collect();
        // Of one that was there before, movements do not tell everything.
        let is_right = stored == moved || (!self.is_made && self.position.get().is_none_or(|_| stored == recorded));
        let told = records.first().map_or_else(|| id.clone(), |record| format!("is_in_position/{}", record.key));
        if !is_right {
            let said = if self.is_made { moved } else { recorded };
            let names = |keys: &[&str]| if keys.is_empty() { "no position".to_owned() } else { keys.join(", ") };
            audit.differs(told, format!("{id} lies at {}, events say at {}", names(&stored), names(&said)));
        } else if let Some(record) = records.iter().find(|record| record.quantity.as_f64() != Some(1.0)) {
            audit.differs(told, format!("quantity of {id} is {}, a serial is one piece", record.quantity));
        }
    }
}

/// What a link is to: the serial that is named, else the batch.
fn holders(event: &Event) -> impl Iterator<Item = String> {
    let key = |member| string(member).filter(|key| !key.is_empty());
    let parent = key(event.parent_serial_key.as_ref()).map(|key| format!("Serial/{key}"));
    let batch = key(event.batch_key.as_ref()).map(|key| format!("Batch/{key}"));
    parent.into_iter().chain(batch)
}

fn string(member: Option<&Value>) -> Option<&str> {
    member?.as_str()
}

fn number(member: Option<&Value>) -> Option<f64> {
    member?.as_f64()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn history(events: &[Event]) -> Vec<Said<Option<String>>> {
        let events: Vec<&Event> = events.iter().collect();
        (1..=events.len()).map(|count| History::of(&events[..count]).holder).collect()
    }

    #[test]
    fn a_serial_is_where_it_was_put_last_until_it_is_taken_out_of_there() {
        let event = |event_type: &str, parent: Option<&str>| -> Event {
            let common = json!({
                "_key": "e", "event_type": event_type, "serial_key": "s", "parent_serial_key": parent, "batch_key": "b",
            });
            serde_json::from_value(common).unwrap()
        };
        let linked = |parent: &str| event("SERIAL_LINKED", Some(parent));
        let unlinked = |parent: &str| event("SERIAL_UNLINKED", Some(parent));
        let of_batch = event("SERIAL_LINKED", None);
        let told = history(&[linked("x"), linked("y"), unlinked("x"), unlinked("y"), of_batch, unlinked("z")]);
        let serial = |key: &str| Said::That(Some(format!("Serial/{key}")));
        let (none, batch) = (Said::That(None), Said::That(Some("Batch/b".to_owned())));
        assert_eq!(told, [serial("x"), serial("y"), serial("y"), none.clone(), batch, none]);
    }
}
