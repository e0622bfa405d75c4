//! How much memory a transaction takes. Alone in its file: every allocation of the process is counted.

use aqlite::catalog::{CollectionDefinition, CollectionKind, IndexDefinition};
use aqlite::txn::{Store, StoreOptions, TxnOptions, WriteOptions};
use aqlite::value::Value;
use peak_alloc::PeakAlloc;

#[global_allocator]
static COUNTING: PeakAlloc = PeakAlloc;

const DOCUMENTS: usize = 50_000;
const TEXT: usize = 1_000;
/// What the pages of the file may take besides; a store keeps no more of them, however much is written.
const PAGES: usize = 4 << 20;

#[test]
fn a_transaction_holds_at_most_twice_its_documents() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = StoreOptions { page_cache: PAGES, document_cache: 1 << 20, ..StoreOptions::default() };
    let store = Store::open_with(dir.path(), &options).expect("opens");
    let definition = CollectionDefinition::new("c", CollectionKind::Document);
    store.create_collection("_system", definition).expect("creates");
    let index = aqlite::value::parse_json(r#"{"type": "persistent", "fields": ["n"]}"#).expect("JSON");
    store.create_index("_system", "c", IndexDefinition::from_value(&index).expect("a definition")).expect("creates");

    let before = COUNTING.current_usage();
    COUNTING.reset_peak_usage();
    let database = store.database("_system").expect("exists");
    let mut txn =
        store.begin(&database, TxnOptions { write: vec!["c".into()], ..TxnOptions::default() }).expect("begins");
    let collection = txn.collection_for_write("c").expect("exists");
    let text = "x".repeat(TEXT);
    for n in 0..DOCUMENTS {
        let document = Value::from_pairs([("n", Value::from(n)), ("text", Value::str(text.as_str()))]);
        txn.insert(&collection, &document, &WriteOptions::default()).expect("inserts");
    }
    let documents = DOCUMENTS * TEXT;
    let share = |bytes: usize| bytes.saturating_sub(before) as f64 / documents as f64;
    let held = share(COUNTING.current_usage());
    let counted = txn.write_memory() as f64 / documents as f64;
    txn.commit(true).expect("commits");
    let peak = share(COUNTING.peak_usage().saturating_sub(PAGES));
    println!(
        "open: {held:.2} times its documents, {counted:.2} by its own count; at most, while it commits: {peak:.2}"
    );
    assert!(held <= 2.0, "{held:.2}");
    assert!((0.8..1.25).contains(&(counted / held)), "{counted:.2} counted, {held:.2} held");
    assert!(peak <= 2.0, "{peak:.2}");
}
