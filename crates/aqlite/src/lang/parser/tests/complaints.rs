use super::complaint;

#[test]
fn a_complaint_names_what_stands_there_and_what_should() {
    for (text, expected) in [
        (
            "RETURN 1 2",
            "syntax error, unexpected integer number, expecting end of query string near '2' at position 1:10",
        ),
        (
            "FOR i 1..3 RETURN i",
            "syntax error, unexpected integer number, expecting IN keyword near '1..3 RETURN i' at position 1:7",
        ),
        (
            "LET x RETURN x",
            "syntax error, unexpected RETURN declaration, expecting assignment near 'RETURN x' at position 1:7",
        ),
        ("RETURN [1,,2]", "syntax error, unexpected \",\", expecting ] near ',2]' at position 1:11"),
        (
            "RETURN a.for",
            "syntax error, unexpected FOR declaration, expecting identifier or bind parameter or bind data source parameter near 'for' at position 1:10",
        ),
        ("RETURN 1.", "syntax error, unexpected '.', expecting end of query string near '.' at position 1:9"),
        ("RETURN #", "syntax error, unexpected invalid token near '#' at position 1:8"),
        ("RETURN (1 2)", "syntax error, unexpected integer number near '2)' at position 1:11"),
    ] {
        assert_eq!(complaint(text), expected, "{text}");
    }
}

#[test]
fn the_end_is_reported_at_the_last_piece_of_text() {
    assert_eq!(complaint("RETURN"), "syntax error, unexpected end of query string near 'RETURN' at position 1:1");
    assert_eq!(complaint("   "), "syntax error, unexpected end of query string near '   ' at position 1:1");
    assert_eq!(complaint("RETURN 1 +"), "syntax error, unexpected end of query string near '+' at position 1:10");
}

#[test]
fn quoted_text_is_reported_at_its_closing_quote() {
    assert_eq!(
        complaint("RETURN \"a\" \"b\""),
        "syntax error, unexpected quoted string, expecting end of query string near '\"' at position 1:14"
    );
}

#[test]
fn unterminated_text_is_named() {
    assert_eq!(complaint("RETURN \"abc"), "unexpected unterminated string literal near 'c' at position 1:11");
    assert_eq!(complaint("RETURN `abc"), "unexpected unterminated identifier near 'c' at position 1:11");
    assert_eq!(complaint("RETURN /* abc"), "unexpected unterminated multi-line comment near ' abc' at position 1:10");
    assert_eq!(complaint("RETURN 1 'x"), "unexpected unterminated string literal near 'x' at position 1:11");
}

#[test]
fn an_earlier_mistake_comes_before_unterminated_text() {
    assert!(complaint("RETURN 1 2 'x").contains("unexpected integer number"));
}

#[test]
fn places_are_lines_and_columns() {
    assert_eq!(
        complaint("FOR d IN c\n  FILTER\n  RETURN d"),
        "syntax error, unexpected RETURN declaration near 'RETURN d' at position 3:3"
    );
}

#[test]
fn long_rests_are_cut_between_characters() {
    let complaint = complaint("RETURN )ää ää ää ää ää ää ää ää ää");
    assert!(complaint.contains("near ')ää ää ää ää ää ää ...' at position 1:8"), "{complaint}");
}
