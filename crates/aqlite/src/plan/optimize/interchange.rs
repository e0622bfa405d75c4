//! Loops over collections that stand one in the other begin with the one that finds few documents, where the order of the
//! rows cannot be told afterwards: below a sort by keys of all of them, below groups, in a subquery that is counted.

use std::sync::Arc;

use super::Rewrite;
use crate::lang::ast::BinaryOp;
use crate::plan::estimates::{self, BOUND, EQUAL};
use crate::plan::expr::{Ex, Slot};
use crate::plan::index_choice::{choose, comparison};
use crate::plan::rules::INTERCHANGE;
use crate::plan::{Node, Pipeline, ScanNode, SortNode};
use crate::txn::View;

/// More loops than this stay as they are: there are too many orders of them.
const MOST_LOOPS: usize = 4;
/// What costs less is not worth another order.
const LEAST_COST: f64 = 50.0;
/// Another order has to be better by this.
const BETTER: f64 = 2.0;

/// Reorders every run of loops with nothing but conditions between them.
pub(super) fn interchange(pipeline: &mut Pipeline, is_counted: bool, rewrite: &mut Rewrite<'_>) {
    let mut at = 0;
    while let Some(first) = pipeline.nodes[at..].iter().position(|node| matches!(node, Node::Scan(_))) {
        at += first;
        let is_part = |node: &Node| match node {
            Node::Scan(scan) => scan.hint.is_none(),
            Node::Filter(condition) => condition.is_deterministic(),
            _ => false,
        };
        let len = pipeline.nodes[at..].iter().take_while(|node| is_part(node)).count();
        let run = Run::of(&pipeline.nodes[at..at + len]);
        if (2..=MOST_LOOPS).contains(&run.loops.len())
            && is_order_free(&run, &pipeline.nodes[at + len..], is_counted)
            && let Some(order) = run.best_order(rewrite.view)
        {
            let nodes = run.nodes(&order);
            pipeline.nodes.splice(at..at + len, nodes);
            rewrite.note(INTERCHANGE);
        }
        at += len.max(1);
    }
}

struct Run {
    loops: Vec<Arc<ScanNode>>,
    conditions: Vec<Arc<Ex>>,
}

impl Run {
    fn of(nodes: &[Node]) -> Self {
        let mut run = Self { loops: Vec::new(), conditions: Vec::new() };
        for node in nodes {
            match node {
                Node::Scan(scan) => run.loops.push(Arc::clone(scan)),
                Node::Filter(condition) => run.conditions.push(Arc::clone(condition)),
                _ => {}
            }
        }
        run
    }

    /// The loop, of those in that order, behind which all is known that a condition reads.
    fn place(&self, condition: &Ex, order: &[usize]) -> usize {
        order.iter().rposition(|at| condition.reads(self.loops[*at].slot)).unwrap_or(0)
    }

    /// The loops in another order, each with the conditions behind it that can be tested there.
    fn nodes(&self, order: &[usize]) -> Vec<Node> {
        let mut nodes = Vec::with_capacity(self.loops.len() + self.conditions.len());
        for (place, at) in order.iter().enumerate() {
            nodes.push(Node::Scan(Arc::clone(&self.loops[*at])));
            let here = self.conditions.iter().filter(|condition| self.place(condition, order) == place);
            nodes.extend(here.map(|condition| Node::Filter(Arc::clone(condition))));
        }
        nodes
    }

    /// An order that costs clearly less than that of the query.
    fn best_order(&self, view: &View) -> Option<Vec<usize>> {
        let given: Vec<usize> = (0..self.loops.len()).collect();
        let present = self.cost(&given, view);
        if present < LEAST_COST {
            return None;
        }
        let mut best: Option<(f64, Vec<usize>)> = None;
        for order in orders(&given) {
            let cost = self.cost(&order, view);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, order));
            }
        }
        best.filter(|(cost, _)| cost * BETTER < present).map(|(_, order)| order)
    }

    /// How many documents and entries are looked at.
    fn cost(&self, order: &[usize], view: &View) -> f64 {
        let (mut rows, mut cost) = (1.0, 0.0);
        for (place, at) in order.iter().enumerate() {
            let scan = &self.loops[*at];
            let here = self.conditions.iter().filter(|condition| self.place(condition, order) == place);
            let conditions: Vec<Ex> = here.map(|condition| (**condition).clone()).collect();
            let count = estimates::documents(view, &scan.collection);
            let choice = if scan.no_index { None } else { choose(scan, &conditions, None, view) };
            let (found, covered) = match &choice {
                Some(choice) => {
                    let lookups = || choice.lookups.iter();
                    let descents: f64 = lookups().map(estimates::values).sum::<f64>() * count.max(2.0).log2();
                    let found: f64 = lookups().map(|lookup| estimates::found(view, &scan.collection, lookup)).sum();
                    cost += rows * (found + descents);
                    (found.min(count), choice.covered.as_slice())
                }
                // a table of the documents is made once
                None if place > 0 && conditions.iter().any(|condition| joins(scan.slot, condition)) => {
                    cost += count + rows * count * EQUAL;
                    (count, &[][..])
                }
                None => {
                    cost += rows * count;
                    (count, &[][..])
                }
            };
            let tested = conditions.iter().enumerate().filter(|(at, _)| !covered.contains(at));
            rows *= found * tested.map(|(_, condition)| part(scan.slot, condition)).product::<f64>();
        }
        cost
    }
}

/// All orders of some loops.
fn orders(of: &[usize]) -> Vec<Vec<usize>> {
    if of.len() < 2 {
        return vec![of.to_vec()];
    }
    let mut all = Vec::new();
    for (at, first) in of.iter().enumerate() {
        let rest: Vec<usize> = of.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, x)| *x).collect();
        for mut order in orders(&rest) {
            order.insert(0, *first);
            all.push(order);
        }
    }
    all
}

/// An equality with something of the loops around.
fn joins(slot: Slot, condition: &Ex) -> bool {
    let Some((_, BinaryOp::Eq, value)) = comparison(slot, condition) else { return false };
    let mut reads = false;
    value.for_each_slot(&mut |_| reads = true);
    reads
}

/// The part of the documents for which a condition is likely to hold.
fn part(slot: Slot, condition: &Ex) -> f64 {
    match comparison(slot, condition) {
        Some((_, BinaryOp::Eq, _)) => EQUAL,
        _ => BOUND,
    }
}

/// Can nobody tell behind these clauses in which order the loops of the run gave their rows?
fn is_order_free(run: &Run, behind: &[Node], is_counted: bool) -> bool {
    for (at, node) in behind.iter().enumerate() {
        let mut is_deterministic = true;
        node.for_each_ex(&mut |ex| is_deterministic &= ex.is_deterministic());
        if !is_deterministic {
            return false;
        }
        match node {
            Node::Sort(sort) if is_total(sort, run) => return true,
            Node::Collect(collect) => return !collect.lists_rows(),
            Node::Limit(_) => return is_counted && at + 1 == behind.len(),
            Node::Filter(_) | Node::Let(..) | Node::Sort(_) => {}
            node if node.is_loop() => {}
            _ => return false,
        }
    }
    is_counted
}

/// No two rows are equal by a sort that has the key of each document.
fn is_total(sort: &SortNode, run: &Run) -> bool {
    let has_key = |slot: Slot| {
        sort.keys.iter().any(|(key, _)| {
            matches!(key, Ex::Path(s, path) if *s == slot && matches!(&**path, [name] if name == "_key" || name == "_id"))
        })
    };
    run.loops.iter().all(|scan| has_key(scan.slot))
}
