//! Equality, total order and hashing of values.
//!
//! `==` compares strings by their bytes, `<` by collation; a missing element or attribute counts as null on both sides.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash, Hasher};

use indexmap::Equivalent;

use super::stored::{Kind, Raw};
use super::{Value, collate, deeper};
use crate::seeded::Seeded;

impl Value {
    /// Position of the type in AQL's order of types.
    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Int(_) | Self::Float(_) => 2,
            Self::Str(_) => 3,
            Self::Array(_) => 4,
            Self::Object(_) => 5,
            Self::Stored(s) => {
                if s.kind() == Kind::Array {
                    4
                } else {
                    5
                }
            }
        }
    }

    /// AQL's order, as `<` and `SORT` use it.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.compare_with(other, &collate::compare)
    }

    fn compare_with(&self, other: &Self, strings: &impl Fn(&str, &str) -> Ordering) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Str(a), Self::Str(b)) => strings(a, b),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Null, Self::Null) => Ordering::Equal,
            _ => match self.rank().cmp(&other.rank()) {
                Ordering::Equal => match (self, other) {
                    (Self::Float(a), Self::Float(b)) => compare_floats(*a, *b),
                    (Self::Int(a), Self::Float(b)) => compare_exactly(*a, *b),
                    (Self::Float(a), Self::Int(b)) => compare_exactly(*b, *a).reverse(),
                    _ if self.is_array() => deeper(|| self.compare_arrays(other, strings)),
                    _ => deeper(|| self.compare_objects(other, strings)),
                },
                unequal => unequal,
            },
        }
    }

    fn compare_arrays(&self, other: &Self, strings: &impl Fn(&str, &str) -> Ordering) -> Ordering {
        let (mut left, mut right) = (self.iter_array(), other.iter_array());
        loop {
            let order = match (left.next(), right.next()) {
                (None, None) => return Ordering::Equal,
                (a, b) => a.unwrap_or_default().compare_with(&b.unwrap_or_default(), strings),
            };
            if order.is_ne() {
                return order;
            }
        }
    }

    fn compare_objects(&self, other: &Self, strings: &impl Fn(&str, &str) -> Ordering) -> Ordering {
        let mut names: Vec<&str> = self.iter_object().chain(other.iter_object()).map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        names
            .into_iter()
            .map(|name| self.get(name).compare_with(&other.get(name), strings))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// AQL's `==` for the stored form on the left, without decoding it where it is a scalar.
    #[inline]
    pub fn equals_raw(&self, raw: Raw<'_>) -> bool {
        match (self, raw.kind()) {
            (Self::Null, kind) => kind == Kind::Null,
            (Self::Str(s), kind) => kind == Kind::String && raw.str_bytes() == Some(s.as_bytes()),
            (Self::Int(_) | Self::Float(_), kind) => kind == Kind::Number && raw.scalar().is_some_and(|v| v == *self),
            (Self::Bool(b), _) => raw.as_bool() == Some(*b),
            _ => raw.to_value() == *self,
        }
    }
}

/// From here on several integers share a double.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

/// The order of doubles, in which both zeros are one. There is one of all of them, even if damaged data has some that are no
/// number.
fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.total_cmp(&b))
}

/// The order of an integer and a double as numbers: none of them is rounded for it.
fn compare_exactly(whole: i64, float: f64) -> Ordering {
    /// The first number that is too large for an integer.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&float) {
        // cut off towards zero it is an integer
        let cut = float.trunc();
        whole.cmp(&(cut as i64)).then_with(|| compare_floats(cut, float))
    } else {
        compare_floats(0.0, float)
    }
}

/// AQL's `==`.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Str(a), Self::Str(b)) => a == b,
            _ => self.compare_with(other, &|a, b| a.as_bytes().cmp(b.as_bytes())).is_eq(),
        }
    }
}

impl Eq for Value {}

