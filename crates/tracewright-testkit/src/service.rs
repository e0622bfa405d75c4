//! A real service on a random port, over the embedded engine in a temporary directory or over a scratch database on a server.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tracewright::app::App;
use tracewright::error::Error;
use tracewright::settings::Settings;
use tracewright::store::{Access, Query};
use tracewright::{aql, server, transaction};

use crate::arangodb::{SCRATCH, Scratch, Server};
use crate::prepared;

/// The administrator's password in every test.
pub const ADMIN_PASSWORD: &str = "Admin-password-1";

/// The settings of a service that is started with no others.
const DEFAULT: [(&str, &str); 1] = [("admin_password", ADMIN_PASSWORD)];

/// The database of the demo factory that tests have copies of.
const DEMO: &str = "tracewright_test_demo";
/// The database after a first start that tests have copies of.
const EMPTY: &str = "tracewright_test_empty";

/// A running service.
pub struct Service {
    /// What its handlers can reach: settings, store, metrics.
    pub app: Arc<App>,
    /// Where it answers.
    pub address: SocketAddr,
    /// The client of its tests, which keeps connections to it.
    pub client: reqwest::Client,
    /// Its data folder, which goes with it.
    pub data_dir: Arc<TempDir>,
    database: String,
    stop: Option<oneshot::Sender<()>>,
    served: Option<tokio::task::JoinHandle<()>>,
    scratch: Option<Arc<Scratch>>,
}

impl Service {
    /// A service with the administrator's password set.
    pub async fn start() -> Self {
        Self::start_with(&DEFAULT).await
    }

    /// A service with the demo factory, over a copy of the database that the first test has filled.
    pub async fn demo() -> Self {
        let load = async |service: &Self| assert!(tracewright::demo::load(&service.app).await.unwrap());
        if Server::of_environment().is_some() {
            let service = Self::start().await;
            load(&service).await;
            return service;
        }
        Self::copy_of(DEMO, load, &DEFAULT).await
    }

    /// A service over a copy of a database that was filled once for this version of the program.
    async fn copy_of(database: &str, fill: impl AsyncFn(&Self), settings: &[(&str, &str)]) -> Self {
        let make = async |folder| {
            let mut service = Self::start_on(Arc::new(folder), database, &DEFAULT).await;
            fill(&service).await;
            service.stop().await;
            let Self { app, data_dir, .. } = service;
            drop(app);
            Arc::into_inner(data_dir).expect("nobody else has its folder")
        };
        let data_dir = prepared::copy_of(database, make).await;
        Self::start_on(Arc::new(data_dir), database, settings).await
    }

    /// A service with settings of its own. Unless they decide what a first start stores, it is not the first start of its database:
    /// that takes longer than most tests.
    pub async fn start_with(settings: &[(&str, &str)]) -> Self {
        let decides = |(name, value): &(&str, &str)| match *name {
            "admin_password" => *value != ADMIN_PASSWORD,
            name => ["time_zone", "database.name", "database.url"].contains(&name),
        };
        if Server::of_environment().is_some() || settings.iter().any(decides) {
            return Self::first_start_with(settings).await;
        }
        Self::copy_of(EMPTY, async |_| {}, settings).await
    }

    /// A service with settings of its own and a database that is made for it.
    pub async fn first_start_with(settings: &[(&str, &str)]) -> Self {
        let database = format!("{SCRATCH}{}", tracewright::secrets::random(12).to_lowercase());
        let is_own = !settings.iter().any(|(key, _)| ["database.name", "database.url"].contains(key));
        let scratch = Server::of_environment().filter(|_| is_own);
        let scratch = scratch.map(|server| Arc::new(Scratch { server, database: database.clone() }));
        let mut service = Self::start_on(Arc::new(TempDir::new().unwrap()), &database, settings).await;
        service.scratch = scratch;
        service
    }

