//! The parser: recursive descent over the tokens, with precedence climbing for operators.
//!
//! It accepts what ArangoDB's grammar accepts and words its complaints alike. Names are not resolved here, apart from
//! the few rules ArangoDB itself applies while it reads (`KEEP`, object shorthands, `DISTINCT`, `SEARCH`).

mod access;
mod clauses;
mod collect;
mod expressions;
mod graph;
mod messages;
mod modify;
mod options;
mod scopes;
#[cfg(test)]
mod tests;
mod values;

use smol_str::SmolStr;

use self::scopes::Scopes;
use super::ast::{Expr, Name, NameKind, Parameter, Pos, Query, Var};
use super::lexer::tokenize;
use super::token::{Kind, Payload, Token};
use crate::error::{Error, Result, code};

/// How deep a tree may be. It bounds the stack that walking and dropping the tree needs.
const MAX_DEPTH: u32 = 500;
/// How deep the parser nests while it reads. Parentheses leave no trace in the tree, so this is more than its depth.
const MAX_NESTING: u32 = 2 * MAX_DEPTH;
/// The stack that one level of nesting may need: whole clauses of a subquery, unoptimised.
const LEVEL_STACK: usize = 128 * 1024;
/// What the stack grows by.
const STACK_STEP: usize = 2 * 1024 * 1024;

/// Reads a query.
pub fn parse(text: &str) -> Result<Query> {
    if text.is_empty() {
        return Err(Error::plain(code::QUERY_EMPTY));
    }
    let mut parser = Parser::new(text);
    let mut query = parser.query()?;
    query.collections = parser.collections;
    query.warnings = parser.warnings;
    query.depth = parser.deepest;
    Ok(query)
}

/// An expression and how many levels its tree has.
struct Deep {
    expr: Expr,
    depth: u32,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// How many expressions around the current place are being read.
    level: u32,
    /// Depth of the deepest expression of the current query or subquery.
    deepest: u32,
    /// How many subqueries were read.
    subqueries: u32,
    scopes: Scopes,
    /// Names that no variable has.
    collections: Vec<SmolStr>,
    warnings: Vec<Error>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            tokens: tokenize(text),
            at: 0,
            level: 0,
            deepest: 0,
            subqueries: 0,
            scopes: Scopes::default(),
            collections: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The kind of the token `ahead` of the current one.
    fn peek(&self, ahead: usize) -> Kind {
        self.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn kind(&self) -> Kind {
        self.peek(0)
    }

    fn pos(&self) -> Pos {
        self.tokens.get(self.at).map_or_else(Pos::default, |token| token.pos)
    }

    fn skip(&mut self, count: usize) {
        self.at += count;
    }

    /// Consumes the current token and hands out what it carries.
    fn take_payload(&mut self) -> Payload {
        let payload = self
            .tokens
            .get_mut(self.at)
            .map_or(Payload::None, |token| std::mem::replace(&mut token.value, Payload::None));
        self.at += 1;
        payload
    }

    /// Consumes a token that carries text: a name, a string or a bind parameter.
    fn take_text(&mut self) -> SmolStr {
        match self.take_payload() {
            Payload::Text(text) => text,
            _ => SmolStr::default(),
        }
    }

    /// Consumes the current token if it is of this kind.
    fn accept(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.at += 1;
        }
        found
    }

    /// Consumes a token of this kind, and names it in the complaint if there is another.
    fn expect(&mut self, kind: Kind) -> Result<()> {
        if self.accept(kind) { Ok(()) } else { Err(self.unexpected(&[kind])) }
    }

    /// Like [`Self::expect`] in a place where an operator could stand as well, so that the complaint names nothing.
    fn expect_after_expression(&mut self, kind: Kind) -> Result<()> {
        if self.accept(kind) { Ok(()) } else { Err(self.unexpected(&[])) }
    }

    fn expect_name(&mut self) -> Result<SmolStr> {
        if self.kind() == Kind::Ident { Ok(self.take_text()) } else { Err(self.unexpected(&[Kind::Ident])) }
    }

    /// The bind parameters of the text, in order.
    fn parameters(&self) -> Vec<Parameter> {
        let parameter = |token: &Token| match (token.kind, &token.value) {
            (Kind::Bind, Payload::Text(name)) => Some(Parameter::Value(name.clone())),
            (Kind::CollectionBind, Payload::Text(name)) => Some(Parameter::Collection(name.clone())),
            _ => None,
        };
        self.tokens.iter().filter_map(parameter).collect()
    }

    /// Notes the collection, if it is named in the text.
    fn note_collection(&mut self, name: Name) -> Name {
        if let NameKind::Literal(name) = &name.kind {
            self.collections.push(name.clone());
        }
        name
    }

    /// Introduces a variable, whose name must not be taken.
    fn declare(&mut self, var: &Var) -> Result<()> {
        if self.scopes.contains(&var.name) {
            return Err(Error::new(
                code::QUERY_VARIABLE_REDECLARED,
                format!("AQL: variable '{}' is assigned multiple times (while parsing)", var.name),
            ));
        }
        self.scopes.declare(&var.name);
        Ok(())
    }

    /// The name of a variable that a clause introduces.
    fn variable_name(&mut self) -> Result<Var> {
        let pos = self.pos();
        let name = self.expect_name()?;
        if name.is_empty() {
            return Err(Error::new(code::QUERY_VARIABLE_NAME_INVALID, "variable name '' has an invalid format"));
        }
        // also between quotation marks a letter comes before the first digit
        if name.trim_start_matches('_').chars().next().is_none_or(|first| first.is_ascii_digit()) {
            return Err(self.refuse_previous(code::QUERY_PARSE, "unexpected identifier"));
        }
        Ok(Var { name, pos })
    }

    /// An expression as part of a clause.
    fn expression(&mut self) -> Result<Expr> {
        let deep = self.operand(0)?;
        Ok(self.settle(deep))
    }

    /// Reads something one level deeper, on more stack if little is left.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.level >= MAX_NESTING {
            return Err(Error::plain(code::QUERY_TOO_MUCH_NESTING));
        }
        self.level += 1;
        let result = stacker::maybe_grow(LEVEL_STACK, STACK_STEP, || read(self));
        self.level -= 1;
        result
    }

    /// Notes how deep the expression is and hands it out.
    fn settle(&mut self, deep: Deep) -> Expr {
        self.deepest = self.deepest.max(deep.depth);
        deep.expr
    }
}

/// One level above trees of this depth.
fn above(depth: u32) -> Result<u32> {
    if depth >= MAX_DEPTH { Err(Error::plain(code::QUERY_TOO_MUCH_NESTING)) } else { Ok(depth + 1) }
}
