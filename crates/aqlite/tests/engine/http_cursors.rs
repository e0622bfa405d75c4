//! Cursors over the HTTP API: batches, streaming, expiry, the cache of results, limits.

use std::time::{Duration, Instant};

use crate::server::Server;
use http::Method;
use serde_json::{Value, json};

fn numbers(body: &Value) -> Vec<i64> {
    body["result"].as_array().expect("rows").iter().filter_map(Value::as_i64).collect()
}

#[test]
fn a_streaming_cursor_gives_the_same_rows_as_any_other() {
    let server = Server::start();
    for stream in [false, true] {
        let options = json!({"query": "FOR n IN 1..25 RETURN n", "batchSize": 10, "options": {"stream": stream}});
        let (status, mut body) = server.root(Method::POST, "/_api/cursor", &options);
        assert_eq!(status, 201);
        let mut rows = numbers(&body);
        while body["hasMore"] == true {
            // what a streaming query did is known at its end
            assert_eq!(body["extra"].is_null(), stream);
            let path = format!("/_api/cursor/{}", body["id"].as_str().expect("id"));
            body = server.root(Method::POST, &path, &Value::Null).1;
            rows.extend(numbers(&body));
        }
        assert_eq!(rows, (1..=25).collect::<Vec<_>>());
        assert_eq!(body["extra"]["warnings"], json!([]));
    }
}

