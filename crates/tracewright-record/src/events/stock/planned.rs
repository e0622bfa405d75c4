//! `MOVEMENT_PLANNED`: stock is to be moved. Nothing changes yet, and nothing is kept back for it.

use std::collections::BTreeMap;

use poem_openapi::Object;

use super::known::Known;
use super::ledger::Ledger;
use super::movement::Movement;
use super::moving::Moving;
use super::rules::{self, Stage, Step};
use super::wanted::Wanted;
use super::writing::{self, Work};
use super::{MovementStatus, MovementType, lists, locks, new_serials};
use crate::aql;
use crate::aql::rows::MovementDocument;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store};

/// Stock is to be moved.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_MOVEMENT_PLANNED")]
pub struct MovementPlanned {
    /// What the movement does.
    pub movement_type: MovementType,
    /// How much is to be moved; 1 when not given.
    pub qt_planned: Option<f64>,
    /// Only `planned`.
    pub status: Option<MovementStatus>,
    /// What is moved, from where to where, and why.
    #[oai(flatten)]
    pub moving: Moving,
    /// Filled in: key of the movement.
    pub new_movement_key: Option<String>,
}

impl MovementPlanned {
    /// A movement of a type and a quantity.
    pub fn of(movement_type: MovementType, qt_planned: f64, moving: Moving) -> Self {
        Self { movement_type, qt_planned: Some(qt_planned), status: None, moving, new_movement_key: None }
    }

    fn wanted(&self) -> Wanted {
        self.moving.wanted(self.movement_type, self.qt_planned.unwrap_or(1.0))
    }

    /// The movement as it is stored.
    fn document(&self, call: &Call<'_>, step: &Step, known: &Known) -> Result<MovementDocument> {
        self.moving.document(call, (step, known), MovementStatus::Planned, (step.quantity, 0.0), (None, None))
    }

    /// Takes over what the movement has become.
    fn settle_members(&mut self, movement: &Movement) {
        self.new_movement_key = Some(movement.key().to_owned());
        self.status = Some(MovementStatus::Planned);
        self.qt_planned = movement.members().qt_planned;
        self.moving.settle(movement);
    }
}

impl Event for MovementPlanned {
    const TYPE: EventType = EventType::MovementPlanned;

    type Answer = Movement;

    /// Positions are declared as written so that none of them is deleted, which is done by who holds them alone, between
    /// their check and the end.
    fn access() -> Access<'static> {
        Access::of(&[aql::stock_events::PARTS, aql::stock_events::STOCK, aql::stock_events::INSERT_MOVEMENTS])
            .and(&lists::QUERIES)
            .joined(&new_serials::access())
            .writing(&["Position"])
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        let wanted = self.wanted();
        let serial = locks::of(&wanted).into_iter().filter(|name| !name.starts_with("Stock/"));
        Ok(serial.collect())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Movement> {
        let mut done = plan(call, vec![Work { this, event: self, number: None }]).await?;
        let movement = done.pop().unwrap_or_default();
        call.concerns(this, movement.concerned());
        Ok(movement)
    }
}

/// Movements that one event plans: all of them by a few queries, however many they are. Gives the movements. When they are
/// `numbered`, a refusal says which of them is meant.
pub(super) async fn plan_children(
    call: &mut Call<'_>,
    events: Vec<(EventId, MovementPlanned)>,
    numbered: bool,
) -> Result<Vec<Movement>> {
    let (ids, mut events): (Vec<EventId>, Vec<MovementPlanned>) =
        events.into_iter().map(|(parent, event)| (call.begin(parent, EventType::MovementPlanned), event)).unzip();
    let works = ids.iter().zip(events.iter_mut()).enumerate();
    let works = works.map(|(index, (this, event))| Work { this: *this, event, number: numbered.then_some(index + 1) });
    let works: Vec<Work<'_, MovementPlanned>> = works.collect();
    let movements = plan(call, works).await?;
    for ((id, event), movement) in ids.into_iter().zip(&events).zip(&movements) {
        call.finish(id, event, movement.concerned());
    }
    Ok(movements)
}

async fn plan(call: &mut Call<'_>, works: Vec<Work<'_, MovementPlanned>>) -> Result<Vec<Movement>> {
    let wanted: Vec<Wanted> = works.iter().map(|work| work.event.wanted()).collect();
    let mut known = Known::load(call.trx, &wanted).await?;
    let mut steps = Vec::with_capacity(works.len());
    for (work, wanted) in works.iter().zip(&wanted) {
        let step = step(&mut known, work.event, wanted).map_err(|error| work.named(error))?;
        steps.push((work.this, step));
    }
    check_receipts(call, &known, &works, &steps).await?;
    new_serials::make(call, &mut known, &mut steps).await?;
    let rows = works.iter().zip(&steps).enumerate();
    let rows = rows.map(|(place, (work, (_, step)))| Ok((place, work.event.document(call, step, &known)?)));
    let movements = writing::write(call, rows.collect::<Result<_>>()?, Vec::new()).await?;
    let mut followed = BTreeMap::new();
    for (work, movement) in works.into_iter().zip(&movements) {
        followed.extend(movement.members().movement_list_key.clone().map(|key| (key, work.this)));
        work.event.settle_members(movement);
    }
    lists::follow(call, followed).await?;
    Ok(movements)
}

fn step(known: &mut Known, event: &MovementPlanned, wanted: &Wanted) -> Result<Step> {
    if event.status.is_some_and(|status| status != MovementStatus::Planned) {
        return Err(Refusal::Value.says("A movement is planned with the status planned: post MOVEMENT_COMPLETED"));
    }
    let step = rules::resolve(known, wanted, Stage::Planned)?;
    if step.from == step.to && step.kind != MovementType::Adjustment {
        return Err(Refusal::Value.says("The movement ends where it begins"));
    }
    Ok(step)
}

/// What is to be received is not there yet.
async fn check_receipts(
    call: &Call<'_>,
    known: &Known,
    works: &[Work<'_, MovementPlanned>],
    steps: &[(EventId, Step)],
) -> Result<()> {
    let is_receipt = |step: &Step| step.kind == MovementType::Receipt && step.serial_key().is_some();
    let receipts = || steps.iter().map(|(_, step)| step).zip(works).filter(|(step, _)| is_receipt(step));
    let places: Vec<_> = receipts().filter_map(|(step, _)| step.place(&step.to)).collect();
    let ledger = Ledger::load(call.trx, &places).await?;
    for (step, work) in receipts() {
        let serial_key = step.serial_key().unwrap_or_default();
        ledger.check_absent(known, serial_key).map_err(|error| work.named(error))?;
    }
    Ok(())
}
