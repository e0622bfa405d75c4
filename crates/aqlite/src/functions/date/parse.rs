//! Reading ISO 8601 durations.

use crate::value::date::{digits, take, thousandths};

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
        None => (time.to_owned(), "0"),
    };
    if !(1..=3).contains(&fraction.len()) || fraction.bytes().any(|b| !b.is_ascii_digit()) {
        return None;
    }
    let fraction = thousandths(fraction)?;
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
