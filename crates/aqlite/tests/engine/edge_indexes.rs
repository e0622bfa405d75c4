//! Loops over edges: the edge index, or one that begins with an end of the edge and knows more.

use crate::common::World;
use aqlite::catalog::CollectionKind;
use aqlite::exec::{QueryOptions, RunContext};
use aqlite::value::Value;

fn moves() -> World {
    let world = World::new(&[("place", CollectionKind::Document), ("move", CollectionKind::Edge)]);
    world.index("move", r#"{"type": "persistent", "fields": ["_from", "end"]}"#);
    world
        .run("FOR n IN 1..20 INSERT { _from: CONCAT('place/', n % 3), _to: 'place/9', end: n % 5 == 0 ? null : n } INTO move")
        .expect("inserts");
    world
}

/// The kinds of the indexes that a query uses.
fn kinds(world: &World, query: &str) -> Vec<String> {
    let plan = world.plan(query);
    let nodes: Vec<Value> = plan.get("nodes").iter_array().collect();
    let indexes = nodes.iter().flat_map(|node| node.get("indexes").iter_array().collect::<Vec<Value>>());
    indexes.map(|index| index.get("type").to_text().to_string()).collect()
}

#[test]
fn the_end_of_an_edge_alone_is_found_by_the_edge_index() {
    let world = moves();
    assert_eq!(kinds(&world, "FOR m IN move FILTER m._from == 'place/1' RETURN m"), ["edge"]);
    assert_eq!(kinds(&world, "FOR m IN move FILTER m._from IN ['place/1', 'place/2'] RETURN m"), ["edge"]);
}

#[test]
fn an_index_that_knows_more_than_the_end_is_taken_and_gives_the_order() {
    let world = moves();
    let latest = "FOR m IN move FILTER m._from == 'place/1' AND m.end > null SORT m.end DESC LIMIT 1 RETURN m.end";
    assert_eq!(kinds(&world, latest), ["persistent"]);
    assert!(!world.nodes(latest).contains(&"SortNode".to_owned()), "{:?}", world.nodes(latest));
    assert_eq!(world.rows(latest), "[19]");
    let some = "FOR m IN move FILTER m._from IN ['place/1', 'place/2'] AND m.end == 8 RETURN m.end";
    assert_eq!(kinds(&world, some), ["persistent"]);
    assert_eq!(world.rows(some), "[8]");
}

/// A place that leads to 2,000 others, by 200 kinds of moves, and each of them to the next.
fn hub() -> World {
    let world = World::new(&[("place", CollectionKind::Document), ("move", CollectionKind::Edge)]);
    world.index("move", r#"{"type": "persistent", "fields": ["_from", "kind", "n"]}"#);
    world.index("move", r#"{"type": "persistent", "fields": ["_to", "kind"]}"#);
    world.rows("FOR n IN 0..2000 INSERT { _key: TO_STRING(n) } INTO place");
    world.rows(
        "FOR n IN 1..2000 INSERT { _from: 'place/0', _to: CONCAT('place/', 2001 - n), kind: n % 200, n: -n } INTO move",
    );
    world.rows(
        "FOR n IN 1..1999 INSERT { _from: CONCAT('place/', n), _to: CONCAT('place/', n + 1), kind: n % 2 } INTO move",
    );
    world.rows("FOR n IN 1..1000 INSERT { _from: CONCAT('place/', n), _to: 'place/0', kind: n % 100 } INTO move");
    world
}

#[test]
fn edges_of_a_vertex_with_many_are_found_by_an_index_that_knows_their_attributes() {
    let world = hub();
    for (query, most) in [
        ("FOR v, e IN 1..1 OUTBOUND 'place/0' move FILTER e.kind == 7 RETURN [v._key, e.n]", 25),
        ("FOR v, e IN 1..1 OUTBOUND 'place/0' move FILTER e.kind == 7 AND e.n == -207 RETURN v._key", 4),
        (
            "FOR v, e, p IN 1..2 OUTBOUND 'place/0' move FILTER p.edges[*].kind ALL == 1 RETURN [p.vertices[*]._key]",
            100,
        ),
        ("FOR v, e, p IN 1..2 INBOUND 'place/0' move FILTER p.edges[*].kind ALL == 3 RETURN [v._key, e.kind]", 100),
        ("FOR v, e IN 1..1 ANY 'place/0' move FILTER e.kind == 42 RETURN [v._key, e.n]", 60),
        ("FOR k IN [5, 6] FOR v, e IN 1..1 OUTBOUND 'place/0' move FILTER e.kind == k RETURN [v._key, k]", 60),
    ] {
        let off = QueryOptions { rules: vec!["-optimize-traversals".into()], ..QueryOptions::default() };
        let plain = world.run_with(query, &Value::Null, &off, RunContext::default()).expect("runs");
        let outcome = world.run(query).expect("runs");
        assert!(!outcome.rows.is_empty(), "{query}");
        assert_eq!(Value::array(outcome.rows).to_json(), Value::array(plain.rows).to_json(), "{query}");
        assert!(outcome.stats.scanned_index <= most, "{query}: {}", outcome.stats.scanned_index);
        assert!(plain.stats.scanned_index > 900, "{query}: {}", plain.stats.scanned_index);
    }
    let plan = world.plan("FOR v, e IN 1..1 OUTBOUND 'place/0' move FILTER e.kind == 7 RETURN v");
    let node = plan.get("nodes").iter_array().find(|node| node.get("type").as_str() == Some("TraversalNode"));
    let base = node.expect("a traversal").path(&["indexes", "base"]);
    let fields: Vec<String> = base.iter_array().map(|index| index.get("fields").to_json()).collect();
    assert_eq!(fields, [r#"["_from","kind","n"]"#, r#"["_from","_to"]"#]);
}

#[test]
fn a_walk_that_visits_each_vertex_once_follows_its_first_edge_there() {
    let world = World::new(&[("place", CollectionKind::Document), ("move", CollectionKind::Edge)]);
    world.index("move", r#"{"type": "persistent", "fields": ["_from", "kind"]}"#);
    world.rows("FOR n IN 0..3 INSERT { _key: TO_STRING(n) } INTO place");
    world.rows("FOR n IN 1..600 INSERT { _from: 'place/0', _to: CONCAT('place/', 1 + n % 3), kind: n } INTO move");
    let query = "FOR v, e IN 1..1 OUTBOUND 'place/0' move OPTIONS { order: 'bfs', uniqueVertices: 'global' } FILTER e.kind == 500 RETURN v._key";
    assert_eq!(world.rows(query), "[]", "another edge led there first");
}
