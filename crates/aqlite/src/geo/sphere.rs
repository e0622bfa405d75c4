//! Loops and polygons on the sphere. Edges are shortest paths; what a loop encloses is on the left of its edges.

use geographiclib_rs::{Geodesic, PolygonArea, Winding};
use s2::edge_crossings::{Crossing, EdgeCrosser, angle_contains_vertex, crossing_sign};
use s2::latlng::LatLng;
use s2::point::{Point, true_centroid};
use s2::r3::vector::Vector;

/// Where sums begin.
const ZERO: Point = Point(Vector { x: 0.0, y: 0.0, z: 0.0 });

/// An edge from one point to another.
pub(crate) type Edge = (Point, Point);

/// A closed chain of at least three vertices; the last edge leads back to the first vertex.
#[derive(Clone, PartialEq)]
pub(crate) struct Loop {
    vertices: Vec<Point>,
    /// Does it enclose the point from which crossings are counted?
    origin_inside: bool,
}

impl Loop {
    pub fn new(vertices: Vec<Point>) -> Self {
        let mut new = Self { vertices, origin_inside: false };
        // whether a vertex is inside can be told from the angle there, and that settles the origin
        if let [a, b, c, ..] = new.vertices[..] {
            let inside = a != b && c != b && angle_contains_vertex(&a, &b, &c);
            new.origin_inside = inside != new.contains(&b);
        }
        new
    }

    /// The loop that encloses everything else.
    pub fn inverted(self) -> Self {
        Self::new(self.vertices.into_iter().rev().collect())
    }

    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        let next = self.vertices.iter().skip(1).chain(self.vertices.first());
        self.vertices.iter().copied().zip(next.copied())
    }

    pub fn contains(&self, point: &Point) -> bool {
        let mut crosser = EdgeCrosser::new(&Point::origin(), point);
        self.edges().fold(self.origin_inside, |inside, (a, b)| inside ^ crosser.edge_or_vertex_crossing(&a, &b))
    }

    /// Signed area on an ellipsoid: negative where the smaller side is on the right.
    pub fn signed_area(&self, ellipsoid: &Geodesic) -> f64 {
        self.measure(ellipsoid, true)
    }

    /// Area of what is enclosed, however large.
    pub fn area(&self, ellipsoid: &Geodesic) -> f64 {
        self.measure(ellipsoid, false)
    }

    fn measure(&self, ellipsoid: &Geodesic, signed: bool) -> f64 {
        let mut polygon = PolygonArea::new(ellipsoid, Winding::CounterClockwise);
        for vertex in &self.vertices {
            let (latitude, longitude) = degrees(vertex);
            polygon.add_point(latitude, longitude);
        }
        polygon.compute(signed).1
    }

    /// Centre of mass times area.
    fn centroid(&self) -> Point {
        let Some((first, rest)) = self.vertices.split_first() else { return ZERO };
        rest.windows(2).fold(ZERO, |sum, pair| sum + true_centroid(first, &pair[0], &pair[1]))
    }

    /// Why it is no loop, if it is none.
    pub fn fault(&self) -> Option<String> {
        let n = self.vertices.len();
        if n < 3 {
            return Some(String::from("Loop must have at least 3 vertices"));
        }
        let edges: Vec<Edge> = self.edges().collect();
        for (i, (a, b)) in edges.iter().enumerate() {
            for (j, (c, d)) in edges.iter().enumerate().skip(i + 1) {
                if a == c {
                    return Some(format!("Vertex {i} is a duplicate of vertex {j}"));
                }
                if crossing_sign(a, b, c, d) == Crossing::Cross {
                    return Some(format!("Edge {i} crosses edge {j}"));
                }
            }
        }
        None
    }
}

/// Loops of which a point is inside when an odd number of them encloses it: shells and the holes in them.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct Polygon {
    shells: Vec<Loop>,
    holes: Vec<Loop>,
}

impl Polygon {
    pub fn add_shell(&mut self, shell: Loop) {
        self.shells.push(shell);
    }

    pub fn add_hole(&mut self, hole: Loop) {
        self.holes.push(hole);
    }

