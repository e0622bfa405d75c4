//! The rules of a movement that do not depend on stock: what it names exists and fits together.

use serde::Deserialize;
use serde_json::Value;

use super::known::{Known, Product};
use super::ledger::Place;
use super::quantity::{is_same, rounded};
use super::wanted::{Absent, Wanted, no_reversal};
use super::{MovementStatus, MovementType, NOWHERE};
use crate::error::Result;
use crate::events::Refusal;
use tracewright_model::EventType;
use tracewright_model::machine::MOVEMENT;

/// Whether a movement is to happen or has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// To happen: it changes nothing yet.
    Planned,
    /// Has happened.
    Completed,
}

/// The serial of a movement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SerialOf {
    /// None.
    Nothing,
    /// One that exists, by its key.
    Known(String),
    /// One that a receipt brings in, by its code.
    New(String),
}

/// A movement whose names are resolved.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub kind: MovementType,
    pub from: String,
    pub to: String,
    /// `None` for a container.
    pub product_key: Option<String>,
    pub serial: SerialOf,
    pub quantity: f64,
}

impl Step {
    /// Key of its serial, once it exists.
    pub(super) fn serial_key(&self) -> Option<&str> {
        match &self.serial {
            SerialOf::Known(key) => Some(key),
            _ => None,
        }
    }

    /// The place of its product and serial at a position.
    pub(super) fn place(&self, position_key: &str) -> Option<Place> {
        Some(Place {
            product_key: self.product_key.clone()?,
            position_key: position_key.to_owned(),
            serial_key: self.serial_key().map(str::to_owned),
        })
    }

    /// What it changes in stock, reductions first.
    pub(super) fn effects(&self) -> Vec<(Place, f64)> {
        let effects = effects(self.kind, &self.from, &self.to, self.quantity);
        effects.into_iter().filter_map(|(key, by)| Some((self.place(key)?, by))).collect()
    }
}

/// By how much a movement of a type changes the stock at its ends, reductions first.
pub(super) fn effects<'a>(kind: MovementType, from: &'a str, to: &'a str, quantity: f64) -> Vec<(&'a str, f64)> {
    match kind {
        MovementType::Receipt | MovementType::Production | MovementType::Adjustment => vec![(to, quantity)],
        MovementType::Shipment | MovementType::Consumption => vec![(from, -quantity)],
        MovementType::Transfer => vec![(from, -quantity), (to, quantity)],
        MovementType::Reversal => Vec::new(),
    }
}

/// What tells by how much a movement has changed stock.
#[derive(Default, Deserialize)]
struct Moved<'m> {
    #[serde(rename = "_from", default)]
    from: Option<&'m str>,
    #[serde(rename = "_to", default)]
    to: Option<&'m str>,
    #[serde(rename = "type", default)]
    kind: Option<MovementType>,
    #[serde(default)]
    qt_confirmed: Option<f64>,
}

/// By how much a stored, completed movement has changed the stock of positions. `origin`: the type of the movement that it
/// undoes.
pub fn changes_of<'m>(movement: &'m Value, origin: Option<MovementType>) -> Vec<(&'m str, f64)> {
    let moved = Moved::deserialize(movement).unwrap_or_default();
    let end = |id: Option<&'m str>| id.and_then(|id| id.split_once('/')).map_or("", |(_, key)| key);
    let (from, to) = (end(moved.from), end(moved.to));
    let quantity = moved.qt_confirmed.unwrap_or_default();
    match (moved.kind, origin) {
        (Some(MovementType::Reversal), Some(origin)) => {
            let undone = if origin == MovementType::Adjustment { -quantity } else { quantity };
            effects(origin, to, from, undone).into_iter().map(|(position, by)| (position, -by)).collect()
        }
        (Some(kind), _) => effects(kind, from, to, quantity),
        (None, _) => Vec::new(),
    }
}

/// Checks a movement in the order of the rules and resolves its names.
pub(super) fn resolve(known: &mut Known, wanted: &Wanted, stage: Stage) -> Result<Step> {
    if wanted.kind == MovementType::Reversal {
        return Err(no_reversal());
    }
    check_product(known, wanted)?;
    check_movement(known, wanted)?;
    for end in [&wanted.sent_from, &wanted.sent_to].into_iter().flatten().filter(|end| *end != NOWHERE) {
        known.position(end)?;
    }
    check_list(known, wanted)?;
    let absent = if stage == Stage::Planned { Absent::IsRoot } else { Absent::IsMissing };
    let (from, to) = wanted.ends(absent)?;
    let quantity = rounded(wanted.quantity);
    let Some(product_key) = wanted.product_key.clone() else {
        check_quantity(wanted.kind, quantity)?;
        return Ok(Step { kind: wanted.kind, from, to, product_key: None, serial: SerialOf::Nothing, quantity });
    };
    let product = known.product(&product_key)?;
    let serial = serial(known, product, &product_key, wanted, stage)?;
    check_quantity(wanted.kind, quantity)?;
    if serial != SerialOf::Nothing && !is_same(quantity.abs(), 1.0) {
        return Err(Refusal::Value.says(format!("The quantity of a serial of {} must be 1", product.name())));
    }
    Ok(Step { kind: wanted.kind, from, to, product_key: Some(product_key), serial, quantity })
}

