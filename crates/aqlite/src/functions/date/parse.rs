//! Reading date strings and ISO 8601 durations.

use jiff::SignedDuration;
use jiff::civil::{DateTime, Time};

use super::civil;

/// A date string: the year, optionally the rest of the date, the time from hour and minute on, and the zone.
pub(super) fn date_time(text: &str) -> Option<DateTime> {
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

fn take(rest: &mut &str, expected: char) -> bool {
    match rest.strip_prefix(expected) {
        Some(shorter) => {
            *rest = shorter;
            true
        }
        None => false,
    }
}

/// The digits up to the next other character; at least one.
fn digits<'a>(rest: &mut &'a str) -> Option<&'a str> {
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
fn thousandths(digits: &str) -> Option<i64> {
    format!("{digits:0<3}").get(..3)?.parse().ok()
}

/// An ISO 8601 duration such as `P1Y2M3W4DT5H6M7.89S`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Duration {
    /// Years and months, in months: how long they are depends on where they are added.
    pub months: i64,
    /// Everything else.
    pub millis: i64,
}

/// Reads an ISO 8601 duration; `None` when it is none.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.strip_prefix('P').filter(|rest| !rest.is_empty())?;
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    let [years, months, weeks, days] = fields(date, ['Y', 'M', 'W', 'D'])?;

    // only seconds have a fraction
    let (time, fraction) = match time.split_once(['.', ',']) {
        Some((time, fraction)) => (format!("{time}S"), fraction.strip_suffix('S')?),
        None => (time.to_owned(), ""),
    };
    if fraction.len() > 3 || fraction.bytes().any(|b| !b.is_ascii_digit()) {
        return None;
    }
    let fraction = if fraction.is_empty() { 0 } else { thousandths(fraction)? };
    let [hours, minutes, seconds, _] = fields(&time, ['H', 'M', 'S', '\0'])?;

    let days = weeks.checked_mul(7)?.checked_add(days)?;
    let minutes = days.checked_mul(24)?.checked_add(hours)?.checked_mul(60)?.checked_add(minutes)?;
    let millis = minutes.checked_mul(60)?.checked_add(seconds)?.checked_mul(1000)?.checked_add(fraction)?;
    Some(Duration { months: years.checked_mul(12)?.checked_add(months)?, millis })
}

/// Numbers followed by their designators, each at most once and in this order.
fn fields(mut text: &str, designators: [char; 4]) -> Option<[i64; 4]> {
    let mut values = [0; 4];
    let mut next = 0;
    while !text.is_empty() {
        let number = digits(&mut text)?.parse().ok()?;
        let found = designators[next..].iter().position(|designator| take(&mut text, *designator))?;
        values[next + found] = number;
        next += found + 1;
    }
    Some(values)
}
