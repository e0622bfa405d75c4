//! Binding of expressions.

use std::sync::Arc;

use super::bind::Binder;
use super::bind_names::unknown_collection;
use super::expr::{Ex, Expansion, ObjectEntry, Quantity, Question};
use crate::Result;
use crate::error::{Error, code};
use crate::exec;
use crate::functions;
use crate::lang::ast::{self, BinaryOp, Expr, ExprKind, ObjectItem, UnaryOp};
use crate::value::{SmolStr, Value};

/// Error 1541, for a function or an aggregate that is given too few or too many arguments.
pub(super) fn arity_error(name: &str, min: usize, max: usize) -> Error {
    let error = functions::wrong_arity(name, min, max);
    Error::new(error.num, format!("AQL: {} (while parsing)", error.message))
}

/// The functions that read documents or collections of their own.
const READS_COLLECTIONS: &[&str] =
    &["COLLECTIONS", "COLLECTION_COUNT", "DOCUMENT", "FULLTEXT", "NEAR", "SCHEMA_GET", "WITHIN", "WITHIN_RECTANGLE"];

/// The functions to which a collection can be given by its bare name.
const TAKES_COLLECTIONS: &[&str] = &[
    "COLLECTION_COUNT",
    "COUNT",
    "DOCUMENT",
    "FULLTEXT",
    "IS_SAME_COLLECTION",
    "LENGTH",
    "NEAR",
    "SCHEMA_GET",
    "WITHIN",
    "WITHIN_RECTANGLE",
];

