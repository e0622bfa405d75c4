//! Light requests are answered on the thread where they arrive, and with what they would be answered elsewhere. Whatever
//! computes for long, waits for the disk or has to read the data file is not.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
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
fn what_takes_time_is_done_elsewhere() {
    with_one_thread(async {
        let server = family();
        for query in [
            "RETURN SLEEP(0)",
            "FOR n IN 1..1 RETURN REGEX_TEST(CONCAT('aaaa', n), '(a+)+b')",
            "FOR d IN c RETURN d",
            "FOR n IN 1..10000 FILTER n < 3 RETURN n",
            "FOR n IN 1..200 FOR v IN 1..1 OUTBOUND 'c/1' e RETURN v",
            "RETURN SUM(1..1000)",
            "FOR d IN c SORT d.n LIMIT 1 RETURN d",
            "RETURN LENGTH(c)",
            "FOR n IN 1..1000 INSERT {n} INTO c",
            "INSERT {_key: UUID()} INTO c",
        ] {
            for _ in 0..3 {
                let first = answer(&server, asked(query)).await;
                assert_eq!(first["error"], false, "{query}: {first}");
                assert!(at_once(&server, asked(query)).is_none(), "{query} is answered at once");
            }
        }
    });
}

/// How many documents of `c` have an attribute.
async fn with_attribute(server: &Server, name: &str) -> Value {
    let query = format!("RETURN LENGTH(FOR d IN c FILTER HAS(d, '{name}') RETURN 1)");
    answer(server, asked(&query)).await["result"][0].clone()
}

/// The answer to one of several attempts: others may be committing at any time, and then it is not tried again soon.
fn soon_at_once(server: &Server, asked: impl Fn() -> Request<Bytes>) -> Value {
    (0..500).find_map(|_| at_once(server, asked())).expect("answered at once")
}

#[test]
fn a_small_write_is_done_at_once_and_only_once() {
    with_one_thread(async {
        let server = family();
        let query = "INSERT {small: true} INTO c";
        for count in 1..=200 {
            assert_eq!(answer(&server, asked(query)).await["extra"]["stats"]["writesExecuted"], 1);
            assert_eq!(with_attribute(&server, "small").await, count);
        }
        let done = soon_at_once(&server, || asked(query));
        assert_eq!(done["extra"]["stats"]["writesExecuted"], 1, "{done}");
    });
}

#[test]
fn a_document_that_was_just_read_is_changed_at_once() {
    with_one_thread(async {
        let server = family();
        let query =
            "FOR d IN c FILTER d._key == '7' UPDATE d WITH {seen: NOT_NULL(d.seen, 0) + 1} IN c RETURN NEW.seen";
        for count in 1..=50 {
            answer(&server, asked("RETURN DOCUMENT('c/7')")).await;
            assert_eq!(answer(&server, asked(query)).await["result"], json!([count]));
        }
        soon_at_once(&server, || asked(query));
    });
}

#[test]
fn what_waits_for_the_disk_or_has_rules_is_written_elsewhere() {
    with_one_thread(async {
        let server = family();
        let rule = json!({"rule": {"properties": {"n": {"type": "number"}}}, "level": "strict"});
        let computed = json!([{"name": "twice", "expression": "RETURN @doc.n * 2", "overwrite": true}]);
        for (name, property) in [
            ("synced", json!({"waitForSync": true})),
            ("ruled", json!({"schema": rule})),
            ("computing", json!({"computedValues": computed})),
        ] {
            let mut body = property;
            body["name"] = json!(name);
            assert_eq!(server.root(Method::POST, "/_api/collection", &body).0, 200);
            let query = format!("INSERT {{n: 1}} INTO {name}");
            for _ in 0..3 {
                assert_eq!(answer(&server, asked(&query)).await["error"], false, "{name}");
                assert!(at_once(&server, asked(&query)).is_none(), "{name}");
            }
        }
    });
}

