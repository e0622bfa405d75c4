//! `d.parts[? FILTER CURRENT.size > 3 AND CURRENT.color == "red"]`: conditions that one member of an array fulfils as a
//! whole.
//!
//! Postings know which documents have a member for each part of the condition. Whether one member fulfils all of it is
//! looked up in these documents.

use super::compile::{Compiler, Scope, kind, unsupported};
use super::tree::Tree;
use crate::Result;
use crate::lang::ast::BinaryOp;
use crate::plan::expr::{Ex, Quantity, Question};
use crate::value::Value;

impl Compiler<'_, '_, '_> {
    pub(super) fn question(&mut self, question: &Question, scope: &Scope) -> Result<Tree> {
        let path = self.path(&question.base);
        let link = path.as_ref().and_then(|path| self.source.definition.link.at(path));
        let Some(path) = path.filter(|_| link.is_some_and(|link| !link.nested.is_empty())) else {
            return Err(unsupported("[? …] of an attribute that is not indexed with nested ones"));
        };
        self.members.push((question.current, path));
        let candidates = self.candidates(question, scope);
        self.members.pop();
        let mut candidates = candidates?;
        if !self.members.is_empty() {
            // whoever asks for the member around it looks
            return Ok(candidates);
        }
        let mut ids = Vec::new();
        let mut target = 0;
        while let Some(id) = candidates.seek(self.source, target)? {
            target = id + 1;
            let Some(document) = self.source.document(id)? else { continue };
            self.ctx.stats.documents += 1;
            let before = std::mem::replace(&mut self.ctx.frame[self.slot], document);
            let holds = self.holds_question(question, scope);
            self.ctx.frame[self.slot] = before;
            if holds? {
                self.note(&mut ids, id)?;
            }
        }
        self.known(ids, scope.boost)
    }

    /// Documents among which are all that have enough such members.
    fn candidates(&mut self, question: &Question, scope: &Scope) -> Result<Tree> {
        let needed = match &question.quantity {
            Quantity::Any => 1,
            Quantity::All | Quantity::None => 0,
            Quantity::AtLeast(n) | Quantity::Exactly(n) | Quantity::Between(n, _) => self.ctx.eval(n)?.to_i64()?,
        };
        match &question.filter {
            Some(filter) if needed > 0 => self.tree(filter, scope),
            _ => Ok(Tree::all()),
        }
    }

    fn holds_question(&mut self, question: &Question, scope: &Scope) -> Result<bool> {
        let base = self.ctx.eval(&question.base)?;
        let Some(count) = base.array_len() else { return Ok(false) };
        let path = self.path(&question.base).unwrap_or_default();
        self.members.push((question.current, path));
        let before = std::mem::take(&mut self.ctx.frame[question.current]);
        let mut matching = 0;
        let mut failed = Ok(());
        for member in base.iter_array() {
            self.ctx.frame[question.current] = member;
            match question.filter.as_ref().map_or(Ok(true), |filter| self.holds(filter, scope)) {
                Ok(holds) => matching += usize::from(holds),
                Err(error) => {
                    failed = Err(error);
                    break;
                }
            }
        }
        self.ctx.frame[question.current] = before;
        self.members.pop();
        failed?;
        self.ctx.enough(&question.quantity, matching, count)
    }

    /// Does the member that stands in the frame fulfil a condition?
    fn holds(&mut self, ex: &Ex, scope: &Scope) -> Result<bool> {
        self.ctx.tick()?;
        if !self.reads(ex) {
            return Ok(self.ctx.eval(ex)?.truthy());
        }
        match ex {
            Ex::And(a, b) => Ok(self.holds(a, scope)? && self.holds(b, scope)?),
            Ex::Or(a, b) => Ok(self.holds(a, scope)? || self.holds(b, scope)?),
            Ex::Not(inner) => Ok(!self.holds(inner, scope)?),
            Ex::Question(question) => self.holds_question(question, scope),
            Ex::Binary(op, a, b) => {
                let (attribute, other, op) = if self.path(a).is_some() && !self.reads(b) {
                    (a, b, *op)
                } else {
                    let op = match op {
                        BinaryOp::In => BinaryOp::Eq,
                        BinaryOp::NotIn => BinaryOp::Ne,
                        op => op.mirrored().ok_or_else(|| unsupported("this operator"))?,
                    };
                    (b, a, op)
                };
                let path = self.path(attribute).filter(|_| !self.reads(other));
                let path = path.ok_or_else(|| unsupported("a comparison of two attributes"))?;
                let (value, other) = (self.ctx.eval(attribute)?, self.ctx.eval(other)?);
                self.fits(&path, &value, op, &other, scope)
            }
            Ex::Call(function, args) => match (function.name, args.as_slice()) {
                ("ANALYZER" | "BOOST", [inner, ..]) => {
                    let scope = match function.name {
                        "ANALYZER" => Scope { analyzer: Some(self.analyzer(&args[1])?), ..scope.clone() },
                        _ => scope.clone(),
                    };
                    self.holds(inner, &scope)
                }
                ("IN_RANGE", [attribute, low, high, with_low, with_high]) => {
                    let path = self.attribute(args)?;
                    let value = self.ctx.eval(attribute)?;
                    let (low, high) = (self.ctx.eval(low)?, self.ctx.eval(high)?);
                    let above = if self.ctx.eval(with_low)?.truthy() { BinaryOp::Ge } else { BinaryOp::Gt };
                    let below = if self.ctx.eval(with_high)?.truthy() { BinaryOp::Le } else { BinaryOp::Lt };
                    Ok(self.fits(&path, &value, above, &low, scope)?
                        && self.fits(&path, &value, below, &high, scope)?)
                }
                ("STARTS_WITH", [attribute, prefix]) => {
                    let path = self.attribute(args)?;
                    let (value, prefix) = (self.ctx.eval(attribute)?, self.ctx.eval(prefix)?);
                    let prefix = prefix.as_str().ok_or_else(|| unsupported("STARTS_WITH of several texts"))?;
                    Ok(self.tokens(&path, &value, scope).iter().any(|token| token.to_text().starts_with(prefix)))
                }
                (name, _) => Err(unsupported(&format!("{name} of nested attributes"))),
            },
            _ => Err(unsupported("an expression that no index answers")),
        }
    }

    /// The values under which a value is found: the tokens of texts, the members of arrays.
    pub(super) fn tokens(&self, path: &str, value: &Value, scope: &Scope) -> Vec<Value> {
        match value {
            Value::Str(text) => {
                let number = self.number_of(path, scope.analyzer.as_ref());
                let analyzer = number.map(|number| &self.source.definition.analyzers[number].1);
                let tokens = analyzer.map(|analyzer| analyzer.tokens(text)).unwrap_or_default();
                tokens.into_iter().map(|token| Value::Str(token.text)).collect()
            }
            value if value.is_array() => {
                value.iter_array().flat_map(|member| self.tokens(path, &member, scope)).collect()
            }
            value if value.is_object() => Vec::new(),
            value => vec![value.clone()],
        }
    }

    fn fits(&self, path: &str, value: &Value, op: BinaryOp, other: &Value, scope: &Scope) -> Result<bool> {
        let tokens = self.tokens(path, value, scope);
        let equal = |other: &Value| tokens.iter().any(|token| kind(token) == kind(other) && token == other);
        let ordered = |admits: fn(std::cmp::Ordering) -> bool| {
            tokens.iter().any(|token| {
                // texts in the order of their bytes, as postings have them
                let order = match (token.as_str(), other.as_str()) {
                    (Some(token), Some(other)) => token.cmp(other),
                    _ => token.compare(other),
                };
                kind(token) == kind(other) && admits(order)
            })
        };
        Ok(match op {
            BinaryOp::Eq => equal(other),
            BinaryOp::Ne => !equal(other),
            BinaryOp::In => other.iter_array().any(|other| equal(&other)),
            BinaryOp::NotIn => !other.iter_array().any(|other| equal(&other)),
            BinaryOp::Lt => ordered(std::cmp::Ordering::is_lt),
            BinaryOp::Le => ordered(std::cmp::Ordering::is_le),
            BinaryOp::Gt => ordered(std::cmp::Ordering::is_gt),
            BinaryOp::Ge => ordered(std::cmp::Ordering::is_ge),
            _ => return Err(unsupported("this operator")),
        })
    }

    /// The negation of what is found: of members nothing is known then.
    pub(super) fn negated(&self, found: Tree) -> Tree {
        if self.members.is_empty() { found.negated() } else { Tree::all() }
    }

    /// Is an expression about the documents, or about the members that are looked at?
    pub(super) fn reads(&self, ex: &Ex) -> bool {
        ex.reads(self.slot) || self.members.iter().any(|(current, _)| ex.reads(*current))
    }
}
