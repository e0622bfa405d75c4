//! Operators, by precedence climbing.
//!
//! Each operator has the level at which it competes for the operand before it, and the level its own last operand is
//! read at; they differ where ArangoDB's grammar lets them differ (`NOT LIKE`, `ALL ==`).

use super::{Deep, Parser, above};
use crate::error::Result;
use crate::lang::ast::{BinaryOp, Expr, ExprKind, Quantifier, UnaryOp};
use crate::lang::token::Kind;

const TERNARY: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const QUANTIFIER: u8 = 4;
const AT_LEAST: u8 = 5;
const EQUALITY: u8 = 6;
const MEMBERSHIP: u8 = 7;
const COMPARISON: u8 = 8;
const RANGE: u8 = 9;
const SUM: u8 = 10;
const PRODUCT: u8 = 11;

/// An operator that stands after an operand.
#[derive(Clone, Copy)]
struct Infix {
    /// The higher, the tighter it binds what stands before it.
    level: u8,
    /// The level of the operand after it.
    right: u8,
    /// How many tokens it is written with.
    tokens: usize,
    action: Action,
}

#[derive(Clone, Copy)]
enum Action {
    Binary(BinaryOp),
    Range,
    Quantified(Word, BinaryOp),
    /// A quantifier without its comparison.
    BareQuantifier,
    AtLeast,
    Ternary,
    /// A `NOT` after an operand, followed by nothing it could negate.
    BareNot,
}

/// The quantifiers that are one word.
#[derive(Clone, Copy)]
enum Word {
    Any,
    All,
    None,
}

impl Infix {
    fn new(level: u8, action: Action) -> Self {
        Self { level, right: level, tokens: 1, action }
    }

    fn binary(level: u8, op: BinaryOp) -> Option<Self> {
        Some(Self::new(level, Action::Binary(op)))
    }
}

