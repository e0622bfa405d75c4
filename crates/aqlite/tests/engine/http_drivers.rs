//! Behaviour that the test suites of ArangoDB's drivers ask for.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};

use crate::server::Server;

#[test]
fn a_list_is_changed_in_the_collection_that_a_parameter_names() {
    let server = Server::start();
    server.collection("c", 2);
    let list = json!([{"_key": "1", "a": 1}, {"_key": "2", "a": 2}]);
    let (status, body) = server.root(Method::PATCH, "/_api/document?collection=c", &list);
    assert_eq!((status, body.as_array().map(Vec::len)), (202, Some(2)), "{body}");
    assert_eq!(server.query("FOR d IN c SORT d.n RETURN [d.n, d.a]"), json!([[1, 1], [2, 2]]));
    assert_eq!(server.root(Method::PUT, "/_api/document?collection=c", &list).0, 202);
    assert_eq!(server.query("FOR d IN c SORT d.a RETURN [d.n, d.a]"), json!([[null, 1], [null, 2]]));
    assert_eq!(server.root(Method::PATCH, "/_api/document", &list).1["errorNum"], 400);
}

#[test]
fn extra_data_of_a_user_is_merged_by_patch_and_replaced_by_put() {
    let server = Server::start();
    server.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw", "extra": {"a": 1, "b": 1}}));
    let (_, merged) = server.root(Method::PATCH, "/_api/user/ann", &json!({"extra": {"b": 2, "c": 2}}));
    assert_eq!(merged["extra"], json!({"a": 1, "b": 2, "c": 2}));
    let (_, kept) = server.root(Method::PATCH, "/_api/user/ann", &json!({"active": false}));
    assert_eq!((&kept["extra"], &kept["active"]), (&merged["extra"], &json!(false)));
    let (_, replaced) = server.root(Method::PUT, "/_api/user/ann", &json!({"passwd": "pw", "extra": {"d": 3}}));
    assert_eq!(replaced["extra"], json!({"d": 3}));
}

#[test]
fn a_batch_fetched_again_where_retries_are_not_allowed_is_an_error_and_the_cursor_goes_on() {
    let server = Server::start();
    let (_, first) =
        server.root(Method::POST, "/_api/cursor", &json!({"query": "FOR n IN 1..3 RETURN n", "batchSize": 1}));
    let cursor = format!("/_api/cursor/{}", first["id"].as_str().expect("an id"));
    let fetch = |batch: &str| server.root(Method::POST, &format!("{cursor}/{batch}"), &Value::Null);
    assert_eq!(fetch("2").1["result"], json!([2]));
    let (status, again) = fetch("2");
    assert_eq!((status, &again["errorNum"]), (400, &json!(400)));
    assert_eq!(fetch("9").1["errorNum"], 1600);
    assert_eq!(fetch("3").1["result"], json!([3]));
}

#[test]
fn simple_queries_look_through_geo_and_fulltext_indexes() {
    let server = Server::start();
    server.root(Method::POST, "/_api/collection", &json!({"name": "c"}));
    for index in [json!({"type": "geo", "fields": ["at"]}), json!({"type": "fulltext", "fields": ["text"]})] {
        assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &index).0, 201);
    }
    server.query("FOR n IN 1..6 INSERT { _key: TO_STRING(n), at: [n, n], text: n < 4 ? 'foo' : 'bar' } INTO c");
    let ask = |call: &str, more: Value| {
        let mut body = more;
        body["collection"] = json!("c");
        let (status, answer) = server.root(Method::PUT, &format!("/_api/simple/{call}"), &body);
        assert_eq!(status, 201, "{call}: {answer}");
        let rows = answer["result"].as_array().expect("rows").clone();
        rows.iter().map(|d| d["_key"].as_str().expect("a key").to_owned()).collect::<Vec<_>>()
    };
    let place = |more: Value| {
        let mut place = json!({"latitude": 1, "longitude": 1});
        place.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        place
    };
    assert_eq!(ask("near", place(json!({"limit": 2}))), ["1", "2"]);
    assert_eq!(ask("near", place(json!({"skip": 4}))), ["5", "6"]);
    assert_eq!(ask("within", place(json!({"radius": 200_000, "distance": "away"}))), ["1", "2"]);
    let corners = json!({"latitude1": 0, "longitude1": 0, "latitude2": 3.5, "longitude2": 2.5, "limit": 0});
    let mut inside = ask("within-rectangle", corners);
    inside.sort();
    assert_eq!(inside, ["1", "2"]);
    assert_eq!(ask("fulltext", json!({"attribute": "text", "query": "foo", "limit": 2})).len(), 2);
    let (_, error) = server.root(Method::PUT, "/_api/simple/near", &place(json!({"collection": "c", "geo": "c/0"})));
    assert_eq!(error["errorNum"], 1212);
}

