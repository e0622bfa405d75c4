//! What an operator asks the server: how it runs, what it logs, what its queries did, and who may log in with what.

use aqlite::txn::StoreOptions;
use aqlite::{Engine, Options, Settings};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};

use crate::server::Server;

const NOTHING: Value = Value::Null;

fn get(server: &Server, path: &str) -> Value {
    let (status, body) = server.root(Method::GET, path, &NOTHING);
    assert_eq!(status, 200, "{path}: {body}");
    body
}

#[test]
fn a_log_level_is_set_shown_and_taken_back() {
    let server = Server::start();
    let before = get(&server, "/_admin/log/level");
    let (_, set) = server.root(Method::PUT, "/_admin/log/level", &json!({"agency": "debug", "threads": "ERROR"}));
    assert_eq!((&set["agency"], &set["threads"]), (&json!("DEBUG"), &json!("ERROR")));
    assert_eq!(get(&server, "/_admin/log/level"), set);
    let (status, reset) = server.root(Method::DELETE, "/_admin/log/level", &NOTHING);
    assert_eq!((status, &reset["agency"]), (200, &before["agency"]));
}

#[test]
fn what_lines_about_requests_name_is_set_one_by_one() {
    let server = Server::start();
    let path = "/_admin/log/structured";
    server.root(Method::PUT, path, &json!({"database": true, "url": true, "username": true}));
    let (_, changed) = server.root(Method::PUT, path, &json!({"username": false}));
    assert_eq!(changed, json!({"database": true, "url": true}));
    assert_eq!(get(&server, path), changed);
}

#[test]
fn only_administrators_see_and_change_how_the_server_runs() {
    let server = Server::start();
    server.root(Method::POST, "/_api/database", &json!({"name": "d", "users": [{"username": "ann", "passwd": "pw"}]}));
    for (method, path) in [
        (Method::GET, "/_db/d/_admin/log/level"),
        (Method::PUT, "/_db/d/_admin/log/level"),
        (Method::GET, "/_db/d/_admin/log/structured"),
        (Method::GET, "/_db/d/_admin/options"),
        (Method::GET, "/_db/d/_admin/support-info"),
        (Method::PUT, "/_db/d/_admin/server/mode"),
    ] {
        let (status, body) = server.as_user(("ann", "pw"), method, path, &json!({}));
        assert_eq!((status, &body["errorNum"]), (403, &json!(11)), "{path}");
    }
    let (status, body) = server.root(Method::GET, "/_db/d/_admin/support-info", &Value::Null);
    assert_eq!((status, &body["errorNum"]), (403, &json!(1230)), "told in the system database only");
}

#[test]
fn statistics_count_requests_and_their_description_names_every_figure() {
    let server = Server::start();
    let first = get(&server, "/_admin/statistics");
    let second = get(&server, "/_admin/statistics");
    assert_eq!(first["enabled"], true);
    let gets = |statistics: &Value| statistics["http"]["requestsGet"].as_u64().expect("a number");
    assert_eq!(gets(&second), gets(&first) + 1);
    let times = &second["client"]["requestTime"];
    let counts: u64 = times["counts"].as_array().expect("counts").iter().filter_map(Value::as_u64).sum();
    assert_eq!(Some(counts), times["count"].as_u64());
    let description = get(&server, "/_admin/statistics-description");
    for figure in description["figures"].as_array().expect("figures") {
        let (group, name) =
            (figure["group"].as_str().expect("a group"), figure["identifier"].as_str().expect("a name"));
        assert!(!second[group][name].is_null(), "{group}.{name}");
    }
}

