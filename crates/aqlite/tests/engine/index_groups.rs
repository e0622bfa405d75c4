//! `COLLECT` and `RETURN DISTINCT` that are read from the entries of an index.

use crate::common::World;
use aqlite::catalog::CollectionKind;
use aqlite::exec::{Outcome, QueryOptions, RunContext};
use aqlite::value::Value;

/// 2,000 documents `{ a: 10 values, b: 100 values, k: all different, s: sparse }`.
fn world() -> World {
    let world = World::new(&[("c", CollectionKind::Document)]);
    for index in [
        r#"{"type":"persistent","fields":["a","b"]}"#,
        r#"{"type":"persistent","fields":["k"]}"#,
        r#"{"type":"persistent","fields":["s"],"sparse":true}"#,
        r#"{"type":"persistent","fields":["o.t","k"],"storedValues":["e"]}"#,
        r#"{"type":"persistent","fields":["u"],"unique":true}"#,
    ] {
        world.index("c", index);
    }
    world.rows(
        "FOR i IN 1..2000 INSERT { a: i % 10, b: i % 100, k: i, s: i % 10, u: i, e: [i % 3], f: i, \
         o: { t: CONCAT('type ', i % 4) } } INTO c",
    );
    world
}

const RULE: &str = "use-index-for-collect";

/// Runs a query and compares its rows with those it has without the rule.
fn run(world: &World, query: &str) -> Outcome {
    let off = QueryOptions { rules: vec![format!("-{RULE}").into()], ..QueryOptions::default() };
    let plain = world.run_with(query, &Value::Null, &off, RunContext::default());
    let plain = plain.unwrap_or_else(|e| panic!("{query}: {e}"));
    let outcome = world.run(query).unwrap_or_else(|e| panic!("{query}: {e}"));
    assert_eq!(Value::array(outcome.rows.clone()).to_json(), Value::array(plain.rows).to_json(), "{query}");
    outcome
}

/// The node of the plan that reads groups from an index.
fn node(world: &World, query: &str) -> Option<Value> {
    let plan = world.plan(query);
    let noted = plan.get("rules").iter_array().any(|rule| rule.as_str() == Some(RULE));
    let node = plan.get("nodes").iter_array().find(|node| node.get("type").as_str() == Some("IndexCollectNode"));
    assert_eq!(noted, node.is_some(), "{query}");
    node
}

