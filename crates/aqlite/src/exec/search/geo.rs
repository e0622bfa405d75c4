//! Places in a `SEARCH`: cells find what may be there, the documents say whether it is.

use super::super::eval::compare;
use super::compile::{Compiler, Scope, unsupported};
use super::functions::invalid;
use super::tree::Tree;
use crate::Result;
use crate::functions;
use crate::geo::places::{Run, at_distance, touching};
use crate::geo::shape::Shape;
use crate::lang::ast::BinaryOp;
use crate::plan::expr::Ex;
use crate::search::keys;
use crate::value::Value;

/// How much distances on an ellipsoid may differ from those on the sphere.
const TOLERANCE: f64 = 0.01;

/// What is asked of a place: the arguments of a function, of which one is the place, and how the answer has to be.
struct Question<'a> {
    function: &'static str,
    args: Vec<Value>,
    /// The argument that is the place.
    at: usize,
    attribute: &'a Ex,
    /// The answer is compared with this, or has to be true.
    compared: Option<(BinaryOp, Value)>,
}

impl Compiler<'_, '_, '_> {
    /// `GEO_CONTAINS`, `GEO_INTERSECTS` and `GEO_IN_RANGE`.
    pub(super) fn geo(&mut self, function: &'static str, args: &[Ex], scope: &Scope) -> Result<Tree> {
        let (question, other) = self.geo_question(function, args, None)?;
        let runs = if function == "GEO_IN_RANGE" {
            let bound = |at: usize| question.args[at].as_f64().ok_or_else(|| invalid(function));
            at_distance(other.centroid(), bound(2)?, bound(3)?, TOLERANCE)
        } else {
            touching(other)
        };
        self.placed(&question, runs, scope)
    }

    /// `GEO_DISTANCE(…) < 100`
    pub(super) fn geo_distance(&mut self, args: &[Ex], op: BinaryOp, bound: Value, scope: &Scope) -> Result<Tree> {
        let metres = bound.as_f64().ok_or_else(|| invalid("GEO_DISTANCE"))?;
        let (least, most) = match op {
            BinaryOp::Lt | BinaryOp::Le => (0.0, metres),
            BinaryOp::Gt | BinaryOp::Ge => (metres, f64::INFINITY),
            BinaryOp::Eq => (metres, metres),
            _ => return Err(unsupported("this comparison of a distance")),
        };
        let (question, other) = self.geo_question("GEO_DISTANCE", args, Some((op, bound)))?;
        self.placed(&question, at_distance(other.centroid(), least, most, TOLERANCE), scope)
    }

    fn geo_question<'a>(
        &mut self,
        function: &'static str,
        args: &'a [Ex],
        compared: Option<(BinaryOp, Value)>,
    ) -> Result<(Question<'a>, Shape)> {
        let at = usize::from(self.path(&args[0]).is_none());
        let attribute = args.get(at).filter(|attribute| self.path(attribute).is_some());
        let attribute = attribute.ok_or_else(|| unsupported("a place that is no attribute"))?;
        let mut values = Vec::with_capacity(args.len());
        for (position, arg) in args.iter().enumerate() {
            if position != at && self.reads(arg) {
                return Err(unsupported("a function of two attributes"));
            }
            values.push(if position == at { Value::Null } else { self.ctx.eval(arg)? });
        }
        let other = Shape::parse(&values[1 - at]).map_err(|_| invalid(function))?;
        Ok((Question { function, args: values, at, attribute, compared }, other))
    }

    /// Documents that runs of cells find and of which the answer is right.
    fn placed(&mut self, question: &Question<'_>, runs: Vec<Run>, scope: &Scope) -> Result<Tree> {
        let path = self.path(question.attribute).unwrap_or_default();
        let source = self.source;
        let Some(number) = self.number_of(&path, scope.analyzer.as_ref()) else { return Ok(Tree::nothing()) };
        let Some(form) = source.definition.analyzers[number].1.geo() else { return Ok(Tree::nothing()) };
        let field = keys::field(&path, keys::TOKENS + number as u8);
        let mut candidates = Vec::new();
        for (lower, upper) in runs {
            let mut scan = source.range(&[field.as_slice(), &lower].concat(), &[field.as_slice(), &upper].concat())?;
            while let Some(id) = scan.next()? {
                self.note(&mut candidates, id)?;
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        let mut ids = Vec::new();
        for id in candidates {
            let Some(document) = source.document(id)? else { continue };
            self.ctx.stats.documents += 1;
            let before = std::mem::replace(&mut self.ctx.frame[self.slot], document);
            let value = self.ctx.eval(question.attribute);
            self.ctx.frame[self.slot] = before;
            let value = value?;
            // the members of an array may be places, too
            let places: Vec<Value> = match form.place(&value) {
                Some(place) => vec![place],
                None => value.iter_array().filter_map(|member| form.place(&member)).collect(),
            };
            for place in places {
                if self.answers(question, place)? {
                    self.note(&mut ids, id)?;
                    break;
                }
            }
        }
        self.known(ids, scope.boost)
    }

    fn answers(&mut self, question: &Question<'_>, place: Value) -> Result<bool> {
        let Some(function) = functions::lookup(question.function) else { return Ok(false) };
        let mut args = question.args.clone();
        args[question.at] = place;
        let answer = (function.body)(&mut *self.ctx, &args)?;
        Ok(match &question.compared {
            None => answer.truthy(),
            Some((op, bound)) => answer.is_number() && compare(*op, &answer, bound),
        })
    }
}
