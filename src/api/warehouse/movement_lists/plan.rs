//! A movement list against what the database holds: names become keys, rules are checked, stock is changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::stock::{Ledger, Place};
use super::super::types::MovementType;
use super::super::{NOWHERE, is_key};
use super::request::{MovementListNew, MovementNew, refused};
use crate::error::Result;

/// What the movements name, as the database holds it.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Loaded")]
pub(super) struct Parts {
    products: HashMap<String, Product>,
    /// Keys of the products by their codes.
    product_codes: HashMap<String, String>,
    positions: HashMap<String, Position>,
    serials: HashMap<String, Serial>,
    /// Keys of the serials by their product and code.
    serial_codes: HashMap<(String, String), String>,
}

#[derive(Deserialize)]
struct Loaded {
    products: Vec<Product>,
    positions: Vec<Position>,
    serials: Vec<Serial>,
}

impl From<Loaded> for Parts {
    fn from(loaded: Loaded) -> Self {
        let mut parts = Self::default();
        for product in loaded.products {
            if let Some(code) = &product.code {
                parts.product_codes.entry(code.clone()).or_insert_with(|| product.key.clone());
            }
            parts.products.insert(product.key.clone(), product);
        }
        parts.positions = loaded.positions.into_iter().map(|position| (position.key.clone(), position)).collect();
        parts.add_serials(loaded.serials);
        parts
    }
}

#[derive(Debug, Deserialize)]
struct Product {
    key: String,
    code: Option<String>,
    is_traced: bool,
    /// Whether its stock may go below zero.
    may_fall_short: bool,
}

#[derive(Debug, Deserialize)]
struct Position {
    key: String,
    is_fixed: bool,
}

/// A serial that is not deleted.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Serial {
    key: String,
    code: Option<String>,
    product_key: Option<String>,
}

impl Parts {
    /// Adds serials, such as those that were just inserted.
    pub(super) fn add_serials(&mut self, serials: Vec<Serial>) {
        for serial in serials {
            if let (Some(product_key), Some(code)) = (&serial.product_key, &serial.code) {
                let name = (product_key.clone(), code.clone());
                self.serial_codes.entry(name).or_insert_with(|| serial.key.clone());
            }
            self.serials.insert(serial.key.clone(), serial);
        }
    }

    fn product(&self, movement: &MovementNew, by_code: bool) -> Result<&Product, String> {
        let name = if by_code { &movement.product_code } else { &movement.product_key };
        let name = name.as_deref().unwrap_or_default();
        let key = if by_code { self.product_codes.get(name).map(String::as_str) } else { Some(name) };
        key.and_then(|key| self.products.get(key)).ok_or_else(|| format!("product '{name}' not found"))
    }

    fn serial_by_code(&self, product: &Product, code: &str) -> Option<&Serial> {
        let key = self.serial_codes.get(&(product.key.clone(), code.to_owned()))?;
        self.serials.get(key)
    }

    /// The serial a movement names; `None` when it names none or one that does not exist yet.
    fn serial(&self, movement: &MovementNew, product: &Product) -> Result<Option<&Serial>, String> {
        if let Some(key) = &movement.serial_key {
            let found = self.serials.get(key).filter(|serial| serial.product_key.as_ref() == Some(&product.key));
            return found.map(Some).ok_or_else(|| format!("serial '{key}' of the product not found"));
        }
        Ok(movement.stored_serial_code().and_then(|code| self.serial_by_code(product, &code)))
    }

    fn check_position(&self, key: &str) -> Result<(), String> {
        let is_known = key == NOWHERE || self.positions.contains_key(key);
        if is_known { Ok(()) } else { Err(format!("position '{key}' not found")) }
    }
}