/// Equal values (in the sense of `==`) hash alike: doubles that are whole as integers, nulls inside arrays and objects not at
/// all.
impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Null => state.write_u8(0),
            Self::Bool(b) => state.write_u8(1 + u8::from(*b)),
            Self::Int(whole) => {
                state.write_u8(3);
                state.write_u64(*whole as u64);
            }
            Self::Float(number) => {
                let whole = *number as i64;
                let bits = if whole as f64 == *number { whole as u64 } else { number.to_bits() };
                state.write_u8(3);
                state.write_u64(bits);
            }
            Self::Str(s) => {
                state.write_u8(4);
                state.write(s.as_bytes());
            }
            _ => deeper(|| self.hash_parts(state)),
        }
    }
}

impl Value {
    fn hash_parts<H: Hasher>(&self, state: &mut H) {
        if self.is_array() {
            state.write_u8(5);
            for (i, item) in self.iter_array().enumerate().filter(|(_, item)| !item.is_null()) {
                state.write_usize(i);
                item.hash(state);
            }
        } else {
            state.write_u8(6);
            let attributes = self.iter_object().filter(|(_, v)| !v.is_null()).fold(0u64, |sum, (name, value)| {
                let mut h = Seeded.build_hasher();
                name.hash(&mut h);
                value.hash(&mut h);
                sum.wrapping_add(h.finish())
            });
            state.write_u64(attributes);
        }
    }
}

/// A value as a member of a set or as the key of a group: arrays of different lengths and objects with different attributes
/// are different members there, even if only nulls make the difference and `==` says they are equal.
#[derive(Clone)]
pub struct Member(pub Value);

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        is_same_member(&self.0, &other.0)
    }
}

impl Eq for Member {}

impl Hash for Member {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// A value that is only lent: finds the member that it would be.
#[derive(Hash)]
pub(crate) struct Lent<'v>(pub &'v Value);

impl Equivalent<Member> for Lent<'_> {
    fn equivalent(&self, member: &Member) -> bool {
        is_same_member(self.0, &member.0)
    }
}

fn is_same_member(a: &Value, b: &Value) -> bool {
    // most of them, decided at once
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => return a == b,
        (Value::Int(a), Value::Int(b)) => return a == b,
        _ => {}
    }
    if a.is_array() {
        a.array_len() == b.array_len() && deeper(|| are_same_items(a, b))
    } else if a.is_object() {
        a.object_len() == b.object_len() && deeper(|| are_same_attributes(a, b))
    } else {
        a == b
    }
}

fn are_same_items(a: &Value, b: &Value) -> bool {
    a.iter_array().zip(b.iter_array()).all(|(x, y)| is_same_member(&x, &y))
}

