//! `OPTIONS` and the other words that are no keywords.

use smol_str::SmolStr;

use super::Parser;
use crate::error::{Error, Result, code};
use crate::lang::ast::{Expr, ExprKind, ObjectItem};
use crate::lang::token::Kind;

impl Parser<'_> {
    /// An optional `OPTIONS {…}`.
    pub(super) fn options(&mut self) -> Result<Option<Expr>> {
        if self.kind() != Kind::Ident {
            return Ok(None);
        }
        let word = self.take_text();
        let options = self.options_object()?;
        self.check_word(&word, &["OPTIONS"])?;
        self.check_options(&options)?;
        Ok(Some(options))
    }

    /// The object literal that has to stand here.
    pub(super) fn options_object(&mut self) -> Result<Expr> {
        if self.kind() != Kind::ObjectOpen {
            return Err(self.unexpected(&[Kind::ObjectOpen]));
        }
        let object = self.object()?;
        Ok(self.settle(object))
    }

    /// Options are an object that is known before the query runs.
    pub(super) fn check_options(&self, options: &Expr) -> Result<()> {
        if !matches!(options.kind, ExprKind::Object(_)) {
            return Err(self.refuse(code::QUERY_PARSE, "'OPTIONS' have to be an object"));
        }
        if !is_constant(options) {
            return Err(self.refuse_previous(
                code::QUERY_COMPILE_TIME_OPTIONS,
                "'OPTIONS' have to be known at query compile time",
            ));
        }
        Ok(())
    }

    /// The word that was read has to be one of these.
    pub(super) fn check_word(&self, word: &SmolStr, expected: &[&str]) -> Result<()> {
        if expected.iter().any(|expected| word.eq_ignore_ascii_case(expected)) {
            Ok(())
        } else {
            Err(self.wrong_word(word, expected))
        }
    }

    #[cold]
    fn wrong_word(&self, word: &str, expected: &[&str]) -> Error {
        let expected: Vec<_> = expected.iter().map(|word| format!("'{word}'")).collect();
        self.refuse(code::QUERY_PARSE, &format!("unexpected qualifier '{word}', expecting {}", expected.join(" or ")))
    }
}

/// Whether an expression has its value before the query runs. Bind parameters have.
fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Null
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Bind(_) => true,
        ExprKind::Array(items) => items.iter().all(is_constant),
        ExprKind::Object(items) => items.iter().all(|item| match item {
            ObjectItem::Named(_, value) | ObjectItem::BoundName(_, value) => is_constant(value),
            ObjectItem::Computed(name, value) => is_constant(name) && is_constant(value),
            ObjectItem::Shorthand(..) | ObjectItem::Spread(_) => false,
        }),
        ExprKind::Unary(_, operand) => is_constant(operand),
        ExprKind::Attribute(base, _) => is_constant(base),
        _ => false,
    }
}
