//! `WINDOW`: aggregates over the rows around each row.
//!
//! Around means a number of rows before and after, or all rows whose value lies in a range around the row's own value.

use std::sync::Arc;

use super::context::{Ctx, Kept};
use super::ops::{BoxOp, Op};
use crate::Result;
use crate::error::{Error, code};
use crate::functions::Host;
use crate::functions::aggregate::Accumulator;
use crate::functions::date::{Duration, add_duration, parse_duration};
use crate::plan::WindowNode;
use crate::value::Value;

/// Checks the bounds of a window, as an object with `preceding` and `following`, when the query is planned.
pub(crate) fn check_bounds(bounds: &Value, is_range: bool) -> Result<()> {
    let (preceding, following) = (bounds.get_opt("preceding"), bounds.get_opt("following"));
    if preceding.is_none() && following.is_none() {
        return Err(Error::new(
            code::QUERY_PARSE,
            "AQL: At least one WINDOW bound must be specified ('preceding'/'following') (while parsing)",
        ));
    }
    let mut given = preceding.iter().chain(&following);
    if !is_range {
        return given.try_for_each(|bound| rows(bound).map(|_| ()));
    }
    for bound in given {
        if !bound.is_string() && !bound.is_number() {
            return Err(invalid("WINDOW range spec is invalid"));
        }
    }
    if let (Some(a), Some(b)) = (&preceding, &following)
        && a.is_string() != b.is_string()
    {
        return Err(invalid(
            "WINDOW range spec is invalid; bounds must be of the same type - either both are numeric values, \
             or both are ISO 8601 duration strings",
        ));
    }
    for (name, bound) in [("preceding", &preceding), ("following", &following)] {
        if let Some(text) = bound.as_ref().and_then(Value::as_str)
            && parse_duration(text).is_none()
        {
            return Err(invalid(&format!(
                "WINDOW range spec is invalid; '{name}' is not a valid ISO 8601 duration string"
            )));
        }
    }
    Ok(())
}

/// The bounds of a window as an explanation shows them, `preceding` first: those that were not given, too.
pub(crate) fn shown_bounds(node: &WindowNode) -> [Value; 2] {
    let bounds = [&node.preceding, &node.following];
    let nothing = match node.range_value {
        Some(_) if bounds.iter().any(|b| b.is_string()) => Value::from("P0D"),
        _ => Value::Int(0),
    };
    bounds.map(|bound| match bound_rows(bound) {
        _ if bound.is_null() => nothing.clone(),
        _ if node.range_value.is_some() => bound.clone(),
        Ok(usize::MAX) => Value::from("unbounded"),
        Ok(count) => Value::from(count),
        Err(_) => bound.clone(),
    })
}

fn invalid(message: &str) -> Error {
    Error::new(code::BAD_PARAMETER, format!("AQL: {message} (while instantiating plan)"))
}

/// A number of rows; all of them is the greatest number.
fn rows(bound: &Value) -> Result<usize> {
    match bound {
        Value::Str(word) if word == "unbounded" || word == "inf" => Ok(usize::MAX),
        number => match number.as_i64() {
            Some(n) if n >= 0 => Ok(n as usize),
            _ => Err(invalid("WINDOW row spec is invalid; bounds must be positive integers or \"unbounded\"")),
        },
    }
}

/// The operator of a window.
pub(super) fn window(input: BoxOp, node: Arc<WindowNode>) -> BoxOp {
    let accumulators: Vec<_> = node.aggregates.iter().map(|(_, aggregate, _)| (aggregate.make)()).collect();
    let aggregates = Aggregates { node: Arc::clone(&node), accumulators, kept: Kept::default() };
    if node.range_value.is_none() && is_running_total(&node) {
        return Box::new(RunningTotal { input, aggregates });
    }
    Box::new(Window { input, node, aggregates, rows: Vec::new(), position: 0, filled: false, offset: 0, memory: 0 })
}

/// Everything before and nothing after: one pass, nothing is kept.
fn is_running_total(node: &WindowNode) -> bool {
    bound_rows(&node.preceding).is_ok_and(|n| n == usize::MAX) && bound_rows(&node.following).is_ok_and(|n| n == 0)
}

