//! From the expression behind `SEARCH` to what is read of the postings.

use super::super::context::Ctx;
use super::postings::{Postings, Source};
use super::score::{Statistics, Weight};
use super::tree::{Kind, Tree};
use crate::Result;
use crate::error::{Error, code};
use crate::functions::Host;
use crate::lang::ast::BinaryOp;
use crate::plan::expr::{Ex, Quantity, Slot};
use crate::plan::inverted::distance;
use crate::search::{NESTED, keys};
use crate::txn::{DocId, RangeScan};
use crate::value::{SmolStr, Value, index_key};

/// What holds for a part of the expression.
#[derive(Clone)]
pub(super) struct Scope {
    /// The analyzer whose tokens strings are compared with; `None`: that of the attribute.
    pub analyzer: Option<SmolStr>,
    /// How much its scores count.
    pub boost: f64,
}

impl Scope {
    /// What holds where nothing is said.
    pub fn plain() -> Self {
        Self { analyzer: None, boost: 1.0 }
    }
}

/// A bound of a range, and whether it belongs to it.
pub(super) type Limit = Option<(Value, bool)>;

/// Translates one condition for one link.
pub(super) struct Compiler<'c, 't, 's> {
    pub ctx: &'c mut Ctx<'t>,
    pub source: &'s Source,
    pub slot: Slot,
    /// The members of arrays that are looked at, each with the path of its array; the innermost last.
    pub members: Vec<(Slot, String)>,
    /// Somebody asks for scores.
    scored: bool,
    statistics: Statistics,
    /// What was searched for, where somebody asks where it stands.
    searched: Option<Vec<Value>>,
}

pub(super) fn unsupported(what: &str) -> Error {
    Error::new(code::BAD_PARAMETER, format!("unsupported SEARCH condition: {what}"))
}

impl<'c, 't, 's> Compiler<'c, 't, 's> {
    pub fn new(ctx: &'c mut Ctx<'t>, source: &'s Source, slot: Slot, scored: bool) -> Self {
        Self { ctx, source, slot, members: Vec::new(), scored, statistics: Statistics::default(), searched: None }
    }

    /// The same, and what is searched for: terms of attributes whose analyzers let places be asked for.
    pub fn compile_noting(&mut self, condition: &Ex) -> Result<(Tree, Value)> {
        self.searched = Some(Vec::new());
        let tree = self.compile(condition)?;
        Ok((tree, Value::array(self.searched.take().unwrap_or_default())))
    }

    /// Notes what is searched for in an attribute.
    pub(super) fn note_search(&mut self, path: &str, scope: &Scope, what: &'static str, about: impl FnOnce() -> Value) {
        let Some(number) = self.number_of(path, scope.analyzer.as_ref()) else { return };
        let source = self.source;
        let definition = &source.definition;
        let (name, analyzer) = &definition.analyzers[number];
        let own = definition.link.at(path).and_then(|link| link.features);
        if let Some(searched) = &mut self.searched
            && own.unwrap_or(analyzer.features).offset
        {
            let (path, name) = (Value::from(path), Value::Str(name.clone()));
            searched.push(Value::from_pairs([("path", path), ("analyzer", name), (what, about())]));
        }
    }

    /// The condition as documents come through it.
    pub fn compile(&mut self, condition: &Ex) -> Result<Tree> {
        self.tree(condition, &Scope::plain())
    }

