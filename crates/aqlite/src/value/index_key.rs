//! Keys of indexes: bytes whose plain order is AQL's order of values.
//!
//! A string is encoded by its collation key followed by its own bytes, so that a range finds what `<` finds and an
//! equality only what `==` finds.

use std::cmp::Ordering;

use super::convert::PLAIN_ZEROS;
use super::order::EXACT;
use super::stored::{Kind, Raw};
use super::z_order::ordered;
use super::{Value, collate, deeper};

const END: u8 = 0x00;
const ATTRIBUTE: u8 = 0x01;
const NULL: u8 = 0x10;
const FALSE: u8 = 0x20;
const TRUE: u8 = 0x21;
const NUMBER: u8 = 0x30;
const STRING: u8 = 0x40;
const ARRAY: u8 = 0x50;
const OBJECT: u8 = 0x60;

/// From here on a whole double is not written as the integer is.
const PLAIN: f64 = 1e15;

/// Between the collation key and the bytes of a string; a zero byte in either is written as `00 ff`.
const BYTES_FOLLOW: [u8; 2] = [0x00, 0x01];
const STRING_END: [u8; 2] = [0x00, 0x00];

/// Appends the key of one value. Keys of several values can be written one after the other.
pub fn encode(value: &Value, out: &mut Vec<u8>) {
    encode_collated(value, out);
    append_bytes(value, out);
}

/// The same of a value in its stored form, whose text is not copied for it.
pub(crate) fn encode_stored(value: Raw<'_>, out: &mut Vec<u8>) {
    match value.as_str().filter(|_| value.kind() == Kind::String) {
        Some(text) => {
            encode_collated_text(text, out);
            append_text(text, out);
        }
        None => encode(&value.to_value(), out),
    }
}

/// What orders values: of strings only their collation, also of those within arrays and objects, for two values that
/// collate alike everywhere count as equal.
fn encode_collated(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(NULL),
        Value::Bool(b) => out.push(if *b { TRUE } else { FALSE }),
        Value::Int(_) | Value::Float(_) => {
            out.push(NUMBER);
            push_number(value, out);
        }
        Value::Str(s) => encode_collated_text(s, out),
        _ if value.is_array() => {
            out.push(ARRAY);
            let items: Vec<Value> = value.iter_array().collect();
            // missing elements are nulls, so nulls at the end say nothing
            let used = items.iter().rposition(|v| !v.is_null()).map_or(0, |last| last + 1);
            for item in &items[..used] {
                deeper(|| encode_collated(item, out));
            }
            out.push(END);
        }
        _ => {
            out.push(OBJECT);
            for (name, attribute) in entries(value) {
                // the object that lacks the lesser name has null there, so it comes first: names count in reverse
                out.push(ATTRIBUTE);
                for b in name.bytes() {
                    out.push(!b);
                }
                out.push(0xff);
                deeper(|| encode_collated(&attribute, out));
            }
            out.push(END);
        }
    }
}

/// The bytes of all strings in a value, which tell apart what collates alike.
fn append_bytes(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {}
        Value::Str(s) => append_text(s, out),
        _ if value.is_array() => value.iter_array().for_each(|item| deeper(|| append_bytes(&item, out))),
        _ => entries(value).into_iter().for_each(|(_, attribute)| deeper(|| append_bytes(&attribute, out))),
    }
}

fn append_text(text: &str, out: &mut Vec<u8>) {
    escape(text.as_bytes(), out);
    out.extend_from_slice(&STRING_END);
}

/// The attributes of an object by name; those that are null say nothing.
fn entries(object: &Value) -> Vec<(&str, Value)> {
    let mut entries: Vec<_> = object.iter_object().filter(|(_, v)| !v.is_null()).collect();
    entries.sort_unstable_by_key(|(name, _)| *name);
    entries
}

/// 2^63 as a double stands before the next double: its own place is that of the largest integers, which are rounded to it.
const ROUNDED_TO: f64 = 9_223_372_036_854_775_808.0;

/// Appends a number as bytes whose plain order is that of numbers; none of them begins another one.
pub(crate) fn push_number(value: &Value, out: &mut Vec<u8>) {
    let x = value.as_f64().unwrap_or_default();
    let (ordered, exact) = match value {
        Value::Float(float) if *float == ROUNDED_TO => (ordered(x) + 1, i64::MIN),
        number => (ordered(x), number.as_i64().unwrap_or_default()),
    };
    out.extend_from_slice(&ordered.to_be_bytes());
    // several integers share this double
    if x.abs() >= EXACT {
        out.extend_from_slice(&((exact as u64) ^ (1 << 63)).to_be_bytes());
    }
}

