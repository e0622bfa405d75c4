//! Evaluation of expressions.

use std::cmp::Ordering;

use super::context::Ctx;
use crate::Result;
use crate::error::{Error, code};
use crate::functions::{Function, Host};
use crate::lang::ast::BinaryOp;
use crate::memory::Room;
use crate::plan::expr::{Ex, Expansion, Quantity, Question, Slot};
use crate::value::{PLAIN_ZEROS, STACK, Value};

/// A range may have this many members when it is made an array.
const MAX_RANGE: i64 = 10_000_000;

/// Smaller arguments of a function are not worth asking for.
const LARGE: usize = 1 << 20;

impl Ctx<'_> {
    /// The value of an expression in the present frame. What was only needed on the way to it is free again.
    pub fn eval(&mut self, ex: &Ex) -> Result<Value> {
        if matches!(ex, Ex::Const(_) | Ex::Bound(_) | Ex::Slot(_) | Ex::Path(..)) {
            return self.value(ex);
        }
        let before = self.memory();
        let value = self.value(ex);
        if self.memory() != before {
            self.reset_memory(before);
        }
        value
    }

    /// The same as a part of a larger expression: what it takes is counted until that is evaluated.
    pub(super) fn value(&mut self, ex: &Ex) -> Result<Value> {
        if let Ex::Binary(op, a, b) = ex
            && let Some(exact) = self.whole(*op, a, b)
        {
            return Ok(Value::Int(exact));
        }
        match ex {
            Ex::Const(v) => Ok(v.clone()),
            Ex::Bound(bound) => Ok(self.bound[bound.at].clone()),
            Ex::Slot(s) => Ok(self.frame[*s].clone()),
            Ex::Path(s, names) => Ok(match &self.frame[*s] {
                Value::Stored(stored) => self.hints.path(stored, names).map_or(Value::Null, |raw| stored.value_of(raw)),
                value => value.path(names),
            }),
            // deep expressions get more stack instead of overflowing it, and there is enough for functions that follow a value
            _ => stacker::maybe_grow(STACK, 8 * STACK, || self.eval_composite(ex))?.computed(),
        }
    }

    /// Arithmetic of whole numbers that are at hand, with a whole result.
    fn whole(&self, op: BinaryOp, a: &Ex, b: &Ex) -> Option<i64> {
        let whole = |ex: &Ex| match self.at_hand(ex)? {
            Value::Int(i) => Some(*i),
            _ => None,
        };
        exact(op, whole(a)?, whole(b)?).filter(|exact| is_read_alike(*exact))
    }

    fn eval_composite(&mut self, ex: &Ex) -> Result<Value> {
        match ex {
            Ex::Const(_) | Ex::Bound(_) | Ex::Slot(_) | Ex::Path(..) => self.value(ex),
            Ex::Attribute(base, name) => Ok(self.value(base)?.get(name)),
            Ex::Index(base, index) => {
                if let (Some(base), Some(index)) = (self.at_hand(base), self.at_hand(index)) {
                    return index_access(base, index);
                }
                let base = self.value(base)?;
                let index = self.value(index)?;
                index_access(&base, &index)
            }
            Ex::Array(items) => {
                let mut out = Vec::with_capacity(items.len());
                for item in items {
                    out.push(self.value(item)?);
                }
                Ok(Value::array(out))
            }
            Ex::Object(entries) => self.eval_object(entries),
            Ex::Range(a, b) => {
                let (low, high) = self.eval_range(a, b)?;
                self.range_array(low, high)
            }
            Ex::Minus(e) => Ok(match self.value(e)?.to_number() {
                Value::Int(i) => i.checked_neg().map_or_else(|| Value::float(-(i as f64)), Value::Int),
                n => Value::float(-n.to_f64()),
            }),
            Ex::Plus(e) => Ok(self.value(e)?.to_number()),
            Ex::Not(e) => Ok(Value::Bool(!self.eval_bool(e)?)),
            Ex::And(a, b) => {
                let left = self.value(a)?;
                if left.truthy() { self.value(b) } else { Ok(left) }
            }
            Ex::Or(a, b) => {
                let left = self.value(a)?;
                if left.truthy() { Ok(left) } else { self.value(b) }
            }
            Ex::Binary(op, a, b) => self.eval_binary(*op, a, b),
            Ex::ArrayCompare(quantity, op, a, b) => self.eval_array_compare(quantity, *op, a, b),
            Ex::Ternary(c, a, b) => {
                let condition = self.value(c)?;
                match (condition.truthy(), a) {
                    (true, Some(a)) => self.value(a),
                    (true, None) => Ok(condition),
                    (false, _) => self.value(b),
                }
            }
            Ex::Call(function, args) => self.eval_call(function, args),
            Ex::Expansion(x) => self.eval_expansion(x),
            Ex::Question(q) => self.eval_question(q),
            Ex::Subquery(pipeline) => Ok(Value::array(super::run::run_to_end(pipeline, self)?)),
            Ex::SubqueryCount(pipeline) => Ok(Value::Int(super::run::count_rows(pipeline, self)? as i64)),
        }
    }

    fn eval_call(&mut self, function: &Function, args: &[Ex]) -> Result<Value> {
        let before = self.memory();
        let result = match args {
            [] => (function.body)(self, &[]),
            [a] => {
                let a = [self.value(a)?];
                let _room = self.ask_for_result(&a)?;
                (function.body)(self, &a)
            }
            [a, b] => {
                let args = [self.value(a)?, self.value(b)?];
                let _room = self.ask_for_result(&args)?;
                (function.body)(self, &args)
            }
            args => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.value(arg)?);
                }
                let _room = self.ask_for_result(&values)?;
                (function.body)(self, &values)
            }
        }?;
        // the arguments are gone, the result is there
        if self.memory() != before {
            self.reset_memory(before);
        }
        match result.own_memory() {
            0 => {}
            bytes => self.grow(bytes)?,
        }
        Ok(result)
    }

    /// Most functions make no more than they are given, some with as much on the way; those that make more ask for
    /// themselves. So whoever gives them much asks for twice as much, before it is made.
    fn ask_for_result(&self, args: &[Value]) -> Result<Room> {
        match args.iter().map(Value::width).sum::<usize>() {
            0..LARGE => Ok(Room::default()),
            bytes => self.ask(2 * bytes),
        }
    }

    /// A range as an array.
    fn range_array(&mut self, low: i64, high: i64) -> Result<Value> {
        let count = high.abs_diff(low);
        if count >= MAX_RANGE as u64 {
            return Err(Error::new(
                code::QUERY_NUMBER_OUT_OF_RANGE,
                "AQL: number out of range: the range is too large",
            ));
        }
        self.grow((count as usize + 1) * size_of::<Value>())?;
        Ok(Value::array(if low <= high {
            (low..=high).map(Value::Int).collect()
        } else {
            (high..=low).rev().map(Value::Int).collect()
        }))
    }

    /// Whether an expression counts as true; comparisons are answered without building a value.
    pub fn eval_bool(&mut self, ex: &Ex) -> Result<bool> {
        match ex {
            Ex::And(a, b) => Ok(self.eval_bool(a)? && self.eval_bool(b)?),
            Ex::Or(a, b) => Ok(self.eval_bool(a)? || self.eval_bool(b)?),
            Ex::Not(e) => Ok(!self.eval_bool(e)?),
            Ex::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => match self.is_equal_in_place(a, b) {
                Some(equal) => Ok(equal == (*op == BinaryOp::Eq)),
                None => Ok(self.eval(ex)?.truthy()),
            },
            _ => Ok(self.eval(ex)?.truthy()),
        }
    }

    /// The ends of a range.
    pub(super) fn eval_range(&mut self, a: &Ex, b: &Ex) -> Result<(i64, i64)> {
        Ok((self.value(a)?.to_i64()?, self.value(b)?.to_i64()?))
    }

    /// What is known without evaluating anything.
    fn given<'e>(&'e self, ex: &'e Ex) -> Option<&'e Value> {
        match ex {
            Ex::Const(value) => Some(value),
            Ex::Bound(bound) => self.bound.get(bound.at),
            _ => None,
        }
    }

    /// The same with what stands in a variable.
    fn at_hand<'e>(&'e self, ex: &'e Ex) -> Option<&'e Value> {
        match ex {
            Ex::Slot(slot) => self.frame.get(*slot),
            _ => self.given(ex),
        }
    }

    /// Whether something that lies in the frame is equal to what is known: an attribute of a stored document is compared
    /// where it is. `None`: that cannot be said without evaluating.
    fn is_equal_in_place(&self, a: &Ex, b: &Ex) -> Option<bool> {
        let right = self.given(b)?;
        match a {
            Ex::Path(slot, names) => match &self.frame[*slot] {
                Value::Stored(stored) => Some(match self.hints.path(stored, names) {
                    Some(raw) => right.equals_raw(raw),
                    None => right.is_null(),
                }),
                _ => None,
            },
            Ex::Slot(slot) if right.is_null() => Some(self.frame[*slot].is_null()),
            _ => None,
        }
    }

    fn eval_binary(&mut self, op: BinaryOp, a: &Ex, b: &Ex) -> Result<Value> {
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && let Some(equal) = self.is_equal_in_place(a, b)
        {
            return Ok(Value::Bool(equal == (op == BinaryOp::Eq)));
        }
        let left = self.value(a)?;
        if matches!(op, BinaryOp::In | BinaryOp::NotIn)
            && let Ex::Range(low, high) = b
        {
            let (low, high) = self.eval_range(low, high)?;
            let inside = in_range(&left, low, high);
            return Ok(Value::Bool(inside == (op == BinaryOp::In)));
        }
        let right = self.value(b)?;
        if matches!(op, BinaryOp::In | BinaryOp::NotIn)
            && matches!(b, Ex::Const(_) | Ex::Bound(_) | Ex::Slot(_))
            && let Value::Array(array) = &right
        {
            // the same array may come with every row
            return Ok(Value::Bool(self.is_among(array, &left)? == (op == BinaryOp::In)));
        }
        Ok(match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                return self.arithmetic(op, &left, &right);
            }
            _ => Value::Bool(compare(op, &left, &right)),
        })
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Result<Value> {
        let planning = self.is_planning();
        if let (Value::Int(a), Value::Int(b)) = (left, right)
            && let Some(exact) = exact(op, *a, *b).filter(|exact| planning || is_read_alike(*exact))
        {
            return Ok(Value::Int(exact));
        }
        let (a, b) = (left.to_number(), right.to_number());
        if let (Value::Int(a), Value::Int(b)) = (&a, &b)
            && let Some(exact) = exact(op, *a, *b).filter(|exact| planning || is_read_alike(*exact))
        {
            return Ok(Value::Int(exact));
        }
        let (x, y) = (a.to_f64(), b.to_f64());
        let result = match op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            BinaryOp::Mul => x * y,
            _ if y == 0.0 => {
                let operator = if op == BinaryOp::Div { '/' } else { '%' };
                let place = if self.is_planning() { String::new() } else { format!("in operator {operator}: ") };
                self.warn(code::QUERY_DIVISION_BY_ZERO, format!("{place}division by zero"))?;
                return Ok(Value::Null);
            }
            BinaryOp::Div => x / y,
            _ => x % y,
        };
        if !result.is_finite() {
            self.warn(code::QUERY_NUMBER_OUT_OF_RANGE, String::from("number out of range"))?;
        }
        Ok(Value::float(result))
    }

    fn eval_array_compare(&mut self, quantity: &Quantity, op: BinaryOp, a: &Ex, b: &Ex) -> Result<Value> {
        let left = self.value(a)?;
        let right = self.value(b)?;
        let Some(len) = left.array_len() else {
            return Ok(Value::Bool(false));
        };
        // nothing is in what is no array, and nothing is not in it either
        if matches!(op, BinaryOp::In | BinaryOp::NotIn) && !right.is_array() {
            return Ok(Value::Bool(false));
        }
        // `ANY`, `ALL` and `NONE` are decided as soon as they can be
        let mut matching = 0;
        for item in left.iter_array() {
            let matched = compare(op, &item, &right);
            matching += usize::from(matched);
            match quantity {
                Quantity::Any if matched => return Ok(Value::Bool(true)),
                Quantity::None if matched => return Ok(Value::Bool(false)),
                Quantity::All if !matched => return Ok(Value::Bool(false)),
                _ => {}
            }
        }
        Ok(Value::Bool(self.enough(quantity, matching, len)?))
    }

    pub(super) fn enough(&mut self, quantity: &Quantity, matching: usize, len: usize) -> Result<bool> {
        Ok(match quantity {
            Quantity::Any => matching > 0,
            Quantity::All => matching == len,
            Quantity::None => matching == 0,
            Quantity::AtLeast(n) => matching as i64 >= self.value(n)?.to_i64()?,
            Quantity::Exactly(n) => matching as i64 == self.value(n)?.to_i64()?,
            Quantity::Between(a, b) => {
                let (low, high) = self.eval_range(a, b)?;
                (low..=high).contains(&(matching as i64))
            }
        })
    }

    fn eval_expansion(&mut self, x: &Expansion) -> Result<Value> {
        let base = self.value(&x.base)?;
        if !base.is_array() {
            return Ok(Value::array(Vec::new()));
        }
        let (mut skip, take) = match &x.limit {
            None => (0, usize::MAX),
            Some((offset, count)) => {
                let offset = offset.as_ref().map_or(Ok(Value::Int(0)), |e| self.value(e))?;
                let (offset, count) = (offset.to_i64()?, self.value(count)?.to_i64()?);
                match (usize::try_from(offset), usize::try_from(count)) {
                    (Ok(offset), Ok(count)) => (offset, count),
                    _ => return Ok(Value::array(Vec::new())),
                }
            }
        };
        if let (Value::Array(elements), Some(part)) = (&base, Part::of(x)) {
            self.grow(elements.len() * size_of::<Value>())?;
            let mut out = Vec::with_capacity(elements.len());
            for element in elements.iter() {
                self.tick()?;
                out.push(part.taken_of(element)?);
            }
            return Ok(Value::array(out));
        }
        let mut flattened = Vec::new();
        let elements = if x.flatten > 0 {
            flatten(&base, x.flatten, &mut flattened);
            self.grow(flattened.len() * size_of::<Value>())?;
            Value::array(flattened)
        } else {
            base
        };
        let mut out = Vec::with_capacity(elements.array_len().unwrap_or_default().min(take));
        let outer = std::mem::take(self.slot(x.current));
        for item in elements.iter_array() {
            if out.len() >= take {
                break;
            }
            self.tick()?;
            let item = match (&x.filter, &x.projection) {
                (None, None) => item,
                (Some(_), None) => {
                    *self.slot(x.current) = item.clone();
                    item
                }
                // what is made of it is told instead of it
                (_, Some(_)) => std::mem::replace(self.slot(x.current), item),
            };
            if let Some(filter) = &x.filter
                && !self.eval_bool(filter)?
            {
                continue;
            }
            if skip > 0 {
                skip -= 1;
                continue;
            }
            self.grow(size_of::<Value>())?;
            out.push(match &x.projection {
                None => item,
                Some(e) => self.value(e)?,
            });
        }
        *self.slot(x.current) = outer;
        Ok(Value::array(out))
    }

    fn eval_question(&mut self, q: &Question) -> Result<Value> {
        let base = self.value(&q.base)?;
        let Some(len) = base.array_len() else { return Ok(Value::Bool(false)) };
        let outer = std::mem::take(self.slot(q.current));
        let mut matching = 0;
        for item in base.iter_array() {
            self.tick()?;
            *self.slot(q.current) = item;
            if q.filter.as_ref().map_or(Ok(true), |f| self.eval_bool(f))? {
                matching += 1;
            }
        }
        *self.slot(q.current) = outer;
        Ok(Value::Bool(self.enough(&q.quantity, matching, len)?))
    }

    fn slot(&mut self, slot: Slot) -> &mut Value {
        &mut self.frame[slot]
    }
}

