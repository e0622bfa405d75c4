//! The time zone of a site: what its clocks show, and when they show it.

use std::sync::LazyLock;

use chrono::{DateTime, Datelike, FixedOffset, NaiveDateTime, Offset as _, Timelike, Utc};
use jiff::Timestamp;
use jiff::civil;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};

/// The database inside the program, so that codes do not depend on the machine.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A time zone with a name, such as `Europe/Rome`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    /// Where the clocks never change.
    pub const UTC: Self = Self(TimeZone::UTC);

    /// The zone of a name.
    pub fn of(name: &str) -> Option<Self> {
        // The database ignores case, other programs that read the same name do not.
        ZONES.get(name).ok().filter(|zone| zone.iana_name() == Some(name)).map(Self)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// What its clocks show at a moment.
    pub fn local(&self, time: DateTime<Utc>) -> DateTime<FixedOffset> {
        // After the year 9999 they go on as in its last second.
        let moment = Timestamp::from_second(time.timestamp()).unwrap_or(Timestamp::MAX);
        // No zone is a day away from UTC.
        let offset = FixedOffset::east_opt(self.0.to_offset(moment).seconds()).unwrap_or(Utc.fix());
        time.with_timezone(&offset)
    }

    /// The moment at which its clocks show a time. Where they show it twice it is the first; where they skip it, the first
    /// moment after.
    pub fn instant(&self, shown: NaiveDateTime) -> Option<DateTime<Utc>> {
        let found = self.0.to_ambiguous_timestamp(civil_time(shown)?);
        let is_skipped = matches!(found.offset(), AmbiguousOffset::Gap { .. });
        let earlier = found.earlier().ok()?;
        if is_skipped {
            let change = self.0.following(earlier).next()?;
            return DateTime::from_timestamp(change.timestamp().as_second(), 0);
        }
        DateTime::from_timestamp(earlier.as_second(), shown.nanosecond())
    }
}

fn civil_time(time: NaiveDateTime) -> Option<civil::DateTime> {
    let part = |part: u32| i8::try_from(part).ok();
    let year = i16::try_from(time.year()).ok()?;
    let (hour, minute, second) = (part(time.hour())?, part(time.minute())?, part(time.second())?);
    civil::DateTime::new(year, part(time.month())?, part(time.day())?, hour, minute, second, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{parse, stored};

    fn shown(zone: &str, time: &str) -> String {
        let local = Zone::of(zone).unwrap().local(parse(time).unwrap());
        local.format("%Y-%m-%dT%H:%M:%S%.f").to_string()
    }

    fn moment(zone: &str, shown: &str) -> String {
        stored(Zone::of(zone).unwrap().instant(parse(shown).unwrap().naive_utc()).unwrap())
    }

    #[test]
    fn clocks_show_the_time_of_their_zone_in_summer_and_winter() {
        assert_eq!(shown("Europe/Rome", "2026-07-01T12:00:00.5"), "2026-07-01T14:00:00.500");
        assert_eq!(shown("Europe/Rome", "2026-12-31T23:00:00"), "2027-01-01T00:00:00");
        assert_eq!(shown("UTC", "2026-12-31T23:00:00"), "2026-12-31T23:00:00");
        assert_eq!(moment("Europe/Rome", "2026-07-01T14:00:00.5"), "2026-07-01T12:00:00.500000+00:00");
    }

    #[test]
    fn a_time_that_is_shown_twice_is_the_first() {
        assert_eq!(moment("Europe/Rome", "2026-10-25T02:30:00"), "2026-10-25T00:30:00.000000+00:00");
    }

    #[test]
    fn a_time_that_is_skipped_is_the_first_moment_after() {
        let change = "2026-03-29T01:00:00.000000+00:00";
        for skipped in ["2026-03-29T02:00:00", "2026-03-29T02:59:59.5", "2026-03-29T03:00:00"] {
            assert_eq!(moment("Europe/Rome", skipped), change, "{skipped}");
        }
        // Samoa went to the other side of the date line: 30 December 2011 was left out.
        assert_eq!(moment("Pacific/Apia", "2011-12-30T00:00:00"), "2011-12-30T10:00:00.000000+00:00");
    }

    #[test]
    fn a_zone_has_the_name_it_was_found_by() {
        for name in ["UTC", "Etc/UTC", "Europe/Rome", "Europe/Kiev", "America/Argentina/Buenos_Aires"] {
            assert_eq!(Zone::of(name).as_ref().map(Zone::name), Some(name));
        }
        assert_eq!(Zone::UTC.name(), "UTC");
        for name in ["", "Rome", "europe/rome", "Europe/Rome ", "../UTC", "+02:00"] {
            assert_eq!(Zone::of(name), None, "{name}");
        }
    }
}
