//! What a service that was killed leaves in a database server, and what the next start does about it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use poem::{Endpoint, Request, Response};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tracewright_testkit::program::{ADMIN_PASSWORD, Program, Running};

use crate::remote::{DatabaseServer, PASSWORD, forward, listen};

/// Far less than the minute after which a server ends what nobody uses.
const SOON: Duration = Duration::from_secs(20);

/// Stands between a service and its database. Commits do not arrive while it holds them up.
struct Holdup {
    database: String,
    client: Client,
    is_on: Arc<AtomicBool>,
    /// How many were held up.
    held: Arc<AtomicUsize>,
}

impl Endpoint for Holdup {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let body = request.take_body().into_bytes().await?;
        let commits = request.method() == Method::PUT && request.uri().path().contains("/_api/transaction/");
        if commits && self.is_on.load(Ordering::Relaxed) {
            self.held.fetch_add(1, Ordering::Relaxed);
            std::future::pending::<()>().await;
        }
        Ok(forward(&self.client, &self.database, &request, body.into()).await)
    }
}

/// A database server that is asked directly.
struct Plant {
    server: DatabaseServer,
    client: Client,
}

impl Plant {
    async fn new() -> Self {
        Self { server: DatabaseServer::start().await, client: Client::new() }
    }

    async fn ask(&self, method: Method, path: &str, body: Value) -> Value {
        let url = format!("{}/_db/plant{path}", self.server.url);
        let asked = self.client.request(method, url).basic_auth("root", Some(PASSWORD)).json(&body);
        asked.send().await.unwrap().json().await.unwrap()
    }

    /// A transaction of somebody who is no service, in the name of the same user of the database.
    async fn begin(&self, collections: Value) -> String {
        let begun = self.ask(Method::POST, "/_api/transaction/begin", json!({"collections": collections})).await;
        begun["result"]["id"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned()
    }

    /// Transactions that are open.
    async fn open(&self) -> Vec<String> {
        let listed = self.ask(Method::GET, "/_api/transaction", Value::Null).await;
        let ids = listed["transactions"].as_array().unwrap().iter();
        ids.map(|open| open["id"].as_str().unwrap().to_owned()).collect()
    }
}

fn serve(program: &Program, url: &str) -> Running {
    program.serve(&["--database-url", url, "--database-password", PASSWORD, "--database-name", "plant"])
}

async fn token(client: &Client, running: &Running) -> String {
    let form = [("username", "cadmin"), ("password", ADMIN_PASSWORD)];
    let answer: Value = client.post(running.url("/api/auth")).form(&form).send().await.unwrap().json().await.unwrap();
    answer["access_token"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_a_killed_service_held_is_free_when_it_is_started_again_and_others_keep_what_they_hold() {
    let plant = Plant::new().await;
    let (is_on, held) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let database = plant.server.url.clone();
    let holdup = Holdup { database, client: Client::new(), is_on: Arc::clone(&is_on), held: Arc::clone(&held) };
    let url = listen(holdup).await;
    let program = Program::new();
    let running = serve(&program, &url);
    let bearer = token(&plant.client, &running).await;
    let made = plant.client.post(running.url("/api/position")).bearer_auth(&bearer).json(&json!({"code": "A"}));
    let made: Value = made.send().await.unwrap().json().await.unwrap();
    let key = made["detail"]["_key"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    let delete =
        |running: &Running| plant.client.delete(running.url(&format!("/api/position/{key}"))).bearer_auth(&bearer);
    is_on.store(true, Ordering::Relaxed);
    let moved = tokio::spawn(delete(&running).send());
    while held.load(Ordering::Relaxed) == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let analysts = plant.begin(json!({"write": ["Tag"]})).await;
    assert!(plant.open().await.len() > 1, "the service's and the analyst's");
    drop(running);
    drop(moved.await);

    is_on.store(false, Ordering::Relaxed);
    let started = Instant::now();
    let running = serve(&program, &url);
    let status = delete(&running).send().await.unwrap().status();
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    assert_eq!(status, 200, "nobody holds the positions");
    assert_eq!(plant.open().await, [analysts], "nobody else's are ended");
    assert!(running.stop().contains("which was killed had left open"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_start_waits_for_others_only_where_something_is_missing_and_says_so() {
    let plant = Plant::new().await;
    let url = plant.server.url.clone();
    let program = Program::new();
    serve(&program, &url).stop();

    let all = ["Config", "Counter", "CustomField", "Position", "Queue", "Token", "User"];
    let somebody = plant.begin(json!({"exclusive": all})).await;
    let started = Instant::now();
    let log = serve(&program, &url).stop();
    assert!(started.elapsed() < SOON, "nothing is missing: {:?}", started.elapsed());
    for what in ["the first documents", "the site queue", "the administrator"] {
        assert!(!log.contains(what), "{log}");
    }
    plant.ask(Method::DELETE, &format!("/_api/transaction/{somebody}"), Value::Null).await;

    plant.ask(Method::POST, "/_api/cursor", json!({"query": "FOR q IN Queue REMOVE q IN Queue"})).await;
    let somebody = plant.begin(json!({"exclusive": ["Queue"]})).await;
    let starting = tokio::task::spawn_blocking(move || serve(&program, &url));
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert!(!starting.is_finished(), "it waits for the queue");
    plant.ask(Method::DELETE, &format!("/_api/transaction/{somebody}"), Value::Null).await;
    let log = starting.await.unwrap().stop();
    assert!(log.contains("the start is at the site queue, and waits"), "{log}");
    let queues = plant.ask(Method::POST, "/_api/cursor", json!({"query": "RETURN LENGTH(Queue)"})).await;
    assert_eq!(queues["result"], json!([1]));
}
