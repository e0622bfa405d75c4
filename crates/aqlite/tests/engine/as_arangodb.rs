//! Small things that ArangoDB does in a way one would not expect.

use aqlite::catalog::CollectionKind;
use aqlite::error::code;
use aqlite::exec::{QueryOptions, RunContext};

use crate::common::{World, json, plain};

fn world() -> World {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.rows("FOR k IN ['a', 'b', 'b1'] INSERT { _key: k, list: [1, 2, 3], '-2': 'name' } INTO c");
    world
}

#[test]
fn a_text_that_begins_with_a_digit_is_a_position_and_any_other_one_a_name() {
    let world = world();
    assert_eq!(
        world.rows("LET data = [1, 2, 3] RETURN [data['1'], data['-2'], data[-2], data['x']]"),
        "[[2,null,2,null]]"
    );
    assert_eq!(world.rows("FOR d IN c LIMIT 1 RETURN [d.list['2'], d.list['-2'], d['-2']]"), r#"[[3,null,"name"]]"#);
    assert_eq!(world.rows("FOR t IN ['1', '-2'] RETURN [1, 2, 3][t]"), "[2,2]");
}

#[test]
fn tokens_of_an_empty_array_are_an_array_of_none() {
    let world = world();
    assert_eq!(world.rows("RETURN [TOKENS([]), TOKENS([[]]), TOKENS(['a', []])]"), r#"[[[[]],[[[]]],[["a"],[[]]]]]"#);
}

#[test]
fn functions_that_search_a_collection_want_its_name() {
    let world = world();
    for call in
        ["WITHIN(1234, 1, 2, 3)", "NEAR([], 1, 2)", "WITHIN_RECTANGLE(null, 1, 2, 3, 4)", "FULLTEXT(1, 'a', 'b')"]
    {
        assert_eq!(world.error(&format!("RETURN {call}")), code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH, "{call}");
    }
    assert_eq!(world.error("RETURN WITHIN('nowhere', 1, 2, 3)"), code::DATA_SOURCE_NOT_FOUND);
}

#[test]
fn a_missing_collection_is_told_after_what_is_wrong_with_the_text_and_the_parameters() {
    let world = world();
    let error = |query: &str, parameters: &str| {
        let outcome = world.run_with(query, &json(parameters), &QueryOptions::default(), RunContext::default());
        outcome.map(|_| ()).expect_err(query).num
    };
    for (query, parameters, num) in [
        ("FOR d IN nowhere RETURN d.@a", r#"{"a":1}"#, code::QUERY_BIND_PARAMETER_TYPE),
        ("FOR d IN @@none FOR e IN @@c RETURN 1", r#"{"@none":"nowhere","@c":1}"#, code::QUERY_BIND_PARAMETER_TYPE),
        ("FOR d IN nowhere COLLECT AGGREGATE n = CONCAT(d.a) RETURN n", "{}", code::QUERY_INVALID_AGGREGATE_EXPRESSION),
        ("FOR d IN nowhere RETURN { x }", "{}", code::QUERY_VARIABLE_NAME_UNKNOWN),
        ("FOR d IN nowhere RETURN NOSUCH(d)", "{}", code::QUERY_FUNCTION_NAME_UNKNOWN),
        // what is found out later is not looked for
        ("FOR d IN nowhere LIMIT 'a' RETURN d", "{}", code::DATA_SOURCE_NOT_FOUND),
        ("FOR d IN nowhere INSERT d INTO c INSERT d INTO c", "{}", code::DATA_SOURCE_NOT_FOUND),
        ("WITH nowhere FOR d IN c RETURN 1 / 0", "{}", code::DATA_SOURCE_NOT_FOUND),
        ("FOR d IN @@none RETURN d", r#"{"@none":"nowhere"}"#, code::DATA_SOURCE_NOT_FOUND),
        ("INSERT {} INTO nowhere", "{}", code::DATA_SOURCE_NOT_FOUND),
        ("RETURN nowhere", "{}", code::DATA_SOURCE_NOT_FOUND),
        ("FOR d IN nowhere FOR v IN ANY d._id GRAPH 'none' RETURN v", "{}", code::DATA_SOURCE_NOT_FOUND),
    ] {
        assert_eq!(error(query, parameters), num, "{query}");
    }
}

#[test]
fn ids_are_compared_with_texts_of_any_bytes_as_without_an_index() {
    let world = world();
    let texts =
        ["c/b", "c/b\\u0000", "c\\u0000/b", "c/\\u0000b", "c/b\\u00001", "\\u0000c/b", "c/", "c", "", "c/b1\\u0000"];
    for text in texts {
        let conditions = ["==", "!=", "<", "<=", ">", ">="].map(|op| format!("d._id {op} \"{text}\""));
        let key = text.trim_start_matches("c/");
        let more =
            [format!("d._id IN [\"{text}\", 'c/a']"), format!("d._key == \"{key}\""), format!("d._key != \"{key}\"")];
        for condition in conditions.iter().chain(&more) {
            let query = format!("FOR d IN c FILTER {condition} SORT d.list, d._key RETURN d._key");
            assert_eq!(world.rows(&query), world.measured(&query, &plain()).0, "{query}");
        }
        let query = format!("FOR d IN c FILTER d._id == \"{text}\" RETURN d._key");
        assert_eq!(world.rows(&query), if text == "c/b" { r#"["b"]"# } else { "[]" }, "{query}");
    }
}
