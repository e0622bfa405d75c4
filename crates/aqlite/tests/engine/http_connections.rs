//! Connections: what is refused before its body is there, who goes away, and what never waits.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use aqlite::Settings;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::Request;
use http_body_util::Full;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};

use crate::server::port::{Connection, Port, login};

/// Waits until something is so.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn running(connection: &mut Connection) -> Vec<Value> {
    connection.root("GET", "/_api/query/current", &Value::Null).body.as_array().expect("a list").clone()
}

#[test]
fn a_refused_request_leaves_its_connection_to_the_next_one() {
    // whoever goes on with a wrong password waits for the answer else
    let port = Port::with(Settings { failed_logins: 0, ..Settings::default() });
    let (nobody, stranger) = (String::from("x-nobody: 1"), login("stranger", "x"));
    let refused = [
        ("POST", "/_api/cursor", &nobody, 401),
        ("PUT", "/_db/nosuch/_api/simple/all", &nobody, 401),
        ("POST", "/_db/nosuch/_api/cursor", &login("root", "secret"), 404),
        ("TRACE", "/_api/version", &nobody, 405),
        ("OPTIONS", "/_api/cursor", &nobody, 200),
        ("POST", "/_open/auth", &nobody, 413),
        ("POST", "/_api/cursor", &stranger, 401),
    ];
    for size in [9_000, 200_000] {
        let body = vec![b'x'; size];
        let mut connection = port.connect();
        for _ in 0..20 {
            for (method, path, header, status) in &refused {
                let head = format!("{method} {path} HTTP/1.1\r\nhost: x\r\n{header}\r\ncontent-length: {size}\r\n\r\n");
                connection.send(head);
                thread::sleep(Duration::from_millis(2));
                connection.send(&body);
                let reply = connection.reply().unwrap_or_else(|| panic!("{method} {path} {size}: no answer"));
                assert_eq!(reply.status, *status, "{method} {path} {size}: {reply:?}");
                assert_eq!(reply.header("connection"), None, "{method} {path} {size}");
            }
            assert_eq!(connection.root("GET", "/_api/version", &Value::Null).status, 200);
        }
    }
}

#[test]
fn an_answer_says_that_the_connection_ends_where_too_much_would_have_to_be_passed_over() {
    let port = Port::open();
    let rest = [
        ("content-length: 1000000", "x".repeat(1000)),
        ("content-length: 10\r\nexpect: 100-continue", String::new()),
        ("transfer-encoding: chunked", format!("20000\r\n{}\r\n", "x".repeat(0x20000)).repeat(3)),
    ];
    for (header, body) in rest {
        let mut connection = port.connect();
        connection.send(format!("POST /_api/cursor HTTP/1.1\r\nhost: x\r\n{header}\r\n\r\n"));
        connection.send(body);
        let reply = connection.reply().expect("an answer");
        assert_eq!((reply.status, reply.header("connection")), (401, Some("close")), "{header}");
        assert!(connection.reply().is_none(), "{header}");
    }
}

#[test]
fn nothing_large_is_received_or_unfolded_before_a_login() {
    let port = Port::open();
    for (header, body) in [("content-length: 1000000000", &[][..]), ("transfer-encoding: chunked", b"5000\r\n")] {
        let mut connection = port.connect();
        connection.send(format!("POST /_open/auth HTTP/1.1\r\nhost: x\r\n{header}\r\n\r\n"));
        connection.send(body);
        if !body.is_empty() {
            connection.send(vec![b' '; 0x5000]);
            connection.send("\r\n0\r\n\r\n");
        }
        assert_eq!(connection.reply().expect("an answer").status, 413, "{header}");
    }
    // what is small as it comes and large when it is unfolded
    let mut tiny = GzEncoder::new(Vec::new(), Compression::best());
    tiny.write_all(&vec![b' '; 1 << 20]).expect("packed");
    let tiny = tiny.finish().expect("packed");
    assert!(tiny.len() < 8_000);
    for (path, header, status) in
        [("/_open/auth", "x: y".to_owned(), 413), ("/_api/cursor", login("root", "secret"), 400)]
    {
        let mut connection = port.connect();
        let length = tiny.len();
        connection.send(format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\n{header}\r\ncontent-encoding: gzip\r\ncontent-length: {length}\r\n\r\n"
        ));
        connection.send(&tiny);
        assert_eq!(connection.reply().expect("an answer").status, status, "{path}");
    }
}