#[test]
fn options_tell_the_limits_the_server_runs_with() {
    let directory = tempfile::tempdir().expect("directory");
    let options =
        Options { data_dir: directory.path().to_owned(), root_password: "secret".to_owned(), jwt_secret: None };
    let store = StoreOptions { ttl_interval: std::time::Duration::from_millis(1500), ..StoreOptions::default() };
    let engine = Engine::open_with(options, Settings { store, stream_transaction_size: 20_000, ..Settings::default() })
        .expect("engine");
    let server = Server::of(engine, directory);
    let shown = get(&server, "/_admin/options");
    assert_eq!(shown["ttl.frequency"], 1500);
    assert_eq!(shown["transaction.streaming-max-transaction-size"], 20_000);
    let described = get(&server, "/_admin/options-description");
    let names = |object: &Value| object.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>());
    assert_eq!(names(&described), names(&shown));
}

#[test]
fn a_stream_transaction_cannot_ask_for_more_than_the_server_allows() {
    let directory = tempfile::tempdir().expect("directory");
    let options =
        Options { data_dir: directory.path().to_owned(), root_password: "secret".to_owned(), jwt_secret: None };
    let settings = Settings { stream_transaction_size: 20_000, ..Settings::default() };
    let server = Server::of(Engine::open_with(options, settings).expect("engine"), directory);
    server.collection("c", 0);
    let big = "FOR i IN 1..1000 INSERT { text: REPEAT('x', 100) } INTO c";
    let declared = json!({"collections": {"write": ["c"]}, "maxTransactionSize": 1_000_000_000});
    let (_, begun) = server.root(Method::POST, "/_api/transaction/begin", &declared);
    let id = begun["result"]["id"].as_str().expect("a number");
    let login = STANDARD.encode("root:secret");
    let request = Request::post("/_api/cursor").header("authorization", format!("Basic {login}"));
    let request = request.header("x-arango-trx-id", id);
    let response = server.engine.handle(request.body(Bytes::from(json!({"query": big}).to_string())).expect("request"));
    let body: Value = serde_json::from_slice(response.body()).expect("JSON");
    assert_eq!((response.status().as_u16(), &body["errorNum"]), (500, &json!(32)), "{body}");
    // a statement of its own has another limit
    assert_eq!(server.query(big), json!([]));
}

#[test]
fn a_profiled_query_tells_what_each_of_its_nodes_did() {
    let server = Server::start();
    server.collection("c", 10);
    let query = "FOR d IN c FILTER d.n > 3 SORT d.n DESC LIMIT 4 RETURN d.n";
    let body = json!({"query": query, "options": {"profile": 2}});
    let (_, answer) = server.root(Method::POST, "/_api/cursor", &body);
    let nodes = answer["extra"]["stats"]["nodes"].as_array().expect("figures").clone();
    let plan = answer["extra"]["plan"]["nodes"].as_array().expect("a plan").clone();
    let ids = |list: &[Value]| list.iter().map(|n| n["id"].as_i64()).collect::<Vec<_>>();
    assert_eq!(ids(&nodes), ids(&plan));
    let of = |kind: &str| {
        let id = plan.iter().find(|n| n["type"] == kind).map(|n| &n["id"]).expect("there");
        nodes.iter().find(|n| n["id"] == *id).expect("measured")
    };
    assert_eq!(of("EnumerateCollectionNode")["items"], 7);
    assert_eq!(of("EnumerateCollectionNode")["filtered"], 3);
    assert_eq!((&of("LimitNode")["items"], &of("ReturnNode")["items"]), (&json!(4), &json!(4)));
    let plain = server.root(Method::POST, "/_api/cursor", &json!({"query": query, "options": {"profile": 1}})).1;
    assert!(plain["extra"]["stats"]["nodes"].is_null());
}

#[test]
fn a_query_tells_how_much_memory_it_needed_at_most() {
    let server = Server::start();
    server.collection("c", 100);
    let peak = |query: &str| {
        let (_, answer) = server.root(Method::POST, "/_api/cursor", &json!({"query": query}));
        answer["extra"]["stats"]["peakMemoryUsage"].as_u64().expect("a number")
    };
    let one = peak("FOR d IN c LIMIT 1 RETURN d");
    let all = peak("FOR d IN c RETURN d");
    assert!(one > 0 && all > 50 * one, "{one} and {all}");
    assert!(peak("FOR d IN c SORT d.n RETURN d") > all);
}

