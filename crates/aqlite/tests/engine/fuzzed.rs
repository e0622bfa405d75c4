//! The targets of `fuzz/` on inputs that were changed at random. `AQLITE_FUZZ_CASES` says how many for each; without it they are
//! few, so that the run stays short.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

#[path = "../../fuzz/targets/mod.rs"]
mod targets;

/// A change of an input.
#[derive(Clone, Debug)]
enum Edit {
    /// A byte becomes another one.
    Replace(usize, u8),
    Insert(usize, u8),
    /// So many bytes go.
    Remove(usize, usize),
    /// So many bytes stand there again, somewhere else.
    Copy(usize, usize, usize),
    /// A piece of another input comes in.
    Splice(usize, usize, usize),
    /// What a number, a bracket or a quotation mark may be mistaken for.
    Token(usize, usize),
}

const TOKENS: &[&str] = &[
    "\"",
    "'",
    "`",
    "\\",
    "\\u0000",
    "\\ud800",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    ":",
    "-",
    "1e400",
    "-1",
    "9223372036854775808",
    "NaN",
    "null",
    "\0",
    "@",
    "@@",
    "[*]",
    "/*",
    "//",
    "..",
    "%00",
    "?",
    "=",
    "\n",
    "ü",
    "\u{10ffff}",
    "RETURN ",
    "IN ",
    "_key",
];

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<usize>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Replace(at, byte)),
        (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Insert(at, byte)),
        (at(), 1_usize..20).prop_map(|(at, len)| Edit::Remove(at, len)),
        (at(), 1_usize..40, at()).prop_map(|(from, len, to)| Edit::Copy(from, len, to)),
        (at(), at(), at()).prop_map(|(seed, from, to)| Edit::Splice(seed, from, to)),
        (at(), at()).prop_map(|(at, token)| Edit::Token(at, token)),
    ]
}

impl Edit {
    fn apply(&self, seeds: &[&[u8]], input: &mut Vec<u8>) {
        let place = |at: usize| at % (input.len() + 1);
        match *self {
            Self::Replace(at, byte) => {
                let at = place(at);
                if let Some(place) = input.get_mut(at) {
                    *place = byte;
                }
            }
            Self::Insert(at, byte) => input.insert(place(at), byte),
            Self::Remove(at, len) => {
                let at = place(at);
                let end = (at + len).min(input.len());
                input.drain(at..end);
            }
            Self::Copy(from, len, to) => {
                let (from, to) = (place(from), place(to));
                let piece = input[from..(from + len).min(input.len())].to_vec();
                input.splice(to..to, piece);
            }
            Self::Splice(seed, from, to) => {
                let (seed, to) = (seeds[seed % seeds.len()], place(to));
                input.splice(to..to, seed[from % seed.len()..].iter().copied());
            }
            Self::Token(at, token) => {
                let at = place(at);
                input.splice(at..at, TOKENS[token % TOKENS.len()].bytes());
            }
        }
    }
}

/// Runs one target on so many inputs, unless the environment asks for more.
fn fuzz(name: &str, cases: u32) {
    let (_, target, seeds) = targets::TARGETS.iter().find(|(known, ..)| *known == name).expect("a target");
    seeds.iter().for_each(|seed| target(seed));
    let asked = std::env::var("AQLITE_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = Config { cases: asked.unwrap_or(cases), failure_persistence: None, ..Config::default() };
    let inputs = (any::<usize>(), prop::collection::vec(edit(), 1..10)).prop_map(|(seed, edits)| {
        let mut input = seeds[seed % seeds.len()].to_vec();
        for edit in &edits {
            edit.apply(seeds, &mut input);
        }
        input
    });
    let found = TestRunner::new(config).run(&inputs, |input| {
        target(&input);
        Ok(())
    });
    match found {
        Err(TestError::Fail(reason, input)) => {
            panic!("{name}: {reason}\n{:?}\n{input:?}", String::from_utf8_lossy(&input));
        }
        other => other.expect("inputs"),
    }
}

#[test]
fn any_text_is_a_query_or_an_error_that_says_where() {
    fuzz("parser", 15_000);
}

#[test]
fn any_query_ends_with_rows_or_an_error() {
    fuzz("query", 5000);
}

#[test]
fn any_json_is_read_stored_and_written_as_the_same_value() {
    fuzz("value", 15_000);
}

#[test]
fn any_bytes_are_read_as_a_stored_value_without_a_panic() {
    fuzz("stored", 15_000);
}

#[test]
fn any_values_have_keys_in_their_order() {
    fuzz("keys", 8000);
}

#[test]
fn any_request_has_an_answer_that_does_not_blame_the_engine() {
    fuzz("request", 1000);
}

#[test]
fn any_body_is_imported_or_refused() {
    fuzz("import", 400);
}

#[test]
fn any_lines_are_documents_or_an_error_that_names_the_line() {
    fuzz("dump", 800);
}