#[test]
fn a_client_that_goes_away_ends_its_query() {
    let port = Port::open();
    let mut observer = port.connect();
    let begun = observer.root("POST", "/_api/transaction/begin", &json!({"collections": {}}));
    let transaction = format!("x-arango-trx-id: {}", begun.body["result"]["id"].as_str().expect("an id"));
    let calls = [
        (json!({"query": "RETURN SLEEP(600)"}), None),
        (json!({"query": "FOR i IN 1..1000000000000 FILTER i < 0 RETURN i"}), None),
        (json!({"query": "RETURN SLEEP(600)", "options": {"stream": true}}), None),
        (json!({"query": "RETURN SLEEP(600)"}), Some(&transaction)),
    ];
    for (call, header) in calls {
        let mut client = port.connect();
        let header = header.map_or_else(|| login("root", "secret"), |h| format!("{}\r\n{h}", login("root", "secret")));
        client.request("POST", "/_api/cursor", &header, &call.to_string());
        eventually("the query runs", || running(&mut observer).len() == 1);
        drop(client);
        eventually("the query ends", || running(&mut observer).is_empty());
    }
}

/// A query on its way over HTTP/2.
async fn send_query(sender: &mut SendRequest<Full<Bytes>>) -> impl Future<Output = bool> + use<> {
    let (name, value) =
        login("root", "secret").split_once(": ").map(|(n, v)| (n.to_owned(), v.to_owned())).expect("one");
    let request = Request::post("http://x/_api/cursor").header(name, value);
    let body = json!({"query": "RETURN SLEEP(600)"}).to_string();
    sender.ready().await.expect("ready");
    let answer = sender.send_request(request.body(Full::from(body)).expect("a request"));
    async move { answer.await.is_ok() }
}

#[test]
fn a_client_that_goes_away_over_http_2_ends_its_query() {
    let port = Port::open();
    let mut observer = port.connect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
    let connect = async || {
        let stream = tokio::net::TcpStream::connect(port.address).await.expect("connection");
        let (sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
        tokio::spawn(connection);
        sender
    };
    // one request is given up, while the connection and another request on it go on
    let mut sender = runtime.block_on(connect());
    let [first, second] = runtime
        .block_on(async { [tokio::spawn(send_query(&mut sender).await), tokio::spawn(send_query(&mut sender).await)] });
    eventually("both queries run", || running(&mut observer).len() == 2);
    first.abort();
    eventually("one of them ends", || running(&mut observer).len() == 1);
    assert!(!second.is_finished());
    // the connection breaks, with all that works at it
    runtime.shutdown_background();
    eventually("the other one ends", || running(&mut observer).is_empty());
}

#[test]
fn a_query_of_a_job_goes_on_without_its_client() {
    let port = Port::open();
    let mut observer = port.connect();
    let mut client = port.connect();
    let header = format!("{}\r\nx-arango-async: store", login("root", "secret"));
    client.request("POST", "/_api/cursor", &header, &json!({"query": "RETURN SLEEP(1)"}).to_string());
    let reply = client.reply().expect("an answer");
    let id = reply.header("x-arango-async-id").expect("a number").to_owned();
    drop(client);
    let path = format!("/_api/job/{id}");
    eventually("the job ends", || observer.root("GET", &path, &Value::Null).status != 204);
    assert_eq!(observer.root("PUT", &path, &Value::Null).status, 201);
}

#[test]
fn killing_a_query_and_asking_how_the_server_is_never_wait_behind_queries() {
    const CLIENTS: usize = 260;
    let port = Port::open();
    let query = json!({"query": "RETURN SLEEP(600)"}).to_string();
    let mut clients: Vec<Connection> = (0..CLIENTS).map(|_| port.connect()).collect();
    for client in &mut clients {
        client.request("POST", "/_api/cursor", &login("root", "secret"), &query);
    }
    let mut operator = port.connect();
    eventually("every place is taken", || running(&mut operator).len() == 256);
    for path in ["/_admin/metrics/v2", "/_admin/server/availability", "/_api/version", "/_admin/statistics"] {
        assert_eq!(operator.root("GET", path, &Value::Null).status, 200, "{path}");
    }
    // the places within transactions are others
    let transaction = format!("{}\r\nx-arango-trx-id: 5", login("root", "secret"));
    operator.request("POST", "/_api/cursor", &transaction, &query);
    assert_eq!(operator.reply().expect("an answer").status, 404);
    let mut killed = 0;
    eventually("the queries end", || {
        for query in running(&mut operator) {
            let path = format!("/_api/query/{}", query["id"].as_str().expect("an id"));
            killed += usize::from(operator.root("DELETE", &path, &Value::Null).status == 200);
        }
        killed >= CLIENTS
    });
    for client in &mut clients {
        assert_eq!(client.reply().expect("an answer").body["errorNum"], 1500);
    }
}
