use super::{clauses, read, refused, returned};
use crate::error::code;
use crate::lang::ast::{Clause, ExprKind};

#[test]
fn literals_are_values() {
    assert_eq!(
        returned("[null, TRUE, False, 1, .5, 1e3, 0x1F, 0b11, 'a', \"b\"]"),
        "[null, true, false, 1, 0.5, 1000.0, 31, 3, \"a\", \"b\"]"
    );
    assert_eq!(returned("9223372036854775808"), "9.223372036854776e18");
}

#[test]
fn a_number_out_of_range_is_null_with_a_warning() {
    let query = read("RETURN 1e400");
    assert!(matches!(&query.body.clauses[..], [Clause::Return { expr, .. }] if expr.kind == ExprKind::Null));
    assert_eq!(query.warnings.len(), 1);
    assert_eq!(query.warnings[0].num, code::QUERY_NUMBER_OUT_OF_RANGE);
    assert!(read("RETURN 1e300").warnings.is_empty());
}

#[test]
fn literals_of_other_bases_are_limited_to_32_bits() {
    assert_eq!(refused("RETURN 0x1ffffffff"), 1501);
}

#[test]
fn a_comma_may_follow_the_last_element() {
    assert_eq!(returned("[1, 2,]"), "[1, 2]");
    assert_eq!(returned("{a: 1,}"), "{a: 1}");
    for text in ["RETURN [,]", "RETURN [1,,2]", "RETURN {,}", "RETURN {a: 1,, b: 2}", "RETURN F(1,)"] {
        assert_eq!(refused(text), 1501, "{text}");
    }
}

#[test]
fn object_keys_are_names_strings_bind_parameters_or_computed() {
    assert_eq!(
        returned("{a: 1, \"b c\": 2, 'd': 3, `for`: 4, @e: 5, [1 + 1]: 6}"),
        "{a: 1, b c: 2, d: 3, for: 4, @e: 5, [(1 + 1)]: 6}"
    );
    for text in ["RETURN {1: 2}", "RETURN {null: 1}", "RETURN {for: 1}", "RETURN {@@c: 1}", "LET a = 1 RETURN {a.b: 1}"]
    {
        assert_eq!(refused(text), 1501, "{text}");
    }
}

#[test]
fn a_lone_name_in_an_object_is_the_variable_of_that_name() {
    assert_eq!(clauses("LET a = 1 RETURN {a, b: a}"), "LET a = 1; RETURN {a, b: a}");
    assert_eq!(refused("RETURN {a}"), code::QUERY_VARIABLE_NAME_UNKNOWN);
    assert_eq!(refused("RETURN (FOR x IN [] RETURN x)[0] == {x}"), code::QUERY_VARIABLE_NAME_UNKNOWN);
}

#[test]
fn calls_are_upper_cased_and_may_have_a_namespace() {
    assert_eq!(returned("length([1])"), "LENGTH([1])");
    assert_eq!(returned("my::ns::fn(1, 2)"), "MY::NS::FN(1, 2)");
    assert_eq!(returned("rand ()"), "RAND()");
    assert_eq!(returned("LIKE('a', 'b') LIKE c"), "(LIKE(\"a\", \"b\") LIKE c)");
    assert_eq!(refused("RETURN a::b"), 1501);
    assert_eq!(refused("RETURN FILTER(1)"), 1501);
}

#[test]
fn functions_are_known_while_the_query_is_read() {
    assert_eq!(refused("RETURN NO_SUCH_FUNCTION() +"), 1540);
    assert_eq!(refused("RETURN LENGTH(1, 2) +"), 1541);
    assert_eq!(refused("RETURN LIKE(1) +"), 1541);
    assert_eq!(refused("RETURN NO_SUCH_FUNCTION("), 1501);
    assert_eq!(refused("FOR i IN x COLLECT AGGREGATE y = NO_SUCH_FUNCTION(i) RETURN ;"), 1540);
    assert_eq!(refused("FOR i IN x COLLECT AGGREGATE y = COUNT() RETURN ;"), 1501);
    returned("no::such::function(1)");
}

