//! `LIKE`, `=~` and the `REGEX_` functions.
//!
//! Patterns are written in the syntax of ICU; `translate` turns them into that of the engines. Compiled patterns are kept
//! per thread.

mod pattern;
mod replace;
mod split;
mod translate;

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{Function, Host, flag, pure, text, warn_in};
use crate::Result;
use crate::error::code;
use crate::seeded::SeededMap;
use crate::value::Value;

use pattern::Pattern;
pub(super) use split::split_by;
use translate::Translated;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("LIKE", 2, 3, like_function),
    pure("REGEX_TEST", 2, 3, regex_test_function),
    pure("REGEX_MATCHES", 2, 3, regex_matches),
    pure("REGEX_REPLACE", 3, 4, replace::regex_replace),
    pure("REGEX_SPLIT", 2, 4, split::regex_split),
];

/// How a pattern is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// The wildcards of `LIKE`.
    Like {
        /// Regardless of letter case.
        insensitive: bool,
    },
    /// ICU's syntax, to know whether there is a match.
    Test {
        /// Regardless of letter case.
        insensitive: bool,
    },
    /// ICU's syntax, to know what matches.
    Find {
        /// Regardless of letter case.
        insensitive: bool,
    },
    /// The engine's own syntax.
    Verbatim,
}

/// Compiled patterns a thread keeps.
const CACHED: usize = 256;

type Cache = FxHashMap<Kind, SeededMap<Box<str>, Option<Rc<Pattern>>>>;

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

/// The compiled pattern, shared because a copy would begin without the engine's warm caches; `None` where it is no valid one, an error where it is valid but not supported.
pub(super) fn compiled(kind: Kind, pattern: &str) -> Result<Option<Rc<Pattern>>> {
    CACHE.with_borrow_mut(|cache| {
        if let Some(known) = cache.get(&kind).and_then(|patterns| patterns.get(pattern)) {
            return Ok(known.clone());
        }
        let regex = compile(kind, pattern)?.map(Rc::new);
        if cache.values().map(SeededMap::len).sum::<usize>() >= CACHED {
            cache.clear();
        }
        cache.entry(kind).or_default().insert(pattern.into(), regex.clone());
        Ok(regex)
    })
}

fn compile(kind: Kind, pattern: &str) -> Result<Option<Pattern>> {
    let (translated, insensitive) = match kind {
        Kind::Like { insensitive } => (Some(Translated::linear(translate::like(pattern))), insensitive),
        Kind::Test { insensitive } => (translate::icu(pattern, true)?, insensitive),
        Kind::Find { insensitive } => (translate::icu(pattern, false)?, insensitive),
        Kind::Verbatim => (Some(Translated::linear(String::from(pattern))), false),
    };
    Ok(translated.and_then(|translated| Pattern::new(&translated, insensitive)))
}

/// The operator `LIKE`: `%` stands for any characters, `_` for one, a backslash takes their meaning away.
pub fn like(text: &str, pattern: &str, insensitive: bool) -> bool {
    matches!(compiled(Kind::Like { insensitive }, pattern), Ok(Some(regex)) if regex.is_match(text).unwrap_or_default())
}

/// The operator `=~`: does the expression match somewhere in the text? `None` where it is no valid expression or the work
/// gets out of hand, which is a warning then; an error where it needs something that is not supported.
pub fn regex_test(text: &str, pattern: &str, insensitive: bool) -> Result<Option<bool>> {
    Ok(compiled(Kind::Test { insensitive }, pattern)?.and_then(|regex| regex.is_match(text).ok()))
}

fn like_function(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match compiled(Kind::Like { insensitive: flag(args, 2) }, &text(args, 1))? {
        Some(regex) => Ok(regex.is_match(&text(args, 0)).unwrap_or_default().into()),
        None => warn_in(host, "LIKE", code::QUERY_INVALID_REGEX),
    }
}

fn regex_test_function(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match regex_test(&text(args, 0), &text(args, 1), flag(args, 2))? {
        Some(found) => Ok(found.into()),
        None => warn_in(host, "REGEX_TEST", code::QUERY_INVALID_REGEX),
    }
}

