//! What queries and transactions hold is counted, bounded for each and for all together, and given back.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::{World, json};
use crate::server::Server;
use aqlite::catalog::CollectionKind;
use aqlite::error::code;
use aqlite::exec::{Kill, Prepared, QueryOptions, RunContext};
use aqlite::memory::Limits;
use aqlite::txn::{StoreOptions, TxnOptions, WriteOptions};
use aqlite::value::Value;
use aqlite::{Engine, Options, Settings};
use http::Method;
use serde_json::json;

/// A query for each kind of thing that is held, which holds more than a quarter of a megabyte of it, with the number it takes.
const HOLDERS: &[(&str, &str, u32)] = &[
    ("rows", "FOR i IN 1..@n RETURN CONCAT('a text that needs some room ', i)", 20_000),
    ("groups", "FOR i IN 1..@n COLLECT k = i WITH COUNT INTO n FILTER n < 0 RETURN k", 20_000),
    ("rows of groups", "FOR i IN 1..@n COLLECT k = i % 3 INTO g FILTER k < 0 RETURN LENGTH(g)", 40_000),
    ("UNIQUE", "FOR i IN 1..@n COLLECT AGGREGATE u = UNIQUE(i) RETURN u[0]", 40_000),
    ("SORTED_UNIQUE", "FOR i IN 1..@n COLLECT AGGREGATE u = SORTED_UNIQUE(CONCAT('u', i)) RETURN u[0]", 40_000),
    ("COUNT_DISTINCT", "FOR i IN 1..@n COLLECT AGGREGATE u = COUNT_DISTINCT(i) RETURN u", 40_000),
    ("PUSH", "FOR i IN 1..@n COLLECT AGGREGATE u = PUSH(i) RETURN u[0]", 50_000),
    ("MAX of groups", "FOR i IN 1..@n COLLECT k = i AGGREGATE m = MAX(REPEAT('x', 1000)) FILTER k < 0 RETURN m", 1_500),
    ("MIN of groups", "FOR i IN 1..@n COLLECT k = i AGGREGATE m = MIN(REPEAT('x', 1000)) FILTER k < 0 RETURN m", 1_500),
    (
        "a running UNIQUE",
        "FOR i IN 1..@n WINDOW { preceding: 'unbounded', following: 0 } AGGREGATE u = UNIQUE(CONCAT(REPEAT('x', 999), i)) FILTER i < 0 RETURN u",
        400,
    ),
    (
        "a window",
        "FOR i IN 1..@n WINDOW { preceding: 1, following: 1 } AGGREGATE u = SUM(i) FILTER u < 0 RETURN u",
        10_000,
    ),
    ("a sort", "FOR i IN 1..@n SORT -i RETURN i", 20_000),
    ("distinct rows", "FOR x IN (FOR i IN 1..@n RETURN DISTINCT i) FILTER x < 0 RETURN x", 50_000),
    ("LET of a subquery", "LET a = (FOR i IN 1..@n RETURN i) RETURN [a[0], a[-1]]", 50_000),
    (
        "several LETs",
        "LET a = (FOR i IN 1..@n RETURN i) LET b = (FOR i IN 1..@n RETURN i) LET c = (FOR i IN 1..@n RETURN i) RETURN [a[1], b[1], c[1]]",
        20_000,
    ),
    ("a LET of a text", "FOR i IN 1..@n LET t = REPEAT('x', 1500000 + i) FILTER t == '' RETURN i", 1),
    (
        "parts of an expression",
        "RETURN LENGTH([(FOR i IN 1..@n RETURN i), (FOR i IN 1..@n RETURN i), (FOR i IN 1..@n RETURN i)])",
        20_000,
    ),
    ("LET of a range", "LET a = 1..@n RETURN [a[0], a[-1]]", 50_000),
    ("a range in an expression", "RETURN SUM(1..@n)", 50_000),
    ("the array of a loop", "FOR x IN APPEND(1..@n, [0]) FILTER x < 0 RETURN x", 50_000),
    (
        "an expansion",
        "LET a = 1..@n RETURN LENGTH(a[* RETURN CONCAT('a text of more than twenty-three characters', CURRENT)])",
        15_000,
    ),
    ("RANGE()", "FOR i IN 1..1 RETURN LENGTH(RANGE(i, @n))", 50_000),
    ("SUBSTITUTE()", "RETURN LENGTH(SUBSTITUTE(REPEAT('a', @n), 'a', REPEAT('b', @n)))", 1_100),
    ("REGEX_REPLACE()", "RETURN LENGTH(REGEX_REPLACE(REPEAT('a', @n), 'a', REPEAT('b', @n)))", 1_100),
    ("constants", "FOR x IN SPLIT(REPEAT('x,', @n), ',') FILTER x == 'y' RETURN x", 20_000),
    ("keys of an index", "LET l = (FOR i IN 1..@n RETURN i) FOR d IN v FILTER d.a IN l AND d.b IN l RETURN d", 120),
    ("keys of documents", "FOR d IN v FILTER d._key IN (FOR i IN 1..@n RETURN TO_STRING(i)) RETURN d", 20_000),
    ("documents seen", "FOR i IN 1..1 FOR d IN w FILTER d.a >= 0 OR d.b >= 0 FILTER d.c == 1 RETURN d", 0),
    ("inserted documents", "FOR i IN 1..@n INSERT { text: REPEAT('x', 1000) } INTO v", 1_200),
    ("updated documents", "FOR d IN w UPDATE d WITH { text: REPEAT('x', 100) } IN w", 0),
    ("removed documents", "FOR d IN w REMOVE d IN w", 0),
    (
        "vertices a walk has visited",
        "FOR x IN 1..1 OUTBOUND 's/hub' e OPTIONS { order: 'bfs', uniqueVertices: 'global' } COLLECT WITH COUNT INTO n RETURN n",
        0,
    ),
    (
        "steps from which a walk goes on",
        "FOR x IN 1..2 OUTBOUND 's/hub' e OPTIONS { order: 'bfs' } COLLECT WITH COUNT INTO n RETURN n",
        0,
    ),
    ("documents on a path", "FOR x, l, p IN 1..500 OUTBOUND 's/0' e FILTER LENGTH(p.vertices) < 0 RETURN x", 0),
    (
        "documents of many paths",
        "FOR x, l, p IN 1..500 OUTBOUND 's/0' e OPTIONS { order: 'bfs' } FILTER LENGTH(p.edges) < 0 RETURN p.vertices",
        0,
    ),
    ("vertices of a search for paths", "FOR x IN OUTBOUND SHORTEST_PATH 's/hub' TO 's/none' e RETURN x", 0),
    (
        "what a statement returns of its writes",
        "FOR i IN 1..@n INSERT { text: REPEAT('x', 100) } INTO v RETURN NEW",
        3_000,
    ),
];

