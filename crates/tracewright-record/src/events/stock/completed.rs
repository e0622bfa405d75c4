//! `MOVEMENT_COMPLETED`: stock was moved.

use std::collections::{BTreeMap, BTreeSet};

use poem_openapi::Object;
use serde::Serialize;
use serde_json::Value;

use super::containers::Containers;
use super::known::{self, Known};
use super::ledger::Ledger;
use super::movement::Movement;
use super::moving::Moving;
use super::quantity::rounded;
use super::rules::{self, Stage, Step};
use super::wanted::{self, Wanted};
use super::writing::{self, Work};
use super::{MovementStatus, MovementType, lists, locks, new_serials};
use crate::aql;
use crate::aql::rows::MovementDocument;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::noted::InventoryChanged;
use crate::events::{Ahead, Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store, typed};
use tracewright_model::Moment;

/// Stock was moved, corrected, received, shipped, made or consumed.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_MOVEMENT_COMPLETED")]
pub struct MovementCompleted {
    /// What the movement does.
    pub movement_type: MovementType,
    /// How much was moved.
    pub qt_confirmed: f64,
    /// How much should have been moved; `qt_confirmed` when not given.
    pub qt_planned: Option<f64>,
    /// The planned movement that is completed. What is not given beside it is as it was planned.
    pub movement_key: Option<String>,
    /// What is moved, from where to where, and why.
    #[oai(flatten)]
    pub moving: Moving,
    /// When it began; the time of the event when not given.
    pub start: Option<Moment>,
    /// Key of the count session that is being applied, whose locks do not stop it.
    #[oai(skip)]
    pub applying: Option<String>,
}

/// What changes in a movement that was planned when it is made.
#[derive(Serialize)]
struct Done<'a> {
    #[serde(rename = "_from")]
    from: String,
    #[serde(rename = "_to")]
    to: String,
    qt_confirmed: f64,
    status: MovementStatus,
    start: String,
    end: String,
    user_key: &'a str,
    /// What was planned without naming it keeps what it has.
    #[serde(flatten)]
    serial: Option<Piece<'a>>,
}

#[derive(Serialize)]
struct Piece<'a> {
    serial_key: &'a str,
    serial_code: Option<&'a str>,
}

impl MovementCompleted {
    /// A movement of a type and a quantity.
    pub fn of(movement_type: MovementType, qt_confirmed: f64, moving: Moving) -> Self {
        Self { movement_type, qt_confirmed, qt_planned: None, movement_key: None, moving, start: None, applying: None }
    }

    pub(super) fn wanted(&self, stored: Option<&Movement>) -> Wanted {
        self.moving.wanted(self.movement_type, self.qt_confirmed).completing(self.stored_key(), stored)
    }

    pub(super) fn stored_key(&self) -> Option<String> {
        wanted::given(self.movement_key.as_ref())
    }

    /// The movement as it is stored.
    fn document(&self, call: &Call<'_>, step: &Step, known: &Known) -> Result<MovementDocument> {
        let (planned, now) = (rounded(self.qt_planned.unwrap_or(self.qt_confirmed)), call.stored_time());
        let times = (Some(self.began(&now)), Some(now));
        self.moving.document(call, (step, known), MovementStatus::Completed, (planned, step.quantity), times)
    }

    /// What changes in the movement that was planned.
    fn changes(&self, call: &Call<'_>, step: &Step, known: &Known, planned: &Movement) -> Result<Value> {
        let now = call.stored_time();
        let serial = step.serial_key().and_then(|key| known.serial(key));
        Ok(typed::bound(&Done {
            from: format!("Position/{}", step.from),
            to: format!("Position/{}", step.to),
            qt_confirmed: step.quantity,
            status: MovementStatus::Completed,
            start: planned.start().map_or_else(|| self.began(&now), str::to_owned),
            end: now,
            user_key: self.moving.user_key(call),
            serial: serial.map(|serial| Piece { serial_key: &serial.key, serial_code: serial.code.as_deref() }),
        })?)
    }

    /// When it began: not after its end.
    fn began(&self, now: &str) -> String {
        self.start.as_ref().map(|start| start.0.as_str()).filter(|start| *start <= now).unwrap_or(now).to_owned()
    }

