//! Work orders with their jobs, and the serials that came out of them.

use std::collections::BTreeMap;

use chrono::{NaiveDateTime, TimeDelta};
use serde_json::{Value, json};
use toml::value::Datetime;

use super::calendar::{self, stored};
use super::factory::Factory;
use super::library::{Library, Phase};
use super::movements::{Delivery, Move};
use super::records::{self, Reading, Records};
use super::units::{self, Lot, Order, Series, Unit};
use super::{links, movements};

/// What the warehouse needs to know of production.
pub struct Production {
    /// What was made, bought and built in, as movements.
    pub moves: Vec<Move>,
    /// The deliveries, read already: they tell when bought serials came.
    pub deliveries: Vec<Delivery>,
    /// The product of every serial.
    pub product_of: BTreeMap<String, String>,
}

/// An order with how far it has come.
pub struct Run<'a> {
    /// The order.
    pub order: &'a Order,
    /// The phases of its product.
    pub phases: Vec<&'a Phase>,
    /// Its units, by their turn.
    pub units: Vec<&'a Unit>,
    begins: NaiveDateTime,
}

impl<'a> Run<'a> {
    fn new(order: &'a Order, library: &'a Library, units: &'a [Unit]) -> Result<Self, String> {
        let own = |unit: &&Unit| unit.made.as_ref().is_some_and(|(key, _)| *key == order.key);
        Ok(Self {
            order,
            phases: library.phases_of(&order.product),
            units: units.iter().filter(own).collect(),
            begins: calendar::time(&order.begins)?,
        })
    }

    /// How many units have passed a phase.
    pub fn done(&self, phase: &str) -> usize {
        match self.order.status.as_str() {
            "closed" => self.order.planned as usize,
            _ => self.order.done.get(phase).copied().unwrap_or_default() as usize,
        }
    }

    /// Whether the next unit is being worked on at a phase.
    pub fn on_bench(&self, phase: &str) -> bool {
        self.order.bench.iter().any(|other| other == phase)
    }

    /// When a unit is through a phase: the slowest phase sets the pace.
    pub fn finish(&self, phase: usize, turn: usize) -> NaiveDateTime {
        let way: u32 = self.phases.iter().take(phase + 1).map(|phase| phase.minutes).sum();
        let pace = self.phases.iter().map(|phase| phase.minutes).max().unwrap_or_default();
        calendar::after(self.begins, way + pace * turn as u32)
    }

    /// When work on a unit in a phase begins.
    pub fn start(&self, phase: usize, turn: usize) -> NaiveDateTime {
        let minutes = self.phases.get(phase).map_or(0, |phase| phase.minutes);
        self.finish(phase, turn) - TimeDelta::minutes(minutes.into())
    }

    /// The job of a phase.
    pub fn job(&self, phase: &str) -> String {
        format!("{}-{phase}", self.order.key)
    }

    /// The batch in which a unit went through a phase, or is on the bench.
    pub fn batch(&self, phase: &Phase, turn: usize) -> Option<String> {
        let done = self.done(&phase.key);
        let number = match turn {
            turn if turn < done => turn / phase.batch,
            turn if turn == done && self.on_bench(&phase.key) => done.div_ceil(phase.batch),
            _ => return None,
        };
        Some(format!("{}-{}", self.job(&phase.key), number + 1))
    }

    fn last_phase(&self) -> usize {
        self.phases.len().saturating_sub(1)
    }

    fn through(&self) -> usize {
        self.phases.last().map_or(0, |phase| self.done(&phase.key))
    }

    fn has_begun(&self) -> bool {
        matches!(self.order.status.as_str(), "started" | "closed")
    }
}

/// Adds the orders, everything recorded under them, and the serials.
pub fn expand(factory: &mut Factory, library: &Library) -> Result<Production, String> {
    let orders: Vec<Order> = factory.rules("order")?;
    let series: Vec<Series> = factory.rules("series")?;
    let lots: Vec<Lot> = factory.rules("lot")?;
    let readings: Vec<Reading> = factory.rules("reading")?;
    let deliveries: Vec<Delivery> = factory.rules("delivery")?;
    let units = units::all(&series, lots, &orders);
    let runs = orders.iter().map(|order| Run::new(order, library, &units)).collect::<Result<Vec<_>, _>>()?;

    let mut data: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut moves = Vec::new();
    for run in &runs {
        add_order(factory, run)?;
        let mut records = Records { factory, readings: &readings, data: &mut data, moves: &mut moves };
        for (index, phase) in run.phases.iter().enumerate() {
            add_job(records.factory, run, index, phase)?;
            records::add(&mut records, run, index, phase)?;
        }
        add_wip(factory, run)?;
    }
    for unit in &units {
        let data = data.remove(&unit.key).unwrap_or_default();
        add_serial(factory, unit, &runs, &deliveries, data, &mut moves)?;
    }
    links::add(factory, library, &runs, &units, &mut moves)?;
    let product_of = units.iter().map(|unit| (unit.key.clone(), unit.product.clone())).collect();
    Ok(Production { moves, deliveries, product_of })
}