#[test]
fn places_within_a_rectangle_come_in_the_order_of_their_cells() {
    let order = |numbers: &str| {
        let server = Server::start();
        server.collection("c", 0);
        server.root(Method::POST, "/_api/index?collection=c", &json!({"type": "geo", "fields": ["at"]}));
        server.query(&format!("FOR n IN {numbers} INSERT {{ _key: TO_STRING(n), at: [n % 7, n % 5] }} INTO c"));
        let corners = json!({"latitude1": -1, "longitude1": -1, "latitude2": 8, "longitude2": 8, "limit": 50});
        let mut body = corners;
        body["collection"] = json!("c");
        let rows = server.root(Method::PUT, "/_api/simple/within-rectangle", &body).1["result"].clone();
        rows.as_array().expect("rows").iter().map(|d| d["_key"].clone()).collect::<Vec<_>>()
    };
    let keys = order("0..30");
    assert_eq!(keys.len(), 31);
    assert_eq!(keys, order("REVERSE(0..30)"), "whatever order they were written in");
}

#[test]
fn a_job_that_is_cancelled_while_it_waits_for_its_turn_does_not_run() {
    let server = Server::start();
    server.collection("c", 0);
    let start = |query: &str| {
        let login = format!("Basic {}", STANDARD.encode("root:secret"));
        let request = Request::builder().method(Method::POST).uri("/_api/cursor");
        let request = request.header("authorization", login).header("x-arango-async", "store");
        let response =
            server.engine.handle(request.body(Bytes::from(json!({"query": query}).to_string())).expect("one"));
        response.headers()["x-arango-async-id"].to_str().expect("an id").to_owned()
    };
    let cancel = |id: &String| server.root(Method::PUT, &format!("/_api/job/{id}/cancel"), &Value::Null).0;
    // as many as run at once
    let busy: Vec<String> = (0..64).map(|_| start("RETURN SLEEP(60)")).collect();
    let waiting = start("INSERT {} INTO c");
    assert_eq!(cancel(&waiting), 200);
    assert!(busy.iter().all(|id| cancel(id) == 200));
    let path = format!("/_api/job/{waiting}");
    while server.root(Method::GET, &path, &Value::Null).0 == 204 {
        std::thread::yield_now();
    }
    let (status, answer) = server.root(Method::PUT, &path, &Value::Null);
    assert_eq!((status, &answer["errorNum"]), (410, &json!(21)));
    assert_eq!(server.query("RETURN LENGTH(c)"), json!([0]));
}

#[test]
fn head_is_no_method_of_the_documents_of_a_graph() {
    let server = Server::start();
    let graph = json!({"name": "g", "edgeDefinitions": [{"collection": "e", "from": ["v"], "to": ["v"]}]});
    server.root(Method::POST, "/_api/gharial", &graph);
    server.query("INSERT { _key: 'a' } INTO v");
    // 3.9 answers so, and later handlers have no HEAD here either; whether a vertex exists is asked of the collection
    assert_eq!(server.root(Method::HEAD, "/_api/gharial/g/vertex/v/a", &Value::Null).0, 500);
    assert_eq!(server.root(Method::HEAD, "/_api/gharial/g/vertex/v/b", &Value::Null).0, 500);
    assert_eq!(server.root(Method::HEAD, "/_api/document/v/a", &Value::Null).0, 200);
    assert_eq!(server.root(Method::HEAD, "/_api/document/v/b", &Value::Null).0, 404);
}

