//! A process that writes is killed at random moments: every commit it acknowledged is there afterwards, whole, and
//! nothing else is broken.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use aqlite::catalog::{Collection, CollectionDefinition, CollectionKind, IndexDefinition};
use aqlite::search::Link;
use aqlite::txn::{Store, StoreOptions, Txn, TxnOptions, WriteOptions, revision_id};
use aqlite::value::{Value, parse_json};

/// Names the directory of the process that is killed.
const CHILD: &str = "AQLITE_CRASH_DIR";
/// Names the directory of the process whose files may not grow.
const FULL_DISK: &str = "AQLITE_FULL_DISK_DIR";
/// Names how often the process is killed; nightly runs do it more often than others.
const ROUNDS: &str = "AQLITE_CRASH_ROUNDS";
const USUAL_ROUNDS: u64 = 20;
/// Names how long the log of the process gets, where it is not as usual.
const LOG_LIMIT: &str = "AQLITE_CRASH_LOG_LIMIT";
/// So short that the log is set aside again and again.
const SHORT_LOG: u64 = 8 << 10;
/// Documents of one commit: it is there whole or not at all.
const PARTS: i64 = 3;
/// Documents of a collection that is filled in one go: it has all of them or none.
const LOADED: u64 = 60;

fn collection(store: &Store, name: &str) -> Arc<Collection> {
    Arc::clone(store.database("_system").expect("exists").collection(name).expect("exists"))
}

fn begin(store: &Store) -> Txn {
    let options = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
    store.begin(&store.database("_system").expect("exists"), options).expect("begins")
}

