//! Functions of places and shapes on the earth, as `GeoJSON`.

mod construct;
mod indexed;

use geographiclib_rs::{Geodesic, InverseGeodesic};
use s2::point::Point;

use crate::Result;
use crate::error::code;
use crate::geo::EARTH_RADIUS;
use crate::geo::shape::{self, Shape, open_loop, place};
use crate::geo::sphere::degrees;
use crate::value::Value;

use super::array::{array_expected, warn_in};
use super::numeric::number;
use super::{Function, Host, impure, pure};

/// The functions of this family.
pub const FUNCTIONS: &[Function] = &[
    pure("DISTANCE", 4, 4, distance),
    pure("GEO_AREA", 1, 2, geo_area),
    pure("GEO_CONTAINS", 2, 2, geo_contains),
    pure("GEO_DISTANCE", 2, 3, geo_distance),
    pure("GEO_EQUALS", 2, 2, geo_equals),
    pure("GEO_INTERSECTS", 2, 2, geo_intersects),
    pure("GEO_IN_RANGE", 4, 7, geo_in_range),
    pure("GEO_LINESTRING", 1, 1, construct::line_string),
    pure("GEO_MULTILINESTRING", 1, 1, construct::multi_line_string),
    pure("GEO_MULTIPOINT", 1, 1, construct::multi_point),
    pure("GEO_MULTIPOLYGON", 1, 1, construct::multi_polygon),
    pure("GEO_POINT", 2, 3, construct::point),
    pure("GEO_POLYGON", 1, 1, construct::polygon),
    pure("IS_IN_POLYGON", 2, 3, is_in_polygon),
    impure("NEAR", 3, 5, indexed::near),
    impure("WITHIN", 4, 5, indexed::within),
    impure("WITHIN_RECTANGLE", 5, 5, indexed::within_rectangle),
];

/// A warning of the named function with its own text; the result of the call is then null.
fn warn_with(host: &mut dyn Host, function: &str, num: u16, message: &str) -> Result<Value> {
    host.warn(num, format!("in function '{function}()': {message}"))?;
    Ok(Value::Null)
}

fn sphere() -> Geodesic {
    Geodesic::new(EARTH_RADIUS, 0.0)
}

/// The ellipsoid of that name; the sphere where there is none, with a warning for names that are not known.
fn ellipsoid(host: &mut dyn Host, function: &str, name: Option<&Value>) -> Result<Geodesic> {
    let Some(name) = name else { return Ok(sphere()) };
    match name.as_str() {
        Some("sphere") => return Ok(sphere()),
        Some("wgs84") => return Ok(Geodesic::wgs84()),
        Some(other) => {
            let message = format!("invalid ellipsoid {other} specified, falling back to \"sphere\"");
            warn_with(host, function, code::BAD_PARAMETER, &message)?;
        }
        None => {
            let message = "invalid value for ellipsoid specified, falling back to \"sphere\"";
            warn_with(host, function, code::BAD_PARAMETER, message)?;
        }
    }
    Ok(sphere())
}

fn meters(from: &Point, to: &Point, ellipsoid: &Geodesic) -> f64 {
    if ellipsoid.flattening() == 0.0 {
        return from.0.angle(&to.0).rad() * EARTH_RADIUS;
    }
    let ((latitude1, longitude1), (latitude2, longitude2)) = (degrees(from), degrees(to));
    ellipsoid.inverse(latitude1, longitude1, latitude2, longitude2)
}

/// A shape; `None`, with a warning, when the value is none.
fn parse(host: &mut dyn Host, function: &str, value: &Value) -> Result<Option<Shape>> {
    match Shape::parse(value) {
        Ok(shape) => Ok(Some(shape)),
        Err(invalid) => {
            warn_with(host, function, invalid.0, &invalid.1)?;
            Ok(None)
        }
    }
}

/// A shape from a `GeoJSON` object and nothing else.
fn parse_object(host: &mut dyn Host, function: &str, value: &Value) -> Result<Option<Shape>> {
    if !value.is_object() {
        warn_with(host, function, code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH, "Expecting GeoJSON object")?;
        return Ok(None);
    }
    parse(host, function, value)
}