/// The first match and its groups; a group that took no part is empty.
fn regex_matches(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let pattern = text(args, 1);
    let Some(regex) = compiled(Kind::Find { insensitive: flag(args, 2) }, &pattern)? else {
        return warn_in(host, "REGEX_MATCHES", code::QUERY_INVALID_REGEX);
    };
    let text = text(args, 0);
    if text.is_empty() && !pattern.is_empty() {
        return Ok(Value::array(vec!["".into()]));
    }
    match regex.find_at(&text, 0) {
        Ok(None) => Ok(Value::Null),
        Ok(Some(groups)) => Ok(Value::array((0..groups.len()).map(|i| groups.text(i, &text).into()).collect())),
        Err(_) => warn_in(host, "REGEX_MATCHES", code::QUERY_INVALID_REGEX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::testing::answer;

    #[test]
    fn like_knows_two_wildcards_and_their_escape() {
        assert!(like("abc", "a%", false));
        assert!(!like("ABC", "a%", false));
        assert!(like("ABC", "a%", true));
        assert!(like("a_c", r"a\_c", false) && !like("abc", r"a\_c", false));
        assert!(like("äb", "_b", false) && like("a\nb", "a_b", false) && like("", "%", false) && !like("", "_", false));
        assert!(like("a.c", "a.c", false) && !like("abc", "a.c", false));
        assert!(like(r"a\x", r"a\x", false) && like(r"a\", r"a\\", false) && like("a", r"a\", false));
        assert!(!like("abc\n", "abc", false));
        assert!(like("xay", "%a%", false) && like("xa", "%a", false) && !like("xay", "%a", false));
        assert!(like("ay", "a%", false) && !like("xay", "a%", false) && like("a%", r"a\%", false));
        assert!(like("ab", "%_b%%", false) && !like("b", "%_b%%", false) && like("x", "%%", false));
    }

    #[test]
    fn an_invalid_expression_is_null_with_a_warning() {
        assert_eq!(answer("REGEX_TEST", r#"["x","("]"#), "warning 1543");
        assert_eq!(answer("REGEX_REPLACE", r#"["abc","[","x"]"#), "warning 1543");
        assert_eq!(regex_test("x", "(", false), Ok(None));
    }

    #[test]
    fn look_around_and_back_references_are_understood() {
        for (text, pattern, expected) in [
            ("foobar", "foo(?=bar)", true),
            ("foobaz", "foo(?=bar)", false),
            ("foobaz", "foo(?!bar)", true),
            ("price 30", r"(?<=price )\d+", true),
            ("xb", "(?<!a)b", true),
            ("abab", r"(ab)\1", true),
            ("aa bb", r"(?<c>\w)\k<c> ", true),
            ("aab", "a*+b", true),
            ("aaa", "a*+a", false),
            ("ABAB", "(?i)(ab)\\1", true),
        ] {
            assert_eq!(regex_test(text, pattern, false), Ok(Some(expected)), "{pattern}");
        }
        assert_eq!(regex_test("x", r"(a)\2", false), Ok(None));
        assert_eq!(answer("REGEX_MATCHES", r#"["foobar","o+(?=(b))"]"#), r#"["oo","b"]"#);
        assert_eq!(answer("REGEX_REPLACE", r#"["abcb","b(?=c)","x"]"#), r#""axcb""#);
        assert_eq!(answer("REGEX_SPLIT", r#"["aXbYc","(?=[A-Z])"]"#), r#"["a","Xb","Yc"]"#);
        assert_eq!(regex_test("x", r"\X", false).map_err(|e| e.num), Err(code::NOT_IMPLEMENTED));
    }

    #[test]
    fn work_that_gets_out_of_hand_is_given_up() {
        let text = "a".repeat(64);
        assert_eq!(regex_test(&text, r"^(?:(a|aa)\1?)+c", false), Ok(None));
    }

    #[test]
    fn matches_are_the_first_match_with_its_groups() {
        assert_eq!(answer("REGEX_MATCHES", r#"["a1b22","([a-z])(\\d+)"]"#), r#"["a1","a","1"]"#);
        assert_eq!(answer("REGEX_MATCHES", r#"["zzz","^a$"]"#), "null");
        assert_eq!(answer("REGEX_MATCHES", r#"["b","(a)?b"]"#), r#"["b",""]"#);
        assert_eq!(answer("REGEX_MATCHES", r#"["","a"]"#), r#"[""]"#);
    }
}
