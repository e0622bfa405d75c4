//! Connections after a refusal, by a client that sends head and body in two packets, as many do.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tracewright_testkit::Service;

/// A connection that is kept from one request to the next.
struct Connection {
    stream: TcpStream,
    /// What was read beyond the last answer.
    rest: Vec<u8>,
}

/// The answer to a request.
struct Answer {
    status: u16,
    closes: bool,
    body: Value,
}

impl Connection {
    async fn open(service: &Service) -> Self {
        let stream = TcpStream::connect(service.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, rest: Vec::new() }
    }

    /// Sends a head and, in a packet of its own a moment later, the body.
    async fn send(&mut self, head: &str, body: &[u8]) -> Answer {
        let head = format!("{head}\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len());
        self.stream.write_all(head.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
        self.stream.write_all(body).await.unwrap();
        self.answer().await
    }

    async fn answer(&mut self) -> Answer {
        let end = loop {
            if let Some(end) = self.rest.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end;
            }
            self.receive().await;
        };
        let head = String::from_utf8(self.rest.drain(..end + 4).collect()).unwrap().to_lowercase();
        let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name).map(str::trim));
        let length: usize = header("content-length:").unwrap().parse().unwrap();
        while self.rest.len() < length {
            self.receive().await;
        }
        let body: Vec<u8> = self.rest.drain(..length).collect();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            closes: header("connection:") == Some("close"),
            body: serde_json::from_slice(&body).unwrap(),
        }
    }

    async fn receive(&mut self) {
        let mut buffer = [0; 4096];
        let count = self.stream.read(&mut buffer).await.unwrap();
        assert!(count > 0, "the connection was closed before an answer");
        self.rest.extend_from_slice(&buffer[..count]);
    }
}

/// A request that is refused: its head without length, and a body of at least so many bytes.
struct Refused {
    status: u16,
    head: String,
    body: Vec<u8>,
}

/// Each kind of refusal, with a body of `size` bytes where the kind lets it.
async fn refusals(service: &Service, size: usize) -> Vec<Refused> {
    let admin = service.token("u", "admin").await;
    let reader = service.token("u", "reporting").await;
    let json = "Content-Type: application/json";
    let filling = "x".repeat(size);
    let wrong = format!("{{\"user_key\": [\"{filling}\"]}}").into_bytes();
    let form = format!("username=a&{}", "a=1&".repeat(5_000)).into_bytes();
    let refused = |status, head: String, body: &[u8]| Refused { status, head, body: body.to_vec() };
    vec![
        refused(401, format!("POST /api/session HTTP/1.1\r\n{json}"), &wrong),
        refused(401, format!("POST /api/session HTTP/1.1\r\nAuthorization: Bearer x\r\n{json}"), &wrong),
        refused(403, format!("POST /api/tag HTTP/1.1\r\nAuthorization: Bearer {reader}\r\n{json}"), &wrong),
        refused(404, format!("POST /api/nowhere HTTP/1.1\r\n{json}"), &wrong),
        refused(405, format!("PATCH /api/hello HTTP/1.1\r\n{json}"), &wrong),
        refused(413, "POST /api/auth HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded".to_owned(), &form),
        refused(
            415,
            format!("POST /api/session HTTP/1.1\r\nAuthorization: Bearer {admin}\r\nContent-Type: text/plain"),
            &wrong,
        ),
        refused(422, format!("POST /api/session HTTP/1.1\r\nAuthorization: Bearer {admin}\r\n{json}"), &wrong),
        refused(422, format!("POST /api/tag?x=1 HTTP/1.1\r\nAuthorization: Bearer {admin}\r\n{json}"), &wrong),
    ]
}

#[tokio::test]
async fn a_connection_goes_on_after_every_kind_of_refusal() {
    let service = Service::start().await;
    for size in [10, 200_000] {
        let refusals = refusals(&service, size).await;
        let mut connection = Connection::open(&service).await;
        for round in 0..20 {
            for refused in &refusals {
                let answer = connection.send(&refused.head, &refused.body).await;
                assert_eq!(answer.status, refused.status, "{round}: {}: {}", refused.head, answer.body);
                assert!(!answer.closes, "{round}: {}", refused.head);
            }
            let answer = connection.send("GET /api/hello HTTP/1.1", b"").await;
            assert_eq!((answer.status, answer.closes), (200, false));
        }
    }
}

#[tokio::test]
async fn hundreds_of_refusals_on_several_connections_all_have_their_answer() {
    let service = Service::start().await;
    let client = async || {
        let mut connection = Connection::open(&service).await;
        let body = vec![b'x'; 200_000];
        for _ in 0..100 {
            let answer = connection.send("POST /api/session HTTP/1.1\r\nContent-Type: application/json", &body).await;
            assert_eq!((answer.status, answer.closes), (401, false));
        }
    };
    tokio::join!(client(), client(), client(), client());
}

#[tokio::test]
async fn a_rest_of_unknown_length_is_taken_off_too() {
    let service = Service::start().await;
    let mut connection = Connection::open(&service).await;
    for _ in 0..20 {
        let head = "POST /api/session HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
        connection.stream.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..10 {
            let chunk = format!("2710\r\n{}\r\n", "x".repeat(10_000));
            connection.stream.write_all(chunk.as_bytes()).await.unwrap();
        }
        connection.stream.write_all(b"0\r\n\r\n").await.unwrap();
        let answer = connection.answer().await;
        assert_eq!((answer.status, answer.closes), (401, false));
    }
}

