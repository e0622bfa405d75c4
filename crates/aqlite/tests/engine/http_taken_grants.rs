//! A grant that is taken, and a user who is removed: what was begun before does not go on.

use bytes::Bytes;
use http::{Method, Response};
use serde_json::{Value, json};

use crate::server::{Server, request};

const ANN: (&str, &str) = ("ann", "pw");

/// A database with three documents in each of two collections, and a user who may do something there.
struct Plant(Server);

impl Plant {
    fn new(grant: &str) -> Self {
        let server = Server::start();
        server.root(Method::POST, "/_api/database", &json!({"name": "plant"}));
        for name in ["open", "secret"] {
            server.root(Method::POST, "/_db/plant/_api/collection", &json!({"name": name}));
            server.query_in("plant", &format!("FOR n IN 1..3 INSERT {{ _key: TO_STRING(n), n }} INTO {name}"));
        }
        let plant = Self(server);
        plant.create_ann(grant);
        plant
    }

    fn create_ann(&self, grant: &str) {
        self.0.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw"}));
        self.grant("", grant);
    }

    fn grant(&self, of: &str, level: &str) {
        let path = format!("/_api/user/ann/database/plant{of}");
        assert_eq!(self.0.root(Method::PUT, &path, &json!({"grant": level})).0, 200);
    }

