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
    println!("told {} of {flips} flips in {} pages: {told:?}", flips - told.not.len(), used.len());
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

/// The same files in a directory.
fn on_disk(disk: &PowerDisk) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let bytes = disk.bytes_of(&Path::new(DIRECTORY).join("aqlite.redb"));
    std::fs::write(directory.path().join("aqlite.redb"), bytes).expect("writes");
    directory
}

/// Flips a bit in every so manyth block that has a text in it; tells which pages they are.
fn flip_where(disk: &PowerDisk, text: &str, stride: usize) -> Vec<usize> {
    let path = Path::new(DIRECTORY).join("aqlite.redb");
    let bytes = disk.bytes_of(&path);
    let has_text = |block: &[u8]| block.windows(text.len()).any(|window| window == text.as_bytes());
    let blocks = bytes.chunks(BLOCK).enumerate().filter(|(_, block)| has_text(block)).map(|(at, _)| at).step_by(stride);
    // before the first page stand a block with the header and one with checksums
    let flipped = blocks.map(|block| {
        disk.flip(&path, block * BLOCK + 2000, 5);
        block - 2
    });
    flipped.collect()
}

#[test]
fn a_check_goes_on_behind_damage_and_names_every_page() {
    let disk = filled();
    let flipped = flip_where(&disk, "lorem ipsum", 9);
    assert!(flipped.len() > 5, "{flipped:?}");
    let findings = Store::check_directory(on_disk(&disk).path(), &mut ()).expect("goes to the end");
    let told = findings.problems.join("\n");
    for page in &flipped {
        assert!(told.contains(&format!("page {page} of the data file")), "{page} in {told}");
    }
    assert!(told.contains("documents of collection c, among them key "), "{told}");
    let lost = findings.problem_count - flipped.len() as u64;
    assert!(lost > 20 && told.contains("document c/") && told.contains(" cannot be read"), "{told}");
    // all others were read, and nothing is said of what is right
    assert_eq!(findings.documents, DOCUMENTS as u64 + 900 - lost, "{told}");
    assert!(!told.contains("fit together") && !told.contains("belong") && !told.contains("does not fit\n"), "{told}");
}

#[test]
fn damage_of_any_kind_ends_no_check() {
    let disk = filled();
    let path = Path::new(DIRECTORY).join("aqlite.redb");
    let bytes = disk.bytes_of(&path);
    let used: Vec<usize> =
        bytes.chunks(BLOCK).enumerate().skip(2).filter(|(_, b)| b.iter().any(|b| *b != 0)).map(|(at, _)| at).collect();
    let mut random = StdRng::seed_from_u64(23);
    let mut opened = 0;
    for _ in 0..20 {
        let disk = disk.copy();
        let blocks: Vec<usize> = (0..4).map(|_| used[random.random_range(0..used.len())]).collect();
        for block in &blocks {
            disk.flip(&path, block * BLOCK + random.random_range(0..BLOCK), 2);
        }
        match Store::check_directory(on_disk(&disk).path(), &mut ()) {
            Ok(findings) => {
                opened += 1;
                for block in blocks
                    .iter()
                    .filter(|block| disk.bytes_of(&path)[*block * BLOCK..][..BLOCK] != bytes[*block * BLOCK..][..BLOCK])
                {
                    let page = format!("page {} of the data file", block - 2);
                    assert!(findings.problems.iter().any(|told| told.contains(&page)), "{page}: {findings:?}");
                }
            }
            Err(error) => assert!(error.message.contains("damaged"), "{error}"),
        }
    }
    assert!(opened > 10, "{opened}");
}

#[test]
fn a_start_that_has_to_write_where_damage_is_says_where_and_what_to_do() {
    let disk = filled();
    let store = open(&disk).expect("opens");
    insert(&store, "c", (0..DOCUMENTS).map(|n| document(n, "third"))).expect("writes");
    // the process is killed: only the log has what was written
    let disk = disk.copy();
    drop(store);
    flip_where(&disk, "first 601 lorem", 1);
    let error = open(&disk).map(|_| ()).expect_err("is refused");
    for part in ["documents of collection c", "stays closed", "restore the latest backup"] {
        assert!(error.message.contains(part), "{error}");
    }
    // nothing was changed: the same again
    assert_eq!(open(&disk).map(|_| ()).expect_err("is refused").message, error.message);
}

#[test]
fn what_a_crash_leaves_of_free_pages_is_never_called_damage() {
    let disk = PowerDisk::default();
    disk.power_for(u64::MAX);
    let store = open(&disk).expect("opens");
    store.create_collection("_system", CollectionDefinition::new("c", CollectionKind::Document)).expect("creates");
    let mut killed = Vec::new();
    for round in 0..12 {
        let text = "some text ".repeat(20 + round);
        insert(&store, "c", (0..DOCUMENTS * 3).map(|n| document(n, &text))).expect("writes");
        killed.push(disk.copy());
    }
    for disk in killed {
        // a clean end after a crash says nothing of the pages that nobody came to
        open(&disk).and_then(|store| store.close()).expect("opens and closes");
        let store = open(&disk).expect("opens");
        assert_eq!((store.scrub().expect("reads"), store.what_is_wrong()), (0, None));
    }
}
