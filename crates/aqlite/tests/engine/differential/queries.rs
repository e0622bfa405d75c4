//! Queries over the documents: what they find is determined, whatever way is taken to it.

use aqlite::value::{Value, parse_json};
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::data;

/// A query over the collection `@@c`, with a parameter in the place of every literal.
#[derive(Clone, Debug)]
pub struct Query {
    pub text: String,
    /// The parameters `p0`, `p1` and so on, as JSON.
    pub parameters: Vec<String>,
    /// Which of several equal values a row shows is not determined.
    pub shows_one_of_equals: bool,
}

impl Query {
    /// The text with the values themselves.
    pub fn with_literals(&self) -> String {
        let mut text = self.text.clone();
        for (at, value) in self.parameters.iter().enumerate().rev() {
            text = text.replace(&format!("@p{at}"), value);
        }
        text
    }
}

/// What a query is about.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    Rows,
    Groups,
    Loops,
}

/// Makes queries.
pub struct Maker<'r, 'd> {
    pub random: &'r mut StdRng,
    documents: &'d [Value],
    parameters: Vec<String>,
    /// How many variables there are.
    inner: usize,
    shows_one_of_equals: bool,
}

const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
const ATTRIBUTES: [&str; 14] = ["a", "b", "n", "s", "k", "u", "q", "o.c", "a", "b", "n", "_key", "missing", "o"];

impl<'r, 'd> Maker<'r, 'd> {
    pub fn new(random: &'r mut StdRng, documents: &'d [Value]) -> Self {
        Self { random, documents, parameters: Vec::new(), inner: 0, shows_one_of_equals: false }
    }

