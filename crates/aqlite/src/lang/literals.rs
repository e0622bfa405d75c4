//! The values of literals: numbers, and what escapes in quoted text stand for.

use smol_str::SmolStr;

use super::token::Payload;

/// Number literals of another base hold at most this many bits.
const MAX_BITS: usize = 32;

/// The value of a literal without fraction and exponent: a double where it does not fit 64 bits.
pub(super) fn integer(digits: &str) -> Payload {
    digits.parse().map_or_else(|_| double(digits), Payload::Int)
}

/// The value of a literal with a fraction or an exponent.
pub(super) fn double(literal: &str) -> Payload {
    let Ok(value) = literal.parse::<f64>() else {
        return Payload::OutOfRange;
    };
    let mantissa = literal.split(['e', 'E']).next().unwrap_or_default();
    let underflow = value == 0.0 && mantissa.bytes().any(|b| matches!(b, b'1'..=b'9'));
    if value.is_finite() && !underflow { Payload::Float(value) } else { Payload::OutOfRange }
}

/// The value of the digits of a `0x` or `0b` literal.
pub(super) fn based_integer(digits: &str, bits_per_digit: usize) -> Result<Payload, &'static str> {
    if digits.len().saturating_mul(bits_per_digit) > MAX_BITS {
        return Err(if bits_per_digit == 1 {
            "binary number literal value exceeds the supported range"
        } else {
            "hex number literal value exceeds the supported range"
        });
    }
    let value = digits
        .chars()
        .filter_map(|digit| digit.to_digit(16))
        .fold(0_i64, |value, digit| (value << bits_per_digit) | i64::from(digit));
    Ok(Payload::Int(value))
}

/// Quoted text without its escapes. An unknown escape stands for the character after the backslash.
pub(super) fn unescape(raw: &str) -> SmolStr {
    if !raw.contains('\\') {
        return raw.into();
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(escaped) = rest.chars().next() else {
            text.push('\\');
            break;
        };
        rest = &rest[escaped.len_utf8()..];
        match escaped {
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'u' => rest = push_code_point(&mut text, rest),
            other => text.push(other),
        }
    }
    text.push_str(rest);
    text.into()
}

/// Reads what follows `\u`, a surrogate pair as one character, and returns the rest.
fn push_code_point<'a>(text: &mut String, rest: &'a str) -> &'a str {
    let Some((unit, after)) = code_unit(rest) else {
        text.push('u');
        return rest;
    };
    if (0xD800..0xDC00).contains(&unit)
        && let Some((low, after_pair)) = after.strip_prefix("\\u").and_then(code_unit)
        && let Some(Ok(character)) = char::decode_utf16([unit, low]).next()
    {
        text.push(character);
        return after_pair;
    }
    text.push(char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER));
    after
}

fn code_unit(text: &str) -> Option<(u16, &str)> {
    let digits = text.get(..4)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some((u16::from_str_radix(digits, 16).ok()?, &text[4..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_beyond_64_bits_are_doubles() {
        assert_eq!(integer("9223372036854775807"), Payload::Int(i64::MAX));
        assert_eq!(integer("9223372036854775808"), Payload::Float(9_223_372_036_854_775_808.0));
    }

    #[test]
    fn numbers_no_double_can_hold_are_out_of_range() {
        assert_eq!(double("1e400"), Payload::OutOfRange);
        assert_eq!(double("1e-400"), Payload::OutOfRange);
        assert_eq!(double("0e5"), Payload::Float(0.0));
        assert_eq!(integer(&"9".repeat(400)), Payload::OutOfRange);
    }

    #[test]
    fn literals_of_other_bases_hold_32_bits() {
        assert_eq!(based_integer("fF", 4), Ok(Payload::Int(255)));
        assert_eq!(based_integer("1011", 1), Ok(Payload::Int(11)));
        assert_eq!(based_integer("ffffffff", 4), Ok(Payload::Int(0xffff_ffff)));
        assert!(based_integer("000000000", 4).is_err());
        assert!(based_integer(&"1".repeat(33), 1).is_err());
    }

    #[test]
    fn escapes_stand_for_their_characters() {
        assert_eq!(unescape(r#"a\n\t\"\\\/\q"#), "a\n\t\"\\/q");
        assert_eq!(unescape(r"\u00e9\uD83D\uDE00"), "é😀");
    }

    #[test]
    fn broken_unicode_escapes_do_not_fail() {
        assert_eq!(unescape(r"\u12"), "u12");
        assert_eq!(unescape(r"\u+123"), "u+123");
        assert_eq!(unescape(r"\uD83Dx"), "\u{FFFD}x");
        assert_eq!(unescape("\\u€€"), "u€€");
        assert_eq!(unescape(r"\uD83D\u0041"), "\u{FFFD}A");
    }
}
