//! Grants decide about every collection, however a request names it, within transactions and outside.

use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};

use crate::server::{Server, request};

const ANN: (&str, &str) = ("ann", "pw");

/// Where a request runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    Streaming,
    /// In a stream transaction that declared what it uses.
    Declared,
    /// In one that declared nothing of it.
    Implicit,
}

const PLACES: [Place; 4] = [Place::Outside, Place::Streaming, Place::Declared, Place::Implicit];

/// Queries that read `secret` or `secret_edges`, each in another way.
const READS: [&str; 27] = [
    "FOR d IN secret RETURN d",
    "FOR d IN @@secret RETURN d",
    "FOR d IN secret FILTER d._key == 'x' RETURN d",
    "FOR d IN open FOR s IN secret RETURN s",
    "RETURN (FOR d IN secret RETURN d._key)",
    "RETURN DOCUMENT('secret/x')",
    "RETURN DOCUMENT(CONCAT('sec', 'ret/x'))",
    "RETURN DOCUMENT([CONCAT('sec', 'ret/x')])",
    "RETURN DOCUMENT(CONCAT('sec', 'ret'), 'x')",
    "RETURN DOCUMENT(CONCAT('sec', 'ret'), ['x'])",
    "RETURN DOCUMENT(CONCAT(@number, '/x'))",
    "RETURN COLLECTION_COUNT(CONCAT('sec', 'ret'))",
    "RETURN LENGTH(secret)",
    "RETURN SCHEMA_GET(CONCAT('sec', 'ret'))",
    "RETURN FULLTEXT(CONCAT('sec', 'ret'), 'text', 'word')",
    "RETURN NEAR(CONCAT('sec', 'ret'), 0, 0, 1)",
    "RETURN WITHIN(CONCAT('sec', 'ret'), 0, 0, 1000)",
    "RETURN WITHIN_RECTANGLE(CONCAT('sec', 'ret'), -1, -1, 1, 1)",
    "FOR v IN 1..1 OUTBOUND 'open/o' edges RETURN v",
    "FOR v IN 0..0 OUTBOUND CONCAT('sec', 'ret/x') edges RETURN v",
    "FOR v, e IN 1..1 OUTBOUND 'open/o' secret_edges RETURN e",
    "FOR v, e IN 1..1 OUTBOUND 'open/o' @@edges RETURN e",
    "FOR v IN 1..1 OUTBOUND 'open/o' GRAPH 'g' RETURN v",
    "FOR v IN OUTBOUND SHORTEST_PATH 'open/o' TO CONCAT('sec', 'ret/x') edges RETURN v",
    "FOR p IN OUTBOUND K_SHORTEST_PATHS 'open/o' TO CONCAT('sec', 'ret/x') edges RETURN p",
    "FOR p IN OUTBOUND ALL_SHORTEST_PATHS 'open/o' TO CONCAT('sec', 'ret/x') edges RETURN p",
    "FOR p IN 1..1 OUTBOUND K_PATHS 'open/o' TO CONCAT('sec', 'ret/x') edges RETURN p",
];

/// Queries that write `secret`, each in another way.
const WRITES: [&str; 6] = [
    "INSERT {} INTO secret",
    "INSERT {} INTO @@secret",
    "UPDATE 'x' WITH { n: 1 } IN secret",
    "REPLACE 'x' WITH { n: 1 } IN secret",
    "UPSERT { n: 1 } INSERT { n: 1 } UPDATE { n: 1 } IN secret",
    "FOR d IN open REMOVE { _key: 'x' } IN secret OPTIONS { ignoreErrors: true }",
];

struct Plant {
    server: Server,
    /// Number of the collection `secret`.
    number: String,
}

impl Plant {
    /// A database whose collection `secret` a user has some right to; `open` may be written and `edges` read.
    fn new(grant: &str) -> Self {
        let server = Server::start();
        let root = |method: Method, path: &str, body: Value| {
            let (status, answer) = server.root(method, path, &body);
            assert!(status < 300, "{path} {body}: {answer}");
            answer
        };
        let create = |path: &str, body: Value| root(Method::POST, &format!("/_db/plant/_api/{path}"), body);
        root(Method::POST, "/_api/database", json!({"name": "plant"}));
        create("collection", json!({"name": "open"}));
        create("collection", json!({"name": "edges", "type": 3}));
        create("collection", json!({"name": "secret_edges", "type": 3}));
        let schema = json!({"rule": {"type": "object"}});
        let number = create("collection", json!({"name": "secret", "schema": schema}))["id"].clone();
        create("index?collection=secret", json!({"type": "fulltext", "fields": ["text"]}));
        create("index?collection=secret", json!({"type": "geo", "fields": ["place"]}));
        create("document/open", json!({"_key": "o"}));
        create("document/secret", json!({"_key": "x", "text": "a word", "place": [0, 0]}));
        create("document/edges", json!({"_from": "open/o", "_to": "secret/x"}));
        create("document/secret_edges", json!({"_from": "open/o", "_to": "open/o"}));
        let definition = json!({"collection": "edges", "from": ["open"], "to": ["secret"]});
        create("gharial", json!({"name": "g", "edgeDefinitions": [definition]}));
        root(Method::POST, "/_api/user", json!({"user": "ann", "passwd": "pw"}));
        let plant = Self { server, number: number.as_str().expect("a number").to_owned() };
        plant.grant("", "ro");
        plant.grant("/open", "rw");
        plant.grant("/secret", grant);
        plant.grant("/secret_edges", grant);
        plant
    }