    /// One of some words.
    pub fn one(&mut self, of: &[&'static str]) -> &'static str {
        of.choose(self.random).copied().expect("words")
    }

    pub fn chance(&mut self, one_of: u32) -> bool {
        self.random.random_range(0..one_of) == 0
    }

    /// A parameter with a value.
    pub fn give(&mut self, value: String) -> String {
        self.parameters.push(value);
        format!("@p{}", self.parameters.len() - 1)
    }

    pub fn attribute(&mut self) -> &'static str {
        self.one(&ATTRIBUTES)
    }

    /// A value to compare an attribute with: often one that a document has there. Keys are compared with keys, for which
    /// the order of texts is that of their bytes, as the primary index has them.
    pub fn literal(&mut self, attribute: &str) -> String {
        if attribute == "_key" {
            let key = format!("\"k{}\"", self.random.random_range(0..30));
            return self.give(key);
        }
        let value = if self.chance(2) { self.present(attribute) } else { None };
        let value = value.unwrap_or_else(|| data::value(self.random, 1));
        self.give(value)
    }

    /// What a document has there.
    fn present(&mut self, attribute: &str) -> Option<String> {
        let document = self.documents.choose(self.random)?;
        let names: Vec<&str> = attribute.split('.').collect();
        let value = document.path(&names);
        let value = if value.is_array() && !self.chance(4) { value.at(self.random.random_range(0..4)) } else { value };
        Some(value.to_json()).filter(|text| text.len() < 400)
    }

    pub fn literals(&mut self, attribute: &str, most: usize) -> String {
        let count = self.random.random_range(0..=most);
        let values: Vec<String> = (0..count).map(|_| self.literal(attribute)).collect();
        format!("[{}]", values.join(", "))
    }

    /// A condition on the last variable, and perhaps on the others.
    pub fn condition(&mut self, vars: &[&str], depth: u32) -> String {
        if depth > 0 {
            match self.random.random_range(0..8) {
                0 => {
                    let (a, b) = (self.condition(vars, depth - 1), self.condition(vars, depth - 1));
                    return format!("({a} AND {b})");
                }
                1 | 2 => {
                    let (a, b) = (self.condition(vars, depth - 1), self.condition(vars, depth - 1));
                    return format!("({a} OR {b})");
                }
                3 => {
                    let a = self.condition(vars, depth - 1);
                    return format!("NOT ({a})");
                }
                4 => {
                    let (a, b) = (self.condition(vars, depth - 1), self.condition(vars, depth - 1));
                    let c = self.condition(vars, depth - 1);
                    return format!("({a} ? {b} : {c})");
                }
                _ => {}
            }
        }
        self.leaf(vars)
    }

    fn leaf(&mut self, vars: &[&str]) -> String {
        let var = vars.last().copied().unwrap_or("d");
        let a = self.attribute();
        let op = self.one(&COMPARISONS);
        match self.random.random_range(0..34) {
            0..7 => format!("{var}.{a} {op} {}", self.literal(a)),
            7 => format!("{} {op} {var}.{a}", self.literal(a)),
            8 => {
                let other = *vars.choose(self.random).expect("a variable");
                let b = self.attribute();
                let op = if a == "_key" || b == "_key" { "==" } else { op };
                format!("{var}.{a} {op} {other}.{b}")
            }
            9 | 10 => {
                let other = *vars.choose(self.random).expect("a variable");
                format!("{var}.{a} == {other}.{a}")
            }
            11 | 12 => {
                let most = if self.chance(6) { 20 } else { 4 };
                let list = self.literals(a, most);
                format!("{var}.{a} {} {list}", self.one(&["IN", "IN", "NOT IN"]))
            }
            13 => {
                let list = self.one(&["t", "o.t"]);
                let value = self.literal(list);
                format!("{value} {} {var}.{list}{}", self.one(&["IN", "IN", "NOT IN"]), self.one(&["", "[*]"]))
            }
            14 => {
                let quantifier = self.one(&["ANY", "ALL", "NONE", "AT LEAST (2)"]);
                let list = self.literals(a, 3);
                let op = self.one(&["==", "!=", "<", "<=", ">", ">=", "IN", "NOT IN"]);
                let attribute = if op.ends_with("IN") { "t" } else { a };
                format!("{list} {quantifier} {op} {var}.{attribute}")
            }
            15 => {
                let quantifier = self.one(&["ANY", "ALL", "NONE", "AT LEAST (2)"]);
                format!("{var}.t {quantifier} {op} {}", self.literal("t"))
            }
            16 => {
                let list = self.literals("t", 3);
                format!("{var}.t {} {} {list}", self.one(&["ANY", "ALL", "NONE"]), self.one(&["IN", "NOT IN"]))
            }
            17 => {
                let quantity = self.one(&["ANY", "ALL", "NONE", "1", "1..2"]);
                format!("{var}.t[? {quantity} FILTER CURRENT {op} {}]", self.literal("t"))
            }
            18 => {
                let pattern = self.one(&["'a%'", "'%b'", "'_'", "'ab'", "'á%'", "'%'", "'เ%'", "'a\\\\%%'"]);
                format!("(IS_STRING({var}.s) AND {var}.s LIKE {pattern})")
            }
            19 => {
                let low = self.random.random_range(-2..4);
                let high = low + self.random.random_range(0..4);
                let (low, high) = (self.give(low.to_string()), self.give(high.to_string()));
                format!("{var}.{} IN {low}..{high}", self.one(&["n", "k", "a"]))
            }
            20 | 21 => {
                let (low, high) = (self.literal(a), self.literal(a));
                let (above, below) = (self.one(&[">", ">="]), self.one(&["<", "<="]));
                format!("{var}.{a} {above} {low} AND {var}.{a} {below} {high}")
            }
            22 => format!("{var}.{a} {} null", self.one(&["==", "!=", ">", "<="])),
            23 => {
                let (from, inner) = (self.inner(), self.attribute());
                let test = if self.chance(2) {
                    let more = self.leaf(&[vars[0], &from]);
                    format!(" AND {more}")
                } else {
                    String::new()
                };
                let most = self.random.random_range(0..3);
                format!("LENGTH(FOR {from} IN @@c FILTER {from}.{inner} == {var}.{a}{test} RETURN {from}) {op} {most}")
            }
            24 => format!("{var}.n {} {} {op} {}", self.one(&["+", "-", "*"]), self.literal("n"), self.literal("n")),
            25 => format!("TYPENAME({var}.{a}) {op} '{}'", self.one(&["number", "string", "null", "array"])),
            26 => format!("LENGTH({var}.t) {op} {}", self.random.random_range(0..4)),
            27 => format!("{var}[{}] {op} {}", self.one(&["'a'", "'b'", "'n'"]), self.literal("a")),
            28 => format!("STARTS_WITH({var}.s, {})", self.one(&["'a'", "'A'", "'á'", "''"])),
            29 => format!("HAS({var}, '{}')", self.one(&["u", "a", "t"])),
            30 => format!("{var}.t[{}] {op} {}", self.one(&["0", "-1", "1"]), self.literal("t")),
            31 => format!("({var}.u ?: {var}.b) {op} {}", self.literal("b")),
            32 => format!("{var}.s == \"{}\"", self.one(&["\\ud800", "a\\udc00", "\\u0061", "\\ud83d\\ude42"])),
            _ => format!("({var}.{a} == {} || {var}.{a} == {})", self.literal(a), self.literal(a)),
        }
    }

    fn inner(&mut self) -> String {
        self.inner += 1;
        format!("y{}", self.inner)
    }

    /// A value that is made of a document.
    pub fn expression(&mut self, var: &str) -> String {
        let a = self.attribute();
        match self.random.random_range(0..16) {
            0..5 => format!("{var}.{a}"),
            5 => format!("KEEP({var}, '_key', 'a', 'n', 't')"),
            6 => format!("UNSET({var}, '_id', '_rev')"),
            7 => format!("{var}.t[* FILTER CURRENT >= {}]", self.literal("t")),
            8 => format!("{var}.t[* LIMIT 1, 1 RETURN [CURRENT, {var}.a]]"),
            9 => format!("[{var}.t, [{var}.a]][**]"),
            10 => format!("SORTED_UNIQUE(TO_ARRAY({var}.t))"),
            11 => format!("MERGE({{ x: 1 }}, {{ y: {var}.{a} }})"),
            12 => format!("{{ [TO_STRING({var}.k)]: {var}.b }}"),
            13 => format!("[{var}.n {} {}, {var}.n < {var}.b]", self.one(&["+", "-", "*", "/"]), self.literal("n")),
            14 => format!("CONCAT({var}.s, '/', {var}.{a})"),
            _ => format!("JSON_STRINGIFY({var}.o)"),
        }
    }

    fn options(&mut self) -> &'static str {
        self.one(&["", "", "", "", " OPTIONS { indexHint: 'inv' }", " OPTIONS { disableIndex: true }"])
    }

