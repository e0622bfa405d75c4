use super::{refused, returned};

#[test]
fn products_bind_tighter_than_sums_and_sums_than_ranges() {
    assert_eq!(returned("1 + 2 * 3 - 4"), "((1 + (2 * 3)) - 4)");
    assert_eq!(returned("1 + 2 .. 5 * 6"), "((1 + 2) .. (5 * 6))");
    assert_eq!(returned("8 / 4 % 3"), "((8 / 4) % 3)");
}

#[test]
fn ranges_bind_tighter_than_comparisons_and_those_than_membership() {
    assert_eq!(returned("a IN 1..3"), "(a IN (1 .. 3))");
    assert_eq!(returned("a < 1 IN b"), "((a < 1) IN b)");
    assert_eq!(returned("a IN b < c"), "(a IN (b < c))");
}

#[test]
fn membership_binds_tighter_than_equality() {
    assert_eq!(returned("a IN b == c"), "((a IN b) == c)");
    assert_eq!(returned("a == b IN c"), "(a == (b IN c))");
    assert_eq!(returned("a != b NOT IN c"), "(a != (b NOT IN c))");
}

#[test]
fn and_binds_tighter_than_or_and_both_less_than_comparisons() {
    assert_eq!(returned("a OR b AND c == d"), "(a OR (b AND (c == d)))");
    assert_eq!(returned("a && b || c"), "((a AND b) OR c)");
}

#[test]
fn binary_operators_of_one_level_are_left_associative() {
    assert_eq!(returned("a - b - c"), "((a - b) - c)");
    assert_eq!(returned("a == b != c"), "((a == b) != c)");
    assert_eq!(returned("a < b < c"), "((a < b) < c)");
    assert_eq!(returned("1 .. 2 .. 3"), "((1 .. 2) .. 3)");
}

#[test]
fn unary_operators_bind_tighter_than_any_binary_one() {
    assert_eq!(returned("NOT a == b"), "((NOT a) == b)");
    assert_eq!(returned("!a IN b"), "((NOT a) IN b)");
    assert_eq!(returned("-a * -b.c[0]"), "((-a) * (-b.c[0]))");
    assert_eq!(returned("- + !a"), "(-(+(NOT a)))");
    assert_eq!(returned("NOT NOT a"), "(NOT (NOT a))");
}

#[test]
fn the_ternary_operator_is_right_associative_and_binds_least() {
    assert_eq!(returned("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
    assert_eq!(returned("a ? b ? c : d : e"), "(a ? (b ? c : d) : e)");
    assert_eq!(returned("a OR b ? c : d OR e"), "((a OR b) ? c : (d OR e))");
    assert_eq!(returned("a ?: b"), "(a ?: b)");
    assert_eq!(returned("a ? : b"), "(a ?: b)");
}

#[test]
fn like_and_regular_expressions_are_on_the_level_of_equality() {
    assert_eq!(returned("a LIKE b == c"), "((a LIKE b) == c)");
    assert_eq!(returned("a =~ b AND c !~ d"), "((a =~ b) AND (c !~ d))");
    assert_eq!(returned("a LIKE b IN c"), "(a LIKE (b IN c))");
}

#[test]
fn a_not_after_an_operand_negates_the_operator_that_follows() {
    assert_eq!(returned("a NOT IN b"), "(a NOT IN b)");
    assert_eq!(returned("a ! IN b"), "(a NOT IN b)");
    assert_eq!(returned("a NOT LIKE b"), "(a NOT LIKE b)");
    assert_eq!(returned("a NOT =~ b"), "(a !~ b)");
    assert_eq!(returned("a NOT !~ b"), "(a =~ b)");
    assert_eq!(refused("RETURN a NOT b"), 1501);
}

#[test]
fn not_like_takes_its_left_operand_like_in_and_its_right_one_like_equality() {
    assert_eq!(returned("a == b NOT LIKE c"), "(a == (b NOT LIKE c))");
    assert_eq!(returned("a NOT LIKE b == c"), "((a NOT LIKE b) == c)");
    assert_eq!(returned("a NOT LIKE b IN c"), "(a NOT LIKE (b IN c))");
}

#[test]
fn quantifiers_stand_before_any_comparison() {
    for op in ["==", "!=", "<", "<=", ">", ">=", "IN", "NOT IN"] {
        for quantifier in ["ANY", "ALL", "NONE"] {
            assert_eq!(returned(&format!("a {quantifier} {op} b")), format!("(a {quantifier} {op} b)"));
        }
        assert_eq!(returned(&format!("a AT LEAST (1 + 1) {op} b")), format!("(a AT LEAST (1 + 1) {op} b)"));
    }
    assert_eq!(refused("RETURN a ALL b"), 1501);
    assert_eq!(refused("RETURN a ALL LIKE b"), 1501);
    assert_eq!(refused("RETURN a AT LEAST 2 == b"), 1501);
}

#[test]
fn quantified_comparisons_bind_less_than_plain_ones_on_their_left() {
    assert_eq!(returned("a == b ALL == c"), "((a == b) ALL == c)");
    assert_eq!(returned("a ALL == b + c AND d"), "((a ALL == (b + c)) AND d)");
    assert_eq!(returned("a ALL IN b == c"), "((a ALL IN b) == c)");
    assert_eq!(returned("a OR b ANY > c"), "(a OR (b ANY > c))");
}

#[test]
fn parentheses_override_precedence_and_leave_no_trace() {
    assert_eq!(returned("(1 + 2) * ((3))"), "((1 + 2) * 3)");
}

#[test]
fn operators_need_their_operands() {
    for text in
        ["RETURN * 5", "RETURN 5 ** 2", "RETURN 1 +", "RETURN 1 = 1", "RETURN 1 === 1", "RETURN a ? b", "RETURN NOT"]
    {
        assert_eq!(refused(text), 1501, "{text}");
    }
}
