//! `/_api/dump`: how tools read whole collections.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Method, Request, Response};
use serde_json::{Value, json};

use aqlite::memory::Limits;

use crate::memory::server as with_memory;
use crate::server::Server;

fn send(server: &Server, user: &str, method: Method, path: &str, body: &Value) -> Response<Bytes> {
    let login = format!("Basic {}", STANDARD.encode(user));
    let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let request = Request::builder().method(method).uri(path).header("authorization", login);
    server.engine.handle(request.body(body).expect("a request"))
}

fn root(server: &Server, method: Method, path: &str, body: &Value) -> Response<Bytes> {
    send(server, "root:secret", method, path, body)
}

/// Starts a dump and gives its name.
fn start(server: &Server, body: &Value) -> String {
    let response = root(server, Method::POST, "/_api/dump/start", body);
    assert_eq!(response.status(), 201);
    response.headers()["x-arango-dump-id"].to_str().expect("a name").to_owned()
}

/// The collection and the documents of a batch, or nothing when there are no more.
fn next(server: &Server, dump: &str, parameters: &str) -> Option<(String, Vec<Value>)> {
    let response = root(server, Method::POST, &format!("/_api/dump/next/{dump}?{parameters}"), &Value::Null);
    if response.status() == 204 {
        return None;
    }
    assert_eq!(response.status(), 200, "{:?}", response.body());
    let collection = response.headers()["x-arango-dump-shard-id"].to_str().expect("a name").to_owned();
    let lines = std::str::from_utf8(response.body()).expect("text").lines();
    Some((collection, lines.map(|line| serde_json::from_str(line).expect("a document")).collect()))
}

#[test]
fn a_dump_gives_every_document_of_the_state_at_its_start_in_batches() {
    let server = Server::start();
    server.collection("a", 200);
    server.collection("b", 3);
    server.collection("empty", 0);
    let dump = start(&server, &json!({"batchSize": 1024, "shards": ["empty", "a", "b", "a"]}));
    server.query("FOR d IN b REMOVE d IN b");
    server.query("INSERT { _key: 'later' } INTO a");
    let (mut counts, mut batches) = (std::collections::BTreeMap::new(), 0);
    while let Some((collection, documents)) = next(&server, &dump, &format!("batchId={batches}")) {
        assert!(documents.iter().all(|d| d["_id"].as_str().is_some_and(|id| id.starts_with(&collection))));
        *counts.entry(collection).or_insert(0) += documents.len();
        batches += 1;
    }
    assert_eq!(counts, [("a".to_owned(), 200), ("b".to_owned(), 3)].into());
    assert!(batches > 5, "{batches} batches");
}

#[test]
fn a_batch_is_given_again_until_the_client_says_that_it_has_it() {
    let server = Server::start();
    server.collection("c", 100);
    let dump = start(&server, &json!({"batchSize": 1024, "shards": ["c"]}));
    let first = next(&server, &dump, "batchId=0");
    assert_eq!(next(&server, &dump, "batchId=0"), first);
    let second = next(&server, &dump, "batchId=1&lastBatch=0");
    assert_ne!(second, first);
    let third = next(&server, &dump, "batchId=0");
    assert!(third != first && third != second, "the number is free for another batch");
}

#[test]
fn batches_that_are_kept_count_and_who_is_refused_one_misses_nothing() {
    let server = with_memory(Limits { query: 0, together: 6 << 20 });
    server.collection("c", 3);
    for _ in 0..30 {
        server.query("FOR i IN 1..400 INSERT { text: REPEAT('x', 1000) } INTO c");
    }
    let dump = start(&server, &json!({"batchSize": 1 << 20, "shards": ["c"]}));
    let path = |number: u32, received: &str| format!("/_api/dump/next/{dump}?batchId={number}{received}");
    let (mut number, mut received, mut lines) = (0, String::new(), 0);
    let mut refused = 0;
    loop {
        let answer = root(&server, Method::POST, &path(number, &received), &Value::Null);
        match answer.status().as_u16() {
            200 => {
                lines += answer.body().split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
                assert!(server.metric("arangodb_aql_global_memory_usage") > 1e6 * f64::from(number.min(2)));
                (number, received) = (number + 1, String::new());
            }
            204 => break,
            status => {
                assert_eq!(status, 503);
                assert!(String::from_utf8_lossy(answer.body()).contains("\"errorNum\":32"));
                // all that came are there by now
                refused += 1;
                received = format!("&lastBatch={}", refused - 1);
            }
        }
    }
    assert_eq!(lines, 12_003);
    assert!(refused > 0 && number > 10, "{refused} {number}");
    root(&server, Method::DELETE, &format!("/_api/dump/{dump}"), &Value::Null);
    assert_eq!(server.metric("arangodb_aql_global_memory_usage"), 0.0);
}

#[test]
fn the_lines_of_a_dump_show_only_what_was_asked_for() {
    let server = Server::start();
    server.root(Method::POST, "/_api/collection", &json!({"name": "c"}));
    server.query("INSERT { _key: '1', a: { b: 7 }, c: 'x' } INTO c");
    let projections = json!({"_id": ["_id"], "deep": ["a", "b"], "none": ["a", "x"]});
    let dump = start(&server, &json!({"batchSize": 1024, "shards": ["c"], "projections": projections}));
    let (_, documents) = next(&server, &dump, "batchId=0").expect("a batch");
    assert_eq!(documents, [json!({"_id": "c/1", "deep": 7, "none": null})]);
}

#[test]
fn a_dump_is_for_who_started_it_and_may_read_and_is_gone_when_it_is_ended() {
    let server = Server::start();
    server.collection("c", 1);
    server.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw"}));
    server.root(Method::PUT, "/_api/user/ann/database/_system", &json!({"grant": "ro"}));
    server.root(Method::PUT, "/_api/user/ann/database/_system/c", &json!({"grant": "none"}));
    let body = json!({"batchSize": 1024, "shards": ["c"]});
    assert_eq!(send(&server, "ann:pw", Method::POST, "/_api/dump/start", &body).status(), 403);
    let dump = start(&server, &body);
    let fetch = format!("/_api/dump/next/{dump}?batchId=0");
    assert_eq!(send(&server, "ann:pw", Method::POST, &fetch, &Value::Null).status(), 403);
    assert_eq!(root(&server, Method::DELETE, &format!("/_api/dump/{dump}"), &Value::Null).status(), 200);
    assert_eq!(root(&server, Method::POST, &fetch, &Value::Null).status(), 404);
    let missing = json!({"batchSize": 1024, "shards": ["nosuch"]});
    assert_eq!(server.root(Method::POST, "/_api/dump/start", &missing).1["errorNum"], 1203);
    assert_eq!(server.root(Method::POST, "/_api/dump", &body).1["errorNum"], 10);
}