#[test]
fn a_write_that_turns_out_to_read_the_file_leaves_nothing_in_its_transaction() {
    with_one_thread(async {
        let server = family();
        let insert = |keys: Value| {
            let body =
                json!({"query": "FOR k IN @keys INSERT {_key: k, new: true} INTO c", "bindVars": {"keys": keys}});
            asks(Method::POST, "/_api/cursor", &body)
        };
        assert_eq!(answer(&server, insert(json!(["p", "q"]))).await["error"], false);
        let writes = json!({"collections": {"write": ["c"]}});
        let transaction = begun(&answer(&server, asks(Method::POST, BEGIN, &writes)).await);
        for query in ["INSERT {_key: 'x'} INTO c", "REMOVE 'x' IN c"] {
            assert_eq!(answer(&server, within(&transaction, query)).await["error"], false);
        }
        // of the first it is known that it is not there; the second has to be looked for, and then both are written elsewhere
        let mut both = insert(json!(["x", "y"]));
        let id = transaction.rsplit('/').next().expect("a path").parse().expect("a header");
        both.headers_mut().insert("x-arango-trx-id", id);
        let written = answer(&server, both).await;
        assert_eq!(
            (&written["error"], &written["extra"]["stats"]["writesExecuted"]),
            (&json!(false), &json!(2)),
            "{written}"
        );
        let ended = answer(&server, asks(Method::PUT, &transaction, &Value::Null)).await;
        assert_eq!(ended["result"]["status"], "committed");
        assert_eq!(with_attribute(&server, "new").await, 4);
    });
}

#[test]
fn many_connections_write_at_once_and_elsewhere_and_nothing_is_lost_or_done_twice() {
    let server = Arc::new(family());
    let runtime = Builder::new_multi_thread().worker_threads(2).max_blocking_threads(4).build().expect("a runtime");
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let server = Arc::clone(&server);
            runtime.spawn(async move {
                for n in 0..50 {
                    let query =
                        if writer == 0 { "FOR n IN 1..50 INSERT {of: n} INTO c" } else { "INSERT {of: @of} INTO c" };
                    let bind = if writer == 0 { json!({}) } else { json!({"of": writer * 100 + n}) };
                    let body = json!({"query": query, "bindVars": bind});
                    let done = answer(&server, asks(Method::POST, "/_api/cursor", &body)).await;
                    assert_eq!(done["error"], false, "{done}");
                }
            })
        })
        .collect();
    runtime.block_on(async {
        for writer in writers {
            writer.await.expect("wrote everything");
        }
        assert_eq!(with_attribute(&server, "of").await, 50 * 50 + 7 * 50);
        let distinct = "RETURN LENGTH(UNIQUE(FOR d IN c FILTER d.of >= 100 RETURN d.of))";
        assert_eq!(answer(&server, asked(distinct)).await["result"], json!([350]));
    });
}

/// A query that computes and writes is not light, but may be brief.
const BRIEF: &str = "FOR n IN 1..1 INSERT {sum: MD5(n)} INTO c RETURN 1";

#[test]
fn what_was_brief_for_a_while_stays_on_its_thread() {
    let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().expect("a runtime");
    let test = runtime.spawn(async {
        let server = family();
        let query = &format!("{BRIEF} /* on a thread of several */");
        let rows = |answer: &Value| answer["result"].as_array().map(Vec::len);
        assert!(at_once(&server, asked(query)).is_none(), "nothing is known of it");
        make_brief(&server, query).await;
        assert_eq!(rows(&at_once(&server, asked(query)).expect("an answer on this thread")), Some(1));
        assert!(at_once(&server, asked(&format!("{query} + 1"))).is_none(), "another text is another query");
        let reads = "FOR n IN 1..1 RETURN MD5(n) /* on a thread of several */";
        assert!(at_once(&server, asked(reads)).is_none(), "nothing is known of it");
        make_brief(&server, reads).await;
    });
    runtime.block_on(test).expect("no assertion fails");
}

