//! Numbers of others that are to be a time, a number of things or a size. All of them go through here: what does not fit is
//! told apart or made to fit, so that nothing that is reckoned with it later can fail.

use std::time::Duration;

use super::Value;

/// Nobody waits longer. It can be added to any moment.
const LONGEST: Duration = Duration::from_hours(100 * 365 * 24);

/// Seconds as a time: none where it is negative or no number, and never more than a hundred years.
fn seconds(number: f64) -> Duration {
    // what is no number is not greater than 0 either
    Duration::try_from_secs_f64(number.max(0.0)).unwrap_or(LONGEST).min(LONGEST)
}

impl Value {
    /// The time that this many seconds are; `None` where it is no number.
    pub fn as_seconds(&self) -> Option<Duration> {
        self.as_f64().map(seconds)
    }

    /// How many things or bytes it says, its fraction cut off: more than there can be are as many as there can be. `None`
    /// where it is no number, or less than none.
    pub fn as_amount(&self) -> Option<usize> {
        self.as_f64().filter(|number| *number >= 0.0)?;
        self.as_i64().map(|number| usize::try_from(number).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_time_can_be_added_to_any_moment() {
        for number in [f64::NAN, f64::NEG_INFINITY, -1e300, -1.0, -0.0] {
            assert_eq!(seconds(number), Duration::ZERO, "{number}");
        }
        for number in [1e-300, 0.25, 1e9, 1.9e19, 1e300, f64::MAX, f64::INFINITY] {
            assert!(Instant::now().checked_add(seconds(number)).is_some(), "{number}");
        }
        assert_eq!(seconds(0.25), Duration::from_millis(250));
        assert_eq!(seconds(f64::INFINITY), LONGEST);
    }

    #[test]
    fn an_amount_is_none_or_fits() {
        let amounts = [(0.0, Some(0)), (2.9, Some(2)), (1e300, Some(i64::MAX as usize)), (-0.5, None), (-1e300, None)];
        for (number, amount) in amounts {
            assert_eq!(Value::float(number).as_amount(), amount, "{number}");
        }
        assert_eq!((Value::Int(i64::MAX).as_amount(), Value::Int(-1).as_amount()), (Some(i64::MAX as usize), None));
        assert_eq!(
            (Value::Null.as_amount(), Value::str("1").as_amount(), Value::Null.as_seconds()),
            (None, None, None)
        );
    }
}