#[test]
fn whole_documents_of_a_scan_are_the_same_however_often_they_are_sent() {
    let server = Server::start();
    server.root(Method::POST, "/_api/collection", &json!({"name": "c"}));
    let ask = |query: &str| {
        let (status, body) = server.root(Method::POST, "/_api/cursor", &json!({"query": query, "batchSize": 10_000}));
        assert_eq!(status, 201, "{body}");
        body["result"].clone()
    };
    ask(r#"FOR i IN 1..400 INSERT {_key: TO_STRING(i), text: CONCAT("a\"", i), list: [i, {i}], nothing: null} IN c"#);
    server.root(Method::PUT, "/_admin/wal/flush", &Value::Null);
    // what is computed is no document of the scan any more
    let queries = [
        ("FOR d IN c RETURN d", "FOR d IN c RETURN MERGE(d, {})"),
        (
            "FOR d IN c SORT d.list[0] DESC RETURN {d, also: d}",
            "FOR d IN c SORT d.list[0] DESC LET m = MERGE(d, {}) RETURN {d: m, also: m}",
        ),
        (
            "FOR a IN c LIMIT 2 FOR b IN c LIMIT 600 RETURN {a, b}",
            "FOR a IN c LIMIT 2 FOR b IN c LIMIT 600 RETURN {a: MERGE(a, {}), b: MERGE(b, {})}",
        ),
    ];
    for round in 0..4 {
        for (query, computed) in queries {
            assert_eq!(ask(query), ask(computed), "{query} in round {round}");
        }
        // some are written anew, and some of these are in memory only
        ask(&format!("FOR i IN 1..400 FILTER i % 7 == {round} UPDATE TO_STRING(i) WITH {{n: {round}}} IN c"));
        if round % 2 == 0 {
            server.root(Method::PUT, "/_admin/wal/flush", &Value::Null);
        }
    }
}

#[test]
fn a_streaming_query_is_computed_only_as_far_as_it_is_fetched() {
    let server = Server::start();
    let endless = json!({
        "query": "FOR a IN 1..100000 FOR b IN 1..100000 RETURN a", "batchSize": 10, "options": {"stream": true}
    });
    let (status, body) = server.root(Method::POST, "/_api/cursor", &endless);
    assert_eq!((status, numbers(&body).len()), (201, 10));
    let path = format!("/_api/cursor/{}", body["id"].as_str().expect("id"));
    assert_eq!(numbers(&server.root(Method::POST, &path, &Value::Null).1).len(), 10);
    assert_eq!(server.root(Method::DELETE, &path, &Value::Null).0, 202);
    assert_eq!(server.root(Method::POST, &path, &Value::Null).1["errorNum"], 1600);
}

#[test]
fn a_streaming_query_that_nobody_fetches_ends() {
    let server = Server::start();
    let endless = json!({
        "query": "FOR a IN 1..100000 FOR b IN 1..100000 RETURN a", "batchSize": 10, "ttl": 1, "options": {"stream": true}
    });
    server.root(Method::POST, "/_api/cursor", &endless);
    let running = || server.root(Method::GET, "/_api/query/current", &Value::Null).1.as_array().map_or(0, Vec::len);
    assert_eq!(running(), 1);
    let deadline = Instant::now() + Duration::from_secs(30);
    while running() > 0 {
        assert!(Instant::now() < deadline, "the query still runs");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_streaming_query_reads_the_state_at_its_start() {
    let server = Server::start();
    server.collection("c", 2_000);
    let query = json!({"query": "FOR d IN c RETURN d.n", "batchSize": 500, "options": {"stream": true}});
    let (_, mut body) = server.root(Method::POST, "/_api/cursor", &query);
    let mut rows = numbers(&body).len();
    server.query("FOR d IN c REMOVE d IN c");
    while body["hasMore"] == true {
        let path = format!("/_api/cursor/{}", body["id"].as_str().expect("id"));
        body = server.root(Method::POST, &path, &Value::Null).1;
        rows += numbers(&body).len();
    }
    assert_eq!(rows, 2_000);
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
}

#[test]
fn an_error_in_a_later_batch_ends_a_streaming_cursor() {
    let server = Server::start();
    let query = json!({
        "query": "FOR n IN 1..5000 RETURN n < 3000 ? n : FAIL('here')", "batchSize": 1000, "options": {"stream": true}
    });
    let (_, mut body) = server.root(Method::POST, "/_api/cursor", &query);
    let path = format!("/_api/cursor/{}", body["id"].as_str().expect("id"));
    while body["error"] == false {
        body = server.root(Method::POST, &path, &Value::Null).1;
    }
    assert_eq!(body["errorNum"], 1569);
    assert_eq!(server.root(Method::POST, &path, &Value::Null).1["errorNum"], 1600);
}

#[test]
fn what_a_streaming_query_writes_is_written_at_once() {
    let server = Server::start();
    server.collection("c", 0);
    let query = json!({
        "query": "FOR n IN 1..100 INSERT { n } INTO c RETURN NEW.n", "batchSize": 10, "options": {"stream": true}
    });
    assert_eq!(server.root(Method::POST, "/_api/cursor", &query).1["hasMore"], true);
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([100]));
}

#[test]
fn a_cursor_is_gone_after_its_time_to_live() {
    let server = Server::start();
    let query = json!({"query": "FOR n IN 1..10 RETURN n", "batchSize": 2, "ttl": 0.1});
    let body = server.root(Method::POST, "/_api/cursor", &query).1;
    let path = format!("/_api/cursor/{}", body["id"].as_str().expect("id"));
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        std::thread::sleep(Duration::from_millis(1_200));
        if server.root(Method::POST, &path, &Value::Null).1["errorNum"] == 1600 {
            return;
        }
        assert!(Instant::now() < deadline, "the cursor is still there");
    }
}

#[test]
fn a_statement_beyond_its_transaction_size_leaves_nothing() {
    let server = Server::start();
    server.collection("c", 0);
    let query = json!({
        "query": "FOR n IN 1..5000 INSERT { text: 'some text that takes room' } INTO c",
        "options": {"maxTransactionSize": 10_000}
    });
    let (_, body) = server.root(Method::POST, "/_api/cursor", &query);
    assert_eq!(body["errorNum"], 32);
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
}

#[test]
fn a_cached_result_is_used_until_its_collection_changes() {
    let server = Server::start();
    server.collection("c", 3);
    server.root(Method::PUT, "/_api/query-cache/properties", &json!({"mode": "on"}));
    let query = json!({"query": "FOR d IN c SORT d.n RETURN d.n"});
    let run = || server.root(Method::POST, "/_api/cursor", &query).1;
    assert_eq!(run()["cached"], false);
    assert_eq!((run()["cached"].clone(), numbers(&run())), (json!(true), vec![1, 2, 3]));
    for change in ["UPDATE '1' WITH { n: 9 } IN c", "REMOVE '2' IN c", "INSERT { n: 7 } INTO c"] {
        server.query(change);
        assert_eq!(run()["cached"], false, "{change}");
    }
    assert_eq!(server.root(Method::GET, "/_api/query-cache/entries", &Value::Null).1[0]["results"], 3);
}

#[test]
fn a_result_that_could_be_another_one_is_not_cached() {
    let server = Server::start();
    server.collection("c", 3);
    server.root(Method::PUT, "/_api/query-cache/properties", &json!({"mode": "on"}));
    for query in ["RETURN RAND()", "FOR d IN c REMOVE d IN c RETURN OLD.n", "RETURN DOCUMENT('c/1')", "RETURN 1 / 0"] {
        server.query(query);
        assert_eq!(server.root(Method::POST, "/_api/cursor", &json!({"query": query})).1["cached"], false, "{query}");
    }
}

#[test]
fn a_cached_result_is_not_shown_to_who_may_not_read_its_collection() {
    let server = Server::start();
    server.collection("c", 3);
    server.root(Method::PUT, "/_api/query-cache/properties", &json!({"mode": "on"}));
    server.root(Method::POST, "/_api/user", &json!({"user": "guest", "passwd": "pw"}));
    server.root(Method::PUT, "/_api/user/guest/database/_system", &json!({"grant": "rw"}));
    server.root(Method::PUT, "/_api/user/guest/database/_system/c", &json!({"grant": "none"}));
    let query = json!({"query": "FOR d IN c RETURN d.n"});
    server.root(Method::POST, "/_api/cursor", &query);
    let (status, body) = server.as_user(("guest", "pw"), Method::POST, "/_api/cursor", &query);
    assert_eq!((status, body["errorNum"].clone()), (403, json!(11)));
}

#[test]
fn the_metrics_count_what_happens() {
    let server = Server::start();
    let before = server.metric("arangodb_aql_all_query_total");
    server.query("RETURN 1");
    assert!(server.metric("arangodb_aql_all_query_total") > before);
    assert!(server.metric("arangodb_http_request_statistics_total_requests_total") > 0.0);
    server.collection("c", 0);
    let begun = json!({"collections": {"write": ["c"]}});
    let (_, body) = server.root(Method::POST, "/_api/transaction/begin", &begun);
    assert!((server.metric("arangodb_transactions_running") - 1.0).abs() < f64::EPSILON);
    let path = format!("/_api/transaction/{}", body["result"]["id"].as_str().expect("id"));
    server.root(Method::PUT, &path, &Value::Null);
    assert!((server.metric("arangodb_transactions_committed_total") - 1.0).abs() < f64::EPSILON);
}

#[test]
fn geo_and_fulltext_indexes_answer_their_functions() {
    let server = Server::start();
    server.collection("c", 0);
    server.query(
        "FOR n IN 1..5 INSERT { _key: TO_STRING(n), at: [n, n], text: n < 3 ? 'Quick fox' : 'lazy dog' } INTO c",
    );
    assert_eq!(server.error("RETURN NEAR(c, 1, 1)"), 1570);
    assert_eq!(server.error("RETURN FULLTEXT(c, 'text', 'quick')"), 1571);
    for index in [json!({"type": "geo", "fields": ["at"]}), json!({"type": "fulltext", "fields": ["text"]})] {
        assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &index).0, 201);
        assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &index).0, 200);
    }
    assert_eq!(server.query("FOR d IN NEAR(c, 1, 1, 2) RETURN d._key"), json!(["1", "2"]));
    assert_eq!(server.query("FOR d IN WITHIN(c, 3, 3, 10, 'far') RETURN [d._key, d.far]"), json!([["3", 0]]));
    assert_eq!(
        server.query("FOR d IN WITHIN_RECTANGLE(c, 1.5, 1.5, 3.5, 3.5) SORT d._key RETURN d._key"),
        json!(["2", "3"])
    );
    assert_eq!(server.query("FOR d IN FULLTEXT(c, 'text', 'prefix:qui') SORT d._key RETURN d._key"), json!(["1", "2"]));
    // what is written later is found, too
    server.query("INSERT { _key: 'late', at: [1, 1], text: 'a quick one' } INTO c");
    assert_eq!(server.query("RETURN LENGTH(FULLTEXT(c, 'text', 'quick'))"), json!([3]));
}

