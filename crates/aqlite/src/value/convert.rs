//! AQL's conversions between types.

use std::sync::Arc;

use smol_str::SmolStrBuilder;

use super::{SmolStr, Value};
use crate::Result;
use crate::error::{Error, code};

impl Value {
    /// `TO_BOOL()`: what counts as true in a condition.
    pub fn truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(b) => *b,
            Self::Int(i) => *i != 0,
            Self::Float(f) => *f != 0.0,
            Self::Str(s) => !s.is_empty(),
            Self::Array(_) | Self::Object(_) | Self::Stored(_) => true,
        }
    }

    /// `TO_NUMBER()`.
    pub fn to_number(&self) -> Self {
        match self {
            Self::Int(_) | Self::Float(_) => self.clone(),
            Self::Bool(b) => Self::Int(i64::from(*b)),
            Self::Str(s) => parse_number(s).unwrap_or(Self::Int(0)),
            _ => match self.array_len() {
                Some(1) => self.at(0).to_number(),
                _ => Self::Int(0),
            },
        }
    }

    /// The number arithmetic works with.
    pub fn to_f64(&self) -> f64 {
        self.to_number().as_f64().unwrap_or_default()
    }

    /// The integer positions and lengths work with, the fraction cut off; of a string the digits it begins with. A number
    /// that is too large is an error.
    pub fn to_i64(&self) -> Result<i64> {
        /// The first number that is too large.
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        match self {
            Self::Int(i) => Ok(*i),
            Self::Float(f) if (-LIMIT..LIMIT).contains(f) => Ok(*f as i64),
            Self::Float(_) => Err(Error::new(code::INTERNAL, "Number out of range")),
            Self::Bool(b) => Ok(i64::from(*b)),
            Self::Str(s) => Ok(leading_integer(s)),
            _ if self.array_len() == Some(1) => self.at(0).to_i64(),
            _ => Ok(0),
        }
    }

    /// `TO_STRING()`.
    pub fn to_text(&self) -> SmolStr {
        match self {
            Self::Null => SmolStr::default(),
            Self::Str(s) => s.clone(),
            Self::Int(i) => SmolStr::new(itoa::Buffer::new().format(*i)),
            Self::Float(f) => format_float(*f),
            _ => self.to_json().into(),
        }
    }

    /// `TO_ARRAY()`: null is empty, a scalar one element, an object its values.
    pub fn to_array(&self) -> Arc<Vec<Self>> {
        match self {
            Self::Null => Arc::default(),
            _ if self.is_array() => self.as_array().unwrap_or_default(),
            _ if self.is_object() => Arc::new(self.iter_object().map(|(_, v)| v).collect()),
            _ => Arc::new(vec![self.clone()]),
        }
    }
}

const BLANKS: [char; 6] = [' ', '\t', '\n', '\r', '\x0c', '\x0b'];

/// The digits at the beginning of a string, after white space and a sign; zero where there are none or too many.
fn leading_integer(text: &str) -> i64 {
    let text = text.trim_start_matches(BLANKS);
    let signs = usize::from(text.starts_with(['+', '-']));
    let digits = text[signs..].bytes().take_while(u8::is_ascii_digit).count();
    text[..signs + digits].parse().unwrap_or_default()
}

/// A whole string as a number, as C's `strtod` reads it; surrounding white space is allowed. What is no finite number is
/// null, a number that is too large or too small is none.
fn parse_number(text: &str) -> Option<Value> {
    /// Integers up to here are doubles, too.
    const EXACT: std::ops::RangeInclusive<i64> = -(1 << 53)..=1 << 53;
    // a vertical tab may stand before the number, not behind it
    let text = text.trim_start_matches(BLANKS).trim_end_matches(&BLANKS[..5]);
    if let Ok(i) = text.parse::<i64>()
        && EXACT.contains(&i)
    {
        return Some(Value::Int(i));
    }
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let sign = if negative { -1.0 } else { 1.0 };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return parse_hex(hex).map(|x| Value::float(sign * x));
    }
    if ["inf", "infinity", "nan"].iter().any(|word| digits.eq_ignore_ascii_case(word)) {
        return Some(Value::Null);
    }
    digits.parse::<f64>().ok().filter(|x| *x == 0.0 || x.is_normal()).map(|x| Value::Float(sign * x))
}

