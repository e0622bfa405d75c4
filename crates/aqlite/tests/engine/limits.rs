//! No query runs for ever unasked: it ends when it is killed, out of time or out of memory, whatever it is doing.

use std::time::Duration;

use crate::common::{World, json};
use aqlite::catalog::CollectionKind;
use aqlite::error::code;
use aqlite::exec::{Kill, QueryOptions, RunContext};
use aqlite::value::Value;
use proptest::prelude::*;

/// Ten vertices, each with an edge to every one.
fn dense() -> World {
    let world = World::new(&[("v", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    world.rows("FOR i IN 0..9 INSERT { _key: TO_STRING(i), i } INTO v");
    world.rows("FOR i IN 0..9 FOR j IN 0..9 INSERT { _from: CONCAT('v/', i), _to: CONCAT('v/', j), w: i + j } INTO e");
    world
}

/// Queries that would take hours, each in another operator.
const ENDLESS: &[(&str, &str)] = &[
    ("a loop", "FOR i IN 1..1000000000000 FILTER i < 0 RETURN i"),
    ("nested loops", "FOR i IN 1..10000000 FOR j IN 1..10000000 FILTER i + j < 0 RETURN 1"),
    ("a sort", "FOR i IN 1..1000000000000 SORT i % 7, i DESC LIMIT 5 RETURN i"),
    ("a collect", "FOR i IN 1..1000000000000 COLLECT k = i % 3 WITH COUNT INTO n RETURN [k, n]"),
    ("an aggregate", "FOR i IN 1..1000000000000 COLLECT AGGREGATE s = SUM(i), m = MAX(i) RETURN [s, m]"),
    (
        "a running total",
        "FOR i IN 1..1000000000000 WINDOW { preceding: 'unbounded', following: 0 } AGGREGATE n = LENGTH() FILTER n < 0 RETURN n",
    ),
    ("distinct rows", "FOR i IN 1..1000000000000 RETURN DISTINCT i % 5"),
    ("a limit that skips", "FOR i IN 1..1000000000000 LIMIT 900000000000, 1 RETURN i"),
    ("a subquery", "RETURN LENGTH(FOR i IN 1..1000000000000 FILTER i < 0 RETURN i)"),
    ("a subquery in every row", "FOR i IN 1..10000000 LET n = (FOR j IN i..100000000 FILTER j < 0 RETURN j) RETURN n"),
    ("a traversal", "FOR x IN 1..1000 OUTBOUND 'v/0' e OPTIONS { uniqueEdges: 'none' } FILTER x.i < 0 RETURN x"),
    (
        "a traversal by breadth",
        "FOR x IN 1..1000 ANY 'v/0' e OPTIONS { order: 'bfs', uniqueEdges: 'none' } FILTER x.i < 0 LIMIT 1 RETURN x",
    ),
    (
        "a traversal by weight",
        "FOR x IN 1..1000 ANY 'v/0' e OPTIONS { order: 'weighted', weightAttribute: 'w', uniqueEdges: 'none' } FILTER x.i < 0 LIMIT 1 RETURN x",
    ),
    (
        "simple paths",
        "FOR i IN 1..10000000 FOR p IN 1..9 ANY K_PATHS 'v/0' TO 'v/1' e FILTER LENGTH(p.edges) > 100 RETURN p",
    ),
    (
        "shortest paths",
        "FOR i IN 1..100000000 FOR p IN OUTBOUND K_SHORTEST_PATHS 'v/0' TO 'v/1' e FILTER LENGTH(p.edges) > 100 RETURN p",
    ),
    (
        "one shortest path after the other",
        "FOR i IN 1..100000000 FOR p IN OUTBOUND SHORTEST_PATH 'v/0' TO 'v/1' e FILTER p.i > 100 RETURN p",
    ),
    (
        "an expansion",
        "FOR i IN 1..100000000 RETURN LENGTH((1..9999)[* FILTER CURRENT % 2 == 0 RETURN CURRENT * i]) < 0 ? 1 : null",
    ),
    ("a function in every row", "FOR i IN 1..100000000 FILTER LENGTH(RANGE(i, i + 9999, 1)) < 0 RETURN i"),
    (
        "a regular expression in every row",
        "LET t = REPEAT('ab', 5000) FOR i IN 1..100000000 FILTER REGEX_TEST(t, CONCAT('(a|b)*c', i)) RETURN i",
    ),
    ("sleep", "RETURN SLEEP(100000)"),
];

#[test]
fn every_operator_ends_when_its_time_is_over() {
    let world = dense();
    let options = QueryOptions { max_runtime: Some(Duration::from_millis(30)), ..QueryOptions::default() };
    for (what, query) in ENDLESS {
        let error = world.run_with(query, &Value::Null, &options, RunContext::default()).err();
        assert_eq!(error.map(|e| e.num), Some(code::QUERY_KILLED), "{what}");
    }
}

/// Objects of one attribute each, below a name or not.
fn many_objects(count: usize, below: Option<&'static str>) -> Value {
    let one = |n: usize| Value::from_pairs([(format!("key {n}"), Value::from(n as i64))]);
    let all = (0..count).map(|n| below.map_or_else(|| one(n), |name| Value::from_pairs([(name, one(n))])));
    Value::from_pairs([("parts", Value::array(all.collect()))])
}

#[test]
fn merging_ends_when_its_time_is_over() {
    let options = QueryOptions { max_runtime: Some(Duration::from_millis(30)), ..QueryOptions::default() };
    let query = "RETURN LENGTH(MERGE_RECURSIVE(@parts))";
    let outcome = dense().run_with(query, &many_objects(30_000, Some("inner")), &options, RunContext::default());
    assert_eq!(outcome.err().map(|e| e.num), Some(code::QUERY_KILLED));
}

#[test]
fn a_hundred_thousand_objects_are_merged_in_one_go() {
    // each of them put into order anew would take an hour
    let options = QueryOptions { max_runtime: Some(Duration::from_mins(2)), ..QueryOptions::default() };
    let query = "RETURN LENGTH(MERGE(@parts))";
    let answer = dense().run_with(query, &many_objects(100_000, None), &options, RunContext::default());
    assert_eq!(answer.expect("merges").rows, [Value::from(100_000_i64)]);
}

#[test]
fn every_operator_ends_when_it_is_killed() {
    let world = dense();
    for (what, query) in ENDLESS {
        let kill = Kill::default();
        let context = RunContext { kill: kill.clone(), ..RunContext::default() };
        let error = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(10));
                kill.kill();
            });
            world.run_with(query, &Value::Null, &QueryOptions::default(), context).err()
        });
        assert_eq!(error.map(|e| e.num), Some(code::QUERY_KILLED), "{what}");
    }
}