#[test]
fn a_slow_query_is_remembered_with_the_memory_it_needed() {
    let server = Server::start();
    server.root(Method::PUT, "/_api/query/properties", &json!({"slowQueryThreshold": 0.000_001}));
    server.query("FOR i IN 1..1000 RETURN CONCAT('a text that needs some room ', i)");
    let slow = get(&server, "/_api/query/slow");
    assert!(slow[0]["peakMemoryUsage"].as_u64().is_some_and(|bytes| bytes > 10_000), "{slow}");
}

#[test]
fn a_slow_query_says_whether_it_wrote_and_a_running_one_too() {
    let server = Server::start();
    server.collection("c", 0);
    server.root(Method::PUT, "/_api/query/properties", &json!({"slowQueryThreshold": 0.000_001}));
    server.query("INSERT { n: 1 } INTO c");
    server.query("FOR d IN c RETURN d");
    let slow = get(&server, "/_api/query/slow");
    let wrote = |text: &str| {
        let query = slow.as_array().and_then(|list| list.iter().find(|q| q["query"] == text)).expect("remembered");
        query["modificationQuery"].clone()
    };
    assert_eq!((wrote("INSERT { n: 1 } INTO c"), wrote("FOR d IN c RETURN d")), (json!(true), json!(false)));
    std::thread::scope(|scope| {
        scope.spawn(|| server.error("FOR i IN 1..2 INSERT { n: SLEEP(20) } INTO c"));
        let running = loop {
            let list = get(&server, "/_api/query/current");
            let found = list.as_array().and_then(|list| list.iter().find(|q| q["modificationQuery"] == true).cloned());
            if let Some(query) = found {
                break query;
            }
        };
        let path = format!("/_api/query/{}", running["id"].as_str().expect("a number"));
        assert_eq!(server.root(Method::DELETE, &path, &NOTHING).0, 200);
    });
}

#[test]
fn a_profile_names_the_rules_that_changed_the_plan() {
    let server = Server::start();
    server.collection("c", 3);
    let body = json!({"query": "FOR d IN c FILTER d._key == '1' RETURN d.n", "options": {"profile": 2}});
    let plan = server.root(Method::POST, "/_api/cursor", &body).1["extra"]["plan"].clone();
    let rules = plan["rules"].as_array().expect("a list");
    assert!(rules.contains(&json!("use-indexes")), "{rules:?}");
}

#[test]
fn many_writes_in_one_request_answer_202_unless_they_are_synced() {
    let server = Server::start();
    server.collection("c", 0);
    let documents = json!([{"_key": "a"}, {"_key": "b"}]);
    for (wait, changed, removed) in [("?waitForSync=false", 202, 202), ("", 202, 202), ("?waitForSync=true", 201, 200)]
    {
        let path = format!("/_api/document/c{wait}");
        for (method, status) in
            [(Method::POST, changed), (Method::PATCH, changed), (Method::PUT, changed), (Method::DELETE, removed)]
        {
            assert_eq!(server.root(method.clone(), &path, &documents).0, status, "{method} {path}");
        }
    }
}

#[test]
fn an_access_token_logs_its_user_in_until_it_is_taken_back() {
    let server = Server::start();
    server.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw"}));
    server.root(Method::PUT, "/_api/user/ann/database/_system", &json!({"grant": "ro"}));
    let ann = ("ann", "pw");
    let (status, made) = server.as_user(ann, Method::POST, "/_api/token/ann", &json!({"name": "backup"}));
    let token = made["token"].as_str().expect("a token");
    assert!(status == 200 && token.starts_with("v1."), "{made}");
    let version = |user: &str| server.as_user((user, token), Method::GET, "/_api/version", &NOTHING).0;
    assert_eq!((version(""), version("ann"), version("root")), (200, 200, 401));
    let (_, same) = server.as_user(ann, Method::POST, "/_api/token/ann", &json!({"name": "backup"}));
    assert_eq!(same["errorNum"], 1207);
    let (_, listed) = server.as_user(ann, Method::GET, "/_api/token/ann", &NOTHING);
    assert_eq!(listed["tokens"][0]["name"], "backup");
    assert!(listed["tokens"][0]["token"].is_null() && listed["tokens"][0]["hash"].is_null());
    assert_eq!(server.as_user(ann, Method::GET, "/_api/token/root", &NOTHING).0, 403);
    let path = format!("/_api/token/ann/{}", made["id"]);
    assert_eq!(server.as_user(ann, Method::DELETE, &path, &NOTHING).0, 200);
    assert_eq!((version(""), version("ann")), (401, 401));
    assert_eq!(server.as_user(ann, Method::DELETE, &path, &NOTHING).0, 404);
}

