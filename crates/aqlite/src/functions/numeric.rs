//! Functions of numbers. What is no number is converted first, as `TO_NUMBER()` does it.

use std::f64::consts::PI;

use crate::Result;
use crate::value::{PLAIN_ZEROS, Value};

use super::{Function, Host, impure, pure};

/// The functions of this file.
pub const FUNCTIONS: &[Function] = &[
    pure("ABS", 1, 1, |_, a| unary(a, f64::abs)),
    pure("ACOS", 1, 1, |_, a| unary(a, f64::acos)),
    pure("ASIN", 1, 1, |_, a| unary(a, f64::asin)),
    pure("ATAN", 1, 1, |_, a| unary(a, f64::atan)),
    pure("ATAN2", 2, 2, |_, a| binary(a, f64::atan2)),
    pure("CEIL", 1, 1, |_, a| unary(a, f64::ceil)),
    pure("COS", 1, 1, |_, a| unary(a, f64::cos)),
    pure("DEGREES", 1, 1, |_, a| unary(a, |x| x * (180.0 / PI))),
    pure("EXP", 1, 1, |_, a| unary(a, f64::exp)),
    pure("EXP2", 1, 1, |_, a| unary(a, f64::exp2)),
    pure("FLOOR", 1, 1, |_, a| unary(a, f64::floor)),
    pure("LOG", 1, 1, |_, a| unary(a, f64::ln)),
    pure("LOG10", 1, 1, |_, a| unary(a, f64::log10)),
    pure("LOG2", 1, 1, |_, a| unary(a, f64::log2)),
    pure("PI", 0, 0, |_, _| Ok(Value::Float(PI))),
    pure("POW", 2, 2, |_, a| binary(a, f64::powf)),
    pure("RADIANS", 1, 1, |_, a| unary(a, |x| x * (PI / 180.0))),
    impure("RAND", 0, 0, rand),
    // halves go up, also below zero
    pure("ROUND", 1, 1, |_, a| unary(a, |x| (x + 0.5).floor())),
    pure("SIN", 1, 1, |_, a| unary(a, f64::sin)),
    pure("SQRT", 1, 1, |_, a| unary(a, f64::sqrt)),
    pure("TAN", 1, 1, |_, a| unary(a, f64::tan)),
];

/// The double up to which every whole number is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The result of a computation, which is a double: whole numbers as integers where nobody can tell the difference, null
/// for what is not finite.
pub(super) fn number(x: f64) -> Value {
    let whole = x.fract() == 0.0 && x.abs() < EXACT;
    let alike = if x == 0.0 { x.is_sign_positive() } else { x as i64 % PLAIN_ZEROS != 0 };
    if whole && alike { Value::Int(x as i64) } else { Value::float(x) }
}

fn unary(args: &[Value], f: fn(f64) -> f64) -> Result<Value> {
    Ok(number(f(args[0].to_f64())))
}

fn binary(args: &[Value], f: fn(f64, f64) -> f64) -> Result<Value> {
    Ok(number(f(args[0].to_f64(), args[1].to_f64())))
}

fn rand(_: &mut dyn Host, _: &[Value]) -> Result<Value> {
    Ok(Value::Float(rand::random()))
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check;

    #[test]
    fn halves_are_rounded_up() {
        check(&[
            ("ROUND", "[2.5]", "3"),
            ("ROUND", "[-2.5]", "-2"),
            ("ROUND", "[-2.51]", "-3"),
            ("ROUND", r#"["0.5"]"#, "1"),
        ]);
    }

    #[test]
    fn what_is_not_finite_is_null() {
        check(&[
            ("SQRT", "[-1]", "null"),
            ("POW", "[2,1024]", "null"),
            ("LOG", "[0]", "null"),
            ("EXP", "[1000]", "null"),
            ("ASIN", "[2]", "null"),
        ]);
    }

    #[test]
    fn results_are_written_as_doubles() {
        check(&[("POW", "[10,7]", "10000000"), ("POW", "[10,8]", "1e+8"), ("ABS", "[-300000000]", "3e+8")]);
    }

    #[test]
    fn arguments_are_converted_to_numbers() {
        check(&[("ABS", r#"["-3"]"#, "3"), ("CEIL", "[null]", "0"), ("FLOOR", "[true]", "1"), ("ABS", "[[-2]]", "2")]);
    }
}
