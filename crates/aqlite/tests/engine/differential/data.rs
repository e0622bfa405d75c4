//! Documents of all kinds of values, and the indexes over them.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

/// Numbers that are easily taken for one another, by a double or by a text.
const NUMBERS: [&str; 34] = [
    "0",
    "-0.0",
    "1",
    "1.0",
    "-1",
    "2",
    "3",
    "0.5",
    "-0.5",
    "2.5",
    "0.1",
    "255",
    "-256",
    "4294967296",
    "9007199254740991",
    "9007199254740992",
    "9007199254740992.0",
    "9007199254740993",
    "-9007199254740993",
    "4611686018427387905",
    "9223372036854775807",
    "9223372036854775806",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775807",
    "18446744073709551615",
    "1e19",
    "1e300",
    "-1e300",
    "1.7976931348623157e308",
    "-1.7976931348623157e308",
    "5e-324",
    "-5e-324",
    "2.2250738585072014e-308",
];

/// Texts, as JSON has them: cases, accents in one piece and in two, scripts with orders of their own, what looks like
/// something else.
const TEXTS: [&str; 40] = [
    r#""""#,
    r#""a""#,
    r#""A""#,
    r#""b""#,
    r#""B""#,
    r#""ab""#,
    r#""aB""#,
    r#""abc""#,
    r#""a b""#,
    r#""á""#,
    r#""a\u0301""#,
    r#""ä""#,
    r#""z""#,
    r#""ß""#,
    r#""ss""#,
    r#""ﬁ""#,
    r#""fi""#,
    r#""İ""#,
    r#""ı""#,
    r#""Σ""#,
    r#""ς""#,
    r#""я""#,
    r#""字""#,
    r#""漢字""#,
    r#""한글""#,
    r#""한""#,
    r#""ไทย""#,
    r#""เก""#,
    r#""ก""#,
    r#""עברית""#,
    r#""🙂""#,
    r#""👨‍👩‍👧""#,
    r#""\uffff""#,
    r#""a\u200b""#,
    r#""\u0001""#,
    r#""a\u0000b""#,
    r#""10""#,
    r#""9""#,
    r#""a%_\\""#,
    r#""null""#,
];

/// A number.
pub fn number(random: &mut StdRng) -> String {
    match random.random_range(0..10) {
        0..5 => random.random_range(-3..8).to_string(),
        5..9 => (*NUMBERS.choose(random).expect("numbers")).to_owned(),
        _ => format!("{:e}", f64::from_bits(random.next_u64()).clamp(-1e308, 1e308) + 0.0).replace("NaN", "7"),
    }
}

/// A text.
pub fn text(random: &mut StdRng) -> String {
    match random.random_range(0..20) {
        0 => format!("\"{}\"", "long ".repeat(random.random_range(1..90))),
        1 => format!("\"k{}\"", random.random_range(0..20)),
        n if n < 12 => (*TEXTS[..9].choose(random).expect("texts")).to_owned(),
        _ => (*TEXTS.choose(random).expect("texts")).to_owned(),
    }
}

/// Anything without members.
pub fn scalar(random: &mut StdRng) -> String {
    match random.random_range(0..10) {
        0 => "null".to_owned(),
        1 => (*["true", "false"].choose(random).expect("some")).to_owned(),
        2..7 => number(random),
        _ => text(random),
    }
}

fn members(random: &mut StdRng, depth: u32) -> String {
    let members: Vec<String> = (0..random.random_range(0..4)).map(|_| value(random, depth)).collect();
    format!("[{}]", members.join(","))
}

/// Anything.
pub fn value(random: &mut StdRng, depth: u32) -> String {
    match random.random_range(0..16) {
        0 if depth > 0 => {
            let names = ["x", "y", "c", "", "é", "X"];
            let from = random.random_range(0..3);
            let attributes: Vec<String> = names[from..from + random.random_range(0..=3)]
                .iter()
                .map(|name| format!("\"{name}\":{}", value(random, depth - 1)))
                .collect();
            format!("{{{}}}", attributes.join(","))
        }
        1 if depth > 0 => members(random, depth - 1),
        _ => scalar(random),
    }
}

