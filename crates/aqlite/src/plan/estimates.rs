//! How many documents a use of an index is likely to find.

use super::expr::Ex;
use super::{KeyPart, Lookup};
use crate::catalog::{Collection, IndexKind};
use crate::txn::View;
use crate::value::index_key;

/// Members of a list that is not known before the query runs.
pub(super) const LIST: f64 = 10.0;
/// The part of a collection that one value of an index finds, where nothing is known of it.
pub(super) const EQUAL: f64 = 0.1;
/// The part that one bound leaves.
pub(super) const BOUND: f64 = 0.5;
/// The part that lies in an area.
const AREA: f64 = 0.1;
/// The part that has none of an attribute, where that is asked for.
const NULLS: f64 = 0.5;

/// How many documents a collection has. What cannot be read fails when the query runs.
pub(super) fn documents(view: &View, collection: &Collection) -> f64 {
    view.estimated_count(collection).unwrap_or_default() as f64
}

/// How many documents of a collection a use of an index finds, from what its entries tell of its fields.
pub(super) fn found(view: &View, collection: &Collection, lookup: &Lookup) -> f64 {
    let count = documents(view, collection);
    let equal = match lookup.equal.len() {
        0 => 1.0,
        _ if lookup.equal.iter().any(is_null) => NULLS,
        fields => {
            // an edge index finds one end or the other
            let fields = if lookup.index.kind == IndexKind::Edge { 1 } else { fields };
            match view.selectivity_of(collection, &lookup.index, fields) {
                Ok(distinct) => 1.0 / (count * distinct).max(1.0),
                Err(_) => EQUAL,
            }
        }
    };
    let area = if lookup.area.is_some() { AREA } else { 1.0 };
    let bounds = i32::from(lookup.lower.is_some()) + i32::from(lookup.upper.is_some());
    (count * values(lookup) * equal * area * BOUND.powi(bounds)).min(count)
}

/// More entries than this are not counted for an estimate.
const MOST_COUNTED: usize = 10_000;

/// How many entries lie between bounds that are known, where they are not very many.
pub(super) fn counted(view: &View, collection: &Collection, lookup: &Lookup) -> Option<f64> {
    let is_known = |bound: &Option<(Ex, bool)>| bound.as_ref().is_none_or(|(value, _)| value.is_known());
    let has_bounds = lookup.lower.is_some() || lookup.upper.is_some();
    let is_range = lookup.index.kind == IndexKind::Persistent && lookup.equal.is_empty();
    if !is_range || !has_bounds || !is_known(&lookup.lower) || !is_known(&lookup.upper) {
        return None;
    }
    let known =
        |bound: &Option<(Ex, bool)>| bound.as_ref().and_then(|(value, inclusive)| Some((value.known()?, *inclusive)));
    let (lower, upper) = (known(&lookup.lower), known(&lookup.upper));
    let Some((from, to)) = index_key::run(Vec::new(), lower.as_ref(), upper.as_ref()) else { return Some(0.0) };
    let mut range = view.range(collection, &lookup.index, &from, Some(&to), false).ok()?;
    for found in 0..MOST_COUNTED {
        if range.next().ok()?.is_none() {
            return Some(found as f64);
        }
    }
    None
}

/// How many combinations of values are looked up.
pub(super) fn values(lookup: &Lookup) -> f64 {
    lookup.equal.iter().map(members).product()
}

fn members(part: &KeyPart) -> f64 {
    match part {
        KeyPart::Equal(_) => 1.0,
        KeyPart::In(Ex::Array(items)) => items.len() as f64,
        KeyPart::In(list) => list.of_known_type().map_or(LIST, |list| list.array_len().unwrap_or(1) as f64),
    }
}

fn is_null(part: &KeyPart) -> bool {
    matches!(part, KeyPart::Equal(value) if value.is_null())
}
