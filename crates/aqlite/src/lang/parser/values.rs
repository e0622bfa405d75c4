//! What expressions are made of: literals, names, calls, arrays, objects, parentheses.

use smol_str::{SmolStr, StrExt};

use super::{Deep, Parser, above};
use crate::error::{Error, Result, code};
use crate::functions::{self, aggregate};
use crate::lang::ast::{Expr, ExprKind, ObjectItem};
use crate::lang::token::{Kind, Payload};

impl Parser<'_> {
    /// A literal, or a value with the accesses that follow it. A literal has none.
    pub(super) fn reference(&mut self) -> Result<Deep> {
        match self.kind() {
            Kind::Str | Kind::Int | Kind::Double | Kind::Null | Kind::True | Kind::False => Ok(leaf(self.literal()?)),
            _ => {
                let value = self.value()?;
                self.accesses(value)
            }
        }
    }

    fn value(&mut self) -> Result<Deep> {
        match self.kind() {
            Kind::Ident if matches!(self.peek(1), Kind::Open | Kind::Scope) => self.call(),
            Kind::Ident => Ok(leaf(self.variable())),
            Kind::Bind | Kind::CollectionBind => Ok(leaf(self.bind_parameter())),
            Kind::Open => self.parenthesis(),
            Kind::ArrayOpen => self.array(),
            Kind::ObjectOpen => self.object(),
            Kind::Like => self.like_call(),
            _ => Err(self.unexpected(&[])),
        }
    }

    /// A string, a number, `null`, `true` or `false`.
    pub(super) fn literal(&mut self) -> Result<Expr> {
        let pos = self.pos();
        let kind = match self.kind() {
            Kind::Null => ExprKind::Null,
            Kind::True => ExprKind::Bool(true),
            Kind::False => ExprKind::Bool(false),
            _ => return self.carried_literal(),
        };
        self.skip(1);
        Ok(Expr { kind, pos })
    }

    fn carried_literal(&mut self) -> Result<Expr> {
        let pos = self.pos();
        let kind = match self.take_payload() {
            Payload::Text(text) => ExprKind::Str(text),
            Payload::Int(value) => ExprKind::Int(value),
            Payload::Float(value) => ExprKind::Float(value),
            Payload::OutOfRange => {
                self.warnings.push(Error::plain(code::QUERY_NUMBER_OUT_OF_RANGE));
                ExprKind::Null
            }
            Payload::None | Payload::Message(_) => return Err(self.refuse_previous(code::QUERY_PARSE, "syntax error")),
        };
        Ok(Expr { kind, pos })
    }

    fn variable(&mut self) -> Expr {
        let pos = self.pos();
        let name = self.take_text();
        // The pseudo variables have two spellings.
        let name = match name.as_str() {
            "$OLD" | "$NEW" | "$CURRENT" if !self.scopes.contains(&name) => SmolStr::from(&name[1..]),
            _ => name,
        };
        if !self.scopes.contains(&name) && !matches!(name.as_str(), "OLD" | "NEW" | "CURRENT") {
            self.collections.push(name.clone());
        }
        Expr { kind: ExprKind::Variable(name), pos }
    }

    /// `@name`, `@@name`
    pub(super) fn bind_parameter(&mut self) -> Expr {
        let pos = self.pos();
        let wrap = if self.kind() == Kind::CollectionBind { ExprKind::CollectionBind } else { ExprKind::Bind };
        Expr { kind: wrap(self.take_text()), pos }
    }

    /// `( expression )` or `( subquery )`
    fn parenthesis(&mut self) -> Result<Deep> {
        let pos = self.pos();
        self.skip(1);
        if self.kind().starts_clause() {
            let query = self.subquery(pos, &[Kind::Close])?;
            self.expect(Kind::Close)?;
            return Ok(query);
        }
        let inner = self.operand(0)?;
        self.expect_after_expression(Kind::Close)?;
        Ok(inner)
    }

    /// The call of an aggregate, or at least of a function: which of them aggregate is not asked here.
    pub(super) fn aggregate_call(&mut self) -> Result<Deep> {
        let call = self.any_call()?;
        match &call.expr.kind {
            ExprKind::Call(name, arguments) if aggregate::lookup(name).is_none() && !name.contains("::") => {
                check_call(name, arguments.len())?;
            }
            _ => {}
        }
        Ok(call)
    }

    /// The call of a function, which has to exist and to take so many arguments.
    pub(super) fn call(&mut self) -> Result<Deep> {
        let call = self.any_call()?;
        if let ExprKind::Call(name, arguments) = &call.expr.kind
            && !name.contains("::")
        {
            check_call(name, arguments.len())?;
        }
        Ok(call)
    }

    /// `NAME(…)`, `NS::NAME(…)`; the current token is a name.
    fn any_call(&mut self) -> Result<Deep> {
        let pos = self.pos();
        let mut name = self.take_text().to_ascii_uppercase_smolstr();
        if self.kind() == Kind::Scope {
            name = self.scoped_name(&name)?;
        }
        if self.kind() != Kind::Open {
            return Err(self.unexpected(&[Kind::Scope, Kind::Open]));
        }
        let (arguments, depth) = self.arguments()?;
        Ok(Deep { expr: Expr { kind: ExprKind::Call(name, arguments), pos }, depth })
    }

    /// `NAME::NAME`, the first part already read.
    fn scoped_name(&mut self, first: &str) -> Result<SmolStr> {
        let mut name = String::from(first);
        while self.accept(Kind::Scope) {
            name.push_str("::");
            name.push_str(&self.expect_name()?.to_ascii_uppercase());
        }
        Ok(name.into())
    }

    /// `LIKE(…)`: the one keyword that is a function too.
    fn like_call(&mut self) -> Result<Deep> {
        let pos = self.pos();
        self.skip(1);
        if self.kind() != Kind::Open {
            return Err(self.unexpected(&[Kind::Open]));
        }
        let (arguments, depth) = self.arguments()?;
        check_call("LIKE", arguments.len())?;
        Ok(Deep { expr: Expr { kind: ExprKind::Call("LIKE".into(), arguments), pos }, depth })
    }

    /// `( a, b )`; an argument may be a subquery without parentheses of its own.
    fn arguments(&mut self) -> Result<(Vec<Expr>, u32)> {
        self.skip(1);
        let mut arguments = Vec::new();
        let mut deepest = 0;
        if self.accept(Kind::Close) {
            return Ok((arguments, above(deepest)?));
        }
        loop {
            let argument = self.argument()?;
            deepest = deepest.max(argument.depth);
            arguments.push(argument.expr);
            if self.accept(Kind::Close) {
                return Ok((arguments, above(deepest)?));
            }
            if !self.accept(Kind::Comma) {
                return Err(self.unexpected(&[Kind::Close]));
            }
        }
    }

    fn argument(&mut self) -> Result<Deep> {
        if !self.kind().starts_clause() {
            return self.operand(0);
        }
        self.nested(|parser| parser.subquery(parser.pos(), &[Kind::Close, Kind::Comma]))
    }

    /// `[a, b,]`
    fn array(&mut self) -> Result<Deep> {
        let pos = self.pos();
        self.skip(1);
        let mut items = Vec::new();
        let mut deepest = 0;
        while self.kind() != Kind::ArrayClose {
            if !self.kind().starts_expression() {
                return Err(self.unexpected(&[Kind::ArrayClose]));
            }
            let item = self.operand(0)?;
            deepest = deepest.max(item.depth);
            items.push(item.expr);
            if !self.accept(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::ArrayClose)?;
        Ok(Deep { expr: Expr { kind: ExprKind::Array(items), pos }, depth: above(deepest)? })
    }

    /// `{a: 1, "b": 2, [c]: 3, @d: 4, e,}`; the current token is the brace.
    pub(super) fn object(&mut self) -> Result<Deep> {
        let pos = self.pos();
        self.skip(1);
        let mut items = Vec::new();
        let mut deepest = 0;
        while self.kind() != Kind::ObjectClose {
            let (item, depth) = self.object_item()?;
            deepest = deepest.max(depth);
            items.push(item);
            if !self.accept(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::ObjectClose)?;
        Ok(Deep { expr: Expr { kind: ExprKind::Object(items), pos }, depth: above(deepest)? })
    }

    fn object_item(&mut self) -> Result<(ObjectItem, u32)> {
        match self.kind() {
            Kind::Ident if self.peek(1) != Kind::Colon => Ok((self.shorthand()?, 0)),
            Kind::Ident | Kind::Str => {
                let name = self.take_text();
                let value = self.item_value()?;
                Ok((ObjectItem::Named(name, value.expr), value.depth))
            }
            Kind::Bind => {
                let name = self.take_text();
                let value = self.item_value()?;
                Ok((ObjectItem::BoundName(name, value.expr), value.depth))
            }
            Kind::ArrayOpen => self.computed_item(),
            _ => Err(self.unexpected(&[Kind::ObjectClose])),
        }
    }

    fn item_value(&mut self) -> Result<Deep> {
        self.expect(Kind::Colon)?;
        self.operand(0)
    }

    fn computed_item(&mut self) -> Result<(ObjectItem, u32)> {
        self.skip(1);
        let name = self.operand(0)?;
        self.expect_after_expression(Kind::ArrayClose)?;
        let value = self.item_value()?;
        Ok((ObjectItem::Computed(name.expr, value.expr), name.depth.max(value.depth)))
    }

    /// A name alone stands for the variable of that name, which has to exist.
    fn shorthand(&mut self) -> Result<ObjectItem> {
        let pos = self.pos();
        let name = self.take_text();
        // Whether a modification before this provides OLD and NEW is seen when names are resolved.
        if !self.scopes.contains(&name) && !matches!(name.as_str(), "OLD" | "NEW") {
            let message = format!("use of unknown variable '{name}' in object literal");
            return Err(self.refuse(code::QUERY_VARIABLE_NAME_UNKNOWN, &message));
        }
        Ok(ObjectItem::Shorthand(name, pos))
    }
}

/// An expression without operands.
fn leaf(expr: Expr) -> Deep {
    Deep { expr, depth: 1 }
}

fn check_call(name: &str, arguments: usize) -> Result<()> {
    let problem = match functions::lookup(name) {
        None => functions::unknown_function(name),
        Some(function) if !(function.min..=function.max).contains(&arguments) => {
            functions::wrong_arity(name, function.min, function.max)
        }
        Some(_) => return Ok(()),
    };
    Err(Error::new(problem.num, format!("AQL: {} (while parsing)", problem.message)))
}
