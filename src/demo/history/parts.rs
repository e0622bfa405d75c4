//! Which part went into which unit, and which came out again.

use chrono::{NaiveDateTime, TimeDelta};
use serde::Deserialize;
use serde_json::{Value, json};

use super::orders::Batch;
use super::{Entry, What};
use crate::api::setup;
use crate::demo::factory::Factory;
use crate::demo::units::Unit;
use crate::demo::unreadable;
use crate::error::Result;
use crate::events::EventType;
use crate::events::serials::SerialLinked;

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
        let mut collected = Vec::new();
        let mut lots = Vec::new();
        for parent in batch.units.iter().copied() {
            self.single(batch, (parent, units), &mut collected, entries)?;
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
            let links = lots.iter().map(|(parent, child)| SerialLinked {
                child_serial_key: child.key.clone(),
                parent_serial_key: Some(parent.key.clone()),
                batch_key: Some(batch.key.clone()),
                ..SerialLinked::default()
            });
            entries.push(Entry::new(batch.last(), batch.user, What::Links(links.collect())));
        }
        if !collected.is_empty() {
            let links = setup::read(Value::Array(collected))?;
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
            let members = json!({
                "movement_type": "consumption", "qt_confirmed": 1, "product_key": lot.product, "serial_key": lot.key,
                "position_from": LOTS, "reason": "Opened",
                "references": {"work_order_key": batch.order, "job_key": batch.job, "batch_key": batch.key},
            });
            entries.push(Entry::event(batch.start, batch.user, EventType::MovementCompleted, members));
        }
    }

    /// The single parts of a unit: some come out again, some are only collected.
    fn single(
        &self,
        batch: &Batch,
        (parent, units): (&Unit, &[Unit]),
        collected: &mut Vec<Value>,
        entries: &mut Vec<Entry>,
    ) -> Result<()> {
        let own = |also: &&Also| also.parent == parent.key && also.phase == batch.phase.key;
        for also in self.also.iter().filter(own) {
            let child = units.iter().find(|unit| unit.key == also.child);
            let child = child.ok_or_else(|| unreadable(format!("there is no serial {}", also.child)))?;
            let is_asked_for = also.replaced.is_none() && !also.extra;
            if is_asked_for && (also.collected || !batch.is_open()) {
                collected.push(link(&parent.key, &also.child));
                continue;
            }
            let members = json!({
                "child_serial_key": also.child, "parent_serial_key": parent.key, "batch_key": batch.key,
            });
            entries.push(Entry::event(batch.start, batch.user, EventType::SerialLinked, members));
            if let Some(reason) = &also.replaced {
                let members = json!({
                    "child_serial_key": child.key, "parent_serial_key": parent.key, "batch_key": batch.key,
                    "reason": reason,
                });
                let at = batch.start + TimeDelta::minutes(10);
                entries.push(Entry::event(at, batch.user, EventType::SerialUnlinked, members));
                entries.extend(also.brought(at + TimeDelta::minutes(5), child));
            }
        }
        Ok(())
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
        let [from, to] = self.back.as_ref()?;
        let members = json!({
            "movement_type": "transfer", "qt_confirmed": 1, "product_key": child.product, "serial_key": child.key,
            "position_from": from, "position_to": to, "reason": self.replaced,
        });
        Some(Entry::event(at, INSPECTOR, EventType::MovementCompleted, members))
    }
}

fn link(parent: &str, child: &str) -> Value {
    json!({"parent_serial_key": parent, "child_serial_key": child})
}