    fn grant(&self, of: &str, level: &str) {
        let path = format!("/_api/user/ann/database/plant{of}");
        assert_eq!(self.server.root(Method::PUT, &path, &json!({"grant": level})).0, 200);
    }

    fn ann(&self, method: Method, path: &str, transaction: Option<&str>, body: &Value) -> (u16, i64, Value) {
        let mut request: Request<Bytes> = request(ANN, method, &format!("/_db/plant{path}"), body);
        if let Some(id) = transaction {
            request.headers_mut().insert("x-arango-trx-id", id.parse().expect("a header"));
        }
        let response = self.server.engine.handle(request);
        let answer: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        (response.status().as_u16(), answer["errorNum"].as_i64().unwrap_or(0), answer)
    }

    /// The number of a new transaction, or the error it is refused with.
    fn begin(&self, collections: &Value) -> Result<String, (u16, i64)> {
        let begun = self.ann(Method::POST, "/_api/transaction/begin", None, &json!({"collections": collections}));
        match begun {
            (201, _, answer) => Ok(answer["result"]["id"].as_str().expect("an id").to_owned()),
            (status, number, _) => Err((status, number)),
        }
    }

    fn query(&self, text: &str, place: Place, collections: &Value) -> (u16, i64, Value) {
        let transaction = match place {
            Place::Outside | Place::Streaming => None,
            Place::Implicit => Some(self.begin(&json!({"read": ["open"]})).expect("a transaction")),
            Place::Declared => match self.begin(collections) {
                Ok(id) => Some(id),
                Err((status, number)) => return (status, number, Value::Null),
            },
        };
        let mut bound = json!({});
        for (name, value) in [("@secret", "secret"), ("@edges", "secret_edges"), ("number", &self.number)] {
            if text.contains(&format!("@{name}")) {
                bound[name] = json!(value);
            }
        }
        let body = json!({"query": text, "bindVars": bound, "options": {"stream": place == Place::Streaming}});
        let answer = self.ann(Method::POST, "/_api/cursor", transaction.as_deref(), &body);
        if let Some(id) = transaction {
            self.ann(Method::DELETE, &format!("/_api/transaction/{id}"), None, &Value::Null);
        }
        answer
    }
}

#[test]
fn a_query_reads_what_is_granted_however_it_names_it_and_wherever_it_runs() {
    let all = json!({"read": ["open", "edges", "secret", "secret_edges"], "allowImplicit": false});
    for grant in ["rw", "ro", "none"] {
        let plant = Plant::new(grant);
        for text in READS {
            for place in PLACES {
                let (status, number, answer) = plant.query(text, place, &all);
                if grant == "none" {
                    assert_eq!((status, number), (403, 11), "{grant} {place:?} {text}: {answer}");
                } else {
                    assert_eq!((status, number), (201, 0), "{grant} {place:?} {text}: {answer}");
                    let rows = &answer["result"];
                    assert!(rows != &json!([]) && rows != &json!([null]) && rows != &json!([[]]), "{place:?} {text}");
                }
            }
        }
    }
}

#[test]
fn a_query_writes_what_is_granted_however_it_names_it_and_wherever_it_runs() {
    for grant in ["rw", "ro", "none"] {
        let plant = Plant::new(grant);
        for text in WRITES {
            for place in PLACES {
                let (status, number, answer) = plant.query(text, place, &json!({"write": ["secret", "open"]}));
                let expected = match (place, grant) {
                    // what is to be written must be declared, whoever writes it
                    (Place::Implicit, _) => (400, 1652),
                    (_, "rw") => (201, 0),
                    (_, "ro") => (403, 1004),
                    _ => (403, 11),
                };
                assert_eq!((status, number), expected, "{grant} {place:?} {text}: {answer}");
            }
        }
    }
}