/// Great-circle distance by the haversine formula.
fn distance(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let numbers: Option<Vec<f64>> = args.iter().map(Value::as_f64).collect();
    let Some(&[latitude1, longitude1, latitude2, longitude2]) = numbers.as_deref() else {
        return host.wrong_type("DISTANCE");
    };
    let half_sine = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin().powi(2);
    let cosines = latitude1.to_radians().cos() * latitude2.to_radians().cos();
    let a = half_sine(latitude1, latitude2) + cosines * half_sine(longitude1, longitude2);
    Ok(number(EARTH_RADIUS * 2.0 * a.sqrt().atan2((1.0 - a).max(0.0).sqrt())))
}

fn geo_distance(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "GEO_DISTANCE";
    let Some(from) = parse(host, NAME, &args[0])? else { return Ok(Value::Null) };
    let Some(to) = parse(host, NAME, &args[1])? else { return Ok(Value::Null) };
    let ellipsoid = ellipsoid(host, NAME, args.get(2))?;
    Ok(number(meters(&from.centroid(), &to.centroid(), &ellipsoid)))
}

fn geo_in_range(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "GEO_IN_RANGE";
    let Some(from) = parse(host, NAME, &args[0])? else { return Ok(Value::Null) };
    let Some(to) = parse(host, NAME, &args[1])? else { return Ok(Value::Null) };
    let refuse = |host: &mut dyn Host, message: &str| warn_with(host, NAME, code::BAD_PARAMETER, message);
    let Some(low) = args[2].as_f64() else { return refuse(host, "3rd argument requires a number") };
    let Some(high) = args[3].as_f64() else { return refuse(host, "4th argument requires a number") };
    let include = |position: usize| args.get(position).map_or(Some(true), Value::as_bool);
    let Some(include_low) = include(4) else { return refuse(host, "5th argument requires a bool") };
    let Some(include_high) = include(5) else { return refuse(host, "6th argument requires a bool") };
    let ellipsoid = ellipsoid(host, NAME, args.get(6))?;
    let distance = meters(&from.centroid(), &to.centroid(), &ellipsoid);
    let above = if include_low { distance >= low } else { distance > low };
    let below = if include_high { distance <= high } else { distance < high };
    Ok((above && below).into())
}

fn geo_area(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "GEO_AREA";
    let shape = match Shape::parse_object(&args[0]) {
        Ok(shape) => shape,
        Err(invalid) => return warn_with(host, NAME, invalid.0, &invalid.1),
    };
    let ellipsoid = ellipsoid(host, NAME, args.get(1).filter(|name| !name.is_null()))?;
    Ok(number(shape.area(&ellipsoid)))
}

/// The second argument of the two relations.
fn parse_inner(host: &mut dyn Host, function: &str, value: &Value) -> Result<Option<Shape>> {
    if !value.is_array() && !value.is_object() {
        let message = "Second arg requires coordinate pair or GeoJSON";
        warn_with(host, function, code::BAD_PARAMETER, message)?;
        return Ok(None);
    }
    parse(host, function, value)
}

fn geo_contains(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "GEO_CONTAINS";
    let outer = match parse_object(host, NAME, &args[0])? {
        None => return Ok(Value::Null),
        Some(Shape::Polygon(polygon)) => polygon,
        Some(_) => {
            let message = "Only Polygon and MultiPolygon types are valid as first argument";
            return warn_with(host, NAME, code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH, message);
        }
    };
    let Some(inner) = parse_inner(host, NAME, &args[1])? else { return Ok(Value::Null) };
    Ok(shape::contains(&outer, &inner).into())
}

fn geo_intersects(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "GEO_INTERSECTS";
    let Some(left) = parse_object(host, NAME, &args[0])? else { return Ok(Value::Null) };
    let Some(right) = parse_inner(host, NAME, &args[1])? else { return Ok(Value::Null) };
    match left.intersects(&right) {
        Ok(answer) => Ok(answer.into()),
        Err(invalid) => {
            warn_with(host, NAME, invalid.0, &invalid.1)?;
            Ok(false.into())
        }
    }
}

