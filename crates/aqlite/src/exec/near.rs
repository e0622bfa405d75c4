//! `SORT GEO_DISTANCE(…) LIMIT n`: documents in the order of their distance, read in rings around a place that grow until
//! nobody wants more. `DESC` begins with the ring around the other end of the world.

use std::collections::VecDeque;
use std::sync::Arc;

use super::area::{Bounds, center};
use super::context::{Ctx, Kept};
use super::early::{self, Early, passes_filters};
use super::ops::{BoxOp, Op};
use crate::Result;
use crate::geo::places::{self, Rings, Run};
use crate::plan::{AccessPath, Area, Distance, Lookup, ScanNode};
use crate::txn::DocId;
use crate::value::Value;

use s2::point::Point;

/// A document and its distance.
type Found = (Value, DocId);

pub(super) struct NearScan {
    input: BoxOp,
    node: Arc<ScanNode>,
    early: Vec<Early>,
    /// What is read next; `None`: nothing is left around this place.
    next: Option<Next>,
    /// Documents in their order.
    ready: VecDeque<Found>,
    kept: Kept,
}

/// What is left to be read.
enum Next {
    /// What tells no distance by its place; that without any comes first where the nearest do.
    Nowhere(Option<Point>, Bounds),
    /// A ring, those whose distance their place does not tell, and whether what has none is wanted behind the last ring.
    Ring(Point, Rings, Vec<Found>, bool),
}

/// The lookup that gives the order, if a loop has one.
pub(super) fn sorted(node: &ScanNode) -> Option<(&Lookup, &Distance)> {
    let AccessPath::Index { lookups, .. } = &node.access else { return None };
    match lookups.as_slice() {
        [lookup] => match lookup.area.as_deref() {
            Some(Area::Distance(distance)) if distance.sorted => Some((lookup, distance)),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn scan(input: BoxOp, node: Arc<ScanNode>) -> BoxOp {
    let (early, kept) = (Vec::new(), Kept::default());
    Box::new(NearScan { input, node, early, next: None, ready: VecDeque::new(), kept })
}

impl NearScan {
    fn start(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        let node = Arc::clone(&self.node);
        self.kept.release(ctx);
        self.early = early::values(&node, ctx, &mut self.kept)?;
        if let Some((_, distance)) = sorted(&node) {
            let bounds = Bounds::of(distance, ctx)?;
            let center = center(distance, ctx)?;
            self.next = bounds.map(|bounds| Next::Nowhere(center, bounds));
        }
        Ok(())
    }

    /// The documents of some runs that pass the conditions and whose distance is wanted now.
    fn read(&mut self, runs: &[Run], wanted: impl Fn(&Value) -> bool, ctx: &mut Ctx<'_>) -> Result<Vec<Found>> {
        let node = Arc::clone(&self.node);
        let Some((lookup, distance)) = sorted(&node) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (lower, upper) in runs {
            let mut range = ctx.view()?.range(&node.collection, &lookup.index, lower, Some(upper), false)?;
            while let Some(id) = range.next()? {
                ctx.tick()?;
                ctx.stats.scanned_index += 1;
                ctx.stats.documents += 1;
                let Some(document) = ctx.view()?.by_id(&node.collection, id)? else { continue };
                if !early::admits(&node, &mut self.early, document, ctx) {
                    continue;
                }
                if !passes_filters(&node, ctx)? {
                    continue;
                }
                let far = ctx.eval(&distance.call)?;
                if wanted(&far) {
                    self.kept.add(ctx, size_of::<Found>())?;
                    found.push((far, id));
                }
            }
        }
        Ok(found)
    }

    /// Documents of one distance come as they would be read without an index.
    fn give(&mut self, mut found: Vec<Found>) {
        let furthest = self.furthest();
        found.sort_by(|(a, first), (b, second)| {
            let order = if furthest { b.compare(a) } else { a.compare(b) };
            order.then_with(|| first.cmp(second))
        });
        self.ready = found.into();
    }

    /// Do the furthest come first?
    fn furthest(&self) -> bool {
        sorted(&self.node).is_some_and(|(_, distance)| distance.furthest)
    }

    /// Reads what comes next; `false`: there is nothing more.
    fn read_more(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        match self.next.take() {
            None => return Ok(false),
            // what has no distance from anything is all alike
            Some(Next::Nowhere(None, _)) => {
                let found = self.read(&places::everywhere(), |_| true, ctx)?;
                self.give(found);
            }
            Some(Next::Nowhere(Some(center), bounds)) => {
                let (least, most) = (bounds.least, bounds.most);
                if self.furthest() {
                    let later = self.read(&places::without_distance(false), Value::is_number, ctx)?;
                    self.next = Some(Next::Ring(center, Rings::inwards(least, most), later, bounds.also_nowhere));
                    return Ok(true);
                }
                let runs = places::without_distance(bounds.also_nowhere);
                let found = self.read(&runs, |_| true, ctx)?;
                let (later, first) = found.into_iter().partition(|(far, _)| far.is_number());
                self.give(first);
                self.next = Some(Next::Ring(center, Rings::outwards(least, most), later, false));
            }
            Some(Next::Ring(center, mut rings, mut later, then_nowhere)) => {
                let tolerance = sorted(&self.node).map_or(0.0, |(_, distance)| distance.tolerance);
                let furthest = self.furthest();
                let Some(ring) = rings.next() else {
                    if furthest {
                        let runs = places::without_distance(then_nowhere);
                        later.extend(self.read(&runs, |far| !far.is_number(), ctx)?);
                    }
                    self.give(later);
                    return Ok(!self.ready.is_empty());
                };
                let runs = places::at_distance(center, ring.inner, ring.outer, tolerance);
                let mut found = self.read(&runs, |far| ring.has(far.as_f64()), ctx)?;
                let comes_later = |far: Option<f64>| if furthest { ring.is_behind(far) } else { ring.is_before(far) };
                let (later, now) = later.into_iter().partition(|(far, _)| comes_later(far.as_f64()));
                found.extend::<Vec<Found>>(now);
                self.give(found);
                self.next = Some(Next::Ring(center, rings, later, then_nowhere));
            }
        }
        Ok(true)
    }
}

impl Op for NearScan {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        loop {
            ctx.tick()?;
            if let Some((_, id)) = self.ready.pop_front() {
                let Some(document) = ctx.view()?.by_id(&self.node.collection, id)? else { continue };
                ctx.frame[self.node.slot] = document;
                return Ok(true);
            }
            if self.read_more(ctx)? {
                continue;
            }
            if !self.input.next(ctx)? {
                return Ok(false);
            }
            self.start(ctx)?;
        }
    }
}