#[test]
fn every_listed_analyzer_is_one_that_tokens_knows() {
    let server = Server::start();
    let listed = get(&server, "/_api/analyzer");
    let names: Vec<&str> =
        listed["result"].as_array().expect("a list").iter().filter_map(|a| a["name"].as_str()).collect();
    assert!(["identity", "text_en", "text_zh"].iter().all(|name| names.contains(name)), "{names:?}");
    for name in names {
        assert!(server.query(&format!("RETURN TOKENS('some words', '{name}')"))[0].is_array(), "{name}");
        assert_eq!(get(&server, &format!("/_api/analyzer/{name}"))["name"], name);
    }
    assert_eq!(server.root(Method::GET, "/_api/analyzer/nosuch", &NOTHING).0, 404);
}

#[test]
fn a_prefixed_index_keeps_its_attributes_apart_and_finds_documents() {
    let server = Server::start();
    server.collection("c", 50);
    let mut body =
        json!({"type": "mdi-prefixed", "prefixFields": ["n"], "fields": ["x", "y"], "fieldValueTypes": "double"});
    let (status, refused) = server.root(Method::POST, "/_api/index?collection=c", &body);
    assert_eq!((status, &refused["errorNum"]), (400, &json!(1561)), "the documents have no such numbers");
    body["sparse"] = json!(true);
    let (status, made) = server.root(Method::POST, "/_api/index?collection=c", &body);
    assert_eq!(status, 201, "{made}");
    assert_eq!((&made["prefixFields"], &made["fields"]), (&json!(["n"]), &json!(["x", "y"])));
    assert_eq!(server.query("FOR d IN c FILTER d.n == 7 RETURN d.n"), json!([7]));
    assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &body).1["isNewlyCreated"], false);
}

#[test]
fn a_change_of_an_older_version_leaves_the_document_and_tells_its_revision() {
    let server = Server::start();
    server.collection("c", 0);
    server.root(Method::POST, "/_api/document/c", &json!({"_key": "a", "version": 5}));
    let path = "/_api/document/c/a?versionAttribute=version";
    for method in [Method::PATCH, Method::PUT] {
        let (status, late) = server.root(method, path, &json!({"version": 4, "x": 1}));
        assert_eq!((status, &late["_oldRev"]), (202, &late["_rev"]), "{late}");
    }
    assert!(get(&server, "/_api/document/c/a")["x"].is_null());
    let (_, newer) = server.root(Method::PATCH, path, &json!({"version": 6}));
    assert_ne!(newer["_oldRev"], newer["_rev"]);
}

#[test]
fn a_list_of_jobs_in_no_known_state_is_a_bad_request() {
    let server = Server::start();
    assert_eq!(server.root(Method::GET, "/_api/job/nosuch", &NOTHING).0, 400);
    assert_eq!(server.root(Method::GET, "/_api/job/12345", &NOTHING).0, 404);
}

#[test]
fn there_are_no_plans_in_the_cache_of_plans() {
    let server = Server::start();
    assert_eq!(get(&server, "/_api/query-plan-cache"), json!([]));
    assert_eq!(server.root(Method::DELETE, "/_api/query-plan-cache", &NOTHING).0, 200);
}
