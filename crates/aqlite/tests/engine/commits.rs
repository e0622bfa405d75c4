//! The ends of stream transactions: they wait for the disk, and no thread waits with them.

use std::pin::pin;
use std::sync::mpsc;
use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Response};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::server::{Server, request};

/// A server with a transaction in which a document was written, and the path of the transaction.
fn server_with_transaction() -> (Server, String) {
    let server = Server::start();
    server.collection("c", 0);
    let begin = json!({"collections": {"write": ["c"]}, "waitForSync": true});
    let begun = server.root(Method::POST, "/_api/transaction/begin", &begin).1;
    let id = begun["result"]["id"].as_str().expect("id").to_owned();
    assert_eq!(server.in_transaction(&id, Method::POST, "/_api/document/c", &json!({"_key": "k"})).0, 202);
    (server, format!("/_api/transaction/{id}"))
}

async fn commit(server: &Server, path: &str) -> Response<Bytes> {
    server.engine.answer(request(("root", "secret"), Method::PUT, path, &Value::Null)).await
}

fn status(response: &Response<Bytes>) -> Value {
    let body: Value = serde_json::from_slice(response.body()).expect("JSON");
    body["result"]["status"].clone()
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).enable_all().build().expect("runtime")
}

#[test]
fn a_small_commit_needs_no_thread_of_its_own() {
    let (server, path) = server_with_transaction();
    let runtime = runtime();
    let (let_go, wait) = mpsc::channel::<()>();
    let only_thread = runtime.spawn_blocking(move || wait.recv());
    let committed = runtime.block_on(async { timeout(Duration::from_secs(20), commit(&server, &path)).await });
    assert_eq!(status(&committed.expect("nobody had to be waited for")), "committed");
    drop(let_go);
    assert!(runtime.block_on(only_thread).expect("the thread").is_err());
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([1]));
}

#[test]
fn who_commits_what_is_being_committed_hears_that_it_is() {
    let (server, path) = server_with_transaction();
    let (one, other) = runtime().block_on(async { tokio::join!(commit(&server, &path), commit(&server, &path)) });
    assert_eq!((status(&one), status(&other)), (json!("committed"), json!("committed")));
}

#[test]
fn a_commit_ends_also_when_nobody_waits_for_it() {
    let runtime = runtime();
    let _inside = runtime.enter();
    let left = || {
        let (server, path) = server_with_transaction();
        let mut begun = Context::from_waker(Waker::noop());
        let is_pending = pin!(commit(&server, &path)).poll(&mut begun).is_pending();
        is_pending.then_some((server, path))
    };
    // where the disk is fast and this thread is held up, one may end before it can be left
    let (server, path) = (0..20).find_map(|_| left()).expect("it waits for the disk");
    // whoever looks at the transaction waits until it has ended
    let (code, shown) = server.root(Method::GET, &path, &Value::Null);
    assert_eq!((code, &shown["result"]["status"]), (200, &json!("committed")));
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([1]));
}
