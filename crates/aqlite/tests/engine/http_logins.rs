//! Logins: how often one may fail, what a token is good for, and who may see and end what others do.

use std::net::IpAddr;
use std::thread;
use std::time::{Duration, Instant};

use aqlite::auth::Claims;
use aqlite::http::Caller;
use bytes::Bytes;
use http::{Method, Request, Response};
use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};

use crate::server::{Server, request};

fn from(last: u8) -> Caller {
    Caller { address: Some(IpAddr::from([10, 0, 0, last])), ..Caller::default() }
}

fn open_session(server: &Server, caller: Caller, name: &str, password: &str) -> Response<Bytes> {
    let body = Bytes::from(json!({"username": name, "password": password}).to_string());
    server.engine.handle_for(Request::post("/_open/auth").body(body).expect("request"), caller)
}

fn bearer(server: &Server, token: &str, method: Method, path: &str) -> (u16, Value) {
    let request = Request::builder().method(method).uri(path).header("authorization", format!("Bearer {token}"));
    let response = server.engine.handle(request.body(Bytes::new()).expect("request"));
    (response.status().as_u16(), serde_json::from_slice(response.body()).unwrap_or_default())
}

fn token(server: &Server, name: &str, password: &str) -> String {
    let response = open_session(server, Caller::default(), name, password);
    let body: Value = serde_json::from_slice(response.body()).expect("JSON");
    body["jwt"].as_str().expect("a token").to_owned()
}

#[test]
fn the_failure_after_ten_in_a_minute_has_to_wait_and_the_right_password_never_has() {
    let server = Server::start();
    server.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw"}));
    for _ in 0..10 {
        assert_eq!(open_session(&server, from(1), "root", "wrong").status(), 401);
    }
    let refused = open_session(&server, from(1), "root", "wrong");
    assert_eq!(refused.status(), 429);
    let wait: u64 = refused.headers()["retry-after"].to_str().expect("text").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    for (address, name, wrong) in [(1, "root", 401), (2, "root", 401), (1, "ann", 401)] {
        let right = if name == "root" { "secret" } else { "pw" };
        assert_eq!(open_session(&server, from(address), name, right).status(), 200, "{name} at {address}");
        assert_eq!(open_session(&server, from(address), name, "wrong").status(), wrong, "{name} at {address}");
    }
}

#[test]
fn wrong_passwords_of_basic_authentication_never_hinder_the_right_one() {
    let server = Server::start();
    server.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw"}));
    server.root(Method::PUT, "/_api/user/ann/database/_system", &json!({"grant": "ro"}));
    let version = |caller: Caller, name: &str, password: &str| {
        let request = request((name, password), Method::GET, "/_api/version", &Value::Null);
        server.engine.handle_for(request, caller).status().as_u16()
    };
    for _ in 0..10 {
        assert_eq!(version(from(1), "root", "wrong"), 401);
    }
    assert_eq!(version(from(1), "root", "wrong"), 429);
    assert_eq!(version(from(2), "root", "wrong"), 401, "from elsewhere");
    assert_eq!(version(from(1), "root", "secret"), 200);
    assert_eq!(version(from(2), "root", "secret"), 200, "from elsewhere");
    assert_eq!(version(from(1), "ann", "pw"), 200, "somebody else");
    assert_eq!(version(Caller::default(), "root", "secret"), 200, "from within the process");
}

#[test]
fn a_job_needs_a_login_also_where_nothing_else_does() {
    let server = Server::start();
    let ask = |path: &str, kind: &str, authorization: Option<&str>| {
        let mut request = Request::get(path).header("x-arango-async", kind);
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        server.engine.handle(request.body(Bytes::new()).expect("request")).status().as_u16()
    };
    for path in ["/_admin/server/availability", "/_open/auth", "/", "/_api/version"] {
        for kind in ["true", "store"] {
            assert_eq!(ask(path, kind, None), 401, "{path} {kind}");
            assert_eq!(ask(path, kind, Some("Basic cm9vdDpzZWNyZXQ=")), 202, "{path} {kind}");
        }
    }
    assert_eq!(ask("/_admin/server/availability", "false", None), 200, "no job");
}

