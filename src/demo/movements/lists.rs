//! Movement lists: deliveries, transfers, shipments, adjustments.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use serde::Deserialize;
use serde_json::{Value, json};
use toml::value::Datetime;

use super::{CLERK, Move, OUT, PLANNED_AT};
use crate::demo::calendar::{stored, stored_as_written, time};
use crate::demo::factory::Factory;

/// Goods that arrive.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivery {
    /// Its key.
    pub key: String,
    code: String,
    at: Option<Datetime>,
    due: Option<Datetime>,
    partner: String,
    purchase: String,
    /// Where the goods go.
    pub to: String,
    #[serde(default)]
    goods: BTreeMap<String, u32>,
}

impl Delivery {
    /// Where it came from.
    pub fn references(&self) -> Value {
        json!({"partner_name": self.partner, "purchase_doc": self.purchase})
    }
}

/// When a delivery arrived.
pub fn arrival(delivery: &Delivery) -> Result<NaiveDateTime, String> {
    delivery.at.as_ref().map(time).transpose()?.ok_or_else(|| format!("{} has not arrived", delivery.key))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Transfer {
    key: String,
    code: String,
    at: Option<Datetime>,
    due: Option<Datetime>,
    canceled: Option<Datetime>,
    from: String,
    to: String,
    #[serde(default)]
    goods: BTreeMap<String, u32>,
    #[serde(default)]
    serials: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shipment {
    key: String,
    code: String,
    at: Option<Datetime>,
    due: Option<Datetime>,
    started: Option<Datetime>,
    partner: String,
    sales: String,
    serials: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Adjustment {
    key: String,
    code: String,
    at: Datetime,
    position: String,
    serials: Vec<String>,
    quantity: f64,
    reason: String,
}

/// A list in the making: its movements share everything but what is moved.
struct List<'a> {
    key: &'a str,
    code: &'a str,
    due: Option<&'a Datetime>,
    shared: Move,
}

/// Adds the lists and their movements. What serials arrived with a delivery is known already.
pub fn add(
    factory: &mut Factory,
    deliveries: &[Delivery],
    product_of: &BTreeMap<String, String>,
    moves: &mut Vec<Move>,
) -> Result<(), String> {
    for delivery in deliveries {
        let shared = Move {
            kind: "receipt",
            from: Some(OUT.to_owned()),
            to: Some(delivery.to.clone()),
            at: delivery.at.as_ref().map(time).transpose()?,
            references: delivery.references(),
            ..Move::default()
        };
        let list = List { key: &delivery.key, code: &delivery.code, due: delivery.due.as_ref(), shared };
        list.add(factory, moves, &delivery.goods, &[], product_of)?;
    }
    for transfer in factory.rules::<Transfer>("transfer")? {
        let canceled = transfer.canceled.as_ref().map(time).transpose()?;
        let shared = Move {
            kind: "transfer",
            from: Some(transfer.from),
            to: Some(transfer.to),
            at: transfer.at.as_ref().map(time).transpose()?.or(canceled),
            canceled: canceled.is_some(),
            references: json!({}),
            ..Move::default()
        };
        let list = List { key: &transfer.key, code: &transfer.code, due: transfer.due.as_ref(), shared };
        list.add(factory, moves, &transfer.goods, &transfer.serials, product_of)?;
    }
    for shipment in factory.rules::<Shipment>("shipment")? {
        let shared = Move {
            kind: "shipment",
            to: Some(OUT.to_owned()),
            at: shipment.at.as_ref().map(time).transpose()?,
            started: shipment.started.as_ref().map(time).transpose()?,
            references: json!({"partner_name": shipment.partner, "sales_doc": shipment.sales}),
            ..Move::default()
        };
        let list = List { key: &shipment.key, code: &shipment.code, due: shipment.due.as_ref(), shared };
        list.add(factory, moves, &BTreeMap::new(), &shipment.serials, product_of)?;
    }
    for adjustment in factory.rules::<Adjustment>("adjustment")? {
        let shared = Move {
            kind: "adjustment",
            from: Some(adjustment.position.clone()),
            to: Some(adjustment.position),
            at: Some(time(&adjustment.at)?),
            quantity: adjustment.quantity,
            reason: Some(adjustment.reason),
            references: json!({}),
            ..Move::default()
        };
        let list = List { key: &adjustment.key, code: &adjustment.code, due: None, shared };
        list.add(factory, moves, &BTreeMap::new(), &adjustment.serials, product_of)?;
    }
    Ok(())
}

impl List<'_> {
    fn add(
        self,
        factory: &mut Factory,
        moves: &mut Vec<Move>,
        goods: &BTreeMap<String, u32>,
        serials: &[String],
        product_of: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        let shared = Move { user: Some(CLERK.to_owned()), ..self.shared };
        let loose = goods.iter().map(|(product, quantity)| (product.clone(), None, f64::from(*quantity)));
        let numbered = serials.iter().map(|serial| {
            let quantity = if shared.quantity == 0.0 { 1.0 } else { shared.quantity };
            let product = product_of.get(serial).ok_or_else(|| format!("there is no serial {serial}"))?;
            Ok((product.clone(), Some(serial.clone()), quantity))
        });
        let numbered = numbered.collect::<Result<Vec<_>, String>>()?;
        for (item, (product, serial, quantity)) in loose.chain(numbered).enumerate() {
            let list = Some((self.key.to_owned(), item as u32 + 1));
            moves.push(Move { product, serial, quantity, list, ..shared.clone() });
        }
        let start = shared.started.or(shared.at);
        let due = match (self.due, start) {
            (Some(due), _) => stored_as_written(due)?,
            (None, Some(start)) => start.date().to_string(),
            (None, None) => return Err(format!("{} is neither due nor done", self.key)),
        };
        factory.add(
            "MovementList",
            json!({
                "key": self.key, "code": self.code, "type": shared.kind, "due_by": due,
                "created": start.map_or_else(|| PLANNED_AT.to_owned(), stored),
                "start": start.map(stored), "end": shared.at.map(stored),
                // A list whose movements are all done or canceled is complete.
                "status": if shared.canceled { "completed" } else { shared.status() },
                "references": shared.references,
            }),
        )
    }
}