    fn loops(&self) -> impl Iterator<Item = &Loop> {
        self.shells.iter().chain(&self.holes)
    }

    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.loops().flat_map(Loop::edges)
    }

    pub fn contains(&self, point: &Point) -> bool {
        self.loops().fold(false, |inside, l| inside ^ l.contains(point))
    }

    pub fn area(&self, ellipsoid: &Geodesic) -> f64 {
        let area = |l: &Loop| if ellipsoid.flattening() == 0.0 { l.area(ellipsoid) } else { l.signed_area(ellipsoid) };
        self.shells.iter().map(area).sum::<f64>() - self.holes.iter().map(area).sum::<f64>()
    }

    pub fn centroid(&self) -> Point {
        let sum = |loops: &[Loop]| loops.iter().map(Loop::centroid).fold(ZERO, |sum, c| sum + c);
        (sum(&self.shells) - sum(&self.holes)).normalize()
    }

    /// Is the whole line inside?
    pub fn contains_line(&self, line: &[Point]) -> bool {
        let boundary: Vec<Edge> = self.edges().collect();
        let on_boundary = |p: &Point| boundary.iter().any(|(a, _)| a == p);
        line.iter().all(|p| self.contains(p) || on_boundary(p))
            && line.windows(2).all(|pair| {
                let edge = (pair[0], pair[1]);
                !crosses_any(edge, &boundary) && (shared(edge, &boundary) || self.contains(&midpoint(edge)))
            })
    }

    /// Has the line a part inside?
    pub fn intersects_line(&self, line: &[Point]) -> bool {
        let boundary: Vec<Edge> = self.edges().collect();
        line.iter().any(|p| self.contains(p))
            || line.windows(2).any(|pair| {
                let edge = (pair[0], pair[1]);
                crosses_any(edge, &boundary) || self.contains(&midpoint(edge))
            })
    }

    /// Is everything inside the other one inside this one?
    pub fn contains_polygon(&self, other: &Self) -> bool {
        let (mine, theirs): (Vec<Edge>, Vec<Edge>) = (self.edges().collect(), other.edges().collect());
        // boundaries that do not cross are, between shared vertices, inside or outside as a whole
        !theirs.iter().any(|edge| crosses_any(*edge, &mine))
            && theirs.iter().all(|edge| shared(*edge, &mine) || self.contains(&midpoint(*edge)))
            && mine.iter().all(|edge| shared(*edge, &theirs) || !other.contains(&midpoint(*edge)))
            && (theirs.iter().any(|edge| !shared(*edge, &mine)) || self.same_side(other))
    }

    /// Have the two an area in common?
    pub fn intersects_polygon(&self, other: &Self) -> bool {
        let (mine, theirs): (Vec<Edge>, Vec<Edge>) = (self.edges().collect(), other.edges().collect());
        theirs.iter().any(|edge| crosses_any(*edge, &mine))
            || theirs.iter().any(|edge| !shared(*edge, &mine) && self.contains(&midpoint(*edge)))
            || mine.iter().any(|edge| !shared(*edge, &theirs) && other.contains(&midpoint(*edge)))
            || (theirs.iter().all(|edge| shared(*edge, &mine)) && self.same_side(other))
    }

    /// For polygons with one boundary: is it also the same area, not the rest of the sphere?
    fn same_side(&self, other: &Self) -> bool {
        self.contains(&Point::origin()) == other.contains(&Point::origin())
    }
}

fn crosses_any((a, b): Edge, edges: &[Edge]) -> bool {
    let mut crosser = EdgeCrosser::new(&a, &b);
    edges.iter().any(|(c, d)| crosser.crossing_sign(c, d) == Crossing::Cross && may_meet((a, b), (*c, *d)))
}

/// Could two edges have a point in common? Each lies within half its length of its middle. Of edges on one great circle, also
/// on opposite sides of the sphere, the sign of the crossing alone does not tell.
fn may_meet(one: Edge, other: Edge) -> bool {
    let half = |(a, b): Edge| a.0.angle(&b.0).rad() / 2.0;
    midpoint(one).0.angle(&midpoint(other).0).rad() <= half(one) + half(other) + 1e-12
}

fn shared((a, b): Edge, edges: &[Edge]) -> bool {
    edges.iter().any(|edge| *edge == (a, b) || *edge == (b, a))
}

fn midpoint((a, b): Edge) -> Point {
    (a + b).normalize()
}

/// Do two lines cross or touch in a vertex?
pub(crate) fn lines_intersect(left: &[Point], right: &[Point]) -> bool {
    left.windows(2).any(|edge| {
        let mut crosser = EdgeCrosser::new(&edge[0], &edge[1]);
        right.windows(2).any(|other| {
            crosser.crossing_sign(&other[0], &other[1]) != Crossing::DoNotCross
                && may_meet((edge[0], edge[1]), (other[0], other[1]))
        })
    })
}

/// Centre of mass of lines.
pub(crate) fn centroid_of_lines(lines: &[Vec<Point>]) -> Point {
    let sum = lines.iter().flat_map(|line| line.windows(2)).fold(ZERO, |sum, edge| {
        let (along, across) = (edge[0] + edge[1], edge[0] - edge[1]);
        if along.norm() == 0.0 { sum } else { sum + along * (across.norm() / along.norm()) }
    });
    sum.normalize()
}

/// Centre of mass of points.
pub(crate) fn centroid_of_points(points: &[Point]) -> Point {
    match points {
        [point] => *point,
        _ => points.iter().fold(ZERO, |sum, p| sum + *p).normalize(),
    }
}

/// Latitude and longitude.
pub(crate) fn degrees(point: &Point) -> (f64, f64) {
    let at = LatLng::from(point);
    (at.lat.deg(), at.lng.deg())
}