    fn send(&self, method: Method, path: &str, header: Option<(&'static str, &str)>, body: &Value) -> Response<Bytes> {
        let mut request = request(ANN, method, &format!("/_db/plant/_api/{path}"), body);
        if let Some((name, value)) = header {
            request.headers_mut().insert(name, value.parse().expect("a header"));
        }
        self.0.engine.handle(request)
    }

    /// Status, number of the error, and answer of a request of the user.
    fn ann(&self, method: Method, path: &str, body: &Value) -> (u16, i64, Value) {
        read(&self.send(method, path, None, body))
    }

    /// A query of the user with rows that are still to be fetched, and the path to them.
    fn open_cursor(&self, query: &str, stream: bool) -> String {
        let body = json!({"query": query, "batchSize": 1, "options": {"stream": stream}});
        let (status, _, answer) = self.ann(Method::POST, "cursor", &body);
        assert_eq!((status, &answer["hasMore"]), (201, &json!(true)), "{answer}");
        format!("cursor/{}", answer["id"].as_str().expect("an id"))
    }

    /// A stream transaction of the user in which something was written to `secret`.
    fn begin_writing(&self) -> String {
        let (_, _, begun) = self.ann(Method::POST, "transaction/begin", &json!({"collections": {"write": ["secret"]}}));
        let id = begun["result"]["id"].as_str().expect("an id").to_owned();
        let written =
            self.send(Method::POST, "document/secret", Some(("x-arango-trx-id", id.as_str())), &json!({"_key": "new"}));
        assert_eq!(written.status(), 202);
        id
    }
}

fn read(response: &Response<Bytes>) -> (u16, i64, Value) {
    let answer: Value = serde_json::from_slice(response.body()).unwrap_or_default();
    (response.status().as_u16(), answer["errorNum"].as_i64().unwrap_or(0), answer)
}

#[test]
fn rows_are_not_fetched_after_the_grant_to_read_them_was_taken() {
    let named = "FOR d IN secret RETURN d.n";
    let computed = "FOR n IN 1..3 RETURN DOCUMENT(CONCAT('sec', 'ret'), TO_STRING(n)).n";
    let written = "FOR d IN secret UPDATE d WITH { m: 1 } IN secret RETURN NEW.n";
    for (query, stream) in [(named, false), (named, true), (computed, false), (computed, true), (written, false)] {
        // with the grant of the database nothing is asked about its collections
        let plant = Plant::new("rw");
        let (path, other) = (plant.open_cursor(query, stream), plant.open_cursor("FOR d IN open RETURN d.n", stream));
        let fetch = |path: &str| {
            let (status, number, answer) = plant.ann(Method::POST, path, &Value::Null);
            (status, number, answer["result"].clone())
        };
        plant.grant("/secret", "none");
        assert_eq!(fetch(&path), (403, 11, Value::Null), "{query}, streaming: {stream}");
        assert_eq!(fetch(&other), (200, 0, json!([2])), "who may still read goes on");
        plant.grant("/secret", "ro");
        assert_eq!(fetch(&path), (200, 0, json!([2])), "{query}, streaming: {stream}");
    }
}

#[test]
fn rows_of_the_cache_are_not_fetched_after_the_grant_to_read_them_was_taken() {
    let plant = Plant::new("rw");
    plant.0.root(Method::PUT, "/_api/query-cache/properties", &json!({"mode": "on"}));
    let query = "FOR d IN secret SORT d.n RETURN d.n";
    plant.open_cursor(query, false);
    let path = plant.open_cursor(query, false);
    assert_eq!(plant.ann(Method::POST, &path, &Value::Null).2["cached"], true);
    plant.grant("/secret", "none");
    assert_eq!(plant.ann(Method::POST, &path, &Value::Null).1, 11);
}

#[test]
fn rows_of_a_collection_that_was_renamed_need_the_grant_of_its_name_now() {
    let plant = Plant::new("ro");
    let path = plant.open_cursor("FOR d IN open RETURN d.n", false);
    let rename = "/_db/plant/_api/collection/open/rename";
    assert_eq!(plant.0.root(Method::PUT, rename, &json!({"name": "hidden"})).0, 200);
    plant.grant("/hidden", "none");
    assert_eq!(plant.ann(Method::POST, &path, &Value::Null).1, 11);
}

#[test]
fn a_dump_ends_with_the_grant() {
    let plant = Plant::new("ro");
    let started = plant.send(Method::POST, "dump/start", None, &json!({"shards": ["open", "secret"]}));
    let id = started.headers()["x-arango-dump-id"].to_str().expect("a name").to_owned();
    let next = |batch: u32| plant.ann(Method::POST, &format!("dump/next/{id}?batchId={batch}"), &Value::Null).0;
    assert_eq!(next(1), 200);
    plant.grant("/secret", "none");
    assert_eq!(next(2), 403);
}

#[test]
fn a_transaction_does_not_commit_what_its_user_may_not_write_any_more() {
    for (level, number) in [("ro", 1004), ("none", 11)] {
        let plant = Plant::new("rw");
        let id = plant.begin_writing();
        plant.grant("/secret", level);
        let (status, refused, answer) = plant.ann(Method::PUT, &format!("transaction/{id}"), &Value::Null);
        assert_eq!((status, refused), (403, number), "{answer}");
        plant.grant("/secret", "rw");
        // it is over, and with it what it held
        assert_eq!(plant.ann(Method::GET, &format!("transaction/{id}"), &Value::Null).2["result"]["status"], "aborted");
        assert_eq!(plant.0.query_in("plant", "RETURN LENGTH(secret)"), json!([3]));
        assert_eq!(plant.ann(Method::POST, "document/secret", &json!({"_key": "new"})).0, 202);
    }
}

#[test]
fn what_belongs_to_a_removed_user_is_not_served_to_the_next_one_of_his_name() {
    let plant = Plant::new("rw");
    let cursors = [false, true].map(|stream| plant.open_cursor("FOR d IN secret RETURN d.n", stream));
    let transaction = format!("transaction/{}", plant.begin_writing());
    let started = plant.send(Method::POST, "dump/start", None, &json!({"shards": ["secret"]}));
    let dump = started.headers()["x-arango-dump-id"].to_str().expect("a name").to_owned();
    let stored = plant.send(Method::GET, "version", Some(("x-arango-async", "store")), &Value::Null);
    let job = format!("job/{}", stored.headers()["x-arango-async-id"].to_str().expect("a number"));

    assert_eq!(plant.0.root(Method::DELETE, "/_api/user/ann", &Value::Null).0, 202);
    plant.create_ann("rw");
    for path in cursors {
        assert_eq!(plant.ann(Method::POST, &path, &Value::Null).1, 1600);
        assert_eq!(plant.ann(Method::DELETE, &path, &Value::Null).1, 1600);
    }
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        assert_eq!(plant.ann(method, &transaction, &Value::Null).1, 1655);
    }
    assert_eq!(plant.ann(Method::GET, "transaction", &Value::Null).2["transactions"], json!([]));
    assert_eq!(plant.ann(Method::POST, &format!("dump/next/{dump}?batchId=1"), &Value::Null).0, 403);
    assert_eq!(plant.ann(Method::PUT, &job, &Value::Null).0, 404);
    for list in ["job/done", "job/pending"] {
        assert_eq!(plant.ann(Method::GET, list, &Value::Null).2, json!([]));
    }
}

