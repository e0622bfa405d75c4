//! The read-only mode of the server, and the lists of what was asked of it of late.

use http::Method;
use serde_json::{Value, json};

use crate::server::Server;

const NOTHING: Value = Value::Null;

fn set_mode(server: &Server, mode: &str) {
    let (status, body) = server.root(Method::PUT, "/_admin/server/mode", &json!({"mode": mode}));
    assert_eq!((status, &body["mode"]), (200, &json!(mode)));
}

#[test]
fn a_read_only_server_answers_reads_and_refuses_every_write() {
    let server = Server::start();
    server.collection("c", 2);
    set_mode(&server, "readonly");
    assert_eq!(server.query("FOR d IN c SORT d.n RETURN d.n"), json!([1, 2]));
    assert_eq!(server.root(Method::GET, "/_api/document/c/1", &NOTHING).0, 200);
    for (method, path, body, num) in [
        (Method::POST, "/_api/document/c", json!({}), 1004),
        (Method::PATCH, "/_api/document/c/1", json!({"n": 9}), 1004),
        (Method::DELETE, "/_api/document/c/1", json!({}), 1004),
        (Method::POST, "/_api/cursor", json!({"query": "INSERT {} INTO c"}), 1004),
        (Method::POST, "/_api/transaction/begin", json!({"collections": {"write": ["c"]}}), 1004),
        (Method::PUT, "/_api/collection/c/truncate", NOTHING, 1004),
        (Method::POST, "/_api/collection", json!({"name": "d"}), 11),
        (Method::DELETE, "/_api/collection/c", NOTHING, 11),
        (Method::POST, "/_api/index?collection=c", json!({"type": "persistent", "fields": ["n"]}), 11),
        (Method::POST, "/_api/database", json!({"name": "d"}), 11),
    ] {
        let (status, answer) = server.root(method.clone(), path, &body);
        assert_eq!((status, &answer["errorNum"]), (403, &json!(num)), "{method} {path}: {answer}");
    }
    set_mode(&server, "default");
    assert_eq!(server.query("FOR d IN c SORT d.n RETURN d.n"), json!([1, 2]), "nothing was written");
    assert_eq!(server.root(Method::POST, "/_api/document/c", &json!({})).0, 202);
}

#[test]
fn the_mode_is_told_wherever_the_server_tells_about_itself() {
    let server = Server::start();
    for (mode, read_only) in [("readonly", true), ("default", false)] {
        set_mode(&server, mode);
        let get = |path: &str| server.root(Method::GET, path, &NOTHING).1;
        assert_eq!(get("/_admin/server/mode")["mode"], mode);
        assert_eq!(get("/_admin/server/availability")["mode"], mode);
        let about = get("/_admin/status")["serverInfo"].clone();
        assert_eq!((&about["readOnly"], &about["writeOpsEnabled"]), (&json!(read_only), &json!(!read_only)));
        assert_eq!(get("/_admin/support-info")["host"]["readOnly"], read_only);
    }
}

#[test]
fn a_mode_that_does_not_exist_is_refused() {
    let server = Server::start();
    for (body, message) in [
        (json!({"mode": "fast"}), "mode invalid"),
        (json!({"mode": true}), "mode must be a string"),
        (json!([]), "body must be an object"),
    ] {
        let (status, answer) = server.root(Method::PUT, "/_admin/server/mode", &body);
        assert_eq!((status, &answer["errorMessage"]), (400, &json!(message)));
    }
}

/// One of the two lists.
fn recent(server: &Server, list: &str) -> Vec<Value> {
    let (path, name) = if list == "calls" { ("api-calls", "calls") } else { ("aql-queries", "queries") };
    let (status, body) = server.root(Method::GET, &format!("/_admin/server/{path}"), &NOTHING);
    assert_eq!(status, 200, "{body}");
    body["result"][name].as_array().expect("a list").clone()
}

#[test]
fn recent_calls_are_listed_with_their_database_the_newest_first() {
    let server = Server::start();
    server.root(Method::POST, "/_api/database", &json!({"name": "d"}));
    server.root(Method::GET, "/_db/d/_api/version?details=true", &NOTHING);
    let calls = recent(&server, "calls");
    let shown = |call: &Value| [call["requestType"].clone(), call["path"].clone(), call["database"].clone()];
    assert_eq!(shown(&calls[0]), ["GET", "/_admin/server/api-calls", "_system"]);
    assert_eq!(shown(&calls[1]), ["GET", "/_api/version", "d"]);
    assert!(calls.iter().all(|call| call["timeStamp"].as_str().is_some_and(|t| t.ends_with('Z'))));
}

#[test]
fn recent_queries_are_listed_with_their_parameters() {
    let server = Server::start();
    server.root(Method::POST, "/_api/cursor", &json!({"query": "RETURN @n", "bindVars": {"n": [1, "x"]}}));
    server.query("RETURN 2");
    let queries = recent(&server, "queries");
    let shown = |query: &Value| [query["query"].clone(), query["bindVars"].clone(), query["database"].clone()];
    assert_eq!(shown(&queries[0]), [json!("RETURN 2"), json!({}), json!("_system")]);
    assert_eq!(shown(&queries[1]), [json!("RETURN @n"), json!({"n": [1, "x"]}), json!("_system")]);
}

#[test]
fn the_lists_are_for_administrators_who_ask_with_get() {
    let server = Server::start();
    server.root(Method::POST, "/_api/database", &json!({"name": "d", "users": [{"username": "ann", "passwd": "pw"}]}));
    for path in ["/_admin/server/api-calls", "/_admin/server/aql-queries"] {
        assert_eq!(server.root(Method::POST, path, &json!({})).1["errorNum"], 405, "{path}");
        let (status, body) = server.as_user(("ann", "pw"), Method::GET, &format!("/_db/d{path}"), &NOTHING);
        assert_eq!((status, &body["errorNum"]), (403, &json!(11)), "{path}");
    }
}