impl Parser<'_> {
    /// An expression of operators that bind tighter than `floor`; 0 reads any expression.
    pub(super) fn operand(&mut self, floor: u8) -> Result<Deep> {
        self.climb(floor, false)
    }

    /// Any expression, where an `IN collection` may follow.
    pub(super) fn operand_before_target(&mut self) -> Result<Deep> {
        self.climb(0, true)
    }

    fn climb(&mut self, floor: u8, before_target: bool) -> Result<Deep> {
        self.nested(|parser| {
            let mut left = parser.unary()?;
            while let Some(infix) = parser.infix() {
                if infix.level <= floor || (before_target && parser.at_written_collection()) {
                    break;
                }
                left = parser.apply(left, infix)?;
            }
            Ok(left)
        })
    }

    /// The operator at the current token.
    fn infix(&self) -> Option<Infix> {
        match self.kind() {
            Kind::Or => Infix::binary(OR, BinaryOp::Or),
            Kind::And => Infix::binary(AND, BinaryOp::And),
            Kind::Eq => Infix::binary(EQUALITY, BinaryOp::Eq),
            Kind::Ne => Infix::binary(EQUALITY, BinaryOp::Ne),
            Kind::Like => Infix::binary(EQUALITY, BinaryOp::Like),
            Kind::RegexMatch => Infix::binary(EQUALITY, BinaryOp::RegexMatch),
            Kind::RegexNotMatch => Infix::binary(EQUALITY, BinaryOp::RegexNotMatch),
            Kind::In => Infix::binary(MEMBERSHIP, BinaryOp::In),
            Kind::Lt => Infix::binary(COMPARISON, BinaryOp::Lt),
            Kind::Le => Infix::binary(COMPARISON, BinaryOp::Le),
            Kind::Gt => Infix::binary(COMPARISON, BinaryOp::Gt),
            Kind::Ge => Infix::binary(COMPARISON, BinaryOp::Ge),
            Kind::Range => Some(Infix::new(RANGE, Action::Range)),
            Kind::Plus => Infix::binary(SUM, BinaryOp::Add),
            Kind::Minus => Infix::binary(SUM, BinaryOp::Sub),
            Kind::Times => Infix::binary(PRODUCT, BinaryOp::Mul),
            Kind::Div => Infix::binary(PRODUCT, BinaryOp::Div),
            Kind::Mod => Infix::binary(PRODUCT, BinaryOp::Mod),
            Kind::Question => Some(Infix::new(TERNARY, Action::Ternary)),
            Kind::AtLeast => Some(Infix::new(AT_LEAST, Action::AtLeast)),
            Kind::Not => Some(self.infix_not()),
            Kind::All => Some(self.quantified(Word::All)),
            Kind::None => Some(self.quantified(Word::None)),
            // Before anything but a comparison it is the direction of a traversal.
            Kind::Any => {
                Some(self.quantified(Word::Any)).filter(|infix| !matches!(infix.action, Action::BareQuantifier))
            }
            _ => None,
        }
    }

    /// `NOT` after an operand.
    fn infix_not(&self) -> Infix {
        let (right, tokens, action) = match self.peek(1) {
            Kind::In => (MEMBERSHIP, 2, Action::Binary(BinaryOp::NotIn)),
            Kind::Like => (EQUALITY, 2, Action::Binary(BinaryOp::NotLike)),
            Kind::RegexMatch => (EQUALITY, 2, Action::Binary(BinaryOp::RegexNotMatch)),
            Kind::RegexNotMatch => (EQUALITY, 2, Action::Binary(BinaryOp::RegexMatch)),
            _ => (MEMBERSHIP, 1, Action::BareNot),
        };
        Infix { level: MEMBERSHIP, right, tokens, action }
    }

    /// `ALL`, `ANY` or `NONE` after an operand.
    fn quantified(&self, word: Word) -> Infix {
        match self.comparison(1) {
            Some((op, right, tokens)) => {
                Infix { level: QUANTIFIER, right, tokens: 1 + tokens, action: Action::Quantified(word, op) }
            }
            None => Infix::new(QUANTIFIER, Action::BareQuantifier),
        }
    }

    /// The comparison `ahead` tokens on that a quantifier can stand before: operator, level, number of tokens.
    fn comparison(&self, ahead: usize) -> Option<(BinaryOp, u8, usize)> {
        Some(match self.peek(ahead) {
            Kind::Eq => (BinaryOp::Eq, EQUALITY, 1),
            Kind::Ne => (BinaryOp::Ne, EQUALITY, 1),
            Kind::Lt => (BinaryOp::Lt, COMPARISON, 1),
            Kind::Le => (BinaryOp::Le, COMPARISON, 1),
            Kind::Gt => (BinaryOp::Gt, COMPARISON, 1),
            Kind::Ge => (BinaryOp::Ge, COMPARISON, 1),
            Kind::In => (BinaryOp::In, MEMBERSHIP, 1),
            Kind::Not if self.peek(ahead + 1) == Kind::In => (BinaryOp::NotIn, MEMBERSHIP, 2),
            _ => return None,
        })
    }

    /// Reads the operator and what follows it.
    fn apply(&mut self, left: Deep, infix: Infix) -> Result<Deep> {
        self.skip(infix.tokens);
        match infix.action {
            Action::Binary(op) => {
                let right = self.operand(infix.right)?;
                join(left, right, |left, right| ExprKind::Binary(op, left, right))
            }
            Action::Range => {
                let right = self.operand(infix.right)?;
                join(left, right, ExprKind::Range)
            }
            Action::Quantified(word, op) => {
                let quantifier = match word {
                    Word::Any => Quantifier::Any,
                    Word::All => Quantifier::All,
                    Word::None => Quantifier::None,
                };
                let right = self.operand(infix.right)?;
                join(left, right, |left, right| ExprKind::ArrayCompare { quantifier, op, left, right })
            }
            Action::AtLeast => self.at_least(left),
            Action::Ternary => self.ternary(left),
            Action::BareQuantifier => Err(self.unexpected(&[])),
            Action::BareNot => Err(self.unexpected(&[Kind::In, Kind::RegexMatch, Kind::RegexNotMatch, Kind::Like])),
        }
    }

    /// `left AT LEAST (n) op right`, from the parenthesis on.
    fn at_least(&mut self, left: Deep) -> Result<Deep> {
        let count = self.at_least_count()?;
        let Some((op, level, tokens)) = self.comparison(0) else {
            return Err(self.unexpected(&[]));
        };
        self.skip(tokens);
        let right = self.operand(level)?;
        let left = Deep { depth: left.depth.max(count.depth), expr: left.expr };
        let quantifier = Quantifier::AtLeast(Box::new(count.expr));
        join(left, right, |left, right| ExprKind::ArrayCompare { quantifier, op, left, right })
    }

    /// `(n)` after `AT LEAST`.
    pub(super) fn at_least_count(&mut self) -> Result<Deep> {
        self.expect(Kind::Open)?;
        let count = self.operand(0)?;
        self.expect_after_expression(Kind::Close)?;
        Ok(count)
    }

    /// `left ? then : else`, `left ?: else`, from after the question mark on.
    fn ternary(&mut self, left: Deep) -> Result<Deep> {
        let then = if self.kind() == Kind::Colon { None } else { Some(self.operand(0)?) };
        self.expect_after_expression(Kind::Colon)?;
        let otherwise = self.operand(0)?;
        let (then, then_depth) = then.map_or((None, 0), |then| (Some(Box::new(then.expr)), then.depth));
        let left = Deep { depth: left.depth.max(then_depth), expr: left.expr };
        join(left, otherwise, |left, otherwise| ExprKind::Ternary(left, then, otherwise))
    }

    /// Operators before an operand. They bind tighter than any operator after it.
    fn unary(&mut self) -> Result<Deep> {
        if !matches!(self.kind(), Kind::Plus | Kind::Minus | Kind::Not) {
            return self.reference();
        }
        let pos = self.pos();
        let op = match self.kind() {
            Kind::Plus => UnaryOp::Plus,
            Kind::Minus => UnaryOp::Minus,
            _ => UnaryOp::Not,
        };
        self.skip(1);
        let operand = self.nested(Self::unary)?;
        let depth = above(operand.depth)?;
        Ok(Deep { expr: Expr { kind: ExprKind::Unary(op, Box::new(operand.expr)), pos }, depth })
    }
}

/// A node over two operands.
fn join(left: Deep, right: Deep, node: impl FnOnce(Box<Expr>, Box<Expr>) -> ExprKind) -> Result<Deep> {
    let depth = above(left.depth.max(right.depth))?;
    let pos = left.expr.pos;
    Ok(Deep { expr: Expr { kind: node(Box::new(left.expr), Box::new(right.expr)), pos }, depth })
}