#[test]
fn a_graph_is_changed_by_those_who_may_read_all_it_consists_of() {
    let plant = Plant::new("rw");
    let root = |method: Method, path: &str, body: &Value| {
        let answer = plant.0.root(method, &format!("/_db/plant/_api/{path}"), body);
        assert!(answer.0 < 300, "{path}: {}", answer.1);
        answer.1
    };
    let edges = json!({"collection": "edges", "from": ["open"], "to": ["secret"]});
    let others = json!({"collection": "others", "from": ["open"], "to": ["open"]});
    root(
        Method::POST,
        "gharial",
        &json!({"name": "g", "edgeDefinitions": [edges, others], "orphanCollections": ["alone"]}),
    );
    root(Method::POST, "gharial", &json!({"name": "h", "edgeDefinitions": [others]}));
    let before = root(Method::GET, "gharial", &Value::Null);
    plant.grant("/secret", "none");
    plant.grant("/alone", "ro");
    let to_secret = json!({"collection": "more", "from": ["secret"], "to": ["open"]});
    let redefined = json!({"collection": "others", "from": ["open"], "to": ["fresh"]});
    for (method, path, body) in [
        (Method::POST, "gharial", json!({"name": "i", "edgeDefinitions": [to_secret]})),
        (Method::POST, "gharial", json!({"name": "i", "orphanCollections": ["secret"]})),
        (Method::POST, "gharial/g/vertex", json!({"collection": "fresh"})),
        (Method::DELETE, "gharial/g/vertex/alone", Value::Null),
        (Method::POST, "gharial/g/edge", json!({"collection": "more", "from": ["open"], "to": ["open"]})),
        (Method::POST, "gharial/h/edge", to_secret.clone()),
        (Method::PUT, "gharial/g/edge/others", redefined.clone()),
        // the other graph that has these edges would follow
        (Method::PUT, "gharial/h/edge/others", redefined),
        (Method::DELETE, "gharial/g/edge/others", Value::Null),
        // collections that would go with it
        (Method::DELETE, "gharial/g?dropCollections=true", Value::Null),
        (Method::DELETE, "gharial/g/edge/edges?dropCollections=true", Value::Null),
    ] {
        let (status, number, answer) = plant.ann(method.clone(), path, &body);
        assert_eq!((status, number), (403, 11), "{method} {path}: {answer}");
    }
    assert_eq!(root(Method::GET, "gharial", &Value::Null), before, "nothing was changed");
    let names = root(Method::GET, "collection?excludeSystem=true", &Value::Null);
    let names = names["result"].as_array().expect("a list").iter().map(|c| c["name"].as_str().expect("a name"));
    assert!(!names.clone().any(|name| ["more", "fresh"].contains(&name)), "and nothing was made");
    plant.grant("/secret", "ro");
    assert_eq!(plant.ann(Method::POST, "gharial/g/vertex", &json!({"collection": "fresh"})).0, 202);
    // what stays, because another graph has it, need not be his to drop
    assert_eq!(plant.ann(Method::DELETE, "gharial/h?dropCollections=true", &Value::Null).0, 202);
}