/// The client sends everything before it reads, and reads the answer all the same.
#[tokio::test]
async fn beyond_a_bound_the_answer_says_that_the_connection_ends() {
    let service = Service::start().await;
    let admin = service.token("u", "admin").await;
    let large = vec![b' '; 5_000_000];
    for (status, head) in [
        (401, "POST /api/session HTTP/1.1".to_owned()),
        (404, "POST /api/nowhere HTTP/1.1".to_owned()),
        (413, format!("POST /api/session HTTP/1.1\r\nAuthorization: Bearer {admin}\r\nContent-Type: application/json")),
    ] {
        let mut connection = Connection::open(&service).await;
        let answer = connection.send(&head, &large).await;
        assert_eq!((answer.status, answer.closes), (status, true), "{head}");
        assert_eq!(connection.stream.read(&mut [0; 1]).await.unwrap_or(0), 0, "the connection is closed");
    }
}

#[tokio::test]
async fn an_endless_body_is_not_waited_for() {
    let service = Service::start().await;
    let mut connection = Connection::open(&service).await;
    let head = "POST /api/session HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    connection.stream.write_all(head.as_bytes()).await.unwrap();
    let (mut reading, mut writing) = connection.stream.into_split();
    let sending = tokio::spawn(async move {
        let chunk = format!("2710\r\n{}\r\n", "x".repeat(10_000));
        while writing.write_all(chunk.as_bytes()).await.is_ok() {}
    });
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains("Not authenticated") {
        let count = reading.read(&mut buffer).await.unwrap();
        assert!(count > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
    assert!(text.starts_with("HTTP/1.1 401") && text.to_lowercase().contains("connection: close"), "{text}");
    sending.await.unwrap();
}

#[tokio::test]
async fn a_client_that_asks_before_it_sends_is_refused_before_it_sends() {
    let service = Service::start().await;
    let mut connection = Connection::open(&service).await;
    let head = "POST /api/session HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n";
    connection.stream.write_all(head.as_bytes()).await.unwrap();
    let answer = connection.answer().await;
    assert_eq!((answer.status, answer.closes), (401, true));
}

#[tokio::test]
async fn a_token_is_checked_before_the_body_is_received() {
    let service = Service::start().await;
    let mut connection = Connection::open(&service).await;
    let head = "POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n";
    connection.stream.write_all(head.as_bytes()).await.unwrap();
    let answer = connection.answer().await;
    assert_eq!((answer.status, answer.closes), (401, false), "not a byte of the body was sent");
    connection.stream.write_all(&vec![b'x'; 100_000]).await.unwrap();
    assert_eq!(connection.send("GET /api/hello HTTP/1.1", b"").await.status, 200);
}

#[tokio::test]
async fn over_http_2_refusals_leave_the_connection_and_other_requests_alone() {
    let service = Service::start().await;
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    for size in [10, 200_000, 3_000_000] {
        let post = || client.post(service.url("/api/session")).body("x".repeat(size)).send();
        let refused = futures_util::future::join_all((0..30).map(|_| post())).await;
        for answer in refused {
            let answer = answer.unwrap();
            assert_eq!((answer.status().as_u16(), answer.headers().get("connection")), (401, None));
        }
        assert_eq!(client.get(service.url("/api/hello")).send().await.unwrap().status(), 200);
    }
}

#[tokio::test]
async fn a_body_beyond_the_operations_own_limit_is_413() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let mib = 1024 * 1024;
    for (path, method, allowed, refused) in [
        ("/tag", Method::POST, mib - 100, mib + 1),
        ("/custom-data/a", Method::PUT, 2 * mib, 16 * mib + 1),
        ("/list/f", Method::POST, 2 * mib, 16 * mib + 1),
    ] {
        let body = |size: usize| {
            let text =
                if path.starts_with("/list") { json!([{"value": "x"}]) } else { json!({"name": "x", "value": 1}) };
            let text = text.to_string();
            format!("{text}{}", " ".repeat(size - text.len()))
        };
        let send = async |size: usize| {
            let request = service.request(method.clone(), path, &token).header("content-type", "application/json");
            request.body(body(size)).send().await.unwrap()
        };
        assert_eq!(send(allowed).await.status(), 200, "{path}");
        let answer = send(refused).await;
        assert_eq!(answer.status(), 413, "{path}");
        assert!(answer.json::<Value>().await.unwrap()["detail"].is_string());
    }
}

#[test]
fn the_document_tells_the_limits_of_every_body_in_size_and_time() {
    let document: Value = serde_json::from_str(&tracewright::server::document("/api").unwrap()).unwrap();
    let told = |path: &str, method: &str| {
        document["paths"][path][method]["responses"]["413"]["description"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(told("/auth", "post"), "The body has more than 16 KiB");
    assert_eq!(told("/tag", "post"), "The body has more than 1 MiB");
    assert_eq!(told("/product/{product_key_or_code}/bom", "put"), "The body has more than 16 MiB");
    assert_eq!(told("/files", "post"), "The upload is too large");
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert_eq!(operation["requestBody"].is_object(), !told(path, method).is_empty(), "{method} {path}");
            assert_eq!(operation["responses"]["408"].is_object(), !told(path, method).is_empty(), "{method} {path}");
        }
    }
}