    /// Takes over what the movement has become.
    fn settle_members(&mut self, movement: &Movement) {
        let members = movement.members();
        self.movement_key = Some(movement.key().to_owned());
        self.qt_confirmed = members.qt_confirmed.unwrap_or(self.qt_confirmed);
        self.qt_planned = members.qt_planned;
        self.start = members.start.clone().map(Moment);
        self.moving.settle(movement);
        self.moving.movement_list_item = movement.item();
        self.moving.references = movement.references();
        self.moving.reason.clone_from(&members.reason);
        self.moving.extra = movement.extra();
    }
}

impl Event for MovementCompleted {
    const TYPE: EventType = EventType::MovementCompleted;

    type Answer = Movement;

    fn access() -> Access<'static> {
        Access::of(&[
            aql::stock_events::MOVEMENTS,
            aql::stock_events::PARTS,
            aql::stock_events::STOCK,
            aql::stock_events::CONTAINERS,
            aql::stock_events::INSERT_STOCK,
            aql::stock_events::UPDATE_STOCK,
            aql::stock_events::REMOVE_STOCK,
            aql::stock_events::INSERT_MOVEMENTS,
            aql::stock_events::UPDATE_MOVEMENTS,
        ])
        .and(&lists::QUERIES)
        .joined(&new_serials::access())
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        let stored = locks::movement(store, self.stored_key().as_deref()).await?;
        Ok(locks::of(&self.wanted(stored.as_ref())))
    }

    async fn ahead(events: &[(&Self, &str)], store: &Store) -> Result<Vec<Ahead>> {
        let keys = events.iter().filter_map(|(event, _)| event.stored_key()).collect();
        let stored = locks::movements(store, keys).await?;
        let ahead = |event: &Self| {
            let wanted = event.wanted(event.stored_key().and_then(|key| stored.get(&key)));
            Ahead { locks: locks::of(&wanted), alone: locks::alone(wanted.is_container()), ..Ahead::default() }
        };
        Ok(events.iter().map(|(event, _)| ahead(event)).collect())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Movement> {
        let mut done = complete(call, vec![Work { this, event: self, number: None }]).await?;
        let movement = done.pop().unwrap_or_default();
        call.concerns(this, movement.concerned());
        Ok(movement)
    }

    fn fit_in_bulk(_events: &[&Self]) -> bool {
        true
    }

    async fn take_effect_in_bulk(call: &mut Call<'_>, ids: &[EventId], events: &mut [Self]) -> Result<()> {
        let works = events.iter_mut().zip(ids).map(|(event, id)| Work { this: *id, event, number: None });
        let movements = complete(call, works.collect()).await?;
        for (id, movement) in ids.iter().zip(&movements) {
            call.concerns(*id, movement.concerned());
        }
        Ok(())
    }
}

/// Movements that one event completes: all of them by a few queries, however many they are. Gives the movements.
pub async fn complete_many(
    call: &mut Call<'_>,
    parent: EventId,
    events: Vec<MovementCompleted>,
) -> Result<Vec<Movement>> {
    complete_children(call, parent, events, false).await
}

/// The same; when it is `numbered`, a refusal says which of them is meant.
pub(super) async fn complete_children(
    call: &mut Call<'_>,
    parent: EventId,
    mut events: Vec<MovementCompleted>,
    numbered: bool,
) -> Result<Vec<Movement>> {
    let works = events
        .iter_mut()
        .enumerate()
        .map(|(index, event)| {
            let this = call.begin(parent, EventType::MovementCompleted);
            Work { this, event, number: numbered.then_some(index + 1) }
        })
        .collect::<Vec<_>>();
    let ids: Vec<EventId> = works.iter().map(|work| work.this).collect();
    let movements = complete(call, works).await?;
    for ((id, event), movement) in ids.into_iter().zip(&events).zip(&movements) {
        call.finish(id, event, movement.concerned());
    }
    Ok(movements)
}