/// Does a key have the place that 2^63 once shared with the largest integer?
pub(crate) fn has_shared_place(key: &[u8]) -> bool {
    let mut shared = [0xff; 17];
    shared[0] = NUMBER;
    shared[1..9].copy_from_slice(&ordered(ROUNDED_TO).to_be_bytes());
    key.windows(shared.len()).any(|place| place == shared)
}

fn encode_collated_text(s: &str, out: &mut Vec<u8>) {
    encode_collation(s, out);
    out.extend_from_slice(&BYTES_FOLLOW);
}

fn encode_collation(s: &str, out: &mut Vec<u8>) {
    out.push(STRING);
    let start = out.len();
    collate::sort_key(s, out);
    // a zero byte is as good as impossible there
    if out[start..].contains(&0) {
        let key = out.split_off(start);
        escape(&key, out);
    }
}

fn escape(bytes: &[u8], out: &mut Vec<u8>) {
    if !bytes.contains(&0) {
        out.extend_from_slice(bytes);
        return;
    }
    for b in bytes {
        out.push(*b);
        if *b == 0 {
            out.push(0xff);
        }
    }
}

/// Appends the least key that a lower bound on one value lets in: `> value`, or `>= value` when inclusive.
pub fn lower_bound(value: &Value, inclusive: bool, out: &mut Vec<u8>) {
    encode_collated(value, out);
    if !inclusive {
        increment(out);
    }
}

/// Appends the least key that an upper bound on one value keeps out: `< value`, or `<= value` when inclusive.
pub fn upper_bound(value: &Value, inclusive: bool, out: &mut Vec<u8>) {
    lower_bound(value, !inclusive, out);
}

/// The keys that begin with `prefix` and whose next value lies between bounds, each with whether it is inclusive; `None`:
/// there can be none.
pub fn run(
    prefix: Vec<u8>,
    lower: Option<&(Value, bool)>,
    upper: Option<&(Value, bool)>,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut from = prefix.clone();
    let mut to = prefix;
    if let Some((value, inclusive)) = lower {
        lower_bound(value, *inclusive, &mut from);
    }
    match upper {
        Some((value, inclusive)) => upper_bound(value, *inclusive, &mut to),
        None if to.is_empty() => to.push(0xff),
        None => increment(&mut to),
    }
    (from < to).then_some((from, to))
}

/// What all keys with the same first value begin with, and few others.
pub(crate) fn first_value(key: &[u8]) -> &[u8] {
    let end = match key.first() {
        Some(&NUMBER) => 9,
        Some(&STRING) => key.windows(2).position(|pair| pair == BYTES_FOLLOW).unwrap_or(key.len()),
        _ => 1,
    };
    key.get(..end).unwrap_or(key)
}

/// Turns a key into the least one greater than all keys that begin with it. An all-`ff` key is left alone, which
/// cannot happen to a key made by [`encode`].
pub fn increment(key: &mut Vec<u8>) {
    if let Some(last) = key.iter().rposition(|b| *b != 0xff) {
        key.truncate(last + 1);
        key[last] += 1;
    }
}

/// The length of the key of the first of several values, where that can be told without the value: not of arrays and
/// objects.
pub fn scalar_len(key: &[u8]) -> Option<usize> {
    match *key.first()? {
        NULL | FALSE | TRUE => Some(1),
        NUMBER => {
            let x = number(&key[1..])?;
            Some(if x.abs() >= EXACT { 17 } else { 9 }).filter(|len| *len <= key.len())
        }
        STRING => {
            let bytes = behind(key, 1, BYTES_FOLLOW)?;
            behind(key, bytes, STRING_END)
        }
        _ => None,
    }
}