const MEGABYTE: usize = 1_000_000;
/// What each of them is refused.
const LITTLE: usize = MEGABYTE / 4;

fn world() -> World {
    let kinds = [("v", CollectionKind::Document), ("w", CollectionKind::Document), ("s", CollectionKind::Document)];
    let world = World::new(&[&kinds[..], &[("e", CollectionKind::Edge)]].concat());
    world.index("v", r#"{"type": "persistent", "fields": ["a", "b"]}"#);
    world.index("w", r#"{"type": "persistent", "fields": ["a"]}"#);
    world.index("w", r#"{"type": "persistent", "fields": ["b"]}"#);
    world.rows("FOR i IN 1..18000 INSERT { a: i, b: i } INTO w");
    // a hub with many neighbours of long names, an end that as many lead to, and a chain of large documents
    world.rows("FOR k IN ['hub', 'none'] INSERT { _key: k } INTO s");
    world.rows("FOR i IN 1..1500 INSERT { _key: CONCAT(REPEAT('n', 200), i) } INTO s");
    world.rows("FOR i IN 1..1500 INSERT { _from: 's/hub', _to: CONCAT('s/', REPEAT('n', 200), i) } INTO e");
    world.rows("FOR i IN 1..1500 INSERT { _from: CONCAT('s/', REPEAT('m', 200), i), _to: 's/none' } INTO e");
    world.rows("FOR i IN 0..200 INSERT { _key: TO_STRING(i), text: REPEAT('x', 3000) } INTO s");
    world.rows(
        "FOR i IN 1..200 INSERT { _from: CONCAT('s/', i - 1), _to: CONCAT('s/', i), text: REPEAT('x', 3000) } INTO e",
    );
    world
}

/// What is committed counts until it has arrived in the tables.
fn settled(world: &World) -> usize {
    for _ in 0..1_000 {
        if world.store.memory().used() == 0 {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    world.store.memory().used()
}

/// Runs a query that leaves nothing behind.
fn run(world: &World, query: &str, n: u32, memory_limit: usize) -> Result<usize, u16> {
    let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
    let mut txn = world.store.begin(&world.database(), implicit).expect("begins");
    let options = QueryOptions { memory_limit, ..QueryOptions::default() };
    let binds = if query.contains("@n") { json(&format!("{{\"n\":{n}}}")) } else { Value::Null };
    let prepared = Prepared::new(&txn, query, &binds, &options).map_err(|e| e.num)?;
    prepared.run(&mut txn, RunContext::default()).map(|outcome| outcome.stats.peak_memory).map_err(|e| e.num)
}

#[test]
fn whatever_a_query_holds_is_counted_bounded_and_given_back() {
    let world = world();
    assert_eq!(settled(&world), 0);
    for (what, query, n) in HOLDERS {
        let peak = run(&world, query, *n, 0).unwrap_or_else(|e| panic!("{what}: error {e}"));
        assert!(peak > LITTLE && peak < 40 * MEGABYTE, "{what}: {peak} bytes");
        assert_eq!(world.store.memory().used(), 0, "{what}");
        assert_eq!(run(&world, query, *n, LITTLE), Err(code::RESOURCE_LIMIT), "{what}");
        assert_eq!(world.store.memory().used(), 0, "{what}");
        assert!(run(&world, query, *n, peak).is_ok(), "{what}");
    }
}

#[test]
fn what_is_replaced_or_dropped_is_given_back_while_the_query_runs() {
    let world = world();
    for query in [
        "FOR i IN 1..@n LET a = (FOR j IN 1..100 RETURN j) FILTER a[0] < 0 RETURN a",
        "FOR i IN 1..@n LET a = 1..100 FILTER LENGTH(a) < 0 RETURN a",
        "FOR i IN 1..@n FILTER LENGTH(APPEND(1..100, [i])) < 0 RETURN i",
        "FOR i IN 1..@n FOR x IN APPEND(1..100, [i]) FILTER x < 0 RETURN x",
        "FOR i IN 1..@n RETURN LENGTH(FOR d IN v FILTER d.a IN APPEND(1..100, [i]) RETURN d) > 0 ? 1 : FIRST([])",
        "FOR i IN 1..@n WINDOW { preceding: 10, following: 0 } AGGREGATE u = UNIQUE(i) FILTER LENGTH(u) < 0 RETURN u",
    ] {
        let peak = run(&world, query, 3_000, 0).unwrap_or_else(|e| panic!("{query}: error {e}"));
        let single = run(&world, query, 30, 0).unwrap_or_else(|e| panic!("{query}: error {e}"));
        assert!(peak < single + 1_000 * 1_000, "{query}: {single} bytes for 30 rows, {peak} for 3000");
    }
}

/// A store whose queries and transactions may hold so many bytes together.
fn world_of(together: usize) -> World {
    let memory = Limits { query: 0, together };
    World::with(&StoreOptions { memory, ..StoreOptions::default() }, &[("v", CollectionKind::Document)])
}

#[test]
fn queries_that_are_too_much_together_get_error_32_and_the_others_go_on() {
    const QUERIES: usize = 8;
    // each holds so much for as long as it is let
    let held = 100_000 * size_of::<Value>();
    let world = world_of(held + held / 2);
    let query = "LET a = (FOR i IN 1..100000 RETURN i) LET s = SLEEP(1000) RETURN [a[0], s]";
    let (kill, refused) = (Kill::default(), AtomicUsize::new(0));
    thread::scope(|scope| {
        let run = || {
            let context = RunContext { kill: kill.clone(), ..RunContext::default() };
            let error = world.run_with(query, &Value::Null, &QueryOptions::default(), context).err().map(|e| e.num);
            if error == Some(code::RESOURCE_LIMIT) {
                refused.fetch_add(1, Ordering::SeqCst);
            }
            error
        };
        let first = scope.spawn(run);
        while world.store.memory().used() < held {
            thread::sleep(Duration::from_millis(5));
        }
        let others: Vec<_> = (1..QUERIES).map(|_| scope.spawn(run)).collect();
        while refused.load(Ordering::SeqCst) < QUERIES - 1 {
            thread::sleep(Duration::from_millis(5));
        }
        let sleeps = !first.is_finished();
        kill.kill();
        assert!(sleeps);
        assert_eq!(first.join().expect("lives"), Some(code::QUERY_KILLED));
        for other in others {
            assert_eq!(other.join().expect("lives"), Some(code::RESOURCE_LIMIT));
        }
    });
    assert_eq!(world.store.memory().used(), 0);
    assert_eq!(world.rows("RETURN LENGTH(FOR i IN 1..50000 RETURN i)"), "[50000]");
}

#[test]
fn open_transactions_count_with_the_queries() {
    let world = world_of(4 * MEGABYTE);
    let options = TxnOptions { write: vec!["v".into()], ..TxnOptions::default() };
    let mut txn = world.store.begin(&world.database(), options).expect("begins");
    let collection = txn.collection_for_write("v").expect("exists");
    let document = Value::from_pairs([("text", Value::str("x".repeat(1_000)))]);
    let insert = |txn: &mut aqlite::txn::Txn| txn.insert(&collection, &document, &WriteOptions::default()).map(drop);
    while world.store.memory().used() < 3 * MEGABYTE {
        insert(&mut txn).expect("inserts");
    }
    let query = "LET a = (FOR i IN 1..60000 RETURN i) RETURN a[0]";
    assert_eq!(world.error(query), code::RESOURCE_LIMIT);
    let error = (0..2_000).find_map(|_| insert(&mut txn).err());
    assert_eq!(error.map(|e| e.num), Some(code::RESOURCE_LIMIT));
    // what it has written is still there, and what others hold does not change by the failure
    assert!(txn.view().count(&collection).expect("counts") > 2_000);
    txn.abort();
    assert_eq!(world.store.memory().used(), 0);
    assert_eq!(world.rows(query), "[1]");
}

#[test]
fn a_streaming_query_holds_its_batches_and_no_more() {
    let server = server(Limits { query: 0, together: 0 });
    let run = |batch: usize| {
        let query = "FOR i IN 1..50000 RETURN i";
        let body = json!({"query": query, "batchSize": batch, "memoryLimit": MEGABYTE, "options": {"stream": true}});
        let (_, mut answer) = server.root(Method::POST, "/_api/cursor", &body);
        while answer["hasMore"] == true {
            let path = format!("/_api/cursor/{}", answer["id"].as_str().expect("id"));
            answer = server.root(Method::POST, &path, &json!(null)).1;
        }
        answer
    };
    assert!(run(1_000)["extra"]["stats"]["peakMemoryUsage"].as_u64() < Some(60_000));
    assert_eq!(run(50_000)["errorNum"], 32);
}

/// A server whose queries may hold so much.
pub fn server(memory: Limits) -> Server {
    let directory = tempfile::tempdir().expect("directory");
    let options =
        Options { data_dir: directory.path().to_owned(), root_password: "secret".to_owned(), jwt_secret: None };
    let store = StoreOptions { memory, ..StoreOptions::default() };
    let settings = Settings { store, ..Settings::default() };
    Server::of(Engine::open_with(options, settings).expect("engine"), directory)
}

const USED: &str = "arangodb_aql_global_memory_usage";

#[test]
fn the_limits_of_the_server_hold_for_queries_that_set_none() {
    let server = server(Limits { query: MEGABYTE, together: 50 * MEGABYTE });
    let large = "LET a = (FOR i IN 1..100000 RETURN i) RETURN a[0]";
    let (status, body) = server.root(Method::POST, "/_api/cursor", &json!({"query": large}));
    assert_eq!((status, &body["errorNum"]), (500, &json!(32)));
    let (status, body) =
        server.root(Method::POST, "/_api/cursor", &json!({"query": large, "memoryLimit": 10 * MEGABYTE}));
    assert_eq!(status, 201, "{body}");
    assert!(body["extra"]["stats"]["peakMemoryUsage"].as_u64() > Some(2_000_000), "{body}");
    let body = json!({"query": large, "memoryLimit": 100 * MEGABYTE, "options": {"stream": true}});
    assert_eq!(server.root(Method::POST, "/_api/cursor", &body).0, 201);
    assert_eq!(server.root(Method::GET, "/_admin/options", &json!(null)).1["query.memory-limit"], json!(MEGABYTE));
    assert_eq!(server.metric("arangodb_aql_global_memory_limit"), 50e6);
    assert_eq!(server.metric(USED), 0.0);
}

#[test]
fn rows_that_wait_to_be_fetched_count_until_they_are_or_the_cursor_is_gone() {
    let server = server(Limits { query: 0, together: 5 * MEGABYTE });
    let open = || {
        let query = json!({"query": "FOR i IN 1..200000 RETURN i", "batchSize": 120_000});
        server.root(Method::POST, "/_api/cursor", &query)
    };
    let (_, first) = open();
    assert!(server.metric(USED) > 2.5e6);
    let (status, refused) = open();
    assert_eq!((status, &refused["errorNum"]), (500, &json!(32)));
    let path = format!("/_api/cursor/{}", first["id"].as_str().expect("id"));
    assert_eq!(server.root(Method::POST, &path, &json!(null)).1["hasMore"], false);
    assert_eq!(server.metric(USED), 0.0);
    let (status, second) = open();
    assert_eq!(status, 201);
    let path = format!("/_api/cursor/{}", second["id"].as_str().expect("id"));
    assert_eq!(server.root(Method::DELETE, &path, &json!(null)).0, 202);
    assert_eq!(server.metric(USED), 0.0);
}

#[test]
fn the_value_of_a_body_counts_as_long_as_the_request_takes() {
    let server = server(Limits { query: 0, together: 0 });
    let numbers: Vec<u32> = (0..200_000).collect();
    let body = json!({"query": "RETURN [SLEEP(1), LENGTH(@numbers)]", "bindVars": {"numbers": numbers}});
    let text = body.to_string().len() as f64;
    let most = thread::scope(|scope| {
        let asked = scope.spawn(|| server.root(Method::POST, "/_api/cursor", &body));
        let mut most = 0.0_f64;
        while !asked.is_finished() {
            most = most.max(server.metric(USED));
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(asked.join().expect("lives").0, 201);
        most
    });
    assert!(most > 200_000.0 * size_of::<Value>() as f64 + text, "{most} for a text of {text}");
    assert_eq!(server.metric(USED), 0.0);
}
