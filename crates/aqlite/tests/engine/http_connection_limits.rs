//! How many connections there may be, and how long they may take for what they send.

use std::io::Write;
use std::time::Duration;

use aqlite::Settings;
use aqlite::http::connections::Limits;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::Method;
use serde_json::{Value, json};

use crate::server::port::{Connection, Port, login};

const SOON: Duration = Duration::from_millis(100);

fn limited(connections: Limits) -> Port {
    Port::with(Settings { connections, ..Settings::default() })
}

fn version(connection: &mut Connection) -> u16 {
    connection.root("GET", "/_api/version", &Value::Null).status
}

#[test]
fn the_time_of_a_head_counts_from_its_first_byte() {
    let port = limited(Limits { head: SOON, ..Limits::default() });
    let (mut rests, mut between) = (port.connect(), port.connect());
    assert_eq!(version(&mut between), 200);
    let mut slow = port.connect();
    slow.send("GET /_api/version HTTP/1.1\r\nhost: x\r\n");
    assert!(slow.reply().is_none(), "it is closed");
    assert_eq!((version(&mut rests), version(&mut between)), (200, 200), "they have sent nothing meanwhile");
    between.send("G");
    assert!(between.reply().is_none(), "also between two requests");
}

#[test]
fn a_body_that_does_not_come_in_time_is_given_up() {
    let port = limited(Limits { body: SOON, ..Limits::default() });
    for head in ["content-length: 100", "transfer-encoding: chunked"] {
        let mut slow = port.connect();
        let login = login("root", "secret");
        slow.send(format!("POST /_api/cursor HTTP/1.1\r\nhost: x\r\n{login}\r\n{head}\r\n\r\n5\r\n"));
        let reply = slow.reply().expect("an answer");
        assert_eq!((reply.status, reply.header("connection")), (408, Some("close")), "{head}");
        assert!(slow.reply().is_none(), "{head}");
    }
}

#[test]
fn answers_say_how_long_their_connection_may_rest() {
    let port = Port::open();
    let mut connection = port.connect();
    connection.request("GET", "/_api/version", &login("root", "secret"), "");
    assert_eq!(connection.reply().expect("an answer").header("keep-alive"), Some("timeout=300"));
    let header = format!("{}\r\nconnection: close", login("root", "secret"));
    connection.request("GET", "/_api/version", &header, "");
    let reply = connection.reply().expect("an answer");
    assert_eq!((reply.header("keep-alive"), reply.header("connection")), (None, Some("close")));
}

#[test]
fn a_connection_that_rests_for_too_long_is_closed() {
    let port = limited(Limits { idle: SOON, ..Limits::default() });
    let (mut new, mut used) = (port.connect(), port.connect());
    used.request("GET", "/_api/version", &login("root", "secret"), "");
    assert_eq!(used.reply().expect("an answer").status, 200);
    assert!(new.reply().is_none() && used.reply().is_none());
}

#[test]
fn a_thousand_connections_at_rest_leave_the_server_answering() {
    let port = Port::open();
    let mut resting: Vec<Connection> = (0..1000).map(|_| port.connect()).collect();
    assert_eq!(version(&mut port.connect()), 200);
    assert_eq!((version(&mut resting[0]), version(&mut resting[999])), (200, 200));
}

#[test]
fn beyond_the_bound_the_connection_that_has_rested_the_longest_gives_way() {
    for limits in [Limits { most: 10, ..Limits::default() }, Limits { most_per_address: 10, ..Limits::default() }] {
        let port = limited(limits);
        let mut connections: Vec<Connection> = (0..11).map(|_| port.connect()).collect();
        assert_eq!(version(&mut connections[10]), 200);
        assert!(connections[0].reply().is_none());
        assert_eq!(version(&mut connections[1]), 200);
    }
}

#[test]
fn where_all_connections_are_at_work_a_further_one_is_told_to_come_back() {
    let port = limited(Limits { most_per_address: 3, ..Limits::default() });
    let mut busy: Vec<Connection> = (0..3).map(|_| port.connect()).collect();
    for connection in &mut busy {
        let query = json!({"query": "RETURN SLEEP(600)"}).to_string();
        connection.request("POST", "/_api/cursor", &login("root", "secret"), &query);
    }
    let running = || port.server.root(Method::GET, "/_api/query/current", &Value::Null).1;
    while running().as_array().is_none_or(|queries| queries.len() < 3) {
        std::thread::yield_now();
    }
    let refused = port.connect().reply().expect("an answer");
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
}

#[test]
fn memory_for_a_body_is_taken_before_it_is_received() {
    let mut settings = Settings::default();
    settings.store.memory.together = 256 << 10;
    let port = Port::with(settings);
    let mut connection = port.connect();
    let login = login("root", "secret");
    connection.send(format!("POST /_api/cursor HTTP/1.1\r\nhost: x\r\n{login}\r\ncontent-length: 100000000\r\n\r\n"));
    let reply = connection.reply().expect("an answer");
    assert_eq!((reply.status, reply.header("retry-after"), &reply.body["errorNum"]), (503, Some("1"), &json!(32)));
    // what comes in pieces, and what is small until it is unfolded
    let mut connection = port.connect();
    connection.send(format!("POST /_api/cursor HTTP/1.1\r\nhost: x\r\n{login}\r\ntransfer-encoding: chunked\r\n\r\n"));
    connection.send(format!("10000\r\n{}\r\n", " ".repeat(0x10000)).repeat(4));
    connection.send("0\r\n\r\n");
    assert_eq!(connection.reply().expect("an answer").body["errorNum"], 32);
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vec![b' '; 16 << 20]).expect("packed");
    let packed = packed.finish().expect("packed");
    let mut connection = port.connect();
    let head = format!("{login}\r\ncontent-encoding: gzip\r\ncontent-length: {}", packed.len());
    connection.send(format!("POST /_api/cursor HTTP/1.1\r\nhost: x\r\n{head}\r\n\r\n"));
    connection.send(&packed);
    assert_eq!(connection.reply().expect("an answer").body["errorNum"], 32);
    // nothing of it is left behind
    assert_eq!(version(&mut port.connect()), 200);
    assert!(port.server.metric("arangodb_aql_global_memory_usage") < 1.0);
}

#[test]
fn what_has_arrived_before_the_word_to_stop_is_answered() {
    let mut port = Port::open();
    let mut used = port.connect();
    assert_eq!(version(&mut used), 200);
    let mut clients: Vec<Connection> = (0..50).map(|_| port.connect()).collect();
    for client in &mut clients {
        client.request("GET", "/_api/version", &login("root", "secret"), "");
    }
    port.stop();
    for client in &mut clients {
        let reply = client.reply().expect("an answer");
        assert_eq!(reply.status, 200);
        assert!(client.reply().is_none(), "and then it ends");
    }
    assert!(used.reply().is_none());
    port.stopped();
}