    pub(super) fn tree(&mut self, ex: &Ex, scope: &Scope) -> Result<Tree> {
        if !self.reads(ex) {
            return Ok(if self.ctx.eval(ex)?.truthy() { Tree::all() } else { Tree::nothing() });
        }
        match ex {
            Ex::And(a, b) => Ok(Kind::And(vec![self.tree(a, scope)?, self.tree(b, scope)?]).into()),
            Ex::Or(a, b) => Ok(Kind::Or(vec![self.tree(a, scope)?, self.tree(b, scope)?]).into()),
            Ex::Not(inner) => {
                let found = self.tree(inner, scope)?;
                Ok(self.negated(found))
            }
            Ex::Question(question) => self.question(question, scope),
            Ex::Binary(op, a, b) => self.binary(*op, a, b, scope),
            Ex::ArrayCompare(quantity, op, left, right) => self.array(quantity, *op, left, right, scope),
            Ex::Call(function, args) => self.call(function.name, args, scope),
            _ => Err(unsupported("an expression that no index answers")),
        }
    }

    /// The attribute an expression names.
    pub(super) fn path(&self, ex: &Ex) -> Option<String> {
        match ex {
            Ex::Path(slot, names) if *slot == self.slot => Some(names.join(".")),
            Ex::Path(slot, names) => {
                let (_, array) = self.members.iter().find(|(current, _)| current == slot)?;
                Some(format!("{array}{NESTED}.{}", names.join(".")))
            }
            Ex::Attribute(base, name) => Some(format!("{}.{name}", self.path(base)?)),
            Ex::Index(base, at) => match &**at {
                Ex::Const(at) => Some(format!("{}[{}]", self.path(base)?, at.as_i64()?)),
                _ => None,
            },
            // the members of an array that is expanded lie where it does
            Ex::Expansion(x) if x.filter.is_none() && x.limit.is_none() && x.flatten == 0 => {
                let base = self.path(&x.base)?;
                match &x.projection {
                    None => Some(base),
                    Some(Ex::Slot(current)) if *current == x.current => Some(base),
                    Some(Ex::Path(current, names)) if *current == x.current => {
                        Some(format!("{base}.{}", names.join(".")))
                    }
                    Some(_) => None,
                }
            }
            _ => None,
        }
    }

    /// The attribute a function is asked about.
    pub(super) fn attribute(&self, args: &[Ex]) -> Result<String> {
        args.first()
            .and_then(|ex| self.path(ex))
            .ok_or_else(|| unsupported("a function of something else than an attribute"))
    }

    fn binary(&mut self, op: BinaryOp, a: &Ex, b: &Ex, scope: &Scope) -> Result<Tree> {
        if let Some((args, op, bound)) = distance(op, a, b).filter(|(_, _, bound)| !self.reads(bound)) {
            let bound = self.ctx.eval(bound)?;
            return self.geo_distance(args, op, bound, scope);
        }
        if let Some(path) = self.path(a)
            && !self.reads(b)
        {
            // the members of a range need not be there to be compared
            if let (BinaryOp::In | BinaryOp::NotIn, Ex::Range(from, to)) = (op, b) {
                let bounds = (self.ctx.eval(from)?, self.ctx.eval(to)?);
                let found = self.range(&path, Some((bounds.0, true)), Some((bounds.1, true)), scope)?;
                return Ok(if op == BinaryOp::In { found } else { self.negated(found) });
            }
            let value = self.ctx.eval(b)?;
            return self.compare(&path, op, &value, scope);
        }
        let Some(path) = self.path(b).filter(|_| !self.reads(a)) else {
            return Err(unsupported("a comparison of something else than an attribute with a value"));
        };
        let value = self.ctx.eval(a)?;
        let op = match op {
            BinaryOp::In => BinaryOp::Eq,
            BinaryOp::NotIn => BinaryOp::Ne,
            op => op.mirrored().ok_or_else(|| unsupported("this operator"))?,
        };
        self.compare(&path, op, &value, scope)
    }

