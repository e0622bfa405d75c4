//! Indexes over several numbers: what they find is what the conditions alone find, and they look at little else.

use crate::common::{World, json, plain};
use aqlite::catalog::IndexDefinition;
use aqlite::error::code;
use aqlite::exec::QueryOptions;
use proptest::prelude::*;

const PLANE: &str = r#"{"type":"mdi","name":"plane","fields":["x","y"],"fieldValueTypes":"double"}"#;

/// The index of the first loop, if it has one, and what it is asked.
fn used(world: &World, query: &str) -> (String, String) {
    let nodes = world.plan(query).get("nodes");
    let node = nodes.iter_array().find(|node| node.get("type").as_str() == Some("IndexNode")).unwrap_or_default();
    (node.get("indexes").at(0).get("name").to_text().to_string(), node.get("condition").to_json())
}

#[test]
fn the_cost_of_a_box_is_that_of_its_answer() {
    let world = World::indexed(&[
        PLANE,
        r#"{"type":"zkd","name":"space","fields":["x","y","z"],"fieldValueTypes":"double"}"#,
        r#"{"type":"mdi-prefixed","name":"by_kind","prefixFields":["kind"],"fields":["x","z"],"fieldValueTypes":"double"}"#,
    ]);
    world.rows(
        "FOR x IN 0..99 FOR y IN 0..99 INSERT { x, y, z: (x * 7 + y * 3) % 100, kind: x % 2 ? 'odd' : 'even' } INTO c",
    );
    for (condition, index, hits, most) in [
        ("d.x >= 20 AND d.x < 25 AND d.y > 30 AND d.y <= 35", "plane", 25, 200),
        ("d.x == 20 AND d.y >= 90", "plane", 10, 100),
        ("d.x == 20 AND d.y == 90", "plane", 1, 10),
        ("20 < d.x AND d.x < 22 AND d.y >= 5.5 AND 6.5 >= d.y", "plane", 1, 20),
        ("d.x > 97", "plane", 200, 500),
        ("d.x > 10 AND d.x < 20 AND d.y > 10 AND d.y < 20 AND d.z < 20", "space", 5, 300),
        ("d.kind == 'odd' AND d.x >= 50 AND d.x < 60 AND d.z > 40 AND d.z < 51", "by_kind", 50, 400),
        ("d.kind IN ['odd', 'none'] AND d.x == 51 AND d.z > 40 AND d.z < 51", "by_kind", 10, 100),
    ] {
        let query = format!("FOR d IN c FILTER {condition} SORT d.x, d.y RETURN [d.x, d.y]");
        assert_eq!(used(&world, &query).0, index, "{query}");
        let (rows, stats) = world.measured(&query, &QueryOptions::default());
        assert_eq!(rows, world.measured(&query, &plain()).0, "{query}");
        assert_eq!(rows.matches("],[").count() + 1, hits, "{query}: {rows}");
        assert_eq!(stats.scanned_full, 0, "{query}");
        assert!(stats.scanned_index <= most, "{query}: {}", stats.scanned_index);
    }
    world.store.verify().expect("fits");
}

