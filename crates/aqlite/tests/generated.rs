//! Generated queries over random data: what the planner makes of a query must give what the plain evaluation gives.

mod common;

use aqlite::catalog::CollectionKind;
use aqlite::exec::{QueryOptions, RunContext};
use aqlite::value::Value;
use common::World;
use proptest::prelude::*;

/// A scalar as AQL writes it.
fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        (-3i64..8).prop_map(|n| n.to_string()),
        prop_oneof![Just("'a'"), Just("'B'"), Just("'b'"), Just("''"), Just("null"), Just("true"), Just("2.5")]
            .prop_map(String::from),
    ]
}

/// A document of the random collection.
fn document() -> impl Strategy<Value = String> {
    (scalar(), scalar(), scalar(), prop::collection::vec(scalar(), 0..3))
        .prop_map(|(a, b, c, tags)| format!("{{ a: {a}, b: {b}, o: {{ c: {c} }}, tags: [{}] }}", tags.join(", ")))
}

fn attribute() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("a"), Just("b"), Just("o.c"), Just("_key"), Just("missing")]
}

/// A condition on the variable.
fn condition(var: &'static str) -> impl Strategy<Value = String> {
    let compare =
        (attribute(), prop_oneof![Just("=="), Just("!="), Just("<"), Just("<="), Just(">"), Just(">=")], scalar());
    let leaf = prop_oneof![
        4 => compare.prop_map(move |(a, op, v)| format!("{var}.{a} {op} {v}")),
        2 => (attribute(), prop::collection::vec(scalar(), 0..4)).prop_map(move |(a, v)| format!("{var}.{a} IN [{}]", v.join(", "))),
        1 => scalar().prop_map(move |v| format!("{v} IN {var}.tags")),
        1 => (scalar(), attribute()).prop_map(move |(v, a)| format!("{v} < {var}.{a}")),
        1 => scalar().prop_map(move |v| format!("{var}.tags[*] ANY == {v}")),
        1 => (attribute(), scalar()).prop_map(move |(a, v)| format!("LENGTH(FOR y IN c FILTER y.{a} == {v} AND y.b == {var}.b RETURN 1) > 0")),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} AND {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} OR {b})")),
            inner.prop_map(|a| format!("NOT ({a})")),
        ]
    })
}

/// A query whose result has a determined order.
fn query() -> impl Strategy<Value = String> {
    let filters = prop::collection::vec(condition("d"), 0..3);
    let sort = prop::collection::vec((attribute(), prop_oneof![Just("ASC"), Just("DESC")]), 0..3);
    let limit = prop::option::of((0usize..4, 0usize..12));
    let join = prop::option::of(attribute());
    let shape = prop_oneof![
        3 => Just("RETURN [d._key, d.a]"),
        1 => Just("COLLECT g = d.a WITH COUNT INTO n RETURN [g, n]"),
        1 => Just("COLLECT g = d.b AGGREGATE m = MAX(d.a), s = LENGTH(1) RETURN [g, m, s]"),
        1 => Just("COLLECT WITH COUNT INTO n RETURN n"),
        1 => Just("RETURN { k: d._key, same: (FOR x IN c FILTER x.a == d.a SORT x._key RETURN x._key) }"),
    ];
    (filters, sort, limit, join, shape).prop_map(|(filters, sort, limit, join, shape)| {
        let mut q = String::from("FOR d IN c");
        for f in &filters {
            q = format!("{q} FILTER {f}");
        }
        if let Some(a) = join {
            q = format!("{q} LET v = d.{a} FOR e IN c FILTER e.{a} == v AND e._key <= d._key");
        }
        let mut keys: Vec<String> = sort.iter().map(|(a, dir)| format!("d.{a} {dir}")).collect();
        keys.push(String::from("d._key"));
        if join.is_some() {
            keys.push(String::from("e._key"));
        }
        let limit = limit.map_or_else(String::new, |(offset, count)| format!(" LIMIT {offset}, {count}"));
        format!("{q} SORT {}{limit} {shape}", keys.join(", "))
    })
}

fn world(documents: &[String]) -> World {
    let world = World::new(&[("c", CollectionKind::Document)]);
    for index in [
        r#"{"type":"persistent","fields":["a"]}"#,
        r#"{"type":"persistent","fields":["b","a"]}"#,
        r#"{"type":"persistent","fields":["o.c"],"sparse":true}"#,
        r#"{"type":"persistent","fields":["tags[*]"]}"#,
    ] {
        world.index("c", index);
    }
    for (i, document) in documents.iter().enumerate() {
        world.rows(&format!("INSERT MERGE({document}, {{ _key: 'k{i}' }}) INTO c"));
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_planned_query_gives_what_the_plain_one_gives(
        documents in prop::collection::vec(document(), 0..14),
        queries in prop::collection::vec(query(), 12),
    ) {
        let world = world(&documents);
        let plain = QueryOptions { rules: vec!["-all".into()], ..QueryOptions::default() };
        for query in queries {
            let run = |options: &QueryOptions| {
                let outcome = world.run_with(&query, &Value::Null, options, RunContext::default());
                outcome.map(|o| Value::array(o.rows).to_json())
            };
            prop_assert_eq!(run(&QueryOptions::default()), run(&plain), "{}", query);
        }
    }
}
