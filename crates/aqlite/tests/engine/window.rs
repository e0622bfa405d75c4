//! `WINDOW`: aggregates over the rows around each row.

use crate::common::World;
use aqlite::error::code;
use aqlite::value::Value;

#[test]
fn a_row_window_counts_rows_around() {
    let world = World::new(&[]);
    assert_eq!(
        world.rows("FOR i IN 1..5 WINDOW { preceding: 1, following: 1 } AGGREGATE s = SUM(i) RETURN s"),
        "[3,6,9,12,9]",
    );
    assert_eq!(
        world.rows("FOR i IN 1..4 WINDOW { preceding: 'unbounded' } AGGREGATE s = SUM(i) RETURN s"),
        "[1,3,6,10]"
    );
    assert_eq!(
        world.rows("FOR i IN 1..4 WINDOW { following: 'unbounded' } AGGREGATE s = SUM(i) RETURN s"),
        "[10,9,7,4]"
    );
}

#[test]
fn a_range_window_sorts_by_the_value_and_takes_what_is_near() {
    let world = World::new(&[]);
    assert_eq!(
        world.rows(
            "FOR i IN [8,1,4,2,7] WINDOW i WITH { preceding: 2, following: 1 } AGGREGATE s = SUM(i) RETURN [i, s]",
        ),
        "[[1,3],[2,3],[4,6],[7,15],[8,15]]",
    );
}

#[test]
fn a_duration_window_takes_what_is_near_in_time() {
    let world = World::new(&[]);
    assert_eq!(
        world.rows(
            "FOR t IN ['2021-01-31T00:00Z', '2021-02-28T00:00Z', '2021-05-01T00:00Z']
             WINDOW DATE_TIMESTAMP(t) WITH { preceding: 'P1M' } AGGREGATE n = COUNT() RETURN n",
        ),
        "[1,2,1]",
    );
}

#[test]
fn a_row_without_a_valid_range_value_has_no_window() {
    let world = World::new(&[]);
    assert_eq!(
        world.warnings("FOR i IN [5, 'x'] WINDOW i WITH { preceding: 1 } AGGREGATE n = COUNT() RETURN n"),
        ("[1,null]".into(), vec![1561])
    );
    assert_eq!(
        world.warnings("FOR i IN ['x'] WINDOW i WITH { preceding: 'P1D' } AGGREGATE n = COUNT() RETURN n"),
        ("[null]".into(), vec![1572])
    );
}

#[test]
fn bad_window_bounds_are_errors() {
    let world = World::new(&[]);
    for (bounds, num) in [("{ preceding: -1 }", 10), ("{ preceding: 'x' }", 10), ("{ }", 1501)] {
        assert_eq!(world.error(&format!("FOR i IN 1..3 WINDOW {bounds} AGGREGATE s = SUM(i) RETURN s")), num);
    }
    for bounds in ["{ preceding: 'x' }", "{ preceding: 1, following: 'P1D' }", "{ preceding: [] }"] {
        assert_eq!(world.error(&format!("FOR i IN 1..3 WINDOW i WITH {bounds} AGGREGATE s = SUM(i) RETURN s")), 10);
    }
    let by_row = "FOR i IN 1..3 WINDOW { preceding: i } AGGREGATE s = SUM(i) RETURN s";
    let error = world.run(by_row).expect_err("only what is known beforehand");
    assert_eq!(error.num, code::QUERY_COMPILE_TIME_OPTIONS);
    assert_eq!(error.message, "AQL: WINDOW bounds must be determined at compile time (while instantiating plan)");
}

#[test]
fn a_number_of_rows_loses_its_fraction() {
    let world = World::new(&[]);
    let sums = |bound: &str| {
        world.rows(&format!("LET n = 1 FOR i IN 1..3 WINDOW {{ preceding: {bound} }} AGGREGATE s = SUM(i) RETURN s"))
    };
    for (bound, expected) in [("1.7", "[1,3,5]"), ("-0.5", "[1,2,3]"), ("n", "[1,3,5]"), ("n + 1", "[1,3,6]")] {
        assert_eq!(sums(bound), expected, "{bound}");
    }
}

#[test]
fn a_window_with_nothing_in_it_has_no_sum_but_a_length() {
    let world = World::new(&[]);
    let empty = "FOR i IN [1] WINDOW i WITH { preceding: -1 }
                 AGGREGATE s = SUM(i), a = AVG(i), m = MAX(i), v = VARIANCE(i), b = BIT_OR(i),
                           n = LENGTH(), d = COUNT_DISTINCT(i), u = UNIQUE(i)
                 RETURN [s, a, m, v, b, n, d, u]";
    assert_eq!(world.rows(empty), "[[null,null,null,null,null,0,0,[]]]");
}

#[test]
fn the_end_of_a_month_before_is_counted_on_into_the_next_month() {
    let world = World::new(&[]);
    // a month before March 31 is February 31, which is March 2
    let query = "FOR d IN ['2020-02-29', '2020-03-02', '2020-03-31']
                 WINDOW DATE_TIMESTAMP(d) WITH { preceding: 'P1M' } AGGREGATE n = COUNT() RETURN n";
    assert_eq!(world.rows(query), "[1,2,2]");
}

#[test]
fn every_run_of_a_subquery_begins_its_running_total_anew() {
    let world = World::new(&[]);
    let query = "FOR k IN 1..2 RETURN (FOR i IN 1..3 WINDOW { preceding: 'unbounded' } AGGREGATE s = SUM(i) RETURN s)";
    assert_eq!(world.rows(query), "[[1,3,6],[1,3,6]]");
}

#[test]
fn an_explanation_shows_both_bounds_and_that_a_range_needs_sorted_rows() {
    let world = World::new(&[]);
    let shown = |window: &str| {
        let plan = world.plan(&format!("FOR i IN 1..3 WINDOW {window} AGGREGATE n = LENGTH() RETURN n"));
        let is_window = |node: &Value| node.get("type").as_str() == Some("WindowNode");
        let node = plan.get("nodes").iter_array().find(is_window).expect("a window");
        Value::array(vec![node.get("preceding"), node.get("following")]).to_json()
    };
    assert_eq!(shown("{ following: 1.5 }"), "[0,1]");
    assert_eq!(shown("{ preceding: 'inf' }"), r#"["unbounded",0]"#);
    assert_eq!(shown("i WITH { preceding: 1.5 }"), "[1.5,0]");
    assert_eq!(shown("i WITH { following: 'P1D' }"), r#"["P0D","P1D"]"#);
    let nodes = |window: &str| world.nodes(&format!("FOR i IN 1..3 WINDOW {window} AGGREGATE n = LENGTH() RETURN n"));
    assert_eq!(nodes("{ preceding: 1 }"), ["EnumerateListNode", "WindowNode"]);
    assert_eq!(nodes("i WITH { preceding: 1 }"), ["EnumerateListNode", "SortNode", "WindowNode"]);
}
