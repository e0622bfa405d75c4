//! The HTTP API in process and over a socket: the same requests, the same answers.

use std::net::SocketAddr;

use aqlite::{Engine, Options};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

struct Server {
    engine: Engine,
    _directory: TempDir,
}

impl Server {
    fn start() -> Self {
        let directory = tempfile::tempdir().expect("directory");
        let engine = open(&directory);
        Self { engine, _directory: directory }
    }

    fn send(&self, request: Request<Bytes>) -> (u16, Value) {
        read(&self.engine.handle(request))
    }

    fn root(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        self.send(request(method, path, Some(("root", "secret")), body))
    }

    fn as_user(&self, user: (&str, &str), method: Method, path: &str, body: Value) -> (u16, Value) {
        self.send(request(method, path, Some(user), body))
    }
}

fn open(directory: &TempDir) -> Engine {
    let options = Options {
        data_dir: directory.path().to_owned(),
        root_password: "secret".to_owned(),
        jwt_secret: Some("key".to_owned()),
    };
    Engine::open(options).expect("engine")
}

fn request(method: Method, path: &str, user: Option<(&str, &str)>, body: Value) -> Request<Bytes> {
    let mut builder = Request::builder().method(method).uri(path).header("host", "localhost");
    if let Some((name, password)) = user {
        builder = builder.header("authorization", format!("Basic {}", STANDARD.encode(format!("{name}:{password}"))));
    }
    let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    builder.body(body).expect("request")
}

fn read(response: &Response<Bytes>) -> (u16, Value) {
    let body = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
    (response.status().as_u16(), body)
}

#[test]
fn a_request_without_a_login_is_refused_and_told_how_to_log_in() {
    let server = Server::start();
    let response = server.engine.handle(request(Method::GET, "/_api/version", None, Value::Null));
    assert_eq!(response.status(), 401);
    assert!(response.headers().contains_key("www-authenticate"));
    assert_eq!(read(&response).1["errorNum"], 11);
}

#[test]
fn a_token_is_as_good_as_the_password_it_was_issued_for() {
    let server = Server::start();
    let login = json!({"username": "root", "password": "secret"});
    let (status, body) = server.send(request(Method::POST, "/_open/auth", None, login));
    assert_eq!(status, 200);
    let token = body["jwt"].as_str().expect("token");
    let with = |token: &str| {
        let request = Request::builder().uri("/_api/version").header("authorization", format!("bearer {token}"));
        server.send(request.body(Bytes::new()).expect("request")).0
    };
    assert_eq!(with(token), 200);
    assert_eq!(with(&format!("{token}x")), 401);
}

#[test]
fn the_root_password_is_set_on_the_first_start_only() {
    let directory = tempfile::tempdir().expect("directory");
    let engine = open(&directory);
    let change = request(Method::PATCH, "/_api/user/root", Some(("root", "secret")), json!({"passwd": "changed"}));
    assert_eq!(engine.handle(change).status(), 200);
    engine.close().expect("closed");
    drop(engine);
    let engine = open(&directory);
    let version = |password| request(Method::GET, "/_api/version", Some(("root", password)), Value::Null);
    assert_eq!(engine.handle(version("secret")).status(), 401);
    assert_eq!(engine.handle(version("changed")).status(), 200);
}

#[test]
fn a_grant_decides_what_a_user_may_do() {
    let server = Server::start();
    let ann = ("ann", "pw");
    server.root(Method::POST, "/_api/database", json!({"name": "plant"}));
    server.root(Method::POST, "/_db/plant/_api/collection", json!({"name": "serials"}));
    server.root(Method::POST, "/_api/user", json!({"user": "ann", "passwd": "pw"}));
    let document = "/_db/plant/_api/document/serials";
    let insert = || server.as_user(ann, Method::POST, document, json!({"a": 1})).0;
    assert_eq!(insert(), 401);
    server.root(Method::PUT, "/_api/user/ann/database/plant", json!({"grant": "ro"}));
    assert_eq!(insert(), 403);
    server.root(Method::PUT, "/_api/user/ann/database/plant/serials", json!({"grant": "rw"}));
    assert_eq!(insert(), 202);
    assert_eq!(server.as_user(ann, Method::GET, "/_db/_system/_api/database", Value::Null).0, 401);
}

