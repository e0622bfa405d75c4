//! Loops over edges: the edge index, or one that begins with an end of the edge and knows more.

use crate::common::World;
use aqlite::catalog::CollectionKind;
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
