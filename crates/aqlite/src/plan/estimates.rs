//! How many documents a use of an index is likely to find.

use super::expr::Ex;
use super::{KeyPart, Lookup};
use crate::catalog::{Collection, IndexKind};
use crate::txn::View;

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
