//! Clients that go away before their answer, and answers of any length.

use std::time::Duration;

use tracewright_testkit::{Service, rows};

use crate::remote::{DatabaseServer, PASSWORD};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tracewright::store::Query;

/// A query that nobody lives to see the end of.
const ENDLESS: Query = Query::undeclared("endless", "FOR i IN 1..1000000000000 FILTER i < 0 RETURN i");

/// Answers of more than the system takes for a client that reads nothing, 4 MB at most.
const LONG: usize = 8 << 10;

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_which_nothing_is_taken_for_long_is_still_whole() {
    let settings = aqlite::Settings { stream_transaction_idle: Duration::from_secs(9), ..aqlite::Settings::default() };
    let server = DatabaseServer::start_with(settings).await;
    let service = server.service().await;
    let token = service.token("u", "admin").await;
    let text = "x".repeat(LONG);
    let issue =
        |n: usize| json!({"_key": format!("k{n:04}"), "open": true, "created": "2026-01-01", "description": text});
    for portion in 0..3 {
        service.seed("Issue", (portion * 1_000..(portion + 1) * 1_000).map(issue).collect()).await;
    }
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 << 10).unwrap();
    let mut stream = socket.connect(service.address).await.unwrap();
    let head = format!(
        "GET /api/issue?limit=0 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(14)).await;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.len() > 3_000 * LONG, "{}", answer.len());
    assert!(answer.ends_with(b"]\r\n0\r\n\r\n"), "it does not break off");
}

/// Waits until `found` says so.
async fn until(what: &str, mut found: impl AsyncFnMut() -> bool) {
    for _ in 0..200 {
        if found().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what} never happens");
}

/// The texts of the queries that the embedded engine runs; `None` on a server.
fn running(service: &Service) -> Option<Vec<String>> {
    let answer = service.ask_engine(Method::GET, "/_api/query/current", &Value::Null)?;
    let entries: Vec<Value> = serde_json::from_slice(answer.body()).unwrap();
    Some(entries.iter().map(|entry| entry["query"].as_str().unwrap().to_owned()).collect())
}

