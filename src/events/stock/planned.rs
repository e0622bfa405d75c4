//! `MOVEMENT_PLANNED`: stock is to be moved. Nothing changes yet, and nothing is kept back for it.

use std::collections::BTreeMap;

use poem_openapi::Object;
use serde_json::{Value, json};

use super::known::Known;
use super::ledger::Ledger;
use super::movement;
use super::rules::{self, Stage, Step};
use super::wanted::{self, Wanted};
use super::writing::{self, Work};
use super::{MovementStatus, MovementType, References, lists, new_serials, units};
use crate::app::App;
use crate::aql;
use crate::error::Result;
use crate::events::units::Names;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::Access;

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
    /// What is to be moved; a transfer without it moves a whole position.
    pub product_key: Option<String>,
    /// The piece that is to be moved. Of a traced product it may be named when the movement is confirmed.
    pub serial_key: Option<String>,
    /// The same by its code; a receipt makes unknown ones known.
    pub serial_code: Option<String>,
    /// Key of the position it begins at.
    pub position_from: Option<String>,
    /// Key of the position it ends at.
    pub position_to: Option<String>,
    /// The list it belongs to.
    pub movement_list_key: Option<String>,
    /// The item of the list.
    pub movement_list_item: Option<f64>,
    /// What it has to do with.
    pub references: Option<References>,
    /// Why.
    pub reason: Option<String>,
    /// Anything.
    pub extra: Option<Value>,
    /// Filled in: key of the movement.
    pub new_movement_key: Option<String>,
    /// Key of the user who is named in the movement, when it is not the user of the event.
    #[oai(skip)]
    pub moved_by: Option<String>,
}

impl MovementPlanned {
    /// A movement of a type and a quantity; everything else is left to be given.
    pub fn of(movement_type: MovementType, qt_planned: f64) -> Self {
        Self {
            movement_type,
            qt_planned: Some(qt_planned),
            status: None,
            product_key: None,
            serial_key: None,
            serial_code: None,
            position_from: None,
            position_to: None,
            movement_list_key: None,
            movement_list_item: None,
            references: None,
            reason: None,
            extra: None,
            new_movement_key: None,
            moved_by: None,
        }
    }

    fn wanted(&self) -> Wanted {
        let (from, to) =
            (wanted::position_key(self.position_from.as_ref()), wanted::position_key(self.position_to.as_ref()));
        Wanted {
            kind: self.movement_type,
            quantity: self.qt_planned.unwrap_or(1.0),
            product_key: wanted::given(self.product_key.as_ref()),
            serial_key: wanted::given(self.serial_key.as_ref()),
            serial_code: wanted::serial_code(self.serial_code.as_ref()),
            sent_from: from.clone(),
            sent_to: to.clone(),
            from,
            to,
            list_key: wanted::given(self.movement_list_key.as_ref()),
            item: self.movement_list_item,
            movement_key: None,
            movement: None,
        }
    }

    /// The movement as it is stored.
    fn document(&self, call: &Call<'_>, step: &Step, known: &Known) -> Value {
        let code = step.serial_key().and_then(|key| known.serial(key)).and_then(|serial| serial.code.clone());
        json!({
            "_from": format!("Position/{}", step.from), "_to": format!("Position/{}", step.to),
            "type": step.kind, "product_key": step.product_key, "product_code": null,
            "serial_key": step.serial_key(), "serial_code": code, "qt_planned": step.quantity, "qt_confirmed": 0,
            "qt_reverted": 0, "status": MovementStatus::Planned, "created": call.stored_time(), "start": null,
            "end": null, "inverse_movement_key": null,
            "movement_list_key": wanted::given(self.movement_list_key.as_ref()),
            "movement_list_item": self.movement_list_item, "references": self.references.clone().unwrap_or_default(),
            "reason": self.reason, "user_key": self.moved_by.as_deref().unwrap_or(call.user_key()), "extra": self.extra,
        })
    }

    /// Takes over what the movement has become.
    fn settle_members(&mut self, movement: &Value) {
        let text = |name: &str| movement[name].as_str().map(str::to_owned);
        self.new_movement_key = text("_key");
        self.status = Some(MovementStatus::Planned);
        self.qt_planned = movement["qt_planned"].as_f64();
        (self.product_key, self.serial_key) = (text("product_key"), text("serial_key"));
        self.serial_code = text("serial_code");
        (self.position_from, self.position_to) = (writing::end(movement, "_from"), writing::end(movement, "_to"));
        self.movement_list_key = text("movement_list_key");
    }
}

impl Event for MovementPlanned {
    const TYPE: EventType = EventType::MovementPlanned;

    type Answer = Value;

    /// Positions are declared as written so that none of them is deleted, which is done by who holds them alone, between
    /// their check and the end.
    fn access() -> Access<'static> {
        Access::of(&[aql::stock_events::PARTS, aql::stock_events::STOCK, aql::stock_events::INSERT_MOVEMENTS])
            .and(&lists::QUERIES)
            .joined(&new_serials::access())
            .writing(&["Position"])
    }

    async fn units(&self, _app: &App, _user_key: &str) -> Result<Names> {
        let wanted = self.wanted();
        let serial = units::of(&wanted).into_iter().filter(|name| !name.starts_with("Stock/"));
        Ok(serial.collect())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let mut done = plan(call, vec![Work { this, event: self, number: None }]).await?;
        let movement = done.pop().unwrap_or_default();
        call.concerns(this, movement::concerned(&movement));
        Ok(movement)
    }
}

/// Movements that one event plans: all of them by a few queries, however many they are. Gives the movements. When they are
/// `numbered`, a refusal says which of them is meant.
pub(super) async fn plan_children(
    call: &mut Call<'_>,
    events: Vec<(EventId, MovementPlanned)>,
    numbered: bool,
) -> Result<Vec<Value>> {
    let (ids, mut events): (Vec<EventId>, Vec<MovementPlanned>) =
        events.into_iter().map(|(parent, event)| (call.begin(parent, EventType::MovementPlanned), event)).unzip();
    let works = ids.iter().zip(events.iter_mut()).enumerate();
    let works = works.map(|(index, (this, event))| Work { this: *this, event, number: numbered.then_some(index + 1) });
    let works: Vec<Work<'_, MovementPlanned>> = works.collect();
    let movements = plan(call, works).await?;
    for ((id, event), movement) in ids.into_iter().zip(&events).zip(&movements) {
        call.finish(id, event, movement::concerned(movement));
    }
    Ok(movements)
}

async fn plan(call: &mut Call<'_>, works: Vec<Work<'_, MovementPlanned>>) -> Result<Vec<Value>> {
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
    let rows = rows.map(|(place, (work, (_, step)))| (place, work.event.document(call, step, &known))).collect();
    let movements = writing::write(call, rows, Vec::new()).await?;
    let mut followed = BTreeMap::new();
    for (work, movement) in works.into_iter().zip(&movements) {
        followed.extend(movement["movement_list_key"].as_str().map(|key| (key.to_owned(), work.this)));
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
