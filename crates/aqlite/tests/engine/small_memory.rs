//! `aqlited` with little memory: analysts who ask for more than there is, and writers beside them. Nobody is killed, writers
//! succeed, and what is refused is error 32.
//!
//! `SMALL_MEMORY_SECONDS` and `SMALL_MEMORY_MEGABYTES` let it run for longer and with other limits.
#![cfg(target_os = "linux")]

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::aqlited::{Server, root};

const ANALYSTS: usize = 8;
const WRITERS: usize = 6;

/// What analysts ask: much of each kind of thing that is held. Some are told how large their batches are; they leave their
/// cursors open.
const HUNGRY: &[(&str, Option<u32>)] = &[
    ("FOR d IN parts SORT d.text DESC, d.n RETURN d", None),
    ("FOR d IN parts SORT d.n RETURN { a: d, b: d.text }", Some(100)),
    ("FOR d IN parts FOR e IN parts LIMIT 2000000 RETURN [d.n, e.n, CONCAT(d.text, e.text)]", None),
    ("FOR i IN 1..5000000 RETURN i", Some(1000)),
    ("FOR i IN 1..3000000 COLLECT k = CONCAT('a key that is rather long ', i) WITH COUNT INTO n RETURN { k, n }", None),
    ("FOR i IN 1..3000000 COLLECT k = i % 7 INTO g RETURN LENGTH(g)", None),
    ("FOR i IN 1..3000000 COLLECT AGGREGATE u = UNIQUE(CONCAT('value ', i)) RETURN LENGTH(u)", None),
    ("FOR i IN 1..2000000 SORT RAND() RETURN { i, text: CONCAT('text number ', i) }", None),
    ("LET a = (FOR i IN 1..3000000 RETURN { i, j: i * 2 }) LET b = (FOR x IN a RETURN [x]) RETURN LENGTH(b)", None),
    ("RETURN LENGTH(RANGE(1, 9000000))", None),
    ("FOR i IN 1..40 RETURN REPEAT(CONCAT('0123456789abcdef', i), 500000)", None),
    ("RETURN LENGTH(CONCAT(FOR i IN 1..400 RETURN REPEAT('0123456789', 100000)))", None),
    ("RETURN LENGTH(JSON_STRINGIFY(FOR d IN parts RETURN MERGE(d, { more: REPEAT(d.text, 20) })))", None),
    ("RETURN LENGTH(MERGE(FOR i IN 1..500000 RETURN { [CONCAT('key ', i)]: i }))", None),
    ("RETURN LENGTH(FLATTEN(FOR i IN 1..2000 RETURN (FOR j IN 1..2000 RETURN [i, j])))", None),
    ("RETURN LENGTH(REVERSE(FOR i IN 1..3000000 RETURN TO_STRING(i)))", None),
    ("RETURN LENGTH(SPLIT(REPEAT('a,', 8000000), ','))", None),
    ("RETURN LENGTH(UNION(1..2000000, 1..2000000, (FOR d IN parts RETURN d.text)))", None),
    ("FOR v, e, p IN 1..12 OUTBOUND 'parts/1' links RETURN p", None),
    ("FOR v, e, p IN 1..14 ANY 'parts/7' links OPTIONS { order: 'bfs' } RETURN { v, p }", Some(10)),
    ("FOR d IN parts WINDOW { preceding: 300, following: 300 } AGGREGATE a = UNIQUE(d.text) RETURN LENGTH(a)", None),
];

/// A query that has not been refused by then has enough.
const SECONDS: u32 = 10;

const MODEST: &str = "FOR d IN parts SORT d.n LIMIT 10 RETURN d.n";
const LARGER: &str = "FOR d IN parts SORT d.text RETURN d.n";
const DOCUMENTS: usize = 20_000;

struct Engine {
    server: Server,
    _directory: tempfile::TempDir,
}

impl Engine {
    fn with_megabytes(megabytes: usize) -> Self {
        let directory = tempfile::tempdir().expect("directory");
        let server = Server::start(directory.path(), &["--memory", &format!("{megabytes}M")]);
        Self { server, _directory: directory }
    }