/// [`rows`] where a bound that was not given is none.
fn bound_rows(bound: &Value) -> Result<usize> {
    if bound.is_null() { Ok(0) } else { rows(bound) }
}

struct Aggregates {
    node: Arc<WindowNode>,
    accumulators: Vec<Box<dyn Accumulator>>,
    kept: Kept,
}

impl Aggregates {
    /// The arguments of all aggregates for the row in the frame.
    fn arguments(&self, ctx: &mut Ctx<'_>) -> Result<Vec<Vec<Value>>> {
        let of = |(_, _, args): &(_, _, Vec<_>)| args.iter().map(|arg| ctx.eval(arg)).collect();
        self.node.aggregates.iter().map(of).collect()
    }

    fn add(&mut self, arguments: &[Vec<Value>], ctx: &mut Ctx<'_>) -> Result<()> {
        for (accumulator, arguments) in self.accumulators.iter_mut().zip(arguments) {
            let kept = accumulator.add(arguments, ctx)?;
            self.kept.add(ctx, kept)?;
        }
        Ok(())
    }

    /// Puts the results into the frame.
    fn finish(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        for (accumulator, (slot, _, _)) in self.accumulators.iter_mut().zip(&self.node.aggregates) {
            ctx.frame[*slot] = accumulator.finish(ctx)?.computed()?;
        }
        Ok(())
    }

    fn reset(&mut self, ctx: &mut Ctx<'_>) {
        self.accumulators.iter_mut().for_each(|a| a.reset());
        self.kept.release(ctx);
    }

    /// The results where there is no window.
    fn set_null(&self, ctx: &mut Ctx<'_>) {
        for (slot, _, _) in &self.node.aggregates {
            ctx.frame[*slot] = Value::Null;
        }
    }
}

struct RunningTotal {
    input: BoxOp,
    aggregates: Aggregates,
}

impl Op for RunningTotal {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if !self.input.next(ctx)? {
            return Ok(false);
        }
        let arguments = self.aggregates.arguments(ctx)?;
        self.aggregates.add(&arguments, ctx)?;
        self.aggregates.finish(ctx)?;
        Ok(true)
    }
}

struct Window {
    input: BoxOp,
    node: Arc<WindowNode>,
    aggregates: Aggregates,
    rows: Vec<Row>,
    /// The next row to hand out.
    position: usize,
    filled: bool,
    /// Rows before this one lie below every window to come.
    offset: usize,
    memory: usize,
}

struct Row {
    /// The live part of the frame, until the row is handed out.
    frame: Vec<Value>,
    arguments: Vec<Vec<Value>>,
    /// What rows are sorted by.
    key: Value,
    range: Range,
}

/// Where a row stands and how far its window reaches.
#[derive(Clone, Copy, Default)]
struct Range {
    value: f64,
    low: f64,
    high: f64,
    valid: bool,
}

impl Op for Window {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if !self.filled {
            self.filled = true;
            self.fill(ctx)?;
        }
        let Some(row) = self.rows.get_mut(self.position) else {
            ctx.shrink(self.memory);
            self.memory = 0;
            self.rows = Vec::new();
            return Ok(false);
        };
        let (frame, range) = (std::mem::take(&mut row.frame), row.range);
        self.aggregates.reset(ctx);
        ctx.restore(&self.node.live, frame);
        if self.node.range_value.is_none() {
            self.add_neighbors(ctx)?;
            self.aggregates.finish(ctx)?;
        } else if range.valid {
            self.add_range(ctx, range)?;
            self.aggregates.finish(ctx)?;
        } else {
            self.aggregates.set_null(ctx);
        }
        self.position += 1;
        Ok(true)
    }
}

