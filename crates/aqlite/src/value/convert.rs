//! AQL's conversions between types.

use std::sync::Arc;

use super::{SmolStr, Value};

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

    /// The integer positions and lengths work with: fraction cut off, saturating.
    pub fn to_i64(&self) -> i64 {
        self.to_number().as_i64().unwrap_or_default()
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

/// A whole string as a number; surrounding white space is allowed.
fn parse_number(text: &str) -> Option<Value> {
    let text = text.trim_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
    if let Ok(i) = text.parse::<i64>() {
        return Some(Value::Int(i));
    }
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok().map(|n| i64::try_from(n).map_or(Value::Float(n as f64), Value::Int));
    }
    // what Rust reads but is no number in AQL: inf, nan, infinity
    if text.bytes().any(|b| !matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
        return None;
    }
    text.parse::<f64>().ok().filter(|f| f.is_finite()).map(Value::Float)
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