    /// The status, and the text of the answer.
    fn request(&self, method: &str, path: &str, body: &Value) -> (u16, String) {
        Server::text(&self.server.address, &format!("authorization: {}", root()), method, path, body)
    }

    /// The same within a stream transaction.
    fn request_within(&self, transaction: &str, method: &str, path: &str, body: &Value) -> (u16, String) {
        let head = format!("authorization: {}\r\nx-arango-trx-id: {transaction}", root());
        Server::text(&self.server.address, &head, method, path, body)
    }

    fn query(&self, query: &str, batch_size: Option<u32>) -> (u16, String) {
        // a large first batch, so that the answer holds what was asked for
        let batch_size = batch_size.unwrap_or(10_000_000);
        let body = json!({"query": query, "batchSize": batch_size, "ttl": 5, "options": {"maxRuntime": SECONDS}});
        self.request("POST", "/_api/cursor", &body)
    }

    fn done(&self, query: &str) {
        let (status, body) = self.query(query, None);
        assert_eq!(status, 201, "{query}: {body}");
    }

    /// A line of what the system says of the process, in megabytes.
    fn megabytes(&self, name: &str) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.process.id())).expect("it lives");
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
        line.trim().trim_end_matches("kB").trim().parse::<usize>().expect("a number") >> 10
    }

    /// Bytes that count as held.
    fn held(&self) -> f64 {
        let (_, page) = self.request("GET", "/_admin/metrics/v2", &Value::Null);
        let line = page.lines().find(|line| line.starts_with("arangodb_aql_global_memory_usage{")).expect("a metric");
        line.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number")
    }
}

fn setting(name: &str) -> Option<usize> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn prepare(engine: &Engine) {
    for (name, kind) in [("parts", 2), ("links", 3), ("written", 2)] {
        assert_eq!(engine.request("POST", "/_api/collection", &json!({"name": name, "type": kind})).0, 200);
    }
    let index = json!({"type": "persistent", "fields": ["writer", "n"]});
    assert_eq!(engine.request("POST", "/_api/index?collection=written", &index).0, 201);
    for from in (0..DOCUMENTS).step_by(5_000) {
        let until = from + 4_999;
        engine.done(&format!(
            "FOR n IN {from}..{until} INSERT {{ _key: TO_STRING(n), n: n * 7919 % {DOCUMENTS}, text: REPEAT(SHA256(n), 8) }} INTO parts"
        ));
        engine.done(&format!(
            "FOR n IN {from}..{until} FOR k IN 1..3 INSERT {{ _from: CONCAT('parts/', n), _to: CONCAT('parts/', (n * 3 + k) % {DOCUMENTS}) }} INTO links"
        ));
    }
}

/// What a writer does: documents alone and together, changes, and transactions of several steps.
fn write(engine: &Engine, writer: usize, turn: usize) {
    let text = "x".repeat(500);
    let document = json!({"writer": writer, "n": turn, "text": text});
    let (status, body) = engine.request("POST", "/_api/document/written", &document);
    assert_eq!(status, 202, "{body}");
    let many: Vec<Value> = (0..200).map(|k| json!({"writer": writer, "n": turn, "k": k, "text": text})).collect();
    let (status, body) = engine.request("POST", "/_api/document/written", &json!(many));
    assert_eq!(status, 202, "{body}");
    engine.done(&format!(
        "FOR d IN written FILTER d.writer == {writer} AND d.n == {turn} UPDATE d WITH {{ done: true }} IN written"
    ));
    let begin = json!({"collections": {"write": ["written"]}});
    let (status, begun) = engine.request("POST", "/_api/transaction/begin", &begin);
    assert_eq!(status, 201, "{begun}");
    let begun: Value = serde_json::from_str(&begun).expect("JSON");
    let id = begun["result"]["id"].as_str().expect("an id");
    let step =
        json!({"query": format!("FOR k IN 1..300 INSERT {{ writer: {writer}, n: {turn}, step: k }} INTO written")});
    let (status, body) = engine.request_within(id, "POST", "/_api/cursor", &step);
    assert_eq!(status, 201, "{body}");
    let (status, body) = engine.request("PUT", &format!("/_api/transaction/{id}"), &Value::Null);
    assert_eq!(status, 200, "{body}");
    // as much stays as is worth to be read
    let old = turn.saturating_sub(20);
    engine.done(&format!("FOR d IN written FILTER d.writer == {writer} AND d.n < {old} REMOVE d IN written"));
}

