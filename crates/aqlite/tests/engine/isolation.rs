//! Many stream transactions at once, through the HTTP API: what each of them saw is written down and judged afterwards.
//!
//! Every document holds a list, and whoever writes it appends numbers that nobody else appends. So a list that was read
//! tells which transactions were visible, and the lists of all documents at the end tell in which order they committed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use aqlite::{Engine, Options};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};
use tempfile::TempDir;

const REGISTERS: u64 = 6;
const WRITERS: u64 = 8;
const TRANSACTIONS: u64 = 60;

struct Server {
    engine: Engine,
    _directory: TempDir,
}

impl Server {
    fn start() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let engine = Engine::open(Options {
            data_dir: directory.path().to_owned(),
            root_password: "secret".to_owned(),
            jwt_secret: Some("key".to_owned()),
        });
        let server = Self { engine: engine.expect("opens"), _directory: directory };
        assert_eq!(server.post("/_api/collection", None, &json!({"name": "register"})).0, 200);
        for register in 0..REGISTERS {
            let document = json!({"_key": register.to_string(), "list": []});
            assert_eq!(server.post("/_api/document/register", None, &document).0, 202);
        }
        server
    }

    fn send(&self, method: Method, path: &str, transaction: Option<&str>, body: &Value) -> (u16, Value) {
        let login = format!("Basic {}", STANDARD.encode("root:secret"));
        let mut request = Request::builder().method(method).uri(path).header("authorization", login);
        if let Some(id) = transaction {
            request = request.header("x-arango-trx-id", id);
        }
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let answer = self.engine.handle(request.body(body).expect("a request"));
        (answer.status().as_u16(), serde_json::from_slice(answer.body()).unwrap_or_default())
    }

    fn post(&self, path: &str, transaction: Option<&str>, body: &Value) -> (u16, Value) {
        self.send(Method::POST, path, transaction, body)
    }

    fn begin(&self) -> String {
        let (status, answer) =
            self.post("/_api/transaction/begin", None, &json!({"collections": {"write": ["register"]}}));
        assert_eq!(status, 201, "{answer}");
        answer["result"]["id"].as_str().expect("an id").to_owned()
    }

    fn query(&self, transaction: &str, query: &str, bind: &Value) -> (u16, Value) {
        self.post("/_api/cursor", Some(transaction), &json!({"query": query, "bindVars": bind}))
    }

    fn read(&self, transaction: &str, register: u64) -> Vec<u64> {
        let bind = json!({"key": register.to_string()});
        let (status, answer) = self.query(transaction, "RETURN DOCUMENT('register', @key).list", &bind);
        assert_eq!(status, 201, "{answer}");
        let list = answer["result"][0].as_array().expect("a list");
        list.iter().map(|n| n.as_u64().expect("a number")).collect()
    }

    /// Appends in one statement; false when another transaction was first.
    fn append(&self, transaction: &str, register: u64, number: u64) -> bool {
        let query = "FOR r IN register FILTER r._key == @key UPDATE r WITH {list: PUSH(r.list, @number)} IN register";
        let (status, answer) = self.query(transaction, query, &json!({"key": register.to_string(), "number": number}));
        if status == 201 {
            return true;
        }
        assert_eq!((status, &answer["errorNum"]), (409, &json!(1200)), "{answer}");
        false
    }

    fn end(&self, transaction: &str, method: Method) {
        let (status, answer) = self.send(method, &format!("/_api/transaction/{transaction}"), None, &Value::Null);
        assert_eq!(status, 200, "{answer}");
    }
}

