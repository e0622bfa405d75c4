//! What was counted, against the stock of that moment.

use chrono::NaiveDateTime;
use serde::Deserialize;
use serde_json::json;
use toml::value::Datetime;

use super::{Move, Stock};
use crate::demo::calendar::{stored, time};
use crate::demo::factory::Factory;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Count {
    session: String,
    assignment: String,
    position: String,
    product: String,
    missing: f64,
    at: Datetime,
    user: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Snapshot {
    key: String,
    session: String,
    at: Datetime,
    positions: Vec<String>,
    user: String,
}

/// Adds the count records and snapshots.
pub fn add(factory: &mut Factory, moves: &[Move]) -> Result<(), String> {
    for count in factory.rules::<Count>("count")? {
        let at = time(&count.at)?;
        let stock = stock_at(moves, at)?;
        let known: f64 = stock
            .at(&count.position)
            .filter(|(product, ..)| *product == count.product)
            .map(|(_, _, quantity)| quantity)
            .sum();
        factory.add(
            "inventory_count_record",
            json!({
                "key": format!("{}-{}-{}", count.session, count.product, count.position),
                "from": format!("Product/{}", count.product), "to": format!("Position/{}", count.position),
                "inventory_count_session_key": count.session, "assignment_key": count.assignment,
                "system_qt": known, "system_at": stored(at), "counted_qt": known - count.missing,
                "counted_at": stored(at), "user_key": count.user,
            }),
        )?;
    }
    for snapshot in factory.rules::<Snapshot>("snapshot")? {
        let at = time(&snapshot.at)?;
        factory.add(
            "InventorySnapshot",
            json!({
                "key": snapshot.key, "snapshot_type": "actual", "source": "count_session",
                "inventory_count_session_key": snapshot.session, "timestamp": stored(at), "scope_type": "positions",
                "target_keys": snapshot.positions, "created_by": snapshot.user,
            }),
        )?;
        add_items(factory, &snapshot, &stock_at(moves, at)?)?;
    }
    Ok(())
}

/// One item for each product at each position of a snapshot.
fn add_items(factory: &mut Factory, snapshot: &Snapshot, stock: &Stock) -> Result<(), String> {
    for position in &snapshot.positions {
        let mut items: Vec<(&str, f64, Vec<&str>)> = Vec::new();
        for (product, serial, quantity) in stock.at(position) {
            match items.last_mut().filter(|(last, ..)| *last == product) {
                Some((_, sum, serials)) => {
                    *sum += quantity;
                    serials.extend(serial);
                }
                None => items.push((product, quantity, serial.into_iter().collect())),
            }
        }
        for (product, quantity, serials) in items {
            factory.add(
                "InventorySnapshotItem",
                json!({
                    "key": format!("{}-{product}-{position}", snapshot.key), "inventory_snapshot_key": snapshot.key,
                    "product_key": product, "position_key": position, "quantity": quantity,
                    "serial_keys": (!serials.is_empty()).then_some(serials),
                }),
            )?;
        }
    }
    Ok(())
}

fn stock_at(moves: &[Move], at: NaiveDateTime) -> Result<Stock, String> {
    let mut stock = Stock::default();
    for entry in moves.iter().filter(|entry| entry.status() == "completed" && entry.at.is_some_and(|done| done <= at)) {
        stock.apply(entry)?;
    }
    Ok(stock)
}