#[test]
fn the_other_interfaces_ask_the_same() {
    let reads = [
        (Method::GET, "/_api/document/secret/x", Value::Null),
        (Method::PUT, "/_api/document/secret?onlyget=true", json!(["x"])),
        (Method::GET, "/_api/edges/secret_edges?vertex=open%2Fo", Value::Null),
        (Method::GET, "/_api/gharial/g/vertex/secret/x", Value::Null),
        (Method::GET, "/_api/collection/secret/count", Value::Null),
        (Method::GET, "/_api/collection/secret/checksum", Value::Null),
        (Method::GET, "/_api/index?collection=secret", Value::Null),
        (Method::PUT, "/_api/simple/all", json!({"collection": "secret"})),
        (Method::PUT, "/_api/simple/lookup-by-keys", json!({"collection": "secret", "keys": ["x"]})),
        (Method::PUT, "/_api/simple/near", json!({"collection": "secret", "latitude": 0, "longitude": 0})),
        (Method::POST, "/_api/explain", json!({"query": "FOR d IN secret RETURN d"})),
    ];
    for grant in ["rw", "ro", "none"] {
        let plant = Plant::new(grant);
        for place in [Place::Outside, Place::Implicit] {
            let id = (place == Place::Implicit).then(|| plant.begin(&json!({"read": ["open"]})).expect("begun"));
            for (method, path, body) in &reads {
                let (status, number, answer) = plant.ann(method.clone(), path, id.as_deref(), body);
                if grant == "none" {
                    assert_eq!((status, number), (403, 11), "{place:?} {path}: {answer}");
                } else {
                    assert!(status < 300, "{grant} {place:?} {path}: {answer}");
                }
            }
        }
        let written = plant.ann(Method::POST, "/_api/document/secret", None, &json!({}));
        let expected = match grant {
            "rw" => (202, 0),
            "ro" => (403, 1004),
            _ => (403, 11),
        };
        assert_eq!((written.0, written.1), expected, "{grant}: {}", written.2);
    }
}

#[test]
fn collections_without_a_grant_are_not_listed() {
    for (grant, listed) in [("ro", true), ("none", false)] {
        let plant = Plant::new(grant);
        for place in PLACES {
            let answer = plant.query("RETURN COLLECTIONS()[*].name", place, &json!({"read": ["open"]})).2;
            let names = answer["result"][0].as_array().expect("names");
            assert_eq!(names.contains(&json!("secret")), listed, "{place:?}: {answer}");
        }
    }
}

#[test]
fn a_right_that_is_taken_away_ends_within_a_transaction_too() {
    let plant = Plant::new("rw");
    let id = plant.begin(&json!({"write": ["secret"]})).expect("begun");
    let query = |text: &str| {
        let (status, number, _) = plant.ann(Method::POST, "/_api/cursor", Some(&id), &json!({"query": text}));
        (status, number)
    };
    let (read, write) = ("RETURN DOCUMENT(CONCAT('sec', 'ret/x'))", "INSERT {} INTO secret");
    assert_eq!((query(read), query(write)), ((201, 0), (201, 0)));
    plant.grant("/secret", "ro");
    assert_eq!((query(read), query(write)), ((201, 0), (403, 1004)));
    plant.grant("/secret", "none");
    assert_eq!((query(read), query(write)), ((403, 11), (403, 11)));
}

#[test]
fn nobody_reads_password_hashes_however_the_collection_is_named() {
    let server = Server::start();
    let queries = [
        "FOR u IN _users RETURN u",
        "RETURN DOCUMENT(CONCAT('_us', 'ers/x'))",
        "RETURN COLLECTION_COUNT(CONCAT('_us', 'ers'))",
        "RETURN FULLTEXT(CONCAT('_us', 'ers'), 'user', 'root')",
        "RETURN NEAR(CONCAT('_us', 'ers'), 0, 0)",
        "FOR v IN 0..0 OUTBOUND CONCAT('_us', 'ers/x') GRAPH 'g' RETURN v",
    ];
    let definition = json!({"collection": "e", "from": ["v"], "to": ["v"]});
    server.root(Method::POST, "/_api/gharial", &json!({"name": "g", "edgeDefinitions": [definition]}));
    for text in queries {
        for transaction in [None, Some(json!({})), Some(json!({"read": ["v"]}))] {
            let mut request = request(("root", "secret"), Method::POST, "/_api/cursor", &json!({"query": text}));
            if let Some(collections) = transaction {
                let body = json!({"collections": collections});
                let (_, begun) = server.root(Method::POST, "/_api/transaction/begin", &body);
                let id = begun["result"]["id"].as_str().expect("an id").to_owned();
                request.headers_mut().insert("x-arango-trx-id", id.parse().expect("a header"));
            }
            let response = server.engine.handle(request);
            let answer: Value = serde_json::from_slice(response.body()).expect("JSON");
            assert_eq!((response.status().as_u16(), &answer["errorNum"]), (403, &json!(11)), "{text}: {answer}");
        }
    }
    assert_eq!(server.root(Method::GET, "/_api/document/_users/x", &Value::Null).0, 403);
}
