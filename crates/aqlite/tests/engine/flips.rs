//! Bits that change on the disk: whatever is answered is right or an error, and it is told what is damaged.

use std::path::Path;
use std::sync::Arc;

use aqlite::catalog::{CollectionDefinition, CollectionKind, IndexDefinition};
use aqlite::exec::{Prepared, QueryOptions, RunContext};
use aqlite::txn::{OverwriteMode, Store, StoreOptions, TxnOptions, WriteOptions};
use aqlite::value::Value;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::power::PowerDisk;

const DIRECTORY: &str = "/data";
const DOCUMENTS: i64 = 700;
const BLOCK: usize = 4096;

/// Questions that go to documents, to each kind of index and to edges.
const QUESTIONS: [&str; 8] = [
    "FOR d IN c SORT d._key RETURN UNSET(d, '_rev')",
    "FOR n IN 0..150 FOR d IN c FILTER d.n == n SORT d._key RETURN [n, d._key, d.text]",
    "FOR u IN 0..700 LET found = (FOR d IN c FILTER d.u == u RETURN d._key) RETURN [u, found]",
    "FOR a IN 0..30 RETURN LENGTH(FOR d IN c FILTER a IN d.list RETURN 1)",
    "FOR k IN 0..700 RETURN DOCUMENT('c', TO_STRING(k)).text",
    "FOR k IN 0..300 FOR v, e IN 1..1 OUTBOUND CONCAT('c/', k) e SORT e._key RETURN [v._key, e.w]",
    "FOR k IN 0..300 FOR v, e IN 1..1 INBOUND CONCAT('c/', k) e SORT e._key RETURN [v._key, e.w]",
    "RETURN [LENGTH(c), LENGTH(e), COUNT(FOR d IN c RETURN 1)]",
];

fn options(disk: &PowerDisk) -> StoreOptions {
    StoreOptions {
        page_cache: 1 << 20,
        document_cache: 1 << 16,
        lookup_cache: 1 << 16,
        disk: Arc::new(disk.clone()),
        ..StoreOptions::default()
    }
}

fn open(disk: &PowerDisk) -> aqlite::Result<Store> {
    Store::open_with(Path::new(DIRECTORY), &options(disk))
}

fn insert(store: &Store, collection: &str, documents: impl Iterator<Item = Value>) -> aqlite::Result<()> {
    let database = store.database("_system")?;
    let collection = Arc::clone(database.collection(collection).expect("exists"));
    let mut txn = store.begin(&database, TxnOptions { allow_implicit: true, ..TxnOptions::default() })?;
    for document in documents {
        txn.insert(
            &collection,
            &document,
            &WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() },
        )?;
    }
    txn.commit(true)
}

fn document(number: i64, text: &str) -> Value {
    let list = (0..4).map(|at| Value::Int((number + at * 7) % 31));
    Value::from_pairs([
        ("_key", Value::from(number.to_string())),
        ("n", Value::Int(number % 151)),
        ("u", Value::Int(number)),
        ("list", list.collect::<Vec<_>>().into()),
        ("text", Value::from(format!("{text} {number} {}", "lorem ipsum ".repeat((number % 40) as usize)))),
    ])
}

fn edge(number: i64) -> Value {
    Value::from_pairs([
        ("_key", Value::from(number.to_string())),
        ("_from", Value::from(format!("c/{}", number % 300))),
        ("_to", Value::from(format!("c/{}", number * 31 % 300))),
        ("w", Value::Int(number)),
    ])
}

/// A store with documents under several indexes and edges, closed.
fn filled() -> PowerDisk {
    let disk = PowerDisk::default();
    disk.power_for(u64::MAX);
    let store = open(&disk).expect("opens");
    for (name, kind) in [("c", CollectionKind::Document), ("e", CollectionKind::Edge)] {
        store.create_collection("_system", CollectionDefinition::new(name, kind)).expect("creates");
    }
    for definition in [
        IndexDefinition::persistent(&["n"]),
        IndexDefinition::persistent(&["u"]).map(IndexDefinition::unique),
        IndexDefinition::persistent(&["list[*]"]),
    ] {
        store.create_index("_system", "c", definition.expect("a definition")).expect("creates");
    }
    insert(&store, "c", (0..DOCUMENTS).map(|n| document(n, "first"))).expect("writes");
    store.flush().expect("writes");
    // some pages are free, and some were written again
    insert(&store, "c", (0..DOCUMENTS).step_by(3).map(|n| document(n, "second"))).expect("writes");
    insert(&store, "e", (0..900).map(edge)).expect("writes");
    store.close().expect("closes");
    disk
}