    /// Another service over the data of an earlier one, which must have been stopped.
    pub async fn restart(mut self, settings: &[(&str, &str)]) -> Self {
        self.stop().await;
        let (data_dir, database, scratch) = (Arc::clone(&self.data_dir), self.database.clone(), self.scratch.take());
        drop(self);
        let mut service = Self::start_on(data_dir, &database, settings).await;
        service.scratch = scratch;
        service
    }

    /// Another process over the database of this one.
    pub async fn beside(&self) -> Self {
        let mut settings =
            vec![("admin_password", ADMIN_PASSWORD.to_owned()), ("database.name", self.database.clone())];
        if let Some(engine) = self.app.store.engine().cloned() {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            settings.push(("database.url", format!("http://{}", listener.local_addr().unwrap())));
            let password = fs::read_to_string(self.data_dir.path().join("database_password")).unwrap();
            settings.push(("database.password", password.trim().to_owned()));
            tokio::spawn(aqlite::http::serve(engine, listener, std::future::pending()));
        }
        let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
        Self::start_with(&settings).await
    }

    /// Asks the embedded engine itself, as its root user, for a path of the service's database; `None` on a server.
    pub fn ask_engine(&self, method: Method, path: &str, body: &Value) -> Option<http::Response<bytes::Bytes>> {
        let engine = self.app.store.engine()?;
        Some(engine.handle(self.engine_request(method, path, body)))
    }

    /// A request to the embedded engine itself, as its root user, for a path of the service's database.
    pub fn engine_request(&self, method: Method, path: &str, body: &Value) -> http::Request<bytes::Bytes> {
        let password = std::fs::read_to_string(self.data_dir.path().join("database_password")).unwrap();
        let credentials = STANDARD.encode(format!("root:{}", password.trim()));
        let body = if body.is_null() { String::new() } else { body.to_string() };
        http::Request::builder()
            .method(method)
            .uri(format!("/_db/{}{path}", self.database))
            .header("authorization", format!("Basic {credentials}"))
            .body(body.into())
            .unwrap()
    }

    async fn start_on(data_dir: Arc<TempDir>, database: &str, settings: &[(&str, &str)]) -> Self {
        let mut all = vec![
            ("listen", "127.0.0.1:0".to_owned()),
            ("data_dir", data_dir.path().display().to_string()),
            ("database.name", database.to_owned()),
            ("database.embedded_listen", String::new()),
        ];
        if let Some(Server { url, username, password }) = Server::of_environment() {
            all.extend([("database.url", url), ("database.username", username), ("database.password", password)]);
        }
        all.extend(settings.iter().map(|(key, value)| (*key, (*value).to_owned())));
        let (app, _) = App::open(Settings::with(&all).unwrap()).await.unwrap();
        let app = Arc::new(app);
        let bound = server::bind(Arc::clone(&app)).await.unwrap();
        let address = bound.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(async move {
            bound.serve(async { drop(stopped.await) }).await.unwrap();
        });
        Self {
            address,
            client: reqwest::Client::new(),
            data_dir,
            database: app.settings.database.name.clone(),
            app,
            stop: Some(stop),
            served: Some(served),
            scratch: None,
        }
    }

    /// Stops the service gracefully.
    pub async fn stop(&mut self) {
        self.client = reqwest::Client::new();
        drop(self.stop.take());
        if let Some(served) = self.served.take() {
            served.await.unwrap();
            self.app.store.close().await.unwrap();
        }
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A request to a path below the prefix, with a token.
    pub fn request(&self, method: Method, path: &str, token: &str) -> RequestBuilder {
        self.client.request(method, self.url(&format!("/api{path}"))).bearer_auth(token)
    }

    /// The answer to a GET.
    pub async fn get(&self, path: &str, token: &str) -> (StatusCode, Value) {
        answer(self.request(Method::GET, path, token)).await
    }

    /// The answer to a request with a JSON body.
    pub async fn send(&self, method: Method, path: &str, token: &str, body: Value) -> (StatusCode, Value) {
        answer(self.request(method, path, token).json(&body)).await
    }

    /// The answer to a login.
    pub async fn auth(&self, username: &str, password: &str) -> (StatusCode, Value) {
        let form = format!("username={username}&password={password}");
        let request = self
            .client
            .post(self.url("/api/auth"))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form);
        answer(request).await
    }

