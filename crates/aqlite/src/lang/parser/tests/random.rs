use proptest::prelude::*;

use super::parse;
use crate::lang::token::KEYWORDS;

/// Pieces of queries, valid and not.
const PIECES: &[&str] = &[
    "x",
    "y",
    "`a b`",
    "´é´",
    "$OLD",
    "CURRENT",
    "OPTIONS",
    "PRUNE",
    "KEEP",
    "SEARCH",
    "COUNT",
    "TO",
    "AT LEAST",
    "1",
    "0",
    "2.5",
    ".5",
    "1e400",
    "0x1F",
    "0b2",
    "'s'",
    "\"\\u00e9\\n\"",
    "'",
    "\"",
    "`",
    "/*",
    "*/",
    "//",
    "\n",
    "@p",
    "@@c",
    "@",
    "==",
    "!=",
    "=~",
    "!~",
    "<",
    "<=",
    ">",
    ">=",
    "=",
    "!",
    "&&",
    "||",
    "+",
    "-",
    "*",
    "/",
    "%",
    "?",
    ":",
    "::",
    ".",
    "..",
    ",",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "[*]",
    "[* FILTER",
    "[? 2 FILTER",
    "F(",
    "{a:",
    ";",
    "é",
    "\\",
    "\u{0}",
];

/// Queries that are whole, to be cut up.
const QUERIES: &[&str] = &[
    "WITH a, b FOR v, e, p IN 1..3 OUTBOUND 'a/1' GRAPH 'g' PRUNE c = v.x > 1 OPTIONS {order: 'bfs'} FILTER p.edges[*].k ALL == 1 RETURN DISTINCT v",
    "FOR x IN @@c LET y = (FOR z IN x.a[* FILTER CURRENT.b LIMIT 1, 2 RETURN CURRENT.c] SORT z DESC RETURN z) COLLECT g = x.k AGGREGATE s = SUM(y[0]) INTO r OPTIONS {} RETURN {g, s, [CONCAT('a', g)]: r}",
    "FOR p IN ANY K_SHORTEST_PATHS @a TO @b e1, INBOUND e2 LIMIT 5 RETURN p.vertices[? AT LEAST (2) FILTER CURRENT.x NOT IN 1..3]",
    "UPSERT {k: @k} INSERT {k: @k, n: 1} UPDATE {n: OLD.n + 1} IN c OPTIONS {exclusive: true} RETURN NEW ? NEW.n : -1.5e3",
    "FOR d IN c WINDOW d.t WITH {preceding: 'PT1M'} AGGREGATE m = MAX(d.v) UPDATE d WITH {m: !m ?: 0x1F} IN c RETURN LENGTH(FOR i IN 1..2 RETURN i)",
];

fn piece() -> impl Strategy<Value = &'static str> {
    prop_oneof![proptest::sample::select(PIECES), proptest::sample::select(KEYWORDS)]
}

/// A stretch of a query, cut at any characters.
fn fragment() -> impl Strategy<Value = String> {
    (proptest::sample::select(QUERIES), any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(
        |(query, from, to)| {
            let (from, to) = (from.index(query.len() + 1), to.index(query.len() + 1));
            query[from.min(to)..from.max(to)].to_owned()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        let _ = parse(&text);
        let _ = parse(&format!("RETURN {text}"));
    }

    #[test]
    fn any_sequence_of_tokens_is_answered(pieces in prop::collection::vec(piece(), 0..40), glue in prop_oneof![Just(""), Just(" ")]) {
        let text = pieces.join(glue);
        let _ = parse(&text);
        let _ = parse(&format!("FOR x IN y {text} RETURN x"));
    }

    #[test]
    fn any_splice_of_queries_is_answered(head in fragment(), middle in piece(), tail in fragment()) {
        let _ = parse(&format!("{head} {middle} {tail}"));
        let _ = parse(&format!("{head}{tail}"));
    }

    #[test]
    fn white_space_and_comments_between_tokens_change_nothing(index in 0..QUERIES.len(), glue in prop_oneof![Just("\n"), Just("\t \r"), Just("/* * */"), Just("// x\n")]) {
        let query = QUERIES[index];
        // `AT LEAST` is one token.
        let spread = query.replace(' ', &format!(" {glue}")).replace(&format!("AT {glue}LEAST"), "AT \n LEAST");
        let shown = |text: &str| parse(text).map(|query| super::show_body(&query.body));
        prop_assert!(shown(query).is_ok());
        prop_assert_eq!(shown(query), shown(&spread));
    }
}
