use super::{refused, returned};

#[test]
fn accesses_chain_to_the_left() {
    assert_eq!(returned("a.b.`c d`[0]['e'].@f"), "a.b.c d[0][\"e\"].@f");
    assert_eq!(returned("@a.b"), "@a.b");
    assert_eq!(returned("{a: 1}.a + [1][0] + RAND().x + (1 + 2).y"), "((({a: 1}.a + [1][0]) + RAND().x) + (1 + 2).y)");
}

#[test]
fn literals_have_no_accesses() {
    for text in ["RETURN \"abc\"[1]", "RETURN null[0]", "RETURN null[*]", "RETURN 1.a", "RETURN 'a'.b", "RETURN true.x"]
    {
        assert_eq!(refused(text), 1501, "{text}");
    }
}

#[test]
fn accesses_after_an_expansion_belong_to_its_elements() {
    assert_eq!(returned("a[*]"), "a[*]");
    assert_eq!(returned("a[*].b.c[0]"), "a[* RETURN CURRENT.b.c[0]]");
    assert_eq!(returned("a.b[*].@c"), "a.b[* RETURN CURRENT.@c]");
}

#[test]
fn a_second_expansion_expands_what_each_element_becomes() {
    assert_eq!(returned("a[*].b[*].c"), "a[* RETURN CURRENT.b[* RETURN CURRENT.c]]");
    assert_eq!(returned("a[*][*]"), "a[* RETURN CURRENT[*]]");
    assert_eq!(returned("a[*][* RETURN CURRENT * 2]"), "a[* RETURN CURRENT[* RETURN (CURRENT * 2)]]");
}

#[test]
fn a_third_expansion_expands_the_result_of_the_second() {
    assert_eq!(returned("a[*].b[*].c[*].d"), "a[* RETURN CURRENT.b[* RETURN CURRENT.c][* RETURN CURRENT.d]]");
}

#[test]
fn flattening_takes_the_whole_expansion_before_it() {
    assert_eq!(returned("a[*].b[**].c"), "a[* RETURN CURRENT.b][** RETURN CURRENT.c]");
    assert_eq!(returned("a[**].b[*].c"), "a[** RETURN CURRENT.b[* RETURN CURRENT.c]]");
    assert_eq!(returned("a[* * *]"), "a[***]");
}

#[test]
fn parentheses_end_an_expansion() {
    assert_eq!(returned("(a[*].b)[0]"), "a[* RETURN CURRENT.b][0]");
    assert_eq!(returned("(a[*].b)[*].c"), "a[* RETURN CURRENT.b][* RETURN CURRENT.c]");
}

#[test]
fn an_expansion_filters_limits_and_returns() {
    assert_eq!(
        returned("a[* FILTER CURRENT.b > 1 LIMIT 1, 2 RETURN CURRENT.c]"),
        "a[* FILTER (CURRENT.b > 1) LIMIT 1, 2 RETURN CURRENT.c]"
    );
    assert_eq!(returned("a[* LIMIT 2].b"), "a[* LIMIT 2 RETURN CURRENT.b]");
    assert_eq!(returned("a[* RETURN CURRENT[* FILTER CURRENT]]"), "a[* RETURN CURRENT[* FILTER CURRENT]]");
    assert_eq!(refused("RETURN a[* RETURN 1 FILTER 2]"), 1501);
    assert_eq!(refused("RETURN a[* 2 FILTER true]"), 1501);
    assert_eq!(refused("RETURN a[* ALL FILTER true]"), 1501);
}

#[test]
fn accesses_after_a_bracket_with_return_have_no_effect() {
    assert_eq!(returned("a[* RETURN CURRENT.b].c[*].d"), "a[* RETURN CURRENT.b]");
    assert_eq!(returned("a[*].b[* RETURN CURRENT.c].d"), "a[* RETURN CURRENT.b[* RETURN CURRENT.c]]");
    assert_eq!(returned("a[* RETURN CURRENT.b][**].c"), "a[* RETURN CURRENT.b][** RETURN CURRENT.c]");
}

#[test]
fn a_question_mark_asks_how_many_elements_match() {
    assert_eq!(returned("a[?]"), "a[?]");
    assert_eq!(returned("a[? FILTER CURRENT]"), "a[? FILTER CURRENT]");
    assert_eq!(returned("a[? 2 FILTER CURRENT]"), "a[? 2 FILTER CURRENT]");
    assert_eq!(returned("a[? 1..@n FILTER CURRENT]"), "a[? 1..@n FILTER CURRENT]");
    assert_eq!(returned("a[? NONE FILTER CURRENT]"), "a[? NONE FILTER CURRENT]");
    assert_eq!(returned("a[? AT LEAST (2) FILTER CURRENT]"), "a[? AT LEAST 2 FILTER CURRENT]");
    assert_eq!(refused("RETURN a[? ALL]"), 1501);
    assert_eq!(refused("RETURN a[? 2]"), 1501);
}

#[test]
fn a_question_after_an_expansion_is_asked_of_each_element() {
    assert_eq!(returned("a[*].b[? FILTER CURRENT]"), "a[* RETURN CURRENT.b[? FILTER CURRENT]]");
    assert_eq!(returned("a[*].b[?? FILTER CURRENT]"), "a[* RETURN CURRENT.b][**][? FILTER CURRENT]");
}

#[test]
fn an_index_is_any_expression() {
    assert_eq!(returned("a[b ? c : d]"), "a[(b ? c : d)]");
    assert_eq!(returned("a[-1]"), "a[(-1)]");
    assert_eq!(refused("RETURN a[]"), 1501);
    assert_eq!(refused("RETURN a?.b"), 1501);
}
