//! What each node of a plan did, for queries that ask for `profile: 2`.

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::context::Ctx;
use super::ops::{BoxOp, Op};
use crate::Result;
use crate::plan::{Node, node_place};
use crate::value::Value;

/// What a node did.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeFigures {
    calls: u64,
    items: u64,
    filtered: u64,
    /// With that of the nodes before it, as ArangoDB counts it.
    runtime: Duration,
}

/// What all nodes did, by their place in memory: plans do not change while they run.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    nodes: FxHashMap<usize, NodeFigures>,
    /// Rows that some node is known to have dropped.
    filtered: u64,
}

impl Profile {
    /// `nodes` of the figures of a query: one for each number of the explanation, given with the place of its node.
    /// What only the explanation knows has passed on what it got.
    pub fn to_json(&self, numbers: &[(i64, Option<usize>)]) -> Value {
        let shown = numbers.iter().map(|(number, place)| {
            let once = NodeFigures { calls: 1, items: 1, ..NodeFigures::default() };
            let figures = place.map_or(once, |place| self.nodes.get(&place).copied().unwrap_or_default());
            Value::from_pairs([
                ("id", Value::Int(*number)),
                ("calls", Value::Int(figures.calls as i64)),
                ("items", Value::Int(figures.items as i64)),
                ("filtered", Value::Int(figures.filtered as i64)),
                ("runtime", Value::float(figures.runtime.as_secs_f64())),
            ])
        });
        Value::array(shown.collect())
    }
}

/// Measures the operator of some nodes.
pub(super) struct Measured {
    pub input: BoxOp,
    pub places: Vec<usize>,
}

impl Measured {
    pub fn new(input: BoxOp, nodes: &[Node]) -> Self {
        Self { input, places: nodes.iter().map(node_place).collect() }
    }
}

impl Op for Measured {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let begun = Instant::now();
        let (filtered, noted) = (ctx.stats.filtered, ctx.profile.as_ref().map_or(0, |p| p.filtered));
        let result = self.input.next(ctx);
        let filtered = ctx.stats.filtered - filtered;
        if let Some(profile) = &mut ctx.profile {
            let own = filtered.saturating_sub(profile.filtered - noted);
            profile.filtered += own;
            for place in &self.places {
                let figures = profile.nodes.entry(*place).or_default();
                figures.calls += 1;
                figures.items += u64::from(matches!(result, Ok(true)));
                figures.filtered += own;
                figures.runtime += begun.elapsed();
            }
        }
        result
    }
}
