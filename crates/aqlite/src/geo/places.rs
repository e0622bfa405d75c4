//! The entries that an index of places has of a document, and the runs of entries that may answer a question.
//!
//! An entry is a letter that says what it is, and the number of a cell. A point has the smallest cell around it. Another
//! shape has one for its centre, which is what distances are about, and the few that cover it. What has no place has an
//! entry too: conditions are true of some of it.

use std::f64::consts::PI;

use s2::point::Point;

use super::EARTH_RADIUS;
use super::cover::{Area, Covering, MARGIN, SEARCHED, STORED, cell_of};
use super::shape::Shape;

/// Where a document is.
pub(crate) enum Placed {
    /// Its attributes name no place: it has no distance from anything.
    Nowhere,
    /// What its attributes name is no place either, and yet functions may answer something.
    Odd,
    /// At a point.
    Point(Point),
    /// Where a shape is.
    Shape(Shape),
}

/// What an entry is. Each document has one that is no part.
#[derive(Clone, Copy)]
enum Family {
    Nowhere = b'a' as isize,
    Odd = b'b' as isize,
    Point = b'c' as isize,
    Centre = b'd' as isize,
    Part = b'e' as isize,
}

/// From here (inclusive) to there (exclusive) in an index.
pub(crate) type Run = (Vec<u8>, Vec<u8>);

fn entry(family: Family, cell: u64) -> Vec<u8> {
    let mut entry = vec![family as u8];
    entry.extend_from_slice(&cell.to_be_bytes());
    entry
}

fn run(family: Family, (first, last): (u64, u64)) -> Run {
    // no cell has the greatest number
    (entry(family, first), entry(family, last.saturating_add(1)))
}

fn whole(family: Family) -> Run {
    (vec![family as u8], vec![family as u8 + 1])
}

/// A centre that is one: that of points all around the earth is nowhere.
fn is_on_sphere(point: &Point) -> bool {
    (point.0.norm() - 1.0).abs() < 1e-6
}

impl Placed {
    /// A position by its degrees.
    pub fn at(latitude: Option<f64>, longitude: Option<f64>) -> Self {
        match (latitude, longitude) {
            (Some(latitude), Some(longitude)) => {
                super::shape::place(latitude, longitude).map_or(Self::Odd, Self::Point)
            }
            _ => Self::Nowhere,
        }
    }

    /// A place or a shape.
    pub fn shaped(shape: Shape) -> Self {
        match shape {
            Shape::Point(point) => Self::Point(point),
            shape if is_on_sphere(&shape.centroid()) => Self::Shape(shape),
            _ => Self::Odd,
        }
    }

    /// What distances are measured from.
    pub fn centre(&self) -> Option<Point> {
        match self {
            Self::Nowhere | Self::Odd => None,
            Self::Point(point) => Some(*point),
            Self::Shape(shape) => Some(shape.centroid()),
        }
    }

    /// What an index has of it.
    pub fn entries(self) -> Vec<Vec<u8>> {
        match self {
            Self::Nowhere => vec![vec![Family::Nowhere as u8]],
            Self::Odd => vec![vec![Family::Odd as u8]],
            Self::Point(point) => vec![entry(Family::Point, cell_of(&point))],
            Self::Shape(shape) => {
                let mut entries = vec![entry(Family::Centre, cell_of(&shape.centroid()))];
                let covering = Area::shape(shape).covering(STORED);
                entries.extend(covering.cells().map(|cell| entry(Family::Part, cell)));
                entries
            }
        }
    }
}

/// Every document once.
pub(crate) fn everywhere() -> Vec<Run> {
    [Family::Nowhere, Family::Odd, Family::Point, Family::Centre].map(whole).to_vec()
}

/// Documents whose centre may be so far from a point, in metres that are right but for a part of them; each once.
pub(crate) fn at_distance(center: Point, least: f64, most: f64, tolerance: f64) -> Vec<Run> {
    let radians = |metres: f64| metres / EARTH_RADIUS;
    let (least, most) = (radians(least) * (1.0 - tolerance) - MARGIN, radians(most) * (1.0 + tolerance) + MARGIN);
    if most < 0.0 || least > most {
        return Vec::new();
    }
    let covering = Area::ring(center, least, most).covering(SEARCHED);
    runs(&covering, &[Family::Point, Family::Centre])
}

/// Documents whose distance their place does not tell, and perhaps those that have none.
pub(crate) fn without_distance(also_nowhere: bool) -> Vec<Run> {
    if also_nowhere { [Family::Nowhere, Family::Odd].map(whole).to_vec() } else { vec![whole(Family::Odd)] }
}

