//! Expressions of a plan in the form of ArangoDB's syntax tree.

use super::variables::Variables;
use crate::lang::ast::BinaryOp;
use crate::plan::expr::{Ex, Expansion, ObjectEntry, Quantity, Question};
use crate::value::{SmolStr, Value};

/// A node with its children.
pub(super) fn node(kind: &str, id: i64, more: Vec<(&str, Value)>, children: Vec<Value>) -> Value {
    let mut pairs = vec![("type", Value::from(kind)), ("typeID", Value::Int(id))];
    pairs.extend(more);
    if !children.is_empty() {
        pairs.push(("subNodes", Value::array(children)));
    }
    Value::from_pairs(pairs)
}

fn no_op() -> Value {
    node("no-op", 50, Vec::new(), Vec::new())
}

/// A constant: a value, or an array or object of them.
pub(super) fn constant(value: &Value) -> Value {
    let (kind, id) = match value {
        Value::Null => ("null", 0),
        Value::Bool(_) => ("bool", 1),
        Value::Int(_) => ("int", 2),
        Value::Float(_) => ("double", 3),
        Value::Str(_) => ("string", 4),
        _ if value.is_array() => {
            return node("array", 41, Vec::new(), value.iter_array().map(|item| constant(&item)).collect());
        }
        _ => {
            let elements = value.iter_object().map(|(name, value)| element(name, constant(&value))).collect();
            return node("object", 42, Vec::new(), elements);
        }
    };
    let more = vec![("value", value.clone()), ("vType", Value::from(kind)), ("vTypeID", Value::Int(id))];
    node("value", 40, more, Vec::new())
}

fn element(name: &str, value: Value) -> Value {
    node("object element", 43, vec![("name", Value::from(name))], vec![value])
}

/// `base.name`
pub(super) fn attribute(base: Value, name: &SmolStr) -> Value {
    node("attribute access", 35, vec![("name", Value::Str(name.clone()))], vec![base])
}

/// A comparison or a computation of two values.
pub(super) fn binary(op: BinaryOp, left: Value, right: Value) -> Value {
    let (kind, id) = operator(op);
    let more = if id >= COMPARISONS { vec![("excludesNull", Value::Bool(false))] } else { Vec::new() };
    node(kind, id, more, vec![left, right])
}

/// Operators from this number on compare.
const COMPARISONS: i64 = 25;

fn operator(op: BinaryOp) -> (&'static str, i64) {
    match op {
        BinaryOp::And => ("logical and", 18),
        BinaryOp::Or => ("logical or", 19),
        BinaryOp::Add => ("plus", 20),
        BinaryOp::Sub => ("minus", 21),
        BinaryOp::Mul => ("times", 22),
        BinaryOp::Div => ("division", 23),
        BinaryOp::Mod => ("modulus", 24),
        BinaryOp::Eq => ("compare ==", 25),
        BinaryOp::Ne => ("compare !=", 26),
        BinaryOp::Lt => ("compare <", 27),
        BinaryOp::Le => ("compare <=", 28),
        BinaryOp::Gt => ("compare >", 29),
        BinaryOp::Ge => ("compare >=", 30),
        BinaryOp::In => ("compare in", 31),
        BinaryOp::NotIn => ("compare not in", 32),
        // these are calls of functions in a plan
        BinaryOp::Like | BinaryOp::NotLike | BinaryOp::RegexMatch | BinaryOp::RegexNotMatch => ("function call", 47),
    }
}

