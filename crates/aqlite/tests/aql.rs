//! Planning and running queries: indexes, modification, limits.

mod common;

use std::time::Duration;

use aqlite::catalog::CollectionKind;
use aqlite::error::code;
use aqlite::exec::{Kill, QueryOptions, RunContext};
use aqlite::value::Value;
use common::{World, json};

/// Collection `c` with 100 documents `{_key: "k7", n: 7, group: 7 % 10, tags: [...]}`.
fn hundred() -> World {
    let world = World::new(&[("c", CollectionKind::Document), ("log", CollectionKind::Document)]);
    world.rows(
        "FOR i IN 0..99 INSERT { _key: CONCAT('k', i), n: i, group: i % 10, tags: [CONCAT('t', i % 3), 'all'], \
         maybe: i % 2 ? i : null } INTO c",
    );
    world
}

#[test]
fn equality_on_an_indexed_attribute_uses_the_index() {
    let world = hundred();
    assert_eq!(world.nodes("FOR d IN c FILTER d.n == 5 RETURN d"), ["EnumerateCollectionNode"]);
    world.index("c", r#"{"type":"persistent","fields":["n"]}"#);
    assert_eq!(world.nodes("FOR d IN c FILTER d.n == 5 RETURN d"), ["IndexNode"]);
    assert_eq!(world.rows("FOR d IN c FILTER d.n == 5 RETURN d._key"), r#"["k5"]"#);
}

#[test]
fn keys_and_ids_are_found_by_the_primary_index() {
    let world = hundred();
    for query in [
        "FOR d IN c FILTER d._key == 'k7' RETURN d.n",
        "FOR d IN c FILTER d._id == 'c/k7' RETURN d.n",
        "FOR d IN c FILTER d._key IN ['k7', 'nope', 'k7'] RETURN d.n",
    ] {
        assert_eq!(world.nodes(query), ["IndexNode"], "{query}");
        assert_eq!(world.rows(query), "[7]", "{query}");
    }
}

#[test]
fn an_optional_condition_is_answered_by_an_index_when_it_is_given() {
    let world = hundred();
    let given = "FOR d IN c FILTER 'k7' == null OR d._key == 'k7' RETURN d.n";
    assert_eq!(world.nodes(given), ["IndexNode"]);
    assert_eq!(world.rows(given), "[7]");
    assert_eq!(world.rows("FOR d IN c FILTER null == null OR d._key == null LIMIT 1 RETURN 1"), "[1]");
    assert_eq!(world.rows("RETURN [0 AND 1, 2 AND 3, 0 OR 4, 5 OR 6, null AND 1]"), "[[0,3,4,5,null]]");
}

#[test]
fn a_range_and_its_order_come_from_one_index() {
    let world = hundred();
    world.index("c", r#"{"type":"persistent","fields":["group","n"]}"#);
    let query = "FOR d IN c FILTER d.group == 3 AND d.n > 20 SORT d.n DESC LIMIT 2 RETURN d.n";
    assert_eq!(world.nodes(query), ["IndexNode", "LimitNode"]);
    assert_eq!(world.rows(query), "[93,83]");
}

#[test]
fn alternatives_on_one_attribute_are_one_lookup() {
    let world = hundred();
    world.index("c", r#"{"type":"persistent","fields":["n"]}"#);
    let query = "FOR d IN c FILTER d.n == 1 OR d.n == 2 SORT d.n RETURN d.n";
    assert_eq!(world.nodes(query)[0], "IndexNode");
    assert_eq!(world.rows(query), "[1,2]");
}

#[test]
fn an_element_of_an_array_is_found_by_an_array_index() {
    let world = hundred();
    world.index("c", r#"{"type":"persistent","fields":["tags[*]"]}"#);
    let query = "FOR d IN c FILTER 't1' IN d.tags COLLECT WITH COUNT INTO n RETURN n";
    assert_eq!(world.nodes(query)[0], "IndexNode");
    assert_eq!(world.rows(query), "[33]");
}

#[test]
fn a_sparse_index_is_not_used_where_null_would_be_missed() {
    let world = hundred();
    world.index("c", r#"{"type":"persistent","fields":["maybe"],"sparse":true}"#);
    assert_eq!(world.nodes("FOR d IN c FILTER d.maybe == 7 RETURN d"), ["IndexNode"]);
    assert_eq!(world.nodes("FOR d IN c FILTER d.maybe == null RETURN d"), ["EnumerateCollectionNode"]);
    assert_eq!(world.rows("RETURN LENGTH(FOR d IN c FILTER d.maybe == null RETURN 1)"), "[50]");
}

#[test]
fn a_forced_hint_that_cannot_be_followed_is_an_error() {
    let world = hundred();
    let query = "FOR d IN c OPTIONS { indexHint: 'nope', forceIndexHint: true } FILTER d.n == 1 RETURN d";
    assert_eq!(world.error(query), code::QUERY_FORCED_INDEX_HINT_UNUSABLE);
}

#[test]
fn counting_a_collection_reads_no_document() {
    let world = hundred();
    for query in
        ["FOR d IN c COLLECT WITH COUNT INTO n RETURN n", "RETURN LENGTH(c)", "RETURN LENGTH(FOR d IN c RETURN 1)"]
    {
        let outcome = world.run(query).expect("runs");
        assert_eq!(outcome.rows, [Value::Int(100)], "{query}");
        assert_eq!(outcome.stats.scanned_full, 0, "{query}");
    }
}

#[test]
fn an_invariant_subquery_runs_once_before_the_loop() {
    let world = hundred();
    let query = "FOR i IN 1..5 LET total = (FOR d IN c COLLECT AGGREGATE s = SUM(d.n) RETURN s)[0] RETURN total + i";
    let outcome = world.run(query).expect("runs");
    assert_eq!(Value::array(outcome.rows).to_json(), "[4951,4952,4953,4954,4955]");
    assert_eq!(outcome.stats.scanned_full, 100);
}

#[test]
fn a_query_sees_the_data_as_they_were_when_it_began() {
    let world = hundred();
    // without a snapshot this would never end
    world.rows("FOR d IN c INSERT { from: d._key } INTO c");
    assert_eq!(world.rows("RETURN LENGTH(c)"), "[200]");
}

#[test]
fn reading_a_collection_after_writing_it_is_an_error() {
    let world = hundred();
    assert_eq!(world.error("INSERT {} INTO c FOR d IN c RETURN d"), code::QUERY_ACCESS_AFTER_MODIFICATION);
}

#[test]
fn a_limit_after_a_modification_does_not_stop_the_modification() {
    let world = hundred();
    assert_eq!(world.rows("FOR i IN 1..10 INSERT { i } INTO log LIMIT 2 RETURN NEW.i"), "[1,2]");
    assert_eq!(world.rows("RETURN LENGTH(log)"), "[10]");
}

#[test]
fn a_failing_statement_leaves_nothing_behind() {
    let world = hundred();
    assert_eq!(
        world.error("FOR i IN [1, 2, 1] INSERT { _key: TO_STRING(i) } INTO log"),
        code::UNIQUE_CONSTRAINT_VIOLATED
    );
    assert_eq!(world.rows("RETURN LENGTH(log)"), "[0]");
}

#[test]
fn upsert_finds_what_the_same_query_inserted() {
    let world = hundred();
    world.rows("FOR i IN [1, 1, 2, 1] UPSERT { i } INSERT { i, n: 1 } UPDATE { n: OLD.n + 1 } IN log");
    assert_eq!(world.rows("FOR d IN log SORT d.i RETURN [d.i, d.n]"), "[[1,3],[2,1]]");
}

#[test]
fn a_row_whose_failed_write_is_ignored_goes_on_unless_its_result_is_read() {
    let world = hundred();
    let goes_on =
        "FOR k IN ['nope', 'k1'] REMOVE k IN c OPTIONS { ignoreErrors: true } COLLECT WITH COUNT INTO n RETURN n";
    assert_eq!(world.rows(goes_on), "[2]");
    let dropped = "FOR k IN ['nope', 'k2'] REMOVE k IN c OPTIONS { ignoreErrors: true } RETURN OLD._key";
    assert_eq!(world.rows(dropped), r#"["k2"]"#);
}

#[test]
fn full_count_tells_the_rows_before_the_last_limit() {
    let world = hundred();
    let options = QueryOptions { full_count: true, ..QueryOptions::default() };
    let query = "FOR d IN c FILTER d.group == 1 LIMIT 2, 3 RETURN d";
    let outcome = world.run_with(query, &Value::Null, &options, RunContext::default()).expect("runs");
    assert_eq!((outcome.rows.len(), outcome.stats.full_count), (3, Some(10)));
}

#[test]
fn a_query_out_of_time_ends_with_1500() {
    let world = hundred();
    let options = QueryOptions { max_runtime: Some(Duration::from_millis(20)), ..QueryOptions::default() };
    let endless = "FOR i IN 1..1000000000 FILTER i < 0 RETURN i";
    let error = world.run_with(endless, &Value::Null, &options, RunContext::default()).expect_err("ends");
    assert_eq!(error.num, code::QUERY_KILLED);
}

#[test]
fn a_killed_query_ends_with_1500() {
    let world = hundred();
    let kill = Kill::default();
    kill.kill();
    let context = RunContext { kill, ..RunContext::default() };
    let query = "FOR i IN 1..1000000000 COLLECT WITH COUNT INTO n RETURN n";
    let error = world.run_with(query, &Value::Null, &QueryOptions::default(), context).expect_err("ends");
    assert_eq!(error.num, code::QUERY_KILLED);
}

#[test]
fn a_query_over_its_memory_limit_fails_with_32() {
    let world = hundred();
    let options = QueryOptions { memory_limit: 100_000, ..QueryOptions::default() };
    for query in [
        "FOR i IN 1..1000000 RETURN CONCAT('a long enough text ', i)",
        "FOR i IN 1..1000000 SORT i % 7 RETURN i",
        "FOR i IN 1..1000000 COLLECT k = i INTO g RETURN k",
    ] {
        let error = world.run_with(query, &Value::Null, &options, RunContext::default()).expect_err("too much");
        assert_eq!(error.num, code::RESOURCE_LIMIT, "{query}");
    }
}

#[test]
fn many_clauses_do_not_overflow_the_stack() {
    let world = hundred();
    let sorts = " SORT x".repeat(3000);
    assert_eq!(world.rows(&format!("FOR x IN [2, 1]{sorts} RETURN x")), "[1,2]");
    let lets: Vec<String> = (0..3000).map(|i| format!(" LET v{i} = x + {i}")).collect();
    assert_eq!(world.rows(&format!("FOR x IN [2]{} RETURN v2999", lets.concat())), "[3001]");
}

#[test]
fn deep_expressions_do_not_overflow_the_stack() {
    let world = hundred();
    let sum = vec!["x"; 400].join(" + ");
    assert_eq!(world.rows(&format!("FOR x IN [1] RETURN {sum}")), "[400]");
    let arrays = format!("{}1{}", "[".repeat(400), "]".repeat(400));
    assert_eq!(world.rows(&format!("RETURN LENGTH({arrays})")), "[1]");
}

#[test]
fn bind_parameters_are_checked() {
    let world = hundred();
    let run = |query: &str, binds: &str| {
        let outcome = world.run_with(query, &json(binds), &QueryOptions::default(), RunContext::default());
        outcome.map(|o| Value::array(o.rows).to_json()).map_err(|e| e.num)
    };
    assert_eq!(run("FOR d IN @@c FILTER d._key == @k RETURN d.n", r#"{"@c":"c","k":"k3"}"#), Ok("[3]".into()));
    assert_eq!(run("RETURN @a", "{}"), Err(code::QUERY_BIND_PARAMETER_MISSING));
    assert_eq!(run("RETURN 1", r#"{"a":1}"#), Err(code::QUERY_BIND_PARAMETER_UNDECLARED));
    assert_eq!(run("FOR d IN @@c RETURN d", r#"{"@c":7}"#), Err(code::QUERY_BIND_PARAMETER_TYPE));
    assert_eq!(run("RETURN d.@a", r#"{"a":"x"}"#), Err(code::DATA_SOURCE_NOT_FOUND));
}

#[test]
fn a_scan_reads_only_the_attributes_that_somebody_looks_at() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    let scan = |query: &str| world.plan(query).get("nodes").at(1);
    let node = scan("FOR d IN c FILTER d.a.b > 1 SORT d.n RETURN {key: d._key, n: d.n}");
    assert_eq!(node.get("producesResult").to_json(), "false");
    assert_eq!(node.get("projections").to_json(), r#"["n","_key"]"#);
    let node = scan("FOR d IN c FILTER LOWER(d.t) == 'x' RETURN d");
    assert_eq!(node.get("producesResult").to_json(), "true");
    assert_eq!(node.get("projections").to_json(), r#"["t"]"#);
    world.rows("FOR i IN 1..3 INSERT {_key: CONCAT('k', i), n: 4 - i, t: i == 2 ? 'X' : 'y', a: {b: i}} INTO c");
    let rows = world.rows("FOR d IN c FILTER d.a.b > 1 SORT d.n RETURN {key: d._key, n: d.n}");
    assert_eq!(rows, r#"[{"key":"k3","n":1},{"key":"k2","n":2}]"#);
    assert_eq!(world.rows("FOR d IN c FILTER LOWER(d.t) == 'x' RETURN d.a"), r#"[{"b":2}]"#);
}
