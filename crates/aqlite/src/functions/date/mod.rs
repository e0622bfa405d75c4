//! Functions of dates: timestamps in milliseconds since 1970 and ISO 8601 strings, between the years 0 and 9999.
//!
//! A date is held as the civil time it shows in the zone it is looked at in; without a zone that is UTC.

mod arithmetic;
mod format;
mod parse;
mod zone;

use jiff::SignedDuration;
use jiff::civil::{DateTime, Weekday};

use crate::Result;
use crate::error::{Error, code};
use crate::value::Value;
use crate::value::date::{EPOCH, civil, date_time, to_millis};

use super::array::warn_in;
use super::{Function, Host, impure, pure};

pub use arithmetic::add_duration;
pub use parse::{Duration, parse_duration};

/// The functions of this family.
pub const FUNCTIONS: &[Function] = &[
    pure("DATE_ADD", 2, 4, |h, a| arithmetic::add(h, a, "DATE_ADD", false)),
    pure("DATE_COMPARE", 3, 6, arithmetic::compare),
    pure("DATE_DAY", 1, 2, |h, a| part(h, a, "DATE_DAY", |d| i64::from(d.day()).into())),
    pure("DATE_DAYOFWEEK", 1, 2, |h, a| part(h, a, "DATE_DAYOFWEEK", |d| day_of_week(d).into())),
    pure("DATE_DAYOFYEAR", 1, 2, |h, a| part(h, a, "DATE_DAYOFYEAR", |d| i64::from(d.day_of_year()).into())),
    pure("DATE_DAYS_IN_MONTH", 1, 2, |h, a| part(h, a, "DATE_DAYS_IN_MONTH", |d| i64::from(d.days_in_month()).into())),
    pure("DATE_DIFF", 3, 6, arithmetic::difference),
    pure("DATE_FORMAT", 2, 3, date_format),
    pure("DATE_HOUR", 1, 2, |h, a| part(h, a, "DATE_HOUR", |d| i64::from(d.hour()).into())),
    pure("DATE_ISO8601", 1, 7, date_iso8601),
    pure("DATE_ISOWEEK", 1, 2, |h, a| part(h, a, "DATE_ISOWEEK", |d| iso_week(d).1.into())),
    pure("DATE_ISOWEEKYEAR", 1, 2, |h, a| part(h, a, "DATE_ISOWEEKYEAR", iso_week_and_year)),
    pure("DATE_LEAPYEAR", 1, 2, |h, a| part(h, a, "DATE_LEAPYEAR", |d| d.in_leap_year().into())),
    pure("DATE_LOCALTOUTC", 2, 3, zone::local_to_utc),
    pure("DATE_MILLISECOND", 1, 1, |h, a| part(h, a, "DATE_MILLISECOND", |d| i64::from(d.millisecond()).into())),
    pure("DATE_MINUTE", 1, 2, |h, a| part(h, a, "DATE_MINUTE", |d| i64::from(d.minute()).into())),
    pure("DATE_MONTH", 1, 2, |h, a| part(h, a, "DATE_MONTH", |d| i64::from(d.month()).into())),
    impure("DATE_NOW", 0, 0, |h, _| Ok(h.now().into())),
    pure("DATE_QUARTER", 1, 2, |h, a| part(h, a, "DATE_QUARTER", |d| quarter(d).into())),
    pure("DATE_ROUND", 3, 4, arithmetic::round),
    pure("DATE_SECOND", 1, 1, |h, a| part(h, a, "DATE_SECOND", |d| i64::from(d.second()).into())),
    pure("DATE_SUBTRACT", 2, 4, |h, a| arithmetic::add(h, a, "DATE_SUBTRACT", true)),
    pure("DATE_TIMESTAMP", 1, 7, date_timestamp),
    pure("DATE_TIMEZONE", 0, 0, zone::current),
    pure("DATE_TIMEZONES", 0, 0, zone::all),
    pure("DATE_TRUNC", 2, 3, arithmetic::truncate),
    pure("DATE_UTCTOLOCAL", 2, 3, zone::utc_to_local),
    pure("DATE_YEAR", 1, 2, |h, a| part(h, a, "DATE_YEAR", |d| i64::from(d.year()).into())),
    pure("IS_DATESTRING", 1, 1, |_, a| Ok(a[0].as_str().is_some_and(|s| date_time(s).is_some()).into())),
];

/// 0000-01-01T00:00:00.000Z
const FIRST: i64 = -62_167_219_200_000;
/// 9999-12-31T23:59:59.999Z
const LAST: i64 = 253_402_300_799_999;

/// Milliseconds since 1970 as a date.
fn from_millis(millis: i64) -> Option<DateTime> {
    EPOCH.checked_add(SignedDuration::from_millis(millis)).ok()
}

/// A date as ArangoDB writes it; `None` outside of the years it can write.
fn iso(at: DateTime, utc: bool) -> Option<String> {
    if at.year() < 0 {
        return None;
    }
    let (year, month, day, millis) = (at.year(), at.month(), at.day(), at.millisecond());
    let (hour, minute, second) = (at.hour(), at.minute(), at.second());
    let zone = if utc { "Z" } else { "" };
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}{zone}"))
}

/// Warning 1572 for the named function.
fn invalid_date(host: &mut dyn Host, function: &str) -> Result<Value> {
    warn_in(host, function, code::QUERY_INVALID_DATE_VALUE)
}

