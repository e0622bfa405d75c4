//! The members of an array, found without looking at one after the other.

use super::Value;
use crate::seeded::SeededSet;

/// With fewer members it is not worth it.
const WORTHWHILE: usize = 12;

/// Finds a value that is equal to one of them in the sense of `==`.
pub(crate) struct Members(SeededSet<Value>);

impl Members {
    /// Is a set of so many worth making?
    pub fn are_worthwhile(members: usize) -> bool {
        members >= WORTHWHILE
    }

    /// Those of an array; `None` where it has only a few.
    pub fn of(array: &Value) -> Option<Self> {
        Self::are_worthwhile(array.array_len().unwrap_or_default()).then(|| Self(array.iter_array().collect()))
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
    fn large_numbers_are_found_by_what_they_are() {
        let array = v("[1,2,3,4,5,6,7,8,9,10,11,9007199254740993,[9007199254740992]]");
        let members = Members::of(&array).expect("enough of them");
        assert!(members.contains(&v("9007199254740993")) && members.contains(&v("[9007199254740992.0]")));
        assert!(!members.contains(&v("9007199254740992.0")) && !members.contains(&v("9007199254740992")));
        assert!(Members::of(&v("[1,2,3]")).is_none());
    }
}