#[test]
fn what_keeps_rows_ends_when_its_memory_is_used_up() {
    let world = dense();
    let options = QueryOptions { memory_limit: 1_000_000, ..QueryOptions::default() };
    for query in [
        "FOR i IN 1..100000000 RETURN CONCAT('a text that needs some room ', i)",
        "FOR i IN 1..100000000 SORT -i RETURN i",
        "FOR i IN 1..100000000 COLLECT k = i INTO g RETURN k",
        "FOR i IN 1..100000000 COLLECT k = i % 3 INTO g RETURN k",
        "FOR i IN 1..100000000 RETURN DISTINCT i",
        "FOR i IN 1..100000000 WINDOW { preceding: 1, following: 1 } AGGREGATE n = SUM(i) RETURN n",
        "RETURN LENGTH(UNIQUE(FOR i IN 1..100000000 RETURN TO_STRING(i)))",
        "FOR x IN 1..100 ANY 'v/0' e OPTIONS { order: 'bfs', uniqueEdges: 'none' } FILTER x.i < 0 RETURN x",
    ] {
        let error = world.run_with(query, &Value::Null, &options, RunContext::default()).err();
        assert_eq!(error.map(|e| e.num), Some(code::RESOURCE_LIMIT), "{query}");
    }
}

#[test]
fn whole_documents_count_as_memory_where_they_are_kept() {
    let world = dense();
    let options = QueryOptions { memory_limit: 20_000, ..QueryOptions::default() };
    let run = |query: &str| world.run_with(query, &Value::Null, &options, RunContext::default());
    for query in [
        "FOR n IN 1..1000 FOR d IN v RETURN d",
        "FOR n IN 1..1000 FOR d IN v SORT d.i RETURN d",
        "FOR n IN 1..1000 FOR d IN v SORT d.i, n LIMIT 5000 RETURN d",
        "FOR n IN 1..1000 FOR d IN v COLLECT i = d.i INTO g RETURN i",
    ] {
        assert_eq!(run(query).err().map(|e| e.num), Some(code::RESOURCE_LIMIT), "{query}");
    }
    // what is not kept is not counted, and what a limit cuts off is given back
    for query in [
        "FOR n IN 1..1000 FOR d IN v FILTER d.i < 0 RETURN d",
        "FOR n IN 1..1000 FOR d IN v SORT d.i LIMIT 3 RETURN d.i",
    ] {
        assert!(run(query).is_ok(), "{query}");
    }
}

