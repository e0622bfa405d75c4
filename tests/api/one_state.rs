//! Searches that take several queries read one state of the database, whatever is written between the queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use poem::listener::{Acceptor, Listener, TcpListener};
use poem::{Endpoint, Request, Response, Server};
use reqwest::header::{CONNECTION, HOST, TRANSFER_ENCODING};
use serde_json::{Value, json};

use crate::common::{Service, rows};
use crate::remote::{DatabaseServer, PASSWORD};

/// Stands between a service and its database. Before each query with a text in it a document is written.
struct Meddler {
    database: String,
    client: reqwest::Client,
    queries_with: &'static str,
    collection: &'static str,
    document: fn(usize) -> Value,
    written: Arc<AtomicUsize>,
}

impl Endpoint for Meddler {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
        let body = request.take_body().into_bytes().await?;
        if path.ends_with("/_api/cursor") && String::from_utf8_lossy(&body).contains(self.queries_with) {
            let number = self.written.fetch_add(1, Ordering::Relaxed);
            let url = format!("{}{}", self.database, path.replace("cursor", &format!("document/{}", self.collection)));
            let insert = self.client.post(url).basic_auth("root", Some(PASSWORD)).json(&(self.document)(number));
            assert!(insert.send().await.unwrap().status().is_success());
        }
        let mut headers = request.headers().clone();
        headers.remove(HOST);
        headers.remove(TRANSFER_ENCODING);
        let onward = self.client.request(request.method().clone(), format!("{}{path}", self.database));
        let answer = onward.headers(headers).body(body).send().await.unwrap();
        let (status, mut headers) = (answer.status(), answer.headers().clone());
        headers.remove(TRANSFER_ENCODING);
        headers.remove(CONNECTION);
        let mut response = Response::builder().status(status).body(answer.bytes().await.unwrap());
        *response.headers_mut() = headers;
        Ok(response)
    }
}

/// A service in whose queries somebody meddles, and how often that was.
async fn meddled(
    server: &DatabaseServer,
    queries_with: &'static str,
    collection: &'static str,
    document: fn(usize) -> Value,
) -> (Service, Arc<AtomicUsize>) {
    let written = Arc::new(AtomicUsize::new(0));
    let meddler = Meddler {
        database: server.url.clone(),
        client: reqwest::Client::new(),
        queries_with,
        collection,
        document,
        written: Arc::clone(&written),
    };
    let acceptor = TcpListener::bind("127.0.0.1:0").into_acceptor().await.unwrap();
    let address = *acceptor.local_addr()[0].as_socket_addr().unwrap();
    tokio::spawn(Server::new_with_acceptor(acceptor).run(meddler));
    (DatabaseServer::service_at(&format!("http://{address}")).await, written)
}

fn keys(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["_key"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_the_journal_shows_nothing_that_is_written_while_it_is_looked_up() {
    fn movement(number: usize) -> Value {
        json!({
            "_key": format!("new{number}"), "_from": "Position/OUT", "_to": "Position/IN", "type": "receipt",
            "product_key": "p", "status": "completed", "start": "2026-03-01T08:00:00.000000+00:00",
            "end": "2026-03-01T08:00:00.000000+00:00",
        })
    }
    let server = DatabaseServer::start().await;
    let (service, written) = meddled(&server, "IN movement", "movement", movement).await;
    let token = service.token("u", "warehouse").await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    let old = |number: usize| {
        let mut old = movement(number);
        old["_key"] = format!("old{number}").into();
        old["end"] = format!("2026-02-0{number}T08:00:00.000000+00:00").into();
        old
    };
    service.seed("movement", json!([old(1), old(2), old(3)])).await;
    for path in ["/movement?limit=3", "/movement?limit=3&product_search=p", "/movement?limit=3&position_to=IN"] {
        let before = written.load(Ordering::Relaxed);
        // What was written earlier has the same end and start: the greatest key first.
        let mut expected: Vec<String> = (0..before).map(|number| format!("new{number}")).collect();
        expected.sort_by(|one, other| other.cmp(one));
        expected.extend([3, 2, 1].map(|number| format!("old{number}")));
        assert_eq!(keys(&rows(&service, &token, path).await), expected[..3], "{path}");
        assert!(written.load(Ordering::Relaxed) > before + 1, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stock_is_searched_as_it_is_at_one_moment() {
    fn stock(number: usize) -> Value {
        json!({"_key": format!("new{number}"), "_from": "Product/p", "_to": "Position/IN", "quantity": 1, "serial_key": "s"})
    }
    let server = DatabaseServer::start().await;
    let (service, written) = meddled(&server, "IN is_in_position", "is_in_position", stock).await;
    let token = service.token("u", "warehouse").await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    service.seed("Serial", json!([{"_key": "s", "code": "S", "product_key": "p"}])).await;
    for path in ["/inventory?serial_search=s", "/inventory?position_search=in"] {
        let before = written.load(Ordering::Relaxed);
        assert_eq!(rows(&service, &token, path).await.len(), before, "{path}");
        assert!(written.load(Ordering::Relaxed) > before, "{path}");
    }
}
