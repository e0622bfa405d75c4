//! Times of the factory: written in the files without an offset, counted in working minutes.

use chrono::{Datelike, NaiveDate, NaiveDateTime, TimeDelta, Weekday};
use toml::value::{Date, Datetime, Time};

use crate::clock;

/// Minutes of a working day, which begins when the order begins.
const DAY: u32 = 8 * 60;

/// A date with a time, as the files write it.
pub fn time(written: &Datetime) -> Result<NaiveDateTime, String> {
    match (written.date, written.time) {
        (Some(date), Some(time)) => at(date, time),
        _ => None,
    }
    .ok_or_else(|| format!("`{written}` must be a date with a time"))
}

fn at(date: Date, time: Time) -> Option<NaiveDateTime> {
    day(date)?.and_hms_opt(time.hour.into(), time.minute.into(), time.second.unwrap_or_default().into())
}

fn day(date: Date) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
}

/// How a time is stored.
pub fn stored(time: NaiveDateTime) -> String {
    clock::stored(time.and_utc())
}

/// How a date or time of the files is stored: a mere date stays one.
pub fn stored_as_written(written: &Datetime) -> Result<String, String> {
    match (written.date, written.time) {
        (Some(date), None) => Ok(date.to_string()),
        _ => Ok(stored(time(written)?)),
    }
}

/// The time after so many minutes of work: eight hours a day, no weekends.
pub fn after(begin: NaiveDateTime, minutes: u32) -> NaiveDateTime {
    let mut time = begin;
    for _ in 0..minutes / DAY {
        time += TimeDelta::days(1);
        while matches!(time.weekday(), Weekday::Sat | Weekday::Sun) {
            time += TimeDelta::days(1);
        }
    }
    time + TimeDelta::minutes((minutes % DAY).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_goes_on_at_the_next_working_day() {
        let friday: Datetime = "2026-05-08T08:00:00".parse().unwrap();
        let friday = time(&friday).unwrap();
        assert_eq!(stored(after(friday, 60)), "2026-05-08T09:00:00.000000+00:00");
        assert_eq!(stored(after(friday, DAY + 30)), "2026-05-11T08:30:00.000000+00:00");
    }
}
