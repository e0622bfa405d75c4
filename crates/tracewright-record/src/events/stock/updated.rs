//! `MOVEMENT_UPDATED`: a planned movement is confirmed, wholly or in parts.

use std::collections::BTreeSet;

use poem_openapi::Object;
use poem_openapi::types::ToJSON;
use serde::Serialize;
use serde_json::{Map, Value};

use super::known;
use super::movement::Movement;
use super::quantity::{is_same, rounded};
use super::{MovementCompleted, MovementStatus, MovementType, Moving, complete_many, locks, rules, wanted, writing};
use crate::aql::stock_events;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Ahead, Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store, typed};

/// A planned movement was made, wholly or in parts. Everything else of the row may be sent along; what was planned counts.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_MOVEMENT_UPDATED")]
pub struct MovementUpdated {
    /// The movement; `_key` when not given.
    pub movement_key: Option<String>,
    /// The movement.
    #[oai(rename = "_key")]
    pub key: Option<String>,
    /// How much was moved.
    pub qt_confirmed: f64,
    /// Accepted; what is stored counts.
    pub qt_planned: Option<f64>,
    /// The parts in which it was moved.
    pub split_into: Option<Vec<MovementSplitData>>,
    /// Key of the position it began at, when it is another one than planned.
    pub position_from: Option<String>,
    /// Key of the position it ended at, when it is another one than planned.
    pub position_to: Option<String>,
    /// The piece that was moved.
    pub serial_key: Option<String>,
    /// The same by its code.
    pub serial_code: Option<String>,
    /// Keys of the movements that were completed.
    #[oai(skip)]
    movement_keys: Vec<String>,
}

/// A part of a movement.
#[derive(Debug, Clone, Default, Object)]
pub struct MovementSplitData {
    /// Key of the position it began at.
    pub position_from: Option<String>,
    /// Key of the position it ended at.
    pub position_to: Option<String>,
    /// The piece that was moved.
    pub serial_key: Option<String>,
    /// The same by its code.
    pub serial_code: Option<String>,
    /// How much was moved.
    pub qt_confirmed: f64,
    /// How much was to be moved; `qt_confirmed` when not given.
    pub qt_planned: Option<f64>,
}

impl MovementUpdated {
    fn stored_key(&self) -> Option<String> {
        wanted::given(self.movement_key.as_ref()).or_else(|| wanted::given(self.key.as_ref()))
    }

    /// The movement as one part.
    fn as_part(&self, quantity: f64) -> MovementSplitData {
        MovementSplitData {
            position_from: self.position_from.clone(),
            position_to: self.position_to.clone(),
            serial_key: self.serial_key.clone(),
            serial_code: self.serial_code.clone(),
            qt_confirmed: quantity,
            qt_planned: None,
        }
    }

    /// The movement of a part: its ends and serial, else those sent, else those planned.
    fn completed(&self, kind: MovementType, planned: &Movement, part: &MovementSplitData) -> MovementCompleted {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let first = |own: &Option<String>, sent: &Option<String>, stored: &str| {
            let named = wanted::given(own.as_ref()).or_else(|| wanted::given(sent.as_ref()));
            named.or_else(|| Some(stored.to_owned()))
        };
        let names = |key: &Option<String>, code: &Option<String>| {
            let both = (wanted::given(key.as_ref()), wanted::given(code.as_ref()));
            Some(both).filter(|both| *both != (None, None))
        };
        let serial = names(&part.serial_key, &part.serial_code).or_else(|| names(&self.serial_key, &self.serial_code));
        let (serial_key, serial_code) = serial.unwrap_or_else(|| (text(planned.serial_key()), None));
        let (from, to) = match (kind, self.place_of(part)) {
            // An adjustment has one place, whichever member names it.
            (MovementType::Adjustment, Some(place)) => (Some(place.clone()), Some(place)),
            _ => (
                first(&part.position_from, &self.position_from, planned.from()),
                first(&part.position_to, &self.position_to, planned.to()),
            ),
        };
        let moving = Moving {
            product_key: text(planned.product_key()),
            serial_key,
            serial_code,
            position_from: from,
            position_to: to,
            movement_list_key: text(planned.list_key()),
            movement_list_item: planned.item(),
            references: planned.references(),
            reason: text(planned.reason()),
            extra: planned.extra(),
            moved_by: None,
        };
        MovementCompleted {
            qt_planned: Some(part.qt_planned.unwrap_or(part.qt_confirmed)),
            ..MovementCompleted::of(kind, part.qt_confirmed, moving)
        }
    }

    /// What it holds: what was planned, and what its parts are.
    fn units_of(&self, planned: &Movement) -> LockNames {
        let mut names = locks::of_stored(planned);
        let kind = planned.kind().unwrap_or(MovementType::Reversal);
        for part in self.split_into.iter().flatten().chain([&self.as_part(self.qt_confirmed)]) {
            let completed = self.completed(kind, planned, part);
            names.extend(locks::of(&completed.wanted(completed.stored_key().map(|_| planned))));
        }
        names
    }