fn ask(store: &Store, question: &str) -> aqlite::Result<Value> {
    let options = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
    let mut txn = store.begin(&store.database("_system")?, options)?;
    let prepared = Prepared::afresh(&txn, question, &Value::Null, &QueryOptions::default())?;
    let outcome = prepared.run(&mut txn, RunContext::default())?;
    Ok(outcome.rows.into())
}

/// What came of a bit that changed.
#[derive(Default, Debug)]
struct Told {
    starts_refused: u32,
    answers_refused: u32,
    only_by_scrub: u32,
    not: Vec<usize>,
}

#[test]
fn a_flipped_bit_is_told_and_never_an_answer() {
    let disk = filled();
    let store = open(&disk.copy()).expect("opens");
    let expected: Vec<Value> = QUESTIONS.iter().map(|question| ask(&store, question).expect("answers")).collect();
    drop(store);
    let path = Path::new(DIRECTORY).join("aqlite.redb");
    let bytes = disk.bytes_of(&path);
    let used: Vec<usize> =
        bytes.chunks(BLOCK).enumerate().skip(2).filter(|(_, b)| b.iter().any(|b| *b != 0)).map(|(at, _)| at).collect();
    let mut random = StdRng::seed_from_u64(17);
    let mut told = Told::default();
    let flips: usize = std::env::var("AQLITE_FLIPS").ok().and_then(|flips| flips.parse().ok()).unwrap_or(200);
    for _ in 0..flips {
        let at = used[random.random_range(0..used.len())] * BLOCK + random.random_range(0..BLOCK);
        let disk = disk.copy();
        disk.flip(&path, at, random.random_range(0..8));
        let Ok(store) = open(&disk) else {
            told.starts_refused += 1;
            continue;
        };
        let mut refused = 0;
        for (question, expected) in QUESTIONS.iter().zip(&expected) {
            match ask(&store, question) {
                Ok(answer) => assert!(answer == *expected, "byte {at}: another answer to {question}"),
                Err(error) => {
                    assert!(error.message.contains("damaged"), "byte {at}: {error}");
                    refused += 1;
                }
            }
        }
        // in use or not, who looks finds it
        let found = store.scrub();
        if refused > 0 {
            told.answers_refused += 1;
            assert!(found.is_ok_and(|pages| pages > 0) && store.what_is_wrong().is_some(), "byte {at}");
        } else if store.damaged_pages() > 0 {
            told.only_by_scrub += 1;
        } else {
            told.not.push(at);
        }
        // writing makes nothing of it permanent
        let _ = insert(&store, "c", (0..DOCUMENTS).step_by(50).map(|n| document(n, "third")));
        let _ = store.close();
        drop(store);
        if refused > 0 {
            let again = open(&disk).and_then(|store| store.verify());
            assert!(again.is_err(), "byte {at}: what was damaged counts as right after more was written");
        }
    }
    println!("{flips} flips, {} pages in use: {told:?}", used.len());
    assert!(told.not.is_empty(), "{told:?}");
}

#[test]
fn damage_names_the_document_and_leaves_the_others() {
    let disk = filled();
    let path = Path::new(DIRECTORY).join("aqlite.redb");
    let bytes = disk.bytes_of(&path);
    let needle = b"first 601 lorem";
    for (at, _) in bytes.windows(needle.len()).enumerate().filter(|(_, window)| window == needle) {
        disk.flip(&path, at, 3);
    }
    let store = open(&disk).expect("opens");
    let c = Arc::clone(store.database("_system").expect("exists").collection("c").expect("exists"));
    let error = store.view().by_key(&c, "601").expect_err("is damaged");
    assert!(error.message.contains("document c/601") && error.message.contains("documents of collection c"), "{error}");
    assert!(store.view().by_key(&c, "7").expect("reads").is_some());
    assert!(store.what_is_wrong().is_some_and(|wrong| wrong.contains("damaged")));
    assert_eq!(store.damaged_pages(), 1);
    // what is written elsewhere is committed
    insert(&store, "e", std::iter::once(edge(5000))).expect("writes");
}
