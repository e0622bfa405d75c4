//! Moments as ArangoDB writes them.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// `2026-01-31T12:00:00Z`
pub fn iso_seconds(moment: SystemTime) -> String {
    Timestamp::try_from(moment).unwrap_or(Timestamp::UNIX_EPOCH).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Seconds since 1970.
pub fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_to_the_second_in_utc() {
        assert_eq!(iso_seconds(UNIX_EPOCH + std::time::Duration::from_millis(86_400_900)), "1970-01-02T00:00:00Z");
    }
}