    /// The place that a part of an adjustment names.
    fn place_of(&self, part: &MovementSplitData) -> Option<String> {
        let named = [&part.position_to, &part.position_from, &self.position_to, &self.position_from];
        named.into_iter().find_map(|name| wanted::given(name.as_ref()))
    }

    /// The parts, when their quantities fit together.
    fn parts(&self, planned: &Movement, quantity: f64) -> Result<Vec<MovementSplitData>> {
        let parts = self.split_into.clone().unwrap_or_default();
        let sum: f64 = parts.iter().map(|part| part.qt_confirmed).sum();
        if !parts.is_empty() && !is_same(sum, quantity) {
            let text = format!("The parts add up to {}, confirmed are {quantity}", rounded(sum));
            return Err(Refusal::Value.says(text));
        }
        if parts.len() > 1 && planned.serial_key().is_some() {
            return Err(Refusal::Value.says("A serial is moved in one piece"));
        }
        Ok(parts)
    }
}

impl Event for MovementUpdated {
    const TYPE: EventType = EventType::MovementUpdated;

    type Answer = Value;

    fn access() -> Access<'static> {
        MovementCompleted::access().and(&[stock_events::REMOVE_MOVEMENTS])
    }

    /// Whoever confirms sends the whole row, with the user who planned it.
    async fn ahead(events: &[(&Self, &str)], store: &Store) -> Result<Vec<Ahead>> {
        let keys = events.iter().filter_map(|(event, _)| event.stored_key()).collect();
        let stored = locks::movements(store, keys).await?;
        let ahead = |event: &Self| {
            let planned = event.stored_key().and_then(|key| stored.get(&key))?;
            let alone = locks::alone(planned.is_container());
            let user_of_row = planned.user_key().map(str::to_owned);
            Some(Ahead { locks: event.units_of(planned), alone, user_of_row })
        };
        Ok(events.iter().map(|(event, _)| ahead(event).unwrap_or_default()).collect())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let key = self.stored_key().ok_or_else(|| Refusal::Movement.says("movement_key is missing"))?;
        let found = known::movements(call.trx, &BTreeSet::from([key.clone()])).await?.remove(&key);
        let planned = found.ok_or_else(|| Refusal::Movement.not_found("Movement", &key))?;
        rules::check_open(&planned)?;
        let kind = planned.kind().ok_or_else(|| Refusal::Movement.says("The movement has no type"))?;
        let quantity = rounded(self.qt_confirmed);
        check_quantity(kind, quantity, planned.planned())?;
        let mut parts = self.parts(&planned, quantity)?;
        let is_whole = quantity.abs() >= rounded(planned.planned().abs());
        if parts.is_empty() && !is_whole {
            parts.push(self.as_part(quantity));
        }
        let children = if parts.is_empty() {
            let part = self.as_part(quantity);
            let whole = MovementCompleted { movement_key: Some(key.clone()), ..self.completed(kind, &planned, &part) };
            vec![whole]
        } else {
            // What stays planned is settled first: the list then sees how far it has come.
            give_up(call, &planned, quantity, is_whole).await?;
            parts.iter().map(|part| self.completed(kind, &planned, part)).collect()
        };
        let completed = complete_many(call, this, children).await?;
        self.movement_keys = completed.iter().map(|done| done.key().to_owned()).collect();
        self.movement_key = Some(key);
        call.concerns(this, planned.concerned());
        Ok(Value::Null)
    }

    fn stored(&self) -> Map<String, Value> {
        Map::from_iter([
            ("movement_key".to_owned(), self.movement_key.clone().into()),
            ("qt_confirmed".to_owned(), self.qt_confirmed.into()),
            ("split_into".to_owned(), self.split_into.to_json().into()),
            ("movement_keys".to_owned(), self.movement_keys.clone().into()),
        ])
    }
}

fn check_quantity(kind: MovementType, quantity: f64, planned: f64) -> Result<()> {
    let is_wrong = if kind == MovementType::Adjustment { quantity * planned <= 0.0 } else { quantity <= 0.0 };
    if is_wrong {
        return Err(
            Refusal::Value.says("The confirmed quantity must be greater than 0, or of the sign that was planned")
        );
    }
    Ok(())
}

/// What is written of a movement of which something is left.
#[derive(Serialize)]
struct Left {
    qt_planned: f64,
    qt_confirmed: i64,
    status: MovementStatus,
}

/// What is left of a movement that was made in parts: nothing, or what was not made yet.
async fn give_up(call: &Call<'_>, planned: &Movement, quantity: f64, is_whole: bool) -> Result<()> {
    if is_whole {
        let keys = [planned.key()].into_iter().collect();
        return stock_events::remove_movements(call.trx, stock_events::remove_movements::Params { keys }).await;
    }
    let left = rounded(planned.planned() - quantity);
    let changes = Left { qt_planned: left, qt_confirmed: 0, status: MovementStatus::Planned };
    let changed = vec![(0, planned.key().to_owned(), typed::bound(&changes)?)];
    writing::write(call, Vec::new(), changed).await.map(drop)
}