impl Variables<'_> {
    /// An expression. Subqueries were written as nodes of their own before.
    pub(super) fn expression(&mut self, ex: &Ex) -> Value {
        match ex {
            Ex::Const(value) => constant(value),
            Ex::Bound(_) => constant(&ex.of_known_type().unwrap_or_default()),
            Ex::Slot(slot) => match self.projected(*slot) {
                Some((document, path)) => path.iter().fold(self.of(document).reference(), attribute),
                None => self.of(*slot).reference(),
            },
            Ex::Path(slot, names) => names.iter().fold(self.of(*slot).reference(), attribute),
            Ex::Attribute(base, name) => attribute(self.expression(base), name),
            Ex::Index(base, index) => self.tree("indexed access", 37, &[base, index]),
            Ex::Array(items) => node("array", 41, Vec::new(), items.iter().map(|e| self.expression(e)).collect()),
            Ex::Object(entries) => {
                let entries = entries.iter().map(|entry| self.entry(entry)).collect();
                node("object", 42, Vec::new(), entries)
            }
            Ex::Range(a, b) => self.tree("range", 49, &[a, b]),
            Ex::Plus(e) => self.tree("unary plus", 15, &[e]),
            Ex::Minus(e) => self.tree("unary minus", 16, &[e]),
            Ex::Not(e) => self.tree("unary not", 17, &[e]),
            Ex::And(a, b) => binary(BinaryOp::And, self.expression(a), self.expression(b)),
            Ex::Or(a, b) => binary(BinaryOp::Or, self.expression(a), self.expression(b)),
            Ex::Binary(op, a, b) => binary(*op, self.expression(a), self.expression(b)),
            Ex::ArrayCompare(quantity, op, a, b) => {
                let (left, right, quantity) = (self.expression(a), self.expression(b), self.quantity(quantity));
                let (kind, id) = operator(*op);
                // the comparisons of arrays are numbered in the same order
                node(&format!("array {kind}"), id + 41, Vec::new(), vec![left, right, quantity])
            }
            Ex::Ternary(c, a, b) => {
                let condition = self.expression(c);
                let first = a.as_ref().map(|a| self.expression(a));
                let second = self.expression(b);
                node("ternary", 33, Vec::new(), [condition].into_iter().chain(first).chain([second]).collect())
            }
            Ex::Call(function, args) => {
                let args = args.iter().map(|e| self.expression(e)).collect();
                let list = node("array", 41, Vec::new(), args);
                node("function call", 47, vec![("name", Value::from(function.name))], vec![list])
            }
            Ex::Expansion(x) => self.expansion(x),
            Ex::Question(q) => self.question(q),
            // only where it could not be made a node of its own: it reads the CURRENT of an expansion
            Ex::Subquery(_) | Ex::SubqueryCount(_) => node("subquery", 34, Vec::new(), Vec::new()),
        }
    }

    fn tree(&mut self, kind: &str, id: i64, children: &[&Ex]) -> Value {
        node(kind, id, Vec::new(), children.iter().map(|e| self.expression(e)).collect())
    }

    fn entry(&mut self, entry: &ObjectEntry) -> Value {
        match entry {
            ObjectEntry::Named(name, e) => element(name, self.expression(e)),
            ObjectEntry::Computed(name, e) => self.tree("calculated object element", 53, &[name, e]),
            ObjectEntry::Spread(e) => self.expression(e),
        }
    }

    fn quantity(&mut self, quantity: &Quantity) -> Value {
        let (name, children) = match quantity {
            Quantity::Any => ("any", Vec::new()),
            Quantity::All => ("all", Vec::new()),
            Quantity::None => ("none", Vec::new()),
            Quantity::AtLeast(e) => ("at least", vec![self.expression(e)]),
            Quantity::Exactly(e) => ("exactly", vec![self.expression(e)]),
            Quantity::Between(a, b) => ("range", vec![self.expression(a), self.expression(b)]),
        };
        node("quantifier", 74, vec![("quantifier", Value::from(name))], children)
    }

    fn iterator(&mut self, current: usize, base: &Ex) -> (Value, Value) {
        let base = self.expression(base);
        let current = self.of(current).reference();
        (node("iterator", 39, Vec::new(), vec![current.clone(), base]), current)
    }

    fn expansion(&mut self, x: &Expansion) -> Value {
        let (iterator, current) = self.iterator(x.current, &x.base);
        let filter = x.filter.as_ref().map_or_else(no_op, |e| self.expression(e));
        let limit = x.limit.as_ref().map_or_else(no_op, |(offset, count)| {
            let offset = offset.as_ref().map_or_else(|| constant(&Value::Int(0)), |e| self.expression(e));
            node("array limit", 57, Vec::new(), vec![offset, self.expression(count)])
        });
        let projection = x.projection.as_ref().map_or_else(no_op, |e| self.expression(e));
        let more = vec![("levels", Value::Int(i64::from(x.flatten) + 1)), ("booleanize", Value::Bool(false))];
        node("expansion", 38, more, vec![iterator, current, filter, limit, projection])
    }

    fn question(&mut self, q: &Question) -> Value {
        let (iterator, current) = self.iterator(q.current, &q.base);
        let quantity = self.quantity(&q.quantity);
        let filter = q.filter.as_ref().map_or_else(no_op, |e| self.expression(e));
        let more = vec![("levels", Value::Int(1)), ("booleanize", Value::Bool(true))];
        node("expansion", 38, more, vec![iterator, current, quantity, filter])
    }
}
