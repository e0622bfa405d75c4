//! How a geo index with `geoJson: false` has an attribute read: as `[latitude, longitude]`, where functions alone read the
//! longitude first. As in ArangoDB it decides for the conditions and orders of the loop that it answers, and documents
//! without such a pair of numbers are left out.

use std::sync::Arc;

use super::expr::{Ex, Slot};
use super::geo_choice::read_through;
use super::{Node, Pipeline, ScanNode};
use crate::catalog::IndexKind;
use crate::functions::{self, Function};
use crate::lang::ast::BinaryOp;
use crate::value::{SmolStr, Value};

/// Rewrites what stands behind a loop as the indexes of its collection have it read; `false`: nothing.
pub(super) fn apply(pipeline: &mut Pipeline, at: usize, scan: &ScanNode) -> bool {
    let Some(reading) = Reading::of(scan) else { return false };
    let mut known: Vec<(Slot, &Ex)> = Vec::new();
    let mut rewritten: Vec<(usize, Node)> = Vec::new();
    let mut read: Vec<&[SmolStr]> = Vec::new();
    for (position, node) in pipeline.nodes.iter().enumerate().skip(at + 1) {
        match node {
            Node::Let(slot, ex) if matches!(&**ex, Ex::Call(..)) && ex.is_deterministic() => known.push((*slot, ex)),
            Node::Let(..) => {}
            Node::Filter(ex) if !node.writes() => {
                if let Some((ex, field)) = reading.condition(&read_through(ex, &known)) {
                    rewritten.push((position, Node::Filter(Arc::new(ex))));
                    read.push(field);
                }
            }
            Node::Sort(sort) => {
                let [(key, _)] = sort.keys.as_slice() else { break };
                if let Some((key, field)) = reading.distance(&read_through(key, &known)) {
                    let mut sort = Arc::clone(sort);
                    Arc::make_mut(&mut sort).keys[0].0 = key;
                    rewritten.push((position, Node::Sort(sort)));
                    read.push(field);
                }
                break;
            }
            _ => break,
        }
    }
    for (position, node) in rewritten {
        pipeline.nodes[position] = node;
    }
    read.sort_unstable();
    read.dedup();
    for field in &read {
        pipeline.nodes.insert(at + 1, Node::Filter(Arc::new(reading.has_pair(field))));
    }
    !read.is_empty()
}

/// The attributes that are read so.
struct Reading<'a> {
    slot: Slot,
    fields: Vec<&'a [SmolStr]>,
    is_number: &'static Function,
}

impl<'a> Reading<'a> {
    /// Of several indexes of an attribute the first decides.
    fn of(scan: &'a ScanNode) -> Option<Self> {
        let named = |name: &SmolStr| scan.hint.iter().any(|(names, _)| names.contains(name));
        let mut seen: Vec<&[SmolStr]> = Vec::new();
        let mut fields: Vec<&[SmolStr]> = Vec::new();
        for index in &scan.collection.indexes {
            let (IndexKind::Geo { geo_json, .. }, [field]) = (&index.kind, index.fields.as_slice()) else { continue };
            let names = field.names.as_slice();
            if seen.contains(&names) || !(scan.admits_any_index() || named(&index.name)) {
                continue;
            }
            seen.push(names);
            if !geo_json {
                fields.push(names);
            }
        }
        let is_number = functions::lookup("IS_NUMBER").filter(|_| !fields.is_empty())?;
        Some(Self { slot: scan.slot, fields, is_number })
    }

    /// A condition that the index answers, and the attribute it is about.
    fn condition(&self, ex: &Ex) -> Option<(Ex, &'a [SmolStr])> {
        match ex {
            Ex::Call(function, args) if matches!(function.name, "GEO_CONTAINS" | "GEO_INTERSECTS") => {
                let [shape, place] = args.as_slice() else { return None };
                let field = self.field(place).filter(|_| !shape.reads(self.slot))?;
                Some((Ex::Call(function, vec![shape.clone(), self.pair(field)]), field))
            }
            Ex::Binary(op @ (BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge), left, right) => {
                let (left, right, field) = match (&**left, &**right) {
                    (far, bound @ Ex::Const(_)) => {
                        self.distance(far).map(|(far, field)| (far, bound.clone(), field))?
                    }
                    (bound @ Ex::Const(_), far) => {
                        self.distance(far).map(|(far, field)| (bound.clone(), far, field))?
                    }
                    _ => return None,
                };
                Some((Ex::Binary(*op, Box::new(left), Box::new(right)), field))
            }
            _ => None,
        }
    }

    /// A distance from something else.
    fn distance(&self, ex: &Ex) -> Option<(Ex, &'a [SmolStr])> {
        let Ex::Call(function, args) = ex else { return None };
        let ("GEO_DISTANCE", [a, b]) = (function.name, args.as_slice()) else { return None };
        let (field, other) = match (self.field(a), self.field(b)) {
            (Some(field), None) => (field, b),
            (None, Some(field)) => (field, a),
            _ => return None,
        };
        (!other.reads(self.slot)).then(|| (Ex::Call(function, vec![self.pair(field), other.clone()]), field))
    }

    fn field(&self, ex: &Ex) -> Option<&'a [SmolStr]> {
        let (slot, path) = ex.as_path()?;
        self.fields.iter().copied().find(|field| slot == self.slot && *field == path)
    }

    fn item(&self, field: &[SmolStr], at: i64) -> Ex {
        Ex::Index(Box::new(Ex::Path(self.slot, field.into())), Box::new(Ex::Const(Value::Int(at))))
    }

    /// The attribute as functions read a place.
    fn pair(&self, field: &[SmolStr]) -> Ex {
        Ex::Array(vec![self.item(field, 1), self.item(field, 0)])
    }

    /// Does a document have two numbers there?
    fn has_pair(&self, field: &[SmolStr]) -> Ex {
        let is_number = |at| Box::new(Ex::Call(self.is_number, vec![self.item(field, at)]));
        Ex::And(is_number(0), is_number(1))
    }
}
