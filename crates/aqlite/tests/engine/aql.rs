//! Planning and running queries: indexes, modification, limits.

use std::time::Duration;

use crate::common::{World, json};
use aqlite::catalog::CollectionKind;
use aqlite::error::code;
use aqlite::exec::{Kill, QueryOptions, RunContext};
use aqlite::value::Value;

/// Collection `c` with 100 documents `{_key: "k7", n: 7, group: 7 % 10, tags: [...]}`.
pub fn hundred() -> World {
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
fn a_known_condition_chooses_its_branch_when_the_query_is_planned() {
    let world = hundred();
    world.index("c", r#"{"type":"persistent","fields":["n"]}"#);
    let query = "FOR d IN c SORT (1 == 2 ? DOCUMENT(d._id).n : d.n) DESC LIMIT 2 RETURN d.n";
    assert_eq!(world.nodes(query), ["IndexNode", "LimitNode"]);
    assert_eq!(world.rows(query), "[99,98]");
    assert_eq!(world.rows("RETURN [true ? 1 : 2, 0 ? 1 : 2, null ?: 3, 4 ?: 5]"), "[[1,2,3,4]]");
    assert_eq!(world.rows("LET a = true ? 1 : (FOR d IN c RETURN d) RETURN a"), "[1]");
}

#[test]
fn of_equally_good_indexes_the_one_that_gives_the_order_is_taken() {
    let world = hundred();
    world.index("c", r#"{"type":"persistent","fields":["group","maybe"]}"#);
    world.index("c", r#"{"type":"persistent","fields":["group","n"]}"#);
    let query = "FOR d IN c FILTER d.group == 3 SORT d.n DESC LIMIT 2 RETURN d.n";
    assert_eq!(world.nodes(query), ["IndexNode", "LimitNode"]);
    assert_eq!(world.rows(query), "[93,83]");
}

#[test]
fn a_choice_that_is_known_leaves_a_condition_and_an_order_for_an_index() {
    let world = hundred();
    world.index("c", r#"{"type":"persistent","fields":["n"]}"#);
    let query =
        "FOR d IN c FILTER 'a' == 'b' ? d.maybe == 1 : d.n > 5 SORT 1 == 1 ? d.n : d.group DESC LIMIT 2 RETURN d.n";
    assert_eq!(world.nodes(query), ["IndexNode", "LimitNode"]);
    assert_eq!(world.rows(query), "[99,98]");
    assert_eq!(world.rows("RETURN [0 ?: 2, 1 ?: 2, null ? 1 : 2]"), "[[2,1,2]]");
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
fn of_several_bounds_of_one_attribute_the_narrowest_are_looked_up() {
    let world = hundred();
    world.index("c", r#"{"type":"persistent","fields":["n"]}"#);
    for condition in [
        "d.n > 10 AND d.n >= 20 AND d.n < 23 AND d.n <= 40",
        "d.n >= 20 AND 10 < d.n AND d.n <= 40 AND d.n < 23",
        "d.n >= 19 AND d.n > 19 AND d.n < 23 AND d.n <= 23",
    ] {
        let outcome = world.run(&format!("FOR d IN c FILTER {condition} RETURN d.n")).expect("runs");
        assert_eq!(Value::array(outcome.rows).to_json(), "[20,21,22]", "{condition}");
        assert_eq!(outcome.stats.scanned_index, 3, "{condition}");
    }
}

#[test]
fn an_index_that_orders_the_first_sort_keys_is_read_only_as_far_as_the_limit_needs() {
    let world = hundred();
    world.index("c", r#"{"type":"persistent","fields":["group"]}"#);
    let query = "FOR d IN c SORT d.group DESC, d.n LIMIT 3 RETURN [d.group, d.n]";
    assert_eq!(world.nodes(query), ["IndexNode", "SortNode", "LimitNode"]);
    let outcome = world.run(query).expect("runs");
    assert_eq!(Value::array(outcome.rows).to_json(), "[[9,9],[9,19],[9,29]]");
    assert!(outcome.stats.scanned_index < 15, "{}", outcome.stats.scanned_index);
    let streamed = "FOR d IN c SORT d.group, d.n FOR t IN d.tags LIMIT 4 RETURN [d.n, t]";
    assert_eq!(world.rows(streamed), r#"[[0,"t0"],[0,"all"],[10,"t1"],[10,"all"]]"#);
}

#[test]
fn an_order_by_key_is_that_of_the_bytes_of_the_keys() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.rows("FOR k IN ['b', 'B', 'a', '_x', '1'] INSERT { _key: k } INTO c");
    assert_eq!(world.nodes("FOR d IN c SORT d._key RETURN d._key"), ["IndexNode"]);
    assert_eq!(world.rows("FOR d IN c SORT d._key RETURN d._key"), r#"["1","B","_x","a","b"]"#);
    assert_eq!(world.rows("FOR d IN c FILTER d._key != 'a' SORT d._key DESC LIMIT 2 RETURN d._key"), r#"["b","_x"]"#);
}

#[test]
fn keys_and_ids_come_from_the_primary_index_alone() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.rows("FOR k IN ['b', 'a'] INSERT { _key: k, n: 1 } INTO c");
    for (query, rows) in [
        ("FOR d IN c RETURN d._key", r#"["a","b"]"#),
        ("FOR d IN c FILTER CONTAINS(d._id, 'b') RETURN [d._key, d._id]", r#"[["b","c/b"]]"#),
        ("FOR d IN c SORT d._key DESC RETURN d._key", r#"["b","a"]"#),
    ] {
        assert_eq!(world.nodes(query), ["IndexNode"], "{query}");
        assert_eq!(world.rows(query), rows, "{query}");
    }
    assert_eq!(world.nodes("FOR d IN c RETURN [d._key, d.n]"), ["EnumerateCollectionNode"]);
    assert_eq!(world.nodes("FOR d IN c RETURN d"), ["EnumerateCollectionNode"]);
}

#[test]
fn an_explanation_has_every_step_with_what_it_depends_on() {
    let world = hundred();
    world.index("c", r#"{"type":"persistent","fields":["n"],"name":"by_n"}"#);
    let plan = world.plan("FOR d IN c FILTER d.n > 5 AND d.group == 3 SORT d.maybe LIMIT 2 RETURN d.n + 1");
    let types: Vec<String> = plan.get("nodes").iter_array().map(|n| n.get("type").to_text().to_string()).collect();
    let expected =
        ["SingletonNode", "IndexNode", "CalculationNode", "SortNode", "LimitNode", "CalculationNode", "ReturnNode"];
    assert_eq!(types, expected);
    let mut before = Value::array(Vec::new());
    for node in plan.get("nodes").iter_array() {
        assert_eq!(node.get("dependencies"), before);
        assert!(node.get("estimatedCost").is_number() && node.get("estimatedNrItems").is_number());
        before = Value::array(vec![node.get("id")]);
    }
    let index = plan.get("nodes").at(1);
    assert_eq!(index.get("indexes").at(0).get("name").as_str(), Some("by_n"));
    assert_eq!(index.get("condition").get("type").as_str(), Some("n-ary or"));
    assert_eq!(index.get("filter").get("type").as_str(), Some("compare =="));
    let calculation = plan.get("nodes").at(5);
    assert_eq!(calculation.get("expression").get("type").as_str(), Some("plus"));
    let rules = ["use-indexes", "remove-filter-covered-by-index", "remove-unnecessary-calculations-2", "sort-limit"];
    for rule in rules {
        assert!(plan.get("rules").iter_array().any(|r| r.as_str() == Some(rule)), "{rule}");
    }
    assert_eq!(plan.get("collections").to_json(), r#"[{"name":"c","type":"read"}]"#);
    assert!(plan.get("variables").iter_array().any(|v| v.get("name").as_str() == Some("d")));
}

#[test]
fn a_subquery_is_explained_inside_its_node() {
    let world = hundred();
    let plan = world.plan("FOR i IN [1] LET s = (FOR d IN c FILTER d.n == i RETURN d) RETURN LENGTH(s)");
    let subquery = plan.get("nodes").iter_array().find(|n| n.get("type").as_str() == Some("SubqueryNode"));
    let inner = subquery.expect("a subquery").get("subquery").get("nodes");
    assert_eq!(inner.at(1).get("type").as_str(), Some("EnumerateCollectionNode"));
}

#[test]
fn an_inner_loop_without_an_index_finds_its_documents_by_a_table() {
    let world = hundred();
    let without = QueryOptions { rules: vec!["-use-hash-joins".into()], ..QueryOptions::default() };
    let joins =
        |query: &str| world.plan(query).get("rules").iter_array().any(|rule| rule.as_str() == Some("use-hash-joins"));
    for query in [
        "FOR a IN c FOR b IN c FILTER b.n == a.group RETURN [a.n, b]",
        "FOR a IN c SORT a.n DESC LIMIT 20 FOR b IN c FILTER b.group == a.group AND b.n > a.n RETURN [a.n, b.n]",
        "FOR a IN c RETURN (FOR b IN c FILTER b.maybe == a.maybe RETURN b.n)",
        "FOR a IN c RETURN LENGTH(FOR b IN c FILTER b.tags == a.tags RETURN b)",
        "FOR a IN [1, 1.0, 9007199254740993, null, 'x', 5, 5, 5] FOR b IN c FILTER b.maybe == a RETURN [a, b.n]",
    ] {
        assert!(joins(query), "{query}");
        for flushed in [false, true] {
            if flushed {
                world.store.flush().expect("flushes");
            }
            let found = world.run(query).expect("runs");
            let plain = world.run_with(query, &Value::Null, &without, RunContext::default()).expect("runs");
            assert_eq!(found.rows, plain.rows, "{query}");
        }
    }
    let query = "FOR a IN c FOR b IN c FILTER b.n == a.n RETURN 1";
    assert!(world.run(query).expect("runs").stats.scanned_full <= 5 * 100);
    assert!(!joins("FOR b IN c FILTER b.n == 5 RETURN b") && !joins("FOR a IN c FOR b IN c FILTER b.n > a.n RETURN b"));
    world.index("c", r#"{"type":"persistent","fields":["n"]}"#);
    assert!(!joins(query));
}

#[test]
fn a_subquery_ends_when_as_many_rows_are_there_as_count() {
    let world = hundred();
    let limit = |query: &str| {
        let plan = world.plan(query);
        let subquery = plan.get("nodes").iter_array().find(|n| n.get("type").as_str() == Some("SubqueryNode"));
        let inner = subquery.expect("a subquery").get("subquery").get("nodes");
        let limit = inner.iter_array().find(|n| n.get("type").as_str() == Some("LimitNode"));
        let noted = plan.get("rules").iter_array().any(|r| r.as_str() == Some("limit-counted-subqueries"));
        assert_eq!(noted, limit.is_some(), "{query}");
        limit.map(|limit| limit.get("limit").to_f64())
    };
    assert_eq!(limit("RETURN FIRST(FOR d IN c FILTER d.n > 5 RETURN d)"), Some(1.0));
    assert_eq!(limit("RETURN LENGTH(FOR d IN c FILTER d.n > 5 RETURN d) > 0"), Some(1.0));
    assert_eq!(limit("RETURN 0 == LENGTH(FOR d IN c FILTER d.n > 5 RETURN d)"), Some(1.0));
    assert_eq!(limit("RETURN COUNT(FOR d IN c FILTER d.n > 5 RETURN d) <= 3"), Some(4.0));
    for whole in ["LENGTH(FOR d IN c RETURN d)", "LAST(FOR d IN c RETURN d)", "FIRST(FOR d IN c RETURN RAND())"] {
        assert_eq!(limit(&format!("RETURN {whole}")), None, "{whole}");
    }
    let outcome = world.run("RETURN LENGTH(FOR d IN c FILTER d.n >= 0 RETURN d) >= 7").expect("runs");
    assert_eq!((outcome.rows, outcome.stats.scanned_full), (vec![Value::Bool(true)], 8));
    let outcome = world.run("RETURN FIRST(FOR d IN c FILTER d.n >= 0 RETURN 1)").expect("runs");
    assert_eq!((outcome.rows, outcome.stats.scanned_full), (vec![Value::Int(1)], 1));
}

#[test]
fn a_constant_that_warns_warns_once_and_even_where_it_is_not_needed() {
    let world = hundred();
    for query in ["FOR i IN 1..3 RETURN 1 / 0", "FOR i IN [] RETURN 1 / 0", "RETURN true ? 1 : 1 / 0"] {
        let warnings = world.run(query).expect("runs").warnings;
        assert_eq!(warnings.iter().map(|w| w.num).collect::<Vec<_>>(), [code::QUERY_DIVISION_BY_ZERO], "{query}");
    }
    let options = QueryOptions { fail_on_warning: true, ..QueryOptions::default() };
    let error = world.run_with("RETURN 1 / 0", &Value::Null, &options, RunContext::default()).expect_err("fails");
    assert_eq!(error.message, "AQL: division by zero (while optimizing ast)");
}

#[test]
fn errors_tell_the_stage_they_come_from() {
    let world = hundred();
    for (query, message) in [
        (
            "FOR i IN [] RETURN REPLACE_NTH([1], 3, 2)",
            "AQL: invalid argument type in call to function 'REPLACE_NTH()' (while optimizing ast)",
        ),
        ("RETURN FAIL('boom')", "AQL: boom (while executing)"),
        (
            "FOR i IN [1] FOR j IN i RETURN j",
            "AQL: collection or array expected as operand to FOR loop; you provided a value of type 'number' (while executing)",
        ),
        (
            "FOR i IN 1.5 RETURN i",
            "AQL: collection or array expected as operand to FOR loop; you specified type 'double' with content '1.5' (while optimizing ast)",
        ),
        (
            "RETURN { nope }",
            "AQL: use of unknown variable 'nope' in object literal near '}' at position 1:15 (while parsing)",
        ),
    ] {
        assert_eq!(world.run(query).expect_err("fails").message, message, "{query}");
    }
    let warnings = world.run("FOR i IN [0] RETURN 1 % i").expect("runs").warnings;
    assert_eq!(warnings[0].message, "in operator %: division by zero");
}

#[test]
fn collect_hides_the_variables_of_the_loops_only() {
    let world = hundred();
    assert_eq!(world.rows("LET a = NOOPT(1) FOR i IN 1..2 COLLECT x = i RETURN [a, x]"), "[[1,1],[1,2]]");
    assert_eq!(world.rows("LET a = NOOPT(1) COLLECT x = a RETURN [a, x]"), "[[1,1]]");
    let inner = "FOR i IN 1..2 RETURN (LET a = i * 5 FOR j IN 1..2 COLLECT x = j SORT x DESC RETURN [a, i, x])";
    assert_eq!(world.rows(inner), "[[[5,1,2],[5,1,1]],[[10,2,2],[10,2,1]]]");
    for hidden in
        ["FOR i IN 1..2 LET a = 1 COLLECT x = i RETURN a", "FOR i IN 1..2 COLLECT a = i COLLECT x = 1 RETURN a"]
    {
        assert_eq!(world.error(hidden), code::DATA_SOURCE_NOT_FOUND, "{hidden}");
    }
    for twice in [
        "LET a = 1 FOR i IN 1..2 COLLECT a = i RETURN a",
        "FOR i IN 1..2 COLLECT i = i RETURN i",
        "FOR i IN 1..2 COLLECT AGGREGATE i = SUM(i) RETURN i",
        "FOR i IN 1..2 COLLECT x = i AGGREGATE x = SUM(i) RETURN x",
    ] {
        assert_eq!(world.error(twice), code::QUERY_VARIABLE_REDECLARED, "{twice}");
    }
    assert_eq!(world.rows("FOR i IN 1..2 COLLECT x = i WITH COUNT INTO i RETURN i"), "[1,1]");
    for unset in [
        "FOR i IN 1..2 COLLECT x = i AGGREGATE y = SUM(x) RETURN y",
        "FOR i IN 1..2 COLLECT AGGREGATE x = SUM(i), y = SUM(x) RETURN y",
        "FOR i IN 1..2 COLLECT x = i INTO g = x RETURN g",
        "FOR i IN 1..2 COLLECT x = i INTO g KEEP x RETURN g",
        "FOR i IN 1..2 WINDOW {preceding: 1} AGGREGATE x = SUM(i), y = SUM(x) RETURN y",
    ] {
        assert_eq!(world.error(unset), code::QUERY_VARIABLE_NAME_UNKNOWN, "{unset}");
    }
}

#[test]
fn groups_hold_the_variables_of_the_loops_unless_there_is_none() {
    let world = hundred();
    let groups = |query: &str| world.rows(&format!("{query} INTO g RETURN g"));
    assert_eq!(groups("LET a = 1 FOR i IN 1..1 LET b = 2 FOR j IN 3..3 COLLECT x = i"), r#"[[{"i":1,"b":2,"j":3}]]"#);
    assert_eq!(groups("LET a = 1 COLLECT x = a"), r#"[[{"a":1}]]"#);
    assert_eq!(groups("LET a = 1 FOR i IN 1..1 COLLECT x = i LET b = 2 COLLECT y = x"), r#"[[{"x":1,"b":2}]]"#);
    assert_eq!(
        groups("FOR i IN 1..1 LET s = (LET b = 2 COLLECT x = i INTO g RETURN g) COLLECT y = s[0][0].b"),
        r#"[[{"i":1,"s":[[{"b":2}]]}]]"#
    );
    let written = "FOR i IN 1..1 INSERT {_key: 'x'} INTO log COLLECT x = i INTO g RETURN ATTRIBUTES(g[0])";
    assert_eq!(world.rows(written), r#"[["i","$NEW"]]"#);
}

#[test]
fn a_limit_in_an_expansion_that_is_negative_takes_nothing() {
    let world = hundred();
    let all = "[[1, 2, 3][* LIMIT -1, 2], [1, 2, 3][* LIMIT -1], [1, 2, 3][* LIMIT 1, 1]]";
    assert_eq!(world.rows(&format!("RETURN {all}")), "[[[],[],[2]]]");
}

#[test]
fn what_an_expansion_takes_of_each_element_is_what_an_access_to_it_gives() {
    let world = hundred();
    let elements = "NOOPT([['a', 'b'], ['c'], [], {'0': 'd', '1': 'e', n: 'f', '-1': 'g'}, 'text', 7, null])";
    for (part, told) in [
        ("[1]", r#"["b",null,null,"e",null,null,null]"#),
        ("[-1]", r#"["b","c",null,"g",null,null,null]"#),
        (".n", r#"[null,null,null,"f",null,null,null]"#),
    ] {
        assert_eq!(world.rows(&format!("LET a = {elements} RETURN a[* RETURN CURRENT{part}]")), format!("[{told}]"));
        assert_eq!(world.rows(&format!("LET a = {elements} RETURN a[*]{part}")), format!("[{told}]"));
        assert_eq!(world.rows(&format!("LET a = {elements} RETURN (FOR e IN a RETURN e{part})")), format!("[{told}]"));
    }
}

#[test]
fn a_variable_called_current_comes_before_the_element_of_an_expansion() {
    let world = hundred();
    assert_eq!(world.rows("LET CURRENT = 5 RETURN [1, 2][* RETURN CURRENT]"), "[[5,5]]");
}

#[test]
fn a_number_too_large_for_a_position_is_an_error() {
    let world = hundred();
    for query in ["RETURN 1..1e20", "RETURN LEFT('abc', -1e20)", "FOR d IN c LIMIT 1 RETURN d.tags[1e19 + d.n]"] {
        assert_eq!(world.error(query), code::INTERNAL, "{query}");
    }
}

#[test]
fn an_attribute_named_by_a_number_is_named_without_its_fraction() {
    let world = hundred();
    assert_eq!(world.rows("FOR i IN [1.9, -0.5] RETURN {'1': 'one', '0': 'zero'}[i]"), r#"["one","zero"]"#);
}

#[test]
fn a_collection_is_a_value_only_for_the_functions_that_take_one() {
    let world = hundred();
    assert_eq!(world.rows("RETURN [LENGTH(c), DOCUMENT(c, 'k7').n, IS_SAME_COLLECTION(c, 'c/k7')]"), "[[100,7,true]]");
    for query in ["RETURN c", "RETURN FIRST(c)", "FOR d IN UNION(c, log) RETURN d", "RETURN 1 IN c"] {
        assert_eq!(world.error(query), code::QUERY_COLLECTION_USED_IN_EXPRESSION, "{query}");
    }
}

#[test]
fn a_range_by_function_is_as_lazy_as_the_operator() {
    let world = hundred();
    assert_eq!(world.rows("FOR i IN RANGE(5, 100000000000) LIMIT 2 RETURN i"), "[5,6]");
    assert_eq!(world.rows("RETURN RANGE(3, 1)"), "[[3,2,1]]");
    assert_eq!(world.rows("RETURN LENGTH(-5..100000000000)"), "[100000000006]");
}

#[test]
fn options_nobody_knows_are_warned_of() {
    let world = hundred();
    for query in [
        "FOR d IN c OPTIONS { nope: 1 } RETURN 1",
        "FOR d IN c COLLECT g = d.group OPTIONS { nope: 1 } RETURN g",
        "INSERT {} INTO log OPTIONS { nope: 1 }",
    ] {
        let warnings = world.run(query).expect("runs").warnings;
        assert_eq!(warnings.first().map(|w| w.num), Some(code::QUERY_INVALID_OPTIONS_ATTRIBUTE), "{query}");
    }
    assert!(world.run("INSERT {} INTO log OPTIONS { waitForSync: true }").expect("runs").warnings.is_empty());
}

#[test]
fn the_example_of_an_upsert_compares_inner_attributes_one_by_one() {
    let world = hundred();
    world.rows("INSERT { _key: 'x', o: { a: 1, b: 2 } } INTO log");
    let query = "UPSERT { o: { a: 1 } } INSERT { o: { a: 1 } } UPDATE { seen: true } IN log RETURN OLD._key";
    assert_eq!(world.rows(query), r#"["x"]"#);
    assert_eq!(world.error("LET e = { a: NOOPT(1) } UPSERT e INSERT {} UPDATE {} IN log"), code::QUERY_PARSE);
}

#[test]
fn nothing_is_in_and_nothing_is_not_in_what_is_no_array() {
    let world = hundred();
    assert_eq!(world.rows("RETURN [[1] NONE IN 5, [1] ALL NOT IN 'a', [] ALL IN null]"), "[[false,false,false]]");
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
fn a_document_without_the_array_is_found_by_the_other_fields_of_its_index() {
    for fields in [r#"["b","a[*]"]"#, r#"["b","a[*].x"]"#, r#"["b","c","a[*]"]"#] {
        let world = World::indexed(&[&format!(r#"{{"type":"persistent","fields":{fields}}}"#)]);
        world.rows("FOR d IN [{ a: [1, 2] }, { a: [] }, { a: null }, { a: 'none' }, {}] INSERT MERGE(d, { b: 1, c: 2 }) INTO c");
        for condition in ["d.b == 1", "d.b IN [1, 2]", "d.b > 0", "d.b == 1 AND d.c == 2", "d.b == 1 AND d.c >= 2"] {
            assert_eq!(
                world.rows(&format!("RETURN LENGTH(FOR d IN c FILTER {condition} RETURN d)")),
                "[5]",
                "{fields}: {condition}"
            );
        }
    }
    let world = World::indexed(&[r#"{"type":"persistent","fields":["b","a[*]"]}"#]);
    world.rows("FOR n IN 1..9 INSERT { b: n % 2, a: [n, n + 1] } INTO c");
    let query = "FOR d IN c FILTER d.b == 1 AND 5 IN d.a RETURN d.a";
    assert_eq!(world.nodes(query)[0], "IndexNode");
    assert_eq!(world.rows(query), "[[5,6]]");
}

/// The nodes of a query over 200 documents, each second of which has a `v`, and what it looked at.
fn sparsely(query: &str) -> (Vec<String>, String, u64) {
    let world = World::indexed(&[r#"{"type":"persistent","fields":["v"],"sparse":true}"#]);
    world.rows("FOR n IN 1..200 INSERT { n, v: n % 2 ? n : null } INTO c");
    let (rows, stats) = world.measured(query, &QueryOptions::default());
    (world.nodes(query), rows, stats.scanned_index)
}

#[test]
fn a_sparse_index_finds_what_a_row_equals_where_null_is_ruled_out() {
    for rules_out in ["d.v > null", "d.v != null", "d.v >= 0", "null < d.v", "d.v > x - 1"] {
        for equals in ["d.v == x", "d.v IN [x]"] {
            let query = format!("FOR x IN [3, 4, null, 5] FOR d IN c FILTER {equals} FILTER {rules_out} RETURN d.n");
            let (nodes, rows, scanned) = sparsely(&query);
            assert!(nodes.contains(&String::from("IndexNode")), "{query}");
            assert_eq!((rows.as_str(), scanned), ("[3,5]", 2), "{query}");
        }
    }
    let (nodes, rows, _) = sparsely("FOR x IN [3, null] FOR d IN c FILTER d.v == x COLLECT WITH COUNT INTO n RETURN n");
    assert!(!nodes.contains(&String::from("IndexNode")), "null may be asked for");
    assert_eq!(rows, "[101]");
}

#[test]
fn a_sparse_index_has_what_is_not_null() {
    for (condition, found, scanned) in [
        ("d.v != null", "[100]", 100),
        ("null != d.v", "[100]", 100),
        ("d.v != null AND d.v < 10", "[5]", 5),
        ("d.v != null AND d.v > 190", "[5]", 5),
    ] {
        let query = format!("FOR d IN c FILTER {condition} COLLECT WITH COUNT INTO n RETURN n");
        let (nodes, rows, looked_at) = sparsely(&query);
        assert_eq!((nodes[0].as_str(), rows.as_str(), looked_at), ("IndexNode", found, scanned), "{condition}");
    }
    let (nodes, rows, _) = sparsely("FOR d IN c FILTER d.v != 1 COLLECT WITH COUNT INTO n RETURN n");
    assert_eq!((nodes[0].as_str(), rows.as_str()), ("EnumerateCollectionNode", "[199]"));
}

#[test]
fn a_pattern_finds_texts_whose_first_letter_sorts_behind_the_next() {
    let world = World::indexed(&[r#"{"type":"persistent","fields":["s"]}"#]);
    world.rows("FOR s IN ['เก', 'เ', 'ก', 'ເກ', 'äb', 'a'] INSERT { s } INTO c");
    for (pattern, found) in [("เ%", r#"["เก","เ"]"#), ("ເ%", r#"["ເກ"]"#), ("เก%", r#"["เก"]"#), ("ä%", r#"["äb"]"#)]
    {
        let query = format!("FOR d IN c FILTER d.s LIKE '{pattern}' SORT d._key RETURN d.s");
        assert_eq!(world.rows(&query), found, "{pattern}");
    }
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
fn a_document_is_named_by_its_key_or_by_an_object_that_has_it() {
    let world = hundred();
    for (selector, error) in [
        ("5", code::DOCUMENT_TYPE_INVALID),
        ("['k1']", code::DOCUMENT_TYPE_INVALID),
        ("{n: 1}", code::DOCUMENT_KEY_MISSING),
        ("{_key: 1}", code::DOCUMENT_KEY_MISSING),
        ("'c/k1'", code::DOCUMENT_NOT_FOUND),
        ("'nope'", code::DOCUMENT_NOT_FOUND),
    ] {
        for query in [format!("REMOVE {selector} IN c"), format!("UPDATE {selector} WITH {{x: 1}} IN c")] {
            assert_eq!(world.error(&query), error, "{query}");
        }
    }
    assert_eq!(world.error("REPLACE {n: 1} IN c"), code::DOCUMENT_KEY_MISSING);
    assert_eq!(world.error("UPDATE {n: 1} WITH 5 IN c"), code::DOCUMENT_TYPE_INVALID);
    assert_eq!(world.rows("UPDATE {_key: 'k1'} WITH {x: 1} IN c RETURN NEW.x"), "[1]");
    let strict = "IN c OPTIONS {ignoreRevs: false} RETURN NEW.x";
    assert_eq!(world.rows(&format!("UPDATE 'k1' WITH {{x: 2, _rev: 'other'}} {strict}")), "[2]");
    assert_eq!(world.error(&format!("UPDATE {{_key: 'k1', _rev: 'other'}} WITH {{x: 3}} {strict}")), code::CONFLICT);
    assert_eq!(world.error(&format!("UPDATE {{_key: 'k1', _rev: 'other', x: 3}} {strict}")), code::CONFLICT);
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
    // a sort before the limit keeps no more rows than those
    for (limit, rows) in [("2, 3", "[97,96,95]"), ("0", "[]"), ("88, 9", "[11,10]"), ("95, 5", "[]")] {
        let query = format!("FOR d IN c FILTER d.n >= 10 SORT d.n DESC LIMIT {limit} RETURN d.n");
        let outcome = world.run_with(&query, &Value::Null, &options, RunContext::default()).expect("runs");
        assert_eq!(
            (Value::array(outcome.rows).to_json(), outcome.stats.full_count),
            (rows.into(), Some(90)),
            "{limit}"
        );
    }
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
    let arrays = |levels| format!("RETURN LENGTH({}1{})", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(world.rows(&arrays(190)), "[1]");
    // the text may be that deep, the value not
    assert_eq!(world.error(&arrays(400)), code::BAD_PARAMETER);
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
    assert_eq!(run("RETURN {b: {c: 1}}.@a", r#"{"a":["b","c"]}"#), Ok("[1]".into()));
    for wrong in [r#""""#, r#"["b",""]"#, "[]", "1", "null"] {
        let binds = format!(r#"{{"a":{wrong}}}"#);
        assert_eq!(run("RETURN {b: 1}.@a", &binds), Err(code::QUERY_BIND_PARAMETER_TYPE), "{wrong}");
    }
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
    assert_eq!(
        node.get("projections").to_json(),
        "[]",
        "the whole document is needed, though only after the condition"
    );
    world.rows("FOR i IN 1..3 INSERT {_key: CONCAT('k', i), n: 4 - i, t: i == 2 ? 'X' : 'y', a: {b: i}} INTO c");
    let rows = world.rows("FOR d IN c FILTER d.a.b > 1 SORT d.n RETURN {key: d._key, n: d.n}");
    assert_eq!(rows, r#"[{"key":"k3","n":1},{"key":"k2","n":2}]"#);
    assert_eq!(world.rows("FOR d IN c FILTER LOWER(d.t) == 'x' RETURN d.a"), r#"[{"b":2}]"#);
}
