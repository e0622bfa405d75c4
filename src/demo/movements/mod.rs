//! Movements, the lists they stand in, and the stock they add up to.

mod counting;
mod lists;
mod stock;

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use serde_json::{Value, json};

pub use self::lists::{Delivery, arrival};
use self::stock::Stock;
use super::calendar::stored;
use super::factory::Factory;
use super::production::Production;
use super::units::Unit;

/// One entry of the movement journal in the making.
#[derive(Debug, Clone, Default)]
pub struct Move {
    kind: &'static str,
    product: String,
    serial: Option<String>,
    quantity: f64,
    /// Absent: from wherever it lies.
    from: Option<String>,
    to: Option<String>,
    /// When it was done; absent while it is not.
    at: Option<NaiveDateTime>,
    /// When it was begun, where that is not when it was done.
    started: Option<NaiveDateTime>,
    canceled: bool,
    list: Option<(String, u32)>,
    references: Value,
    reason: Option<String>,
    user: Option<String>,
}

/// The position that has no document: production makes from it and consumes into it.
const NULL: &str = "NULL";
const OUT: &str = "OUT";
/// Who moves goods, and who takes bad parts out.
const CLERK: &str = "wanda";
const INSPECTOR: &str = "lucia";
/// When what is still to be done was written down.
const PLANNED_AT: &str = "2026-05-08T08:00:00.000000+00:00";

impl Move {
    fn of_serial(kind: &'static str, unit: &Unit, at: NaiveDateTime) -> Self {
        let (product, serial) = (unit.product.clone(), Some(unit.key.clone()));
        Self { kind, product, serial, quantity: 1.0, at: Some(at), ..Self::default() }
    }

    /// A serial that an order has made.
    pub fn produced(
        unit: &Unit,
        to: &str,
        at: NaiveDateTime,
        order: &str,
        job: Option<&str>,
        user: Option<&str>,
    ) -> Self {
        Self {
            from: Some(NULL.to_owned()),
            to: Some(to.to_owned()),
            references: json!({"work_order_key": order, "job_key": job}),
            user: user.map(str::to_owned),
            ..Self::of_serial("production", unit, at)
        }
    }

    /// A serial that came with a delivery.
    pub fn received(unit: &Unit, delivery: &Delivery) -> Result<Self, String> {
        Ok(Self {
            from: Some(OUT.to_owned()),
            to: Some(delivery.to.clone()),
            list: Some((delivery.key.clone(), 1)),
            references: delivery.references(),
            user: Some(CLERK.to_owned()),
            ..Self::of_serial("receipt", unit, arrival(delivery)?)
        })
    }

    /// A serial that was built into another.
    pub fn consumed(unit: &Unit, at: NaiveDateTime, order: &str, job: &str, user: Option<&str>) -> Self {
        Self {
            to: Some(NULL.to_owned()),
            references: json!({"work_order_key": order, "job_key": job}),
            user: user.map(str::to_owned),
            ..Self::of_serial("consumption", unit, at)
        }
    }

    /// A part that was taken out again.
    pub fn put_back(unit: &Unit, to: &str, at: NaiveDateTime, reason: Option<&str>, order: &str) -> Self {
        Self {
            from: Some(NULL.to_owned()),
            to: Some(to.to_owned()),
            reason: reason.map(str::to_owned),
            references: json!({"work_order_key": order}),
            user: Some(INSPECTOR.to_owned()),
            ..Self::of_serial("reversal", unit, at)
        }
    }

    /// Goods that nobody numbers, used by a batch.
    pub fn consumed_loose(
        product: &str,
        quantity: f64,
        at: NaiveDateTime,
        order: &str,
        job: &str,
        batch: &str,
        user: Option<&str>,
    ) -> Self {
        Self {
            kind: "consumption",
            product: product.to_owned(),
            quantity,
            to: Some(NULL.to_owned()),
            at: Some(at),
            references: json!({"work_order_key": order, "job_key": job, "batch_key": batch}),
            user: user.map(str::to_owned),
            ..Self::default()
        }
    }

    fn status(&self) -> &'static str {
        match (self.canceled, self.at, self.started) {
            (true, ..) => "canceled",
            (false, Some(_), _) => "completed",
            (false, None, Some(_)) => "started",
            (false, None, None) => "planned",
        }
    }
}

/// Adds lists, movements and stock, then what was counted of it.
pub fn expand(factory: &mut Factory, production: Production) -> Result<(), String> {
    let mut moves = production.moves;
    lists::add(factory, &production.deliveries, &production.product_of, &mut moves)?;
    moves.sort_by_key(|entry| (entry.at.or(entry.started).is_none(), entry.at.or(entry.started)));

    let mut stock = Stock::default();
    let mut consumed_by: BTreeMap<String, String> = BTreeMap::new();
    for (index, entry) in moves.iter_mut().enumerate() {
        let key = format!("mv-{:04}", index + 1);
        if entry.from.is_none() {
            entry.from = Some(stock.place_of(entry)?);
        }
        if entry.status() == "completed" {
            stock.apply(entry)?;
        }
        let origin = entry.serial.as_ref().filter(|_| entry.kind == "reversal").and_then(|key| consumed_by.get(key));
        add_movement(factory, entry, &key, origin.map(String::as_str))?;
        if let (Some(serial), "consumption") = (&entry.serial, entry.kind) {
            consumed_by.insert(serial.clone(), key);
        }
    }
    stock.add(factory)?;
    counting::add(factory, &moves)
}

fn add_movement(factory: &mut Factory, entry: &Move, key: &str, origin: Option<&str>) -> Result<(), String> {
    let end = |end: &Option<String>| format!("Position/{}", end.as_deref().unwrap_or(NULL));
    let done = entry.status() == "completed";
    let start = entry.started.or(entry.at);
    let mut references = entry.references.clone();
    if let (Some(origin), Some(members)) = (origin, references.as_object_mut()) {
        members.insert("origin_movement_key".to_owned(), origin.into());
    }
    factory.add(
        "movement",
        json!({
            "key": key, "from": end(&entry.from), "to": end(&entry.to), "type": entry.kind,
            "product_key": entry.product, "serial_key": entry.serial, "qt_planned": entry.quantity,
            "qt_confirmed": if done { entry.quantity } else { 0.0 }, "status": entry.status(),
            "created": start.map_or_else(|| PLANNED_AT.to_owned(), stored),
            "start": start.map(stored), "end": entry.at.map(stored), "inverse_movement_key": origin,
            "movement_list_key": entry.list.as_ref().map(|(list, _)| list),
            "movement_list_item": entry.list.as_ref().map(|(_, item)| f64::from(*item)),
            "references": references, "reason": entry.reason, "user_key": entry.user,
        }),
    )
}