fn check_product(known: &Known, wanted: &Wanted) -> Result<()> {
    match &wanted.product_key {
        Some(key) => known.product(key).map(drop),
        None if wanted.movement_key.is_some() => Ok(()),
        None if wanted.is_container() && wanted.sent_from.is_some() && wanted.sent_to.is_some() => Ok(()),
        None => Err(Refusal::Movement.says("product_key is missing: only a container is moved without a product")),
    }
}

/// The movement that is completed is open, and is the one that is meant.
fn check_movement(known: &Known, wanted: &Wanted) -> Result<()> {
    let Some(key) = &wanted.movement_key else { return Ok(()) };
    let movement = wanted.movement.as_ref().ok_or_else(|| Refusal::Movement.not_found("Movement", key))?;
    check_open(movement)?;
    let differs = |what: &str| Err(Refusal::Value.says(format!("The movement was planned with another {what}")));
    if movement.kind() != Some(wanted.kind) {
        return differs("type");
    }
    // What was planned without a product moves a position.
    if movement.product_key() != wanted.product_key.as_deref() {
        return differs("product");
    }
    let stored = movement.serial_key();
    let of_code = || known.serial_of_code(wanted.product_key.as_deref()?, wanted.serial_code.as_deref()?);
    let is_other = |stored: &str| {
        let by_key = wanted.serial_key.as_deref().is_some_and(|sent| sent != stored);
        by_key || (wanted.serial_code.is_some() && of_code().is_none_or(|serial| serial.key != stored))
    };
    if stored.is_some_and(is_other) {
        return differs("serial");
    }
    Ok(())
}

/// A movement that is still to be done.
pub(super) fn check_open(movement: &super::movement::Movement) -> Result<()> {
    match movement.status() {
        status if MOVEMENT.has(status, EventType::MovementUpdated) => Ok(()),
        MovementStatus::Canceled => Err(Refusal::Movement.says("The movement was canceled")),
        _ => Err(Refusal::Movement.says("The movement is completed already")),
    }
}

fn check_list(known: &mut Known, wanted: &Wanted) -> Result<()> {
    let Some(key) = &wanted.list_key else { return Ok(()) };
    let list = known.list(key).ok_or_else(|| Refusal::Value.not_found("Movement list", key))?;
    let name = list.name().to_owned();
    if list.status == MovementStatus::Canceled.name() {
        return Err(Refusal::Value.says(format!("Movement list {name} is canceled")));
    }
    if list.r#type != wanted.kind.name() {
        return Err(Refusal::Value.says(format!("Movement list {name} has movements of another type")));
    }
    if let Some(item) = wanted.item
        && !known.claim_item(key, item, wanted.product_key.as_deref())
    {
        return Err(Refusal::Value.says(format!("Item {item} of movement list {name} holds another product")));
    }
    Ok(())
}

/// The serial that a movement names, by key, by code or both.
fn serial(known: &Known, product: &Product, product_key: &str, wanted: &Wanted, stage: Stage) -> Result<SerialOf> {
    let name = product.name();
    let of_code = wanted.serial_code.as_deref().map(|code| (code, known.serial_of_code(product_key, code)));
    if !product.is_traced {
        return match (&wanted.serial_key, of_code) {
            (None, None) => Ok(SerialOf::Nothing),
            _ => Err(Refusal::Movement.says(format!("Product {name} does not have serials"))),
        };
    }
    match (&wanted.serial_key, of_code) {
        (Some(key), of_code) => {
            let serial = known.serial(key).ok_or_else(|| Refusal::Movement.not_found("Serial", key))?;
            if serial.product_key.as_deref() != Some(product_key) {
                return Err(Refusal::Movement.says(format!("Serial {} is of another product", serial.name())));
            }
            if of_code.is_some_and(|(_, found)| found.is_none_or(|found| found.key != *key)) {
                return Err(Refusal::Value.says("serial_key and serial_code name different serials"));
            }
            Ok(SerialOf::Known(key.clone()))
        }
        (None, Some((_, Some(serial)))) => Ok(SerialOf::Known(serial.key.clone())),
        (None, Some((code, None))) if wanted.kind == MovementType::Receipt => Ok(SerialOf::New(code.to_owned())),
        (None, Some((code, None))) => Err(Refusal::Movement.says(format!("Serial {code} of product {name} not found"))),
        (None, None) if stage == Stage::Planned => Ok(SerialOf::Nothing),
        (None, None) => Err(Refusal::Movement.says(format!("Product {name} is traced and needs a serial"))),
    }
}

fn check_quantity(kind: MovementType, quantity: f64) -> Result<()> {
    let is_adjustment = kind == MovementType::Adjustment;
    if !quantity.is_finite() || quantity == 0.0 || (quantity < 0.0 && !is_adjustment) {
        let text = if is_adjustment { "The quantity must not be 0" } else { "The quantity must be greater than 0" };
        return Err(Refusal::Value.says(text));
    }
    Ok(())
}
