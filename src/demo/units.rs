//! The serials: numbered units of a series, and lots.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::value::Datetime;

/// Numbered serials of one product.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    prefix: String,
    product: String,
    code: String,
    #[serde(default = "four")]
    digits: usize,
    last: u32,
    places: Option<u32>,
    order: Option<String>,
    arrived: Option<String>,
}

fn four() -> usize {
    4
}

/// A lot: a serial that stands for many pieces.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lot {
    key: String,
    code: String,
    product: String,
    quantity: u32,
    arrived: String,
    batteries: Vec<[u32; 2]>,
}

/// A work order as the file writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Its key.
    pub key: String,
    /// Its code.
    pub code: String,
    /// What it makes.
    pub product: String,
    /// How many it is to make.
    pub planned: u32,
    /// First and last number of its units, when the series does not name the order.
    pub units: Option<[u32; 2]>,
    /// How many units have passed each phase; without it, those that are planned have passed all.
    done: Option<BTreeMap<String, usize>>,
    /// Phases at which the next unit is being worked on.
    #[serde(default)]
    pub bench: Vec<String>,
    /// Project.
    pub project: Option<String>,
    /// When work begins.
    pub begins: Datetime,
    /// When it is due.
    pub due: Option<Datetime>,
    /// Who does the work.
    pub operator: Option<String>,
    /// Whether it goes first.
    #[serde(default)]
    pub priority: bool,
}

impl Order {
    /// How many units have passed a phase.
    pub fn done(&self, phase: &str) -> usize {
        match &self.done {
            Some(done) => done.get(phase).copied().unwrap_or_default(),
            None => self.planned as usize,
        }
    }

    /// Whether nobody has begun with it.
    pub fn waits(&self) -> bool {
        self.done.as_ref().is_some_and(|done| done.values().all(|number| *number == 0))
    }
}

/// A serial.
#[derive(Debug)]
pub struct Unit {
    /// Its key.
    pub key: String,
    /// Its code.
    pub code: String,
    /// The series, or `lot`.
    pub prefix: String,
    /// Its product.
    pub product: String,
    /// Number in the series.
    pub number: u32,
    /// How many pieces it stands for.
    pub quantity: u32,
    /// The order that made it.
    pub made_by: Option<String>,
    /// The list of movements with which it came.
    pub arrived: Option<String>,
    batteries: Vec<[u32; 2]>,
}

impl Unit {
    /// Whether it stands for many pieces.
    pub fn is_lot(&self) -> bool {
        self.quantity > 1
    }

    /// Whether the modules of a battery were welded of this lot.
    pub fn is_lot_of(&self, battery: u32) -> bool {
        self.batteries.iter().any(|[first, last]| (*first..=*last).contains(&battery))
    }
}

/// Every unit of the series and every lot. Those of an order stand in the order of their turns.
pub fn all(series: Vec<Series>, lots: Vec<Lot>, orders: &[Order]) -> Vec<Unit> {
    let mut units = Vec::new();
    for series in series {
        for number in 1..=series.last {
            for place in 1..=series.places.unwrap_or(1) {
                let (key, code) = names(&series, number, place);
                units.push(Unit {
                    key,
                    code,
                    prefix: series.prefix.clone(),
                    product: series.product.clone(),
                    number,
                    quantity: 1,
                    made_by: order_of(&series, number, orders).map(str::to_owned),
                    arrived: series.arrived.clone(),
                    batteries: Vec::new(),
                });
            }
        }
    }
    units.extend(lots.into_iter().enumerate().map(|(index, lot)| Unit {
        key: lot.key,
        code: lot.code,
        prefix: "lot".to_owned(),
        product: lot.product,
        number: index as u32 + 1,
        quantity: lot.quantity,
        made_by: None,
        arrived: Some(lot.arrived),
        batteries: lot.batteries,
    }));
    units
}

fn names(series: &Series, number: u32, place: u32) -> (String, String) {
    let Series { prefix, code, digits, .. } = series;
    match series.places {
        Some(_) => (format!("{prefix}-{number}{place}"), format!("{code}{number}00{place}")),
        None => (format!("{prefix}-{number}"), format!("{code}{number:0digits$}")),
    }
}

fn order_of<'a>(series: &'a Series, number: u32, orders: &'a [Order]) -> Option<&'a str> {
    let by_number = || {
        let mut orders = orders.iter().filter(|order| order.product == series.product);
        orders.find(|order| order.units.is_some_and(|[first, last]| (first..=last).contains(&number)))
    };
    series.order.as_deref().or_else(|| by_number().map(|order| order.key.as_str()))
}