/// Runs a query until it is known to be brief. On a busy machine one of the runs may not be.
async fn make_brief(server: &Server, query: &str) {
    for _ in 0..100 {
        for _ in 0..8 {
            assert_eq!(answer(server, asked(query)).await["error"], false);
        }
        if at_once(server, asked(query)).is_some() {
            return;
        }
    }
    panic!("{query} is not brief");
}

#[test]
fn what_was_brief_and_has_to_wait_for_others_does_so_elsewhere_and_is_done_once() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let server = Arc::new(family());
    let query = format!("{BRIEF} /* and waits */");
    let count = || server.query("RETURN LENGTH(c)")[0].as_u64();
    runtime
        .block_on(runtime.spawn({
            let (server, query) = (Arc::clone(&server), query.clone());
            async move { make_brief(&server, &query).await }
        }))
        .expect("is brief");
    let before = count().expect("a number");
    let body = json!({"collections": {"exclusive": ["c"]}});
    let begun = server.root(Method::POST, "/_api/transaction/begin", &body).1;
    let holder = format!("/_api/transaction/{}", begun["result"]["id"].as_str().expect("id"));
    let waiting = runtime.spawn({
        let server = Arc::clone(&server);
        async move { answer(&server, asked(&query)).await }
    });
    // others are served by the only thread meanwhile
    let served = runtime.block_on(runtime.spawn({
        let server = Arc::clone(&server);
        async move { answer(&server, asked("RETURN 1 /* meanwhile */")).await }
    }));
    assert_eq!(served.expect("served")["result"], json!([1]));
    assert!(!waiting.is_finished());
    assert_eq!(server.root(Method::DELETE, &holder, &Value::Null).0, 200);
    assert_eq!(runtime.block_on(waiting).expect("an answer")["result"], json!([1]));
    assert_eq!(count(), Some(before + 1));
}

#[test]
fn what_was_brief_reads_from_the_disk_where_it_has_to() {
    let directory = tempfile::tempdir().expect("directory");
    let open = || {
        let options = aqlite::Options {
            data_dir: directory.path().to_owned(),
            root_password: "secret".to_owned(),
            jwt_secret: Some("key".to_owned()),
        };
        Server::of(aqlite::Engine::open(options).expect("engine"), tempfile::tempdir().expect("directory"))
    };
    let query = "FOR d IN c FILTER d._key == '7' UPDATE d WITH {sum: MD5(d.n)} IN c RETURN OLD.n /* from the disk */";
    let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(2).build().expect("a runtime");
    let server = open();
    server.collection("c", 50);
    let test = runtime.spawn(async move {
        make_brief(&server, query).await;
        server.engine.close().expect("closed");
    });
    runtime.block_on(test).expect("is brief");
    let server = open();
    let test = runtime.spawn(async move {
        assert_eq!(answer(&server, asked(query)).await["result"], json!([7]));
        server.engine.close().expect("closed");
    });
    runtime.block_on(test).expect("an answer");
}

#[test]
fn where_one_thread_does_everything_it_is_not_held_up_by_what_is_brief() {
    with_one_thread(async {
        let server = family();
        let query = &format!("{BRIEF} /* on the only thread */");
        for _ in 0..9 {
            answer(&server, asked(query)).await;
        }
        assert!(at_once(&server, asked(query)).is_none());
    });
}

#[test]
fn what_is_light_needs_no_runtime() {
    let server = family();
    let query = "RETURN 1 /* without a runtime */";
    server.query(query);
    let get = request(("root", "secret"), Method::GET, "/_api/document/c/7", &Value::Null);
    assert_eq!(server.root(Method::GET, "/_api/document/c/7", &Value::Null).0, 200);
    let mut context = Context::from_waker(Waker::noop());
    for light in [asked(query), get] {
        assert!(pin!(server.engine.answer(light)).poll(&mut context).is_ready());
    }
}