#[test]
fn a_stream_transaction_shows_its_writes_to_itself_until_it_commits() {
    let server = Server::start();
    server.root(Method::POST, "/_api/collection", json!({"name": "c"}));
    let (_, begun) = server.root(Method::POST, "/_api/transaction/begin", json!({"collections": {"write": ["c"]}}));
    let id = begun["result"]["id"].as_str().expect("id").to_owned();
    let inside = |method: Method, path: &str, body: Value| {
        let mut request = request(method, path, Some(("root", "secret")), body);
        request.headers_mut().insert("x-arango-trx-id", id.parse().expect("header"));
        server.send(request).0
    };
    let outside = || server.root(Method::GET, "/_api/document/c/k", Value::Null).0;
    assert_eq!(inside(Method::POST, "/_api/document/c", json!({"_key": "k"})), 202);
    assert_eq!((inside(Method::GET, "/_api/document/c/k", Value::Null), outside()), (200, 404));
    assert_eq!(server.root(Method::PUT, &format!("/_api/transaction/{id}"), Value::Null).0, 200);
    assert_eq!((inside(Method::GET, "/_api/document/c/k", Value::Null), outside()), (404, 200));
}

#[test]
fn a_result_comes_in_batches_until_it_is_used_up() {
    let server = Server::start();
    let query = json!({"query": "FOR i IN 1..5 RETURN i", "batchSize": 2, "count": true});
    let (status, first) = server.root(Method::POST, "/_api/cursor", query);
    assert_eq!((status, &first["result"], &first["count"]), (201, &json!([1, 2]), &json!(5)));
    let path = format!("/_api/cursor/{}", first["id"].as_str().expect("id"));
    let next = |method: Method| server.root(method, &path, Value::Null);
    assert_eq!(next(Method::PUT).1["result"], json!([3, 4]));
    let (status, last) = next(Method::POST);
    assert_eq!((status, &last["result"], &last["hasMore"]), (200, &json!([5]), &json!(false)));
    assert_eq!(next(Method::PUT).1["errorNum"], 1600);
}

#[test]
fn a_list_of_documents_is_answered_item_by_item() {
    let server = Server::start();
    server.root(Method::POST, "/_api/collection", json!({"name": "c"}));
    let list = json!([{"_key": "a"}, {"_key": "a"}, 5]);
    let response = server.engine.handle(request(Method::POST, "/_api/document/c", Some(("root", "secret")), list));
    assert_eq!(response.status(), 202);
    assert_eq!(response.headers()["x-arango-error-codes"], "{\"1227\":1,\"1210\":1}");
    let (_, body) = read(&response);
    assert_eq!(body[0]["_id"], "c/a");
    assert_eq!((&body[1]["errorNum"], &body[2]["errorNum"]), (&json!(1210), &json!(1227)));
}

#[test]
fn whatever_is_asked_there_is_an_answer() {
    let server = Server::start();
    let bodies = [Value::Null, json!({}), json!([]), json!("x"), json!({"name": {"deep": [1]}, "keys": 5})];
    let paths = [
        "/",
        "//",
        "/_db",
        "/_db/",
        "/_db/_system",
        "/_db/%ff/_api/version",
        "/_api",
        "/_api/document/%00/%ff",
        "/_api/collection/_graphs/count",
        "/_api/cursor/99999999999999999999",
        "/_api/transaction/-1",
        "/_api/index/_graphs/x",
        "/_api/gharial/x/vertex/y/z",
        "/_api/job/18446744073709551616",
        "/_api/user/a/b/c/d/e",
        "/_api/import?collection=_graphs&type=list",
        "/_api/edges/_graphs?vertex=x",
        "/_admin/echo?%=%&&=",
        "/_api/simple/all",
        "/_api/query/properties",
        "/_api/query-cache/properties",
    ];
    let methods = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        Method::TRACE,
    ];
    for path in paths {
        for method in &methods {
            for body in &bodies {
                let (status, body) = server.root(method.clone(), path, body.clone());
                let panicked = body["errorMessage"].as_str().is_some_and(|m| m.starts_with("internal error:"));
                assert!((100..600).contains(&status) && !panicked, "{method} {path}: {status} {body}");
            }
        }
    }
}

// ---------- over a socket ----------