    fn compare(&mut self, path: &str, op: BinaryOp, value: &Value, scope: &Scope) -> Result<Tree> {
        let bound = |inclusive| Some((value.clone(), inclusive));
        match op {
            BinaryOp::Eq => self.equal(path, value, scope),
            BinaryOp::Ne => {
                let found = self.equal(path, value, scope)?;
                Ok(self.negated(found))
            }
            BinaryOp::Lt => self.range(path, None, bound(false), scope),
            BinaryOp::Le => self.range(path, None, bound(true), scope),
            BinaryOp::Gt => self.range(path, bound(false), None, scope),
            BinaryOp::Ge => self.range(path, bound(true), None, scope),
            BinaryOp::In | BinaryOp::NotIn => {
                let members = value.iter_array().map(|member| self.equal(path, &member, scope));
                let found: Tree = Kind::Or(members.collect::<Result<_>>()?).into();
                Ok(if op == BinaryOp::In { found } else { self.negated(found) })
            }
            _ => Err(unsupported("this operator")),
        }
    }

    /// `[1, 2] ALL == d.numbers`: each member is compared with the attribute.
    fn array(&mut self, quantity: &Quantity, op: BinaryOp, left: &Ex, right: &Ex, scope: &Scope) -> Result<Tree> {
        let Some(path) = self.path(right).filter(|_| !self.reads(left)) else {
            return Err(unsupported("an array comparison that has no attribute on its right side"));
        };
        let op = match op {
            BinaryOp::In => BinaryOp::Eq,
            BinaryOp::NotIn => BinaryOp::Ne,
            op => op.mirrored().ok_or_else(|| unsupported("this operator"))?,
        };
        // none of them is so where all are otherwise: what has no value to compare is neither
        let op = match quantity {
            Quantity::None => op.negated().ok_or_else(|| unsupported("this operator"))?,
            _ => op,
        };
        let members = self.ctx.eval(left)?;
        let parts = members.iter_array().map(|member| self.compare(&path, op, &member, scope));
        let parts: Vec<Tree> = parts.collect::<Result<_>>()?;
        match quantity {
            Quantity::Any => Ok(Kind::Or(parts).into()),
            Quantity::All | Quantity::None if parts.is_empty() => Ok(Tree::all()),
            Quantity::All | Quantity::None => Ok(Kind::And(parts).into()),
            Quantity::AtLeast(n) => {
                let needed = self.ctx.eval(n)?.to_i64()?;
                Ok(at_least(needed, parts))
            }
            Quantity::Exactly(_) | Quantity::Between(..) => Err(unsupported("this quantifier")),
        }
    }

    /// The beginning of the keys of the tokens of an attribute under the analyzer of the scope; `None`: the link has none.
    pub(super) fn tokens_of(&self, path: &str, analyzer: Option<&SmolStr>) -> Option<Vec<u8>> {
        let number = self.number_of(path, analyzer)?;
        Some(keys::field(path, keys::TOKENS + number as u8))
    }

    /// The place of an analyzer, or of that of an attribute, among those of the link.
    pub(super) fn number_of(&self, path: &str, analyzer: Option<&SmolStr>) -> Option<usize> {
        let definition = &self.source.definition;
        definition.analyzer(analyzer.map_or_else(|| definition.analyzer_of(path), SmolStr::as_str))
    }

    pub(super) fn equal(&mut self, path: &str, value: &Value, scope: &Scope) -> Result<Tree> {
        let (field, term) = match value {
            Value::Null => (keys::field(path, keys::NULL), Vec::new()),
            Value::Bool(flag) => (keys::field(path, keys::BOOL), vec![u8::from(*flag)]),
            Value::Int(_) | Value::Float(_) => (keys::field(path, keys::NUMBER), keys::number(value)),
            Value::Str(text) => match self.tokens_of(path, scope.analyzer.as_ref()) {
                Some(field) => {
                    self.note_search(path, scope, "terms", || Value::array(vec![value.clone()]));
                    (field, keys::token(text))
                }
                None => return Ok(Tree::nothing()),
            },
            _ => return Ok(Tree::nothing()),
        };
        let (postings, weight) = self.term(&field, &term, scope.boost)?;
        Ok(Kind::Term(postings, weight).into())
    }

