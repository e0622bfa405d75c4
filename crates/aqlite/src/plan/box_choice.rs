//! Which conditions an index over several numbers answers.

use std::sync::Arc;

use super::area::{Area, Side};
use super::expr::{Ex, Slot};
use super::index_choice::{bounds, equality};
use super::{KeyPart, Lookup};
use crate::catalog::Index;

/// A use of such an index, and how good it is: equalities on all fields that stand before the others, and at least one
/// bound on one of these.
pub(super) fn lookup(slot: Slot, index: &Arc<Index>, conditions: &[Ex]) -> Option<(Lookup, u32)> {
    let (before, dimensions) = index.fields.split_at(index.prefix.min(index.fields.len()));
    let mut lookup = Lookup::whole(index);
    let mut score = 0;
    for field in before {
        let (_, part, _) = equality(slot, field, conditions, index.sparse)?;
        score += if matches!(part, KeyPart::Equal(_)) { 20 } else { 15 };
        lookup.equal.push(part);
    }
    let mut sides = Vec::new();
    for field in dimensions {
        let mut side = Side::default();
        if let Some((_, KeyPart::Equal(value), true)) = equality(slot, field, conditions, index.sparse) {
            side = Side { lower: Some((value.clone(), true)), upper: Some((value, true)) };
        } else {
            let mut found = Lookup::whole(index);
            bounds(slot, field, conditions, index.sparse, &mut found, &mut Vec::new());
            (side.lower, side.upper) = (found.lower, found.upper);
        }
        // a document without one of the attributes is not in a sparse index
        if index.sparse && side.lower.is_none() {
            return None;
        }
        score += 4 * (u32::from(side.lower.is_some()) + u32::from(side.upper.is_some()));
        sides.push(side);
    }
    if sides.iter().all(|side| side.lower.is_none() && side.upper.is_none()) {
        return None;
    }
    lookup.area = Some(Box::new(Area::Within(sides)));
    Some((lookup, score))
}
