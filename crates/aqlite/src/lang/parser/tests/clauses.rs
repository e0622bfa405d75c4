use super::{clauses, read, refused};
use crate::error::code;
use crate::lang::ast::{NameKind, Parameter};

#[test]
fn a_query_ends_in_a_return_or_a_modification() {
    assert_eq!(clauses("RETURN 1"), "RETURN 1");
    assert_eq!(clauses("FOR x IN 1..3 INSERT x INTO c"), "FOR x IN (1 .. 3); Insert DOC x INTO c");
    for text in ["LET x = 1", "FILTER 1", "FOR x IN y", "RETURN 1 RETURN 2", "RETURN 1 LIMIT 1", "RETURN 1; RETURN 2"] {
        assert_eq!(refused(text), 1501, "{text}");
    }
}

#[test]
fn an_empty_query_has_an_error_of_its_own() {
    assert_eq!(refused(""), code::QUERY_EMPTY);
    assert_eq!(refused("  "), code::QUERY_PARSE);
}

#[test]
fn with_lists_collections_with_or_without_commas() {
    let names: Vec<_> = read("WITH a, b c @@d @e RETURN 1").with.into_iter().map(|name| name.kind).collect();
    let expected = [
        NameKind::Literal("a".into()),
        NameKind::Literal("b".into()),
        NameKind::Literal("c".into()),
        NameKind::Bind("d".into()),
        NameKind::ValueBind("e".into()),
    ];
    assert_eq!(names, expected);
    assert_eq!(refused("WITH RETURN 1"), 1501);
    assert_eq!(refused("WITH a, RETURN 1"), 1501);
}

#[test]
fn a_loop_has_one_variable_and_perhaps_search_and_options() {
    assert_eq!(
        clauses("FOR x IN @@c OPTIONS {indexHint: 'i'} RETURN x"),
        "FOR x IN @@c OPTIONS {indexHint: \"i\"}; RETURN x"
    );
    assert_eq!(
        clauses("FOR x IN v SEARCH x.a == 1 OPTIONS {} RETURN x"),
        "FOR x IN v SEARCH (x.a == 1) OPTIONS {}; RETURN x"
    );
    assert_eq!(refused("FOR x, y IN c RETURN x"), 1501);
    assert_eq!(refused("FOR x IN [1] SEARCH x RETURN x"), 1501);
    assert_eq!(refused("FOR x IN c OPTIONS 5 RETURN x"), 1501);
    assert_eq!(refused("FOR x IN c WHATEVER {} RETURN x"), 1501);
}

#[test]
fn options_are_known_before_the_query_runs() {
    assert_eq!(clauses("FOR x IN c OPTIONS {a: [@b, -1]} RETURN x"), "FOR x IN c OPTIONS {a: [@b, (-1)]}; RETURN x");
    assert_eq!(refused("FOR x IN c OPTIONS {a: x} RETURN x"), code::QUERY_COMPILE_TIME_OPTIONS);
    assert_eq!(refused("INSERT {} INTO c OPTIONS {a: RAND()}"), code::QUERY_COMPILE_TIME_OPTIONS);
}

#[test]
fn let_assigns_several_variables() {
    assert_eq!(clauses("LET a = 1, b = a + 1 RETURN b"), "LET a = 1; LET b = (a + 1); RETURN b");
    assert_eq!(refused("LET a RETURN 1"), 1501);
    assert_eq!(refused("LET a = 1, RETURN 1"), 1501);
}

#[test]
fn sort_directions_are_words_literals_or_bind_parameters() {
    assert_eq!(
        clauses("SORT a, b ASC, c DESC, d @e, f 'desc', g false RETURN 1"),
        "SORT a, b, c DESC, d BY @e, f BY \"desc\", g BY false; RETURN 1"
    );
    assert_eq!(refused("SORT RETURN 1"), 1501);
    assert_eq!(refused("SORT a DESC ASC RETURN 1"), 1501);
}

#[test]
fn limit_has_a_count_and_perhaps_an_offset() {
    assert_eq!(clauses("LIMIT 5 RETURN 1"), "LIMIT 5; RETURN 1");
    assert_eq!(clauses("LIMIT @a, 1 + 1 RETURN 1"), "LIMIT @a, (1 + 1); RETURN 1");
    assert_eq!(refused("LIMIT 1, 2, 3 RETURN 1"), 1501);
    assert_eq!(refused("LIMIT RETURN 1"), 1501);
}

#[test]
fn distinct_needs_a_loop() {
    assert_eq!(clauses("FOR x IN y RETURN DISTINCT x"), "FOR x IN y; RETURN DISTINCT x");
    assert_eq!(refused("RETURN DISTINCT 1"), 1501);
    assert_eq!(refused("FOR x IN y RETURN (RETURN DISTINCT x)"), 1501);
}

