//! Quantities are decimals: compared with a tolerance, stored with six places.

/// Quantities that differ by no more are the same.
pub const EPSILON: f64 = 1e-6;
/// Places behind the point, as a factor.
const PLACES: f64 = 1e6;

/// Whether two quantities are the same.
pub fn same(one: f64, other: f64) -> bool {
    (one - other).abs() <= EPSILON
}

/// Whether a quantity is more than another.
pub fn exceeds(one: f64, other: f64) -> bool {
    one - other > EPSILON
}

/// Whether a quantity is no more than another.
pub fn fits(one: f64, other: f64) -> bool {
    !exceeds(one, other)
}

/// Whether a quantity counts whole pieces.
pub fn is_whole(quantity: f64) -> bool {
    same(quantity, quantity.round())
}

/// A quantity, value or cost as it is stored: six places, half away from zero. Zero has no sign: the sum of nothing is -0.
pub fn rounded(quantity: f64) -> f64 {
    (quantity * PLACES).round() / PLACES + 0.0
}

/// What is done of a job's steps while a batch is worked on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// All steps of the job.
    pub all: u64,
    /// Those that are done for the active batch.
    pub done: u64,
    /// Pieces of the active batch.
    pub batch: f64,
}

/// How far a job has come, from 0 to 100. Steps count while every one of them has to be completed.
pub fn job_progress(planned: f64, completed: f64, steps: Option<Steps>) -> i64 {
    if planned <= EPSILON {
        return 100;
    }
    let in_work = steps.filter(|steps| steps.all > 0);
    let part = in_work.map_or(0.0, |steps| steps.batch / planned * steps.done as f64 / steps.all as f64);
    percent(completed / planned + part)
}

/// A share as a whole number from 0 to 100.
pub fn percent(share: f64) -> i64 {
    (100.0 * share).round().clamp(0.0, 100.0) as i64
}

/// The quantity of a job's next batch. A size of 0 means all that is left.
pub fn next_batch(planned: f64, completed: f64, in_work: f64, size: f64) -> f64 {
    let rest = (planned - completed - in_work).max(0.0);
    if size > 0.0 { rest.min(size) } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_compared_with_a_tolerance() {
        assert!(same(0.1 + 0.2, 0.3));
        assert!(fits(0.1 + 0.2, 0.3) && !exceeds(0.1 + 0.2, 0.3));
        assert!(exceeds(0.300_01, 0.3));
        assert!(is_whole(2.000_000_1) && !is_whole(2.5));
    }

    #[test]
    fn six_places_are_stored_half_away_from_zero() {
        assert_eq!(rounded(1.0 / 3.0), 0.333_333);
        assert_eq!(rounded(0.000_000_5), 0.000_001);
        assert_eq!(rounded(-0.000_000_5), -0.000_001);
        assert_eq!(rounded([].iter().sum::<f64>()).to_string(), "0");
    }

    #[test]
    fn progress_counts_what_is_completed_and_the_steps_of_the_active_batch() {
        assert_eq!(job_progress(10.0, 5.0, None), 50);
        assert_eq!(job_progress(10.0, 0.0, Some(Steps { all: 2, done: 1, batch: 5.0 })), 25);
        assert_eq!(job_progress(10.0, 5.0, Some(Steps { all: 0, done: 0, batch: 5.0 })), 50);
        assert_eq!(job_progress(8.0, 1.0, None), 13);
    }

    #[test]
    fn progress_never_exceeds_a_hundred_and_nothing_planned_is_done() {
        assert_eq!(job_progress(5.0, 10.0, None), 100);
        assert_eq!(job_progress(0.0, 0.0, None), 100);
        assert_eq!(job_progress(5.0, 4.0, Some(Steps { all: 1, done: 3, batch: 5.0 })), 100);
    }

    #[test]
    fn the_next_batch_is_what_is_left_or_the_size_of_a_batch() {
        assert_eq!(next_batch(10.0, 5.0, 0.0, 3.0), 3.0);
        assert_eq!(next_batch(10.0, 8.0, 0.0, 3.0), 2.0);
        assert_eq!(next_batch(10.0, 2.0, 3.0, 0.0), 5.0);
        assert_eq!(next_batch(10.0, 10.0, 3.0, 1.0), 0.0);
    }
}