#[test]
fn the_values_of_a_leading_field_are_found_by_leaps() {
    let world = world();
    for (query, groups) in [
        ("FOR d IN c COLLECT a = d.a RETURN a", 10),
        ("FOR d IN c COLLECT t = d.o.t RETURN t", 4),
        ("FOR d IN c COLLECT a = d.a, b = d.b RETURN [a, b]", 100),
        ("FOR d IN c LET x = d.a COLLECT a = x RETURN a", 10),
        ("FOR x IN (FOR d IN c RETURN DISTINCT d.a) SORT x RETURN x", 10),
        ("FOR d IN c FILTER d.a == 3 COLLECT b = d.b RETURN b", 10),
        ("FOR d IN c FILTER d.a == 3 COLLECT a = d.a RETURN a", 1),
        ("FOR d IN c FILTER d.a > 2 AND d.a <= 6 COLLECT a = d.a RETURN a", 4),
    ] {
        let outcome = run(&world, query);
        assert_eq!(outcome.rows.len(), groups, "{query}");
        assert_eq!((outcome.stats.documents, outcome.stats.scanned_full), (0, 0), "{query}");
        assert!(outcome.stats.scanned_index <= 10 * groups as u64, "{query}: {}", outcome.stats.scanned_index);
    }
    let plan = node(&world, "FOR d IN c COLLECT a = d.a, b = d.b RETURN [a, b]").expect("reads the index");
    assert_eq!(plan.path(&["index", "fields"]).to_json(), r#"["a","b"]"#);
    assert_eq!(plan.path(&["oldIndexVariable", "name"]).to_json(), r#""d""#);
    assert_eq!(plan.get("aggregations").to_json(), "[]");
    let groups: Vec<String> = plan.get("groups").iter_array().map(|g| g.get("attribute").to_json()).collect();
    assert_eq!(groups, [r#"["a"]"#, r#"["b"]"#]);
    assert_eq!(world.nodes("FOR d IN c COLLECT a = d.a RETURN a"), ["IndexCollectNode"]);
    assert_eq!(world.nodes("FOR d IN c RETURN DISTINCT d.a"), ["IndexCollectNode"]);
}

#[test]
fn groups_are_counted_and_aggregated_without_documents() {
    let world = world();
    for query in [
        "FOR d IN c COLLECT a = d.a WITH COUNT INTO n RETURN [a, n]",
        "FOR d IN c COLLECT a = d.a AGGREGATE m = MAX(d.b), s = SUM(d.b + d.a), n = COUNT() RETURN [a, m, s, n]",
        "FOR d IN c COLLECT t = d.o.t AGGREGATE k = MIN(d.k), e = SORTED_UNIQUE(d.e) RETURN [t, k, e]",
        "LET more = 5 FOR d IN c COLLECT a = d.a AGGREGATE s = SUM(d.b + more) RETURN [a, s]",
    ] {
        assert!(node(&world, query).is_some(), "{query}");
        let outcome = run(&world, query);
        let stats = &outcome.stats;
        assert_eq!((stats.scanned_index, stats.documents, stats.scanned_full), (2000, 0, 0), "{query}");
    }
    let some = "FOR d IN c FILTER d.a == 3 COLLECT b = d.b WITH COUNT INTO n RETURN [b, n]";
    let stats = run(&world, some).stats;
    assert_eq!((stats.scanned_index, stats.documents), (200, 0));
}

#[test]
fn criteria_in_another_order_than_the_index_are_sorted() {
    let world = world();
    let query = "FOR d IN c COLLECT b = d.b, a = d.a RETURN [b, a]";
    assert_eq!(world.nodes(query), ["IndexCollectNode", "SortNode"]);
    assert_eq!(run(&world, query).rows.len(), 100);
    let fixed = "FOR d IN c FILTER d.a == 3 COLLECT b = d.b, a = d.a RETURN [b, a]";
    assert_eq!(world.nodes(fixed), ["IndexCollectNode"]);
    assert_eq!(run(&world, fixed).rows.len(), 10);
    let any = "FOR d IN c COLLECT b = d.b, a = d.a SORT null RETURN [b, a]";
    assert_eq!(world.nodes(any), ["IndexCollectNode"]);
}

#[test]
fn an_index_that_does_not_fit_or_does_not_pay_is_not_read() {
    let world = world();
    for query in [
        "FOR d IN c COLLECT b = d.b RETURN b",
        "FOR d IN c COLLECT a = d.a.c RETURN a",
        "FOR d IN c COLLECT a = d.a + 1 RETURN a",
        "FOR d IN c COLLECT a = d.a, f = d.f RETURN [a, f]",
        // documents without the attribute are not in it
        "FOR d IN c COLLECT s = d.s RETURN s",
        "FOR d IN c COLLECT k = d.k RETURN k",
        "FOR d IN c COLLECT u = d.u WITH COUNT INTO n RETURN [u, n]",
        "FOR d IN c COLLECT a = d.a OPTIONS { disableIndex: true } RETURN a",
        "FOR d IN c OPTIONS { disableIndex: true } COLLECT a = d.a RETURN a",
        "FOR d IN c COLLECT a = d.a INTO rows RETURN [a, LENGTH(rows)]",
        "FOR d IN c COLLECT a = d.a AGGREGATE f = MAX(d.f) RETURN [a, f]",
        // the order of the documents would be that of the index
        "FOR d IN c COLLECT a = d.a AGGREGATE b = PUSH(d.b) RETURN [a, b]",
        "FOR d IN c FILTER d.f > 3 COLLECT a = d.a RETURN a",
        "FOR i IN 1..2 FOR d IN c COLLECT a = d.a WITH COUNT INTO n RETURN [a, n]",
        "FOR d IN c LIMIT 100 COLLECT a = d.a RETURN a",
        "FOR d IN c FILTER d.a IN [3, 4] COLLECT b = d.b RETURN b",
    ] {
        assert!(node(&world, query).is_none(), "{query}");
        run(&world, query);
    }
    let hinted = "FOR d IN c OPTIONS { indexHint: 'nowhere', forceIndexHint: true } COLLECT a = d.a RETURN a";
    assert!(node(&world, hinted).is_none());
}

#[test]
fn every_kind_of_value_makes_its_group() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.index("c", r#"{"type":"persistent","fields":["v","w"]}"#);
    world.rows(
        "FOR v IN [null, false, true, 0, 1, 2.5, -3, 1e9, 9007199254740993, 'a', 'A', '', 'a\\u0000b', [], [1, 'a'], [[1]], {}, \
         { x: 'a' }, { x: 'b', y: null }] FOR i IN 1..20 INSERT { v, w: i % 2 ? v : [i % 3] } INTO c",
    );
    world.rows("FOR i IN 1..20 INSERT { w: 'missing' } INTO c");
    for (query, documents) in [
        // those of a large number, of arrays and of objects are looked up
        ("FOR d IN c COLLECT v = d.v RETURN v", 8),
        ("FOR d IN c COLLECT v = d.v WITH COUNT INTO n RETURN [v, n]", 8),
    ] {
        assert!(node(&world, query).is_some(), "{query}");
        let outcome = run(&world, query);
        assert_eq!(outcome.rows.len(), 19, "{query}");
        assert_eq!(outcome.stats.documents, documents, "{query}");
    }
    for query in [
        "FOR d IN c COLLECT v = d.v, w = d.w WITH COUNT INTO n RETURN [v, w, n]",
        "FOR d IN c COLLECT v = d.v AGGREGATE w = SORTED_UNIQUE(d.w), x = COUNT_DISTINCT(d.v.x) RETURN [v, w, x]",
        "FOR d IN c FILTER d.v == [1, 'a'] COLLECT w = d.w RETURN w",
        "FOR d IN c FILTER d.v >= 'a' COLLECT v = d.v RETURN v",
    ] {
        assert!(node(&world, query).is_some(), "{query}");
        run(&world, query);
    }
}

#[test]
fn a_condition_before_the_loop_and_an_empty_collection_give_no_groups() {
    let world = world();
    for query in [
        "FILTER 1 == RAND() + 2 FOR d IN c COLLECT a = d.a WITH COUNT INTO n RETURN [a, n]",
        "FOR d IN c FILTER d.a == 99 COLLECT b = d.b RETURN b",
        "FOR d IN c FILTER d.a > 5 AND d.a < 3 COLLECT a = d.a RETURN a",
    ] {
        assert!(node(&world, query).is_some(), "{query}");
        assert!(run(&world, query).rows.is_empty(), "{query}");
    }
}

#[test]
fn an_order_that_was_asked_for_stays() {
    let world = world();
    let query = "FOR d IN c FILTER d.a > 2 SORT d.a DESC RETURN DISTINCT d.a";
    assert_eq!(world.rows(query), "[9,8,7,6,5,4,3]");
    assert_eq!(world.rows("FOR d IN c FILTER d.a > 2 SORT d.a DESC COLLECT a = d.a RETURN a"), "[3,4,5,6,7,8,9]");
}

#[test]
fn own_writes_of_a_transaction_are_among_the_groups() {
    let world = world();
    world.rows("FOR d IN c FILTER d.a < 8 REMOVE d IN c");
    world.rows("INSERT { a: 'new' } INTO c");
    assert_eq!(
        world.rows("FOR d IN c COLLECT a = d.a WITH COUNT INTO n RETURN [a, n]"),
        r#"[[8,200],[9,200],["new",1]]"#
    );
}