async fn complete(call: &mut Call<'_>, works: Vec<Work<'_, MovementCompleted>>) -> Result<Vec<Movement>> {
    let keys: BTreeSet<String> = works.iter().filter_map(|work| work.event.stored_key()).collect();
    let stored = known::movements(call.trx, &keys).await?;
    let wanted: Vec<Wanted> =
        works.iter().map(|work| work.event.wanted(work.event.stored_key().and_then(|key| stored.get(&key)))).collect();
    let mut known = Known::load(call.trx, &wanted).await?;
    let mut steps = Vec::with_capacity(works.len());
    let mut completed = BTreeSet::new();
    for (work, wanted) in works.iter().zip(&wanted) {
        let step = rules::resolve(&mut known, wanted, Stage::Completed);
        steps.push((work.this, step.map_err(|error| work.named(error))?));
        if wanted.movement_key.as_ref().is_some_and(|key| !completed.insert(key)) {
            return Err(work.named(Refusal::Movement.says("The movement is completed already")));
        }
    }
    new_serials::make(call, &mut known, &mut steps).await?;
    change_stock(call, &known, &works, &steps).await?;
    let movements = write(call, &known, &works, &wanted, &steps).await?;
    let mut followed = BTreeMap::new();
    for (work, movement) in works.into_iter().zip(&movements) {
        followed.extend(movement.members().movement_list_key.clone().map(|key| (key, work.this)));
        work.event.settle_members(movement);
    }
    lists::follow(call, followed).await?;
    Ok(movements)
}

/// Changes stock by the movements, one after the other, and records each change as a child of its movement.
async fn change_stock(
    call: &mut Call<'_>,
    known: &Known,
    works: &[Work<'_, MovementCompleted>],
    steps: &[(EventId, Step)],
) -> Result<()> {
    let places: Vec<_> = steps.iter().flat_map(|(_, step)| step.effects()).map(|(place, _)| place).collect();
    let mut ledger = Ledger::load(call.trx, &places).await?;
    let mut containers = Containers::load(call.trx, steps.iter().map(|(_, step)| step)).await?;
    for (work, (this, step)) in works.iter().zip(steps) {
        let applying = work.event.applying.as_deref();
        let done = if step.product_key.is_none() {
            containers.put(known, &step.from, &step.to)
        } else {
            apply(call, *this, known, &mut ledger, step.effects(), applying)
        };
        done.map_err(|error| work.named(error))?;
    }
    let mut changes = ledger.changes();
    containers.add_to(&mut changes);
    changes.write(call.trx).await
}

/// Changes the stock of places, reductions first, and records each change as a child of `parent`.
pub(super) fn apply(
    call: &mut Call<'_>,
    parent: EventId,
    known: &Known,
    ledger: &mut Ledger,
    effects: Vec<(super::ledger::Place, f64)>,
    applying: Option<&str>,
) -> Result<()> {
    let mut traits = None;
    for (place, by) in effects {
        if by < 0.0 {
            traits = ledger.traits(&place);
        }
        let after = ledger.change(known, &place, by, applying, traits.clone())?;
        let changed = InventoryChanged {
            position_key: place.position_key,
            product_key: place.product_key.clone(),
            serial_key: place.serial_key.clone(),
            quantity_change: by,
            quantity_after: after,
        };
        let concerned = Concerned {
            product_key: Some(place.product_key),
            serial_keys: place.serial_key.iter().cloned().collect(),
            serial_key: place.serial_key,
            ..Concerned::default()
        };
        call.record(Some(parent), &changed, concerned);
    }
    Ok(())
}

/// Writes the movements and gives them in their order.
async fn write(
    call: &Call<'_>,
    known: &Known,
    works: &[Work<'_, MovementCompleted>],
    wanted: &[Wanted],
    steps: &[(EventId, Step)],
) -> Result<Vec<Movement>> {
    let (mut inserted, mut changed) = (Vec::new(), Vec::new());
    for (place, ((work, wanted), (_, step))) in works.iter().zip(wanted).zip(steps).enumerate() {
        match &wanted.movement {
            Some(planned) => {
                let changes = work.event.changes(call, step, known, planned)?;
                changed.push((place, planned.key().to_owned(), changes));
            }
            None => inserted.push((place, work.event.document(call, step, known)?)),
        }
    }
    writing::write(call, inserted, changed).await
}