#[test]
fn a_token_ends_with_the_password_it_was_issued_for() {
    let server = Server::start();
    server.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw"}));
    server.root(Method::PUT, "/_api/user/ann/database/_system", &json!({"grant": "ro"}));
    let before = token(&server, "ann", "pw");
    assert_eq!(bearer(&server, &before, Method::GET, "/_api/version").0, 200);
    server.root(Method::PATCH, "/_api/user/ann", &json!({"extra": {"a": 1}}));
    assert_eq!(bearer(&server, &before, Method::GET, "/_api/version").0, 200, "the password is the same");
    // also when the new password is the old one: whoever sets it wants the old tokens gone
    server.root(Method::PATCH, "/_api/user/ann", &json!({"passwd": "pw"}));
    assert_eq!(bearer(&server, &before, Method::GET, "/_api/version").0, 401);
    assert_eq!(bearer(&server, &before, Method::POST, "/_open/auth/renew").0, 401);
    let after = token(&server, "ann", "pw");
    assert_eq!(bearer(&server, &after, Method::GET, "/_api/version").0, 200);
    server.root(Method::DELETE, "/_api/user/ann", &Value::Null);
    server.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw"}));
    server.root(Method::PUT, "/_api/user/ann/database/_system", &json!({"grant": "ro"}));
    assert_eq!(bearer(&server, &after, Method::GET, "/_api/version").0, 401, "of a user of the same name");
}

#[test]
fn credentials_that_were_good_are_so_until_something_about_their_user_changes() {
    let server = Server::start();
    server.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw"}));
    server.root(Method::PUT, "/_api/user/ann/database/_system", &json!({"grant": "ro"}));
    let version = |password: &str| {
        let request = request(("ann", password), Method::GET, "/_api/version", &Value::Null);
        server.engine.handle(request).status().as_u16()
    };
    assert_eq!([version("pw"), version("pw"), version("other")], [200, 200, 401]);
    server.root(Method::PATCH, "/_api/user/ann", &json!({"passwd": "other"}));
    assert_eq!([version("pw"), version("other"), version("other")], [401, 200, 200]);
    server.root(Method::PATCH, "/_api/user/ann", &json!({"active": false}));
    assert_eq!(version("other"), 401);
    server.root(Method::PATCH, "/_api/user/ann", &json!({"active": true}));
    assert_eq!(version("other"), 200);
    server.root(Method::DELETE, "/_api/user/ann", &Value::Null);
    assert_eq!(version("other"), 401);
}

// ---------- what others do ----------

const ANN: (&str, &str) = ("ann", "pw");
const BOB: (&str, &str) = ("bob", "pw");
const ROOT: (&str, &str) = ("root", "secret");

/// A database of two users who may write in it.
fn shared() -> Server {
    let server = Server::start();
    server.root(Method::POST, "/_api/database", &json!({"name": "plant"}));
    for name in ["ann", "bob"] {
        server.root(Method::POST, "/_api/user", &json!({"user": name, "passwd": "pw"}));
        server.root(Method::PUT, &format!("/_api/user/{name}/database/plant"), &json!({"grant": "rw"}));
    }
    server
}

fn queries(server: &Server, user: (&str, &str), kind: &str) -> Vec<Value> {
    let (status, list) = server.as_user(user, Method::GET, &format!("/_db/plant/_api/query/{kind}"), &Value::Null);
    assert_eq!(status, 200, "{list}");
    list.as_array().expect("a list").clone()
}

/// A token of a server, which may do anything.
fn superuser() -> String {
    let claims = Claims {
        preferred_username: None,
        password_mark: None,
        server_id: Some("x".to_owned()),
        iss: "arangodb".to_owned(),
        iat: None,
        exp: None,
    };
    jsonwebtoken::encode(&Header::default(), &claims, &EncodingKey::from_secret(b"key")).expect("signed")
}