fn prepare(store: &Store) {
    let create = |name, kind| {
        store.create_collection("_system", CollectionDefinition::new(name, kind)).expect("creates");
    };
    create("docs", CollectionKind::Document);
    create("links", CollectionKind::Edge);
    create("counter", CollectionKind::Document);
    let index = |fields: &[&str]| IndexDefinition::persistent(fields).expect("a definition");
    store.create_index("_system", "docs", index(&["commit", "part"]).unique()).expect("creates");
    store.create_index("_system", "docs", index(&["tags[*]"])).expect("creates");
    for definition in [
        r#"{"type":"geo","fields":["at"],"geoJson":true}"#,
        r#"{"type":"mdi","fields":["part","number"],"fieldValueTypes":"double","storedValues":["commit"]}"#,
    ] {
        let definition = IndexDefinition::from_value(&parse_json(definition).expect("is JSON")).expect("a definition");
        store.create_index("_system", "docs", definition).expect("creates");
    }
    // postings are compared with the documents by every check
    let view = store.create_view("_system", "view", "{}".to_owned(), None).expect("creates");
    let link = Link { analyzers: vec!["text_en".into()], include_all: true, ..Link::default() };
    let link = store.define_link("_system", &view, link).expect("a definition");
    store.link("_system", "docs", link).expect("links");
    let body =
        parse_json(r#"{"includeAllFields": true, "searchField": true, "storedValues": ["part"]}"#).expect("a body");
    let inverted = store.define_inverted("_system", &body).expect("a definition");
    store.create_index("_system", "docs", inverted).expect("creates");
}

/// Points, lines, and what is no place.
fn place(number: i64, part: i64) -> Value {
    let position = |n: i64| Value::array(vec![Value::Int(n * 7 % 180), Value::Int(n * 3 % 90)]);
    match part {
        0 => position(number),
        1 => Value::from_pairs([
            ("type", Value::from("LineString")),
            ("coordinates", Value::array(vec![position(number), position(number + 1)])),
        ]),
        _ => Value::Null,
    }
}

/// One commit: some documents, an edge, and the number of the commit in the writer's counter. Tells what the edge got.
fn write(store: &Store, writer: i64, number: i64) -> aqlite::Result<Given> {
    let mut txn = begin(store);
    let (docs, links, counter) = (collection(store, "docs"), collection(store, "links"), collection(store, "counter"));
    let options = WriteOptions::default();
    let name = format!("{writer}-{number}");
    for part in 0..PARTS {
        let document = Value::from_pairs([
            ("_key", Value::from(format!("{name}-{part}"))),
            ("commit", Value::from(name.as_str())),
            ("part", Value::Int(part)),
            ("number", Value::Int(number)),
            ("at", place(number, part)),
            ("tags", Value::array(vec![Value::Int(number % 7), Value::Int(part)])),
            ("text", Value::from("x".repeat((number % 500) as usize))),
        ]);
        txn.insert(&docs, &document, &options)?;
    }
    let edge = Value::from_pairs([
        ("_from", Value::from(format!("docs/{name}-0"))),
        ("_to", Value::from(format!("docs/{name}-1"))),
    ]);
    let edge = txn.insert(&links, &edge, &options)?;
    let upsert = WriteOptions { overwrite_mode: aqlite::txn::OverwriteMode::Update, ..WriteOptions::default() };
    let count = Value::from_pairs([("_key", Value::from(format!("w{writer}"))), ("n", Value::Int(number))]);
    txn.insert(&counter, &count, &upsert)?;
    if number > 3 && number % 3 == 0 {
        // what an earlier commit wrote goes as a whole as well
        for part in 0..PARTS {
            let key = Value::from(format!("{writer}-{}-{part}", number - 3));
            match txn.remove(&docs, &key, &options) {
                Err(e) if e.num != aqlite::error::code::DOCUMENT_NOT_FOUND => return Err(e),
                _ => {}
            }
        }
    }
    txn.commit(number % 5 == 0)?;
    Ok(Given { key: edge.key.parse().expect("a number"), revision: revision_id(&edge.rev).expect("a revision") })
}

/// Fills a collection in one go, unless it has its documents already.
fn load(store: &Store, name: &str) {
    let index = IndexDefinition::persistent(&["n"]).expect("a definition");
    store.create_index("_system", name, index.unique()).expect("creates");
    let load = store.begin_load("_system", name, &WriteOptions::default()).expect("begins");
    let Some(mut load) = load else { return };
    for n in 0..LOADED {
        let document = Value::from_pairs([("n", Value::Int(n as i64)), ("text", Value::from("x".repeat(500)))]);
        load.add(n, &document).expect("adds");
    }
    load.finish().expect("loads");
}

/// Numbers that were given to a document and must never be given again.
#[derive(Debug, Clone, Copy, Default)]
struct Given {
    key: u64,
    revision: u64,
}

impl Given {
    fn raise(&mut self, other: Self) {
        self.key = self.key.max(other.key);
        self.revision = self.revision.max(other.revision);
    }
}

/// What a process has acknowledged: the last commit of each writer, and the greatest numbers given to documents.
#[derive(Default)]
struct Acknowledged {
    commits: [i64; 2],
    given: Given,
}

fn read_acknowledged(output: impl BufRead) -> Acknowledged {
    let mut all = Acknowledged::default();
    // the last line may be torn, as everything else
    for line in output.lines().map_while(Result::ok) {
        let Some(("ack", numbers)) = line.split_once(' ') else { continue };
        let numbers: Vec<u64> = numbers.split(' ').map_while(|n| n.parse().ok()).collect();
        if let [writer, number, key, revision, 0] = numbers[..] {
            all.commits[writer as usize] = all.commits[writer as usize].max(number as i64);
            all.given.raise(Given { key, revision });
        }
    }
    all
}

fn counter(store: &Store, writer: i64) -> i64 {
    let found = store.view().by_key(&collection(store, "counter"), &format!("w{writer}")).expect("reads");
    found.map_or(0, |d| d.get("n").as_i64().unwrap_or_default())
}

/// The process that is killed: it prints a commit when it was acknowledged.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(CHILD) else { return };
    let usual = StoreOptions::default();
    let short_log = std::env::var(LOG_LIMIT).ok().and_then(|n| n.parse().ok());
    let log_limit = short_log.unwrap_or(usual.log_limit);
    // a change of the catalog empties the log as well: not too often where it is to be set aside
    let pause = Duration::from_millis(if short_log.is_some() { 150 } else { 20 });
    let store = Store::open_with(Path::new(&dir), &StoreOptions { log_limit, ..usual }).expect("opens");
    let writers: Vec<_> = (0..2)
        .map(|writer| {
            let store = store.clone();
            std::thread::spawn(move || {
                let mut number = counter(&store, writer);
                loop {
                    number += 1;
                    // a transaction that began before an index was dropped is told so and tries again
                    let Given { key, revision } = loop {
                        match write(&store, writer, number) {
                            Ok(given) => break given,
                            Err(e) => assert_eq!(e.num, aqlite::error::code::CONFLICT, "{e}"),
                        }
                    };
                    let mut out = std::io::stdout().lock();
                    // the zero tells that the line is whole
                    writeln!(out, "\nack {writer} {number} {key} {revision} 0")
                        .and_then(|()| out.flush())
                        .expect("prints");
                }
            })
        })
        .collect();
    // changes of the catalog in between
    let mut turn = 0;
    while !writers.iter().any(std::thread::JoinHandle::is_finished) {
        turn += 1;
        let name = format!("extra{turn}");
        let definition = CollectionDefinition::new(&name, CollectionKind::Document);
        // the process before may have been killed before it could drop it again
        let _ = store.create_collection("_system", definition);
        load(&store, &name);
        let index = IndexDefinition::persistent(&["text"]).expect("a definition");
        let (index, _) = store.create_index("_system", "docs", index).expect("creates");
        store.drop_index("_system", "docs", &index.id.to_string()).expect("drops");
        store.drop_collection("_system", &name, false).expect("drops");
        std::thread::sleep(pause);
    }
}

