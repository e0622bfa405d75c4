//! Whatever number a client sends as a time, a count or a size: it is taken or refused, and the server goes on.

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};

use crate::server::{Server, request};

/// Numbers as they stand in JSON or in a parameter.
const NUMBERS: [&str; 18] = [
    "0",
    "-0.0",
    "-1",
    "0.5",
    "1e-300",
    "1e18",
    "1e19",
    "1.9e19",
    "1e20",
    "1e300",
    "-1e300",
    "1.7976931348623157e308",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "1e999",
];

/// The same and what is none, where a parameter takes texts.
const TEXTS: [&str; 5] = ["NaN", "inf", "-inf", "infinity", "nan"];

/// Sends a body as it is written; an answer that comes from a panic fails the test.
fn send(server: &Server, method: Method, path: &str, body: &str) -> (u16, Value, http::HeaderMap) {
    let mut request = request(("root", "secret"), method.clone(), path, &Value::Null);
    *request.body_mut() = Bytes::from(body.to_owned());
    let response = server.engine.handle(request);
    let answer: Value = serde_json::from_slice(response.body()).unwrap_or_default();
    let message = answer["errorMessage"].as_str().unwrap_or_default();
    assert!(!message.contains("could not be answered"), "{method} {path} {body}: {message}");
    (response.status().as_u16(), answer, response.headers().clone())
}

#[test]
fn cursors_take_any_number() {
    let server = Server::start();
    server.collection("c", 5);
    let members = ["ttl", "batchSize", "memoryLimit"].map(|name| format!("\"{name}\": N"));
    let options = [
        "maxRuntime",
        "memoryLimit",
        "maxTransactionSize",
        "intermediateCommitCount",
        "intermediateCommitSize",
        "maxWarningCount",
        "profile",
        "maxNumberOfPlans",
    ];
    let options = options.map(|name| format!("\"options\": {{\"{name}\": N}}"));
    let streaming = ["ttl", "batchSize"].map(|name| format!("\"{name}\": N, \"options\": {{\"stream\": true}}"));
    for member in members.iter().chain(&options).chain(&streaming) {
        for number in NUMBERS {
            let batch = if member.contains("batchSize") { "" } else { ", \"batchSize\": 1" };
            let member = member.replace('N', number);
            let body = format!(r#"{{"query": "FOR d IN c UPDATE d WITH {{ m: 1 }} IN c RETURN 1"{batch}, {member}}}"#);
            let mut answer = send(&server, Method::POST, "/_api/cursor", &body).1;
            while answer["hasMore"] == true {
                let path = format!("/_api/cursor/{}", answer["id"].as_str().expect("an id"));
                answer = send(&server, Method::POST, &path, "").1;
            }
        }
    }
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([5]));
}

#[test]
fn a_cursor_that_is_to_stay_for_ever_stays_and_gives_its_rows() {
    let server = Server::start();
    for (number, stream) in [("1e300", false), ("1e300", true), ("9223372036854775807", false)] {
        let body = format!(
            r#"{{"query": "FOR i IN 1..3 RETURN i", "batchSize": 1, "ttl": {number}, "options": {{"stream": {stream}}}}}"#
        );
        let (status, answer, _) = send(&server, Method::POST, "/_api/cursor", &body);
        assert_eq!((status, &answer["result"]), (201, &json!([1])));
        let path = format!("/_api/cursor/{}", answer["id"].as_str().expect("an id"));
        for rows in [json!([2]), json!([3])] {
            assert_eq!(send(&server, Method::POST, &path, "").1["result"], rows);
        }
    }
}

