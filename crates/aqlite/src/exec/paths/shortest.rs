//! The shortest paths between two vertices: all with the fewest edges.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::super::context::Ctx;
use super::super::traverse::graph::EdgeRef;
use super::ball::Ball;
use super::graph::{Graph, Link, Vertex};
use super::{Found, Search};
use crate::Result;

/// Every path with as few edges as possible: two balls grow until they touch, then the paths through where they touch
/// are walked one after the other.
pub(super) struct AllShortest {
    start: Vertex,
    target: Vertex,
    paths: Option<Descent>,
}

impl AllShortest {
    pub(super) fn new(start: Vertex, target: Vertex) -> Self {
        Self { start, target, paths: None }
    }
}

impl Search for AllShortest {
    fn next(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<Option<Found>> {
        if self.paths.is_none() {
            self.paths = Some(Descent::new(ctx, graph, self.start, self.target)?);
        }
        match &mut self.paths {
            Some(paths) => paths.next(ctx, graph),
            None => Ok(None),
        }
    }
}

/// Walks from the start only over vertices that come closer to the target with every edge.
struct Descent {
    /// Distances to the target, complete for the vertices of shortest paths.
    to_target: Ball,
    length: u32,
    vertices: Vec<Vertex>,
    edges: Vec<EdgeRef>,
    open: Vec<(Arc<[Link]>, usize)>,
    started: bool,
}

impl Descent {
    fn new(ctx: &mut Ctx<'_>, graph: &mut Graph, start: Vertex, target: Vertex) -> Result<Self> {
        let mut from_start = Ball::new(start, false);
        let mut to_target = Ball::new(target, true);
        let mut touching: Vec<Vertex> = if start == target { vec![start] } else { Vec::new() };
        while touching.is_empty() && !from_start.rim().is_empty() && !to_target.rim().is_empty() {
            ctx.tick()?;
            // the smaller side grows: the cost follows the easier of the two directions
            let forward = from_start.rim().len() <= to_target.rim().len();
            let (growing, other) = if forward { (&mut from_start, &to_target) } else { (&mut to_target, &from_start) };
            growing.grow(ctx, graph)?;
            touching = growing.rim().iter().copied().filter(|v| other.distance(*v).is_some()).collect();
        }
        let found = !touching.is_empty();
        let length = from_start.radius() + to_target.radius();
        if found {
            // the near side learns its distances to the target, from where the balls touch back to the start
            let mut good: FxHashSet<Vertex> = touching.into_iter().collect();
            for distance in (0..from_start.radius()).rev() {
                let mut nearer = FxHashSet::default();
                for vertex in from_start.level(distance) {
                    if graph.links(ctx, *vertex, false)?.iter().any(|l| good.contains(&l.to)) {
                        to_target.set_distance(*vertex, length - distance);
                        nearer.insert(*vertex);
                    }
                }
                good = nearer;
            }
        }
        Ok(Self {
            to_target,
            length,
            vertices: if found { vec![start] } else { Vec::new() },
            edges: Vec::new(),
            open: Vec::new(),
            started: false,
        })
    }

    fn next(&mut self, ctx: &mut Ctx<'_>, graph: &mut Graph) -> Result<Option<Found>> {
        if !self.started {
            self.started = true;
            let Some(start) = self.vertices.first() else { return Ok(None) };
            if self.length == 0 {
                return Ok(Some(self.found()));
            }
            self.open.push((graph.links(ctx, *start, false)?, 0));
        }
        while let Some((links, position)) = self.open.last_mut() {
            ctx.tick()?;
            let Some(link) = links.get(*position).copied() else {
                self.open.pop();
                self.vertices.pop();
                self.edges.pop();
                continue;
            };
            *position += 1;
            let left = self.length - self.open.len() as u32;
            if self.to_target.distance(link.to) != Some(left) {
                continue;
            }
            self.vertices.push(link.to);
            self.edges.push(link.edge);
            if left == 0 {
                let found = self.found();
                self.vertices.pop();
                self.edges.pop();
                return Ok(Some(found));
            }
            self.open.push((graph.links(ctx, link.to, false)?, 0));
        }
        Ok(None)
    }

    fn found(&self) -> Found {
        Found { vertices: self.vertices.clone(), edges: self.edges.clone(), weight: self.edges.len() as f64 }
    }
}
