//! `MOVEMENT_REVERSED`: a completed movement is undone, wholly or in part. It stays in the journal, with the movement that
//! undoes it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use poem_openapi::Object;
use serde::Serialize;
use serde_json::Value;

use super::completed::apply;
use super::known::{self, Known};
use super::ledger::{Ledger, Place};
use super::movement::Movement;
use super::planned::plan_children;
use super::quantity::rounded;
use super::rules::effects;
use super::wanted::Wanted;
use super::writing::{self, Changed, Work};
use super::{MovementCompleted, MovementPlanned, MovementStatus, MovementType, Moving, lists, locks};
use crate::aql::rows::MovementDocument;
use crate::aql::stock_events::open_movements::{self, Items, Row as Open};
use crate::aql::stock_events::{self, OPEN_MOVEMENTS};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store, typed};

/// A completed movement was undone.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_MOVEMENT_REVERSED")]
pub struct MovementReversed {
    /// The movement that is undone.
    pub original_movement_key: String,
    /// How much of it; all that is left when not given.
    pub quantity_to_revert: Option<f64>,
    /// Why.
    pub reason: Option<String>,
    /// Filled in: the movement that undoes it.
    pub inverse_movement_key: Option<String>,
}

/// What is answered.
#[derive(Debug, Serialize)]
pub struct ReversedAnswer {
    message: &'static str,
    inverse_movement: Movement,
}

impl Event for MovementReversed {
    const TYPE: EventType = EventType::MovementReversed;

    type Answer = ReversedAnswer;

    fn access() -> Access<'static> {
        MovementCompleted::access().joined(&MovementPlanned::access()).and(&[OPEN_MOVEMENTS])
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        let movement = locks::movement(store, Some(&self.original_movement_key)).await?;
        Ok(movement.map(|movement| locks::of_stored(&movement)).unwrap_or_default())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<ReversedAnswer> {
        let mut done = reverse(call, vec![Work { this, event: self, number: None }]).await?;
        let inverse = done.pop().unwrap_or_default();
        call.concerns(this, inverse.concerned());
        Ok(ReversedAnswer { message: "The movement was undone", inverse_movement: inverse })
    }
}

/// Movements that one event undoes: all of them by a few queries, however many they are. Gives the movements that undo them.
pub async fn reverse_many(
    call: &mut Call<'_>,
    parent: EventId,
    events: Vec<MovementReversed>,
) -> Result<Vec<Movement>> {
    let (ids, mut events): (Vec<EventId>, Vec<MovementReversed>) =
        events.into_iter().map(|event| (call.begin(parent, EventType::MovementReversed), event)).unzip();
    let works = ids.iter().zip(events.iter_mut());
    let works = works.map(|(this, event)| Work { this: *this, event, number: None }).collect();
    let inverse = reverse(call, works).await?;
    for ((id, event), movement) in ids.into_iter().zip(&events).zip(&inverse) {
        call.finish(id, event, movement.concerned());
    }
    Ok(inverse)
}

/// What is undone: how much of which movement, with its sign.
struct Undone<'m> {
    original: &'m Movement,
    kind: MovementType,
    /// Without sign.
    quantity: f64,
    /// Of the original.
    sign: f64,
}

impl Undone<'_> {
    /// What it changes in stock, reductions first.
    fn effects(&self) -> Vec<(Place, f64)> {
        let original = self.original;
        let done = effects(self.kind, original.from(), original.to(), self.quantity * self.sign);
        let place = |position: &str| Place {
            product_key: original.product_key().unwrap_or_default().to_owned(),
            position_key: position.to_owned(),
            serial_key: original.serial_key().map(str::to_owned),
        };
        let mut undone: Vec<(Place, f64)> = done.into_iter().map(|(position, by)| (place(position), -by)).collect();
        undone.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        undone
    }

    /// The movement that undoes it.
    fn document(&self, call: &Call<'_>, reason: Option<&String>) -> MovementDocument {
        let original = self.original.members();
        let mut references = original.references.as_object().cloned().unwrap_or_default();
        references.insert("origin_movement_key".to_owned(), self.original.key().into());
        let is_adjustment = self.kind == MovementType::Adjustment;
        let quantity = if is_adjustment { -self.sign * self.quantity } else { self.quantity };
        let now = call.stored_time();
        MovementDocument {
            key: None,
            from: original.to.clone().unwrap_or_default(),
            to: original.from.clone().unwrap_or_default(),
            r#type: MovementType::Reversal.into(),
            product_key: original.product_key.clone(),
            product_code: None,
            serial_key: original.serial_key.clone(),
            serial_code: original.serial_code.clone(),
            qt_planned: 0.into(),
            qt_confirmed: quantity,
            qt_reverted: 0,
            status: MovementStatus::Completed.into(),
            created: now.clone(),
            start: Some(now.clone()),
            end: Some(now),
            inverse_movement_key: None,
            movement_list_key: original.movement_list_key.clone(),
            movement_list_item: original.movement_list_item.clone(),
            references: references.into(),
            reason: reason.cloned(),
            user_key: call.user_key().to_owned(),
            extra: Value::Null,
        }
    }
}

