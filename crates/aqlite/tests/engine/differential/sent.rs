//! The same over the HTTP interface: in one batch and row by row, streamed, from the cache of results, and as values beside
//! the answer, for queries from within the process. And values that a collection computes.

use aqlite::http::{Apart, Rows};
use aqlite::value::{Value, parse_json};
use bytes::Bytes;
use http::{Method, Request};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use super::data::{self, Data};
use super::queries::{Maker, Query, Subject, values};
use super::world::{Difference, Found, parameters, same};
use super::{OF_ONE_WORLD, seeds, tell};
use crate::common::json as parsed;
use crate::server::{Server, request};

const ROOT: (&str, &str) = ("root", "secret");

struct Sent {
    server: Server,
    runtime: Runtime,
}

impl Sent {
    fn new(data: &Data) -> Self {
        let server = Server::start();
        server.collection("c", 0);
        for index in &data.indexes {
            let index = serde_json::from_str(index).expect("an index");
            assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &index).0, 201);
        }
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let sent = Self { server, runtime };
        let answer = sent.post("/_api/document/c", format!("[{}]", data.documents.join(",")));
        assert!(answer.iter_array().all(|written| written.get("error").is_null()), "{}", answer.to_json());
        sent
    }

    fn post(&self, path: &str, body: String) -> Value {
        self.answer(Method::POST, path, Bytes::from(body))
    }

    fn answer(&self, method: Method, path: &str, body: Bytes) -> Value {
        let mut request: Request<Bytes> = request(ROOT, method, path, &serde_json::Value::Null);
        *request.body_mut() = body;
        let response = self.server.engine.handle(request);
        parsed(std::str::from_utf8(response.body()).expect("text"))
    }

    /// All rows of a query, batch by batch.
    fn rows(&self, query: &Query, more: &str) -> Found {
        let text = serde_json::Value::from(query.text.replace("@@c", "c"));
        let body = format!(r#"{{"query":{text},"bindVars":{},{more}}}"#, parameters(&query.parameters).to_json());
        let mut rows = Vec::new();
        let mut answer = self.post("/_api/cursor", body);
        loop {
            if answer.get("error").truthy() {
                return Err(answer.get("errorNum").as_i64().and_then(|n| u16::try_from(n).ok()).unwrap_or(u16::MAX));
            }
            rows.extend(answer.get("result").iter_array());
            if !answer.get("hasMore").truthy() {
                return Ok(rows);
            }
            let next = format!("/_api/cursor/{}", answer.get("id").to_text());
            answer = self.answer(Method::PUT, &next, Bytes::new());
        }
    }

    /// The rows as values beside the answer.
    fn apart(&self, query: &Query) -> Found {
        let body = Value::from_pairs([
            ("query", Value::str(query.text.replace("@@c", "c").as_str())),
            ("bindVars", parameters(&query.parameters)),
            ("batchSize", Value::Int(3)),
        ]);
        let mut rows = Vec::new();
        let mut next = (Method::POST, String::from("/_api/cursor"), Some(body));
        loop {
            let mut request = request(ROOT, next.0, &next.1, &serde_json::Value::Null);
            request.extensions_mut().insert(Apart { body: next.2 });
            let response = self.runtime.block_on(self.server.engine.answer(request));
            let Some(batch) = response.extensions().get::<Rows>() else {
                let answer = parsed(std::str::from_utf8(response.body()).expect("text"));
                return Err(answer.get("errorNum").as_i64().and_then(|n| u16::try_from(n).ok()).unwrap_or(u16::MAX));
            };
            rows.extend(batch.values().iter().cloned());
            match batch.more() {
                Some(more) => next = (Method::PUT, format!("/_api/cursor/{more}"), None),
                None => return Ok(rows),
            }
        }
    }

    fn compare(&self, query: &Query) -> Result<usize, Difference> {
        let plain =
            r#""batchSize":100000,"cache":false,"options":{"optimizer":{"rules":["-all","+replace-like-with-range"]}}"#;
        let expected = self.rows(query, plain);
        let ways = [
            ("in one batch", r#""batchSize":1000,"cache":false"#),
            ("row by row", r#""batchSize":1,"cache":false"#),
            ("streamed", r#""batchSize":2,"options":{"stream":true}"#),
            ("for the cache", r#""batchSize":1000,"cache":true"#),
            ("from the cache", r#""batchSize":1000,"cache":true"#),
            ("from the cache, in batches", r#""batchSize":2,"cache":true"#),
        ];
        for (way, more) in ways {
            same(query, &expected, &self.rows(query, more), way)?;
        }
        same(query, &expected, &self.apart(query), "as values")?;
        Ok(ways.len() + 1)
    }

    /// The cache gives what the changed documents give.
    fn compare_behind_change(&self, query: &Query) -> Result<(), Difference> {
        let now = self.rows(query, r#""batchSize":1000,"cache":false"#);
        same(query, &now, &self.rows(query, r#""batchSize":1000,"cache":true"#), "from the cache, behind a change")
    }
}

#[test]
fn what_is_sent_is_the_same_however_it_is_asked_for() {
    let mut compared = 0;
    for seed in seeds(4) {
        let mut random = StdRng::seed_from_u64(seed);
        let data = Data::of(&mut random);
        let documents = values(&data.documents);
        let sent = Sent::new(&data);
        sent.answer(Method::PUT, "/_api/query-cache/properties", Bytes::from(r#"{"mode":"demand","maxResults":1000}"#));
        let mut asked = Vec::new();
        for _ in 0..OF_ONE_WORLD {
            let subject = [Subject::Rows, Subject::Groups, Subject::Loops][random.random_range(0..3)];
            let query = Maker::new(&mut random, &documents).query(subject);
            match sent.compare(&query) {
                Ok(ways) => compared += ways,
                Err(_) => tell(seed, data, &query, |data| {
                    let sent = Sent::new(data);
                    sent.answer(Method::PUT, "/_api/query-cache/properties", Bytes::from(r#"{"mode":"demand"}"#));
                    sent.compare(&query).err()
                }),
            }
            asked.push(query);
        }
        for (change, body) in [("PATCH", r#"{"a":1,"b":null,"n":2}"#), ("DELETE", ""), ("PUT", r#"{"q":"another"}"#)] {
            let key = format!("/_api/document/c/k{}", random.random_range(0..data.documents.len()));
            sent.answer(Method::from_bytes(change.as_bytes()).expect("a method"), &key, Bytes::from(body));
            for query in &asked {
                if let Err(difference) = sent.compare_behind_change(query) {
                    panic!("seed {seed}, after {change} {key}: {difference:?}\n{query:?}\n{data:?}");
                }
                compared += 1;
            }
        }
    }
    println!("{compared} runs compared");
}

/// What a collection can compute of a document.
const EXPRESSIONS: [&str; 14] = [
    "@doc.a",
    "[@doc.b, @doc.n, @doc.missing]",
    "@doc.n / 2",
    "@doc.n + @doc.k",
    "@doc.n * 2",
    "@doc.n <= @doc.k",
    "CONCAT(@doc.s, '@doc', @doc.b)",
    "@doc.t[* FILTER CURRENT >= 1 RETURN [CURRENT]]",
    "{ [TO_STRING(@doc.k)]: @doc.a }",
    "KEEP(@doc, 'a', 'o')",
    "@doc.a < @doc.b ? @doc.s : @doc.o",
    "SORTED_UNIQUE(TO_ARRAY(@doc.t))",
    "MERGE({ x: @doc.b }, IS_OBJECT(@doc.o) ? @doc.o : {})",
    "FIRST(FOR x IN TO_ARRAY(@doc.t) FILTER x != @doc.b SORT x RETURN x)",
];

#[test]
fn what_a_collection_computes_is_what_a_query_computes() {
    for seed in seeds(5).into_iter().step_by(4) {
        let mut random = StdRng::seed_from_u64(seed);
        let server = Server::start();
        let computed: Vec<_> = EXPRESSIONS
            .iter()
            .enumerate()
            .map(|(at, text)| json!({"name": format!("v{at}"), "expression": format!("RETURN {text}"), "overwrite": true}))
            .collect();
        let made = server.root(Method::POST, "/_api/collection", &json!({"name": "c", "computedValues": computed}));
        assert_eq!(made.0, 200, "{}", made.1);
        let shown: Vec<_> = EXPRESSIONS
            .iter()
            .enumerate()
            .map(|(at, text)| format!("[{at}, d.v{at}, {}]", text.replace("@doc.", "d.").replace("(@doc", "(d")))
            .collect();
        let check =
            format!("FOR d IN c FOR v IN [{}] FILTER v[1] != v[2] RETURN [d._key, v[0], v[1], v[2]]", shown.join(", "));
        let mut written = Vec::new();
        for _ in 0..OF_ONE_WORLD {
            let at = random.random_range(0..6);
            let document = data::document(&mut random, at);
            let mode = ["conflict", "ignore", "update", "replace"][random.random_range(0..4)];
            let options = ["", ", keepNull: false", ", mergeObjects: false"][random.random_range(0..3)];
            let write = match random.random_range(0..3) {
                0 => format!("UPDATE {document} IN c OPTIONS {{ ignoreErrors: true{options} }}"),
                1 => format!("REPLACE {document} IN c OPTIONS {{ ignoreErrors: true }}"),
                _ => format!(
                    "INSERT {document} INTO c OPTIONS {{ ignoreErrors: true, overwriteMode: '{mode}'{options} }}"
                ),
            };
            server.query(&write);
            written.push(write);
            assert_eq!(server.query(&check), json!([]), "seed {seed}, after\n{}", written.join("\n"));
        }
    }
}

#[test]
fn values_of_the_generator_are_json() {
    let mut random = StdRng::seed_from_u64(1);
    for at in 0..200 {
        let text = data::document(&mut random, at);
        assert!(parse_json(&text).is_ok(), "{text}");
    }
}
