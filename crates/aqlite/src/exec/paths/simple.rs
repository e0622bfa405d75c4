//! `K_PATHS`: every path between two vertices with a length in a range and no vertex twice, the shorter ones first.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::context::Ctx;
use super::super::traverse::graph::EdgeRef;
use super::ball::Ball;
use super::graph::{Graph, Link, Vertex};
use super::{Found, Search};
use crate::Result;

pub(super) struct SimplePaths {
    start: Vertex,
    target: Vertex,
    max: u32,
    /// The length of the paths that are looked for at present.
    length: u32,
    /// Something was left aside because it leads to longer paths only.
    longer: bool,
    remaining: Option<Remaining>,
    vertices: Vec<Vertex>,
    edges: Vec<EdgeRef>,
    on_path: FxHashSet<Vertex>,
    open: Vec<(Arc<[Link]>, usize)>,
}

/// A lower bound of the number of edges from a vertex to the target: what cannot arrive in time is not walked into.
enum Remaining {
    /// Known for the vertices of the ball; all others are further away than its radius.
    Ball(Ball),
    /// Known for every vertex from which the target can be reached.
    All(FxHashMap<Vertex, u32>),
}

impl Remaining {
    /// Two balls grow, always the smaller one, until a path of the greatest length is covered or one can grow no more.
    fn explore(ctx: &mut Ctx<'_>, graph: &mut Graph, start: Vertex, target: Vertex, max: u32) -> Result<Self> {
        let mut from_start = Ball::new(start, false);
        let mut to_target = Ball::new(target, true);
        while from_start.radius() + to_target.radius() < max && !to_target.rim().is_empty() {
            ctx.tick()?;
            if from_start.rim().is_empty() {
                return Ok(Self::All(distances_within(ctx, graph, &from_start, target)?));
            }
            if from_start.rim().len() < to_target.rim().len() {
                from_start.grow(ctx, graph)?;
            } else {
                to_target.grow(ctx, graph)?;
            }
        }
        Ok(Self::Ball(to_target))
    }

    fn at_least(&self, vertex: Vertex) -> u32 {
        match self {
            Self::Ball(ball) => match ball.distance(vertex) {
                Some(distance) => distance,
                None if ball.rim().is_empty() => u32::MAX,
                None => ball.radius() + 1,
            },
            Self::All(distances) => distances.get(&vertex).copied().unwrap_or(u32::MAX),
        }
    }
}

/// Distances to the target over the vertices of a complete ball, whose edges are all known already: a target that many
/// edges lead to costs nothing here.
fn distances_within(
    ctx: &mut Ctx<'_>,
    graph: &mut Graph,
    ball: &Ball,
    target: Vertex,
) -> Result<FxHashMap<Vertex, u32>> {
    let mut before: FxHashMap<Vertex, Vec<Vertex>> = FxHashMap::default();
    for distance in 0..=ball.radius() {
        for vertex in ball.level(distance) {
            for link in graph.links(ctx, *vertex, false)?.iter() {
                before.entry(link.to).or_default().push(*vertex);
            }
        }
    }
    let mut distances = FxHashMap::from_iter([(target, 0)]);
    let mut rim = vec![target];
    let mut distance = 0;
    while !rim.is_empty() {
        ctx.tick()?;
        distance += 1;
        let mut next = Vec::new();
        for vertex in rim.iter().filter_map(|v| before.get(v)).flatten() {
            distances.entry(*vertex).or_insert_with(|| {
                next.push(*vertex);
                distance
            });
        }
        rim = next;
    }
    Ok(distances)
}

impl SimplePaths {
    pub(super) fn new(start: Vertex, target: Vertex, min: u32, max: u32) -> Self {
        Self {
            start,
            target,
            max,
            length: min,
            longer: false,
            remaining: None,
            vertices: Vec::new(),
            edges: Vec::new(),
            on_path: FxHashSet::default(),
            open: Vec::new(),
        }
    }

    fn found(&self) -> Found {
        Found { vertices: self.vertices.clone(), edges: self.edges.clone(), weight: self.edges.len() as f64 }
    }
}

impl SimplePaths {
    /// Begins to look for paths of the present length.
    fn begin(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<()> {
        self.longer = false;
        self.vertices.push(self.start);
        self.on_path.insert(self.start);
        self.open.push((graph.links(ctx, self.start, false)?, 0));
        Ok(())
    }

    /// The next path of the present length.
    fn next_of_length(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<Option<Found>> {
        let Some(remaining) = &self.remaining else { return Ok(None) };
        while let Some((links, position)) = self.open.last_mut() {
            ctx.tick()?;
            let Some(link) = links.get(*position).copied() else {
                self.open.pop();
                self.edges.pop();
                if let Some(vertex) = self.vertices.pop() {
                    self.on_path.remove(&vertex);
                }
                continue;
            };
            *position += 1;
            if self.on_path.contains(&link.to) {
                continue;
            }
            let (length, left) = (self.open.len() as u32, remaining.at_least(link.to));
            if length.saturating_add(left) > self.length {
                self.longer |= left < u32::MAX;
                continue;
            }
            if link.to == self.target {
                // a shorter path than is looked for; no longer one goes through its end
                if length < self.length {
                    continue;
                }
                self.vertices.push(link.to);
                self.edges.push(link.edge);
                let found = self.found();
                self.vertices.pop();
                self.edges.pop();
                return Ok(Some(found));
            }
            self.vertices.push(link.to);
            self.edges.push(link.edge);
            self.on_path.insert(link.to);
            self.open.push((graph.links(ctx, link.to, false)?, 0));
        }
        Ok(None)
    }
}

impl Search for SimplePaths {
    fn next(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<Option<Found>> {
        if self.remaining.is_none() {
            let remaining = Remaining::explore(ctx, graph, self.start, self.target, self.max)?;
            let nearest = remaining.at_least(self.start);
            self.remaining = Some(remaining);
            if self.start == self.target {
                // no longer path can lead back without a vertex that stands on it twice
                self.vertices.push(self.start);
                return Ok((self.length == 0).then(|| self.found()));
            }
            if nearest > self.max {
                return Ok(None);
            }
            self.length = self.length.max(nearest);
            self.begin(ctx, graph)?;
        }
        loop {
            if let Some(found) = self.next_of_length(ctx, graph)? {
                return Ok(Some(found));
            }
            if !self.longer || self.length >= self.max {
                return Ok(None);
            }
            self.length += 1;
            self.begin(ctx, graph)?;
        }
    }
}
