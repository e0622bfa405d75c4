//! Quantities: numbers with six decimals, compared with a tolerance.

use crate::production::quantities;

/// Quantities that differ by less are the same.
const TOLERANCE: f64 = 1e-6;

/// Above this no decimals are left that rounding could change.
const LARGEST_ROUNDED: f64 = 1e9;

/// A quantity as it is stored: rounded to six decimals, half away from zero.
pub fn rounded(quantity: f64) -> f64 {
    if quantity.abs() < LARGEST_ROUNDED { quantities::rounded(quantity) } else { quantity }
}

/// Whether two quantities are the same.
pub fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < TOLERANCE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_fractions_add_up() {
        assert_eq!(rounded(0.1 + 0.2), 0.3);
        assert_eq!(rounded(0.1 + 0.2 - 0.3).to_string(), "0");
        assert_eq!(rounded(-0.000_000_4).to_string(), "0");
        assert_eq!(rounded(1.234_567_5), 1.234_568);
        assert_eq!(rounded(-1.234_567_5), -1.234_568);
        assert!(is_same(0.1 + 0.2, 0.3) && !is_same(0.3, 0.300_001_1));
    }
}