#[test]
fn streams_and_jobs_go_their_way() {
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

const BEGIN: &str = "/_api/transaction/begin";

/// A request in the name of root.
fn asks(method: Method, path: &str, body: &Value) -> Request<Bytes> {
    request(("root", "secret"), method, path, body)
}

/// The path of a transaction that was begun.
fn begun(answer: &Value) -> String {
    format!("/_api/transaction/{}", answer["result"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")))
}

/// A query within a transaction.
fn within(path: &str, query: &str) -> Request<Bytes> {
    let mut request = asked(query);
    let id = path.rsplit('/').next().expect("a path").parse().expect("a header");
    request.headers_mut().insert("x-arango-trx-id", id);
    request
}

#[test]
fn a_transaction_that_reads_needs_no_other_thread() {
    with_one_thread(async {
        let server = family();
        let query = "FOR d IN c FILTER d._key == '7' RETURN d.n /* in a transaction */";
        answer(&server, asked(query)).await;
        let reads = json!({"collections": {"read": ["c"]}});
        let transaction = begun(&at_once(&server, asks(Method::POST, BEGIN, &reads)).expect("begun at once"));
        let found = at_once(&server, within(&transaction, query)).expect("answered at once");
        assert_eq!(found["result"], json!([7]));
        let ended = at_once(&server, asks(Method::PUT, &transaction, &Value::Null)).expect("ended at once");
        assert_eq!(ended["result"]["status"], "committed");
        let other = begun(&at_once(&server, asks(Method::POST, BEGIN, &reads)).expect("begun at once"));
        let ended = at_once(&server, asks(Method::DELETE, &other, &Value::Null)).expect("given up at once");
        assert_eq!(ended["result"]["status"], "aborted");
    });
}

#[test]
fn a_transaction_reads_its_own_writes_and_is_given_up_elsewhere() {
    with_one_thread(async {
        let server = family();
        let query = "FOR d IN c FILTER d._key == '7' RETURN d.n /* after a write */";
        answer(&server, asked(query)).await;
        let writes = json!({"collections": {"write": ["c"]}});
        for method in [Method::PUT, Method::DELETE] {
            let transaction = begun(&at_once(&server, asks(Method::POST, BEGIN, &writes)).expect("begun at once"));
            let update = within(&transaction, "UPDATE '7' WITH {n: 70} IN c");
            assert_eq!(answer(&server, update).await["error"], false);
            assert_eq!(answer(&server, within(&transaction, query)).await["result"], json!([70]));
            if method == Method::DELETE {
                assert!(at_once(&server, asks(Method::DELETE, &transaction, &Value::Null)).is_none());
            }
            let ended = answer(&server, asks(method, &transaction, &Value::Null)).await;
            assert_eq!(ended["error"], false, "{ended}");
        }
    });
}

#[test]
fn who_waits_for_a_collection_waits_elsewhere() {
    with_one_thread(async {
        let server = family();
        let alone = json!({"collections": {"exclusive": ["c"]}});
        let first = begun(&at_once(&server, asks(Method::POST, BEGIN, &alone)).expect("begun at once"));
        for collections in [json!({"write": ["c"]}), json!({"exclusive": ["c"]}), json!({"write": ["e", "c"]})] {
            let second = json!({"collections": collections, "lockTimeout": 0.01});
            assert!(at_once(&server, asks(Method::POST, BEGIN, &second)).is_none(), "{second}");
            assert_eq!(answer(&server, asks(Method::POST, BEGIN, &second)).await["errorNum"], 18, "{second}");
        }
        answer(&server, asks(Method::PUT, &first, &Value::Null)).await;
        let others = json!({"collections": {"exclusive": ["c", "e"]}});
        assert!(at_once(&server, asks(Method::POST, BEGIN, &others)).is_some(), "nothing is left behind");
    });
}
