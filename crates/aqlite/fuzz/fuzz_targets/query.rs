//! Text of any form as a query on a small graph: it gives rows or an error, within its time and memory.
#![no_main]

use std::sync::OnceLock;
use std::time::Duration;

use aqlite::catalog::{CollectionDefinition, CollectionKind};
use aqlite::exec::{Prepared, QueryOptions, RunContext};
use aqlite::txn::{Store, TxnOptions};
use aqlite::value::Value;
use libfuzzer_sys::fuzz_target;

const DATA: [&str; 2] = [
    "FOR i IN 0..9 INSERT { _key: TO_STRING(i), i, text: CONCAT('t', i), list: 0..i } INTO v",
    "FOR i IN 1..9 INSERT { _from: CONCAT('v/', i - 1), _to: CONCAT('v/', i), w: i } INTO e",
];

fuzz_target!(|text: &str| {
    let store = store();
    let _ = run(store, text, false);
});

/// One store for the whole run; what a query writes is thrown away.
fn store() -> &'static Store {
    static STORE: OnceLock<Store> = OnceLock::new();
    STORE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        let store = Store::open(&folder).expect("opens");
        for (name, kind) in [("v", CollectionKind::Document), ("e", CollectionKind::Edge)] {
            store.create_collection("_system", CollectionDefinition::new(name, kind)).expect("creates");
        }
        for query in DATA {
            run(&store, query, true).expect("writes");
        }
        store
    })
}

fn run(store: &Store, query: &str, keep: bool) -> aqlite::Result<()> {
    let options = QueryOptions {
        max_runtime: Some(Duration::from_millis(200)),
        memory_limit: 64 << 20,
        ..QueryOptions::default()
    };
    let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
    let mut txn = store.begin(&store.database("_system")?, implicit)?;
    let prepared = Prepared::new(&txn, query, &Value::Null, &options)?;
    prepared.run(&mut txn, RunContext::default())?;
    if keep { txn.commit(false).map(drop) } else { Ok(()) }
}
