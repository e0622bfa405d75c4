//! AQL's conversions between types.

use std::sync::Arc;

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

/// A double as ArangoDB writes it: the shortest digits that read back, no fraction where there is none.
pub fn format_float(x: f64) -> SmolStr {
    if x == 0.0 {
        return SmolStr::new_static(if x.is_sign_negative() { "-0" } else { "0" });
    }
    if x.fract() == 0.0 && x.abs() < 1e15 {
        return SmolStr::new(itoa::Buffer::new().format(x as i64));
    }
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(x);
    match text.split_once('e') {
        None => SmolStr::new(text.strip_suffix(".0").unwrap_or(text)),
        Some((mantissa, exponent)) => {
            let mantissa = mantissa.strip_suffix(".0").unwrap_or(mantissa);
            // whole numbers are written out where that takes only a few zeros
            let fraction = mantissa.split_once('.').map_or(0, |(_, digits)| digits.len());
            if let Ok(zeros @ 15..) = exponent.parse::<usize>()
                && zeros < fraction + 8
            {
                let digits = mantissa.replace('.', "");
                return SmolStr::from(format!("{digits}{}", "0".repeat(zeros - fraction.min(zeros))));
            }
            let sign = if exponent.starts_with('-') { "" } else { "+" };
            smol_str::format_smolstr!("{mantissa}e{sign}{exponent}")
        }
    }
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
