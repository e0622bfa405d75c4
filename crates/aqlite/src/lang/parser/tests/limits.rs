use super::{parse, refused};
use crate::error::code::{QUERY_PARSE, QUERY_TOO_MUCH_NESTING};

const MANY: usize = 100_000;

#[test]
fn trees_of_500_levels_are_accepted_and_deeper_ones_are_not() {
    assert!(parse(&format!("RETURN 1{}", " + 1".repeat(499))).is_ok());
    assert_eq!(refused(&format!("RETURN 1{}", " + 1".repeat(500))), QUERY_TOO_MUCH_NESTING);
    assert!(parse(&format!("RETURN {}{}", "[".repeat(500), "]".repeat(500))).is_ok());
    assert_eq!(refused(&format!("RETURN {}{}", "[".repeat(501), "]".repeat(501))), QUERY_TOO_MUCH_NESTING);
}

#[test]
fn long_chains_to_the_left_are_refused() {
    for (head, link) in [
        ("1", "+1"),
        ("a", ".b"),
        ("a", "[0]"),
        ("a", "[*]"),
        ("a", "[**]"),
        ("a", "[?]"),
        ("a", " OR b"),
        ("a", " ALL == b"),
        ("1", "..2"),
    ] {
        assert_eq!(refused(&format!("RETURN {head}{}", link.repeat(MANY))), QUERY_TOO_MUCH_NESTING, "{link}");
    }
}

#[test]
fn deep_nests_are_refused() {
    for open in [
        "(",
        "[",
        "{a:",
        "{[",
        "F(",
        "a[",
        "a[* FILTER ",
        "a[? FILTER ",
        "NOT ",
        "- ",
        "1 ? ",
        "1 ? 2 : ",
        "1 ?: ",
        "(RETURN ",
        "F(RETURN ",
        "(FOR x IN ",
    ] {
        assert_eq!(refused(&format!("RETURN {}", open.repeat(MANY))), QUERY_TOO_MUCH_NESTING, "{open}");
    }
}

#[test]
fn depth_adds_up_over_parentheses_subqueries_and_chains() {
    let chain = "+1".repeat(400);
    assert_eq!(refused(&format!("RETURN (1{chain}){chain}")), QUERY_TOO_MUCH_NESTING);
    assert_eq!(refused(&format!("RETURN (RETURN 1{chain})[0]{chain}")), QUERY_TOO_MUCH_NESTING);
    assert_eq!(refused(&format!("RETURN LENGTH(LET x = 1{chain} RETURN x){chain}")), QUERY_TOO_MUCH_NESTING);
    assert!(parse(&format!("LET x = 1{chain} LET y = 1{chain} RETURN (RETURN x){chain}")).is_ok());
}

#[test]
fn unclosed_brackets_are_refused_without_nesting() {
    assert_eq!(refused("RETURN [[["), QUERY_PARSE);
}

#[test]
fn wide_queries_are_no_deep_ones() {
    assert!(parse(&format!("RETURN [1{}]", ", 1".repeat(MANY))).is_ok());
    let many = |clause: &str| (0..MANY).map(|i| clause.replace('#', &i.to_string())).collect::<String>();
    assert!(parse(&format!("{}RETURN 1", many("LET x# = 1 "))).is_ok());
    assert!(parse(&format!("{}RETURN 1", many("FOR x# IN y "))).is_ok());
    assert!(parse(&format!("RETURN CONCAT(a{})", ", b".repeat(MANY))).is_ok());
}
