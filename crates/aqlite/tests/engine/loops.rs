//! Which index a loop takes, which of several loops is the outer one, and subqueries that are looped over.

use crate::common::World;
use aqlite::catalog::CollectionKind;
use aqlite::exec::{Outcome, QueryOptions, RunContext};
use aqlite::value::Value;

/// Runs a query and compares its rows with those it has without a rule.
fn run(world: &World, rule: &str, query: &str) -> Outcome {
    let off = QueryOptions { rules: vec![format!("-{rule}").into()], ..QueryOptions::default() };
    let plain = world.run_with(query, &Value::Null, &off, RunContext::default());
    let plain = plain.unwrap_or_else(|e| panic!("{query}: {e}"));
    let outcome = world.run(query).unwrap_or_else(|e| panic!("{query}: {e}"));
    assert_eq!(Value::array(outcome.rows.clone()).to_json(), Value::array(plain.rows).to_json(), "{query}");
    outcome
}

fn is_noted(world: &World, rule: &str, query: &str) -> bool {
    world.plan(query).get("rules").iter_array().any(|noted| noted.as_str() == Some(rule))
}

/// The collections of the loops, the outermost first, with the fields of their indexes.
fn loops(world: &World, query: &str) -> Vec<String> {
    let nodes = world.plan(query).get("nodes");
    let shown = nodes.iter_array().filter_map(|node| {
        let fields = node.get("indexes").at(0).get("fields");
        let fields: Vec<String> = fields.iter_array().map(|field| field.to_text().to_string()).collect();
        node.get("collection").as_str().map(|name| match fields.as_slice() {
            [] => name.to_owned(),
            fields => format!("{name}({})", fields.join(", ")),
        })
    });
    shown.collect()
}

