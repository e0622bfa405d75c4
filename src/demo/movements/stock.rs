//! What lies where: the sum of the movements.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Move, NULL, OUT};
use crate::demo::factory::Factory;

/// Quantities by product, position and serial.
#[derive(Debug, Default)]
pub struct Stock {
    quantities: BTreeMap<(String, String, Option<String>), f64>,
}

impl Stock {
    /// Where a movement that does not say it takes its goods from.
    pub fn place_of(&self, entry: &Move) -> Result<String, String> {
        self.quantities
            .iter()
            .find(|((product, _, serial), quantity)| {
                *product == entry.product && *serial == entry.serial && **quantity >= entry.quantity
            })
            .map(|((_, position, _), _)| position.clone())
            .ok_or_else(|| format!("there is nothing to take for {entry:?}"))
    }

    /// Carries a movement out.
    pub fn apply(&mut self, entry: &Move) -> Result<(), String> {
        let (from, to) = (entry.from.as_deref().unwrap_or(NULL), entry.to.as_deref().unwrap_or(NULL));
        if from != to {
            self.change(entry, from, -entry.quantity)?;
        }
        self.change(entry, to, entry.quantity)
    }

    fn change(&mut self, entry: &Move, position: &str, by: f64) -> Result<(), String> {
        if position == NULL || position == OUT {
            return Ok(());
        }
        let place = (entry.product.clone(), position.to_owned(), entry.serial.clone());
        let quantity = self.quantities.get(&place).copied().unwrap_or_default() + by;
        match quantity {
            below if below < 0.0 => return Err(format!("stock would fall below zero: {entry:?}")),
            0.0 => drop(self.quantities.remove(&place)),
            more if entry.serial.is_some() && more > 1.0 => return Err(format!("already in stock: {entry:?}")),
            more => drop(self.quantities.insert(place, more)),
        }
        Ok(())
    }

    /// What lies at a position: product, serial, quantity.
    pub fn at<'a>(&'a self, position: &'a str) -> impl Iterator<Item = (&'a str, Option<&'a str>, f64)> {
        let here = move |((_, other, _), _): &(&(String, String, Option<String>), &f64)| *other == position;
        self.quantities
            .iter()
            .filter(here)
            .map(|((product, _, serial), quantity)| (product.as_str(), serial.as_deref(), *quantity))
    }

    /// Adds the stock records.
    pub fn add(&self, factory: &mut Factory) -> Result<(), String> {
        for ((product, position, serial), quantity) in &self.quantities {
            let key = format!("stock-{}-{position}", serial.as_ref().unwrap_or(product));
            factory.add(
                "is_in_position",
                json!({
                    "key": key, "from": format!("Product/{product}"), "to": format!("Position/{position}"),
                    "serial_key": serial, "quantity": quantity, "owned": true, "counting": false, "count_by": null,
                    "last_counted": null, "locked": false, "locked_by": null, "value": null, "extra": null,
                }),
            )?;
        }
        Ok(())
    }
}
