//! Adding to dates, comparing and rounding them.

use jiff::SignedDuration;
use jiff::civil::{DateTime, Time};

use crate::Result;
use crate::value::Value;

use super::super::Host;
use super::super::numeric::number;
use super::parse::{Duration, parse_duration};
use super::{civil, from_millis, invalid_date, iso_value, read, to_millis, zone};

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// The mean over the 400 years after which the calendar repeats.
const YEAR: i64 = 31_556_952 * SECOND;

/// A unit of time, from small to large.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    fn parse(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "f" | "millisecond" | "milliseconds" => Self::Millisecond,
            "s" | "second" | "seconds" => Self::Second,
            "i" | "minute" | "minutes" => Self::Minute,
            "h" | "hour" | "hours" => Self::Hour,
            "d" | "day" | "days" => Self::Day,
            "w" | "week" | "weeks" => Self::Week,
            "m" | "month" | "months" => Self::Month,
            "y" | "year" | "years" => Self::Year,
            _ => return None,
        })
    }

    fn of(value: &Value) -> Option<Self> {
        value.as_str().and_then(Self::parse)
    }

    /// Its length, for months and years the mean length.
    fn millis(self) -> i64 {
        match self {
            Self::Millisecond => 1,
            Self::Second => SECOND,
            Self::Minute => MINUTE,
            Self::Hour => HOUR,
            Self::Day => DAY,
            Self::Week => 7 * DAY,
            Self::Month => YEAR / 12,
            Self::Year => YEAR,
        }
    }

    /// That many of them. Fractions of a year become months, fractions of a month days, thirty to a month.
    fn times(self, amount: f64) -> Duration {
        match self {
            Self::Year => {
                let Duration { months, millis } = Self::Month.times(amount.fract() * 12.0);
                Duration { months: ((amount.trunc() * 12.0) as i64).saturating_add(months), millis }
            }
            Self::Month => {
                Duration { months: amount.trunc() as i64, millis: (amount.fract() * 30.0 * DAY as f64) as i64 }
            }
            _ => Duration { months: 0, millis: (amount * self.millis() as f64) as i64 },
        }
    }
}

/// The date moved by a duration: first by its months, keeping the day (which may be one of the next month), then by
/// the rest.
fn shift(at: DateTime, by: Duration) -> Option<DateTime> {
    let months = i64::from(at.month()).checked_add(by.months)?;
    let day = civil(at.year().into(), months, at.day().into())?;
    day.to_datetime(at.time()).checked_add(SignedDuration::from_millis(by.millis)).ok()
}

/// A timestamp moved forwards (or backwards) by a duration; `None` when it leaves the calendar.
pub fn add_duration(timestamp: i64, duration: Duration, backwards: bool) -> Option<i64> {
    let duration = if backwards { negate(duration) } else { duration };
    shift(from_millis(timestamp)?, duration).map(to_millis)
}

fn negate(Duration { months, millis }: Duration) -> Duration {
    Duration { months: months.saturating_neg(), millis: millis.saturating_neg() }
}

/// `DATE_ADD` and `DATE_SUBTRACT`: `(date, amount, unit[, zone])` or `(date, duration[, zone])`.
pub(super) fn add(host: &mut dyn Host, args: &[Value], function: &str, subtract: bool) -> Result<Value> {
    let Some(mut at) = read(host, function, &args[0])? else { return Ok(Value::Null) };
    let (duration, zone) = match &args[1..] {
        [Value::Str(duration), zone @ ..] if zone.len() < 2 => (parse_duration(duration), zone.first()),
        [amount, Value::Str(unit), zone @ ..] if amount.is_number() => {
            (Unit::parse(unit).map(|unit| unit.times(amount.as_f64().unwrap_or_default())), zone.first())
        }
        _ => return host.wrong_type(function),
    };
    let zone = match zone {
        None => None,
        Some(Value::Str(name)) => Some(name.as_str()),
        Some(_) => return host.wrong_type(function),
    };
    // an amount in a string, followed by its unit, looks like a duration with its zone
    if args.len() == 3 && zone.is_some_and(|name| !zone::exists(name)) {
        return host.wrong_type(function);
    }
    if let Some(name) = zone {
        at = zone::localize(name, at)?;
    }
    let moved = duration.and_then(|d| shift(at, if subtract { negate(d) } else { d }));
    let moved = match (moved, zone) {
        (Some(local), Some(name)) => Some(zone::unlocalize(name, local)?),
        (moved, _) => moved,
    };
    iso_value(host, function, moved)
}

/// `DATE_DIFF(date1, date2, unit[, asFloat][, zone1[, zone2]])`
pub(super) fn difference(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "DATE_DIFF";
    let Some(from) = read(host, NAME, &args[0])? else { return Ok(Value::Null) };
    let Some(to) = read(host, NAME, &args[1])? else { return Ok(Value::Null) };
    let Some(unit) = args[2].as_str() else { return host.wrong_type(NAME) };
    let (as_float, zones) = match &args[3..] {
        [Value::Bool(as_float), zones @ ..] => (*as_float, zones),
        zones => (false, zones),
    };
    let Some((from, to)) = localize_both(host, NAME, (from, to), zones)? else { return Ok(Value::Null) };
    let Some(unit) = Unit::parse(unit) else { return invalid_date(host, NAME) };
    let units = (to_millis(to) - to_millis(from)) as f64 / unit.millis() as f64;
    Ok(if as_float { number(units) } else { Value::Int(units.round() as i64) })
}