impl Window {
    fn fill(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        let bounds = RangeBounds::new(&self.node);
        while self.input.next(ctx)? {
            ctx.tick()?;
            let (key, range) = match &self.node.range_value {
                Some(ex) => {
                    let key = ctx.eval(ex)?;
                    let range = bounds.around(ctx, &key)?;
                    (key, range)
                }
                None => (Value::Null, Range::default()),
            };
            let row = Row { frame: ctx.save(&self.node.live), arguments: self.aggregates.arguments(ctx)?, key, range };
            let values = row.frame.iter().chain(row.arguments.iter().flatten());
            let bytes = size_of::<Row>() + values.map(Value::memory).sum::<usize>();
            ctx.grow(bytes)?;
            self.memory += bytes;
            self.rows.push(row);
        }
        if self.node.range_value.is_some() {
            self.rows.sort_by(|a, b| a.key.compare(&b.key));
        }
        Ok(())
    }

    fn add_neighbors(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        let first = self.position.saturating_sub(bound_rows(&self.node.preceding)?);
        let last = self.position.saturating_add(bound_rows(&self.node.following)?).min(self.rows.len() - 1);
        for row in &self.rows[first..=last] {
            ctx.tick()?;
            self.aggregates.add(&row.arguments, ctx)?;
        }
        Ok(())
    }

    fn add_range(&mut self, ctx: &mut Ctx<'_>, around: Range) -> Result<()> {
        for (index, row) in self.rows.iter().enumerate().skip(self.offset) {
            ctx.tick()?;
            // a row without a valid value stands at zero, as in ArangoDB
            if row.range.value < around.low {
                self.offset = index + 1;
            } else if row.range.value > around.high {
                break;
            } else {
                self.aggregates.add(&row.arguments, ctx)?;
            }
        }
        Ok(())
    }
}

/// How far a range reaches.
enum RangeBounds {
    Numbers(f64, f64),
    Durations(Duration, Duration),
}

/// The years 0000 to 9999.
const CALENDAR: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

impl RangeBounds {
    fn new(node: &WindowNode) -> Self {
        if node.preceding.is_string() || node.following.is_string() {
            let duration = |bound: &Value| bound.as_str().and_then(parse_duration).unwrap_or_default();
            Self::Durations(duration(&node.preceding), duration(&node.following))
        } else {
            Self::Numbers(node.preceding.to_f64(), node.following.to_f64())
        }
    }

    /// The range around a value; an invalid one, and a warning, when the value does not fit the bounds.
    fn around(&self, ctx: &mut Ctx<'_>, value: &Value) -> Result<Range> {
        match self {
            Self::Numbers(preceding, following) => {
                let Some(value) = number(value) else {
                    ctx.warn(
                        code::QUERY_INVALID_ARITHMETIC_VALUE,
                        code::message(code::QUERY_INVALID_ARITHMETIC_VALUE).to_owned(),
                    )?;
                    return Ok(Range::default());
                };
                Ok(Range { value, low: value - preceding, high: value + following, valid: true })
            }
            Self::Durations(preceding, following) => {
                let Some(time) = value.as_i64() else {
                    let message = code::message(code::QUERY_INVALID_DATE_VALUE).to_owned();
                    ctx.warn(code::QUERY_INVALID_DATE_VALUE, message)?;
                    return Ok(Range::default());
                };
                if !CALENDAR.contains(&time) {
                    let message = "range value is not a valid timepoint (out of range)";
                    ctx.warn(code::QUERY_INVALID_DATE_VALUE, message.to_owned())?;
                    return Ok(Range::default());
                }
                // beyond the calendar there is nothing to leave out
                let low = add_duration(time, *preceding, true).map_or(f64::NEG_INFINITY, |t| t as f64);
                let high = add_duration(time, *following, false).map_or(f64::INFINITY, |t| t as f64);
                Ok(Range { value: time as f64, low, high, valid: true })
            }
        }
    }
}

/// The number a range value stands for; null is zero, what is no number has none.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(0.0),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => Some(value.to_f64()),
        Value::Str(text) => text.trim().parse().ok().filter(|n: &f64| n.is_finite()),
        array if array.is_array() => match array.array_len() {
            Some(0) => Some(0.0),
            Some(1) => number(&array.at(0)),
            _ => None,
        },
        _ => None,
    }
}
