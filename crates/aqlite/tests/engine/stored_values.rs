//! Attributes that are kept in an index: what is read of them is not read in the documents.

use crate::common::{World, json, plain};
use aqlite::catalog::{CollectionKind, IndexDefinition};
use aqlite::exec::{Prepared, QueryOptions, RunContext};
use aqlite::txn::TxnOptions;
use aqlite::value::Value;

fn world(definition: &str) -> World {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.index("c", definition);
    world.rows(
        "FOR i IN 1..20 INSERT { _key: CONCAT('k', i), a: i % 4, b: i, o: { x: i, y: [i] }, text: REPEAT('long', 99) } INTO c",
    );
    world
}

const BY_A: &str = r#"{"type":"persistent","fields":["a"],"storedValues":["b","o.x","_key"]}"#;

/// Do the indexes of the first loop hold all that is read?
fn covers(world: &World, query: &str) -> bool {
    let nodes = world.plan(query).get("nodes");
    let node = nodes.iter_array().find(|node| node.get("type").as_str() == Some("IndexNode")).expect("uses an index");
    node.get("indexCoversProjections").truthy()
}

/// The rows, and how many documents were read for them.
fn rows(world: &World, query: &str) -> (String, u64) {
    let outcome = world.run(query).unwrap_or_else(|e| panic!("{query}: {e}"));
    assert_eq!(outcome.stats.scanned_full, 0, "{query}");
    (Value::array(outcome.rows).to_json(), outcome.stats.documents)
}

