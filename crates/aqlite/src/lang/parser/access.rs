//! What follows a value: `.name`, `[index]`, `[*]`, `[?]`.
//!
//! An access after `[*]` belongs to the elements. A second `[*]` expands what the first makes of each element; a
//! third expands the result of the second. Several asterisks flatten, which takes the whole expansion before them.

use smol_str::SmolStr;

use super::{Deep, Parser, above};
use crate::error::{Result, code};
use crate::lang::ast::{ArrayQuestion, Expansion, Expr, ExprKind, Pos, Quantifier};
use crate::lang::token::Kind;

/// A value with the accesses read so far.
struct Chain {
    expr: Expr,
    /// An upper bound of the depth of the tree.
    depth: u32,
    /// Whether the value is an expansion whose elements are still being described.
    expands: bool,
    /// Whether what an element becomes is an expansion again, made by a further bracket.
    nests: bool,
    /// The first expansion says itself what an element becomes: whatever follows has no effect.
    outer_fixed: bool,
    /// The same of the nested expansion.
    inner_fixed: bool,
}

/// What stands between the brackets of an expansion.
#[derive(Default)]
struct Inline {
    quantifier: Option<Quantifier>,
    filter: Option<Expr>,
    limit: Option<(Option<Expr>, Expr)>,
    projection: Option<Expr>,
    depth: u32,
}

impl Chain {
    /// Applies an access: to the value, or to the elements of the expansion that it is.
    fn access(&mut self, wrap: impl FnOnce(Box<Expr>) -> ExprKind) {
        if !self.expands {
            wrap_in_place(&mut self.expr, wrap);
            return;
        }
        if self.outer_fixed || (self.nests && self.inner_fixed) {
            return;
        }
        let pos = self.expr.pos;
        let Some(outer) = projection(&mut self.expr) else { return };
        let slot = if self.nests { outer.as_mut().and_then(projection) } else { Some(outer) };
        if let Some(slot) = slot {
            let mut element = slot.take().unwrap_or_else(|| current(pos));
            wrap_in_place(&mut element, wrap);
            *slot = Some(element);
        }
    }

    /// Applies a bracket that makes an array of its own: to the value, or to each element of the expansion.
    fn bracket(&mut self, flattens: bool, fixed: bool, wrap: impl FnOnce(Expr) -> ExprKind) {
        let pos = self.expr.pos;
        if !self.expands || flattens {
            let base = std::mem::replace(&mut self.expr, current(pos));
            self.expr = Expr { kind: wrap(base), pos };
            self.expands = true;
            self.nests = false;
            self.outer_fixed = fixed;
            return;
        }
        if self.outer_fixed {
            return;
        }
        if let Some(slot) = projection(&mut self.expr) {
            let base = slot.take().unwrap_or_else(|| current(pos));
            *slot = Some(Expr { kind: wrap(base), pos });
            self.nests = true;
            self.inner_fixed = fixed;
        }
    }

    fn grow(&mut self, operand: u32) -> Result<()> {
        self.depth = above(self.depth.max(operand))?;
        Ok(())
    }
}

