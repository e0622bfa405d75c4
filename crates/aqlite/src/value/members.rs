//! The members of an array, found without looking at one after the other.

use rustc_hash::FxHashSet;

use super::Value;

/// With fewer members it is not worth it.
const WORTHWHILE: usize = 12;
/// From here on several integers are equal to one double and not to each other, so that a set would lose some.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Finds a value that is equal to one of them in the sense of `==`.
pub(crate) struct Members(FxHashSet<Value>);

impl Members {
    /// Is a set of so many worth making?
    pub fn are_worthwhile(members: usize) -> bool {
        members >= WORTHWHILE
    }

    /// Is a value equal to all that is equal to one that is equal to it, so that a set or a table of such values loses none?
    pub fn is_exact(value: &Value) -> bool {
        is_exact(value)
    }

    /// Those of an array; `None` where it has only a few, or some that can only be compared one by one.
    pub fn of(array: &Value) -> Option<Self> {
        if !Self::are_worthwhile(array.array_len().unwrap_or_default()) {
            return None;
        }
        let mut set = FxHashSet::default();
        for member in array.iter_array() {
            if !is_exact(&member) {
                return None;
            }
            set.insert(member);
        }
        Some(Self(set))
    }

    /// Is there one that is equal?
    pub fn contains(&self, value: &Value) -> bool {
        self.0.contains(value)
    }

    /// Bytes it takes besides the members themselves.
    pub fn memory(&self) -> usize {
        2 * self.0.len() * size_of::<Value>()
    }
}

fn is_exact(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Str(_) => true,
        Value::Int(_) | Value::Float(_) => value.as_f64().is_some_and(|x| x.abs() < EXACT),
        _ if value.is_array() => value.iter_array().all(|item| is_exact(&item)),
        _ => value.iter_object().all(|(_, attribute)| is_exact(&attribute)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

    fn v(json: &str) -> Value {
        parse_json(json).expect("valid JSON")
    }

    #[test]
    fn members_are_found_as_equality_finds_them() {
        let text = r#"[1, 2.5, "a", "Ä", null, true, [1, null], {"a": 1, "b": null}, -0.0, "x", "y", "z", [[2]]]"#;
        let array = v(text);
        let members = Members::of(&array).expect("enough of them");
        let asked = [
            "1.0",
            "3",
            "\"A\"",
            "\"a\"",
            "[1]",
            "[1,null,null]",
            "{\"a\":1.0}",
            "{}",
            "0",
            "false",
            "null",
            "[[2.0]]",
        ];
        for one in asked.map(v) {
            let expected = array.iter_array().any(|member| member == one);
            assert_eq!(members.contains(&one), expected, "{one:?}");
        }
    }

    #[test]
    fn what_only_a_comparison_tells_apart_is_left_to_it() {
        let large = v("[1,2,3,4,5,6,7,8,9,10,11,12,[9007199254740993]]");
        assert!(Members::of(&large).is_none());
        assert!(Members::of(&v("[1,2,3]")).is_none());
    }
}