#[test]
fn a_division_by_zero_at_run_time_names_its_operator() {
    let server = Server::start();
    for (query, message) in [
        ("FOR i IN 1..1 RETURN i / 0", "in operator /: division by zero"),
        ("FOR i IN 1..1 RETURN i % 0", "in operator %: division by zero"),
        ("RETURN 1 / 0", "division by zero"),
    ] {
        let (_, body) = server.root(Method::POST, "/_api/cursor", &json!({"query": query}));
        assert_eq!(body["extra"]["warnings"], json!([{"code": 1562, "message": message}]), "{query}");
    }
}

#[test]
fn a_cached_result_is_not_used_after_a_commit_whatever_was_written_before_it() {
    let server = Server::start();
    server.collection("c", 2);
    server.root(Method::PUT, "/_api/query-cache/properties", &json!({"mode": "on"}));
    let query = json!({"query": "FOR d IN c SORT d._key RETURN d.n"});
    let run = || {
        let body = server.root(Method::POST, "/_api/cursor", &query).1;
        (numbers(&body), body["cached"] == true)
    };
    let begun = json!({"collections": {"write": ["c"]}});
    let (_, body) = server.root(Method::POST, "/_api/transaction/begin", &begun);
    let id = body["result"]["id"].as_str().expect("id");
    // written first, committed last: the newest document is one of the other commit, and their number stays the same
    let update = json!({"query": "UPDATE '1' WITH { n: 10 } IN c"});
    assert_eq!(server.in_transaction(id, Method::POST, "/_api/cursor", &update).0, 201);
    server.query("UPDATE '2' WITH { n: 20 } IN c");
    assert_eq!((run(), run()), ((vec![1, 20], false), (vec![1, 20], true)));
    server.root(Method::PUT, &format!("/_api/transaction/{id}"), &Value::Null);
    assert_eq!((run(), run()), ((vec![10, 20], false), (vec![10, 20], true)));
    // writes to others leave it as it is, and so does bringing what was written into the tables
    server.collection("other", 3);
    server.root(Method::PUT, "/_admin/wal/flush", &Value::Null);
    assert_eq!(run(), (vec![10, 20], true));
    assert_eq!(server.root(Method::PUT, "/_api/collection/c/truncate", &Value::Null).0, 200);
    assert_eq!((run(), run()), ((vec![], false), (vec![], true)));
}
