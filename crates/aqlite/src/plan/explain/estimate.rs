//! What the nodes of a plan are likely to cost.

use crate::plan::TraverseNode;
use crate::plan::estimates::{EQUAL, LIST};
use crate::plan::expr::Ex;
use crate::value::Value;

/// Rows so far, and what they cost.
#[derive(Clone, Copy)]
pub(super) struct Estimate {
    items: f64,
    cost: f64,
}

/// Edges of a vertex.
const EDGES: f64 = 10.0;

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
    pub(super) fn lookups(&mut self, values: f64, found: f64, count: u64) {
        let count = count as f64;
        self.cost += self.items * values * count.max(2.0).log2();
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

    /// Groups that are found one by one in an index of so many entries.
    pub(super) fn read_groups(&mut self, groups: f64, entries: f64) {
        self.items *= groups;
        self.cost += self.items * entries.max(2.0).log2();
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

fn number(x: f64) -> Value {
    if x.fract() == 0.0 && x < 9e15 { Value::Int(x as i64) } else { Value::float(x) }
}