    pub fn filters(&mut self, vars: &[&str], most: u32) -> String {
        let count = self.random.random_range(0..=most);
        let filters: Vec<String> = (0..count).map(|_| format!(" FILTER {}", self.condition(vars, 2))).collect();
        filters.concat()
    }

    pub fn sort(&mut self, vars: &[&str]) -> String {
        let mut keys = Vec::new();
        for _ in 0..self.random.random_range(0..3) {
            let var = *vars.choose(self.random).expect("a variable");
            keys.push(format!("{var}.{}{}", self.attribute(), self.one(&["", " DESC"])));
        }
        let direction = self.one(&["", "", " DESC"]);
        keys.extend(vars.iter().map(|var| format!("{var}._key{direction}")));
        format!(" SORT {}", keys.join(", "))
    }

    pub fn limit(&mut self) -> String {
        match self.random.random_range(0..5) {
            0 => format!(" LIMIT {}", self.random.random_range(0..6)),
            1 => format!(" LIMIT {}, {}", self.random.random_range(0..4), self.random.random_range(1..8)),
            _ => String::new(),
        }
    }

    pub fn query(mut self, subject: Subject) -> Query {
        let text = match subject {
            Subject::Rows => self.rows(),
            Subject::Groups => self.groups(),
            Subject::Loops => self.loops(),
        };
        self.finish(text)
    }

