//! Goods that arrive, move within the house and leave, each by a list of movements.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use serde::Deserialize;
use toml::value::Datetime;

use super::posted::{ListCreated, NewList, NewMovement, Papers};
use super::{Entry, What};
use crate::demo::calendar::{self, stored_as_written};
use crate::demo::factory::Factory;
use crate::demo::units::Unit;
use crate::demo::unreadable;
use crate::error::Result;
use crate::events::EventType;
use crate::events::serials::SerialCreated;
use tracewright_model::MovementStatus;

/// Who moves goods.
const CLERK: &str = "wanda";

/// A list of movements as the files write it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    key: String,
    code: String,
    /// What its movements do.
    #[serde(rename = "type")]
    kind: String,
    /// When it was done; without it, it is still to be done.
    done: Option<Datetime>,
    /// When it was planned, if it was.
    planned: Option<Datetime>,
    due: Option<Datetime>,
    partner: Option<String>,
    purchase: Option<String>,
    sales: Option<String>,
    from: Option<String>,
    to: Option<String>,
    #[serde(default)]
    goods: BTreeMap<String, u32>,
    #[serde(default)]
    serials: Vec<String>,
    /// Of each serial, where it is not one.
    quantity: Option<f64>,
    reason: Option<String>,
}

/// Adds the lists, with the serials that arrived, and the lots.
pub fn read(factory: &mut Factory, units: &[Unit], entries: &mut Vec<Entry>) -> Result<()> {
    for list in factory.rules::<List>("list").map_err(unreadable)? {
        let at = list.done.as_ref().or(list.planned.as_ref());
        let at = at.ok_or_else(|| unreadable(format!("{} is neither done nor planned", list.key)))?;
        let at = calendar::time(at).map_err(unreadable)?;
        let arrived: Vec<&Unit> = units.iter().filter(|unit| unit.arrived.as_deref() == Some(&list.key)).collect();
        for lot in arrived.iter().filter(|unit| unit.is_lot()) {
            entries.push(made(lot, at));
        }
        entries.push(list.entry(at, units, &arrived)?);
    }
    Ok(())
}

/// A lot comes into the world when it is unpacked.
fn made(lot: &Unit, at: NaiveDateTime) -> Entry {
    let serial = SerialCreated {
        product_key: lot.product.clone(),
        code: Some(lot.code.clone()),
        pieces: Some(lot.quantity),
        ..SerialCreated::default()
    };
    Entry::new(at, CLERK, What::Lot(serial)).giving("Serial", &lot.code, &lot.key)
}

impl List {
    fn entry(&self, at: NaiveDateTime, units: &[Unit], arrived: &[&Unit]) -> Result<Entry> {
        let mut movements = Vec::new();
        let mut items: Vec<&str> = Vec::new();
        for (product, quantity) in &self.goods {
            items.push(product);
            movements.push(self.movement(items.len(), product, f64::from(*quantity)));
        }
        let quantity = self.quantity.unwrap_or(1.0);
        for unit in arrived.iter().copied() {
            // A lot exists by now; other serials come into the world by being received.
            let (key, code) = if unit.is_lot() { (Some(&unit.key), None) } else { (None, Some(&unit.code)) };
            let plain = self.movement(item(&mut items, &unit.product), &unit.product, quantity);
            let (serial_key, serial_code) = (key.map(String::as_str), code.map(String::as_str));
            movements.push(NewMovement { serial_key, serial_code, ..plain });
        }
        for key in &self.serials {
            let unit = units.iter().find(|unit| unit.key == *key);
            let unit = unit.ok_or_else(|| unreadable(format!("there is no serial {key}")))?;
            let plain = self.movement(item(&mut items, &unit.product), &unit.product, quantity);
            movements.push(NewMovement { serial_key: Some(key.as_str()), ..plain });
        }
        let due = self.due.as_ref().map(stored_as_written).transpose().map_err(unreadable)?;
        let due = due.unwrap_or_else(|| at.date().to_string());
        let new_movement_list = NewList {
            code: &self.code,
            kind: &self.kind,
            due_by: due,
            status: if self.done.is_some() { MovementStatus::Completed } else { MovementStatus::Planned }.name(),
            references: Papers {
                partner_name: self.partner.as_deref(),
                purchase_doc: self.purchase.as_deref(),
                sales_doc: self.sales.as_deref(),
            },
            movements,
        };
        let members = ListCreated { new_movement_list };
        let mut entry = Entry::event(at, CLERK, EventType::WarehouseListCreated, &members)?;
        entry.keys.give("MovementList", &self.code, &self.key);
        for unit in arrived {
            entry.keys.give("Serial", &unit.code, &unit.key);
        }
        if self.done.is_none() {
            for serial in &self.serials {
                entry.keys.give("movement", serial, &format!("{}-{serial}", self.key));
            }
        }
        Ok(entry)
    }

    fn movement<'a>(&'a self, item: usize, product: &'a str, quantity: f64) -> NewMovement<'a> {
        NewMovement {
            product_key: product,
            qt_planned: quantity,
            movement_list_item: item,
            position_from: self.from.as_deref(),
            position_to: self.to.as_deref(),
            reason: self.reason.as_deref(),
            serial_key: None,
            serial_code: None,
        }
    }
}

/// The item of a product in a list.
fn item<'a>(items: &mut Vec<&'a str>, product: &'a str) -> usize {
    if let Some(place) = items.iter().position(|other| *other == product) {
        return place + 1;
    }
    items.push(product);
    items.len()
}