#[test]
fn an_argument_may_be_a_subquery_without_parentheses() {
    assert_eq!(returned("LENGTH(FOR x IN y RETURN x)"), "LENGTH((FOR x IN y; RETURN x))");
    assert_eq!(
        returned("CONCAT(1, RETURN 2, FOR x IN y INSERT x INTO c, 3)"),
        "CONCAT(1, (RETURN 2), (FOR x IN y; Insert DOC x INTO c), 3)"
    );
    assert_eq!(refused("RETURN [FOR x IN y RETURN x]"), 1501);
    assert_eq!(refused("RETURN LENGTH(LET x = 1)"), 1501);
}

#[test]
fn subqueries_stand_in_parentheses() {
    assert_eq!(returned("(RETURN 1)"), "(RETURN 1)");
    assert_eq!(returned("(FOR x IN y FILTER x RETURN x)[0]"), "(FOR x IN y; FILTER x; RETURN x)[0]");
    assert_eq!(
        returned("1 IN (FOR x IN y REMOVE x IN c RETURN OLD)"),
        "(1 IN (FOR x IN y; Remove KEY x INTO c; RETURN OLD))"
    );
    assert_eq!(refused("RETURN (FOR x IN y)"), 1501);
    assert_eq!(refused("RETURN FOR x IN y RETURN x"), 1501);
}

#[test]
fn words_that_are_no_keywords_name_anything() {
    assert_eq!(
        clauses("FOR keep IN count LET options = keep.prune RETURN {search: options, to: keep.least}"),
        "FOR keep IN count; LET options = keep.prune; RETURN {search: options, to: keep.least}"
    );
}

#[test]
fn keywords_name_nothing_without_quotes() {
    for text in [
        "FOR return IN [1] RETURN 1",
        "LET filter = 1 RETURN 1",
        "RETURN a.for",
        "RETURN a.any",
        "LET outbound = 1 RETURN 1",
    ] {
        assert_eq!(refused(text), 1501, "{text}");
    }
    assert_eq!(clauses("LET `filter` = a.`for` RETURN ´filter´"), "LET filter = a.for; RETURN filter");
}

#[test]
fn a_variable_needs_a_name() {
    assert_eq!(refused("LET `` = 1 RETURN 1"), code::QUERY_VARIABLE_NAME_INVALID);
}

#[test]
fn a_variable_has_a_letter_before_its_first_digit_also_between_quotation_marks() {
    for name in ["_", "__", "_0", "___1", "00", "___9_9", "_0abcd"] {
        assert_eq!(refused(&format!("LET {name} = 1 RETURN 1")), code::QUERY_PARSE, "{name}");
        assert_eq!(refused(&format!("LET `{name}` = 1 RETURN 1")), code::QUERY_PARSE, "{name}");
        assert_eq!(refused(&format!("FOR `{name}` IN [] RETURN 1")), code::QUERY_PARSE, "{name}");
    }
    for name in ["a", "_a", "__a_", "_a0", "a________0"] {
        assert_eq!(clauses(&format!("LET `{name}` = 1 RETURN `{name}`")), format!("LET {name} = 1; RETURN {name}"));
    }
}

#[test]
fn pseudo_variables_may_be_written_with_a_dollar() {
    assert_eq!(returned("[$OLD, $NEW, $CURRENT]"), "[OLD, NEW, CURRENT]");
    assert_eq!(clauses("LET $OLD = 1 RETURN $OLD"), "LET $OLD = 1; RETURN $OLD");
}

#[test]
fn expressions_know_where_they_begin() {
    let query = read("LET a = 1\nRETURN   a + 2");
    let Some(Clause::Return { expr, .. }) = query.body.clauses.last() else { panic!("{query:?}") };
    assert_eq!((expr.pos.line, expr.pos.column), (2, 10));
}