/// Documents whose centre may be within a shape; each once.
pub(crate) fn centred_in(shape: Shape) -> Vec<Run> {
    runs(&Area::shape(shape).covering(SEARCHED), &[Family::Point, Family::Centre])
}

/// Documents that may have something in common with a shape; some of them several times.
pub(crate) fn touching(shape: Shape) -> Vec<Run> {
    let covering = Area::shape(shape).covering(SEARCHED);
    let mut runs = runs(&covering, &[Family::Point, Family::Part]);
    runs.extend(covering.around().into_iter().map(|cell| run(Family::Part, (cell, cell))));
    runs.push(whole(Family::Odd));
    runs
}

fn runs(covering: &Covering, families: &[Family]) -> Vec<Run> {
    let within = covering.within();
    families.iter().flat_map(|family| within.iter().map(|cells| run(*family, *cells))).collect()
}

/// Rings around a place, each wider than the one before it, in metres.
pub(crate) struct Rings {
    /// What is left: from here
    inner: f64,
    /// to there.
    outer: f64,
    width: f64,
    /// They come from the furthest place on.
    inwards: bool,
    is_first: bool,
}

/// One of them.
pub(crate) struct Ring {
    pub inner: f64,
    pub outer: f64,
    /// Nothing is within it,
    is_innermost: bool,
    /// nothing around it.
    is_outermost: bool,
}

impl Rings {
    /// How wide the first one is: in a town there are some things so near.
    const FIRST: f64 = 50.0;
    /// How much wider each is than the one before.
    const GROWTH: f64 = 4.0;
    /// Nothing is as far away.
    const FURTHEST: f64 = EARTH_RADIUS * 3.2;

    /// From the nearest place on.
    pub fn outwards(least: f64, most: f64) -> Self {
        let (inner, outer) = (least.max(0.0), most.min(Self::FURTHEST));
        Self { inner, outer, width: Self::FIRST, inwards: false, is_first: true }
    }

    /// From the furthest place on.
    pub fn inwards(least: f64, most: f64) -> Self {
        Self { inwards: true, ..Self::outwards(least, most) }
    }
}

impl Iterator for Rings {
    type Item = Ring;

    fn next(&mut self) -> Option<Ring> {
        if self.inner > self.outer || (self.inner == self.outer && !self.is_first) {
            return None;
        }
        let ring = if self.inwards {
            let inner = (self.outer.min(EARTH_RADIUS * PI) - self.width).max(self.inner);
            Ring { inner, outer: self.outer, is_innermost: inner == self.inner, is_outermost: self.is_first }
        } else {
            let outer = (self.inner + self.width).min(self.outer);
            Ring { inner: self.inner, outer, is_innermost: self.is_first, is_outermost: outer == self.outer }
        };
        if self.inwards {
            self.outer = ring.inner;
        } else {
            self.inner = ring.outer;
        }
        (self.width, self.is_first) = (self.width * Self::GROWTH, false);
        Some(ring)
    }
}

impl Ring {
    /// All that is no further away.
    pub fn up_to(outer: f64) -> Self {
        Self { inner: 0.0, outer, is_innermost: true, is_outermost: true }
    }

    /// Does what is so far away belong to it, and to no other ring?
    pub fn has(&self, distance: Option<f64>) -> bool {
        distance.is_some() && !self.is_before(distance) && !self.is_behind(distance)
    }

    /// Does it end before what is so far away?
    pub fn is_before(&self, distance: Option<f64>) -> bool {
        !self.is_outermost && distance.is_some_and(|distance| distance > self.outer)
    }

    /// Does it begin behind what is so far away?
    pub fn is_behind(&self, distance: Option<f64>) -> bool {
        !self.is_innermost && distance.is_some_and(|distance| distance <= self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_distance_belongs_to_one_ring() {
        for (least, most) in [(0.0, f64::INFINITY), (0.0, 0.0), (0.0, 777.0), (30.0, 1e6)] {
            for distance in [0.0, 30.0, 50.0, 50.1, 250.0, 777.0, 1e6, 2e7] {
                for rings in [Rings::outwards(least, most), Rings::inwards(least, most)] {
                    let of = rings.filter(|ring| ring.has(Some(distance))).count();
                    // bounds are tested by the conditions they come from
                    assert_eq!(of, 1, "{distance} of {least} to {most}");
                }
            }
        }
        assert_eq!(Rings::outwards(0.0, -1.0).chain(Rings::inwards(0.0, -1.0)).count(), 0);
    }
}
