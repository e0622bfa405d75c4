//! Light requests are answered on the thread where they arrive, and with what they would be answered elsewhere. Whatever
//! computes for long, writes much or has to read the data file is not.

use std::future::Future;
use std::pin::pin;
use std::sync::mpsc::channel;
use std::task::{Context, Poll, Waker};

use crate::server::{Server, request};
use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

fn asked(query: &str) -> Request<Bytes> {
    request(("root", "secret"), Method::POST, "/_api/cursor", &json!({"query": query}))
}

/// Runs a test on a runtime with one thread for whatever may block.
fn with_one_thread(test: impl Future<Output = ()>) {
    Builder::new_current_thread().max_blocking_threads(1).build().expect("a runtime").block_on(test);
}

/// The answer, if it is told without the thread that may block, which is busy meanwhile.
fn at_once(server: &Server, request: Request<Bytes>) -> Option<Value> {
    let (busy, waiting) = channel::<()>();
    spawn_blocking(move || waiting.recv());
    let mut context = Context::from_waker(Waker::noop());
    let answer = match pin!(server.engine.answer(request)).poll(&mut context) {
        Poll::Ready(response) => Some(serde_json::from_slice(response.body()).expect("JSON")),
        Poll::Pending => None,
    };
    drop(busy);
    answer
}

async fn answer(server: &Server, request: Request<Bytes>) -> Value {
    let response = server.engine.answer(request).await;
    serde_json::from_slice(response.body()).expect("JSON")
}

/// Three parts of a whole, of which the data file has everything.
fn family() -> Server {
    let server = Server::start();
    server.collection("c", 50);
    assert_eq!(server.root(Method::POST, "/_api/collection", &json!({"name": "e", "type": 3})).0, 200);
    server.query("FOR n IN 2..4 INSERT {_from: 'c/1', _to: CONCAT('c/', n)} INTO e");
    assert_eq!(server.root(Method::PUT, "/_admin/wal/flush", &Value::Null).0, 200);
    server
}

#[test]
fn light_queries_are_answered_at_once_the_second_time() {
    with_one_thread(async {
        let server = family();
        for query in [
            "RETURN 1",
            "RETURN DOCUMENT('c/7')",
            "FOR d IN c FILTER d._key == '7' RETURN d.n",
            "FOR v IN 1..1 OUTBOUND 'c/1' e RETURN v",
            "FOR v IN OUTBOUND SHORTEST_PATH 'c/1' TO 'c/3' e RETURN v._key",
            "FOR d IN e FILTER d._from == 'c/1' RETURN {to: d._to, parts: LENGTH(FOR x IN e FILTER x._from == d._to RETURN 1)}",
            "FOR n IN 1..3 RETURN n * n",
            "RETURN DOCUMENT('nothing/1')",
        ] {
            // whether a text is light is remembered for all servers of the process: this one is nobody else's
            let query = &format!("{query} /* light */");
            let first = answer(&server, asked(query)).await;
            assert_eq!(first["error"], false, "{query}: {first}");
            let again = at_once(&server, asked(query)).unwrap_or_else(|| panic!("{query} is not answered at once"));
            assert_eq!(again["result"], first["result"], "{query}");
            assert_eq!(again["extra"]["warnings"], first["extra"]["warnings"], "{query}");
        }
    });
}

#[test]
fn a_document_that_is_in_memory_is_told_at_once() {
    with_one_thread(async {
        let server = family();
        let get = || request(("root", "secret"), Method::GET, "/_api/document/c/9", &Value::Null);
        let first = answer(&server, get()).await;
        assert_eq!(first["n"], 9);
        assert_eq!(at_once(&server, get()), Some(first));
    });
}

#[test]
fn what_takes_time_or_writes_is_done_elsewhere() {
    with_one_thread(async {
        let server = family();
        for query in [
            "RETURN SLEEP(0)",
            "RETURN REGEX_TEST('aaaa', '(a+)+b')",
            "FOR d IN c RETURN d",
            "FOR n IN 1..10000 FILTER n < 3 RETURN n",
            "FOR n IN 1..200 FOR v IN 1..1 OUTBOUND 'c/1' e RETURN v",
            "RETURN SUM(1..1000)",
            "FOR d IN c SORT d.n LIMIT 1 RETURN d",
            "RETURN LENGTH(c)",
            "UPDATE '1' WITH {seen: true} IN c",
        ] {
            for _ in 0..3 {
                let first = answer(&server, asked(query)).await;
                assert_eq!(first["error"], false, "{query}: {first}");
                assert!(at_once(&server, asked(query)).is_none(), "{query} is answered at once");
            }
        }
    });
}

