//! Expressions as they are evaluated: names are resolved to slots of the frame, functions to their bodies.

use std::sync::Arc;

use super::Pipeline;
use super::bound::Bound;
use crate::functions::Function;
use crate::lang::ast::BinaryOp;
use crate::value::{SmolStr, Value};

/// Index of a variable in the frame of a running query. Every variable of a query, in whatever subquery, has its own.
pub type Slot = usize;

/// An expression ready to be evaluated.
#[derive(Clone)]
pub enum Ex {
    /// A constant.
    Const(Value),
    /// What a parameter gives, or what follows from parameters alone.
    Bound(Bound),
    /// A variable.
    Slot(Slot),
    /// `variable.a.b`: the most frequent access, read without intermediate values.
    Path(Slot, Arc<[SmolStr]>),
    /// `expr.name`
    Attribute(Box<Ex>, SmolStr),
    /// `expr[expr]`
    Index(Box<Ex>, Box<Ex>),
    /// `[a, b]`
    Array(Vec<Ex>),
    /// `{…}`
    Object(Vec<ObjectEntry>),
    /// `a..b`
    Range(Box<Ex>, Box<Ex>),
    /// `-a`
    Minus(Box<Ex>),
    /// `+a`
    Plus(Box<Ex>),
    /// `NOT a`
    Not(Box<Ex>),
    /// `a AND b`
    And(Box<Ex>, Box<Ex>),
    /// `a OR b`
    Or(Box<Ex>, Box<Ex>),
    /// Comparison, membership or arithmetic.
    Binary(BinaryOp, Box<Ex>, Box<Ex>),
    /// `a ANY == b`
    ArrayCompare(Quantity, BinaryOp, Box<Ex>, Box<Ex>),
    /// `c ? a : b`; without `a`: `c ?: b`
    Ternary(Box<Ex>, Option<Box<Ex>>, Box<Ex>),
    /// A call of a built-in function.
    Call(&'static Function, Vec<Ex>),
    /// `base[*…]`
    Expansion(Box<Expansion>),
    /// `base[?…]`
    Question(Box<Question>),
    /// `( FOR … )`
    Subquery(Arc<Pipeline>),
    /// `LENGTH(( FOR … ))`: the rows are counted, not kept.
    SubqueryCount(Arc<Pipeline>),
}

/// An entry of an object expression.
#[derive(Clone)]
pub enum ObjectEntry {
    /// `name: expr`
    Named(SmolStr, Ex),
    /// `[expr]: expr`
    Computed(Ex, Ex),
    /// `...expr`
    Spread(Ex),
}

/// How many elements must match.
#[derive(Clone)]
pub enum Quantity {
    /// One or more.
    Any,
    /// All of them.
    All,
    /// None of them.
    None,
    /// This many or more.
    AtLeast(Box<Ex>),
    /// Exactly this many.
    Exactly(Box<Ex>),
    /// Between two numbers, inclusive.
    Between(Box<Ex>, Box<Ex>),
}

/// See [`Ex::Expansion`].
#[derive(Clone)]
pub struct Expansion {
    /// The array.
    pub base: Ex,
    /// Levels to flatten before (0: none).
    pub flatten: u32,
    /// Where the current element stands.
    pub current: Slot,
    /// Which elements.
    pub filter: Option<Ex>,
    /// Offset and count.
    pub limit: Option<(Option<Ex>, Ex)>,
    /// What an element becomes.
    pub projection: Option<Ex>,
}

/// See [`Ex::Question`].
#[derive(Clone)]
pub struct Question {
    /// The array.
    pub base: Ex,
    /// How many must match.
    pub quantity: Quantity,
    /// Where the current element stands.
    pub current: Slot,
    /// Which elements count; all when absent.
    pub filter: Option<Ex>,
}

impl Ex {
    /// Calls `f` on every expression directly below this one (not into subqueries).
    pub fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a Ex)) {
        match self {
            Self::Const(_)
            | Self::Bound(_)
            | Self::Slot(_)
            | Self::Path(..)
            | Self::Subquery(_)
            | Self::SubqueryCount(_) => {}
            Self::Attribute(e, _) | Self::Minus(e) | Self::Plus(e) | Self::Not(e) => f(e),
            Self::Index(a, b) | Self::Range(a, b) | Self::And(a, b) | Self::Or(a, b) | Self::Binary(_, a, b) => {
                f(a);
                f(b);
            }
            Self::Array(items) | Self::Call(_, items) => items.iter().for_each(f),
            Self::Object(entries) => entries.iter().for_each(|entry| match entry {
                ObjectEntry::Named(_, e) | ObjectEntry::Spread(e) => f(e),
                ObjectEntry::Computed(k, e) => {
                    f(k);
                    f(e);
                }
            }),
            Self::ArrayCompare(quantity, _, a, b) => {
                quantity.for_each_child(f);
                f(a);
                f(b);
            }
            Self::Ternary(c, a, b) => {
                f(c);
                if let Some(a) = a {
                    f(a);
                }
                f(b);
            }
            Self::Expansion(x) => {
                f(&x.base);
                x.filter.iter().for_each(&mut *f);
                if let Some((offset, count)) = &x.limit {
                    offset.iter().for_each(&mut *f);
                    f(count);
                }
                x.projection.iter().for_each(f);
            }
            Self::Question(q) => {
                f(&q.base);
                q.quantity.for_each_child(f);
                q.filter.iter().for_each(f);
            }
        }
    }

    /// The mutable counterpart of [`Ex::for_each_child`].
    pub fn for_each_child_mut(&mut self, f: &mut dyn FnMut(&mut Ex)) {
        match self {
            Self::Const(_)
            | Self::Bound(_)
            | Self::Slot(_)
            | Self::Path(..)
            | Self::Subquery(_)
            | Self::SubqueryCount(_) => {}
            Self::Attribute(e, _) | Self::Minus(e) | Self::Plus(e) | Self::Not(e) => f(e),
            Self::Index(a, b) | Self::Range(a, b) | Self::And(a, b) | Self::Or(a, b) | Self::Binary(_, a, b) => {
                f(a);
                f(b);
            }
            Self::Array(items) | Self::Call(_, items) => items.iter_mut().for_each(f),
            Self::Object(entries) => entries.iter_mut().for_each(|entry| match entry {
                ObjectEntry::Named(_, e) | ObjectEntry::Spread(e) => f(e),
                ObjectEntry::Computed(k, e) => {
                    f(k);
                    f(e);
                }
            }),
            Self::ArrayCompare(quantity, _, a, b) => {
                quantity.for_each_child_mut(f);
                f(a);
                f(b);
            }
            Self::Ternary(c, a, b) => {
                f(c);
                if let Some(a) = a {
                    f(a);
                }
                f(b);
            }
            Self::Expansion(x) => {
                f(&mut x.base);
                x.filter.iter_mut().for_each(&mut *f);
                if let Some((offset, count)) = &mut x.limit {
                    offset.iter_mut().for_each(&mut *f);
                    f(count);
                }
                x.projection.iter_mut().for_each(f);
            }
            Self::Question(q) => {
                f(&mut q.base);
                q.quantity.for_each_child_mut(f);
                q.filter.iter_mut().for_each(f);
            }
        }
    }

    /// Does the expression, or a subquery in it, read the slot?
    pub fn reads(&self, slot: Slot) -> bool {
        let mut found = false;
        self.for_each_slot(&mut |s| found |= s == slot);
        found
    }

    /// Calls `f` for every slot the expression reads, those of its subqueries included.
    pub fn for_each_slot(&self, f: &mut dyn FnMut(Slot)) {
        match self {
            Self::Slot(s) | Self::Path(s, _) => f(*s),
            Self::Subquery(p) | Self::SubqueryCount(p) => p.for_each_slot(f),
            _ => self.for_each_child(&mut |e| e.for_each_slot(f)),
        }
    }

    /// Gives the same result whenever the slots it reads hold the same values, and changes nothing.
    pub fn is_deterministic(&self) -> bool {
        match self {
            Self::Call(function, _) if !function.deterministic => false,
            Self::Subquery(p) | Self::SubqueryCount(p) => p.is_deterministic(),
            _ => {
                let mut all = true;
                self.for_each_child(&mut |e| all &= e.is_deterministic());
                all
            }
        }
    }

    /// Writes data in a subquery.
    pub fn modifies(&self) -> bool {
        match self {
            Self::Subquery(p) | Self::SubqueryCount(p) => p.modifies(),
            _ => {
                let mut any = false;
                self.for_each_child(&mut |e| any |= e.modifies());
                any
            }
        }
    }

    /// The variable and the attribute path, if the expression is nothing else.
    pub fn as_path(&self) -> Option<(Slot, &[SmolStr])> {
        match self {
            Self::Slot(s) => Some((*s, &[])),
            Self::Path(s, names) => Some((*s, names)),
            _ => None,
        }
    }
}

impl Quantity {
    fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a Ex)) {
        match self {
            Self::Any | Self::All | Self::None => {}
            Self::AtLeast(e) | Self::Exactly(e) => f(e),
            Self::Between(a, b) => {
                f(a);
                f(b);
            }
        }
    }

    fn for_each_child_mut(&mut self, f: &mut dyn FnMut(&mut Ex)) {
        match self {
            Self::Any | Self::All | Self::None => {}
            Self::AtLeast(e) | Self::Exactly(e) => f(e),
            Self::Between(a, b) => {
                f(a);
                f(b);
            }
        }
    }
}
