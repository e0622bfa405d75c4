//! The functions that find documents through the geo index of a collection.

use std::sync::Arc;

use s2::cellid::CellID;
use s2::point::Point;

use crate::Result;
use crate::catalog::{Collection, Index, IndexKind};
use crate::error::{Error, code};
use crate::geo::places::{self, Ring, Rings};
use crate::geo::shape::{Shape, place};
use crate::txn::placed;
use crate::value::Value;

use super::super::{Host, collection_name};
use super::{geo_contains, meters, sphere};

const DEFAULT_LIMIT: usize = 100;

/// `NEAR(collection, latitude, longitude, limit, distanceName)`
pub(super) fn near(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let limit = match args.get(3).filter(|v| !v.is_null()) {
        None => DEFAULT_LIMIT,
        Some(limit) => match limit.as_f64() {
            Some(limit) => limit.max(0.0) as usize,
            None => return host.wrong_type("NEAR"),
        },
    };
    let (collection, index) = geo_index(host, "NEAR", &args[0])?;
    let Some(center) = center(&args[1], &args[2]) else { return host.wrong_type("NEAR") };
    let mut found = Vec::new();
    for ring in Rings::outwards(0.0, f64::INFINITY) {
        if found.len() >= limit {
            break;
        }
        found.extend(distances(host, &collection, &index, &center, |distance| ring.has(Some(distance)), &ring)?);
    }
    found.truncate(limit);
    Ok(with_distance(found, args.get(4)))
}

/// `WITHIN(collection, latitude, longitude, radius, distanceName)`
pub(super) fn within(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let (collection, index) = geo_index(host, "WITHIN", &args[0])?;
    let (Some(center), Some(radius)) = (center(&args[1], &args[2]), args[3].as_f64()) else {
        return host.wrong_type("WITHIN");
    };
    let found = distances(host, &collection, &index, &center, |distance| distance <= radius, &Ring::up_to(radius))?;
    Ok(with_distance(found, args.get(4)))
}

/// `WITHIN_RECTANGLE(collection, latitude1, longitude1, latitude2, longitude2)`
pub(super) fn within_rectangle(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let (collection, index) = geo_index(host, "WITHIN_RECTANGLE", &args[0])?;
    let numbers: Option<Vec<f64>> = args[1..].iter().map(Value::as_f64).collect();
    let Some(&[latitude1, longitude1, latitude2, longitude2]) = numbers.as_deref() else {
        return host.wrong_type("WITHIN_RECTANGLE");
    };
    let (south, north) = (latitude1.min(latitude2), latitude1.max(latitude2));
    let (west, east) = (longitude1.min(longitude2), longitude1.max(longitude2));
    let corner = |longitude, latitude| Value::array(vec![Value::float(longitude), Value::float(latitude)]);
    let ring =
        vec![corner(west, south), corner(east, south), corner(east, north), corner(west, north), corner(west, south)];
    let rectangle =
        Value::from_pairs([("type", Value::str("Polygon")), ("coordinates", Value::array(vec![Value::array(ring)]))]);
    let mut candidates = Vec::new();
    // four corners that are no rectangle enclose nothing
    let runs = Shape::parse(&rectangle).map(places::centred_in).unwrap_or_default();
    host.each_placed(&collection, &index, &runs, &mut |_, document| {
        if let Some(point) = placed(&index, &document).centre() {
            candidates.push((point, document));
        }
        Ok(())
    })?;
    // as an index of cells has them
    candidates.sort_by_cached_key(|(point, _)| CellID::from(point));
    let mut inside = Vec::new();
    for (point, document) in candidates {
        let (latitude, longitude) = super::degrees(&point);
        if geo_contains(host, &[rectangle.clone(), corner(longitude, latitude)])?.truthy() {
            inside.push(document);
        }
    }
    Ok(Value::array(inside))
}

/// The geo index of a collection; error 1570 where there is none.
fn geo_index(host: &mut dyn Host, function: &str, name: &Value) -> Result<(Arc<Collection>, Arc<Index>)> {
    let name = collection_name(function, name)?;
    let collection = host.collection(name)?;
    let index = collection.indexes.iter().find(|i| matches!(i.kind, IndexKind::Geo { .. })).cloned();
    let message = || code::message(code::QUERY_GEO_INDEX_MISSING).replace("%s", name);
    let index = index.ok_or_else(|| Error::new(code::QUERY_GEO_INDEX_MISSING, message()))?;
    Ok((collection, index))
}

fn center(latitude: &Value, longitude: &Value) -> Option<Point> {
    place(latitude.as_f64()?, longitude.as_f64()?)
}

/// The documents of a ring at a wanted distance, the nearest first.
fn distances(
    host: &mut dyn Host,
    collection: &Collection,
    index: &Index,
    center: &Point,
    wanted: impl Fn(f64) -> bool,
    ring: &Ring,
) -> Result<Vec<(f64, Value)>> {
    let sphere = sphere();
    let mut found = Vec::new();
    let runs = places::at_distance(*center, ring.inner, ring.outer, 0.0);
    host.each_placed(collection, index, &runs, &mut |id, document| {
        if let Some(point) = placed(index, &document).centre() {
            let distance = meters(center, &point, &sphere);
            if wanted(distance) {
                found.push((distance, id, document));
            }
        }
        Ok(())
    })?;
    // of one distance as they were written
    found.sort_by(|(a, first, _), (b, second, _)| a.total_cmp(b).then_with(|| first.cmp(second)));
    Ok(found.into_iter().map(|(distance, _, document)| (distance, document)).collect())
}

/// The documents, with their distance where an attribute is named for it.
fn with_distance(found: Vec<(f64, Value)>, attribute: Option<&Value>) -> Value {
    let attribute = attribute.and_then(Value::as_str);
    let shown = found.into_iter().map(|(distance, document)| match attribute {
        None => document,
        Some(name) => {
            let mut object = document.to_object().unwrap_or_default();
            object.insert(name.into(), Value::float(distance));
            Value::object(object)
        }
    });
    Value::array(shown.collect())
}