/// The value of a key of the length that [`scalar_len`] tells; `None` where different values of the same key are written
/// in different ways.
pub fn decode(key: &[u8]) -> Option<Value> {
    match *key.first()? {
        NULL => Some(Value::Null),
        FALSE => Some(Value::Bool(false)),
        TRUE => Some(Value::Bool(true)),
        NUMBER => {
            let x = number(&key[1..])?;
            let whole = x.fract() == 0.0;
            // a double with many zeros at its end is not written as the integer is
            if whole && x != 0.0 && (x.abs() >= PLAIN || x as i64 % PLAIN_ZEROS == 0) {
                return None;
            }
            Some(if whole { Value::Int(x as i64) } else { Value::Float(x) })
        }
        STRING => {
            let bytes = behind(key, 1, BYTES_FOLLOW)?;
            let end = key.len().checked_sub(STRING_END.len())?;
            let bytes = key.get(bytes..end)?;
            if !bytes.contains(&0) {
                return std::str::from_utf8(bytes).ok().map(Value::str);
            }
            let mut text = Vec::with_capacity(bytes.len());
            let mut rest = bytes.iter();
            while let Some(b) = rest.next() {
                text.push(*b);
                if *b == 0 {
                    rest.next();
                }
            }
            String::from_utf8(text).ok().map(Value::from)
        }
        _ => None,
    }
}

/// The double that a number begins with which [`push_number`] wrote.
pub(crate) fn number(written: &[u8]) -> Option<f64> {
    let ordered = u64::from_be_bytes(written.get(..8)?.try_into().ok()?);
    Some(f64::from_bits(if ordered >> 63 == 1 { ordered ^ (1 << 63) } else { !ordered }))
}

/// Where a text ends that began at `from`: behind its mark.
fn behind(key: &[u8], mut from: usize, mark: [u8; 2]) -> Option<usize> {
    loop {
        from += key.get(from..)?.iter().position(|b| *b == 0)? + 2;
        if *key.get(from - 1)? == mark[1] {
            return Some(from);
        }
    }
}

/// The order two values have in an index: AQL's order, strings that collate alike told apart by their bytes.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    encode(a, &mut x);
    encode(b, &mut y);
    x.cmp(&y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::order::tests::hostile_number;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i32>().prop_map(|i| Value::Int(i.into())),
            (-4i64..4).prop_map(Value::Int),
            hostile_number(),
            "[a-cA-C0-1é\u{0}]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(2, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec(("[a-c]{0,2}", inner), 0..3).prop_map(Value::from_pairs),
            ]
        })
    }

    fn key(v: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        encode(v, &mut out);
        out
    }

    #[test]
    fn what_collates_alike_within_arrays_is_ordered_by_what_follows() {
        let (with_nul, longer) = (Value::from(vec!["A\u{0}".into()]), Value::from(vec!["A".into(), false.into()]));
        assert_eq!(with_nul.compare(&longer), Ordering::Less);
        assert!(key(&with_nul) < key(&longer));
        assert_ne!(key(&with_nul), key(&Value::from(vec!["A".into()])));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn keys_order_as_values_do(a in any_value(), b in any_value()) {
            let order = a.compare(&b);
            if order.is_ne() {
                prop_assert_eq!(key(&a).cmp(&key(&b)), order, "{:?} {:?}", a, b);
            }
            prop_assert_eq!(key(&a) == key(&b), a == b, "{:?} {:?}", a, b);
        }

        #[test]
        fn a_key_tells_its_scalar_and_where_the_next_one_begins(a in any_value(), b in any_value()) {
            let whole = [key(&a), key(&b)].concat();
            let scalar = !a.is_array() && !a.is_object();
            prop_assert_eq!(scalar_len(&whole), scalar.then(|| key(&a).len()), "{:?}", a);
            if let Some(value) = scalar_len(&whole).and_then(|len| decode(&whole[..len])) {
                prop_assert_eq!(&value, &a);
                let written = a.to_json();
                prop_assert!(value.to_json() == written || written == "-0", "{}", written);
            }
        }

        #[test]
        fn keys_with_the_same_first_value_begin_alike(a in any_value(), b in any_value(), c in any_value()) {
            let alone = key(&a);
            for second in [key(&b), key(&c)] {
                let both = [alone.as_slice(), &second].concat();
                prop_assert_eq!(first_value(&both), first_value(&alone));
            }
            prop_assert!(!first_value(&alone).is_empty());
        }

        #[test]
        fn bounds_let_in_what_the_comparison_lets_in(a in any_value(), b in any_value()) {
            let bound = |f: fn(&Value, bool, &mut Vec<u8>), inclusive| {
                let mut out = Vec::new();
                f(&b, inclusive, &mut out);
                out
            };
            let order = a.compare(&b);
            prop_assert_eq!(key(&a) >= bound(lower_bound, true), order.is_ge());
            prop_assert_eq!(key(&a) >= bound(lower_bound, false), order.is_gt());
            prop_assert_eq!(key(&a) < bound(upper_bound, true), order.is_le());
            prop_assert_eq!(key(&a) < bound(upper_bound, false), order.is_lt());
        }
    }
}