/// Hexadecimal digits with an optional fraction and an optional binary exponent.
fn parse_hex(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once(['p', 'P']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    Some(value * 2f64.powi(shift)).filter(|x| x.is_finite())
}

/// A whole number with this many zeros at its end is written with an exponent, if it is a double.
pub const PLAIN_ZEROS: i64 = 100_000_000;

/// A double as ArangoDB writes it: the shortest digits that read back, with an exponent where many zeros or many digits
/// behind the point would be needed otherwise.
pub fn format_float(x: f64) -> SmolStr {
    if x == 0.0 {
        return SmolStr::new_static(if x.is_sign_negative() { "-0" } else { "0" });
    }
    if x.fract() == 0.0 && x.abs() < 1e15 && x as i64 % PLAIN_ZEROS != 0 {
        return SmolStr::new(itoa::Buffer::new().format(x as i64));
    }
    let (digits, power) = shortest_digits(x.abs());
    let digits = digits.as_str();
    let count = digits.len() as i32;
    // the exponent of the first digit
    let first = count + power - 1;
    let mut out = SmolStrBuilder::new();
    if x < 0.0 {
        out.push('-');
    }
    let zeros = |out: &mut SmolStrBuilder, n: i32| (0..n).for_each(|_| out.push('0'));
    if power >= 0 && first < count + 7 {
        out.push_str(digits);
        zeros(&mut out, power);
    } else if power < 0 && (power > -7 || first.abs() < 4) {
        let (whole, fraction) = digits.split_at(usize::try_from(count + power).unwrap_or_default());
        out.push_str(if whole.is_empty() { "0" } else { whole });
        out.push('.');
        zeros(&mut out, -(count + power));
        out.push_str(fraction);
    } else {
        let (leading, fraction) = digits.split_at(1);
        out.push_str(leading);
        if !fraction.is_empty() {
            out.push('.');
            out.push_str(fraction);
        }
        out.push_str(if first < 0 { "e-" } else { "e+" });
        out.push_str(itoa::Buffer::new().format(first.abs()));
    }
    out.finish()
}

/// The digits of a positive number, none of them a zero at an end, and the power of ten they are multiplied with.
fn shortest_digits(x: f64) -> (SmolStr, i32) {
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(x);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = SmolStrBuilder::new();
    digits.push_str(whole);
    digits.push_str(fraction);
    let digits = digits.finish();
    let significant = digits.trim_end_matches('0');
    let power = exponent.parse::<i32>().unwrap_or_default() - fraction.len() as i32;
    (significant.trim_start_matches('0').into(), power + (digits.len() - significant.len()) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_the_number_that_strtod_reads() {
        for (text, number) in [
            (" 12 ", "12"),
            ("-0x1F", "-31"),
            ("0x.8p4", "8"),
            (".5", "0.5"),
            ("5.", "5"),
            ("+1e3", "1000"),
            ("9007199254740993", "9007199254740992"),
            ("inf", "null"),
            ("-NaN", "null"),
            ("1e400", "0"),
            ("1e-400", "0"),
            ("12abc", "0"),
            ("0x", "0"),
            ("1 2", "0"),
            ("", "0"),
        ] {
            assert_eq!(Value::from(text).to_number().to_json(), number, "{text:?}");
        }
    }

    #[test]
    fn a_double_has_an_exponent_where_many_zeros_or_digits_would_be_needed() {
        for (number, text) in [
            (1e7, "10000000"),
            (1e8, "1e+8"),
            (2.5e10, "2.5e+10"),
            (123_450_000_000.0, "123450000000"),
            (-1e10, "-1e+10"),
            (1e15, "1e+15"),
            (1_234_567_890_123_456_789.0, "1234567890123456800"),
            (1e-5, "0.00001"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.5e-6, "1.5e-6"),
            (1.25e-6, "1.25e-6"),
            (0.000_123_456_789, "1.23456789e-4"),
            (0.001_234_567_89, "0.00123456789"),
            (12_345.123_456_789, "1.2345123456789e+4"),
            (1_234.123_456_789, "1234.123456789"),
            (-1_234_567.125, "-1234567.125"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(format_float(number), text);
            assert_eq!(text.parse(), Ok(number));
        }
    }

    #[test]
    fn a_position_is_what_a_string_begins_with() {
        for (text, position) in
            [("2abc", 2), (" -3.9", -3), ("1e3", 1), ("0x1F", 0), ("x", 0), ("9223372036854775808", 0)]
        {
            assert_eq!(Value::from(text).to_i64(), Ok(position), "{text:?}");
        }
        assert_eq!(Value::Float(-1.9).to_i64(), Ok(-1));
        assert_eq!(Value::array(vec![Value::Bool(true)]).to_i64(), Ok(1));
        assert!(Value::Float(9.3e18).to_i64().is_err());
    }
}