#[test]
fn a_patch_without_keep_null_keeps_the_nulls_of_an_object_that_replaces_another() {
    let server = Server::start();
    server.root(Method::POST, "/_api/collection", &json!({"name": "c"}));
    server.query("INSERT { _key: 'a', o: { x: 1 }, gone: 1 } INTO c");
    let patch = json!({"o": {"y": null}, "gone": null, "new": {"y": null, "z": 1}});
    let path = "/_api/document/c/a?keepNull=false&mergeObjects=false&returnNew=true";
    let (_, body) = server.root(Method::PATCH, path, &patch);
    assert_eq!((&body["new"]["o"], &body["new"]["new"]), (&json!({"y": null}), &json!({"z": 1})), "{body}");
    assert!(body["new"].get("gone").is_none(), "{body}");
}

#[test]
fn settings_of_caches_are_shown_where_they_are_set() {
    let server = Server::start();
    server.collection("c", 0);
    let caches = json!({"optimizeTopK": ["BM25(@doc) DESC"], "primarySortCache": true, "primaryKeyCache": true});
    let mut view = json!({"name": "v", "type": "arangosearch", "storedValues": [{"fields": ["a"], "cache": true}]});
    view.as_object_mut().expect("an object").extend(caches.as_object().expect("an object").clone());
    let (status, made) = server.root(Method::POST, "/_api/view", &view);
    assert_eq!(status, 201, "{made}");
    assert_eq!(made["storedValues"], json!([{"fields": ["a"], "compression": "lz4", "cache": true}]));
    server.root(Method::PUT, "/_api/view/v/properties", &json!({"commitIntervalMsec": 5}));
    let (_, shown) = server.root(Method::GET, "/_api/view/v/properties", &Value::Null);
    for (name, value) in caches.as_object().expect("an object") {
        assert_eq!((&made[name], &shown[name]), (value, value), "{name}");
    }
    let plain = server.root(Method::POST, "/_api/view", &json!({"name": "w", "type": "arangosearch"})).1;
    assert_eq!((plain.get("optimizeTopK"), plain.get("primaryKeyCache")), (None, None));
    assert_eq!(
        server.root(Method::POST, "/_api/view", &json!({"name": "x", "type": "arangosearch", "optimizeTopK": 1})).0,
        400
    );
    let index = json!({
        "type": "inverted", "name": "i", "fields": [{"name": "a", "cache": true}], "cache": true, "primaryKeyCache": true,
        "primarySort": {"fields": [{"field": "a", "direction": "asc"}], "cache": true},
    });
    let (status, made) = server.root(Method::POST, "/_api/index?collection=c", &index);
    assert_eq!(status, 201, "{made}");
    assert_eq!(made["fields"], index["fields"]);
    assert_eq!(
        (&made["cache"], &made["primaryKeyCache"], &made["primarySort"]["cache"]),
        (&json!(true), &json!(true), &json!(true))
    );
}

#[test]
fn a_name_and_password_may_come_without_the_signs_at_their_end() {
    let server = Server::start();
    let version = |credentials: &str| {
        let request = Request::get("/_api/version").header("authorization", format!("Basic {credentials}"));
        server.engine.handle(request.body(Bytes::new()).expect("a request")).status().as_u16()
    };
    let whole = STANDARD.encode("root:secret");
    assert!(whole.ends_with('='));
    assert_eq!((version(&whole), version(whole.trim_end_matches('='))), (200, 200));
    assert_eq!(version(STANDARD.encode("root:wrong").trim_end_matches('=')), 401);
}