    /// The postings of a term, with its weight where scores are asked for.
    pub(super) fn term(&mut self, field: &[u8], term: &[u8], boost: f64) -> Result<(Postings, Weight)> {
        let postings = Postings::new([field, term].concat());
        let weight = if self.scored {
            self.statistics.weight(self.ctx, self.source, field, postings.key(), boost)?
        } else {
            Weight::default()
        };
        Ok((postings, weight))
    }

    /// Documents whose attribute lies between two values of one type.
    pub(super) fn range(&mut self, path: &str, lower: Limit, upper: Limit, scope: &Scope) -> Result<Tree> {
        let Some((example, _)) = lower.as_ref().or(upper.as_ref()) else { return Ok(Tree::nothing()) };
        let field = match example {
            Value::Null => keys::field(path, keys::NULL),
            Value::Bool(_) => keys::field(path, keys::BOOL),
            Value::Int(_) | Value::Float(_) => keys::field(path, keys::NUMBER),
            Value::Str(_) => match self.tokens_of(path, scope.analyzer.as_ref()) {
                Some(field) => field,
                None => return Ok(Tree::nothing()),
            },
            _ => return Ok(Tree::nothing()),
        };
        if [&lower, &upper].into_iter().flatten().any(|(value, _)| kind(value) != kind(example)) {
            return Ok(Tree::nothing());
        }
        let mut end = field.clone();
        index_key::increment(&mut end);
        let lower = lower.map_or_else(|| field.clone(), |(value, inclusive)| place(&field, &value, !inclusive));
        let upper = upper.map_or(end, |(value, inclusive)| place(&field, &value, inclusive));
        if lower >= upper {
            return Ok(Tree::nothing());
        }
        let scan = self.source.range(&lower, &upper)?;
        self.list(scan, scope.boost)
    }

    /// The documents of a run of postings.
    pub(super) fn list(&mut self, mut scan: RangeScan, boost: f64) -> Result<Tree> {
        let mut ids = Vec::new();
        while let Some(id) = scan.next()? {
            self.note(&mut ids, id)?;
        }
        self.known(ids, boost)
    }

    pub(super) fn note(&mut self, ids: &mut Vec<DocId>, id: DocId) -> Result<()> {
        self.ctx.tick()?;
        if ids.len() == ids.capacity() {
            // a list that grows takes up to twice its size
            self.ctx.room(2 * size_of::<DocId>() * ids.len())?;
        }
        ids.push(id);
        Ok(())
    }

    /// Documents that are known, in any order.
    pub(super) fn known(&mut self, mut ids: Vec<DocId>, boost: f64) -> Result<Tree> {
        ids.sort_unstable();
        ids.dedup();
        let weight = if self.scored {
            Weight::plain(self.statistics.documents(self.source)?, ids.len(), boost)
        } else {
            Weight::default()
        };
        Ok(Kind::List { ids, at: 0, weight }.into())
    }
}

/// Documents that fulfil so many conditions.
pub(super) fn at_least(needed: i64, parts: Vec<Tree>) -> Tree {
    match usize::try_from(needed) {
        Err(_) => Tree::nothing(),
        Ok(0) => Tree::all(),
        Ok(needed) if needed > parts.len() => Tree::nothing(),
        Ok(needed) => Kind::AtLeast(needed, parts).into(),
    }
}

pub(super) fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Float(_) => 2,
        Value::Str(_) => 3,
        _ => 4,
    }
}

/// Where the postings of a value begin, or those behind it.
fn place(field: &[u8], value: &Value, behind: bool) -> Vec<u8> {
    let term = match value {
        Value::Str(text) => {
            let term = if behind { keys::behind(text) } else { keys::token(text) };
            return [field, &term].concat();
        }
        Value::Bool(flag) => vec![u8::from(*flag)],
        Value::Null => Vec::new(),
        number => keys::number(number),
    };
    let mut place = [field, &term].concat();
    if behind {
        index_key::increment(&mut place);
    }
    place
}