fn geo_equals(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "GEO_EQUALS";
    if !args[1].is_object() {
        parse_object(host, NAME, &args[1])?;
        return Ok(Value::Null);
    }
    let Some(left) = parse_object(host, NAME, &args[0])? else { return Ok(Value::Null) };
    let Some(right) = parse_object(host, NAME, &args[1])? else { return Ok(Value::Null) };
    Ok((left == right).into())
}

/// `(polygon, latitude, longitude)` or `(polygon, position[, useLonLat])`
fn is_in_polygon(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "IS_IN_POLYGON";
    if !args[0].is_array() {
        return array_expected(host, NAME);
    }
    let third = args.get(2).cloned().unwrap_or_default();
    let longitude_first = args[1].is_array() && third.as_bool() == Some(true);
    let pair = |value: &Value| {
        let (first, second) = (value.at(0).as_f64()?, value.at(1).as_f64()?);
        Some(if longitude_first { (second, first) } else { (first, second) })
    };
    let wanted = if args[1].is_array() { pair(&args[1]) } else { args[1].as_f64().zip(third.as_f64()) };
    let Some((latitude, longitude)) = wanted else { return host.wrong_type(NAME) };
    let point = s2::latlng::LatLng::from_degrees(latitude, longitude).normalized();
    let vertices: Option<Vec<Point>> =
        args[0].iter_array().map(|item| pair(&item).and_then(|(lat, lon)| place(lat, lon))).collect();
    let Some(vertices) = vertices else { return warn_in(host, NAME, code::BAD_PARAMETER) };
    match open_loop(vertices, &sphere()) {
        Ok(polygon) => Ok(polygon.contains(&point.into()).into()),
        Err(invalid) => warn_with(host, NAME, invalid.0, &invalid.1),
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check;

    #[test]
    fn distances_on_the_sphere_and_on_the_ellipsoid() {
        check(&[
            ("GEO_DISTANCE", "[[0,0],[0,1]]", "1.1119492664455874e+5"),
            ("GEO_DISTANCE", r#"["a",[0,1]]"#, "warning 10"),
            ("DISTANCE", r#"["a",0,0,0]"#, "warning 1542"),
            ("GEO_IN_RANGE", "[[0,0],[0,1],0,200000]", "true"),
            ("GEO_IN_RANGE", r#"[[0,0],[0,1],"a",1]"#, "warning 10"),
        ]);
    }

    #[test]
    fn a_polygon_holds_what_is_left_of_its_edges() {
        check(&[
            (
                "GEO_CONTAINS",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]]]},[5,5]]"#,
                "true",
            ),
            (
                "GEO_CONTAINS",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]]]},[15,5]]"#,
                "false",
            ),
            (
                "GEO_CONTAINS",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[0,10],[10,10],[10,0],[0,0]]]},[15,5]]"#,
                "true",
            ),
            ("GEO_CONTAINS", r#"[{"type":"Point","coordinates":[0,0]},[15,5]]"#, "warning 1542"),
        ]);
    }

    #[test]
    fn a_hole_is_outside() {
        check(&[
            (
                "GEO_CONTAINS",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[3,3],[6,3],[6,6],[3,6],[3,3]]]},[5,5]]"#,
                "false",
            ),
            (
                "GEO_CONTAINS",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[3,3],[3,6],[6,6],[6,3],[3,3]]]},[1,1]]"#,
                "true",
            ),
            (
                "GEO_AREA",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[20,3],[26,3],[26,6],[20,6],[20,3]]]}]"#,
                "warning 10",
            ),
        ]);
    }

    #[test]
    fn shapes_contain_themselves_and_smaller_ones() {
        check(&[
            (
                "GEO_CONTAINS",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]]]},{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]]]}]"#,
                "true",
            ),
            (
                "GEO_CONTAINS",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]]]},{"type":"Polygon","coordinates":[[[1,1],[2,1],[2,2],[1,1]]]}]"#,
                "true",
            ),
            (
                "GEO_CONTAINS",
                r#"[{"type":"Polygon","coordinates":[[[1,1],[2,1],[2,2],[1,1]]]},{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]]]}]"#,
                "false",
            ),
            (
                "GEO_CONTAINS",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]]]},{"type":"LineString","coordinates":[[1,1],[20,1]]}]"#,
                "false",
            ),
        ]);
    }

    #[test]
    fn shapes_intersect_where_they_overlap() {
        check(&[
            (
                "GEO_INTERSECTS",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]},{"type":"Polygon","coordinates":[[[1,1],[3,1],[3,3],[1,3],[1,1]]]}]"#,
                "true",
            ),
            (
                "GEO_INTERSECTS",
                r#"[{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]},{"type":"Polygon","coordinates":[[[5,5],[6,5],[6,6],[5,6],[5,5]]]}]"#,
                "false",
            ),
            (
                "GEO_INTERSECTS",
                r#"[{"type":"LineString","coordinates":[[0,0],[2,2]]},{"type":"LineString","coordinates":[[0,2],[2,0]]}]"#,
                "true",
            ),
            ("GEO_INTERSECTS", r#"[{"type":"LineString","coordinates":[[0,0],[2,2]]},[1,1]]"#, "warning 9"),
        ]);
    }

    #[test]
    fn constructors_check_what_they_build() {
        check(&[
            ("GEO_POINT", "[1,2]", r#"{"type":"Point","coordinates":[1,2]}"#),
            ("GEO_POINT", r#"["1",2]"#, "warning 1542"),
            ("GEO_EQUALS", "[{},1]", "warning 1542"),
            ("GEO_EQUALS", "[{},{}]", "warning 10"),
            ("GEO_MULTIPOINT", "[[[1,2]]]", "warning 1542"),
            ("GEO_LINESTRING", "[5]", "warning 1563"),
            ("GEO_POINT", "[1,2,3]", r#"{"type":"Point","coordinates":[1,2,3]}"#),
            ("GEO_LINESTRING", r#"[[[1,2],["a",2]]]"#, "warning 1542"),
            ("GEO_LINESTRING", "[[[1,2],3]]", "warning 1542"),
            ("GEO_LINESTRING", "[[[1,2,3,4],[5,6]]]", "warning 1542"),
            ("GEO_MULTIPOINT", "[[[1],[2,3]]]", "warning 1542"),
            ("GEO_POLYGON", "[[[0,0],[1,0]]]", "warning 1542"),
            ("GEO_POLYGON", "[[[[0,0],[1,1]]]]", "warning 1542"),
            ("GEO_POLYGON", r#"[[[0,0],[1,0],[1,"a"]]]"#, "warning 1542"),
            ("GEO_POLYGON", "[[[0,0],[1,0],1]]", "warning 1542"),
            ("GEO_POLYGON", "[[[0,0],[1,0],[1,1]]]", "warning 10"),
            ("GEO_POLYGON", "[[[0,0],[1,1],[1,0],[0,1],[0,0]]]", "warning 10"),
            ("GEO_MULTIPOLYGON", "[[1,2]]", "warning 1542"),
            (
                "GEO_POLYGON",
                "[[[0,0],[1,0],[1,1],[0,0]]]",
                r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#,
            ),
        ]);
    }

    #[test]
    fn a_plain_polygon_needs_no_direction() {
        check(&[
            ("IS_IN_POLYGON", "[[[0,0],[0,10],[10,10],[10,0]],4,7]", "true"),
            ("IS_IN_POLYGON", "[[[0,0],[10,0],[10,10],[0,10]],[4,17]]", "false"),
            ("IS_IN_POLYGON", "[[[0,0],[10,0],[10,10]],[7,4],true]", "true"),
            ("IS_IN_POLYGON", "[1,2,3]", "warning 1563"),
            ("IS_IN_POLYGON", "[[[0,0],[1,1]],[7,4]]", "warning 10"),
        ]);
    }

    #[test]
    fn searches_need_an_index() {
        check(&[
            ("NEAR", r#"["things",1,2]"#, "error 1570"),
            ("NEAR", r#"["nowhere",1,2]"#, "error 1203"),
            ("NEAR", "[1234,1,2]", "error 1542"),
            ("WITHIN", "[1234,1,2,3]", "error 1542"),
            ("WITHIN_RECTANGLE", "[null,1,2,3,4]", "error 1542"),
            ("FULLTEXT", r#"[1234,"a","b"]"#, "error 1542"),
            ("FULLTEXT", r#"["things","a","b"]"#, "error 1571"),
        ]);
    }
}