impl Binder<'_> {
    /// Binds an expression and computes what is constant in it.
    pub(super) fn expr(&mut self, e: &Expr) -> Result<Ex> {
        let ex = match &e.kind {
            ExprKind::Null => Ex::Const(Value::Null),
            ExprKind::Bool(b) => Ex::Const(Value::Bool(*b)),
            ExprKind::Int(i) => Ex::Const(Value::Int(*i)),
            ExprKind::Float(f) => Ex::Const(Value::float(*f)),
            ExprKind::Str(s) => Ex::Const(Value::Str(s.clone())),
            ExprKind::Variable(name) => self.variable(name)?,
            ExprKind::Bind(name) => self.parameter(name)?,
            ExprKind::CollectionBind(name) => {
                let name = self.bound_name(name)?;
                return Err(self.collection_as_value(&name));
            }
            ExprKind::Array(items) => Ex::Array(self.exprs(items)?),
            ExprKind::Object(items) => self.object(items)?,
            ExprKind::Range(a, b) => Ex::Range(Box::new(self.expr(a)?), Box::new(self.expr(b)?)),
            ExprKind::Attribute(base, name) => attribute(self.expr(base)?, name.clone()),
            ExprKind::BoundAttribute(base, bind) => {
                let base = self.expr(base)?;
                match self.bind_var(bind)? {
                    Value::Str(name) if !name.is_empty() => attribute(base, name),
                    path if path.array_len().is_some_and(|n| n > 0)
                        && path.iter_array().all(|name| name.as_str().is_some_and(|name| !name.is_empty())) =>
                    {
                        path.iter_array().fold(base, |base, name| attribute(base, name.to_text()))
                    }
                    _ => {
                        return Err(Error::new(
                            code::QUERY_BIND_PARAMETER_TYPE,
                            format!("AQL: bind parameter '{bind}' has an invalid value or type (while parsing)"),
                        ));
                    }
                }
            }
            ExprKind::Index(base, index) => {
                let base = self.expr(base)?;
                match self.expr(index)?.settled() {
                    Ex::Const(Value::Str(name)) if !looks_like_position(&name) => attribute(base, name),
                    index => Ex::Index(Box::new(base), Box::new(index)),
                }
            }
            ExprKind::Expansion(x) => self.expansion(x)?,
            ExprKind::ArrayQuestion(q) => self.question(q)?,
            ExprKind::Call(name, args) => self.call(name, args)?,
            ExprKind::Unary(op, e) => {
                let e = Box::new(self.expr(e)?);
                match op {
                    UnaryOp::Minus => Ex::Minus(e),
                    UnaryOp::Plus => Ex::Plus(e),
                    UnaryOp::Not => Ex::Not(e),
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b)?,
            ExprKind::ArrayCompare { quantifier, op, left, right } => {
                let quantity = self.quantity(quantifier)?;
                Ex::ArrayCompare(quantity, *op, Box::new(self.expr(left)?), Box::new(self.expr(right)?))
            }
            ExprKind::Ternary(c, a, b) => {
                let condition = self.expr(c)?;
                let yes = a.as_ref().map(|a| self.expr(a)).transpose()?;
                ternary(condition, yes, self.expr(b)?)
            }
            ExprKind::Subquery(body) => Ex::Subquery(Arc::new(self.subquery(body)?)),
        };
        exec::fold_constant(ex, &mut self.warnings, &mut self.computed)
    }

    fn exprs(&mut self, items: &[Expr]) -> Result<Vec<Ex>> {
        items.iter().map(|e| self.expr(e)).collect()
    }

    fn variable(&mut self, name: &SmolStr) -> Result<Ex> {
        let current = self.current.last().copied().filter(|_| name == "CURRENT");
        // a variable of the query that is called so comes first
        match self.lookup(name).or(current) {
            Some(slot) => Ok(self.read(slot)),
            None => Err(self.collection_as_value(name)),
        }
    }

    /// A name that is no variable: an error either way, but not the same one.
    fn collection_as_value(&mut self, name: &str) -> Error {
        match self.collection_to_read(name) {
            Ok(_) => Error::new(
                code::QUERY_COLLECTION_USED_IN_EXPRESSION,
                format!("AQL: collection '{name}' used as expression operand (while parsing)"),
            ),
            Err(e) if matches!(e.num, code::ILLEGAL_NAME | code::QUERY_ACCESS_AFTER_MODIFICATION) => e,
            Err(_) => unknown_collection(name),
        }
    }

    fn object(&mut self, items: &[ObjectItem]) -> Result<Ex> {
        let mut entries = Vec::with_capacity(items.len());
        for item in items {
            entries.push(match item {
                ObjectItem::Named(name, e) => ObjectEntry::Named(name.clone(), self.expr(e)?),
                ObjectItem::Computed(name, e) => match self.expr(name)?.settled() {
                    Ex::Const(name) => ObjectEntry::Named(name.to_text(), self.expr(e)?),
                    name => ObjectEntry::Computed(name, self.expr(e)?),
                },
                ObjectItem::BoundName(bind, e) => match self.bind_var(bind)? {
                    Value::Str(name) => ObjectEntry::Named(name, self.expr(e)?),
                    _ => {
                        return Err(Error::new(
                            code::QUERY_BIND_PARAMETER_TYPE,
                            format!("AQL: bind parameter '{bind}' has an invalid value or type (while parsing)"),
                        ));
                    }
                },
                ObjectItem::Shorthand(name, pos) => match self.lookup(name) {
                    Some(slot) => ObjectEntry::Named(name.clone(), self.read(slot)),
                    None => {
                        return Err(Error::new(
                            code::QUERY_VARIABLE_NAME_UNKNOWN,
                            format!(
                                "AQL: use of unknown variable '{name}' in object literal at position {}:{} (while parsing)",
                                pos.line, pos.column
                            ),
                        ));
                    }
                },
                ObjectItem::Spread(e) => ObjectEntry::Spread(self.expr(e)?),
            });
        }
        Ok(Ex::Object(entries))
    }

    fn expansion(&mut self, x: &ast::Expansion) -> Result<Ex> {
        let base = self.expr(&x.base)?;
        let limit = match &x.limit {
            None => None,
            Some((offset, count)) => Some((offset.as_ref().map(|e| self.expr(e)).transpose()?, self.expr(count)?)),
        };
        let current = self.hidden_slot("CURRENT");
        self.current.push(current);
        let inner = (|| {
            let filter = x.filter.as_ref().map(|e| self.expr(e)).transpose()?;
            let projection = x.projection.as_ref().map(|e| self.expr(e)).transpose()?;
            Ok((filter, projection))
        })();
        self.current.pop();
        let (filter, projection) = inner?;
        Ok(Ex::Expansion(Box::new(Expansion {
            base,
            flatten: x.levels.saturating_sub(1),
            current,
            filter,
            limit,
            projection,
        })))
    }

    fn question(&mut self, q: &ast::ArrayQuestion) -> Result<Ex> {
        let base = self.expr(&q.base)?;
        let quantity = q.quantifier.as_ref().map_or(Ok(Quantity::Any), |q| self.quantity(q))?;
        let current = self.hidden_slot("CURRENT");
        self.current.push(current);
        let filter = q.filter.as_ref().map(|e| self.expr(e)).transpose();
        self.current.pop();
        Ok(Ex::Question(Box::new(Question { base, quantity, current, filter: filter? })))
    }

    fn quantity(&mut self, q: &ast::Quantifier) -> Result<Quantity> {
        Ok(match q {
            ast::Quantifier::Any => Quantity::Any,
            ast::Quantifier::All => Quantity::All,
            ast::Quantifier::None => Quantity::None,
            ast::Quantifier::AtLeast(e) => Quantity::AtLeast(Box::new(self.expr(e)?)),
            ast::Quantifier::Exactly(e) => Quantity::Exactly(Box::new(self.expr(e)?)),
            ast::Quantifier::Between(a, b) => Quantity::Between(Box::new(self.expr(a)?), Box::new(self.expr(b)?)),
        })
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Result<Ex> {
        let (a, b) = (Box::new(self.expr(a)?), Box::new(self.expr(b)?));
        let call = |name: &str| functions::lookup(name).map(|f| Ex::Call(f, vec![(*a).clone(), (*b).clone()]));
        Ok(match op {
            // a side that is known decides, so that `@x == null OR doc.x == @x` leaves a condition an index can answer
            BinaryOp::And => match a.truth() {
                Some(true) => *b,
                Some(false) if !must_run(&b) => *a,
                _ => Ex::And(a, b),
            },
            BinaryOp::Or => match a.truth() {
                Some(false) => *b,
                Some(true) if !must_run(&b) => *a,
                _ => Ex::Or(a, b),
            },
            BinaryOp::Like | BinaryOp::NotLike | BinaryOp::RegexMatch | BinaryOp::RegexNotMatch => {
                let name = if matches!(op, BinaryOp::Like | BinaryOp::NotLike) { "LIKE" } else { "REGEX_TEST" };
                let Some(call) = call(name) else { return Err(unknown_function(name)) };
                match op {
                    BinaryOp::Like | BinaryOp::RegexMatch => call,
                    _ => Ex::Not(Box::new(call)),
                }
            }
            _ => Ex::Binary(op, a, b),
        })
    }

    fn call(&mut self, name: &SmolStr, args: &[Expr]) -> Result<Ex> {
        if name.contains("::") {
            return Err(Error::new(code::QUERY_FUNCTION_NOT_FOUND, format!("AQL: user function '{name}()' not found")));
        }
        let Some(function) = functions::lookup(name) else { return Err(unknown_function(name)) };
        if (function.min..=function.max).contains(&args.len())
            && let Some(score) = self.scorer(function.name, args)?
        {
            return Ok(score);
        }
        if (function.min..=function.max).contains(&args.len())
            && let Some(offsets) = self.offset_info(function, args)?
        {
            return Ok(offsets);
        }
        if READS_COLLECTIONS.contains(&function.name) {
            self.before_modification(&format!("function {}", function.name))?;
        }
        let mut bound = Vec::with_capacity(args.len());
        for arg in args {
            let collection =
                if TAKES_COLLECTIONS.contains(&function.name) { self.collection_argument(arg)? } else { None };
            bound.push(match collection {
                Some(collection) => Ex::Const(Value::Str(collection)),
                None => self.expr(arg)?,
            });
        }
        if bound.len() < function.min || bound.len() > function.max {
            return Err(arity_error(name, function.min, function.max));
        }
        if matches!(function.name, "LENGTH" | "COUNT") {
            if self.collection_argument(&args[0])?.is_some()
                && let Some(count) = functions::lookup("COLLECTION_COUNT")
            {
                return Ok(Ex::Call(count, bound));
            }
            match bound.as_slice() {
                [Ex::Subquery(pipeline)] => return Ok(Ex::SubqueryCount(Arc::clone(pipeline))),
                // the members of a range need not be there to be counted
                [Ex::Range(a, b)] => {
                    if let (Some(from), Some(to)) = (a.known(), b.known()) {
                        let length = from.to_i64()?.abs_diff(to.to_i64()?).saturating_add(1);
                        return Ok(Ex::Const(Value::Int(i64::try_from(length).unwrap_or(i64::MAX))));
                    }
                }
                _ => {}
            }
        }
        // without a step it is the operator, whose members need not all be there at once
        if function.name == "RANGE" && bound.get(2).is_none_or(Ex::is_null) {
            let mut ends = bound.into_iter().map(Box::new);
            if let (Some(from), Some(to)) = (ends.next(), ends.next()) {
                return Ok(Ex::Range(from, to));
            }
            return Err(arity_error(name, function.min, function.max));
        }
        // a dynamic call of a constant name is the call itself
        if function.name == "CALL"
            && let [target, rest @ ..] = bound.as_slice()
            && let Some(Value::Str(target)) = target.known()
            && let Some(target) = functions::lookup(&target.to_uppercase())
            && (target.min..=target.max).contains(&rest.len())
            && !matches!(target.name, "CALL" | "APPLY")
        {
            return Ok(Ex::Call(target, rest.to_vec()));
        }
        Ok(Ex::Call(function, bound))
    }

    /// The name, if an argument is a collection.
    fn collection_argument(&mut self, arg: &Expr) -> Result<Option<SmolStr>> {
        let name = match &arg.kind {
            ExprKind::Variable(name)
                if self.lookup(name).is_none() && (name != "CURRENT" || self.current.is_empty()) =>
            {
                name.clone()
            }
            ExprKind::CollectionBind(bind) => self.bound_name(bind)?,
            _ => return Ok(None),
        };
        let collection = self.collection_to_read(&name)?;
        Ok(Some(collection.name.clone()))
    }
}

/// A condition that is known decides, so that `SORT @by_name ? doc.name : doc.code` leaves an order an index can give.
fn ternary(condition: Ex, yes: Option<Ex>, no: Ex) -> Ex {
    match (condition.truth(), yes) {
        (Some(true), Some(yes)) if !must_run(&no) => yes,
        (Some(true), None) if !must_run(&no) => condition,
        (Some(false), yes) if !yes.as_ref().is_some_and(must_run) => no,
        (_, yes) => Ex::Ternary(Box::new(condition), yes.map(Box::new), Box::new(no)),
    }
}

fn unknown_function(name: &str) -> Error {
    Error::new(code::QUERY_FUNCTION_NAME_UNKNOWN, format!("AQL: usage of unknown function '{name}()' (while parsing)"))
}

/// A subquery that writes, or that may give something else the next time, runs even where nobody needs its value.
fn must_run(ex: &Ex) -> bool {
    match ex {
        Ex::Subquery(pipeline) | Ex::SubqueryCount(pipeline) => !pipeline.is_deterministic(),
        _ => {
            let mut found = false;
            ex.for_each_child(&mut |child| found |= must_run(child));
            found
        }
    }
}

/// `a["3"]` may mean a position of an array, so it stays an index access; `a["-3"]` is an attribute, as in ArangoDB.
fn looks_like_position(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit())
}

/// Attribute access in its cheapest form.
pub(super) fn attribute(base: Ex, name: SmolStr) -> Ex {
    match base {
        Ex::Slot(slot) => Ex::Path(slot, [name].into()),
        Ex::Path(slot, names) => Ex::Path(slot, names.iter().cloned().chain([name]).collect()),
        base => Ex::Attribute(Box::new(base), name),
    }
}