#[test]
fn a_long_list_of_values_is_looked_up_without_trouble() {
    let world = dense();
    let list: Vec<String> = (0..100_000).map(|i| format!("\"{i}\"")).collect();
    let binds = json(&format!("{{\"keys\":[{}]}}", list.join(",")));
    for query in ["FOR d IN v FILTER d._key IN @keys RETURN d.i", "FOR d IN v FILTER d.i NOT IN @keys RETURN d.i"] {
        let outcome = world.run_with(query, &binds, &QueryOptions::default(), RunContext::default()).expect("runs");
        assert_eq!(outcome.rows.len(), 10, "{query}");
    }
    let literal = format!("RETURN LENGTH([{}])", list.join(","));
    assert_eq!(world.rows(&literal), "[100000]");
}

#[test]
fn a_document_that_is_nested_too_deeply_is_not_stored() {
    let world = dense();
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(world.rows(&format!("INSERT {{ a: {} }} INTO v RETURN 1", nested(150))), "[1]");
    assert!(world.run(&format!("INSERT {{ a: {} }} INTO v RETURN 1", nested(300))).is_err());
}

/// Pieces of queries, in no sensible order.
fn tokens() -> impl Strategy<Value = String> {
    let words: Vec<&str> = "FOR x IN v RETURN FILTER SORT LIMIT COLLECT INTO WITH COUNT AGGREGATE WINDOW LET = == != < > + - * / % \
        ( ) [ ] { } , . .. : ? ?: @a @@b 'text' \"t\" `q` 1 0x1F 2.5e3 null true AND OR NOT LIKE =~ [*] [**] [* [? CURRENT \
        INSERT UPDATE REPLACE REMOVE UPSERT OLD NEW OUTBOUND INBOUND ANY SHORTEST_PATH K_PATHS TO GRAPH PRUNE OPTIONS KEEP \
        LENGTH( CONCAT( DISTINCT ALL NONE AT LEAST SEARCH ASC DESC // /* */ \\"
        .split_whitespace()
        .collect();
    prop::collection::vec(prop::sample::select(words), 0..30).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_too_much_for_the_parser(text in "\\PC{0,120}") {
        let _ = aqlite::lang::parse(&text);
    }

    #[test]
    fn no_bytes_are_too_much_for_the_parser(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let _ = aqlite::lang::parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_order_of_words_is_too_much_for_the_parser(text in tokens()) {
        let _ = aqlite::lang::parse(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    #[test]
    fn whatever_can_be_parsed_can_be_run_to_a_result_or_an_error(texts in prop::collection::vec(tokens(), 50)) {
        let world = dense();
        let options = QueryOptions { max_runtime: Some(Duration::from_secs(2)), ..QueryOptions::default() };
        for text in texts {
            let _ = world.run_with(&text, &Value::Null, &options, RunContext::default());
        }
    }
}