fn are_same_attributes(a: &Value, b: &Value) -> bool {
    let in_other = |name: &str, x: &Value| b.get_opt(name).is_some_and(|y| is_same_member(x, &y));
    a.iter_object().all(|(name, value)| in_other(name, &value))
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::index_key;
    use crate::value::parse_json;

    fn v(json: &str) -> Value {
        parse_json(json).expect("valid JSON")
    }

    #[test]
    fn types_are_ordered_null_bool_number_string_array_object() {
        let ordered = ["null", "false", "true", "-1", "0.5", "7", "\"\"", "\"a\"", "[]", "[0]", "{}", "{\"a\":1}"];
        for pair in ordered.windows(2) {
            assert_eq!(v(pair[0]).compare(&v(pair[1])), Ordering::Less, "{pair:?}");
        }
    }

    #[test]
    fn a_missing_element_or_attribute_counts_as_null() {
        assert_eq!(v("[]"), v("[null]"));
        assert_eq!(v("{}"), v("{\"a\":null}"));
        assert_eq!(v("{\"b\":1}").compare(&v("{\"a\":0}")), Ordering::Less);
    }

    #[test]
    fn members_of_sets_differ_where_only_nulls_do() {
        let is_same = |a: &str, b: &str| Member(v(a)) == Member(v(b));
        assert!(!is_same("[]", "[null]") && !is_same("{}", r#"{"a":null}"#) && !is_same("[[1]]", "[[1,null]]"));
        assert!(is_same("[1]", "[1.0]") && is_same(r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"a":1}"#));
        assert!(!is_same("[]", "{}") && !is_same("0", "false") && is_same("null", "null"));
    }

    #[test]
    fn equal_values_hash_alike() {
        let hash = |value: &Value| Seeded.hash_one(value);
        for (a, b) in [("1", "1.0"), ("[1]", "[1,null]"), ("{\"a\":1,\"b\":null}", "{\"a\":1}"), ("0", "-0.0")] {
            assert_eq!(v(a), v(b));
            assert_eq!(hash(&v(a)), hash(&v(b)), "{a} {b}");
        }
    }

    /// Numbers that an order or a hash may stumble over: around 2^53 and 2^63, zeros, the smallest and the largest.
    pub(in crate::value) fn hostile_number() -> impl Strategy<Value = Value> {
        let near = |power: u32| {
            let whole = move |off: i64| (1_i128 << power) + i128::from(off);
            (-3_i64..4, any::<bool>(), any::<bool>()).prop_map(move |(off, negative, float)| {
                let whole = if negative { -whole(off) } else { whole(off) };
                i64::try_from(whole).map_or(Value::Float(whole as f64), |i| {
                    if float { Value::Float(whole as f64) } else { Value::Int(i) }
                })
            })
        };
        prop_oneof![
            near(53),
            near(54),
            near(62),
            near(63),
            (0_i64..1100, any::<bool>()).prop_map(|(off, up)| Value::Int(if up {
                i64::MAX - off
            } else {
                i64::MIN + off
            })),
            (-2_i32..3, any::<bool>()).prop_map(|(steps, negative)| {
                let limit = 9_223_372_036_854_775_808.0_f64;
                let steps = (0..steps.abs()).fold(limit, |x, _| if steps < 0 { x.next_down() } else { x.next_up() });
                Value::Float(if negative { -steps } else { steps })
            }),
            prop::sample::select(vec![
                0.0,
                -0.0,
                5e-324,
                -5e-324,
                f64::MIN_POSITIVE,
                f64::MAX,
                f64::MIN,
                1e300,
                0.5,
                -0.5,
                1.0
            ])
            .prop_map(Value::Float),
            (-2_i64..3).prop_map(Value::Int),
            any::<i64>().prop_map(Value::Int),
            any::<i64>().prop_map(|i| Value::Float(i as f64)),
            any::<f64>().prop_map(Value::float).prop_filter("a number", Value::is_number),
        ]
    }

    fn hash(value: &Value) -> u64 {
        Seeded.hash_one(value)
    }

    fn key(value: &Value) -> Vec<u8> {
        let mut key = Vec::new();
        index_key::encode(value, &mut key);
        key
    }

    #[test]
    fn no_number_is_rounded_to_be_compared() {
        let ordered = [
            "-9223372036854777856",
            "-9223372036854775808",
            "-9223372036854775807",
            "-9007199254740993",
            "-9007199254740992",
            "0",
            "9007199254740992",
            "9007199254740993",
            "9007199254740994.0",
            "9223372036854775807",
            "9223372036854775808",
            "1e300",
        ];
        for pair in ordered.windows(2) {
            assert_eq!(v(pair[0]).compare(&v(pair[1])), Ordering::Less, "{pair:?}");
            assert!(key(&v(pair[0])) < key(&v(pair[1])), "{pair:?}");
        }
        assert_eq!(v("9007199254740992.0"), v("9007199254740992"));
        assert_eq!(v("-0.0"), v("0"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn numbers_have_one_order_for_comparisons_hashes_members_and_keys(
            a in hostile_number(), b in hostile_number(), c in hostile_number()
        ) {
            let order = a.compare(&b);
            prop_assert_eq!(b.compare(&a), order.reverse());
            prop_assert_eq!(a.compare(&a.clone()), Ordering::Equal);
            if order.is_le() && b.compare(&c).is_le() {
                prop_assert!(a.compare(&c).is_le(), "{:?} {:?} {:?}", a, b, c);
            }
            prop_assert_eq!(a == b, order.is_eq());
            prop_assert_eq!(Member(a.clone()) == Member(b.clone()), order.is_eq());
            prop_assert_eq!(key(&a).cmp(&key(&b)), order, "{:?} {:?}", a, b);
            if order.is_eq() {
                prop_assert_eq!(hash(&a), hash(&b));
            }
            let stored = Value::array(vec![a.clone()]).to_stored();
            prop_assert_eq!(b.equals_raw(Raw::new(&stored).at(0).expect("stored")), order.is_eq());
        }
    }
}