#[test]
fn users_see_and_kill_their_own_queries_and_administrators_all() {
    let server = shared();
    thread::scope(|scope| {
        let query = json!({"query": "RETURN SLEEP(@n)", "bindVars": {"n": 600}});
        let server = &server;
        let asked = scope.spawn(move || server.as_user(ANN, Method::POST, "/_db/plant/_api/cursor", &query));
        let deadline = Instant::now() + Duration::from_mins(1);
        while queries(server, ROOT, "current").is_empty() {
            assert!(Instant::now() < deadline, "the query does not run");
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(queries(server, ROOT, "current")[0]["bindVars"], json!({"n": 600}));
        assert_eq!(queries(server, ANN, "current")[0]["bindVars"], json!({"n": 600}));
        assert!(queries(server, BOB, "current").is_empty());
        let everywhere = bearer(server, &superuser(), Method::GET, "/_api/query/current?all=true").1;
        assert_eq!(everywhere[0]["database"], "plant");
        let id = everywhere[0]["id"].as_str().expect("an id");
        let kill = |user, path: &str| {
            let (status, body) = server.as_user(user, Method::DELETE, &format!("{path}/{id}"), &Value::Null);
            (status, body["errorNum"].as_i64().unwrap_or(0))
        };
        assert_eq!(kill(BOB, "/_db/plant/_api/query"), (403, 11));
        assert_eq!(kill(ROOT, "/_api/query"), (404, 1591), "it is not of this database");
        assert_eq!(kill(ANN, "/_db/plant/_api/query"), (200, 0));
        assert_eq!(asked.join().expect("no panic").1["errorNum"], 1500);
    });
    for (user, path, refusal) in [
        (ROOT, "/_db/plant/_api/query/current?all=true", 1230),
        (ROOT, "/_api/query/current?all=true", 11),
        (ROOT, "/_api/query/slow?all=true", 11),
    ] {
        let (status, body) = server.as_user(user, Method::GET, path, &Value::Null);
        assert_eq!((status, &body["errorNum"]), (403, &json!(refusal)), "{path}");
    }
}

#[test]
fn users_see_and_clear_their_own_slow_queries_and_administrators_all() {
    let server = shared();
    let properties = json!({"slowQueryThreshold": 0});
    assert_eq!(server.as_user(BOB, Method::PUT, "/_db/plant/_api/query/properties", &properties).0, 200);
    for user in [ANN, BOB] {
        server.as_user(user, Method::POST, "/_db/plant/_api/cursor", &json!({"query": "RETURN 1"}));
    }
    let of = |user| queries(&server, user, "slow").iter().map(|q| q["user"].clone()).collect::<Vec<_>>();
    assert_eq!(
        (of(ANN), of(BOB), of(ROOT)),
        (vec![json!("ann")], vec![json!("bob")], vec![json!("ann"), json!("bob")])
    );
    let clear = |user| server.as_user(user, Method::DELETE, "/_db/plant/_api/query/slow", &Value::Null).0;
    assert_eq!(clear(BOB), 200);
    assert_eq!((of(ANN), of(BOB)), (vec![json!("ann")], vec![]));
    assert_eq!(clear(ROOT), 200);
    assert_eq!(of(ROOT), Vec::<Value>::new());
}

#[test]
fn a_cached_result_is_listed_for_those_who_may_read_where_it_comes_from() {
    let server = shared();
    server.root(Method::POST, "/_db/plant/_api/collection", &json!({"name": "secret"}));
    server.root(Method::PUT, "/_api/user/bob/database/plant/secret", &json!({"grant": "none"}));
    // as in ArangoDB, whoever may use a database may set up the cache
    let mode = json!({"mode": "on"});
    assert_eq!(server.as_user(BOB, Method::PUT, "/_db/plant/_api/query-cache/properties", &mode).0, 200);
    let query = json!({"query": "FOR d IN secret FILTER d.x == @x RETURN d", "bindVars": {"x": "hidden"}});
    assert_eq!(server.as_user(ANN, Method::POST, "/_db/plant/_api/cursor", &query).0, 201);
    let entries = |user| server.as_user(user, Method::GET, "/_db/plant/_api/query-cache/entries", &Value::Null).1;
    assert_eq!(entries(ANN)[0]["bindVars"], json!({"x": "hidden"}));
    assert_eq!(entries(BOB), json!([]));
    assert_eq!(server.as_user(BOB, Method::POST, "/_db/plant/_api/cursor", &query).0, 403);
}

#[test]
fn logs_and_what_the_server_recorded_are_for_administrators() {
    let server = shared();
    let paths = [
        (Method::GET, "/_admin/log"),
        (Method::GET, "/_admin/log/entries"),
        (Method::GET, "/_admin/log/level"),
        (Method::PUT, "/_admin/log/level"),
        (Method::DELETE, "/_admin/log/level"),
        (Method::GET, "/_admin/log/structured"),
        (Method::PUT, "/_admin/log/structured"),
        (Method::GET, "/_admin/server/api-calls"),
        (Method::GET, "/_admin/server/aql-queries"),
    ];
    for (method, path) in paths {
        let body = if method == Method::PUT { json!({}) } else { Value::Null };
        let (status, answer) = server.as_user(BOB, method.clone(), &format!("/_db/plant{path}"), &body);
        assert_eq!((status, &answer["errorNum"]), (403, &json!(11)), "{method} {path}: {answer}");
        assert_eq!(server.root(method.clone(), path, &body).0, 200, "{method} {path}");
    }
}
