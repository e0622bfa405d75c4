//! A server in a temporary directory, asked in process.
pub mod port;

use aqlite::{Engine, Options, Settings};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A request of a user; `null` is no body.
pub fn request(user: (&str, &str), method: Method, path: &str, body: &Value) -> Request<Bytes> {
    let login = STANDARD.encode(format!("{}:{}", user.0, user.1));
    let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let request = Request::builder().method(method).uri(path).header("authorization", format!("Basic {login}"));
    request.body(body).expect("request")
}

pub struct Server {
    pub engine: Engine,
    _directory: TempDir,
}

impl Server {
    pub fn start() -> Self {
        Self::with(Settings::default())
    }

    /// One with other limits.
    pub fn with(settings: Settings) -> Self {
        let directory = tempfile::tempdir().expect("directory");
        let options = Options {
            data_dir: directory.path().to_owned(),
            root_password: "secret".to_owned(),
            jwt_secret: Some("key".to_owned()),
        };
        Self::of(Engine::open_with(options, settings).expect("engine"), directory)
    }

    /// One that was opened in another way.
    pub fn of(engine: Engine, directory: TempDir) -> Self {
        Self { engine, _directory: directory }
    }

    fn text(&self, request: Request<Bytes>) -> (u16, Bytes) {
        let response = self.engine.handle(request);
        (response.status().as_u16(), response.into_body())
    }

    /// A request within a stream transaction.
    pub fn in_transaction(&self, id: &str, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let mut request = request(("root", "secret"), method, path, body);
        request.headers_mut().insert("x-arango-trx-id", id.parse().expect("a number"));
        let (status, text) = self.text(request);
        (status, serde_json::from_slice(&text).unwrap_or(Value::Null))
    }

    pub fn as_user(&self, user: (&str, &str), method: Method, path: &str, body: &Value) -> (u16, Value) {
        let (status, text) = self.text(request(user, method, path, body));
        (status, serde_json::from_slice(&text).unwrap_or(Value::Null))
    }

    pub fn root(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        self.as_user(("root", "secret"), method, path, body)
    }

    /// The rows of a query.
    pub fn query(&self, query: &str) -> Value {
        self.query_in("_system", query)
    }

    /// The rows of a query in a database.
    pub fn query_in(&self, database: &str, query: &str) -> Value {
        let path = format!("/_db/{database}/_api/cursor");
        let body = self.root(Method::POST, &path, &json!({"query": query, "batchSize": 100_000})).1;
        assert_eq!(body["error"], false, "{query}: {body}");
        body["result"].clone()
    }

    /// The number of the error a query ends with.
    pub fn error(&self, query: &str) -> i64 {
        let body = self.root(Method::POST, "/_api/cursor", &json!({"query": query})).1;
        body["errorNum"].as_i64().unwrap_or_else(|| panic!("{query}: {body}"))
    }

    /// A collection with the documents 1 to `count`.
    pub fn collection(&self, name: &str, count: u32) {
        assert_eq!(self.root(Method::POST, "/_api/collection", &json!({"name": name})).0, 200);
        if count > 0 {
            self.query(&format!("FOR n IN 1..{count} INSERT {{ _key: TO_STRING(n), n }} INTO {name}"));
        }
    }

    /// A metric of the page for Prometheus.
    pub fn metric(&self, name: &str) -> f64 {
        let (_, page) = self.text(request(("root", "secret"), Method::GET, "/_admin/metrics/v2", &Value::Null));
        let page = String::from_utf8_lossy(&page).into_owned();
        let line = page.lines().find(|line| line.starts_with(&format!("{name}{{")));
        let line = line.unwrap_or_else(|| panic!("{name} is missing in {page}"));
        line.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number")
    }
}
