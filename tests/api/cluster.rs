//! What a cluster's servers do that one server does not: they give transactions up, hand over to one another and refuse while
//! they do. A proxy before the engine's port answers as they do.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use poem::http::StatusCode;
use poem::{Endpoint, Request, Response};
use reqwest::Method;
use serde_json::json;
use tracewright_testkit::{Service, answer};

use crate::remote::{DatabaseServer, PASSWORD, forward, listen};

/// A call that is refused so many times.
#[derive(Clone, Copy)]
struct Fault {
    method: &'static str,
    /// A text of its path.
    path: &'static str,
    /// A text of its body.
    body: &'static str,
    status: u16,
    /// The error number; 0 for an answer that is no JSON.
    number: u16,
}

/// Counters of a proxy.
#[derive(Default)]
struct Seen {
    /// Calls that pass before one is refused.
    spared: AtomicUsize,
    /// Calls that are still to be refused.
    left: AtomicUsize,
    /// Calls that were refused.
    refused: AtomicUsize,
    /// Transactions that hold a counter alone: begun and not ended, and the most there were at once.
    open: AtomicUsize,
    most: AtomicUsize,
}

struct Coordinator {
    database: String,
    client: reqwest::Client,
    fault: Fault,
    seen: Arc<Seen>,
}

impl Coordinator {
    fn refuses(&self, method: &str, path: &str, body: &str) -> bool {
        let Fault { method: refused, path: place, body: text, .. } = self.fault;
        let is_meant = method == refused && path.contains(place) && body.contains(text);
        let takes_one = |count: &AtomicUsize| {
            count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
        };
        is_meant && !takes_one(&self.seen.spared) && takes_one(&self.seen.left)
    }

    /// A server that does not know a transaction has given it up.
    async fn give_up(&self, path: &str) {
        let url = format!("{}{path}", self.database);
        self.client.delete(url).basic_auth("root", Some(PASSWORD)).send().await.unwrap();
    }
}

impl Endpoint for Coordinator {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        let body = request.take_body().into_string().await?;
        if self.refuses(&method, &path, &body) {
            self.seen.refused.fetch_add(1, Ordering::Relaxed);
            if path.contains("/_api/transaction/") && method == "PUT" {
                self.give_up(&path).await;
            }
            let Fault { status, number, .. } = self.fault;
            let error = json!({"error": true, "code": status, "errorNum": number, "errorMessage": "refused"});
            let text = if number == 0 { "<html>no JSON</html>".to_owned() } else { error.to_string() };
            return Ok(Response::builder().status(StatusCode::from_u16(status).unwrap()).body(text));
        }
        let begins = path.ends_with("/_api/transaction/begin") && body.contains(r#""write":["Counter""#);
        if begins {
            let open = self.seen.open.fetch_add(1, Ordering::Relaxed) + 1;
            self.seen.most.fetch_max(open, Ordering::Relaxed);
        } else if path.contains("/_api/transaction/") && matches!(method.as_str(), "PUT" | "DELETE") {
            // Those of other kinds are over before one of these begins.
            let _ = self.seen.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |open| open.checked_sub(1));
        }
        Ok(forward(&self.client, &self.database, &request, body.into()).await)
    }
}

/// A service over a database that refuses nothing yet.
async fn over(server: &DatabaseServer, fault: Fault) -> (Service, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let coordinator =
        Coordinator { database: server.url.clone(), client: reqwest::Client::new(), fault, seen: Arc::clone(&seen) };
    (DatabaseServer::service_at(&listen(coordinator).await).await, seen)
}

const WRITE: Fault = Fault { method: "POST", path: "/_api/cursor", body: "INTO Tag", status: 0, number: 0 };
const COMMIT: Fault = Fault { method: "PUT", path: "/_api/transaction/", body: "", status: 0, number: 0 };
const BEGIN: Fault = Fault { method: "POST", path: "/_api/transaction/begin", body: "Tag", status: 0, number: 0 };

/// How many tags there are.
async fn tags(service: &Service, token: &str) -> usize {
    let (status, body) = service.get("/tag", token).await;
    assert_eq!(status, 200, "{body}");
    body["detail"].as_array().unwrap().len()
}

