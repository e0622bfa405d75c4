//! Cells that cover places.
//!
//! The sphere is six squares, each divided into four again and again, thirty times. Every square, a *cell*, has a number:
//! those of the cells within another one are a run around its own. So what is within an area is found by looking through
//! a few runs of numbers, and what lies around a cell by looking at the numbers of the at most thirty larger ones.
//!
//! A covering may hold more than the area, never less: whoever finds something by it has to look once more. Cells are
//! therefore judged by the circle around them, which needs no care at their edges.

use std::collections::BTreeSet;

use s2::cap::Cap;
use s2::cell::Cell;
use s2::cellid::CellID;
use s2::edgeutil::distance_from_segment;
use s2::point::Point;
use s2::region::{Region, RegionCoverer};

use super::shape::Shape;
use super::sphere::Edge;

/// Most cells for what is stored: as many as ArangoDB takes.
pub(crate) const STORED: usize = 8;
/// Most cells for what is looked for: a run of numbers each.
pub(crate) const SEARCHED: usize = 20;

/// What distances may be wrong by, in radians: less than a millimetre on the ground.
pub(crate) const MARGIN: f64 = 1e-10;
/// Between the ends of an edge that is longer the shortest path is not known for sure.
const LONGEST_EDGE: f64 = std::f64::consts::PI - 0.001;

/// Something that is covered by cells.
pub(crate) enum Area {
    /// What is so far from a point, in radians.
    Ring {
        /// The point.
        center: Point,
        /// No nearer.
        least: f64,
        /// No further.
        most: f64,
    },
    /// A shape, its border included.
    Shape {
        /// It is within the area where no edge is near.
        shape: Shape,
        /// Its lines and borders; points are edges of no length.
        edges: Vec<Edge>,
    },
}

/// Cells in the order of their numbers, none of them within another.
pub(crate) struct Covering(Vec<CellID>);

/// The number of the smallest cell around a point.
pub(crate) fn cell_of(point: &Point) -> u64 {
    CellID::from(point).0
}

impl Area {
    pub fn ring(center: Point, least: f64, most: f64) -> Self {
        Self::Ring { center, least, most }
    }

    pub fn shape(shape: Shape) -> Self {
        let edges = shape.edges();
        Self::Shape { shape, edges }
    }

    /// The cells that cover it: about as many as given, not more than six more.
    pub fn covering(&self, most_cells: usize) -> Covering {
        let coverer = RegionCoverer { min_level: 0, max_level: 30, level_mod: 1, max_cells: most_cells };
        Covering(coverer.covering(self).0)
    }

    /// Is a part of a circle in the area, or all of it? May say so where it is not quite, never the other way round.
    fn meets(&self, center: &Point, radius: f64) -> (bool, bool) {
        let radius = radius + MARGIN;
        match self {
            Self::Ring { center: from, least, most } => {
                let distance = from.0.angle(&center.0).rad();
                let some = distance - radius <= *most && distance + radius >= *least;
                (some, distance + radius <= *most && distance - radius >= *least)
            }
            Self::Shape { shape, edges } => {
                if edges.iter().any(|edge| distance_to(edge, center) <= radius) {
                    return (true, false);
                }
                let inside = matches!(shape, Shape::Polygon(polygon) if polygon.contains(center));
                (inside, inside)
            }
        }
    }
}

fn distance_to((a, b): &Edge, point: &Point) -> f64 {
    if a == b {
        return a.0.angle(&point.0).rad();
    }
    if a.0.angle(&b.0).rad() > LONGEST_EDGE {
        return 0.0;
    }
    distance_from_segment(point, a, b).rad()
}

/// The circle around a cell.
fn circle(cell: &Cell) -> (Point, f64) {
    let center = cell.center();
    let radius = cell.vertices().iter().map(|vertex| center.0.angle(&vertex.0).rad()).fold(0.0, f64::max);
    (center, radius)
}

impl Region for Area {
    fn cap_bound(&self) -> Cap {
        Cap::full()
    }

    fn contains_cell(&self, cell: &Cell) -> bool {
        let (center, radius) = circle(cell);
        self.meets(&center, radius).1
    }

    fn intersects_cell(&self, cell: &Cell) -> bool {
        let (center, radius) = circle(cell);
        self.meets(&center, radius).0
    }

    /// All of the sphere: what is not needed is left out soon.
    fn cell_union_bound(&self) -> Vec<CellID> {
        (0..6).map(CellID::from_face).collect()
    }
}