/// What one transaction did and saw; moments are counted by one clock for all.
#[derive(Debug, Default)]
struct Record {
    begin_asked: u64,
    begun: u64,
    commit_asked: u64,
    committed: Option<u64>,
    /// Register and list, before anything was written to it by this transaction itself.
    reads: Vec<(u64, Vec<u64>)>,
    /// Register and number.
    appends: Vec<(u64, u64)>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn work(server: &Server, clock: &AtomicU64, random: &mut Random, numbers: &AtomicU64) -> Record {
    let now = || clock.fetch_add(1, Ordering::SeqCst);
    let mut record = Record { begin_asked: now(), ..Record::default() };
    let transaction = server.begin();
    record.begun = now();
    let mut own: Vec<u64> = Vec::new();
    let mut conflict = false;
    for _ in 0..2 + random.below(5) {
        let register = random.below(REGISTERS);
        if random.below(2) == 0 {
            let list = server.read(&transaction, register);
            if own.contains(&register) {
                let mine: Vec<u64> = record.appends.iter().filter(|a| a.0 == register).map(|a| a.1).collect();
                assert!(list.ends_with(&mine), "its own writes {mine:?} are missing in {list:?}");
            } else {
                record.reads.push((register, list));
            }
        } else {
            let number = numbers.fetch_add(1, Ordering::Relaxed);
            if !server.append(&transaction, register, number) {
                conflict = true;
                break;
            }
            own.push(register);
            record.appends.push((register, number));
        }
    }
    // some give up although nothing is in their way: nobody may see what they wrote
    if conflict || random.below(8) == 0 {
        server.end(&transaction, Method::DELETE);
    } else {
        record.commit_asked = now();
        server.end(&transaction, Method::PUT);
        record.committed = Some(now());
    }
    record
}

fn history(server: &Arc<Server>) -> Vec<Record> {
    let (clock, numbers) = (Arc::new(AtomicU64::new(1)), Arc::new(AtomicU64::new(1)));
    let records = Arc::new(Mutex::new(Vec::new()));
    let threads: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (server, records) = (Arc::clone(server), Arc::clone(&records));
            let (clock, numbers) = (Arc::clone(&clock), Arc::clone(&numbers));
            std::thread::spawn(move || {
                let mut random = Random(writer * 7919 + 1);
                for _ in 0..TRANSACTIONS {
                    let record = work(&server, &clock, &mut random, &numbers);
                    records.lock().expect("not poisoned").push(record);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("no assertion failed");
    }
    std::mem::take(&mut *records.lock().expect("not poisoned"))
}

#[test]
fn concurrent_stream_transactions_are_isolated_by_snapshots() {
    let server = Arc::new(Server::start());
    let records = history(&server);
    let last = server.begin();
    let lists: BTreeMap<u64, Vec<u64>> = (0..REGISTERS).map(|r| (r, server.read(&last, r))).collect();
    let committed = || records.iter().filter(|r| r.committed.is_some());
    assert!(committed().any(|r| !r.appends.is_empty()) && committed().count() < records.len(), "conflicts and commits");

    // lost update: everything committed is there once, nothing else is
    let mut wanted: Vec<(u64, u64)> = committed().flat_map(|r| r.appends.iter().copied()).collect();
    let mut found: Vec<(u64, u64)> =
        lists.iter().flat_map(|(register, list)| list.iter().map(|number| (*register, *number))).collect();
    wanted.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, wanted);

    for record in &records {
        for (register, list) in &record.reads {
            // dirty read: a list that was read is one that was committed at some time
            assert!(lists[register].starts_with(list), "{list:?} of {register} in {record:?}");
            // non-repeatable read
            for (again, other) in &record.reads {
                assert!(again != register || other == list, "{register} changed in {record:?}");
            }
        }
        for writer in committed() {
            let seen: Vec<bool> = record
                .reads
                .iter()
                .flat_map(|(register, list)| {
                    let mine = writer.appends.iter().filter(move |append| append.0 == *register);
                    mine.map(|append| list.contains(&append.1))
                })
                .collect();
            // read skew, and half of a transaction: all of it is visible or nothing
            assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "half of {writer:?} in {record:?}");
            // the snapshot is the state of the beginning
            let before = writer.committed.is_some_and(|at| at < record.begin_asked);
            assert!(!before || !seen.contains(&false), "{writer:?} is missing in {record:?}");
            let after = writer.commit_asked > record.begun;
            assert!(!after || !seen.contains(&true), "{writer:?} is visible in {record:?}");
        }
    }
}

#[test]
fn write_skew_is_allowed() {
    let server = Server::start();
    let (one, two) = (server.begin(), server.begin());
    for transaction in [&one, &two] {
        assert!(server.read(transaction, 0).is_empty() && server.read(transaction, 1).is_empty());
    }
    assert!(server.append(&one, 0, 1));
    assert!(server.append(&two, 1, 2));
    server.end(&one, Method::PUT);
    server.end(&two, Method::PUT);
    let last = server.begin();
    assert_eq!((server.read(&last, 0), server.read(&last, 1)), (vec![1], vec![2]));
}

#[test]
fn the_second_writer_of_a_document_is_refused_before_and_after_the_first_has_committed() {
    let server = Server::start();
    let (one, two) = (server.begin(), server.begin());
    assert!(server.append(&one, 0, 1));
    assert!(!server.append(&two, 0, 2));
    server.end(&one, Method::PUT);
    assert!(!server.append(&two, 0, 2));
    server.end(&two, Method::DELETE);
    let last = server.begin();
    assert_eq!(server.read(&last, 0), vec![1]);
}

#[test]
fn a_transaction_beyond_its_size_is_refused_and_leaves_nothing() {
    let server = Server::start();
    let options = json!({"collections": {"write": ["register"]}, "maxTransactionSize": 4000});
    let (_, answer) = server.post("/_api/transaction/begin", None, &options);
    let transaction = answer["result"]["id"].as_str().expect("an id").to_owned();
    let query = "FOR i IN 1..100 INSERT {_key: CONCAT('n', i), text: REPEAT('x', 100)} INTO register";
    let (_, answer) = server.query(&transaction, query, &json!({}));
    assert_eq!(answer["errorNum"], 32, "{answer}");
    assert!(answer["errorMessage"].as_str().is_some_and(|m| m.contains("4000 bytes")), "{answer}");
    server.end(&transaction, Method::DELETE);
    let last = server.begin();
    assert_eq!(server.query(&last, "RETURN LENGTH(register)", &json!({})).1["result"][0], json!(REGISTERS));
}