/// The members of an array that is indexed, or what stands where there should be one.
fn list(random: &mut StdRng) -> String {
    match random.random_range(0..9) {
        0 => value(random, 1),
        1 => "[]".to_owned(),
        2 => members(random, 1),
        _ => {
            let members: Vec<String> = (0..random.random_range(1..4)).map(|_| scalar(random)).collect();
            format!("[{}]", members.join(","))
        }
    }
}

/// Deep, or wide.
fn large(random: &mut StdRng) -> String {
    match random.random_range(0..3) {
        0 => format!("{}1{}", "[".repeat(40), "]".repeat(40)),
        1 => format!("{}1{}", "{\"x\":".repeat(40), "}".repeat(40)),
        _ => {
            let members: Vec<String> = (0..200).map(|_| scalar(random)).collect();
            format!("[{}]", members.join(","))
        }
    }
}

/// A document, as JSON. Its `q` is its own.
pub fn document(random: &mut StdRng, at: usize) -> String {
    let mut attributes = vec![format!("\"_key\":\"k{at}\""), format!("\"q\":{}", own(at))];
    let mut add = |name: &str, value: String, missing: bool| {
        if !missing {
            attributes.push(format!("\"{name}\":{value}"));
        }
    };
    let missing = |random: &mut StdRng, of: u32| random.random_range(0..of) == 0;
    let k = random.random_range(0..4).to_string();
    add("k", k, missing(random, 8));
    let a = if random.random_range(0..40) == 0 { large(random) } else { value(random, 2) };
    add("a", a, missing(random, 6));
    add("b", scalar(random), missing(random, 6));
    add("n", number(random), missing(random, 6));
    add("s", text(random), missing(random, 6));
    add("t", list(random), missing(random, 6));
    let o = match random.random_range(0..4) {
        0 => value(random, 1),
        _ => format!("{{\"c\":{},\"t\":{}}}", scalar(random), list(random)),
    };
    add("o", o, missing(random, 6));
    add("u", scalar(random), !missing(random, 2));
    format!("{{{}}}", attributes.join(","))
}

/// A value that no other document has.
fn own(at: usize) -> String {
    match at % 4 {
        0 => at.to_string(),
        1 => format!("{at}.5"),
        2 => format!("\"q{at}\""),
        _ => format!("[{at}]"),
    }
}

/// Indexes, of which a collection has some.
const INDEXES: [&str; 17] = [
    r#"{"type":"persistent","fields":["a"]}"#,
    r#"{"type":"persistent","fields":["b","a"],"storedValues":["o.c","_key"]}"#,
    r#"{"type":"persistent","fields":["b","n"]}"#,
    r#"{"type":"persistent","fields":["n"]}"#,
    r#"{"type":"persistent","fields":["n"],"sparse":true}"#,
    r#"{"type":"persistent","fields":["s"]}"#,
    r#"{"type":"persistent","fields":["s","n"],"sparse":true}"#,
    r#"{"type":"persistent","fields":["u"],"sparse":true}"#,
    r#"{"type":"persistent","fields":["u","k"],"sparse":true,"storedValues":["s"]}"#,
    r#"{"type":"persistent","fields":["q"],"unique":true}"#,
    r#"{"type":"persistent","fields":["q","u"],"unique":true,"sparse":true}"#,
    r#"{"type":"persistent","fields":["t[*]"]}"#,
    r#"{"type":"persistent","fields":["b","t[*]"]}"#,
    r#"{"type":"persistent","fields":["o.t[*]","k"],"sparse":true}"#,
    r#"{"type":"persistent","fields":["o.c","b"]}"#,
    r#"{"type":"persistent","fields":["k","b"]}"#,
    r#"{"type":"inverted","name":"inv","fields":["a","b","n","s","u","o.c","t[*]"]}"#,
];

/// Everything the queries of one world are about.
#[derive(Clone, Debug)]
pub struct Data {
    pub documents: Vec<String>,
    pub indexes: Vec<&'static str>,
    /// Is it in the tables?
    pub is_flushed: bool,
}

impl Data {
    pub fn of(random: &mut StdRng) -> Self {
        let count = random.random_range(4..26);
        let documents = (0..count).map(|at| document(random, at)).collect();
        let indexes = INDEXES.into_iter().filter(|_| random.random_range(0..2) == 0).collect();
        Self { documents, indexes, is_flushed: random.random_range(0..2) == 0 }
    }
}
