//! Reading `GeoJSON`.

use geographiclib_rs::Geodesic;
use s2::latlng::LatLng;
use s2::point::Point;

use crate::error::code;
use crate::value::Value;

use super::sphere::{Edge, Loop, Polygon, centroid_of_lines, centroid_of_points, lines_intersect};

/// Why something is no shape: the number and the text of the warning.
pub(crate) struct Invalid(pub u16, pub String);

impl Invalid {
    fn new(message: impl Into<String>) -> Self {
        Self(code::BAD_PARAMETER, message.into())
    }
}

type Parsed<T> = Result<T, Invalid>;

/// A geometry on the sphere.
#[derive(PartialEq)]
pub(crate) enum Shape {
    Point(Point),
    Points(Vec<Point>),
    Line(Vec<Point>),
    Lines(Vec<Vec<Point>>),
    Polygon(Polygon),
}

impl Shape {
    /// A `[longitude, latitude]` pair or a `GeoJSON` object.
    pub fn parse(value: &Value) -> Parsed<Self> {
        if value.is_array() {
            return position(value)
                .map(Self::Point)
                .ok_or_else(|| Invalid::new(format!("Bad coordinates {}", value.to_json())));
        }
        if !value.is_object() {
            return Err(Invalid::new("Requires coordinate pair or GeoJSON"));
        }
        Self::parse_object(value)
    }

    /// A `GeoJSON` object.
    pub fn parse_object(value: &Value) -> Parsed<Self> {
        let kind = value.get("type").as_str().map(str::to_ascii_lowercase).unwrap_or_default();
        if kind == "geometrycollection" {
            let message = "GeoJSON type GeometryCollection is not supported";
            return Err(Invalid(code::NOT_IMPLEMENTED, message.to_owned()));
        }
        const KINDS: [&str; 6] = ["point", "multipoint", "linestring", "multilinestring", "polygon", "multipolygon"];
        if !KINDS.contains(&kind.as_str()) {
            return Err(Invalid::new("Invalid GeoJSON Geometry Object."));
        }
        let coordinates = value.get("coordinates");
        if !coordinates.is_array() {
            return Err(Invalid::new("Coordinates missing."));
        }
        match kind.as_str() {
            "point" => Self::parse(&coordinates),
            "multipoint" => points(&coordinates).map(Self::Points),
            "linestring" => line(&coordinates).map(Self::Line),
            "multilinestring" => lines(&coordinates).map(Self::Lines),
            "polygon" => polygon(&coordinates).map(Self::Polygon),
            _ => multi_polygon(&coordinates).map(Self::Polygon),
        }
    }

    pub fn centroid(&self) -> Point {
        match self {
            Self::Point(point) => *point,
            Self::Points(points) => centroid_of_points(points),
            Self::Line(line) => centroid_of_lines(std::slice::from_ref(line)),
            Self::Lines(lines) => centroid_of_lines(lines),
            Self::Polygon(polygon) => polygon.centroid(),
        }
    }

    /// Zero for what has no area.
    pub fn area(&self, ellipsoid: &Geodesic) -> f64 {
        match self {
            Self::Polygon(polygon) => polygon.area(ellipsoid),
            _ => 0.0,
        }
    }

    fn points(&self) -> &[Point] {
        match self {
            Self::Point(point) => std::slice::from_ref(point),
            Self::Points(points) => points,
            _ => &[],
        }
    }

    /// Its lines and borders; a point is an edge of no length.
    pub fn edges(&self) -> Vec<Edge> {
        let points = self.points().iter().map(|point| (*point, *point));
        let lines = self.lines().iter().flat_map(|line| line.windows(2)).map(|pair| (pair[0], pair[1]));
        match self {
            Self::Polygon(polygon) => polygon.edges().collect(),
            _ => points.chain(lines).collect(),
        }
    }

    fn lines(&self) -> &[Vec<Point>] {
        match self {
            Self::Line(line) => std::slice::from_ref(line),
            Self::Lines(lines) => lines,
            _ => &[],
        }
    }

    /// Have the two something in common? Points on lines cannot be told reliably: that is an error.
    pub fn intersects(&self, other: &Self) -> Parsed<bool> {
        Ok(match (self, other) {
            (Self::Polygon(left), Self::Polygon(right)) => left.intersects_polygon(right),
            (Self::Polygon(polygon), shape) | (shape, Self::Polygon(polygon)) => {
                shape.points().iter().any(|point| polygon.contains(point))
                    || shape.lines().iter().any(|line| polygon.intersects_line(line))
            }
            (Self::Point(_) | Self::Points(_), Self::Point(_) | Self::Points(_)) => {
                self.points().iter().any(|point| other.points().contains(point))
            }
            (Self::Line(_) | Self::Lines(_), Self::Line(_) | Self::Lines(_)) => {
                self.lines().iter().any(|left| other.lines().iter().any(|right| lines_intersect(left, right)))
            }
            _ => {
                let message = "The case GEO_INTERSECTS(<polyline>, <point>) is numerically instable and thus not \
                               supported.";
                return Err(Invalid(code::NOT_IMPLEMENTED, message.to_owned()));
            }
        })
    }
}

