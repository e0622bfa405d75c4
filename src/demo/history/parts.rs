//! Which part went into which unit, and which came out again.

use chrono::{NaiveDateTime, TimeDelta};
use serde::Deserialize;

use super::bodies::Link;
use super::orders::Batch;
use super::{Entry, What};
use crate::demo::body;
use crate::demo::factory::Factory;
use crate::demo::units::Unit;
use crate::demo::unreadable;
use crate::error::Result;
use crate::events::serials::{SerialLinked, SerialUnlinked};
use crate::events::stock::{MovementCompleted, Moving, References};
use tracewright_model::MovementType;

/// Who takes bad parts out.
const INSPECTOR: &str = "lucia";
/// Where lots are opened.
const LOTS: &str = "bin-q1";

/// A rule for all units of a series.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fit {
    parent: String,
    child: String,
    phase: String,
    #[serde(default)]
    shift: u32,
    #[serde(default)]
    except: Vec<u32>,
}

/// A single part.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Also {
    parent: String,
    child: String,
    phase: String,
    /// Why it came out again.
    replaced: Option<String>,
    /// Where it went then: from which shelf it was taken, and to which it was brought.
    back: Option<[String; 2]>,
    /// Whether the bill of materials does not ask for it, so that it is taken from the shelf by hand.
    #[serde(default)]
    extra: bool,
    /// Whether it is collected and not yet built in.
    #[serde(default)]
    collected: bool,
}

/// All rules about parts.
pub struct Parts {
    fits: Vec<Fit>,
    also: Vec<Also>,
    /// Lots that were opened.
    opened: Vec<String>,
}

impl Parts {
    /// Reads the rules.
    pub fn read(factory: &mut Factory) -> Result<Self, String> {
        Ok(Self { fits: factory.rules("fit")?, also: factory.rules("also")?, opened: Vec::new() })
    }

    /// Adds what was built into the units of a batch, before it was done.
    pub fn add(&mut self, batch: &Batch, units: &[Unit], entries: &mut Vec<Entry>) -> Result<()> {
        let mut collected: Vec<Link<'_>> = Vec::new();
        let mut lots = Vec::new();
        for parent in batch.units.iter().copied() {
            collected.extend(self.single(batch, (parent, units), entries)?);
            if batch.is_open() {
                continue;
            }
            for fit in self.fits.iter().filter(|fit| fit.parent == parent.prefix && fit.phase == batch.phase.key) {
                if fit.except.contains(&parent.number) {
                    continue;
                }
                for child in units.iter().filter(|child| fit.is(parent, child)) {
                    if child.is_lot() {
                        lots.push((parent, child));
                    } else {
                        collected.push(link(&parent.key, &child.key));
                    }
                }
            }
        }
        self.open_lots(batch, &lots, entries);
        if !lots.is_empty() {
            let links = lots.iter().map(|(parent, child)| linked(batch, parent, child));
            entries.push(Entry::new(batch.last(), batch.user, What::Links(links.collect())));
        }
        if !collected.is_empty() {
            let links = body(&collected)?;
            entries.push(Entry::new(batch.last(), batch.user, What::Collected(batch.key.clone(), links)));
        }
        Ok(())
    }

    /// A lot is a box: it leaves the shelf when the first cell is taken out of it.
    fn open_lots(&mut self, batch: &Batch, lots: &[(&Unit, &Unit)], entries: &mut Vec<Entry>) {
        for (_, lot) in lots {
            if self.opened.contains(&lot.key) {
                continue;
            }
            self.opened.push(lot.key.clone());
            let references = References {
                work_order_key: Some(batch.order.to_owned()),
                job_key: Some(batch.job.clone()),
                batch_key: Some(batch.key.clone()),
                ..References::default()
            };
            let moving = Moving {
                position_from: Some(LOTS.to_owned()),
                reason: Some("Opened".to_owned()),
                references: Some(references),
                ..of_unit(lot)
            };
            let consumed = MovementCompleted::of(MovementType::Consumption, 1.0, moving);
            entries.push(Entry::event(batch.start, batch.user, &consumed));
        }
    }

    /// The single parts of a unit: some come out again, some are only collected and given back.
    fn single<'u>(
        &self,
        batch: &Batch,
        (parent, units): (&'u Unit, &'u [Unit]),
        entries: &mut Vec<Entry>,
    ) -> Result<Vec<Link<'u>>> {
        let mut collected = Vec::new();
        let own = |also: &&Also| also.parent == parent.key && also.phase == batch.phase.key;
        for also in self.also.iter().filter(own) {
            let child = units.iter().find(|unit| unit.key == also.child);
            let child = child.ok_or_else(|| unreadable(format!("there is no serial {}", also.child)))?;
            let is_asked_for = also.replaced.is_none() && !also.extra;
            if is_asked_for && (also.collected || !batch.is_open()) {
                collected.push(link(&parent.key, &child.key));
                continue;
            }
            entries.push(Entry::event(batch.start, batch.user, &linked(batch, parent, child)));
            if let Some(reason) = &also.replaced {
                let unlinked = SerialUnlinked {
                    child_serial_key: child.key.clone(),
                    parent_serial_key: Some(parent.key.clone()),
                    batch_key: Some(batch.key.clone()),
                    reason: Some(reason.clone()),
                    ..SerialUnlinked::default()
                };
                let at = batch.start + TimeDelta::minutes(10);
                entries.push(Entry::event(at, batch.user, &unlinked));
                entries.extend(also.brought(at + TimeDelta::minutes(5), child));
            }
        }
        Ok(collected)
    }
}

impl Fit {
    fn is(&self, parent: &Unit, child: &Unit) -> bool {
        match self.child.as_str() {
            "lot" => child.is_lot() && child.is_lot_of(parent.number),
            prefix => child.prefix == prefix && child.number == parent.number + self.shift,
        }
    }
}

impl Also {
    /// What came out is brought from its shelf to another.
    fn brought(&self, at: NaiveDateTime, child: &Unit) -> Option<Entry> {
        let [from, to] = self.back.clone()?;
        let moving = Moving {
            position_from: Some(from),
            position_to: Some(to),
            reason: self.replaced.clone(),
            ..of_unit(child)
        };
        let brought = MovementCompleted::of(MovementType::Transfer, 1.0, moving);
        Some(Entry::event(at, INSPECTOR, &brought))
    }
}

fn link<'u>(parent_serial_key: &'u str, child_serial_key: &'u str) -> Link<'u> {
    Link { child_serial_key, parent_serial_key }
}

/// A component goes into a unit of a batch.
fn linked(batch: &Batch, parent: &Unit, child: &Unit) -> SerialLinked {
    SerialLinked {
        child_serial_key: child.key.clone(),
        parent_serial_key: Some(parent.key.clone()),
        batch_key: Some(batch.key.clone()),
        ..SerialLinked::default()
    }
}

/// A unit is moved.
fn of_unit(unit: &Unit) -> Moving {
    Moving { product_key: Some(unit.product.clone()), serial_key: Some(unit.key.clone()), ..Moving::default() }
}