#[test]
fn streams_and_transactions_go_their_way() {
    with_one_thread(async {
        let server = family();
        let query = "RETURN 1 /* which may stream */";
        answer(&server, asked(query)).await;
        assert!(at_once(&server, asked(query)).is_some());
        let body = json!({"query": query, "options": {"stream": true}});
        assert!(at_once(&server, request(("root", "secret"), Method::POST, "/_api/cursor", &body)).is_none());
        let mut detached = asked(query);
        detached.headers_mut().insert("x-arango-async", "store".parse().expect("a header"));
        assert!(at_once(&server, detached).is_none());
    });
}

#[test]
fn what_is_only_in_the_file_is_read_elsewhere_and_the_query_counted_once() {
    with_one_thread(async {
        let server = family();
        let get = |key: usize| {
            let body = json!({"query": "RETURN DOCUMENT(CONCAT('c/', @key)).n", "bindVars": {"key": key}});
            request(("root", "secret"), Method::POST, "/_api/cursor", &body)
        };
        answer(&server, get(1)).await;
        assert!(at_once(&server, get(1)).is_some());
        let before = server.metric("arangodb_aql_all_query_total");
        assert_eq!(answer(&server, get(30)).await["result"], json!([30]));
        assert_eq!(server.metric("arangodb_aql_all_query_total"), before + 1.0);
        // it is not tried again soon
        assert!(at_once(&server, get(1)).is_none());
        for _ in 0..20 {
            answer(&server, get(1)).await;
        }
        assert!(at_once(&server, get(1)).is_some());
    });
}

#[test]
fn rights_are_asked_for_as_ever() {
    with_one_thread(async {
        let server = family();
        let user = json!({"user": "ann", "passwd": "a"});
        assert_eq!(server.root(Method::POST, "/_api/user", &user).0, 201);
        let grant = json!({"grant": "ro"});
        assert_eq!(server.root(Method::PUT, "/_api/user/ann/database/_system", &grant).0, 200);
        assert_eq!(server.root(Method::PUT, "/_api/user/ann/database/_system/c", &json!({"grant": "none"})).0, 200);
        let query = "RETURN DOCUMENT('c/7') /* as ann */";
        answer(&server, asked(query)).await;
        assert!(at_once(&server, asked(query)).is_some());
        let refused = request(("ann", "a"), Method::POST, "/_api/cursor", &json!({"query": query}));
        assert_eq!(answer(&server, refused).await["errorNum"], 11);
        let refused = request(("ann", "a"), Method::GET, "/_api/document/c/7", &Value::Null);
        assert_eq!(answer(&server, refused).await["errorNum"], 11);
    });
}

#[test]
fn a_small_insert_is_committed_where_it_arrives_and_only_once() {
    let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().expect("a runtime");
    runtime.block_on(async {
        let server = Server::start();
        server.collection("c", 1);
        assert_eq!(server.root(Method::POST, "/_api/collection", &json!({"name": "u"})).0, 200);
        let unique = json!({"type": "persistent", "fields": ["n"], "unique": true});
        assert_eq!(server.root(Method::POST, "/_api/index?collection=u", &unique).0, 201);
        assert_eq!(server.root(Method::POST, "/_api/collection", &json!({"name": "s", "waitForSync": true})).0, 200);
        let insert = "INSERT {n: 7} INTO c RETURN NEW.n /* at once */";
        assert_eq!(answer(&server, asked(insert)).await["result"], json!([7]));
        let again = at_once(&server, asked(insert)).expect("nothing has to be read");
        assert_eq!(again["result"], json!([7]));
        assert_eq!(server.query("FOR d IN c FILTER d.n == 7 COLLECT WITH COUNT INTO n RETURN n"), json!([2]));
        server.query("INSERT {n: 1} INTO u");
        assert_eq!(server.root(Method::PUT, "/_admin/wal/flush", &Value::Null).0, 200);
        for elsewhere in [
            // whether there is such a value is looked up
            "INSERT {n: 1} INTO u OPTIONS {ignoreErrors: true} /* at once */",
            // it waits for the disk
            "INSERT {n: 1} INTO s /* at once */",
            "FOR i IN 1..100 INSERT {n: i} INTO c /* at once */",
        ] {
            assert_eq!(answer(&server, asked(elsewhere)).await["error"], false, "{elsewhere}");
            assert!(at_once(&server, asked(elsewhere)).is_none(), "{elsewhere}");
        }
        assert_eq!(server.query("RETURN LENGTH(u)"), json!([1]));
    });
}