#[test]
fn explain_shows_the_bounds() {
    let world = World::indexed(&[PLANE]);
    let query = "FOR d IN c FILTER d.x > 1 AND d.y <= 5 RETURN d";
    let (index, condition) = used(&world, query);
    assert_eq!(index, "plane");
    assert!(condition.contains(r#""compare >""#) && condition.contains(r#""compare <=""#), "{condition}");
    assert_eq!(world.nodes(query), ["IndexNode"]);
    assert_eq!(used(&world, "FOR d IN c FILTER d.z > 1 RETURN d").0, "");
    assert_eq!(used(&world, "FOR d IN c SORT d.x LIMIT 1 RETURN d").0, "", "it has no order");
}

#[test]
fn what_is_no_number_is_refused_unless_the_index_is_sparse_and_it_is_null() {
    let world = World::indexed(&[PLANE]);
    for document in ["{ x: 1 }", "{ x: 1, y: null }", "{ x: 1, y: '2' }", "{ x: 1, y: [2] }"] {
        let insert = format!("INSERT {document} INTO c");
        assert_eq!(world.error(&insert), code::QUERY_INVALID_ARITHMETIC_VALUE, "{document}");
    }
    assert_eq!(world.rows("INSERT { x: 1, y: 2 } INTO c RETURN 1"), "[1]");
    assert_eq!(world.error("FOR d IN c UPDATE d WITH { y: 'x' } IN c"), code::QUERY_INVALID_ARITHMETIC_VALUE);
    let definition = r#"{"type":"mdi","fields":["nothing"],"fieldValueTypes":"double"}"#;
    let definition = IndexDefinition::from_value(&json(definition)).expect("a definition");
    let error = world.store.create_index("_system", "c", definition).expect_err("there is no number");
    assert_eq!(error.num, code::QUERY_INVALID_ARITHMETIC_VALUE);
    world.store.verify().expect("fits");
}

#[test]
fn a_sparse_index_answers_only_what_no_document_it_lacks_could_answer() {
    let world = World::indexed(&[
        r#"{"type":"mdi","name":"plane","fields":["x","y"],"fieldValueTypes":"double","sparse":true}"#,
    ]);
    world.rows("FOR v IN [[1, 1], [1, null], [null, 1], [2, 5], [-3, 0]] INSERT { x: v[0], y: v[1] } INTO c");
    assert_eq!(world.error("INSERT { x: 1, y: 'x' } INTO c"), code::QUERY_INVALID_ARITHMETIC_VALUE);
    for (condition, index) in [
        ("d.x >= 1 AND d.y >= 0", "plane"),
        ("d.x >= -5 AND d.x < 5 AND d.y == 0", "plane"),
        ("d.x > null AND d.y > null", "plane"),
        ("d.x < 5 AND d.y < 5", ""),
        ("d.x >= 1", ""),
        ("d.x == null AND d.y >= 0", ""),
    ] {
        let query = format!("FOR d IN c FILTER {condition} SORT d.x, d.y RETURN [d.x, d.y]");
        assert_eq!(used(&world, &query).0, index, "{query}");
        assert_eq!(world.measured(&query, &QueryOptions::default()).0, world.measured(&query, &plain()).0, "{query}");
    }
    world.store.verify().expect("fits");
}

#[test]
fn a_unique_index_has_every_point_once() {
    let world = World::indexed(&[r#"{"type":"mdi","fields":["x","y"],"fieldValueTypes":"double","unique":true}"#]);
    world.rows("FOR n IN 1..5 INSERT { _key: TO_STRING(n), x: n, y: 7 } INTO c");
    assert_eq!(world.error("INSERT { x: 3.0, y: 7 } INTO c"), code::UNIQUE_CONSTRAINT_VIOLATED);
    assert_eq!(world.rows("FOR d IN c FILTER d.x == 3 AND d.y == 7 RETURN d._key"), r#"["3"]"#);
    assert_eq!(world.rows("FOR d IN c FILTER d.x > 3 AND d.y > 3 SORT d.x RETURN d.x"), "[4,5]");
    world.store.verify().expect("fits");
}

#[test]
fn stored_values_are_read_in_the_entries() {
    let world =
        World::indexed(&[r#"{"type":"mdi","fields":["x","y"],"fieldValueTypes":"double","storedValues":["name"]}"#]);
    world.rows("FOR n IN 1..50 INSERT { x: n, y: -n, name: CONCAT('n', n), other: 1 } INTO c");
    let (rows, stats) =
        world.measured("FOR d IN c FILTER d.x > 20 AND d.y > -23 RETURN [d.name, d.x]", &QueryOptions::default());
    assert_eq!(rows, r#"[["n21",21],["n22",22]]"#);
    assert_eq!(stats.documents, 0);
    let (_, stats) =
        world.measured("FOR d IN c FILTER d.x > 20 AND d.y > -23 RETURN d.other", &QueryOptions::default());
    assert_eq!(stats.documents, 2);
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (-4i32..5).prop_map(|n| n.to_string()),
        1 => (-40i32..50).prop_map(|n| format!("{}", f64::from(n) / 8.0)),
        1 => prop_oneof![Just("9007199254740993"), Just("-9007199254740993"), Just("1e300"), Just("-1e-300"), Just("-0.0")]
            .prop_map(String::from),
    ]
}

fn bound() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => number(),
        1 => prop_oneof![Just("null"), Just("true"), Just("'x'"), Just("[]")].prop_map(String::from),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    let attribute = prop_oneof![Just("x"), Just("y"), Just("z"), Just("k")];
    let op = prop_oneof![Just("<"), Just("<="), Just(">"), Just(">="), Just("=="), Just("!=")];
    (attribute, op, bound(), any::<bool>())
        .prop_map(|(a, op, v, turned)| if turned { format!("{v} {op} d.{a}") } else { format!("d.{a} {op} {v}") })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn an_index_finds_what_the_condition_alone_finds(
        points in prop::collection::vec((number(), number(), number(), number()), 0..60),
        conditions in prop::collection::vec(prop::collection::vec(condition(), 1..5), 20),
        index in 0..5usize,
    ) {
        let world = World::indexed(&[[
            PLANE,
            r#"{"type":"mdi","fields":["z","x","y"],"fieldValueTypes":"double"}"#,
            r#"{"type":"mdi","fields":["y"],"fieldValueTypes":"double","sparse":true}"#,
            r#"{"type":"mdi-prefixed","prefixFields":["k"],"fields":["x","y"],"fieldValueTypes":"double"}"#,
            r#"{"type":"zkd","fields":["x","y"],"fieldValueTypes":"double","storedValues":["z","k","_key"]}"#,
        ][index]]);
        for (i, (x, y, z, k)) in points.iter().enumerate() {
            world.rows(&format!("INSERT {{ _key: '{i}', x: {x}, y: {y}, z: {z}, k: {k} }} INTO c"));
        }
        world.store.verify().expect("fits");
        for conditions in conditions {
            let query = format!("FOR d IN c FILTER {} SORT d._key RETURN [d._key, d.x, d.z]", conditions.join(" AND "));
            let found = world.measured(&query, &QueryOptions::default()).0;
            prop_assert_eq!(found, world.measured(&query, &plain()).0, "{}", query);
        }
    }
}