fn runs(service: &Service, text: &str) -> bool {
    running(service).unwrap().iter().any(|query| query.contains(text))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_nobody_waits_for_ends_in_the_embedded_engine() {
    let service = Service::start().await;
    if running(&service).is_none() {
        return;
    }
    let store = service.app.store.clone();
    let waiting = tokio::spawn(async move { store.rows::<Value>(&ENDLESS, json!({})).await });
    until("the query", async || runs(&service, ENDLESS.text)).await;
    waiting.abort();
    until("its end", async || !runs(&service, ENDLESS.text)).await;
}

/// Positions in one another, so that a search has a long way to go for each.
async fn deep_positions(service: &Service, count: usize) {
    let key = |number: usize| format!("p{number:05}");
    let positions: Vec<Value> = (0..count).map(|n| json!({"_key": key(n), "code": key(n), "deleted": false})).collect();
    let parent = |number: usize| if number.is_multiple_of(90) { "IN".to_owned() } else { key(number - 1) };
    let links: Vec<Value> = (0..count)
        .map(|n| json!({"_from": format!("Position/{}", key(n)), "_to": format!("Position/{}", parent(n))}))
        .collect();
    service.seed("Position", json!(positions)).await;
    service.seed("is_in_position", json!(links)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_over_http_1_ends_its_query() {
    let service = Service::start().await;
    if running(&service).is_none() {
        return;
    }
    deep_positions(&service, 12_000).await;
    let token = service.token("u", "admin").await;
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    let head = format!("GET /api/position?limit=10000 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let text = "positions below a position, sorted by code";
    until("the query", async || runs(&service, text)).await;
    drop(stream);
    until("its end", async || !runs(&service, text)).await;
}

/// A way to a server on which it does not notice that a client has gone, as an ArangoDB server does not.
async fn unnoticing(server: &DatabaseServer) -> String {
    let upstream = server.url.trim_start_matches("http://").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(&upstream).await.unwrap();
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) = server.into_split();
            tokio::spawn(async move {
                let _ = tokio::io::copy(&mut from_client, &mut to_server).await;
                std::future::pending::<()>().await;
                drop(to_server);
            });
            tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_nobody_waits_for_is_ended_at_a_server_that_does_not_notice() {
    let server = DatabaseServer::start().await;
    let service = DatabaseServer::service_at(&unnoticing(&server).await).await;
    let current = format!("{}/_db/{}/_api/query/current", server.url, service.app.settings.database.name);
    let runs = async || {
        let request = service.client.get(&current).basic_auth("root", Some(PASSWORD));
        let entries: Vec<Value> = request.send().await.unwrap().json().await.unwrap();
        entries.iter().any(|entry| entry["query"].as_str().unwrap().contains(ENDLESS.text))
    };
    let store = service.app.store.clone();
    let waiting = tokio::spawn(async move { store.rows::<Value>(&ENDLESS, json!({})).await });
    until("the query", async || runs().await).await;
    waiting.abort();
    until("its end", async || !runs().await).await;
}

#[tokio::test]
async fn all_rows_come_without_a_limit_whatever_their_number() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let count = 2_500;
    let document = |n: usize| {
        json!({"_key": format!("k{n:04}"), "code": format!("C{n:04}"), "title": format!("T{n}"), "name": "N",
            "status": "open", "deleted": null, "open": true, "created": format!("2026-01-01T00:{:02}:00.000000+00:00", n % 60)})
    };
    for collection in ["Serial", "Issue", "Task", "Position", "Product"] {
        service.seed(collection, (0..count).map(document).collect()).await;
    }
    let links: Vec<Value> =
        (0..count).map(|n| json!({"_from": format!("Position/k{n:04}"), "_to": "Position/IN"})).collect();
    service.seed("is_in_position", json!(links)).await;
    let targets = (0..count).flat_map(|n| {
        let [issue, task] = ["Issue", "Task"].map(|kind| format!("{kind}/k{n:04}"));
        [
            ("issue_rel", issue, "Product/p"),
            ("issue_rel", format!("Issue/k{n:04}"), "Phase/f"),
            ("task_rel", task, "Product/p"),
        ]
    });
    for kind in ["issue_rel", "task_rel"] {
        let links = targets.clone().filter(|(collection, ..)| *collection == kind);
        service.seed(kind, links.map(|(_, from, to)| json!({"_from": from, "_to": to})).collect()).await;
    }
    for path in [
        "/serial?limit=0&sort_by=code&sorting_order=ASC",
        "/issue?limit=0",
        "/issue",
        "/issue?limit=0&product_key=p&phase_key=f",
        "/task?limit=0",
        "/task?limit=0&product_key=p",
        "/position?limit=0",
        "/product",
        "/product?limit=0&details=true",
    ] {
        let response = service.request(Method::GET, path, &token).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.content_length(), None, "{path}: it is sent as it comes");
        let all: Vec<Value> = response.json().await.unwrap();
        assert_eq!(all.len(), count, "{path}");
        let separator = if path.contains('?') { '&' } else { '?' };
        let page = rows(&service, &token, &format!("{}{separator}limit=10", path.replace("limit=0", ""))).await;
        assert_eq!(all[..10], page[..], "{path}");
    }
    assert_eq!(rows(&service, &token, "/serial?limit=0&serial_search=nothing").await, [] as [Value; 0]);
    for (path, text) in [("/operation", "[]"), ("/product/export?format=csv", "C2499")] {
        let response = service.request(Method::GET, path, &token).send().await.unwrap();
        assert_eq!((response.status().as_u16(), response.content_length()), (200, None), "{path}");
        assert!(response.text().await.unwrap().contains(text), "{path}");
    }
}