    /// The token of a login that works.
    pub async fn login(&self, username: &str, password: &str) -> String {
        let (status, body) = self.auth(username, password).await;
        assert_eq!(status, 200, "{body}");
        body["access_token"].as_str().unwrap().to_owned()
    }

    /// A valid session token for a user, without a login. The user exists from then on, and may do what the token says.
    pub async fn token(&self, user_key: &str, scope: &str) -> String {
        self.put_users(json!([{"_key": user_key, "scope": scope}])).await;
        self.token_of_nobody(user_key, scope).await
    }

    /// The same for a user who may do that and nothing else, whatever there was of them before.
    pub async fn token_of_new_user(&self, user_key: &str, scope: &str) -> String {
        const TEXT: &str = "INSERT { _key: @key, scope: @scope } INTO User OPTIONS { overwriteMode: 'replace' }";
        let query = Query::undeclared("test/user", TEXT);
        let (store, access) = (&self.app.store, Access::default().writing(&["User"]));
        let params = json!({"key": user_key, "scope": scope});
        transaction!(store, access, |trx| { trx.run(&query, params.clone()).await }).unwrap();
        self.token_of_nobody(user_key, scope).await
    }

    /// A token with a record, whoever its user is.
    pub async fn token_of_nobody(&self, user_key: &str, scope: &str) -> String {
        let issued = self.app.auth.signer.session(user_key, scope).unwrap();
        self.app.store.write::<Value>(&aql::security::INSERT_TOKEN, json!({"token": issued.record})).await.unwrap();
        issued.token
    }

    /// Users as tests want them: those that are there already, because they have a token, get the members and the scopes too.
    async fn put_users(&self, users: Value) {
        const TEXT: &str = "FOR given IN @users
            LET known = FIRST(FOR user IN User FILTER user._key == given._key RETURN user)
            LET scopes = UNION_DISTINCT(SPLIT(known.scope || '', ' '), SPLIT(given.scope || '', ' '))
            LET scope = known == null ? given.scope : CONCAT_SEPARATOR(' ', scopes)
            INSERT MERGE(UNSET(known || {}, '_id', '_rev'), given, { scope }) INTO User OPTIONS { overwriteMode: 'replace' }";
        let query = Query::undeclared("test/users", TEXT);
        let store = &self.app.store;
        loop {
            let access = Access::default().writing(&["User"]);
            match transaction!(store, access, |trx| { trx.run(&query, json!({"users": users})).await }) {
                // many tokens of one user at once
                Err(Error::Busy(_)) => {}
                done => return done.unwrap(),
            }
        }
    }

    /// Inserts documents.
    pub async fn seed(&self, collection: &str, documents: Value) {
        if collection == "User" {
            return self.put_users(documents).await;
        }
        let access = Access::of(&[aql::schema::INSERT_MISSING]).writing(&[collection]);
        let params = json!({"@collection": collection, "documents": documents});
        let store = &self.app.store;
        transaction!(store, access, |trx| { trx.run(&aql::schema::INSERT_MISSING, params.clone()).await }).unwrap();
    }
}

/// Sends a request and reads the JSON of its answer.
pub async fn answer(request: RequestBuilder) -> (StatusCode, Value) {
    let response = request.send().await.unwrap();
    let status = response.status();
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{status}: not JSON: {text}"));
    (status, body)
}

/// The rows of the answer to a GET that works.
pub async fn rows(service: &Service, token: &str, path: &str) -> Vec<Value> {
    let (status, body) = service.get(path, token).await;
    assert_eq!(status, 200, "{path}: {body}");
    body.as_array().unwrap().clone()
}