impl Covering {
    /// The numbers of its cells.
    pub fn cells(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|cell| cell.0)
    }

    /// Runs of numbers, first and last: those of its cells and of all within them.
    pub fn within(&self) -> Vec<(u64, u64)> {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for cell in &self.0 {
            let (first, last) = (cell.range_min().0, cell.range_max().0);
            match runs.last_mut() {
                // the smallest cells have odd numbers
                Some(run) if first <= run.1.saturating_add(2) => run.1 = last,
                _ => runs.push((first, last)),
            }
        }
        runs
    }

    /// The numbers of the cells around its cells.
    pub fn around(&self) -> BTreeSet<u64> {
        self.0.iter().flat_map(|cell| (0..cell.level()).map(|level| cell.parent(level).0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;
    use proptest::prelude::*;
    use s2::latlng::LatLng;

    fn point(latitude: f64, longitude: f64) -> Point {
        LatLng::from_degrees(latitude, longitude).into()
    }

    fn holds(covering: &Covering, point: &Point) -> bool {
        let cell = cell_of(point);
        covering.within().iter().any(|(first, last)| (*first..=*last).contains(&cell))
    }

    fn shape(json: &str) -> Shape {
        match Shape::parse(&parse_json(json).unwrap()) {
            Ok(shape) => shape,
            Err(invalid) => panic!("{json}: {}", invalid.1),
        }
    }

    #[test]
    fn a_small_circle_takes_small_cells() {
        let covering = Area::ring(point(50.0, 7.0), 0.0, 100.0 / crate::geo::EARTH_RADIUS).covering(SEARCHED);
        assert!(covering.cells().count() <= SEARCHED + 6);
        // a cell of the twelfth level is about two kilometres wide
        assert!(covering.cells().all(|cell| CellID(cell).level() > 12));
        assert!(!holds(&covering, &point(50.1, 7.0)));
        assert!(covering.around().len() <= 30 * SEARCHED);
    }

    #[test]
    fn a_polygon_is_covered_and_little_else() {
        let square = shape(r#"{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]]]}"#);
        let covering = Area::shape(square).covering(SEARCHED);
        for at in [(0.0, 0.0), (9.0, 9.0), (4.5, 4.5), (0.0, 5.0)] {
            assert!(holds(&covering, &point(at.0, at.1)), "{at:?}");
        }
        for at in [(-9.0, 0.0), (4.0, 20.0), (90.0, 0.0), (-4.0, 180.0)] {
            assert!(!holds(&covering, &point(at.0, at.1)), "{at:?}");
        }
    }

    #[test]
    fn a_line_between_antipodes_is_covered_by_everything() {
        let line = shape(r#"{"type":"LineString","coordinates":[[0,90],[0,-90]]}"#);
        assert!(holds(&Area::shape(line).covering(STORED), &point(0.0, 123.0)));
    }

    fn anywhere() -> impl Strategy<Value = (f64, f64)> {
        prop_oneof![
            4 => (-90.0..=90.0, -180.0..=180.0),
            1 => (prop_oneof![Just(90.0), Just(-90.0), 89.9..=90.0], -180.0..=180.0),
            1 => (-90.0..=90.0, prop_oneof![Just(180.0), Just(-180.0), 179.9..=180.0]),
            1 => ((-9i32..=9).prop_map(|n| f64::from(n) * 10.0), (-4i32..=4).prop_map(|n| f64::from(n) * 45.0)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn no_point_of_a_ring_is_left_out(
            center in anywhere(), other in anywhere(), inner in 0.0..1.0f64, outer in 0.0..1.0f64
        ) {
            let (center, other) = (point(center.0, center.1), point(other.0, other.1));
            let distance = center.0.angle(&other.0).rad();
            let covering = Area::ring(center, distance * inner, distance + outer * outer * outer).covering(SEARCHED);
            prop_assert!(holds(&covering, &other));
        }

        #[test]
        fn no_point_of_a_line_is_left_out(a in anywhere(), b in anywhere(), t in 0.0..=1.0f64) {
            let (a, b) = (point(a.0, a.1), point(b.0, b.1));
            prop_assume!(a != b);
            let on_line = s2::edgeutil::interpolate(t, &a, &b);
            let covering = Area::shape(Shape::Line(vec![a, b])).covering(STORED);
            prop_assert!(holds(&covering, &on_line));
        }
    }
}