#[test]
fn transactions_and_dumps_take_any_number() {
    let server = Server::start();
    server.collection("c", 5);
    for number in NUMBERS {
        for name in ["lockTimeout", "maxTransactionSize"] {
            let body = format!(r#"{{"collections": {{"write": ["c"]}}, "{name}": {number}}}"#);
            let (status, begun, _) = send(&server, Method::POST, "/_api/transaction/begin", &body);
            if status == 201 {
                let id = begun["result"]["id"].as_str().expect("an id");
                send(&server, Method::DELETE, &format!("/_api/transaction/{id}"), "");
            }
        }
        for name in ["ttl", "batchSize", "prefetchCount", "parallelism"] {
            let body = format!(r#"{{"shards": ["c"], "{name}": {number}}}"#);
            let (status, _, headers) = send(&server, Method::POST, "/_api/dump/start", &body);
            if status == 201 {
                let id = headers["x-arango-dump-id"].to_str().expect("a name");
                let next = format!("/_api/dump/next/{id}?batchId=1&lastBatch={number}");
                assert_eq!(send(&server, Method::POST, &next, "").0, 200, "{name} {number}");
                assert_eq!(send(&server, Method::DELETE, &format!("/_api/dump/{id}"), "").0, 200);
            }
        }
    }
    assert_eq!(server.metric("arangodb_transactions_running"), 0.0);
}

#[test]
fn settings_indexes_collections_and_lists_take_any_number() {
    let server = Server::start();
    server.collection("c", 5);
    let put = |path: &str, body: String| drop(send(&server, Method::PUT, path, &body));
    let post = |path: &str, body: String| drop(send(&server, Method::POST, path, &body));
    for (at, number) in NUMBERS.iter().enumerate() {
        for name in ["maxSlowQueries", "slowQueryThreshold", "slowStreamingQueryThreshold", "maxQueryStringLength"] {
            put("/_api/query/properties", format!(r#"{{"{name}": {number}}}"#));
            server.query("RETURN 1");
        }
        for name in ["maxResults", "maxResultsSize", "maxEntrySize"] {
            put("/_api/query-cache/properties", format!(r#"{{"mode": "on", "{name}": {number}}}"#));
            server.query("FOR d IN c RETURN d");
        }
        for name in ["skip", "limit", "batchSize", "ttl"] {
            put("/_api/simple/all", format!(r#"{{"collection": "c", "{name}": {number}}}"#));
        }
        for name in ["offset", "increment"] {
            let options = format!(r#"{{"type": "autoincrement", "{name}": {number}}}"#);
            post("/_api/collection", format!(r#"{{"name": "k{at}{name}", "keyOptions": {options}}}"#));
            for _ in 0..2 {
                post(&format!("/_api/document/k{at}{name}"), "{}".to_owned());
            }
        }
        for (kind, name) in [("ttl", "expireAfter"), ("fulltext", "minLength")] {
            post(
                "/_api/index?collection=c",
                format!(r#"{{"type": "{kind}", "fields": ["x"], "{name}": {number}, "name": "i"}}"#),
            );
            send(&server, Method::DELETE, "/_api/index/c/i", "");
        }
        post("/_api/token/root", format!(r#"{{"name": "t{at}", "valid_until": {number}}}"#));
        send(&server, Method::GET, "/_api/token/root", "");
    }
    for number in NUMBERS.iter().chain(&TEXTS) {
        let parameters = ["start", "size", "offset"].map(|name| format!("{name}={number}")).join("&");
        send(&server, Method::GET, &format!("/_admin/log/entries?{parameters}"), "");
        send(&server, Method::GET, &format!("/_api/job/done?count={number}"), "");
        for name in ["intermediateCommitCount", "intermediateCommitSize"] {
            post(&format!("/_api/import?collection=c&type=documents&{name}={number}"), r#"{"n": 1}"#.to_owned());
        }
    }
    assert_eq!(server.query("RETURN 1"), json!([1]));
}

#[test]
fn jobs_are_not_forgotten_before_a_time_that_is_none() {
    let server = Server::start();
    let mut stored = request(("root", "secret"), Method::GET, "/_api/version", &Value::Null);
    stored.headers_mut().insert("x-arango-async", "store".parse().expect("a header"));
    let response = server.engine.handle(stored);
    let job = format!("/_api/job/{}", response.headers()["x-arango-async-id"].to_str().expect("a number"));
    for stamp in TEXTS {
        assert_eq!(send(&server, Method::DELETE, &format!("/_api/job/expired?stamp={stamp}"), "").0, 400, "{stamp}");
    }
    assert!([200, 204].contains(&send(&server, Method::GET, &job, "").0));
}

#[test]
fn a_token_that_is_to_last_for_ever_is_good_after_a_restart() {
    let directory = tempfile::tempdir().expect("directory");
    let open = || {
        let options = aqlite::Options {
            data_dir: directory.path().to_owned(),
            root_password: "secret".to_owned(),
            jwt_secret: None,
        };
        aqlite::Engine::open(options).expect("engine")
    };
    let engine = open();
    let mut asked = request(("root", "secret"), Method::POST, "/_api/token/root", &Value::Null);
    *asked.body_mut() = Bytes::from_static(br#"{"name": "for ever", "valid_until": 1e300}"#);
    let answer: Value = serde_json::from_slice(engine.handle(asked).body()).expect("JSON");
    let token = answer["token"].as_str().expect("a token").to_owned();
    let is_good = |engine: &aqlite::Engine| {
        let asked = request(("root", token.as_str()), Method::GET, "/_api/version", &Value::Null);
        engine.handle(asked).status() == 200
    };
    assert!(is_good(&engine));
    engine.close().expect("closes");
    drop(engine);
    assert!(is_good(&open()));
}