#[derive(Default)]
struct Counts {
    answered: AtomicUsize,
    refused: AtomicUsize,
    late: AtomicUsize,
    written: AtomicUsize,
}

#[test]
fn analysts_and_writers_stay_within_the_memory_of_the_process() {
    let megabytes = setting("SMALL_MEMORY_MEGABYTES").unwrap_or(512);
    let seconds = setting("SMALL_MEMORY_SECONDS").unwrap_or(20);
    let engine = Engine::with_megabytes(megabytes);
    prepare(&engine);
    let (counts, over) = (Counts::default(), AtomicBool::new(false));
    let end = Instant::now() + Duration::from_secs(seconds as u64);
    let mut most = 0;
    thread::scope(|scope| {
        let (engine, counts, over) = (&engine, &counts, &over);
        let mut threads = Vec::new();
        for analyst in 0..ANALYSTS {
            threads.push(scope.spawn(move || {
                let queries = HUNGRY.iter().cycle().skip(analyst * HUNGRY.len() / ANALYSTS);
                for (query, batch_size) in queries {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    let (status, body) = engine.query(query, *batch_size);
                    match status {
                        201 => counts.answered.fetch_add(1, Ordering::Relaxed),
                        500 if body.contains("\"errorNum\":32") => counts.refused.fetch_add(1, Ordering::Relaxed),
                        410 if body.contains("\"errorNum\":1500") => counts.late.fetch_add(1, Ordering::Relaxed),
                        _ => panic!("{query}: {status} {}", &body[..body.len().min(500)]),
                    };
                    engine.done(MODEST);
                }
            }));
        }
        for writer in 0..WRITERS {
            threads.push(scope.spawn(move || {
                for turn in 0.. {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    write(engine, writer, turn);
                    counts.written.fetch_add(1, Ordering::Relaxed);
                }
            }));
        }
        // on a machine that has other things to do it takes longer until there is one of each
        let lacks_some =
            || [&counts.answered, &counts.refused, &counts.written].iter().any(|n| n.load(Ordering::Relaxed) == 0);
        let patience = end + Duration::from_mins(5);
        while (Instant::now() < end || (lacks_some() && Instant::now() < patience))
            && !threads.iter().any(thread::ScopedJoinHandle::is_finished)
        {
            most = most.max(engine.megabytes("VmRSS:"));
            thread::sleep(Duration::from_millis(20));
        }
        over.store(true, Ordering::Relaxed);
    });
    let most = most.max(engine.megabytes("VmHWM:"));
    let all = [&counts.answered, &counts.refused, &counts.late, &counts.written];
    let [answered, refused, late, written] = all.map(|count| count.load(Ordering::Relaxed));
    println!(
        "{seconds} s with {megabytes} MB: {most} MB at most, {answered} queries answered, {refused} refused, {late} out of time, {written} rounds of writes"
    );
    assert!(most <= megabytes, "{most} MB of {megabytes}");
    assert!(answered > 0 && refused > 0 && written > 0, "{answered} {refused} {written}");
    // cursors that were left open are gone after their time
    let patience = Instant::now() + Duration::from_mins(1);
    while engine.held() > 0.0 && Instant::now() < patience {
        thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(engine.held(), 0.0);
    // and the allocator gives back what they had within seconds
    while engine.query(LARGER, None).0 != 201 {
        assert!(Instant::now() < patience, "what is free does not go back");
        thread::sleep(Duration::from_millis(200));
    }
}