fn pseudo_random(seed: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

/// A new document gets a key and a revision behind all that were given before.
fn check_numbers(store: &Store, given: Given) {
    let mut txn = begin(store);
    let edge = Value::from_pairs([("_from", Value::from("docs/x")), ("_to", Value::from("docs/y"))]);
    let edge = txn.insert(&collection(store, "links"), &edge, &WriteOptions::default()).expect("inserts");
    let (key, revision) = (edge.key.parse::<u64>().expect("a number"), revision_id(&edge.rev).expect("a revision"));
    assert!(key > given.key && revision > given.revision, "{key} {revision} after {given:?}");
}

#[test]
fn an_acknowledged_commit_survives_kill_9() {
    let dir = tempfile::tempdir().expect("a directory");
    {
        let store = Store::open(dir.path()).expect("opens");
        prepare(&store);
        store.close().expect("closes");
    }
    let mut commits = 0;
    let mut given = Given::default();
    let rounds = std::env::var(ROUNDS).ok().and_then(|n| n.parse().ok()).unwrap_or(USUAL_ROUNDS);
    for round in 0..rounds {
        let mut child = Command::new(std::env::current_exe().expect("this test"));
        if round % 2 == 1 {
            child.env(LOG_LIMIT, SHORT_LOG.to_string());
        }
        let mut child = child
            .args(["child", "--exact", "--nocapture"])
            .env(CHILD, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("starts");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let reader = std::thread::spawn(move || read_acknowledged(output));
        std::thread::sleep(Duration::from_millis(60 + pseudo_random(round) % 240));
        child.kill().expect("kills");
        child.wait().expect("ends");
        let Acknowledged { commits: acknowledged, given: now } = reader.join().expect("reads");
        given.raise(now);

        let store = Store::open(dir.path()).expect("opens after the crash");
        store.verify().expect("everything fits together");
        check_numbers(&store, given);
        let docs = collection(&store, "docs");
        let view = store.view();
        for extra in store.database("_system").expect("exists").collections().filter(|c| c.name.starts_with("extra")) {
            let mut scan = view.scan(extra, false).expect("reads");
            let count = std::iter::from_fn(|| scan.next().expect("reads")).count() as u64;
            assert!(count == 0 || count == LOADED, "{count} documents of {}", extra.name);
        }
        for writer in 0..2 {
            let last = counter(&store, writer);
            assert!(
                last >= acknowledged[writer as usize],
                "commit {} of writer {writer} is lost",
                acknowledged[writer as usize]
            );
            commits = commits.max(last);
            for number in (last - 200).max(1)..=last + 1 {
                let removed_by = number + 3;
                let gone = number > last || (removed_by % 3 == 0 && removed_by <= last);
                for part in 0..PARTS {
                    let found = view.by_key(&docs, &format!("{writer}-{number}-{part}")).expect("reads");
                    assert_eq!(found.is_none(), gone, "part {part} of commit {number} of writer {writer}, last {last}");
                }
            }
        }
        store.close().expect("closes");
    }
    assert!(commits > 20, "only {commits} commits were made");
}

/// The process whose files may not grow: it prints what was acknowledged until a write fails, and checks what is left.
#[test]
fn child_on_a_full_disk() {
    let Some(dir) = std::env::var_os(FULL_DISK) else { return };
    let store = Store::open(Path::new(&dir)).expect("opens");
    let mut number = counter(&store, 0);
    let error = loop {
        match write(&store, 0, number + 1) {
            Ok(_) => number += 1,
            Err(error) => break error,
        }
    };
    assert!(!error.message.is_empty());
    assert_eq!(counter(&store, 0), number, "what failed is not visible");
    println!("\nfull {number} {}", error.message);
}

#[cfg(unix)]
#[test]
fn a_full_disk_fails_the_commit_and_loses_nothing() {
    for limit in [2_000, 4_000, 6_000] {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path()).expect("opens");
        prepare(&store);
        store.close().expect("closes");
        // ignoring the signal makes the write itself fail, as it does on a full disk
        let output = Command::new("sh")
            .args([
                "-c",
                &format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" child_on_a_full_disk --exact --nocapture"),
            ])
            .arg(std::env::current_exe().expect("this test"))
            .env(FULL_DISK, dir.path())
            .output()
            .expect("starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().find_map(|l| l.strip_prefix("full "));
        let line = line.unwrap_or_else(|| panic!("{limit}: {text}{}", String::from_utf8_lossy(&output.stderr)));
        let number: i64 = line.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
        let store = Store::open(dir.path()).expect("opens with room");
        store.verify().expect("everything fits together");
        assert_eq!(counter(&store, 0), number, "{line}");
        assert!(write(&store, 0, number + 1).is_ok());
    }
}
