//! What the nodes of a plan are likely to cost.

use crate::plan::expr::Ex;
use crate::plan::{KeyPart, Lookup, TraverseNode};
use crate::value::Value;

/// Rows so far, and what they cost.
#[derive(Clone, Copy)]
pub(super) struct Estimate {
    items: f64,
    cost: f64,
}

/// Members of a list that is not known before the query runs.
const LIST: f64 = 10.0;
/// Edges of a vertex.
const EDGES: f64 = 10.0;
/// The part of a collection that one value of an index finds.
const EQUAL: f64 = 0.1;
/// The part that one bound leaves.
const BOUND: f64 = 0.5;
/// The part that lies in an area.
const AREA: f64 = 0.1;

impl Estimate {
    pub(super) fn start() -> Self {
        Self { items: 1.0, cost: 1.0 }
    }

    pub(super) fn cost(&self) -> Value {
        number(self.cost)
    }

    pub(super) fn items(&self) -> Value {
        number(self.items)
    }

    /// Something cheap is done for every row.
    pub(super) fn each_row(&mut self) {
        self.cost += self.items;
    }

    /// Every row becomes that many.
    fn multiply(&mut self, by: f64) {
        self.items *= by;
        self.cost += self.items;
    }

    pub(super) fn list(&mut self, source: &Ex) {
        self.multiply(match source {
            Ex::Const(list) => list.array_len().unwrap_or_default() as f64,
            _ => LIST,
        });
    }

    pub(super) fn full_scan(&mut self, count: u64) {
        self.multiply(count as f64);
        self.cost += 1.0;
    }

    /// What an inverted index finds.
    pub(super) fn found(&mut self, count: u64) {
        self.multiply((count as f64 * EQUAL).max(1.0));
    }

    /// One descent into the index for every value that is looked up, then the documents found.
    pub(super) fn lookups(&mut self, lookups: &[Lookup], count: u64) {
        let count = count as f64;
        let mut found = 0.0;
        let mut descents = 0.0;
        for lookup in lookups {
            let values: f64 = lookup.equal.iter().map(values).product();
            let complete = lookup.index.unique && lookup.equal.len() == lookup.index.fields.len();
            let equal = if complete { 1.0 / count.max(1.0) } else { EQUAL.powi(lookup.equal.len() as i32) };
            let area = if lookup.area.is_some() { AREA } else { 1.0 };
            let bounds = i32::from(lookup.lower.is_some()) + i32::from(lookup.upper.is_some());
            found += (count * values * equal * area * BOUND.powi(bounds)).min(count);
            descents += values * count.max(2.0).log2();
        }
        self.cost += self.items * descents;
        self.multiply(found.max(1.0).min(count.max(1.0)));
    }

    pub(super) fn traversal(&mut self, n: &TraverseNode) {
        let depth = match &n.max {
            Ex::Const(Value::Int(depth)) => (*depth).clamp(0, 6),
            _ => 3,
        };
        self.multiply(EDGES.powi(depth as i32));
    }

    pub(super) fn search(&mut self) {
        self.multiply(LIST);
    }

    pub(super) fn limit(&mut self, offset: usize, count: usize) {
        self.items = (self.items - offset as f64).clamp(0.0, count as f64);
        self.cost += self.items;
    }

    pub(super) fn sort(&mut self) {
        self.cost += self.items * self.items.max(2.0).log2();
    }

    pub(super) fn groups(&mut self) {
        self.items *= 0.8;
        self.cost += self.items;
    }

    pub(super) fn one_row(&mut self) {
        self.cost += self.items;
        self.items = 1.0;
    }

    pub(super) fn write(&mut self, produces: bool) {
        self.cost += self.items;
        if !produces {
            self.items = 0.0;
        }
    }

    /// Another query runs for every row.
    pub(super) fn run_inside(&mut self, inner: &Self) {
        self.cost += self.items * inner.cost;
    }
}

/// How many values a part of a key has.
fn values(part: &KeyPart) -> f64 {
    match part {
        KeyPart::Equal(_) => 1.0,
        KeyPart::In(Ex::Const(list)) => list.array_len().unwrap_or(1) as f64,
        KeyPart::In(Ex::Array(items)) => items.len() as f64,
        KeyPart::In(_) => LIST,
    }
}

fn number(x: f64) -> Value {
    if x.fract() == 0.0 && x < 9e15 { Value::Int(x as i64) } else { Value::float(x) }
}