impl Parser<'_> {
    /// The accesses after a value.
    pub(super) fn accesses(&mut self, value: Deep) -> Result<Deep> {
        if !matches!(self.kind(), Kind::Dot | Kind::ArrayOpen) {
            return Ok(value);
        }
        let mut chain = Chain {
            expr: value.expr,
            depth: value.depth,
            expands: false,
            nests: false,
            outer_fixed: false,
            inner_fixed: false,
        };
        loop {
            match (self.kind(), self.peek(1)) {
                (Kind::Dot, _) => self.attribute(&mut chain)?,
                (Kind::ArrayOpen, Kind::Times) => self.expansion(&mut chain)?,
                (Kind::ArrayOpen, Kind::Question) => self.question(&mut chain)?,
                (Kind::ArrayOpen, _) => self.index(&mut chain)?,
                _ => return Ok(Deep { expr: chain.expr, depth: chain.depth }),
            }
        }
    }

    /// `.name`, `.@name`
    fn attribute(&mut self, chain: &mut Chain) -> Result<()> {
        self.skip(1);
        chain.grow(0)?;
        match self.kind() {
            Kind::Ident => {
                let name = self.take_text();
                chain.access(|base| ExprKind::Attribute(base, name));
            }
            Kind::Bind => {
                let name = self.take_text();
                chain.access(|base| ExprKind::BoundAttribute(base, name));
            }
            Kind::CollectionBind => {
                // The bind parameter of a collection is listed with its second at sign.
                let name = SmolStr::from_iter(["@", self.take_text().as_str()]);
                chain.access(|base| ExprKind::BoundAttribute(base, name));
            }
            _ => return Err(self.unexpected(&[Kind::Ident, Kind::Bind, Kind::CollectionBind])),
        }
        Ok(())
    }

    /// `[index]`
    fn index(&mut self, chain: &mut Chain) -> Result<()> {
        self.skip(1);
        let index = self.operand(0)?;
        self.expect_after_expression(Kind::ArrayClose)?;
        chain.grow(index.depth)?;
        chain.access(|base| ExprKind::Index(base, Box::new(index.expr)));
        Ok(())
    }

    /// `[* FILTER … LIMIT … RETURN …]`
    fn expansion(&mut self, chain: &mut Chain) -> Result<()> {
        self.skip(1);
        let levels = self.count(Kind::Times);
        let mut inline = self.inline_filter()?;
        self.inline_limit(&mut inline)?;
        if self.accept(Kind::Return) {
            let value = self.operand(0)?;
            inline.depth = inline.depth.max(value.depth);
            inline.projection = Some(value.expr);
        }
        self.expect(Kind::ArrayClose)?;
        if inline.quantifier.is_some() {
            return Err(self.refuse_previous(
                code::QUERY_PARSE,
                "unexpected quantifier value found for array expansion operation.",
            ));
        }
        chain.grow(inline.depth)?;
        let Inline { filter, limit, projection, .. } = inline;
        chain.bracket(levels > 1, projection.is_some(), |base| {
            ExprKind::Expansion(Box::new(Expansion { base, levels, filter, limit, projection }))
        });
        Ok(())
    }

    /// `[? quantifier FILTER …]`
    fn question(&mut self, chain: &mut Chain) -> Result<()> {
        self.skip(1);
        let levels = self.count(Kind::Question);
        let inline = self.inline_filter()?;
        self.expect(Kind::ArrayClose)?;
        chain.grow(inline.depth)?;
        if levels > 1 {
            // It asks about the elements of the flattened array.
            chain.grow(0)?;
            chain.bracket(true, true, |base| {
                ExprKind::Expansion(Box::new(Expansion { base, levels, filter: None, limit: None, projection: None }))
            });
        }
        let Inline { quantifier, filter, .. } = inline;
        chain.bracket(levels > 1, true, |base| {
            ExprKind::ArrayQuestion(Box::new(ArrayQuestion { base, quantifier, filter }))
        });
        Ok(())
    }

    /// Consumes tokens of this kind and counts them.
    fn count(&mut self, kind: Kind) -> u32 {
        let mut count = 0_u32;
        while self.accept(kind) {
            count = count.saturating_add(1);
        }
        count
    }

    /// An optional `[quantifier] FILTER condition`.
    fn inline_filter(&mut self) -> Result<Inline> {
        let mut inline = Inline::default();
        match self.kind() {
            Kind::ArrayClose | Kind::Limit | Kind::Return => return Ok(inline),
            Kind::Filter => {}
            Kind::All | Kind::Any | Kind::None => {
                inline.quantifier = Some(match self.kind() {
                    Kind::All => Quantifier::All,
                    Kind::Any => Quantifier::Any,
                    _ => Quantifier::None,
                });
                self.skip(1);
            }
            Kind::AtLeast => {
                self.skip(1);
                let count = self.at_least_count()?;
                inline.depth = count.depth;
                inline.quantifier = Some(Quantifier::AtLeast(Box::new(count.expr)));
            }
            _ => {
                let count = self.operand(0)?;
                inline.depth = count.depth;
                inline.quantifier = Some(match count.expr.kind {
                    ExprKind::Range(least, most) => Quantifier::Between(least, most),
                    _ => Quantifier::Exactly(Box::new(count.expr)),
                });
            }
        }
        self.expect(Kind::Filter)?;
        let condition = self.operand(0)?;
        inline.depth = inline.depth.max(condition.depth);
        inline.filter = Some(condition.expr);
        Ok(inline)
    }

    /// An optional `LIMIT [offset,] count`.
    fn inline_limit(&mut self, inline: &mut Inline) -> Result<()> {
        if !self.accept(Kind::Limit) {
            return Ok(());
        }
        let first = self.operand(0)?;
        inline.depth = inline.depth.max(first.depth);
        inline.limit = Some(if self.accept(Kind::Comma) {
            let count = self.operand(0)?;
            inline.depth = inline.depth.max(count.depth);
            (Some(first.expr), count.expr)
        } else {
            (None, first.expr)
        });
        Ok(())
    }
}

/// The element of an expansion.
fn current(pos: Pos) -> Expr {
    Expr { kind: ExprKind::Variable("CURRENT".into()), pos }
}

/// Where an expansion says what its elements become.
fn projection(expr: &mut Expr) -> Option<&mut Option<Expr>> {
    match &mut expr.kind {
        ExprKind::Expansion(expansion) => Some(&mut expansion.projection),
        _ => None,
    }
}

fn wrap_in_place(expr: &mut Expr, wrap: impl FnOnce(Box<Expr>) -> ExprKind) {
    let pos = expr.pos;
    let base = std::mem::replace(expr, current(pos));
    expr.kind = wrap(Box::new(base));
}
