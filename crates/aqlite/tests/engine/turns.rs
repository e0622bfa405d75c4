//! Requests that run queries take turns; who wants to see or end them, and who is in a transaction, waits for none of them.

use std::time::Duration;

use crate::server::{Server, request};
use aqlite::{Engine, Options, Settings};
use http::Method;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

const THREADS: usize = 2;

fn start() -> Server {
    let directory = tempfile::tempdir().expect("directory");
    let options =
        Options { data_dir: directory.path().to_owned(), root_password: "secret".to_owned(), jwt_secret: None };
    let settings = Settings { query_threads: THREADS, ..Settings::default() };
    Server::of(Engine::open_with(options, settings).expect("engine"), directory)
}

async fn ask(server: &Server, method: Method, path: &str, body: &Value) -> (u16, Value) {
    let response = server.engine.answer(request(("root", "secret"), method, path, body)).await;
    (response.status().as_u16(), serde_json::from_slice(response.body()).unwrap_or(Value::Null))
}

/// A query on its way.
fn query(server: &Server, text: &str) -> JoinHandle<(u16, Value)> {
    let engine = server.engine.clone();
    let body = json!({"query": text});
    tokio::spawn(async move {
        let response = engine.answer(request(("root", "secret"), Method::POST, "/_api/cursor", &body)).await;
        (response.status().as_u16(), serde_json::from_slice(response.body()).unwrap_or(Value::Null))
    })
}

async fn running(server: &Server) -> Vec<String> {
    let (status, list) = ask(server, Method::GET, "/_api/query/current", &Value::Null).await;
    assert_eq!(status, 200);
    let ids = list.as_array().expect("a list").iter();
    ids.map(|query| query["id"].as_str().expect("id").to_owned()).collect()
}

async fn until_running(server: &Server, count: usize) -> Vec<String> {
    loop {
        let ids = running(server).await;
        if ids.len() == count {
            return ids;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

const LONG: &str = "RETURN SLEEP(1000)";

#[tokio::test]
async fn who_wants_to_see_or_end_queries_never_waits_for_them() {
    let server = start();
    let long: Vec<_> = (0..2 * THREADS).map(|_| query(&server, LONG)).collect();
    let ids = until_running(&server, THREADS).await;
    for path in ["/_api/version", "/_admin/metrics/v2", "/_admin/server/availability", "/_api/query/slow"] {
        assert_eq!(ask(&server, Method::GET, path, &Value::Null).await.0, 200, "{path}");
    }
    let login = json!({"username": "root", "password": "secret"});
    assert_eq!(ask(&server, Method::POST, "/_open/auth", &login).await.0, 200);
    assert!(long.iter().all(|query| !query.is_finished()));
    // those who wait get their turn when others end
    for id in ids {
        assert_eq!(ask(&server, Method::DELETE, &format!("/_api/query/{id}"), &Value::Null).await.0, 200);
    }
    let mut ended = Vec::new();
    for query in long {
        while !query.is_finished() {
            for id in running(&server).await {
                ask(&server, Method::DELETE, &format!("/_api/query/{id}"), &Value::Null).await;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        ended.push(query.await.expect("lives").1["errorNum"].clone());
    }
    assert_eq!(ended, vec![json!(1500); 2 * THREADS]);
}

#[tokio::test]
async fn a_transaction_goes_on_while_others_wait_for_what_it_holds() {
    let server = start();
    server.collection("c", 0);
    let body = json!({"collections": {"exclusive": ["c"]}});
    let (_, begun) = ask(&server, Method::POST, "/_api/transaction/begin", &body).await;
    let id = begun["result"]["id"].as_str().expect("id").to_owned();
    let waiting: Vec<_> = (0..2 * THREADS).map(|_| query(&server, "INSERT {} INTO c")).collect();
    until_running(&server, THREADS).await;
    let insert = json!({"query": "INSERT {} INTO c"});
    let mut insertion = request(("root", "secret"), Method::POST, "/_api/cursor", &insert);
    insertion.headers_mut().insert("x-arango-trx-id", id.parse().expect("a number"));
    assert_eq!(server.engine.answer(insertion).await.status(), 201);
    assert!(waiting.iter().all(|query| !query.is_finished()));
    assert_eq!(ask(&server, Method::PUT, &format!("/_api/transaction/{id}"), &Value::Null).await.0, 200);
    for query in waiting {
        assert_eq!(query.await.expect("lives").0, 201);
    }
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([1 + 2 * THREADS]));
}

#[tokio::test]
async fn nobody_waiting_for_the_answer_ends_the_query() {
    let server = start();
    server.collection("c", 0);
    let query = query(&server, "INSERT {} INTO c LET s = SLEEP(1000) RETURN s");
    until_running(&server, 1).await;
    query.abort();
    until_running(&server, 0).await;
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
}

#[tokio::test]
async fn who_goes_away_before_the_turn_has_asked_nothing() {
    let server = start();
    server.collection("c", 0);
    let long: Vec<_> = (0..THREADS).map(|_| query(&server, LONG)).collect();
    until_running(&server, THREADS).await;
    let insert = query(&server, "INSERT {} INTO c");
    tokio::task::yield_now().await;
    insert.abort();
    assert!(insert.await.is_err());
    for query in long {
        query.abort();
    }
    until_running(&server, 0).await;
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
}

#[tokio::test]
async fn the_list_of_queries_tells_which_of_them_write() {
    let server = start();
    server.collection("c", 0);
    let queries = [query(&server, LONG), query(&server, "INSERT {} INTO c LET s = SLEEP(1000) RETURN s")];
    let writes = async || {
        let (_, list) = ask(&server, Method::GET, "/_api/query/current", &Value::Null).await;
        let mut shown: Vec<(bool, bool)> = list.as_array().expect("a list").iter().map(shown).collect();
        shown.sort_unstable();
        shown
    };
    // whether it writes is known when it is planned
    while writes().await != [(false, false), (true, true)] {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    queries.iter().for_each(JoinHandle::abort);
    until_running(&server, 0).await;
}

/// Whether a query is one that inserts, and whether the list says that it writes.
fn shown(query: &Value) -> (bool, bool) {
    let text = query["query"].as_str().expect("a text");
    (text.contains("INSERT"), query["modificationQuery"].as_bool().expect("a flag"))
}

#[tokio::test]
async fn beyond_the_queue_a_request_is_refused_and_told_when_to_come_again() {
    let server = start();
    let long: Vec<_> = (0..THREADS).map(|_| query(&server, LONG)).collect();
    until_running(&server, THREADS).await;
    // as many as wait
    let waiting: Vec<_> = (0..16 * THREADS).map(|_| query(&server, "RETURN 1")).collect();
    // each of them comes to wait when it is its turn on this one thread
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let asked = request(("root", "secret"), Method::POST, "/_api/cursor", &json!({"query": "RETURN 1"}));
    let refused = server.engine.answer(asked).await;
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "1");
    assert_eq!(ask(&server, Method::GET, "/_api/version", &Value::Null).await.0, 200);
    for query in waiting.into_iter().chain(long) {
        query.abort();
    }
    // those who went away hold no place in the queue, and what they ran has ended
    let (status, body) = query(&server, "RETURN 1").await.expect("lives");
    assert_eq!((status, &body["result"]), (201, &json!([1])));
}
