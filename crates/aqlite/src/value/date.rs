//! Dates as strings: read here, because an index that lets documents expire has to, and not only the functions of dates.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};

/// The beginning of 1970.
pub(crate) const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
/// A date as milliseconds since 1970.
pub(crate) fn to_millis(at: DateTime) -> i64 {
    at.duration_since(EPOCH).as_millis() as i64
}

/// The date of a day counted from the first of a month counted from the first of a year; both may be out of range.
pub(crate) fn civil(year: i64, month: i64, day: i64) -> Option<Date> {
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let year = i16::try_from(months.div_euclid(12)).ok()?;
    let first = Date::new(year, months.rem_euclid(12) as i8 + 1, 1).ok()?;
    let hours = day.checked_sub(1)?.checked_mul(24).filter(|hours| hours.abs() < 1_000_000_000)?;
    first.checked_add(SignedDuration::from_hours(hours)).ok()
}

/// A date string: the year, optionally the rest of the date, the time from hour and minute on, and the zone.
pub(crate) fn date_time(text: &str) -> Option<DateTime> {
    let mut rest = text.trim_start_matches(WHITE_SPACE);
    rest = rest.strip_prefix('+').unwrap_or(rest).trim_end_matches(WHITE_SPACE);

    let year = digits(&mut rest).map(|year| year.trim_start_matches('0')).filter(|year| year.len() <= 4)?;
    let year = if year.is_empty() { 0 } else { year.parse().ok()? };
    let mut month = 1;
    let mut day = 1;
    if take(&mut rest, '-') {
        month = two_digits(&mut rest, 1, 12)?;
        if take(&mut rest, '-') {
            day = two_digits(&mut rest, 1, 31)?;
        }
    }
    let mut seconds = 0;
    let mut millis = 0;
    if take(&mut rest, 'T') || take(&mut rest, ' ') {
        seconds = two_digits(&mut rest, 0, 23)? * 3600;
        if !take(&mut rest, ':') {
            return None;
        }
        seconds += two_digits(&mut rest, 0, 59)? * 60;
        if take(&mut rest, ':') {
            seconds += two_digits(&mut rest, 0, 59)?;
            if take(&mut rest, '.') {
                millis = thousandths(digits(&mut rest)?)?;
            }
        }
    }
    let mut offset = 0;
    if !take(&mut rest, 'Z') && !take(&mut rest, 'z') {
        let sign = if take(&mut rest, '+') {
            1
        } else if take(&mut rest, '-') {
            -1
        } else {
            0
        };
        if sign != 0 {
            offset = sign * two_digits(&mut rest, 0, 23)? * 60;
            if !take(&mut rest, ':') {
                return None;
            }
            // ArangoDB adds the minutes whatever the sign; what it has stored that way must read back the same
            offset += two_digits(&mut rest, 0, 59)?;
        }
    }
    if !rest.is_empty() {
        return None;
    }
    // the 31st of a shorter month is a day of the next one
    let time = SignedDuration::from_secs(seconds - offset * 60) + SignedDuration::from_millis(millis);
    let at = civil(year, month, day)?.to_datetime(Time::midnight()).checked_add(time).ok()?;
    (at.year() >= 0).then_some(at)
}

const WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

pub(crate) fn take(rest: &mut &str, expected: char) -> bool {
    match rest.strip_prefix(expected) {
        Some(shorter) => {
            *rest = shorter;
            true
        }
        None => false,
    }
}

/// The digits up to the next other character; at least one.
pub(crate) fn digits<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, shorter) = rest.split_at(end);
    *rest = shorter;
    (!digits.is_empty()).then_some(digits)
}

fn two_digits(rest: &mut &str, least: i64, greatest: i64) -> Option<i64> {
    let number = digits(rest).filter(|digits| digits.len() <= 2)?.parse().ok()?;
    (least..=greatest).contains(&number).then_some(number)
}

/// The first three digits after a decimal point.
pub(crate) fn thousandths(digits: &str) -> Option<i64> {
    format!("{digits:0<3}").get(..3)?.parse().ok()
}
