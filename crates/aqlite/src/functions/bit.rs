//! Functions of the bits of whole numbers from 0 to 2^32 - 1.

use crate::Result;
use crate::value::Value;

use super::{Function, Host, pure};

/// The functions of this file.
pub const FUNCTIONS: &[Function] = &[
    pure("BIT_AND", 1, 2, |h, a| combine(h, a, "BIT_AND", |x, y| x & y)),
    pure("BIT_CONSTRUCT", 1, 1, construct),
    pure("BIT_DECONSTRUCT", 1, 1, deconstruct),
    pure("BIT_FROM_STRING", 1, 1, from_string),
    pure("BIT_NEGATE", 2, 2, negate),
    pure("BIT_OR", 1, 2, |h, a| combine(h, a, "BIT_OR", |x, y| x | y)),
    pure("BIT_POPCOUNT", 1, 1, popcount),
    pure("BIT_SHIFT_LEFT", 3, 3, |h, a| shift(h, a, "BIT_SHIFT_LEFT", |x, n| x << n)),
    pure("BIT_SHIFT_RIGHT", 3, 3, |h, a| shift(h, a, "BIT_SHIFT_RIGHT", |x, n| x >> n)),
    pure("BIT_TEST", 2, 2, test),
    pure("BIT_TO_STRING", 2, 2, to_string),
    pure("BIT_XOR", 1, 2, |h, a| combine(h, a, "BIT_XOR", |x, y| x ^ y)),
];

const WIDTH: u64 = 32;

/// The number, without its fraction, if it is in range.
pub(super) fn bits(value: &Value) -> Option<u64> {
    let x = value.as_f64().filter(|x| *x >= 0.0)?;
    (x < 4_294_967_296.0).then_some(x as u64)
}

/// A number of bits, at most [`WIDTH`].
fn width(value: &Value) -> Option<u64> {
    bits(value).filter(|n| *n <= WIDTH)
}

fn lowest(width: u64) -> u64 {
    (1 << width) - 1
}

fn value(bits: u64) -> Value {
    Value::Int(bits as i64)
}

fn combine(host: &mut dyn Host, args: &[Value], name: &str, f: fn(u64, u64) -> u64) -> Result<Value> {
    let operands: Option<Vec<u64>> = match args {
        [x, y] => [x, y].into_iter().map(bits).collect(),
        [list] if list.is_array() => list.iter_array().filter(|item| !item.is_null()).map(|item| bits(&item)).collect(),
        _ => None,
    };
    match operands {
        Some(operands) => Ok(operands.into_iter().reduce(f).map_or(Value::Null, value)),
        None => host.wrong_type(name),
    }
}

fn negate(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match (bits(&args[0]), width(&args[1])) {
        (Some(x), Some(width)) => Ok(value(!x & lowest(width))),
        _ => host.wrong_type("BIT_NEGATE"),
    }
}

fn test(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match (bits(&args[0]), width(&args[1])) {
        (Some(x), Some(index)) if index < WIDTH => Ok((x >> index & 1 == 1).into()),
        _ => host.wrong_type("BIT_TEST"),
    }
}

fn shift(host: &mut dyn Host, args: &[Value], name: &str, f: fn(u64, u64) -> u64) -> Result<Value> {
    match (bits(&args[0]), width(&args[1]), width(&args[2])) {
        (Some(x), Some(distance), Some(width)) => Ok(value(f(x, distance) & lowest(width))),
        _ => host.wrong_type(name),
    }
}

fn popcount(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match bits(&args[0]) {
        Some(x) => Ok(Value::Int(i64::from(x.count_ones()))),
        None => host.wrong_type("BIT_POPCOUNT"),
    }
}

fn construct(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let positions: Option<Vec<u64>> = if args[0].is_array() {
        args[0].iter_array().map(|item| bits(&item).filter(|n| *n < WIDTH)).collect()
    } else {
        None
    };
    match positions {
        Some(positions) => Ok(value(positions.into_iter().fold(0, |x, n| x | 1 << n))),
        None => host.wrong_type("BIT_CONSTRUCT"),
    }
}

fn deconstruct(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match bits(&args[0]) {
        Some(x) => Ok((0..WIDTH).filter(|n| x >> n & 1 == 1).map(value).collect::<Vec<_>>().into()),
        None => host.wrong_type("BIT_DECONSTRUCT"),
    }
}

fn to_string(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match (bits(&args[0]), width(&args[1])) {
        (Some(x), Some(width)) => {
            Ok((0..width).rev().map(|n| if x >> n & 1 == 1 { '1' } else { '0' }).collect::<String>().into())
        }
        _ => host.wrong_type("BIT_TO_STRING"),
    }
}

fn from_string(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let digits = args[0].as_str().filter(|s| s.len() as u64 <= WIDTH && s.bytes().all(|b| matches!(b, b'0' | b'1')));
    match digits {
        Some(digits) => Ok(value(digits.bytes().fold(0, |x, b| x << 1 | u64::from(b - b'0')))),
        None => host.wrong_type("BIT_FROM_STRING"),
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check;

    #[test]
    fn numbers_beyond_32_bits_are_refused() {
        check(&[
            ("BIT_OR", "[4294967295,1]", "4294967295"),
            ("BIT_OR", "[4294967296,1]", "warning 1542"),
            ("BIT_AND", "[-1,1]", "warning 1542"),
            ("BIT_NEGATE", "[1,33]", "warning 1542"),
            ("BIT_CONSTRUCT", "[[32]]", "warning 1542"),
        ]);
    }

    #[test]
    fn fractions_are_cut_off() {
        check(&[("BIT_AND", "[1.5,1]", "1")]);
    }

    #[test]
    fn nulls_in_arrays_are_left_out() {
        check(&[("BIT_XOR", "[[1,null,2]]", "3"), ("BIT_OR", "[[]]", "null")]);
    }

    #[test]
    fn results_are_cut_to_their_width() {
        check(&[
            ("BIT_SHIFT_LEFT", "[255,1,8]", "254"),
            ("BIT_NEGATE", "[3,4]", "12"),
            ("BIT_SHIFT_LEFT", "[4294967295,32,32]", "0"),
            ("BIT_TO_STRING", "[7,4]", r#""0111""#),
            ("BIT_TO_STRING", "[7,0]", r#""""#),
        ]);
    }

    #[test]
    fn positions_and_strings_of_bits_read_back() {
        check(&[
            ("BIT_DECONSTRUCT", "[14]", "[1,2,3]"),
            ("BIT_CONSTRUCT", "[[1,2,3]]", "14"),
            ("BIT_FROM_STRING", r#"["0111"]"#, "7"),
            ("BIT_FROM_STRING", r#"["012"]"#, "warning 1542"),
        ]);
    }
}
