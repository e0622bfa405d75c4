//! Commits in between: a statement that asks for them can write more than a transaction may, and what it has committed
//! stays when the rest fails.

use crate::server::Server;
use http::Method;
use serde_json::{Value, json};

/// Two thousand five hundred documents, then one whose key is taken.
const FAILS: &str = "FOR i IN 1..3000 INSERT { _key: TO_STRING(i == 2501 ? 1 : i) } INTO c";

fn run(server: &Server, query: &str, options: &Value) -> (u16, Value) {
    server.root(Method::POST, "/_api/cursor", &json!({"query": query, "options": options}))
}

fn start() -> Server {
    let server = Server::start();
    server.collection("c", 0);
    server
}

#[test]
fn a_failing_statement_keeps_what_it_has_committed_in_between() {
    let server = start();
    let (status, body) = run(&server, FAILS, &json!({"intermediateCommitCount": 1000}));
    assert_eq!((status, &body["errorNum"]), (409, &json!(1210)));
    assert_eq!(server.query("FOR d IN c COLLECT WITH COUNT INTO n RETURN n"), json!([2000]));
    assert_eq!(
        server.query("FOR k IN ['1', '2000', '2001'] RETURN DOCUMENT('c', k) != null"),
        json!([true, true, false])
    );
}

#[test]
fn without_asking_nothing_of_a_failing_statement_stays() {
    let server = start();
    for options in [json!({}), json!({"intermediateCommitCount": 0, "intermediateCommitSize": 0})] {
        assert_eq!(run(&server, FAILS, &options).1["errorNum"], 1210);
        assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
    }
}

#[test]
fn the_size_of_what_was_written_can_be_the_reason_as_well() {
    let server = start();
    let query = "FOR i IN 1..100 INSERT { text: REPEAT('x', 1000), fail: i == 100 ? FAIL('here') : 0 } INTO c";
    let (_, body) = run(&server, query, &json!({"intermediateCommitSize": 20_000}));
    assert_eq!(body["errorNum"], 1569);
    let kept = server.query("RETURN LENGTH(c)")[0].as_i64().expect("a number");
    assert!((80..100).contains(&kept) && kept % 19 == 0, "{kept}");
}

#[test]
fn the_statistics_tell_how_often_a_statement_has_committed() {
    let server = start();
    let query = "FOR i IN 1..2500 INSERT { i } INTO c";
    let commits = |options: Value| run(&server, query, &options).1["extra"]["stats"]["intermediateCommits"].clone();
    assert_eq!(commits(json!({"intermediateCommitCount": 1000})), 2);
    assert_eq!(commits(json!({})), 0);
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([5000]));
}

#[test]
fn a_stream_transaction_never_commits_in_between() {
    let server = start();
    let body = json!({"collections": {"write": ["c"]}, "intermediateCommitCount": 10});
    let (status, begun) = server.root(Method::POST, "/_api/transaction/begin", &body);
    assert_eq!(status, 201);
    let id = begun["result"]["id"].as_str().expect("id").to_owned();
    let query = json!({"query": "FOR i IN 1..100 INSERT { i } INTO c", "options": {"intermediateCommitCount": 10}});
    let (status, body) = server.in_transaction(&id, Method::POST, "/_api/cursor", &query);
    assert_eq!((status, &body["extra"]["stats"]["intermediateCommits"]), (201, &json!(0)));
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
    assert_eq!(server.root(Method::DELETE, &format!("/_api/transaction/{id}"), &Value::Null).0, 200);
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
}

#[test]
fn a_statement_can_write_more_than_a_transaction_may() {
    let server = start();
    let query = "FOR i IN 1..500 INSERT { text: REPEAT('x', 1000) } INTO c";
    let limit = |more: Value| {
        let mut options = json!({"maxTransactionSize": 100_000});
        options.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        run(&server, query, &options)
    };
    assert_eq!(limit(json!({})).1["errorNum"], 32);
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
    let (status, body) = limit(json!({"intermediateCommitSize": 50_000}));
    assert_eq!(status, 201, "{body}");
    assert!(body["extra"]["stats"]["peakMemoryUsage"].as_u64() < Some(200_000), "{body}");
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([500]));
}

#[test]
fn a_statement_reads_the_state_at_its_start_and_may_write_on_what_it_has_committed() {
    let server = start();
    server.query("FOR i IN 1..100 INSERT { _key: TO_STRING(i), n: 0 } INTO c");
    let update = "FOR d IN c UPDATE d WITH { n: d.n + 1 } IN c";
    assert_eq!(run(&server, update, &json!({"intermediateCommitCount": 7})).0, 201);
    assert_eq!(server.query("FOR d IN c COLLECT n = d.n WITH COUNT INTO m RETURN [n, m]"), json!([[1, 100]]));
    let twice = "FOR i IN 1..50 FOR k IN ['1', '2'] UPDATE k WITH { n: i } IN c";
    assert_eq!(run(&server, twice, &json!({"intermediateCommitCount": 3})).0, 201);
    assert_eq!(server.query("FOR k IN ['1', '2'] RETURN DOCUMENT('c', k).n"), json!([50, 50]));
    let upsert = "FOR i IN 1..100 UPSERT { x: i % 10 } INSERT { x: i % 10, m: 1 } UPDATE { m: OLD.m + 1 } IN c";
    assert_eq!(run(&server, upsert, &json!({"intermediateCommitCount": 3})).0, 201);
    assert_eq!(server.query("FOR d IN c FILTER d.x != null RETURN DISTINCT d.m"), json!([10]));
    let remove = "FOR d IN c REMOVE d IN c";
    assert_eq!(run(&server, remove, &json!({"intermediateCommitCount": 9})).0, 201);
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
}

#[test]
fn an_import_can_commit_in_between() {
    let server = start();
    let lines: Vec<Value> =
        (1..=250).map(|i| json!({"_key": if i == 250 { "1".to_owned() } else { i.to_string() }})).collect();
    let import = |more: &str| {
        let path = format!("/_api/import?collection=c&type=list&complete=true{more}");
        server.root(Method::POST, &path, &json!(lines)).1["errorNum"].clone()
    };
    assert_eq!(import(""), 1210);
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
    assert_eq!(import("&intermediateCommitCount=100"), 1210);
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([200]));
}
