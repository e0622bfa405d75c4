//! Vertices at which walks end. That is remembered with the edge that leads there, and noticed when it is no longer so.

use aqlite::catalog::CollectionKind;
use aqlite::exec::{Prepared, QueryOptions, RunContext};
use aqlite::txn::TxnOptions;
use aqlite::value::Value;

use crate::common::World;

/// Of all orders and directions, with and without paths, over one collection of edges and over two.
const WALKS: [&str; 9] = [
    "FOR v IN 1..9 OUTBOUND 'v/A' e RETURN v._key",
    "FOR v, l IN 0..9 OUTBOUND 'v/A' e OPTIONS { order: 'bfs' } RETURN [v._key, l._key]",
    "FOR v IN 1..9 OUTBOUND 'v/A' e OPTIONS { order: 'bfs', uniqueVertices: 'global' } RETURN v._key",
    "FOR v, l, p IN 1..9 OUTBOUND 'v/A' e RETURN p.vertices[*]._key",
    "FOR v, l IN 1..9 OUTBOUND 'v/A' e PRUNE v._key == 'D' OPTIONS { order: 'weighted', weightAttribute: 'w' } RETURN v._key",
    "FOR v IN 1..9 INBOUND 'v/D' e RETURN v._key",
    "FOR v IN 1..9 INBOUND 'v/D' e OPTIONS { order: 'bfs' } RETURN v._key",
    "FOR v IN 1..3 ANY 'v/B' e RETURN v._key",
    "FOR v IN 1..9 OUTBOUND 'v/A' e, f RETURN v._key",
];

fn world() -> World {
    let world =
        World::new(&[("v", CollectionKind::Document), ("e", CollectionKind::Edge), ("f", CollectionKind::Edge)]);
    world.rows("FOR k IN ['A', 'B', 'C', 'D', 'E'] INSERT { _key: k } INTO v");
    world
}

/// A link of two vertices in a collection of edges.
type Link = (&'static str, &'static str, &'static str);

fn insert((edges, from, to): Link) -> String {
    format!("INSERT {{ _key: '{from}{to}', _from: 'v/{from}', _to: 'v/{to}', w: 1 }} INTO {edges}")
}

/// What walks find where nobody has walked before.
fn expected(links: &[Link]) -> [String; WALKS.len()] {
    let world = world();
    for link in links {
        world.rows(&insert(*link));
    }
    world.store.flush().expect("flushes");
    WALKS.map(|walk| world.rows(walk))
}

#[test]
fn a_leaf_that_gets_an_edge_is_none_any_more() {
    let world = world();
    let mut links = Vec::new();
    for link in [("e", "A", "B"), ("e", "B", "C"), ("f", "B", "E"), ("e", "C", "D"), ("e", "E", "A")] {
        world.rows(&insert(link));
        links.push(link);
        for moment in ["written", "in the tables", "known"] {
            assert_eq!(WALKS.map(|walk| world.rows(walk)), expected(&links), "{links:?}, {moment}");
            world.store.flush().expect("flushes");
        }
    }
    while let Some((edges, from, to)) = links.pop() {
        world.rows(&format!("REMOVE '{from}{to}' IN {edges}"));
        for moment in ["written", "in the tables", "known"] {
            assert_eq!(WALKS.map(|walk| world.rows(walk)), expected(&links), "{links:?}, {moment}");
            world.store.flush().expect("flushes");
        }
    }
}

#[test]
fn a_transaction_walks_on_over_the_edges_it_has_written() {
    let world = world();
    let links = [("e", "A", "B"), ("e", "B", "C"), ("e", "C", "D")];
    for link in &links[..2] {
        world.rows(&insert(*link));
    }
    world.store.flush().expect("flushes");
    for _ in 0..2 {
        assert_eq!(WALKS.map(|walk| world.rows(walk)), expected(&links[..2]));
    }
    let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
    let mut txn = world.store.begin(&world.database(), implicit).expect("begins");
    let mut run = |query: &str| {
        let prepared = Prepared::new(&txn, query, &Value::Null, &QueryOptions::default()).expect("plans");
        Value::array(prepared.run(&mut txn, RunContext::default()).expect("runs").rows).to_json()
    };
    run(&insert(links[2]));
    assert_eq!(WALKS.map(run), expected(&links));
    assert_eq!(WALKS.map(|walk| world.rows(walk)), expected(&links[..2]), "others do not see them");
}