/// Two dates in their zones: none, one for both, or one each; `None`, with a warning, for anything else.
fn localize_both(
    host: &mut dyn Host,
    function: &str,
    (first, second): (DateTime, DateTime),
    zones: &[Value],
) -> Result<Option<(DateTime, DateTime)>> {
    let (zone1, zone2) = match zones {
        [] => return Ok(Some((first, second))),
        // where older versions have no zone, a word that is none is an argument of a wrong type
        [Value::Str(zone)] if zone::exists(zone) => (zone, zone),
        [Value::Str(zone1), Value::Str(zone2)] => (zone1, zone2),
        _ => {
            host.wrong_type(function)?;
            return Ok(None);
        }
    };
    Ok(Some((zone::localize(zone1, first)?, zone::localize(zone2, second)?)))
}

/// `DATE_COMPARE(date1, date2, unit[, lastUnit][, zone1[, zone2]])`: are they equal from one unit down to the other?
pub(super) fn compare(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "DATE_COMPARE";
    let Some(left) = read(host, NAME, &args[0])? else { return Ok(Value::Null) };
    let Some(right) = read(host, NAME, &args[1])? else { return Ok(Value::Null) };
    let Some(largest) = Unit::of(&args[2]) else { return host.wrong_type(NAME) };
    let (smallest, zones) = match args.get(3).and_then(Unit::of) {
        Some(unit) => (unit, &args[4..]),
        None => (largest, &args[3..]),
    };
    let Some((left, right)) = localize_both(host, NAME, (left, right), zones)? else { return Ok(Value::Null) };
    // weeks are no part of a date
    if largest == Unit::Week {
        return Ok(true.into());
    }
    let parts = |d: DateTime| {
        [
            (Unit::Year, d.year()),
            (Unit::Month, d.month().into()),
            (Unit::Day, d.day().into()),
            (Unit::Hour, d.hour().into()),
            (Unit::Minute, d.minute().into()),
            (Unit::Second, d.second().into()),
            (Unit::Millisecond, d.millisecond()),
        ]
    };
    let equal = parts(left)
        .into_iter()
        .zip(parts(right))
        .filter(|((unit, _), _)| *unit <= largest && *unit >= smallest)
        .all(|(left, right)| left == right);
    Ok(equal.into())
}

/// The civil time changed in the zone at the given position of the arguments, if there is one, and back in UTC.
fn in_zone(
    host: &mut dyn Host,
    function: &str,
    at: DateTime,
    zone: Option<&Value>,
    change: impl FnOnce(DateTime) -> Option<DateTime>,
) -> Result<Value> {
    let changed = match zone {
        None => change(at),
        Some(Value::Str(name)) => match change(zone::localize(name, at)?) {
            Some(local) => Some(zone::unlocalize(name, local)?),
            None => None,
        },
        Some(_) => return host.wrong_type(function),
    };
    iso_value(host, function, changed)
}

/// `DATE_TRUNC(date, unit[, zone])`
pub(super) fn truncate(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "DATE_TRUNC";
    let Some(at) = read(host, NAME, &args[0])? else { return Ok(Value::Null) };
    let Some(unit) = args[1].as_str() else { return host.wrong_type(NAME) };
    let unit = Unit::parse(unit).filter(|unit| *unit != Unit::Week);
    in_zone(host, NAME, at, args.get(2), |at| {
        let day = match unit? {
            Unit::Year => at.date().first_of_year(),
            Unit::Month => at.date().first_of_month(),
            _ => at.date(),
        };
        let millis = (to_millis(at) - to_millis(day.to_datetime(Time::midnight()))).min(DAY - 1);
        let kept = match unit? {
            unit if unit >= Unit::Day => 0,
            unit => millis - millis % unit.millis(),
        };
        day.to_datetime(Time::midnight()).checked_add(SignedDuration::from_millis(kept)).ok()
    })
}

/// `DATE_ROUND(date, amount, unit[, zone])`: down to a multiple of the amount since 1970.
pub(super) fn round(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "DATE_ROUND";
    let Some(at) = read(host, NAME, &args[0])? else { return Ok(Value::Null) };
    let amount = args[1].as_i64().filter(|amount| *amount > 0);
    // the units are not read in upper case here
    let unit = args[2].as_str().filter(|unit| !unit.contains(|c: char| c.is_ascii_uppercase())).and_then(Unit::parse);
    let bin = unit.filter(|unit| *unit <= Unit::Day).zip(amount).and_then(|(unit, n)| unit.millis().checked_mul(n));
    let Some(bin) = bin else { return host.wrong_type(NAME) };
    in_zone(host, NAME, at, args.get(3), |at| {
        let millis = to_millis(at);
        from_millis(millis - millis % bin)
    })
}
