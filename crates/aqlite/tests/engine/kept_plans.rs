//! Plans are kept and run with other parameters, as long as what they rest on is the same.

use crate::common::{World, json};
use crate::server::Server;
use aqlite::catalog::CollectionKind;
use aqlite::exec::{Prepared, QueryOptions, RunContext};
use aqlite::txn::TxnOptions;
use aqlite::value::Value;
use http::Method;
use serde_json::json as body;

/// A hundred documents with an index.
fn world() -> World {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.index("c", r#"{"type":"persistent","fields":["n"]}"#);
    world.rows("FOR n IN 1..100 INSERT { _key: TO_STRING(n), n, code: CONCAT('K', n % 7) } INTO c");
    world
}

/// The rows of a query as JSON, and whether its plan was made before.
fn run(world: &World, query: &str, parameters: &str) -> (String, bool) {
    let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
    let mut txn = world.store.begin(&world.database(), implicit).expect("begins");
    let prepared = Prepared::new(&txn, query, &json(parameters), &QueryOptions::default()).expect("plans");
    let outcome = prepared.run(&mut txn, RunContext::default()).expect("runs");
    (Value::array(outcome.rows).to_json(), prepared.was_kept())
}

#[test]
fn a_plan_is_run_with_other_parameters() {
    let world = world();
    let query = "FOR d IN c FILTER d.n == @n RETURN CONCAT(@text, d.n) /* other parameters */";
    assert_eq!(run(&world, query, r#"{"n":3,"text":"a"}"#), (String::from(r#"["a3"]"#), false));
    assert_eq!(run(&world, query, r#"{"n":40,"text":"b"}"#), (String::from(r#"["b40"]"#), true));
    assert_eq!(run(&world, query, r#"{"n":400,"text":"b"}"#), (String::from("[]"), true));
}

#[test]
fn what_follows_from_parameters_is_computed_for_each_run() {
    let world = world();
    let query = "LET id = CONCAT('c/', @key) FOR d IN c FILTER d._id == id RETURN [d.n, @n * 2 + 1] /* follows */";
    assert_eq!(run(&world, query, r#"{"key":"5","n":1}"#), (String::from("[[5,3]]"), false));
    assert_eq!(run(&world, query, r#"{"key":"6","n":20}"#), (String::from("[[6,41]]"), true));
}

#[test]
fn parameters_of_other_types_have_another_plan() {
    let world = world();
    let query = "FOR d IN c FILTER d.n == @n LIMIT 1 RETURN d.n /* types */";
    assert_eq!(run(&world, query, r#"{"n":3}"#).0, "[3]");
    assert_eq!(run(&world, query, r#"{"n":null}"#), (String::from("[]"), false));
    assert_eq!(run(&world, query, r#"{"n":"3"}"#), (String::from("[]"), false));
    assert_eq!(run(&world, query, r#"{"n":4}"#), (String::from("[4]"), true));
}

#[test]
fn a_parameter_that_decides_has_to_agree() {
    let world = world();
    let query = "FOR d IN c FILTER @code == null OR d.code == @code SORT d.n LIMIT @offset, 2 RETURN d.n /* decides */";
    assert_eq!(run(&world, query, r#"{"code":null,"offset":0}"#), (String::from("[1,2]"), false));
    assert_eq!(run(&world, query, r#"{"code":"K1","offset":0}"#), (String::from("[1,8]"), false));
    assert_eq!(run(&world, query, r#"{"code":"K2","offset":0}"#), (String::from("[2,9]"), true));
    assert_eq!(run(&world, query, r#"{"code":"K2","offset":1}"#), (String::from("[9,16]"), false));
    assert_eq!(run(&world, query, r#"{"code":null,"offset":0}"#), (String::from("[1,2]"), true));
}

#[test]
fn a_plan_ends_with_its_index_and_with_the_size_of_its_collection() {
    let world = world();
    let query = "FOR d IN c FILTER d.n == @n RETURN d.n /* ends */";
    run(&world, query, r#"{"n":3}"#);
    assert!(run(&world, query, r#"{"n":4}"#).1);
    world.index("c", r#"{"type":"persistent","fields":["n","code"]}"#);
    assert_eq!(run(&world, query, r#"{"n":5}"#), (String::from("[5]"), false));
    assert!(run(&world, query, r#"{"n":6}"#).1);
    world.rows("FOR n IN 101..1000 INSERT { n } INTO c");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(run(&world, query, r#"{"n":500}"#), (String::from("[500]"), false));
}

#[test]
fn an_object_that_names_a_vertex_is_looked_at_each_time() {
    let world = World::new(&[("c", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    world.rows("FOR n IN 1..3 INSERT { _key: TO_STRING(n) } INTO c");
    world.rows("INSERT { _from: 'c/1', _to: 'c/2' } INTO e");
    let query = "FOR v IN 1..1 OUTBOUND @start e RETURN v._key /* names a vertex */";
    let found = |start: &str| {
        let parameters = json(&format!("{{\"start\":{start}}}"));
        let outcome = world.run_with(query, &parameters, &QueryOptions::default(), RunContext::default());
        outcome.map(|outcome| Value::array(outcome.rows).to_json()).map_err(|error| error.num)
    };
    for _ in 0..2 {
        assert_eq!(found("{}"), Ok(String::from("[]")));
        assert_eq!(found(r#"{"_id":"c/1"}"#), Ok(String::from(r#"["2"]"#)));
        assert_eq!(found(r#"{"_id":null}"#), Err(1501));
        assert_eq!(found(r#""c/1""#), Ok(String::from(r#"["2"]"#)));
        assert_eq!(found(r#""c/3""#), Ok(String::from("[]")));
    }
}

#[test]
fn an_example_with_a_null_is_another_one_than_without() {
    let world = world();
    let query = "UPSERT @example INSERT { made: true } UPDATE { found: true } IN c RETURN OLD == null /* example */";
    assert_eq!(run(&world, query, r#"{"example":{"n":1}}"#).0, "[false]");
    assert_eq!(run(&world, query, r#"{"example":{"n":1,"code":null}}"#), (String::from("[true]"), false));
}

#[test]
fn parameters_that_are_no_object_are_an_error_with_a_plan_as_well() {
    let world = world();
    let query = "FOR d IN c FILTER d.n == 3 RETURN d.n /* no object */";
    run(&world, query, "null");
    assert!(run(&world, query, "{}").1);
    let refused = world.run_with(query, &json("[]"), &QueryOptions::default(), RunContext::default());
    assert_eq!(refused.map(|_| ()).map_err(|error| error.num), Err(1550));
}

#[test]
fn what_warns_while_it_is_planned_warns_each_time() {
    let world = world();
    let query = "RETURN 1 / @n /* warns */";
    for n in ["1", "0", "0", "2", "0"] {
        let parameters = json(&format!("{{\"n\":{n}}}"));
        let outcome =
            world.run_with(query, &parameters, &QueryOptions::default(), RunContext::default()).expect("runs");
        assert_eq!(outcome.warnings.len(), usize::from(n == "0"), "{n}");
    }
}

#[test]
fn rights_and_declarations_are_asked_for_each_time() {
    let server = Server::start();
    server.collection("c", 9);
    let user = body!({"user": "ann", "passwd": "a"});
    assert_eq!(server.root(Method::POST, "/_api/user", &user).0, 201);
    assert_eq!(server.root(Method::PUT, "/_api/user/ann/database/_system", &body!({"grant": "rw"})).0, 200);
    assert_eq!(server.root(Method::PUT, "/_api/user/ann/database/_system/c", &body!({"grant": "ro"})).0, 200);
    let read = body!({"query": "FOR d IN c FILTER d._key == @key RETURN d.n /* asked */", "bindVars": {"key": "3"}});
    let write = body!({"query": "UPDATE @key WITH {n: 3} IN c /* asked */", "bindVars": {"key": "3"}});
    for query in [&read, &write] {
        for _ in 0..2 {
            assert_eq!(server.root(Method::POST, "/_api/cursor", query).0, 201);
        }
    }
    assert_eq!(server.as_user(("ann", "a"), Method::POST, "/_api/cursor", &read).0, 201);
    assert_eq!(server.as_user(("ann", "a"), Method::POST, "/_api/cursor", &write).0, 403);
    assert_eq!(server.root(Method::PUT, "/_api/user/ann/database/_system/c", &body!({"grant": "none"})).0, 200);
    assert_eq!(server.as_user(("ann", "a"), Method::POST, "/_api/cursor", &read).0, 403);
    let declared = body!({"collections": {"read": ["c"]}, "allowImplicit": false});
    let begun = server.root(Method::POST, "/_api/transaction/begin", &declared).1;
    let id = begun["result"]["id"].as_str().expect("a number");
    assert_eq!(server.in_transaction(id, Method::POST, "/_api/cursor", &read).0, 201);
    let (status, refused) = server.in_transaction(id, Method::POST, "/_api/cursor", &write);
    assert_eq!((status, refused["errorNum"].as_i64()), (400, Some(1652)), "{refused}");
}
