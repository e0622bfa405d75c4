//! Times as they are stored: ISO 8601 in UTC with microseconds and offset. A [`Zone`] tells what the clocks of a site show.

mod zone;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Utc};

pub use self::zone::Zone;

/// A time in the stored form, such as `2026-05-04T08:00:00.123456+00:00`.
pub fn stored(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Micros, false)
}

/// The present time in the stored form.
pub fn now() -> String {
    stored(Utc::now())
}

/// A time as requests write it: with an offset, without one (then it means UTC), or a mere date (then its midnight). In a
/// query string a plus sign may have become a blank.
pub fn parse(text: &str) -> Option<DateTime<Utc>> {
    let (day, rest) = text.trim().split_at_checked(10)?;
    let day = NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()?;
    if rest.is_empty() {
        return Some(day.and_time(NaiveTime::MIN).and_utc());
    }
    let time = rest.strip_prefix(['T', 't', ' '])?.replace(' ', "+");
    let whole = format!("{}T{time}", day.format("%Y-%m-%d"));
    // Seconds may be left out, and so may the minutes of an offset.
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"].iter().find_map(|format| {
        let with_offset = DateTime::parse_from_str(&whole, &format!("{format}%#z")).map(|time| time.to_utc());
        with_offset.or_else(|_| NaiveDateTime::parse_from_str(&whole, format).map(|time| time.and_utc())).ok()
    })
}

/// What is planned for a day or a time, in the stored form: a date stays a date.
pub fn day_or_time(text: &str) -> Option<String> {
    let time = parse(text)?;
    let text = text.trim();
    Some(if text.len() == 10 { text.to_owned() } else { stored(time) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planned_date_stays_a_date() {
        assert_eq!(day_or_time(" 2026-05-04 ").as_deref(), Some("2026-05-04"));
        assert_eq!(day_or_time("2026-05-04T10:00+02:00").as_deref(), Some("2026-05-04T08:00:00.000000+00:00"));
        assert_eq!(day_or_time("soon"), None);
    }

    #[test]
    fn times_carry_microseconds_and_offset() {
        let time = DateTime::from_timestamp(1_777_881_600, 123_456_789).unwrap();
        assert_eq!(stored(time), "2026-05-04T08:00:00.123456+00:00");
    }

    #[test]
    fn times_are_read_with_and_without_an_offset() {
        let read = |text: &str| parse(text).map(stored).unwrap_or_default();
        assert_eq!(read("2026-05-04T10:00:00.5+02:00"), "2026-05-04T08:00:00.500000+00:00");
        assert_eq!(read("2026-05-04T10:00:00 02:00"), "2026-05-04T08:00:00.000000+00:00");
        assert_eq!(read("2026-05-04T08:00:00.000Z"), "2026-05-04T08:00:00.000000+00:00");
        assert_eq!(read("2026-05-04 08:00:00"), "2026-05-04T08:00:00.000000+00:00");
        assert_eq!(read("2026-05-04T08:00"), "2026-05-04T08:00:00.000000+00:00");
        for text in
            ["2026-05-04T08:00Z", "2026-05-04T10:00+02:00", "2026-05-04T10:00:00+02", "2026-05-04t10:00:00+0200"]
        {
            assert_eq!(read(text), "2026-05-04T08:00:00.000000+00:00", "{text}");
        }
        assert_eq!(read("2026-05-04"), "2026-05-04T00:00:00.000000+00:00");
        for text in [
            "yesterday",
            "2026-02-30",
            "2026-05-041",
            "2026-05-04T25:00:00",
            "2026-05-04T08:00:00Q",
            "2026-05-04T08:00:00+99:00",
            "é026-05-04T",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
