//! `HASH()` and the min-hashes: numbers that are the same for equal values, as ArangoDB computes them.

use std::collections::BinaryHeap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rustc_hash::FxHashSet;
use twox_hash::XxHash64;

use super::{Function, Host, pure};
use crate::Result;
use crate::value::{SmolStr, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("HASH", 1, 1, hash),
    pure("MINHASH", 2, 2, minhash),
    pure("MINHASH_COUNT", 1, 1, minhash_count),
    pure("MINHASH_ERROR", 1, 1, minhash_error),
];

/// What the hash of a value begins with.
const SEED: u64 = 0xdead_beef;
/// Mixed into the number of elements of an array, and of attributes of an object.
const ARRAY: u64 = 0x00ba_5bed_f00d;
const OBJECT: u64 = 0x00f0_0ba4_4ba5;

/// `HASH()` keeps to the integers that a double holds exactly.
const SAFE_BITS: u64 = 0x0007_ffff_ffff_ffff;

/// Most hashes of one value.
const MAX_HASHES: i64 = 10_000_000;

fn hash(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    Ok(Value::Int((hash_value(&args[0]) & SAFE_BITS) as i64))
}

/// The hash of a value in ArangoDB's hash tables.
pub(super) fn hash_value(value: &Value) -> u64 {
    hash_of(value, SEED)
}

/// Numbers hash as doubles and attributes in any order, so that equal values have one hash.
fn hash_of(value: &Value, seed: u64) -> u64 {
    let bytes = |bytes: &[u8]| XxHash64::oneshot(seed, bytes);
    match value {
        Value::Null => bytes(&[0x18]),
        Value::Bool(b) => bytes(&[0x19 + u8::from(*b)]),
        // adding zero makes the two zeros one
        Value::Int(_) | Value::Float(_) => bytes(&(value.to_f64() + 0.0).to_le_bytes()),
        Value::Str(s) => hash_of_text(s, seed),
        _ if value.is_array() => {
            let length = value.array_len().unwrap_or_default() as u64;
            value.iter_array().fold(bytes(&(length ^ ARRAY).to_le_bytes()), |hash, item| hash ^ hash_of(&item, hash))
        }
        _ => {
            let length = value.object_len().unwrap_or_default() as u64;
            let seed = bytes(&(length ^ OBJECT).to_le_bytes());
            value.iter_object().fold(seed, |hash, (name, value)| {
                let name = hash_of_text(name, seed);
                hash ^ name ^ hash_of(&value, name)
            })
        }
    }
}

/// The hash of a string in its stored form: the length, in one byte where it fits, then the text.
fn hash_of_text(text: &str, seed: u64) -> u64 {
    const SHORT: u8 = 0x40;
    const LONG: u8 = 0xbf;
    const LONGEST_SHORT: u8 = 126;
    let mut stored = Vec::with_capacity(text.len() + 9);
    match u8::try_from(text.len()) {
        Ok(length) if length <= LONGEST_SHORT => stored.push(SHORT + length),
        _ => {
            stored.push(LONG);
            stored.extend_from_slice(&(text.len() as u64).to_le_bytes());
        }
    }
    stored.extend_from_slice(text.as_bytes());
    XxHash64::oneshot(seed, &stored)
}

/// The smallest hashes of the elements of an array, that many of them.
fn minhash(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let count = args[1].as_i64().filter(|count| (1..=MAX_HASHES).contains(count));
    let (true, Some(count)) = (args[0].is_array(), count.and_then(|count| usize::try_from(count).ok())) else {
        return host.wrong_type("MINHASH");
    };
    Ok(signature(args[0].iter_array(), count).into_iter().map(Value::Str).collect::<Vec<_>>().into())
}

/// The smallest hashes of some values, that many of them, as text.
pub(crate) fn signature(values: impl Iterator<Item = Value>, count: usize) -> Vec<SmolStr> {
    let mut seen = FxHashSet::default();
    let mut hashes: Vec<u64> = Vec::new();
    let mut smallest: Option<BinaryHeap<u64>> = None;
    for item in values {
        let hash = hash_of(&item, SEED);
        if !seen.insert(hash) {
            continue;
        }
        match &mut smallest {
            None => {
                hashes.push(hash);
                if hashes.len() == count {
                    smallest = Some(BinaryHeap::from(std::mem::take(&mut hashes)));
                }
            }
            Some(heap) => {
                if heap.peek().is_some_and(|greatest| hash < *greatest) {
                    heap.pop();
                    heap.push(hash);
                }
            }
        }
    }
    let hashes = smallest.map_or(hashes, BinaryHeap::into_vec);
    hashes.into_iter().map(|hash| STANDARD_NO_PAD.encode(hash.to_le_bytes()).into()).collect()
}

/// How many hashes keep the error below the given one.
fn minhash_count(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match args[0].as_f64() {
        Some(error) if error > 0.0 => Ok(Value::Int((1.0 / (error * error)).ceil() as i64)),
        _ => host.wrong_type("MINHASH_COUNT"),
    }
}

/// The error to expect with that many hashes.
fn minhash_error(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match args[0].as_f64() {
        Some(count) if count > 0.0 => Ok(Value::float(1.0 / count.sqrt())),
        _ => host.wrong_type("MINHASH_ERROR"),
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn equal_values_have_the_same_hash_number() {
        assert_eq!(answer("HASH", "[1]"), answer("HASH", "[1.0]"));
        assert_eq!(answer("HASH", r#"[{"a":1,"b":2}]"#), answer("HASH", r#"[{"b":2,"a":1}]"#));
        assert_ne!(answer("HASH", "[[1,2]]"), answer("HASH", "[[2,1]]"));
        assert_ne!(answer("HASH", "[null]"), answer("HASH", r#"[""]"#));
    }

    #[test]
    fn min_hashes_are_those_of_arangodb() {
        assert_eq!(answer("MINHASH", r#"[["foo","bar","baz"],5]"#), r#"["OmvEOSfAYs8","Jcz+LQgakgs","YfBzyXaSXIA"]"#);
        assert_eq!(answer("MINHASH", r#"[["foo","bar","baz","bar"],1]"#), r#"["Jcz+LQgakgs"]"#);
        assert_eq!(answer("MINHASH", r#"["foo",5]"#), "warning 1542");
        assert_eq!(answer("MINHASH", r#"[["foo"],0]"#), "warning 1542");
    }

    #[test]
    fn error_and_count_of_min_hashes_belong_together() {
        assert_eq!(answer("MINHASH_ERROR", "[400]"), "0.05");
        assert_eq!(answer("MINHASH_COUNT", "[0.05]"), "400");
        assert_eq!(answer("MINHASH_COUNT", "[0]"), "warning 1542");
    }
}
