//! Which part went into which unit.

use chrono::{NaiveDateTime, TimeDelta};
use serde::Deserialize;
use serde_json::json;

use super::factory::Factory;
use super::library::Library;
use super::movements::Move;
use super::production::Run;
use super::units::Unit;

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
    replaced: Option<String>,
    confirmed: Option<bool>,
    back_to: Option<String>,
}

/// Adds the `contains` links and the movements by which the parts left the shelf.
pub fn add(
    factory: &mut Factory,
    library: &Library,
    runs: &[Run],
    units: &[Unit],
    moves: &mut Vec<Move>,
) -> Result<(), String> {
    let mut opened: Vec<&str> = Vec::new();
    for fit in factory.rules::<Fit>("fit")? {
        for parent in units.iter().filter(|unit| unit.prefix == fit.parent && !fit.except.contains(&unit.number)) {
            let (run, turn) = run_of(runs, parent)?;
            if turn >= run.done(&fit.phase) {
                continue;
            }
            let fits = |unit: &&Unit| match fit.child.as_str() {
                "lot" => unit.prefix == "lot" && unit.is_lot_of(parent.number),
                child => unit.prefix == child && unit.number == parent.number + fit.shift,
            };
            for child in units.iter().filter(fits) {
                let link = Link { parent, child, phase: &fit.phase, also: None };
                let at = link.add(factory, library, run, turn)?;
                // A lot is a box: it leaves the shelf when the first cell is taken out of it.
                if fit.child != "lot" || !opened.contains(&child.key.as_str()) {
                    opened.push(&child.key);
                    moves.push(Move::consumed(child, at, &run.order.key, &run.job(&fit.phase), user(run)));
                }
            }
        }
    }
    for also in factory.rules::<Also>("also")? {
        let (parent, child) = (find(units, &also.parent)?, find(units, &also.child)?);
        let (run, turn) = run_of(runs, parent)?;
        let at = Link { parent, child, phase: &also.phase, also: Some(&also) }.add(factory, library, run, turn)?;
        moves.push(Move::consumed(child, at, &run.order.key, &run.job(&also.phase), user(run)));
        if let Some(shelf) = &also.back_to {
            let back = at + TimeDelta::minutes(45);
            moves.push(Move::put_back(child, shelf, back, also.replaced.as_deref(), &run.order.key));
        }
    }
    Ok(())
}

struct Link<'a> {
    parent: &'a Unit,
    child: &'a Unit,
    phase: &'a str,
    also: Option<&'a Also>,
}

impl Link<'_> {
    /// Adds the link and tells when the part was built in.
    fn add(&self, factory: &mut Factory, library: &Library, run: &Run, turn: usize) -> Result<NaiveDateTime, String> {
        let phase = library.phase(self.phase)?;
        let index = run.phases.iter().position(|other| other.key == phase.key);
        let index = index.ok_or_else(|| format!("{} is no phase of {}", phase.key, run.order.product))?;
        let reason = self.also.and_then(|also| also.replaced.as_deref());
        factory.add(
            "contains",
            json!({
                "from": format!("Serial/{}", self.parent.key), "to": format!("Serial/{}", self.child.key),
                "wo_key": run.order.key, "phase_key": phase.key, "component_key": self.child.product,
                "job_key": run.job(&phase.key), "batch_key": run.batch(phase, turn), "replaced": reason.is_some(),
                "confirmed": self.also.and_then(|also| also.confirmed).unwrap_or(true), "reason": reason,
            }),
        )?;
        Ok(run.start(index, turn))
    }
}

fn run_of<'a>(runs: &'a [Run<'a>], unit: &Unit) -> Result<(&'a Run<'a>, usize), String> {
    let made = unit.made.as_ref().and_then(|(key, turn)| Some((runs.iter().find(|run| run.order.key == *key)?, *turn)));
    made.ok_or_else(|| format!("{} was not made here, so nothing was built into it", unit.key))
}

fn find<'a>(units: &'a [Unit], key: &str) -> Result<&'a Unit, String> {
    units.iter().find(|unit| unit.key == key).ok_or_else(|| format!("there is no serial {key}"))
}

fn user<'a>(run: &'a Run) -> Option<&'a str> {
    run.order.operator.as_deref()
}