#[test]
fn collect_groups_counts_aggregates_and_keeps() {
    let collected =
        |text: &str| clauses(&format!("FOR x IN y LET z = 1 {text} RETURN 1")).split("; ").nth(2).map(String::from);
    for text in [
        "COLLECT WITH COUNT INTO n",
        "COLLECT a = x.a WITH COUNT INTO n",
        "COLLECT a = x.a, b = x.b",
        "COLLECT a = x.a INTO g",
        "COLLECT a = x.a INTO g KEEP x, z",
        "COLLECT a = x.a INTO g = x.b",
        "COLLECT AGGREGATE s = SUM(x.a), n = COUNT(1)",
        "COLLECT a = x.a AGGREGATE s = SUM(x.a) INTO g",
        "COLLECT a = x.a AGGREGATE s = SUM(x.a) INTO g = x.b OPTIONS {method: \"sorted\"}",
        "COLLECT a = x.a OPTIONS {method: \"hash\"}",
        "COLLECT a = x.a INTO g KEEP x OPTIONS {method: \"hash\"}",
        "COLLECT a = x.a WITH COUNT INTO n OPTIONS {method: \"hash\"}",
    ] {
        assert_eq!(collected(text).as_deref(), Some(text));
    }
}

#[test]
fn collect_has_a_fixed_order_of_parts() {
    for text in [
        "COLLECT",
        "COLLECT INTO g",
        "COLLECT a",
        "COLLECT a = x.a KEEP x",
        "COLLECT a = x.a INTO g KEEP unknown",
        "COLLECT a = x.a INTO g WITH COUNT INTO n",
        "COLLECT AGGREGATE s = x",
        "COLLECT AGGREGATE s = SUM(x) + 1",
        "COLLECT AGGREGATE s = SUM(x) WITH COUNT INTO n",
        "COLLECT AGGREGATE s = SUM(x) INTO g KEEP x",
        "COLLECT WITH TOTAL INTO n",
        "COLLECT a = x.a INTO g HOLD x",
    ] {
        assert_eq!(refused(&format!("FOR x IN y {text} RETURN 1")), 1501, "{text}");
    }
}

#[test]
fn keep_names_a_visible_variable() {
    assert_eq!(refused("FOR x IN y COLLECT a = x COLLECT b = a INTO g KEEP x RETURN 1"), 1501);
    clauses("LET c = 1 FOR x IN y COLLECT a = x COLLECT b = a INTO g KEEP a, c RETURN 1");
}

#[test]
fn windows_are_over_rows_or_over_a_range() {
    assert_eq!(
        clauses("FOR x IN y WINDOW {preceding: 1, following: @n} AGGREGATE s = SUM(x) RETURN s"),
        "FOR x IN y; WINDOW {preceding: 1, following: @n} AGGREGATE s = SUM(x); RETURN s"
    );
    assert_eq!(
        clauses("FOR x IN y WINDOW x.t WITH {preceding: 'PT1H'} AGGREGATE s = SUM(x) RETURN s"),
        "FOR x IN y; WINDOW x.t WITH {preceding: \"PT1H\"} AGGREGATE s = SUM(x); RETURN s"
    );
    for text in [
        "WINDOW {} AGGREGATE s = SUM(x)",
        "WINDOW {before: 1} AGGREGATE s = SUM(x)",
        "WINDOW {preceding: 1, preceding: 2} AGGREGATE s = SUM(x)",
        "WINDOW {preceding: 1}",
        "WINDOW x.t {preceding: 1} AGGREGATE s = SUM(x)",
    ] {
        assert_eq!(refused(&format!("FOR x IN y {text} RETURN 1")), 1501, "{text}");
    }
}

#[test]
fn a_name_that_is_taken_is_refused_where_it_is_taken_again() {
    for text in [
        "LET a = 1 LET a = 2 RETURN ;",
        "FOR a IN x FOR a IN y RETURN ;",
        "LET a = 1 RETURN (FOR a IN x RETURN ;)",
        "FOR a, b, a IN OUTBOUND s e RETURN ;",
        "FOR a IN x COLLECT b = a, b = a RETURN ;",
    ] {
        assert_eq!(refused(text), 1511, "{text}");
    }
    assert_eq!(refused("LET a = (LET b = 1 RETURN b) LET b = 2 RETURN ;"), 1501);
    assert_eq!(refused("FOR a IN x COLLECT b = a INTO a RETURN ;"), 1501);
}

#[test]
fn parameters_are_listed_in_the_order_of_the_text() {
    let query = read("FOR d IN @@c FILTER d.@a == @v RETURN { @n: @v }");
    let value = |name: &str| Parameter::Value(name.into());
    assert_eq!(query.parameters, [Parameter::Collection("c".into()), value("a"), value("v"), value("n"), value("v")]);
}

#[test]
fn names_that_no_variable_has_are_listed_as_collections() {
    let query = read(
        "WITH w FOR a IN c LET b = LENGTH(d) FOR v, x IN OUTBOUND a GRAPH g FOR y IN ANY v e, @@f \
         COLLECT k = b INTO rows RETURN [k, rows[* RETURN CURRENT.a], a, (INSERT {} INTO 'h' RETURN NEW)]",
    );
    assert_eq!(query.collections, ["w", "c", "d", "e", "a", "h"], "a is hidden behind the COLLECT");
}