#[test]
fn a_query_that_is_covered_by_fields_and_stored_values_reads_no_document() {
    let world = world(BY_A);
    for (query, expected) in [
        ("FOR d IN c FILTER d.a == 1 AND d.b > 9 SORT d.b RETURN [d.a, d.b, d.o.x]", "[[1,13,13],[1,17,17]]"),
        ("FOR d IN c FILTER d.a == 1 COLLECT AGGREGATE n = SUM(d.b) RETURN n", "[45]"),
        ("FOR d IN c FILTER d.a IN [2, 3] AND d._key < 'k13' SORT d.b RETURN d._key", r#"["k10","k11"]"#),
        ("FOR d IN c FILTER d.a == 0 AND d.o.x == 8 RETURN d.b", "[8]"),
        ("FOR d IN c SORT d.a DESC LIMIT 1 RETURN d.a", "[3]"),
    ] {
        assert!(covers(&world, query), "{query}");
        assert_eq!(rows(&world, query), (expected.to_owned(), 0), "{query}");
    }
}

#[test]
fn a_query_that_reads_anything_else_reads_documents() {
    let world = world(BY_A);
    for query in [
        "FOR d IN c FILTER d.a == 1 RETURN d",
        "FOR d IN c FILTER d.a == 1 RETURN d.o.y",
        "FOR d IN c FILTER d.a == 1 RETURN d.o",
        "FOR d IN c FILTER d.a == 1 RETURN [d.b, d._id]",
        "FOR d IN c FILTER d.a == 1 AND d.text != 'short' RETURN d.b",
    ] {
        assert!(!covers(&world, query), "{query}");
        assert_eq!(rows(&world, query).1, 5, "{query}");
    }
    let one = "FOR d IN c FILTER d.a == 1 SORT d.b LIMIT 1 RETURN";
    assert_eq!(rows(&world, &format!("{one} d.o.y")).0, "[[1]]");
    assert_eq!(rows(&world, &format!("{one} [d.b, d._id]")).0, r#"[[1,"c/k1"]]"#);
}

#[test]
fn the_fields_of_an_index_that_keeps_no_values_are_read_in_its_keys() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.index("c", r#"{"type":"persistent","fields":["a","o.x"]}"#);
    world.index("c", r#"{"type":"persistent","fields":["b"]}"#);
    world.rows("FOR i IN 1..2000 INSERT { a: i % 2, b: i, o: { x: i } } INTO c");
    for (query, expected) in [
        ("FOR d IN c FILTER d.a == 1 AND d.o.x > 9 AND d.o.x < 14 RETURN [d.a, d.o.x]", "[[1,11],[1,13]]"),
        ("FOR d IN c FILTER d.a == 1 AND d.o.x != 5 LIMIT 3 RETURN d.o.x", "[1,3,7]"),
        ("FOR d IN c FILTER d.a == 1 AND d.o.x % 5 == 1 LIMIT 2 RETURN [d.o.x, d.a.b]", "[[1,null],[11,null]]"),
        ("FOR d IN c FILTER d.a == 0 COLLECT AGGREGATE n = SUM(d.o.x) RETURN n", "[1001000]"),
        ("FOR d IN c SORT d.a DESC LIMIT 1 RETURN d.a", "[1]"),
        (
            "FOR i IN 0..1 FOR d IN c FILTER d.a == i AND d.o.x < 5 SORT d.o.x RETURN [i, d.o.x]",
            "[[1,1],[0,2],[1,3],[0,4]]",
        ),
    ] {
        assert!(covers(&world, query), "{query}");
        assert_eq!(rows(&world, query), (expected.to_owned(), 0), "{query}");
    }
    let inside = "RETURN (FOR d IN c FILTER d.a == 1 SORT d.o.x DESC LIMIT 2 RETURN d.o.x)";
    assert_eq!(rows(&world, inside), ("[[1999,1997]]".to_owned(), 0));
    for query in ["FOR d IN c FILTER d.a == 1 LIMIT 5 RETURN d.b", "FOR d IN c FILTER d.a == 1 LIMIT 5 RETURN d.o"] {
        assert!(!covers(&world, query), "{query}");
        assert_eq!(rows(&world, query).1, 5, "{query}");
    }
    // the few documents of one value are kept in memory, and read there
    let one = "FOR d IN c FILTER d.b == 7 RETURN d.b";
    assert!(!covers(&world, one));
    assert_eq!(rows(&world, one), ("[7]".to_owned(), 1));
}

#[test]
fn what_a_key_does_not_tell_is_read_in_the_document() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.index("c", r#"{"type":"persistent","fields":["v","w"]}"#);
    world.rows(
        "FOR v IN [null, true, 2.5, -7, 5000000000, 1e18, 'text', 'Te\\u0000xt', [1, 'a'], { x: { y: 'z' } }] \
         INSERT { v, w: [v] } INTO c",
    );
    let query = "FOR d IN c FILTER d.v >= null RETURN [d.v, d.w, d.v.x.y]";
    let off = plain();
    let plain =
        world.run_with("FOR d IN c SORT d.v RETURN [d.v, d.w, d.v.x.y]", &Value::Null, &off, RunContext::default());
    let plain = Value::array(plain.expect("runs").rows).to_json();
    assert_eq!(rows(&world, query), (plain, 10), "of each one the array");
    let (_, documents) = rows(&world, "FOR d IN c FILTER d.v >= null RETURN d.v");
    assert_eq!(documents, 4, "of numbers that can be written in two ways, the array and the object");
}

#[test]
fn stored_values_follow_their_documents() {
    let world = world(BY_A);
    let of_a = |a: i64| rows(&world, &format!("FOR d IN c FILTER d.a == {a} SORT d.b RETURN [d.b, d.o.x]")).0;
    world.rows("UPDATE 'k1' WITH { b: 100 } IN c");
    world.rows("UPDATE 'k5' WITH { o: 'none' } IN c");
    world.rows("REMOVE 'k9' IN c");
    world.rows("REPLACE 'k13' WITH { a: 1 } IN c");
    world.rows("UPDATE 'k17' WITH { a: 7, b: { deep: [1.5, 'x'] } } IN c");
    assert_eq!(of_a(1), "[[null,null],[5,null],[100,1]]");
    assert_eq!(of_a(7), r#"[[{"deep":[1.5,"x"]},17]]"#);
    // those that a transaction has written itself as well
    let options = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
    let mut txn = world.store.begin(&world.database(), options).expect("begins");
    let mut run = |query: &str| {
        let prepared = Prepared::afresh(&txn, query, &Value::Null, &QueryOptions::default()).expect("plans");
        Value::array(prepared.run(&mut txn, RunContext::default()).expect("runs").rows).to_json()
    };
    run("INSERT { a: 8, b: 1 } INTO c");
    assert_eq!(run("FOR d IN c FILTER d.a == 8 RETURN d.b"), "[1]");
    txn.abort();
    world.store.verify().expect("fits");
}

#[test]
fn a_unique_index_holds_values_too() {
    let world = world(r#"{"type":"persistent","fields":["b"],"unique":true,"storedValues":["a"]}"#);
    assert_eq!(rows(&world, "FOR d IN c FILTER d.b == 6 RETURN d.a"), ("[2]".to_owned(), 0));
    assert_eq!(rows(&world, "FOR d IN c FILTER d.b > 18 RETURN [d.b, d.a]"), ("[[19,3],[20,0]]".to_owned(), 0));
    assert_eq!(world.error("INSERT { b: 6 } INTO c"), 1210);
    world.rows("UPDATE 'k6' WITH { a: 'new' } IN c");
    assert_eq!(rows(&world, "FOR d IN c FILTER d.b == 6 RETURN d.a"), (r#"["new"]"#.to_owned(), 0));
    world.store.verify().expect("fits");
}

#[test]
fn an_index_that_is_made_later_holds_the_values_of_what_is_there() {
    let world = world(r#"{"type":"persistent","fields":["nothing"]}"#);
    world.index("c", r#"{"type":"persistent","fields":["a","o.y[*]"],"storedValues":["o.x","b"]}"#);
    world.index("c", r#"{"type":"persistent","fields":["o.x"],"storedValues":["o"],"unique":true}"#);
    assert_eq!(rows(&world, "FOR d IN c FILTER d.a == 1 AND 5 IN d.o.y[*] RETURN d.b").0, "[5]");
    assert_eq!(rows(&world, "FOR d IN c FILTER d.o.x == 3 RETURN d.o"), (r#"[{"x":3,"y":[3]}]"#.to_owned(), 0));
    world.store.verify().expect("fits");
}

#[test]
fn a_collection_that_is_renamed_keeps_them() {
    let world = world(BY_A);
    world.store.rename_collection("_system", "c", "renamed").expect("renames");
    let query = "FOR d IN renamed FILTER d.a == 1 AND d.b == 5 RETURN";
    assert_eq!(rows(&world, &format!("{query} d._key")), (r#"["k5"]"#.to_owned(), 0));
    assert_eq!(rows(&world, &format!("{query} d._id")), (r#"["renamed/k5"]"#.to_owned(), 5));
    world.store.verify().expect("fits");
}

#[test]
fn a_wrong_list_of_stored_values_is_refused() {
    for list in [r#""b""#, "[1]", r#"[""]"#, r#"["a"]"#, r#"["b","b"]"#, r#"["b[*]"]"#, r#"{"b":1}"#] {
        let definition = format!(r#"{{"type":"persistent","fields":["a"],"storedValues":{list}}}"#);
        assert_eq!(IndexDefinition::from_value(&json(&definition)).expect_err(list).num, 10, "{list}");
    }
}
