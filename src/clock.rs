//! Times as they are stored: ISO 8601 in UTC with microseconds and offset.

use chrono::{DateTime, Utc};

/// A time in the stored form, such as `2026-05-04T08:00:00.123456+00:00`.
pub fn stored(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}

/// The present time in the stored form.
pub fn now() -> String {
    stored(Utc::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_carry_microseconds_and_offset() {
        let time = DateTime::from_timestamp(1_777_881_600, 123_456_789).unwrap();
        assert_eq!(stored(time), "2026-05-04T08:00:00.123456+00:00");
    }
}