/// Arithmetic without fractions, where there are none in the result.
fn exact(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Mod if b != 0 => a.checked_rem(b),
        _ => None,
    }
}

/// Only constants are computed with integers; everything else with doubles, which is of importance where a double is
/// less exact or is written in another way.
fn is_read_alike(exact: i64) -> bool {
    const EXACT: std::ops::RangeInclusive<i64> = -(1 << 53)..=1 << 53;
    EXACT.contains(&exact) && (exact % PLAIN_ZEROS != 0 || exact == 0)
}

/// AQL's comparisons and `IN`.
pub(super) fn compare(op: BinaryOp, left: &Value, right: &Value) -> bool {
    match op {
        BinaryOp::Eq => left == right,
        BinaryOp::Ne => left != right,
        BinaryOp::Lt => left.compare(right) == Ordering::Less,
        BinaryOp::Le => left.compare(right) != Ordering::Greater,
        BinaryOp::Gt => left.compare(right) == Ordering::Greater,
        BinaryOp::Ge => left.compare(right) != Ordering::Less,
        BinaryOp::In => contains(right, left),
        BinaryOp::NotIn => right.is_array() && !contains(right, left),
        _ => false,
    }
}

fn contains(array: &Value, item: &Value) -> bool {
    match array {
        Value::Array(a) => a.iter().any(|v| v == item),
        _ => array.iter_array().any(|v| v == *item),
    }
}