/// The serials that receipts bring in and nobody knows yet, as they are stored.
pub(super) fn missing_serials(list: &MovementListNew, parts: &Parts, user_key: &str, now: &str) -> Result<Vec<Value>> {
    let mut missing = BTreeMap::new();
    if list.kind != MovementType::Receipt {
        return Ok(Vec::new());
    }
    for (index, movement) in list.movements().iter().enumerate() {
        let product = parts.product(movement, list.by_code()).map_err(|text| refused(index, text))?;
        let Some(code) = movement.stored_serial_code().filter(|_| movement.serial_key.is_none()) else { continue };
        if parts.serial_by_code(product, &code).is_some() {
            continue;
        }
        if !product.is_traced {
            return Err(refused(index, "the product does not support serial numbers"));
        }
        let serial = json!({
            "code": code, "product_key": product.key, "created_by": format!("User/{user_key}"), "user_key": user_key,
            "wo_key": null, "counter_key": null, "quantity": 1, "created": now, "released": now, "data": [],
            "deleted": false,
        });
        missing.insert((product.key.as_str(), code), serial);
    }
    Ok(missing.into_values().collect())
}

/// A movement with everything it names resolved.
#[derive(Debug)]
struct Step<'a> {
    request: &'a MovementNew,
    from: String,
    to: String,
    /// `None` for a container.
    product_key: Option<&'a str>,
    serial_key: Option<&'a str>,
    may_fall_short: bool,
    /// Code of a serial that does not exist yet.
    coming_serial: Option<String>,
    quantity: f64,
}

/// The movements of a list, ready to be stored and applied.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    list: &'a MovementListNew,
    steps: Vec<Step<'a>>,
}

impl<'a> Plan<'a> {
    /// Resolves the movements of a list and checks every rule that does not depend on stock.
    pub(super) fn new(list: &'a MovementListNew, parts: &'a Parts) -> Result<Self> {
        let steps = list
            .movements()
            .iter()
            .enumerate()
            .map(|(index, movement)| step(list, movement, parts).map_err(|text| refused(index, text)));
        Ok(Self { list, steps: steps.collect::<Result<_>>()? })
    }

    /// The stock that the movements touch, as the query that loads it wants it.
    pub(super) fn touched(&self) -> Value {
        let mut places = BTreeSet::new();
        let mut serial_keys = BTreeSet::new();
        let mut position_keys = BTreeSet::new();
        for step in &self.steps {
            match (step.product_key, step.serial_key) {
                (_, Some(serial_key)) => drop(serial_keys.insert(serial_key)),
                (Some(product_key), None) => {
                    places.extend([(product_key, &step.from), (product_key, &step.to)]);
                }
                (None, None) => position_keys.extend([&step.from, &step.to]),
            }
        }
        let places: Vec<Value> = places
            .into_iter()
            .map(|(product_key, position_key)| json!({"product_key": product_key, "position_key": position_key}))
            .collect();
        position_keys.retain(|key| is_key(key));
        json!({"places": places, "serial_keys": serial_keys, "position_keys": position_keys})
    }

    /// Changes stock by the movements, one after the other.
    pub(super) fn apply(&self, ledger: &mut Ledger) -> Result<()> {
        for (index, step) in self.steps.iter().enumerate() {
            step.apply(self.list.kind, ledger).map_err(|text| refused(index, text))?;
        }
        Ok(())
    }

    /// The movements as they are stored, without the key of their list.
    pub(super) fn documents(&self, user_key: &str, now: &str) -> Vec<Value> {
        let references = self.list.references.clone().unwrap_or_default();
        let done = self.list.is_completed().then_some(now);
        let of = |step: &Step<'_>| {
            let request = step.request;
            let confirmed = if self.list.is_completed() { step.quantity } else { request.qt_confirmed.unwrap_or(0.0) };
            let mut document = json!({
                "_from": format!("Position/{}", step.from), "_to": format!("Position/{}", step.to),
                "type": self.list.kind, "product_key": step.product_key, "serial_key": step.serial_key,
                "qt_planned": request.qt_planned.unwrap_or(1.0), "qt_confirmed": confirmed,
                "status": self.list.status(), "created": now, "start": done, "end": done,
                "inverse_movement_key": null, "movement_list_item": request.movement_list_item,
                "references": request.references.clone().unwrap_or_default().or(&references),
                "reason": request.reason, "user_key": request.user_key.as_deref().unwrap_or(user_key),
                "extra": request.extra,
            });
            if let Some(code) = &step.coming_serial {
                document["serial_code"] = code.as_str().into();
            }
            document
        };
        self.steps.iter().map(of).collect()
    }
}