/// The result of a function that returns a date.
fn iso_value(host: &mut dyn Host, function: &str, at: Option<DateTime>) -> Result<Value> {
    match at.and_then(|at| iso(at, true)) {
        Some(text) => Ok(text.into()),
        None => invalid_date(host, function),
    }
}

/// The date an argument stands for: a timestamp or a string; otherwise `None`, with a warning.
fn read(host: &mut dyn Host, function: &str, value: &Value) -> Result<Option<DateTime>> {
    let at = match value {
        Value::Int(millis) => from_millis(*millis).filter(|_| (FIRST..=LAST).contains(millis)),
        Value::Float(millis) if millis.abs() >= i64::MAX as f64 => {
            return Err(Error::new(code::INTERNAL, "Number out of range"));
        }
        Value::Float(millis) => {
            let millis = *millis as i64;
            from_millis(millis).filter(|_| (FIRST..=LAST).contains(&millis))
        }
        Value::Str(text) => date_time(text),
        _ => {
            host.wrong_type(function)?;
            return Ok(None);
        }
    };
    if at.is_none() {
        invalid_date(host, function)?;
    }
    Ok(at)
}

/// Milliseconds since 1970 of a timestamp or of a date string.
pub fn timestamp(value: &Value) -> Option<i64> {
    match value {
        Value::Str(text) => date_time(text).map(to_millis),
        _ => value.as_i64().filter(|millis| (FIRST..=LAST).contains(millis)),
    }
}

/// Part of a date, in UTC or in the zone of the second argument.
fn part(host: &mut dyn Host, args: &[Value], function: &str, f: fn(DateTime) -> Value) -> Result<Value> {
    let Some(mut at) = read(host, function, &args[0])? else { return Ok(Value::Null) };
    if let Some(name) = args.get(1) {
        let Some(name) = name.as_str() else { return host.wrong_type(function) };
        at = zone::localize(name, at)?;
    }
    Ok(f(at))
}

fn day_of_week(at: DateTime) -> i64 {
    i64::from(at.weekday().to_sunday_zero_offset())
}

fn quarter(at: DateTime) -> i64 {
    i64::from((at.month() + 2) / 3)
}

/// Year and number of the ISO week: weeks begin on Monday and belong to the year their Thursday is in.
fn iso_week(at: DateTime) -> (i64, i64) {
    let date = at.date();
    let to_thursday = i64::from(Weekday::Thursday.to_monday_zero_offset() - date.weekday().to_monday_zero_offset());
    // only at the ends of the calendar there is no such Thursday
    let thursday = date.checked_add(SignedDuration::from_hours(24 * to_thursday)).unwrap_or(date);
    (i64::from(thursday.year()), (i64::from(thursday.day_of_year()) - 1) / 7 + 1)
}

fn iso_week_and_year(at: DateTime) -> Value {
    let (year, week) = iso_week(at);
    Value::from_pairs([("week", week.into()), ("year", year.into())])
}

fn date_format(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "DATE_FORMAT";
    let Some(mut at) = read(host, NAME, &args[0])? else { return Ok(Value::Null) };
    let Some(pattern) = args[1].as_str() else { return host.wrong_type(NAME) };
    if let Some(name) = args.get(2) {
        let Some(name) = name.as_str() else { return host.wrong_type(NAME) };
        at = zone::localize(name, at)?;
    }
    Ok(format::format(pattern, at).into())
}

fn date_timestamp(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    Ok(compose(host, args, "DATE_TIMESTAMP")?.map_or(Value::Null, Value::Int))
}

fn date_iso8601(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match compose(host, args, "DATE_ISO8601")? {
        Some(millis) => iso_value(host, "DATE_ISO8601", from_millis(millis)),
        None => Ok(Value::Null),
    }
}

/// Milliseconds since 1970 of one argument, or of year, month, day and as much of the time as is given. Parts that are too
/// large carry over into the next larger one.
fn compose(host: &mut dyn Host, args: &[Value], function: &str) -> Result<Option<i64>> {
    if let [value] = args {
        return Ok(read(host, function, value)?.map(to_millis));
    }
    if args.len() < 3 || !args.iter().all(|value| value.is_number() || value.is_string()) {
        host.wrong_type(function)?;
        return Ok(None);
    }
    let millis = compose_parts(&args.iter().map(Value::to_i64).collect::<Result<Vec<_>>>()?);
    if millis.is_none() {
        invalid_date(host, function)?;
    }
    Ok(millis)
}

fn compose_parts(parts: &[i64]) -> Option<i64> {
    if parts.iter().any(|part| *part < 0) || parts.first().is_some_and(|year| *year > 9999) {
        return None;
    }
    let part = |position: usize| parts.get(position).copied().unwrap_or_default();
    let minutes = part(3).checked_mul(60)?.checked_add(part(4))?;
    let millis = minutes.checked_mul(60)?.checked_add(part(5))?.checked_mul(1000)?.checked_add(part(6).min(999))?;
    // ArangoDB's calendar has room for months and days of one byte each
    let days = days_since_1970(part(0), part(1) & 0xff, part(2) & 0xff);
    days.checked_mul(24 * 60 * 60 * 1000)?.checked_add(millis)
}

/// Years begin in March, so that the months follow a pattern; behind the next February it goes on, though no month of a
/// calendar does.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    const MARCH_OF_YEAR_0: i64 = -719_468;
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    MARCH_OF_YEAR_0 + year * 365 + leap_days + (153 * month + 2) / 5 + day - 1
}

#[cfg(test)]
mod tests;