fn in_range(value: &Value, low: i64, high: i64) -> bool {
    let (least, most) = (Value::Int(low.min(high)), Value::Int(low.max(high)));
    value.as_f64().is_some_and(|x| x.fract() == 0.0) && value.compare(&least).is_ge() && value.compare(&most).is_le()
}

fn index_access(base: &Value, index: &Value) -> Result<Value> {
    Ok(match index {
        Value::Str(s) if base.is_array() => s.parse().map_or(Value::Null, |i| base.at(i)),
        Value::Str(name) => base.get(name),
        Value::Int(_) | Value::Float(_) if base.is_array() => base.at(index.to_i64()?),
        // a fraction is no part of the name
        Value::Int(_) | Value::Float(_) if base.is_object() => base.get(itoa::Buffer::new().format(index.to_i64()?)),
        _ => Value::Null,
    })
}

/// What is taken of each element of an array where nothing else is asked of it: `[*].name`, `[* RETURN CURRENT[0]]`.
enum Part<'e> {
    Named(&'e str),
    At(&'e Value),
}

impl<'e> Part<'e> {
    fn of(x: &'e Expansion) -> Option<Self> {
        if x.flatten > 0 || x.filter.is_some() || x.limit.is_some() {
            return None;
        }
        match x.projection.as_ref()? {
            Ex::Path(slot, names) if *slot == x.current && names.len() == 1 => Some(Self::Named(&names[0])),
            Ex::Index(base, index) => match (&**base, &**index) {
                (Ex::Slot(slot), Ex::Const(index)) if *slot == x.current => Some(Self::At(index)),
                _ => None,
            },
            _ => None,
        }
    }

    fn taken_of(&self, element: &Value) -> Result<Value> {
        match self {
            Self::Named(name) => Ok(element.get(name)),
            Self::At(index) => index_access(element, index),
        }
    }
}

fn flatten(array: &Value, levels: u32, out: &mut Vec<Value>) {
    for item in array.iter_array() {
        if levels > 0 && item.is_array() {
            flatten(&item, levels - 1, out);
        } else {
            out.push(item);
        }
    }
}
