//! When counting begins anew. Periods begin at midnight of the site, whatever its clock is to UTC on that day.

use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc, Weekday};

use crate::clock::Zone;

/// How often counting begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frequency {
    /// On 1 January.
    Year,
    /// On the first of the month.
    Month,
    /// On Monday.
    Week,
    /// At midnight.
    Day,
}

impl Frequency {
    /// The frequency of a name; `none` and everything else that is no frequency mean never.
    pub fn parse(name: Option<&str>) -> Option<Self> {
        match name? {
            "year" => Some(Self::Year),
            "month" => Some(Self::Month),
            "week" => Some(Self::Week),
            "day" => Some(Self::Day),
            _ => None,
        }
    }

    /// The beginning of the next period at the site.
    pub fn next_start(self, now: DateTime<Utc>, zone: &Zone) -> Option<DateTime<Utc>> {
        let today = zone.local(now).date_naive();
        let next = match self {
            Self::Year => NaiveDate::from_ymd_opt(today.year().checked_add(1)?, 1, 1),
            Self::Month => today.with_day(1)?.checked_add_months(Months::new(1)),
            Self::Week => today.week(Weekday::Mon).checked_last_day()?.succ_opt(),
            Self::Day => today.succ_opt(),
        };
        zone.instant(next?.and_time(NaiveTime::MIN))
    }

    /// `reset`, which has passed, moved ahead by whole units until it lies after `now`.
    pub fn after(self, reset: DateTime<Utc>, now: DateTime<Utc>, zone: &Zone) -> Option<DateTime<Utc>> {
        let (from, to) = (zone.local(reset).naive_local(), zone.local(now).naive_local());
        // Always from the date itself: 31 January, 28 February, 31 March.
        let mut units = self.units(from, to);
        loop {
            let next = zone.instant(self.add(from, units)?)?;
            if next > now {
                return Some(next);
            }
            units = units.checked_add(1)?;
        }
    }

    /// Whole units between two times, at most as many as there are.
    fn units(self, from: NaiveDateTime, to: NaiveDateTime) -> u32 {
        let months = i64::from(to.year() - from.year()) * 12 + i64::from(to.month()) - i64::from(from.month());
        let units = match self {
            Self::Year => months / 12,
            Self::Month => months,
            Self::Week => (to - from).num_weeks(),
            Self::Day => (to - from).num_days(),
        };
        u32::try_from(units).unwrap_or_default()
    }

    fn add(self, from: NaiveDateTime, units: u32) -> Option<NaiveDateTime> {
        match self {
            Self::Year => from.checked_add_months(Months::new(units.checked_mul(12)?)),
            Self::Month => from.checked_add_months(Months::new(units)),
            Self::Week => from.checked_add_signed(TimeDelta::weeks(units.into())),
            Self::Day => from.checked_add_signed(TimeDelta::days(units.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    fn at(text: &str) -> DateTime<Utc> {
        clock::parse(text).unwrap()
    }

    fn zone(name: &str) -> Zone {
        Zone::of(name).unwrap()
    }

    fn shown(time: Option<DateTime<Utc>>) -> String {
        time.map(|time| time.format("%Y-%m-%dT%H:%M").to_string()).unwrap_or_default()
    }

    const ALL: [Frequency; 4] = [Frequency::Year, Frequency::Month, Frequency::Week, Frequency::Day];

    #[test]
    fn the_next_period_begins_at_midnight_of_the_site() {
        let rome = &zone("Europe/Rome");
        // A Monday, half past midnight at the site: 1 June 2026.
        let now = at("2026-05-31T22:30:00");
        let found = ALL.map(|frequency| shown(frequency.next_start(now, rome)));
        assert_eq!(found, ["2026-12-31T23:00", "2026-06-30T22:00", "2026-06-07T22:00", "2026-06-01T22:00"]);
        let found = ALL.map(|frequency| shown(frequency.next_start(now, &Zone::UTC)));
        assert_eq!(found, ["2027-01-01T00:00", "2026-06-01T00:00", "2026-06-01T00:00", "2026-06-01T00:00"]);
    }

    #[test]
    fn every_frequency_moves_the_reset_date_past_now() {
        let now = at("2026-05-04T08:00:00");
        let found = ALL.map(|frequency| shown(frequency.after(at("2023-01-01T00:00:00"), now, &Zone::UTC)));
        assert_eq!(found, ["2027-01-01T00:00", "2026-06-01T00:00", "2026-05-10T00:00", "2026-05-05T00:00"]);
        let found = ALL.map(|frequency| shown(frequency.after(now, now, &Zone::UTC)));
        assert_eq!(found, ["2027-05-04T08:00", "2026-06-04T08:00", "2026-05-11T08:00", "2026-05-05T08:00"]);
    }

    #[test]
    fn months_are_those_of_the_site_and_keep_the_day() {
        // 1 February at the site is 31 January in UTC.
        let found = Frequency::Month.after(at("2026-01-31T23:00:00"), at("2026-02-28T22:59:00"), &zone("Europe/Rome"));
        assert_eq!(shown(found), "2026-02-28T23:00");
        let found = Frequency::Month.after(at("2026-01-31T00:00:00"), at("2026-03-15T00:00:00"), &Zone::UTC);
        assert_eq!(shown(found), "2026-03-31T00:00");
    }

    #[test]
    fn midnight_stays_midnight_when_the_clocks_change() {
        // Rome's summer time begins on 29 March 2026.
        let found = Frequency::Day.after(at("2026-03-28T23:00:00"), at("2026-03-29T12:00:00"), &zone("Europe/Rome"));
        assert_eq!(shown(found), "2026-03-29T22:00");
        // In Beirut the clocks skip that midnight itself.
        let found = Frequency::Day.after(at("2026-03-27T22:00:00"), at("2026-03-28T12:00:00"), &zone("Asia/Beirut"));
        assert_eq!(shown(found), "2026-03-28T22:00");
    }

    #[test]
    fn a_reset_date_of_long_ago_is_no_long_way() {
        let found = Frequency::Day.after(at("0001-01-01T00:00:00"), at("2026-05-04T08:00:00"), &Zone::UTC);
        assert_eq!(shown(found), "2026-05-05T00:00");
    }
}
