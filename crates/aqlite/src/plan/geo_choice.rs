//! Which geo index answers the conditions on a collection, or gives the order of its documents.

use std::sync::Arc;

use super::area::{Area, Distance};
use super::expr::{Ex, Slot};
use super::{AccessPath, Lookup, Node, Pipeline, ScanNode, SortNode};
use crate::catalog::{Index, IndexKind};
use crate::lang::ast::BinaryOp;
use crate::value::Value;

/// Distances on the sphere are computed in more than one way.
const ON_SPHERE: f64 = 1e-6;
/// Those on an ellipsoid differ by half a percent.
const ON_ELLIPSOID: f64 = 0.01;

/// The conditions behind a loop with the variables between it and them read through where these hold what a geo function
/// gives: `LET far = GEO_DISTANCE(…) FILTER far < 100`.
pub(super) fn conditions_behind(pipeline: &Pipeline, at: usize) -> Vec<Ex> {
    let mut known: Vec<(Slot, &Ex)> = Vec::new();
    let mut conditions = Vec::new();
    for node in &pipeline.nodes[at + 1..] {
        match node {
            Node::Let(slot, ex) if matches!(&**ex, Ex::Call(..)) && ex.is_deterministic() => known.push((*slot, ex)),
            Node::Let(..) => {}
            Node::Filter(ex) => conditions.push(read_through(ex, &known)),
            _ => break,
        }
    }
    conditions
}

pub(super) fn read_through(ex: &Ex, known: &[(Slot, &Ex)]) -> Ex {
    let mut ex = ex.clone();
    replace(&mut ex, known);
    ex
}

fn replace(ex: &mut Ex, known: &[(Slot, &Ex)]) {
    match ex {
        Ex::Slot(slot) => {
            if let Some((_, by)) = known.iter().find(|(s, _)| s == slot) {
                *ex = (*by).clone();
            }
        }
        Ex::Subquery(_) | Ex::SubqueryCount(_) => {}
        other => other.for_each_child_mut(&mut |child| replace(child, known)),
    }
}

/// A use of a geo index that answers some of the conditions, and how good it is.
pub(super) fn lookup(slot: Slot, index: &Arc<Index>, conditions: &[Ex]) -> Option<(Lookup, u32)> {
    const TOUCHING: u32 = 15;
    const NEAR: u32 = 14;
    const FAR: u32 = 1;
    let conditions = || conditions.iter().filter(|condition| condition.is_deterministic());
    if let Some(area) = conditions().find_map(|condition| touching(slot, index, condition)) {
        return Some((by_area(index, area), TOUCHING));
    }
    let mut found: Option<Distance> = None;
    for condition in conditions() {
        let Some((distance, op, bound)) = comparison(slot, index, condition) else { continue };
        let best = found.get_or_insert(distance.clone());
        if !same(&best.center, &distance.center) || best.tolerance != distance.tolerance {
            continue;
        }
        let (lower, upper) = match op {
            BinaryOp::Lt | BinaryOp::Le => (None, Some((bound, op == BinaryOp::Le))),
            BinaryOp::Gt | BinaryOp::Ge => (Some((bound, op == BinaryOp::Ge)), None),
            _ => (Some((bound.clone(), true)), Some((bound, true))),
        };
        best.lower = best.lower.take().or(lower);
        best.upper = best.upper.take().or(upper);
    }
    let found = found?;
    let score = if found.upper.is_some() { NEAR } else { FAR };
    Some((by_area(index, Area::Distance(found)), score))
}

fn by_area(index: &Arc<Index>, area: Area) -> Lookup {
    Lookup { area: Some(Box::new(area)), ..Lookup::whole(index) }
}

/// `GEO_CONTAINS(shape, document.place)` and its like; `== true` may follow.
fn touching(slot: Slot, index: &Index, condition: &Ex) -> Option<Area> {
    let call = match condition {
        Ex::Binary(BinaryOp::Eq, left, right) => match (&**left, &**right) {
            (call, Ex::Const(Value::Bool(true))) | (Ex::Const(Value::Bool(true)), call) => call,
            _ => return None,
        },
        call => call,
    };
    let Ex::Call(function, args) = call else { return None };
    let ("GEO_CONTAINS" | "GEO_INTERSECTS", [a, b]) = (function.name, args.as_slice()) else { return None };
    let shape = other_than_place(slot, index, a, b)?;
    Some(Area::Touching { call: call.clone(), shape: shape.clone() })
}

/// `GEO_DISTANCE(…) < bound` in either order: the distance, the comparison and the bound.
fn comparison(slot: Slot, index: &Index, condition: &Ex) -> Option<(Distance, BinaryOp, Ex)> {
    let Ex::Binary(op, left, right) = condition else { return None };
    let mirrored = op.mirrored().filter(|op| *op != BinaryOp::Ne)?;
    if let Some(distance) = distance(slot, index, left).filter(|_| !right.reads(slot)) {
        return Some((distance, *op, (**right).clone()));
    }
    let distance = distance(slot, index, right).filter(|_| !left.reads(slot))?;
    Some((distance, mirrored, (**left).clone()))
}