fn step<'a>(list: &MovementListNew, movement: &'a MovementNew, parts: &'a Parts) -> Result<Step<'a>, String> {
    let (from, to) = movement.ends(list.kind)?;
    parts.check_position(&from)?;
    parts.check_position(&to)?;
    let quantity = if list.is_completed() { movement.quantity() } else { movement.qt_planned.unwrap_or(1.0) };
    if movement.is_container(list.kind) {
        if parts.positions.get(&from).is_none_or(|position| position.is_fixed) {
            return Err(format!("position '{from}' is fixed and cannot be moved"));
        }
        let (product_key, serial_key, coming_serial, may_fall_short) = (None, None, None, false);
        let request = movement;
        return Ok(Step { request, from, to, product_key, serial_key, may_fall_short, coming_serial, quantity });
    }
    let product = parts.product(movement, list.by_code())?;
    let serial = parts.serial(movement, product)?;
    let coming_serial = movement.stored_serial_code().filter(|_| serial.is_none());
    let may_come = !list.is_completed() && matches!(list.kind, MovementType::Receipt | MovementType::Production);
    if let Some(code) = coming_serial.as_ref().filter(|_| !may_come) {
        return Err(format!("serial '{code}' of the product not found"));
    }
    let has_serial = serial.is_some() || coming_serial.is_some();
    if list.is_completed() && product.is_traced && !has_serial {
        return Err("the product is traced and needs a serial".to_owned());
    }
    check_quantity(list.kind, quantity, has_serial)?;
    let (product_key, serial_key) = (Some(product.key.as_str()), serial.map(|serial| serial.key.as_str()));
    // A serial is there or not.
    let may_fall_short = product.may_fall_short && !has_serial;
    let request = movement;
    Ok(Step { request, from, to, product_key, serial_key, may_fall_short, coming_serial, quantity })
}

fn check_quantity(kind: MovementType, quantity: f64, has_serial: bool) -> Result<(), String> {
    let is_adjustment = kind == MovementType::Adjustment;
    if quantity == 0.0 || (quantity < 0.0 && !is_adjustment) {
        return Err("the quantity must be greater than 0".to_owned());
    }
    if has_serial && quantity.abs() != 1.0 {
        return Err("the quantity of a serial must be 1".to_owned());
    }
    Ok(())
}

impl Step<'_> {
    fn place(&self, position_key: &str) -> Option<Place> {
        Some(Place {
            product_key: self.product_key?.to_owned(),
            position_key: position_key.to_owned(),
            serial_key: self.serial_key.map(str::to_owned),
        })
    }

    fn apply(&self, kind: MovementType, ledger: &mut Ledger) -> Result<(), String> {
        let (Some(from), Some(to)) = (self.place(&self.from), self.place(&self.to)) else {
            return ledger.move_position(&self.from, &self.to);
        };
        match kind {
            MovementType::Receipt | MovementType::Production => self.add(ledger, &to, self.quantity),
            MovementType::Adjustment if self.quantity > 0.0 => self.add(ledger, &to, self.quantity),
            MovementType::Adjustment => ledger.take(&to, -self.quantity, self.may_fall_short),
            MovementType::Shipment | MovementType::Consumption => {
                ledger.take(&from, self.quantity, self.may_fall_short)
            }
            MovementType::Transfer => ledger.transfer(&from, &to, self.quantity, self.may_fall_short),
            MovementType::Reversal => Err("a reversal is not made directly".to_owned()),
        }
    }

    fn add(&self, ledger: &mut Ledger, to: &Place, quantity: f64) -> Result<(), String> {
        if self.serial_key.is_some_and(|serial_key| ledger.holds_serial(serial_key)) {
            return Err("the serial is already in stock".to_owned());
        }
        ledger.put(to, quantity)
    }
}