/// How much of a movement can be undone, and how much is.
fn check<'m>(event: &MovementReversed, original: &'m Movement, reverted: f64) -> Result<Undone<'m>> {
    let movement = |text: &str| Err(Refusal::Movement.says(text));
    let value = |text: String| Err(Refusal::Value.says(text));
    let kind = match original.kind() {
        Some(MovementType::Reversal) | None => return movement("A reversal is not undone: make the movement again"),
        Some(_) if original.is_container() => return movement("A container is not put back by undoing: move it back"),
        Some(kind) => kind,
    };
    if original.status() != MovementStatus::Completed || original.confirmed() == 0.0 {
        return value("Only a completed movement is undone".to_owned());
    }
    let left = rounded(original.confirmed().abs() - reverted);
    if original.inverse_key().is_some() || left <= 0.0 {
        return value("The movement is undone already".to_owned());
    }
    let quantity = rounded(event.quantity_to_revert.unwrap_or(left));
    if quantity <= 0.0 || quantity > left {
        return value(format!("{quantity} cannot be undone: {left} is left of the movement"));
    }
    Ok(Undone { original, kind, quantity, sign: original.confirmed().signum() })
}

async fn reverse(call: &mut Call<'_>, works: Vec<Work<'_, MovementReversed>>) -> Result<Vec<Movement>> {
    let keys: BTreeSet<String> = works.iter().map(|work| work.event.original_movement_key.clone()).collect();
    let stored = known::movements(call.trx, &keys).await?;
    let mut reverted: HashMap<&str, f64> = HashMap::new();
    let mut undone = Vec::with_capacity(works.len());
    for work in &works {
        let key = &work.event.original_movement_key;
        let original = stored.get(key).ok_or_else(|| Refusal::Movement.not_found("Movement", key))?;
        let so_far = reverted.entry(original.key()).or_insert_with(|| original.reverted());
        let one = check(work.event, original, *so_far)?;
        *so_far = rounded(*so_far + one.quantity);
        undone.push(one);
    }
    let wanted: Vec<Wanted> = undone.iter().map(|one| Wanted::of_stored(one.original)).collect();
    let known = Known::load(call.trx, &wanted).await?;
    let places: Vec<Place> = undone.iter().flat_map(Undone::effects).map(|(place, _)| place).collect();
    let mut ledger = Ledger::load(call.trx, &places).await?;
    for (work, one) in works.iter().zip(&undone) {
        apply(call, work.this, &known, &mut ledger, one.effects(), None)?;
    }
    ledger.changes().write(call.trx).await?;
    let rows = works.iter().zip(&undone).enumerate();
    let rows = rows.map(|(place, (work, one))| (place, one.document(call, work.event.reason.as_ref()))).collect();
    let inverse = writing::write(call, rows, Vec::new()).await?;
    writing::write(call, Vec::new(), originals(&undone, &reverted, &inverse)?).await?;
    let mut followed = BTreeMap::new();
    let mut again = Vec::new();
    for ((work, one), movement) in works.into_iter().zip(&undone).zip(&inverse) {
        work.event.inverse_movement_key = Some(movement.key().to_owned());
        work.event.quantity_to_revert = Some(one.quantity);
        if let Some(list_key) = one.original.list_key() {
            followed.insert(list_key.to_owned(), work.this);
            let is_planned_again =
                known.list(list_key).is_some_and(|list| list.r#type != MovementType::Adjustment.name());
            again.extend(is_planned_again.then_some((work.this, one)));
        }
    }
    plan_again(call, again).await?;
    lists::follow(call, followed).await?;
    Ok(inverse)
}

/// What changes in a movement that is undone.
#[derive(Serialize)]
struct Reverted {
    qt_reverted: f64,
    inverse_movement_keys: Vec<String>,
    /// Where nothing is left of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    inverse_movement_key: Option<String>,
}

/// What changes in a movement of which more is to be made.
#[derive(Serialize)]
struct Raised {
    qt_planned: f64,
}

/// What changes in the movements that are undone.
fn originals(undone: &[Undone<'_>], reverted: &HashMap<&str, f64>, inverse: &[Movement]) -> Result<Vec<Changed>> {
    let mut keys: BTreeMap<&str, (&Movement, Vec<String>)> = BTreeMap::new();
    for (one, movement) in undone.iter().zip(inverse) {
        let earlier = || one.original.members().inverse_movement_keys.clone().unwrap_or_default();
        let entry = keys.entry(one.original.key()).or_insert_with(|| (one.original, earlier()));
        entry.1.push(movement.key().to_owned());
    }
    let change = |(place, (key, (original, keys))): (usize, (&str, (&Movement, Vec<String>)))| {
        let sum = reverted.get(key).copied().unwrap_or_default();
        let is_whole = rounded(original.confirmed().abs() - sum) <= 0.0;
        let last = keys.last().filter(|_| is_whole).cloned();
        let changes = Reverted { qt_reverted: sum, inverse_movement_keys: keys, inverse_movement_key: last };
        Ok((place, key.to_owned(), typed::bound(&changes)?))
    };
    keys.into_iter().enumerate().map(change).collect()
}

/// What was undone in a list is to be made again: with an open movement of the same item and product, else by a new one.
async fn plan_again(call: &mut Call<'_>, undone: Vec<(EventId, &Undone<'_>)>) -> Result<()> {
    let mut open: Vec<Open> = Vec::new();
    let plain = undone.iter().filter(|(_, one)| one.original.serial_key().is_none());
    let items: Vec<Items<'_>> = plain
        .map(|(_, one)| Items {
            list_key: one.original.list_key(),
            item: one.original.item(),
            product_key: one.original.product_key(),
        })
        .collect();
    if !items.is_empty() {
        open = stock_events::open_movements(call.trx, open_movements::Params { items: &items }).await?;
    }
    let mut more: BTreeMap<String, f64> = BTreeMap::new();
    let mut planned = Vec::new();
    for (this, one) in undone {
        let original = one.original;
        let fits = |open: &&Open| {
            original.serial_key().is_none()
                && original.list_key() == Some(&open.list_key)
                && original.item() == open.item
                && original.product_key() == Some(&open.product_key)
        };
        match open.iter().find(fits) {
            Some(open) => {
                let sum = more.entry(open.key.clone()).or_insert(open.qt_planned.unwrap_or(1.0));
                *sum = rounded(*sum + one.quantity);
            }
            None => planned.push((this, again(one))),
        }
    }
    let raised = more.into_iter().enumerate();
    let raised = raised.map(|(place, (key, sum))| Ok((place, key, typed::bound(&Raised { qt_planned: sum })?)));
    writing::write(call, Vec::new(), raised.collect::<Result<_>>()?).await?;
    if !planned.is_empty() {
        plan_children(call, planned, false).await?;
    }
    Ok(())
}

fn again(undone: &Undone<'_>) -> MovementPlanned {
    let original = undone.original;
    let moving = Moving {
        product_key: original.product_key().map(str::to_owned),
        serial_key: original.serial_key().map(str::to_owned),
        position_from: Some(original.from().to_owned()),
        position_to: Some(original.to().to_owned()),
        movement_list_key: original.list_key().map(str::to_owned),
        movement_list_item: original.item(),
        references: original.references(),
        reason: Some(format!("Movement {} was undone", original.key())),
        ..Moving::default()
    };
    MovementPlanned::of(undone.kind, undone.quantity, moving)
}