/// Makes a tag while calls are refused twice. Gives the status, the tags there are then, and how many calls were refused.
async fn tag_with(server: &DatabaseServer, fault: Fault) -> (u16, usize, usize) {
    let (service, seen) = over(server, fault).await;
    let token = service.token("u", "admin").await;
    seen.left.store(2, Ordering::Relaxed);
    let (status, _) = service.send(Method::POST, "/tag", &token, json!({"name": "t"})).await;
    seen.left.store(0, Ordering::Relaxed);
    (status.as_u16(), tags(&service, &token).await, seen.refused.load(Ordering::Relaxed))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_a_server_gave_up_is_made_again_from_its_beginning() {
    let server = DatabaseServer::start().await;
    for fault in [WRITE, COMMIT] {
        for (status, number) in [(404, 1655), (410, 1654), (409, 1200), (500, 1302), (503, 1303), (500, 1521)] {
            let made = tag_with(&server, Fault { status, number, ..fault }).await;
            assert_eq!(made, (200, 1, 2), "error {number} of {} {}", fault.method, fault.path);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_is_made_again_when_a_server_hands_over_to_another() {
    let server = DatabaseServer::start().await;
    let numbers = [1429, 1449, 1457, 1464, 1465, 1472, 1474, 1478, 1489, 1490, 1491, 1492, 1495, 1496, 30, 38, 1236];
    for (status, number) in numbers.map(|number| (500, number)).into_iter().chain([(503, 503), (503, 0)]) {
        let made = tag_with(&server, Fault { status, number, ..WRITE }).await;
        assert_eq!(made, (200, 1, 2), "{status} with error {number}");
    }
    let made = tag_with(&server, Fault { status: 503, number: 1478, ..BEGIN }).await;
    assert_eq!(made, (200, 1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_end_nobody_knows_is_not_made_twice() {
    let server = DatabaseServer::start().await;
    for (status, number) in [(500, 1457), (503, 1465), (503, 1496), (500, 1492)] {
        let made = tag_with(&server, Fault { status, number, ..COMMIT }).await;
        assert_eq!(made, (500, 0, 1), "error {number}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_only_read_is_read_again() {
    let server = DatabaseServer::start().await;
    let fault = Fault { method: "POST", path: "/_api/cursor", body: "IN Tag", status: 503, number: 1495 };
    let (service, seen) = over(&server, fault).await;
    let token = service.token("u", "admin").await;
    seen.left.store(2, Ordering::Relaxed);
    assert_eq!(tags(&service, &token).await, 0);
    assert_eq!(seen.refused.load(Ordering::Relaxed), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_take_turns_before_they_begin_a_transaction() {
    let server = DatabaseServer::start().await;
    let (service, seen) = over(&server, WRITE).await;
    let token = service.token("u", "admin").await;
    let one = async || service.send(Method::POST, "/position", &token, json!({})).await;
    let made = futures_util::future::join_all((0..12).map(|_| one())).await;
    let mut codes: Vec<String> =
        made.iter().map(|(status, body)| format!("{status} {}", body["detail"]["code"])).collect();
    assert!(made.iter().all(|(status, _)| *status == 200), "{codes:?}");
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), 12, "every one has a code of its own: {codes:?}");
    assert_eq!(seen.most.load(Ordering::Relaxed), 1, "transactions that held the counter at once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_goes_by_portions_and_one_that_was_interrupted_can_be_run_again() {
    let server = DatabaseServer::start().await;
    let fault = Fault { method: "POST", path: "/_api/cursor", body: "REMOVE document", status: 500, number: 4 };
    let (service, seen) = over(&server, fault).await;
    let token = service.token("u", "admin").await;
    let link = |number: usize| json!({"_from": format!("Batch/{number}"), "_to": "Serial/s"});
    service.seed("batch_serial", (0..2_500).map(link).collect()).await;
    service.seed("Serial", json!([{"_key": "s"}])).await;
    // The queues and the first portion go, the second does not.
    seen.spared.store(2, Ordering::Relaxed);
    seen.left.store(1, Ordering::Relaxed);
    let reset = async || answer(service.request(Method::DELETE, "/reset/prod", &token)).await;
    let (status, body) = reset().await;
    assert_eq!(status, 500, "{body}");
    let count = async |collection: &str| service.app.store.count(collection).await.unwrap();
    assert_eq!((count("batch_serial").await, count("Serial").await, count("Queue").await), (500, 1, 1));
    let (status, body) = reset().await;
    assert_eq!(status, 200, "{body}");
    assert_eq!((count("batch_serial").await, count("Serial").await, count("Queue").await), (0, 0, 1));
}