/// A call that computes how far a document is from something.
fn distance(slot: Slot, index: &Index, ex: &Ex) -> Option<Distance> {
    let Ex::Call(function, args) = ex else { return None };
    let (center, tolerance) = match (function.name, args.as_slice()) {
        ("GEO_DISTANCE", [a, b]) => (other_than_place(slot, index, a, b)?.clone(), ON_SPHERE),
        ("GEO_DISTANCE", [a, b, ellipsoid]) if !ellipsoid.reads(slot) => {
            (other_than_place(slot, index, a, b)?.clone(), ON_ELLIPSOID)
        }
        ("DISTANCE", [a, b, c, d]) => {
            let (from, to) = (pair(b, a), pair(d, c));
            (other_than_place(slot, index, &from, &to)?.clone(), ON_SPHERE)
        }
        _ => return None,
    };
    Some(Distance { call: ex.clone(), center, lower: None, upper: None, sorted: false, furthest: false, tolerance })
}

/// A position of which only the expressions are looked at.
fn pair(longitude: &Ex, latitude: &Ex) -> Ex {
    Ex::Array(vec![longitude.clone(), latitude.clone()])
}

/// Of two arguments one is the place of the document: the other one.
fn other_than_place<'a>(slot: Slot, index: &Index, a: &'a Ex, b: &'a Ex) -> Option<&'a Ex> {
    match (is_place(slot, index, a), is_place(slot, index, b)) {
        (true, false) if !b.reads(slot) => Some(b),
        (false, true) if !a.reads(slot) => Some(a),
        _ => None,
    }
}

/// Is it what the index has of a document?
fn is_place(slot: Slot, index: &Index, ex: &Ex) -> bool {
    let is_field = |ex: &Ex, at: usize| {
        let field = index.fields.get(at).map(|field| field.names.as_slice());
        matches!(ex.as_path(), Some((s, path)) if s == slot && Some(path) == field)
    };
    let is_item = |ex: &Ex, wanted: i64| match ex {
        Ex::Index(array, position) => {
            is_field(array, 0) && matches!(**position, Ex::Const(Value::Int(position)) if position == wanted)
        }
        _ => false,
    };
    match (index.kind, index.fields.len(), ex) {
        (IndexKind::Geo { .. }, 2, Ex::Array(pair)) => {
            matches!(pair.as_slice(), [longitude, latitude] if is_field(latitude, 0) && is_field(longitude, 1))
        }
        (IndexKind::Geo { geo_json: true, .. }, 1, ex) => is_field(ex, 0),
        (IndexKind::Geo { geo_json: false, .. }, 1, Ex::Array(pair)) => {
            matches!(pair.as_slice(), [longitude, latitude] if is_item(latitude, 0) && is_item(longitude, 1))
        }
        _ => false,
    }
}

/// Do two expressions certainly have the same value?
fn same(a: &Ex, b: &Ex) -> bool {
    match (a, b) {
        (Ex::Const(a), Ex::Const(b)) => a == b,
        (Ex::Slot(a), Ex::Slot(b)) => a == b,
        (Ex::Path(a, of_a), Ex::Path(b, of_b)) => a == b && of_a == of_b,
        (Ex::Array(a), Ex::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => false,
    }
}

/// The access that gives documents in the order of a sort by their distance, the nearest or the furthest first.
pub(super) fn nearest(scan: &ScanNode, between: &[Node], sort: &SortNode) -> Option<AccessPath> {
    let (key, ascending) = sort.keys.first()?;
    let known: Vec<(Slot, &Ex)> = between
        .iter()
        .filter_map(|node| match node {
            Node::Let(slot, ex) if ex.is_deterministic() => Some((*slot, &**ex)),
            _ => None,
        })
        .collect();
    let key = read_through(key, &known);
    let sorted = |index: &Arc<Index>, found: Distance| {
        let area = Area::Distance(Distance { sorted: true, furthest: !ascending, ..found });
        AccessPath::Index { reverse: false, lookups: vec![by_area(index, area)] }
    };
    match &scan.access {
        // bounds that were found already stay
        AccessPath::Index { lookups, .. } => {
            let [lookup] = lookups.as_slice() else { return None };
            let Some(Area::Distance(bounded)) = lookup.area.as_deref() else { return None };
            let found = distance(scan.slot, &lookup.index, &key)?;
            let is_same = same(&found.center, &bounded.center) && found.tolerance == bounded.tolerance;
            is_same.then(|| {
                let (lower, upper) = (bounded.lower.clone(), bounded.upper.clone());
                sorted(&lookup.index, Distance { lower, upper, ..found })
            })
        }
        AccessPath::Inverted(_) => None,
        AccessPath::Full { .. } if scan.no_index => None,
        AccessPath::Full { .. } => {
            let is_named = |index: &Index| scan.hint.iter().any(|(names, _)| names.contains(&index.name));
            let indexes = scan.collection.indexes.iter();
            let mut indexes = indexes.filter(|index| scan.admits_any_index() || is_named(index));
            indexes.find_map(|index| Some(sorted(index, distance(scan.slot, index, &key)?)))
        }
    }
}