fn add_order(factory: &mut Factory, run: &Run) -> Result<(), String> {
    let Run { order, phases, .. } = run;
    let product = factory.find("Product", &order.product)?.clone();
    let mut bom = Vec::new();
    for phase in phases {
        bom.extend(phase.bom_lines(factory)?);
    }
    let done: usize = phases.iter().map(|phase| run.done(&phase.key)).sum();
    let all = order.planned as usize * phases.len();
    let end = (order.status == "closed").then(|| stored(run.finish(run.last_phase(), run.through().saturating_sub(1))));
    factory.add(
        "WorkOrder",
        json!({
            "key": order.key, "wo_code": order.code, "product_key": order.product, "product_code": product["code"],
            "product_description": product["description"],
            "phase_sequence": phases.iter().map(|phase| phase.key.as_str()).collect::<Vec<_>>(),
            "qt_planned": f64::from(order.planned), "priority": order.priority, "project_code": order.project,
            "start_from": stored(run.begins), "due_by": due(order.due.as_ref())?, "wo_bom": bom,
            "traceability_level": product["traceability_level"],
            "serial_code_on_creation": product["serial_code_on_creation"], "status": order.status,
            "qt_completed": run.through() as f64, "active": !order.bench.is_empty(),
            "progress": (done * 100).checked_div(all).unwrap_or_default(),
            "created": stored(run.begins - TimeDelta::days(3)),
            "start": run.has_begun().then(|| stored(run.begins)), "end": end,
        }),
    )
}

fn due(written: Option<&Datetime>) -> Result<Option<String>, String> {
    written.map(calendar::stored_as_written).transpose()
}

fn add_job(factory: &mut Factory, run: &Run, index: usize, phase: &Phase) -> Result<(), String> {
    let order = run.order;
    let product = factory.find("Product", &order.product)?.clone();
    let parameters = phase.parameters();
    let (done, bench) = (run.done(&phase.key), run.on_bench(&phase.key));
    let closed = done == order.planned as usize;
    let stage = if closed {
        "closed"
    } else if done > 0 || bench {
        "started"
    } else if run.has_begun() {
        "planned"
    } else {
        &order.status
    };
    let end = closed.then(|| stored(run.finish(index, done.saturating_sub(1))));
    let mut job = json!({
        "key": run.job(&phase.key), "wo_key": order.key, "wo_code": order.code, "product_key": order.product,
        "product_code": product["code"], "product_description": product["description"], "project_code": order.project,
        "parameters": parameters, "first_phase": index == 0, "last_phase": index == run.last_phase(), "stage": stage,
        "start_from": stored(run.begins), "due_by": due(order.due.as_ref())?,
        "start": (done > 0 || bench).then(|| stored(run.start(index, 0))), "active": bench, "end": end,
        "qt_planned": f64::from(order.planned), "qt_completed": done as f64, "qt_released": done as f64,
        "step_sequence": phase.steps(factory)?, "assigned_to": order.operator,
        "progress": done * 100 / order.planned.max(1) as usize,
        "active_batch_key": run.batch(phase, done).filter(|_| bench), "active_batch_qt": f64::from(u8::from(bench)),
        "traceability_level": product["traceability_level"],
        "serial_code_on_creation": product["serial_code_on_creation"], "wo_bom": phase.bom_lines(factory)?,
    });
    if let (Some(job), Value::Object(members)) = (job.as_object_mut(), phase.job_members()) {
        job.extend(members);
    }
    factory.add("Job", job)
}

/// Units between two phases, and those on a bench.
fn add_wip(factory: &mut Factory, run: &Run) -> Result<(), String> {
    for (turn, unit) in run.units.iter().enumerate() {
        let passed = run.phases.iter().take_while(|phase| turn < run.done(&phase.key)).count();
        let (Some(before), Some(next)) =
            (passed.checked_sub(1).and_then(|at| run.phases.get(at)), run.phases.get(passed))
        else {
            continue;
        };
        let booked = run.on_bench(&next.key) && turn == run.done(&next.key);
        let to = if booked { format!("Job/{}", run.job(&next.key)) } else { format!("Phase/{}", next.key) };
        factory.add(
            "wip",
            json!({
                "key": format!("wip-{}", unit.key), "from": format!("Phase/{}", before.key), "to": to,
                "wo_key": run.order.key, "product_key": unit.product, "serial_key": unit.key, "active": booked,
            }),
        )?;
    }
    Ok(())
}

fn add_serial(
    factory: &mut Factory,
    unit: &Unit,
    runs: &[Run],
    deliveries: &[Delivery],
    data: Vec<Value>,
    moves: &mut Vec<Move>,
) -> Result<(), String> {
    let made = unit.made.as_ref().and_then(|(key, turn)| Some((runs.iter().find(|run| run.order.key == *key)?, *turn)));
    let (created, released) = match (made, &unit.arrived) {
        (Some((run, turn)), _) => {
            let released = (turn < run.through()).then(|| run.finish(run.last_phase(), turn));
            if let (Some(at), Some(to)) = (released, &unit.to) {
                let job = run.phases.last().map(|phase| run.job(&phase.key));
                moves.push(Move::produced(unit, to, at, &run.order.key, job.as_deref(), run.order.operator.as_deref()));
            }
            (run.start(0, turn), released)
        }
        (None, Some(delivery)) => {
            let delivery = deliveries
                .iter()
                .find(|other| other.key == *delivery)
                .ok_or_else(|| format!("{}: there is no delivery {delivery}", unit.key))?;
            moves.push(Move::received(unit, delivery)?);
            let at = movements::arrival(delivery)?;
            (at, Some(at))
        }
        (None, None) => return Err(format!("{} was neither made nor bought", unit.key)),
    };
    factory.add(
        "Serial",
        json!({
            "key": unit.key, "code": unit.code, "product_key": unit.product,
            "wo_key": made.map(|(run, _)| run.order.key.as_str()), "quantity": unit.quantity,
            "created": stored(created), "released": released.map(stored), "data": data,
            "deleted": unit.deleted.as_deref().map_or(json!(false), Value::from),
        }),
    )
}
