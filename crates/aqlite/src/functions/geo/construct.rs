//! The functions that build `GeoJSON`.

use crate::Result;
use crate::error::code;
use crate::geo::shape::Shape;
use crate::value::Value;

use super::super::Host;
use super::super::array::array_expected;
use super::warn_with;

const MISMATCH: u16 = code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH;

fn geo_json(kind: &str, coordinates: Value) -> Value {
    Value::from_pairs([("type", kind.into()), ("coordinates", coordinates)])
}

/// Why something cannot be built.
type Checked = std::result::Result<(), &'static str>;

/// Two numbers, or three with an elevation.
fn check_position(value: &Value) -> Checked {
    match value.array_len() {
        None => Err("not an array containing positions"),
        Some(2 | 3) if value.iter_array().all(|part| part.is_number()) => Ok(()),
        Some(2 | 3) => Err("not a numeric value"),
        Some(_) => Err("position definition must contain 2 or 3 components"),
    }
}

pub(super) fn point(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args.iter().all(Value::is_number) {
        return host.wrong_type("GEO_POINT");
    }
    Ok(geo_json("Point", args.to_vec().into()))
}

pub(super) fn multi_point(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    chain(host, &args[0], "GEO_MULTIPOINT", "MultiPoint", "a MultiPoint needs at least two positions")
}

pub(super) fn line_string(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    chain(host, &args[0], "GEO_LINESTRING", "LineString", "a LineString needs at least two positions")
}

fn chain(host: &mut dyn Host, points: &Value, function: &str, kind: &str, too_few: &str) -> Result<Value> {
    if !points.is_array() {
        return array_expected(host, function);
    }
    if points.array_len() < Some(2) {
        return warn_with(host, function, MISMATCH, too_few);
    }
    match points.iter_array().try_for_each(|item| check_position(&item)) {
        Ok(()) => Ok(geo_json(kind, points.clone())),
        Err(message) => warn_with(host, function, MISMATCH, message),
    }
}

pub(super) fn multi_line_string(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "GEO_MULTILINESTRING";
    let lines = &args[0];
    if !lines.is_array() {
        return array_expected(host, NAME);
    }
    if lines.array_len() == Some(0) {
        let message = "a MultiLineString needs at least one array of linestrings";
        return warn_with(host, NAME, MISMATCH, message);
    }
    let check = |line: Value| match line.array_len() {
        None => Err("not an array containing positions"),
        Some(0 | 1) => Err("not an array containing linestrings"),
        Some(_) => line.iter_array().try_for_each(|item| check_position(&item)),
    };
    match lines.iter_array().try_for_each(check) {
        Ok(()) => Ok(geo_json("MultiLineString", lines.clone())),
        Err(message) => warn_with(host, NAME, MISMATCH, message),
    }
}

/// A number, or two of them in an array.
fn check_coordinate(value: &Value, otherwise: &'static str) -> Checked {
    match value.array_len() {
        _ if value.is_number() => Ok(()),
        Some(2) if value.iter_array().all(|part| part.is_number()) => Ok(()),
        Some(2) => Err("coordinate is not a number"),
        _ => Err(otherwise),
    }
}

fn check_ring(ring: &Value) -> Checked {
    ring.iter_array().try_for_each(|item| match item.array_len() {
        _ if item.is_number() => Ok(()),
        None => Err("not an array containing positions"),
        Some(0 | 1) => Err("a Position needs at least two numeric values"),
        Some(_) => item
            .iter_array()
            .try_for_each(|coordinate| check_coordinate(&coordinate, "not an array describing a position")),
    })
}

/// The rings of a polygon; the positions of a ring alone become one.
fn rings(polygon: &Value) -> std::result::Result<Vec<Value>, &'static str> {
    let Some(count) = polygon.array_len() else { return Err("Polygon needs to be an array of positions.") };
    polygon.iter_array().try_for_each(|item| match item.array_len() {
        Some(2) if count <= 2 => Err("a Polygon needs at least three positions"),
        Some(2) => item.iter_array().try_for_each(|part| check_coordinate(&part, "not a numeric value")),
        Some(3..) => check_ring(&item),
        _ => Err("not an array containing positions"),
    })?;
    let ring_alone = polygon.iter_array().any(|item| item.array_len() == Some(2));
    Ok(if ring_alone { vec![polygon.clone()] } else { polygon.iter_array().collect() })
}

/// The object, if it describes a valid shape.
fn valid(host: &mut dyn Host, function: &str, object: Value) -> Result<Value> {
    match Shape::parse_object(&object) {
        Ok(_) => Ok(object),
        Err(invalid) => warn_with(host, function, invalid.0, &invalid.1),
    }
}

pub(super) fn polygon(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "GEO_POLYGON";
    if !args[0].is_array() {
        return array_expected(host, NAME);
    }
    match rings(&args[0]) {
        Ok(rings) => valid(host, NAME, geo_json("Polygon", rings.into())),
        Err(message) => warn_with(host, NAME, MISMATCH, message),
    }
}

pub(super) fn multi_polygon(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "GEO_MULTIPOLYGON";
    if !args[0].is_array() {
        return array_expected(host, NAME);
    }
    let too_few = "a MultiPolygon needs at least two Polygons inside.";
    if args[0].array_len() < Some(2) || !args[0].iter_array().all(|item| item.is_array()) {
        return warn_with(host, NAME, MISMATCH, too_few);
    }
    let one = |polygon: Value| -> std::result::Result<Value, &'static str> {
        let parts = polygon.iter_array().map(|part| rings(&part)).collect::<std::result::Result<Vec<_>, _>>()?;
        Ok(parts.concat().into())
    };
    match args[0].iter_array().map(one).collect::<std::result::Result<Vec<_>, _>>() {
        Ok(polygons) => valid(host, NAME, geo_json("MultiPolygon", polygons.into())),
        Err(message) => warn_with(host, NAME, MISMATCH, message),
    }
}