async fn over_socket(address: SocketAddr, request: Request<Bytes>) -> Response<Bytes> {
    let stream = TcpStream::connect(address).await.expect("connection");
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("handshake");
    tokio::spawn(connection);
    let response = sender.send_request(request.map(Full::new)).await.expect("response");
    let (parts, body) = response.into_parts();
    Response::from_parts(parts, body.collect().await.expect("body").to_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_socket_answers_as_the_engine_in_process() {
    let server = Server::start();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
    let address = listener.local_addr().expect("address");
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(aqlite::http::serve(server.engine.clone(), listener, async {
        let _ = stopped.await;
    }));
    server.root(Method::POST, "/_api/collection", json!({"name": "c"}));
    server.root(Method::POST, "/_api/document/c", json!({"_key": "k", "text": "x".repeat(10_000)}));
    let root = Some(("root", "secret"));
    let requests = || {
        [
            request(Method::GET, "/_api/version", root, Value::Null),
            request(Method::GET, "/_api/version", None, Value::Null),
            request(Method::HEAD, "/_api/document/c/k", root, Value::Null),
            request(Method::GET, "/_api/document/c/k", root, Value::Null),
            request(Method::GET, "/_api/document/c/nosuch", root, Value::Null),
            request(Method::HEAD, "/_api/document/c/nosuch", root, Value::Null),
            request(Method::POST, "/_api/document/c", root, json!({"_key": "k"})),
            request(Method::OPTIONS, "/_api/document/c/k", None, Value::Null),
            request(Method::PUT, "/_api/nosuch", root, json!({})),
        ]
    };
    for (here, there) in requests().into_iter().zip(requests()) {
        let what = format!("{} {}", here.method(), here.uri());
        let here = server.engine.handle(here);
        let there = over_socket(address, there).await;
        assert_eq!(here.status(), there.status(), "{what}");
        assert_eq!(here.body(), there.body(), "{what}");
        for name in here.headers().keys() {
            let values =
                |response: &Response<Bytes>| -> Vec<_> { response.headers().get_all(name).iter().cloned().collect() };
            assert_eq!(values(&here), values(&there), "{what}: {name}");
        }
    }
    stop.send(()).expect("running");
    serving.await.expect("no panic").expect("no error");
}

#[test]
fn methods_that_a_path_does_not_have_are_refused_in_the_words_of_arangodb() {
    let server = Server::start();
    for (method, path, words) in [
        (Method::PUT, "/_api/edges/e?vertex=v/a", "'ILLEGAL /_api/edges' not implemented"),
        (Method::GET, "/_api/import?collection=c", "'ILLEGAL /_api/import' not implemented"),
        (Method::PUT, "/_api/import?collection=c", "'ILLEGAL /_api/import' not implemented"),
        (Method::GET, "/_api/explain", "'Unsupported method' not implemented"),
    ] {
        let (status, body) = server.root(method.clone(), path, Value::Null);
        let wanted = json!({"code": 501, "error": true, "errorMessage": words, "errorNum": 9});
        assert_eq!((status, body), (501, wanted), "{method} {path}");
    }
}

#[test]
fn a_list_of_which_nothing_was_written_waits_for_no_disk() {
    let server = Server::start();
    server.root(Method::POST, "/_api/collection", json!({"name": "synced", "waitForSync": true}));
    server.root(Method::POST, "/_api/collection", json!({"name": "plain"}));
    let insert = |path: &str, body: Value| server.root(Method::POST, &format!("/_api/document/{path}"), body).0;
    assert_eq!(insert("synced", json!([{"_key": "a"}])), 201);
    assert_eq!(insert("plain", json!([{"_key": "a"}])), 202);
    let (twice, mixed, missing) = (json!([{"_key": "a"}]), json!([{"_key": "a"}, {}]), json!([{"_key": "none"}]));
    assert_eq!(insert("synced", twice.clone()), 202, "every document failed");
    assert_eq!(insert("synced", json!([])), 202, "there was none");
    assert_eq!(insert("synced", mixed.clone()), 201, "one did not fail");
    assert_eq!((insert("plain", twice.clone()), insert("plain", mixed)), (202, 202));
    assert_eq!(insert("plain?waitForSync=true", twice), 201, "the request asked for it");
    for (method, done) in [(Method::PUT, 201), (Method::PATCH, 201), (Method::DELETE, 200)] {
        let write = |body: &Value| server.root(method.clone(), "/_api/document/synced", body.clone()).0;
        assert_eq!(write(&missing), 202, "{method}");
        assert_eq!(write(&json!([{"_key": "none"}, {"_key": "a"}])), done, "{method}");
    }
}