    /// The query with those parameters alone that it reads.
    pub fn finish(self, text: String) -> Query {
        let mut pieces = text.split("@p");
        let mut numbered = vec![pieces.next().unwrap_or_default().to_owned()];
        let mut parameters = Vec::new();
        for piece in pieces {
            let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
            let at: usize = piece[..digits].parse().expect("a number");
            numbered.push(format!("@p{}{}", parameters.len(), &piece[digits..]));
            parameters.push(self.parameters[at].clone());
        }
        Query { text: numbered.concat(), parameters, shows_one_of_equals: self.shows_one_of_equals }
    }

    /// Documents, sorted.
    fn rows(&mut self) -> String {
        let options = self.options();
        let filters = self.filters(&["d"], 3);
        let assigned = match self.random.random_range(0..5) {
            0 => {
                let (a, literal) = (self.attribute(), self.literal("a"));
                format!(" LET v = d.{a} FILTER v {} {literal}", self.one(&COMPARISONS))
            }
            1 => {
                let test = self.condition(&["d", "y"], 1);
                format!(" LET v = (FOR y IN @@c FILTER {test} SORT y._key RETURN y._key) FILTER LENGTH(v) < 5")
            }
            _ => String::new(),
        };
        let (sort, limit) = (self.sort(&["d"]), self.limit());
        let (more, output) = (self.chance(8), self.expression("d"));
        let more = if more { self.filters(&["d"], 1) } else { String::new() };
        let shown = match self.random.random_range(0..6) {
            0 => format!("FIRST(FOR y IN @@c FILTER {} SORT y._key RETURN y._key)", self.condition(&["d", "y"], 0)),
            1 => format!(
                "(FOR y IN @@c FILTER {} SORT y.{} DESC, y._key LIMIT 2 RETURN [y._key, d.b])",
                self.condition(&["d", "y"], 0),
                self.attribute()
            ),
            2 => "(FOR x IN TO_ARRAY(d.t) FILTER x != d.b SORT x LIMIT 2 RETURN TYPENAME(x))".to_owned(),
            _ => output,
        };
        format!("FOR d IN @@c{options}{filters}{assigned}{sort}{limit}{more} RETURN [d._key, {shown}]")
    }

    /// Groups and distinct values.
    fn groups(&mut self) -> String {
        self.shows_one_of_equals = true;
        let (options, filters) = (self.options(), self.filters(&["d"], 2));
        let (a, b, c) = (self.attribute(), self.attribute(), self.attribute());
        let aggregate = self.one(&["MIN", "MAX", "SORTED_UNIQUE", "COUNT_DISTINCT", "COUNT", "LENGTH"]);
        let shape = match self.random.random_range(0..13) {
            0 => format!("COLLECT g = d.{a} WITH COUNT INTO n RETURN [g, n]"),
            1 => format!("COLLECT g = d.{a} RETURN g"),
            2 => format!("COLLECT g = d.{a}, h = d.{b} RETURN [g, h]"),
            3 => format!("COLLECT g = d.{a}, h = d.{b} WITH COUNT INTO n SORT n DESC, g, h RETURN [g, h, n]"),
            4 => format!("COLLECT g = d.{a} AGGREGATE m = {aggregate}(d.{b}), n = COUNT() RETURN [g, m, n]"),
            5 => format!("COLLECT AGGREGATE m = {aggregate}(d.{a}), n = MAX(d.{b}) RETURN [m, n]"),
            6 => "COLLECT WITH COUNT INTO n RETURN n".to_owned(),
            7 => format!("SORT d._key COLLECT g = d.{a} INTO r = d._key RETURN [g, SORTED(r)]"),
            8 => format!("COLLECT g = d.{a} INTO r KEEP d RETURN [g, LENGTH(r), MIN(r[*].d.{b})]"),
            9 => format!("RETURN DISTINCT d.{a}"),
            10 => format!("RETURN DISTINCT [d.{a}, d.{b}]"),
            11 => {
                format!("LET v = d.{a} COLLECT g = v, h = d.k AGGREGATE m = MIN(d.{b}) FILTER h >= 1 RETURN [g, h, m]")
            }
            _ => {
                let test = self.condition(&["d", "y"], 0);
                format!(
                    "COLLECT g = LENGTH(FOR y IN @@c FILTER {test} RETURN 1) AGGREGATE m = MAX(d.{c}) RETURN [g, m]"
                )
            }
        };
        format!("FOR x IN (FOR d IN @@c{options}{filters} {shape}) SORT x RETURN x")
    }