/// Is the whole shape inside the polygon?
pub(crate) fn contains(polygon: &Polygon, shape: &Shape) -> bool {
    match shape {
        Shape::Polygon(other) => polygon.contains_polygon(other),
        shape => {
            shape.points().iter().all(|point| polygon.contains(point))
                && shape.lines().iter().all(|line| polygon.contains_line(line))
        }
    }
}

/// A position from its degrees, if there is such a place.
pub(crate) fn place(latitude: f64, longitude: f64) -> Option<Point> {
    (latitude.abs() <= 90.0 && longitude.abs() <= 180.0).then(|| LatLng::from_degrees(latitude, longitude).into())
}

/// Longitude, latitude and perhaps an elevation, which is left out of account.
fn position(value: &Value) -> Option<Point> {
    value.array_len().filter(|n| (2..=3).contains(n))?;
    place(value.at(1).as_f64()?, value.at(0).as_f64()?)
}

fn positions(value: &Value) -> Parsed<Vec<Point>> {
    if !value.is_array() {
        return Err(Invalid::new("Missing coordinates."));
    }
    let bad = |item: &Value| Invalid::new(format!("Bad coordinates values {}", item.to_json()));
    value.iter_array().map(|item| position(&item).ok_or_else(|| bad(&item))).collect()
}

fn points(value: &Value) -> Parsed<Vec<Point>> {
    let points = positions(value)?;
    if points.is_empty() {
        return Err(Invalid::new("Invalid MultiPoint, it must contains at least one point."));
    }
    Ok(points)
}

fn line(value: &Value) -> Parsed<Vec<Point>> {
    let mut points = positions(value)?;
    points.dedup();
    if points.len() < 2 {
        let message = "Invalid LineString, adjacent vertices must not be identical or antipodal.";
        return Err(Invalid::new(message));
    }
    Ok(points)
}

fn lines(value: &Value) -> Parsed<Vec<Vec<Point>>> {
    let lines: Vec<_> = value.iter_array().map(|item| line(&item)).collect::<Parsed<_>>()?;
    if lines.is_empty() {
        return Err(Invalid::new("Invalid MultiLinestring, it must contains at least one Linestring."));
    }
    Ok(lines)
}

/// A closed ring of positions.
fn ring(value: &Value) -> Parsed<Loop> {
    let mut points = positions(value)?;
    if points.len() < 4 {
        return Err(Invalid::new("Invalid loop in polygon, must have at least 4 vertices"));
    }
    points.dedup();
    if points.first() != points.last() {
        return Err(Invalid::new("Loop not closed"));
    }
    points.pop();
    checked(Loop::new(points))
}

fn checked(candidate: Loop) -> Parsed<Loop> {
    match candidate.fault() {
        Some(fault) => Err(Invalid::new(format!("Invalid Loop in Polygon: {fault}"))),
        None => Ok(candidate),
    }
}

/// The loop of `IS_IN_POLYGON()`: need not be closed, and encloses the smaller side.
pub(crate) fn open_loop(points: Vec<Point>, sphere: &Geodesic) -> Parsed<Loop> {
    let mut points = points;
    points.dedup();
    if points.len() > 1 && points.first() == points.last() {
        points.pop();
    }
    let candidate = checked(Loop::new(points))?;
    Ok(if candidate.signed_area(sphere) < 0.0 { candidate.inverted() } else { candidate })
}

fn polygon(value: &Value) -> Parsed<Polygon> {
    let mut polygon = Polygon::default();
    add_rings(value, &mut polygon)?;
    Ok(polygon)
}

fn multi_polygon(value: &Value) -> Parsed<Polygon> {
    let mut polygon = Polygon::default();
    for item in value.iter_array() {
        add_rings(&item, &mut polygon)?;
    }
    Ok(polygon)
}

/// The outer ring and the holes in it; holes may run either way round.
fn add_rings(value: &Value, polygon: &mut Polygon) -> Parsed<()> {
    let mut rings = value.iter_array();
    let shell = match rings.next() {
        Some(first) => ring(&first)?,
        None => return Err(Invalid::new("Polygon should contains at least one loop.")),
    };
    let area = |l: &Loop| {
        let mut area = Polygon::default();
        area.add_shell(l.clone());
        area
    };
    let outer = area(&shell);
    for item in rings {
        let mut hole = ring(&item)?;
        if !outer.contains_polygon(&area(&hole)) {
            hole = hole.inverted();
        }
        if !outer.contains_polygon(&area(&hole)) {
            return Err(Invalid::new("Subsequent loop not a hole in polygon."));
        }
        polygon.add_hole(hole);
    }
    polygon.add_shell(shell);
    Ok(())
}
