//! Values are nested as deep as ArangoDB takes them ("slightly below 200"), however they come about, and no deeper.

use aqlite::catalog::CollectionKind;
use aqlite::error::code;
use aqlite::exec::{QueryOptions, RunContext};
use aqlite::value::{MAX_DEPTH, Value};

use crate::common::World;

/// A collection with a document `c/k` that was nested by itself until that was refused.
fn world() -> World {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.rows("INSERT { _key: 'k', a: 1 } INTO c");
    let error = (0..2 * MAX_DEPTH)
        .find_map(|_| world.run("UPDATE 'k' WITH { a: [DOCUMENT('c/k').a] } IN c").err())
        .expect("it is refused at last");
    assert_eq!((error.num, error.http_status()), (code::BAD_PARAMETER, 400));
    world
}

#[test]
fn a_document_that_is_nested_by_itself_stays_within_the_limit() {
    let world = world();
    let text = world.text("FOR d IN c RETURN d.a").expect("it is read");
    assert_eq!(text.matches('[').count(), MAX_DEPTH, "the result and all levels but that of the document");
    // also where it is merged
    for _ in 0..2 {
        let error = world.run("UPDATE 'k' WITH { a: { b: DOCUMENT('c/k').a } } IN c OPTIONS { mergeObjects: true }");
        assert!(error.is_ok() || error.is_err_and(|e| e.num == code::BAD_PARAMETER));
    }
    world.store.verify().expect("whole");
}

#[test]
fn what_is_nested_up_to_the_limit_can_be_compared_sorted_indexed_merged_and_written() {
    let world = world();
    world.rows("INSERT { _key: 'l', a: DOCUMENT('c/k').a } INTO c");
    for _ in 0..2 {
        for (query, expected) in [
            ("FOR d IN c SORT d.a, d._key RETURN d._key", r#"["k","l"]"#),
            ("FOR d IN c COLLECT a = d.a WITH COUNT INTO n RETURN n", "[2]"),
            ("FOR d IN c FOR e IN c FILTER e.a == d.a RETURN 1", "[1,1,1,1]"),
            ("FOR d IN c FILTER d.a == DOCUMENT('c/k').a SORT d._key RETURN d._key", r#"["k","l"]"#),
            ("FOR d IN c RETURN DISTINCT LENGTH(JSON_STRINGIFY(d.a))", "[395]"),
            ("FOR d IN c RETURN DISTINCT d.a < [[d.a]]", "[true]"),
            ("FOR d IN c RETURN DISTINCT HASH(d.a) == HASH(DOCUMENT('c/l').a)", "[true]"),
            ("FOR d IN c RETURN DISTINCT FLATTEN(d.a, 1000)", "[[1]]"),
            ("FOR d IN c RETURN DISTINCT LENGTH(UNIQUE([d.a, d.a, DOCUMENT('c/l').a]))", "[1]"),
            ("FOR d IN c RETURN DISTINCT MERGE_RECURSIVE({ x: { a: d.a } }, { x: { a: d.a } }).x.a == d.a", "[true]"),
            ("FOR d IN c RETURN DISTINCT UNSET_RECURSIVE(d, '_key').a == d.a", "[true]"),
            ("FOR d IN c RETURN DISTINCT JSON_PARSE(JSON_STRINGIFY(d.a)) == d.a", "[true]"),
        ] {
            assert_eq!(world.rows(query), expected, "{query}");
        }
        world.index("c", r#"{"type":"persistent","fields":["a"]}"#);
        world.inverted("c", r#"{"type":"inverted","fields":[{"name":"a","includeAllFields":true}]}"#);
    }
    world.rows("FOR d IN c REMOVE d IN c");
    world.store.verify().expect("whole");
}

#[test]
fn a_result_is_within_the_limit_with_what_is_stored_in_it() {
    let world = world();
    assert_eq!(world.rows("FOR d IN c RETURN LENGTH([[d.a]])"), "[1]");
    for query in ["FOR d IN c RETURN [[d.a]]", "FOR d IN c LET x = [[d.a]] RETURN x", "FOR d IN c RETURN [{ x: d.a }]"]
    {
        assert_eq!(world.error(query), code::BAD_PARAMETER, "{query}");
        assert_eq!(world.text(query).map_err(|e| e.num), Err(code::BAD_PARAMETER), "{query}");
    }
}

#[test]
fn a_query_that_nests_one_variable_in_the_other_ends_at_the_limit() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    let nested = |levels: usize, first: &str, wrap: fn(usize) -> String| {
        let lets: Vec<String> = (1..levels).map(|n| format!("LET v{n} = {}", wrap(n - 1))).collect();
        let lets = lets.join(" ");
        format!("FOR x IN 1..1 LET v0 = {first} {lets} RETURN v{}", levels - 1)
    };
    for wrap in [
        |n| format!("[v{n}]"),
        |n| format!("{{ a: v{n} }}"),
        |n| format!("(RETURN v{n})"),
        |n| format!("PUSH([], v{n})"),
        |n| format!("ZIP(['a'], [v{n}])"),
    ] {
        for first in ["[x]", "[1]"] {
            let text = world.text(&nested(MAX_DEPTH, first, wrap)).expect("within the limit");
            assert_eq!(text.matches(['[', '{']).count(), MAX_DEPTH + 1);
            for levels in [MAX_DEPTH + 1, 700] {
                assert_eq!(world.error(&nested(levels, first, wrap)), code::BAD_PARAMETER, "{}", wrap(0));
            }
        }
    }
    let groups: Vec<String> = (0..MAX_DEPTH).map(|n| format!("COLLECT k{n} = 1 INTO g{n}")).collect();
    let groups = groups.join(" ");
    assert_eq!(world.error(&format!("FOR x IN 1..2 {groups} RETURN g{}", MAX_DEPTH - 1)), code::BAD_PARAMETER);
}

#[test]
fn parameters_and_json_in_a_query_are_as_deep_as_values_may_be() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    let text = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let parameters = aqlite::value::parse_json(&format!("{{\"v\":{}}}", text(MAX_DEPTH - 1))).expect("JSON");
    let run = |query: &str| world.run_with(query, &parameters, &QueryOptions::default(), RunContext::default());
    let outcome = run("RETURN @v").expect("runs");
    assert_eq!(Value::array(outcome.rows).to_json(), text(MAX_DEPTH));
    assert!(run("INSERT { v: @v } INTO c").is_ok());
    assert_eq!(run("INSERT { v: [@v] } INTO c").map(|_| ()).map_err(|e| e.num), Err(code::BAD_PARAMETER));
    assert_eq!(world.rows(&format!("RETURN LENGTH(JSON_PARSE('{}'))", text(MAX_DEPTH))), "[1]");
    let (rows, warnings) = world.warnings(&format!("RETURN JSON_PARSE('{}')", text(MAX_DEPTH + 1)));
    assert_eq!((rows.as_str(), warnings.len()), ("[null]", 1));
}