    /// Loops one in the other, and subqueries that are looped over.
    fn loops(&mut self) -> String {
        let (options, more) = (self.options(), self.options());
        let (a, b) = (self.attribute(), self.attribute());
        let first = self.filters(&["d"], 1);
        let join = match self.random.random_range(0..6) {
            0 => self.condition(&["d", "e"], 1),
            1 => format!("e.{a} == d.{a}"),
            2 => format!("d.{b} IN e.t[*]"),
            3 => format!("e.{a} == d.{b} AND e.{a} {} null", self.one(&["!=", ">"])),
            4 => format!("e.{a} IN d.t"),
            _ => format!("e.{a} == d.{b} AND {}", self.condition(&["d", "e"], 0)),
        };
        let behind = self.filters(&["d", "e"], 1);
        let loops = match self.random.random_range(0..7) {
            0 | 1 => format!("FOR d IN @@c{options}{first} FOR e IN @@c{more} FILTER {join}{behind}"),
            2 => format!("FOR d IN @@c{first} FOR e IN (FOR x IN @@c RETURN x) FILTER {join}{behind}"),
            3 => format!(
                "LET es = (FOR x IN @@c SORT x.{a}, x._key RETURN x) FOR e IN es FOR d IN @@c{first} FILTER {join}{behind}"
            ),
            4 => format!(
                "FOR d IN @@c{first} LET es = (FOR x IN @@c FILTER x.k == d.k RETURN x) FOR e IN es FILTER {join}{behind}"
            ),
            5 => format!("FOR e IN @@c{options} FOR d IN @@c FILTER {join}{first}{behind}"),
            _ => {
                let literals = self.literals(a, 4);
                format!(
                    "FOR v IN {literals} FOR d IN @@c{options} FILTER d.{a} == v FOR e IN @@c FILTER {join}{behind}"
                )
            }
        };
        let by_value = loops.starts_with("FOR v");
        if by_value || self.chance(4) {
            self.shows_one_of_equals = true;
            let shape = match self.random.random_range(0..3) {
                0 => format!("COLLECT g = d.{a} WITH COUNT INTO n RETURN [g, n]"),
                1 => format!("COLLECT g = e.{b} AGGREGATE m = MAX(d._key), n = MIN(d.{a}) RETURN [g, m, n]"),
                _ => "COLLECT WITH COUNT INTO n RETURN n".to_owned(),
            };
            return format!("{loops} {shape}");
        }
        let (sort, limit) = (self.sort(&["d", "e"]), self.limit());
        let output = self.expression("e");
        format!("{loops}{sort}{limit} RETURN [d._key, e._key, {output}]")
    }
}

/// The documents as values.
pub fn values(documents: &[String]) -> Vec<Value> {
    documents.iter().map(|text| parse_json(text).unwrap_or_else(|e| panic!("{text}: {e}"))).collect()
}