/// 3,000 orders of 600 customers, in 3 states; customers have a code of their own.
fn shop() -> World {
    let world = World::new(&[("orders", CollectionKind::Document), ("customer", CollectionKind::Document)]);
    for fields in [r#"["state","day"]"#, r#"["customer"]"#, r#"["state"]"#, r#"["note"]"#] {
        world.index("orders", &format!(r#"{{"type":"persistent","fields":{fields}}}"#));
    }
    world.index("customer", r#"{"type":"persistent","fields":["code"]}"#);
    world.rows("FOR i IN 0..599 INSERT { _key: CONCAT('c', i), code: i, town: i % 20 } INTO customer");
    world.rows(
        "FOR i IN 0..2999 INSERT { _key: CONCAT('o', i), customer: CONCAT('c', i % 600), state: i % 3, day: i % 30, \
         note: i < 2900 ? null : i, sum: i } INTO orders",
    );
    world
}

#[test]
fn of_several_indexes_the_one_that_finds_fewest_documents_is_taken() {
    let world = shop();
    // the first one answers more of the conditions
    let query = "FOR o IN orders FILTER o.state == 1 AND o.day > 3 AND o.customer == 'c7' RETURN o.sum";
    assert_eq!(loops(&world, query), ["orders(customer)"]);
    let stats = world.run(query).expect("runs").stats;
    assert_eq!((stats.scanned_index, stats.documents), (5, 5));
    // about as few: by what is answered
    let query = "FOR o IN orders FILTER o.state == 1 AND o.day > 3 RETURN o.sum";
    assert_eq!(loops(&world, query), ["orders(state, day)"]);
    let query = "FOR o IN orders FILTER o.state == 1 SORT o.day LIMIT 1 RETURN o.sum";
    assert_eq!(loops(&world, query), ["orders(state, day)"]);
    // most have no note
    let query = "FOR o IN orders FILTER o.note == null AND o.customer == 'c7' RETURN o.sum";
    assert_eq!(loops(&world, query), ["orders(customer)"]);
    let hinted = "FOR o IN orders OPTIONS { indexHint: 'nowhere' } FILTER o.state == 1 AND o.customer == 'c7' RETURN o";
    assert_eq!(loops(&world, hinted), ["orders(customer)"]);
}

#[test]
fn explain_tells_how_many_documents_an_index_finds() {
    let world = shop();
    let node = |query: &str| {
        let nodes = world.plan(query).get("nodes");
        nodes.iter_array().find(|node| node.get("type").as_str() == Some("IndexNode")).expect("uses an index")
    };
    let by_customer = node("FOR o IN orders FILTER o.customer == 'c7' RETURN o");
    assert_eq!(by_customer.get("estimatedNrItems").to_json(), "5");
    assert_eq!(by_customer.get("indexes").at(0).get("selectivityEstimate").to_json(), "0.2");
    let by_state = node("FOR o IN orders FILTER o.state == 1 RETURN o");
    assert_eq!(by_state.get("estimatedNrItems").to_json(), "1000");
    let by_key = node("FOR o IN orders FILTER o._key == 'o7' RETURN o");
    assert_eq!(by_key.get("estimatedNrItems").to_json(), "1");
    assert_eq!(by_key.get("indexes").at(0).get("selectivityEstimate").to_json(), "1");
}

#[test]
fn an_estimate_follows_a_collection_that_grows() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.index("c", r#"{"type":"persistent","fields":["a"]}"#);
    let found = || {
        let nodes = world.plan("FOR d IN c FILTER d.a == 1 RETURN d").get("nodes");
        let node = nodes.iter_array().find(|node| node.get("type").as_str() == Some("IndexNode"));
        node.expect("uses an index").get("estimatedNrItems").as_f64().expect("a number")
    };
    assert!(found() <= 1.0);
    world.rows("FOR i IN 1..1000 INSERT { a: i } INTO c");
    assert!(found() <= 1.0);
    world.rows("FOR i IN 1..4000 INSERT { a: i % 2 } INTO c");
    assert!(found() > 1.0, "{}", found());
    world.rows("FOR d IN c FILTER d.a > 1 REMOVE d IN c");
    world.rows("FOR i IN 1..4000 INSERT { a: i % 2 } INTO c");
    assert!(found() > 3000.0, "{}", found());
}

const INTERCHANGE: &str = "interchange-adjacent-enumerations";

#[test]
fn loops_begin_with_the_one_that_finds_few_documents() {
    let world = shop();
    let join = "FOR o IN orders FOR k IN customer FILTER k.code == 7 AND o.customer == k._key";
    for shape in [
        "SORT o._key, k._key RETURN [o._key, k.code]",
        "SORT k.code, o._id DESC, k._key LIMIT 2 RETURN o.sum",
        "COLLECT state = o.state WITH COUNT INTO n RETURN [state, n]",
        "COLLECT AGGREGATE sum = SUM(o.sum), most = MAX(o.day) RETURN [sum, most]",
        "LET s = o.sum * 2 FILTER s > 10 COLLECT town = k.town AGGREGATE s2 = MAX(s) RETURN [town, s2]",
    ] {
        let query = format!("{join} {shape}");
        assert!(is_noted(&world, INTERCHANGE, &query), "{query}");
        assert_eq!(loops(&world, &query), ["customer(code)", "orders(customer)"], "{query}");
        let stats = run(&world, INTERCHANGE, &query).stats;
        assert_eq!((stats.scanned_full, stats.scanned_index), (0, 6), "{query}");
    }
    let counted = format!("RETURN LENGTH({join} RETURN 1)");
    assert!(is_noted(&world, INTERCHANGE, &counted));
    assert_eq!(run(&world, INTERCHANGE, &counted).stats.scanned_index, 6);
    let exists = format!("RETURN LENGTH({join} RETURN 1) > 0");
    assert!(is_noted(&world, INTERCHANGE, &exists));
    run(&world, INTERCHANGE, &exists);
}

#[test]
fn loops_stay_where_the_order_of_their_rows_can_be_seen() {
    let world = shop();
    let join = "FOR o IN orders FOR k IN customer FILTER k.code == 7 AND o.customer == k._key";
    for shape in [
        "RETURN o._key",
        "SORT o._key RETURN o._key",
        "SORT k._key RETURN o._key",
        "LIMIT 1 COLLECT state = o.state RETURN state",
        "COLLECT state = o.state INTO rows = o._key RETURN [state, rows]",
        "COLLECT AGGREGATE keys = PUSH(o._key) RETURN keys",
        "RETURN DISTINCT o.state",
        "FILTER RAND() >= 0 COLLECT WITH COUNT INTO n RETURN n",
        "UPDATE o WITH { seen: true } IN orders",
    ] {
        let query = format!("{join} {shape}");
        assert!(!is_noted(&world, INTERCHANGE, &query), "{query}");
    }
    // and where they are in the best order already, or one is asked for
    for query in [
        "FOR k IN customer FOR o IN orders FILTER k.code == 7 AND o.customer == k._key COLLECT WITH COUNT INTO n RETURN n",
        "FOR o IN orders OPTIONS { indexHint: 'x' } FOR k IN customer FILTER k.code == 7 AND o.customer == k._key \
         COLLECT WITH COUNT INTO n RETURN n",
    ] {
        assert!(!is_noted(&world, INTERCHANGE, query), "{query}");
    }
}

const INLINE: &str = "inline-subqueries";

#[test]
fn a_subquery_that_is_looped_over_becomes_a_part_of_the_query() {
    let world = shop();
    for (query, nodes, scanned) in [
        (
            "FOR x IN (FOR o IN orders RETURN o) FILTER x.customer == 'c7' SORT x._key RETURN x.sum",
            vec!["IndexNode", "SortNode"],
            5,
        ),
        (
            "LET every = (FOR o IN orders FILTER o.state == 1 RETURN o) FOR x IN every SORT x.day LIMIT 3 RETURN x.day",
            vec!["IndexNode", "LimitNode"],
            3,
        ),
        (
            "FOR x IN (FOR o IN orders FILTER o.customer == 'c7' SORT o.day DESC, o._key RETURN o) FILTER x.sum > 10 RETURN x.sum",
            vec!["IndexNode", "SortNode"],
            5,
        ),
        (
            "FOR x IN (FOR y IN (FOR o IN orders RETURN o) RETURN { c: y.customer, s: y.sum }) FILTER x.s == 8 LIMIT 1 RETURN x",
            vec!["EnumerateCollectionNode", "FilterNode", "LimitNode"],
            9,
        ),
        (
            "FOR k IN customer FILTER k.code == 7 FOR x IN (FOR o IN orders FILTER o.customer == k._key RETURN o) FILTER x.sum > 100 SORT x._key RETURN x.sum",
            vec!["IndexNode", "IndexNode", "SortNode"],
            6,
        ),
        (
            "FOR x IN (FOR o IN orders FILTER o.customer == 'c7' RETURN o) SORT x._key RETURN { x, more: (FOR k IN customer FILTER k._key == x.customer RETURN [k.code, x.sum]) }",
            vec!["IndexNode", "SortNode", "SubqueryNode"],
            10,
        ),
        (
            "FOR x IN (FOR o IN orders FILTER o.customer == 'c7' RETURN o) SORT x._key COLLECT s = x.state INTO g RETURN [s, g[*].x.sum]",
            vec!["IndexNode", "SortNode", "CollectNode", "SortNode"],
            5,
        ),
    ] {
        assert!(is_noted(&world, INLINE, query), "{query}");
        assert_eq!(world.nodes(query), nodes, "{query}");
        let stats = run(&world, INLINE, query).stats;
        assert_eq!(stats.scanned_full + stats.scanned_index, scanned, "{query}");
    }
}

#[test]
fn other_subqueries_stay() {
    let world = shop();
    for query in [
        // what is limited or grouped is so before the loop around it
        "FOR x IN (FOR o IN orders SORT o._key LIMIT 3 RETURN o) FILTER x.state == 1 RETURN x._key",
        "FOR x IN (FOR o IN orders COLLECT s = o.state RETURN s) FILTER x > 0 RETURN x",
        "FOR x IN (FOR o IN orders RETURN DISTINCT o.state) SORT x RETURN x",
        // what does not depend on the loops around is computed once
        "FOR i IN 1..2 FOR x IN (FOR o IN orders FILTER o.customer == 'c7' SORT o._key RETURN o._key) RETURN [i, x]",
        "FOR i IN 1..2 FOR x IN (FOR o IN orders FILTER o.state == i SORT o._key DESC RETURN o._key) RETURN [i, x]",
        "FILTER 1 < 2 FOR x IN (FOR o IN orders SORT o._key RETURN o) RETURN x._key",
        "LET every = (FOR o IN orders FILTER o.customer == 'c7' RETURN o) FOR x IN every SORT x._key RETURN [x.sum, LENGTH(every)]",
        "FOR x IN (FOR o IN orders FILTER RAND() >= 0 RETURN o) SORT x._key RETURN x._key",
        "FOR x IN (RETURN 1) RETURN x",
    ] {
        assert!(!is_noted(&world, INLINE, query), "{query}");
        run(&world, INLINE, query);
    }
    let write = "FOR x IN (FOR o IN orders FILTER o.customer == 'c7' UPDATE o WITH { seen: 1 } IN orders RETURN NEW) RETURN x.sum";
    assert!(!is_noted(&world, INLINE, write));
}
