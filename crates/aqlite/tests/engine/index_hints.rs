//! Which indexes a loop may use when it names some, and ranges of keys.

use crate::common::World;
use aqlite::catalog::CollectionKind;
use aqlite::error::code;

fn world() -> World {
    let world = World::new(&[("c", CollectionKind::Document)]);
    for (name, fields) in [("by_a", r#"["a"]"#), ("by_a_b", r#"["a","b"]"#), ("by_b_a", r#"["b","a"]"#)] {
        world.index("c", &format!(r#"{{"type":"persistent","name":"{name}","fields":{fields}}}"#));
    }
    world.rows("FOR i IN 1..20 INSERT { _key: CONCAT('k', 100 + i), a: i % 5, b: i } INTO c");
    world
}

/// The names of the indexes of the first loop that uses any.
fn used(world: &World, query: &str) -> Vec<String> {
    let nodes = world.plan(query).get("nodes");
    let node = nodes.iter_array().find(|node| node.get("type").as_str() == Some("IndexNode"));
    let indexes = node.map(|node| node.get("indexes")).unwrap_or_default();
    indexes.iter_array().map(|index| index.get("name").to_text().to_string()).collect()
}

fn forced(name: &str, rest: &str) -> String {
    format!("FOR d IN c OPTIONS {{ indexHint: '{name}', forceIndexHint: true }} {rest} RETURN d.b")
}

#[test]
fn an_index_that_is_asked_for_is_used_where_it_can_serve() {
    let world = world();
    for (name, rest) in [
        ("by_a", "FILTER d.a == 1"),
        ("by_a_b", "FILTER d.a == 1"),
        ("by_b_a", "SORT d.b"),
        ("by_a_b", "SORT d.a"),
        ("by_b_a", "FILTER d.a == 1 SORT d.b"),
        ("primary", "FILTER d._key == 'k101'"),
        ("primary", "FILTER d._key == 'k101' AND d.x == 9"),
        ("primary", "FILTER d._key > 'k118'"),
    ] {
        assert_eq!(used(&world, &forced(name, rest)), [name], "{name} {rest}");
    }
    let list = "FOR d IN c OPTIONS { indexHint: ['by_b_a', 'by_a_b', 'by_a'] } FILTER d.a == 1 RETURN d";
    assert_eq!(used(&world, list), ["by_a_b"], "the first that serves");
}

#[test]
fn a_forced_hint_that_cannot_serve_is_an_error() {
    let world = world();
    for (name, rest) in [
        ("nowhere", "FILTER d.a == 1"),
        ("by_b_a", "FILTER d.a == 1"),
        ("nowhere", "SORT d.a"),
        ("by_b_a", "SORT d.a"),
        ("primary", "FILTER d.a == 1"),
        ("by_a", "FILTER d.x == 1"),
    ] {
        assert_eq!(world.error(&forced(name, rest)), code::QUERY_FORCED_INDEX_HINT_UNUSABLE, "{name} {rest}");
    }
}

#[test]
fn a_forced_hint_fails_nothing_where_there_is_nothing_to_serve_or_there_are_alternatives() {
    let world = world();
    assert_eq!(world.rows(&forced("by_b_a", "LIMIT 1")), "[1]");
    assert_eq!(used(&world, &forced("primary", "FILTER d._key == 'x' OR d.a == 1")), ["primary", "by_a"]);
    assert_eq!(used(&world, &forced("primary", "FILTER d.b == 1 OR d.a == 1")), ["by_b_a", "by_a"]);
    assert!(used(&world, &forced("primary", "FILTER d._key == 'x' OR d.x == 1")).is_empty());
}

#[test]
fn a_range_of_keys_is_that_of_their_bytes_in_the_primary_index() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.rows("FOR k IN ['B', 'a', 'b', 'a:1', '-'] INSERT { _key: k } INTO c");
    let keys = |filter: &str| world.rows(&format!("FOR d IN c FILTER {filter} RETURN d._key"));
    for (filter, expected) in [
        (r#"d._key >= "a\u0000""#, r#"["a:1","b"]"#),
        (r#"d._key > "\u0001""#, r#"["-","B","a","a:1","b"]"#),
        (r#"d._key < "a\u0001""#, r#"["-","B","a"]"#),
        ("d._key > 'B'", r#"["a","a:1","b"]"#),
        ("'B' >= d._key", r#"["-","B"]"#),
        ("d._key > 'B' AND d._key <= 'a:1'", r#"["a","a:1"]"#),
        ("d._key >= 9 AND d._key < 'a'", r#"["-","B"]"#),
        ("d._key < 99999", "[]"),
        ("d._key <= null", "[]"),
        ("d._key > [] ", "[]"),
        ("d._key > 'a:1' AND d._key <= {}", r#"["b"]"#),
    ] {
        assert_eq!(keys(filter), expected, "{filter}");
    }
    assert_eq!(used(&world, "FOR d IN c FILTER d._key > 'B' RETURN d"), ["primary"]);
    let page = "FOR d IN c FILTER d._key > 'B' SORT d._key DESC LIMIT 2 RETURN d._key";
    assert_eq!(world.rows(page), r#"["b","a:1"]"#);
    assert!(!world.nodes(page).contains(&"SortNode".to_owned()), "the index has the order");
}
