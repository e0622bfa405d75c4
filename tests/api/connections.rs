//! Connections of the service: how many there may be, how long they may take, and how they end.

use std::net::SocketAddr;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tracewright_testkit::Service;

/// A client that sends what it is told byte by byte.
struct Connection(TcpStream);

impl Connection {
    async fn to(address: SocketAddr) -> Self {
        Self(TcpStream::connect(address).await.unwrap())
    }

    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// What comes until its end.
    async fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).await.unwrap();
        String::from_utf8(rest).unwrap()
    }

    /// The head of an answer to a request for a page without a body.
    async fn ask(&mut self, page: &str) -> String {
        self.send(&format!("HEAD {page} HTTP/1.1\r\nhost: x\r\n\r\n")).await;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.unwrap());
        }
        String::from_utf8(head).unwrap()
    }
}

#[tokio::test]
async fn a_thousand_connections_at_rest_leave_the_service_answering() {
    let service = Service::start().await;
    let mut resting = Vec::new();
    for _ in 0..1000 {
        resting.push(Connection::to(service.address).await);
    }
    assert!(Connection::to(service.address).await.ask("/healthz").await.starts_with("HTTP/1.1 200"));
    for connection in [0, 999] {
        assert!(resting[connection].ask("/healthz").await.starts_with("HTTP/1.1 200"), "{connection}");
    }
}

#[tokio::test]
async fn beyond_the_bound_the_connection_that_has_rested_the_longest_gives_way() {
    for setting in ["connections.most", "connections.most_per_address"] {
        let service = Service::start_with(&[(setting, "5")]).await;
        let mut connections = Vec::new();
        for _ in 0..6 {
            connections.push(Connection::to(service.address).await);
        }
        assert!(connections[5].ask("/healthz").await.starts_with("HTTP/1.1 200"), "{setting}");
        assert_eq!(connections[0].rest().await, "", "{setting}");
    }
}

#[tokio::test]
async fn a_trusted_proxy_may_have_more_connections_than_an_address() {
    let settings = [("connections.most_per_address", "1"), ("trusted_proxies", "127.0.0.1")];
    let service = Service::start_with(&settings).await;
    let mut connections = [Connection::to(service.address).await, Connection::to(service.address).await];
    for connection in &mut connections {
        assert!(connection.ask("/healthz").await.starts_with("HTTP/1.1 200"));
    }
}

#[tokio::test]
async fn the_time_of_a_head_counts_from_its_first_byte() {
    let service = Service::start_with(&[("connections.head_seconds", "0.1")]).await;
    let mut rests = Connection::to(service.address).await;
    let mut slow = Connection::to(service.address).await;
    slow.send("GET /healthz HTTP/1.1\r\nhost: x\r\n").await;
    assert_eq!(slow.rest().await, "");
    assert!(rests.ask("/healthz").await.starts_with("HTTP/1.1 200"), "it has sent nothing meanwhile");
}

#[tokio::test]
async fn a_body_that_does_not_come_in_time_is_told_so() {
    let service = Service::start_with(&[("connections.body_seconds", "0.1")]).await;
    let token = service.token("u", "admin").await;
    let form = "multipart/form-data; boundary=b";
    for (path, content_type, begin) in [
        ("/api/tag", "application/json", "{"),
        ("/api/files", form, "--b\r\nContent-Disposition: form-data; name=\"contents\"; filename=\"a\"\r\n\r\nx"),
        ("/api/auth", "application/x-www-form-urlencoded", "username="),
    ] {
        for length in ["content-length: 1000", "transfer-encoding: chunked"] {
            let mut slow = Connection::to(service.address).await;
            let head = format!("content-type: {content_type}\r\nauthorization: Bearer {token}\r\n{length}");
            let size = begin.len();
            let begin = if length.starts_with('c') { begin.to_owned() } else { format!("{size:x}\r\n{begin}\r\n") };
            slow.send(&format!("POST {path} HTTP/1.1\r\nhost: x\r\n{head}\r\n\r\n{begin}")).await;
            let answer = slow.rest().await;
            assert!(answer.starts_with("HTTP/1.1 408"), "{path} {length}: {answer}");
            assert!(answer.contains("connection: close"), "{path} {length}: {answer}");
        }
    }
}

#[tokio::test]
async fn answers_say_how_long_their_connection_may_rest_and_it_is_closed_after_it() {
    let service = Service::start_with(&[]).await;
    assert!(Connection::to(service.address).await.ask("/healthz").await.contains("keep-alive: timeout=300"));
    let service = Service::start_with(&[("connections.idle_seconds", "0.1")]).await;
    let mut connection = Connection::to(service.address).await;
    connection.ask("/healthz").await;
    assert_eq!(connection.rest().await, "");
}

#[tokio::test]
async fn what_has_arrived_before_the_word_to_stop_is_answered() {
    let mut service = Service::start().await;
    let mut clients = Vec::new();
    for _ in 0..50 {
        let mut client = Connection::to(service.address).await;
        client.send("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
        clients.push(client);
    }
    service.stop().await;
    for mut client in clients {
        assert!(client.rest().await.starts_with("HTTP/1.1 200"));
    }
}

#[tokio::test]
async fn a_request_that_runs_at_the_word_to_stop_is_told_that_its_connection_ends() {
    let mut service = Service::start().await;
    let token = service.token("u", "admin").await;
    let mut client = Connection::to(service.address).await;
    let body = json!({"name": "a tag"}).to_string();
    let head =
        format!("authorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {}", body.len());
    client.send(&format!("POST /api/tag HTTP/1.1\r\nhost: x\r\n{head}\r\n\r\n{}", &body[..5])).await;
    let address = service.address;
    let finish = async {
        // where nobody is let in any more, the word has come
        while TcpStream::connect(address).await.is_ok() {}
        client.send(&body[5..]).await;
        client.rest().await
    };
    let (answer, ()) = tokio::join!(finish, service.stop());
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
}
